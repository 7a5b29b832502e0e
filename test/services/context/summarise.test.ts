// What of a model's words is a summary: no thoughts, however they are marked, and no calls written in words.
import { expect, it } from 'vitest';
import { createEndpointModel } from '../../../src/adapters/models/index.ts';
import { askOnce } from '../../../src/services/context/summarise.ts';
import { startScriptedModel } from '../../server/scripted-model.ts';

const summaryOf = async (text: string): Promise<string> => {
  const server = await startScriptedModel();
  try {
    server.next({
      steps: [...(text.match(/[\s\S]{1,7}/g) ?? []).map((piece) => ({ text: piece })), { finish: 'stop' }],
    });
    const model = createEndpointModel({
      endpoint: { baseUrl: server.baseUrl },
      model: 'plain',
      key: async () => undefined,
    });
    const { signal } = new AbortController();
    return (await askOnce(model, 's', 'p', { timeoutMs: 10_000, signal })).text;
  } finally {
    await server.close();
  }
};

it.each([
  ['<think>Let me see.</think>\nBackups run at three.', 'Backups run at three.'],
  ['Let me see.\n</think>\n\nBackups run at three.', 'Backups run at three.'],
  ['◁think▷Let me see.◁/think▷Backups run at three.', 'Backups run at three.'],
  ['<think>One.</think>\n<think>Two.</think>\nBackups run at three.', 'Backups run at three.'],
  ['<tool_call>\n{"name": "recall", "arguments": {"query": "a"}}\n</tool_call>', ''],
  ['<tool_call>{"name": "recall"', ''],
  ['{"name": "recall", "arguments": {"query": "a"}}', ''],
  ['```json\n[{"name": "recall", "parameters": {}}]\n```', ''],
  ['[TOOL_CALLS][{"name": "recall"}]', ''],
  ['<function=recall><parameter=query>a</parameter></function>', ''],
  ['Backups run at three.\n<tool_call>{"name": "recall"}</tool_call>', 'Backups run at three.'],
  ['A file has {"name": "x"} in it.', 'A file has {"name": "x"} in it.'],
])('of %j is %j', async (text, expected) => {
  expect(await summaryOf(text)).toBe(expected);
});
