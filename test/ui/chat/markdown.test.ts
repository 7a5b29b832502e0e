// An answer is shown as it was said: code, addresses, prices, tags and signs of any script, whole or half written.
import fc from 'fast-check';
import { toHtml } from 'hast-util-to-html';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table';
import { gfmTable } from 'micromark-extension-gfm-table';
import { describe, expect, it } from 'vitest';
import { fencedPieces } from '../../../src/ui/chat/markdown/parse.ts';
import { AnswerReader, type ReadAnswer, ReaderHandover } from '../../../src/ui/chat/markdown/reader.ts';
import { codeOf, elementsOf, languageNamed } from '../../../src/ui/chat/markdown/tree.ts';
import { plainAnswer } from '../../../src/ui/chat/plain-answer.ts';
import { roughMarkdown } from '../../fixtures/markdown.ts';
import { runs } from '../../scale.ts';
import { MARKDOWN } from '../../server/scripted-model.ts';

const drawnOf = ({ blocks }: ReadAnswer) =>
  blocks.map(({ nodes, definitions, open }) => elementsOf(nodes, definitions, open));
const html = (answer: ReadAnswer): string =>
  drawnOf(answer)
    .map((elements) => toHtml(elements))
    .join('\n');
/** The HTML of a whole text, without text directions. */
const drawn = (text: string): string =>
  html(new AnswerReader().read(text, false)).replace(/ dir="(?:auto|ltr|rtl)"/g, '');
/** The words that are seen: what a browser shows of the elements. */
const words = (text: string): string =>
  drawn(text)
    .replace(/<[^>]*>/g, '')
    .replaceAll('&#x3C;', '<')
    .replaceAll('&#x26;', '&')
    .replaceAll('&gt;', '>')
    .trim();
const formulas = (text: string): string[] =>
  [...drawn(text).matchAll(/<span data-formula="(\w+)">([\s\S]*?)<\/span>/g)].map(
    ([, kind, value]) => `${kind} ${value}`,
  );
const links = (text: string): string[] =>
  [...drawn(text).matchAll(/<a href="([^"]*)"/g)].map(([, href = '']) => href);
/** All code blocks of a text, as they are copied. */
function codes(text: string): string[] {
  const found: string[] = [];
  const look = (node: { type: string; tagName?: string; children?: unknown[] }) => {
    if (node.tagName === 'pre') found.push(codeOf(node as never).code);
    else for (const child of node.children ?? []) look(child as never);
  };
  for (const elements of drawnOf(new AnswerReader().read(text, false))) look(elements as never);
  return found;
}

const comesToTheSame = (text: string) => {
  const reader = new AnswerReader();
  for (let at = 1; at < text.length; at += 1) reader.read(text.slice(0, at), true);
  expect(html(reader.read(text, false))).toBe(html(new AnswerReader().read(text, false)));
};

describe('formulas', () => {
  it.each([
    ['so \\(x^2\\) and $y_1$', ['inline x^2', 'inline y_1']],
    ['1. so:\n$$\nx = 1\n$$\n2. b', ['block x = 1']],
    ['so \\(x\n+ y\n- z\\) is', ['inline x\n+ y\n- z']],
    ['open \\(x\n\n+ a\n+ b\\)', []],
    ['where p$<$0.05, n$=$5', ['inline <', 'inline ='].map((one) => one.replace('<', '&#x3C;'))],
    ['为\\(x\\)是 f\\(x=1\\) \\[ x \\]', ['inline x', 'inline x=1', 'block x']],
    ['\\[ a = b \\]', ['block a = b']],
    ['$$\na\n$$', ['block a']],
    ['$$a + b$$', ['block a + b']],
    ['so $$a$$ and', ['inline a']],
    ['设$x$为', ['inline x']],
    ['so $ x = 1 $ and $ f(x) = 2x + 1 $', ['inline x = 1', 'inline f(x) = 2x + 1']],
    ['单位是$m$$s^{-1}$，$a$$b$', ['inline m', 'inline s^{-1}', 'inline a', 'inline b']],
    ['the $n$th, $k$-means, $2^n$.', ['inline n', 'inline k', 'inline 2^n']],
    ['a 3$\\times$4 grid at 90$^\\circ$', ['inline \\times', 'inline ^\\circ']],
    ['$$\na \\\\[4pt]\n+ b\n- c\n$$\n\nand \\[ d \\]', ['block a \\\\[4pt]\n+ b\n- c', 'block d']],
    [
      '\\[\n\\begin{aligned}\na &#x26;= b \\\\[4pt]\n\\end{aligned}\n\\]'.replace('&#x26;', '&'),
      ['block \\begin{aligned}\na &#x26;= b \\\\[4pt]\n\\end{aligned}'],
    ],
    ['1. so:\n   $$\n   a\n   $$\n2. b', ['block a']],
    ['> \\[\n> a\n> \\]', ['block a']],
    ['| a |\n| - |\n| $x$ |', ['inline x']],
    ['**so $x$**', ['inline x']],
    ['$\\$5 + x$', ['inline \\$5 + x']],
    ['so $\\text{a $b$} = c$.', ['inline \\text{a $b$} = c']],
    ['$$x = \\text{if $y > 0$}$$', ['block x = \\text{if $y > 0$}']],
    ['$\\text{a {b} $c$} + \\textbf{$d$}$ and $e$', ['inline \\text{a {b} $c$} + \\textbf{$d$}', 'inline e']],
    ['$\\mbox{for all $i$}$', ['inline \\mbox{for all $i$}']],
    ['$\\text{never closed and $x$', ['inline x']],
    [
      'so:\n\\begin{align*}\na &= b \\\\\nc\n\\end{align*}\nand',
      ['block \\begin{align*}\na &#x26;= b \\\\\nc\n\\end{align*}'],
    ],
    ['> \\begin{gather}\n> a\n> \\end{gather}', ['block \\begin{gather}\na\n\\end{gather}']],
    [
      'so $\\begin{split}a\\end{split}$ and $$b \\tag{2}$$.',
      ['block \\begin{split}a\\end{split}', 'block b \\tag{2}'],
    ],
    ['| a | b |\n| - | - |\n| $|x|$ | \\(|y|\\) |', ['inline |x|', 'inline |y|']],
    ['```math\na\n```\n\n- b\n  ~~~math\n  c\n  ~~~', ['block a', 'block c']],
  ])('are read in %j', (text, expected) => expect(formulas(text)).toEqual(expected));

  it.each([
    'It costs $5 or $10.',
    'between $5 and $10',
    '$$5 and $$6',
    '$ a = b; echo $ HOME',
    'from $5 to $10, $20 later',
    'US$3–$4 and US$ 5',
    '^$|^a$ and #$%&()_+ !@#$%^&',
    '$100k/$200k, $5M–$10M',
    '$5, or 10$ if late',
    'pay $5 (US$) now',
    '价格为$5，原价$10。花了$5到$10',
    '$HOME/bin:$PATH',
    '$HOME$PATH and $a,$b',
    '$AAPL/$MSFT ($AAPL) ($MSFT)',
    '$this->x=$y; f($a, $b)',
    "$('#a').val()+$('#b').val()",
    '$.ajax/$.get',
    '$$ is the process, kill $$ and wait for $$ there',
    'echo $$HOME/bin:$$PATH',
    'the $ sign and the US$ sign, $$$',
    '\\begin{itemize} is no formula, \\begin{align} neither',
  ])('are not prices, variables or words: %s', (text) => {
    expect(formulas(text)).toEqual([]);
    expect(words(text)).toBe(text);
  });

  it.each([
    ['escaped \\\\[sic\\\\] stays', 'escaped \\[sic\\] stays'],
    ['a\\$b and \\$c', 'a$b and $c'],
    ['he said \\[sic\\] and \\[1\\], \\[ \\]', 'he said [sic] and [1], [ ]'],
    ['\\(see the note\\)', '(see the note)'],
    ['file\\(s\\), list\\[i\\], \\(optional\\)', 'file(s), list[i], (optional)'],
    ['\\[1, 2\\] and \\[3-5\\], \\[a-z\\]+', '[1, 2] and [3-5], [a-z]+'],
    ['\\- \\[x\\] done', '- [x] done'],
  ])('are not what was escaped: %s', (text, expected) => expect(words(text)).toBe(expected));

  it('do not reach into code, addresses, titles, descriptions and comments', () => {
    const href = 'https://example.com/$a/$b/c';
    for (const text of [
      `see ${href}`,
      `see <${href}>`,
      `see [x](${href} "$a and $b$")`,
      `[$x](${href})`,
      `# $1 ${href}`,
    ]) {
      expect(formulas(text)).toEqual([]);
      expect(links(text)).toEqual([href]);
    }
    expect(drawn('![$a and b$](data:image/png;base64,AA)')).toContain('alt="$a and b$"');
    expect(words('a `$x$` and ``b ` $c$``')).toBe('a $x$ and b ` $c$');
    expect(words('a <!-- $x$ **b** --> c')).toBe('a <!-- $x$ **b** --> c');
    expect(words('| Monthly ($) | Yearly ($) |\n| - | - |\n| 1 | 2 |')).toMatch(
      /^Monthly \(\$\)\s*Yearly \(\$\)/,
    );
  });
});

