// Shares turns between tabs. A turn runs in the tab that began it; every other tab shows it, can stop it, and
// queues its own messages until it ends.
//
//   tab with the turn ──notify──► channel ──► onTurn in every other tab
//                     ◄──stop──

import { z } from 'zod';
import { asConversationId, type ConversationId } from '../../domain/base/ids.ts';
import { ignore } from '../../domain/base/log.ts';
import { partSchema } from '../../domain/chat/message.ts';
import type { MessageEndpoint } from '../../domain/threads/endpoint.ts';
import { joinNews } from '../../domain/threads/news.ts';
import type { TurnState } from './chat.ts';

/** The members of a `BroadcastChannel` that are used here. */
export type ChannelLike = MessageEndpoint & { close(): void };

/** Parts of a turn that other tabs see. */
export type ShownTurn = Pick<
  TurnState,
  'status' | 'parts' | 'parentId' | 'step' | 'calls' | 'answerId' | 'model' | 'startedAt'
>;

/** Least time between two messages about one turn, ms. */
const PACE_MS = 250;

const shownSchema = z.object({
  status: z.enum(['recalling', 'compacting', 'confirming', 'waiting', 'streaming', 'calling']),
  parts: z.array(partSchema),
  parentId: z.string().nullable(),
  step: z.number(),
  calls: z.array(z.object({ callId: z.string(), name: z.string() })),
  answerId: z.string().nullable(),
  model: z.string().nullable(),
  startedAt: z.number(),
});
/** Other tabs may run another version of the app: unknown messages are ignored. */
const newsSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('turn'), tab: z.string(), conversation: z.string(), turn: shownSchema }),
  z.object({ type: z.literal('ended'), tab: z.string(), conversation: z.string() }),
  z.object({ type: z.literal('ask') }),
  z.object({ type: z.literal('stop'), conversation: z.string() }),
]);

interface CrossTabTurns {
  /** Sends a turn of this tab as it is now; null when it has ended. */
  notify(id: ConversationId, turn: ShownTurn | null): void;
  /** Asks the tab that runs the turn to stop it. */
  stop(id: ConversationId): void;
  close(): void;
}

/**
 * Makes the tab's part.
 * @param deps.alive resolves once others can see that this tab lives; false if they never
 *   can: then nothing is sent or believed
 * @param deps.whenGone resolves when that tab is gone
 * @param deps.onTurn null: it has ended there, or its tab is gone
 */
export function createCrossTabTurns({
  channel,
  tab,
  alive,
  whenGone,
  onTurn,
  onStop,
}: {
  readonly channel: ChannelLike;
  readonly tab: string;
  readonly alive: Promise<boolean>;
  readonly whenGone: (tab: string) => Promise<void>;
  readonly onTurn: (id: ConversationId, turn: ShownTurn | null) => void;
  readonly onStop: (id: ConversationId) => void;
}): CrossTabTurns {
  const own = new Map<
    ConversationId,
    { latest: ShownTurn; timer?: ReturnType<typeof setTimeout> | undefined }
  >();
  /** Tab that runs the turn of each conversation. */
  const others = new Map<ConversationId, string>();
  const watched = new Set<string>();
  let living = false;
  let closed = false;

  const say = (conversation: ConversationId) => {
    const known = own.get(conversation);
    if (known && living && !closed)
      post({ type: 'turn', tab, conversation, turn: known.latest as z.infer<typeof shownSchema> });
  };
  const watch = (owner: string) => {
    if (watched.has(owner)) return;
    watched.add(owner);
    const gone = () => {
      watched.delete(owner);
      for (const [id, runs] of others)
        if (runs === owner) {
          others.delete(id);
          onTurn(id, null);
        }
    };
    ignore(whenGone(owner).then(gone), 'the end of another tab after this one closed');
  };

  const post = joinNews(channel, newsSchema, (news) => {
    if (!living || closed) return;
    if (news.type === 'ask') {
      for (const id of own.keys()) say(id);
      return;
    }
    const id = asConversationId(news.conversation);
    if (news.type === 'stop') {
      if (own.has(id)) onStop(id);
    } else if (news.type === 'turn') {
      others.set(id, news.tab);
      watch(news.tab);
      onTurn(id, news.turn as unknown as ShownTurn);
    } else if (others.get(id) === news.tab) {
      others.delete(id);
      onTurn(id, null);
    }
  });
  const begun = alive.then((lives) => {
    if (closed || !lives) return;
    living = true;
    post({ type: 'ask' });
    for (const id of own.keys()) say(id);
  });
  ignore(begun, 'announcing this tab to other tabs');

  return {
    notify: (id, turn) => {
      const known = own.get(id);
      if (turn === null) {
        if (!known) return;
        clearTimeout(known.timer);
        own.delete(id);
        if (living && !closed) post({ type: 'ended', tab, conversation: id });
      } else if (known) {
        known.latest = turn;
        known.timer ??= setTimeout(() => {
          known.timer = undefined;
          say(id);
        }, PACE_MS);
      } else {
        own.set(id, { latest: turn });
        say(id);
      }
    },
    stop: (id) => {
      if (!closed) post({ type: 'stop', conversation: id });
    },
    close: () => {
      closed = true;
      for (const { timer } of own.values()) clearTimeout(timer);
      channel.close();
    },
  };
}
