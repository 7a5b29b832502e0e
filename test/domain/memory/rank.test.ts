import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Role } from '../../../src/domain/chat/message.ts';
import { unansweredIn, withoutEchoes } from '../../../src/domain/memory/asked-in-vain.ts';
import { FIT } from '../../../src/domain/memory/fit.ts';
import {
  decayOf,
  hybridOf,
  keywordScore,
  marginOver,
  probabilityOf,
  type Rankable,
  type RankContext,
  rank,
  semanticScore,
  withDecay,
  zScoreAmong,
} from '../../../src/domain/memory/rank.ts';
import { knowsLanguageOf } from '../../../src/domain/text/sentences.ts';
import { candidate, context, DAY, NOW } from './candidates.ts';

const share = fc.double({ min: 0, max: 1, noNaN: true });

describe('the two halves', () => {
  it('lie between 0 and 1 and grow with what they are made of', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -1, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 200, noNaN: true }),
        fc.array(fc.double({ min: 0.1, max: 30, noNaN: true }), { minLength: 1, maxLength: 96 }),
        (cosine, sum, worth) => {
          const v = semanticScore(cosine, { related: 0.85, spread: 0.03 });
          const k = keywordScore(sum, worth);
          for (const value of [v, k]) expect(value >= 0 && value <= 1).toBe(true);
          expect(keywordScore(sum + 1, worth)).toBeGreaterThanOrEqual(k);
          expect(keywordScore(sum, [...worth, 5])).toBeLessThanOrEqual(k);
        },
      ),
    );
  });

  it('mean the same for every model', () => {
    for (const steps of [-2, 0, 1, 3]) {
      const [one, other] = [
        { related: 0.37, spread: 0.06 },
        { related: 0.9, spread: 0.02 },
      ].map((scale) => semanticScore(scale.related + steps * scale.spread, scale));
      expect(one).toBeCloseTo(other as number);
    }
  });

  it('trust a common word little where the rest of the question is unknown to the library', () => {
    expect(keywordScore(4, [4])).toBeGreaterThan(1.3 * keywordScore(4, [4, 9, 9]));
  });

  it('take all the words that were asked for much, also where no word is rare because the library is small', () => {
    expect(keywordScore(3, [2.3, 2.3])).toBeGreaterThan(0.6);
    expect(keywordScore(1.5, [2.3, 2.3])).toBeLessThan(0.5);
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

describe('a title', () => {
  const asked = (more: Partial<Rankable>) =>
    rank([candidate({ cosine: null, terms: [4, 0, 0], ...more })], {
      ...context,
      idfWeights: [10, 10, 10],
    })[0]?.scores.keyword ?? 0;

  it('counts for a word that the passage does not have, less than in the passage, and not for one it has', () => {
    const none = asked({});
    const titled = asked({ titled: [false, true, false] });
    expect(titled).toBeGreaterThan(none);
    expect(titled).toBeLessThan(asked({ terms: [4, 4, 0] }));
    expect(asked({ titled: [true, false, false] })).toBe(none);
    expect(asked({ titled: [false, false, false] })).toBe(none);
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
    const [hit] = rank([candidate({ cosine: 0.97, bm25: 20, createdAt: NOW - 365 * DAY })], context);
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
    expect(best?.late).toBeNull();
    const totals = ranked.map(({ scores }) =>
      scores.boosts.reduce((all, { factor }) => all * factor, scores.hybrid),
    );
    const top = totals[0] as number;
    const zScore = zScoreAmong(totals);
    const [own, runnerUp] = [zScore(top), zScore(totals[1] as number)];
    expect(best?.final).toBeCloseTo(
      probabilityOf({
        score: top,
        zScore: Math.min(FIT.background.most, own),
        margin: Math.min(FIT.runnerUp.most, own - runnerUp - FIT.runnerUp.even),
        words: Math.log(4),
        lane: 0,
      }),
    );
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
    const [hit] = rank([candidate({ cosine: 0.95, bm25: 0 })], { ...context, idfWeights: [] });
    expect(hit?.scores.keyword).toBeNull();
    expect(hit?.scores.hybrid).toBeGreaterThan(0);
  });

  it('knows which models can read Chinese', () => {
    expect(knowsLanguageOf(['en'], '备份数据库')).toBe(false);
    expect(knowsLanguageOf(['en', 'zh'], '备份数据库')).toBe(true);
    expect(knowsLanguageOf('any', '备份数据库')).toBe(true);
    expect(knowsLanguageOf(['en'], 'backup')).toBe(true);
  });
});

describe('a question that nobody answered', () => {
  const said = (role: Role, text: string, next: number | null, more: Partial<Rankable> = {}) => ({
    ...candidate({ text, next, ...more }),
    role,
  });
  const unanswered = (...all: ReturnType<typeof said>[]) =>
    all.filter(unansweredIn(all)).map(({ text }) => text);

  it('is one of the person that nobody spoke after, or they themselves', () => {
    const answer = said('assistant', 'In the cellar.', null);
    const again = said('user', 'And the other one?', null);
    expect(
      unanswered(
        answer,
        again,
        said('user', 'Where is the key?', null),
        said('user', 'Where was the key?', again.chunkId),
        said('user', 'Where is the lamp?', answer.chunkId),
        // What comes next is not among them.
        said('user', 'Where is the saw?', 4711),
        said('user', 'The key is lost.', null),
        said('assistant', 'Which key?', null),
        said('user', 'Which note?', null, { note: true }),
      ),
    ).toEqual(['And the other one?', 'Where is the key?', 'Where was the key?']);
  });

  it('is one that an answer knew nothing of, and so is that answer', () => {
    const nothing = said(
      'assistant',
      "I don't know what your sister is allergic to. Could you tell me?",
      null,
    );
    const asked = said('user', 'What must I not cook for my sister?', nothing.chunkId);
    const regret = said('assistant', "I don't know that dish, sorry.", null);
    const tells = said('user', 'My sister cannot eat walnuts.', regret.chunkId);
    const all = [
      asked,
      { ...nothing, previous: asked.chunkId },
      tells,
      { ...regret, previous: tells.chunkId },
    ];
    expect(unanswered(...all)).toEqual([asked.text, nothing.text]);
  });

  it('is left out with the answer that knew nothing where it is asked again, and nothing else is', () => {
    const asked = said('user', 'What food must I avoid when my sister visits?', null);
    const nothing = said('assistant', "You haven't told me about your sister's diet yet.", null);
    const exchange = (about: string, reply: string) => {
      const answer = said('assistant', reply, null);
      const question = said('user', about, answer.chunkId);
      return [question, { ...answer, previous: question.chunkId, before: question.messageId }];
    };
    const source = said('user', 'My sister Ingrid is allergic to walnuts.', null);
    const all = [
      source,
      ...exchange(asked.text, nothing.text),
      ...exchange(
        'Which food should I avoid when my sister visits us?',
        "I don't have any information about her.",
      ),
      ...exchange('What food must I avoid when my sister visits?', 'Walnuts: she is allergic to them.'),
      ...exchange('How do I avoid a cold?', "I don't know your habits, but wash your hands."),
    ];
    const isUnanswered = unansweredIn(all);
    const rated = all.map((one) => ({ ...one, unanswered: isUnanswered(one) }));
    expect(withoutEchoes(rated, asked.text).rest.map(({ text }) => text)).toEqual([
      source.text,
      asked.text,
      'Walnuts: she is allergic to them.',
      'How do I avoid a cold?',
      "I don't know your habits, but wash your hands.",
    ]);
  });

  it('makes no answer less probable, and does not come before it', () => {
    const answer = candidate({ text: 'The key hangs behind the clock.', cosine: 0.91, bm25: 16 });
    const asked = candidate({ text: 'Where is the key?', cosine: 0.94, bm25: 22 });
    const others = Array.from({ length: 6 }, () => candidate({ cosine: 0.82, bm25: 1 }));
    const [best, , ...rest] = rank([answer, { ...asked, unanswered: true }, ...others], context);
    expect(best?.candidate).toBe(answer);
    expect(best?.scores.above).toBe(FIT.runnerUp.most);
    expect(rest.every(({ scores }) => scores.above <= 0)).toBe(true);
    const besideAnAnswered = rank([answer, asked, ...others], context).find(
      ({ candidate }) => candidate === answer,
    );
    expect(besideAnAnswered?.scores.final).toBeLessThan(best?.scores.final ?? 0);
  });
});

describe('the margin over the runner-up', () => {
  const one = (conversationId: string, zScore: number, text = `${conversationId} ${zScore}`) => ({
    conversationId,
    text,
    zScore,
  });
  const NONE = { pinned: () => false, never: () => false, notRelated: () => false };

  it('is measured from the best of any other conversation, and never counts more than so much', () => {
    const above = marginOver([one('a', 12), one('a', 11.5), one('b', 11), one('c', 1)]);
    expect(above(one('a', 12))).toBe(1 - FIT.runnerUp.even);
    expect(above(one('a', 11.25))).toBe(0);
    expect(above(one('b', 11))).toBe(FIT.runnerUp.even - 1);
    expect(above(one('c', 1))).toBe(-FIT.runnerUp.most);
    expect(above(one('d', 99))).toBe(FIT.runnerUp.most);
  });

  it('is measured from a usual one where there is no other conversation', () => {
    expect(FIT.runnerUp.usual).toBe(3);
    expect(marginOver([one('a', 4.5), one('a', 1)])(one('a', 4.5))).toBe(1.5 - FIT.runnerUp.even);
    expect(marginOver([])(one('a', 2))).toBe(FIT.runnerUp.even - 1);
  });

  it('is not lowered by what says the same in nearly the same words elsewhere', () => {
    const said = 'The spare key lies under the blue flower pot.';
    const twins = [
      one('a', 6, said),
      one('b', 6, `Well, ${said.toLowerCase()}`),
      one('c', 4, 'No idea, sorry.'),
    ];
    const above = marginOver(twins);
    const apart = 2 - FIT.runnerUp.even;
    expect(twins.map(above)).toEqual([apart, apart, -apart]);
    // The runner-up is the passage that is like it and says another thing.
    const corrected = said.replace('blue', 'green');
    expect(marginOver([...twins, one('d', 6, corrected)])(one('a', 6, said))).toBe(0);
  });

  it('is not lowered by what the person raised elsewhere, nor by the allowance for another language', () => {
    const some = [0.8, 0.84, 0.78].map((cosine) => candidate({ cosine, bm25: 0 }));
    const [first, second] = some;
    const finalOf = (pinned: Rankable | undefined) =>
      rank(some, {
        ...context,
        feedback: { ...NONE, pinned: ({ messageId }) => messageId === pinned?.messageId },
      }).find(({ candidate }) => candidate === second)?.scores.final;
    expect(finalOf(first)).toBe(finalOf(undefined));

    const asked = { ...context, question: 'where is the spare key' };
    const foreign = candidate({ cosine: 0.88, bm25: 0, text: '备用钥匙在蓝色的花盆下面，一直都在那里。' });
    const here = candidate({ cosine: 0.9, bm25: 0, text: 'Under the flower pot.' });
    const heard = (without: RankContext['without'] = new Set()) =>
      rank([foreign, here], { ...asked, without }).find(({ candidate }) => candidate === here)?.scores.final;
    expect(heard()).toBe(heard(new Set(['language'])));
  });

  it('has no runner-up in a passage that has no vector yet', () => {
    const some = [candidate({ cosine: 0.9, bm25: 6 }), candidate({ cosine: 0.8 })];
    const finalOf = (all: readonly Rankable[]) =>
      rank(all, context).find(({ candidate }) => candidate === some[0])?.scores.final;
    const waiting = candidate({ cosine: null, bm25: 20 });
    expect(finalOf([...some, waiting])).toBe(finalOf(some));
  });

  it('makes passages of one conversation no less probable for scoring higher', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ cosine: fc.double({ min: 0.7, max: 1, noNaN: true }), home: fc.nat(2) }), {
          minLength: 2,
          maxLength: 12,
        }),
        (some) => {
          const all = some.map(({ cosine, home }) =>
            candidate({ cosine, conversationId: `home ${home}`, bm25: 0 }),
          );
          const ranked = rank(all, context);
          for (const a of ranked)
            for (const b of ranked)
              if (
                a.candidate.conversationId === b.candidate.conversationId &&
                (a.candidate.cosine as number) > (b.candidate.cosine as number)
              )
                expect(a.scores.final).toBeGreaterThanOrEqual(b.scores.final);
        },
      ),
    );
  });
});

