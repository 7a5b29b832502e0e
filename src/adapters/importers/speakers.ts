// Finds speakers in texts written for people: a heading, a bold name, a name with a colon, or a
// callout, with time and model beside it.
import type { Role } from '../../domain/chat/message.ts';
import { timeOf } from './times.ts';

const USER =
  /^(?:users?|you|human|me|prompt|question|ask|query|user input|my prompt|用户|你|我|提问|问题|用戶|ユーザー|あなた|사용자|utilisateur|vous|usuario|tú|benutzer|nutzer|du|пользователь|вы)$/iu;
const ASSISTANT =
  /^(?:assistant|ai|ai assistant|bot|model|response|answer|reply|chatbot|chatgpt|gpt|openai|claude(?: code)?|anthropic|gemini|bard|google|copilot|github copilot|cursor|codex|cline|windsurf|cascade|planner response|gemini cli|goose|amp|opencode|grok|deepseek|kimi|qwen|mistral|le chat|llama|perplexity|poe|agent|meta ai|助手|助理|回答|回复|模型|アシスタント|어시스턴트|asistente|assistent|antwort|ассистент)$/iu;
const SYSTEM = /^(?:system|system prompt|developer|系统|系統|システム)$/iu;
const TOOL_NAME = /^(?:tool|tools|tool result|tool output|function|工具)$/iu;
/** A model's name by its family and the maker's suffix. */
const FAMILY =
  /^(?:chatgpt|gpt|claude|gemini|gemma|grok|deepseek|kimi|qwen|glm|mistral|llama|o[134])(?:[- ]?(?:v?\d[\w.]{0,12}|sonnet|opus|haiku|pro|flash|lite|mini|max|turbo|preview|instruct|thinking|k\d|r\d)){1,5}$/i;
/** A model's name by its characters; only trusted together with a time. */
const MODEL = /^(?=.*[\p{L}\d])[\p{L}\d][\p{L}\d ._:/@+()-]{0,80}$/u;

function roleOf(name: string): Role | undefined {
  if (USER.test(name)) return 'user';
  if (ASSISTANT.test(name) || FAMILY.test(name)) return 'assistant';
  if (SYSTEM.test(name)) return 'system';
  return TOOL_NAME.test(name) ? 'tool' : undefined;
}

/** Programs that answer, by the names that no heading of a text has. */
const PROGRAM = /^(?:github copilot|copilot|chatgpt|claude|gemini|cursor|deepseek|kimi|grok|le chat)$/i;
/** True for a speaker that can only be a program. */
export const isProgram = ({ name, role }: Speaker): boolean => role === 'assistant' && PROGRAM.test(name);

