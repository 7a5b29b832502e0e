// Conversations that other tools wrote out for people: one Markdown file each, front matter, then turns,
// with speakers as headings, bold names, names with a colon, or callouts. The whole file must name speakers
// in the same way, so that a heading within an answer stays part of it; a file that names fewer than two
// speakers is a document, not a conversation.
import { parse } from 'yaml';
import { attempt } from '../../domain/base/log.ts';
import { createYielder } from '../../domain/base/yielding.ts';
import type { Part, Role } from '../../domain/chat/message.ts';
import { readingCopy } from '../../domain/chat/reading-copy.ts';
import { fingerprint } from './fingerprint.ts';
import type { ImportedConversation, ImportedMessage, Importer, SourceFile } from './importer.ts';
import { decode } from './lenient-json.ts';
import { CallReader } from './message-shapes.ts';
import { createDamagedFiles, createSkipCounter, type SkipCounter, wordsIn } from './skipping.ts';
import { baseName, headOf } from './source-file.ts';
import { isProgram, ownNameIn, type Speaker, speakerIn } from './speakers.ts';
import { interpolated, timeOf } from './times.ts';
import { isOfWrittenCalls, saidInName, withWrittenCalls } from './written-calls.ts';

const TOOL = 'markdown';
const NAME = /\.(?:md|markdown|mdown|txt)$/i;
/** Largest file, bytes. */
const MAX_BYTES = 64 * 1024 * 1024;

const isMarkdown = ({ path }: SourceFile): boolean => NAME.test(path);

export const markdown: Importer = {
  id: TOOL,

  async sniff(source, signal) {
    for (const file of source.files) if (await isConversation(file, signal)) return 0.5;
    return 0;
  },

  async claim(files, signal) {
    const own: SourceFile[] = [];
    for (const file of files) if (await isConversation(file, signal)) own.push(file);
    return { own, beside: [] };
  },

  async *read(source, { signal, skip, now }) {
    const skipped = createSkipCounter();
    const damaged = createDamagedFiles();
    const yieldToEvents = createYielder();
    let read = 0;
    for (const file of source.files) {
      signal.throwIfAborted();
      if (!(await isConversation(file, signal))) continue;
      const text = await wordsIn(file, skipped, signal);
      const conversation = toConversation(text, file, skipped, now ?? 0);
      if (file.damage?.isFound) damaged.add(file, conversation ? 1 : 0);
      if (!conversation) continue;
      read += 1;
      yield conversation;
      await yieldToEvents();
    }
    skipped.report(skip);
    damaged.report(skip, read, source.files);
  },
};

async function isConversation(file: SourceFile, signal: AbortSignal): Promise<boolean> {
  if (!isMarkdown(file) || file.size === 0 || file.size > MAX_BYTES) return false;
  const { body } = divided(decode(await headOf(file, signal)));
  return turnsIn(body) !== undefined;
}

