// Repairs requests that an endpoint refused for something unnecessary: finds the part, and makes the request without
// it. Each kind of refusal is one entry of RULES. Facts are from the endpoints' public error texts.
import { isFields } from '../../domain/base/json.ts';

/** Change to every request to an endpoint, e.g. `drop:stream_options`. Stored for each endpoint and model. */
export type Repair = string;

type Fields = Record<string, unknown>;
export interface RequestRefusal {
  readonly status: number;
  /** Body of the error, unchanged. */
  readonly text: string;
}

/**
 * Repairs that `applied` makes: `drop:` a field of the request or of its messages and tools, or one of these. Another
 * one needs its case there, too. Stored ones are any text, since another version of the app may know others.
 */
type KnownRepair =
  | `drop:${string}`
  | `rename:${'max_tokens' | 'max_completion_tokens'}`
  | `fill:${'content' | 'reasoning_content' | 'thought_signature'}`
  | 'call-ids'
  | 'roles'
  | 'no-stream'
  | 'text-content';

interface Rule {
  readonly repair: KnownRepair;
  readonly fits: (text: string, body: Fields) => boolean;
}

const messagesOf = (body: Fields): Fields[] =>
  Array.isArray(body.messages) ? body.messages.filter(isFields) : [];
const callsOf = (message: Fields): Fields[] =>
  Array.isArray(message.tool_calls) ? message.tool_calls.filter(isFields) : [];

/** Google's documented replacement for a signature, for calls that another model made. */
const NO_SIGNATURE = 'skip_thought_signature_validator';
/** Thought for a thinking model that insists on one, if none is known: an empty string counts as missing. */
const NO_THOUGHT = ' ';

/** In this order: the narrow ones first. Texts are in lower case. */
const RULES: readonly Rule[] = [
  {
    repair: 'rename:max_completion_tokens',
    fits: (text, body) =>
      'max_tokens' in body && /use\W+max_completion_tokens|max_completion_tokens\W+instead/.test(text),
  },
  {
    repair: 'rename:max_tokens',
    fits: (text, body) =>
      'max_completion_tokens' in body &&
      (/use\W+max_tokens|\bmax_tokens\W+instead/.test(text) ||
        (/max_completion_tokens/.test(text) && !isTooMany(text))),
  },
  {
    repair: 'fill:thought_signature',
    fits: (text) => /thought_?signature/.test(text) && /missing|required|must|need/.test(text),
  },
  {
    repair: 'fill:reasoning_content',
    fits: (text) =>
      /reasoning_content/.test(text) && /missing|must be|required|need|should|absent|not found/.test(text),
  },
  {
    repair: 'drop:reasoning_content',
    fits: (text, body) =>
      /reasoning_content/.test(text) && messagesOf(body).some((message) => 'reasoning_content' in message),
  },
  {
    repair: 'call-ids',
    fits: (text) =>
      /tool.?(call|use).?ids?\b|tool_calls\W{0,4}\d{0,4}\W{0,4}id\b|tool_use\W{0,4}id\b/.test(text) &&
      /length|a-z|pattern|characters|maximum|too long|must be|invalid/.test(text) &&
      !/must be (followed|a response)|not found|no matching|did not have/.test(text),
  },
  {
    repair: 'roles',
    fits: (text) =>
      /roles? must alternate|must alternate|alternating|(system|developer) (role|message|prompt|instruction)s?\b.{0,60}(not |un|must|only|first|begin)|(unexpected|unsupported|invalid|unknown) role|role\W+(system|developer|tool)\W.{0,60}(not|un|invalid|after)|only user.{0,40}(roles|are supported)|expected last role|invalid (chat setting|message role)|role\W{1,8}does not support|(first|last) message must|conversation must (start|begin|end) with|2 or more assistant/.test(
        text,
      ),
  },
  {
    repair: 'no-stream',
    fits: (text, body) =>
      body.stream === true &&
      /stream(ing)?\W+(is |are )?(not|un)\w*|verified to stream|\bparam\W+stream\W*[,}]|(not|n't) support stream(ing)?\b(?!_)/.test(
        text,
      ),
  },
  {
    repair: 'fill:content',
    fits: (text) =>
      !/\bfunctions?\b|\btools\b|propert/.test(text) &&
      (/\b(non-?empty|empty|blank)\b/.test(text)
        ? /content|message|text/.test(text)
        : /不能为空|messages 参数非法/.test(text)),
  },
  {
    repair: 'text-content',
    fits: (text, body) =>
      (/invalid 'messages' in payload/.test(text) ||
        (/content/.test(text) && /null|none|string|missing|required|array|list/.test(text))) &&
      messagesOf(body).some(({ content }) => content === null || isTextAlone(content)),
  },
];

