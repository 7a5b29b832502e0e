import { describe, expect, it } from 'vitest';
import { choose } from '../../../src/domain/memory/choose.ts';
import { type Rankable, rank } from '../../../src/domain/memory/rank.ts';
import { candidate, context, DAY, NOW } from './candidates.ts';

describe('the choice', () => {
  const options = { threshold: 0.75, limit: 5, perConversation: 2 };

  it('keeps near misses apart and both lists short', () => {
    const many = Array.from({ length: 30 }, (_, i) => candidate({ cosine: 0.7 + i / 100, bm25: i }));
    const { hits, nearMisses } = choose(rank(many, context), options);
    expect(hits).toHaveLength(5);
    expect(nearMisses).toHaveLength(5);
    for (const { scores } of hits) expect(scores.final).toBeGreaterThanOrEqual(0.75);
    for (const { scores } of nearMisses) expect(scores.final).toBeLessThan(0.75);
  });

  it('takes the reply along with the question that it answers, where it is not far below', () => {
    const scored = (more: Partial<Rankable>, final: number) => {
      const [one] = rank([candidate(more)], context);
      if (!one) throw new Error('ranked nothing');
      return { ...one, scores: { ...one.scores, final } };
    };
    const exchange = (text: string, final: number) => {
      const asked = scored({ text, role: 'user', conversationId: 'x' }, 0.9);
      const previous = asked.candidate.chunkId;
      return [
        asked,
        scored({ text: 'Every night at three.', role: 'assistant', previous, conversationId: 'x' }, final),
      ];
    };
    const QUESTION = 'How often is the photo disk backed up?';
    expect(choose(exchange(QUESTION, 0.65), options).hits).toHaveLength(2);
    // Too far below, or no answer to a question: a near miss as any other.
    expect(choose(exchange(QUESTION, 0.55), options).hits).toHaveLength(1);
    expect(choose(exchange('The photo disk is backed up.', 0.65), options).hits).toHaveLength(1);
  });

  it('takes at most so many of one conversation, one of each message and one of each wording', () => {
    const good = { cosine: 0.95, bm25: 15 };
    const same = ['a', 'b', 'c'].map((messageId) => candidate({ ...good, messageId, conversationId: 'x' }));
    expect(choose(rank(same, context), options).hits).toHaveLength(2);
    const twice = [candidate({ ...good, messageId: 'm' }), candidate({ ...good, messageId: 'm' })];
    expect(choose(rank(twice, context), options).hits).toHaveLength(1);
    const sameKind = [
      candidate({ ...good, text: 'Hello, world!' }),
      candidate({ ...good, text: 'hello  world' }),
    ];
    expect(choose(rank(sameKind, context), options).hits).toHaveLength(1);
  });

  it('takes one of those that say the same in nearly the same words: the best, of equals the newest', () => {
    const said = (text: string, more: Partial<Rankable> = {}) =>
      candidate({ cosine: 0.95, bm25: 15, text, ...more });
    const texts = (...all: Rankable[]) =>
      choose(rank(all, context), options).hits.map((one) => one.candidate.text);
    const [plain, now, ok] = [
      'The backup runs at three every night.',
      'The backup runs at three every night now.',
      'OK: The backup runs at three every night',
    ] as const;
    expect(texts(said(plain, { createdAt: NOW - 3 }), said(now), said(ok, { createdAt: NOW - 2 }))).toEqual([
      now,
    ]);
    expect(texts(said(plain, { createdAt: NOW - DAY }), said(now, { createdAt: NOW - 2 * DAY }))).toEqual([
      plain,
    ]);
    expect(
      texts(said('每天凌晨三点备份数据库。'), said('好的，每天凌晨三点备份数据库了', { createdAt: 5 })),
    ).toHaveLength(1);
  });

  describe('between those that say the same', () => {
    const NIGHTLY = 'The backup runs at three every night.';
    const scored = (text: string, conversationId: string, final: number, createdAt: number) => ({
      candidate: candidate({ text, conversationId, createdAt }),
      scores: {
        vector: null,
        keyword: null,
        late: null,
        meaning: null,
        hybrid: 0,
        decay: 1,
        boosts: [],
        stands: 0,
        above: 0,
        lane: 0,
        final,
      },
      lane: 'person' as const,
    });
    const one = { threshold: 0.5, limit: 5, perConversation: 1 };
    const hits = (...ranked: ReturnType<typeof scored>[]) =>
      choose(ranked, one).hits.map(({ candidate: { conversationId, createdAt } }) => [
        conversationId,
        createdAt,
      ]);
    const old = scored(NIGHTLY, 'a', 0.9, 1);
    const newer = scored('The backup runs at three every night now.', 'b', 0.895, 2);

    it.each([0.898, 0.88])('leaves the older one’s place to another of its conversation (%d)', (final) => {
      const other = scored('The disk of the backup is full since Monday.', 'a', final, 3);
      const ranked = [old, other, newer].sort((a, b) => b.scores.final - a.scores.final);
      expect(hits(...ranked)).toEqual([
        ['b', 2],
        ['a', 3],
      ]);
    });

    it('takes the newest also where they are the same word for word, short ones too', () => {
      expect(hits(old, scored(NIGHTLY, 'b', 0.895, 2))).toEqual([['b', 2]]);
      expect(hits(scored('Port 8080.', 'a', 0.9, 1), scored('port 8080', 'b', 0.895, 2))).toEqual([['b', 2]]);
    });

    it('takes the other one where the newest has no place', () => {
      const full = scored('The disk of the backup is full since Monday.', 'b', 0.91, 3);
      expect(hits(full, old, newer)).toEqual([
        ['b', 3],
        ['a', 1],
      ]);
    });

    it('calls those equally good that are near to the best, not to one another', () => {
      const third = scored(NIGHTLY, 'c', 0.878, 3);
      expect(hits(old, newer, third)).toEqual([['b', 2]]);
    });

    it('does not take a newer one from the other side of the line, or a passage for a note', () => {
      const line = [scored(NIGHTLY, 'a', 0.505, 1), scored(NIGHTLY, 'b', 0.495, 2)] as const;
      expect(hits(...line)).toEqual([['a', 1]]);
      const note = { ...old, candidate: { ...old.candidate, note: true } };
      expect(hits(note, newer)).toEqual([['a', 1]]);
    });
  });

  it.each([
    ['The staging server listens on port 8080.', 'The staging server listens on port 8081.'],
    ['The backup runs at three every night.', 'The backup runs at four every night.'],
    ['The backup runs at three every night.', 'The backup never runs at three every night.'],
    ['We do deploy the shop on Friday evenings.', "We don't deploy the shop on Friday evenings."],
    ['We moved all the data from heron to egret.', 'We moved all the data from egret to heron.'],
    ['The key to the cellar is with my neighbour.', 'The key to the cellar is with Anna my neighbour.'],
    [
      'The backup runs on the old disk at three every night.',
      'The backup runs on the disk at three every night.',
    ],
    ['数据库每天凌晨三点备份。', '数据库每天凌晨四点备份。'],
    ['数据库每天凌晨三点自动备份一次。', '数据库每天凌晨三点不自动备份一次。'],
    ['Yes, port 8080.', 'OK, port 8080.'],
  ])('hides no correction: %s / %s', (before, after) => {
    const good = { cosine: 0.95, bm25: 15 };
    const both = [
      candidate({ ...good, text: before, createdAt: NOW - DAY }),
      candidate({ ...good, text: after }),
    ];
    expect(choose(rank(both, context), options).hits).toHaveLength(2);
  });

  it('does not count notes, which only look like one conversation', () => {
    const good = { cosine: 0.95, bm25: 15, conversationId: 'notes', note: true };
    const notes = ['a', 'b', 'c', 'd'].map((messageId) => candidate({ ...good, messageId }));
    expect(choose(rank(notes, context), options).hits).toHaveLength(4);
    const again = [...notes, candidate({ ...good, messageId: 'd' })];
    expect(choose(rank(again, context), options).hits).toHaveLength(4);
  });

  it('puts notes first, also where a passage scores higher', () => {
    const passage = candidate({ cosine: 0.95, bm25: 20 });
    const note = candidate({ cosine: 0.6, bm25: 10, conversationId: 'notes', note: true });
    const ranked = rank([passage, note], context);
    expect(ranked.map((one) => one.candidate)).toEqual([passage, note]);
    const { hits } = choose(ranked, { ...options, threshold: ranked[1]?.scores.final ?? 1 });
    expect(hits.map((one) => one.candidate)).toEqual([note, passage]);
  });
});