const OWN_NAMES: readonly (readonly [pattern: RegExp, way: (signs: string) => string])[] = [
  [/^(#{1,6})[ \t]+([\p{L}\d][\p{L}\d ._@-]{0,38})[:：]?[ \t]*$/u, (signs) => `#${signs.length}`],
  [/^(\*\*)([\p{L}\d][\p{L}\d ._@-]{0,38})(?:[:：]\*\*|\*\*[:：])/u, () => '**:'],
  [/^(\*\*)([\p{L}\d][\p{L}\d ._@-]{0,38})\*\*[ \t]*$/u, () => '**'],
  [/^()([\p{L}\d][\p{L}\d ._@-]{0,38})[:：](?=[ \t]|$)/u, () => ':'],
];

/** A person under a name of their own, as the first line of a text may name them; undefined if it names nobody. */
export function ownNameIn(line: string): ((line: string) => Speaker | undefined) | undefined {
  const nameIn = (text: string): Speaker | undefined => {
    const begun = text.slice(0, LONGEST_BEGINNING);
    for (const [pattern, way] of OWN_NAMES) {
      const [found, signs = '', name = ''] = pattern.exec(begun) ?? [];
      if (found !== undefined)
        return {
          way: way(signs),
          role: 'user',
          name: name.trim().toLowerCase(),
          rest: text.slice(found.length),
        };
    }
    return undefined;
  };
  const own = nameIn(line);
  if (!own || roleOf(own.name) !== undefined) return undefined;
  return (text) => {
    const found = nameIn(text);
    return found?.name === own.name && found.way === own.way ? found : undefined;
  };
}

export interface Speaker {
  /** The way in which this line marks its speaker; a file uses one way throughout. */
  readonly way: string;
  readonly role: Role;
  readonly name: string;
  readonly model?: string;
  readonly at?: number;
  /** Text that follows on the same line. */
  readonly rest: string;
}

/** Longest line that names a speaker with time and model, characters; after a colon words may follow. */
const LONGEST_NAME = 160;
/** A bold name ends within so many characters of a line: patterns read no more than these. */
const LONGEST_BEGINNING = 400;

/**
 * Finds the speaker that a line names, and the rest of the line; undefined if it names nobody. Linear: no
 * pattern reads more than 400 characters.
 */
export function speakerIn(line: string): Speaker | undefined {
  const heading = /^(#{1,6})[ \t]+(\S.*?)[ \t]*#*$/.exec(line.slice(0, LONGEST_NAME));
  if (heading && line.length <= LONGEST_NAME) {
    const [, signs = '', words = ''] = heading;
    // ChatGPT's page sets what it said one level below what the person said.
    const whole = named(/ said[:：]?$/i.test(words) ? '# said' : `#${signs.length}`, words, '');
    const [, name, rest = ''] = /^([\p{L} ]{1,24})[:：](.+)$/u.exec(words) ?? [];
    return whole ?? (name === undefined ? undefined : named(`#${signs.length}:`, name, rest));
  }
  const bracket = /^(?:\[([\p{L} ]{1,24})\]|<\|im_start\|>([a-z]{1,24}))[:：]?[ \t]*$/u.exec(
    line.slice(0, 80),
  );
  if (bracket) return named(bracket[1] === undefined ? '<|' : '[', bracket[1] ?? bracket[2] ?? '', '');
  const bareSaid = /^([\p{L} ]{1,24}) said[ \t]*$/u.exec(line.slice(0, 80));
  if (bareSaid) return named('said', bareSaid[1] ?? '', '');
  const callout = /^>[ \t]*\[!([\w-]{1,40})\][+-]?[ \t]*(.{0,120})$/.exec(line);
  if (callout) {
    const kind = (callout[1] ?? '').replace(/^[a-z]+[_-](?=(?:user|agent|assistant|ai|system)$)/i, '');
    return named('>', kind, '', callout[2]);
  }
  const bold =
    /^(?:[-*] )?(_\*\*|\*{1,3}|__)(?![\s*])(.{1,120}?)[ \t]*(\*\*_|\*{1,3}|__)[ \t]*([:：]?)(.*)$/.exec(
      line.slice(0, LONGEST_BEGINNING),
    );
  if (bold) {
    const [, mark = '', inner = '', , colon = '', behind = ''] = bold;
    const rest = behind + line.slice(LONGEST_BEGINNING);
    const isColon = colon !== '' || /[:：]$/.test(inner);
    const time =
      rest.trim() !== '' && !isColon && rest.length <= LONGEST_NAME
        ? /^[ \t]*[-–—|·@(][ \t]*(.{1,60}?)\)?[ \t]*[:：]?[ \t]*$/.exec(rest)?.[1]
        : undefined;
    if (!isColon && rest.trim() !== '' && (time === undefined || typeof timeOf(time) !== 'number'))
      return undefined;
    return named(`${mark}${isColon ? ':' : ''}`, inner, isColon ? rest : '', time);
  }
  const bare = /^([\p{L} ]{1,24})[ \t]*(?::(?:[ \t]+.*)?|：.*)$/u.exec(line.slice(0, 200));
  if (!bare) return undefined;
  return named(':', bare[1] ?? '', line.slice(line.search(/[:：]/) + 1));
}

/** Reads names such as `👤 You (gpt-4o) · 2026-03-01 10:00`, `User, on 2025/06/15 at 10:00`, `ChatGPT said:`. */
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
    const [, written, behind] =
      /^(?:model )?([\w.:/@+-]{2,80})(?: (\d{4}-\d\d-\d\d.{0,40})|, mode \w+)$/.exec(piece) ?? [];
    if (written !== undefined) model ??= written;
    const time = timeOf(
      (behind ?? piece.replace(/^.*?\bon[ \t]+(?=\d)|^[^\d\p{L}]+/u, '').trim()) || undefined,
    );
    if (typeof time === 'number') at ??= time;
    else if (time !== undefined && /^[\w.:/@+-]{2,80}$/.test(piece)) model ??= piece;
  }
  // With a time beside it, any heading may name a model.
  const role =
    roleOf(name) ?? (at !== undefined && way.startsWith('#') && MODEL.test(name) ? 'assistant' : undefined);
  if (role === undefined) return undefined;
  const isModel = roleOf(name) === undefined || FAMILY.test(name);
  if (isModel) model = name;
  return {
    way: at === undefined ? way : `${way} with a time`,
    role,
    // Several models may take turns.
    name: isModel ? 'model' : name.toLowerCase(),
    rest,
    ...(model !== undefined && role === 'assistant' ? { model } : {}),
    ...(at === undefined ? {} : { at }),
  };
}
