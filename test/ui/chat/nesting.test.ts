import { describe, expect, it } from 'vitest';
import { NestingGuard } from '../../../src/ui/chat/nesting.ts';
import { MARKDOWN } from '../../server/scripted-model.ts';

const lines = (count: number, line: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => line(at)).join('\n');

const nestsTooDeep = (text: string) => new NestingGuard().isTooDeep(text);

describe('nesting', () => {
  it.each([
    ['a list in a list in a list', `${'- '.repeat(1000)}x`],
    ['the same while it is being written', `Look:\n\n${'1. '.repeat(300)}x`],
    ['quotes', `${'> '.repeat(3000)}x`],
    ['quotes without a space', `${'>'.repeat(3000)}x`],
    ['quotes of lists', `${'> - '.repeat(300)}x`],
    ['a list by its indents', lines(300, (at) => `${' '.repeat(2 * at)}- x`)],
    ['elements', `${'<div>'.repeat(3000)}x`],
    ['elements on lines of their own', '<section class="a">\n\n'.repeat(300)],
    ['brackets', `${'['.repeat(3000)}x`],
    ['pictures of pictures', `${'!['.repeat(3000)}x${'](http://a.example)'.repeat(3000)}`],
    ['emphasis', `${'*a '.repeat(3000)}x${' b*'.repeat(3000)}`],
    ['strong emphasis', `${'a **b '.repeat(300)}x`],
  ])('is too deep: %s', (_, text) => expect(nestsTooDeep(text)).toBe(true));

  it.each([
    ['an ordinary answer', MARKDOWN],
    ['many of them', `${MARKDOWN}\n\n`.repeat(120)],
    [
      'a list of a thousand',
      lines(1000, (at) => `${at + 1}. Take **this** and _that_ [^1] *or* [those](https://a.example)`),
    ],
    ['ten levels', lines(10, (at) => `${' '.repeat(2 * at)}- x`).repeat(50)],
    [
      'long rules',
      `${'- '.repeat(400)}\n\n${'* '.repeat(400)}\n\n${'*'.repeat(400)}\n${'_'.repeat(400)}\n${'='.repeat(400)}`,
    ],
    ['code', `\`\`\`html\n${lines(300, () => '<div>')}\n${'> '.repeat(400)}x\n\`\`\`\n\nDone`],
    ['code of longer fences', `~~~~\n~~~\n${lines(300, () => '<div>')}\n~~~~`],
    ['elements that are spoken of', 'Put a `<div>` into a `<span>`. '.repeat(300)],
    ['types', 'A Map<string, List<number>> of vector<int>. '.repeat(300)],
    ['breaks and items', '<p>one<br>two<ul><li>three</ul>'.repeat(300)],
    ['elements that end', '<div><b>a</b></div>\n'.repeat(300)],
    ['products', 'a*b and c * d and snake_case_name and 2**3. '.repeat(300)],
    ['paths', 'Copy *.ts and src/*.tsx.\n\n'.repeat(300)],
    ['tasks', '- [ ] one\n- [x] two\n'.repeat(300)],
    ['escaped brackets', '\\[x '.repeat(300)],
    ['nothing', ''],
  ])('is not: %s', (_, text) => expect(nestsTooDeep(text)).toBe(false));

  it.each([
    ['words and code', `${MARKDOWN}\n\n~~~~\n~~~\n${lines(120, () => '<div>')}\n~~~~`],
    ['words that nest too deep at their end', `${MARKDOWN}\n\n- a\n${'> '.repeat(120)}x`],
  ])('comes to the same while %s are being written', (_, text) => {
    const guard = new NestingGuard();
    for (let at = 0; at <= text.length; at += 7)
      expect(guard.isTooDeep(text.slice(0, at))).toBe(nestsTooDeep(text.slice(0, at)));
    expect(guard.isTooDeep('another')).toBe(false);
  });
});
