// Documents larger than their share of the window: what goes, what is named as left out, and that nothing else changes.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textOfFile } from '../../../src/domain/chat/files.ts';
import { type Message, messageSchema, type Part, type PartOf } from '../../../src/domain/chat/message.ts';
import { Fitting } from '../../../src/domain/context/fitting.ts';
import { tokensOfParts } from '../../../src/domain/context/tokens.ts';
import { runs } from '../../scale.ts';

const document = (pages: readonly string[], name = 'Manual.pdf'): PartOf<'file'> => ({
  type: 'file',
  mediaType: 'application/pdf',
  name,
  extract: {
    sections: pages.map((text, at) => ({ place: { kind: 'page', name: String(at + 1) }, text })),
    bytes: 1,
  },
});
const said = (id: string, ...parts: Part[]): Message =>
  messageSchema.parse({ id, parentId: null, role: 'user', createdAt: 1, parts }) as unknown as Message;
const text = (words: string): Part => ({ type: 'text', text: words });
const PAGES = Array.from({ length: 100 }, (_, at) =>
  at === 70
    ? 'The relief valve opens at nine bar.'
    : `Page ${at + 1} speaks of ${'paint and brushes '.repeat(20)}`,
);
const sentOf = (message: Message | undefined): string =>
  message?.parts.map((part) => (part.type === 'file' ? (textOfFile(part) ?? '') : '')).join('') ?? '';
const inAll = () => false;

describe('a document that does not fit', () => {
  it('goes with its beginning and the pages that the question is about, the rest named where it was', () => {
    const path = [said('a', document(PAGES), text('When does the relief valve open?'))];
    const {
      path: [message],
      files,
    } = new Fitting().path(path, 4_000, inAll);
    const sent = sentOf(message);
    expect(sent).toContain('[page 71]\nThe relief valve opens at nine bar.');
    expect(sent).toContain('[page 1]\n');
    expect(sent).toMatch(/\[Left out for want of room: page \d+ to page 70\]/);
    expect(files).toEqual([{ name: 'Manual.pdf', sent: expect.any(Number), of: 100 }]);
    expect(tokensOfParts(message?.parts ?? [])).toBeLessThan(2_300);
  });

  it('goes with other pages for another question later', () => {
    const path = [said('a', document(PAGES), text('Hello')), said('b', text('And the relief valve?'))];
    expect(sentOf(new Fitting().path(path, 4_000, inAll).path[0])).toContain('nine bar');
  });

  it('is the same object for the same question, and untouched where it fits or does not go', () => {
    const fitting = new Fitting();
    const path = [said('a', document(PAGES), text('valve?'))];
    expect(fitting.path(path, 4_000, inAll).path[0]).toBe(fitting.path([...path], 4_000, inAll).path[0]);
    expect(fitting.path(path, 100_000, inAll)).toEqual({ path, files: [] });
    expect(fitting.path(path, 100_000, inAll).path).toBe(path);
    expect(fitting.path(path, 4_000, () => true).path).toBe(path);
  });

  it('never costs more than its share, however long its pages, and small ones beside it stay whole', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 400 }), { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 300, max: 3_000 }),
        (pages, limit) => {
          const small = document(['short'], 'small.pdf');
          const { path, files } = new Fitting().path(
            [said('a', small, document(pages), text('short'))],
            limit,
            inAll,
          );
          const [first, second] = path[0]?.parts ?? [];
          expect(first).toEqual(small);
          if (files.length > 0 && second)
            expect(tokensOfParts([second])).toBeLessThanOrEqual(limit * 0.5 + 60);
        },
      ),
      { numRuns: runs(300, 40) },
    );
  });
});
