// Brings the ways models write formulas to the one the Markdown renderer knows (`$$…$$`). Pure.

/** Code, fenced or inline: nothing in it is a formula. An unclosed fence reaches to the end. */
const CODE = /(^|\n)(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:\n\2[^\n]*(?=\n|$)|$)|(`+)[^`](?:[\s\S]*?[^`])?\3(?!`)/g;

/** Whether there may be a formula at all: spares most messages the work. */
export const mayHaveFormula = (text: string): boolean => /\$|\\\(|\\\[/.test(text);

/**
 * `\(x\)` and `$x$` become inline formulas, `\[x\]` a block. A dollar is a formula's only by Pandoc's rule: no space
 * after the opening one or before the closing one, and no digit after the closing one, so that prices stay prices.
 */
export function withFormulaMarks(text: string): string {
  if (!mayHaveFormula(text)) return text;
  let out = '';
  let at = 0;
  for (const code of text.matchAll(CODE)) {
    out += convert(text.slice(at, code.index)) + code[0];
    at = code.index + code[0].length;
  }
  return out + convert(text.slice(at));
}

function convert(text: string): string {
  return text
    .replace(/\\\[([\s\S]+?)\\\]/g, (_, formula: string) => ['', '$$', formula.trim(), '$$', ''].join('\n'))
    .replace(/\\\((.+?)\\\)/g, (_, formula: string) => ['$$', formula.trim(), '$$'].join(''))
    .replace(/(?<![\\$])\$(?![\s$])((?:[^$\n\\]|\\.)+?)(?<!\s)\$(?![\d$])/g, (_, formula: string) =>
      ['$$', formula, '$$'].join(''),
    );
}
