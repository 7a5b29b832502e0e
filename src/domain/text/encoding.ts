// Decodes bytes. UTF-8 is expected; anything else is read in the encoding that fits, and reported.
// NUL bytes, which a power cut leaves in a log, are dropped.

// The platform's TextDecoder, whose type this floor does not have.
interface Decoder {
  decode(bytes?: Uint8Array, options?: { stream?: boolean }): string;
}
declare const TextDecoder: new (
  encoding?: string,
  options?: { fatal?: boolean; ignoreBOM?: boolean },
) => Decoder;
declare const TextEncoder: new () => { encode(text: string): Uint8Array };

/** Report on the text of a file that was not UTF-8. */
export interface Foreign {
  /** The encoding in which it was read, or probably is. */
  readonly encoding: string;
  /** True if it was read in that encoding. If not, each character became U+FFFD. */
  readonly isRead: boolean;
  /** How many stretches between spaces and signs. */
  readonly count: number;
  readonly example: string;
}

interface Decoded {
  readonly text: string;
  readonly foreign: readonly Foreign[];
}

/** Most bytes of foreign stretches that are examined to find their encoding. */
const SAMPLE = 64 * 1024;
/** Most bytes of one foreign stretch that are held back until it ends. */
const MOST_HELD = 4 * 1024 * 1024;
/** Bytes below this separate stretches: no encoding here uses them as the second byte of a character. */
const BETWEEN = 0x30;

/** UTF-16 by its byte order mark, or by a NUL in every other byte; Windows tools write such files. */
export function utf16Of(head: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  const examined = Math.min(head.length, 512) & ~1;
  if (examined < 8) return undefined;
  const zeros = [0, 0];
  for (let at = 0; at < examined; at++) if (head[at] === 0) zeros[at % 2] = (zeros[at % 2] as number) + 1;
  const [even = 0, odd = 0] = zeros;
  if (odd > examined * 0.35 && even < examined * 0.05) return 'utf-16le';
  if (even > examined * 0.35 && odd < examined * 0.05) return 'utf-16be';
  // Among Chinese, Japanese or Korean characters few have a NUL: signs, digits, spaces, and 一 in the
  // other half. Such a text is no UTF-8.
  if (odd + even < LEAST_ZEROS) return undefined;
  if ([0, 1, 2, 3].some((cut) => strictly('utf-8', head.subarray(0, examined - cut)) !== undefined))
    return undefined;
  return (['utf-16le', 'utf-16be'] as const).find((encoding) => readsWell(encoding, head, examined));
}

/** Fewest NULs by which UTF-16 is known. */
const LEAST_ZEROS = 4;
const readsWell = (encoding: string, head: Uint8Array, length: number): boolean => {
  // A character of two units may be cut in two.
  const text =
    strictly(encoding, head.subarray(0, length)) ?? strictly(encoding, head.subarray(0, length - 2));
  return text !== undefined && shareOf([...text], (sign) => USUAL.test(sign)) > 0.9;
};
const USUAL = /[\t\n\r -~\u00a0-\u024f\u2010-\u203a\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff5e]/u;

/** Length of the UTF-8 character at `at`, or 0 if there is none (table 3-7 of the Unicode standard). */
function lengthAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at] as number;
  if (first < 0x80) return 1;
  const length =
    first >= 0xc2 && first <= 0xdf
      ? 2
      : first >= 0xe0 && first <= 0xef
        ? 3
        : first >= 0xf0 && first <= 0xf4
          ? 4
          : 0;
  if (length === 0) return 0;
  const second = bytes[at + 1] ?? 0;
  const least = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const most = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (second < least || second > most) return 0;
  for (let i = 2; i < length; i++) if (((bytes[at + i] ?? 0) & 0xc0) !== 0x80) return 0;
  return length;
}

interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** Finds the stretches between spaces and signs that are not UTF-8, in order. */
function foreignStretches(bytes: Uint8Array): Stretch[] {
  const found: Stretch[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = lengthAt(bytes, at);
    if (length > 0) {
      at += length;
      continue;
    }
    let from = at;
    const least = found.at(-1)?.to ?? 0;
    while (from > least && (bytes[from - 1] as number) >= BETWEEN) from--;
    let to = at + 1;
    while (to < bytes.length && (bytes[to] as number) >= BETWEEN) to++;
    found.push({ from, to });
    at = to;
  }
  return found;
}

