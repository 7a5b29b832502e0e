// Rules and preferences of the person have a place among what is found for a request, and change nothing else.
import { describe, expect, it } from 'vitest';
import { rank } from '../../../src/domain/memory/rank.ts';
import { placeRules, setsRuleOrPreference } from '../../../src/domain/memory/standing.ts';
import { candidate, context } from './candidates.ts';

describe('a message', () => {
  it.each([
    'Always name version numbers when I ask about libraries.',
    'Thanks. From now on, answer in metric units.',
    'Never use tabs in my code.',
    "I'm drafting the essay, and I prefer Word over Docs, can you help me?",
    '以后都用中文回答我。',
    '我习惯早上写东西，帮我排个计划',
  ])('%s sets what stands', (text) => {
    expect(setsRuleOrPreference(text)).toBe(true);
  });

  it.each([
    'The build always fails on Mondays.',
    'Always the same trouble, or do you see it otherwise?',
    'My sister never eats fish.',
    '我昨天去了医院。',
    `Always quote sources. ${'And a long text. '.repeat(60)}`,
  ])('%s does not', (text) => {
    expect(setsRuleOrPreference(text)).toBe(false);
  });
});

describe('what was found', () => {
  const rules = ['Always bring a spare, when I ask about tools.', 'I prefer short lists of tools.'];
  const all = [
    ...Array.from({ length: 14 }, (_, at) =>
      candidate({ text: `tools, number ${at}`, bm25: 20 - at, role: 'user' }),
    ),
    ...rules.map((text, at) => candidate({ text, bm25: 2 - at, role: 'user' })),
  ];
  const found = (question: string) => {
    const ranked = rank(all, { ...context, question });
    return { ranked, after: placeRules(question, ranked) };
  };

  it('has the nearest rule fifth and the next tenth for a request, each as probable as before', () => {
    const { ranked, after } = found('Which tools should I buy?');
    const texts = after.map((one) => one.candidate.text);
    expect([texts[4], texts[9]]).toEqual(rules);
    expect(texts.slice(0, 4)).toEqual(ranked.slice(0, 4).map((one) => one.candidate.text));
    expect(new Set(after)).toEqual(new Set(ranked));
  });

  it.each([
    'What did I say about tools?',
    'When was it that tools broke?',
    'Summarise everything about our tools',
  ])('stays as it is for %s', (question) => {
    const { ranked, after } = found(question);
    expect(after).toEqual(ranked);
  });

  it('lets no assistant set a rule', () => {
    const theirs = all.map((one) =>
      rules.includes(one.text) ? { ...one, role: 'assistant' as const } : one,
    );
    const question = 'Which tools should I buy?';
    const ranked = rank(theirs, { ...context, question });
    expect(placeRules(question, ranked)).toEqual(ranked);
  });
});