describe('code', () => {
  const path = 'export PATH=$HOME/bin:$PATH\n\n\t# \\(a\\) <b> **c** ~d~';
  const indented = (by: string) => path.replace(/^(?=.)/gm, by);
  it.each([
    ['a fence', `\`\`\`sh\n${path}\n\`\`\``],
    ['a fence with words behind its language', `~~~sh title="a b"\n${path}\n~~~`],
    ['a fence that never ends', `\`\`\`sh\n${path}`],
    ['a longer fence', `~~~~sh\n${path}\n~~~~`],
    ['indentation', indented('    ')],
    ['a fence in a list', `1. so\n\n   ~~~sh\n${indented('   ')}\n   ~~~`],
    ['a fence in a quotation', `> ~~~sh\n${path.replace(/^/gm, '> ')}\n> ~~~`],
    [
      'a fence in a list in a quotation',
      `> - so\n>\n>   \`\`\`sh\n${path.replace(/^/gm, '>   ')}\n>   \`\`\``,
    ],
  ])('in %s is copied byte for byte', (_, text) => expect(codes(text)).toEqual([path]));

  it.each([
    ['- ```bash\nnpm i\n```\n- next', ['npm i']],
    ['1. Run:\n   ```bash\nnpm i\n\npip i\n   ```\n2. Next', ['npm i\n\npip i']],
    ['1. Run:\n   ```bash\n   npm i\n```\n2. Next', ['npm i']],
    ['- a\n  - ```python\ndef f():\n    return 1\n    ```\n  - c', ['def f():\n    return 1']],
    ['- ```yaml\na:\n  - b\n  - c\n```\nafter', ['a:\n  - b\n  - c']],
    ['- a\n\n  ~~~sh\nls\n  ~~~\n- b', ['ls']],
    // These end as CommonMark has it.
    ['- ```js\n  x\n- next', ['x']],
    ['- a\n\n```js\nx\n```\n\n- b', ['x']],
  ])('in an item of a list does not swallow what follows, however it is set in: %j', (text, expected) => {
    expect(codes(text)).toEqual(expected);
    const reader = new AnswerReader();
    for (let at = 1; at < text.length; at += 1) reader.read(text.slice(0, at), true);
    expect(html(reader.read(text, false))).toBe(html(new AnswerReader().read(text, false)));
  });

  it('in <pre> is copied as it is shown, its lines and its types with it', () => {
    expect(codes('<pre>\nexport PATH=$HOME/bin:$PATH\n\nList<String> **a**\n</pre>')).toEqual([
      'export PATH=$HOME/bin:$PATH\n\nList<String> **a**\n',
    ]);
  });

  it.each([
    ['```md\n# T\n```js\nx\n```\nend\n```\nafter', ['# T\n```js\nx\n```\nend']],
    ['> ~~~markdown\n> ~~~sh\n> ls\n> ~~~\n> ~~~\n> b', ['~~~sh\nls\n~~~']],
    // A block without an end of its own follows CommonMark's rule.
    ['```md\n```js\nx\n```\n\nafter', ['```js\nx']],
    ['```md\nx\n```\n\n```js\ny\n```', ['x', 'y']],
    ['```js\n```md\n```\nafter\n```\nz', ['```md', 'z']],
  ])('of Markdown holds the fences within it: %j', (text, expected) => {
    expect(codes(text)).toEqual(expected);
    const reader = new AnswerReader();
    for (let at = 1; at < text.length; at += 1) reader.read(text.slice(0, at), true);
    expect(html(reader.read(text, false))).toBe(html(new AnswerReader().read(text, false)));
  });

  it.each([
    ['Python', 'python'],
    ['{python}', 'python'],
    ['{.r', 'r'],
    ['js:src/app.js', 'js'],
    ['ts{1,3}', 'ts'],
    ['c++', 'c++'],
    ['C#', 'c#'],
    ['objective-c', 'objective-c'],
    ['{', '{'],
  ])('has the language that %s names', (said, name) => expect(languageNamed(said)).toBe(name));

  it('keeps lines that are empty, spaces at the end, and tabs', () => {
    expect(codes('```\n\na  \n\tb\n\n```')).toEqual(['\na  \n\tb\n']);
    // The output of `find -print0`.
    expect(codes('```\na\0b\uFFFD\uFDD0\n```')).toEqual(['a\0b\uFFFD\uFDD0']);
    expect(codes('    a\0b')).toEqual(['a\0b']);
    for (const text of ['```a\0b\nx\n```', '[a](<b\0c> "d\0e")', '![a\0b](c)'])
      expect(html(new AnswerReader().read(text, false)), text).not.toContain('\uFDD0');
  });
});

describe('code beside HTML', () => {
  const code = fc
    .array(
      fc.constantFrom(
        ...[
          'a',
          ' ',
          '\t',
          '\n',
          '\n',
          '\r\n',
          '$x$',
          '<b>',
          '&lt;',
          '&',
          '</code>',
          '</pre>',
          '<!--',
          '-->',
        ],
        ...['`', '~', '\0', '\\(', '</details>', '<T>', '中', '\u2028', '\ufeff'],
      ),
      { maxLength: 8 },
    )
    .map((pieces) => pieces.join(''));
  it('is copied byte for byte, the empty lines it begins with too', () => {
    expect(codes('<details>\n\n```\n\n\nlead\n```\n\n</details>')).toEqual(['\n\nlead']);
    fc.assert(
      fc.property(code, fc.constantFrom('details', 'div', 'blockquote', 'b'), (said, tag) => {
        const fence = `~~~~~sh\n${said}\n~~~~~`;
        const text =
          tag === 'b'
            ? `- <b>so</b>\n\n${fence.replace(/^|\n/g, '$&  ')}`
            : `<${tag}>\n\n${fence}\n\n</${tag}>\n\nand <b>so</b>`;
        expect(codes(text)).toEqual([said]);
      }),
      { numRuns: runs(300, 60) },
    );
  });
});

describe('tildes', () => {
  it.each(['每天2~3次，每次5~10分钟', '~5 minutes ~ 10, H~2~O, ~/bin and ~/lib'])(
    'strike nothing where there is one: %s',
    (text) => expect(words(text)).toBe(text),
  );
  it('are words where three stand at both ends of them, and begin code elsewhere', () => {
    expect(words('~~~not code~~~ but this')).toBe('~~~not code~~~ but this');
    expect(codes('~~~js\na\n~~~')).toEqual(['a']);
  });
  it('strike where there are two, also beside punctuation', () => {
    expect(drawn('~~删除。~~好')).toBe('<p><del>删除。</del>好</p>');
  });
});

