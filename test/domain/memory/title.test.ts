// What a title says of the passages below it.
import { expect, it } from 'vitest';
import { isTitleFromWords, titleMatches } from '../../../src/domain/memory/title.ts';
import { queryWords } from '../../../src/domain/text/words.ts';

const asked = (question: string) => queryWords(question).split(' ');

it('knows a title that was made from what was said', () => {
  const said = ['Hello! My **sourdough** spreads like a pancake. 500 g flour, and so on.'];
  expect(isTitleFromWords('My sourdough spreads like a pancake', said)).toBe(true);
  expect(isTitleFromWords('My sourdough spreads like…', said)).toBe(true);
  expect(isTitleFromWords('My sourdough spreads like a pancake (12)', said)).toBe(true);
  expect(isTitleFromWords('Sourdough that stays flat', said)).toBe(false);
  expect(isTitleFromWords('体检有一项是阳性', ['体检有一项是阳性，医生说没病。为什么？'])).toBe(true);
  expect(isTitleFromWords('贝叶斯公式到底在说什么', ['体检有一项是阳性，医生说没病。为什么？'])).toBe(false);
});

it('takes a name of one word for a name, though it was said too', () => {
  expect(isTitleFromWords('Lisbon', ['We go to Lisbon in May.'])).toBe(false);
});

it('names the words that a title has, in all their forms, in both languages', () => {
  const titled = titleMatches(asked('staying bread'), () => []);
  expect(titled('a', 'Breads that stay flat')).toEqual([true, true]);
  expect(titled('b', 'Roses')).toBeUndefined();
  const bayes = titleMatches(asked('贝叶斯公式'), () => []);
  expect(bayes('a', '贝叶斯公式到底在说什么')?.every(Boolean)).toBe(true);
  expect(bayes('b', '')).toBeUndefined();
});

it('asks once a conversation what was said there, and only where the title matters', () => {
  const read: string[] = [];
  const titled = titleMatches(asked('sourdough pancake'), (conversation: string) => {
    read.push(conversation);
    return ['My sourdough spreads like a pancake.'];
  });
  for (let round = 0; round < 2; round++) {
    expect(titled('made', 'My sourdough spreads like a pancake')).toBeUndefined();
    expect(titled('given', 'The sourdough of May')).toEqual([true, false]);
    expect(titled('other', 'Taxes')).toBeUndefined();
  }
  expect(read).toEqual(['made', 'given']);
});
