// The system prompt: the conversation's own instructions, else those for every conversation, else the shipped words.
import { expect, it } from 'vitest';
import { contextConfig, startTalks } from '../context/talk.ts';

const { server, talk } = await startTalks();
const EVERY = 'Answer as a sailor would.';
const withInstructions: Parameters<typeof talk>[0] = {
  config: (config) => {
    const made = contextConfig()(config);
    return { ...made, chat: { ...made.chat, instructions: EVERY } };
  },
};
/** What the newest request said first. */
const first = (): string => {
  const message = server.chats().at(-1)?.messages[0];
  expect(message?.role).toBe('system');
  return String(message?.content);
};

it('are those for every conversation where it has none of its own', async () => {
  const { say, documents } = talk(withInstructions);
  const id = await say('When does the tide turn?');
  expect(first()).toContain(EVERY);
  const shipped = talk();
  await shipped.say('When does the tide turn?');
  expect(first()).not.toContain(EVERY);

  await documents.change(id, { meta: { systemPrompt: 'Answer in one word.' } });
  await say('And tomorrow?', id);
  expect(first()).toContain('Answer in one word.');
  expect(first()).not.toContain(EVERY);
  await documents.change(id, { meta: { systemPrompt: null } });
  await say('And the day after?', id);
  expect(first()).toContain(EVERY);
});

it('weigh in the context meter', async () => {
  const made = talk(withInstructions);
  const id = await made.grown(2);
  const plain = talk();
  const same = await plain.grown(2);
  const [own, shipped] = [await made.context.next(id, []), await plain.context.next(same, [])];
  expect(own?.manifest.tokens.system).not.toBe(shipped?.manifest.tokens.system);
});
