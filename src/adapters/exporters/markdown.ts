// Conversations as a person reads them: front matter, then who said what. The shown branch first, other branches after it. Checkpoints,
// summaries of what was folded, and the two ends of a message that was sent back are marked where they are.
// One conversation is one .md file; several are a ZIP of them, with their attachments, and the memory notes, beside them.
import { stringify } from 'yaml';
import { z } from 'zod';
import type { MessageId } from '../../domain/base/ids.ts';
import { holdsSomething, type Told } from '../../domain/chat/archive.ts';
import type { Compaction } from '../../domain/chat/compaction.ts';
import { inPieces, wholeOf } from '../../domain/chat/continuation.ts';
import {
  type Conversation,
  childrenOf,
  effectiveHead,
  newestLeaf,
  pathTo,
} from '../../domain/chat/conversation.ts';
import type { Message, Part, PartOf } from '../../domain/chat/message.ts';
import type { Exporter, ExportWords } from './exporter.ts';
import { zipOf } from './zip.ts';

export const markdown: Exporter = {
  id: 'markdown',
  label: 'Markdown',
  extension: (conversations) => (conversations === 1 ? 'md' : 'zip'),
  mediaType: (conversations) => (conversations === 1 ? 'text/markdown' : 'application/zip'),

  write: (conversations, options) =>
    options.count === 1
      ? single(conversations, options)
      : zipOf(asFiles(conversations, options), options.signal),
};

type Options = Parameters<Exporter['write']>[1];

async function* single(
  conversations: AsyncIterable<Conversation>,
  { signal, told, words }: Options,
): AsyncGenerator<Uint8Array> {
  for await (const conversation of conversations) {
    signal.throwIfAborted();
    yield new TextEncoder().encode(toMarkdown(conversation, nameOnly(words), words));
  }
  if (holdsSomething(told)) yield new TextEncoder().encode(notesAsMarkdown(told, words));
}

async function* asFiles(conversations: AsyncIterable<Conversation>, { signal, told, words }: Options) {
  const taken = new Set<string>();
  if (holdsSomething(told)) {
    const path = freeName(`${safeName(words('notes'), 60)}.md`, taken);
    yield { path, bytes: new TextEncoder().encode(notesAsMarkdown(told, words)) };
  }
  for await (const conversation of conversations) {
    signal.throwIfAborted();
    const name = freeName(fileName(conversation, words), taken);
    const attachments: { path: string; url: string }[] = [];
    const place: Place = (part) => {
      if (part.url === undefined) return nameOnly(words)(part);
      const path = freeName(`attachments/${name}/${safeName(part.name ?? 'file', 80)}`, taken);
      attachments.push({ path, url: part.url });
      return `${part.mediaType.startsWith('image/') ? '!' : ''}[${plain(part.name ?? part.mediaType)}](${path
        .split('/')
        .map(encodeURIComponent)
        .join('/')})`;
    };
    yield {
      path: `${name}.md`,
      bytes: new TextEncoder().encode(toMarkdown(conversation, place, words)),
    };
    for (const { path, url } of attachments) yield { path, bytes: bytesOf(url) };
  }
}

