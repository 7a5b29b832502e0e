// ChatGPT's data export: conversations.json, the split conversations-000.json …, or the ZIP with the files beside them.
// The whole tree is kept; hidden nodes become notes, nodes without words are left out of the chain.

import { z } from 'zod';
import { namedSchema } from '../../domain/chat/archive.ts';
import type { Finish, Part } from '../../domain/chat/message.ts';
import { wordsOfUnknown } from '../../domain/chat/unknown.ts';
import { fenced } from '../../domain/text/code.ts';
import { filePart, isExact, mediaTypeOf } from './attachments.ts';
import { fingerprint } from './fingerprint.ts';
import type { ImportedConversation, ImportedMessage, Importer, SourceFile } from './importer.ts';
import { parseJson } from './lenient-json.ts';
import { claimListings, headOfListing, readListings } from './listing.ts';
import { pagesIn, withPages } from './pages.ts';
import { roleNamed } from './roles.ts';
import { createDamagedFiles, createSkipCounter, type SkipCounter } from './skipping.ts';
import { baseName } from './source-file.ts';
import { timeOf } from './times.ts';

const TOOL = 'chatgpt';

/** Every member accepts any value, so that one strange value does not cost the message. */
const messageSchema = z.looseObject({
  id: z.string().optional().catch(undefined),
  author: z
    .union([
      z.looseObject({ role: z.string().catch(''), name: z.string().nullish().catch(null) }),
      z.string().transform((role) => ({ role, name: null }) as { role: string; name: string | null }),
    ])
    .catch({ role: '', name: null }),
  /** Role beside the words of a message without an author, as in a chat API. */
  role: z.string().optional().catch(undefined),
  create_time: z.unknown().optional(),
  // Tools that imitate this export write only the words.
  content: z
    .union([
      z.looseObject({ content_type: z.string().catch('') }),
      z
        .string()
        .transform(
          (text) => ({ content_type: 'text', text }) as { content_type: string; [key: string]: unknown },
        ),
      z
        .array(z.unknown())
        .transform(
          (parts) => ({ content_type: 'text', parts }) as { content_type: string; [key: string]: unknown },
        ),
    ])
    .nullish()
    .catch(null),
  status: z.string().nullish().catch(null),
  weight: z.number().nullish().catch(null),
  recipient: z.string().nullish().catch(null),
  metadata: z.looseObject({}).nullish().catch(null),
});
type ForeignMessage = z.infer<typeof messageSchema>;

const idSchema = z
  .union([z.string().min(1), z.number().transform(String)])
  .optional()
  .catch(undefined);

const nodeSchema = z.looseObject({
  id: idSchema,
  parent: idSchema.nullable(),
  children: z.array(z.unknown()).catch([]),
  message: z.unknown().optional(),
});

/** Keys nodes by their ids, a second one of an id by its content as well; a node without an id by its position. */
function byOwnId(nodes: readonly unknown[]): Readonly<Record<string, unknown>> {
  const keyed = new Map<string, unknown>();
  for (const [at, node] of nodes.entries()) {
    const id = typeof node === 'object' && node !== null && 'id' in node ? node.id : undefined;
    const key = typeof id === 'string' || typeof id === 'number' ? String(id) : `node-${at}`;
    const content = JSON.stringify(node);
    if (!keyed.has(key)) keyed.set(key, node);
    else if (JSON.stringify(keyed.get(key)) !== content) keyed.set(`${key}~${fingerprint(content)}`, node);
  }
  return Object.fromEntries(keyed);
}

const conversationSchema = z.looseObject({
  title: z.string().nullish().catch(null),
  create_time: z.unknown().optional(),
  update_time: z.unknown().optional(),
  conversation_id: idSchema,
  id: idSchema,
  current_node: idSchema.nullable(),
  is_archived: z.boolean().nullish().catch(null),
  is_starred: z.boolean().nullish().catch(null),
  default_model_slug: z.string().nullish().catch(null),
  // Some tools write the nodes as a list, which lacks only their keys.
  mapping: z.union([namedSchema, z.array(z.unknown()).min(1).transform(byOwnId)]),
});

