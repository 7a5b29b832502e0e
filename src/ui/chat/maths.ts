// Formulas: KaTeX with its styles and fonts from our own bundle, loaded with the first formula.
import 'katex/dist/katex.min.css';
import katex from 'katex';
import 'katex/contrib/mhchem';

/** Commands that models use and KaTeX lacks, defined by their effect or by the words they contain. */
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

/** Longest kern or rule, em: untrusted formulas must not draw over the rest of the page. */
const LONGEST = 60;

/** TeX reads a percent sign as the start of a comment; after a number or a word it means per cent. */
const PERCENT = /\\[\s\S]|(?<=[\p{L}\p{N}})\]])\s?%/gu;

/** Draws a formula into an element. A formula that KaTeX cannot read is shown as written. */
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