/** `2026-03-01 How to make bread`. */
function fileName({ meta }: Conversation, words: ExportWords): string {
  const day = iso(meta.createdAt).slice(0, 10);
  return `${day} ${safeName(meta.title || words('untitled'), 60)}`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: file systems refuse them
const UNSAFE = /[\u0000-\u001f\u007f<>:"/\\|?*#%]+/g;

/** What every file system takes; at most `length` characters, never half of one. */
const safeName = (name: string, length: number): string =>
  [...name.replace(UNSAFE, ' ').replace(/\s+/g, ' ').trim()]
    .slice(0, length)
    .join('')
    .replace(/^\.+|[. ]+$/g, '') || '_';

function freeName(name: string, taken: Set<string>): string {
  const [, stem = name, ending = ''] = /^(.*?)(\.[A-Za-z0-9]{1,8})?$/s.exec(name) ?? [];
  let free = name;
  for (let n = 2; taken.has(free.toLowerCase()); n += 1) free = `${stem} (${n})${ending}`;
  taken.add(free.toLowerCase());
  return free;
}

type Place = (part: PartOf<'file'>) => string;

const nameOnly =
  (words: ExportWords): Place =>
  (part) =>
    `*[${plain(part.name ?? words('attachment'))}, ${part.mediaType}]*`;

/** One conversation. `place` says how an attachment is shown. */
function toMarkdown(conversation: Conversation, place: Place, words: ExportWords): string {
  const { meta, messages, checkpoints } = conversation;
  const shown = pathTo(messages, effectiveHead(conversation));
  const front = stringify({
    title: meta.title,
    id: conversation.id,
    created: iso(meta.createdAt),
    ...(shown.length > 0
      ? { updated: iso(Math.max(...[...messages.values()].map((m) => m.createdAt))) }
      : {}),
    messages: messages.size,
    ...(meta.workDir === null ? {} : { work_dir: meta.workDir }),
    ...(meta.source === null ? {} : { source: `${meta.source.tool} ${meta.source.id}` }),
    ...(meta.pinned ? { pinned: true } : {}),
    ...(meta.archived ? { archived: true } : {}),
    ...(meta.summary ? { summary: meta.summary } : {}),
    ...(meta.systemPrompt ? { instructions: meta.systemPrompt } : {}),
    ...(checkpoints.size > 0
      ? {
          checkpoints: [...checkpoints].map(([name, { messageId }]) => {
            const at = messages.get(messageId);
            return { name, ...(at ? { at: iso(at.createdAt) } : {}), message: messageId };
          }),
        }
      : {}),
  });
  const marksOf = marks(conversation, words);
  // The pieces of an answer that was cut off and went on are one.
  const section = (pieces: readonly Message[]) =>
    [asSection(wholeOf(pieces), place, words), ...pieces.flatMap(({ id }) => marksOf.get(id) ?? [])].join(
      '\n\n',
    );
  const sections = (line: readonly Message[]) => inPieces(line).map(section);
  const out = [`---\n${front}---`, `# ${plain(meta.title || words('untitled'))}`, ...sections(shown)];

  // What is not on the shown branch: each line from where it leaves one that stands above.
  const written = new Set<MessageId>(shown.map((message) => message.id));
  const children = childrenOf(messages);
  let branch = 0;
  for (const list of children.values())
    for (const start of list) {
      const leaves = start.parentId === null || !messages.has(start.parentId) || written.has(start.parentId);
      if (written.has(start.id) || !leaves) continue;
      const line = pathTo(messages, newestLeaf(children, start.id)).filter((m) => !written.has(m.id));
      if (line.length === 0) continue;
      branch += 1;
      const from = start.parentId === null ? undefined : messages.get(start.parentId);
      const heading = from
        ? words('branchAfter', { number: branch, place: spot(from, words) })
        : words('branch', { number: branch });
      out.push(`---\n\n# ${heading}`, ...sections(line));
      for (const message of line) written.add(message.id);
    }
  // A ring has no beginning; its messages are still there.
  const rest = [...messages.values()].filter((message) => !written.has(message.id));
  if (rest.length > 0) out.push(`---\n\n# ${words('elsewhere')}`, ...sections(rest));
  return `${out.join('\n\n')}\n`;
}

/** What of a plan a reader wants: its summaries, and how much they stand for. Read leniently: any strategy may have written it. */
const planSchema = z.looseObject({
  summaries: z.array(z.looseObject({ kind: z.string().optional(), text: z.string() })).catch([]),
  runs: z.array(z.looseObject({ action: z.string(), count: z.number() })).catch([]),
});

/** What stands below a message: the checkpoint it is, what was folded up to it, and the other end of a message that was sent back. */
function marks(
  { messages, checkpoints, compactions }: Conversation,
  words: ExportWords,
): ReadonlyMap<string, readonly string[]> {
  const all = new Map<string, string[]>();
  const put = (at: string, mark: string) => {
    const list = all.get(at);
    if (list) list.push(mark);
    else all.set(at, [mark]);
  };
  for (const message of messages.values()) {
    if (!message.dmail) continue;
    const from = messages.get(message.dmail.from as MessageId);
    const word = message.dmail.by === 'model' ? 'dmailByModel' : 'dmail';
    put(message.id, `*${from ? words(word, { place: spot(from, words) }) : words('dmailLost')}*`);
    if (from) put(from.id, `*${words('dmailSent', { place: spot(message, words) })}*`);
  }
  for (const [name, { messageId }] of checkpoints)
    put(messageId, `*${words('checkpoint', { name: plain(name) })}*`);
  for (const compaction of compactions.values())
    if (!compaction.undone) put(compaction.at, foldedUpTo(compaction, words));
  return all;
}

/** A summary in quotes, under a line that says what it stands for. */
function foldedUpTo(compaction: Compaction, words: ExportWords): string {
  const plan = planSchema.safeParse(compaction.plan).data;
  const count = (plan?.runs ?? []).reduce((sum, run) => sum + (run.action === 'fold' ? run.count : 0), 0);
  const made = (plan?.summaries ?? []).filter(({ kind }) => kind !== 'constraints').map(({ text }) => text);
  const text = compaction.summary ?? made.join('\n\n');
  const { tokensBefore: before, tokensAfter: after } = compaction;
  const line =
    count > 0 ? words('folded', { count, before, after }) : words('foldedUncounted', { before, after });
  return quoted(`**${line}**${text.trim() === '' ? '' : `\n\n${text.trim()}`}`);
}

/** Notes and feedback: what a person told memory. */
function notesAsMarkdown({ notes, feedback }: Told, words: ExportWords): string {
  const item = (text: string, at: number) =>
    `- ${text.trim().replaceAll('\n', '\n  ')} *(${iso(at).slice(0, 10)})*`;
  return `${[
    `# ${words('notes')}`,
    ...(notes.length > 0 ? [notes.map(({ text, updatedAt }) => item(text, updatedAt)).join('\n')] : []),
    ...(feedback.length > 0
      ? [
          `## ${words('feedback')}`,
          feedback
            .map(({ verdict, query, passage, title, at }) =>
              item(
                `${words(verdict, { query: plain(query ?? '') })} ${plain(passage)}${title ? ` — ${plain(title)}` : ''}`,
                at,
              ),
            )
            .join('\n'),
        ]
      : []),
  ].join('\n\n')}\n`;
}

const quoted = (text: string) => `> ${text.replaceAll('\n', '\n> ')}`;

/** Times beyond what a date can hold come out as its last one. */
const iso = (ms: number) => new Date(Math.max(0, Math.min(ms || 0, 8.64e15))).toISOString();
const stamp = (ms: number) => iso(ms).slice(0, 16).replace('T', ' ');

/** One line without Markdown of its own. */
const plain = (text: string) => text.replace(/\s+/g, ' ').replace(/[[\]<>`*_\\]/g, '\\$&');

