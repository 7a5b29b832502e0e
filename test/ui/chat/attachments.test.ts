import { describe, expect, it } from 'vitest';
import { extractFrom } from '../../../src/adapters/extractors/extract.ts';
import { attach, fitsField, picturesOfWords, type ReadingOptions } from '../../../src/ui/chat/attachments.ts';
import { pdfFile, wordFile, wordParagraph } from '../../fixtures/documents.ts';
import { OPTIONS } from '../../suites/extractor.suite.ts';

/** The extractors as they are, in this thread. */
const READING: ReadingOptions = {
  extraction: { extract: (file) => extractFrom(file, OPTIONS) },
  signal: new AbortController().signal,
};
const pdf = (bytes: BlobPart[], name = 'Plan.pdf', type = 'application/pdf') =>
  attach(new File(bytes, name, { type }), READING);
const WORDS = pdfFile([[{ text: 'The plan is to sail in May.', y: 700 }]]);

it('a file that cannot be opened any more is left out, whatever it is, and is not called damaged', async () => {
  for (const name of ['Plan.pdf', 'Plan.docx', 'notes.txt', 'photo.png']) {
    const gone = new File([WORDS], name, { type: name.endsWith('.png') ? 'image/png' : '' });
    // As browsers do with a file that was moved after it was picked.
    const refuse = () => Promise.reject(new DOMException('The file was not found', 'NotFoundError'));
    Object.assign(gone, { arrayBuffer: refuse, slice: () => ({ arrayBuffer: refuse }) });
    expect(await attach(gone, READING)).toEqual({ ok: false, name, reason: 'unreadable' });
  }
});

it('a text in RTF is taken with its words, not with its codes', async () => {
  const file = new File(
    [String.raw`{\rtf1\ansi{\fonttbl{\f0 Arial;}}\f0 The plan\par is to \b sail\b0 .}`],
    'Plan.rtf',
  );
  const taken = await attach(file, READING);
  if (!taken.ok) throw new Error(taken.reason);
  const [head, body = ''] = (taken.part.url ?? '').split(',');
  expect(head).toBe('data:text/plain;charset=utf-8;base64');
  expect(Buffer.from(body, 'base64').toString()).toBe('The plan\nis to sail.');
});

describe('a document', () => {
  it('is taken with its words and their places, and with its bytes, also where the system does not name its kind', async () => {
    const taken = await pdf([WORDS]);
    if (!taken.ok) throw new Error(taken.reason);
    expect(taken.part).toMatchObject({
      mediaType: 'application/pdf',
      name: 'Plan.pdf',
      extract: {
        bytes: WORDS.length,
        sections: [{ place: { kind: 'page', name: '1' }, text: 'The plan is to sail in May.' }],
      },
    });
    const [head, body = ''] = (taken.part.url ?? '').split(',');
    expect(head).toBe('data:application/pdf;base64');
    expect(new Uint8Array(Buffer.from(body, 'base64'))).toEqual(WORDS);
    expect(await pdf([WORDS], 'plan.PDF', '')).toMatchObject({
      ok: true,
      part: { mediaType: 'application/pdf' },
    });
  });

  it('that is large is kept as its words alone', async () => {
    const large = await pdf([WORDS, new Uint8Array(5 * 1024 * 1024)]);
    if (!large.ok) throw new Error(large.reason);
    expect(large.part.url).toBeUndefined();
    expect(large.part.extract?.sections[0]?.text).toContain('sail in May');
  });

  it('of pictures alone, or that is not understood here, goes as it is, and it is said', async () => {
    const scan = pdfFile([[]]);
    expect(await pdf([scan])).toMatchObject({
      ok: true,
      remark: 'pictures',
      part: { mediaType: 'application/pdf' },
    });
    expect(await pdf(['%PDF-1.7\n', new Uint8Array([0, 255, 10])])).toMatchObject({
      ok: true,
      remark: 'unread',
    });
    expect(await pdf([scan, new Uint8Array(21 * 1024 * 1024)])).toMatchObject({
      ok: false,
      reason: 'noText',
    });
  });

  it('that is none, or has no words, is refused', async () => {
    expect(await pdf(['\u0000\u0001'])).toEqual({ ok: false, name: 'Plan.pdf', reason: 'damaged' });
    expect(await attach(new File([new Uint8Array([80, 75, 3, 4, 0])], 'a.docx'), READING)).toMatchObject({
      ok: false,
      reason: 'damaged',
    });
    expect(await attach(new File([await wordFile(wordParagraph(''))], 'a.docx'), READING)).toMatchObject({
      ok: false,
      reason: 'noText',
    });
  });

  it('of text that has no words for people is a text', async () => {
    const page = new File(['<script>1</script>'], 'a.html', { type: 'text/html' });
    expect(await attach(page, READING)).toMatchObject({ ok: true, part: { mediaType: 'text/html' } });
  });
});

