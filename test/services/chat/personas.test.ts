// A persona sets instructions, tools and memory of a conversation; a change applies from the next answer on.
import { expect, it } from 'vitest';
import { createScriptedModel } from '../../../src/adapters/models/in-memory.ts';
import { newConversationId } from '../../../src/domain/base/ids.ts';
import type { Persona } from '../../../src/domain/prompts/persona.ts';
import { createScene } from './setup.ts';

const pirate: Persona = {
  id: 'pirate',
  name: 'Pirate',
  description: '',
  sign: '',
  colour: 'red',
  instructions: 'Talk like a pirate.',
  model: null,
  parameters: {},
  memory: 'none',
  project: null,
  createdAt: 0,
  updatedAt: 0,
};

it('tells the model who it is, and looks for nothing in memory where it shall not', async () => {
  let persona: Persona | null = pirate;
  const systems: (string | null)[] = [];
  const offered: (readonly string[])[] = [];
  const scripted = createScriptedModel({
    contextWindow: 32_000,
    reply: () => [{ type: 'text-delta', text: 'Arr.' }],
  });
  const { chat, documents, idle, asked } = createScene({
    model: () => ({
      ...scripted,
      stream: (prompt, options) => {
        systems.push(prompt.system);
        offered.push((options.tools ?? []).map(({ name }) => name));
        return scripted.stream(prompt, options);
      },
    }),
    personaOf: ({ meta }) => (meta.persona === persona?.id ? persona : null),
  });
  const id = newConversationId();
  await documents.change(id, { meta: { persona: 'pirate', systemPrompt: 'About ships.' } });
  const say = async (text: string) => {
    await chat.send({ conversationId: id, parts: [{ type: 'text', text }] });
    await idle(id);
  };
  await say('What did we say of the harbour?');
  expect(systems[0]).toContain('Talk like a pirate.\n\nAbout ships.');
  expect(asked).toEqual([]);
  expect(offered[0]).not.toContain('recall');

  persona = { ...pirate, instructions: 'Talk like a poet.', memory: 'all' };
  await say('Remember what we said of the harbour?');
  expect(systems[1]).toContain('Talk like a poet.\n\nAbout ships.');
  expect(asked).toHaveLength(1);
  expect(offered[1]).toContain('recall');

  persona = null;
  await say('And now?');
  expect(systems[2]).toContain('About ships.');
  expect(systems[2]).not.toContain('Talk like');
});

it('says to memory how far it looks: for the answer, for the tool of a model, and for what a model opens', async () => {
  const scripted = createScriptedModel({
    contextWindow: 32_000,
    reply: (prompt) =>
      prompt.messages.some(({ role }) => role === 'tool')
        ? [{ type: 'text-delta', text: 'Done.' }]
        : [
            { type: 'tool-call', callId: 'a', name: 'recall', arguments: '{"query":"harbour"}' },
            {
              type: 'tool-call',
              callId: 'b',
              name: 'open_conversation',
              arguments: `{"id":"${inAnotherTab}"}`,
            },
          ],
  });
  const inAnotherTab = newConversationId();
  const only = { ...pirate, memory: 'only' as const, project: 'ships' };
  const { chat, documents, idle, asked } = createScene({
    model: () => scripted,
    personaOf: ({ meta }) => (meta.persona === 'pirate' ? only : null),
  });
  await documents.change(inAnotherTab, { meta: { title: 'Elsewhere' } });
  const id = newConversationId();
  await documents.change(id, { meta: { persona: 'pirate' } });
  await chat.send({ conversationId: id, parts: [{ type: 'text', text: 'Where is the harbour?' }] });
  await idle(id);
  expect(asked).toHaveLength(2);
  for (const { persona } of asked) expect(persona).toMatchObject({ memory: 'only', project: 'ships' });
  const results = [...((await documents.read(id))?.messages.values() ?? [])].flatMap(({ parts }) =>
    parts.filter((part) => part.type === 'tool-result'),
  );
  expect(results.find(({ name }) => name === 'open_conversation')).toMatchObject({
    isError: true,
    text: `There is no conversation ${inAnotherTab}.`,
  });
});