/** The most frequent Chinese characters, simplified and traditional. */
const COMMON_HAN = new Set(
  '的一是不了在人有我他这这個个們们中来來上大为為和国國地到以说說时時要就出会會可也你对對生能而子那得于著着下自之年过過发發后後作里裡用道行所然家种種事成方多经經么去法学學如都同现現当當没沒动動面起看定天分还還进進好小部其些主样樣理心她本前开開但因只从從想实實请請问問吗嗎怎么麼什呢吧把给給数據据库庫文件测试測試',
);

/** The most frequent Korean syllables. Chinese misread as Korean gives mostly others. */
const COMMON_HANGUL = new Set(
  '이다의는을를가에서로고하지은한도과와기사시자정대리그나일스어인수아전해구부주보장제상원있여조비소라것들만요니습입합했된될김박최오세용안문국민신우중성동마게면데까처음말때없않',
);

/** Rates how well a text reads in the script of its encoding, 0 to 1. */
const SCORES: readonly (readonly [encoding: string, score: (characters: readonly string[]) => number])[] = [
  ['gb18030', (all) => shareOf(all, (sign) => COMMON_HAN.has(sign)) * 2.5],
  ['big5', (all) => shareOf(all, (sign) => COMMON_HAN.has(sign)) * 2.5],
  ['shift_jis', (all) => shareOf(all, (sign) => /[\u3041-\u30fe]/u.test(sign)) * 1.6],
  ['euc-jp', (all) => shareOf(all, (sign) => /[\u3041-\u30fe]/u.test(sign)) * 1.6],
  [
    'euc-kr',
    (all) =>
      shareOf(all, (sign) => /[\uac00-\ud7a3]/u.test(sign)) > 0.9
        ? shareOf(all, (sign) => COMMON_HANGUL.has(sign)) * 1.8
        : 0,
  ],
];

const shareOf = (all: readonly string[], is: (sign: string) => boolean): number =>
  all.length === 0 ? 0 : all.filter(is).length / all.length;

/** Decodes the bytes, whose last character may be cut; undefined if they do not fit, or the platform lacks it. */
function strictly(encoding: string, bytes: Uint8Array, isCut = false): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: isCut });
  } catch (error) {
    // TypeError: not in that encoding; RangeError: no such encoding.
    if (error instanceof TypeError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Chinese characters come in runs; an accented letter of two bytes stands alone between Latin ones. */
const looksChinese = (text: string): boolean => {
  const han = text.match(/\p{Script=Han}/gu)?.length ?? 0;
  const runs = text.match(/\p{Script=Han}{2,}/gu)?.join('').length ?? 0;
  return han > 0 && runs >= han * 0.7;
};

/** Fewer characters of two bytes than this fit more than one encoding. */
const LEAST_WIDE = 4;
const isLetter = (byte: number | undefined): boolean =>
  byte !== undefined && ((byte >= 65 && byte <= 90) || (byte >= 97 && byte <= 122));
/** Signs of windows-1252 that stand alone: currency, quotation marks, dashes, degrees and the like. */
const STANDS_ALONE = new Set([
  0x80, 0x85, 0x91, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x99, 0xa0, 0xa1, 0xa3, 0xa7, 0xa9, 0xab, 0xae, 0xb0,
  0xb1, 0xb2, 0xb3, 0xb5, 0xb7, 0xbb, 0xbc, 0xbd, 0xbe, 0xbf,
]);

/**
 * Finds the encoding that fits these stretches, the last of which may be cut; `isSure` if no other fits about as well.
 */
function encodingOf(bytes: Uint8Array): { encoding: string; isSure: boolean } {
  let [high, latin, cyrillic] = [0, 0, 0];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte < 0x80) continue;
    high += 1;
    const isAlone = (bytes[at - 1] ?? 0) < 0x80 && (bytes[at + 1] ?? 0) < 0x80;
    const inWord = byte >= 0xc0 && byte < 0xff && (isLetter(bytes[at - 1]) || isLetter(bytes[at + 1]));
    if (isAlone && (inWord || STANDS_ALONE.has(byte))) latin += 1;
    if (byte >= 0xc0 || byte === 0xa8 || byte === 0xb8) cyrillic += 1;
  }
  const scored = SCORES.map(([encoding, score]) => {
    const text = strictly(encoding, bytes, true);
    const wide = text === undefined ? [] : [...text].filter((sign) => sign > '\x7f');
    return { encoding, score: score(wide), wide: wide.length };
  }).sort((a, b) => b.score - a.score);
  const [best = { encoding: '', score: 0, wide: 0 }, second = { score: 0 }] = scored;
  // Accented letters stand alone among plain ones; in other scripts whole words are beyond ASCII.
  if (latin > high * 0.6 && best.score < 0.5) return { encoding: 'windows-1252', isSure: true };
  if (cyrillic > high * 0.97 && high >= 4 && best.score < 0.6)
    return { encoding: 'windows-1251', isSure: high >= 12 };
  if (best.score <= 0.15) {
    const rare = strictly('gb18030', bytes, true);
    return { encoding: rare && looksChinese(rare) ? 'gb18030' : 'windows-1252', isSure: false };
  }
  return { encoding: best.encoding, isSure: best.wide >= LEAST_WIDE && best.score > 1.4 * second.score };
}