const isTooMany = (text: string) =>
  /too (large|many|big|high)|exceed|at most|less than|greater than|range|maximum/.test(text);
const isTextAlone = (content: unknown): boolean =>
  Array.isArray(content) && content.every((part) => isFields(part) && part.type === 'text');

/** Gemini names both of them at once. */
const PENALTIES = ['presence_penalty', 'frequency_penalty', 'presencePenalty', 'frequencyPenalty'];

/** Fields that a request cannot do without. The turn handles tools. */
const NEEDED = [
  'model',
  'messages',
  'stream',
  'tools',
  'input',
  'contents',
  'system',
  'systemInstruction',
  'instructions',
];
/** Keys below the top of a request that an endpoint can do without. */
const NESTED = [
  'name',
  'extra_content',
  'strict',
  'additionalProperties',
  '$schema',
  'cache_control',
  'filename',
  'refusal',
  'detail',
];

/** Single words that mean nothing else in a refusal. */
const UNMISTAKABLE = ['temperature', 'logprobs', 'verbosity'];

/** Position at which a text names a key; plain words count only if the text marks them as a key. */
function placeOf(key: string, text: string): number {
  const plain = key.toLowerCase().replace(/[$]/g, '\\$');
  const snake = key.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();
  const names = [...new Set([plain, snake, snake.replaceAll('_', ' '), snake.replaceAll('_', '')])].join('|');
  const quoted = new RegExp(`["'\`‘“\\[.]\\s*(?:${names})["'\`’”\\]]`).exec(text);
  if (quoted) return quoted.index;
  const bare =
    /_/.test(snake) || UNMISTAKABLE.includes(plain)
      ? new RegExp(`(?<![\\w-])(?:${names})(?![\\w-])`)
      : undefined;
  const said = new RegExp(
    `(?:permitted|allowed|supported|recogni[sz]ed|forbidden): *(?:${names})\\b|(?:parameters?|arguments?|fields?|inputs?|propert(?:y|ies)|keys?|names?|supplied|supported)\\W{1,4}(?:${names})\\b|(?<![\\w-])(?:${names})\\W{1,3}(?:is |are |does |has |was |must |should |value )?(?:not|un\\w+|only|invalid|extra|must|should|may not|cannot)\\b`,
  );
  return (bare ?? said).exec(text)?.index ?? -1;
}

/** Lists every key of some kind below messages and tools. */
function hasNested(body: Fields, key: string): boolean {
  const within = (value: unknown, depth: number): boolean =>
    depth > 0 &&
    (Array.isArray(value)
      ? value.some((each) => within(each, depth - 1))
      : isFields(value) &&
        (isDroppable(value, key) || Object.values(value).some((each) => within(each, depth - 1))));
  return within([body.messages, body.tools], 12);
}

/** False for the names of a tool and its function, which are needed. */
const isDroppable = (fields: Fields, key: string): boolean =>
  key in fields && (key !== 'name' || 'role' in fields);

/**
 * Finds the repair for a refusal; undefined if the text names nothing unnecessary. Never one of `tried`, and always one
 * that changes the request, so repetition ends.
 */
