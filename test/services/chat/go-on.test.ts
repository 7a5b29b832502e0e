// An answer that was cut off goes on: what is asked, what is kept, and what the model reads of it afterwards.
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEndpointModel } from '../../../src/adapters/models/index.ts';
import { joinPieces, pieceToContinue } from '../../../src/domain/chat/continuation.ts';
import { textOf } from '../../../src/domain/chat/message.ts';
import { GO_ON } from '../../../src/domain/context/prompt.ts';
import { type Script, type ScriptedModelServer, startScriptedModel } from '../../server/scripted-model.ts';
import { createScene } from './setup.ts';

let server: ScriptedModelServer;
const scenes: { close(): Promise<void> }[] = [];
server = await startScriptedModel();
beforeEach(() => server.reset());
afterEach(async () => {
  for (const made of scenes.splice(0)) await made.close();
});
afterAll(() => server.close());

const scene = () => {
  const made = createScene({
    model: () =>
      createEndpointModel({
        endpoint: { baseUrl: server.baseUrl },
        model: 'plain',
        key: async () => 'sk-test',
      }),
    config: (config) => ({ ...config, tools: { ...config.tools, enabled: false } }),
  });
  scenes.push(made);
  const { chat, idle, path } = made;
  return {
    ...made,
    goOn: async (id: Awaited<ReturnType<typeof made.say>>) => {
      const last = (await path(id)).at(-1);
      if (last) await chat.goOn(id, last.id);
      await idle(id);
    },
  };
};
const tokens = { usage: { prompt_tokens: 10, completion_tokens: 5 } };
const CUT: Readonly<Record<string, Script>> = {
  length: { steps: [{ text: 'Every night at thr' }, { finish: 'length' }, tokens] },
  cut: { steps: [{ text: 'Every night at thr' }, { cut: true }] },
  error: { steps: [{ text: 'Every night at thr' }, { error: { message: 'overloaded' } }] },
};
const rest: Script = {
  steps: [{ reasoning: 'Where was I?' }, { text: 'ee, by restic.' }, { finish: 'stop' }, tokens],
};
const wire = (at: number) =>
  server
    .chats()
    .at(at)
    ?.messages.map(({ role, content }) => [role, content]) ?? [];

describe('an answer that was cut off', () => {
  it.each(Object.keys(CUT))('goes on after %s: nothing is repeated, nothing lost', async (how) => {
    const { say, goOn, path } = scene();
    server.next(CUT[how] as Script, rest);
    const id = await say('When is the backup?');
    expect((await path(id)).at(-1)?.finish).toBe(how);
    await goOn(id);
    expect(wire(1).slice(1)).toEqual([
      ['user', 'When is the backup?'],
      ['assistant', 'Every night at thr'],
      ['user', GO_ON],
    ]);
    const [question, first, second] = await path(id);
    // Each piece is a message; the app adds no words of its own.
    expect(first).toMatchObject({ role: 'assistant', parentId: question?.id, finish: how });
    expect(second).toMatchObject({ role: 'assistant', parentId: first?.id, finish: 'stop' });
    expect(await path(id)).toHaveLength(3);
    const whole = joinPieces([first, second].filter((piece) => piece !== undefined));
    expect(textOf(whole)).toBe('Every night at three, by restic.');
    expect(whole.parts.map(({ type }) => type)).toEqual(['reasoning', 'text']);
    if (how === 'length') expect(whole.usage).toMatchObject({ inputTokens: 20, outputTokens: 10 });
    expect(second?.ledger).toMatchObject({ goesOn: { text: GO_ON } });
    expect(first?.ledger).not.toHaveProperty('goesOn');

    await say('Thanks', id);
    expect(wire(2).slice(1)).toEqual([
      ['user', 'When is the backup?'],
      ['assistant', 'Every night at three, by restic.'],
      ['user', 'Thanks'],
    ]);
  });

  it('goes on after it was stopped, and more than once', async () => {
    const { chat, say, goOn, path, idle } = scene();
    server.next({ steps: [{ text: 'One, ' }, { gate: true }] });
    const { conversationId: id } = await chat.send({ parts: [{ type: 'text', text: 'Count' }] });
    const turn = chat.turn(id);
    await new Promise<void>((resolve) => {
      const stop = turn.subscribe(() => {
        if (!turn.get().parts.some(({ type }) => type === 'text')) return;
        stop();
        resolve();
      });
    });
    chat.stop(id);
    await idle(id);
    server.next(
      { steps: [{ text: 'two, ' }, { finish: 'length' }] },
      { steps: [{ text: 'three.' }, { finish: 'stop' }] },
    );
    await goOn(id);
    await goOn(id);
    expect(wire(2).slice(1)).toEqual([
      ['user', 'Count'],
      ['assistant', 'One, two, '],
      ['user', GO_ON],
    ]);
    expect((await path(id)).map(textOf)).toEqual(['Count', 'One, ', 'two, ', 'three.']);
    // What is whole has nothing to go on with.
    await expect(goOn(id)).rejects.toMatchObject({ problem: { code: 'message-missing' } });
    await say('again', id);
  });

  it('gives up an attempt that brought nothing for the next one', async () => {
    const { say, goOn, path, all } = scene();
    server.next(
      CUT.length as Script,
      { status: 500, body: { error: { message: 'down' } } },
      { steps: [{ text: 'ee.' }, { finish: 'stop' }] },
    );
    const id = await say('When?');
    await goOn(id);
    expect((await path(id)).map(({ finish }) => finish)).toEqual([undefined, 'length', 'error']);
    await goOn(id);
    expect((await path(id)).map(textOf)).toEqual(['When?', 'Every night at thr', 'ee.']);
    expect(await all(id)).toHaveLength(3);
  });

  it('goes on from its words where the last attempt brought only thoughts', async () => {
    const { say, goOn, path, all } = scene();
    server.next(
      CUT.length as Script,
      { steps: [{ reasoning: 'Where was I?' }, { finish: 'length' }] },
      { steps: [{ text: 'ee.' }, { finish: 'stop' }] },
    );
    const id = await say('When?');
    await goOn(id);
    expect(pieceToContinue((await path(id)).slice(1))?.id).toBe((await path(id))[1]?.id);
    await goOn(id);
    expect((await path(id)).map(textOf)).toEqual(['When?', 'Every night at thr', 'ee.']);
    expect(wire(2).slice(1)).toEqual(wire(1).slice(1));
    // The thoughts stay, on a branch of their own.
    expect(await all(id)).toHaveLength(4);
  });

  it('is answered anew as a whole, from its question', async () => {
    const { chat, say, goOn, path, idle } = scene();
    server.next(CUT.length as Script, rest);
    const id = await say('When?');
    await goOn(id);
    const [question, , last] = await path(id);
    await chat.regenerate(id, last?.id as NonNullable<typeof last>['id']);
    await idle(id);
    expect((await path(id)).map(({ parentId }) => parentId)).toEqual([null, question?.id]);
    expect(wire(2).at(-1)).toEqual(['user', 'When?']);
  });
});
