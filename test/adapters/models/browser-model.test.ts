// The browser's own model, over a scripted `LanguageModel`: what it is asked, how it
// streams, and what browsers do differently.
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  browserModelState,
  createBrowserModel,
  prepareBrowserModel,
} from '../../../src/adapters/models/browser-model.ts';
import { testConnection } from '../../../src/adapters/models/connection-test.ts';
import { createEndpointModel } from '../../../src/adapters/models/index.ts';
import { type Script, scriptedLanguageModel } from '../../server/language-model.ts';
import { collect, describeChatModel, endOf, promptOf, said } from '../../suites/chat-model.suite.ts';

afterEach(() => vi.unstubAllGlobals());
const never = new AbortController().signal;

function given(script: Script) {
  const model = scriptedLanguageModel(script);
  vi.stubGlobal('LanguageModel', model.global);
  vi.stubGlobal('navigator', { languages: ['de-AT', 'zh-CN', 'en-US'] });
  return model;
}
const text = (value: string) => [{ type: 'text' as const, text: value }];

describeChatModel(
  "the browser's own model",
  async () => ({
    model: (situation) => {
      given({
        reply: function* (lines) {
          if (situation === 'plain') yield* ['Yes. ', 'The backup runs every night at three.'];
          if (situation === 'echo') yield* lines.at(-1)?.content ?? '';
          if (situation === 'gated') yield* ['one ', 'two ', 'three ', 'hold'] as const;
          if (situation === 'cut') {
            yield 'What arrived before the cut ';
            throw new DOMException('The model crashed.', 'UnknownError');
          }
        },
      });
      return createEndpointModel({
        endpoint: { baseUrl: 'browser:', protocol: 'browser' },
        model: 'built-in',
        key: async () => undefined,
      });
    },
    close: async () => undefined,
  }),
  // The browser's model has no tools, marks no thoughts, and does not say why it ended.
  ['tools', 'reasoning', 'length', 'failing'],
);

describe('what it is asked', () => {
  it('is one system line first, roles in turn, and the question apart; tools and files in words', async () => {
    const { asked, counts } = given({});
    const events = await collect(createBrowserModel(), {
      system: 'Be brief.',
      messages: [
        { role: 'user', parts: text('First') },
        {
          role: 'assistant',
          parts: [{ type: 'tool-call', callId: 'a', name: 'lookup', arguments: '{"q":1}' }],
        },
        { role: 'tool', parts: [{ type: 'tool-result', callId: 'a', text: 'found' }] },
        { role: 'assistant', parts: text('Second') },
        { role: 'system', parts: text('A rule from an import') },
        {
          role: 'user',
          parts: [
            { type: 'file', mediaType: 'image/png', name: 'cat.png', url: 'data:image/png;base64,AA==' },
            ...text('Third'),
          ],
        },
      ],
    });
    expect(asked).toEqual([
      [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'First' },
        { role: 'assistant', content: '[lookup: {"q":1}]' },
        { role: 'user', content: '[lookup] found' },
        { role: 'assistant', content: 'Second' },
        { role: 'user', content: 'A rule from an import\n\n[image: cat.png]\n\nThird' },
      ],
    ]);
    expect(events).toContainEqual({ type: 'usage', usage: { inputTokens: 16, outputTokens: 2 } });
    expect(counts.open).toBe(0);
  });

  it('goes on after the words of an answer that was stopped', async () => {
    const { asked } = given({});
    await collect(createBrowserModel(), {
      system: null,
      messages: [
        { role: 'user', parts: text('Count') },
        { role: 'assistant', parts: text('one two') },
      ],
    });
    expect(asked[0]?.at(-1)).toEqual({ role: 'assistant', content: 'one two', prefix: true });
  });
});

describe('what browsers do differently', () => {
  it.each<[string, Script | null, string]>([
    ['no such global', null, 'unavailable'],
    ['a device that cannot run it', { state: 'unavailable' }, 'unavailable'],
    ['one that has to come first', { state: 'downloadable' }, 'downloadable'],
    ['one that does not know all of the languages', { languages: ['en'] }, 'available'],
  ])('%s', async (_, script, state) => {
    if (script) given(script);
    else vi.stubGlobal('LanguageModel', undefined);
    expect(await browserModelState()).toBe(state);
    const report = await testConnection({ baseUrl: 'browser:', protocol: 'browser' }, undefined, never);
    expect(report).toMatchObject(
      state === 'unavailable'
        ? { ok: false, problem: { code: 'model-browser', params: { reason: 'unavailable' } } }
        : { ok: true, models: ['built-in'] },
    );
  });

  it.each([
    [['zh-CN', 'zh'], [['en']]],
    [['en-GB', 'en'], [['en']]],
    [
      ['ja', 'zh-CN', 'en-US'],
      [['ja', 'en'], ['en']],
    ],
  ])('is asked in languages that it knows, so that it logs nothing: %s', async (languages, wanted) => {
    given({});
    vi.stubGlobal('navigator', { languages });
    const asked: unknown[] = [];
    vi.stubGlobal('LanguageModel', {
      availability: async (options?: { expectedInputs?: unknown; expectedOutputs?: unknown }) => {
        expect(options?.expectedOutputs).toEqual(options?.expectedInputs);
        asked.push(options?.expectedOutputs);
        return 'unavailable';
      },
    });
    expect(await browserModelState()).toBe('unavailable');
    expect(asked).toEqual(wanted.map((some) => [{ type: 'text', languages: some }]));
  });

  it('a page whose policy forbids it', async () => {
    given({});
    vi.stubGlobal('LanguageModel', {
      availability: () => Promise.reject(new DOMException('No', 'NotAllowedError')),
    });
    expect(await browserModelState()).toBe('unavailable');
    expect(endOf(await collect(createBrowserModel()))).toMatchObject({
      finish: 'error',
      problem: { code: 'model-browser' },
    });
  });

  it.each([{ old: false }, { old: true }])('tells what has come of the download: %o', async (how) => {
    const { counts } = given({ state: 'downloadable', ...how });
    const shares: number[] = [];
    await prepareBrowserModel(never, (share) => shares.push(share));
    expect(shares).toEqual([0, 0.4, 1]);
    expect(counts.open).toBe(0);
    expect(said(await collect(createBrowserModel()))).toBe('An answer.');
  });

  it('a download without a click is refused, with the way on', async () => {
    given({ state: 'downloadable', forbidden: true });
    expect(endOf(await collect(createBrowserModel())).problem).toMatchObject({
      code: 'model-browser',
      params: { reason: 'download' },
    });
  });

  it('a download that nobody waits for any more ends quietly', async () => {
    given({ state: 'downloadable' });
    const making = new AbortController();
    const made = prepareBrowserModel(making.signal, (share) => share > 0 && making.abort());
    await expect(made).rejects.toThrow(/abort/i);
  });

  it.each([{ old: false }, { old: true }])(
    'its window is as large as its last session said: %o',
    async (how) => {
      given({ window: 50, ...how });
      const model = createBrowserModel();
      await collect(model);
      expect(model.contextWindow).toBe(50);
      for (const prompt of [promptOf('word '.repeat(60)), { ...promptOf('x'), system: 'word '.repeat(60) }])
        expect(endOf(await collect(model, prompt)).problem?.code).toBe('model-context');
      given({ window: Number.POSITIVE_INFINITY, ...how });
      await collect(model);
      expect(model.contextWindow).toBeNull();
    },
  );
});
