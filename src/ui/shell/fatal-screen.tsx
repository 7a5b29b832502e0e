// Shown instead of the app if the log cannot be opened: a newer version wrote it,
// another tab holds it, the browser fails.
import { useLayoutEffect } from 'react';
import type { Problem } from '../../domain/base/errors.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button } from './controls.tsx';
import { firstScreenDrawn } from './first-paint.ts';
import { Logo } from './logo.tsx';
import { ProblemNotice } from './problem-notice.tsx';
import { WHOLE_SCREEN } from './whole-screen.ts';

export function FatalScreen({ problem }: { problem: Problem }) {
  const { t } = useTranslation('shell');
  useLayoutEffect(firstScreenDrawn, []);
  return (
    <main className={WHOLE_SCREEN}>
      <Logo size={40} />
      <h1 className="font-semibold text-xl">{t('fatalTitle')}</h1>
      <ProblemNotice
        problem={problem}
        place="start"
        className="w-full max-w-120"
        actions={
          <Button size="sm" onClick={() => location.reload()}>
            {t('reload')}
          </Button>
        }
      />
    </main>
  );
}
