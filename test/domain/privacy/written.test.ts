// Private words as addresses, JSON, HTML, Markdown, file names and base64 write them, and divided at a line's end.
import { describe, expect, it } from 'vitest';
import { CATEGORIES } from '../../../src/domain/privacy/categories.ts';
import { findPrivate, replaceFound } from '../../../src/domain/privacy/scan.ts';
import { bareToken } from '../../../src/domain/privacy/tokens.ts';
import { configSchema } from '../../../src/domain/settings/config.ts';

const ALL = new Set(CATEGORIES);
const { privacy } = configSchema.parse({
  privacy: {
    own_names: ['Anna Bergmann', '张伟', 'Li Na'],
    own_words: ['Project Falcon', 'Heron'],
    own_addresses: ['Lindenstraße 7, 10969 Berlin'],
  },
});
const hidden = (text: string) => replaceFound(text, findPrivate(text, ALL, privacy), bareToken);

const KEY = 'ghp_9aXb3LmQ7rT2vK8wN5cZ1yF4dG6hJ0pSeUoI';
const base64 = (text: string) => Buffer.from(text).toString('base64');
const unicode = (text: string) =>
  [...text].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
const percent = (text: string) => [...Buffer.from(text)].map((byte) => `%${byte.toString(16)}`).join('');

describe('are found', () => {
  it.each([
    ['a key in percent', `https://x.example/?t=${percent(KEY)}`, 'https://x.example/?t=[key]'],
    ['a key in escapes of JSON', `{"t":"${unicode(KEY)}"}`, '{"t":"[key]"}'],
    ['a key in base64', `c: ${base64(KEY)}`, 'c: [key]'],
    ['a key with an entity in it', `${KEY.slice(0, 12)}&#8203;${KEY.slice(12)}`, '[key]'],
    ['a key with a tag in it', `${KEY.slice(0, 12)}<wbr>${KEY.slice(12)}`, '[key]'],
    [
      'words in a picture that is text',
      `![a](data:text/plain;base64,${base64('for anna@x.example')})`,
      '![a](data:text/plain;base64,[email])',
    ],
    ['a mailbox, percent twice', 'anna%2540x.example', '[email]'],
    [
      'a password in an address',
      '<a href="data:text/plain,password%3A%20hunter22!">',
      '<a href="data:text/plain,password%3A%20[secret]">',
    ],
    [
      'a password on the next line',
      '{\n  "password":\n      "hunter22!"\n}',
      '{\n  "password":\n      "[secret]"\n}',
    ],
    ['a key that a terminal divides', `token ${KEY.slice(0, 20)}\n${KEY.slice(20)} ok`, 'token [key] ok'],
    ['a key in a quotation', `> ${KEY.slice(0, 25)}\n> ${KEY.slice(25)}\n`, '> [key]\n'],
    ['a key in a comment', `// ${KEY.slice(0, 25)}\n// ${KEY.slice(25)}`, '// [key]'],
    ['a key that a shell goes on with', `export T=${KEY.slice(0, 20)}\\\n${KEY.slice(20)}`, 'export T=[key]'],
    [
      'a key that code adds up',
      `const t = "${KEY.slice(0, 20)}" +\n  "${KEY.slice(20)}";`,
      'const t = "[key]";',
    ],
    ['a key over three lines', [KEY.slice(0, 14), KEY.slice(14, 28), KEY.slice(28)].join('\n'), '[key]'],
    ['a card over two lines', 'Card: 4111 1111\n1111 1111, thanks', 'Card: [card], thanks'],
    ['a card in a quotation', '> 4111 1111 1111\n> 1111', '> [card]'],
    ['an account over two lines', 'IBAN DE89 3704 0044\n0532 0130 00', 'IBAN [account]'],
    ['a card with entities', '4111&nbsp;1111&nbsp;1111&nbsp;1111', '[card]'],
    ['a card with escapes', '{"c":"4111\\u00201111\\u00201111\\u00201111"}', '{"c":"[card]"}'],
    ['a number with an escape', '{"p":"\\u002b49 30 901820"}', '{"p":"[phone]"}'],
    ['a number in a search', 'https://x.example/?tel=%2B49%2030%20901820', 'https://x.example/?tel=[phone]'],
    ['a name in an address', 'https://x.example/Anna%20Bergmann', 'https://x.example/[name]'],
    ['a name in a search', 'https://x.example/?q=Anna+Bergmann', 'https://x.example/?q=[name]'],
    ['a name in a path', 'https://x.example/anna-bergmann', 'https://x.example/[name]'],
    ['a name of a file', 'anna_bergmann.txt', '[name].txt'],
    ['a name of an account', 'annabergmann92', '[name]92'],
    ['a name in code', 'const annaBergmann = 1', 'const [name] = 1'],
    ['a name in a list', 'Bergmann, Anna', '[name]'],
    ['a name in bold', 'Anna **Bergmann**', '[name]**'],
    ['a name with tags', 'Anna&nbsp;<b>Bergmann</b>', '[name]</b>'],
    ['a name that JSON divides', '{"n":"Anna\\nBergmann"}', '{"n":"[name]"}'],
    ['a name in base64', `x ${base64('Anna Bergmann')}`, 'x [name]'],
    ['a Chinese name in JSON', `{"n":"${unicode('张伟')}"}`, '{"n":"[name]"}'],
    ['a Chinese name in an address', `x/${encodeURIComponent('张伟')}`, 'x/[name]'],
    ['a Chinese name in HTML', '&#24352;&#20255;', '[name]'],
    ['a Chinese name, spaced', '张　伟', '[name]'],
    ['a Chinese name at the end of a line', '我和张\n伟', '我和[name]'],
    ['words in a quotation', '> about Project\n> Falcon', '> about [word]'],
    ['words in a comment', '// Project\n// Falcon', '// [word]'],
    ['an address in two lines', 'Lindenstraße 7\n10969 Berlin', '[address]'],
  ])('%s', (_, text, left) => {
    expect(hidden(text)).toBe(left);
    // What was hidden is found where it stands again, and hiding twice changes nothing.
    expect(hidden(hidden(text))).toBe(left);
  });
});

describe('are not taken for others', () => {
  it.each([
    ['a short name within a word', 'Lina and China; getLiNames()'],
    ['a single word within code', 'theronHeronry, upperonHeroniac'],
    ['words of two sentences', 'We closed the project. Falcons fly.'],
    ['an ordinary long word and a path', 'getUserNameFromDatabase src/components/settings/LockGroup'],
    ['a hash', 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU= 9e107d9d372bb6826bd81d3542a419d6'],
    ['a picture', `![x](data:image/png;base64,${base64('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01')})`],
    ['a column of numbers', '4500\n3200\n5100\n4800\n\n4111\n1111\n1111\n1111'],
    ['rows of a table', '| 4111 1111 | 12 |\n| 1111 1111 | 13 |'],
    [
      'digests of files',
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4  a.txt\n9e107d9d372bb6826bd81d3542a419d6  b.txt',
    ],
    [
      'words over a line',
      'We wrote version2.0beta123\nrelatedThings are fine in src/index2.ts\nsrc/main3.ts',
    ],
    ['escapes without words', 'C:\\new\\table\\u0041 100%25 &amp; 2 < 3'],
  ])('%s', (_, text) => {
    expect(hidden(text)).toBe(text);
  });
});
