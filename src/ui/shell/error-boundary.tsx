// Contains a failure to one part of the interface: says so there and offers to try again.
import { Component, type ComponentType, lazy, type ReactNode } from 'react';
import { type Problem, toProblem } from '../../domain/base/errors.ts';
import { log } from '../../domain/base/log.ts';
import { loadPart } from '../../domain/base/part.ts';
import { allWords } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button } from './controls.tsx';
import { firstScreenDrawn } from './first-paint.ts';
import { ProblemNotice } from './problem-notice.tsx';

/**
 * Loads a part of the interface when first shown, with all words unless it is the first screen. If its file is
 * unavailable (removed by a newer version, or offline), the boundary around it reports `part-missing`.
 */
export const loaded = <P extends object>(
  load: () => Promise<ComponentType<P>>,
  { isFirst = false }: { readonly isFirst?: boolean } = {},
) =>
  lazy(() =>
    loadPart(async () => {
      const [component] = await Promise.all([load(), isFirst || allWords()]);
      return { default: component };
    }),
  );

function Failed({ problem, onRetry }: { problem: Problem; onRetry: () => void }) {
  const { t } = useTranslation('shell');
  return (
    <div className="mx-auto w-full max-w-xl p-6">
      <ProblemNotice
        problem={problem}
        actions={
          <>
            {/* A part that failed to load gets no retry: React would not load it again. */}
            {problem.code !== 'part-missing' && <Button onClick={onRetry}>{t('tryAgain')}</Button>}
            <Button onClick={() => location.reload()}>{t('reload')}</Button>
          </>
        }
      />
    </div>
  );
}

interface Props {
  /** Retries when this place changes. */
  readonly place: string;
  /** Wraps the error in a dialog if the failed part would have been one. */
  readonly window?: (failed: ReactNode) => ReactNode;
  readonly children: ReactNode;
}

/** React supports error boundaries only as classes. */
export class ErrorBoundary extends Component<Props, { problem: Problem | null; place: string }> {
  override state = { problem: null, place: this.props.place };

  static getDerivedStateFromError(error: unknown): { problem: Problem } {
    return { problem: toProblem(error) };
  }

  static getDerivedStateFromProps(props: Props, state: { place: string }) {
    return props.place === state.place ? null : { problem: null, place: props.place };
  }

  override componentDidCatch(error: unknown): void {
    firstScreenDrawn();
    log.error('A part of the interface failed', error);
  }

  override render(): ReactNode {
    const { problem } = this.state;
    const { window = (failed) => failed, children } = this.props;
    return problem
      ? window(<Failed problem={problem} onRetry={() => this.setState({ problem: null })} />)
      : children;
  }
}
