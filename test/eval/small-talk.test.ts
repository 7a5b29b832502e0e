// The set of small talk and general knowledge is what the report says it is: fifty
// questions, half of them Chinese, none twice.
import { expect, test } from 'vitest';
import { isHan } from '../../src/domain/text/sentences.ts';
import { smallTalk } from './recorded.ts';

test('there are fifty questions that no library answers', () => {
  const { en, zh } = smallTalk();
  expect(en).toHaveLength(25);
  expect(zh).toHaveLength(25);
  expect(new Set([...en, ...zh]).size).toBe(50);
  expect(en.some(isHan)).toBe(false);
  expect(zh.filter((text) => /\p{Script=Han}/u.test(text))).toHaveLength(25);
});
