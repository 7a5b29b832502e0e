// What the model that answers suggests to remember: quotations alone, within its
// budget, never what is private, off at once.
import { afterEach, expect, it, vi } from 'vitest';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import type { Prompt } from '../../../src/adapters/models/chat-model.ts';
import { createScriptedModel } from '../../../src/adapters/models/in-memory.ts';
import { type ConversationId, newConversationId, newMessageId } from '../../../src/domain/base/ids.ts';
import { until, writable } from '../../../src/domain/base/readable.ts';
import type { ConversationMeta } from '../../../src/domain/chat/conversation.ts';
import type { Message } from '../../../src/domain/chat/message.ts';
import { type Config, configSchema } from '../../../src/domain/settings/config.ts';
import type { Documents } from '../../../src/services/documents/documents.ts';
import { createDocuments } from '../../../src/services/documents/documents-service.ts';
import { createNotes } from '../../../src/services/documents/notes.ts';
import { quotedIn, startSuggesting } from '../../../src/services/memory/suggesting.ts';
import { PrivacyFilter } from '../../../src/services/privacy/privacy-filter.ts';

const NOW = 1_790_000_000_000;
const endings: AbortController[] = [];
afterEach(() => {
  for (const ending of endings.splice(0)) ending.abort();
  vi.useRealTimers();
});

const LONG = `We talked about the garden for a while. My sister Ruth keeps bees in Freiburg. ${'It rained again today, and the beds are wet. '.repeat(3)}`;
const answer = (...items: { message: number; kind: string; quote: string }[]) =>
  `Here you are:\n\`\`\`json\n${JSON.stringify(items)}\n\`\`\``;
const RUTH = { message: 1, kind: 'person', quote: 'My sister Ruth keeps bees in Freiburg.' };

