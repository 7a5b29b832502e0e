import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  choose,
  decayOf,
  hybridOf,
  keywordHalf,
  knows,
  probabilityOf,
  type Rankable,
  type RankContext,
  rank,
  shareOut,
  vectorHalf,
  withDecay,
} from '../../../src/domain/memory/rank.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 0, 1);
const context: RankContext = {
  weights: { vector: 0.6, keyword: 0.4 },
  scale: { related: 0.85, spread: 0.03 },
  terms: 3,
  librarySize: 1_000,
  decayFactor: 0.001,
  now: NOW,
};
let next = 0;
const candidate = (more: Partial<Rankable> = {}): Rankable => ({
  messageId: `m${++next}`,
  conversationId: `c${next}`,
  text: `passage ${next}`,
  createdAt: NOW,
  cosine: 0.85,
  bm25: 5,
  ...more,
});
const share = fc.double({ min: 0, max: 1, noNaN: true });

describe('the two halves', () => {
  it('lie between 0 and 1 and grow with what they are made of', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -1, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 200, noNaN: true }),
        fc.integer({ min: 1, max: 96 }),
        fc.integer({ min: 0, max: 1_000_000 }),
        (cosine, bm25, terms, size) => {
          const v = vectorHalf(cosine, { related: 0.85, spread: 0.03 });
          const k = keywordHalf(bm25, terms, size);
          for (const value of [v, k]) expect(value >= 0 && value <= 1).toBe(true);
          expect(keywordHalf(bm25 + 1, terms, size)).toBeGreaterThan(k);
          expect(keywordHalf(bm25, terms + 1, size)).toBeLessThanOrEqual(k);
        },
      ),
    );
  });

  it('say 0.5 where a person would call half of the pairs related, for every model', () => {
    expect(vectorHalf(0.37, { related: 0.37, spread: 0.06 })).toBe(0.5);
    expect(vectorHalf(0.9, { related: 0.9, spread: 0.02 })).toBe(0.5);
  });

  it('leave the whole weight to the other one where one is impossible', () => {
    const weights = { vector: 0.6, keyword: 0.4 };
    expect(hybridOf(0.5, 1, weights)).toBeCloseTo(0.7);
    expect(hybridOf(null, 0.8, weights)).toBe(0.8);
    expect(hybridOf(0.9, null, weights)).toBe(0.9);
    expect(hybridOf(null, null, weights)).toBe(0);
    expect(hybridOf(0.4, 0.6, { vector: 0, keyword: 0 })).toBe(0.5);
  });
});

