// An answer as the event stream that was asked for, however its bytes were cut on the way.
import { expect, it } from 'vitest';
import { asEventStream } from '../../../src/adapters/models/event-stream.ts';

const through = async (...pieces: readonly Uint8Array<ArrayBuffer>[]): Promise<string> =>
  await new Response(
    new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => {
        for (const piece of pieces) controller.enqueue(piece);
        controller.close();
      },
    }).pipeThrough(asEventStream()),
  ).text();

it.each([
  ['events', 'data: {"choices":[{"delta":{"content":"你好 🙂"}}]}\n\n', (text: string) => `${text}\n\n`],
  [
    'a document',
    '{"choices":[{"message":{"content":"你好 🙂"},"finish_reason":"stop"}]}',
    () => expect.stringContaining('"content":"你好 🙂"'),
  ],
  ['plain words', 'identity is not known here\n', () => 'data: identity is not known here \n\n'],
  ['null', 'null', () => expect.stringContaining('data: null')],
  ['a comment and events', ': hello\r\nretry: 10\r\n\r\ndata: 1', (text: string) => `${text}\n\n`],
])('passes on %s, wherever its first piece ends', async (_, text, expected) => {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at <= bytes.length; at += 1)
    expect(await through(bytes.slice(0, at), bytes.slice(at))).toEqual(expected(text));
});
