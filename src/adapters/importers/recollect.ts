// Reads our own JSON, loose or in a ZIP. It is complete, so ids, heads, checkpoints, flags
// and keys of newer versions are kept.
import { z } from 'zod';
import { RecollectError } from '../../domain/base/errors.ts';
import { asConversationId } from '../../domain/base/ids.ts';
import { createYielder } from '../../domain/base/yielding.ts';
import {
  ARCHIVE_FORMAT,
  ARCHIVE_LIMITS,
  ARCHIVE_VERSION,
  archivedConversationSchema,
  archiveHeaderSchema,
  readNotesAndFeedback,
} from '../../domain/chat/archive.ts';
import {
  type ConversationMeta,
  conversationMetaSchema,
  LAST_WRITER_WINS_KEYS,
} from '../../domain/chat/conversation.ts';
import { messageSchema, type Part, partSchema } from '../../domain/chat/message.ts';
import {
  type Checkpoint,
  type Compaction,
  checkpointSchema,
  compactionSchema,
} from '../../domain/chat/records.ts';
import { type Hlc, readHlc } from '../../domain/sync/hlc.ts';
import type { ImportedConversation, ImportedMessage, Importer, SourceFile } from './importer.ts';
import { decode, wholeItemsOf } from './lenient-json.ts';
import { roleNamed } from './roles.ts';
import { createDamagedFiles, createSkipCounter, type SkipCounter, titleIn } from './skipping.ts';
import { chunksOf, headOf, isDamaged as isDamagedFile } from './source-file.ts';

