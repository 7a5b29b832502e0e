// Claude.ai's data export: conversations.json or the ZIP with it. Content blocks win over `text`, which can
// hold a filler. A message with tool results inside becomes a short chain (call, result, rest), so that calls
// and results stand as everywhere else.

import { z } from 'zod';
import { RecollectError } from '../../domain/base/errors.ts';
import { isFields } from '../../domain/base/json.ts';
import { namedSchema } from '../../domain/chat/archive.ts';
import type { Part, Role } from '../../domain/chat/message.ts';
import { wordsOfUnknown } from '../../domain/chat/unknown.ts';
import { fenced } from '../../domain/text/code.ts';
import { isTooLarge, mediaTypeOf, mediaTypeOfUrl, textUrl } from './attachments.ts';
import { fingerprint } from './fingerprint.ts';
import type { ImportedConversation, ImportedMessage, Importer, SourceFile } from './importer.ts';
import { itemsOf } from './lenient-json.ts';
import { claimListings, headOfListing, isProjectFile, listings, placeOf, readListings } from './listing.ts';
import { pagesIn, withPages } from './pages.ts';
import { roleNamed } from './roles.ts';
import { createSkipCounter, type SkipCounter } from './skipping.ts';
import { baseName, chunksOf, folderOf } from './source-file.ts';
import { interpolated, timeOf } from './times.ts';

const TOOL = 'claude';
const ROOT = '00000000-0000-4000-8000-000000000000';

const word = z.string().nullish().catch(null);
const messageSchema = z.looseObject({
  uuid: z.string().min(1).optional().catch(undefined),
  sender: z.string().catch(''),
  role: z.string().optional().catch(undefined),
  model: word,
  text: word,
  content: z
    .union([z.array(z.unknown()), z.string(), z.looseObject({}).transform((block) => [block] as unknown[])])
    .nullish()
    .catch(null),
  created_at: z.unknown().optional(),
  parent_message_uuid: word,
  attachments: z.array(z.unknown()).nullish().catch(null),
  files: z.array(z.unknown()).nullish().catch(null),
});
type ForeignMessage = z.infer<typeof messageSchema>;

const conversationSchema = z.looseObject({
  uuid: z.string().min(1).optional().catch(undefined),
  name: word,
  created_at: z.unknown().optional(),
  updated_at: z.unknown().optional(),
  model: word,
  is_starred: z.boolean().nullish().catch(null),
  chat_messages: z.array(z.unknown()),
});

const attachmentSchema = z.looseObject({
  file_name: word,
  file_type: word,
  file_uuid: word,
  file_kind: word,
  extracted_content: word,
});

