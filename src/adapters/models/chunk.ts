// Normalises one event of an answer, as endpoints really send it, for the SDK's strict schema. Keeps only the parts in
// use: text, thoughts, calls, the finish reason, usage, an error. The rest is dropped before the SDK can refuse it.
import { type Fields, isFields, readJson, stringOf } from '../../domain/base/json.ts';
import { choiceOfApp } from './app-events.ts';
import { listOf } from './event-fields.ts';
import { brokenIn, type FinishReason, finishIn, isBrokenOff } from './finish-reasons.ts';
import { choiceOfForeign, protocolOf, usageOfForeign } from './foreign-events.ts';
import { PicturesInWords } from './pictures-in-words.ts';
import { SpokenCalls, type TypeInput, type WordsOrCalls } from './spoken-calls.ts';
import {
  addPicture,
  isError,
  notePictures,
  noteSources,
  noteSuspect,
  type StreamFacts,
} from './stream-facts.ts';
import { callsOf, StreamedCalls } from './streamed-calls.ts';
import { WholeDeltas } from './whole-deltas.ts';

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
  const own = THOUGHT.test(stringOf(content.type)) || content.thought === true ? 'reasoning_content' : type;
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
].flatMap((name) => [name, name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())]);
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
      raw.input_count,
    ),
    completion: tokensOf(
      raw.completion_tokens,
      raw.output_tokens,
      raw.eval_count,
      raw.completionTokens,
      raw.outputTokens,
      raw.output_count,
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

/** Other names under which a delta or a message holds its words. */
const OTHER_WORDS = ['text', 'parts', 'output_text'];

/** A delta or a message as fields; some servers send nothing but its words, or name them otherwise. */
function saidIn(value: unknown): Fields | undefined {
  if (typeof value === 'string' || Array.isArray(value)) return { content: value };
  if (!isFields(value)) return undefined;
  const isUsual = value.content !== undefined && value.content !== null;
  const name = isUsual ? undefined : OTHER_WORDS.find((one) => piecesOf(value[one]).length > 0);
  return name === undefined ? value : { ...value, content: value[name] };
}

/** An exception under its own name, as AWS sends them in a stream. */
function thrownIn(value: Fields): Fields | undefined {
  const found = Object.entries(value).find(([name]) => /[a-z](?:Exception|Error)$/.test(name));
  return found && isFields(found[1]) ? { type: found[0], ...found[1] } : undefined;
}

/** Names of fields in which gateways wrap an event. */
const WRAPS = ['data', 'response', 'output', 'result', 'body'];
/** The value that a gateway wrapped, also if it wrote it as text once more. */
const opened = (value: unknown): unknown =>
  typeof value === 'string' && value.startsWith('{') ? readJson(value) : value;
const holdsChoices = (value: unknown): value is Fields =>
  isFields(value) &&
  ('choices' in value ||
    typeof value.response === 'string' ||
    ('response' in value && Array.isArray(value.tool_calls)));

/** A choice with the calls of others that go on with it: some gateways give each block of an answer a choice. */
function withCallsOf(own: Fields, choices: readonly Fields[]): Fields {
  const name = isFields(own.delta) ? 'delta' : 'message';
  const said = saidIn(own[name]);
  const calls = choices.flatMap((choice) =>
    choice === own || Number(choice.index ?? 0) !== 0 ? [] : callsOf(saidIn(choice[name])?.tool_calls),
  );
  if (calls.length === 0 || callsOf(said?.tool_calls).length > 0) return own;
  const reason = own.finish_reason ?? choices.find((choice) => choice.finish_reason)?.finish_reason;
  return { ...own, [name]: { ...said, tool_calls: calls }, finish_reason: reason };
}

/** Events that only keep a connection open. */
export const KEEP_ALIVE = /^(ping|pong|heartbeat|keep[-_ ]?alive|processing|connected|open|ready)$/i;

/** Most of the thoughts that a call is looked for in, characters. */
const MOST_THOUGHTS = 10_000;

/** Reads the events of one answer in their order. */
export class ChunkReader {
  readonly #facts: StreamFacts;
  readonly #calls: StreamedCalls;
  /** Words and thoughts that came as deltas: a message at the end may repeat them. */
  #words = '';
  #thoughts = '';
  /** A choice was numbered as the first. */
  #isNumbered = false;
  #hasSpokenCalls = false;
  #finish: FinishReason | undefined;
  /** End of the thoughts: some models call a tool there, and say nothing. */
  #lastThoughts = '';
  #usage: Readonly<Record<string, number>> = {};

  readonly #wholeWords = new WholeDeltas();
  readonly #pictures: PicturesInWords;
  readonly #wholeThoughts = new WholeDeltas();
  readonly #makeSpokenCalls: (() => SpokenCalls) | undefined;
  readonly #spokenCalls: SpokenCalls | undefined;

  /** `typeOf`: the types of the tools' inputs; without it, no call is looked for among the words. */
  constructor(facts: StreamFacts, tools: readonly string[] = [], typeOf?: TypeInput) {
    this.#facts = facts;
    this.#calls = new StreamedCalls(tools);
    this.#pictures = new PicturesInWords((url) => addPicture(facts, url));
    const named = (written: string): string | undefined => {
      const name = this.#calls.toolNamed(written);
      return tools.includes(name) ? name : undefined;
    };
    this.#makeSpokenCalls = typeOf && tools.length > 0 ? () => new SpokenCalls(named, typeOf) : undefined;
    this.#spokenCalls = this.#makeSpokenCalls?.();
  }

  /** Returns the events for what was held back, when nothing more will arrive. */
  end(): unknown[] {
    return [...this.#rest(), ...this.#calls.events()];
  }

  /** The words that were held back. */
  #rest(): unknown[] {
    const thoughts = this.#said('reasoning_content', this.#wholeThoughts.end());
    const words = this.#said('content', this.#pictures.read(this.#wholeWords.end(), true), true);
    this.#callInThoughts();
    return [...thoughts, ...words];
  }

  /** Makes the calls with which an answer ends that has thoughts only. */
  #callInThoughts(): void {
    const thoughts = this.#lastThoughts;
    this.#lastThoughts = '';
    if (!this.#makeSpokenCalls || this.#words.trim() !== '' || this.#calls.hasAny) return;
    const last = this.#makeSpokenCalls().read(thoughts, true).at(-1);
    if (last === undefined || typeof last === 'string') return;
    for (const call of last) this.#calls.add(call.name, call.arguments);
    this.#hasSpokenCalls = true;
  }

  #said(type: Piece['type'], text: string, isLast = false): unknown[] {
    if (type === 'reasoning_content' && this.#makeSpokenCalls) {
      const thoughts = this.#lastThoughts + text;
      this.#lastThoughts = thoughts.length > 2 * MOST_THOUGHTS ? thoughts.slice(-MOST_THOUGHTS) : thoughts;
    }
    const spoken: readonly WordsOrCalls[] =
      type === 'content' && this.#spokenCalls ? this.#spokenCalls.read(text, isLast) : [text];
    return spoken.flatMap((each) => {
      if (typeof each === 'string') return each === '' ? [] : [{ choices: [{ delta: { [type]: each } }] }];
      for (const call of each) this.#calls.add(call.name, call.arguments);
      this.#hasSpokenCalls = true;
      return [];
    });
  }

  /** Returns the words and thoughts of an event that was cut off within its JSON. Its finish is unknown. */
  readHalf(value: unknown): unknown[] {
    const choice = isFields(value) ? this.#choiceOf(value, '') : undefined;
    const delta = choice && this.#deltaOf(choice);
    return delta ? this.#wordsOf(delta) : [];
  }

  /**
   * Returns the events to pass on for one that arrived. `isDocument`: it is the whole
   * answer. `named`: its name in the stream.
   */
  read(value: unknown, { isDocument = false, named = '' } = {}): unknown[] {
    if (Array.isArray(value)) return value.flatMap((each) => this.read(each, { isDocument, named }));
    if (typeof value === 'string') {
      // A proxy wrote the event as text once more; a server of one's own says its words so.
      const inner = value.startsWith('{') ? readJson(value) : undefined;
      return this.read(isFields(inner) ? inner : { choices: [{ delta: { content: value } }] }, {
        isDocument,
        named,
      });
    }
    if (!isFields(value)) return [];
    if (KEEP_ALIVE.test(stringOf(value.type)) || KEEP_ALIVE.test(stringOf(value.event))) return [];
    // Gateways wrap an event into one of their own.
    const wrapped =
      'choices' in value ? undefined : WRAPS.map((name) => opened(value[name])).find(holdsChoices);
    if (wrapped) {
      const usage = wrapped.usage ?? value.usage;
      return this.read(usage === undefined ? wrapped : { ...wrapped, usage }, { isDocument, named });
    }
    const choice = this.#choiceOf(value, named);
    // Ignore errors after the end of a whole answer.
    const wasWhole = this.#finish !== undefined;
    const out: unknown[] = choice ? this.#readChoice(choice, isDocument, value.error) : [];
    if (!wasWhole) this.#noteError(value, choice, named);
    if (choice) notePictures(this.#facts, choice);
    for (const one of [value, choice, choice?.message]) if (isFields(one)) noteSources(this.#facts, one);
    const grok = isFields(value.x_groq) ? value.x_groq.usage : undefined;
    const usage = {
      ...usageOf(choice?.usage),
      ...usageOf(grok),
      ...usageOf(value.usage),
      ...(value.done === true ? usageOf(value) : {}),
      ...('choices' in value ? {} : usageOf(usageOfForeign(value))),
    };
    if (Object.keys(usage).length > 0) {
      this.#usage = { ...this.#usage, ...usage };
      out.push({ choices: [], usage: usageInOneForm(this.#usage) });
    }
    if (choice && isDocument) this.#facts.done = true;
    if (!choice && out.length === 0 && !('choices' in value)) {
      this.#facts.foreign = true;
      this.#facts.protocol ??= protocolOf(value);
    }
    return out;
  }

  #choiceOf(value: Fields, named: string): Fields | undefined {
    const choices = listOf(value.choices).filter(isFields);
    const first = choices.find(({ index }) => Number(index ?? 0) === 0);
    this.#isNumbered ||= first !== undefined;
    // Read the first of several answers, and don't mix the others into it.
    const own = first ?? (this.#isNumbered ? undefined : choices[0]);
    if (own && 'finish_reason' in value && !('finish_reason' in own))
      return { ...own, finish_reason: value.finish_reason };
    if (first || choices[0]) return own && withCallsOf(own, choices);
    // Ollama's own API has neither a list nor deltas.
    if (isFields(value.message))
      return {
        message: value.message,
        finish_reason:
          value.done === true ? (value.done_reason ?? 'stop') : value.is_finish === true ? 'stop' : null,
      };
    // Text alone: Cloudflare's and Ollama's `response`, the tokens of Text Generation Inference,
    // Qianfan's `result`, DashScope's `output`.
    const token = isFields(value.token) && value.token.special !== true ? value.token.text : undefined;
    const output = isFields(value.output) ? value.output : {};
    const said = [value.response, token, value.result, output.text].find((text) => typeof text === 'string');
    const calls = 'response' in value ? callsOf(value.tool_calls) : [];
    if (said === undefined && calls.length === 0 && !isFields(value.token))
      return choiceOfForeign(value) ?? choiceOfApp(value, named);
    const isLast = value.done === true || value.is_end === true || typeof value.generated_text === 'string';
    return {
      delta: { content: said ?? '', ...(calls.length > 0 ? { tool_calls: calls } : {}) },
      finish_reason: output.finish_reason ?? (isLast ? (value.done_reason ?? 'stop') : null),
    };
  }

  /** `error`: of the event around the choice. */
  #readChoice(choice: Fields, isDocument: boolean, error: unknown): unknown[] {
    const out: unknown[] = [];
    const delta = this.#deltaOf(choice);
    if (delta) {
      out.push(...this.#wordsOf(delta, choice));
      for (const call of callsOf(delta.tool_calls ?? delta.toolCalls))
        if (!isFields(choice.message) || !this.#calls.holds(call)) this.#calls.read(call);
      for (const part of listOf(delta.content))
        if (isFields(part) && part.type === 'tool_use') this.#calls.read(part);
      if (isFields(delta.function_call)) this.#calls.read({ index: 0, function: delta.function_call });
      noteSources(this.#facts, delta);
    }
    const reason = finishIn(choice) ?? (isDocument && !this.#finish ? 'stop' : undefined);
    if (reason) out.push(...this.#rest());
    const finish = reason === 'stop' && this.#hasSpokenCalls ? 'tool_calls' : reason;
    if (finish) this.#facts.brokenOff = false;
    else if (isBrokenOff(choice)) this.#facts.brokenOff = true;
    if (finish && this.#calls.hasNameless) this.#facts.malformed = true;
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
    // Results of a tool at the endpoint are no words of the model.
    if (/^(?:tool|function)$/.test(stringOf(delta.role))) return [];
    // The words of what a model speaks come beside its sound.
    const content = (said === '' ? null : said) ?? (isFields(delta.audio) ? delta.audio.transcript : null);
    const beside = thoughtsOf(delta);
    const thoughts = beside.length > 0 ? beside : thoughtsOf(choice);
    const words = isMarkedAsThought(delta) ? plainThoughts(piecesOf(content)) : piecesOf(content);
    const out: unknown[] = [...thoughts, ...words].flatMap(({ type, text }) => {
      const isWords = type === 'content';
      if (!isWords && text === this.#thoughts && (this.#words !== '' || this.#calls.hasAny)) return [];
      const fresh = (isWords ? this.#wholeWords : this.#wholeThoughts).read(text);
      if (isWords) this.#words += fresh;
      else this.#thoughts += fresh;
      return this.#said(type, isWords ? this.#pictures.read(fresh) : fresh);
    });
    const refusal = stringOf(delta.refusal);
    if (refusal !== '') out.push({ choices: [{ delta: { refusal } }] });
    return out;
  }

  /** Delta of a choice. `message` counts if no deltas came, or for the parts that they left out. */
  #deltaOf(choice: Fields): Fields | undefined {
    const delta = saidIn(choice.delta);
    const says =
      delta &&
      (piecesOf(delta.content).length > 0 ||
        thoughtsOf(delta).length > 0 ||
        isFields(delta.audio) ||
        callsOf(delta.tool_calls ?? delta.toolCalls).length > 0);
    const message = saidIn(choice.message);
    if (says || !message)
      return delta ?? (typeof choice.text === 'string' ? { content: choice.text } : undefined);
    const text = piecesOf(message.content)
      .map(({ type, text }) => (type === 'content' ? text : ''))
      .join('');
    // Some servers repeat everything at the end.
    if (finishIn(choice) && text !== '' && text === this.#words) return { ...message, content: null };
    if (delta && this.#words !== '' && text.startsWith(this.#words))
      return { content: text.slice(this.#words.length) };
    return message;
  }

  #noteError(value: Fields, choice: Fields | undefined, named: string): void {
    const facts = this.#facts;
    const ofGroq = isFields(value.x_groq) ? value.x_groq.error : undefined;
    const error = [value.error, choice?.error, value.errors, value.last_error, ofGroq, thrownIn(value)].find(
      isError,
    );
    if (error !== undefined) facts.error ??= error === true ? value : error;
    else if (/^error$/i.test(named) || value.event === 'error' || (value.type === 'error' && !choice))
      facts.error ??= value;
    const { base_resp: status } = value;
    if (isFields(status) && Number(status.status_code ?? 0) !== 0)
      facts.error ??= { message: stringOf(status.status_msg), code: status.status_code };
    if (choice || listOf(value.choices).length > 0) return;
    noteSuspect(facts, value);
  }
}

const usageInOneForm = ({ prompt, completion, cached, reasoning }: Readonly<Record<string, number>>) => ({
  ...(prompt === undefined ? {} : { prompt_tokens: prompt }),
  ...(completion === undefined ? {} : { completion_tokens: completion }),
  ...(cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: cached } }),
  ...(reasoning === undefined ? {} : { completion_tokens_details: { reasoning_tokens: reasoning } }),
});
