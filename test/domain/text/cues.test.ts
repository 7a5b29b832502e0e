import { describe, expect, it } from 'vitest';
import {
  answersNothing,
  asksWhen,
  endsWithQuestionMark,
  isNamed,
  speakerIn,
  tellsTime,
} from '../../../src/domain/text/cues.ts';
import answers from './answers.json' with { type: 'json' };

describe('hints in words', () => {
  it('tell who speaks, and whether a question names them', () => {
    expect(speakerIn('Mara: we moved')).toBe('Mara');
    expect(speakerIn('Mel B: hello')).toBe('Mel B');
    expect(speakerIn('小明：你好')).toBe('小明');
    expect(speakerIn('https://example.org')).toBeNull();
    expect(speakerIn('it is so: we moved')).toBeNull();
    expect(isNamed('Mara', 'When did mara move?')).toBe(true);
    expect(isNamed('Mara', 'the marathon')).toBe(false);
    expect(isNamed('小明', '小明什么时候搬家')).toBe(true);
  });

  it('tell a question from an answer, also behind a picture', () => {
    expect(endsWithQuestionMark('Did you go?')).toBe(true);
    expect(endsWithQuestionMark('Did you go?\n[image: a beach]')).toBe(true);
    expect(endsWithQuestionMark('去了吗？')).toBe(true);
    expect(endsWithQuestionMark('We went. Why? Because.')).toBe(false);
  });

  it('tell what is asked of time, and what speaks of it', () => {
    expect(asksWhen('When did we go?')).toBe(true);
    expect(asksWhen('我们几号去的')).toBe(true);
    expect(asksWhen('Where did we go?')).toBe(false);
    expect(tellsTime('we went last Friday')).toBe(true);
    expect(tellsTime('上周去的')).toBe(true);
    expect(tellsTime('we went there')).toBe(false);
  });
});

describe('an answer that knows nothing', () => {
  it.each([
    "I don't have any information about your sister's allergies.",
    "I'm sorry, but I don't have access to your personal calendar or previous conversations.",
    'I do not know which dentist you go to. If you tell me, I can help you find the number.',
    "Unfortunately you haven't mentioned your shoe size so far.",
    "I'm not sure what you named the boat. Could you remind me?",
    "Sorry! I can't recall our earlier conversations.",
    'As an AI language model, I do not have memory of past chats.',
    'There is no mention of a deposit in our conversation.',
    "I don't see any record of that here.",
    "You didn't tell me when the inspection is due.",
    'I have no way of knowing who repaired your tap.',
    "I'm unable to access your notes from last week.",
    "I don't actually know your daughter's birthday.",
    '抱歉，我没有关于你妹妹过敏情况的信息。',
    '我不知道你家的路由器放在哪里，可以告诉我吗？',
    '你还没有告诉过我你的鞋码。',
    '很抱歉，我无法访问您之前的对话记录。',
    '我目前并不了解您的饮食禁忌。',
    '对话中没有提到押金的金额。',
    '作为AI，我没有你的个人资料。',
    '我不记得你说过房东叫什么。',
  ])('says so: %s', (text) => expect(answersNothing(text)).toBe(true));

  it.each([
    'Walnuts: she is allergic to them.',
    "You don't have to avoid anything but walnuts.",
    'On Tuesday at four, as you told me.',
    "I don't think you need a new boiler; the valve is stuck.",
    'If the port is taken you have not stopped the old process.',
    "You said she doesn't know about the party.",
    'Use `git reflog`; there is no way to lose a commit within ninety days.',
    'Your landlord did not mention a fee, only the eight weeks.',
    'I know what you mean: the blue one.',
    'The function has no information about its caller, so pass the name.',
    '她对核桃过敏，别放核桃。',
    '你没有必要换锅炉。',
    '周二下午四点，你之前说的。',
    '房东没有提到手续费，只说了八周。',
    '这个函数不知道调用者是谁，所以要把名字传进去。',
    '我建议不要放核桃。',
  ])('says something: %s', (text) => expect(answersNothing(text)).toBe(false));

  // Rules were made with the first set before them; the second only measures (53 and 47 of 60 found, 1 and 2 wrongly).
  it.each([
    ['first', 'en', 50, 0],
    ['first', 'zh', 50, 0],
    ['second', 'en', 53, 1],
    ['second', 'zh', 47, 2],
  ] as const)('is told from one that says something, %s set, %s', (set, language, found, wrong) => {
    const { nothing, something } = answers[set];
    expect(nothing[language].filter(answersNothing).length).toBeGreaterThanOrEqual(found);
    expect(something[language].filter(answersNothing).length).toBeLessThanOrEqual(wrong);
  });

  it('is one only by its beginning', () => {
    const list = 'Wash your hands. Sleep enough. Drink tea. Air the room. ';
    expect(answersNothing(`${list}I don't know your habits.`)).toBe(false);
    expect(answersNothing(`I don't know your habits. ${list}`)).toBe(true);
  });
});
