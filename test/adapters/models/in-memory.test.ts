import { createScriptedModel, type ScriptedStep } from '../../../src/adapters/models/index.ts';
import { RecollectError } from '../../../src/domain/base/errors.ts';
import { textOf } from '../../../src/domain/chat/message.ts';
import { describeChatModel, type Situation } from '../../suites/chat-model.suite.ts';

const say = (text: string): ScriptedStep[] =>
  (text.match(/\S+\s*|\s+/g) ?? []).map((word) => ({ type: 'text-delta', text: word }));
const problem = (code: 'model-cut' | 'model-key', retry: boolean) =>
  new RecollectError(code, code, { retry }).problem;

const scripts: Record<Situation, (last: string) => ScriptedStep[]> = {
  plain: () => say('Yes. The backup runs every night at three.'),
  echo: (last) => say(last),
  reasoning: () => [
    { type: 'reasoning-delta', text: 'The person asks about backups. ' },
    ...say('Backups run at three.'),
  ],
  tools: () => [
    { type: 'tool-call', callId: 'call_1', name: 'lookup', arguments: '{"query":"backup time"}' },
    { type: 'end', finish: 'tool-calls' },
  ],
  length: () => [...say('half of a'), { type: 'end', finish: 'length' }],
  gated: () => [...say('one two three '), new Promise(() => undefined)],
  cut: () => [
    ...say('What arrived before the cut '),
    { type: 'end', finish: 'cut', problem: problem('model-cut', true) },
  ],
  failing: () => [{ type: 'end', finish: 'error', problem: problem('model-key', false) }],
  empty: () => [],
};

describeChatModel('The scripted model', async () => ({
  model: (situation) =>
    createScriptedModel({
      reply: (prompt) => scripts[situation](textOf(prompt.messages.at(-1) ?? { parts: [] })),
    }),
  close: async () => undefined,
}));
