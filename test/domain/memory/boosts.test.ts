// Time words and dates raise a score: of two passages equal in all else, the one that fits comes first.
import { describe, expect, it } from 'vitest';
import { FIT } from '../../../src/domain/memory/fit.ts';
import { type Rankable, type RankContext, rank } from '../../../src/domain/memory/rank.ts';

const NOW = new Date(2026, 5, 15, 12).getTime();
const context = (question: string, without: RankContext['without'] = new Set()): RankContext => ({
  weights: { vector: 0.6, keyword: 0.4 },
  scale: { related: 0.85, spread: 0.03 },
  idfWeights: [10, 10],
  question,
  // Age is not what is looked at here.
  decayFactor: 0,
  now: NOW,
  without,
});
const candidate = (chunkId: number, text: string, createdAt: number): Rankable => ({
  chunkId,
  messageId: `m${chunkId}`,
  conversationId: `c${chunkId}`,
  text,
  createdAt,
  cosine: 0.86,
  terms: [2, 2],
});

const CASES = [
  {
    technique: 'time',
    question: 'When did we move the server?',
    fits: candidate(1, 'We moved the server last week.', NOW),
    other: candidate(2, 'We moved the server upstairs.', NOW),
  },
  {
    technique: 'date',
    question: 'What about the server in March 2025?',
    fits: candidate(1, 'The server was noisy.', new Date(2025, 2, 12).getTime()),
    other: candidate(2, 'The server was silent.', new Date(2025, 8, 12).getTime()),
  },
] as const;

describe.each(CASES)('the $technique boost', ({ technique, question, fits, other }) => {
  const finals = (without?: ReadonlySet<'time' | 'date'>) =>
    new Map(
      rank([other, fits], context(question, without)).map(({ candidate, scores }) => [
        candidate.messageId,
        scores.final,
      ]),
    );

  it('raises what fits above what does not, as much as the fit says', () => {
    expect(FIT[technique]).toBeGreaterThan(1.05);
    const [raised = 0, plain = 0] = [finals().get(fits.messageId), finals().get(other.messageId)];
    expect(raised).toBeGreaterThan(plain + 0.01);
  });

  it('is all that tells them apart', () => {
    const off = finals(new Set([technique]));
    expect(off.get(fits.messageId)).toBe(off.get(other.messageId));
  });
});

describe('a passage in another language than the question', () => {
  const question = 'Where do the backups go?';
  const [english, chinese] = ['The photos are on the old disk.', '照片都在那块旧硬盘上。'];
  const of = (asked: string, text: string, more: Partial<Rankable> = {}, wanted: Partial<RankContext> = {}) =>
    rank([{ ...candidate(1, text, NOW), terms: [0, 0], ...more }], { ...context(asked), ...wanted })[0]
      ?.scores;

  it('does not lose all that words could give, either way round', () => {
    expect(of(question, chinese)?.boosts.map(({ name }) => name)).toContain('language');
    expect(of(question, chinese)?.final).toBeGreaterThan((of(question, english)?.final ?? 1) + 0.01);
    expect(of('备份放在哪里？', english)?.final).toBeGreaterThan(
      (of('备份放在哪里？', chinese)?.final ?? 1) + 0.01,
    );
  });

  it('is not raised where it has the words, where the question is in both, or where words count for nothing', () => {
    const raised = (scores: ReturnType<typeof of>) =>
      scores?.boosts.find(({ name }) => name === 'language')?.factor ?? 1;
    expect(raised(of(question, chinese, { terms: [9, 9] }))).toBe(1);
    expect(raised(of('backup 的 restic snapshot 放在哪里？', english))).toBe(1);
    expect(raised(of(question, chinese, {}, { weights: { vector: 1, keyword: 0 } }))).toBe(1);
    expect(raised(of(question, chinese, { terms: [0.01, 0] }, { weights: { vector: 0, keyword: 1 } }))).toBe(
      1,
    );
    expect(raised(of(question, chinese, {}, { weights: { vector: 0.1, keyword: 0.9 } }))).toBeLessThanOrEqual(
      1.25,
    );
    // A model of one language sees noise in the other.
    expect(raised(of(question, chinese, {}, { languages: ['en'] }))).toBe(1);
    expect(raised(of(question, chinese, {}, { without: new Set(['language']) }))).toBe(1);
    expect(raised(of(question, chinese))).toBeCloseTo((0.6 + 0.4 * FIT.language.words) / 0.6);
  });
});
