// Conversations as a person reads them: front matter, then who said what. The shown branch first, other branches after it.
// One conversation is one .md file; several are a ZIP of them, with their attachments beside them.
import { stringify } from 'yaml';
import type { MessageId } from '../../domain/base/ids.ts';
import {
  type Conversation,
  childrenOf,
  effectiveHead,
  newestLeaf,
  pathTo,
} from '../../domain/chat/conversation.ts';
import type { Message, Part, PartOf } from '../../domain/chat/message.ts';
import type { Exporter } from './exporter.ts';
import { zipOf } from './zip.ts';

export const markdown: Exporter = {
  id: 'markdown',
  label: 'Markdown',
  extension: (conversations) => (conversations === 1 ? 'md' : 'zip'),
  mediaType: (conversations) => (conversations === 1 ? 'text/markdown' : 'application/zip'),

  write: (conversations, { count, signal }) =>
    count === 1 ? single(conversations, signal) : zipOf(asFiles(conversations, signal), signal),
};

async function* single(
  conversations: AsyncIterable<Conversation>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for await (const conversation of conversations) {
    signal.throwIfAborted();
    yield new TextEncoder().encode(toMarkdown(conversation, nameOnly));
  }
}

async function* asFiles(conversations: AsyncIterable<Conversation>, signal: AbortSignal) {
  const taken = new Set<string>();
  for await (const conversation of conversations) {
    signal.throwIfAborted();
    const name = freeName(fileName(conversation), taken);
    const attachments: { path: string; url: string }[] = [];
    const text = toMarkdown(conversation, (part) => {
      if (part.url === undefined) return nameOnly(part);
      const path = freeName(`attachments/${name}/${safeName(part.name ?? 'file', 80)}`, taken);
      attachments.push({ path, url: part.url });
      return `${part.mediaType.startsWith('image/') ? '!' : ''}[${plain(part.name ?? part.mediaType)}](${path
        .split('/')
        .map(encodeURIComponent)
        .join('/')})`;
    });
    yield { path: `${name}.md`, bytes: new TextEncoder().encode(text) };
    for (const { path, url } of attachments) yield { path, bytes: bytesOf(url) };
  }
}

/** `2026-03-01 How to make bread`. */
function fileName({ meta }: Conversation): string {
  const day = iso(meta.createdAt).slice(0, 10);
  return `${day} ${safeName(meta.title || 'Untitled', 60)}`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: file systems refuse them
const UNSAFE = /[\u0000-\u001f\u007f<>:"/\\|?*#%]+/g;

/** What every file system takes; at most `length` characters, never half of one. */
const safeName = (name: string, length: number): string =>
  [...name.replace(UNSAFE, ' ').replace(/\s+/g, ' ').trim()]
    .slice(0, length)
    .join('')
    .replace(/^\.+|[. ]+$/g, '') || 'Untitled';

function freeName(name: string, taken: Set<string>): string {
  const [, stem = name, ending = ''] = /^(.*?)(\.[A-Za-z0-9]{1,8})?$/s.exec(name) ?? [];
  let free = name;
  for (let n = 2; taken.has(free.toLowerCase()); n += 1) free = `${stem} (${n})${ending}`;
  taken.add(free.toLowerCase());
  return free;
}

type Place = (part: PartOf<'file'>) => string;

const nameOnly: Place = (part) => `*[${plain(part.name ?? 'attachment')}, ${part.mediaType}]*`;

/** One conversation. `place` says how an attachment is shown. */
export function toMarkdown(conversation: Conversation, place: Place): string {
  const { meta, messages } = conversation;
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
    ...(meta.archived ? { archived: true } : {}),
  });
  const out = [
    `---\n${front}---`,
    `# ${plain(meta.title || 'Untitled')}`,
    ...shown.map((m) => section(m, place)),
  ];

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
      out.push(
        `---\n\n# Branch ${branch}${from ? ` (after ${speaker(from)}, ${stamp(from.createdAt)})` : ''}`,
        ...line.map((m) => section(m, place)),
      );
      for (const message of line) written.add(message.id);
    }
  // A ring has no beginning; its messages are still there.
  const rest = [...messages.values()].filter((message) => !written.has(message.id));
  if (rest.length > 0) out.push('---\n\n# Elsewhere', ...rest.map((m) => section(m, place)));
  return `${out.join('\n\n')}\n`;
}

/** Times beyond what a date can hold come out as its last one. */
const iso = (ms: number) => new Date(Math.max(0, Math.min(ms || 0, 8.64e15))).toISOString();
const stamp = (ms: number) => iso(ms).slice(0, 16).replace('T', ' ');

/** One line without Markdown of its own. */
const plain = (text: string) => text.replace(/\s+/g, ' ').replace(/[[\]<>`*_\\]/g, '\\$&');

function speaker(message: Message): string {
  if (message.kind === 'note') return 'Note';
  if (message.role === 'assistant') return message.model ? plain(message.model) : 'Assistant';
  return { user: 'You', system: 'System', tool: 'Tool' }[message.role];
}

function section(message: Message, place: Place): string {
  const body = message.parts.map((part) => block(part, place)).filter((text) => text !== '');
  const head = `## ${speaker(message)} · ${stamp(message.createdAt)}`;
  if (message.kind === 'note')
    return `<details>\n<summary>${speaker(message)} · ${stamp(message.createdAt)}</summary>\n\n${body.join('\n\n')}\n\n</details>`;
  return [head, ...body].join('\n\n');
}

function block(part: Part, place: Place): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'reasoning':
      return folded('Reasoning', part.text);
    case 'file':
      return place(part);
    case 'tool-call':
      return `Calls \`${part.name.replaceAll('`', "'")}\`:\n\n${fenced(part.arguments, 'json')}`;
    case 'tool-result':
      return folded(
        `${part.isError ? 'Error' : 'Result'}${part.name ? ` of ${plain(part.name)}` : ''}`,
        fenced(part.text, ''),
      );
    case 'recall':
      return folded(
        'Recalled',
        part.passages
          .map((passage) => `> ${passage.passage.replaceAll('\n', '\n> ')}\n\n— ${plain(passage.title)}`)
          .join('\n\n'),
      );
    case 'unknown':
      return folded('Unknown part', fenced(JSON.stringify(part.original, null, 2) ?? '', 'json'));
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
