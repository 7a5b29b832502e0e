// The app reuses an answer only for the very same request; any difference in what a model gets makes another one.
import { describe, expect, it } from 'vitest';
import type { Prompt, ToolDescription } from '../../../src/adapters/models/chat-model.ts';
import type { Part } from '../../../src/domain/chat/message.ts';
import { requestKey } from '../../../src/services/context/request-key.ts';

const text = (words: string): Part => ({ type: 'text', text: words });
const call: Part = { type: 'tool-call', callId: 'c', name: 'recall', arguments: '{"query":"port"}' };
const result: Part = { type: 'tool-result', callId: 'c', name: 'recall', text: 'Port 8080.' };
const file: Part = { type: 'file', mediaType: 'image/png', name: 'a.png', url: 'data:image/png;base64,AA==' };
const tool: ToolDescription = { name: 'recall', description: 'Looks back', schema: { type: 'object' } };
const messages: Prompt['messages'] = [
  { role: 'user', parts: [text('Which port?'), file] },
  { role: 'assistant', parts: [call] },
  { role: 'tool', parts: [result] },
];

/** Makes new objects each time, so that no cache by identity can replace the hash. */
const keyOf = ({
  model = { id: 'plain', endpoint: 'https://one.example' },
  system = 'Be brief.',
  sent = messages,
  tools = [tool],
}: {
  model?: { id: string; endpoint?: string; parameters?: Record<string, unknown> };
  system?: string;
  sent?: Prompt['messages'];
  tools?: readonly ToolDescription[];
} = {}) => {
  const [prompt, offered] = structuredClone([{ system, messages: sent }, tools] as const);
  return requestKey(model, prompt, offered);
};
/** The messages with one part in another's place. */
const withPart = (at: number, part: Part): Prompt['messages'] =>
  messages.map((message, index) =>
    index === at ? { ...message, parts: [part, ...message.parts.slice(1)] } : message,
  );

describe('the name of a request', () => {
  it('is another one with other parameters', () => {
    const at = { id: 'plain', endpoint: 'https://one.example' };
    const names = [{}, { temperature: 0 }, { temperature: 1 }, { temperature: 1, seed: 7 }].map(
      (parameters) => keyOf({ model: Object.keys(parameters).length > 0 ? { ...at, parameters } : at }),
    );
    expect(new Set(names).size).toBe(4);
    expect(names[0]).toBe(keyOf());
  });

  it('is the same for the same request', () => {
    expect(keyOf()).toMatch(/^[\da-f]{32}$/);
    expect(keyOf()).toBe(keyOf());
  });

  const others: Readonly<Record<string, Parameters<typeof keyOf>[0]>> = {
    'another model': { model: { id: 'other', endpoint: 'https://one.example' } },
    'another endpoint': { model: { id: 'plain', endpoint: 'https://two.example' } },
    'no endpoint': { model: { id: 'plain' } },
    'other instructions': { system: 'Be thorough.' },
    'no tools': { tools: [] },
    'another tool': { tools: [{ ...tool, name: 'remember' }] },
    'a tool described otherwise': { tools: [{ ...tool, description: 'Looks ahead' }] },
    'a tool that takes something else': { tools: [{ ...tool, schema: { type: 'string' } }] },
    'one tool more': { tools: [tool, { ...tool, name: 'remember' }] },
    'other words': { sent: withPart(0, text('Which host?')) },
    'the words as a thought': { sent: withPart(0, { type: 'reasoning', text: 'Which port?' }) },
    'another role': {
      sent: messages.map((message, at) => (at === 0 ? { ...message, role: 'assistant' } : message)),
    },
    'one part less': { sent: messages.map(({ role, parts }) => ({ role, parts: parts.slice(0, 1) })) },
    'one message less': { sent: messages.slice(0, -1) },
    'another order': { sent: [...messages].reverse() },
    'another file': {
      sent: messages.map(({ role, parts }) => ({
        role,
        parts: parts.map((part) =>
          part.type === 'file' ? { ...part, url: 'data:image/png;base64,BB==' } : part,
        ),
      })),
    },
    'another call': { sent: withPart(1, { ...call, callId: 'd' }) },
    'a call of another tool': { sent: withPart(1, { ...call, name: 'remember' }) },
    'a call with other arguments': { sent: withPart(1, { ...call, arguments: '{"query":"host"}' }) },
    'another result': { sent: withPart(2, { ...result, text: 'Port 8081.' }) },
    'a result that is an error': { sent: withPart(2, { ...result, isError: true }) },
    'the result of another call': { sent: withPart(2, { ...result, callId: 'd' }) },
  };
  it.each(Object.keys(others))('is another one with %s', (what) => {
    expect(keyOf(others[what])).not.toBe(keyOf());
  });
  it('is another one in each of these cases', () => {
    const keys = Object.values(others).map((change) => keyOf(change));
    expect(new Set(keys).size).toBe(keys.length);
  });
});
