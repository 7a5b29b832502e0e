// Formulas are drawn with all that was written, by the library in a real page.
import { expect, it } from 'vitest';
import { drawFormula } from '../../../src/ui/chat/maths.ts';

function drawn(formula: string, display = false): HTMLElement {
  const place = document.createElement('span');
  document.body.append(place);
  drawFormula(formula, display, place);
  return place;
}
/** What is seen, without the copy for screen readers. */
const seen = (place: HTMLElement): string =>
  (place.querySelector('.katex-html')?.textContent ?? '').replace(/[\s\u200b\u2062]/g, '');

it.each([
  ['\\ce{2H2 + O2 -> 2H2O}', '2HX2+OX22HX2O'],
  // KaTeX puts a fraction's denominator first in the page.
  ['\\pu{1.2 m//s}', '1.2sm'],
  ['50% of x', '50%ofx'],
  ['\\text{up to 5%} + x \\% y', 'upto5%+x%y'],
  ['a \\label{eq:1} = b', 'a=b'],
  ['\\text{see } \\eqref{eq:1}', 'see(eq:1)'],
  ['\\SI{5}{m} + \\mbox{a b}', '5m+ab'],
])('%s is drawn', (formula, expected) => {
  const place = drawn(formula);
  expect(place.querySelector('.katex-error')).toBeNull();
  expect(seen(place)).toBe(expected);
});

it('that cannot be read is shown as it was written', () => {
  expect(drawn('\\unknown{x}').textContent).toContain('\\unknown');
  expect(drawn('\\frac{a}{b').textContent).toContain('\\frac{a}{b');
});

it('reaches over nothing else', () => {
  for (const formula of ['a\\kern-4000em b', '\\rule{9000em}{9000em}', '\\raisebox{4000em}{x}']) {
    const { width, height } = drawn(formula, true).getBoundingClientRect();
    expect(Math.max(width, height)).toBeLessThan(4_000);
  }
});