async function home({
  reply = () => answer(RUTH),
  text = LONG,
  notes: said = {},
  meta = {},
  more = {},
  meanwhile = async () => {},
}: {
  reply?: (prompt: Prompt) => string;
  text?: string;
  notes?: Partial<Config['notes']>;
  meta?: Partial<ConversationMeta>;
  more?: Partial<Message>;
  /** Happens while the model is asked. */
  meanwhile?: (documents: Documents) => Promise<void>;
} = {}) {
  vi.useFakeTimers({ now: NOW, toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
  const store = createInMemoryStore();
  const documents = createDocuments({ store });
  const notes = createNotes({ store, now: Date.now, onProblem: () => undefined });
  await until(documents.library, (library) => library.ready);
  const prompts: Prompt[] = [];
  const model = createScriptedModel({
    contextWindow: 8_000,
    *reply(prompt) {
      prompts.push(prompt);
      yield meanwhile(documents);
      yield { type: 'text-delta', text: reply(prompt) };
      yield { type: 'usage', usage: { inputTokens: 400, outputTokens: 60 } };
    },
  });
  const ending = new AbortController();
  endings.push(ending);
  const config = writable<Config>(
    configSchema.parse({ notes: said, privacy: { sensitive_keywords: ['password'] } }),
  );
  startSuggesting({
    store,
    documents,
    notes,
    config,
    filter: new PrivacyFilter({ config }),
    model: () => model,
    device: () => 'here',
    now: Date.now,
    signal: ending.signal,
  });
  const say = async (id: ConversationId, words: string, parentId: Message['id'] | null = null) => {
    const at = Date.now() + 1;
    const asked: Message = {
      id: newMessageId(),
      parentId,
      role: 'user',
      kind: 'message',
      createdAt: at,
      parts: [{ type: 'text', text: words }],
      device: 'here',
      ...more,
    };
    const answered: Message = {
      id: newMessageId(),
      parentId: asked.id,
      role: 'assistant',
      kind: 'message',
      createdAt: at + 1,
      finish: 'stop',
      parts: [{ type: 'text', text: 'I see.' }],
    };
    await documents.change(id, {
      messages: [asked, answered],
      meta: { title: 'Garden', titleBy: 'person', head: answered.id, ...meta },
    });
    return answered.id;
  };
  const rest = () => vi.advanceTimersByTimeAsync(30_000);
  const id = newConversationId();
  const last = await say(id, text);
  await rest();
  return { store, notes, config, prompts, say, rest, id, last };
}
const open = ({ notes }: Awaited<ReturnType<typeof home>>) => notes.inbox.get().proposals;

it('proposes a sentence that stands there word for word, with its message', async () => {
  const scene = await home();
  expect(open(scene)).toEqual([
    expect.objectContaining({
      text: RUTH.quote,
      kind: 'person',
      by: 'model',
      source: expect.objectContaining({ conversationId: scene.id }),
    }),
  ]);
  // Asked once about a message, however often the conversation changes.
  await scene.say(scene.id, 'And thanks.', scene.last);
  await scene.rest();
  expect(scene.prompts).toHaveLength(1);
});

it('proposes what is to be remembered without the words that ask for it', async () => {
  const quote = 'Please remember that my sister Ruth keeps bees in Freiburg.';
  const scene = await home({
    text: LONG.replace(RUTH.quote, quote),
    reply: () => answer({ ...RUTH, quote }),
  });
  expect(open(scene).map(({ text }) => text)).toEqual([RUTH.quote]);
});

it('proposes nothing that was forgotten while the model was asked', async () => {
  const scene = await home({
    meanwhile: async (documents) => {
      const [entry] = documents.library.get().entries;
      const conversation = entry && (await documents.read(entry.id));
      if (conversation)
        await documents.change(conversation.id, {
          removed: [...conversation.messages.keys()],
          takesOut: true,
        });
    },
  });
  expect(scene.prompts).toHaveLength(1);
  expect(open(scene)).toEqual([]);
});

it('keeps nothing by itself, even where what the device recognises is kept without asking', async () => {
  const scene = await home({ notes: { accept: true } });
  expect(open(scene)).toHaveLength(1);
  expect(scene.notes.state.get().notes).toEqual([]);
});

it('proposes nothing that was not said, is known, was refused, or is not wanted', async () => {
  const made = await home({
    reply: () => answer({ ...RUTH, quote: 'Ruth keeps bees.' }, { ...RUTH, message: 2 }),
  });
  expect(open(made)).toEqual([]);

  const scene = await home();
  await scene.notes.accept(open(scene)[0]?.id ?? '');
  await scene.say(scene.id, LONG, scene.last);
  await scene.rest();
  expect(scene.prompts).toHaveLength(2);
  expect(open(scene)).toEqual([]);

  const refusing = await home();
  await refusing.notes.refuse(open(refusing).map(({ id }) => id));
  await refusing.say(refusing.id, LONG, refusing.last);
  await refusing.rest();
  expect(open(refusing)).toEqual([]);

  const never = await home({ reply: () => 'nothing' });
  await never.notes.setWanted('person', false);
  await never.say(never.id, LONG, never.last);
  await never.rest();
  expect(open(never)).toEqual([]);
});

it('sends no private words, and proposes none', async () => {
  const scene = await home({
    text: `${LONG}\npassword: hunter2 is what I use for the gate.`,
    reply: () => answer({ message: 1, kind: 'fact', quote: 'password: hunter2 is what I use for the gate.' }),
  });
  expect(JSON.stringify(scene.prompts)).not.toContain('hunter2');
  expect(scene.prompts).toHaveLength(1);
  expect(open(scene)).toEqual([]);
});

it.each([
  ['nothing may be proposed', { notes: { propose: false } }],
  ['the model may not propose', { notes: { propose_by_model: false } }],
  ['too little was said', { text: 'Hello.' }],
  ['it was said on another device', { more: { device: 'there' } }],
  ['it was said before', { more: { createdAt: NOW - 1 } }],
  ['it was imported', { meta: { source: { tool: 'chatgpt', id: 'x' } } }],
  ['it is an example', { meta: { sample: true } }],
  ['the budget has no room for one', { notes: { model_tokens_per_day: 1_000 } }],
])('asks nobody where %s', async (_, options) => {
  const { prompts } = await home(options);
  expect(prompts).toEqual([]);
});

it('stops for the day when its tokens are used, and when it is switched off', async () => {
  // One request may cost some 1,600 tokens, and costs 460: a second one finds room, a third one none.
  const scene = await home({ reply: () => '[]', notes: { model_tokens_per_day: 2_300 } });
  let { last } = scene;
  for (let count = 0; count < 4; count += 1) {
    last = await scene.say(scene.id, LONG, last);
    await scene.rest();
  }
  expect(scene.prompts).toHaveLength(2);
  vi.setSystemTime(NOW + 86_400_000);
  last = await scene.say(scene.id, LONG, last);
  await scene.rest();
  expect(scene.prompts).toHaveLength(3);
  scene.config.set({
    ...scene.config.get(),
    notes: { ...scene.config.get().notes, propose_by_model: false },
  });
  await scene.say(scene.id, LONG, last);
  await scene.rest();
  expect(scene.prompts).toHaveLength(3);
});

it('reads an answer leniently, and quotes as the person wrote', () => {
  const message = { parts: [{ type: 'text', text: 'I never\n eat  nuts (really).' }] } as unknown as Message;
  expect(
    quotedIn(answer({ message: 1, kind: 'fact', quote: 'I never eat nuts (really).' }), [message]),
  ).toEqual([{ quote: 'I never\n eat  nuts (really).', kind: 'fact', message }]);
  for (const nonsense of [
    '',
    '[',
    '[1, null]',
    '{"a":1}',
    answer({ message: 0, kind: 'x', quote: 'I never' }),
  ])
    expect(quotedIn(nonsense, [message])).toEqual([]);
});
