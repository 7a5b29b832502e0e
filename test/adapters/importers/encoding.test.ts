import { describe, expect, it } from 'vitest';
import { asUtf8, decodeText, type Foreign, utf16Of } from '../../../src/domain/text/encoding.ts';

const bytes = (...values: number[]) => Uint8Array.from(values);
const hex = (text: string) => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
const ascii = (text: string) => new TextEncoder().encode(text);
const join = (...pieces: Uint8Array[]) => Uint8Array.from(pieces.flatMap((piece) => [...piece]));

// Bytes of each text in its encoding.
const TEXTS: readonly (readonly [encoding: string, hex: string, text: string])[] = [
  ['windows-1252', '636166e920e020c7612c20fc62657220f16f20e96ce8766520a335', 'café à Ça, über ño élève £5'],
  [
    'gb18030',
    'cad3c6b5b5c4cef3b2eed4dac4c4c0efa3acced2c3c7bfc9d2d4d4d9cbb5cbb5d5e2b8f6cac2c7e9c2f0',
    '视频的误差在哪里，我们可以再说说这个事情吗',
  ],
  [
    'big5',
    'a7daadcca569a548a641bba1bba1b36fadd3a8c6b1a1b6dca141a741adccb171adfeb8cca8d3aaba',
    '我們可以再說說這個事情嗎，你們從哪裡來的',
  ],
  [
    'shift_jis',
    '82b182cc83658358836782cd939682bd82c182c482a282dc82b782a98141955c8ea682c6835c815b835882f08ca982e9',
    'このテストは当たっていますか、表示とソースを見る',
  ],
  [
    'euc-jp',
    'a4b3a4cea5c6a5b9a5c8a4cfc5f6a4bfa4c3a4c6a4a4a4dea4b9a4aba1a2a4bda4eca4c8a4e2b0e3a4a4a4dea4b9a4ab',
    'このテストは当たっていますか、それとも違いますか',
  ],
  [
    'euc-kr',
    'c0cc20b9aec0e5c0ba20c7d1b1b9beeeb7ce20beb2bfa9c1f820b0cdc0d4b4cfb4d9',
    '이 문장은 한국어로 쓰여진 것입니다',
  ],
  [
    'windows-1251',
    'cff0e8e2e5f22c20ffe7fbea20eff0eee3f0e0ececfb20e8f1efeeebfce7f3e5f220eae8f0e8ebebe8f6f3',
    'Привет, язык программы использует кириллицу',
  ],
];

describe('text that is not UTF-8', () => {
  it.each(TEXTS)('is read in the encoding that fits, and told: %s', (encoding, code, text) => {
    const { text: read, foreign } = decodeText(join(ascii('{"a":"'), hex(code), ascii('"}')));
    expect(foreign).toEqual([expect.objectContaining({ encoding, isRead: true })]);
    expect(read).toBe(`{"a":"${text}"}`);
  });

  it('is read beside UTF-8 in the same file', () => {
    const { text, foreign } = decodeText(
      join(ascii('中文 '), bytes(0x63, 0x61, 0x66, 0xe9), ascii(' naïve')),
    );
    expect(text).toBe('中文 café naïve');
    expect(foreign).toEqual([{ encoding: 'windows-1252', isRead: true, count: 1, example: 'café' }]);
  });

  it('is told where its encoding cannot be told for sure', () => {
    const { text, foreign } = decodeText(join(ascii('a '), bytes(0xb0, 0xa1), ascii(' b')));
    expect(text).toContain('\ufffd');
    expect(foreign[0]?.isRead).toBe(false);
    expect(foreign[0]?.encoding).not.toBe('');
  });

  it('says nothing of UTF-8', () => {
    const text = 'plain, café, 中文, 😀\n';
    expect(decodeText(ascii(text))).toEqual({ text, foreign: [] });
  });
});

