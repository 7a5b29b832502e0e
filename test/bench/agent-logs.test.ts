// The made-up logs of agents are what they say: the same for a seed, half of them
// tool output, each answer below its call.
import { expect, it } from 'vitest';
import { agentLogs } from './agent-logs.ts';
import { conversationOf, type Said } from './corpus.ts';

interface Message {
  readonly author: { readonly role: string };
  readonly recipient: string;
  readonly content: { readonly parts: readonly [string] };
}
const messagesOf = (json: string) =>
  (JSON.parse(json) as { mapping: Record<string, { message: Message | null }> }[]).flatMap(({ mapping }) =>
    Object.values(mapping).flatMap(({ message }) => (message ? [message] : [])),
  );

it('makes as many messages as asked for, half of them tool output, the same for the same seed', () => {
  const json = agentLogs(2_000, 1_000_000, 3);
  const messages = messagesOf(json);
  expect(messages).toHaveLength(2_000);
  const output = messages.filter(({ author }) => author.role === 'tool');
  expect(output).toHaveLength(1_000);
  expect(output.some(({ content }) => content.parts[0].length > 4_000)).toBe(true);
  expect(agentLogs(2_000, 1_000_000, 3)).toBe(json);
  expect(agentLogs(2_000, 1_000_000, 4)).not.toBe(json);
});

it('sends a call to its tool, and names the tool that answers', () => {
  const said: Said[] = [
    { role: 'assistant', text: 'ls', tool: 'shell' },
    { role: 'tool', text: 'a.ts', tool: 'shell' },
    { role: 'assistant', text: 'There is one file.' },
  ];
  const messages = messagesOf(JSON.stringify([conversationOf('c', 'Task', 1, 20, said)]));
  expect(messages.map(({ author, recipient }) => [author, recipient])).toMatchObject([
    [{ role: 'assistant', name: null }, 'shell'],
    [{ role: 'tool', name: 'shell' }, 'all'],
    [{ role: 'assistant', name: null }, 'all'],
  ]);
});
