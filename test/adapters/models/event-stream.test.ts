// An answer as the event stream that was asked for, however its bytes were cut on the way.
import { expect, it, vi } from 'vitest';
import { asEventStream } from '../../../src/adapters/models/event-stream.ts';
import { newFacts } from '../../../src/adapters/models/stream-facts.ts';

const through = async (...pieces: readonly Uint8Array<ArrayBuffer>[]) => {
  const facts = newFacts();
  const text = await new Response(
    new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => {
        for (const piece of pieces) controller.enqueue(piece);
        controller.close();
      },
    }).pipeThrough(asEventStream(facts)),
  ).text();
  return { text, facts };
};
const words = (text: string) => `data: ${JSON.stringify({ choices: [{ delta: { content: text } }] })}\n\n`;
const call = (fields: object) =>
  `data: ${JSON.stringify({ choices: [{ delta: { tool_calls: [{ index: 0, ...fields }] } }] })}\n\n`;
const stop = 'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n';

it.each([
  ['events', 'data: {"choices":[{"delta":{"content":"你好 🙂"}}]}\n\n', words('你好 🙂'), {}],
  [
    'a document',
    '{"choices":[{"message":{"content":"你好 🙂"},"finish_reason":"stop"}]}',
    words('你好 🙂') + stop,
    { done: true, finished: true },
  ],
  ['plain words', 'identity is not known here\n', '', { malformed: true }],
  ['null', 'null', '', { malformed: true }],
  ['a comment and events', ': hello\r\nretry: 10\r\n\r\ndata: 1', '', {}],
  [
    'a byte order mark, lone carriage returns and data over two lines',
    '\uFEFFdata: {"choices":[{"delta":\rdata: {"content":"a"}}]}\r\rdata: [DONE]\r\r',
    `${words('a')}data: [DONE]\n\n`,
    { done: true },
  ],
  [
    'events without the blank line between them',
    'data: {"choices":[{"delta":{"content":"a"}}]}\ndata: {"choices":[{"delta":{"content":"b"}}]}\n',
    words('ab'),
    {},
  ],
  [
    'JSON lines',
    '{"message":{"content":"a"},"done":false}\n{"message":{"content":"b"},"done":true}\n',
    words('ab') + stop,
    { finished: true },
  ],
  [
    'half an event at the end',
    'data: {"choices":[{"delta":{"content":"a"}}]}\n\ndata: {"choi',
    words('a'),
    {},
  ],
])('passes on %s, wherever its first piece ends', async (_, text, expected, facts) => {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at <= bytes.length; at += 1) {
    const got = await through(bytes.slice(0, at), bytes.slice(at));
    expect(got.text).toBe(expected);
    expect(got.facts).toEqual({ ...newFacts(), ...facts });
  }
});

it('joins what came at once: words, thoughts, arguments, and of figures the last', async () => {
  const figures = (tokens: number) => `data: {"choices":[],"usage":{"completion_tokens":${tokens}}}\n\n`;
  const thought = (text: string) => `data: {"choices":[{"delta":{"reasoning_content":"${text}"}}]}\n\n`;
  const begun = { id: 'a', function: { name: 'look', arguments: '{"q":' } };
  const events = [
    thought('x'),
    thought('y'),
    words('a'),
    figures(1),
    words('b'),
    figures(2),
    thought('z'),
    words('c'),
    call(begun),
    call({ function: { arguments: '"w' } }),
    call({ function: { arguments: '"}' } }),
    call({ index: 1, id: 'b', function: { name: 'look', arguments: '{}' } }),
    stop,
  ];
  const { text } = await through(new TextEncoder().encode(events.join('')));
  expect(text).toBe(
    [
      thought('xy'),
      words('ab'),
      thought('z'),
      words('c'),
      stop,
      figures(2),
      // Calls are whole when nothing more arrives.
      call({ ...begun, function: { name: 'look', arguments: '{"q":"w"}' } }),
      call({ index: 1, id: 'b', function: { name: 'look', arguments: '' } }),
    ].join(''),
  );
});

it('reads data with many raw line ends once', async () => {
  const parsed = vi.spyOn(JSON, 'parse');
  const said = Array.from({ length: 2000 }, (_, at) => `line ${at}`);
  const { text, facts } = await through(
    new TextEncoder().encode(
      `data: {"choices":[{"delta":{"content":"${said.join('\n')}"},"finish_reason":"stop"}]}\nnot of it\n\ndata: [DONE]\n\n`,
    ),
  );
  expect(parsed.mock.calls.length).toBeLessThan(20);
  expect(text).toContain(String.raw`line 0\nline 1\n`);
  expect(text).not.toContain('not of it');
  expect(facts.done).toBe(true);
});
