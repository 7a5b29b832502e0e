import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { extractText, passageSource, sourceLine, textOfFile } from '../../../src/domain/chat/files.ts';
import {
  type Message,
  messageSchema,
  type Part,
  type PartOf,
  partSchema,
} from '../../../src/domain/chat/message.ts';
import { estimateFileTokens, estimateTokens } from '../../../src/domain/context/tokens.ts';
import { chunksOf } from '../../../src/domain/memory/chunk.ts';
import { runs } from '../../scale.ts';

const PAGES = [
  { place: { kind: 'page', name: '1' }, text: 'The rent is 1,250 euros.' },
  { place: { kind: 'page', name: '2' }, text: 'Notice is three months.' },
];
const said = (parts: readonly Part[]): Message =>
  messageSchema.parse({
    id: 'm',
    parentId: null,
    role: 'user',
    createdAt: 1_760_000_000_000,
    parts,
  }) as unknown as Message;
const plain = { redact: (text: string) => text };
const LEASE: PartOf<'file'> = {
  type: 'file',
  mediaType: 'application/pdf',
  name: 'Lease [final].pdf',
  extract: { sections: PAGES, bytes: 20_000 },
};

describe('a document', () => {
  it('is one text with its pages named, as a model reads it, at the price of that text', () => {
    const text = '[page 1]\nThe rent is 1,250 euros.\n\n[page 2]\nNotice is three months.';
    expect(textOfFile(LEASE)).toBe(text);
    expect(textOfFile(LEASE, 20)).toBe(text.slice(0, 20));
    expect(estimateFileTokens(LEASE)).toBe(estimateTokens(text));
    expect(extractText({ sections: [{ text: 'no place' }] })).toBe('no place');
  });

  it('gives passages that name their file and page, which are taken apart again', () => {
    const chunks = chunksOf(said([LEASE]), plain);
    const found = chunks.map(({ text }) => passageSource(text)).filter(({ source }) => source !== null);
    expect(found).toEqual(
      PAGES.map(({ place, text }) => ({ source: { file: 'Lease final .pdf', place }, text })),
    );
  });

  it('is a page for each that is asked for, whatever stands in a name', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1 }),
        fc.string({ minLength: 1 }),
        fc.string(),
        (file, name, text) => {
          const line = sourceLine(file, { kind: 'page', name });
          expect(line).not.toContain('\n');
          const parted = passageSource(`${line}\n${text}`);
          if (parted.source !== null) expect(parted.text).toBe(text);
        },
      ),
      { numRuns: runs(500, 60) },
    );
  });

  it('of hundreds of pages is found to its end, and pushes out nothing that was said', () => {
    const sections = Array.from({ length: 900 }, (_, at) => ({
      place: { kind: 'page', name: String(at + 1) },
      text: `Page ${at + 1} of the manual.`,
    }));
    const part: PartOf<'file'> = { ...LEASE, extract: { sections, bytes: 1 } };
    const chunks = chunksOf(said([part, { type: 'text', text: 'Which valve is it?' }]), plain);
    expect(chunks.some(({ text }) => text.includes('Which valve'))).toBe(true);
    expect(passageSource(chunks.at(-1)?.text ?? '').source?.place.name).toBe('900');
  });

  it('of a newer version is read as far as it is known, and one that is none is left away', () => {
    const newer = {
      ...LEASE,
      extract: { sections: [{ text: 'a', place: { kind: 'scene', name: '1', act: 2 } }], bytes: 1, x: 1 },
    };
    expect(partSchema.parse(newer)).toEqual(newer);
    expect(partSchema.parse({ ...LEASE, extract: 'damaged' })).toMatchObject({
      name: LEASE.name,
      extract: undefined,
    });
  });
});

it('what only looks like a source is said', () => {
  for (const text of ['[TODO] call Ann\nsoon', '[a.pdf · page 3] in a line', 'no line'])
    expect(passageSource(text)).toEqual({ source: null, text });
});
