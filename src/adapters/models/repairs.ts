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
 * Repairs that `applied` makes, which needs a case for each: `drop:` a field of the request, its messages or tools,
 * `limit:` the answer to so many tokens. Stored ones are any text: another version may know others.
 */
type KnownRepair =
  | `drop:${string}`
  | `limit:${number}`
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
      /(must|should|have to) alternate|alternating|prefill|unknown variant .?(system|developer)\b|invalid value\W{1,4}(system|developer)\b|(system|developer) (role|message|prompt|instruction)s?\b.{0,60}(not |un|must|only|first|begin)|(unexpected|unsupported|invalid|unknown) role|role\W+(system|developer|tool)\W.{0,60}(not|un|invalid|after)|only user.{0,40}(roles|are supported)|expected last role|invalid (chat setting|message role)|role\W{1,8}does not support|(first|last) message must|conversation must (start|begin|end) with|2 or more assistant/.test(
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
        : /must have (a text parameter|either content)|不能为空|messages 参数非法/.test(text)),
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

/** Words for fields that refusals do not name: the first of the fields that the request has is dropped. */
const IN_WORDS: readonly (readonly [RegExp, readonly string[]])[] = [
  [
    /\bpenalty is not (enabled|supported)/,
    ['presence_penalty', 'frequency_penalty', ...below(['presencePenalty', 'frequencyPenalty'])],
  ],
  [
    /\b(thinking|reasoning)\b[^.,;]{0,40}\b(not|un)\s?(supported|enabled|available|allowed|permitted)|(not|n't) (support|allow|permit|have) (extended )?(thinking|reasoning)\b/,
    [
      ...['thinking', ...below(['thinkingConfig']), 'reasoning_effort', 'reasoning', 'think'],
      ...['enable_thinking', 'thinking_budget', 'chat_template_kwargs'],
    ],
  ],
  [/\bonly one (completion|choice)/, ['n']],
];

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

/** Fields that hold options, each of which can be dropped alone. */
const HOLDERS = ['generationConfig', 'thinkingConfig', 'reasoning', 'output_config', 'text'];
/** Paths of options below Gemini's holder of them. */
function below(keys: readonly string[]): string[] {
  return keys.map((key) => `generationConfig.${key}`);
}

/** Paths of all options of a request, those within holders too. */
const optionsOf = (body: Fields, above = ''): string[] =>
  Object.entries(body).flatMap(([key, value]) => {
    if (above === '' && NEEDED.includes(key)) return [];
    const path = `${above}${key}`;
    return HOLDERS.includes(key) && isFields(value) ? [path, ...optionsOf(value, `${path}.`)] : [path];
  });

/** Single words that mean nothing else in a refusal. */
const UNMISTAKABLE = ['temperature', 'logprobs', 'verbosity'];

/** Position at which a text names a key; plain words count only if the text marks them as a key. */
function placeOf(key: string, text: string): number {
  const plain = key.toLowerCase().replace(/[$]/g, '\\$');
  const snake = key.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();
  const names = [...new Set([plain, snake, snake.replaceAll('_', ' '), snake.replaceAll('_', '')])].join('|');
  // In marks, or with a part of it behind a point. A key of the error itself names nothing.
  const quoted = new RegExp(
    `["'\`‘“„\\[.]\\s*(?:${names})(?:"(?!\\s*:)|['\`’”\\]]|\\.[a-z_])|(?<![\\w./-])(?:${names})\\.[a-z_]`,
  ).exec(text);
  if (quoted) return quoted.index;
  // Some list their words by the name of the input.
  const listed = new RegExp(`"(?:${names})"\\s*:\\s*(?:\\[|"[^"]*\\s)`).exec(text);
  if (listed) return listed.index;
  const bare =
    /_/.test(snake) || UNMISTAKABLE.includes(plain)
      ? new RegExp(`(?<![\\w-])(?:${names})(?![\\w-])`)
      : undefined;
  const said = new RegExp(
    `(?:permitted|allowed|supported|recogni[sz]ed|forbidden)[^.:]{0,40}: *(?:${names})\\b|(?:parameters?|arguments?|fields?|inputs?|propert(?:y|ies)|keys?|names?|supplied|supported|参数)\\W{1,4}(?:${names})\\b|(?<![\\w-])(?:${names}) (?:parameter|argument|field|option|setting)\\b|(?<![\\w-])(?:${names})\\W{1,3}(?:is |are |does |has |was |must |should |value )?(?:not|un\\w+|only|invalid|extra|must|should|may not|cannot)\\b`,
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
  const said = text.toLowerCase().replaceAll('：', ': ');
  const changes = (repair: Repair) =>
    !tried.includes(repair) && JSON.stringify(repaired(body, [repair])) !== JSON.stringify(body);
  const limit = tried.some((repair) => repair.startsWith('limit:')) ? undefined : longestAnswer(said, body);
  if (limit !== undefined) return `limit:${limit}`;
  const rule = RULES.find(({ repair, fits }) => fits(said, body) && changes(repair));
  if (rule) return rule.repair;
  for (const [words, paths] of IN_WORDS) {
    const found = words.test(said) ? paths.find((path) => changes(`drop:${path}`)) : undefined;
    if (found !== undefined) return `drop:${found}`;
  }
  // Schemas have a key of this name, and errors a phrase.
  const isPhrase = /additional properties (are|is) not/.test(said);
  const refused = said.replace(ALLOWED, '');
  const named = [
    ...optionsOf(body),
    ...NESTED.filter((key) => hasNested(body, key) && !(isPhrase && key === 'additionalProperties')),
  ]
    .map((path) => ({ path, at: placeOf(path.slice(path.lastIndexOf('.') + 1), refused) }))
    .filter(({ path, at }) => at >= 0 && changes(`drop:${path}`));
  // The narrowest option counts, not what holds it.
  const narrow = named.filter(({ path }) => !named.some((other) => other.path.startsWith(`${path}.`)));
  // The second of two exclusive parameters is dropped; the limit of the answer only if nothing else is named.
  const both = /\bboth\b|together|at the same time|only one of/.test(said);
  narrow.sort(
    (a, b) =>
      Number(LIMITS.includes(a.path)) - Number(LIMITS.includes(b.path)) || (both ? b.at - a.at : a.at - b.at),
  );
  return narrow[0] && `drop:${narrow[0].path}`;
}

/** A list of what an endpoint would have taken, which names nothing that it refused. */
const ALLOWED =
  /\b(?:expected one of|(?:supported|allowed|valid|accepted|possible|permitted) (?:values?|types?|roles?|parameters?) (?:are|is))\b[^.\n]{0,400}/g;

/** Fields that limit an answer, tokens. */
const LIMITS: readonly string[] = [
  ...['max_tokens', 'max_completion_tokens', 'max_output_tokens'],
  ...below(['maxOutputTokens']),
];
const optionAt = (body: Fields, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (isFields(value) ? value[key] : undefined), body);
const limitIn = (body: Fields): { readonly path: string; readonly value: number } | undefined =>
  LIMITS.map((path) => ({ path, value: optionAt(body, path) })).find(
    (one): one is { path: string; value: number } => typeof one.value === 'number',
  );

/** The longest answer that an endpoint names when it refuses a longer one. */
function longestAnswer(text: string, body: Fields): number | undefined {
  const limit = limitIn(body);
  if (!limit || !NAMES_LIMIT.test(text) || /context.{0,3}length|input tokens|prompt/.test(text))
    return undefined;
  const [, most, open, range, below] = MOST.exec(text) ?? [];
  const found = open === undefined ? Number(most ?? range ?? below) : Number(open) - 1;
  return found > 1 && found < limit.value ? found : undefined;
}
const NAMES_LIMIT = /max_?(completion_?|output_?)?tokens/;
const MOST =
  /(?:at most|less than or equal to|up to|<=|maximum (?:value )?(?:is|of))\W{1,3}(\d{1,9})\b|\bto (\d{1,9}) \(exclusive\)|\[ ?\d{1,9}, ?(\d{1,9}) ?\]|\d > (\d{1,9}), which is the max/;

/**
 * True if an endpoint complains about the length of the answer, not of the conversation: it says no more of that, or
 * the conversation would leave half of the window.
 */
export function isAboutAnswerLength(text: string, body: Fields): boolean {
  const said = text.toLowerCase();
  if (!limitIn(body)) return false;
  if (NAMES_LIMIT.test(said) && !/context|prompt|messages|input/.test(said)) return true;
  if (/max_(completion_)?tokens\W{1,3}(must|should|cannot|may not) be/.test(said)) return true;
  const [, window] = /(?:context|maximum) (?:length|window)\D{0,20}(\d{1,9})/.exec(said) ?? [];
  const [, before, behind] =
    /(\d{1,9}) (?:input tokens|(?:tokens )?(?:in|from) the (?:input )?(?:messages|prompt))|(?:prompt|input) (?:contains|of) (\d{1,9})/.exec(
      said,
    ) ?? [];
  const asked = Number(before ?? behind);
  return asked > 0 && asked < Number(window) / 2;
}

/** True if an endpoint refuses messages of several parts, and the request has images. */
export const isAboutImageParts = (text: string, body: Fields): boolean =>
  /content\b.{0,60}\b(string|str|text)\b/.test(text.toLowerCase()) &&
  messagesOf(body).some(
    ({ content }) =>
      Array.isArray(content) && content.some((part) => isFields(part) && part.type === 'image_url'),
  );

/** Applies all repairs to a request. */
export function repaired(body: Fields, repairs: readonly Repair[]): Fields {
  let now = body;
  for (const repair of repairs) now = applied(now, repair);
  return now;
}

function applied(body: Fields, repair: Repair): Fields {
  const [kind, key = ''] = repair.split(':', 2);
  if (kind === 'drop') return key.includes('.') ? withOption(body, key, undefined) : dropped(body, key);
  if (kind === 'limit') {
    const limit = limitIn(body);
    return limit && limit.value > Number(key) ? withOption(body, limit.path, Number(key)) : body;
  }
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
  if (repair === 'roles' && !Array.isArray(body.messages)) return withoutInstructions(body);
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

/** A request with another value at a path; undefined takes it away, and what it leaves empty. */
function withOption(body: Fields, path: string, value: unknown): Fields {
  const [key = '', ...rest] = path.split('.');
  if (!(key in body)) return body;
  const { [key]: inner, ...others } = body;
  if (rest.length === 0) return value === undefined ? others : { ...body, [key]: value };
  if (!isFields(inner)) return body;
  const changed = withOption(inner, rest.join('.'), value);
  return Object.keys(changed).length === 0 ? others : { ...body, [key]: changed };
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
          contents: contents.filter(isFields).map((message) =>
            Array.isArray(message.parts)
              ? {
                  ...message,
                  parts: message.parts.length > 0 ? message.parts.map(text) : [{ text: NO_WORDS }],
                }
              : message,
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

/** Instructions of Gemini and of Responses as words of the person. */
function withoutInstructions(body: Fields): Fields {
  const { systemInstruction: system, contents, input } = body;
  if (Array.isArray(input))
    return {
      ...body,
      input: input.map((item) =>
        isFields(item) && /^(system|developer)$/.test(String(item.role)) ? { ...item, role: 'user' } : item,
      ),
    };
  if (!isFields(system) || !Array.isArray(system.parts) || !Array.isArray(contents)) return body;
  const { systemInstruction: _, ...rest } = body;
  const [first, ...others] = contents;
  return {
    ...rest,
    contents:
      isFields(first) && first.role === 'user'
        ? [{ ...first, parts: [...system.parts, ...listOf(first.parts)] }, ...others]
        : [{ role: 'user', parts: system.parts }, ...contents],
  };
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
  repair.startsWith('limit:')
    ? 'max_tokens'
    : ({
        roles: 'system',
        'call-ids': 'tool_call_id',
        'no-stream': 'stream',
        'text-content': 'content',
        'fill:content': 'content',
        'rename:max_tokens': 'max_completion_tokens',
        'rename:max_completion_tokens': 'max_tokens',
      }[repair] ?? repair.slice(repair.indexOf(':') + 1));
