// Normalises one event of an answer, as endpoints really send it, for the SDK's strict schema. Keeps only the parts in
// use: text, thoughts, calls, the finish reason, usage, an error. The rest is dropped before the SDK can refuse it.
import { isFields, readJson } from '../../domain/base/json.ts';
import { shortenCited } from '../../domain/chat/cited.ts';
import { objectsIn } from './server-events.ts';
import { SpokenCalls, type TypeInput, type WordsOrCalls } from './spoken-calls.ts';
import { WholeDeltas } from './whole-deltas.ts';

/** A page that an endpoint cites, or a document: without an address, with the words that were cited. */
interface Source {
  readonly url: string;
  readonly title?: string;
  readonly cited?: string;
}

/** Facts about an answer, besides its words. */
export interface StreamFacts {
  /** `[DONE]` arrived, or the answer was one whole document. */
  done: boolean;
  /** A finish reason for a whole answer arrived. */
  finished: boolean;
  /** The last finish reason says that the answer was broken off. */
  brokenOff: boolean;
  /** Called when `finished` becomes true. */
  readonly onFinished: () => void;
  /** An event could not be read: words may be missing. */
  malformed: boolean;
  /** An event contained nothing known: the endpoint speaks another protocol. */
  foreign: boolean;
  /** Error that the endpoint reported. */
  error: unknown;
  /** Looks like an error, and counts as one only if no finish reason arrives. */
  suspect: unknown;
  readonly sources: Source[];
  /** `data:` URLs or addresses of pictures that the model drew, in their order. */
  readonly pictures: string[];
}

const nobody = () => undefined;
/** Makes the facts of an answer of which nothing has arrived yet. `onFinished` is called when its finish reason arrives. */
export const newFacts = (onFinished: () => void = nobody): StreamFacts => ({
  done: false,
  finished: false,
  brokenOff: false,
  onFinished,
  malformed: false,
  foreign: false,
  error: undefined,
  suspect: undefined,
  sources: [],
  pictures: [],
});

type Fields = Readonly<Record<string, unknown>>;
const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === null || value === undefined ? [] : [value];
/** Lists calls: from a list, from a single call, or by their numbers. */
const callsOf = (value: unknown): readonly Fields[] => {
  const list =
    isFields(value) && Object.keys(value).length > 0 && Object.keys(value).every((key) => /^\d+$/.test(key))
      ? Object.values(value)
      : listOf(value);
  return list.filter(isFields);
};
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
/** A name that some servers send as a number. */
const nameOf = (value: unknown): string => (typeof value === 'number' ? String(value) : textOf(value).trim());

/** A piece of an answer. */
interface Piece {
  readonly type: 'content' | 'reasoning_content';
  readonly text: string;
}

/** Types of a part of content that hold thoughts. */
const THOUGHT = /^(thinking|reasoning|thought)/;

/** Content as text, as a list of parts, or as one part. */
function piecesOf(content: unknown, type: Piece['type'] = 'content'): Piece[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type, text: content }];
  if (Array.isArray(content)) return content.flatMap((part) => piecesOf(part, type));
  if (!isFields(content)) return [];
  const own = THOUGHT.test(textOf(content.type)) || content.thought === true ? 'reasoning_content' : type;
  for (const name of ['text', 'thinking', 'reasoning', 'thought', 'content', 'summary', 'value', 'refusal'])
    if (typeof content[name] === 'string' || Array.isArray(content[name]) || isFields(content[name]))
      return piecesOf(content[name], own);
  return [];
}

/** Fields for thoughts, the most common name first. A server that fills two of them sends the same words twice. */
const THOUGHT_FIELDS = [
  'reasoning_content',
  'reasoning',
  'reasoning_details',
  'reasoning_text',
  'thinking',
  'thinking_blocks',
  'thinking_content',
  'thought',
  'thoughts',
  'cot_summary',
  'reasoning_summary',
  'reasoning_steps',
  'internal_thoughts',
  'chain_of_thought',
];
/** Removes the marks of the template that some servers leave in a field for thoughts. */
function withoutMarks(text: string): string {
  let words = text;
  for (const mark of ['<think>', '</think>', '<thought>', '</thought>'])
    if (words.trimStart().toLowerCase().startsWith(mark))
      words = words.trimStart().slice(mark.length).trimStart();
  const last = words.trimEnd();
  const end = ['</think>', '</thought>'].find((mark) => last.toLowerCase().endsWith(mark));
  return end === undefined ? words : last.slice(0, -end.length).trimEnd();
}
/** Takes the marks out of pieces of thoughts. */
const plainThoughts = (pieces: readonly Piece[]): Piece[] =>
  pieces.flatMap(({ text }) => {
    const words = withoutMarks(text);
    return words === '' ? [] : [{ type: 'reasoning_content', text: words }];
  });