describe('paths of Windows', () => {
  it.each([
    'C:\\Users\\new\\_tmp and \\\\server\\share\\*.txt',
    'see \\\\nas\\c$\\!x, or "C:\\\\Users\\\\me"',
    'cd D:\\\nnext',
    'C:\\[temp]\\(x) 路径：D:\\数据\\#1\\a_b_c。',
    '\\\\?\\C:\\_x_\\a and \\\\.\\COM1',
    'see %APPDATA%\\_x\\*, .\\*.ps1 and ..\\_a, cd ~\\.ssh\\_old',
    '$env:PATH\\_x, HKLM\\Software\\_x\\*, HKEY_CURRENT_USER\\_a and HKCU:\\_b',
  ])('stand as they are: %s', (text) => {
    expect(words(text)).toBe(text);
    expect(plainAnswer(text)).toBe(text);
  });
  it('are set bold and stand in tables, and other backslashes escape', () => {
    expect(drawn('**C:\\_a\\_b**')).toBe('<p><strong>C:\\_a\\_b</strong></p>');
    expect(words('a.\\*b.\\_ and (.\\*) .\\* a\\_b ~\\~')).toBe('a.*b._ and (.*) .* a_b ~~');
    expect(words('x\\_y \\*a\\* 1:\\- \\\\[sic\\\\]')).toBe('x_y *a* 1:- \\[sic\\]');
    expect(drawn('| a |\n| - |\n| C:\\_a \\| b |')).toContain('<td>C:\\_a | b</td>');
    expect(formulas('$C:\\_a$ and \\(C:\\_b\\)')).toEqual(['inline C:\\_a', 'inline C:\\_b']);
  });
});

describe('tables', () => {
  const rows = (text: string) =>
    [...drawn(text).matchAll(/<tr>([\s\S]*?)<\/tr>/g)].map(([, row = '']) =>
      [...row.matchAll(/<t[hd]>([\s\S]*?)<\/t[hd]>/g)].map(([, cell]) => cell),
    );
  it.each([
    [
      '| a | b |\n| - | - |\n| `x|y` | ``z`|`` |',
      [
        ['a', 'b'],
        ['<code>x|y</code>', '<code>z`|</code>'],
      ],
    ],
    ['| `a||b` | c |\n| - | - |', [['<code>a||b</code>', 'c']]],
    [
      '| a | b |\n| - | - |\n| [[c|d]] | e |\n| x || y | or |\n| 1 || 2 |',
      [
        ['a', 'b'],
        ['[[c|d]]', 'e'],
        ['x || y', 'or'],
        ['1', '', '2'],
      ],
    ],
    ['|a|\n|-|\n|$|x|$|', [['a'], ['<span data-formula="inline">|x|</span>']]],
    ['| a |\n| - |\n| [x](https://a.b/c|d) |', [['a'], ['<a href="https://a.b/c%7Cd">x</a>']]],
    [
      'a | b\n- | -\n1 | 2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a | b\r\n-- | --\r\n`x|y` | `\\|`',
      [
        ['a', 'b'],
        ['<code>x|y</code>', '<code>|</code>'],
      ],
    ],
    ['> | a |\n> | - |\n> | `x|y` |', [['a'], ['<code>x|y</code>']]],
    [
      '| a | b |\n| - | - |\n| 1 | 2 | 3 |',
      [
        ['a', 'b'],
        ['1', '2', '3'],
      ],
    ],
    [
      '| a | b |\n| - | - |\n| ` | ` |',
      [
        ['a', 'b'],
        ['`', '`'],
      ],
    ],
    [
      '| a | b |\n| - | - |\n| $5 | $10 |\n\n`x | y`',
      [
        ['a', 'b'],
        ['$5', '$10'],
      ],
    ],
  ])('lose nothing of a row, and part no code: %j', (text, expected) => expect(rows(text)).toEqual(expected));

  it.each([
    ['| a | b |\n|---|\n| 1 | 2 |', ['a b', '1 2']],
    ['| a | b |\n|---|---|---|\n| 1 | 2 |', ['a b', '1 2']],
    ['| a |\n| --- | --- |\n| 1 | 2 |', ['a', '1 2']],
    ['so\n| a | b | c |\n|-|-|\n| 1 | `x|y` | 3 |', ['a b c', '1 <code>x|y</code> 3']],
    ['> | a | b |\r\n> |---|\r\n> | 1 | 2 |', ['a b', '1 2']],
    ['- x\n\n  | a | `b|c` | d |\n  | - | - |', ['a <code>b|c</code> d']],
    ['| a | `b|c` |\n|---|---|', ['a <code>b|c</code>']],
    ['| a | b | c | d |\n|-|', []],
    ['a | b\n---|---|---', []],
  ])('have the cells of their head, whatever the row of dashes has: %j', (text, expected) => {
    expect(rows(text).map((row) => row.join(' '))).toEqual(expected);
    const reader = new AnswerReader();
    for (let at = 1; at < text.length; at += 1) reader.read(text.slice(0, at), true);
    expect(html(reader.read(text, false))).toBe(html(new AnswerReader().read(text, false)));
  });
  it.each([
    [
      '| a | b |\n|-|-|\n| 1 | 2 |\n**So:** c',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
      '<p><strong>So:</strong> c</p>',
    ],
    ['> | a |\n> |-|\n> | 1 |\n> c', [['a'], ['1']], '<p>c</p>'],
    [
      '1. x\n| a | b |\n|-|-|\n| 1 | 2 |\n\n2. y',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
      '<ol start="2">',
    ],
    ['- x\n  - y\n| a |\n|---|\nz', [['a']], '</ul>\n<table>'],
    ['| a |\n|-|\n1 | 2', [['a'], ['1', '2']], '<table>'],
    [
      'a | b\n-|-\nc',
      [
        ['a', 'b'],
        ['c', ''],
      ],
      '<table>',
    ],
  ])('end before words, and begin below a list: %j', (text, expected, within) => {
    expect(rows(text)).toEqual(expected);
    expect(drawn(text)).toContain(within);
    comesToTheSame(text);
  });
  it.each([
    ['| a | b |\n|---|---|\n\n| 1 | 2 |\n\n| 3 | 4 |', 1, ['a b', '1 2', '3 4']],
    ['| a | b |\n\n|---|---|\n\n| 1 | 2 |\n\nafter', 1, ['a b', '1 2']],
    ['x\n\n| a | b |\r\n|-|-|\r\n| 1 | 2 |\r\n  \r\n| `3|3` | 4 |', 1, ['a b', '1 2', '<code>3|3</code> 4']],
    ['> | a | b |\n> |-|-|\n>\n> | 1 | 2 |\n\nafter', 1, ['a b', '1 2']],
    ['- x\n\n  | a | b |\n  |-|-|\n  | 1 | 2 |\n\n  | 3 | 4 |\n- y', 1, ['a b', '1 2', '3 4']],
    ['| a | b |\n|-|-|\n| 1 | 2 |\n\n| c | d |\n|-|-|\n| 3 | 4 |', 2, ['a b', '1 2', 'c d', '3 4']],
    ['| a | b |\n\n|-|-|\n\n| 1 | 2 |\n\n| c | d |\n\n|-|-|\n\n| 3 | 4 |', 2, ['a b', '1 2', 'c d', '3 4']],
    ['| a | b |\n|-|-|\n| 1 | 2 |\n\n|x| + |y| is', 1, ['a b', '1 2']],
    ['| a | b |\n|-|-|\n| 1 | 2 |\n\n\n| 3 | 4 |', 1, ['a b', '1 2']],
    ['| a | b |\n|-|-|\n| 1 | 2 |\n\n| 3 |', 1, ['a b', '1 2']],
    ['| a |\n\n---\n\nb', 0, []],
  ])('go on below an empty line where a row stands: %j', (text, tables, expected) => {
    expect(rows(text).map((row) => row.join(' '))).toEqual(expected);
    expect(drawn(text).split('<table>').length - 1).toBe(tables);
    comesToTheSame(text);
  });
  it('keep the sides of their columns where the row of dashes has fewer', () => {
    expect(drawn('| a | b | c |\n|:-:|----:|')).toContain('<th align="center">a</th>');
  });
});

describe('the numbers of a list', () => {
  const numbers = (text: string) =>
    [...drawn(text).matchAll(/<(?:ol start|li value)="(\d+)"/g)].map(([, at]) => at);
  it.each([
    ['10. a\n9. b\n8. c', ['10', '9', '8']],
    ['1. a\n3. b\n\n   c\n7) d', ['3', '7']],
    ['1. a\n1. b\n1. c', []],
    ['5. a\n6. b', ['5']],
  ])('are those that were written: %j', (text, expected) => expect(numbers(text)).toEqual(expected));
});