/** Decodes a whole text; never throws. */
export function decodeText(bytes: Uint8Array): Decoded {
  const utf16 = utf16Of(bytes);
  if (utf16) return { text: withoutNul(new TextDecoder(utf16).decode(bytes)), foreign: [] };
  const text = strictly('utf-8', bytes);
  return text === undefined ? decodeForeign(bytes) : { text: withoutNul(text), foreign: [] };
}

/** Most control characters in a text, percent. */
const MOST_CONTROLS = 1;
/** Most NUL bytes in a text, percent: a power cut leaves blocks of them in a log. */
const MOST_NULS = 50;

/**
 * Decodes a person's file: if it is not UTF-8, in the encoding that it declares, else in the likeliest one. `guess`
 * names that encoding if others fit about as well. Undefined if the bytes are no text.
 */
export function decodeFile(
  bytes: Uint8Array,
  named?: string,
): { readonly text: string; readonly guess?: string } | undefined {
  const { text, foreign } = decodeText(bytes);
  const unsure = foreign.find(({ isRead }) => !isRead);
  const said = named === undefined || foreign.length === 0 ? undefined : strictly(named, bytes);
  const words = said ?? (unsure ? decodeForeign(bytes, unsure.encoding).text : text);
  if (utf16Of(bytes) === undefined && shareOfBytes(bytes, (byte) => byte === 0) * 100 > MOST_NULS)
    return undefined;
  const controls = words.match(CONTROLS)?.length ?? 0;
  if (controls * 100 > words.length * MOST_CONTROLS) return undefined;
  return unsure && said === undefined ? { text: words, guess: unsure.encoding } : { text: withoutNul(words) };
}

/** Control characters, except those that separate lines and pages or colour a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\0-\x07\x0e-\x1a\x1c-\x1f\x7f]/g;

function shareOfBytes(bytes: Uint8Array, is: (byte: number) => boolean): number {
  let count = 0;
  for (const byte of bytes) if (is(byte)) count += 1;
  return bytes.length === 0 ? 0 : count / bytes.length;
}

/** `known`: an encoding that was certain for an earlier piece of the same file. */
function decodeForeign(bytes: Uint8Array, known?: string): Decoded {
  const stretches = foreignStretches(bytes);
  const sample = new Uint8Array(SAMPLE);
  let sampled = 0;
  for (const { from, to } of stretches) {
    const taken = bytes.subarray(from, Math.min(to, from + SAMPLE - sampled));
    sample.set(taken, sampled);
    sampled += taken.length;
    if (sampled === SAMPLE) break;
    sample[sampled] = 0x20;
    sampled += 1;
  }
  const found = encodingOf(sample.subarray(0, sampled));
  const { encoding, isSure } = found.isSure || !known ? found : { encoding: known, isSure: true };
  const plain = new TextDecoder('utf-8', { ignoreBOM: true });
  const other = isSure ? new TextDecoder(encoding) : plain;
  let text = '';
  let done = 0;
  for (const { from, to } of stretches) {
    text += plain.decode(bytes.subarray(done, from)) + other.decode(bytes.subarray(from, to));
    done = to;
  }
  text += plain.decode(bytes.subarray(done));
  const [first = { from: 0, to: 0 }] = stretches;
  const example = new TextDecoder(encoding).decode(
    bytes.subarray(first.from, Math.min(first.to, first.from + 60)),
  );
  return {
    text: withoutNul(text.replace(/^\uFEFF/, '')),
    foreign: [{ encoding, isRead: isSure, count: stretches.length, example }],
  };
}

