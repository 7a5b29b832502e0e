// Shows the passages of an answer: its recall card, and later findings if memory was not ready at the time.
import { RefreshCw, TextQuote } from 'lucide-react';
import type { ReactNode } from 'react';
import type { MessageId } from '../../domain/base/ids.ts';
import type { Part, PartOf, RecalledPassage } from '../../domain/chat/message.ts';
import { hasRecallContent, renderRecall } from '../../domain/context/recalled.ts';
import { withoutMessages } from '../../domain/memory/passages.ts';
import { useSession } from '../hooks/session.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { nearOnes } from '../memory/closeness.ts';
import { RecallCard } from '../memory/recall-card.tsx';
import { RecallNote } from '../memory/recall-note.tsx';
import { useSearchAgain } from '../memory/search-again.ts';
import { Button } from '../shell/controls.tsx';
import { allText, DrawnOrPlain } from './drawn-or-plain.tsx';
import { useActions } from './message-actions.ts';
import { Fold, Verbatim } from './parts.tsx';

/** Shows passages from other conversations in the answer, and later findings if memory was not ready. */
export function Recalled({
  parts,
  answer,
  askedAt,
  read,
  last = false,
  alone = false,
  defaultOpen = false,
}: {
  parts: readonly Part[];
  /** Null while there is no answer yet. */
  answer: MessageId | null;
  /** When it was begun, ms since 1970; absent while it is being written. */
  askedAt?: number;
  /** The passages went to a model, before the question. */
  read: boolean;
  /** The branch ends with this answer. */
  last?: boolean;
  /** The recall card is the whole answer. */
  alone?: boolean;
  defaultOpen?: boolean;
}) {
  const actions = useActions();
  const kept = parts.find((part) => part.type === 'recall');
  const again = useSearchAgain(
    answer,
    kept,
    last ? (query, signal) => actions.searchAgain(query, read, signal) : null,
  );
  const found = again?.state === 'found' ? again.found : null;
  const left = new Set(kept?.leftOut?.map(({ messageId }) => messageId));
  const isLeft = ({ messageId }: { readonly messageId: string }) => left.has(messageId);
  const recall =
    kept && found && !read
      ? {
          ...kept,
          threshold: found.threshold,
          passages: withoutMessages(found.passages, isLeft),
          nearMisses: withoutMessages(found.nearMisses, isLeft),
        }
      : kept;
  if (!recall) return alone && <NothingRecalled />;
  const given = new Set(recall.passages.map(({ messageId }) => messageId));
  const since =
    found && read ? withoutMessages(found.passages, (said) => isLeft(said) || given.has(said.messageId)) : [];
  const searchedAgain =
    again?.state === 'waiting'
      ? 'waiting'
      : !found
        ? undefined
        : !read
          ? 'found'
          : since.length > 0
            ? 'later'
            : 'nothing';
  const isEmpty = isEmptyRecall(recall);
  const note = <RecallNote {...{ recall, searchedAgain }} />;
  return (
    <>
      {isEmpty ? (
        note
      ) : (
        <DrawnOrPlain words={() => allText([recall])} of={recall}>
          <div className="my-2" data-recall>
            <KeptCard {...{ recall, answer, askedAt, read, defaultOpen }} />
            {since.length === 0 && note}
          </div>
        </DrawnOrPlain>
      )}
      {alone && isEmpty && searchedAgain !== 'waiting' && <NothingRecalled />}
      {found && answer !== null && since.length > 0 && (
        <FoundSince {...{ answer, askedAt, since }} query={recall.query} threshold={found.threshold}>
          {!isEmpty && note}
        </FoundSince>
      )}
    </>
  );
}

/** Recall card kept with an answer, in its last state. */
function KeptCard({
  recall,
  answer,
  askedAt,
  read,
  defaultOpen,
}: {
  recall: PartOf<'recall'>;
  answer: MessageId | null;
  askedAt: number | undefined;
  read: boolean;
  defaultOpen: boolean;
}) {
  const { t } = useTranslation('chat');
  const actions = useActions();
  const { cards } = useSession();
  return (
    <RecallCard
      passages={recall.passages}
      nearMisses={recall.nearMisses}
      leftOut={recall.leftOut}
      unsent={!read}
      applied={recall.applied}
      threshold={recall.threshold}
      query={recall.query}
      askedAt={askedAt}
      foot={
        read &&
        hasRecallContent(recall) && (
          <Fold
            icon={<TextQuote size={14} aria-hidden className="shrink-0" />}
            body={() => <Verbatim text={renderRecall(recall)} />}
          >
            {t('asRead')}
          </Fold>
        )
      }
      defaultOpen={(answer === null ? undefined : cards.get(answer)) ?? defaultOpen}
      onOpenChange={(open) => {
        if (answer !== null) cards.set(answer, open);
      }}
      onOpen={(passage) => actions.open(passage.conversationId, passage.messageId)}
    />
  );
}

/**
 * Later findings for a model's answer given without them: no model has read them,
 * and the person can ask again with them.
 */
function FoundSince({
  answer,
  askedAt,
  since,
  query,
  threshold,
  children,
}: {
  answer: MessageId;
  askedAt: number | undefined;
  since: readonly RecalledPassage[];
  query: string;
  threshold: number;
  children: ReactNode;
}) {
  const { t } = useTranslation('memory');
  const actions = useActions();
  const { cards } = useSession();
  const key = `${answer} since`;
  return (
    <div className="my-2 animate-fade" data-found-since>
      <RecallCard
        passages={since}
        nearMisses={[]}
        unsent
        threshold={threshold}
        query={query}
        askedAt={askedAt}
        asked={t('card.sinceFound')}
        defaultOpen={cards.get(key) ?? false}
        onOpenChange={(open) => cards.set(key, open)}
        onOpen={(passage) => actions.open(passage.conversationId, passage.messageId)}
      />
      {children}
      {actions.canWrite && (
        <Button
          size="sm"
          className="mt-2"
          icon={<RefreshCw size={14} aria-hidden />}
          disabled={!actions.canAsk}
          onClick={() => actions.regenerate(answer)}
        >
          {t('card.answerAgain')}
        </Button>
      )}
    </div>
  );
}

/** True if memory found nothing at all, not even something near. */
const isEmptyRecall = ({ passages, nearMisses, leftOut = [], applied = [] }: PartOf<'recall'>): boolean =>
  passages.length + nearOnes(nearMisses).length + leftOut.length + applied.length === 0;

function NothingRecalled() {
  const { t } = useTranslation('chat');
  return <p className="reading text-ink-2">{t('recallNothing')}</p>;
}