describe('a small library', () => {
  // What "how do I water tomatoes" finds in the sample library, where nobody speaks of tomatoes and the bread needs
  // water: by conversation, cosine and late interaction of each message in hundredths, and what the word "water" adds.
  const FOUND: readonly (readonly (readonly number[])[])[] = [
    [
      [37, 41, 3.6],
      [46, 44],
      [35, 33],
      [40, 39],
      [48, 43, 3.5],
    ],
    [
      [22, 22],
      [38, 39, 2.6],
      [37, 28],
    ],
    [
      [17, 20],
      [17, 21],
      [20, 18],
    ],
    [
      [-1, 22],
      [2, 22],
      [-4, 19],
      [-2, 19],
    ],
    [
      [17, 28],
      [15, 26],
      [-5, 8],
      [2, 13],
    ],
    [
      [25, 24],
      [24, 28],
      [22, 17],
      [21, 22],
      [26, 20],
    ],
    [
      [21, 22],
      [20, 18],
      [25, 25],
      [24, 26],
      [23, 20],
      [32, 31],
    ],
    [
      [-7, 7],
      [-5, 17],
      [0, 15],
      [3, 18],
    ],
    [
      [21, 21],
      [25, 26],
      [21, 26],
    ],
    [
      [-7, 15],
      [-1, 26],
      [-8, 16],
      [-6, 21],
    ],
    [
      [-3, 11],
      [2, 17],
      [-4, 13],
      [-2, 14],
    ],
    [
      [-6, 17],
      [-1, 26],
      [-2, 16],
      [-1, 21],
    ],
  ];
  /** The best probability where the second word of the question, the rare one, adds this much to the first message. */
  const best = (rare: number): number => {
    const candidates = FOUND.flatMap((messages, conversation) =>
      messages.map(([cosine = 0, late = 0, water = 0], at) =>
        candidate({
          cosine: cosine / 100,
          late: late / 100,
          terms: [water, conversation === 0 && at === 0 ? rare : 0],
          conversationId: `${conversation}`,
        }),
      ),
    );
    const ranked = rank(candidates, {
      ...context,
      scale: { related: 0.338, spread: 0.071 },
      idfWeights: [5.9, 10.1],
      question: 'how do I water tomatoes',
    });
    return ranked[0]?.scores.final ?? 0;
  };

  it('does not take one common word, again and again in a conversation, for the answer to a question about something else', () => {
    expect(best(0)).toBeLessThan(0.7);
  });

  it('is sure where the rare word is there too', () => {
    expect(best(6)).toBeGreaterThan(0.8);
  });
});

