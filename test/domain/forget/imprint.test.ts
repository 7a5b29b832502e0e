// Hashes find the forgotten words in any place and form, and nothing else.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createMatcher,
  type Imprint,
  imprintOf,
  imprintsOf,
  TAKEN_OUT,
} from '../../../src/domain/forget/imprint.ts';
import { tellingSentences } from '../../../src/domain/forget/sought.ts';

const matcherOf = (...words: string[]) =>
  createMatcher(
    words.map((one) => imprintOf(one, 'salt') as Imprint),
    'salt',
  );

describe('imprints', () => {
  it.each([
    ['Ada Lovelace', 'I met ADA  LOVELACE, twice.', `I met ${TAKEN_OUT}, twice.`],
    ['Ada Lovelace', 'ada-lovelace@example.org', `${TAKEN_OUT}@example.org`],
    ['张伟', '我和张伟吃饭，张伟付钱。', `我和${TAKEN_OUT}吃饭，${TAKEN_OUT}付钱。`],
    ['café', 'the Cafe\u0301 there', `the ${TAKEN_OUT} there`],
    ['A1', 'Ａ１ and a1', `${TAKEN_OUT} and ${TAKEN_OUT}`],
    ['art', 'start art party', `start ${TAKEN_OUT} party`],
    ['a b a', 'x a b a b a y', `x ${TAKEN_OUT} y`],
    ['13800138000', '电话13800138000。', `电话${TAKEN_OUT}。`],
  ])('find %s in %s', (words, text, left) => {
    expect(matcherOf(words).hide(text).text).toBe(left);
    expect(matcherOf(words).has(text)).toBe(true);
  });

  it.each([
    ['Quillfeather', 'Quill\u00adfeather, Quill\u200bfeather', `${TAKEN_OUT}, ${TAKEN_OUT}`],
    ['Quill\u00adfeather', 'Quillfeather\ufe0f', `${TAKEN_OUT}\ufe0f`],
    [
      'Quillfeather',
      'https://a.example/?q=Mira%20Quillfeather&x=%20',
      `https://a.example/?q=Mira%20${TAKEN_OUT}&x=%20`,
    ],
    ['张伟', 'https://zh.example/%E5%BC%A0%E4%BC%9F%E3%80%82', `https://zh.example/${TAKEN_OUT}%E3%80%82`],
    ['José', 'https://a.example/Jos%C3%A9', `https://a.example/${TAKEN_OUT}`],
    ['Mira Quillfeather', '{"text":"Dear Mira\\nQuillfeather"}', `{"text":"Dear ${TAKEN_OUT}"}`],
    ['Quillfeather', '{"text":"Dear Mira\\nQuillfeather"}', `{"text":"Dear Mira\\n${TAKEN_OUT}"}`],
    ['张伟', '{"q":"\\u6211\\u5F20\\u4f1f\\n"}', `{"q":"\\u6211${TAKEN_OUT}\\n"}`],
    ['张伟', '{"in":"{\\"q\\":\\"\\\\u5f20\\\\u4f1f\\"}"}', `{"in":"{\\"q\\":\\"${TAKEN_OUT}\\"}"}`],
    [
      'Müller',
      '<b>M&uuml;ller</b> and M&#xFC;ller and M&#252;ller',
      `<b>${TAKEN_OUT}</b> and ${TAKEN_OUT} and ${TAKEN_OUT}`,
    ],
    ['Mira Quillfeather', 'Mira&nbsp;Quill&shy;feather', TAKEN_OUT],
    ['new', 'C:\\new\\Ada', `C:\\${TAKEN_OUT}\\Ada`],
    ['Ada', '100% Ada & \\ %zz &c; %ff', `100% ${TAKEN_OUT} & \\ %zz &c; %ff`],
    ['김철수', '김철수는 갔다. 또김철수', `${TAKEN_OUT}는 갔다. 또김철수`],
    ['สมชาย', 'ฉันพบสมชายที่ตลาด', `ฉันพบ${TAKEN_OUT}ที่ตลาด`],
    ['タナダ', 'ﾀﾅﾀﾞさん', `${TAKEN_OUT}さん`],
    ['マリー', 'マリーSmith', `${TAKEN_OUT}Smith`],
  ])('find %s as it is written in addresses, JSON, HTML and other scripts: %s', (words, text, left) => {
    expect(matcherOf(words).hide(text).text).toBe(left);
    expect(matcherOf(words).has(text)).toBe(true);
    expect(matcherOf(words).has(left)).toBe(false);
  });

  it.each([
    [
      'Ada Lovelace',
      '<b>Ada</b> Lovelace, <td>Ada</td><td>Lovelace</td>',
      `<b>${TAKEN_OUT}, <td>${TAKEN_OUT}</td>`,
    ],
    ['Ada Lovelace', '**A**da Lovelace and Ada<br>Lovelace', `**${TAKEN_OUT} and ${TAKEN_OUT}`],
    [
      'Ada Lovelace',
      '[Ada](https://a.example/p "P") Lovelace, Ada[^1] Lovelace',
      `[${TAKEN_OUT}, ${TAKEN_OUT}`,
    ],
    ['Quillfeather', 'Mira Quill-\n> feather came', `Mira ${TAKEN_OUT} came`],
    ['Quillfeather', '{"text":"Quill-\\n feather"}', `{"text":"${TAKEN_OUT}"}`],
    ['张伟', '<em>张</em>伟，张~~伟~~', `<em>${TAKEN_OUT}，${TAKEN_OUT}~~`],
    ['ab', 'if (a<b && c>b) a = b', 'if (a<b && c>b) a = b'],
  ])('find %s between the marks of HTML and Markdown: %s', (words, text, left) => {
    const matcher = createMatcher(imprintsOf(words, 'salt'), 'salt');
    expect(matcher.hide(text).text).toBe(left);
    expect(matcher.has(left)).toBe(false);
  });

  it.each([
    ['138 0013 8000', '13800138000, 138-00138000', `${TAKEN_OUT}, ${TAKEN_OUT}`],
    ['13800138000', '电话+86138 0013 8000。008613800138000', `电话+86${TAKEN_OUT}。0086${TAKEN_OUT}`],
    ['+44 (20) 7946-0958', 'tel:+442079460958', `tel:+${TAKEN_OUT}`],
    ['4111111111111111', 'card=4111%201111%201111%201111', `card=${TAKEN_OUT}`],
    ['DE89370400440532013000', 'de89 3704 0044 0532 0130 00', TAKEN_OUT],
    ['1234567', '12345678, 12, 34567 and 0123 4567', '12345678, 12, 34567 and 0123 4567'],
    ['123 456', '123456', '123456'],
    ['0044 20 7946 0958', '+44 20 7946 0958, 0044 20-7946-0958', `+${TAKEN_OUT}, ${TAKEN_OUT}`],
    ['Room 12345678', 'Room12345678', TAKEN_OUT],
  ])('find the number %s in other groups: %s', (words, text, left) => {
    expect(createMatcher(imprintsOf(words, 'salt'), 'salt').hide(text).text).toBe(left);
  });

  it('find by the hash of an earlier version what stands by itself in Korean', () => {
    const matcher = createMatcher([{ tokens: 1, hash: '4da3270bccf10598' }], 'salt');
    expect(matcher.hide('나는 김철수 봤다').text).toBe(`나는 ${TAKEN_OUT} 봤다`);
  });

  it('hold no words, and differ from salt to salt', () => {
    const one = imprintOf('Ada Lovelace', 'one');
    expect(JSON.stringify(one)).not.toMatch(/ada|lovelace/i);
    expect(one?.hash).not.toBe(imprintOf('Ada Lovelace', 'other')?.hash);
    expect(imprintOf(' — !', 'salt')).toBeUndefined();
  });

  it.each([
    ['José García', 'Jose Garcia and josé garcia', `${TAKEN_OUT} and ${TAKEN_OUT}`],
    ['Jose Garcia', 'José García, José Garci\u0301a', `${TAKEN_OUT}, ${TAKEN_OUT}`],
    ['Jörg Groß', 'JÖRG GROSS', TAKEN_OUT],
    ['張偉', '张伟和張偉', `${TAKEN_OUT}和${TAKEN_OUT}`],
    ['张伟', '電郵給張偉', `電郵給${TAKEN_OUT}`],
    // Bytes that are text, and bytes that are none.
    [
      'Quill feather',
      `![a](data:text/plain;base64,${btoa('Of Quill feather')}) ${btoa('\x89PNG\0\0\0 Quill feather')}`,
      `![a](data:text/plain;base64,${TAKEN_OUT}) ${btoa('\x89PNG\0\0\0 Quill feather')}`,
    ],
    // One word without its accents is often another.
    ['Schön', 'Das ist schon gut, Frau Schön', `Das ist schon gut, Frau ${TAKEN_OUT}`],
    ['schon', 'schön', 'schön'],
  ])('find %s written with other accents or characters in %s', (words, text, left) => {
    expect(createMatcher(imprintsOf(words, 'salt'), 'salt').hide(text).text).toBe(left);
  });

  it.each([
    // An owner's s, with and without its apostrophe; hyphens; accents left out or put in.
    [
      'Ann',
      "Ann's, Ann’s and Anns hat, Ann-Marie",
      `${TAKEN_OUT}'s, ${TAKEN_OUT}’s and ${TAKEN_OUT} hat, ${TAKEN_OUT}-Marie`,
    ],
    ['José', 'Jose, JOSE and José', `${TAKEN_OUT}, ${TAKEN_OUT} and ${TAKEN_OUT}`],
    ['Jose', 'José und Josés Haus', `${TAKEN_OUT} und ${TAKEN_OUT} Haus`],
    ['Bär', 'Frau Bar sits in a bar', `Frau ${TAKEN_OUT} sits in a bar`],
    ['Ann', 'Ann2 and Ann92@example.org', `${TAKEN_OUT} and ${TAKEN_OUT}@example.org`],
    // A full name in one word, as accounts and programs write it.
    [
      'Ann Smith',
      'annsmith, @AnnSmith, ann_smith92, annSmith = 1',
      `${TAKEN_OUT}, @${TAKEN_OUT}, ${TAKEN_OUT}, ${TAKEN_OUT} = 1`,
    ],
    [
      'José García',
      'josegarcia@example.org, Jose Garcias Auto',
      `${TAKEN_OUT}@example.org, ${TAKEN_OUT} Auto`,
    ],
    ['Li Na', 'Li Na and Lina', `${TAKEN_OUT} and Lina`],
    // Other words that begin or end as a name does are other words.
    ['Ann', 'Annual Anniversary, Joann, McAnn, anns, ann92', 'Annual Anniversary, Joann, McAnn, anns, ann92'],
    ['James', 'James, James’ and Jame', `${TAKEN_OUT}, ${TAKEN_OUT}’ and Jame`],
    // Scripts without borders and without capitals.
    ['张伟', '我和張偉吃饭，张伟的书，@张伟92', `我和${TAKEN_OUT}吃饭，${TAKEN_OUT}的书，@${TAKEN_OUT}92`],
    ['张', '張老师', `${TAKEN_OUT}老师`],
    ['김철수', '김철수는 갔다', `${TAKEN_OUT}는 갔다`],
    ['أحمد', 'قال أحمد ذلك', `قال ${TAKEN_OUT} ذلك`],
  ])('find the name %s in every form in which people write it: %s', (name, text, left) => {
    const matcher = createMatcher(imprintsOf(name, 'salt', true), 'salt');
    expect(matcher.hide(text).text).toBe(left);
    expect(matcher.has(left)).toBe(false);
  });

  it.each([
    [
      'Project Falcon',
      'projectFalcon, ProjectFalcon2, project_falcon',
      `${TAKEN_OUT}, ${TAKEN_OUT}2, ${TAKEN_OUT}`,
    ],
    ['every day', 'everyday', 'everyday'],
    ['Git', 'GitHub and Gits', 'GitHub and Gits'],
  ])('find the words %s where a program writes them together: %s', (words, text, left) => {
    expect(createMatcher(imprintsOf(words, 'salt'), 'salt').hide(text).text).toBe(left);
  });

  it('of forms that are not known yet find nothing, and the others all the same', () => {
    const [plain] = imprintsOf('Ada', 'salt');
    const matcher = createMatcher([{ ...(plain as Imprint), form: 'sound' }], 'salt');
    expect(matcher.has('Ada')).toBe(false);
    const names = imprintsOf('José', 'salt', true).map(({ tokens, hash }) => ({ tokens, hash }));
    // An earlier version knows no forms: it does not take the name for words.
    expect(createMatcher(names, 'salt').hide('Jose, jose, José').text).toBe(`Jose, jose, ${TAKEN_OUT}`);
  });

  it('find it in a long text full of escapes, and leave every other character as it is', () => {
    const line = 'caf%C3%A9 \\"a\\" &uuml;\u200bber \\u5f20 ';
    const text = `${line.repeat(2_000)}Quill%66eather ${line.repeat(2_000)}`;
    expect(matcherOf('Quillfeather').hide(text).text).toBe(
      `${line.repeat(2_000)}${TAKEN_OUT} ${line.repeat(2_000)}`,
    );
  });

  it('find what was put anywhere, and leave the rest as it was', () => {
    const word = fc.stringMatching(/^[a-z]{1,8}$/);
    const words = fc.array(word, { minLength: 1, maxLength: 4 });
    const texts = fc.array(word, { maxLength: 12 });
    fc.assert(
      fc.property(words, texts, texts, (sought, before, after) => {
        const [phrase, matcher] = [sought.join(' '), matcherOf(sought.join(' '))];
        const text = [...before, phrase, ...after].join(' ');
        const hidden = matcher.hide(text);
        expect(hidden.redacted).toBeGreaterThan(0);
        expect(matcher.has(hidden.text)).toBe(false);
        // Without what it marked, the text is a part of what it was.
        for (const rest of hidden.text.split(TAKEN_OUT)) expect(text).toContain(rest);
      }),
    );
  });

  it('find nothing where no window of the text has the words', () => {
    const tokens = fc.array(fc.constantFrom('a', 'b', 'c', '人', '民'), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(tokens, tokens, (text, sought) => {
        const joined = text.join(' ');
        const isThere = ` ${joined} `.includes(` ${sought.join(' ')} `);
        expect(matcherOf(sought.join(' ')).has(joined)).toBe(isThere);
      }),
    );
  });

  it('know a quotation by sentences that few people say', () => {
    expect(
      tellingSentences('Thank you very much! Our cabin by the lake burned down in the spring of 2019.'),
    ).toEqual(['Our cabin by the lake burned down in the spring of 2019.']);
    expect(tellingSentences('好的。我们在湖边的小屋在二零一九年春天烧毁了。')).toEqual([
      '我们在湖边的小屋在二零一九年春天烧毁了。',
    ]);
  });
});
