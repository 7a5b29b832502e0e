// What every embedding provider promises. Run by each member's test, in Node and in the browser.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EmbeddingProvider } from '../../src/adapters/embedding/embedding-provider.ts';

export interface EmbeddingSetup {
  readonly provider: EmbeddingProvider;
  /** Whether nearness of meaning without shared words can be asked of it, and in which languages. */
  readonly meaning: readonly ('en' | 'zh')[];
  readonly teardown: () => Promise<void>;
}

const never = new AbortController().signal;

const dot = (a: Float32Array | undefined, b: Float32Array | undefined): number => {
  if (!a || !b) throw new Error('a vector is missing');
  return a.reduce((sum, value, at) => sum + value * (b[at] as number), 0);
};

/** A question, the passage that answers it, and one that does not. */
const TRIPLES = {
  words: [
    'postgres backup schedule',
    'The postgres backup schedule runs nightly.',
    'My sister adopted a grey kitten.',
  ],
  en: [
    'How do we keep the database from losing data?',
    'Every night at three a dump of Postgres is copied to the other building.',
    'My sister adopted a grey kitten and named it Pepper.',
  ],
  zh: ['怎么防止数据丢失？', '每天凌晨三点把数据库备份到另一台机器。', '妹妹领养了一只灰色的小猫。'],
} as const;

/** Describes what a member of the family must do; `setup` makes a fresh one. */
export function describeEmbeddingProvider(name: string, setup: () => Promise<EmbeddingSetup>): void {
  describe(`${name}, as an embedding provider`, () => {
    let it_: EmbeddingSetup;
    beforeAll(async () => {
      it_ = await setup();
    }, 120_000);
    afterAll(() => it_.teardown());

    it('names itself, its languages and how much it takes at once', () => {
      expect(it_.provider.id).toMatch(/^[a-z]+\/.+/);
      expect(it_.provider.maxBatch).toBeGreaterThan(0);
      expect(it_.provider.languages === 'any' || it_.provider.languages.length > 0).toBe(true);
    });

    it('reads pieces where it can: a passage apart from its context, a question with what each piece says', async () => {
      const { provider } = it_;
      if (!provider.read) return;
      const text = 'The oven is too hot.';
      const asked = await provider.read([{ context: '', text }], { kind: 'query', signal: never });
      const [alone, within] = await provider.read(
        [
          { context: '', text },
          { context: 'What about the bread in the kitchen?\n', text },
        ],
        { kind: 'passage', signal: never },
      );
      const [whole] = await provider.embed([text], { kind: 'query', signal: never });
      expect(dot(asked[0]?.vector, whole)).toBeGreaterThan(0.99);
      expect(asked[0]?.weights.length).toBeGreaterThan(2);
      expect(asked[0]?.tokens).toHaveLength(256 * (asked[0]?.weights.length ?? 0));
      // The context changes how the text is read, not how many pieces it has.
      expect(alone?.bits.length).toBeGreaterThan(3 * 32);
      expect(within?.bits).toHaveLength(alone?.bits.length ?? 0);
      expect(within?.bits).not.toEqual(alone?.bits);
      expect(dot(alone?.vector, within?.vector)).toBeLessThan(0.9999);
    });

    it('gives one vector of length 1 for each text, in order', async () => {
      const texts = ['alpha', 'A longer sentence about nothing in particular.', '你好，世界', 'alpha'];
      const vectors = await it_.provider.embed(texts, { kind: 'passage', signal: never });
      expect(vectors).toHaveLength(texts.length);
      for (const vector of vectors) {
        expect(vector).toBeInstanceOf(Float32Array);
        expect(vector).toHaveLength(it_.provider.dimensions);
        expect(dot(vector, vector)).toBeCloseTo(1, 4);
      }
      expect(dot(vectors[0], vectors[3])).toBeGreaterThan(0.99);
      expect(dot(vectors[0], vectors[2])).toBeLessThan(0.99);
    });

    it('gives the same text the same vector', async () => {
      const [first] = await it_.provider.embed(['the same again'], { kind: 'query', signal: never });
      const [second] = await it_.provider.embed(['the same again'], { kind: 'query', signal: never });
      expect(dot(first, second)).toBeGreaterThan(0.999);
    });

    it('takes nothing, empty text, odd characters and text far beyond its window', async () => {
      expect(await it_.provider.embed([], { kind: 'passage', signal: never })).toEqual([]);
      const odd = ['', '   \n', '\u0000\ud800 lone', '🎉🎉', 'word '.repeat(5000)];
      const vectors = await it_.provider.embed(odd, { kind: 'passage', signal: never });
      expect(vectors).toHaveLength(odd.length);
      for (const vector of vectors) expect(dot(vector, vector)).toBeCloseTo(1, 4);
    });

    it('brings a question near to its answer', async () => {
      const triples = [TRIPLES.words, ...it_.meaning.map((language) => TRIPLES[language])];
      for (const [question, answer, other] of triples) {
        const [asked] = await it_.provider.embed([question], { kind: 'query', signal: never });
        const [near, far] = await it_.provider.embed([answer, other], { kind: 'passage', signal: never });
        expect(dot(asked, near), question).toBeGreaterThan(dot(asked, far));
      }
    });

    it('calibrates: an answer reads as related, a stranger does not', async () => {
      const { related, spread } = await it_.provider.calibration(never);
      expect(spread).toBeGreaterThan(0);
      const score = (cosine: number) => 1 / (1 + Math.exp(-(cosine - related) / spread));
      const [question, answer, other] = TRIPLES.words;
      const [asked] = await it_.provider.embed([question], { kind: 'query', signal: never });
      const [near, far] = await it_.provider.embed([answer, other], { kind: 'passage', signal: never });
      expect(score(dot(asked, near))).toBeGreaterThan(0.5);
      expect(score(dot(asked, far))).toBeLessThan(0.5);
      expect(await it_.provider.calibration(never)).toEqual({ related, spread });
    });

    it('stops when told, with the platform’s own AbortError, and goes on serving', async () => {
      const stopped = AbortSignal.abort();
      await expect(it_.provider.embed(['x'], { kind: 'query', signal: stopped })).rejects.toMatchObject({
        name: 'AbortError',
      });
      const [vector] = await it_.provider.embed(['x'], { kind: 'query', signal: never });
      expect(vector).toHaveLength(it_.provider.dimensions);
    });

    it('lets go and loads again', async () => {
      await it_.provider.close();
      const [vector] = await it_.provider.embed(['after closing'], { kind: 'query', signal: never });
      expect(vector).toHaveLength(it_.provider.dimensions);
      expect(it_.provider.state.get().status).toBe('ready');
    });
  });
}