const attachmentSchema = z.looseObject({
  id: z.string().optional().catch(undefined),
  name: z.string().optional().catch(undefined),
  mime_type: z.string().optional().catch(undefined),
});

export const chatgpt: Importer = {
  id: TOOL,

  async sniff(source, signal) {
    const head = await headOfListing(source.files, signal);
    if (head === undefined) return 0;
    // DeepSeek's export has such nodes, too, but fragments in the place of authors.
    if (/"fragments"\s*:/.test(head) && !/"author"\s*:/.test(head)) return 0;
    if (/"mapping"\s*:\s*\{/.test(head))
      return /"current_node"|"create_time"|"author"/.test(head) ? 0.95 : 0.7;
    // The members of the first conversation may be longer than the part that is sniffed.
    return /"current_node"\s*:/.test(head) && /"conversation_id"|"moderation_results"/.test(head) ? 0.6 : 0;
  },

  claim: (files, signal) => claimListings(files, chatgpt.sniff, signal),

  async *read(source, { signal, skip, now }) {
    const assets = assetsOf(source.files);
    const used = new Set<SourceFile>();
    yield* readListings(source.files, conversationSchema, { signal, skip }, (item, file, skipped) =>
      toConversation(item, { assets, used, skipped, signal, now, file, model: item.default_model_slug }),
    );
    const left = createSkipCounter();
    for (const file of assets.values()) if (!used.has(file)) left.count('unused-file', baseName(file.path));
    left.report(skip);
    const damaged = createDamagedFiles();
    for (const file of assets.values()) if (file.damage?.isFound) damaged.add(file, 0);
    damaged.report(skip, 1, []);
  },
};

interface ExportReading {
  readonly assets: ReadonlyMap<string, SourceFile>;
  /** Assets that a message names. */
  readonly used: Set<SourceFile>;
  readonly skipped: SkipCounter;
  readonly signal: AbortSignal;
  readonly now: number | undefined;
  readonly file: SourceFile;
  /** Model that the conversation was set to, if the export names it. */
  readonly model: string | null | undefined;
}

/** Maps the id of an asset to its file: `file-AbC1-cat.png`, `file_000…abc-<uuid>.png`, `file-AbC1.dat`. */
function assetsOf(files: readonly SourceFile[]): Map<string, SourceFile> {
  const assets = new Map<string, SourceFile>();
  for (const file of files) {
    const id = /^(file[-_][A-Za-z0-9]+)/.exec(baseName(file.path))?.[1];
    if (id !== undefined && !assets.has(id)) assets.set(id, file);
  }
  return assets;
}

interface Node {
  parent: string | null;
  readonly message: ForeignMessage | undefined;
}

/**
 * Reads the nodes by their keys, with parents that are keys as well. `keyFor`: the key of a node by its key or its id.
 */
function nodesOf(
  mapping: Readonly<Record<string, unknown>>,
  skipped: SkipCounter,
): { readonly nodes: ReadonlyMap<string, Node>; readonly keyFor: (id: string) => string } {
  const nodes = new Map<string, Node>();
  const adopted = new Map<string, string>();
  const keyOf = new Map<string, string>();
  for (const [key, value] of Object.entries(mapping)) {
    const node = nodeSchema.safeParse(value);
    if (!node.success) {
      skipped.count('malformed-line', JSON.stringify(value));
      continue;
    }
    const message = messageSchema.safeParse(node.data.message);
    if (!message.success && node.data.message !== null && node.data.message !== undefined)
      skipped.count('malformed-line', JSON.stringify(node.data.message));
    nodes.set(key, { parent: node.data.parent ?? null, message: message.success ? message.data : undefined });
    const id = node.data.id ?? (message.success ? message.data?.id : undefined);
    if (id !== undefined && id !== key && !keyOf.has(id)) keyOf.set(id, key);
    for (const child of node.data.children)
      if ((typeof child === 'string' || typeof child === 'number') && !adopted.has(`${child}`))
        adopted.set(`${child}`, key);
  }
  // Some tools key nodes by one id, and name them by another.
  const keyFor = (id: string): string => (nodes.has(id) ? id : (keyOf.get(id) ?? id));
  for (const [child, parent] of [...adopted])
    if (!adopted.has(keyFor(child))) adopted.set(keyFor(child), parent);
  for (const node of nodes.values()) node.parent = node.parent === null ? null : keyFor(node.parent);
  for (const [key, node] of nodes)
    if (node.parent === null || !nodes.has(node.parent)) {
      const parent = adopted.get(key);
      node.parent = parent !== undefined && parent !== key ? parent : null;
    }
  return { nodes, keyFor };
}

async function toConversation(
  foreign: z.infer<typeof conversationSchema>,
  reading: ExportReading,
): Promise<ImportedConversation | undefined> {
  const { skipped } = reading;
  const { nodes, keyFor } = nodesOf(foreign.mapping, skipped);

  const children = new Map<string | null, string[]>();
  for (const [key, { parent }] of nodes) {
    const list = children.get(parent);
    if (list) list.push(key);
    else children.set(parent, [key]);
  }

  const [createdAt, updatedAt] = [timeOf(foreign.create_time), timeOf(foreign.update_time)];
  for (const time of [createdAt, updatedAt])
    if (time === 'impossible') skipped.count('impossible-time', JSON.stringify(foreign.create_time));
  const started =
    typeof createdAt === 'number' ? createdAt : typeof updatedAt === 'number' ? updatedAt : undefined;

  // From the roots down, so that parents come first. A ring has no root, so its first node becomes the root.
  const messages: ImportedMessage[] = [];
  const untimed: number[] = [];
  /** Maps a node to the message that stands for it: itself, or the nearest one above. */
  const standsFor = new Map<string, string | null>();
  const calls = new Map<string, { callId: string; name: string } | undefined>();
  const visit = async (root: string) => {
    const waiting = [root];
    for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
      if (standsFor.has(key)) continue;
      const node = nodes.get(key);
      if (!node) continue;
      const above = node.parent === null ? null : (standsFor.get(node.parent) ?? null);
      const call = above === null ? undefined : calls.get(above);
      const message = node.message && (await toMessage(key, node.message, call, reading));
      if (message) {
        const written = timeOf(node.message?.create_time);
        if (written === 'impossible')
          skipped.count('impossible-time', JSON.stringify(node.message?.create_time));
        if (typeof written !== 'number') untimed.push(messages.length);
        messages.push({
          ...message,
          id: key,
          parentId: above,
          createdAt: typeof written === 'number' ? written : Number.NaN,
          sourceId: key,
        });
        const opened = message.parts.find((part) => part.type === 'tool-call');
        calls.set(key, opened ?? (message.role === 'tool' || message.kind === 'note' ? call : undefined));
      }
      standsFor.set(key, message ? key : above);
      for (const child of (children.get(key) ?? []).reverse()) waiting.push(child);
    }
  };
  for (const root of children.get(null) ?? []) await visit(root);
  for (const key of nodes.keys())
    if (!standsFor.has(key)) {
      const node = nodes.get(key);
      if (node) node.parent = null;
      await visit(key);
    }
  if (messages.length === 0) {
    skipped.count('empty-conversation', foreign.title ?? undefined);
    return undefined;
  }

  // A missing time becomes that of the message above, else the next known time below, else the conversation's.
  const timed = new Map(messages.map((message) => [message.id, message.createdAt]));
  const below = new Map<string, number>();
  for (const message of [...messages].reverse()) {
    const time = Number.isNaN(message.createdAt) ? below.get(message.id) : message.createdAt;
    if (time !== undefined && message.parentId !== null)
      below.set(message.parentId, Math.min(time, below.get(message.parentId) ?? time));
  }
  for (const at of untimed) {
    const message = messages[at] as ImportedMessage;
    const above = message.parentId === null ? undefined : timed.get(message.parentId);
    const time = above ?? below.get(message.id) ?? started ?? (reading.file.modifiedAt || reading.now || 0);
    messages[at] = { ...message, createdAt: time };
    timed.set(message.id, time);
  }

  const id = foreign.conversation_id ?? foreign.id;
  const { current_node: current } = foreign;
  const first = messages[0] as ImportedMessage;
  return {
    source: { tool: TOOL, id: id ?? fingerprint(foreign.title ?? '', first.id, JSON.stringify(first.parts)) },
    meta: {
      title: foreign.title?.trim() ?? '',
      titleBy: foreign.title?.trim() ? 'import' : 'auto',
      createdAt: started ?? Math.min(...messages.slice(0, 1000).map((message) => message.createdAt)),
      archived: foreign.is_archived ?? false,
      pinned: foreign.is_starred ?? false,
    },
    head: headUnder(current ? keyFor(current) : null, standsFor, messages),
    ...(typeof updatedAt === 'number' ? { updatedAt } : {}),
    messages,
  };
}

