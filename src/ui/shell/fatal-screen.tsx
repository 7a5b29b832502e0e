// Shown instead of the app when this tab cannot do without something: no storage at all, a log from a newer version.
import { useTranslation } from 'react-i18next';
import type { Problem } from '../../domain/base/errors.ts';
import { Button } from './controls.tsx';
import { Logo } from './logo.tsx';
import { ProblemNotice } from './problem-notice.tsx';

export function FatalScreen({ problem }: { problem: Problem }) {
  const { t } = useTranslation('shell');
  return (
    <main className="flex h-dvh flex-col items-center justify-center gap-5 overflow-y-auto p-6">
      <Logo size={40} />
      <h1 className="font-semibold text-xl">{t('fatalTitle')}</h1>
      <ProblemNotice
        problem={problem}
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
