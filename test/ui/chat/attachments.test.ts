import { describe, expect, it } from 'vitest';
import { attach, fitsField, picturesOfWords } from '../../../src/ui/chat/attachments.ts';

const pdf = (bytes: BlobPart[], name = 'Plan.pdf', type = 'application/pdf') =>
  attach(new File(bytes, name, { type }));

describe('a PDF', () => {
  it('is taken byte for byte, also where the system does not name its kind', async () => {
    const bytes = new Uint8Array([...new TextEncoder().encode('%PDF-1.7\n'), 0, 255, 128, 10]);
    const taken = await pdf([bytes]);
    if (!taken.ok) throw new Error(taken.reason);
    expect(taken.part).toMatchObject({ type: 'file', mediaType: 'application/pdf', name: 'Plan.pdf' });
    const [head, body = ''] = (taken.part.url ?? '').split(',');
    expect(head).toBe('data:application/pdf;base64');
    expect(new Uint8Array(Buffer.from(body, 'base64'))).toEqual(bytes);
    expect(await pdf([bytes], 'plan.PDF', '')).toMatchObject({
      ok: true,
      part: { mediaType: 'application/pdf' },
    });
  });

  it('is refused where it is too large, or is none', async () => {
    const large = new Uint8Array(20 * 1024 * 1024 + 1);
    expect(await pdf(['%PDF-1.7', large])).toEqual({ ok: false, name: 'Plan.pdf', reason: 'pdfTooLarge' });
    expect(await pdf(['\u0000\u0001'])).toEqual({ ok: false, name: 'Plan.pdf', reason: 'notText' });
  });
});

it('the text field keeps what a person writes, and not megabytes', () => {
  expect(fitsField('word '.repeat(50_000))).toBe(true);
  expect(fitsField('x'.repeat(11 * 1024 * 1024))).toBe(false);
});

it('other bytes are still refused, and words are taken', async () => {
  expect(await attach(new File([new Uint8Array([80, 75, 3, 4, 0])], 'a.docx'))).toMatchObject({
    ok: false,
    reason: 'notText',
  });
  expect(await attach(new File(['备份'], 'a.txt', { type: 'text/plain' }))).toMatchObject({
    ok: true,
    part: { mediaType: 'text/plain', url: expect.stringMatching(/base64,5aSH5Lu9$/) },
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
