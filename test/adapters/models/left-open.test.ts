// An answer is whole once the endpoint says so, also where its connection stays open and is kept alive.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createEndpointModel } from '../../../src/adapters/models/index.ts';
import { collect, endOf } from '../../suites/chat-model.suite.ts';

const events = (...all: readonly Readonly<Record<string, unknown>>[]) =>
  all.map((one) => `${one.type ? `event: ${one.type}\n` : ''}data: ${JSON.stringify(one)}\n\n`).join('');
const item = { type: 'message', id: 'm1' };
const BODIES = {
  chat: events(
    ...[{ delta: { content: 'At three.' } }, { delta: {}, finish_reason: 'stop' }].map((choice) => ({
      choices: [choice],
    })),
  ),
  anthropic: events(
    {
      type: 'message_start',
      message: {
        id: 'a',
        type: 'message',
        role: 'assistant',
        content: [],
        model: 'm',
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'At three.' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
    { type: 'message_stop' },
  ),
  google: events({
    candidates: [
      { index: 0, content: { role: 'model', parts: [{ text: 'At three.' }] }, finishReason: 'STOP' },
    ],
  }),
  'openai-responses': events(
    { type: 'response.created', response: { id: 'r', created_at: 1, model: 'm' } },
    { type: 'response.output_item.added', output_index: 0, item },
    { type: 'response.output_text.delta', item_id: 'm1', delta: 'At three.' },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { usage: { input_tokens: 1, output_tokens: 2 } } },
  ),
};

let baseUrl = '';
const server = createServer((request, response) => {
  const name = Object.keys(BODIES).find((each) =>
    request.url?.startsWith(`/${each}/`),
  ) as keyof typeof BODIES;
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write(BODIES[name]);
  const alive = setInterval(() => response.write(': ping\n\n'), 25);
  response.on('close', () => clearInterval(alive));
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

it.each(['chat', 'anthropic', 'google', 'openai-responses'] as const)('%s', async (protocol) => {
  const model = createEndpointModel({
    endpoint: { baseUrl: `${baseUrl}/${protocol}/v1`, protocol },
    model: 'm',
    key: async () => 'sk-test',
    silenceMs: 400,
  });
  const got = await collect(model);
  expect(got).toContainEqual({ type: 'text-delta', text: 'At three.' });
  expect(endOf(got)).toEqual({ type: 'end', finish: 'stop' });
});
