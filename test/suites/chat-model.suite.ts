// The contract of every ChatModel.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChatEvent, ChatModel, Prompt } from '../../src/adapters/models/chat-model.ts';

/** Situations that a member has to bring about. `gated`: says "one two three " and then waits for ever. */
export type Situation =
  | 'plain'
  | 'echo'
  | 'reasoning'
  | 'tools'
  | 'length'
  | 'gated'
  | 'cut'
  | 'failing'
  | 'empty';

export interface ChatModelSetup {
  model(situation: Situation): ChatModel;
  close(): Promise<void>;
}

export const promptOf = (text: string): Prompt => ({
  system: null,
  messages: [{ role: 'user', parts: [{ type: 'text', text }] }],
});

/** All events of one answer. */
export async function collect(
  model: ChatModel,
  prompt: Prompt = promptOf('When is the backup?'),
  options: Parameters<ChatModel['stream']>[1] = { signal: new AbortController().signal },
  /** Gets the events that have come, while more may come. */
  events: ChatEvent[] = [],
): Promise<ChatEvent[]> {
  for await (const event of model.stream(prompt, options)) events.push(event);
  return events;
}

export const said = (
  events: readonly ChatEvent[],
  type: 'text-delta' | 'reasoning-delta' = 'text-delta',
): string => events.map((event) => (event.type === type ? event.text : '')).join('');

export const endOf = (events: readonly ChatEvent[]): Extract<ChatEvent, { type: 'end' }> => {
  const ends = events.filter((event) => event.type === 'end');
  expect(ends).toHaveLength(1);
  expect(events.at(-1)).toBe(ends[0]);
  return ends[0] as Extract<ChatEvent, { type: 'end' }>;
};

/** `without`: situations that such a model does not know. */
export function describeChatModel(
  name: string,
  setup: () => Promise<ChatModelSetup>,
  without: readonly Situation[] = [],
): void {
  const known = (situation: Situation) => it.skipIf(without.includes(situation));
  describe(`${name} is a ChatModel`, () => {
    let it_: ChatModelSetup;
    beforeAll(async () => {
      it_ = await setup();
    });
    afterAll(() => it_.close());

    it('streams an answer and ends once', async () => {
      const events = await collect(it_.model('plain'));
      expect(said(events)).toBe('Yes. The backup runs every night at three.');
      expect(endOf(events)).toEqual({ type: 'end', finish: 'stop' });
    });

    it('gives every character through, whatever it is', async () => {
      const text = '数据库备份 “quotes” <b>&amp;</b>\n\n\u2028 👩‍👩‍👧 \\ "end"';
      expect(said(await collect(it_.model('echo'), promptOf(text)))).toBe(text);
    });

    known('reasoning')('keeps thoughts apart from words', async () => {
      const events = await collect(it_.model('reasoning'));
      expect(said(events, 'reasoning-delta')).toBe('The person asks about backups. ');
      expect(said(events)).toBe('Backups run at three.');
    });

    known('tools')('hands over tool calls whole', async () => {
      const events = await collect(it_.model('tools'), undefined, {
        tools: [
          {
            name: 'lookup',
            description: 'Looks something up',
            schema: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
          },
        ],
        signal: new AbortController().signal,
      });
      expect(events.find((event) => event.type === 'tool-call')).toMatchObject({
        type: 'tool-call',
        callId: 'call_1',
        name: 'lookup',
        arguments: '{"query":"backup time"}',
      });
      expect(endOf(events).finish).toBe('tool-calls');
    });

    known('length')('says that an answer was cut by the length', async () => {
      expect(endOf(await collect(it_.model('length'))).finish).toBe('length');
    });

    known('failing')('reports a failure as the last event', async () => {
      const end = endOf(await collect(it_.model('failing')));
      expect(end.finish).toBe('error');
      expect(end.problem?.code).toBe('model-key');
    });

    it('keeps what came before a cut', async () => {
      const events = await collect(it_.model('cut'));
      expect(said(events)).toBe('What arrived before the cut ');
      const end = endOf(events);
      expect(end.finish).toBe('cut');
      expect(end.problem).toMatchObject({ code: 'model-cut', retry: true });
    });

    it('ends an empty answer too', async () => {
      const events = await collect(it_.model('empty'));
      expect(said(events)).toBe('');
      expect(endOf(events).finish).toBe('stop');
    });

    it('stops at once, with what has come', async () => {
      const control = new AbortController();
      const events: ChatEvent[] = [];
      for await (const event of it_.model('gated').stream(promptOf('x'), { signal: control.signal })) {
        events.push(event);
        if (said(events) === 'one two three ') control.abort();
      }
      expect(said(events)).toBe('one two three ');
      expect(endOf(events)).toEqual({ type: 'end', finish: 'stopped' });
    });

    it('asks nothing when it is stopped before it starts', async () => {
      const events = await collect(it_.model('plain'), undefined, { signal: AbortSignal.abort() });
      expect(events).toEqual([{ type: 'end', finish: 'stopped' }]);
    });

    it('can be left in the middle', async () => {
      for await (const event of it_
        .model('gated')
        .stream(promptOf('x'), { signal: new AbortController().signal }))
        if (event.type === 'text-delta') break;
      expect(said(await collect(it_.model('plain')))).toContain('three');
    });

    it('answers several at once', async () => {
      const texts = ['alpha beta', 'gamma delta', 'epsilon zeta'];
      const answers = await Promise.all(texts.map((text) => collect(it_.model('echo'), promptOf(text))));
      expect(answers.map((events) => said(events))).toEqual(texts);
    });
  });
}
