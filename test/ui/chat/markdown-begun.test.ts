// Formulas, stars and half-written answers as models really send them: nothing turns into a form
// that it is not, and none stays in one.
import { toHtml } from 'hast-util-to-html';
import { describe, expect, it } from 'vitest';
import { AnswerReader, type ReadAnswer } from '../../../src/ui/chat/markdown/reader.ts';
import { elementsOf } from '../../../src/ui/chat/markdown/tree.ts';
import { plainAnswer } from '../../../src/ui/chat/plain-answer.ts';

const html = ({ blocks }: ReadAnswer): string =>
  blocks
    .map(({ nodes, definitions, open }) => toHtml(elementsOf(nodes, definitions, open)))
    .join('\n')
    .replace(/ dir="(?:auto|ltr|rtl)"/g, '');
const drawn = (text: string): string => html(new AnswerReader().read(text, false));
const formulas = (text: string): string[] =>
  [...drawn(text).matchAll(/<span data-formula="\w+">([\s\S]*?)<\/span>/g)].map(([, value = '']) => value);
/** What is seen of an answer after each of its characters. */
function* seen(text: string): Generator<readonly [read: string, shown: string]> {
  const reader = new AnswerReader();
  for (let at = 1; at <= text.length; at += 1) {
    const read = text.slice(0, at);
    yield [read, html(reader.read(read, true))];
  }
}

describe('formulas', () => {
  it.each([
    ['the optimum $p^*$ and $x_*$, $\\theta^*$.', ['p^*', 'x_*', '\\theta^*']],
    ["so $f'$, $x''$ and $f'(x)$", ["f'", "x''", "f'(x)"]],
    ['in $]0,1[$ or $[0,1[$', [']0,1[', '[0,1[']],
    ['a thin $x\\;$ space', ['x\\;']],
    ['H$_2$O, SO$_4^{2-}$, Na$^+$ and m$^2$', ['_2', '_4^{2-}', '^+', '^2']],
    ['so $ x $ and $ \\frac{a}{b} $ or $ x^2 + 1 $', ['x', '\\frac{a}{b}', 'x^2 + 1']],
    ['as $`x^2`$ and $`y`$', ['x^2', 'y']],
    ['1. $$\nx\n$$', ['x']],
    ['- \\[\nx = 1\n\\]', ['x = 1']],
    ['> $$\nx\n$$', ['x']],
  ])('are read in %j', (text, expected) => expect(formulas(text)).toEqual(expected));

  it.each([
    '$ cd my_dir and $ ls -la',
    '$ cd C:\\Users and $ dir',
    'pay $ 5 or $ 10',
    "echo '$a' and '$b'",
    "$('x') and $('y'), it's $5' and $6'",
    'echo $a* $b* and $DIR/* and $HOME/*',
    '$_GET$_POST and foo$_bar$ baz',
    '\\begin{bmatrix} 1 & 2 \\\\ 3 & 4 \\end{bmatrix}',
    '\\begin{tabular}{l} 5\\% \\\\ a\\_b \\end{tabular}',
  ])('are not shell, prices or LaTeX without marks: %s', (text) => {
    expect(formulas(text)).toEqual([]);
    expect(plainAnswer(text)).toBe(text);
  });
});

describe('stars beside punctuation', () => {
  it.each([
    [
      '**Note:**text and **Important!**Read',
      '<strong>Note:</strong>text and <strong>Important!</strong>Read',
    ],
    ['**«Цитата».**Дальше', '<strong>«Цитата».</strong>Дальше'],
    ['ราคา**100฿**ต่อ **"คำ"**ครับ', 'ราคา<strong>100฿</strong>ต่อ <strong>"คำ"</strong>ครับ'],
    ['**नमस्ते।**यह', '<strong>नमस्ते।</strong>यह'],
    ['**a——**b', '<strong>a——</strong>b'],
    ['ב**"הארץ"** וגם', 'ב<strong>"הארץ"</strong> וגם'],
    ['و**«كتاب»** ثم', 'و<strong>«كتاب»</strong> ثم'],
    ['f(**a, **b) and (x)**y + (z)**w', 'f(**a, **b) and (x)**y + (z)**w'],
    ['foo:**bar** and a.**b**', 'foo:<strong>bar</strong> and a.<strong>b</strong>'],
  ])('%s', (text, expected) => expect(drawn(text)).toBe(`<p>${expected}</p>`));
});

describe('an answer that is being written', () => {
  it.each([
    // A list, a rule or a table that begins turns the words above it into no heading.
    ['Steps:\n- one\n- two', /<h\d/],
    ['- Steps:\n  - one', /<h\d/],
    ['a | b\n--- | ---\n1 | 2', /<h\d|---/],
    ['so\n=> then', /<h\d/],
    ['* **a**: b\n* **c**: d', /<hr|<ul>[\s\S]*<ul>/],
    ['- a\n- b\n\n1. one\n2. two', /<p>\d/],
    // Marks that end something are not part of it.
    ['```js\nlet a;\n```\n\nend', /`/],
    ['1. a\n\n   ~~~\n   x\n   ~~~\n2. b', /~/],
    ['so \\(x^2\\) and \\[ y \\] end', /\\/],
    ['$$\na + b\n$$\n\nend', /b\s*\$/],
    ['Prices: $5–$10, $20和$30', /data-formula/],
    ['a &amp; b &lt;c', /&#x26;(?:am?|l)/],
    ['one\\\ntwo', /\\/],
    ['see [docs](https://e.com/a_(b) "title") end', /\[|https?:[^"]*</],
    ['| a | b |\n|---|---|\n| x | `y|z` |', /<td>z<|`/],
    ['so ***both*** end', /\*/],
    ['so **a *b* c** end', /c\*/],
  ])('never takes on a form that it loses: %j', (text, never) => {
    for (const [read, shown] of seen(text)) expect(shown, JSON.stringify(read)).not.toMatch(never);
  });

  it('keeps a call as it is', () => {
    for (const [read, shown] of seen('so b[1](x) = 2'))
      expect(shown.replace(/<\/?p>/g, '')).toBe(read.endsWith('[') ? read.slice(0, -1).trim() : read.trim());
  });

  it.each([
    '* **a**：b\n* **c**（d）：e\n* **f**',
    '$$\\begin{aligned} a \\\\\n\nb \\end{aligned}$$\n\nend',
    'so:\n\\[\na\n\nb',
    '$$a\n\nb$$\n\nc',
    '\\[a\n\nb\\]',
    '```math\na\n',
    '> $$\n> a',
    '1. x\n\\begin{align}\n- y\n\nz',
  ])('comes to the same as reading it at once: %j', (text) => {
    const reader = new AnswerReader();
    for (let at = 1; at < text.length; at += 1) reader.read(text.slice(0, at), true);
    expect(html(reader.read(text, false))).toBe(drawn(text));
  });
});

it('copies lists and tables of HTML without empty lines between', () => {
  expect(plainAnswer('<ul>\n<li>a</li>\n<li>b</li>\n</ul>')).toBe('a\nb');
  expect(plainAnswer('<table>\n<tr><td>1</td><td>2</td></tr>\n<tr><td>3</td></tr>\n</table>')).toBe(
    '1\t2\n3',
  );
});