describe('numbers of sources', () => {
  const end = '\n\n[1]: https://a.b\n[2]: https://c.d "T"';
  it.each([
    ['So[1][2].', 'So[1][2].', ['https://a.b', 'https://c.d']],
    ['in 2024[1] and 2025[2][].', 'in 2024[1] and 2025[2].', ['https://a.b', 'https://c.d']],
    ['[the source][1], [2][9]', 'the source, [2][9]', ['https://a.b', 'https://c.d']],
  ])('keep their brackets, and each its page: %j', (text, said, pages) => {
    expect(words(text + end).split('\n')[0]).toBe(said);
    expect(links(text + end)).toEqual(pages);
    const reader = new AnswerReader();
    for (let at = 1; at < (text + end).length; at += 1) reader.read((text + end).slice(0, at), true);
    expect(html(reader.read(text + end, false))).toBe(html(new AnswerReader().read(text + end, false)));
  });
});

describe('YAML at the beginning', () => {
  it.each([
    ['---\ntitle: a\ntags:\n  - b\n  - **c**\n---\n\n# Head', ['title: a\ntags:\n  - b\n  - **c**']],
    ['---\r\nname: a\r\n---\r\nBody', ['name: a']],
    ['---\ntitle: a\n...\nBody', ['title: a']],
    ['---\ntitle: never ends\nmore\n\nwords', []],
    ['---\nNote: a **b**\n---\nc', []],
    ['a\n\n---\ntitle: b\n---\nc', []],
    ['---\n\na\n\n---\nb', []],
  ])('is code: %j', (text, expected) => {
    expect(codes(text)).toEqual(expected);
    comesToTheSame(text);
  });
  it('is code from its first key on', () => {
    expect(html(new AnswerReader().read('---\ntitle: a\nta', true))).toContain('class="language-yaml">title');
  });
});

describe('titles', () => {
  const outline = (text: string) =>
    drawn(text)
      .replace(/\n/g, '')
      .replace(/<\/?(?:p|br)>/g, '|');
  it.each([
    ['- a\n- b\n**T**\n- c', '<ul><li>a</li><li>b</li></ul>|<strong>T</strong>|<ul><li>c</li></ul>'],
    ['- a\n  - b\n**T**', '<ul><li>a<ul><li>b</li></ul></li></ul>|<strong>T</strong>|'],
    ['> a\n**T:**\nb', '<blockquote>|a|</blockquote>|<strong>T:</strong>|b|'],
    // These are lines of the item: more follows, they are set in, or a number would begin anew.
    ['- a\n**b** c', '<ul><li>a|<strong>b</strong> c</li></ul>'],
    ['- a\n  **b**\n- c', '<ul><li>a|<strong>b</strong></li><li>c</li></ul>'],
    ['1. a\n**N**\nb\n2. c', '<ol><li>a|<strong>N</strong>|b</li><li>c</li></ol>'],
    ['1. a\n   - b\n**N**\n2. c', '<ol><li>a<ul><li>b|<strong>N</strong></li></ul></li><li>c</li></ol>'],
  ])('below a list end it: %j', (text, expected) => {
    expect(outline(text)).toBe(expected);
    comesToTheSame(text);
  });
  it.each([
    ['##标题\n内容', '<h2>标题</h2>|内容|'],
    ['a\n###**b**\nc', '|a|<h3><strong>b</strong></h3>|c|'],
    ['- ##제목 $x$', '<ul><li><h2>제목 <span data-formula="inline">x</span></h2></li></ul>'],
    ['#标签 ##a ##标签', '|#标签 ##a ##标签|'],
    ['##channel', '|##channel|'],
  ])('need no space behind their signs: %j', (text, expected) => {
    expect(outline(text)).toBe(expected);
    comesToTheSame(text);
  });
});

describe('addresses with spaces', () => {
  it.each([
    ['[a](https://e.com/My report.pdf), b', ['https://e.com/My%20report.pdf'], 'a, b'],
    ['[a](https://e.com/My docs/page "T")', ['https://e.com/My%20docs/page'], 'a'],
    ['[**a** b](https://e.com/x (1) y.pdf?z=1)', ['https://e.com/x%20(1)%20y.pdf?z=1'], 'a b'],
    ['[a](https://e.com/page see here)', ['https://e.com/page'], '[a](https://e.com/page see here)'],
    ['[a](my file.md)', [], '[a](my file.md)'],
  ])('are whole: %j', (text, pages, said) => {
    expect(links(text)).toEqual(pages);
    expect(words(text)).toBe(said);
    comesToTheSame(text);
  });
  it('are those of pictures, too', () => {
    expect(drawn('![a](https://e.com/b c.png)')).toContain('src="https://e.com/b%20c.png"');
  });
});