/** Finds the leaf below the current node by taking the newest child each time. */
function headUnder(
  current: string | null,
  standsFor: ReadonlyMap<string, string | null>,
  messages: readonly ImportedMessage[],
): string | null {
  const newest = new Map<string, ImportedMessage>();
  for (const message of messages) {
    if (message.parentId === null) continue;
    const known = newest.get(message.parentId);
    if (!known || known.createdAt <= message.createdAt) newest.set(message.parentId, message);
  }
  let at = current === null ? null : (standsFor.get(current) ?? null);
  at ??= messages.reduce((a, b) => (a.createdAt <= b.createdAt ? b : a)).id;
  for (let next = newest.get(at); next; next = newest.get(at)) at = next.id;
  return at;
}

type Read = Omit<ImportedMessage, 'id' | 'parentId' | 'createdAt'>;

async function toMessage(
  key: string,
  foreign: ForeignMessage,
  call: { callId: string; name: string } | undefined,
  reading: ExportReading,
): Promise<Read | undefined> {
  const report = reportIn(foreign.metadata?.chatgpt_sdk);
  if (report)
    return toMessage(
      key,
      { ...report, author: { role: 'assistant', name: null }, recipient: 'all', weight: 1 },
      undefined,
      reading,
    );
  const { skipped } = reading;
  const metadata = foreign.metadata ?? {};
  const known = roleNamed(foreign.author.role) ?? roleNamed(foreign.role ?? '');
  const hidden = metadata.is_visually_hidden_from_conversation === true || foreign.weight === 0;
  let parts = await toParts(foreign, reading);
  parts.push(...(await toAttachments(foreign, parts, reading)), ...(await toDrawn(foreign, reading)));
  if (parts.length === 0) {
    // The service's empty nodes say nothing and are not reported; an empty message of a person or model is.
    if (!hidden && (known === 'user' || known === 'assistant')) skipped.count('no-content');
    return undefined;
  }
  if (known === undefined) skipped.count('unknown-role', foreign.author.role);
  const role = known ?? 'system';
  const kind =
    hidden || known === undefined || NOTES.has(foreign.content?.content_type ?? '') ? 'note' : 'message';

  const recipient = foreign.recipient ?? 'all';
  if (role === 'assistant' && recipient !== 'all') {
    const text = wordsOf(parts, foreign);
    parts = [
      ...parts.filter((part) => part.type !== 'text'),
      { type: 'tool-call', callId: key, name: recipient, arguments: text },
    ];
  } else if (role === 'tool') {
    const texts = parts.filter((part) => part.type === 'text').map((part) => part.text);
    const rest = parts.filter((part) => part.type !== 'text');
    if (call)
      parts = [
        {
          type: 'tool-result',
          callId: call.callId,
          name: foreign.author.name ?? call.name,
          text: texts.join('\n\n'),
          ...(foreign.content?.content_type === 'system_error' ? { isError: true } : {}),
        },
        ...rest,
      ];
    // The service shows some results without their calls: the importer keeps the words and invents no call.
    else if (kind === 'message') skipped.count('broken-call', foreign.author.name ?? texts[0]);
  }
  // Newer exports name the conversation's model, and an answer's model only if it differs.
  const model = [metadata.model_slug, metadata.default_model_slug, reading.model].find(
    (slug): slug is string => typeof slug === 'string' && slug !== '',
  );
  const finish = role === 'assistant' ? finishOf(foreign, recipient) : undefined;
  return {
    role,
    kind,
    parts,
    sourceId: key,
    ...(role === 'assistant' && model !== undefined ? { model } : {}),
    ...(finish ? { finish } : {}),
  };
}