it('the text field keeps what a person writes, and not megabytes', () => {
  expect(fitsField('word '.repeat(50_000))).toBe(true);
  expect(fitsField('x'.repeat(11 * 1024 * 1024))).toBe(false);
});

it('other bytes are still refused, and words are taken', async () => {
  expect(await attach(new File([new Uint8Array([80, 75, 3, 4, 0])], 'a.bin'), READING)).toMatchObject({
    ok: false,
    reason: 'notText',
  });
  expect(await attach(new File(['备份'], 'a.txt', { type: 'text/plain' }), READING)).toMatchObject({
    ok: true,
    part: { mediaType: 'text/plain', url: expect.stringMatching(/base64,5aSH5Lu9$/) },
  });
});

describe('a text', () => {
  const given = async (bytes: readonly number[] | string, name = 'a.txt') => {
    const contents = typeof bytes === 'string' ? bytes : Uint8Array.from(bytes);
    const result = await attach(new File([contents], name), READING);
    const url = result.ok ? (result.part.url ?? '') : '';
    return { result, words: Buffer.from(url.slice(url.indexOf(',') + 1), 'base64').toString() };
  };
  const latin = (text: string) => [...text].map((letter) => letter.charCodeAt(0));
  const utf16 = (text: string) => latin(text).flatMap((byte) => [byte, 0]);

  it('is read in the encoding it is in', async () => {
    expect((await given(latin('Crème brûlée coûte 12 à Besançon'))).words).toContain('brûlée');
    expect((await given(utf16('The heron says hello'))).words).toBe('The heron says hello');
    const kana = '83 6f 83 62 83 4e 83 41 83 62 83 76 82 cd 96 88 93 fa';
    const read = await given(kana.split(' ').map((byte) => Number.parseInt(byte, 16)));
    expect(read.words).toBe('バックアップは毎日');
    expect(read.result).not.toHaveProperty('remark');
  });

  it('whose encoding is a guess says which', async () => {
    expect(await given([0xc5, 0xb7, 0xbf, 0xc9, 0xb7, 0xf2])).toMatchObject({
      words: '欧可夫',
      result: { remark: 'guessed', encoding: 'gb18030' },
    });
  });

  it('with what a power cut leaves in a log is a text', async () => {
    expect((await given('line one\0\0\0\nline two\n')).words).toBe('line one\nline two\n');
  });

  it('is no picture, program or archive with a wrong name', async () => {
    const noise = Array.from({ length: 4096 }, (_, at) => (at * 167 + (at >> 4) * 59) & 255);
    for (const bytes of [noise, latin('\u007fELF\u0002\u0001\u0001\0\0\0\0\0\0\0\0\0\u0003\0>\0')])
      expect((await given(bytes)).result).toMatchObject({ ok: false, reason: 'notText' });
  });

  it('is known as a document by its first bytes where it has no ending', async () => {
    expect((await given('%PDF-1.7\nno pages', 'plan')).result).toMatchObject({
      ok: true,
      part: { mediaType: 'application/pdf' },
      remark: 'unread',
    });
  });
});

describe('a picture beside pasted words', () => {
  const picture = (name: string, type = 'image/png') => ({ name, type });

  it('is a picture of them where it was never a file, and is worth having where there are no words', () => {
    expect(picturesOfWords([picture('image.png')], 'Plan\t2026')).toBe(true);
    expect(picturesOfWords([picture('image.png')], '')).toBe(false);
    expect(picturesOfWords([picture('harbour.png')], 'harbour.png')).toBe(false);
    expect(picturesOfWords([picture('image.png')], '/home/ann/image.png')).toBe(false);
    expect(picturesOfWords([picture('image.png'), picture('Plan.pdf', 'application/pdf')], 'Plan')).toBe(
      false,
    );
  });
});
