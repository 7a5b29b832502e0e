// Previews the passages for a sentence, with all scores, without sending it.
import { Search } from 'lucide-react';
import { useEffect, useState } from 'react';
import { isAbort, type Problem, toProblem } from '../../domain/base/errors.ts';
import type { RecallResult } from '../../services/memory/memory.ts';
import { useApp, useAwake, useReadable } from '../hooks/app.tsx';
import { useWithoutForgotten } from '../hooks/forgotten.ts';
import { useNavigation } from '../hooks/navigation.tsx';
import { formatDuration } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Spinner } from '../shell/controls.tsx';
import { ProblemNotice } from '../shell/problem-notice.tsx';
import { ReadFailed } from '../shell/reading.tsx';
import { nearOnes } from './closeness.ts';
import { useOpenPassage } from './open-passage.ts';
import { RecallCard } from './recall-card.tsx';
import { Section } from './section.tsx';

type Trial =
  | { readonly state: 'idle' | 'asking' }
  | { readonly state: 'done'; readonly result: RecallResult }
  | { readonly state: 'failed'; readonly problem: Problem };

export function TryIt() {
  const { t } = useTranslation('memory');
  const { memory, settings } = useApp();
  const hasModel = useReadable(settings.connections, ({ chosen }) => chosen !== null);
  const navigation = useNavigation();
  const openPassage = useOpenPassage();
  const [text, setText] = useState('');
  const [trial, setTrial] = useState<Trial>({ state: 'idle' });
  const [attempt, setAttempt] = useState(0);
  const wanted = text.trim();
  const awake = useAwake();
  const withoutForgotten = useWithoutForgotten((clean) => setTrial(clean));

  // biome-ignore lint/correctness/useExhaustiveDependencies: `awake` and another `attempt` ask again
  useEffect(() => {
    if (wanted === '') {
      setTrial({ state: 'idle' });
      return;
    }
    const asking = new AbortController();
    const timer = setTimeout(() => {
      setTrial((before) => (before.state === 'done' ? before : { state: 'asking' }));
      memory
        // Asks as a first message would: a model gets only passages above a stricter threshold than those shown.
        .recall({ text: wanted, ...(hasModel ? { purpose: 'inject' as const } : {}), signal: asking.signal })
        .then(
          (result) => {
            if (!asking.signal.aborted) setTrial({ state: 'done', result: withoutForgotten(result) });
          },
          (error: unknown) => {
            if (!asking.signal.aborted && !isAbort(error))
              setTrial({ state: 'failed', problem: toProblem(error) });
          },
        );
    }, 250);
    return () => {
      clearTimeout(timer);
      asking.abort();
    };
  }, [memory, wanted, awake, hasModel, attempt]);

  return (
    <Section
      title={t('screen.try.title')}
      aside={
        <button
          type="button"
          onClick={() => navigation.openScreen('settings', 'memory')}
          className="touchable rounded-xs text-accent text-xs hover:underline"
        >
          {t('screen.try.settings')}
        </button>
      }
    >
      <div className="relative">
        <Search size={16} aria-hidden className="absolute top-1/2 left-3 -translate-y-1/2 text-ink-3" />
        <input
          type="search"
          autoComplete="off"
          dir="auto"
          value={text}
          onChange={(event) => setText(event.target.value)}
          placeholder={t('screen.try.placeholder')}
          aria-label={t('screen.try.label')}
          aria-describedby="try-help"
          className="h-11 w-full rounded-lg border border-line-strong bg-paper pr-3 pl-9 text-base [&::-webkit-search-cancel-button]:hidden hover:border-ink-3 focus-visible:border-accent focus-visible:outline-1 focus-visible:outline-offset-0"
        />
      </div>
      <p id="try-help" className="mt-1.5 text-ink-3 text-xs">
        {t('screen.try.help')}
      </p>
      <div className="mt-3" aria-live="polite">
        {trial.state === 'asking' && <Spinner within label={t('screen.try.asking')} className="text-ink-3" />}
        {trial.state === 'failed' && (
          <ReadFailed problem={trial.problem} onRetry={async () => setAttempt(attempt + 1)} />
        )}
        {trial.state === 'done' && (
          <>
            {trial.result.degraded && (
              <ProblemNotice problem={trial.result.degraded} compact className="mb-3" />
            )}
            {trial.result.passages.length === 0 && nearOnes(trial.result.nearMisses).length === 0 ? (
              <p className="text-ink-2">{t('screen.try.none')}</p>
            ) : (
              <RecallCard
                key={trial.result.query}
                passages={trial.result.passages}
                nearMisses={trial.result.nearMisses}
                threshold={trial.result.threshold}
                query={trial.result.query}
                unsent
                defaultOpen
                onOpen={openPassage}
              />
            )}
            <p className="mt-1.5 text-ink-3 text-xs">
              {[
                t('screen.try.took', { time: formatDuration(trial.result.tookMs) }),
                trial.result.mode === 'keyword' ? t('screen.try.wordsOnly') : '',
              ]
                .filter(Boolean)
                .join(' · ')}
            </p>
          </>
        )}
      </div>
    </Section>
  );
}
