// Formulas: KaTeX with its styles and fonts from our own bundle, loaded when the first formula is met; and the ways people write them.
import 'katex/dist/katex.min.css';
import { createMathPlugin } from '@streamdown/math';

export const mathPlugin = createMathPlugin({ errorColor: 'var(--danger)' });