/**
 * A report of Deep Research: a message within the state of a widget, which is JSON as
 * text, on a hidden message of a tool.
 */
function reportIn(value: unknown, depth = 0): ForeignMessage | undefined {
  const state = typeof value === 'string' && value.includes('report_message') ? parseJson(value) : value;
  if (typeof state !== 'object' || state === null || depth > 6) return undefined;
  for (const [name, each] of Object.entries(state)) {
    const { data } = name === 'report_message' ? messageSchema.safeParse(each) : {};
    const report = data?.content ? data : reportIn(each, depth + 1);
    if (report) return { ...report, metadata: { ...report.metadata, chatgpt_sdk: null } };
  }
  return undefined;
}

/** Kinds of content that are bookkeeping, whatever author they name. */
const NOTES: ReadonlySet<string> = new Set(['user_editable_context', 'model_editable_context']);

function finishOf(foreign: ForeignMessage, recipient: string): Finish | undefined {
  const details = foreign.metadata?.finish_details;
  const type =
    typeof details === 'object' && details !== null && 'type' in details ? details.type : undefined;
  if (recipient !== 'all') return 'tool-calls';
  if (type === 'interrupted') return 'stopped';
  if (type === 'max_tokens' || type === 'length') return 'length';
  if (type === 'stop') return 'stop';
  return foreign.status === 'in_progress' ? 'cut' : undefined;
}

