// Calls on memory in wordings that no form foresaw: the learnt head hears them with the shipped
// model, and forms decide without it.
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { askedOfMemory, CALLING_CLASSES, callingCues } from '../../../src/domain/memory/calling/asked.ts';
import { LEARNT_CALLS } from '../../../src/domain/memory/calling/learnt.ts';
import { createInProcessLocalEmbedding } from '../../adapters/embedding/in-process.ts';
import {
  HELD_SETS,
  heardIn,
  heldSentences,
  shippedHead,
  taughtNumber,
  taughtSentences,
} from '../../eval/calls.ts';

const provider = createInProcessLocalEmbedding({ models: join(process.cwd(), 'public/models') });
afterAll(() => provider.close());
const calling = shippedHead();
const vectorsOf = async (texts: readonly string[]): Promise<Map<string, Float32Array>> => {
  const { signal } = new AbortController();
  const made: Float32Array[] = [];
  for (let at = 0; at < texts.length; at += 16)
    made.push(...(await provider.embed(texts.slice(at, at + 16), { kind: 'query', signal })));
  return new Map(texts.map((text, at) => [text, made[at] as Float32Array]));
};
const counted = (some: string): number => Number(some.split(' ')[0]);

describe('the taught sentences', () => {
  it('have every class in both languages, each sentence once', () => {
    const taught = taughtSentences();
    for (const han of [false, true])
      for (const as of CALLING_CLASSES)
        expect(
          taught.filter((one) => one.as === as && /\p{Script=Han}/u.test(one.text) === han).length,
          as,
        ).toBeGreaterThan(30);
    expect(new Set(taught.map(({ text }) => text)).size).toBe(taught.length);
  });

  it('are those that were learnt of: else `npm run eval -- --calls --learn`', () => {
    expect(LEARNT_CALLS.taught).toBe(taughtNumber());
    expect(LEARNT_CALLS.provider).toBe(provider.id);
    expect(calling?.head.classes).toBe(CALLING_CLASSES.length);
    expect(calling?.head.width).toBe(
      (provider.dimensions ?? 0) + callingCues('', calling?.words ?? []).length + 1,
    );
  });

  it('share no sentence with the sets that measure', () => {
    const known = new Set(taughtSentences().map(({ text }) => text));
    for (const name of HELD_SETS)
      expect(heldSentences(name).filter(({ text }) => known.has(text))).toEqual([]);
  });
});

it.each([
  ['held-1', { calls: 20, overviews: 12 }],
  ['held-2', { calls: 28, overviews: 15 }],
] as const)('of %s far more is heard than by form, and hardly anything else', async (name, least) => {
  const rows = heldSentences(name);
  const vectors = await vectorsOf(rows.map(({ text }) => text));
  const form = heardIn(rows, (text) => askedOfMemory(text, null, null));
  const both = heardIn(rows, (text) => askedOfMemory(text, vectors.get(text) ?? null, calling));
  expect(counted(both.calls)).toBeGreaterThanOrEqual(least.calls);
  expect(counted(both.calls)).toBeGreaterThan(2 * counted(form.calls));
  expect(counted(both.falseCalls)).toBeLessThanOrEqual(3);
  expect(counted(both.overviews)).toBeGreaterThanOrEqual(least.overviews);
  expect(counted(both.falseOverviews)).toBeLessThanOrEqual(2);
});

describe('a message', () => {
  const TEXT = 'Your tip about the tent, once more, please.';

  it('is judged by its form alone without a vector, and with one of another width', async () => {
    const vector = (await vectorsOf([TEXT])).get(TEXT) as Float32Array;
    expect(askedOfMemory(TEXT, vector, calling).calls).toBe(true);
    for (const [one, head] of [
      [null, calling],
      [vector, null],
      [vector.subarray(1), calling],
    ] as const)
      expect(askedOfMemory(TEXT, one, head)).toEqual({ calls: false, breadth: null });
  });

  it('of great length is judged by its form alone', async () => {
    const long = `${TEXT} ${'Nothing of note happened. '.repeat(30)}`;
    const vector = (await vectorsOf([TEXT])).get(TEXT) as Float32Array;
    expect(askedOfMemory(long, vector, calling).calls).toBe(false);
    expect(askedOfMemory(`${long} As we agreed.`, vector, calling).calls).toBe(true);
  });

  it.each([
    'What do you know about my mother?',
    "Put them in the table from yesterday's session.",
    '这句话你以前有个更好的说法。',
    '还是老地方老时间，写个通知',
  ])('that a form hears stays a call where the head only doubts: %s', async (text) => {
    const vectors = await vectorsOf([text]);
    expect(askedOfMemory(text, vectors.get(text) ?? null, calling).calls).toBe(true);
  });

  it('that a form hears and the head does not is no call', async () => {
    const text = 'The nurse told me as discussed to fast. How long?';
    const vectors = await vectorsOf([text]);
    expect(askedOfMemory(text, null, null).calls).toBe(true);
    expect(askedOfMemory(text, vectors.get(text) ?? null, calling).calls).toBe(false);
  });
});
