// What an endpoint answers with, as the event stream that was asked for. Some ignore `stream: true` and send one JSON document, an
// answer or an error; some end without the blank line that ends an event.
import { z } from 'zod';

const completionSchema = z.looseObject({
  choices: z.array(
    z.looseObject({
      message: z.looseObject({ tool_calls: z.array(z.looseObject({})).nullish() }).nullish(),
      finish_reason: z.string().nullish(),
    }),
  ),
});

/** One document as the event it would have been. What is no completion is passed on as it is: whoever reads events knows what to say of it. */
function eventOf(text: string): string {
  let document: unknown;
  try {
    const parsed: unknown = JSON.parse(text);
    // Google tells an error in a list of one.
    document = Array.isArray(parsed) ? parsed[0] : parsed;
  } catch {
    return `data: ${text.replace(/\s+/g, ' ')}\n\n`;
  }
  const completion = completionSchema.safeParse(document).data;
  const event = completion && {
    ...completion,
    choices: completion.choices.map(({ message, finish_reason, ...choice }) => ({
      ...choice,
      delta: { ...message, tool_calls: message?.tool_calls?.map((call, index) => ({ index, ...call })) },
      finish_reason: finish_reason ?? 'stop',
    })),
  };
  return `data: ${JSON.stringify(event ?? document ?? null)}\n\ndata: [DONE]\n\n`;
}

/** What a line of an event stream begins with; the empty one is that of a comment. https://html.spec.whatwg.org/#parsing-an-event-stream */
const FIELDS = ['data', 'event', 'id', 'retry', ''];
const kindOf = (text: string): 'unknown' | 'events' | 'document' => {
  const begun = text.trimStart();
  if (FIELDS.some((field) => begun.startsWith(`${field}:`))) return 'events';
  return FIELDS.some((field) => field.startsWith(begun)) ? 'unknown' : 'document';
};

/**
 * Passes an event stream on as it comes. A body that does not begin like one is none, whatever its headers say: it is read to its end and
 * passed on as one event.
 */
export function asEventStream(): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let kind: ReturnType<typeof kindOf> = 'unknown';
  let text = '';
  // As they came: a piece may end within a character.
  const unknown: Uint8Array<ArrayBuffer>[] = [];
  return new TransformStream({
    transform(bytes, controller) {
      if (kind === 'events') return controller.enqueue(bytes);
      text += decoder.decode(bytes, { stream: true });
      if (kind === 'document') return;
      unknown.push(bytes);
      kind = kindOf(text);
      if (kind === 'events') for (const piece of unknown) controller.enqueue(piece);
    },
    flush: (controller) =>
      controller.enqueue(encoder.encode(kind === 'events' || text.trim() === '' ? '\n\n' : eventOf(text))),
  });
}
