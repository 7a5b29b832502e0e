// Writes conversations for people: front matter, then the messages with their speakers. The shown branch first, other
// branches after it. Checkpoints, summaries, and the two ends of a message that was sent back are marked in their
// place. One conversation is one .md file; several are a ZIP of them, with their attachments and the memory notes.

import { stringify } from 'yaml';
import { z } from 'zod';
import { bytesOfDataUrl } from '../../domain/base/data-url.ts';
import type { MessageId } from '../../domain/base/ids.ts';
import { attempt } from '../../domain/base/log.ts';
import { hasNotesOrFeedback, type NotesAndFeedback } from '../../domain/chat/archive.ts';
import { sourcesAsMarkdown } from '../../domain/chat/cited.ts';
import { groupPieces, joinPieces } from '../../domain/chat/continuation.ts';
import {
  type Conversation,
  childrenOf,
  effectiveHead,
  newestLeaf,
  pathTo,
} from '../../domain/chat/conversation.ts';
import { extractText } from '../../domain/chat/files.ts';
import { savedFiles, textOfLines } from '../../domain/chat/memory-file.ts';
import {
  type Message,
  type Part,
  type PartOf,
  passagesGivenBy,
  type RecalledPassage,
} from '../../domain/chat/message.ts';
import { checksumOf } from '../../domain/chat/reading-copy.ts';
import type { Compaction } from '../../domain/chat/records.ts';
import { fenced } from '../../domain/text/code.ts';
import { asPlainMarkdown } from '../../domain/text/markdown.ts';
import { shownTitle } from '../../domain/text/shown.ts';
import type { Exporter, ExportWords } from './exporter.ts';
import { type BlockReader, createBlockReader, indentedBySpaces, LINE_BREAK } from './open-block.ts';
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
  { signal, notesAndFeedback, words }: Options,
): AsyncGenerator<Uint8Array> {
  for await (const conversation of conversations) {
    signal.throwIfAborted();
    yield new TextEncoder().encode(toMarkdown(conversation, nameOnly(words), words));
  }
  if (hasNotesOrFeedback(notesAndFeedback))
    yield new TextEncoder().encode(notesAsMarkdown(notesAndFeedback, words));
}

async function* asFiles(
  conversations: AsyncIterable<Conversation>,
  { signal, notesAndFeedback, words }: Options,
) {
  const taken = new Set<string>();
  if (hasNotesOrFeedback(notesAndFeedback)) {
    const path = freeName(safeName(words('notes'), 60), '.md', taken);
    yield { path, bytes: new TextEncoder().encode(notesAsMarkdown(notesAndFeedback, words)) };
  }
  for await (const conversation of conversations) {
    signal.throwIfAborted();
    const name = freeName(fileName(conversation, words), '', taken);
    const attachments: { path: string; bytes: () => Uint8Array }[] = [];
    const place: AttachmentPath = (part) => {
      const { url, extract } = part;
      if (url === undefined && !extract) return nameOnly(words)(part);
      const { stem, ending } = attachmentName(part.name ?? 'file');
      // For a document whose bytes were not kept, its extracted text is exported.
      const path = freeName(
        `attachments/${name}/${stem}`,
        url === undefined ? `${ending}.md` : ending,
        taken,
      );
      attachments.push({
        path,
        bytes: () =>
          url === undefined
            ? new TextEncoder().encode(extractText(extract ?? { sections: [] }))
            : bytesOf(url),
      });
      return `${part.mediaType.startsWith('image/') ? '!' : ''}[${asPlainMarkdown(part.name ?? part.mediaType)}](${target(path)})`;
    };
    yield {
      path: `${name}.md`,
      bytes: new TextEncoder().encode(toMarkdown(conversation, place, words)),
    };
    for (const { path, bytes } of attachments) yield { path, bytes: bytes() };
  }
}