describe('lists below words, and signs that look like Markdown', () => {
  it.each([
    ['Options:\n2. x\n3. y', '<p>Options:</p>\n<ol start="2">\n<li>x</li>\n<li>y</li>\n</ol>'],
    [
      '**So**\n10. x\n9. y',
      '<p><strong>So</strong></p>\n<ol start="10">\n<li>x</li>\n<li value="9">y</li>\n</ol>',
    ],
    [
      '[a]: https://b.c\n10. x',
      '<p>[a]: <a href="https://b.c">https://b.c</a></p>\n<ol start="10">\n<li>x</li>\n</ol>',
    ],
    ['My house has\n14. windows', '<p>My house has<br>\n14. windows</p>'],
  ])('a number begins a list where it goes on or is announced: %j', (text, expected) => {
    expect(drawn(text)).toBe(expected);
    const reader = new AnswerReader();
    for (let at = 1; at < text.length; at += 1) reader.read(text.slice(0, at), true);
    expect(html(reader.read(text, false)).replace(/ dir="\w+"/g, '')).toBe(expected);
  });
  it.each([
    ['01. a\n02. b\n\n10. c', '01. a\n02. b\n10. c', ['01.', '02.']],
    ['007. Bond', '007. Bond', ['007.']],
    ['00. a\n01. b', '00. a\n01. b', ['00.', '01.']],
    ['01. a\n01. b', '01. a\n02. b', ['01.', '02.']],
    ['> 01. a', '01. a', ['01.']],
    ['- 01. a', '- 01. a', ['01.']],
    ['1) a\n2) b', '1) a\n2) b', ['1)', '2)']],
    ['0. a\n1. b', '0. a\n1. b', []],
    ['3. a\n2. b\n1. c', '3. a\n2. b\n1. c', []],
    ['- 5 degrees', '- 5 degrees', ['-']],
    ['- 5 °C\n- 7 °C', '- 5 °C\n- 7 °C', ['-', '-']],
    ['+ 5 %\n- 3 %', '+ 5 %\n\n- 3 %', ['+', '-']],
    ['- 5 apples\n- 3 pears', '- 5 apples\n- 3 pears', []],
    ['+ one\n+ two', '- one\n- two', []],
    ['+1 555 123', '+1 555 123', []],
  ])('has the marks that were written: %j', (text, plain, marks) => {
    expect(plainAnswer(text)).toBe(plain);
    expect([...drawn(text).matchAll(/data-mark="([^"]*)"/g)].map(([, mark]) => mark)).toEqual(marks);
    comesToTheSame(text);
  });
  it.each([
    '2024. That was so.',
    '2023. Bad.\n2024. Good.',
    '42.',
    '42.\n\nReally.',
    '- 1000. x',
    '1986.\n\nYes',
  ])('a number with which words begin is no list: %j', (text) => {
    expect(drawn(text)).not.toContain('<ol');
    expect(plainAnswer(text)).toBe(text);
    comesToTheSame(text);
  });
  it('goes on beyond 999', () => {
    expect(drawn('999. a\n1000. b')).toBe('<ol start="999" data-widest="5">\n<li>a</li>\n<li>b</li>\n</ol>');
  });
  it('hold items that are set in by two signs below a number', () => {
    const shape = (text: string) => drawn(text).replace(/<\/?p>|\n/g, '');
    expect(shape('1. A\n  - x\n    - y\n  - z\n2. B\n10. C\n  * w')).toBe(
      '<ol><li>A<ul><li>x<ul><li>y</li></ul></li><li>z</li></ul></li><li>B</li><li value="10">C<ul><li>w</li></ul></li></ol>',
    );
    expect(shape('1. A\n\n  - x\n\n  b\n2. C')).toBe('<ol><li>A<ul><li>x</li></ul>b</li><li>C</li></ol>');
    expect(shape('1. A\n- x\n2. B')).toBe(
      '<ol><li>A</li></ol><ul><li>x</li></ul><ol start="2"><li>B</li></ol>',
    );
  });
  it.each(['- >= 3.11\n- > 25: dear\n- > $5\n- <= 4', '>= 5 is enough', '1. >90%: a'])(
    'comparisons are no quotations: %j',
    (text) => {
      expect(drawn(text)).not.toContain('<blockquote');
      expect(words(text).replace(/\s+/g, ' ')).toBe(text.replace(/^(?:- |1\. )/gm, '').replace(/\n/g, ' '));
    },
  );
  it.each(['>>> a = 1\n>>> print(a)\n1', '>>>\n>>> x', '>_< no >_<'])(
    'nor are prompts and faces: %j',
    (text) => expect(words(text)).toBe(text),
  );
  it('quotations are, also lazily and within each other', () => {
    expect(drawn('> a\n>> b\n>>> c').match(/<blockquote>/g)).toHaveLength(3);
    expect(drawn('> 5 a\n> b\n>\n> > c\n  > d\ne\n\n- > f')).toBe(
      '<blockquote>\n<p>5 a<br>\nb</p>\n<blockquote>\n<p>c<br>\nd<br>\ne</p>\n</blockquote>\n</blockquote>\n<ul>\n<li>\n<blockquote>\n<p>f</p>\n</blockquote>\n</li>\n</ul>',
    );
  });
  it.each([
    ['The end of it.\n---\n## Next', '<p>The end of it.</p>\n<hr>\n<h2>Next</h2>'],
    ['结束了。**好！**\n---\n下', '<p>结束了。<strong>好！</strong></p>\n<hr>\n<p>下</p>'],
    ['a\nb\n---', '<p>a<br>\nb</p>\n<hr>'],
    ['Here is the mail:\n---\nDear B', '<p>Here is the mail:</p>\n<hr>\n<p>Dear B</p>'],
    ['**内容：**\n---\nb', '<p><strong>内容：</strong></p>\n<hr>\n<p>b</p>'],
    ['## H\nTitle\n---\na', '<h2>H</h2>\n<h2>Title</h2>\n<p>a</p>'],
    ['Title\n===', '<h1>Title</h1>'],
    ['Title\n===\nPart\n---\na', '<h1>Title</h1>\n<h2>Part</h2>\n<p>a</p>'],
  ])('dashes below a sentence draw a line: %j', (text, expected) => expect(drawn(text)).toBe(expected));
  it('lines of a paragraph are lines', () => {
    const text = '• one\n• two\n*a\nb* `c`\n　　d  \ne';
    expect(drawn(text)).toBe(
      '<p>• one<br>\n• two<br>\n<em>a<br>\nb</em> <code>c</code><br>\n　　d<br>\ne</p>',
    );
  });
});

describe('stars and underscores', () => {
  it.each([
    '5*3*2 = 30 and 2**3**4',
    'a*b + c*d; f(*args, **kwargs), x*y == z*w and p*q - (r*s)',
    '¯\\_(ツ)_/¯ and ¯\\(ツ)/¯',
    'width*height*depth, f(x)*g(x)*h(x), (a+b)*(c+d)*(e)',
    'x*2*y and a[1]*(b)*2',
    '__init__.py and if __name__ == "__main__": and __proto__',
    'src/**/*.ts and test/**/*.ts, packages/*/src and apps/*/src',
    '/* so */ and **/*.ts, /** so */ and /* so */',
    '**/*.{ts,tsx}, !**/node_modules/**, **/dist/**',
    '(src/*.ts) and (lib/*.ts), 匹配src/**/*.ts的文件和lib/**/*.js',
    '*/5 * * * * and 0 */2 * * *',
    'F = m*a and E = m*c, or a*b, c*d',
    'cost*time and price*count',
    '总价=单价*数量+运费*件数',
    'SELECT a.*, b.* FROM t; def f(a, *, b) and def g(*, c)',
    '^_^ hi ^_^, >_< no >_<, *_* wow *_* and -_- or (^_^;)',
    'my ($x, $y) = @_; and $_ or $1',
  ])('that multiply, or stand in a path or around a name, are words: %s', (text) =>
    expect(words(text)).toBe(text),
  );
  it.each([
    ['**H**yper**T**ext', '<strong>H</strong>yper<strong>T</strong>ext'],
    ['**Top 10**list', '<strong>Top 10</strong>list'],
    ['**/etc/hosts** or **a/b**', '<strong>/etc/hosts</strong> or <strong>a/b</strong>'],
    ['**a**/**b**, *a*/*b*', '<strong>a</strong>/<strong>b</strong>, <em>a</em>/<em>b</em>'],
    ['粗**体**/**x**', '粗<strong>体</strong>/<strong>x</strong>'],
    ['*et al.*, (*i.e.*)', '<em>et al.</em>, (<em>i.e.</em>)'],
    ['这是*重要 内容*的', '这是<em>重要 内容</em>的'],
    ['**_a_**, *_b_*', '<strong><em>a</em></strong>, <em><em>b</em></em>'],
    ['**a****b**', '<strong>a</strong><strong>b</strong>'],
    ['**标题****内容**后', '<strong>标题</strong><strong>内容</strong>后'],
    ['这是****重点****吗', '这是<strong><strong>重点</strong></strong>吗'],
    ['中*文*中 *a* __b__', '中<em>文</em>中 <em>a</em> <strong>b</strong>'],
  ])('that do not are emphasis: %s', (text, expected) => expect(drawn(text)).toBe(`<p>${expected}</p>`));
});

describe('emphasis beside Chinese, Japanese and Korean punctuation', () => {
  it.each([
    ['**注意：**请先备份。', '<strong>注意：</strong>请先备份。'],
    ['**「強調」**です', '<strong>「強調」</strong>です'],
    ['*（注）*です', '<em>（注）</em>です'],
    ['**你好,**world', '<strong>你好,</strong>world'],
    ['**甲·**乙', '<strong>甲·</strong>乙'],
    ['**"quoted"**한국어', '<strong>"quoted"</strong>한국어'],
    ['**설명(참고)**을', '<strong>설명(参고)</strong>을'.replace('参', '참')],
    ['请看**《书》**。', '请看<strong>《书》</strong>。'],
  ])('%s', (text, expected) => expect(drawn(text)).toBe(`<p>${expected}</p>`));
});

describe('addresses', () => {
  it.each([
    [
      '请看https://example.com/docs/guide。然后**继续**',
      'https://example.com/docs/guide',
      '请看https://example.com/docs/guide。然后继续',
    ],
    ['（见https://example.com/a_(b)）', 'https://example.com/a_(b)', undefined],
    ['「https://example.com/a」と', 'https://example.com/a', undefined],
    ['https://example.com/a,然后', 'https://example.com/a', undefined],
    ['访问https://example.com/docs获取更多', 'https://example.com/docs', undefined],
    ['https://example.com에서 받으세요', 'https://example.com', undefined],
    ['https://zh.wikipedia.org/wiki/中国，', 'https://zh.wikipedia.org/wiki/%E4%B8%AD%E5%9B%BD', undefined],
    [
      '见http://例子.测试/路径。',
      'http://%E4%BE%8B%E5%AD%90.%E6%B5%8B%E8%AF%95/%E8%B7%AF%E5%BE%84',
      undefined,
    ],
    ['https://example.中国，好', 'https://example.%E4%B8%AD%E5%9B%BD', undefined],
    ['https://example.com.然后', 'https://example.com', undefined],
    ['请看www.example.com。', 'http://www.example.com', undefined],
    ['(see https://en.wikipedia.org/wiki/A_(b))', 'https://en.wikipedia.org/wiki/A_(b)', undefined],
    ['联系me@example.com，谢谢', 'mailto:me@example.com', undefined],
    ['git@github.com:a/b.git, git@example.com', 'mailto:git@example.com', undefined],
    ['<video src="https://example.com/a">b', 'https://example.com/a', undefined],
    ['“https://example.com/a”', 'https://example.com/a', undefined],
    ['https://example.com/a？b=1！', 'https://example.com/a', undefined],
    ['官网https://example.com/a(需要登录)看', 'https://example.com/a', undefined],
    ['https://example.com/a[说明]', 'https://example.com/a', undefined],
    [
      'https://zh.wikipedia.org/wiki/中国_(消歧义)，',
      'https://zh.wikipedia.org/wiki/%E4%B8%AD%E5%9B%BD_(%E6%B6%88%E6%AD%A7%E4%B9%89)',
      undefined,
    ],
    ['https://example.com/aได้', 'https://example.com/a', undefined],
  ])('end where they end: %s', (text, href, shown) => {
    expect(links(text)).toEqual([href]);
    expect(words(text)).toBe(shown ?? text);
  });
});

it('tells where a link leads that no page can follow', () => {
  expect(drawn('[a](sandbox:/mnt/a.csv) [b](vscode://x) [c](file:///C:/x "t")')).toBe(
    '<p><a title="sandbox:/mnt/a.csv">a</a> <a title="vscode://x">b</a> <a title="t">c</a></p>',
  );
  expect(drawn('[a](JavaScript:a()) [b](data:text/html,x)')).toBe('<p><a>a</a> <a>b</a></p>');
});

describe('brackets', () => {
  it.each([
    'handlers[type](event) and handlers[type](event.target)',
    'arr[i](x), fn[key](), f[0](1), Optional[str](None)',
    '[&](x) { return x; } and [](auto) { }',
    'written as [text](url), 写作[文字](链接)',
  ])('that call, or show how a link is written, are words: %s', (text) => expect(words(text)).toBe(text));
  it.each([
    ['[a](README.md) [b](/c/d) [c](#e) [d](mailto:e@f.g) [](https://h.i)', 5],
    ['[a](HTTPS://E.COM/A) and HTTP://E.COM', 2],
  ])('that lead somewhere are links: %s', (text, count) => expect(links(text)).toHaveLength(count));
});

describe('tags', () => {
  it.each([
    ['if a <b then we go on', 'if a <b then we go on'],
    ['use Map<String, Li', 'use Map<String, Li'],
    ['press <kbd>Ctrl</kb', 'press Ctrl'],
    ['a <span cla', 'a'],
    ['a <https://e.com/x', 'a https://e.com/x'],
    ['if a < b and c > d **x', 'if a < b and c > d x'],
    ['a <span style="color: re', 'a'],
    ['a <br/', 'a'],
    ['a <!-- a note', 'a'],
    ['<details', ''],
    ['<details>\n<summ', ''],
  ])('that are half written hide no words: %s', (text, expected) =>
    expect(
      html(new AnswerReader().read(text, true))
        .replace(/<[^>]*>/g, '')
        .replaceAll('&#x3C;', '<')
        .trim(),
    ).toBe(expected),
  );
  it.each([
    'Replace <your-api-key> … use List<String>',
    'Map<String, List<Integer>> and <T> and Vec<u8>',
    '<stdin> to <stdout>, a<b and c>d',
    'List<b> of <section> and </T>',
    'in <Button onClick={a}> and <Table>',
    '<img src=x onerror="a()"><script>a()</script>',
    'Use x between <div> and </div>, or a <section> and a </section>.',
    'Put <ul> before and </ul> behind; every <li> ends with </li>',
    'use the <iframe> and the <input type="text"> element',
    'docker pull <image:tag>, ssh <user@host>, <host:port>, <std:string>',
    '</p> closes a paragraph',
    'Use <td>cell</td> inside <tr>x</tr>, <thead>h</thead>, <caption>c</caption>',
    '<table><tr><td>a</td><td>b',
    '<tbody>\n<tr>\n<td>a</td>\n</tr>\n</tbody>',
  ])('that are none are text: %s', (text) => expect(words(text)).toBe(text));
  it('that are none keep a block of them line by line', () => {
    expect(words('<form action="/x">\n  <input name="a">\n</form>')).toBe(
      '<form action="/x">\n  <input name="a">\n</form>',
    );
    expect(words('<script>\na()\n\nb()\n</script>')).toBe('<script>\na()\n\nb()\n</script>');
  });
  it('that are harmless are drawn', () => {
    expect(drawn('x<br>y <b>z</b> H<sub>2</sub>O <kbd>Ctrl</kbd>')).toBe(
      '<p>x<br>y <b>z</b> H<sub>2</sub>O <kbd>Ctrl</kbd></p>',
    );
    expect(drawn('<details>\n<summary>a</summary>\n\n**b** $x$\n\n</details>\n\nc')).toMatch(
      /^<details>\s*<summary>a<\/summary>\s*<p><strong>b<\/strong> <span data-formula="inline">x<\/span><\/p>\s*<\/details>\s*<p>c<\/p>$/,
    );
    expect(drawn('<div align="center">\n<b>a</b>\n</div>')).toContain('<b>a</b>');
  });
  it('that fold away what follows hold Markdown without an empty line', () => {
    expect(
      drawn(
        '<details type="reasoning" done="true">\n<summary>Thought</summary>\n> **a**\n- b\n</details>\nc',
      ),
    ).toBe(
      '<details>\n<summary>Thought</summary>\n<blockquote>\n<p><strong>a</strong></p>\n</blockquote>\n<ul>\n<li>b</li>\n</ul>\n</details>\n<p>c</p>',
    );
    expect(drawn('<details><summary>**A** `b`</summary>**c**</details>').replace(/\n/g, '')).toBe(
      '<details><summary><p><strong>A</strong> <code>b</code></p></summary><p><strong>c</strong></p></details>',
    );
    expect(drawn('<br>\n**a**\n- b')).toBe('<br>\n<p><strong>a</strong></p>\n<ul>\n<li>b</li>\n</ul>');
    const code = '<details>\n<summary>a</summary>\n```js\n\n<b>\n```\n</details>\nc';
    expect(codes(code)).toEqual(['\n<b>']);
    const reader = new AnswerReader();
    for (let at = 1; at < code.length; at += 1) reader.read(code.slice(0, at), true);
    expect(html(reader.read(code, false))).toBe(html(new AnswerReader().read(code, false)));
    expect(words('<details>\n    <summary>x</summary>\n    y\n</details>')).toMatch(/^x\s+y$/);
  });
  it('keep what follows apart where they never end', () => {
    expect(words('<details>\n\na\n\nb')).toBe('<details>\n\na\n\nb'.replace(/\n\n/g, '\n'));
    expect(drawn('<script> tags are bad.\n\n## b')).toContain('<h2>b</h2>');
  });
  it('take no script along', () => {
    expect(drawn('<a href="javascript:a()">b</a> [c](javascript:a())')).not.toContain('javascript');
    expect(drawn('<b style="position:fixed">a</b>')).not.toContain('fixed');
  });
});

describe('callouts', () => {
  const label = (kind: string, title = '') =>
    `<blockquote data-callout="${kind}"><p data-callout="${kind}">${title}</p>`;
  it.each([
    ['> [!NOTE]\n> a\n> b', `${label('note')}<p>a<br>b</p></blockquote>`],
    [
      '> [!WARNING] Mind **it**\n> - a',
      `${label('warning', 'Mind <strong>it</strong>')}<ul><li>a</li></ul></blockquote>`,
    ],
    ['> [!faq]- Why?', `${label('faq', 'Why?')}</blockquote>`],
    ['- a\n  > [!TIP]  \n  > b', `<ul><li>a${label('tip')}<p>b</p></blockquote></li></ul>`],
    [
      ':::writing{variant="email" subject="Re: Hello" id="7"}\nDear **B**,\n\n- a\n:::\nc',
      `${label('writing', 'email · Re: Hello')}<p>Dear <strong>B</strong>,</p><ul><li>a</li></ul></blockquote><p>c</p>`,
    ],
    ['::: warning Be careful\na\n:::', `${label('warning', 'Be careful')}<p>a</p></blockquote>`],
    ['::::a\n:::b\nx\n:::\n::::', `${label('a')}${label('b')}<p>x</p></blockquote></blockquote>`],
    [':::note\n\na\n\nb', '<p>:::note</p><p>a</p><p>b</p>'],
    ['a\n:::\nb', '<p>a</p><p>:::</p><p>b</p>'],
  ])('have a label, and lose no word: %j', (text, expected) => {
    expect(drawn(text).replace(/\n/g, '')).toBe(expected);
    const reader = new AnswerReader();
    for (let at = 1; at < text.length; at += 1) reader.read(text.slice(0, at), true);
    expect(html(reader.read(text, false))).toBe(html(new AnswerReader().read(text, false)));
  });
  it('are named in plain text', () => {
    expect(plainAnswer('> [!NOTE]\n> a')).toBe('Note\n\na');
    expect(plainAnswer(':::tip{title="T"}\na\n:::')).toBe('Tip: T\n\na');
  });
  it('hold what is still being written', () => {
    expect(html(new AnswerReader().read(':::note\na\n\nb', true)).replace(/\n| dir="\w+"/g, '')).toBe(
      `${label('note')}<p>a</p><p>b</p></blockquote>`,
    );
    expect(html(new AnswerReader().read('> [!NO', true))).not.toContain('[!');
  });
});

describe('directions', () => {
  it('are those of the words, not of code in them', () => {
    const all = html(new AnswerReader().read('مرحبا\n\nHello\n\n- `npm` مرحبا\n- b\n\n> שלום', false));
    expect(all).toContain('<p dir="auto">مرحبا</p>');
    expect(all).toContain('<ul dir="rtl">');
    expect(all).toContain('<li dir="auto">');
    expect(all).toContain('<blockquote dir="rtl">');
    const behindCode = html(new AnswerReader().read('`npm i` ثم شغّل\n\n- `a`: ב\n\n`b` then א', false));
    expect(behindCode).toContain('<p dir="rtl"><code>npm i</code>');
    expect(behindCode).toContain('<li dir="rtl"><code>a</code>');
    expect(behindCode).toContain('<p dir="auto"><code>b</code>');
  });
});

describe('definitions', () => {
  const both = '[a] and [b][1]\n\n[a]: https://e.com/a\n[1]: https://e.com/b\n';
  it('that are referred to are not shown', () => {
    expect(words(both)).toBe('a and b');
    expect(links(both)).toEqual(['https://e.com/a', 'https://e.com/b']);
  });

  it.each([
    ['Sources:\n\n[1]: https://e.com/a "A"', 'Sources:\n[1]: https://e.com/a "A"'],
    ['[a]\n\n[a]: https://e.com/a\n[a]: https://e.com/b', 'a\n[a]: https://e.com/b'],
    ['- x\n\n  [n]: https://e.com/n', 'x\n[n]: https://e.com/n'],
  ])('that nothing refers to, or that come twice, are: %j', (text, expected) => {
    expect(words(text).replace(/\s*\n\s*/g, '\n')).toBe(expected);
    expect(plainAnswer(text)).toContain(expected.split('\n').at(-1));
  });

  it('a link without words shows where it leads', () => {
    expect(words('see [](https://e.com/a)')).toBe('see https://e.com/a');
  });
});

describe('footnotes', () => {
  it('that are written twice say both', () => {
    const { footnotes } = new AnswerReader().read('a[^1]\n\n[^1]: One\n\n[^1]: Two\n', false);
    expect(footnotes.map(({ node }) => node.children.length)).toEqual([2]);
  });

  it('are numbered in the order in which they are called, wherever they are defined', () => {
    const { footnotes } = new AnswerReader().read(
      '[^b]: B\n\nx[^a] y[^b] z[^a]\n\n[^a]: A\n\n[^c]: C',
      false,
    );
    expect(footnotes.map(({ identifier, number, calls }) => [identifier, number, calls.length])).toEqual([
      ['a', 1, 2],
      ['b', 2, 1],
      ['c', 3, 0],
    ]);
  });
});

describe('reading while an answer is written', () => {
  const WHOLE = [
    MARKDOWN,
    'A [link][1] and[^a] **注意：**请 <b>x</b>.\n\n- a\n\n  - b\n\n#tag\n\n[1]: https://a.example\n\n[^a]: note\n',
    '<details>\n<summary>a</summary>\n\n- b\n\n```sh\nx\n```\n\n</details>\n\nafter <section> the $$ end',
    '$$\na\n\n+ b\n$$\n\n\\[ c \\]\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\ntext\n===\n\n1. a\n2. b\n\n   c\n',
  ];
  it.each(WHOLE)('comes to the same as reading it at once: %j', (text) => {
    const reader = new AnswerReader();
    for (let at = 1; at <= text.length; at += 3) reader.read(text.slice(0, at), true);
    expect(html(reader.read(text, false))).toBe(html(new AnswerReader().read(text, false)));
  });
  it('comes to the same for whatever is written, in whatever pieces', () => {
    fc.assert(
      fc.property(roughMarkdown, fc.integer({ min: 1, max: 40 }), (text, step) => {
        const reader = new AnswerReader();
        for (let at = step; at < text.length; at += step) reader.read(text.slice(0, at), true);
        expect(html(reader.read(text, false))).toBe(html(new AnswerReader().read(text, false)));
      }),
    );
  });
  it('keeps the blocks that are settled', () => {
    const reader = new AnswerReader();
    const first = reader.read('a\n\nb\n\nc', true).blocks;
    const then = reader.read('a\n\nb\n\nc d', true).blocks;
    expect(then[0]).toBe(first[0]);
    expect(then[1]).toBe(first[1]);
  });
  it.each([
    ['so **bold wor', '<strong>bold wor</strong>'],
    ['so `code', '<code>code</code>'],
    ['so [link](https://a.exam', '<p>so link</p>'],
    ['- a\n- **b', '<strong>b</strong>'],
    ['so \\(x^2 +', 'data-open'],
    ['$$\nx^2\n+ y', 'data-formula="block" data-open'],
    ['<details>\n<summary>a</summary>\n\nb', '</p></details>'],
  ])('closes what is half written: %s', (text, expected) =>
    expect(
      html(new AnswerReader().read(text, true))
        .replace(/ dir="\w+"/g, '')
        .replace(/\n/g, ''),
    ).toContain(expected),
  );
  it.each([
    ['so **', 'so'],
    ['这是**', '这是'],
    ['so ``', 'so'],
    ['a * b *', 'a * b'],
    ['see ![a cat](https://x.org/c', 'see'],
    ['see ![a cat]', 'see'],
    ['see [the docs](https://x.org/a b', 'see the docs'],
    ['[![b](https://x.org/b.svg', ''],
    ['see [the docs]', 'see the docs'],
    ['see [**the** docs](https://x.org/a', 'see the docs'],
    ['请看[文档]', '请看文档'],
    ['a claim[^no', 'a claim'],
    ['a claim\n\n[^1]', 'a claim'],
    ['a claim\n\n[1]:', 'a claim'],
    ['as said [1, 2', 'as said [1, 2'],
    ['the value of rows[i', 'the value of rows[i'],
    ['then \\', 'then'],
    ['- [ ]', ''],
    ['words\n\n| a', 'words a'],
    ['| `a|b` | **c', 'a|b c'],
    ['use <b> for bold', 'use &#x3C;b> for bold'],
  ])('shows no signs of what has only begun: %j', (text, expected) => {
    const reader = new AnswerReader();
    for (let at = 1; at < text.length; at += 1) reader.read(text.slice(0, at), true);
    const shown = html(reader.read(text, true)).replace(/<[^>]*>/g, ' ');
    expect(shown.replace(/\s+/g, ' ').trim()).toBe(expected);
  });
  it('draws the first rows of a table as a table', () => {
    const text = 'words\n\n| a | `b|c` | **d** |\n|---|:--|---|\n| 1 | 2 |';
    const reader = new AnswerReader();
    for (let at = text.indexOf('a |') + 1; at <= text.length; at += 1)
      expect(html(reader.read(text.slice(0, at), true)), text.slice(0, at)).toContain('<table');
  });
  it('draws a table from its head on, however many cells the row below has', () => {
    const text = '| Syntax |\n| --- | --- |\n| a | b |';
    const reader = new AnswerReader();
    for (let at = 3; at <= text.length; at += 1)
      expect(html(reader.read(text.slice(0, at), true)), text.slice(0, at)).toContain('<table');
  });
  it('is gone on with where the answer is drawn in another place', () => {
    const text = 'First.\n\n- a\n- b\n\n```html\n<p>\n```\n\nLast.';
    const handover = new ReaderHandover();
    const growing = new AnswerReader();
    handover.offer(growing);
    const before = growing.read(text, true);
    const after = handover.readerFor(text).read(text, false);
    expect(before.blocks.length).toBe(4);
    expect(after.blocks.map((block, at) => block === before.blocks[at])).toEqual([true, true, true, false]);
    expect(html(after)).toBe(html(new AnswerReader().read(text, false)));
    const other = handover.readerFor('Others').read('Others', false);
    expect(html(other)).toBe(html(new AnswerReader().read('Others', false)));
  });

  it('does not take code that is being written for anything else', () => {
    const text = '```sh\nexport PATH=$HOME/bin:$PATH **a';
    expect(html(new AnswerReader().read(text, true))).toContain('export PATH=$HOME/bin:$PATH **a</code>');
  });
});

describe('a fence right behind words', () => {
  const shown = (text: string) =>
    drawn(text)
      .replace(/\n/g, '¶')
      .replace(/<pre[^>]*><code[^>]*class="language-(\w+)"[^>]*>/g, '<code $1>')
      .replace(/<\/code><\/pre>/g, '</code>');
  it.each([
    [
      '代码如下：```python\nimport os\n\nprint(1)\n```\n然后运行。',
      '<p>代码如下：</p>¶<code python>import os¶¶print(1)</code>¶<p>然后运行。</p>',
    ],
    ['第一行\n代码:```js\n- a\n```', '<p>第一行</p>¶<p>代码:</p>¶<code js>- a</code>'],
    ['以下の**例**を見て ```sh\nls\n```', '<p>以下の<strong>例</strong>を見て</p>¶<code sh>ls</code>'],
    ['- 例子：```js\n  let a;\n  ```\n- 二', '<li>例子：¶<code js>let a;</code>¶</li>'],
    ['Code:```python\nx\n```\nafter', '<p>Code:</p>¶<code python>x</code>¶<p>after</p>'],
    ['Run it ```sh\nls\n```', '<p>Run it</p>¶<code sh>ls</code>'],
    ['用 `a` 代码：```python\nx\n```', '<p>用 <code>a</code> 代码：</p>¶<code python>x</code>'],
    ['1. Step:```bash\nnpm i\n```\n2. Next', '<li>Step:¶<code bash>npm i</code>¶</li>¶<li>Next</li>'],
    ['> 다음：```sh\n> ls\n> ```', '<blockquote>¶<p>다음：</p>¶<code sh>ls</code>¶</blockquote>'],
  ])('begins code: %j', (text, expected) => expect(shown(text)).toContain(expected));

  it.each([
    // No language, more behind it, no end of its own, or within code, a table, a link.
    '代码：```\nx\n```',
    '代码：```python 和 js\nx\n```',
    '代码：```python```是这样\nx',
    '代码：```python\nx',
    '```md\n代码：```python\nx\n```',
    '    代码：```python\n    x\n    ```',
    '| 一 | 二 |\n| - | - |\n| 三 | 代码：```python |\n\n```\nx\n```',
    '代码：```python\nx\n\n```js\ny\n```',
  ])('is read as CommonMark has it: %j', (text) => {
    // The parser as the specification has it, with tables.
    const { children } = fromMarkdown(text, {
      extensions: [gfmTable()],
      mdastExtensions: [gfmTableFromMarkdown()],
    });
    const plain = children.map((node) => toHtml(elementsOf([node], [], false))).join('\n');
    expect(drawn(text)).toBe(plain.replace(/ dir="\w+"/g, ''));
  });

  it('begins code in a person’s words, too', () => {
    expect(fencedPieces('代码：```js\nlet a;\n```\n好')).toEqual([
      { text: '代码：', fenced: false },
      { text: '```js\nlet a;\n```', fenced: true },
      { text: '好', fenced: false },
    ]);
  });

  it.each(['一\n代码：```js\na\n\nb\n```\n\n二', '一\n\n二\n代码：```js\na\n\nb\n\nc'])(
    'comes to the same while it is written: %j',
    (text) => {
      const reader = new AnswerReader();
      for (let at = 1; at < text.length; at += 1) reader.read(text.slice(0, at), true);
      expect(html(reader.read(text, false))).toBe(html(new AnswerReader().read(text, false)));
    },
  );

  it('is code as soon as its line is whole', () => {
    const reader = new AnswerReader();
    reader.read('代码：```js', true);
    const answer = html(reader.read('代码：```js\nlet a', true));
    expect(answer).toContain('class="language-js"');
    expect(answer).not.toContain('```');
  });
});

describe('words right behind a closing fence', () => {
  const shown = (text: string) =>
    drawn(text)
      .replace(/<pre[^>]*><code[^>]*>/g, '<code>')
      .replace(/<\/code><\/pre>/g, '</code>')
      .replace(/>\n+</g, '><')
      .replace(/\n/g, '¶');
  it.each([
    ['```python\nx\n```后面。\n\n然后', '<code>x</code><p>后面。</p><p>然后</p>'],
    ['Text\n```js\na\n```.\nMore `code`', '<code>a</code><p>.</p><p>More <code>code</code></p>'],
    ['(see\n```js\na\n```)\n\nnext', '<code>a</code><p>)</p><p>next</p>'],
    ['代码：```python\nx\n```再说', '<p>代码：</p><code>x</code><p>再说</p>'],
    ['```py\na\n```后面\n\n```\nb\n```\nend', '<code>a</code><p>后面</p><code>b</code><p>end</p>'],
    [
      '```py\na\n```后面\n\n1. 停：```sh\nls\n```\n2. 好',
      '<code>a</code><p>后面</p><ol><li>停：¶<code>ls</code></li><li>好</li></ol>',
    ],
    ['- a\n```js\nx\n```。\n- b', '<code>x</code>'],
    ['> ```js\n> x\n> ```，然后\n\nend', '<code>x</code><p>，然后</p></blockquote><p>end</p>'],
    ['- a\n  ```js\n  x\n  ```。\n- b', '<code>x</code>¶。</li><li>b</li>'],
  ])('are words: %j', (text, expected) => expect(shown(text)).toContain(expected));

  it.each([
    // A line of its own closes these; what stands behind a fence may be a language.
    ['```py\nprint(1)\n```), x\nb\n```\nend', 'print(1)¶```), x¶b</code><p>end</p>'],
    ['```md\n```js\nx\n```。\n```\nend', '```js¶x¶```。</code><p>end</p>'],
    ['~~~\n```。\n~~~\nx', '```。</code><p>x</p>'],
    ['```py\nx\n``` and words', 'x¶``` and words</code>'],
  ])('are code: %j', (text, expected) => expect(shown(text)).toContain(expected));

  it.each(['```py\na\n```后面\n\n```\nb\n```\nend', 'x\n\n```py\na\n```), x\nb\n```\nend'])(
    'come to the same while they are written: %j',
    (text) => {
      const reader = new AnswerReader();
      for (let at = 1; at < text.length; at += 1) reader.read(text.slice(0, at), true);
      expect(html(reader.read(text, false))).toBe(html(new AnswerReader().read(text, false)));
    },
  );
});

describe('a fence right behind code', () => {
  it.each([
    ['```\ncode```\nafter', ['code'], 'after'],
    ['```sh\nnpm i```\n\nThen:\n\n```js\nx\n```\nend', ['npm i', 'x'], 'Then:'],
    ['- a\n  ```js\n  x```\n- b', ['x'], 'b'],
    ['> ```\n> x``` \n\nb', ['x'], 'b'],
  ])('closes it where no line of its own does: %j', (text, code, after) => {
    expect(codes(text)).toEqual(code);
    expect(words(text)).toContain(after);
    comesToTheSame(text);
  });
  it.each([
    ['```\necho ```\n```\nx', ['echo ```']],
    ['````\na```\nb\n````\nc', ['a```\nb']],
    ['```\na `x```\nb\n```', ['a `x```\nb']],
  ])('is code where one does: %j', (text, code) => expect(codes(text)).toEqual(code));
});

describe('fenced code in a person’s words', () => {
  it('is told from the words around it', () => {
    expect(fencedPieces('look:\n\n```sql\nselect 1\n```\nwhy?')).toEqual([
      { text: 'look:', fenced: false },
      { text: '```sql\nselect 1\n```', fenced: true },
      { text: 'why?', fenced: false },
    ]);
    expect(fencedPieces('no code, ``` here')).toEqual([{ text: 'no code, ``` here', fenced: false }]);
    expect(fencedPieces('a <T> * b\n    c')).toEqual([{ text: 'a <T> * b\n    c', fenced: false }]);
  });

  it('keeps every letter', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b\n', '```\n', '\n```', '~~~', ' ', '> ', '- ')), (bits) => {
        const text = bits.join('');
        const letters = (from: string) => from.replace(/\n/g, '');
        expect(
          letters(
            fencedPieces(text)
              .map((piece) => piece.text)
              .join(''),
          ),
        ).toBe(letters(text));
      }),
    );
  });
});
