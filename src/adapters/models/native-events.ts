// Passes events of Anthropic Messages, Gemini and OpenAI Responses to the SDK: adds fields that its strict
// schemas want and endpoints leave out, and notes what it would drop (incomplete errors, pictures, cited pages).
// Every other line is passed on unchanged.
import {
  type Fields,
  fieldsOf,
  isFields,
  lenientJson,
  objectsOf,
  readJson,
  stringOf,
} from '../../domain/base/json.ts';
import { KEEP_ALIVE } from './chunk.ts';
import { finishOf, saysBrokenOff } from './finish-reasons.ts';
import { protocolOf } from './foreign-events.ts';
import { unwrapped } from './gemini-events.ts';
import { citedIn, eventsOfDocument, NativeShapes } from './native-shapes.ts';
import {
  BodyReader,
  eventWithin,
  isChatter,
  objectsIn,
  piecesOfData,
  type ServerEvent,
} from './server-events.ts';
import { addDocument, addSource, isError, noteSuspect, type StreamFacts } from './stream-facts.ts';

/** Finish reasons of Gemini that end an answer without its being whole. */
const BROKEN =
  /^(MALFORMED_\w+|UNEXPECTED_TOOL_CALL|TOO_MANY_TOOL_CALLS|MISSING_THOUGHT_SIGNATURE|OTHER|LANGUAGE|NO_IMAGE|IMAGE_OTHER)$/;

/** Reasons that the SDK knows; proxies take others over from elsewhere. */
const REASONS =
  /^(?:end_turn|stop_sequence|tool_use|pause_turn|max_tokens|refusal|model_context_window_exceeded|compaction)$/;
const REASON_OF = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
} as const;

/** Types of events that mark an answer as whole. */
const WHOLE = /^(message_stop|response\.(completed|done|incomplete|failed))$/;

/**
 * Passes events on, completed, and notes errors, pictures and the end of a whole answer in `facts`. Linear in the
 * bytes. `contentType`: as the endpoint names it.
 */
export function asNativeEvents(
  facts: StreamFacts,
  contentType = '',
): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  const reader = new NativeReader(facts);
  const body = new BodyReader(contentType);
  const encoder = new TextEncoder();
  const said = (events: Iterable<ServerEvent>): string => {
    let text = '';
    for (const event of events) text += reader.read(event);
    return text;
  };
  return new TransformStream({
    transform(bytes, controller) {
      const text = said(body.read(bytes));
      if (text !== '') controller.enqueue(encoder.encode(text));
    },
    flush(controller) {
      const text = said(body.end()) + reader.readDocument(body.document) + reader.end();
      controller.enqueue(encoder.encode(text));
    },
  });
}

class NativeReader {
  readonly #facts: StreamFacts;
  /** A finish reason came, but not the end event that the SDK waits for. */
  #endIsMissing = false;
  readonly #shapes = new NativeShapes();
  /** Responses said something, and a proxy the end that chat completions have. */
  #responds = false;
  #isDone = false;

  constructor(facts: StreamFacts) {
    this.#facts = facts;
  }

