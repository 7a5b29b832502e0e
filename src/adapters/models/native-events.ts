// The events of Anthropic Messages, Gemini and OpenAI Responses on their way to the SDK: what its strict schemas want and endpoints leave out is
// filled in, and what it would drop (errors without all their fields, pictures) is noted. Every other line goes on as it came.
import { readJson } from '../../domain/base/json.ts';
import type { StreamFacts } from './chunk.ts';

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

/** Types of events that say that the answer is whole. */
const WHOLE = /^(message_stop|response\.(completed|incomplete|failed))$/;

/** Passes events on, filled in, and notes in `facts` what went wrong, what was drawn, and that the answer is whole. Linear in the bytes. */
export function asNativeEvents(
  facts: StreamFacts,
): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  const reader = new NativeReader(facts);
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  /** The line that has not ended, in pieces. */
  let open: string[] = [];
  return new TransformStream({
    transform(bytes, controller) {
      const text = decoder.decode(bytes, { stream: true });
      const end = text.lastIndexOf('\n') + 1;
      if (end === 0) return void open.push(text);
      const lines = open.join('') + text.slice(0, end);
      open = [text.slice(end)];
      controller.enqueue(encoder.encode(lines.replace(/[^\n]+/g, (line) => reader.read(line))));
    },
    flush(controller) {
      const last = open.join('') + decoder.decode();
      const line = last === '' ? '' : reader.read(last);
      controller.enqueue(encoder.encode(line + reader.end()));
    },
  });
}

class NativeReader {
  readonly #facts: StreamFacts;
  /** A reason for the end came, and the end that the SDK waits for did not. */
  #endIsMissing = false;

  constructor(facts: StreamFacts) {
    this.#facts = facts;
  }

  /** The line to pass on for one that came; empty for what is not for the SDK. */
  read(line: string): string {
    const data = /^data: ?(?=\{)/.exec(line);
    const value = data ? readJson(line.slice(data[0].length)) : undefined;
    if (!isFields(value)) return line;
    const event = this.#event(value);
    this.#noteEnd(value);
    return event === value ? line : event === undefined ? '' : `data: ${JSON.stringify(event)}`;
  }

  /** What the SDK needs to end an answer whose reason for the end has come. */
  end(): string {
    return this.#endIsMissing ? '\n\ndata: {"type":"message_stop"}\n\n' : '';
  }

  #event(value: Fields): Fields | undefined {
    const error = errorIn(value);
    if (error !== undefined) {
      // What goes wrong behind the end takes nothing from the answer.
      if (!this.#facts.finished) this.#facts.error ??= error;
      return undefined;
    }
    if (value.type === 'message_start') {
      const message = fieldsOf(value.message);
      const usage = fieldsOf(message.usage);
      if (typeof usage.input_tokens === 'number') return value;
      return { ...value, message: { ...message, usage: { ...usage, input_tokens: 0 } } };
    }
    if (value.type === 'message_delta') {
      const usage = fieldsOf(value.usage);
      return typeof usage.output_tokens === 'number'
        ? value
        : { ...value, delta: fieldsOf(value.delta), usage: { ...usage, output_tokens: 0 } };
    }
    return this.#isPicture(value) ? undefined : value;
  }

  /** To the SDK a picture that OpenAI drew is a call of a tool which nobody described. */
  #isPicture({ type, item }: Fields): boolean {
    if (typeof type !== 'string') return false;
    if (type.startsWith('response.image_generation_call.')) return true;
    if (!isFields(item) || item.type !== 'image_generation_call') return false;
    const { result, output_format: format } = item;
    if (type === 'response.output_item.done' && typeof result === 'string' && result !== '')
      this.#facts.pictures.push(`data:image/${typeof format === 'string' ? format : 'png'};base64,${result}`);
    return true;
  }

  #noteEnd({ type, delta, candidates }: Fields): void {
    const ends = typeof type === 'string' && WHOLE.test(type);
    const gives = Boolean(type === 'message_delta' && fieldsOf(delta).stop_reason);
    this.#endIsMissing = gives || (this.#endIsMissing && !ends);
    const finished = ends || gives || (Array.isArray(candidates) && fieldsOf(candidates[0]).finishReason);
    if (this.#facts.finished || !finished) return;
    this.#facts.finished = true;
    this.#facts.onFinished();
  }
}

/** What an event says went wrong; undefined where it is no error. */
function errorIn(value: Fields): unknown {
  if (value.type === 'response.failed')
    return fieldsOf(value.response).error ?? { message: 'response.failed' };
  if (value.type === 'error') return value.error ?? value;
  return value.type === undefined && isFields(value.error) ? value.error : undefined;
}
