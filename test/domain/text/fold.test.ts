import { describe, expect, it } from 'vitest';
import { folded } from '../../../src/domain/text/fold.ts';
import { queryWords, termsOf, words } from '../../../src/domain/text/words.ts';

/** Share of a question's search words that a passage has. */
const found = (question: string, passage: string): number => {
  const [asked, there] = [queryWords(question).split(' '), new Set(words(passage).split(' '))];
  return asked.filter((word) => there.has(word)).length / asked.length;
};

describe('what is written in several ways', () => {
  it.each([
    ['youtube', 'YouTube'],
    ['iphone', 'iPhone'],
    ['nodejs', 'Node.js'],
    ['libreoffice', 'LibreOffice'],
    ['postgresql', 'PostgreSQL'],
    ['email', 'e-mail'],
    ['wifi', 'Wi-Fi'],
    ['cafe', 'café'],
    ['naive', 'naïve'],
    ['strasse', 'Straße'],
    ['oeuvre', 'œuvre'],
    ['smorrebrod', 'smørrebrød'],
    ['ABC123', 'ＡＢＣ１２３'],
    ['1299', '1,299.00'],
    ['1234567', '1,234,567'],
    ['1.2', 'v1.2'],
    ['v1.2', '1.2'],
    ['1299', '1\u202f299'],
    ['1,299.00', '1 299'],
    ['345', '٣٤٥'],
    ['345', '३४५'],
    ['wifi', 'Wi\u2011Fi'],
    ['wifi', 'Wi Fi'],
    ['nodejs', 'Node js'],
    ['node js', 'Node.js'],
    ['email', 'e mail'],
    ['C++', 'cpp'],
    ['C#', 'csharp'],
    ['.NET', 'dotnet'],
    ['0170 1234567', '+49 (0)170 1234567'],
    ['مدرسة', 'مدرسه'],
    ['إلى', 'الي'],
    ['ガギグ', 'ｶﾞｷﾞｸﾞ'],
    ['数据库备份', '資料庫備份'.replace('資料', '數據')],
    ['简体', '簡體'],
    ['می\u200cخواهم', 'میخواهم'],
    ['می\u200cخواهم', 'می خواهم'],
    ['क्\u200dष', 'क्ष'],
    ['नम\u200cस्ते', 'नमस्ते'],
    ['\u202a\u2066word\u2069\u202c', 'word'],
    ['okina', 'ʻokina'],
    ["об'єкт", 'обʼєкт'],
    ['らーめん', 'ラーメン'],
    ['ひらがな', 'ヒラガナ'],
    ['一ヶ月', '一ヵ月'],
    ['コ－ヒ－', 'コーヒー'],
    ['コｰヒｰ', 'コーヒー'],
    ['サ−バ', 'サーバ'],
    ['図書館', '图书馆'],
    ['鉄道', '鐵道'],
    ['髙橋', '高橋'],
    ['हिंदी', 'हिन्दी'],
    ['मुंबई', 'मुम्बई'],
    ['अंक', 'अङ्क'],
    ['ज़िंदगी', 'जिंदगी'],
    ['చెందు', 'చెన్దు'],
    ['กรุงเทพ', 'กรุงเทพฯ'],
    ['ต่างๆ', 'ต่าง ๆ'],
    ['นํ้า', 'น้ำ'],
    ['เเม่', 'แม่'],
    ['5551234567', '+1 (555) 123-4567'],
    ['Søren', 'Soeren'],
    ['Åse', 'Aase'],
    ['10k', '10 k'],
    ['1.5gb', '1.5 GB'],
    ['github', 'git hub'],
    ['GitHub', 'git hub'],
    ['you tube', 'YouTube'],
    ['1000000', '1e6'],
  ])('%s finds %s, and the other way round', (one, other) => {
    expect(found(one, other)).toBeGreaterThan(0.3);
    expect(found(other, one)).toBeGreaterThan(0.3);
    expect(found(one, one)).toBe(1);
  });

  it.each([
    ['HTTPServer', 'an http server'],
    ['httpServer', 'an HTTP server'],
    ['IOError', 'io error'],
    ['1299', '1.299'],
    ['1299', '1.299,00'],
    ['1234567', '1.234.567'],
    ['1234567', '12,34,567'],
    ['1299', '١٬٢٩٩'],
    ['+15551234567', '(555) 123-4567'],
    ['06 12 34 56 78', '+33612345678'],
    ['+33 6 12 34 56 78', '0612345678'],
    ['0033612345678', '+33 6 12 34 56 78'],
    ['2024年', '二〇二四年'],
    ['2500', '2.5e3'],
    ['3台服务器', '三台服务器'],
    ['12个月', '十二个月'],
    ['2周', '两周'],
    ['20页', '二十頁'],
    ['35 次', '三十五次'],
  ])('%s finds %s by at least a quarter of its words', (question, passage) => {
    expect(found(question, passage)).toBeGreaterThanOrEqual(0.25);
    expect(found(passage, question)).toBeGreaterThan(0);
    expect(found(question, question)).toBe(1);
  });

  it.each(['一个', '百度三台', '十分', '2024年', 'lib reoffice', 'linked in', 'abc1e6', '1e99'])(
    'gives %s no word of another spelling',
    (text) => {
      const known = text === '百度三台' ? ['3台'] : [];
      expect(
        words(text)
          .split(' ')
          .filter((word) => /^\d+\p{Script=Han}|^(?:libreoffic|linkedin)$|0000/u.test(word)),
      ).toEqual(known);
    },
  );

  it('a date is no telephone number', () => {
    expect(found('02.05.2024', '2024-05-02')).toBeGreaterThan(0);
  });

  it('a telephone number is found without its spaces', () => {
    expect(found('+49 170 1234567', '+491701234567')).toBeGreaterThan(0);
    expect(found('+491701234567', '+49 170 1234567')).toBe(1);
  });

  it.each(['youtube', 'YouTube', 'YOUTUBE', 'Youtube'])(
    'is asked for in the same words: which %s channel',
    (name) => {
      expect(queryWords(`which ${name} channel`)).toBe(queryWords('which youtube channel'));
      expect(found(`which ${name} channel`, 'The YouTube channel is called Rye & Shine.')).toBe(1);
    },
  );

  it.each([
    ['café', 'cafe'],
    ['資料庫', '资料库'],
    ['C++', 'C'],
    ['C#', 'C++'],
    ['F#', 'f'],
    ['.NET', 'net'],
    ['١٢٣', '123'],
    ['1.299', '1299'],
    ['+1 (555) 123-4567', '5551234567'],
    ['+86 138 0013 8000', '13800138000'],
    ['ラーメン', 'らーめん'],
    ['図書館', '图书馆'],
    ['हिन्दी', 'हिंदी'],
    ['1e6', '1000000'],
    ['三台', '3台'],
  ])('%s as it was written comes before %s', (exact, other) => {
    expect(found(exact, exact)).toBeGreaterThan(found(exact, other));
  });

  it('is folded for the search in this conversation as well', () => {
    for (const [one, other] of [
      ['youtube', 'YouTube'],
      ['cafe', 'café'],
      ['简体', '簡體'],
    ] as const)
      expect(termsOf(other)).toEqual(expect.arrayContaining([...new Set(termsOf(one))]));
  });

  it.each([
    ['עִבְרִית', 'עברית'],
    ['مُحَمَّد', 'محمد'],
    ['كتـــاب', 'كتاب'],
    ['ёлка', 'елка'],
    ['co\u00adop\u200berate', 'cooperate'],
  ])('leaves away what is seldom written, or never seen: %s', (text, expected) =>
    expect(folded(text)).toBe(expected),
  );

  it('keeps the vowels and letters of other scripts apart', () => {
    for (const text of ['हिमालय की', 'ไทย', 'が か', 'й и', 'їжак'])
      expect(folded(text)).toBe(text.normalize('NFKC'));
  });
});