function thoughtsOf(delta: Fields): Piece[] {
  for (const name of THOUGHT_FIELDS) {
    const pieces = piecesOf(delta[name], 'reasoning_content');
    if (pieces.length > 0) return plainThoughts(pieces);
  }
  // LiteLLM keeps what it does not know in a field of its own.
  return isFields(delta.provider_specific_fields) ? thoughtsOf(delta.provider_specific_fields) : [];
}
/** Gemini's chat completions mark thoughts, and send them as content. */
const isMarkedAsThought = ({ extra_content: extra }: Fields): boolean =>
  isFields(extra) && isFields(extra.google) && extra.google.thought === true;

/** Tokens, from a number or a number as text. Anything else counts as unknown. */
function tokensOf(...values: readonly unknown[]): number | undefined {
  for (const value of values) {
    const tokens =
      typeof value === 'string' && value.trim() !== ''
        ? Number(value)
        : typeof value === 'number'
          ? value
          : NaN;
    if (tokens >= 0 && tokens <= 1_000_000_000) return Math.round(tokens);
  }
  return undefined;
}

/** Figures by the names of the chat API. Moonshot, DeepSeek and others have names of their own for cached tokens. */
function usageOf(raw: unknown): Readonly<Record<string, number>> {
  if (!isFields(raw)) return {};
  const read = isFields(raw.prompt_tokens_details)
    ? raw.prompt_tokens_details
    : isFields(raw.input_tokens_details)
      ? raw.input_tokens_details
      : {};
  const written = isFields(raw.completion_tokens_details)
    ? raw.completion_tokens_details
    : isFields(raw.output_tokens_details)
      ? raw.output_tokens_details
      : {};
  const figures = {
    prompt: tokensOf(
      raw.prompt_tokens,
      raw.input_tokens,
      raw.prompt_eval_count,
      raw.promptTokens,
      raw.inputTokens,
    ),
    completion: tokensOf(
      raw.completion_tokens,
      raw.output_tokens,
      raw.eval_count,
      raw.completionTokens,
      raw.outputTokens,
    ),
    cached: tokensOf(
      read.cached_tokens,
      raw.cached_tokens,
      raw.prompt_cache_hit_tokens,
      raw.cache_read_input_tokens,
    ),
    reasoning: tokensOf(written.reasoning_tokens, raw.reasoning_tokens),
  };
  return Object.fromEntries(
    Object.entries(figures).filter((entry): entry is [string, number] => entry[1] !== undefined),
  );
}

/** Finish reasons of a failure. */
const BROKEN =
  /^(error|\w+_error|insufficient_system_resource|malformed_\w+|unexpected_tool_call|too_many_tool_calls|fail(ed|ure)|exception)$/;
/** Finish reasons of an answer that was broken off. */
const BROKEN_OFF =
  /^(abort|aborted|cancel|canceled|cancelled|interrupted|incomplete|timeout|time_limit|pause(_turn)?|repetition\w*)$/;
/** An answer that came to a limit: `max_tokens`, `max_new_tokens`, `output_length`, `token_limit_reached`, `context_length_exceeded`. */
const LENGTH = /(^|_)(length|tokens?_limit|context_window)(_|$)/;
const MOST_TOKENS = /(^|_)max(imum)?_/;
const TOKENS = /(^|_)tokens?(_|$)/;
const FILTER =
  /^(content_?filter(ed)?|content_policy\w*|(image_)?(safety|recitation|prohibited_content)|sensitive|blocked|blocklist|spii|refusal|moderation|guardrail\w*)$/;
const CALLS = /^(tool_?calls?|tool_use|function_?calls?)$/;

type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter';

const reasonOf = (raw: unknown): string =>
  textOf(raw)
    .trim()
    .replace(/([a-z])(?=[A-Z])/g, '$1_')
    .toLowerCase()
    .replace(/[\s-]+/g, '_');

