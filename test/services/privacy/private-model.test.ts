// The seam through which every request leaves: the model reads tokens, the person reads words.
import { beforeEach, describe, expect, it } from 'vitest';
import type { ChatEvent, ChatModel, Prompt } from '../../../src/adapters/models/chat-model.ts';
import { writable } from '../../../src/domain/base/readable.ts';
import type { Part } from '../../../src/domain/chat/message.ts';
import { CATEGORIES } from '../../../src/domain/privacy/categories.ts';
import { type Config, configSchema } from '../../../src/domain/settings/config.ts';
import { PrivacyFilter } from '../../../src/services/privacy/privacy-filter.ts';
import { privateModel } from '../../../src/services/privacy/private-model.ts';

const config = writable<Config>(configSchema.parse({}));
const keepOut = (privacy: Record<string, unknown>) => config.set(configSchema.parse({ privacy }));
beforeEach(() => keepOut({ keep_out_of_prompts: CATEGORIES, own_names: ['Anna Bergmann'] }));

/** A model that records what it read and gives a scripted answer. */
function scripted(events: readonly ChatEvent[]) {
  const read: Prompt[] = [];
  const model: ChatModel = {
    id: 'scripted',
    contextWindow: null,
    async *stream(prompt) {
      read.push(prompt);
      yield* events;
      yield { type: 'end', finish: 'stop' };
    },
  };
  return { read, model };
}
const text = (said: string): Part => ({ type: 'text', text: said });
const user = (...parts: Part[]) => ({ role: 'user' as const, parts });
const assistant = (...parts: Part[]) => ({ role: 'assistant' as const, parts });

async function ask(
  { model }: ReturnType<typeof scripted>,
  messages: Prompt['messages'],
  filter = new PrivacyFilter({ config }),
  system: string | null = null,
): Promise<ChatEvent[]> {
  const events: ChatEvent[] = [];
  const { signal } = new AbortController();
  for await (const event of privateModel(model, filter).stream({ system, messages }, { signal }))
    events.push(event);
  return events;
}
const saidIn = (events: readonly ChatEvent[], type: 'text-delta' | 'reasoning-delta' = 'text-delta') =>
  events.map((event) => (event.type === type ? event.text : '')).join('');

describe('a request', () => {
  it('has tokens in every part of it, and no private word', async () => {
    const asked = scripted([]);
    const attached = `data:text/plain;base64,${Buffer.from('call 13800138000').toString('base64')}`;
    await ask(
      asked,
      [
        user(text('Write to anna@x.example, card 4111 1111 1111 1111.'), {
          type: 'file',
          mediaType: 'text/plain',
          name: 'Anna Bergmann.txt',
          url: attached,
        }),
        assistant(
          { type: 'reasoning', text: 'anna@x.example it is' },
          {
            type: 'tool-call',
            callId: '1',
            name: 'mail',
            arguments: '{"to":"anna@x.example","password":"hunter22!"}',
          },
        ),
        {
          role: 'tool',
          parts: [{ type: 'tool-result', callId: '1', name: 'mail', text: 'sent to anna@x.example' }],
        },
        user(text('Thanks. The IBAN is DE89 3704 0044 0532 0130 00.')),
      ],
      undefined,
      'You help Anna Bergmann.',
    );
    const [{ system, messages } = { system: '', messages: [] }] = asked.read;
    const sent = JSON.stringify({ system, messages });
    expect(system).toBe('You help [name-1].');
    for (const words of ['anna@', '4111', 'DE89', 'Bergmann', 'hunter22', attached])
      expect(sent).not.toContain(words);
    expect(messages[0]?.parts[0]).toEqual(text('Write to [email-1], card [card-1].'));
    const file = messages[0]?.parts[1] as { url: string; name: string };
    expect(file.name).toBe('[name-1].txt');
    expect(Buffer.from(file.url.split(',')[1] ?? '', 'base64').toString()).toBe('call [phone-1]');
    const call = messages[1]?.parts[1] as { arguments: string };
    expect(JSON.parse(call.arguments)).toEqual({
      to: '[email-1]',
      password: '[secret-1]',
    });
    expect(messages[2]?.parts[0]).toMatchObject({ text: 'sent to [email-1]' });
  });

  it('keeps its tokens from one question to the next', async () => {
    const filter = new PrivacyFilter({ config });
    const asked = scripted([]);
    await ask(asked, [user(text('Call 13800138000.'))], filter);
    await ask(asked, [user(text('Call 13900139000.')), user(text('Call 13800138000 again.'))], filter);
    expect(asked.read[1]?.messages.map(({ parts }) => (parts[0] as { text: string }).text)).toEqual([
      'Call [phone-2].',
      'Call [phone-1] again.',
    ]);
  });

  it('does not leak what an answer repeats without what showed it', async () => {
    const asked = scripted([]);
    await ask(asked, [
      user(text('The password is tiger_77x')),
      assistant(text('Log in with tiger_77x now.')),
    ]);
    expect(asked.read[0]?.messages[1]?.parts[0]).toEqual(text('Log in with [secret-1] now.'));
  });

  it('hides a key that was cut by *Continue*', async () => {
    const asked = scripted([]);
    await ask(asked, [
      user(text('Go on')),
      assistant(text('Use ghp_9aXb3LmQ7rT2vK8')),
      assistant(text('wN5cZ1yF4dG6hJ0pSeUoI from now on.')),
    ]);
    const sent = asked.read[0]?.messages.slice(1).map(({ parts }) => (parts[0] as { text: string }).text);
    expect(sent).toEqual(['Use [key-1]', ' from now on.']);
  });

  it('is the very same where nothing is kept out of requests', async () => {
    keepOut({});
    const asked = scripted([{ type: 'text-delta', text: 'See [phone-1].' }]);
    const messages = [user(text('The password is hunter22!, call 13800138000'))];
    expect(saidIn(await ask(asked, messages))).toBe('See [phone-1].');
    expect(asked.read[0]?.messages).toBe(messages);
  });
});

