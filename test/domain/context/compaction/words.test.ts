// The instructions for a summarising model, and what the rules write themselves, by section and in both languages.
import { describe, expect, it } from 'vitest';
import { asMessageId } from '../../../../src/domain/base/ids.ts';
import type { Message } from '../../../../src/domain/chat/message.ts';
import { HEADINGS, type HeadingLanguage } from '../../../../src/domain/context/compaction/headings.ts';
import { writeMemory } from '../../../../src/domain/context/compaction/memory-writer.ts';
import { SECTIONS, summaryPrompt } from '../../../../src/domain/context/compaction/prompts.ts';
import { createMeter } from '../../../../src/domain/context/meter.ts';
import { goesWrong } from '../../../../src/domain/text/cues.ts';

const LANGUAGES = ['en', 'zh'] as const;
const meter = createMeter();

describe.each(LANGUAGES)('the prompt of a summary (%s)', (language) => {
  const asked = { language, transcript: '…', previous: null, maxTokens: 800, again: false };

  it('asks for six sections, each once and in order, and says what belongs in each', () => {
    expect(SECTIONS).toHaveLength(6);
    const prompt = summaryPrompt(asked);
    const places = SECTIONS.map((section) => {
      expect(prompt.split(`<${section}>`)).toHaveLength(2);
      expect(prompt.split(`</${section}>`)).toHaveLength(2);
      const [, inside = ''] = new RegExp(`<${section}>([^]*)</${section}>`).exec(prompt) ?? [];
      expect(inside.trim()).not.toBe('');
      return prompt.indexOf(`<${section}>`);
    });
    expect([...places].sort((a, b) => a - b)).toEqual(places);
  });

  it('says in its own language what comes before, what the person asks, how long it may be, and that it was too long', () => {
    const words = (change: object) => summaryPrompt({ ...asked, ...change });
    const others = LANGUAGES.filter((other) => other !== language);
    for (const change of [{ previous: 'EARLIER' }, { instruction: 'WISH' }, { again: true }, {}]) {
      const here = words(change);
      for (const said of Object.values(change)) if (typeof said === 'string') expect(here).toContain(said);
      if ('again' in change) expect(here).not.toBe(words({}));
      for (const other of others)
        expect(here).not.toBe(summaryPrompt({ ...asked, ...change, language: other }));
      expect(here).toContain('800');
    }
  });
});

/** Sections of a memory by their headings. */
const sectionsOf = (memory: string): Map<string, string> =>
  new Map(
    memory
      .split(/^## /m)
      .slice(1)
      .map((section) => {
        const [heading = '', ...lines] = section.split('\n');
        return [heading, lines.join('\n').trim()];
      }),
  );

const TALKS: Readonly<
  Record<HeadingLanguage, { said: readonly (readonly [Message['role'], string])[]; found: object }>
> = {
  en: {
    said: [
      ['user', 'Please move the importer of the harbour office to the new archive.'],
      ['assistant', 'I look at src/import/harbour.ts and at src/import/rows.ts first.'],
      ['user', 'Never delete the audit table.'],
      ['assistant', 'First comes `npm run import -- --dry`, then the same without the flag.'],
      ['user', 'It failed with ECONNRESET after 30 seconds.'],
      ['assistant', 'The error ECONNRESET was fixed: the cause was a missing keepalive in src/net/pool.ts.'],
      ['user', 'We decided to use Redis 7 for the queue because it is there already.'],
      ['assistant', 'TODO: rotate the signing keys before June 3.'],
      ['user', 'Now write the report on what the import of region nine found.'],
      ['assistant', 'Good.'],
    ],
    found: {
      title: 'move the importer of the harbour office',
      state: 'write the report on what the import of region nine found',
      rules: '- Never delete the audit table.',
      decisions: 'Redis 7 for the queue',
      files: 'src/import/harbour.ts',
      workflow: 'npm run import -- --dry',
      errors: 'the cause was a missing keepalive',
      todo: 'rotate the signing keys',
    },
  },
  zh: {
    said: [
      ['user', '请把港务局的导入程序迁移到新的档案库。'],
      ['assistant', '我先看 src/import/harbour.ts 和 src/import/rows.ts 这两个文件。'],
      ['user', '不要删除审计表。'],
      ['assistant', '每次正式运行之前先执行 `npm run import -- --dry`。'],
      ['user', '运行 30 秒之后报错 ECONNRESET。'],
      ['assistant', '错误 ECONNRESET 已修复：原因是 src/net/pool.ts 缺少 keepalive。'],
      ['user', '我们决定用 Redis 7 做队列，因为已经有了。'],
      ['assistant', '待办：6 月 3 日之前轮换签名密钥。'],
      ['user', '现在写一份报告，说明第九区的导入查明了什么。'],
      ['assistant', '好的。'],
    ],
    found: {
      title: '港务局的导入程序',
      state: '第九区的导入查明了什么',
      rules: '- 不要删除审计表。',
      decisions: 'Redis 7 做队列',
      files: 'src/import/harbour.ts',
      workflow: 'npm run import -- --dry',
      errors: '缺少 keepalive',
      todo: '轮换签名密钥',
    },
  },
};

describe.each(LANGUAGES)('a session memory (%s)', (language) => {
  const { said, found } = TALKS[language];
  const messages = said.map(
    ([role, text], at): Message => ({
      id: asMessageId(`m${at}`),
      parentId: at === 0 ? null : asMessageId(`m${at - 1}`),
      role,
      kind: 'message',
      createdAt: at,
      parts: [{ type: 'text', text }],
    }),
  );
  const sections = sectionsOf(writeMemory(messages, { language, meter, tokens: 1_200 }));

  it.each(Object.entries(found))('has its matter under %s', (heading, matter) => {
    expect(sections.get(HEADINGS[language][heading as 'title'])).toContain(matter);
  });

  it('has no section without matter', () => {
    for (const [heading, lines] of sections) expect([heading, lines]).not.toEqual([heading, '']);
  });
});

it('takes a code like ECONNRESET for an error, and no word that begins with an e', () => {
  const wrong = (text: string) => [text, goesWrong(text)];
  for (const text of ['ENOENT: no such file', 'It ended with ECONNRESET.', 'An Error came.'])
    expect(wrong(text)).toEqual([text, true]);
  for (const text of ['Run it before every import.', 'The endpoint listens on 443.', 'Exactly two eggs.'])
    expect(wrong(text)).toEqual([text, false]);
});
