import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitFences } from '../../../src/ui/chat/fences.ts';
import { withFormulaMarks } from '../../../src/ui/chat/formula-marks.ts';

describe('formulas in the words of models', () => {
  it('reads every usual way to write one', () => {
    expect(withFormulaMarks('so \\(x^2\\) and $y_1$')).toBe('so $$x^2$$ and $$y_1$$');
    expect(withFormulaMarks('\\[ a = b \\]')).toBe('\n$$\na = b\n$$\n');
    expect(withFormulaMarks('$$\na\n$$')).toBe('$$\na\n$$');
  });

  it('leaves prices alone', () => {
    for (const price of ['It costs $5 or $10.', 'from $5 to $10, $20 later', 'US$ 5', 'a\\$b and \\$c'])
      expect(withFormulaMarks(price)).toBe(price);
  });

  it('leaves code alone, fenced, inline or unclosed', () => {
    for (const code of [
      '`$a$`',
      '``x ` $b$``',
      '```sh\necho $HOME $PATH$\n```',
      '```\n\\(x\\)',
      '~~~\n$a$\n~~~',
    ])
      expect(withFormulaMarks(code)).toBe(code);
  });

  it('changes nothing where there is neither dollar nor backslash', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!/[$\\]/.test(text));
        expect(withFormulaMarks(text)).toBe(text);
      }),
    );
  });

  it('is quick on long texts without an end', () => {
    const started = performance.now();
    withFormulaMarks(`${'$a '.repeat(20_000)}\\[${'`'.repeat(2000)}`);
    expect(performance.now() - started).toBeLessThan(2000);
  });
});

describe('fenced code in a person’s words', () => {
  it('is told from the words around it', () => {
    expect(splitFences('look:\n\n```sql\nselect 1\n```\nwhy?')).toEqual([
      { text: 'look:', fenced: false },
      { text: '```sql\nselect 1\n```', fenced: true },
      { text: 'why?', fenced: false },
    ]);
    expect(splitFences('no code, ``` here')).toEqual([{ text: 'no code, ``` here', fenced: false }]);
  });

  it('keeps every letter', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b\n', '```\n', '\n```', '~~~', ' ')), (bits) => {
        const text = bits.join('');
        const letters = (from: string) => from.replace(/\n/g, '');
        expect(
          letters(
            splitFences(text)
              .map((piece) => piece.text)
              .join(''),
          ),
        ).toBe(letters(text));
      }),
    );
  });
});
