// Formulas: KaTeX with its styles and fonts from our own bundle, loaded when the first formula is met.
import 'katex/dist/katex.min.css';
import katex from 'katex';

/** Draws a formula into an element. What KaTeX cannot read is shown as it was written. */
export const drawFormula = (formula: string, display: boolean, into: HTMLElement): void =>
  katex.render(formula, into, {
    displayMode: display,
    throwOnError: false,
    strict: 'ignore',
    errorColor: 'var(--danger)',
  });
