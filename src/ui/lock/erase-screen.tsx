// While everything on this device is deleted: there is nothing of the app but this.
import { useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { type Problem, RecollectError } from '../../domain/base/errors.ts';
import { log } from '../../domain/base/log.ts';
import { languageFor, setLanguage } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button, Spinner } from '../shell/controls.tsx';
import { removeFirstPaint } from '../shell/early-words.ts';
import { Logo } from '../shell/logo.tsx';
import { ProblemNotice } from '../shell/problem-notice.tsx';

/** Draws the screen and deletes by `work`; where that fails it says so, and tries again when told to. Resolves when all is deleted. */
export async function eraseOnScreen(container: HTMLElement, work: () => Promise<void>): Promise<void> {
  await setLanguage(languageFor('auto', navigator.languages));
  removeFirstPaint();
  const root = createRoot(container);
  await new Promise<void>((resolve) => root.render(<EraseScreen work={work} onDone={resolve} />));
  root.unmount();
}

function EraseScreen({ work, onDone }: { work: () => Promise<void>; onDone: () => void }) {
  const { t } = useTranslation('lock');
  const [problem, setProblem] = useState<Problem | null>(null);
  const [tries, setTries] = useState(1);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each try runs it once
  useEffect(() => {
    work().then(onDone, (error: unknown) => {
      log.warn('Not everything could be deleted', error);
      setProblem(new RecollectError('erase-failed', String(error)).problem);
    });
  }, [tries]);
  const again = () => {
    setProblem(null);
    setTries(tries + 1);
  };
  return (
    <main className="flex min-h-[calc(100dvh-var(--safe-top)-var(--safe-bottom))] flex-col items-center justify-center gap-4 p-6">
      <Logo size={40} />
      <h1 className="font-semibold text-xl">{t('erase.working')}</h1>
      {problem ? (
        <div className="flex max-w-100 flex-col items-center gap-3">
          <ProblemNotice problem={problem} />
          <Button variant="primary" onClick={again}>
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
