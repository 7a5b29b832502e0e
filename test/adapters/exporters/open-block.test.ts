// What the exporter takes for open is what a reader of Markdown takes for open.
import fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { describe, expect, it } from 'vitest';
import { createBlockReader, LINE_BREAK } from '../../../src/adapters/exporters/open-block.ts';
import { roughMarkdown } from '../../fixtures/markdown.ts';
import { runs } from '../../scale.ts';

const closingOf = (text: string): string | undefined => {
  const reader = createBlockReader();
  for (const line of text.split(LINE_BREAK)) reader.line(line);
  return reader.closing();
};

/** Whether the parser sees a heading two lines below the text. */
const stands = (text: string): boolean => {
  const last = fromMarkdown(`${text}\n\n## below`).children.at(-1);
  return last?.type === 'heading' && last.depth === 2;
};

describe('the block that a text leaves open', () => {
  it.each([
    ['words', undefined],
    ['```js\n1', '```'],
    ['~~~~\n```\n~~~', '~~~~'],
    ['```\n1\n```', undefined],
    ['- ```\n  1', undefined],
    ['- ```\n1\n```', '```'],
    ['> ```\n> 1', undefined],
    ['10) ```\n    1', undefined],
    ['words\n2. ```\n   ```', '```'],
    ['words\n1. ```\n   ```', undefined],
    ['-\n\n  ```', '```'],
    ['> words\n```', '```'],
    ['``` not ` a fence', undefined],
    ['    ```\n1', undefined],
    ['<div>\nwords', undefined],
    ['<b class="x">\n```', undefined],
    ['words\n<b class="x">\n```', '```'],
    ['<!-- note', '-->'],
    ['<!-- note -->', undefined],
    ['<PRE>\n\n1', '</pre>'],
    ['<?php', '?>'],
    ['<!DOCTYPE', '>'],
    ['<![CDATA[', ']]>'],
    ['words <!-- no', undefined],
    ['a\r```\rb', '```'],
  ])('of %j is closed by %j', (text, closing) => {
    expect(closingOf(text)).toBe(closing);
    expect(stands(text)).toBe(closing === undefined);
  });

  it('is the one that CommonMark sees, and its closing line closes it', () => {
    fc.assert(
      fc.property(roughMarkdown, (text) => {
        const closing = closingOf(text);
        expect(stands(text)).toBe(closing === undefined);
        if (closing !== undefined) expect(stands(`${text}\n${closing}`)).toBe(true);
      }),
      { numRuns: runs(1000) },
    );
  });

  it('is found in ten million characters', () => {
    const long = `${'- a list of `words`\n  > and <b>more</b>\n\n'.repeat(250_000)}\`\`\`\n1`;
    expect(closingOf(long)).toBe('```');
    for (const line of [
      '> '.repeat(100),
      '- '.repeat(500_000),
      '> - '.repeat(500_000),
      '<a b'.repeat(500_000),
    ])
      expect(closingOf(`${line}x\n`.repeat(20))).toBe(undefined);
  });
});