export function repairFor(
  { text }: RequestRefusal,
  body: Fields,
  tried: readonly Repair[],
): Repair | undefined {
  const said = text.toLowerCase();
  const changes = (repair: Repair) =>
    !tried.includes(repair) && JSON.stringify(repaired(body, [repair])) !== JSON.stringify(body);
  const rule = RULES.find(({ repair, fits }) => fits(said, body) && changes(repair));
  if (rule) return rule.repair;
  const penalty = /\bpenalty is not (enabled|supported)/.test(said)
    ? PENALTIES.find((key) => key in body)
    : undefined;
  if (penalty !== undefined && changes(`drop:${penalty}`)) return `drop:${penalty}`;
  // Schemas have a key of this name, and errors a phrase.
  const isPhrase = /additional properties (are|is) not/.test(said);
  const named = [
    ...Object.keys(body)
      .filter((key) => !NEEDED.includes(key))
      .map((key) => ({ key, at: placeOf(key, said) })),
    ...NESTED.filter((key) => hasNested(body, key) && !(isPhrase && key === 'additionalProperties')).map(
      (key) => ({ key, at: placeOf(key, said) }),
    ),
  ].filter(({ key, at }) => at >= 0 && changes(`drop:${key}`));
  // The second of two exclusive parameters is dropped.
  const both = /\bboth\b|together|at the same time|only one of/.test(said);
  named.sort((a, b) => (both ? b.at - a.at : a.at - b.at));
  return named[0] && `drop:${named[0].key}`;
}

/** True if an endpoint complains about the length of the answer, not of the conversation. */
export const isAboutAnswerLength = (text: string, body: Fields): boolean =>
  ('max_tokens' in body || 'max_completion_tokens' in body) &&
  /max_(completion_)?tokens/i.test(text) &&
  !/context|prompt|messages|input/i.test(text);

/** Applies all repairs to a request. */
export function repaired(body: Fields, repairs: readonly Repair[]): Fields {
  let now = body;
  for (const repair of repairs) now = applied(now, repair);
  return now;
}

function applied(body: Fields, repair: Repair): Fields {
  const [kind, key = ''] = repair.split(':', 2);
  if (kind === 'drop') return dropped(body, key);
  if (kind === 'rename') {
    const other = key === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
    const { [other]: value, ...rest } = body;
    return value === undefined ? body : { ...rest, [key]: value };
  }
  if (repair === 'no-stream') {
    const { stream: _, stream_options: __, ...rest } = body;
    return { ...rest, stream: false };
  }
  if (repair === 'fill:content') return filled(body);
  if (!Array.isArray(body.messages)) return body;
  const messages = messagesOf(body);
  if (repair === 'fill:reasoning_content')
    return {
      ...body,
      messages: messages.map((message) =>
        message.role === 'assistant' && callsOf(message).length > 0 && !message.reasoning_content
          ? { ...message, reasoning_content: NO_THOUGHT }
          : message,
      ),
    };
  if (repair === 'fill:thought_signature')
    return {
      ...body,
      messages: mapCalls(messages, (call) =>
        'extra_content' in call
          ? call
          : { ...call, extra_content: { google: { thought_signature: NO_SIGNATURE } } },
      ),
    };
  if (repair === 'call-ids')
    return {
      ...body,
      messages: mapCalls(messages, (call) => ({ ...call, id: shortId(String(call.id)) })).map((message) =>
        'tool_call_id' in message
          ? { ...message, tool_call_id: shortId(String(message.tool_call_id)) }
          : message,
      ),
    };
  if (repair === 'text-content') return { ...body, messages: messages.map(withText) };
  return repair === 'roles' ? { ...body, messages: inTurns(messages) } : body;
}

function dropped(body: Fields, key: string): Fields {
  if (key in body && !NEEDED.includes(key)) {
    const { [key]: _, ...rest } = body;
    return rest;
  }
  const without = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(without);
    if (!isFields(value)) return value;
    const kept = Object.entries(value).filter(([name]) => name !== key || !isDroppable(value, key));
    return Object.fromEntries(kept.map(([name, each]) => [name, without(each)]));
  };
  const { messages, tools, ...rest } = body;
  return {
    ...rest,
    ...(messages === undefined ? {} : { messages: without(messages) }),
    ...(tools === undefined ? {} : { tools: without(tools) }),
  };
}

