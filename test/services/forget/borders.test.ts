// Words over the borders of texts: how much is read for that, and that nothing is passed over.
import { describe, expect, it } from 'vitest';
import type { MessageId } from '../../../src/domain/base/ids.ts';
import { type Message, textOf } from '../../../src/domain/chat/message.ts';
import { createMatcher, type Imprint, imprintOf } from '../../../src/domain/forget/imprint.ts';
import { acrossBorders } from '../../../src/services/forget/borders.ts';

const words = createMatcher([imprintOf('Mira Quillfeather', 'salt') as Imprint], 'salt');
const isLater = () => false;
const chain = (texts: readonly string[], firstParent: string | null = null) =>
  new Map(
    texts.map((text, at): [MessageId, Message] => {
      const id = `m${at}` as MessageId;
      const parentId = (at === 0 ? firstParent : `m${at - 1}`) as MessageId | null;
      const parts = [{ type: 'text' as const, text }];
      return [
        id,
        { id, parentId, role: 'assistant', kind: 'message', createdAt: at, parts, finish: 'length' },
      ];
    }),
  );

describe('an answer in many pieces', () => {
  it('is read in proportion to its length', () => {
    const readOf = (length: number) => {
      let read = 0;
      const spansIn = (text: string) => {
        read += text.length;
        return words.spansIn(text);
      };
      acrossBorders(chain(Array.from({ length }, () => 'Some words of it. ')), { spansIn, isLater });
      return read;
    };
    expect(readOf(400)).toBeLessThan(readOf(100) * 4.5);
  });

  it('loses words over each of its borders', () => {
    const texts = ['It was Mira ', 'Quillfeather, and again Mira', ' Quillfeather.'];
    const cut = acrossBorders(chain(texts), { spansIn: words.spansIn, isLater });
    expect([...cut.values()].map(textOf)).toEqual(
      expect.arrayContaining(['It was •••', ', and again •••', '.']),
    );
  });

  it('is read where damaged messages hang on each other in a ring', () => {
    const texts = ['Mira ', 'Quillfeather', '. '];
    const cut = acrossBorders(chain(texts, 'm1'), { spansIn: words.spansIn, isLater });
    expect([...cut.values()].map(textOf).join('')).not.toMatch(/Mira|Quillfeather/);
  });
});
