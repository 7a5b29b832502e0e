// Formulas: KaTeX with its styles and fonts from our own bundle, loaded when the first formula is met.
import 'katex/dist/katex.min.css';
import katex from 'katex';
import 'katex/contrib/mhchem';

/** Commands that models write and KaTeX does not know: by what they do, or by the words in them. */
const MACROS = {
  '\\mbox': '\\text{#1}',
  '\\eqref': '(\\text{#1})',
  '\\ref': '\\text{#1}',
  '\\label': (context: { consumeArgs(count: number): unknown }) => {
    context.consumeArgs(1);
    return '';
  },
  '\\mathds': '\\mathbb{#1}',
  '\\mathbbm': '\\mathbb{#1}',
  '\\num': '#1',
  '\\si': '\\mathrm{#1}',
  '\\unit': '\\mathrm{#1}',
  '\\SI': '#1\\,\\mathrm{#2}',
  '\\qty': '#1\\,\\mathrm{#2}',
  '\\ang': '#1^\\circ',
  '\\celsius': '^\\circ\\mathrm{C}',
  '\\textdegree': '^\\circ',
};

/** Strangers' words draw over nothing else: no kern and no rule is longer. In em. */
const LONGEST = 60;

/** To TeX a percent sign begins a remark. Behind a figure or a word it is one of per cent. */
const PERCENT = /\\[\s\S]|(?<=[\p{L}\p{N}})\]])\s?%/gu;

/** Draws a formula into an element. What KaTeX cannot read is shown as it was written. */
export const drawFormula = (formula: string, display: boolean, into: HTMLElement): void =>
  katex.render(
    formula.replace(PERCENT, (found) => (found.startsWith('\\') ? found : found.replace('%', '\\%'))),
    into,
    {
      displayMode: display,
      throwOnError: false,
      strict: 'ignore',
      errorColor: 'var(--danger)',
      macros: { ...MACROS },
      maxSize: LONGEST,
    },
  );
