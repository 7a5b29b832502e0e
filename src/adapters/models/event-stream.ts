// What an endpoint answers with, as the event stream that was asked for. Reads the stream leniently (byte order mark, any line end,
// comments, data over several lines, no blank line at the end, JSON lines, one JSON document) and normalises each event.
import { ChunkReader, KEEP_ALIVE, type StreamFacts } from './chunk.ts';

/** What a line of an event stream begins with; the empty one is that of a comment. https://html.spec.whatwg.org/#parsing-an-event-stream */
const FIELDS = ['data', 'event', 'id', 'retry', ''];
const kindOf = (text: string): 'unknown' | 'events' | 'document' => {
  const begun = text.replace(/^\uFEFF/, '').trimStart();
  if (FIELDS.some((field) => begun.startsWith(`${field}:`))) return 'events';
  return FIELDS.some((field) => field.startsWith(begun)) ? 'unknown' : 'document';
};

const parsed = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
};

const DONE = /^"?\[DONE\]"?$/i;

/**
 * Passes an answer on as canonical events, each as soon as it is whole, and notes in `facts` what else it told. Ends with `[DONE]`,
 * whatever comes after it. A body that does not begin like an event stream is none, whatever its headers say: it is read to its end.
 */
export function asEventStream(
  facts: StreamFacts,
): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  const reader = new ChunkReader(facts);
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  type Controller = TransformStreamDefaultController<Uint8Array<ArrayBuffer>>;
  let kind: ReturnType<typeof kindOf> = 'unknown';
  /** Text of no known kind, and then the line that has not ended. */
  let text = '';
  /** How far `text` was searched for the end of a line. */
  let searched = 0;
  let data: string[] = [];
  let named = '';

  const send = (controller: Controller, events: readonly unknown[]) => {
    for (const event of events) controller.enqueue(encoder.encode(`data: ${JSON.stringify(event)}\n\n`));
  };
  const end = (controller: Controller) => {
    facts.done = true;
    controller.enqueue(encoder.encode('data: [DONE]\n\n'));
    controller.terminate();
  };

  /** `isWhole`: a blank line ended the event; without one it may have been cut off. */
  const dispatch = (controller: Controller, isWhole: boolean) => {
    const lines = data;
    const name = named;
    data = [];
    named = '';
    if (lines.length === 0 || KEEP_ALIVE.test(name)) return;
    const whole = lines.join('\n').trim();
    if (whole === '') return;
    const one = DONE.test(whole) ? undefined : parsed(whole);
    // Where the data is no JSON, each of its lines may be: some servers leave the blank line between events out.
    const pieces = one || lines.length === 1 ? [whole] : lines.map((line) => line.trim()).filter(Boolean);
    for (const piece of pieces) {
      if (DONE.test(piece)) return end(controller);
      const found = one ?? parsed(piece);
      if (found) send(controller, reader.read(found.value, { named: name }));
      else if (/^error$/i.test(name)) facts.error ??= { message: piece };
      else if (isWhole && !isChatter(piece)) facts.malformed = true;
    }
  };

  const readLine = (line: string, controller: Controller) => {
    if (line === '') return dispatch(controller, true);
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    // A proxy that wraps a stream into a stream writes the name of the field twice.
    if (field === 'data') data.push(value.replace(/^(?:data: ?)+/, ''));
    else if (field === 'event') named = value.trim();
    else if (line.startsWith('{')) data.push(line);
  };

  const readLines = (controller: Controller, isLast: boolean) => {
    for (;;) {
      const rest = searched === 0 ? text : text.slice(searched);
      const found = /\r\n|\n|\r/.exec(rest);
      const at = found ? searched + found.index : -1;
      // A carriage return at the very end may be half a line end.
      if (!found || (found[0] === '\r' && at === text.length - 1 && !isLast)) break;
      const line = text.slice(0, at);
      text = text.slice(at + found[0].length);
      searched = 0;
      readLine(line, controller);
      if (facts.done) return;
    }
    searched = Math.max(0, text.length - 1);
  };

  const readDocument = (controller: Controller) => {
    const body = text.replace(/^\uFEFF/, '').trim();
    if (body === '') return;
    const found = parsed(body);
    if (found) {
      if (typeof found.value !== 'object' || found.value === null) facts.malformed = true;
      send(controller, reader.read(found.value, { isDocument: true }));
      return;
    }
    // JSON lines, as Ollama's own API has them.
    const lines = body.split('\n').map((line) => parsed(line));
    if (lines.length > 1 && lines.some((line) => line !== undefined)) {
      lines.forEach((line, at) => {
        if (line) send(controller, reader.read(line.value));
        else if (at < lines.length - 1) facts.malformed = true;
      });
    } else facts.malformed = true;
  };

  return new TransformStream({
    transform(bytes, controller) {
      if (facts.done) return;
      text += decoder.decode(bytes, { stream: true });
      if (kind === 'unknown') {
        kind = kindOf(text);
        if (kind === 'events') text = text.replace(/^\uFEFF/, '').trimStart();
      }
      if (kind === 'events') readLines(controller, false);
    },
    flush(controller) {
      if (facts.done) return;
      text += decoder.decode();
      if (kind !== 'events') return readDocument(controller);
      readLines(controller, true);
      if (facts.done) return;
      if (text !== '') readLine(text, controller);
      if (!facts.done) dispatch(controller, false);
    },
  });
}

/** Words that servers send to keep a connection open, as data. */
const isChatter = (text: string): boolean =>
  /^(ping|pong|ok|heartbeat|keep[-_ ]?alive|connected|open|ready|: ?.*|[\w ]*processing)\.?$/i.test(text);