/** Makes a name such as `2026-03-01 How to make bread`. */
function fileName({ meta }: Conversation, words: ExportWords): string {
  return `${day(meta.createdAt)} ${safeName(shownTitle(meta.title, words('untitled')), 60)}`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: file systems refuse them
const UNSAFE = /[\u0000-\u001f\u007f<>:"/\\|?*#%]+|\p{Surrogate}+/gu;

/** Makes a name that every file system accepts; at most `length` characters, never half of one. */
const safeName = (name: string, length: number): string =>
  [...name.replace(UNSAFE, ' ').replace(/\s+/g, ' ').trim()]
    .slice(0, length)
    .join('')
    .replace(/^\.+|(?<![. ])[. ]+$/g, '') || '_';

/**
 * Splits a file's name; its ending, which says what opens it, is never cut off. An
 * ending has a letter: "v1.2" has none.
 */
function attachmentName(name: string): { stem: string; ending: string } {
  const safe = safeName(name, Number.POSITIVE_INFINITY);
  const ending = /(?<=.)\.(?=\d*[A-Za-z])[A-Za-z0-9]{1,8}$/s.exec(safe)?.[0] ?? '';
  return { stem: safeName(safe.slice(0, safe.length - ending.length), 80 - ending.length), ending };
}

function freeName(stem: string, ending: string, taken: Set<string>): string {
  let free = `${stem}${ending}`;
  for (let n = 2; taken.has(free.toLowerCase()); n += 1) free = `${stem} (${n})${ending}`;
  taken.add(free.toLowerCase());
  return free;
}

/** Encodes a path as the target of a link: every reader decodes it, and a parenthesis would end it. */
const target = (path: string): string =>
  path
    .split('/')
    .map((name) =>
      encodeURIComponent(name).replace(
        /[!'()*]/g,
        (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
      ),
    )
    .join('/');

type AttachmentPath = (part: PartOf<'file'>) => string;

const nameOnly =
  (words: ExportWords): AttachmentPath =>
  (part) =>
    `*[${asPlainMarkdown(part.name ?? '') || words('attachment')}, ${asPlainMarkdown(part.mediaType)}]*`;

/** Writes one conversation. `place` shows an attachment. */
function toMarkdown(conversation: Conversation, place: AttachmentPath, words: ExportWords): string {
  const { meta, messages, checkpoints } = conversation;
  const shown = pathTo(messages, effectiveHead(conversation));
  const front = (body: string) =>
    stringify({
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
      checksum: checksumOf(body),
    });
  const marksOf = marks(conversation, words);
  // The pieces of an answer that was cut off and continued are one.
  const section = (pieces: readonly Message[]) =>
    [asSection(joinPieces(pieces), place, words), ...pieces.flatMap(({ id }) => marksOf.get(id) ?? [])].join(
      '\n\n',
    );
  const sections = (line: readonly Message[]) => groupPieces(line).map(section);
  const out = [
    `# ${asPlainMarkdown(shownTitle(meta.title, words('untitled')))}`,
    ...memories(conversation, words),
    ...sections(shown),
  ];

  // Lists the other branches, each from the message at which it leaves a branch listed above.
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
  // A ring has no beginning, but its messages exist.
  const rest = [...messages.values()].filter((message) => !written.has(message.id));
  if (rest.length > 0) out.push(`---\n\n# ${words('elsewhere')}`, ...sections(rest));
  const body = out.join('\n\n');
  return `---\n${front(body)}---\n\n${body}\n`;
}

/** Writes the saved session memory, and concurrent versions of other devices. */
function memories(conversation: Conversation, words: ExportWords): string[] {
  const { current, others } = savedFiles(conversation);
  return (current ? [current, ...others] : []).flatMap((file) => {
    const text = textOfLines(file.lines);
    const title =
      file === current
        ? words('memory')
        : words('memoryOf', { device: inHtml(file.device), date: stamp(file.at) });
    return text === '' ? [] : [collapsed(title, sealed(text))];
  });
}

/**
 * Parts of a plan for readers: its summaries, and how much they replace. Read leniently,
 * since any strategy may have written it.
 */
const planSchema = z.looseObject({
  summaries: z.array(z.looseObject({ kind: z.string().optional(), text: z.string() })).catch([]),
  runs: z.array(z.looseObject({ action: z.string(), count: z.number() })).catch([]),
});

/** Marks below a message: its checkpoint, compactions up to it, and the other end of a message that was sent back. */
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
    put(messageId, `*${words('checkpoint', { name: asPlainMarkdown(name) })}*`);
  for (const compaction of compactions.values())
    if (!compaction.undone) put(compaction.at, compactedUpTo(compaction, words));
  return all;
}

/** Writes a summary in quotes, under a line that says what it covers. */
function compactedUpTo(compaction: Compaction, words: ExportWords): string {
  const plan = planSchema.safeParse(compaction.plan).data;
  const count = (plan?.runs ?? []).reduce((sum, run) => sum + (run.action === 'fold' ? run.count : 0), 0);
  const made = (plan?.summaries ?? []).filter(({ kind }) => kind !== 'constraints').map(({ text }) => text);
  const text = compaction.summary ?? made.join('\n\n');
  const { tokensBefore: before, tokensAfter: after } = compaction;
  const line =
    count > 0 ? words('compacted', { count, before, after }) : words('compactedUncounted', { before, after });
  return quoted(`**${line}**${text.trim() === '' ? '' : `\n\n${standing(text.trim())}`}`);
}

/** Writes notes and feedback. */
function notesAsMarkdown({ notes, feedback }: NotesAndFeedback, words: ExportWords): string {
  const item = (text: string, at: number) => {
    const lines = standing(text.trim()).split(LINE_BREAK);
    // Behind the end of a fence, the date would keep it open.
    return `- ${lines.join('\n  ')}${lines.length > 1 ? '\n\n  ' : ' '}*(${day(at)})*`;
  };
  return `${[
    `# ${words('notes')}`,
    ...(notes.length > 0 ? [notes.map(({ text, updatedAt }) => item(text, updatedAt)).join('\n')] : []),
    ...(feedback.length > 0
      ? [
          `## ${words('feedback')}`,
          feedback
            .map(({ verdict, query, passage, title, at }) =>
              item(
                `${words(verdict, { query: asPlainMarkdown(query ?? '') })} ${asPlainMarkdown(passage)}${title ? ` — ${asPlainMarkdown(title)}` : ''}`,
                at,
              ),
            )
            .join('\n'),
        ]
      : []),
  ].join('\n\n')}\n`;
}

const quoted = (text: string) => `> ${text.split(LINE_BREAK).map(indentedBySpaces).join('\n> ')}`;

/** Times outside a date's range become its limit. */
const iso = (ms: number) => new Date(Math.max(0, Math.min(ms || 0, 8.64e15))).toISOString();
const day = (ms: number) => iso(ms).slice(0, 10);
const stamp = (ms: number) => iso(ms).slice(0, 16).replace('T', ' ');

/** One line within HTML, where Markdown is not read. */
const inHtml = (text: string) =>
  text.replace(/\s+/g, ' ').trim().replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

type Escape = (text: string) => string;

function speaker(message: Message, words: ExportWords, escaped: Escape): string {
  if (message.kind === 'note') return words('note');
  const model = message.role === 'assistant' ? escaped(message.model ?? '') : '';
  return model || words(message.role);
}

/** Speaker and time: names a message in its heading, and in references to it. */
const spot = (message: Message, words: ExportWords, escaped: Escape = asPlainMarkdown) =>
  `${speaker(message, words, escaped)} · ${stamp(message.createdAt)}`;

function asSection(message: Message, place: AttachmentPath, words: ExportWords): string {
  if (message.kind === 'note') {
    const body = blocks(message.parts, place, words, sealed);
    return collapsed(spot(message, words, inHtml), body.join('\n\n'));
  }
  return [`## ${spot(message, words)}`, ...blocks(message.parts, place, words, standing)].join('\n\n');
}

/** Writes parts one below the other. A text may continue a list of the text above it, and then belongs to that list. */
function blocks(
  parts: readonly Part[],
  place: AttachmentPath,
  words: ExportWords,
  said: (text: string, reader: BlockReader) => string,
): string[] {
  const out: string[] = [];
  let reader = createBlockReader();
  for (const part of parts) {
    const text = part.type === 'text' ? said(part.text, reader) : block(part, place, words);
    const cited = part.type === 'text' ? sourcesAsMarkdown(part, words('sources')) : '';
    const written = [text, cited].filter((one) => one !== '');
    if (written.length === 0) continue;
    out.push(...written);
    if (part.type !== 'text' || cited !== '') reader = createBlockReader();
  }
  return out;
}

function block(part: Exclude<Part, { type: 'text' }>, place: AttachmentPath, words: ExportWords): string {
  switch (part.type) {
    case 'reasoning':
      return part.text.trim() === '' ? '' : collapsed(words('reasoning'), sealed(part.text));
    case 'file':
      return place(part);
    case 'tool-call': {
      const name = part.name.replaceAll('`', "'").replace(/\s+/g, ' ').trim() || words('tool');
      return `${words('calls', { name: `\`${name}\`` })}\n\n${fenced(part.arguments, isJson(part.arguments) ? 'json' : '')}`;
    }
    case 'tool-result': {
      const word = part.isError ? 'error' : 'result';
      const name = inHtml(part.name ?? '');
      return collapsed(
        name ? words(`${word}Of`, { name }) : words(word),
        [fenced(part.text, ''), ...sources(passagesGivenBy(part), words)].join('\n\n'),
      );
    }
    case 'recall': {
      const { passages, leftOut = [] } = part;
      // Memory was asked in vain, so the answer has nothing of it.
      if (passages.length + leftOut.length === 0) return '';
      return collapsed(
        words('recalled'),
        [
          ...passages.map((passage) => `${quoted(sealed(passage.passage))}\n\n— ${source(passage, words)}`),
          ...sources(leftOut, words).flatMap((list) => [words('leftOut'), list]),
        ].join('\n\n'),
      );
    }
    case 'unknown':
      return collapsed(words('unknown'), fenced(JSON.stringify(part.original, null, 2) ?? '', 'json'));
  }
}

/** Source of a passage, and its probability. */
const source = ({ title, createdAt, scores }: RecalledPassage, words: ExportWords) =>
  words('passage', {
    // At the start of a line, these signs would begin a list, a heading or a quote.
    title: asPlainMarkdown(shownTitle(title, words('untitled'))).replace(/^(\d*)([#+=.)-])/, '$1\\$2'),
    date: day(createdAt),
    score: scores.final.toFixed(2),
  });

/** Lists passages with their sources; empty without passages. */
const sources = (passages: readonly RecalledPassage[], words: ExportWords): string[] =>
  passages.length > 0 ? [passages.map((passage) => `- ${source(passage, words)}`).join('\n')] : [];

function isJson(text: string): boolean {
  const parse = () => {
    JSON.parse(text);
    return true;
  };
  return attempt(parse, false, 'the layout of arguments that are no JSON');
}

const collapsed = (summary: string, text: string) =>
  `<details>\n<summary>${summary}</summary>\n\n${text}\n\n</details>`;

/**
 * Copies Markdown unchanged and closes what it left open, so that later text stands for itself.
 * `reader`: has read the text above it.
 */
function standing(text: string, reader = createBlockReader()): string {
  let open = 0;
  for (const line of text.split(LINE_BREAK)) {
    if (!reader.line(line)) continue;
    // Readers that render HTML would fold away all that follows.
    for (const [, end] of line.matchAll(/<(\/?)details(?=[\s/>]|$)/gi))
      open = Math.max(0, open + (end ? -1 : 1));
  }
  const closing = reader.closing();
  const end = closing === undefined ? '' : `${/[\r\n]$/.test(text) ? '' : '\n'}${closing}`;
  const added = `${end}${'\n\n</details>'.repeat(open)}`;
  for (const line of added.split('\n')) reader.line(line);
  // A blank line follows in any case.
  reader.line('');
  return `${text}${added}`;
}

/** Beginnings of possible HTML. */
const TAG = /<(?:[A-Za-z][A-Za-z0-9-]*(?=[\s/>]|$)|\/[A-Za-z]|[!?])/;

/**
 * Prepares a person's or model's Markdown for the inside of a fold. Markdown with HTML goes unchanged into a fence: the
 * HTML could end the fold, or keep it from ending.
 */
function sealed(text: string, reader?: BlockReader): string {
  const trial = createBlockReader();
  // Below another text it may have another meaning than alone: there, HTML in code counts as well.
  const tagged =
    TAG.test(text) &&
    (reader !== undefined || text.split(LINE_BREAK).some((line) => trial.line(line) && TAG.test(line)));
  return tagged ? standing(fenced(text, 'markdown'), reader) : standing(text, reader);
}

/** Bytes of a data: URL; empty for any other address. */
function bytesOf(url: string): Uint8Array {
  // Data that are not in the encoding they name are exported as they are.
  return (
    bytesOfDataUrl(url) ??
    new TextEncoder().encode(/^data:/i.test(url.slice(0, 5)) ? url.slice(url.indexOf(',') + 1) : '')
  );
}
