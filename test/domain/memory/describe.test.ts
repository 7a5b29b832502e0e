import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Message } from '../../../src/domain/chat/message.ts';
import { digestOf } from '../../../src/domain/memory/digest.ts';
import { keywordsOf } from '../../../src/domain/memory/keywords.ts';
import { summaryOf } from '../../../src/domain/memory/summary.ts';
import { titleOf } from '../../../src/domain/memory/title.ts';
import { blocksOf, codeIn } from '../../../src/domain/text/code.ts';
import { plainText } from '../../../src/domain/text/markdown.ts';
import { sentencesOf } from '../../../src/domain/text/sentences.ts';

const keep = (text: string) => text;
const said = (...turns: string[]): Pick<Message, 'role' | 'kind' | 'parts'>[] =>
  turns.map((text, i) => ({
    role: i % 2 === 0 ? 'user' : 'assistant',
    kind: 'message',
    parts: [{ type: 'text', text }],
  }));
const ENGLISH = said(
  'Hi! My sourdough starter does not rise. I feed it with rye flour every morning.',
  'A starter that does not rise is often too cold. Sourdough likes 26 degrees. Try a warmer place for the starter.',
  'The kitchen has 19 degrees, so the sourdough starter is cold indeed.',
  'Put it into the oven with the light on. Rye flour is fine.',
);
const CHINESE = said(
  '你好，请问如何在 PostgreSQL 中备份数据库？我需要每天凌晨自动执行。',
  '可以使用 pg_dump 备份数据库，并用 cron 每天凌晨执行备份脚本。',
  '备份文件太大了，数据库有 200GB，怎么压缩？',
  '使用 pg_dump 的自定义格式会自动压缩备份文件。',
);

describe('keywords', () => {
  it('name what an English conversation is about', () => {
    const found = keywordsOf(digestOf(ENGLISH, keep)).map((word) => word.toLowerCase());
    expect(found.slice(0, 4)).toEqual(expect.arrayContaining(['starter', 'sourdough']));
    expect(found).not.toContain('the');
  });

  it('name what a Chinese conversation is about', () => {
    const found = keywordsOf(digestOf(CHINESE, keep));
    expect(found).toEqual(expect.arrayContaining(['备份', 'PostgreSQL']));
    expect(found).not.toContain('如何');
  });

  it('are at most as many as asked for, and none for nothing', () => {
    expect(keywordsOf(digestOf(ENGLISH, keep), 2)).toHaveLength(2);
    expect(keywordsOf(digestOf([], keep))).toEqual([]);
  });
});

describe('a summary', () => {
  it.each([
    ['English', ENGLISH],
    ['Chinese', CHINESE],
  ])('is one to three sentences of the conversation, word for word: %s', (_name, messages) => {
    const summary = summaryOf(digestOf(messages, keep));
    const sentences = messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === 'text' ? sentencesOf(plainText(part.text)) : [])),
    );
    let rest = summary;
    let used = 0;
    for (const sentence of sentences)
      if (rest.startsWith(sentence)) {
        rest = rest.slice(sentence.length).trimStart();
        used += 1;
      }
    expect(rest).toBe('');
    expect(used).toBeGreaterThanOrEqual(1);
    expect(used).toBeLessThanOrEqual(3);
  });

  it('is empty for an empty conversation and never holds a note', () => {
    expect(summaryOf(digestOf([], keep))).toBe('');
    expect(
      summaryOf(
        digestOf(
          [
            {
              role: 'user',
              kind: 'note',
              parts: [{ type: 'text', text: 'A reminder of the tool that is long.' }],
            },
          ],
          keep,
        ),
      ),
    ).toBe('');
  });
});

describe('a title', () => {
  it.each([
    ['Hi! Can you help me write a **Python** script to parse CSV?', 'Write a Python script to parse CSV'],
    ['你好，请帮我写一个排序算法', '写一个排序算法'],
    ['```js\nfoo()\n```\nwhy does this loop fail', 'why does this loop fail'],
    ['iPhone 15 battery drains', 'iPhone 15 battery drains'],
    ['# Plan\n\n- Buy flour for the bread', 'Buy flour for the bread'],
    ['what does https://www.example.com/a?b=c do', 'what does example.com do'],
    ['Hello', ''],
  ])('of %j is %j', (text, title) => {
    expect(titleOf(said(text), keep)).toBe(title);
  });

  it('looks further when the first message says nothing', () => {
    expect(titleOf(said('Hi', 'Hello!', 'Which hiking boots last longest?'), keep)).toBe(
      'Which hiking boots last longest?',
    );
  });

  it('carries no secret', () => {
    expect(
      titleOf(said('My password: hunter2 does not work on the mail server'), (text) =>
        text.replace('hunter2', '•••'),
      ),
    ).not.toContain('hunter2');
  });

  it('is one short line whatever was said', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 200 }), { maxLength: 4 }), (turns) => {
        const title = titleOf(said(...turns), keep);
        expect([...title].length).toBeLessThanOrEqual(57);
        expect(title).not.toMatch(/[\n\r]/);
      }),
    );
  });
});

describe('sentences and code', () => {
  it('end where a reader pauses', () => {
    expect(sentencesOf('I use e.g. Postgres. Fine! 你好。今天好吗？好的\nNext')).toEqual([
      'I use e.g. Postgres.',
      'Fine!',
      '你好。',
      '今天好吗？',
      '好的',
      'Next',
    ]);
  });

  it('lose no character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        expect(sentencesOf(text).join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
        expect(
          blocksOf(text)
            .map((block) => block.text)
            .join('\n'),
        ).toBe(text);
      }),
    );
  });

  it('know fences, open ones too, and the language of most lines', () => {
    expect(blocksOf('a\n```ts\nx\n```\nb\n~~~\nopen').map((block) => [block.kind, block.language])).toEqual([
      ['prose', null],
      ['code', 'ts'],
      ['prose', null],
      ['code', null],
    ]);
    expect(codeIn('```js\n1\n```\n```PYTHON {a}\n1\n2\n3\n```')).toEqual({
      hasCode: true,
      language: 'python',
    });
    expect(codeIn('no `fence` here')).toEqual({ hasCode: false, language: null });
  });
});
