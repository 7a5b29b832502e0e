// Words that people did not understand, or that named one thing in two ways, stay out of the interface.
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const I18N = resolve(import.meta.dirname, '../../../src/ui/i18n');

/** All texts of a language, each with its file. */
async function textsOf(language: 'en' | 'zh'): Promise<string[]> {
  const inside = (file: string, words: unknown): string[] =>
    typeof words === 'string'
      ? [`${file}: ${words}`]
      : Object.values(words as object).flatMap((part) => inside(file, part));
  const files = readdirSync(join(I18N, language));
  const all = await Promise.all(
    files.map(async (file) => inside(file, await import(join(I18N, language, file)))),
  );
  return all.flat();
}

it.each([
  [
    'en',
    /hand it over as it is|Its reason|asks for a pause|Memory only|Write on;|near miss|Below the threshold of|piece by piece|Its surroundings|Above all that was found|Tick none|Answers next|Not promised|Ask to keep|got into|What gets in|As the (?:system|browser)|Tokens (?:read|written)|breaks the line|Fold now|: Folded|Not folded|for their vectors|is not connected on this device|goes on here|is not asked by itself|without folding|Send back|everything that was said after it|turn-\d|Worldline|Open the map|came here from another place|Image elsewhere|Recall by itself|nobody asked for|In step|it told of|How often, how long|Patience with|last heard of|: Go on with|D-Mail|[Bb]ring this passage|[Bb]rought back again|brings back what|[Ss]eal(?:s|ed|ing)?\b|text field|[Cc]omposer|(?<!, )\bproviders?\b(?!,)|connection’s own|work(?:ing)? director/,
  ],
  [
    'zh',
    /您|会记事|恰当的旧片段|会送来一个|原样交给|对方的理由|仅凭记忆|差一点的|未承诺|请求保留|带走与带入|已与中继|上次一致|中继上也有|它告知的|待向量|唤醒|因时间减分|指示|世界线|打开地图|密封|想起|D-Mail|翻阅|查阅|记忆会带回|外部图片|重新走|封存|(?<!自定义)指令/,
  ],
] as const)('stay out: %s', async (language, old) => {
  const texts = await textsOf(language);
  expect(texts.length).toBeGreaterThan(1000);
  expect(texts.filter((text) => old.test(text))).toEqual([]);
});