/** Arguments of a call: the code itself, without the fence of its Markdown form. */
const wordsOf = (parts: readonly Part[], foreign: ForeignMessage): string =>
  foreign.content?.content_type === 'code' && typeof foreign.content.text === 'string'
    ? foreign.content.text
    : parts
        .filter((part) => part.type === 'text')
        .map((part) => part.text)
        .join('\n\n');

const toParts = async (foreign: ForeignMessage, reading: ExportReading): Promise<Part[]> =>
  withPages(await toWords(foreign, reading), foreign.author.role === 'user' ? [] : pagesOf(foreign));

/** Types of a reference list whose items are pages, and not pictures, files, places or goods. */
const OF_PAGES = /web|source|news|url|link|academic|cite/i;

function pagesOf({ metadata }: ForeignMessage): ReturnType<typeof pagesIn> {
  const references = [metadata?.content_references].flat().filter((reference) => {
    const type = typeof reference === 'object' && reference !== null && 'type' in reference && reference.type;
    return typeof type === 'string' && OF_PAGES.test(type);
  });
  return pagesIn([references, metadata?.citations]);
}

/**
 * Reads the words of a message; where a known kind of content has them in other fields
 * than its own, they are kept as they are.
 */
async function toWords(foreign: ForeignMessage, reading: ExportReading): Promise<Part[]> {
  const parts = await toKnownWords(foreign, reading);
  if (parts.length > 0 || wordsOfUnknown(foreign.content) === '') return parts;
  reading.skipped.count('unknown-part', foreign.content?.content_type);
  return [{ type: 'unknown', original: foreign.content }];
}

