// Conversations as other tools write them out for people: one Markdown file each, front matter, then who said what, under headings, bold names,
// names with a colon, or callouts. One way of naming speakers holds for a whole file, so that a heading within an answer stays part of it; what
// names no two speakers is a document, and nobody's conversation.
import { parse } from 'yaml';
import { attempt } from '../../domain/base/log.ts';
import type { Part, Role } from '../../domain/chat/message.ts';
import { fingerprint } from './fingerprint.ts';
import type { ImportedConversation, ImportedMessage, Importer, SourceFile } from './importer.ts';
import { decode } from './lenient-json.ts';
import { createSkipCounter, type SkipCounter, wordsOf } from './skipping.ts';
import { baseName, headOf } from './source-file.ts';
import { interpolated, timeOf } from './times.ts';
import { createYielder } from './yielder.ts';

const TOOL = 'markdown';
const NAME = /\.(?:md|markdown|mdown|txt)$/i;
/** Bytes of one conversation as a text for people. */
const MAX_BYTES = 64 * 1024 * 1024;

const isMarkdown = ({ path }: SourceFile): boolean => NAME.test(path);

export const markdown: Importer = {
  id: TOOL,
  label: 'Markdown',

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
    const yieldToEvents = createYielder();
    for (const file of source.files) {
      signal.throwIfAborted();
      if (!(await isConversation(file, signal))) continue;
      const text = wordsOf(await file.bytes(signal), skipped);
      const conversation = toConversation(text, file, skipped, now ?? 0);
      if (conversation) yield conversation;
      await yieldToEvents();
    }
    skipped.report(skip);
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

/** `---` at the very top to the next `---`; without an end, or where it is no list of names and values, it is words like any other. */
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

// ------------------------------------------------------------------------------------------------ who speaks
const USER =
  /^(?:users?|you|human|me|prompt|question|ask|query|user input|my prompt|用户|你|我|提问|问题|用戶|ユーザー|あなた|사용자|utilisateur|vous|usuario|tú|benutzer|nutzer|du|пользователь|вы)$/iu;
const ASSISTANT =
  /^(?:assistant|ai|ai assistant|bot|model|response|answer|reply|chatbot|chatgpt|gpt|openai|claude(?: code)?|anthropic|gemini|bard|google|copilot|github copilot|cursor|grok|deepseek|kimi|qwen|mistral|le chat|llama|perplexity|poe|agent|助手|助理|回答|回复|模型|アシスタント|어시스턴트|asistente|assistent|antwort|ассистент)$/iu;
const SYSTEM = /^(?:system|system prompt|developer|系统|系統|システム)$/iu;
const TOOL_NAME = /^(?:tool|tools|tool result|tool output|function|工具)$/iu;
/** A model by its family and what its makers put behind that. */
const FAMILY =
  /^(?:chatgpt|gpt|claude|gemini|gemma|grok|deepseek|kimi|qwen|glm|mistral|llama|o[134])(?:[- ]?(?:v?\d[\w.]{0,12}|sonnet|opus|haiku|pro|flash|lite|mini|max|turbo|preview|instruct|thinking|k\d|r\d)){1,5}$/i;
/** A model by what its name is made of; only together with a time. */
const MODEL = /^(?=.*[\p{L}\d])[\p{L}\d][\p{L}\d ._:/@+()-]{0,80}$/u;

function roleOf(name: string): Role | undefined {
  if (USER.test(name)) return 'user';
  if (ASSISTANT.test(name) || FAMILY.test(name)) return 'assistant';
  if (SYSTEM.test(name)) return 'system';
  return TOOL_NAME.test(name) ? 'tool' : undefined;
}

interface Speaker {
  /** How this file marks speakers: two of one way belong together. */
  readonly way: string;
  readonly role: Role;
  readonly name: string;
  readonly model?: string;
  readonly at?: number;
  /** What follows on the same line. */
  readonly rest: string;
}

/** Characters of a line that names a speaker, its time and model; a colon may have the words behind it. */
const LONGEST_NAME = 160;

function speakerIn(line: string): Speaker | undefined {
  const heading = /^(#{1,6})[ \t]+(\S.*?)[ \t]*#*$/.exec(line.slice(0, LONGEST_NAME));
  if (heading && line.length <= LONGEST_NAME) return named(`#${heading[1]?.length}`, heading[2] ?? '', '');
  const callout = /^>[ \t]*\[!([\w-]{1,40})\][+-]?[ \t]*(.{0,120})$/.exec(line);
  if (callout) {
    const kind = (callout[1] ?? '').replace(/^[a-z]+[_-](?=(?:user|agent|assistant|ai|system)$)/i, '');
    return named('>', kind, '', callout[2]);
  }
  const bold =
    /^(?:[-*] )?(_\*\*|\*{1,3}|__)(?![\s*])(.{1,120}?)[ \t]*(\*\*_|\*{1,3}|__)[ \t]*([:：]?)(.*)$/.exec(line);
  if (bold) {
    const [, mark = '', inner = '', , colon = '', rest = ''] = bold;
    const isColon = colon !== '' || /[:：]$/.test(inner);
    const time =
      rest.trim() !== '' && !isColon
        ? /^[ \t]*[-–—|·@(][ \t]*(.{1,60}?)\)?[ \t]*$/.exec(rest)?.[1]
        : undefined;
    if (!isColon && rest.trim() !== '' && (time === undefined || typeof timeOf(time) !== 'number'))
      return undefined;
    return named(`${mark}${isColon ? ':' : ''}`, inner, isColon ? rest : '', time);
  }
  const bare = /^([\p{L} ]{1,24})[ \t]*[:：](?:[ \t]+(.*))?$/u.exec(line.slice(0, 200));
  if (!bare) return undefined;
  return named(':', bare[1] ?? '', line.slice(line.search(/[:：]/) + 1));
}

/** `👤 You (gpt-4o) · 2026-03-01 10:00`, `User, on 2025/06/15 at 10:00`, `ChatGPT said:`. */
function named(way: string, words: string, rest: string, extra = ''): Speaker | undefined {
  const line = words
    .replace(/\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F|\u200D|[*_`]/gu, ' ')
    .replace(/[ \t]*[:：;][ \t]*$/, '')
    .replace(/^[\s\d.)#[]+(?=\p{L})/u, '')
    .trim();
  const [, head = '', tail = ''] =
    /^(.*?)(?:[ \t]*(?:[·|–—]|,?[ \t]+(?:on|at)\b|[([]|[ \t]-[ \t]|,)[ \t]*(.*))?$/s.exec(line) ?? [];
  const name = head
    .replace(
      /^(?:message from|来自)[ \t]*|[ \t]*(?:said|says|wrote|asked|answered|replied|message|的消息)$/giu,
      '',
    )
    .replace(/^你的$/u, '你')
    .replace(/[ \t]*[\]:：]+$/, '')
    .trim();
  const inside = tail.replace(/[\])]+$/, '').replace(/\)[ \t]*[·|,–—-]?[ \t]*/, ' · ');
  let at: number | undefined;
  let model: string | undefined;
  for (const piece of [extra.replace(/[*_]/g, ''), inside, ...inside.split(/[ \t]+·[ \t]+/)]) {
    const time = timeOf(piece.replace(/^.*?\bon[ \t]+(?=\d)|^[^\d\p{L}]+/u, '').trim() || undefined);
    if (typeof time === 'number') at ??= time;
    else if (time !== undefined && /^[\w.:/@+-]{2,80}$/.test(piece)) model ??= piece;
  }
  // Any heading is a model's where it carries a time.
  const role =
    roleOf(name) ?? (at !== undefined && way.startsWith('#') && MODEL.test(name) ? 'assistant' : undefined);
  if (role === undefined) return undefined;
  const isModel = roleOf(name) === undefined || FAMILY.test(name);
  if (isModel) model = name;
  return {
    way: at === undefined ? way : `${way} with a time`,
    role,
    // Models may take turns.
    name: isModel ? 'model' : name.toLowerCase(),
    rest,
    ...(model !== undefined && role === 'assistant' ? { model } : {}),
    ...(at === undefined ? {} : { at }),
  };
}

// ------------------------------------------------------------------------------------------------ what was said
interface Turn extends Omit<Speaker, 'way' | 'rest'> {
  readonly text: string;
}
interface Turns {
  readonly preamble: string;
  readonly turns: readonly Turn[];
}

/** The turns of a file; undefined where a person and a model are not both named. */
function turnsIn(body: string): Turns | undefined {
  const lines = body.split('\n');
  const inCode = codeIn(lines);
  let way: string | undefined;
  const names = new Map<Role, string>();
  const starts: { at: number; speaker: Speaker }[] = [];
  for (const [at, line] of lines.entries()) {
    if (inCode[at]) continue;
    const speaker = speakerIn(line);
    if (!speaker || (way !== undefined && speaker.way !== way)) continue;
    // Words with a colon are everywhere: a speaker begins a paragraph.
    if (speaker.way === ':' && at > 0 && lines[at - 1]?.trim() !== '') continue;
    // Without times one name a role: `## Response` within an answer of `## Assistant` is a heading.
    if (!speaker.way.endsWith('time')) {
      const known = names.get(speaker.role);
      if (known !== undefined && known !== speaker.name) continue;
      names.set(speaker.role, speaker.name);
    }
    way ??= speaker.way;
    starts.push({ at, speaker });
  }
  const roles = new Set(starts.map(({ speaker }) => speaker.role));
  if (!roles.has('user') || !roles.has('assistant')) return undefined;
  const textFrom = (from: number, to: number) => lines.slice(from, to).join('\n');
  const turns = starts.map(({ at, speaker }, n): Turn => {
    const { way: how, rest, ...who } = speaker;
    const below = textFrom(at + 1, starts[n + 1]?.at ?? lines.length);
    const words = how.startsWith('>') ? below.replace(/^>[ \t]?/gm, '') : below;
    return { ...who, text: trimmed(`${rest.trim()}${rest.trim() === '' ? '' : '\n'}${words}`) };
  });
  return { preamble: trimmed(textFrom(0, starts[0]?.at ?? 0)), turns };
}

/** Blank lines around it go, and what parts it from the next: a rule, the number of a turn. */
const trimmed = (text: string): string =>
  text
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd()
    .replace(/(?:^|\n)#{1,6} Turn \d{1,6}$/i, '')
    .trimEnd()
    .replace(/(?:^|\n)[ \t]*(?:-{3,}|\*{3,}|_{3,})$/, '')
    .trimEnd();

/** Which lines stand in a fence that has an end. */
function codeIn(lines: readonly string[]): boolean[] {
  const inCode: boolean[] = [];
  /** Shortest fence of each kind that was seen to have no end. */
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

function partsOf(turn: Turn): Part[] {
  const thoughts = turn.role === 'assistant' ? THOUGHTS.exec(turn.text) : null;
  const reasoning = (thoughts?.[1] ?? thoughts?.[2] ?? '').trim();
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

  const turns = [
    ...(preamble === '' ? [] : [{ role: 'system' as const, name: '', text: preamble, isNote: true }]),
    ...read.turns.map((turn) => ({ ...turn, isNote: false })),
  ];
  const times = interpolated(
    turns.map((turn, at) => ('at' in turn ? turn.at : at === 0 ? created : undefined)),
    created ?? updated ?? (file.modifiedAt || now),
  );
  const messages: ImportedMessage[] = [];
  let above: string | null = null;
  for (const [n, turn] of turns.entries()) {
    const parts = partsOf(turn);
    if (parts.length === 0) {
      skipped.count('no-content');
      continue;
    }
    const id: string = fingerprint(above ?? '', turn.role, turn.text);
    const answeredBy =
      turn.role === 'assistant' ? (('model' in turn ? turn.model : undefined) ?? model) : undefined;
    messages.push({
      id,
      sourceId: id,
      parentId: above,
      role: turn.role,
      kind: turn.isNote ? 'note' : 'message',
      parts,
      createdAt: times[n] as number,
      ...(answeredBy === undefined ? {} : { model: answeredBy }),
    });
    above = id;
  }
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
  };
}

/** `2026-03-01 How to make bread.md`. */
const titleOf = (file: SourceFile): string =>
  baseName(file.path)
    .replace(NAME, '')
    .replace(/^\d{4}-\d\d-\d\d[ _-]+(?=\S)/, '');
