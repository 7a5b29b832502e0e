// Questions about the course of what was said: they are recognised, and what was found is spread over time.
import { describe, expect, it } from 'vitest';
import {
  asksForOverview,
  breadthOf,
  spreadForOverview,
  thresholdFor,
} from '../../../src/domain/memory/overview.ts';
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
    'What have we talked about so far regarding the kitchen?',
    'Summarise everything about the move',
    'Can you give me a comprehensive summary of how my budget project has progressed?',
    'Which restaurants have we talked about?',
    "What are all the books I've mentioned to you?",
    'How did our plans for the balcony change over time?',
    'Trace the history of the database migration through our discussions',
    'From beginning to end, what happened with the insurance claim?',
    'Please list, oldest first, the problems I ran into with the boiler',
    'What has happened with the roof since I first mentioned it?',
    'Give me the whole story of the lawsuit as I told it to you',
    'What different names did we consider for the shop?',
    'Tell the story of my move to Lisbon from our conversations',
    "I'd like an overview of all my questions about pregnancy",
    '总结一下我们关于搬家的讨论',
    '把我们谈到的关于预算的内容汇总一下',
    '我的跑步训练这半年有什么进展？',
    '我都跟你提过哪些书？',
    '列出我提过的每一个截止日期',
    '从第一次提到到现在，漏水的事情经过是怎样的？',
    '我关于开店的想法经历了哪些变化？',
    '把关于新房的讨论从早到晚捋一遍',
    'What order did I read the books in?',
    'What order did things happen in when the pipe burst?',
    'Which order did we visit the islands in?',
    'In what order did I place the three orders?',
    'List the flats I viewed in order of when I mentioned them',
    'In which order did I mention the orders of the customer?',
    'What have I complained about most at work?',
    'Put my questions on gardening in order of time.',
    'What are all the decisions we took on the website?',
    'When did I first mention the dog and what came after?',
    'What did I raise first, the salary or the hours, and what next?',
    'All the restaurants you recommended to me, with dates.',
    '屋顶、炉子、篱笆，我是按什么顺序提的？',
    '这几个月我对电动车的看法怎么变的？',
    '我的腰疼，按我讲的，从头捋一遍。',
    '工作上我抱怨得最多的是什么？',
    '网站上我们一共做了哪些决定？',
    '我第一次提到狗是什么时候，后来又怎样？',
    '我先提的工资还是工时，后来又说了什么？',
    '我给米娅生日想过的点子都收集起来。',
    '你给我推荐过的餐厅，连日期一起列出来。',
    '我们一起试过哪些菜谱？',
    '我问过的Rust问题，从第一个到最后一个。',
  ])('%s asks for the course of what was said', (question) => {
    expect(asksForOverview(question)).toBe(true);
  });

  it.each([
    'In which order should I install the drivers?',
    'What was the order number of the lamp?',
    'Did I order the blue one?',
    'When did we talk about the roof?',
    '先装驱动还是先装系统，应该按什么顺序？',
    '我们聊过的那家餐厅叫什么',
    'Which restaurant did we talk about?',
    'Summarise this article',
    'Give me an overview of React hooks',
    'How has Python developed over time?',
    'Tell me everything about photosynthesis',
    'What did we decide about the roof?',
    'Sort this list in chronological order',
    'Translate everything I write from now on into French',
    'What raise was I promised for the summer?',
    'What is the whole story of Faust?',
    '总结一下这篇文章',
    '帮我整理一下房间清单',
    'What order did the customer place?',
    'What happened to the order I placed in May?',
    'What was in the order that I cancelled?',
    'Did the order that we shipped to Oslo arrive?',
    'What order number did I mention?',
    'What order did she send back?',
    'What order did I get at the Thai place?',
    'What was in the court order I told you about?',
    'What did the order I received from Kyoto cost?',
    'List what we had to buy in order to fix the boiler',
    '请按时间顺序列出唐朝皇帝',
    '我说过几点见面？',
    '哪些药不能一起吃？',
    '我提过我对什么过敏吗？',
    'What comes first, salary or hours, in a contract?',
    'Sort these questions by length.',
    'Which problems do old boilers have?',
    'All the restaurants in Lyon with two stars.',
    '大众对电动车的看法怎么变的？',
    '里昂有哪些两星餐厅？',
    '董事会能做哪些决定？',
    '合同里先写工资还是工时？',
  ])('%s asks for one thing', (question) => {
    expect(asksForOverview(question)).toBe(false);
  });

  it('of any length is read', () => {
    for (const part of [
      'order in which ',
      'list in ',
      '一共',
      '顺序过',
      'which a s ',
      'summary our ',
      '我说',
      '总结我',
    ])
      for (const times of [40, 20_000]) asksForOverview(part.repeat(times));
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
    spreadForOverview(breadthOf(question), rank(all, { ...context, question })).map(
      (one) => one.candidate.text,
    );

  it('is spread over time for such a question', () => {
    expect(new Set(texts('In which order did I mention the roof?').slice(0, 3))).toEqual(
      new Set(['roof, newest', 'roof, in the middle', 'roof, oldest']),
    );
  });

  it('is taken from each conversation first for a question about all there is', () => {
    const two = [
      ...all.slice(0, 3).map((one) => ({ ...one, conversationId: 'one' })),
      { ...said('roof, elsewhere', 4, 6), conversationId: 'other' },
    ];
    const question = 'Which roofs have we talked about?';
    expect(
      spreadForOverview(breadthOf(question), rank(two, { ...context, question })).map(
        (one) => one.candidate.text,
      ),
    ).toEqual(['roof, newest', 'roof, elsewhere', 'roof, newest again', 'roof, newest once more']);
  });

  it('is shown from a lower line on, a summary only where something is near', () => {
    const at = (final: number) => {
      const [first] = rank(all, { ...context, question: 'roof' });
      return first ? [{ ...first, scores: { ...first.scores, final } }] : [];
    };
    expect(thresholdFor(breadthOf('In which order did I mention the roof?'), 0.75, at(0.2))).toBe(0.15);
    expect(thresholdFor(breadthOf('Summarise everything about the roof'), 0.75, at(0.5))).toBe(0.15);
    expect(thresholdFor(breadthOf('Summarise everything about the roof'), 0.75, at(0.2))).toBe(0.75);
    expect(thresholdFor(breadthOf('Where is the roof?'), 0.75, at(0.5))).toBe(0.75);
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