/** Our own ids are UUIDs; a file with any other id was not written by us. */
const isId = (id: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(id);

/** Most JSON files opened to find out whether a source is ours. */
const MOST_EXAMINED = 50;

const HEADER = new RegExp(`^\\s*\\{[^{[]{0,200}"format"\\s*:\\s*"${ARCHIVE_FORMAT}"`);
/**
 * A tool that sorts keys, as `jq -S` does, puts the header behind the conversations, each of
 * which then begins with its checkpoints.
 */
const SORTED = new RegExp(
  `^\\s*\\{\\s*"conversations"\\s*:\\s*\\[\\s*(?:\\{\\s*"checkpoints"\\s*:\\s*\\{|\\]\\s*,[^{[]{0,200}"format"\\s*:\\s*"${ARCHIVE_FORMAT}")`,
);

const hasCreatedAt = (raw: unknown): raw is { readonly createdAt: unknown } =>
  typeof raw === 'object' && raw !== null && 'createdAt' in raw;

/** The part of a damaged message that is still needed: its place in the tree. */
const placeSchema = z.looseObject({ id: z.string(), parentId: z.string().nullable().catch(null) });

export const recollect: Importer = {
  id: 'recollect',

  async sniff(source, signal) {
    return (await archivesOf(source.files, signal, MOST_EXAMINED)).length > 0 ? 1 : 0;
  },

  claim: async (files, signal) => ({ own: await archivesOf(files, signal), beside: [] }),

  async *read(source, { signal, skip, onNotesAndFeedback }) {
    const skipped = createSkipCounter();
    const damaged = createDamagedFiles();
    const yieldToEvents = createYielder();
    let taken = 0;
    for (const file of await archivesOf(source.files, signal)) {
      const header: Record<string, unknown> = {};
      let [whole, isDamaged] = [0, false];
      /** Refuses a newer version. */
      const isOurs = (): boolean => {
        if (typeof header.version === 'number' && header.version > ARCHIVE_VERSION)
          throw new RecollectError('import-newer', `${file.path} was written by a newer version`, {
            params: { version: header.version, known: ARCHIVE_VERSION },
          });
        return archiveHeaderSchema.safeParse(header).success;
      };
      const items = wholeItemsOf(chunksOf(file, signal), {
        list: 'conversations',
        inner: { list: 'messages', limit: ARCHIVE_LIMITS.message },
        limits: { document: Number.POSITIVE_INFINITY, item: ARCHIVE_LIMITS.conversation },
        onMember: (name, value) => {
          header[name] = value;
        },
        onDamage: () => {
          isDamaged = true;
        },
      });
      for await (const item of items) {
        signal.throwIfAborted();
        // A header behind the conversations is checked at the end: nothing is written before everything was read.
        if ('version' in header && !isOurs()) break;
        if (item.isTooLarge) {
          skipped.count('oversized-conversation', titleIn(item.text()));
          continue;
        }
        // Behind the first entry that is none, a damaged file holds words that nobody said.
        if (item.value === undefined && (await isDamagedFile(file, signal))) break;
        const conversation = toConversation(item.value, item.text, skipped);
        if (conversation) {
          whole += 1;
          yield conversation;
        }
        await yieldToEvents();
      }
      // A file that was cut off within its conversations may have lost a header behind them.
      isDamaged ||= file.damage?.isFound === true;
      const isRefused = (!isDamaged || 'version' in header) && !isOurs();
      if (isRefused && whole > 0) throw new RecollectError('import-broken', `${file.path} has no header`);
      if (isRefused || isDamaged) damaged.add(file, whole);
      taken += whole;
      if (isRefused) continue;
      const notesAndFeedback = readNotesAndFeedback(header.told);
      if (notesAndFeedback) {
        if (notesAndFeedback.damaged > 0)
          skipped.count('malformed-line', undefined, notesAndFeedback.damaged);
        const { damaged: _damaged, ...brought } = notesAndFeedback;
        onNotesAndFeedback?.(brought);
        taken += 1;
      }
    }
    skipped.report(skip);
    damaged.report(skip, taken, source.files);
    if (taken === 0 && !damaged.isEmpty())
      throw new RecollectError('import-broken', 'No conversation in the export can be read');
  },
};

/** Finds JSON files that begin as ours do, among the first `most`. A single file may have any name. */
async function archivesOf(
  files: readonly SourceFile[],
  signal: AbortSignal,
  most = Number.POSITIVE_INFINITY,
): Promise<SourceFile[]> {
  const archives: SourceFile[] = [];
  const named = files.length === 1 ? files : files.filter(({ path }) => /\.json(?:\.\w{1,8})?$/i.test(path));
  for (const file of named.slice(0, most)) {
    const head = decode(await headOf(file, signal, 1024));
    if (HEADER.test(head) || SORTED.test(head)) archives.push(file);
  }
  return archives;
}

function toConversation(
  value: unknown,
  text: () => string,
  skipped: SkipCounter,
): ImportedConversation | undefined {
  const parsed = archivedConversationSchema.safeParse(value);
  if (!parsed.success || !isId(parsed.data.id)) {
    skipped.count('malformed-line', text());
    return undefined;
  }
  const { id } = parsed.data;
  const checkpoints: [string, Checkpoint][] = [];
  for (const [name, raw] of Object.entries(parsed.data.checkpoints)) {
    const checkpoint = checkpointSchema.safeParse(raw);
    if (checkpoint.success) checkpoints.push([name, checkpoint.data as Checkpoint]);
    else skipped.count('malformed-line', JSON.stringify(raw));
  }
  const compactions: Record<string, Compaction> = {};
  for (const [key, raw] of Object.entries(parsed.data.compactions)) {
    const compaction = compactionSchema.safeParse(raw);
    if (compaction.success && compaction.data.id === key)
      compactions[key] = compaction.data as unknown as Compaction;
    else skipped.count('malformed-line', JSON.stringify(raw));
  }
  const messages: ImportedMessage[] = [];
  const damaged = new Map<string, string | null>();
  for (const raw of parsed.data.messages) {
    const message = messageSchema.safeParse(raw);
    const rescued = message.success ? undefined : rescuedFrom(raw, messages.at(-1)?.createdAt ?? 0, skipped);
    if (rescued && isId(rescued.id)) {
      messages.push(rescued);
      continue;
    }
    if (message.success && isId(message.data.id)) {
      if (hasCreatedAt(raw) && raw.createdAt !== message.data.createdAt)
        skipped.count('impossible-time', String(raw.createdAt));
      messages.push(message.data as unknown as ImportedMessage);
      continue;
    }
    skipped.count('malformed-line', JSON.stringify(raw));
    const place = placeSchema.safeParse(raw);
    if (place.success) damaged.set(place.data.id, place.data.parentId);
  }
  // Children of a damaged message get its parent.
  for (const [at, message] of messages.entries()) {
    let { parentId } = message;
    for (let steps = 0; parentId !== null && damaged.has(parentId) && steps <= damaged.size; steps += 1)
      parentId = damaged.get(parentId) ?? null;
    if (parentId !== message.parentId) messages[at] = { ...message, parentId };
  }
  const meta = metaOf(parsed.data.meta, skipped);
  const said = Object.entries(parsed.data.said).filter(
    (one): one is [string, Hlc] =>
      LAST_WRITER_WINS_KEYS.has(one[0]) && typeof one[1] === 'string' && readHlc(one[1]) !== null,
  );
  return {
    source: meta.source ?? { tool: 'recollect', id },
    meta,
    head: meta.head,
    messages,
    // Built from entries, since a name may be any word, even `__proto__`.
    checkpoints: Object.fromEntries(checkpoints),
    ...(Object.keys(compactions).length > 0 ? { compactions } : {}),
    own: { id: asConversationId(id), meta, ...(said.length > 0 ? { said: Object.fromEntries(said) } : {}) },
  };
}

/**
 * Reads a damaged message key by key: a value that cannot be read costs itself alone. `before`: time
 * of the message above it in the file.
 */
function rescuedFrom(raw: unknown, before: number, skipped: SkipCounter): ImportedMessage | undefined {
  const whole = z.looseObject({ id: z.string(), parts: z.array(z.unknown()).min(1) }).safeParse(raw);
  if (!whole.success) return undefined;
  const rest: Record<string, unknown> = { ...whole.data };
  const known = typeof rest.role === 'string' ? roleNamed(rest.role) : undefined;
  if (known === undefined) skipped.count('unknown-role', String(rest.role));
  rest.role = known ?? 'system';
  if (known === undefined) rest.kind = 'note';
  rest.parts = whole.data.parts.map((part): Part => {
    const read = partSchema.safeParse(part);
    if (!read.success) skipped.count('unknown-part', JSON.stringify(part));
    return read.success ? (read.data as Part) : { type: 'unknown', original: part };
  });
  if (typeof rest.parentId !== 'string') rest.parentId = null;
  if (typeof rest.createdAt !== 'number') {
    skipped.count('impossible-time', String(rest.createdAt));
    rest.createdAt = before;
  }
  for (const key of new Set(messageSchema.safeParse(rest).error?.issues.map(({ path }) => String(path[0])))) {
    skipped.count('malformed-line', JSON.stringify({ [key]: rest[key] }));
    delete rest[key];
  }
  const message = messageSchema.safeParse(rest);
  return message.success ? (message.data as unknown as ImportedMessage) : undefined;
}

/** Reads meta key by key, so that a damaged value costs only itself. */
function metaOf(raw: Record<string, unknown>, skipped: SkipCounter): ConversationMeta {
  const whole = conversationMetaSchema.safeParse(raw);
  if (whole.success) return whole.data as ConversationMeta;
  const rest = { ...raw };
  for (const key of new Set(whole.error.issues.map(({ path }) => String(path[0])))) {
    skipped.count('malformed-line', JSON.stringify({ [key]: raw[key] }));
    delete rest[key];
  }
  const again = conversationMetaSchema.safeParse(rest);
  return (again.success ? again.data : conversationMetaSchema.parse({})) as ConversationMeta;
}