export const claude: Importer = {
  id: TOOL,

  async sniff(source, signal) {
    const head = await headOfListing(source.files, signal);
    if (head === undefined) return 0;
    if (/"chat_messages"\s*:\s*\[/.test(head)) return 0.95;
    return /"uuid"\s*:/.test(head) && /"account"\s*:/.test(head) && /"name"\s*:/.test(head) ? 0.4 : 0;
  },

  claim: (files, signal) => claimListings(files, claude.sniff, signal, { tells: true }),

  async *read(source, { signal, skip, now }) {
    yield* readListings(source.files, conversationSchema, { signal, skip }, (item, file, skipped) =>
      toConversation(item, skipped, file.modifiedAt || now || 0),
    );
    const left = createSkipCounter();
    const folders = new Set(listings(source.files).map(({ path }) => folderOf(path)));
    for (const file of source.files) if (folders.has(placeOf(file))) await countLeftOut(file, left, signal);
    left.report(skip);
  },
};

const projectSchema = z.looseObject({ name: word, is_starter_project: z.boolean().nullish().catch(null) });
const memorySchema = z.looseObject({
  conversations_memory: word,
  project_memories: namedSchema.nullish().catch(null),
});

/**
 * Counts the words in the service's memory and projects, which are no conversations. A
 * file that cannot be read counts once.
 */
async function countLeftOut(file: SourceFile, left: SkipCounter, signal: AbortSignal): Promise<void> {
  const name = baseName(file.path).toLowerCase();
  const isMemory = name === 'memories.json';
  const isProject = name === 'projects.json' || isProjectFile(file);
  if ((!isMemory && !isProject) || file.size === 0) return;
  try {
    for await (const { value } of itemsOf(chunksOf(file, signal), {
      list: isMemory ? 'memories' : 'projects',
    })) {
      if (isMemory) {
        const { data } = memorySchema.safeParse(value);
        for (const memory of data
          ? [data.conversations_memory, ...Object.values(data.project_memories ?? {})]
          : [JSON.stringify(value)])
          if (typeof memory === 'string' && memory.trim() !== '') left.count('service-memory', memory);
      } else {
        const { data } = projectSchema.safeParse(value);
        // The service puts a starter project into every account.
        if (data?.is_starter_project !== true) left.count('service-project', data?.name ?? undefined);
      }
    }
  } catch (error) {
    if (!(error instanceof RecollectError)) throw error;
    left.count(isMemory ? 'service-memory' : 'service-project', file.path);
  }
}

function toConversation(
  foreign: z.infer<typeof conversationSchema>,
  skipped: SkipCounter,
  fallback: number,
): ImportedConversation | undefined {
  const read = messagesOf(foreign.chat_messages, skipped);
  const timeFrom = (value: unknown) => {
    const time = timeOf(value);
    if (time === 'impossible') skipped.count('impossible-time', String(value));
    return typeof time === 'number' ? time : undefined;
  };
  const started = timeFrom(foreign.created_at);
  const updatedAt = timeFrom(foreign.updated_at);
  const times = interpolated(
    read.map(({ message }) => timeFrom(message.created_at)),
    started ?? fallback,
  );

  // Older exports name no parents, so the order of the list decides.
  const tree = read.some(({ message }) => message.parent_message_uuid);
  const known = new Set(read.map(({ uuid }) => uuid));
  const parentOf = new Map<string, string | null>();
  let before: string | null = null;
  for (const { message, uuid } of read) {
    const parent = message.parent_message_uuid ?? null;
    parentOf.set(
      uuid,
      tree ? (parent !== null && parent !== ROOT && known.has(parent) ? parent : null) : before,
    );
    before = uuid;
  }

  const chains = new Map<string, ImportedMessage[]>();
  for (const [at, { message, uuid }] of read.entries()) {
    const pieces = toPieces(message, uuid, skipped);
    if (pieces.length === 0) skipped.count('no-content');
    chains.set(
      uuid,
      pieces.map((piece, n) => {
        const id = n === 0 ? uuid : `${uuid}#${n}`;
        const model = (piece.role === 'assistant' && (message.model ?? foreign.model)) || undefined;
        return {
          ...piece,
          id,
          sourceId: id,
          parentId: null,
          createdAt: times[at] as number,
          ...(model === undefined ? {} : { model }),
        };
      }),
    );
  }
  /** Last piece of the nearest message above that has any; null above the root or in a ring. */
  const anchor = (uuid: string): string | null => {
    const seen = new Set([uuid]);
    for (let at = parentOf.get(uuid) ?? null; at !== null && !seen.has(at); at = parentOf.get(at) ?? null) {
      const last = chains.get(at)?.at(-1);
      if (last) return last.id;
      seen.add(at);
    }
    return null;
  };
  const messages: ImportedMessage[] = [];
  const placed = new Set<string>();
  const place = (uuid: string) => {
    // Parents first, without recursion: a conversation can be thousands deep.
    const line: string[] = [];
    for (let at: string | null = uuid; at !== null && !placed.has(at); at = parentOf.get(at) ?? null) {
      placed.add(at);
      line.push(at);
    }
    const top = line.at(-1);
    const ring = top !== undefined && line.includes(parentOf.get(top) ?? '');
    for (const at of line.reverse()) {
      let above = ring && at === top ? null : anchor(at);
      for (const piece of chains.get(at) ?? []) {
        messages.push({ ...piece, parentId: above });
        above = piece.id;
      }
    }
  };
  for (const uuid of chains.keys()) place(uuid);
  if (messages.length === 0) {
    skipped.count('empty-conversation', foreign.name ?? undefined);
    return undefined;
  }

  const inner = new Set(messages.map((message) => message.parentId));
  const newest = messages
    .filter((message) => !inner.has(message.id))
    .reduce((a, b) => (a.createdAt <= b.createdAt ? b : a));
  const first = messages[0] as ImportedMessage;
  return {
    source: {
      tool: TOOL,
      id: foreign.uuid ?? fingerprint(foreign.name ?? '', first.id, JSON.stringify(first.parts)),
    },
    meta: {
      title: foreign.name?.trim() ?? '',
      titleBy: foreign.name?.trim() ? 'import' : 'auto',
      createdAt: started ?? first.createdAt,
      pinned: foreign.is_starred ?? false,
    },
    head: newest.id,
    messages,
    ...(updatedAt === undefined ? {} : { updatedAt }),
  };
}

/** Gives each message an id of its own: a second one of the same id has other words, or it is left out. */
function messagesOf(
  list: readonly unknown[],
  skipped: SkipCounter,
): { readonly message: ForeignMessage; readonly uuid: string }[] {
  const known = new Map<string, string>();
  return list.flatMap((value, at) => {
    const parsed = messageSchema.safeParse(value);
    if (!parsed.success) {
      skipped.count('malformed-line', JSON.stringify(value));
      return [];
    }
    const message = parsed.data;
    const { sender, text, content, attachments, files } = message;
    const words = JSON.stringify([sender, text, content, attachments, files]);
    const uuid = message.uuid ?? fingerprint(String(at), sender, text ?? '');
    if (known.get(uuid) === words) return [];
    const own = known.has(uuid) ? `${uuid}~${fingerprint(words)}` : uuid;
    if (known.has(own)) return [];
    known.set(own, words);
    return [{ message, uuid: own }];
  });
}

type Piece = Pick<ImportedMessage, 'role' | 'kind' | 'parts'>;

function toPieces(foreign: ForeignMessage, uuid: string, skipped: SkipCounter): Piece[] {
  const known = roleNamed(foreign.sender) ?? roleNamed(foreign.role ?? '');
  if (known === undefined) skipped.count('unknown-role', foreign.sender);
  const role = known ?? 'system';
  const kind = known === undefined ? 'note' : 'message';

  const blocks = Array.isArray(foreign.content) ? foreign.content : [];
  const parts: Part[] = toParts(blocks, uuid, skipped);
  // A message without blocks has its words in `text`.
  const text = foreign.text?.trim()
    ? foreign.text
    : typeof foreign.content === 'string'
      ? foreign.content
      : '';
  if (!parts.some((part) => part.type !== 'unknown') && text.trim()) parts.push({ type: 'text', text });
  const tooLarge = new Set<Part>();
  const attachments = (foreign.attachments ?? []).flatMap((value) => toFile(value, skipped, tooLarge));
  // The same file is often in both lists: the copy that may have its text is kept. Two of one
  // name in the same list are two files.
  const twins = [...attachments];
  const others = (foreign.files ?? []).flatMap((value) => {
    const files = toFile(value, skipped, tooLarge);
    const twin = twins.findIndex(({ name }) => name !== undefined && name === files[0]?.name);
    if (twin >= 0) twins.splice(twin, 1);
    return twin >= 0 ? [] : files;
  });
  const listed = new Set<string>();
  for (const file of [...attachments, ...others]) {
    if (file.reference !== undefined && listed.has(file.reference)) continue;
    if (file.reference !== undefined) listed.add(file.reference);
    if (file.url === undefined)
      skipped.count(tooLarge.has(file) ? 'oversized-attachment' : 'missing-attachment', file.name);
    parts.push(file);
  }

  const pieces: Piece[] = [];
  let current: Part[] = [];
  const flush = (as: Role) => {
    if (current.length > 0) pieces.push({ role: as, kind, parts: current });
    current = [];
  };
  let inResults = false;
  for (const part of parts) {
    const isResult = part.type === 'tool-result';
    if (isResult !== inResults) flush(inResults ? 'tool' : role);
    inResults = isResult;
    current.push(part);
  }
  flush(inResults ? 'tool' : role);
  if (pieces.length > 0) return pieces;
  const beside = Object.fromEntries(
    Object.entries(foreign).filter(([name]) => !(name in messageSchema.shape)),
  );
  if (wordsOfUnknown(beside) === '') return [];
  // Words in fields that no known version writes.
  skipped.count('unknown-part', JSON.stringify(beside));
  return [{ role, kind, parts: [{ type: 'unknown', original: beside }] }];
}

function toParts(blocks: readonly unknown[], uuid: string, skipped: SkipCounter): Part[] {
  const parts: Part[] = [];
  /** Calls without a result so far, oldest first. */
  const open: { callId: string; name: string }[] = [];
  for (const [at, block] of blocks.entries()) {
    const raw: Record<string, unknown> =
      typeof block === 'string' ? { type: 'text', text: block } : isFields(block) ? block : {};
    const string = (name: string): string | undefined =>
      typeof raw[name] === 'string' && raw[name].trim() !== '' ? raw[name] : undefined;
    const unknown = () => {
      skipped.count('unknown-part', typeof raw.type === 'string' ? raw.type : JSON.stringify(block));
      parts.push({ type: 'unknown', original: block });
    };
    // Results of the service's own tools: `web_search_tool_result`, `mcp_tool_result`.
    switch (String(raw.type).replace(/^\w+_tool_result$/, 'tool_result')) {
      case 'text': {
        const text = string('text');
        if (text !== undefined) parts.push(...withPages(taggedParts(text), pagesIn(raw.citations)));
        else if (wordsOfUnknown(raw) !== '') unknown();
        break;
      }
      case 'thinking': {
        const text = string('thinking') ?? string('text') ?? summaryOf(raw.summaries);
        if (text !== undefined) parts.push({ type: 'reasoning', text });
        else if (wordsOfUnknown(raw) !== '') unknown();
        break;
      }
      case 'voice_note': {
        const text = string('text');
        if (text !== undefined) parts.push({ type: 'text', text });
        else if (wordsOfUnknown(raw) !== '') unknown();
        break;
      }
      case 'image': {
        const url = imageIn(raw.source);
        if (url === undefined || isTooLarge(url))
          skipped.count(url === undefined ? 'missing-attachment' : 'oversized-attachment', string('name'));
        const mediaType = (url && mediaTypeOfUrl(url)) ?? 'image/*';
        parts.push({ type: 'file', mediaType, ...(url === undefined || isTooLarge(url) ? {} : { url }) });
        break;
      }
      case 'tool_use':
      case 'server_tool_use':
      case 'mcp_tool_use': {
        const call = { callId: string('id') ?? `${uuid}:${at}`, name: string('name') ?? 'tool' };
        open.push(call);
        parts.push({ type: 'tool-call', ...call, arguments: JSON.stringify(raw.input ?? {}) });
        break;
      }
      case 'tool_result': {
        const id = string('tool_use_id');
        const name = string('name');
        const index = open.findIndex((call) =>
          id === undefined ? name === undefined || call.name === name : call.callId === id,
        );
        const [call] = index >= 0 ? open.splice(index, 1) : [];
        if (!call) skipped.count('broken-call', name ?? id);
        parts.push({
          type: 'tool-result',
          callId: call?.callId ?? id ?? `${uuid}:${at}`,
          ...((name ?? call?.name) === undefined ? {} : { name: (name ?? call?.name) as string }),
          text: resultText(raw.content),
          ...(raw.is_error === true ? { isError: true } : {}),
        });
        break;
      }
      default:
        unknown();
    }
  }
  return parts;
}

/** Opens a thought or an artifact within the words, as exports had them before they had blocks. */
const TAG = /<(antThinking|antArtifact)(\s[^<>]{0,2000})?>/g;

/** Splits words into thoughts, artifacts as code under their titles, and the rest. */
function taggedParts(words: string): Part[] {
  const parts: Part[] = [];
  const add = (type: 'text' | 'reasoning', text: string) => {
    const last = parts.at(-1);
    if (last?.type === type) parts[parts.length - 1] = { type, text: `${last.text}${text}` };
    else if (text.trim() !== '') parts.push({ type, text: text.trimStart() });
  };
  let from = 0;
  const unclosed = new Set<string>();
  for (const { 0: tag, 1: name = '', 2: attributes = '', index } of words.matchAll(TAG)) {
    if (index < from || unclosed.has(name)) continue;
    const end = words.indexOf(`</${name}>`, index);
    if (end < 0) {
      unclosed.add(name);
      continue;
    }
    add('text', words.slice(from, index));
    const held = words.slice(index + tag.length, end).replace(/^\n/, '');
    from = end + name.length + 3;
    if (name === 'antThinking') add('reasoning', held.trimEnd());
    else {
      const title = attributeIn(attributes, 'title');
      const language = attributeIn(attributes, 'language') || LANGUAGES[attributeIn(attributes, 'type')];
      add(
        'text',
        `\n\n${title === '' ? '' : `**${title}**\n\n`}${fenced(held.trimEnd(), language ?? '')}\n\n`,
      );
    }
  }
  if (from === 0) return [{ type: 'text', text: words }];
  add('text', words.slice(from).trimEnd());
  return parts;
}
const attributeIn = (attributes: string, name: string): string =>
  new RegExp(`\\b${name}="([^"]*)"`, 'i').exec(attributes)?.[1] ?? '';
const LANGUAGES: Readonly<Record<string, string>> = {
  'text/markdown': 'markdown',
  'text/html': 'html',
  'image/svg+xml': 'svg',
  'application/vnd.ant.mermaid': 'mermaid',
  'application/vnd.ant.react': 'jsx',
};

/** Joins the summaries of thoughts that the service does not show. */
function summaryOf(summaries: unknown): string | undefined {
  const texts = (Array.isArray(summaries) ? (summaries as unknown[]) : []).flatMap((summary) =>
    isFields(summary) && typeof summary.summary === 'string' ? [summary.summary.trim()] : [],
  );
  return texts.join('\n\n').trim() || undefined;
}

/** Returns a picture in the API's form: a data: URL of its bytes, or its address. */
function imageIn(source: unknown): string | undefined {
  if (!isFields(source)) return undefined;
  const { media_type: type, data } = source;
  return typeof type === 'string' && /^image\/[\w.+-]+$/.test(type) && typeof data === 'string' && data !== ''
    ? `data:${type};base64,${data}`
    : undefined;
}

/** Returns the words of a tool's result; blocks other than text stay as JSON. */
function resultText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content))
    return content === undefined || content === null ? '' : JSON.stringify(content);
  return content
    .map((block: unknown) =>
      isFields(block) && (typeof block.text === 'string' || typeof block.url === 'string')
        ? // A found page's name and address are kept as words too.
          [block.title, block.url, block.text].filter((line) => typeof line === 'string').join('\n')
        : JSON.stringify(block),
    )
    .join('\n\n');
}

function toFile(
  value: unknown,
  skipped: SkipCounter,
  tooLarge: Set<Part>,
): Extract<Part, { type: 'file' }>[] {
  const parsed = attachmentSchema.safeParse(value);
  if (!parsed.success) {
    skipped.count('missing-attachment', JSON.stringify(value));
    return [];
  }
  const {
    file_name: name,
    file_type: type,
    file_uuid: id,
    file_kind: kind,
    extracted_content: text,
  } = parsed.data;
  const guessed = mediaTypeOf(name ?? '');
  const typed = type?.includes('/') ? type : guessed;
  const mediaType = typed === 'application/octet-stream' && kind === 'image' ? 'image/*' : typed;
  const details = { ...(name ? { name } : {}), ...(id ? { reference: id } : {}) };
  // The export holds the text that the service extracted, so this part is a text, whatever the file was.
  if (text) {
    const textType = mediaType.startsWith('text/') ? mediaType : 'text/plain';
    const url = textUrl(textType, text);
    if (!isTooLarge(url)) return [{ type: 'file', mediaType: textType, ...details, url }];
    const file: Part = { type: 'file', mediaType: textType, ...details };
    tooLarge.add(file);
    return [file];
  }
  return [{ type: 'file', mediaType, ...details }];
}
