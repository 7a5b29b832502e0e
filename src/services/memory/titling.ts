// Lets the answering model write better titles and summaries, if the person allows it (`indexing.summaries: model`). In
// the background, one conversation at a time, only for recent conversations from this device that have come to rest;
// the result is kept with the conversation. Without a model, or if it fails, the version made without one stays.

import { z } from 'zod';
import type { ChatModel } from '../../adapters/models/chat-model.ts';
import type { ConversationId } from '../../domain/base/ids.ts';
import { readJson } from '../../domain/base/json.ts';
import { log } from '../../domain/base/log.ts';
import type { Readable } from '../../domain/base/readable.ts';
import { type Conversation, effectiveHead, pathTo } from '../../domain/chat/conversation.ts';
import { textOf } from '../../domain/chat/message.ts';
import { isSkipped } from '../../domain/memory/privacy.ts';
import type { Config } from '../../domain/settings/config.ts';
import { startOf } from '../../domain/text/whole-characters.ts';
import { askOnce } from '../context/summarise.ts';
import type { Documents, LibraryEntry } from '../documents/documents.ts';
import { PrivacyFilter } from '../privacy/privacy-filter.ts';
import { createJob } from '../scheduler.ts';
import { distinctTitle } from './distinct-title.ts';
import { mayBeNamed } from './naming.ts';

/** A conversation that rested this long has ended for now, ms. */
const REST_MS = 60_000;
/** Older conversations are left alone, ms: people do not want a bill for their whole past. */
const RECENT_MS = 7 * 86_400_000;
/** Longest part of a conversation that the model reads, characters: its beginning and its end. */
const READ = 12_000;
const TIMEOUT_MS = 60_000;
const MAX_TITLE = 80;
const MAX_SUMMARY = 600;

const polished = z.object({
  title: z.string().trim().min(1),
  summary: z.string().trim().min(1),
});

const SYSTEM =
  'You name conversations. Answer with one JSON object and nothing else: {"title": at most eight words, "summary": one or two sentences about what was asked and what came of it}. Write in the language of the conversation. Do not invent anything.';

interface TitlingDeps {
  readonly documents: Pick<Documents, 'library' | 'read' | 'change'>;
  readonly config: Readable<Config>;
  /** Absent: private words are recognised by their form alone. */
  readonly filter?: PrivacyFilter;
  /** Null: none is connected. */
  readonly model: () => ChatModel | null;
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** Runs `work` in one tab at a time; absent: there is only this tab. */
  readonly exclusively?: (work: () => Promise<void>) => Promise<void>;
}

/** Starts the work on titles and summaries. Ends with the signal. */
export function startTitling({
  documents,
  config,
  model,
  now,
  signal,
  exclusively = (work) => work(),
  filter = new PrivacyFilter({ config }),
}: TitlingDeps): void {
  /** For each conversation, its time of change at the last look in this tab. */
  const seen = new Map<ConversationId, number>();

  const wanted = (entry: LibraryEntry): boolean =>
    entry.updatedAt > now() - RECENT_MS &&
    mayBeNamed(entry, config.get().privacy) &&
    seen.get(entry.id) !== entry.updatedAt;

  const run = async (ending: AbortSignal): Promise<void> => {
    const ask = model();
    if (config.get().indexing.summaries !== 'model' || !ask) return;
    let next: number | undefined;
    for (const entry of documents.library.get().entries.filter(wanted)) {
      ending.throwIfAborted();
      const rests = entry.updatedAt + REST_MS - now();
      if (rests > 0) {
        next = Math.min(next ?? rests, rests);
        continue;
      }
      seen.set(entry.id, entry.updatedAt);
      const conversation = await documents.read(entry.id);
      if (!conversation || conversation.newer || conversation.meta.polished === entry.updatedAt) continue;
      await writeTitle(ask, conversation, entry, ending);
    }
    if (next !== undefined) job.wakeWithin(next);
  };

  async function writeTitle(
    ask: ChatModel,
    conversation: Conversation,
    entry: LibraryEntry,
    ending: AbortSignal,
  ): Promise<void> {
    const prompt = transcriptOf(conversation, config.get().privacy, filter);
    const { text } = await askOnce(ask, SYSTEM, prompt, { timeoutMs: TIMEOUT_MS, signal: ending });
    const made = read(text);
    // An unusable answer is no reason to ask again and again.
    if (!made) return;
    // The person may have given a title meanwhile, written more, or had words forgotten: the result is then dropped.
    const now = await documents.read(entry.id);
    if (!now || transcriptOf(now, config.get().privacy, filter) !== prompt) return;
    const title = startOf(made.title.replace(/\s+/g, ' '), MAX_TITLE);
    await documents.change(entry.id, {
      meta: {
        polished: entry.updatedAt,
        summary: startOf(made.summary, MAX_SUMMARY),
        ...(now.meta.titleBy === 'auto'
          ? { title: distinctTitle(title, entry.id, documents.library.get().entries) }
          : {}),
      },
    });
  }

  const job = createJob({
    run: (ending) => exclusively(() => run(ending)),
    signal,
    gapMs: 1000,
    onError: (error) => log.info('Titles stay as they are', error),
  });
  const stops = [
    documents.library.subscribe(() => job.wakeWithin(REST_MS)),
    config.subscribe(() => job.wake()),
  ];
  signal.addEventListener('abort', () => {
    for (const stop of stops) stop();
  });
  job.wakeWithin(REST_MS);
}

/** Text of the shown branch without secrets; a long one loses its middle. */
function transcriptOf(conversation: Conversation, privacy: Config['privacy'], filter: PrivacyFilter): string {
  const said = pathTo(conversation.messages, effectiveHead(conversation))
    .filter(
      (message) =>
        message.kind === 'message' &&
        (message.role === 'user' || message.role === 'assistant') &&
        !isSkipped(message, privacy),
    )
    .map((message) => `${message.role}: ${filter.redacted('index', textOf(message)).trim()}`)
    .filter((line) => !line.endsWith(': '));
  const whole = said.join('\n\n');
  return whole.length <= READ ? whole : `${whole.slice(0, READ / 2)}\n\n[…]\n\n${whole.slice(-READ / 2)}`;
}

/** Parses the object in a model's answer, whatever surrounds it; undefined if there is none. */
function read(text: string): z.infer<typeof polished> | undefined {
  const from = text.indexOf('{');
  const to = text.lastIndexOf('}');
  if (from < 0 || to < from) return undefined;
  return polished.safeParse(readJson(text.slice(from, to + 1))).data;
}