/** Maps a finish reason to one of the chat API; unknown ones (`eos`, `end_turn`) mean that the answer is whole. */
function finishOf(raw: unknown): FinishReason | 'broken' | undefined {
  const reason = reasonOf(raw);
  if (/^(|null|none|(finish_reason_)?unspecified)$/.test(reason) || BROKEN_OFF.test(reason)) return undefined;
  if (BROKEN.test(reason)) return 'broken';
  if (LENGTH.test(reason) || (MOST_TOKENS.test(reason) && TOKENS.test(reason))) return 'length';
  if (FILTER.test(reason)) return 'content_filter';
  return CALLS.test(reason) ? 'tool_calls' : 'stop';
}

/** Places of a finish reason, the usual one first. A gateway's `stop` says less than the reason of the model behind it. */
const reasonsIn = ({ delta, finish_details: details, ...choice }: Fields): readonly unknown[] => [
  choice.finish_reason,
  choice.finishReason,
  choice.stop_reason,
  isFields(delta) ? delta.finish_reason : undefined,
  isFields(details) ? details.type : undefined,
  choice.native_finish_reason,
];
function finishIn(choice: Fields): ReturnType<typeof finishOf> {
  const found = reasonsIn(choice)
    .map(finishOf)
    .find((reason) => reason !== undefined);
  const native = finishOf(choice.native_finish_reason);
  return found === 'stop' && native !== undefined && native !== 'tool_calls' ? native : found;
}
const brokenIn = (choice: Fields): string =>
  textOf(reasonsIn(choice).find((reason) => finishOf(reason) === 'broken'));

/** True for an error with content; some servers send `null`, `{}`, `""` or `false` for no error. */
function isError(error: unknown): boolean {
  if (typeof error === 'string') return error.trim() !== '';
  if (Array.isArray(error)) return error.some(isError);
  if (error === true) return true;
  return (
    isFields(error) &&
    Object.values(error).some((value) => value !== null && value !== '' && value !== 0 && value !== false)
  );
}

/** Names of fields in which gateways wrap an event. */
const WRAPS = ['data', 'response', 'output', 'result', 'body'];
const holdsChoices = (value: unknown): value is Fields => isFields(value) && 'choices' in value;

/** Events that only keep a connection open. */
export const KEEP_ALIVE = /^(ping|pong|heartbeat|keep[-_ ]?alive|processing|connected|open|ready)$/i;

interface Call {
  readonly index: number;
  readonly id: string;
  /** Empty until it has arrived; arguments that arrived before wait for it. */
  name: string;
  arguments: string;
  /** A signature that must be sent back with the call. */
  extra: unknown;
  /** Characters of the arguments that were passed on already; below 0: none. */
  sent: number;
}

/** Reads the events of one answer in their order. */
export class ChunkReader {
  readonly #facts: StreamFacts;
  /** Names of the tools that may be called. */
  readonly #tools: readonly string[];
  readonly #calls: Call[] = [];
  /** Call that a delta with this index continues. */
  readonly #byIndex = new Map<string, Call>();
  readonly #ids = new Set<string>();
  /** Words that came as deltas: a message at the end may repeat them. */
  #words = '';
  /** A choice was numbered as the first. */
  #isNumbered = false;
  #hasSpokenCalls = false;
  #finish: FinishReason | undefined;
  #usage: Readonly<Record<string, number>> = {};

  readonly #wholeWords = new WholeDeltas();
  readonly #wholeThoughts = new WholeDeltas();
  readonly #spokenCalls: SpokenCalls | undefined;

  /** `typeOf`: the types of the tools' inputs; without it, no call is looked for among the words. */
  constructor(facts: StreamFacts, tools: readonly string[] = [], typeOf?: TypeInput) {
    this.#facts = facts;
    this.#tools = tools;
    const named = (written: string): string | undefined => {
      const name = this.#toolNamed(written);
      return tools.includes(name) ? name : undefined;
    };
    this.#spokenCalls = typeOf && tools.length > 0 ? new SpokenCalls(named, typeOf) : undefined;
  }