describe('what is beside, and hints', () => {
  const finals = (all: readonly Rankable[], more: Partial<RankContext> = {}) =>
    new Map(rank(all, { ...context, ...more }).map((one) => [one.candidate.chunkId, one.scores]));
  const weak = { cosine: 0.8, bm25: 1 };

  it('lets a message gain by what stands before and after it, and by its conversation', () => {
    const good = candidate({ cosine: 0.95, bm25: 15, conversationId: 'x' });
    const beside = candidate({ ...weak, conversationId: 'y', previous: good.chunkId });
    const within = candidate({ ...weak, conversationId: 'x' });
    const alone = candidate(weak);
    const scores = finals([good, beside, within, alone]);
    const of = (one: Rankable) => scores.get(one.chunkId)?.final as number;
    expect(of(beside)).toBeGreaterThan(of(alone));
    expect(of(within)).toBeGreaterThan(of(alone));
    expect(scores.get(within.chunkId)?.boosts.map(({ name }) => name)).toContain('context');
  });

  it('counts a word that only the message before has, in part', () => {
    const before = candidate({ terms: [9, 0, 0], cosine: null });
    const after = candidate({ terms: [0, 9, 0], cosine: null, previous: before.chunkId });
    const alone = candidate({ terms: [0, 9, 0], cosine: null });
    const scores = finals([before, after, alone]);
    const of = (one: Rankable) => scores.get(one.chunkId)?.keyword as number;
    expect(of(after)).toBeGreaterThan(of(alone));
    expect(of(after)).toBeLessThan(2 * of(alone));
  });

  it('takes late interaction into the meaning half, for those that have it', () => {
    const [near, far] = [candidate({ late: 0.6 }), candidate({ late: 0.1 })];
    const scores = finals([near, far]);
    expect(scores.get(near.chunkId)?.late).toBeGreaterThan(scores.get(far.chunkId)?.late as number);
    expect(scores.get(near.chunkId)?.final).toBeGreaterThan(scores.get(far.chunkId)?.final as number);
  });

  it('prefers who is named, what answers, and what speaks of the time asked for', () => {
    const question = 'When did Mara move last spring?';
    const plain = candidate({ text: 'Joe: we moved' });
    const named = candidate({ text: 'Mara: we moved' });
    const asking = candidate({ text: 'Joe: did you move?' });
    const timely = candidate({ text: 'Joe: we moved on the 3rd' });
    const dated = candidate({ text: 'Joe: moved', createdAt: Date.UTC(2025, 3, 10) });
    const scores = finals([plain, named, asking, timely, dated], { question });
    const of = (one: Rankable) => scores.get(one.chunkId)?.boosts.map(({ name }) => name);
    expect(of(plain)).not.toContain('speaker');
    expect(of(named)).toContain('speaker');
    expect(of(asking)).toContain('question');
    expect(of(timely)).toContain('time');
    expect(of(dated)).toContain('date');
  });

  it('follows what the person said of earlier hits, and puts notes above passages', () => {
    const [plain, pinned, never, apart, note] = Array.from({ length: 5 }, (_, at) =>
      candidate({ note: at === 4 }),
    ) as [Rankable, Rankable, Rankable, Rankable, Rankable];
    const is = (one: Rankable) => (said: { messageId: string }) => said.messageId === one.messageId;
    const feedback = {
      pinned: is(pinned),
      never: is(never),
      notRelated: is(apart),
    };
    const ranked = rank([plain, pinned, never, apart, note], { ...context, feedback });
    expect(ranked.map((one) => one.candidate)).toEqual([pinned, note, plain, apart]);
  });
});
