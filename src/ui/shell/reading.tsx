// Shown in the place of content that is being read, or could not be.
import { type ReactNode, useState } from 'react';
import type { Problem } from '../../domain/base/errors.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button } from './controls.tsx';
import { ProblemNotice } from './problem-notice.tsx';

/** Placeholders, announced as loading. `within`: the surroundings announce it. */
export function Loading({
  within = false,
  className,
  children,
}: {
  within?: boolean;
  className?: string;
  children: ReactNode;
}) {
  const { t } = useTranslation('shell');
  return (
    <div role={within ? undefined : 'status'} className={className}>
      <span className="sr-only">{t('loading')}</span>
      {children}
    </div>
  );
}

/** Says why something could not be read, with a button that reads again; the button is busy until `onRetry` settles. */
export function ReadFailed({
  problem,
  onRetry,
  compact = false,
}: {
  problem: Problem;
  onRetry: () => Promise<unknown>;
  compact?: boolean;
}) {
  const { t } = useTranslation('shell');
  const [isBusy, setBusy] = useState(false);
  const retry = () => {
    setBusy(true);
    void onRetry().finally(() => setBusy(false));
  };
  return (
    <ProblemNotice
      problem={problem}
      place="read"
      compact={compact}
      actions={
        <Button size="sm" busy={isBusy} onClick={retry}>
          {t('tryAgain')}
        </Button>
      }
    />
  );
}

/** Says that the list of conversations could not be read. Only a new start reads it again. */
export function ListFailed({ problem, compact = false }: { problem: Problem; compact?: boolean }) {
  const { t } = useTranslation('shell');
  return (
    <ProblemNotice
      problem={problem}
      place="read"
      compact={compact}
      actions={
        <Button size="sm" onClick={() => location.reload()}>
          {t('reload')}
        </Button>
      }
    />
  );
}
