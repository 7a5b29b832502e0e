import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newMessageId } from '../../../src/domain/base/ids.ts';
import { completeMessage } from '../../../src/domain/chat/complete-message.ts';
import type { Message, Part } from '../../../src/domain/chat/message.ts';

const answer = (parts: readonly Part[], more: Partial<Message> = {}): Message => ({
  id: newMessageId(),
  parentId: null,
  role: 'assistant',
  kind: 'message',
  createdAt: 1,
  parts,
  ...more,
});
const text = (words: string): Part => ({ type: 'text', text: words });
const file = (reference: string, url?: string): Part => ({
  type: 'file',
  mediaType: 'image/*',
  reference,
  ...(url ? { url } : {}),
});

describe('a message that comes a second time', () => {
  it('goes on where its words do, and ends as the longer one ended', () => {
    const here = answer([text('The first li')], { finish: 'cut', sourceId: 'a' });
    const now = answer([text('The first line.')], { usage: { outputTokens: 4 } });
    const whole = completeMessage(here, now);
    expect(whole).toEqual({
      ...answer([text('The first line.')]),
      id: here.id,
      sourceId: 'a',
      usage: { outputTokens: 4 },
    });
    expect(completeMessage(here, now, false)).toBeUndefined();
  });

  it('goes on with parts that follow what is here', () => {
    const here = answer([{ type: 'reasoning', text: 'It wants' }]);
    const now = answer([{ type: 'reasoning', text: 'It wants a poem.' }, text('A poem.')]);
    expect(completeMessage(here, now)?.parts).toEqual(now.parts);
  });

  it('stays as it is where something else is said, or less', () => {
    const here = answer([text('The first line.'), text('The second.')]);
    for (const parts of [
      [text('The first')],
      [text('The first line.')],
      [text('Another line, and longer.'), text('The second.')],
      [text('The first line.'), { type: 'reasoning', text: 'The second, and more.' } as Part],
    ])
      expect(completeMessage(here, answer(parts))).toBeUndefined();
    expect(completeMessage(here, answer([...here.parts, text('more')], { role: 'user' }))).toBeUndefined();
  });

  it('has the bytes of its files from wherever the same file is, whatever else is said there', () => {
    const here = answer([text('Here'), file('a'), file('b', 'data:,b')]);
    const now = answer([file('b', 'data:,other'), file('c', 'data:,c'), file('a', 'data:,a')]);
    expect(completeMessage(here, now)?.parts).toEqual([
      text('Here'),
      file('a', 'data:,a'),
      file('b', 'data:,b'),
    ]);
  });

  it('is the same in any order, for what are pieces of one whole (property)', () => {
    const whole = [text('The first line, and the second.'), file('a', 'data:,a'), file('b', 'data:,b')];
    const id = newMessageId();
    const piece = fc
      .record({ length: fc.nat({ max: 31 }), a: fc.boolean(), b: fc.boolean() })
      .map(({ length, a, b }) =>
        answer(
          [
            text((whole[0] as { text: string }).text.slice(0, length)),
            file('a', a ? 'data:,a' : ''),
            file('b', b ? 'data:,b' : ''),
          ],
          { id },
        ),
      );
    const join = (pieces: readonly Message[]) =>
      pieces.reduce((here, now) => completeMessage(here, now) ?? here).parts;
    fc.assert(
      fc.property(
        fc
          .array(piece, { minLength: 1, maxLength: 6 })
          .chain((pieces) =>
            fc.tuple(fc.constant(pieces), fc.shuffledSubarray(pieces, { minLength: pieces.length })),
          ),
        ([pieces, shuffled]) => {
          expect(join(shuffled)).toEqual(join(pieces));
        },
      ),
    );
  });
});