describe('an answer', () => {
  it('has the words again, wherever a token is cut', async () => {
    const answer = 'I wrote to [email-1] and called [phone-1]; [phone-9] is unknown.';
    for (let size = 1; size <= 9; size++) {
      const deltas = answer.match(new RegExp(`.{1,${size}}`, 'gs')) ?? [];
      const asked = scripted(deltas.map((piece) => ({ type: 'text-delta', text: piece })));
      const events = await ask(asked, [user(text('Write to anna@x.example, call 13800138000'))]);
      expect(saidIn(events)).toBe('I wrote to anna@x.example and called 13800138000; [phone-9] is unknown.');
      expect(events.at(-1)).toMatchObject({ type: 'end' });
    }
  });

  it('has them in thoughts and calls too, in their order', async () => {
    const asked = scripted([
      { type: 'reasoning-delta', text: 'The number is [pho' },
      { type: 'reasoning-delta', text: 'ne-1]. Then [' },
      { type: 'text-delta', text: 'Calling [phone-1' },
      { type: 'tool-call', callId: '1', name: 'call', arguments: '{"number":"[phone-1]"}' },
      { type: 'text-delta', text: ']' },
    ]);
    const events = await ask(asked, [user(text('Call 13800138000'))]);
    expect(saidIn(events, 'reasoning-delta')).toBe('The number is 13800138000. Then [');
    expect(saidIn(events)).toBe('Calling [phone-1]');
    expect(events.find(({ type }) => type === 'tool-call')).toMatchObject({
      arguments: '{"number":"13800138000"}',
    });
  });

  it('has them in thoughts that turn out to be words', async () => {
    const asked = scripted([
      { type: 'reasoning-delta', text: 'Call [phone-' },
      { type: 'reasoning-delta', text: '1]' },
      { type: 'reasoning-was-text', thoughts: 'Call [phone-1]', words: '<x>Call [phone-1]' },
    ]);
    const events = await ask(asked, [user(text('Call 13800138000'))]);
    expect(events.at(-2)).toEqual({
      type: 'reasoning-was-text',
      thoughts: 'Call 13800138000',
      words: '<x>Call 13800138000',
    });
  });

  it('gets no words for a token that its request did not have', async () => {
    const filter = new PrivacyFilter({ config });
    await ask(scripted([]), [user(text('Call 13800138000'))], filter);
    const asked = scripted([{ type: 'text-delta', text: 'The number is [phone-1].' }]);
    expect(saidIn(await ask(asked, [user(text('What number do I have?'))], filter))).toBe(
      'The number is [phone-1].',
    );
  });
});
