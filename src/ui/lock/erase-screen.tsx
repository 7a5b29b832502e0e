// Screen shown while everything on this device is deleted, without any other part of the app.
import { createRoot } from 'react-dom/client';
import { type Problem, RecollectError } from '../../domain/base/errors.ts';
import { log } from '../../domain/base/log.ts';
import { languageFor, setLanguage } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button, Spinner } from '../shell/controls.tsx';
import { removeFirstPaint } from '../shell/early-words.ts';
import { Logo } from '../shell/logo.tsx';
import { ProblemNotice } from '../shell/problem-notice.tsx';
import { WHOLE_SCREEN } from '../shell/whole-screen.ts';

/**
 * Draws the screen and deletes by `work`; if that fails, says so and tries again on request.
 * Resolves when everything is deleted.
 */
export async function eraseOnScreen(container: HTMLElement, work: () => Promise<void>): Promise<void> {
  await setLanguage(languageFor('auto', navigator.languages));
  removeFirstPaint();
  const root = createRoot(container);
  for (;;) {
    root.render(<EraseScreen />);
    try {
      await work();
      break;
    } catch (error) {
      log.warn('Not everything could be deleted', error);
      const { problem } = new RecollectError('erase-failed', String(error));
      await new Promise<void>((again) => root.render(<EraseScreen failed={{ problem, again }} />));
    }
  }
  root.unmount();
}

function EraseScreen({ failed }: { failed?: { readonly problem: Problem; readonly again: () => void } }) {
  const { t } = useTranslation('lock');
  return (
    <main className={WHOLE_SCREEN}>
      <Logo size={40} />
      <h1 className="font-semibold text-xl">{t('erase.working')}</h1>
      {failed ? (
        <div className="flex max-w-100 flex-col items-center gap-3">
          <ProblemNotice problem={failed.problem} />
          <Button variant="primary" onClick={failed.again}>
            {t('erase.again')}
          </Button>
        </div>
      ) : (
        <>
          <Spinner />
          <p role="status" className="max-w-100 text-center text-ink-2">
            {t('erase.workingText')}
          </p>
        </>
      )}
    </main>
  );
}