describe('age', () => {
  it('decays by exp(-factor · days), and not at all for the future or the unknown', () => {
    expect(decayOf(NOW - 100 * DAY, NOW, 0.001)).toBeCloseTo(Math.exp(-0.1));
    expect(decayOf(NOW + DAY, NOW, 0.001)).toBe(1);
    expect(decayOf(0, NOW, 0.001)).toBe(1);
  });

  it('lowers odds: certain stays certain, doubtful falls', () => {
    const year = Math.exp(-0.365);
    expect(withDecay(0.97, year)).toBeGreaterThan(0.95);
    expect(withDecay(0.78, year)).toBeLessThan(0.75);
    fc.assert(
      fc.property(share, share, (probability, decay) => {
        const aged = withDecay(probability, decay);
        expect(aged).toBeLessThanOrEqual(probability + 1e-12);
        expect(aged).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it('lets an exact answer of last year pass the default threshold', () => {
    const [hit] = rank([candidate({ cosine: 0.93, bm25: 14, createdAt: NOW - 365 * DAY })], context);
    expect(hit?.scores.final).toBeGreaterThan(0.75);
  });
});

describe('ranking', () => {
  it('reports every number of every hit, best first', () => {
    const ranked = rank(
      [candidate({ cosine: 0.8, bm25: 0 }), candidate({ cosine: 0.92, bm25: 12 })],
      context,
    );
    expect(ranked.map(({ candidate: { cosine } }) => cosine)).toEqual([0.92, 0.8]);
    const [best, other] = ranked.map(({ scores }) => scores);
    expect(other?.keyword).toBeNull();
    expect(best?.hybrid).toBeCloseTo(0.6 * (best?.vector as number) + 0.4 * (best?.keyword as number));
    expect(best?.final).toBeCloseTo(probabilityOf(best?.hybrid as number));
  });

  it('of two equal passages puts the newer first', () => {
    const ranked = rank(
      [candidate({ createdAt: NOW - 400 * DAY }), candidate({ createdAt: NOW - DAY })],
      context,
    );
    expect(ranked[0]?.candidate.createdAt).toBe(NOW - DAY);
  });

  it('judges a passage without a vector by its words alone', () => {
    const [hit] = rank([candidate({ cosine: null, bm25: 20 })], context);
    expect(hit?.scores.vector).toBeNull();
    expect(hit?.scores.hybrid).toBe(hit?.scores.keyword);
  });

  it('does without words when the question has none', () => {
    const [hit] = rank([candidate({ cosine: 0.95, bm25: 0 })], { ...context, terms: 0 });
    expect(hit?.scores.hybrid).toBe(hit?.scores.vector);
  });

  it('knows which models can read Chinese', () => {
    expect(knows(['en'], '备份数据库')).toBe(false);
    expect(knows(['en', 'zh'], '备份数据库')).toBe(true);
    expect(knows('any', '备份数据库')).toBe(true);
    expect(knows(['en'], 'backup')).toBe(true);
  });
});

describe('the choice', () => {
  const options = { threshold: 0.75, limit: 5, perConversation: 2 };

  it('keeps near misses apart and both lists short', () => {
    const many = Array.from({ length: 30 }, (_, i) => candidate({ cosine: 0.75 + i / 150, bm25: i / 2 }));
    const { hits, nearMisses } = choose(rank(many, context), options);
    expect(hits).toHaveLength(5);
    expect(nearMisses).toHaveLength(5);
    for (const { scores } of hits) expect(scores.final).toBeGreaterThanOrEqual(0.75);
    for (const { scores } of nearMisses) expect(scores.final).toBeLessThan(0.75);
  });

  it('takes at most so many of one conversation, one of each message and one of each wording', () => {
    const good = { cosine: 0.95, bm25: 15 };
    const same = ['a', 'b', 'c'].map((messageId) => candidate({ ...good, messageId, conversationId: 'x' }));
    expect(choose(rank(same, context), options).hits).toHaveLength(2);
    const twice = [candidate({ ...good, messageId: 'm' }), candidate({ ...good, messageId: 'm' })];
    expect(choose(rank(twice, context), options).hits).toHaveLength(1);
    const alike = [
      candidate({ ...good, text: 'Hello, world!' }),
      candidate({ ...good, text: 'hello  world' }),
    ];
    expect(choose(rank(alike, context), options).hits).toHaveLength(1);
  });

  it('shares a budget out fairly and fully', () => {
    expect(shareOut([100, 400, 400], 500)).toEqual([100, 200, 200]);
    expect(shareOut([10, 10], 500)).toEqual([10, 10]);
    fc.assert(
      fc.property(
        fc.array(fc.nat(1_000), { maxLength: 12 }),
        fc.integer({ min: -5, max: 5_000 }),
        (wants, budget) => {
          const shares = shareOut(wants, budget);
          const sum = shares.reduce((a, b) => a + b, 0);
          expect(sum).toBeLessThanOrEqual(Math.max(0, budget));
          shares.forEach((value, i) => {
            expect(value).toBeLessThanOrEqual(wants[i] as number);
          });
          if (wants.reduce((a, b) => a + b, 0) <= budget) expect(shares).toEqual(wants);
        },
      ),
    );
  });
});
