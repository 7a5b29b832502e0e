// Whose words are meant: lanes by who speaks, merged by what the question asks and by what was found.
import { describe, expect, it } from 'vitest';
import type { Role } from '../../../src/domain/chat/message.ts';
import { FIT } from '../../../src/domain/memory/fit.ts';
import { laneAskedFor, lanesOf } from '../../../src/domain/memory/lanes.ts';
import { type Rankable, rank } from '../../../src/domain/memory/rank.ts';
import { candidate, context } from './candidates.ts';

describe('a question', () => {
  it.each([
    ['What did I decide about the fence?', 'person'],
    ['Have I ever mentioned a food allergy?', 'person'],
    ['In which order did we bring up the parts of the app?', 'person'],
    ['我之前决定用哪个数据库？', 'person'],
    ['我是不是说过不吃海鲜', 'person'],
    ['What did you suggest for the fence?', 'assistant'],
    ['How did you recommend managing retries when my app is busy?', 'assistant'],
    ['Your advice on the lease', 'assistant'],
    ['The library that you mentioned when I asked about charts', 'assistant'],
    ['你上次推荐的那本书叫什么', 'assistant'],
    ['你给过我一个备份方案', 'assistant'],
    ['What came out of the command?', 'tool'],
    ['What did the integration tests print?', 'tool'],
    ['the output of the build', 'tool'],
    ['那条命令的输出是什么', 'tool'],
    ['Give me a summary of everything about the garden', 'all'],
    ['帮我总结一下我们聊过的花园', 'all'],
    ['port of staging', null],
    ['Who is allergic to nuts?', null],
    ['花园的水管', null],
  ])('%s asks for the words of: %s', (question, lane) => {
    expect(laneAskedFor(question)).toBe(lane);
  });
});

describe('lanes', () => {
  const said = (role: Role, text: string, more: Parameters<typeof candidate>[0] = {}): Rankable => ({
    ...candidate({ text, ...more }),
    role,
  });
  const logOdds = (all: readonly Rankable[], question: string) => {
    const lanes = lanesOf(all, question, FIT);
    return all.map((one) => lanes.logOdds(lanes.of(one)));
  };
  const QUESTION = 'fence';

  it('that fill what was found are worth less by so much, and never more', () => {
    const few = said('user', 'The fence shall be green.');
    const many = Array.from({ length: 30 }, (_, at) => said('assistant', `A long answer, part ${at}.`));
    const [person, assistant] = logOdds([few, ...many], QUESTION);
    const { usual, assistant: share } = FIT.lanes;
    expect(person).toBe(0);
    expect(assistant).toBeCloseTo(Math.log((share * (usual + 1)) / (usual * share + 30)));
    expect(logOdds([many[0] as Rankable, ...Array.from({ length: 30 }, () => few)], QUESTION)[0]).toBe(0);
  });

  it('lose where the question asks for another; a summary asks for all', () => {
    const all = [said('user', 'Green.'), said('assistant', 'Brown.'), said('tool', 'Red.')];
    const base = logOdds(all, QUESTION);
    for (const [question, asked] of [
      ['What did I say of the fence?', 0],
      ['What did you suggest for the fence?', 1],
      ['What came out of the fence command?', 2],
    ] as const)
      expect(logOdds(all, question)).toEqual(
        base.map((odds, at) => (at === asked ? 0 : odds - FIT.lanes.asked)),
      );
    expect(logOdds(all, 'Summarise everything about the fence')).toEqual([0, 0, 0]);
  });

  it('of friends who chat by name are one, whatever role they came in', () => {
    const chat = Array.from({ length: 6 }, (_, at) =>
      said(at % 2 === 0 ? 'user' : 'assistant', `${at % 2 === 0 ? 'Mara' : 'Tom'}: message ${at}`),
    );
    expect(logOdds(chat, 'What did I say?')).toEqual([0, 0, 0, 0, 0, 0]);
    // A word with a colon is not a speaker's name in a chat.
    expect(
      lanesOf([said('assistant', 'Note: green.')], QUESTION, FIT).of(said('assistant', 'Note: green.')),
    ).toBe('assistant');
  });

  it('let the few words of the person stand before the long answers that say nearly the same', () => {
    const rule = said('user', 'Always paint the fence green.', { cosine: 0.9, bm25: 9 });
    const answers = Array.from({ length: 24 }, (_, at) =>
      said('assistant', `Of fences, part ${at}.`, { cosine: 0.903, bm25: 9.2 }),
    );
    const first = (without: ReadonlySet<'lanes'>) =>
      rank([...answers, rule], { ...context, question: QUESTION, without })[0]?.candidate.role;
    expect(first(new Set(['lanes']))).toBe('assistant');
    expect(first(new Set())).toBe('user');
    const asked = { ...context, question: 'What did you say about the fence?' };
    expect(rank([...answers, rule], asked)[0]?.candidate.role).toBe('assistant');
  });

  it('let the reply of a person to a short question stand before what only sounds like it', () => {
    const beside = (role: Role, asked: string) => {
      const question = said('user', asked, { conversationId: 'c', cosine: 0.93, bm25: 12 });
      const reply = said(role, 'Oats, then a pear.', {
        conversationId: 'c',
        cosine: 0.85,
        bm25: 1,
        previous: question.chunkId,
      });
      return rank([question, reply], context).find((one) => one.candidate === reply)?.scores.boosts[0]
        ?.factor as number;
    };
    const short = beside('user', 'What does the mare eat?');
    expect(short).toBeGreaterThan(beside('user', 'The mare is fed.'));
    expect(short).toBeGreaterThan(beside('assistant', 'What does the mare eat?'));
    expect(short).toBeGreaterThan(beside('user', `${'Of mares. '.repeat(40)}What does the mare eat?`));
  });

  it('count a message of many chunks once in the background', () => {
    const answer = said('user', 'The gate is blue.', { cosine: 0.92, bm25: 12 });
    const chunks = (messageId: (at: number) => string) =>
      Array.from({ length: 20 }, (_, at) =>
        said('user', `Of gates, part ${at}.`, {
          messageId: messageId(at),
          conversationId: 'long',
          cosine: 0.9,
          bm25: 9,
        }),
      );
    const zScore = (others: readonly Rankable[]) =>
      rank([answer, ...others], context).find((one) => one.candidate === answer)?.scores.stands ?? 0;
    expect(zScore(chunks(() => 'one'))).toBeGreaterThan(zScore(chunks((at) => `m${at}`)));
  });
});