async function toKnownWords(foreign: ForeignMessage, reading: ExportReading): Promise<Part[]> {
  const { content } = foreign;
  if (!content) return [];
  const text = (value: unknown): Part[] => {
    // The shape is unknown, but its words are kept.
    if (typeof value !== 'string') return value === null || value === undefined ? [] : unknown(content);
    const words = cited(value, foreign);
    return words.trim() === '' ? [] : [{ type: 'text', text: words }];
  };
  const unknown = (original: unknown): Part[] => {
    const type = typeof original === 'object' && original !== null && 'content_type' in original;
    reading.skipped.count('unknown-part', type ? String(original.content_type) : JSON.stringify(original));
    return [{ type: 'unknown', original }];
  };
  const isPlain = Array.isArray(content.parts) || typeof content.text === 'string';
  switch (content.content_type || (isPlain ? 'text' : '')) {
    case 'text':
    case 'multimodal_text': {
      if (!Array.isArray(content.parts)) return text(content.parts ?? content.text);
      const parts: Part[] = [];
      // Some tools nest a list in the list.
      for (const part of (content.parts as unknown[]).flat(3)) {
        if (typeof part === 'string') parts.push(...text(part));
        else if (part !== null) parts.push(...((await toMedia(part, foreign, reading)) ?? unknown(part)));
      }
      return parts;
    }
    case 'code': {
      if (typeof content.text !== 'string' || content.text.trim() === '') return text(content.text);
      const language =
        typeof content.language === 'string' && content.language !== 'unknown' ? content.language : '';
      return [{ type: 'text', text: fenced(content.text, language) }];
    }
    case 'execution_output':
      return text(content.text === '' ? outputIn(foreign) : content.text);
    case 'system_error':
      return text([content.name, content.text].filter((line) => typeof line === 'string').join(': '));
    case 'tether_browsing_display':
      return [...text(content.summary), ...text(content.result)];
    case 'citable_code_output':
      return text(content.output_str);
    case 'sonic_webpage':
    case 'tether_quote':
      return text(
        [content.title, content.url, content.text].filter((line) => typeof line === 'string').join('\n'),
      );
    case 'thoughts':
      return [content.thoughts].flat().flatMap((thought): Part[] => {
        const words = wordsOfThought(thought);
        return words === '' ? [] : [{ type: 'reasoning', text: cited(words, foreign) }];
      });
    case 'reasoning_recap':
      return typeof content.content === 'string' && content.content !== ''
        ? [{ type: 'reasoning', text: content.content }]
        : [];
    case 'user_editable_context':
      return [...text(content.user_profile), ...text(content.user_instructions)];
    case 'model_editable_context':
      return [...text(content.model_set_context), ...text(content.repository)];
    default:
      return unknown(content);
  }
}

/** Code wrote this while it ran; used where the output itself is empty. */
function outputIn({ metadata }: ForeignMessage): string {
  const { messages } = (metadata?.aggregate_result ?? {}) as { messages?: unknown };
  return (Array.isArray(messages) ? (messages as unknown[]) : [])
    .map((message) => (message as { text?: unknown } | null)?.text)
    .filter((text) => typeof text === 'string')
    .join('');
}

/** Words of a thought: its text, or its summary and content; its pieces only if it has nothing else. */
function wordsOfThought(thought: unknown): string {
  if (typeof thought === 'string') return thought.trim();
  if (typeof thought !== 'object' || thought === null) return '';
  const { summary, content, chunks } = thought as { summary?: unknown; content?: unknown; chunks?: unknown };
  const isWords = (line: unknown): line is string => typeof line === 'string' && line.trim() !== '';
  const lines = [summary, content].filter(isWords);
  return (lines.length > 0 ? lines : [chunks].flat().filter(isWords)).join('\n\n');
}

