// Tasks in the background after an answer: finds compacted messages that it missed, and reads ahead so that a
// compaction under pressure finds its work done.

import type { ChatModel } from '../../adapters/models/chat-model.ts';
import type { ConversationId } from '../../domain/base/ids.ts';
import { orElse } from '../../domain/base/log.ts';
import { loadPart } from '../../domain/base/part.ts';
import type { Readable } from '../../domain/base/readable.ts';
import { yieldToEvents } from '../../domain/base/yielding.ts';
import { type Conversation, effectiveHead, pathTo } from '../../domain/chat/conversation.ts';
import type { Message } from '../../domain/chat/message.ts';
import { notesOf } from '../../domain/context/notes.ts';
import { readMessageAhead } from '../../domain/context/reading.ts';
import { comparableUnits } from '../../domain/context/semantic-scores.ts';
import type { Config } from '../../domain/settings/config.ts';
import type { Documents } from '../documents/documents.ts';
import type { MeaningSource } from './meaning.ts';
import type { Meters } from './meters.ts';
import type { Requests } from './requests.ts';
import type { SessionMemoryJob } from './session-memory-job.ts';
import type { Sessions } from './sessions.ts';

/** Longest stretch of reading ahead, ms. */
const SLICE_MS = 8;
/**
 * From this share of the trigger on, sentences are read ahead: after a compaction, questions search them by meaning.
 */
const COMING = 0.5;
/** Messages that are combined at once. */
const STRETCH = 500;

interface PostTurnTasksDependencies {
  readonly documents: Pick<Documents, 'read' | 'open'>;
  readonly sessions: Sessions;
  readonly requests: Requests;
  readonly meters: Meters;
  readonly meaning: MeaningSource;
  readonly sessionMemoryJob: SessionMemoryJob;
  readonly config: Readable<Config>;
  /** Resolves when the data for counting and redaction is loaded. */
  readonly ready: () => Promise<void>;
  readonly model: (conversation: Conversation) => ChatModel | null;
  readonly closing: AbortSignal;
}

interface PostTurnTasks {
  /** Handles the shown branch. Reads only if enough is new since the last time. */
  run(id: ConversationId): Promise<void>;
  /** True if a message was read ahead, so that a compaction under pressure need not read it. */
  isRead(message: Message): boolean;
}

/** Makes the tasks that run after an answer. They read ahead in slices of 8 ms and stop when `closing` is aborted. */
export function createPostTurnTasks({
  documents,
  sessions,
  requests,
  meters,
  meaning,
  sessionMemoryJob,
  config,
  ready,
  model,
  closing,
}: PostTurnTasksDependencies): PostTurnTasks {
  /** Messages that were read ahead. */
  const read = new WeakSet<Message>();
  /** Conversations that are being read; one at a time each. */
  const preparing = new Set<ConversationId>();

  /** Looks for messages that the answer missed, and updates the notes for a session memory. */
  async function run(id: ConversationId): Promise<void> {
    await yieldToEvents();
    await ready();
    const conversation = await documents.read(id);
    if (!conversation || closing.aborted) return;
    const path = pathTo(conversation.messages, effectiveHead(conversation));
    const sent = requests.redaction().path(path);
    const applied = requests.appliedOn(conversation, path);
    if (!applied) sessions.set(sessions.of(id), { loss: null });
    else {
      const answer = path.findLast(({ role, kind }) => role === 'assistant' && kind === 'message')?.id;
      const losses = requests.lossesOf(id, sent, applied);
      sessions.set(sessions.of(id), { loss: answer && losses.length > 0 ? { answer, losses } : null });
    }
    const { every_tokens: everyTokens, every_tool_calls: everyCalls } = config.get().context.session_memory;
    const meter = meters.of(model(conversation));
    let [tokens, calls] = [0, 0];
    for (let at = path.length - 1; at >= 0 && !read.has(path[at] as Message); at -= 1) {
      const message = path[at] as Message;
      tokens += meter.parts(message.parts);
      calls += message.parts.filter((part) => part.type === 'tool-call').length;
      if (tokens >= everyTokens || calls >= everyCalls) return await prepareBranch(id);
    }
  }

  /** Reads every message of the branch once, in slices, so that a compaction under pressure finds it done. */
  async function prepareBranch(id: ConversationId): Promise<void> {
    if (preparing.has(id)) return;
    preparing.add(id);
    // Kept open, since the results are cached with the message objects.
    const open = await orElse(documents.open(id), null, 'reading a branch before it must be compacted');
    try {
      if (!open) return;
      const [{ readBranchAhead }, { structureOf }] = await loadPart(() =>
        Promise.all([
          import('../../domain/context/compaction/memory-writer.ts'),
          import('../../domain/context/compaction/outline.ts'),
        ]),
      );
      let rested = performance.now();
      let fresh = 0;
      for (const message of pathTo(open.get().messages, effectiveHead(open.get()))) {
        if (closing.aborted) return;
        if (read.has(message)) continue;
        notesOf(message);
        readMessageAhead(message);
        comparableUnits(message);
        read.add(message);
        fresh += 1;
        if (performance.now() - rested < SLICE_MS) continue;
        await yieldToEvents();
        rested = performance.now();
      }
      const path = requests.redaction().path(pathTo(open.get().messages, effectiveHead(open.get())));
      const writer = model(open.get());
      const meter = meters.of(writer);
      let weight = 0;
      for (let end = Math.max(0, path.length - Math.max(fresh, 1)); end < path.length && !closing.aborted; ) {
        end = Math.min(path.length, end + STRETCH);
        const known = path.slice(0, end);
        readBranchAhead(known);
        weight = structureOf(known, meter).tokens.reduce((sum, tokens) => sum + tokens, 0);
        await yieldToEvents();
      }
      if (weight >= requests.windowOf(writer) * config.get().context.trigger_ratio * COMING)
        await orElse(
          Promise.resolve(meaning.readAhead?.(path.flatMap(comparableUnits), closing)),
          undefined,
          'reading the sentences of a branch before a question means one of them',
        );
      if (writer && config.get().context.session_memory.by_model) {
        // Waits again: the person may have forbidden words meanwhile, and those must go to no model.
        await ready();
        await sessionMemoryJob.write(id, open.get, writer, meter, closing);
      }
    } finally {
      preparing.delete(id);
      open?.close();
    }
  }

  return { run, isRead: (message) => read.has(message) };
}
