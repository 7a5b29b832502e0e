// The words of a text in RTF, without its fonts, styles and pictures. Pure.
// https://www.biblioscape.com/rtf15_spec.htm

/** The platform's, whose type this floor does not have. */
declare const TextDecoder: new (encoding: string) => { decode(bytes: Uint8Array): string };

/** True if a file's text is RTF. */
export const isRichText = (text: string): boolean => text.startsWith('{\\rtf');

const TOKEN = /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-f]{2})|\\([\s\S])|([{}])|[\r\n]+|([^\\{}\r\n]+)/gi;
/** Groups that hold no words. */
const SILENT =
  /^(?:fonttbl|colortbl|stylesheet|info|pict|object|header[lrf]?|footer[lrf]?|themedata|colorschememapping|list(?:override)?table|rsidtbl|generator|xmlnstbl|fldinst|datastore|latentstyles|mmathPr|filetbl|revtbl)$/;
const SIGNS: Readonly<Record<string, string>> = {
  ...{ par: '\n', line: '\n', sect: '\n', page: '\n', row: '\n', tab: '\t', cell: '\t' },
  ...{ emdash: '—', endash: '–', lquote: '‘', rquote: '’', ldblquote: '“', rdblquote: '”', bullet: '•' },
};
const ESCAPED: Readonly<Record<string, string>> = { '~': '\u00a0', _: '-', '\n': '\n', '\r': '\n' };
/** Encodings by the number of their code page; others are `windows-N`. */
const PAGES: Readonly<Record<string, string>> = {
  ...{ 932: 'shift_jis', 936: 'gbk', 949: 'euc-kr', 950: 'big5', 65001: 'utf-8' },
  ...{ 1250: '', 1251: '', 1252: '', 1253: '', 1254: '', 1255: '', 1256: '', 1257: '', 1258: '' },
};

interface Group {
  readonly isSilent: boolean;
  /** Signs behind a character of Unicode that stand for it in older readers. */
  readonly instead: number;
}

/** The words of a text in RTF: a line for each paragraph, tabs between cells. Linear in its length. */
export function wordsOfRichText(text: string): string {
  const out: string[] = [];
  const outer: Group[] = [];
  let group: Group = { isSilent: false, instead: 1 };
  let page = 'windows-1252';
  let bytes: number[] = [];
  /** Signs still to be left out behind a character. */
  let owed = 0;
  const say = (words: string) => {
    if (bytes.length > 0) out.push(new TextDecoder(page).decode(new Uint8Array(bytes)));
    bytes = [];
    if (!group.isSilent && words !== '') out.push(words);
  };
  for (const [, word, value, byte, sign, brace, words] of text.matchAll(TOKEN)) {
    if (byte !== undefined) {
      if (owed > 0) owed -= 1;
      else if (!group.isSilent) bytes.push(Number.parseInt(byte, 16));
      continue;
    }
    if (words !== undefined) {
      const left = words.slice(owed);
      owed = Math.max(0, owed - words.length);
      say(left);
      continue;
    }
    say('');
    if (brace === '{') outer.push(group);
    else if (brace === '}') group = outer.pop() ?? group;
    else if (sign === '*') group = { ...group, isSilent: true };
    else if (sign !== undefined) say(ESCAPED[sign] ?? (/[\\{}]/.test(sign) ? sign : ''));
    else if (word === 'u' && value !== undefined) {
      say(String.fromCharCode(Number(value) & 0xffff));
      owed = group.instead;
      continue;
    } else if (word === 'uc') group = { ...group, instead: Number(value) };
    else if (word === 'ansicpg') page = (PAGES[value ?? ''] ?? page) || `windows-${value}`;
    else if (word !== undefined && SILENT.test(word)) group = { ...group, isSilent: true };
    else if (word !== undefined) say(SIGNS[word] ?? '');
    if (word !== undefined || brace !== undefined) owed = 0;
  }
  say('');
  return out.join('').trim();
}
