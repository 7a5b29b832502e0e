import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { below, inserted, keptWords } from '../../../src/ui/chat/draft.ts';

const field = (value: string, selectionStart = value.length, selectionEnd = selectionStart) => ({
  value,
  selectionStart,
  selectionEnd,
});

describe('words put into the composer from elsewhere', () => {
  it('lose none of those that are there', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.nat(),
        fc.constantFrom('/recall ', '/compact keep the names', 'What did we decide about ', '我们'),
        (value, at, words) => {
          const caret = at % (value.length + 1);
          const { text, former, caret: after } = inserted(words, field(value, caret));
          expect(text.includes(words)).toBe(true);
          if (words.startsWith('/')) {
            expect(text).toBe(words);
            if (!/^\s*(\/\S*)?\s*$/.test(value)) expect(former).toBe(value);
          } else {
            expect(text.startsWith(value.slice(0, caret))).toBe(true);
            expect(text.endsWith(value.slice(caret))).toBe(true);
            expect(text.slice(0, after).endsWith(words)).toBe(true);
          }
        },
      ),
    );
  });

  it('are kept with what they took the place of: a command gives way, other words do not', () => {
    expect(keptWords('/recall ', true, ['half a letter'])).toBe('half a letter');
    expect(keptWords('no command any more', false, ['half a letter'])).toBe(
      'half a letter\n\nno command any more',
    );
    expect(keptWords('/recall harbour', true, [])).toBe('/recall harbour');
    expect(keptWords('', false, ['first', 'second'])).toBe('first\n\nsecond');
    expect(keptWords('', false, [])).toBe('');
  });

  it('that go below stand a line apart from what is there', () => {
    expect(below('', 'a long list')).toBe('a long list');
    expect(below(' \n', 'a long list')).toBe('a long list');
    expect(below('What is wrong here?', 'a long list')).toBe('What is wrong here?\n\na long list');
    expect(below('What is wrong here? \n', '  a list')).toBe('What is wrong here?\n\n  a list');
  });

  it('a command takes the place of another that has no words yet', () => {
    expect(inserted('/title ', field('/recall ')).former).toBe('');
    expect(inserted('/title ', field('/recall the harbour')).former).toBe('/recall the harbour');
    expect(inserted('/title ', field('  ')).former).toBe('');
  });

  it('stand apart from what is before them, as their script wants it', () => {
    expect(inserted('what we said ', field('I wonder about')).text).toBe('I wonder about what we said ');
    expect(inserted('what we said ', field('So: ')).text).toBe('So: what we said ');
    expect(inserted('我们说过', field('请问')).text).toBe('请问我们说过');
    expect(inserted('b', field('a c', 2, 3)).text).toBe('a b');
  });
});