const mapCalls = (messages: readonly Fields[], change: (call: Fields) => Fields): Fields[] =>
  messages.map((message) =>
    callsOf(message).length > 0 ? { ...message, tool_calls: callsOf(message).map(change) } : message,
  );

/** Stands for words that are missing: endpoints that refuse an empty text refuse spaces, too. */
const NO_WORDS = '…';
const isEmpty = (text: unknown): boolean =>
  text === null || text === undefined || (typeof text === 'string' && text.trim() === '');

/** A request in which no message is empty: of chat completions, Anthropic Messages or Gemini. */
function filled(body: Fields): Fields {
  const text = (part: unknown): unknown =>
    isFields(part) && 'text' in part && isEmpty(part.text) ? { ...part, text: NO_WORDS } : part;
  const parts = (content: unknown): unknown =>
    Array.isArray(content)
      ? content.length > 0
        ? content.map(text)
        : [{ type: 'text', text: NO_WORDS }]
      : isEmpty(content)
        ? NO_WORDS
        : content;
  const { messages, contents } = body;
  return {
    ...body,
    ...(Array.isArray(messages)
      ? { messages: messagesOf(body).map((message) => ({ ...message, content: parts(message.content) })) }
      : {}),
    ...(Array.isArray(contents)
      ? {
          contents: contents
            .filter(isFields)
            .map((message) =>
              Array.isArray(message.parts) ? { ...message, parts: message.parts.map(text) } : message,
            ),
        }
      : {}),
  };
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

/** Nine letters and digits, as Mistral wants them; the same for the same id. FNV-1a, twice. */
function shortId(id: string): string {
  if (/^[a-zA-Z0-9]{9}$/.test(id)) return id;
  let out = '';
  for (let round = 0; out.length < 9; round++) {
    let hash = 0x811c9dc5 ^ round;
    for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193) >>> 0;
    for (let letter = 0; letter < 5; letter++) {
      out += LETTERS[hash % LETTERS.length];
      hash = Math.floor(hash / LETTERS.length);
    }
  }
  return out.slice(0, 9);
}

function withText(message: Fields): Fields {
  const { content } = message;
  if (content === null || content === undefined) return { ...message, content: '' };
  return isTextAlone(content)
    ? { ...message, content: (content as Fields[]).map(({ text }) => String(text ?? '')).join('\n\n') }
    : message;
}

/** Rewrites messages for templates without a system role: only person and model, in turns. */
function inTurns(messages: readonly Fields[]): Fields[] {
  const out: Fields[] = [];
  for (const message of messages) {
    const now =
      message.role === 'system' || message.role === 'developer' ? { ...message, role: 'user' } : message;
    const last = out.at(-1);
    if (last?.role === 'user' && now.role === 'user')
      out[out.length - 1] = { ...last, content: joinedContent(last.content, now.content) };
    else if (last?.role === 'assistant' && now.role === 'assistant' && callsOf(last).length === 0)
      out[out.length - 1] = { ...now, content: joinedContent(last.content, now.content) };
    else out.push(now);
  }
  const last = out.at(-1);
  return [
    ...(out[0]?.role === 'assistant' ? [{ role: 'user', content: NO_WORDS }] : []),
    ...out,
    ...(last?.role === 'assistant' && callsOf(last).length === 0
      ? [{ role: 'user', content: NO_WORDS }]
      : []),
  ];
}

const joinedContent = (before: unknown, after: unknown): unknown =>
  Array.isArray(before) || Array.isArray(after)
    ? [...listOf(before), ...listOf(after)]
    : [before, after].filter(Boolean).join('\n\n');
const listOf = (content: unknown): unknown[] =>
  Array.isArray(content) ? content : content ? [{ type: 'text', text: content }] : [];

/** Name of the field that a repair removed, in the endpoint's words. */
export const nameOfRepair = (repair: Repair): string =>
  ({
    roles: 'system',
    'call-ids': 'tool_call_id',
    'no-stream': 'stream',
    'text-content': 'content',
    'fill:content': 'content',
    'rename:max_tokens': 'max_completion_tokens',
    'rename:max_completion_tokens': 'max_tokens',
  })[repair] ?? repair.slice(repair.indexOf(':') + 1);