describe('what a power cut and Windows leave behind', () => {
  it('NUL bytes go, the words stay', () => {
    expect(decodeText(join(ascii('{"a":1}\n'), new Uint8Array(4096), ascii('{"b":2}\n'))).text).toBe(
      '{"a":1}\n{"b":2}\n',
    );
  });

  it.each(['utf-16le', 'utf-16be'] as const)('%s is seen with a mark and without', (encoding) => {
    const units = [...'{"title":"caf\u00e9 and more of it"}'].flatMap((sign) => {
      const code = sign.charCodeAt(0);
      return encoding === 'utf-16le' ? [code & 255, code >> 8] : [code >> 8, code & 255];
    });
    expect(utf16Of(bytes(...units))).toBe(encoding);
    expect(decodeText(bytes(...units)).text).toBe('{"title":"café and more of it"}');
  });
});

describe('UTF-16 without a mark', () => {
  const encoded = (text: string, encoding: string) =>
    bytes(
      ...[...text].flatMap((sign) => {
        const code = sign.charCodeAt(0);
        return encoding === 'utf-16le' ? [code & 255, code >> 8] : [code >> 8, code & 255];
      }),
    );
  it.each(['utf-16le', 'utf-16be'] as const)(
    '%s is seen where it is mostly Chinese or Japanese',
    (encoding) => {
      for (const words of ['备份每天三点运行，一天一次。', 'バックアップは三時に実行します。']) {
        const text = `[{"t":"${words.repeat(40)}"}]`;
        expect(decodeText(encoded(text, encoding)).text).toBe(text);
      }
    },
  );
  it('is not seen in UTF-8 with a few NULs, wherever that is cut', () => {
    const text = ascii('备份每天\0三点 \0运行，日志\0\0\0一天一次。'.repeat(30));
    for (let size = 500; size < 520; size += 1) expect(utf16Of(text.subarray(0, size))).toBeUndefined();
  });
});

describe('text in pieces', () => {
  const read = async (all: Uint8Array, size: number) => {
    async function* chunks() {
      for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
    }
    const foreign: Foreign[] = [];
    const out: Uint8Array[] = [];
    for await (const piece of asUtf8(chunks(), (one) => foreign.push(one))) out.push(piece.slice());
    return { text: new TextDecoder().decode(join(...out)), foreign };
  };

  it.each([1, 3, 7, 64, 10_000])('is the same as in one, cut at every %i bytes', async (size) => {
    const all = join(
      ascii('{"a":"中文 😀 '),
      hex('636166e9'),
      ascii(' \0\0\0"}\n'),
      ascii('plain '.repeat(40)),
    );
    const { text, foreign } = await read(all, size);
    expect(text).toBe(decodeText(all).text);
    expect(foreign.every(({ isRead }) => isRead)).toBe(true);
    expect(foreign.reduce((sum, { count }) => sum + count, 0)).toBe(1);
  });

  it.each([1_000, 4_096, 65_535, 65_536, 250_000])(
    'keeps its characters where nothing separates them for long, cut at every %i bytes',
    async (size) => {
      const said = `{"a":"${'第一章我们在山上看见了很多的花，他说你好😀。'.repeat(5_000)}"}`;
      expect(await read(ascii(said), size)).toEqual({ text: said, foreign: [] });
      const [, pairs, words] = TEXTS[1] as (typeof TEXTS)[number];
      const all = join(ascii('"a'), ...Array.from({ length: 4_000 }, () => hex(pairs)));
      const { text, foreign } = await read(all, size);
      expect(text).toBe(`"a${words.repeat(4_000)}`);
      expect(foreign.map(({ encoding, isRead }) => [encoding, isRead])).toEqual([['gb18030', true]]);
    },
  );

  it('comes on, though nothing ever separates it, in no encoding that can be told', async () => {
    const all = new Uint8Array(20 * 1024 * 1024).fill(0xff);
    let most = 0;
    async function* chunks() {
      for (let at = 0; at < all.length; at += 1 << 20) yield all.subarray(at, at + (1 << 20));
    }
    for await (const piece of asUtf8(chunks(), () => {})) most = Math.max(most, piece.length);
    expect(most).toBeLessThan(all.length);
  });
});