/** Private-use characters that the service writes around sources, names and pictures. */
const MARK = /[\uE200-\uE20F]/;
/** A whole mark, its content, and the space before it; an answer that was cut off may end within its last mark. */
const MARKED = /([ \t]?)\uE200(?:([^\uE200\uE201]*)\uE201|[^\s\uE200\uE201]*)/g;

const isNumbered = (mark: string): boolean => mark.startsWith('【') && mark.includes('†');
/** A mark of older answers, with the space before it: `【4†source】` is of a page, `【12:0†lease.pdf】` of a file. */
const NUMBERED = /([ \t]?)【\d{1,6}(?::\d{1,6})?†([^【】\n]{1,200})】/g;

/**
 * Replaces the service's citation marks (private-use characters): by their Markdown (`alt`) if the export has it, by
 * the name in them, else by nothing, since they point to what the export does not hold.
 */
function cited(text: string, foreign: ForeignMessage): string {
  if (!MARK.test(text) && !text.includes('†')) return text;
  const references = foreign.metadata?.content_references;
  let out = text;
  for (const reference of Array.isArray(references) ? (references as unknown[]) : []) {
    if (typeof reference !== 'object' || reference === null) continue;
    const { matched_text: mark, alt } = reference as { matched_text?: unknown; alt?: unknown };
    if (typeof mark === 'string' && typeof alt === 'string' && (MARK.test(mark) || isNumbered(mark)))
      out = out.split(mark).join(alt);
  }
  // A person's words carry no marks of the service.
  if (foreign.author.role === 'user') return out;
  return out
    .replace(MARKED, (whole: string, space: string, said: string | undefined, at: number, all: string) => {
      const name = said === undefined ? '' : entityIn(said);
      // The space before a mark is removed with it, unless a word follows.
      return name !== '' || /^[\p{L}\p{N}]/u.test(all.slice(at + whole.length)) ? space + name : '';
    })
    .replace(new RegExp(MARK, 'g'), '')
    .replace(NUMBERED, (whole: string, space: string, name: string, at: number, all: string) =>
      /^(?:source|L\d+(?:-L?\d+)?)$/.test(name)
        ? /^[\p{L}\p{N}]/u.test(all.slice(at + whole.length, at + whole.length + 2))
          ? space
          : ''
        : `${space}[${name}]`,
    );
}

/** Returns the name in a mark of the form `entity` and a list (type, name, more); '' for any other mark. */
function entityIn(mark: string): string {
  const [kind, list = ''] = mark.split('\uE202');
  const entity = kind === 'entity' ? parseJson(list) : undefined;
  const name: unknown = Array.isArray(entity) ? entity[1] : undefined;
  return typeof name === 'string' ? name : '';
}

/** Reads images and sound within a message; undefined for any other shape. */
async function toMedia(
  part: unknown,
  foreign: ForeignMessage,
  reading: ExportReading,
): Promise<Part[] | undefined> {
  if (typeof part !== 'object' || part === null) return undefined;
  const {
    content_type: type,
    asset_pointer: pointer,
    text,
    audio_asset_pointer: audio,
  } = part as Record<string, unknown>;
  if ((type === 'audio_transcription' || type === undefined || type === 'text') && typeof text === 'string')
    return text.trim() === '' ? [] : [{ type: 'text', text }];
  if (type === 'real_time_user_audio_video_asset_pointer' && audio)
    return toMedia({ content_type: 'audio_asset_pointer', ...audio }, foreign, reading);
  if (typeof pointer !== 'string') return undefined;
  const known = attachmentsOf(foreign).find(({ id }) => id === assetIdOf(pointer));
  const otherwise = type === 'audio_asset_pointer' ? 'audio/wav' : 'image/*';
  const file = await toFile(pointer, { ...detailsOf(known), otherwise }, reading);
  // A model draws by words of its own, which no other message has.
  const { dalle } = ((part as Record<string, unknown>).metadata ?? {}) as {
    dalle?: { prompt?: unknown } | null;
  };
  const drawnBy = foreign.author.role === 'user' ? undefined : dalle?.prompt;
  return typeof drawnBy === 'string' && drawnBy.trim() !== ''
    ? [{ type: 'text', text: drawnBy }, file]
    : [file];
}

