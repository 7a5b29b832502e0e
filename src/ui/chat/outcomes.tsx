// Shows outcomes of slash commands below the messages until closed. They are not part of the conversation.
import { ChevronDown, CornerDownLeft, X } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import type { ConversationId } from '../../domain/base/ids.ts';
import type { CommandOutcome } from '../../services/commands/command.ts';
import { useNavigation } from '../hooks/navigation.tsx';
import { createPart } from '../hooks/part.ts';
import { type ShownOutcome, useSession } from '../hooks/session.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { classes, IconButton, Spinner } from '../shell/controls.tsx';
import { download } from '../shell/conversation-actions.tsx';

const view = createPart(async () => (await import('./command-outcome.tsx')).CommandOutcomeView);

/** Loads the component that draws outcomes. Throws `part-missing`. */
export const loadOutcomeView = view.load;

/** Shows all outcomes of a place, newest last, each with the line that asked for it. */
export function Outcomes({
  place,
  shown,
  askedAt = 0,
}: {
  place: ConversationId | 'new';
  shown: readonly ShownOutcome[];
  /** Time of the last question, ms since 1970: earlier outcomes collapse to make room for its answer. */
  askedAt?: number;
}) {
  const { outcomes } = useSession();
  const close = (id: number) =>
    outcomes.update((all) =>
      new Map(all).set(
        place,
        (all.get(place) ?? []).filter((other) => other.id !== id),
      ),
    );
  // Outcomes that existed at mount are not new.
  const [before] = useState(() => new Set(shown.map(({ id }) => id)));
  return shown.map(({ id, line, outcome, at }) => (
    <OutcomeCard
      key={id}
      line={line}
      outcome={outcome}
      fresh={!before.has(id)}
      past={outcome !== null && at < askedAt}
      onClose={() => close(id)}
    />
  ));
}

/** `fresh`: scrolls into view by its beginning. `past`: shows only its line until opened. */
function OutcomeCard({
  line,
  outcome,
  fresh,
  past,
  onClose,
}: Pick<ShownOutcome, 'line' | 'outcome'> & { fresh: boolean; past: boolean; onClose: () => void }) {
  const { t } = useTranslation('chat');
  const card = useRef<HTMLElement>(null);
  const body = useId();
  const [wanted, setWanted] = useState<boolean | null>(null);
  const open = wanted ?? !past;
  const View = view.use();
  const done = outcome !== null && View !== null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once at the start and once at the end
  useEffect(() => {
    const box = card.current;
    if (fresh) box?.scrollIntoView({ block: box.offsetHeight > innerHeight / 2 ? 'start' : 'nearest' });
  }, [fresh, done]);
  return (
    <section
      ref={card}
      aria-label={line}
      className={classes('scroll-mt-4 scroll-mb-8 rounded-lg border bg-side', open ? 'my-4' : 'my-1')}
    >
      <header className="flex items-center gap-2 py-1 pr-1 pl-3 text-ink-3 text-xs">
        <button
          type="button"
          aria-expanded={open}
          aria-controls={body}
          onClick={() => setWanted(!open)}
          className="touchable flex min-w-0 flex-1 items-center gap-2 rounded-xs text-left hover:text-ink"
        >
          <CornerDownLeft size={13} aria-hidden className="shrink-0" />
          <span className="min-w-0 truncate font-mono">{line}</span>
          <ChevronDown
            size={13}
            aria-hidden
            className={classes('shrink-0 transition-transform', !open && '-rotate-90')}
          />
        </button>
        <span className="max-sm:hidden">{t('notSaved')}</span>
        <IconButton size="sm" label={t('close')} icon={<X size={14} aria-hidden />} onClick={onClose} />
      </header>
      <div id={body} hidden={!open} className="px-3 pb-3">
        {done ? (
          <View outcome={outcome} />
        ) : (
          <p className="text-ink-3">
            <Spinner label={t('commandRuns')} />
          </p>
        )}
      </div>
    </section>
  );
}

/** Carries out what an outcome asks for besides being shown. True if there is something to show. */
export function useFollowOutcome(): (outcome: CommandOutcome) => boolean {
  const navigation = useNavigation();
  const session = useSession();
  return (outcome) => {
    switch (outcome.type) {
      case 'open':
        if (outcome.conversationId === null) navigation.newConversation();
        else navigation.openConversation(outcome.conversationId, outcome.messageId ?? null);
        return false;
      case 'screen':
        navigation.openScreen(outcome.screen, outcome.section);
        return false;
      case 'forget':
        session.forgetting.set({ words: outcome.words });
        return false;
      case 'memory-file':
        session.memoryFile.set(outcome.conversationId);
        return false;
      case 'download':
        download(outcome.file);
        return true;
      default:
        return true;
    }
  };
}