// ------------------------------------------------------------------------------------------------ front matter
interface Divided {
  readonly front: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/**
 * Splits off front matter, from `---` at the very top to the next `---`. Without an end, or without
 * names and values, it is ordinary text.
 */
function divided(text: string): Divided {
  const lines = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const [whole, yaml = ''] = /^---[ \t]*\n([\s\S]{0,65536}?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)/.exec(lines) ?? [];
  const front: unknown =
    whole === undefined
      ? undefined
      : attempt(() => parse(yaml, { schema: 'core' }), undefined, 'front matter that is no YAML');
  if (whole === undefined || typeof front !== 'object' || front === null || Array.isArray(front))
    return { front: {}, body: lines };
  const named = Object.entries(front).map(([name, value]) => [
    name.toLowerCase().replace(/[\s-]/g, '_'),
    value,
  ]);
  return { front: Object.fromEntries(named), body: lines.slice(whole.length) };
}

const said = (front: Divided['front'], ...names: readonly string[]): string | undefined => {
  for (const name of names) {
    const value = front[name];
    if (typeof value === 'number' || (typeof value === 'string' && value.trim() !== ''))
      return String(value).trim();
  }
  return undefined;
};

// ------------------------------------------------------------------------------------------------ what was said
interface Turn extends Omit<Speaker, 'way' | 'rest'> {
  readonly text: string;
}
interface Turns {
  readonly preamble: string;
  readonly turns: readonly Turn[];
}

/** Reads the turns of a file; undefined unless it names both a person and a model. */
const turnsIn = (body: string): Turns | undefined => {
  if (OF_PERPLEXITY.test(body)) return turnsOfPerplexity(body);
  const own = ownNameIn(/\S[^\n]*/.exec(body)?.[0] ?? '');
  return turnsOf(body, false) ?? turnsOf(body, true) ?? (own && turnsOf(body, false, own));
};

/** The picture with which Perplexity begins what it writes out. */
const OF_PERPLEXITY = /^\s{0,40}<img src="https:\/\/[^"]{0,80}(?:pplx|perplexity)[^"]{0,120}"[^>]{0,200}>/;

/** Reads questions as headings, the first or below a rule, each with its answer. */
function turnsOfPerplexity(body: string): Turns | undefined {
  const lines = body.replace(OF_PERPLEXITY, '').split('\n');
  const inCode = codeIn(lines);
  const turns: { role: Role; name: string; lines: string[] }[] = [];
  let mayAsk = true;
  for (const [at, line] of lines.entries()) {
    const question = mayAsk && !inCode[at] ? /^#[ \t]+(\S.*)$/.exec(line)?.[1] : undefined;
    if (line.trim() !== '') mayAsk = /^---[ \t]*$/.test(line) && !inCode[at];
    if (question === undefined) turns.at(-1)?.lines.push(line);
    else
      turns.push(
        { role: 'user', name: 'user', lines: [question] },
        { role: 'assistant', name: 'model', lines: [] },
      );
  }
  const said = turns.map(({ lines: own, ...who }) => ({ ...who, text: trimmed(own.join('\n')) }));
  return said.length === 0 ? undefined : { preamble: '', turns: said };
}

/**
 * `isDense`: a name with a colon need not begin a paragraph, if the file begins with one. `ownName`: finds a person
 * under a name of their own, who begins the file and takes turns with a program, as Copilot writes it out.
 */
function turnsOf(
  body: string,
  isDense: boolean,
  ownName?: (line: string) => Speaker | undefined,
): Turns | undefined {
  if (isDense && speakerIn(/\S[^\n]*/.exec(body)?.[0] ?? '')?.way !== ':') return undefined;
  const lines = withHashes(body.split('\n'));
  const inCode = codeIn(lines);
  const found: Start[] = [];
  for (const [at, line] of lines.entries()) {
    const speaker = inCode[at] ? undefined : (ownName?.(line) ?? speakerIn(line));
    if (!speaker) continue;
    // Ordinary prose has words with a colon, too, so a speaker must begin a paragraph.
    const needsParagraph = speaker.way === 'said' || (!isDense && speaker.way === ':');
    if (needsParagraph && at > 0 && lines[at - 1]?.trim() !== '') continue;
    found.push({ at, speaker });
  }
  // A title with a time may look like a speaker of its own way.
  const ways = [...new Set(found.map(({ speaker }) => speaker.way))];
  const all = ways.map((way) => startsOf(found, way));
  const starts = all.find((some) => hasBoth(some)) ?? [];
  const roles = new Set(starts.map(({ speaker }) => speaker.role));
  if (!roles.has('user') || !roles.has('assistant')) return undefined;
  const takesTurns = starts.every(
    ({ speaker }, n) =>
      speaker.role === (n % 2 === 0 ? 'user' : 'assistant') && (n % 2 === 0 || isProgram(speaker)),
  );
  // One turn each may be a document: "Note: …", "Claude: …".
  const isTalk = starts.length > 3 || starts.some(({ speaker }) => /copilot/.test(speaker.name));
  if (ownName && !(takesTurns && isTalk)) return undefined;
  const textFrom = (from: number, to: number) => lines.slice(from, to).join('\n');
  const turns = starts.map(({ at, speaker }, n): Turn => {
    const { way: how, rest, ...who } = speaker;
    const below = textFrom(at + 1, starts[n + 1]?.at ?? lines.length);
    const plain = how.startsWith('>') ? below.replace(/^>[ \t]?/gm, '') : below;
    const words = how === '<|' ? plain.replace(/<\|im_end\|>\s*$/, '') : plain;
    return { ...who, text: trimmed(`${rest.trim()}${rest.trim() === '' ? '' : '\n'}${words}`) };
  });
  return { preamble: trimmed(textFrom(0, starts[0]?.at ?? 0)), turns };
}

interface Start {
  readonly at: number;
  readonly speaker: Speaker;
}
const hasBoth = (starts: readonly Start[]): boolean =>
  ['user', 'assistant'].every((role) => starts.some(({ speaker }) => speaker.role === role));

/** The speakers that are named in one way. */
function startsOf(found: readonly Start[], way: string): Start[] {
  const names = new Map<Role, string>();
  const plain = way.replace(/ with a time$/, '');
  return found.filter(({ speaker }) => {
    // Not every speaker of a file with times has one; a name that only its time makes one needs it.
    const isKin = speaker.name !== 'model' && speaker.way.replace(/ with a time$/, '') === plain;
    if (speaker.way !== way && !isKin) return false;
    if (way.endsWith('time')) return true;
    // Only a file with times may vary names: `## Response` within an answer of `## Assistant` is a heading.
    const known = names.get(speaker.role);
    if (known !== undefined && known !== speaker.name) return false;
    names.set(speaker.role, speaker.name);
    return true;
  });
}

/** Writes a speaker that is underlined as a heading (`User`, then `----`) with hashes; the line below becomes empty. */
function withHashes(lines: readonly string[]): readonly string[] {
  const written = [...lines];
  for (let at = 1; at < lines.length; at++) {
    const [name = '', under = ''] = [lines[at - 1], lines[at]];
    if (!/^(?:-{3,}|={3,})[ \t]*$/.test(under) || name.length > LONGEST_UNDERLINED) continue;
    const heading = `${under.startsWith('=') ? '#' : '##'} ${name.trim()}`;
    if (!/^\p{L}/u.test(name) || (lines[at - 2] ?? '').trim() !== '' || !speakerIn(heading)) continue;
    [written[at - 1], written[at]] = [heading, ''];
  }
  return written;
}
const LONGEST_UNDERLINED = 80;

/** Removes blank lines around a turn and its separators: a rule, the number of a turn. */
const trimmed = (text: string): string =>
  text
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd()
    .replace(/(?:^|\n)(?:#{1,6} Turn \d{1,6}|<sub>[^<\n]{0,80}<\/sub>)$/i, '')
    .trimEnd()
    .replace(/(?:^|\n)[ \t]*(?:-{3,}|\*{3,}|_{3,})$/, '')
    .trimEnd();

/** For each line, true if it lies in a fence that has an end. */
function codeIn(lines: readonly string[]): boolean[] {
  const inCode: boolean[] = [];
  /** Shortest fence of each kind that is known to have no end. */
  const endless: Record<string, number> = {};
  for (let at = 0; at < lines.length; at += 1) {
    const fence = /^(?:>[ \t]?)?[ \t]*(`{3,}|~{3,})/.exec(lines[at] as string)?.[1];
    const kind = fence?.[0] ?? '';
    if (fence === undefined || fence.length >= (endless[kind] ?? Number.POSITIVE_INFINITY)) continue;
    const end = closingOf(lines, at, fence);
    if (end < 0) endless[kind] = fence.length;
    for (; at < end; at += 1) inCode[at] = true;
    if (end >= 0) inCode[end] = true;
  }
  return inCode;
}

function closingOf(lines: readonly string[], from: number, fence: string): number {
  for (let at = from + 1; at < lines.length; at += 1) {
    const closing = /^(?:>[ \t]?)?[ \t]*(`{3,}|~{3,})[ \t]*$/.exec(lines[at] as string)?.[1];
    if (closing && closing[0] === fence[0] && closing.length >= fence.length) return at;
  }
  return -1;
}

// ------------------------------------------------------------------------------------------------ one conversation
const THOUGHTS =
  /^(?:<details[^>]*>\s*<summary>[^<\n]{0,60}(?:reason|think|thought|思考|推理)[^<\n]{0,60}<\/summary>([\s\S]*?)<\/details>|<think(?:ing)?>([\s\S]*?)<\/think(?:ing)?>)\s*/i;

const FOLD_END = '</details>';
/** Thoughts out of the block that folds them away. */
function withoutFold(thoughts: string): string {
  const opened = thoughts.replace(/^<details[^<>]*>\s*<summary>[^<]*<\/summary>/, '');
  return (opened.endsWith(FOLD_END) ? opened.slice(0, -FOLD_END.length) : opened).trim();
}

/** A turn, or one of the messages that an agent wrote into a turn. */
interface Piece extends Turn {
  readonly isNote?: boolean;
  readonly parts?: readonly Part[];
}

/** Reads a turn in which an agent wrote calls, or their results, as words. */
function piecesOf(turn: Turn, calls: CallReader): Piece[] {
  if (turn.role === 'user') {
    const spoken = saidInName([{ type: 'text', text: turn.text }], calls);
    return spoken.map((one) => ({ ...turn, ...one }));
  }
  if (turn.role !== 'assistant') return [turn];
  const parts = partsOf(turn).flatMap((part) =>
    part.type === 'text' ? withWrittenCalls(part.text, calls) : [part],
  );
  return [{ ...turn, parts }];
}

/** Returns the words that the id of a message is made of, also where parts were read out of them. */
function hashedOf({ text, parts }: Piece): string {
  const [only, ...others] = parts ?? [];
  if (!parts) return text;
  return only?.type === 'text' && others.length === 0 ? only.text : JSON.stringify(parts);
}

function partsOf(turn: Turn): Part[] {
  const thoughts = turn.role === 'assistant' ? THOUGHTS.exec(turn.text) : null;
  const reasoning = withoutFold((thoughts?.[1] ?? thoughts?.[2] ?? '').trim());
  const text = thoughts ? turn.text.slice(thoughts[0].length) : turn.text;
  return [
    ...(reasoning === '' ? [] : [{ type: 'reasoning' as const, text: reasoning }]),
    ...(text.trim() === '' ? [] : [{ type: 'text' as const, text }]),
  ];
}

function toConversation(
  text: string,
  file: SourceFile,
  skipped: SkipCounter,
  now: number,
): ImportedConversation | undefined {
  const { front, body } = divided(text);
  const read = turnsIn(body);
  if (!read) return undefined;
  const time = (...names: readonly string[]) => {
    const written = names.map((name) => front[name]).find((value) => value !== undefined && value !== null);
    const at = timeOf(written);
    if (at === 'impossible') skipped.count('impossible-time', String(written));
    return typeof at === 'number' ? at : undefined;
  };
  const updated = time('updated', 'updated_at', 'update_time', 'modified', 'last_updated', 'exported_at');
  const created =
    time('created', 'created_at', 'create_time', 'createdat', 'date', 'timestamp', 'start_time') ?? undefined;
  const model = said(front, 'model', 'model_slug', 'model_name', 'llm');
  const heading = /^#[ \t]+(.+)$/m.exec(read.preamble)?.[1]?.trim();
  const title = said(front, 'title', 'name', 'conversation_title') ?? heading ?? titleOf(file);
  const preamble = read.preamble
    .replace(/^#[ \t]+.+$/m, (line) => (heading !== undefined && heading === title ? '' : line))
    .trim();

  const hasWrittenCalls = read.turns.some(({ role, text }) => role === 'user' && isOfWrittenCalls(text));
  const calls = hasWrittenCalls ? new CallReader() : undefined;
  const turns: readonly Piece[] = [
    ...(preamble === '' ? [] : [{ role: 'system' as const, name: '', text: preamble, isNote: true }]),
    ...read.turns.flatMap((turn): readonly Piece[] => (calls ? piecesOf(turn, calls) : [turn])),
  ];
  const times = interpolated(
    turns.map(({ at }, n) => at ?? (n === 0 ? created : undefined)),
    created ?? updated ?? (file.modifiedAt || now),
  );
  const messages: ImportedMessage[] = [];
  let above: string | null = null;
  for (const [n, turn] of turns.entries()) {
    const parts = turn.parts ?? partsOf(turn);
    if (parts.length === 0) {
      skipped.count('no-content');
      continue;
    }
    const id: string = fingerprint(above ?? '', turn.role, hashedOf(turn));
    const answeredBy = turn.role === 'assistant' ? (turn.model ?? model) : undefined;
    messages.push({
      id,
      sourceId: id,
      parentId: above,
      role: turn.role,
      kind: turn.isNote === true ? 'note' : 'message',
      parts,
      createdAt: times[n] as number,
      ...(answeredBy === undefined ? {} : { model: answeredBy }),
    });
    above = id;
  }
  const copy = readingCopy(front, body);
  const [first] = messages;
  if (!first) {
    skipped.count('empty-conversation', title);
    return undefined;
  }
  const id = said(
    front,
    'conversation_id',
    'conversationid',
    'session_id',
    'chat_id',
    'uuid',
    'id',
    'source_url',
    'url',
    'link',
  );
  return {
    source: {
      tool: TOOL,
      id: id ?? fingerprint(baseName(file.path), title, said(front, 'created', 'date') ?? '', first.id),
    },
    meta: { title, titleBy: 'import', createdAt: created ?? first.createdAt },
    head: above,
    messages,
    ...(copy ? { readingCopy: copy } : {}),
  };
}

/** Reads a title from a name such as `2026-03-01 How to make bread.md`. */
const titleOf = (file: SourceFile): string =>
  baseName(file.path)
    .replace(NAME, '')
    .replace(/^\d{4}-\d\d-\d\d[ _-]+(?=\S)/, '');
