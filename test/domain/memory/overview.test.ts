// Questions about the course of what was said: they are recognised, and what was found is spread over time.
import { describe, expect, it } from 'vitest';
import { asksForCourse, covering } from '../../../src/domain/memory/overview.ts';
import { rank } from '../../../src/domain/memory/rank.ts';
import { candidate, context, DAY, NOW } from './candidates.ts';

describe('a question', () => {
  it.each([
    'In which order did we bring up the parts of the garden?',
    'Can you walk me through the order in which I mentioned the rooms across our conversations?',
    "What's the timeline of everything I've told you about the roof?",
    'List the phones I have owned, in order',
    '我是按什么顺序提到这几个供应商的？',
    '我们一共聊过哪些餐厅',
    '把我说过的装修步骤按时间排一下',
  ])('%s asks for the course of what was said', (question) => {
    expect(asksForCourse(question)).toBe(true);
  });

  it.each([
    'In which order should I install the drivers?',
    'What was the order number of the lamp?',
    'Did I order the blue one?',
    'When did we talk about the roof?',
    '先装驱动还是先装系统，应该按什么顺序？',
    '我们聊过的那家餐厅叫什么',
  ])('%s asks for one thing', (question) => {
    expect(asksForCourse(question)).toBe(false);
  });

  it('of any length is read', () => {
    for (const part of ['order in which ', 'list in ', '一共', '顺序过']) asksForCourse(part.repeat(20_000));
  });
});

describe('what was found', () => {
  const said = (text: string, days: number, bm25: number) =>
    candidate({ text, createdAt: NOW - days * DAY, bm25 });
  const all = [
    said('roof, newest', 1, 9),
    said('roof, newest again', 2, 8.5),
    said('roof, newest once more', 3, 8),
    said('roof, in the middle', 50, 6),
    said('roof, oldest', 100, 5),
  ];
  const texts = (question: string) =>
    covering(question, rank(all, { ...context, question })).map((one) => one.candidate.text);

  it('is spread over time for such a question', () => {
    expect(new Set(texts('In which order did I mention the roof?').slice(0, 3))).toEqual(
      new Set(['roof, newest', 'roof, in the middle', 'roof, oldest']),
    );
  });

  it('stays as it is for any other one, and is never lost', () => {
    expect(texts('What about the roof?').slice(0, 3)).toEqual([
      'roof, newest',
      'roof, newest again',
      'roof, newest once more',
    ]);
    expect(texts('In which order did I mention the roof?')).toHaveLength(all.length);
  });
});