/** Index behind the last byte that separates stretches, or `least` if none does from there on. */
function behindSeparator(bytes: Uint8Array, least: number): number {
  let end = bytes.length;
  while (end > least && (bytes[end - 1] as number) >= BETWEEN) end--;
  return end;
}

/** Index behind the last whole character, if the bytes are UTF-8. */
function behindCharacter(bytes: Uint8Array): number {
  let start = bytes.length - 1;
  while (start > bytes.length - 4 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start--;
  return lengthAt(bytes, start) > 0 ? bytes.length : start;
}

/**
 * Cuts text that goes on between two stretches, in a long one of UTF-8 between two characters. Other encodings
 * do not show where a character begins, so such a stretch is held back up to `MOST_HELD` bytes. 0: nothing can go yet.
 */
function cutOf(bytes: Uint8Array): number {
  const least = Math.max(0, bytes.length - SAMPLE);
  const end = behindSeparator(bytes, least);
  if (end > least || least === 0) return end;
  const whole = behindCharacter(bytes);
  if (strictly('utf-8', bytes.subarray(0, whole)) !== undefined) return whole;
  return behindSeparator(bytes, 0) || (bytes.length > MOST_HELD ? bytes.length : 0);
}

const withoutNul = (text: string): string => (text.includes('\0') ? text.replaceAll('\0', '') : text);

/**
 * Converts text that arrives in pieces, in any encoding, to UTF-8 without NUL bytes. Pieces are cut as
 * `cutOf` says; `onForeign` is called once for each piece that was not UTF-8.
 */
export async function* asUtf8(
  chunks: AsyncIterable<Uint8Array>,
  onForeign: (foreign: Foreign) => void,
): AsyncIterable<Uint8Array> {
  const encoder = new TextEncoder();
  let utf16: Decoder | undefined;
  let began = false;
  let held: Uint8Array = new Uint8Array(0);
  let known: string | undefined;
  const clean = (piece: Uint8Array): Uint8Array => {
    // The engine's own decoder checks a megabyte in the time that a loop takes for a tenth of it.
    if (strictly('utf-8', piece) === undefined) {
      const decoded = decodeForeign(piece, known);
      for (const one of decoded.foreign) {
        if (one.isRead) known ??= one.encoding;
        onForeign(one);
      }
      return encoder.encode(decoded.text);
    }
    return piece.includes(0) ? piece.filter((byte) => byte !== 0) : piece;
  };
  for await (const chunk of chunks) {
    let piece = chunk;
    if (held.length > 0) {
      piece = new Uint8Array(held.length + chunk.length);
      piece.set(held);
      piece.set(chunk, held.length);
    }
    if (!began) {
      // A byte order mark may be cut in two, and a pattern of NUL bytes needs a few bytes to show.
      if (piece.length < 16) {
        held = piece;
        continue;
      }
      began = true;
      const encoding = utf16Of(piece);
      if (encoding) utf16 = new TextDecoder(encoding);
    }
    if (utf16) {
      held = new Uint8Array(0);
      yield encoder.encode(withoutNul(utf16.decode(piece, { stream: true })));
      continue;
    }
    const end = cutOf(piece);
    held = piece.slice(end);
    if (end > 0) yield clean(piece.subarray(0, end));
  }
  if (utf16) yield encoder.encode(withoutNul(utf16.decode(held)));
  else if (held.length > 0) yield clean(held);
}