type Attachment = z.infer<typeof attachmentSchema>;

/** Lists the files of a message, those in its text included. */
function attachmentsOf(foreign: ForeignMessage): Attachment[] {
  const listed = foreign.metadata?.attachments;
  return (Array.isArray(listed) ? (listed as unknown[]) : []).flatMap((value) => {
    const { data } = attachmentSchema.safeParse(value);
    return data ? [data] : [];
  });
}

interface Details {
  readonly name?: string;
  readonly mediaType?: string;
  /** Type to assume if neither names nor bytes show it. */
  readonly otherwise?: string;
}

const detailsOf = (attachment: Attachment | undefined): Details => ({
  ...(attachment?.name === undefined ? {} : { name: attachment.name }),
  ...(attachment?.mime_type === undefined ? {} : { mediaType: attachment.mime_type }),
});

/** `file-service://file-AbC`, `sediment://file_000…` or a bare id. */
function assetIdOf(pointer: string): string {
  const bare = pointer.replace(/^[a-z-]+:\/\//i, '');
  return /^(file[-_][A-Za-z0-9]+)/.exec(bare)?.[1] ?? bare;
}

async function toFile(
  pointer: string,
  { name, mediaType: said, otherwise }: Details,
  { assets, used, skipped, signal }: ExportReading,
): Promise<Part> {
  const id = assetIdOf(pointer);
  const file = assets.get(id);
  if (file) used.add(file);
  const byName = mediaTypeOf(name ?? '');
  const mediaType =
    [file && mediaTypeOf(file.path), said, byName].find(isExact) ?? otherwise ?? (said || byName);
  if (!file) {
    skipped.count('missing-attachment', name ?? pointer);
    return { type: 'file', mediaType, ...(name === undefined ? {} : { name }), reference: pointer };
  }
  const details = { name: name ?? nameOf(file, id), mediaType, reference: pointer };
  const part = await filePart(file, details, signal);
  if (part.url === undefined)
    skipped.count(file.damage?.isFound ? 'missing-attachment' : 'oversized-attachment', details.name);
  return part;
}

/** `file-AbC1-cat.png` was `cat.png`. */
function nameOf(file: SourceFile, id: string): string {
  const name = baseName(file.path);
  const rest = name.slice(id.length).replace(/^-/, '');
  return rest === '' || rest.startsWith('.') ? name : rest;
}

/** Reads pictures that code drew while it ran. */
async function toDrawn(foreign: ForeignMessage, reading: ExportReading): Promise<Part[]> {
  const { messages } = (foreign.metadata?.aggregate_result ?? {}) as { messages?: unknown };
  const drawn: Part[] = [];
  for (const message of Array.isArray(messages) ? (messages as unknown[]) : []) {
    const { image_url: pointer } = (message ?? {}) as { image_url?: unknown };
    if (typeof pointer === 'string') drawn.push(await toFile(pointer, { otherwise: 'image/*' }, reading));
  }
  return drawn;
}

/** Reads the files attached to a message outside its text. */
async function toAttachments(
  foreign: ForeignMessage,
  parts: readonly Part[],
  reading: ExportReading,
): Promise<Part[]> {
  const there = parts.flatMap((part) => (part.type === 'file' ? [part.reference ?? ''] : []));
  const files: Part[] = [];
  for (const attachment of attachmentsOf(foreign)) {
    // An attachment without an id is known by its name alone.
    const reference = attachment.id ?? attachment.name;
    if (reference === undefined || there.some((known) => known.includes(reference))) continue;
    files.push(await toFile(reference, detailsOf(attachment), reading));
  }
  return files;
}
