// Shows a problem in three sentences: what happened, what was kept, what to do.
// Words: `problems.<code>.{what,kept,do}`.
import { Check, Copy, TriangleAlert } from 'lucide-react';
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { toast } from 'sonner';
import type { Problem } from '../../domain/base/errors.ts';
import { log } from '../../domain/base/log.ts';
import { useNavigationIfAny } from '../hooks/navigation.tsx';
import { wordsFor } from '../i18n/index.ts';
import { useAllWords } from '../i18n/use-all-words.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import type { SectionId } from '../settings/sections.ts';
import { Button, classes } from './controls.tsx';

/** A problem as kept with a message: a newer app may have written its code. */
export type ProblemLike = Pick<Problem, 'message'> &
  Partial<Pick<Problem, 'params' | 'retry'>> & { readonly code: string };

/** Codes whose detail is the endpoint's message; for a network problem it is a code. */
const FROM_ENDPOINT = /^model-(?!network)/;

/** Section of the settings in which a problem can be fixed, as its sentence says. */
const SECTION_OF: Readonly<Record<string, SectionId>> = {
  'storage-full': 'storage',
  'storage-lost': 'storage',
  'storage-healed': 'models',
  'storage-truncated': 'storage',
  'copy-full': 'storage',
  'no-model': 'models',
  'model-key': 'models',
  'model-not-found': 'models',
  'model-browser': 'models',
  'embedding-missing': 'memory',
  'embedding-broken': 'memory',
  'embedding-remote': 'memory',
  'import-storage': 'storage',
  'import-limit': 'storage',
  'sync-unpaired': 'sync',
  'sync-deleted': 'sync',
  'conversation-missing': 'storage',
  'tool-limit': 'context',
};

/** Link to that section, unless the person is already there. */
function ToMendingPlace({ code }: { code: string }) {
  const { t } = useTranslation(['shell', 'settings']);
  const navigation = useNavigationIfAny();
  const section = SECTION_OF[code];
  const hasWords = useAllWords(section !== undefined);
  if (!section || !navigation || !hasWords) return null;
  const { route } = navigation;
  if (route.screen === 'settings' && route.section === section) return null;
  return (
    <Button size="sm" onClick={() => navigation.openScreen('settings', section)}>
      {t('openSection', { section: t(`settings:section.${section}.title`) })}
    </Button>
  );
}

/** Situation with words of its own for a problem. */
type ProblemWording = 'start' | 'read';

/** True around a temporary conversation: what a problem calls saved ends with it there (`kept_temporary`). */
export const KeptNowhere = createContext(false);

/**
 * Sentences of a problem in the current language; the plain message if the catalogue has none. `place`: `start` if it
 * kept the app from starting, `read` if something could not be read (`what_start`, `kept_start` …).
 */
export function useProblemWords({ place: asked }: { place?: ProblemWording | undefined } = {}): (
  problem: ProblemLike,
) => {
  what: string;
  kept: string;
  todo: string;
  /** The endpoint's own message. */
  reason: string;
} {
  const { t } = useTranslation(['problems', 'shell']);
  const temporary = useContext(KeptNowhere);
  return (problem) => {
    const say = (part: string): string => {
      const key = `${problem.code}.${part}`;
      // A missing value has its own sentence if the catalogue has one (`what_missing`).
      const { value, argument } = problem.params ?? {};
      const missing = value === '' ? { context: 'missing' } : argument === '' ? { context: 'surplus' } : {};
      // Some statuses and causes have their own sentence (`what_503`, `what_overloaded`).
      const { cause, status } = problem.params ?? {};
      const own = part === 'what' ? (cause ?? status) : undefined;
      const byStatus = own === undefined ? missing : { context: `${own}` };
      const place = asked ?? (temporary && part !== 'what' ? 'temporary' : null);
      const context = place ? { context: place } : byStatus;
      return wordsFor('problems', key, { ...problem.params, ...context }) ?? '';
    };
    const { detail } = problem.params ?? {};
    const reason = detail && FROM_ENDPOINT.test(problem.code) ? t('shell:itsReason', { detail }) : '';
    return { what: say('what') || problem.message, kept: say('kept'), todo: say('do'), reason };
  };
}

/** Returns a function that copies text, true on success; a browser that refuses is reported in a toast. */
export function useCopyOut(): (text: string) => Promise<boolean> {
  const { t } = useTranslation('shell');
  return (text) =>
    navigator.clipboard.writeText(text).then(
      () => true,
      (error: unknown) => {
        log.warn('A text could not be copied', error);
        toast.error(t('copyRefused'), { description: t('copyByHand') });
        return false;
      },
    );
}

/** Copies text as `useCopyOut` does; the second value is true for two seconds after success. */
export function useCopy(): [copy: (text: string) => void, copied: boolean] {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 2000);
    return () => clearTimeout(timer);
  }, [copied]);
  const copyOut = useCopyOut();
  const copy = (text: string) => void copyOut(text).then(setCopied);
  return [copy, copied];
}

/**
 * `compact`: one line of text with the details behind *copy details*. `actions`: buttons that
 * fix it. `place`: see `useProblemWords`.
 */
export function ProblemNotice({
  problem,
  actions,
  compact = false,
  place,
  className,
}: {
  problem: ProblemLike;
  actions?: ReactNode;
  compact?: boolean;
  place?: ProblemWording;
  className?: string;
}) {
  const { t } = useTranslation('shell');
  const words = useProblemWords({ place })(problem);
  const [copy, copied] = useCopy();
  const details = () =>
    copy(
      [
        `${problem.code}: ${problem.message}`,
        problem.params ? JSON.stringify(problem.params) : '',
        navigator.userAgent,
        new Date().toISOString(),
      ]
        .filter(Boolean)
        .join('\n'),
    );
  return (
    <div
      role="alert"
      className={classes(
        'flex gap-3 rounded-lg border border-danger-line bg-danger-soft text-sm',
        compact ? 'px-3 py-2' : 'px-4 py-3',
        className,
      )}
    >
      <TriangleAlert size={17} aria-hidden className="mt-0.5 shrink-0 text-danger" />
      <div className="min-w-0 flex-1">
        <p className={compact ? '' : 'font-medium'}>{words.what}</p>
        {words.kept && <p className="mt-0.5 text-ink-2">{words.kept}</p>}
        {words.todo && <p className="mt-0.5 text-ink-2">{words.todo}</p>}
        {words.reason && <p className="mt-0.5 text-ink-2 [overflow-wrap:anywhere]">{words.reason}</p>}
        <div className="mt-2 flex flex-wrap items-center gap-2">
          {actions}
          {/* Not in a dialog, where the link would lead behind it. */}
          {!compact && <ToMendingPlace code={problem.code} />}
          <Button
            size="sm"
            variant="ghost"
            className={actions || (!compact && SECTION_OF[problem.code]) ? '-ml-1' : '-ml-2.5'}
            onClick={details}
            icon={copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
          >
            {copied ? t('copied') : t('copyDetails')}
          </Button>
        </div>
      </div>
    </div>
  );
}