function speaker(message: Message, words: ExportWords): string {
  if (message.kind === 'note') return words('note');
  if (message.role === 'assistant' && message.model) return plain(message.model);
  return words(message.role);
}

/** Who and when: how a message is named elsewhere in the file, and in its own heading. */
const spot = (message: Message, words: ExportWords) =>
  `${speaker(message, words)} · ${stamp(message.createdAt)}`;

function asSection(message: Message, place: Place, words: ExportWords): string {
  const body = message.parts.map((part) => block(part, place, words)).filter((text) => text !== '');
  if (message.kind === 'note') return folded(spot(message, words), body.join('\n\n'));
  return [`## ${spot(message, words)}`, ...body].join('\n\n');
}

function block(part: Part, place: Place, words: ExportWords): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'reasoning':
      return folded(words('reasoning'), part.text);
    case 'file':
      return place(part);
    case 'tool-call':
      return `${words('calls', { name: `\`${part.name.replaceAll('`', "'")}\`` })}\n\n${fenced(part.arguments, 'json')}`;
    case 'tool-result': {
      const word = part.isError ? 'error' : 'result';
      return folded(
        part.name ? words(`${word}Of`, { name: plain(part.name) }) : words(word),
        fenced(part.text, ''),
      );
    }
    case 'recall':
      // Memory was asked in vain: nothing of it stands in the answer.
      if (part.passages.length === 0) return '';
      return folded(
        words('recalled'),
        part.passages
          .map((passage) => `${quoted(passage.passage)}\n\n— ${plain(passage.title)}`)
          .join('\n\n'),
      );
    case 'unknown':
      return folded(words('unknown'), fenced(JSON.stringify(part.original, null, 2) ?? '', 'json'));
  }
}

const folded = (summary: string, text: string) =>
  `<details>\n<summary>${summary}</summary>\n\n${text}\n\n</details>`;

/** A fence longer than any in the text. */
function fenced(text: string, language: string): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Bytes of a data: URL; empty for what is none. */
function bytesOf(url: string): Uint8Array {
  const [, base64, data = ''] = /^data:[^,]*?(;base64)?,(.*)$/s.exec(url) ?? [];
  try {
    if (!base64) return new TextEncoder().encode(decodeURIComponent(data));
    const binary = atob(data);
    return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  } catch {
    return new TextEncoder().encode(data);
  }
}