  /** Returns the events for what was held back, at the end of an answer. */
  rest(): unknown[] {
    const thoughts = this.#said('reasoning_content', this.#wholeThoughts.end());
    return [...thoughts, ...this.#said('content', this.#wholeWords.end(), true)];
  }

  #said(type: Piece['type'], text: string, isLast = false): unknown[] {
    const spoken: readonly WordsOrCalls[] =
      type === 'content' && this.#spokenCalls ? this.#spokenCalls.read(text, isLast) : [text];
    return spoken.flatMap((each) => {
      if (typeof each === 'string') return each === '' ? [] : [{ choices: [{ delta: { [type]: each } }] }];
      for (const { name, arguments: given } of each)
        Object.assign(this.#newCall(''), { name, arguments: given });
      this.#hasSpokenCalls = true;
      return this.#callEvents(true);
    });
  }

  /** Returns the words and thoughts of an event that was cut off within its JSON. Its finish is unknown. */
  readHalf(value: unknown): unknown[] {
    const choice = isFields(value) ? this.#choiceOf(value) : undefined;
    const delta = choice && this.#deltaOf(choice);
    return delta ? this.#wordsOf(delta) : [];
  }

  /** Returns the events to pass on for one that arrived. `isDocument`: it is the whole answer. `named`: its name in the stream. */
  read(value: unknown, { isDocument = false, named = '' } = {}): unknown[] {
    if (Array.isArray(value)) return value.flatMap((each) => this.read(each, { isDocument, named }));
    // A proxy wrote the event as text once more.
    if (typeof value === 'string' && value.startsWith('{')) {
      const inner = readJson(value);
      if (isFields(inner)) return this.read(inner, { isDocument, named });
    }
    if (!isFields(value)) return [];
    if (KEEP_ALIVE.test(textOf(value.type)) || KEEP_ALIVE.test(textOf(value.event))) return [];
    // Gateways wrap an event into one of their own.
    const wrapped = 'choices' in value ? undefined : WRAPS.map((name) => value[name]).find(holdsChoices);
    if (wrapped) return this.read(wrapped, { isDocument, named });
    const choice = this.#choiceOf(value);
    // Ignore errors after the end of a whole answer.
    const wasWhole = this.#finish !== undefined;
    const out: unknown[] = choice ? this.#readChoice(choice, isDocument, value.error) : [];
    if (!wasWhole) this.#noteError(value, choice, named);
    if (choice) this.#notePictures(choice);
    for (const one of [value, choice, choice?.message]) if (isFields(one)) this.#noteSources(one);
    const grok = isFields(value.x_groq) ? value.x_groq.usage : undefined;
    const usage = {
      ...usageOf(choice?.usage),
      ...usageOf(grok),
      ...usageOf(value.usage),
      ...(value.done === true ? usageOf(value) : {}),
    };
    if (Object.keys(usage).length > 0) {
      this.#usage = { ...this.#usage, ...usage };
      out.push({ choices: [], usage: usageInOneForm(this.#usage) });
    }
    if (choice && isDocument) this.#facts.done = true;
    if (!choice && out.length === 0 && !('choices' in value)) this.#facts.foreign = true;
    return out;
  }

  #choiceOf(value: Fields): Fields | undefined {
    const choices = listOf(value.choices).filter(isFields);
    const first = choices.find(({ index }) => Number(index ?? 0) === 0);
    this.#isNumbered ||= first !== undefined;
    // Read the first of several answers, and don't mix the others into it.
    const own = first ?? (this.#isNumbered ? undefined : choices[0]);
    if (own && 'finish_reason' in value && !('finish_reason' in own))
      return { ...own, finish_reason: value.finish_reason };
    if (first || choices[0]) return own;
    // Ollama's own API has neither a list nor deltas.
    if (isFields(value.message))
      return {
        message: value.message,
        finish_reason: value.done === true ? (value.done_reason ?? 'stop') : null,
      };
    // Text alone: Cloudflare's and Ollama's `response`, the tokens of Text Generation Inference, Qianfan's `result`, DashScope's `output`.
    const token = isFields(value.token) && value.token.special !== true ? value.token.text : undefined;
    const output = isFields(value.output) ? value.output : {};
    const said = [value.response, token, value.result, output.text].find((text) => typeof text === 'string');
    if (said === undefined && !isFields(value.token)) return undefined;
    const isLast = value.done === true || value.is_end === true || typeof value.generated_text === 'string';
    return {
      delta: { content: said ?? '' },
      finish_reason: output.finish_reason ?? (isLast ? (value.done_reason ?? 'stop') : null),
    };
  }

  /** `error`: of the event around the choice. */
  #readChoice(choice: Fields, isDocument: boolean, error: unknown): unknown[] {
    const out: unknown[] = [];
    const delta = this.#deltaOf(choice);
    if (delta) {
      out.push(...this.#wordsOf(delta, choice));
      for (const call of callsOf(delta.tool_calls ?? delta.toolCalls)) this.#readCall(call);
      for (const part of listOf(delta.content))
        if (isFields(part) && part.type === 'tool_use') this.#readCall(part);
      if (isFields(delta.function_call)) this.#readCall({ index: 0, function: delta.function_call });
      this.#noteSources(delta);
      out.push(...this.#callEvents(false));
    }
    const reason = finishIn(choice) ?? (isDocument && !this.#finish ? 'stop' : undefined);
    if (reason) out.push(...this.rest());
    const finish = reason === 'stop' && this.#hasSpokenCalls ? 'tool_calls' : reason;
    if (finish) this.#facts.brokenOff = false;
    else if (reasonsIn(choice).some((reason) => BROKEN_OFF.test(reasonOf(reason))))
      this.#facts.brokenOff = true;
    if (finish) out.push(...this.#callEvents(true));
    // A call without a name cannot be made.
    if (finish && this.#calls.some((call) => call.name === '' && call.arguments !== ''))
      this.#facts.malformed = true;
    if (finish === 'broken')
      this.#facts.error ??= [choice.error, error].find(isError) ?? { message: brokenIn(choice) };
    // Later chunks may repeat `stop`; a more specific reason wins.
    else if (finish && (!this.#finish || (this.#finish === 'stop' && finish !== 'stop'))) {
      this.#finish = finish;
      this.#facts.finished = true;
      this.#facts.onFinished();
      out.push({ choices: [{ delta: {}, finish_reason: finish }] });
    }
    return out;
  }

  /** `choice`: the delta's own, which holds the thoughts of some servers. */
  #wordsOf(delta: Fields, choice: Fields = {}): unknown[] {
    const said = typeof delta.content === 'number' ? String(delta.content) : delta.content;
    // The words of what a model speaks come beside its sound.
    const content = (said === '' ? null : said) ?? (isFields(delta.audio) ? delta.audio.transcript : null);
    const beside = thoughtsOf(delta);
    const thoughts = beside.length > 0 ? beside : thoughtsOf(choice);
    const words = isMarkedAsThought(delta) ? plainThoughts(piecesOf(content)) : piecesOf(content);
    const out: unknown[] = [...thoughts, ...words].flatMap(({ type, text }) => {
      const isWords = type === 'content';
      const fresh = (isWords ? this.#wholeWords : this.#wholeThoughts).read(text);
      if (isWords) this.#words += fresh;
      return this.#said(type, fresh);
    });
    const refusal = textOf(delta.refusal);
    if (refusal !== '') out.push({ choices: [{ delta: { refusal } }] });
    return out;
  }

  /** Delta of a choice. `message` counts if no deltas came, or for the parts that they left out. */
  #deltaOf(choice: Fields): Fields | undefined {
    const delta =
      typeof choice.delta === 'string'
        ? { content: choice.delta }
        : isFields(choice.delta)
          ? choice.delta
          : undefined;
    const says =
      delta &&
      (piecesOf(delta.content).length > 0 ||
        thoughtsOf(delta).length > 0 ||
        isFields(delta.audio) ||
        callsOf(delta.tool_calls ?? delta.toolCalls).length > 0);
    const { message } = choice;
    if (says || !isFields(message))
      return delta ?? (typeof choice.text === 'string' ? { content: choice.text } : undefined);
    const text = piecesOf(message.content)
      .map(({ type, text }) => (type === 'content' ? text : ''))
      .join('');
    // Some servers repeat everything at the end.
    if (delta && this.#words !== '' && text.startsWith(this.#words))
      return { content: text.slice(this.#words.length) };
    return message;
  }

  #readCall(raw: Fields): void {
    const fn = [raw.function, raw.custom].find(isFields) ?? raw;
    const name = this.#toolNamed(nameOf(fn.name));
    const id = nameOf(raw.id ?? raw.tool_call_id);
    const given = fn.arguments ?? (fn === raw ? undefined : raw.arguments) ?? fn.parameters ?? fn.input;
    const text =
      typeof given === 'string'
        ? given
        : isFields(given) || Array.isArray(given)
          ? JSON.stringify(given)
          : '';
    let call = this.#callFor({ index: raw.index, id, name, text });
    if (!call) {
      if (name === '' && id === '' && text === '') return;
      call = this.#newCall(id);
      const key = raw.index === undefined || raw.index === null ? `id ${id}` : String(raw.index);
      this.#byIndex.set(key, call);
      if (id !== '') this.#byIndex.set(`id ${id}`, call);
    }
    if (call.name === '' || this.#completesName(call, name)) call.name += name;
    const isBetween = /\}\s*\{/.test(call.arguments.slice(-8) + text);
    const [own = '', ...others] = argumentsOf(argumentsWith(call.arguments, text), isBetween);
    call.arguments = own;
    call.extra ??= isFields(raw.extra_content) ? raw.extra_content : undefined;
    // The arguments of several calls in one: what follows belongs to the last.
    for (const each of others) {
      const next = this.#newCall(id);
      Object.assign(next, { name: call.name, arguments: each });
      this.#byIndex.set(String(raw.index ?? `id ${id}`), next);
    }
  }

  /**
   * Finds a tool by its name, also with a namespace before it and a number behind it (`functions.recall:0`), in quotes, in capitals, or with the
   * marks of gpt-oss behind it (`recall<|channel|>commentary`).
   */
  #toolNamed(name: string): string {
    if (this.#tools.includes(name)) return name;
    const plain = name.replace(/<\|.*/s, '').replace(/^["'`\s]+|["'`\s]+$/g, '');
    const bare = (plain.replace(/:\d+$/, '').split(/[.:/]/).at(-1) ?? '').toLowerCase();
    return this.#tools.find((tool) => tool.toLowerCase() === bare) ?? name;
  }

  /** True if the name of a call came in pieces, and this is the next one. */
  #completesName(call: Call, name: string): boolean {
    return (
      name !== '' &&
      call.arguments === '' &&
      !this.#tools.includes(call.name) &&
      this.#tools.some((tool) => tool.startsWith(call.name + name))
    );
  }

  /** Call that a delta continues; undefined if it begins one. */
  #callFor({
    index,
    id,
    name,
    text,
  }: {
    index: unknown;
    id: string;
    name: string;
    text: string;
  }): Call | undefined {
    const known = id === '' ? undefined : this.#byIndex.get(`id ${id}`);
    if (index === undefined || index === null) {
      if (known) return known;
      const last = this.#calls.at(-1);
      const isPiece = id === '' && last !== undefined && this.#completesName(last, name);
      return name === '' || isPiece ? last : undefined;
    }
    const call = this.#byIndex.get(String(index));
    // An unknown index: some servers count on in the middle of a call.
    if (!call) return name === '' ? (known ?? (id === '' ? this.#calls.at(-1) : undefined)) : undefined;
    if (!this.#isAnother(call, { id, name, text })) return call;
    return known !== call && (name === '' || !isComplete(known?.arguments ?? '')) ? known : undefined;
  }

  /** True if a delta with the index of `call` is about another one: some servers give every call the index 0. */
  #isAnother(call: Call, { id, name, text }: { id: string; name: string; text: string }): boolean {
    if (call.name === '' || this.#completesName(call, name)) return false;
    const same = this.#isSame(call, id);
    if (name === '') return !same && this.#byIndex.has(`id ${id}`);
    if (isComplete(call.arguments) && text.trim() !== '' && !text.startsWith(call.arguments)) return true;
    if (same) return false;
    return name !== call.name || (id !== '' && isWhole(call.arguments));
  }

  #isSame(call: Call, id: string): boolean {
    return call.id === id || this.#byIndex.get(`id ${id}`) === call;
  }

  #newCall(id: string): Call {
    const index = this.#calls.length;
    let own = id === '' ? `call_${crypto.randomUUID().replaceAll('-', '').slice(0, 24)}` : id;
    // Results find their call by its id.
    for (let at = 2; this.#ids.has(own); at++) own = `${id}-${at}`;
    this.#ids.add(own);
    const call: Call = { index, id: own, name: '', arguments: '', extra: undefined, sent: -1 };
    this.#calls.push(call);
    return call;
  }

  /** Events for the parts of calls not passed on yet. `isLast`: no further piece of a name will arrive. */
  #callEvents(isLast: boolean): unknown[] {
    const out: unknown[] = [];
    for (const call of this.#calls) {
      // Arguments that were encoded as text once more are recognised only when they are whole.
      if (call.arguments.startsWith('"') && call.sent < 0) {
        if (!isLast) continue;
        const inner = readJson(call.arguments);
        if (typeof inner === 'string' && isFields(readJson(inner))) call.arguments = inner;
      }
      if (call.name === '' || call.sent >= call.arguments.length) continue;
      if (
        !isLast &&
        this.#completesName({ ...call, name: '' }, call.name) &&
        !this.#tools.includes(call.name)
      )
        continue;
      const isFirst = call.sent < 0;
      const text = call.arguments.slice(Math.max(0, call.sent));
      call.sent = call.arguments.length;
      out.push({
        choices: [
          {
            delta: {
              tool_calls: [
                {
                  index: call.index,
                  ...(isFirst ? { id: call.id, ...(signatureOf(call.extra) ?? {}) } : {}),
                  function: { ...(isFirst ? { name: call.name } : {}), arguments: text },
                },
              ],
            },
          },
        ],
      });
    }
    return out;
  }

  #noteError(value: Fields, choice: Fields | undefined, named: string): void {
    const facts = this.#facts;
    const error = [value.error, choice?.error, value.errors].find(isError);
    if (error !== undefined) facts.error ??= error === true ? value : error;
    else if (/^error$/i.test(named) || (value.type === 'error' && !choice)) facts.error ??= value;
    const { base_resp: status } = value;
    if (isFields(status) && Number(status.status_code ?? 0) !== 0)
      facts.error ??= { message: textOf(status.status_msg), code: status.status_code };
    if (choice || listOf(value.choices).length > 0) return;
    const words = ['message', 'msg', 'detail', 'error_msg'].find((name) => isError(value[name]));
    if (words)
      facts.suspect ??=
        words === 'message' || words === 'detail'
          ? value
          : { message: value[words], code: value.code ?? value.error_code };
  }

  /** Pictures come beside the words (`images`, as OpenRouter sends them) or among them. Some servers repeat them at the end. */
  #notePictures({ delta, message }: Fields): void {
    const { pictures } = this.#facts;
    for (const said of [delta, message])
      if (isFields(said))
        for (const picture of [...listOf(said.images).map(asPicture), ...listOf(said.content)]) {
          const url = pictureIn(picture);
          if (url !== undefined && !pictures.includes(url)) pictures.push(url);
        }
  }

  /** Endpoints list the pages that an answer cites beside its words, each in a form of its own. */
  #noteSources(value: Fields): void {
    for (const [name, each] of Object.entries(value)) if (WITH_PAGES.test(name)) this.#notePages(each);
    for (const part of listOf(value.content))
      if (isFields(part) && WITH_PAGES.test(textOf(part.type))) this.#notePages(part);
  }

  #notePages(value: unknown, depth = 0): void {
    if (typeof value === 'string') addSource(this.#facts, value, '');
    else if (depth > MOST_DEPTH) return;
    else if (Array.isArray(value)) for (const each of value) this.#notePages(each, depth + 1);
    else if (isFields(value)) {
      const address = ADDRESSES.map((name) => value[name]).find((url) => typeof url === 'string');
      addSource(this.#facts, address, value.title ?? value.name);
      for (const [name, each] of Object.entries(value))
        if (typeof each === 'object' && !NO_PAGES.test(name)) this.#notePages(each, depth + 1);
    }
  }
}

/**
 * Names of fields with the pages of an answer: Perplexity, xAI, Zhipu, Volcengine, Qwen, Azure, Cohere, Groq (`executed_tools`), Open WebUI, Venice,
 * Google's `grounding_metadata`, and what LiteLLM passes on of it.
 */
const WITH_PAGES =
  /citation|annotation|source|search|reference|grounding|^(context|executed_tools|provider_specific_fields|extra_content|\w+_parameters)$/i;
/** Names of an address within them. */
const ADDRESSES = ['url', 'link', 'uri', 'source'];
/** Names of what is no page. */
const NO_PAGES = /image|icon|thumb|logo|video|media|quer(y|ies)|question/i;
/** Most levels that are looked through. */
const MOST_DEPTH = 8;
/** Most sources that are kept. */
const MOST_SOURCES = 100;

/** Notes a page that an answer rests on: only web addresses, each once, with the first title that is told; no more than 100. */
export function addSource({ sources }: StreamFacts, url: unknown, title: unknown): void {
  if (typeof url !== 'string' || !/^https?:\/\//i.test(url)) return;
  const name = textOf(title).trim();
  const known = sources.findIndex((source) => source.url === url);
  if (known < 0 && sources.length < MOST_SOURCES) sources.push(name === '' ? { url } : { url, title: name });
  else if (known >= 0 && name !== '' && !sources[known]?.title) sources[known] = { url, title: name };
}

/** Notes a document that an answer cites, once for each place in it; without words only if it is not there with some. */
export function addDocument({ sources }: StreamFacts, title: unknown, words: unknown): void {
  const name = textOf(title).trim();
  const cited = shortenCited(textOf(words));
  if ((name === '' && cited === '') || sources.length >= MOST_SOURCES) return;
  const isKnown = (source: Source) =>
    source.url === '' && source.title === (name || undefined) && (cited === '' || source.cited === cited);
  if (sources.some(isKnown)) return;
  sources.push({ url: '', ...(name === '' ? {} : { title: name }), ...(cited === '' ? {} : { cited }) });
}

const asPicture = (image: unknown): unknown => (typeof image === 'string' ? { image_url: image } : image);
/** Address of a picture, in any of the forms that a part may have. */
function pictureIn(part: unknown): string | undefined {
  if (!isFields(part)) return undefined;
  const { image_url: named = part.type === 'image' ? part.url : undefined, b64_json: bytes } = part;
  if (typeof bytes === 'string' && bytes !== '') return `data:image/png;base64,${bytes}`;
  // Google's and Anthropic's form of a part.
  const inline = [part.inline_data, part.inlineData, part.source].find(isFields);
  const type = textOf(inline?.mime_type ?? inline?.mimeType ?? inline?.media_type);
  if (/^image\/[\w.+-]+$/.test(type) && typeof inline?.data === 'string')
    return `data:${type};base64,${inline.data}`;
  const url = isFields(named) ? named.url : named;
  return typeof url === 'string' && /^(?:data:image\/|https?:)/i.test(url) ? url : undefined;
}

const isWhole = (text: string): boolean => text === '' || readJson(text) !== undefined;
const isComplete = (text: string): boolean => text.startsWith('{') && isWhole(text);
const EMPTY: ReadonlySet<string> = new Set(['', '{}', '{ }', 'null', 'None', 'undefined']);

/**
 * Adds a delta to arguments. Some servers begin with an empty object or a space; some repeat everything so far. An object
 * cannot begin within its own first characters, so a delta that begins with everything so far is the whole.
 */
function argumentsWith(before: string, text: string): string {
  if (before === '' && EMPTY.has(text.trim())) return '';
  return before.startsWith('{') && text.startsWith(before) ? text : before + text;
}

/** Arguments of each call in one text: `{…}{…}` are two, unless the second repeats the first. */
function argumentsOf(text: string, isBetween: boolean): readonly string[] {
  const objects = isBetween ? objectsIn(text) : [text];
  return isComplete(objects[0] ?? '') ? [...new Set(objects)] : [text];
}

/** Gemini's signature of a call. https://ai.google.dev/gemini-api/docs/thought-signatures */
function signatureOf(
  extra: unknown,
): { extra_content: { google: { thought_signature: string } } } | undefined {
  const google = isFields(extra) && isFields(extra.google) ? extra.google : undefined;
  const signature = textOf(google?.thought_signature);
  return signature === '' ? undefined : { extra_content: { google: { thought_signature: signature } } };
}

const usageInOneForm = ({ prompt, completion, cached, reasoning }: Readonly<Record<string, number>>) => ({
  ...(prompt === undefined ? {} : { prompt_tokens: prompt }),
  ...(completion === undefined ? {} : { completion_tokens: completion }),
  ...(cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: cached } }),
  ...(reasoning === undefined ? {} : { completion_tokens_details: { reasoning_tokens: reasoning } }),
});