  /** Text to pass on for an event; empty if it is not for the SDK. */
  read({ name, lines, isWhole }: ServerEvent): string {
    if (KEEP_ALIVE.test(name)) return '';
    return piecesOfData(lines)
      .map((piece) => this.#piece(piece, name, isWhole))
      .join('');
  }

  /**
   * Reads a body that is no event stream: consecutive events, or a list of them, as Gemini
   * sends without a request for a stream.
   */
  readDocument(body: string | undefined): string {
    if (!body) return '';
    const value = lenientJson(body);
    const events = Array.isArray(value) ? value : value === undefined ? [] : [value];
    const pieces =
      events.length > 0
        ? events.filter(isFields).map((event) => JSON.stringify(event))
        : body.split(/[\r\n]+/).flatMap(objectsIn);
    return pieces.map((piece) => this.#piece(piece, '', true)).join('');
  }

  #piece(text: string, name: string, isWhole: boolean): string {
    const asWritten = readJson(text);
    const whole = asWritten === undefined ? lenientJson(text) : asWritten;
    const value = whole === undefined ? lenientJson(eventWithin(text) ?? '') : whole;
    if (Array.isArray(value))
      return objectsOf(value)
        .map((one) => this.#said(one, ''))
        .join('');
    if (/^\[DONE\]$/i.test(text.trim())) this.#isDone = true;
    if (!isFields(value)) {
      if (value !== undefined || isChatter(text) || /^\[DONE\]$/i.test(text)) return '';
      if (/^error$/i.test(name) && !this.#facts.finished) this.#facts.error ??= { message: text };
      else if (isWhole) this.#facts.malformed = true;
      return '';
    }
    if (whole === undefined) this.#facts.malformed = true;
    return this.#said(value, asWritten !== undefined && !text.includes('\n') ? text : '');
  }

  /** Text to pass on for an event. `text`: as it was written, if it needs no change. */
  #said(value: Fields, text: string): string {
    const said = unwrapped(value);
    const isOfNone = said.type === undefined && !said.error && protocolOf(said) === undefined;
    if (isOfNone && noteSuspect(this.#facts, said)) return '';
    this.#facts.protocol ??= protocolOf(said);
    this.#responds ||= typeof said.type === 'string' && said.type.startsWith('response.output');
    const events = eventsOfDocument(said).flatMap((one) => {
      const event = this.#event(one);
      this.#noteEnd(one);
      for (const cited of citedIn(one)) this.#noteCited(cited);
      return event === undefined ? [] : this.#shapes.shape(event);
    });
    return events
      .map((one) => `data: ${one === value && text !== '' ? text : JSON.stringify(one)}\n\n`)
      .join('');
  }

  /** Anthropic cites places in documents and results of searches, OpenAI files; all others are pages. */
  #noteCited({ url, source, title, document_title: document, filename, cited_text: words }: Fields): void {
    const address = [url, source].find((text) => typeof text === 'string' && /^https?:/i.test(text));
    if (address !== undefined) addSource(this.#facts, address, title);
    else addDocument(this.#facts, document ?? title ?? filename, words);
  }

  /** End event that the SDK needs after a finish reason. */
  end(): string {
    if (this.#isDone && this.#responds && !this.#facts.finished && this.#facts.error === undefined)
      return this.#piece('{"type":"response.completed","response":{}}', '', true);
    return this.#endIsMissing ? 'data: {"type":"message_stop"}\n\n' : '';
  }

  #event(value: Fields): Fields | undefined {
    const error = errorIn(value);
    if (error !== undefined) {
      // Ignore errors after the end of the answer.
      if (!this.#facts.finished) this.#facts.error ??= error;
      return undefined;
    }
    if (value.type === 'message_start') {
      const message = fieldsOf(value.message);
      const { id, model, role, content } = message;
      const usage = figuresOf(fieldsOf(message.usage));
      // Only what is used: new fields of a known name would cost the event.
      return {
        type: value.type,
        message: {
          ...{ id: stringOf(id), type: 'message', role, content, model: stringOf(model) },
          usage: { input_tokens: 0, output_tokens: 0, ...usage },
        },
      };
    }
    if (value.type === 'message_delta') {
      const usage = figuresOf(fieldsOf(value.usage));
      const { stop_reason: reason, stop_sequence: sequence } = fieldsOf(value.delta);
      return {
        type: value.type,
        delta: {
          stop_reason: this.#reasonOf(reason),
          stop_sequence: typeof sequence === 'string' ? sequence : null,
        },
        usage: { output_tokens: 0, ...usage },
      };
    }
    // An answer that broke off without a reason counts as cut.
    if (value.type === 'response.incomplete' && !fieldsOf(fieldsOf(value.response).incomplete_details).reason)
      return undefined;
    return this.#isPicture(value) ? undefined : value;
  }

  /** The SDK takes a picture that OpenAI drew for a call, and passes over one of Anthropic's form. */
  #isPicture({ type, item, response, content_block: block }: Fields): boolean {
    if (typeof type !== 'string') return false;
    if (type.startsWith('response.image_generation_call.')) return true;
    for (const held of objectsOf(fieldsOf(response).output)) this.#draw(held);
    const { type: kind, source } = fieldsOf(block);
    const { media_type: media, data } = fieldsOf(source);
    if (kind === 'image' && typeof data === 'string')
      this.#facts.pictures.push(`data:${stringOf(media) || 'image/png'};base64,${data}`);
    if (kind === 'image') return true;
    if (!isFields(item) || item.type !== 'image_generation_call') return false;
    if (type === 'response.output_item.done') this.#draw(item);
    return true;
  }

  /** Keeps a picture of OpenAI, once: the last event holds all of them again. */
  #draw({ type, result, output_format: format }: Fields): void {
    if (type !== 'image_generation_call' || typeof result !== 'string' || result === '') return;
    const url = `data:image/${typeof format === 'string' ? format : 'png'};base64,${result}`;
    if (!this.#facts.pictures.includes(url)) this.#facts.pictures.push(url);
  }

  /** A reason as the SDK knows it; null while the answer goes on, and for one that failed or was broken off. */
  #reasonOf(reason: unknown): string | null {
    if (typeof reason === 'string' && REASONS.test(reason)) return reason;
    const found = finishOf(reason);
    if (found === 'broken') this.#facts.error ??= { message: reason };
    else if (saysBrokenOff(reason)) this.#facts.brokenOff = true;
    return found === undefined || found === 'broken' ? null : REASON_OF[found];
  }

  #noteEnd({ type, delta, candidates, response }: Fields): void {
    const isBrokenOff =
      type === 'response.incomplete' && !fieldsOf(fieldsOf(response).incomplete_details).reason;
    const ends = typeof type === 'string' && WHOLE.test(type) && !isBrokenOff;
    const { finishReason, finishMessage } = fieldsOf(Array.isArray(candidates) ? candidates[0] : undefined);
    if (typeof finishReason === 'string' && BROKEN.test(finishReason))
      this.#facts.error ??= { message: finishMessage ?? finishReason };
    // The endpoint paused in the middle of the turn, and wants to be asked to go on.
    if (type === 'message_delta' && fieldsOf(delta).stop_reason === 'pause_turn')
      this.#facts.brokenOff = true;
    const gives = Boolean(type === 'message_delta' && fieldsOf(delta).stop_reason);
    this.#endIsMissing = gives || (this.#endIsMissing && !ends);
    const finished = ends || gives || Boolean(finishReason);
    if (this.#facts.finished || !finished) return;
    this.#facts.finished = true;
    this.#facts.onFinished();
  }
}

/** Figures of a usage that the SDK reads, whatever form they came in. */
const FIGURES = [
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
] as const;
const figuresOf = (usage: Fields): Fields =>
  Object.fromEntries(
    FIGURES.flatMap((name) => {
      const value = usage[name];
      const figure = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
      return typeof figure === 'number' && Number.isFinite(figure) ? [[name, figure]] : [];
    }),
  );

/** Error in an event; undefined if it is none. */
function errorIn(value: Fields): unknown {
  if (value.type === 'response.failed')
    return fieldsOf(value.response).error ?? { message: 'response.failed' };
  if (value.type === 'error' || value.type === 'response.error') return value.error ?? value;
  // Small servers end by `response.completed` whatever happened.
  const { status, error } = fieldsOf(value.response);
  if (value.type === 'response.completed' && status === 'failed') return error ?? { message: status };
  return value.type === undefined && isError(value.error) ? value.error : undefined;
}
