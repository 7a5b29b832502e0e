// The passages that answers used last, newest first: a click opens what was said, not the answer that used it.
import { useCallback } from 'react';
import type { Conversation } from '../../domain/chat/conversation.ts';
import { type PartOf, passagesGivenBy, type RecalledPassage } from '../../domain/chat/message.ts';
import type { Documents } from '../../services/documents/documents.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useReadAnew } from '../hooks/read.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Skeleton } from '../shell/controls.tsx';
import { Loading, ReadFailed } from '../shell/reading.tsx';
import { useOpenPassage } from './open-passage.ts';
import { Passage } from './passage.tsx';
import { Section } from './section.tsx';
import { useUnusableTest } from './usable-passages.ts';

const MOST_SHOWN = 5;
/** Most conversations to look through, newest first: older recalls are in the calendar. */
const MOST_READ = 30;

interface RecentRecall extends Pick<PartOf<'recall'>, 'query' | 'threshold'> {
  readonly passage: RecalledPassage;
  /** Time of the answer, ms since 1970. */
  readonly at: number;
}

/** Passages that the answers of a conversation used, each at its latest use, newest first. */
function recallsOf({ messages }: Pick<Conversation, 'messages'>): readonly RecentRecall[] {
  const latest = new Map<string, RecentRecall>();
  for (const { parts, createdAt: at } of messages.values())
    for (const part of parts) {
      const asked = part.type === 'recall' ? part : part.type === 'tool-result' ? part.recalled : undefined;
      if (!asked) continue;
      const { query, threshold } = asked;
      for (const passage of passagesGivenBy(part)) {
        const key = `${passage.messageId} ${passage.passage}`;
        if ((latest.get(key)?.at ?? 0) <= at) latest.set(key, { passage, query, threshold, at });
      }
    }
  return [...latest.values()].sort((a, b) => b.at - a.at);
}

/** Reads conversations, the latest first, until there are enough. */
async function readRecalls({ library, read }: Pick<Documents, 'library' | 'read'>): Promise<RecentRecall[]> {
  const found: RecentRecall[] = [];
  const entries = library
    .get()
    .entries.filter(({ deletedAt }) => deletedAt === null)
    .sort((a, b) => b.updatedAt - a.updatedAt);
  for (const { id } of entries.slice(0, MOST_READ)) {
    if (found.length >= MOST_SHOWN) break;
    const conversation = await read(id);
    if (conversation) found.push(...recallsOf(conversation));
  }
  return found.sort((a, b) => b.at - a.at);
}

export function RecentRecalls() {
  const { t } = useTranslation('memory');
  const { documents } = useApp();
  const openPassage = useOpenPassage();
  const isUnusable = useUnusableTest();
  const entries = useReadable(documents.library, (library) => library.entries);
  // biome-ignore lint/correctness/useExhaustiveDependencies: reads again when a conversation changed
  const read = useCallback(() => readRecalls(documents), [documents, entries]);
  const { value, problem, again } = useReadAnew(read);
  const shown = value
    ?.filter(({ passage: { passage, ...said } }) => !isUnusable({ ...said, text: passage }))
    .slice(0, MOST_SHOWN);
  return (
    <Section title={t('recent.title')}>
      <p className="mb-1 max-w-160 text-ink-2">{t('recent.lead')}</p>
      {problem && <ReadFailed problem={problem} onRetry={again} compact />}
      {!shown && !problem && (
        <Loading className="pt-3">
          <Skeleton className="h-10 w-full" />
        </Loading>
      )}
      {shown?.length === 0 && <p className="pt-3 text-ink-3">{t('recent.none')}</p>}
      {shown && shown.length > 0 && (
        <ol className="@container mt-2 divide-y divide-memory-line/60 overflow-hidden rounded-lg border border-memory-line bg-memory-soft text-sm">
          {shown.map(({ passage, query, threshold }) => (
            <Passage
              key={`${passage.messageId} ${passage.passage}`}
              {...{ passage, query, threshold }}
              onOpen={openPassage}
            />
          ))}
        </ol>
      )}
    </Section>
  );
}
