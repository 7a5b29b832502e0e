// Decides if the text between two formula marks is a formula, or money, a shell variable, or plain words. Pure.

/**
 * A formula neither ends nor begins with one of these, unless it is raised (`p^*`), a prime (`f'`) or escaped (`x\;`).
 */
const UNFINISHED = /(?:(?<!\\)[/:([,;&"；，。、（]|(?<![\^_\\])\*|(?<![\w)}\]'])')$/;
const HEADLESS = /^[),;:"'!?/\]}*，。；：、）]/;
/** An open interval as it is written in French: `]0,1[`. */
const INTERVAL = /^\][^[\]]+[[\]]$|^\[[^[\]]+\[$/;
/** An index or a power behind a word: `H$_2$O`. */
const RAISED = /^(?:[\^_](?:\{[^{}]*\}|\\[A-Za-z]+|[\w+*-]'*))+$/;
/** Signs of a formula even between spaces: a command, a power or an index. */
const SURELY = /\\[A-Za-z]{2,}|[\^_][{\d]|\w\^\w/;
const MATHS = /[\\^_={}<>]/;
/** Two words, or one after a sign that belongs to words. */
const TWO_WORDS = /(?<![\\\p{L}])\p{L}{2,}[\s\p{P}]+(?:\p{L}+[\s\p{P}]+)*\p{L}{2,}/u;
const WORD = /(?<![\\\p{L}])\p{L}{2,}/gu;
/** Between a name and a figure: `p$<$0.05`. */
const COMPARISON = /^(?:[<>]=?|[=≤≥±≈≠])$/;
/** Escaped brackets around these belong to words: a source, a ticked box, a class of characters. */
const BRACKETED = /^(?:\d+(?:\s*[,–-]\s*\d+)*|[A-Za-z]{2,}|[xX]|\^?(?:[A-Za-z\d]-[A-Za-z\d])+)$/;
const VARIABLE = /^\{?[A-Za-z_]\w+/;

/** A figure alone or with a unit of at most three letters, or a figure and then a word. Linear in the length. */
function isMoney(content: string): boolean {
  const figure = /^\d[\d.,]*\s*/.exec(content)?.[0].length ?? 0;
  if (figure === 0) return false;
  const unit = /^\p{L}*/u.exec(content.slice(figure))?.[0].length ?? 0;
  if (unit <= 3 && figure + unit === content.length) return true;
  if (figure === 1 && unit > 3) return false;
  WORD.lastIndex = figure > 1 ? 2 : figure + unit + 1;
  return WORD.test(content);
}

const isPlainWords = (content: string): boolean => !MATHS.test(content) && TWO_WORDS.test(content);

/** One letter, a sign and what it is: `$ x = 1 $`. */
const SPACED_EQUATION =
  /^ [A-Za-z](?:\([A-Za-z]\))? ?[=<>≤≥] ?[\w.+*/()-]{1,20}(?: ?[+*/-] ?[\w.()]{1,20}){0,5} $/;

/** True if a formula stands between spaces: `$ \frac{a}{b} $`, `$ x $`. A shell's prompt or a price does too. */
const isSpaced = (content: string, before: string, after: string): boolean =>
  /^ \S(?:[\s\S]*\S)? $/.test(content) &&
  !/\w/.test(before + after) &&
  (/^ [A-Za-z] $/.test(content) ||
    (SPACED_EQUATION.test(content) && !TWO_WORDS.test(content)) ||
    (SURELY.test(content) && !TWO_WORDS.test(content)));

/**
 * True if `$content$` is a formula by Pandoc's rule (no space inside the marks, no digit after them), and neither a
 * price, a variable nor words. `before` and `after`: the characters around the marks; empty at an edge.
 */
export function isDollarFormula(content: string, before: string, after: string): boolean {
  if (content === '') return false;
  if (/^\s|\s$/.test(content)) return isSpaced(content, before, after);
  if (COMPARISON.test(content) && /[\w)]/.test(before) && /[\w(.-]/.test(after)) return true;
  // `^$|^a$` is a pattern, and `#$%&*()_!@#$` are signs on their own.
  if (before === '^' || (content.length > 3 && !/[\p{L}\p{N}\\]/u.test(content))) return false;
  // `$5/$6`, but `3$\times$4`.
  if (/\d/.test(after) && !/^\\[A-Za-z]/.test(content)) return false;
  // `US$3`, but `3$\times$4`.
  if (/[A-Za-z]/.test(before)) return RAISED.test(content);
  if (/\d/.test(before) && !/^[\\^_]/.test(content)) return false;
  if (content.includes('](')) return false;
  if (content.length > 1 && !INTERVAL.test(content) && (UNFINISHED.test(content) || HEADLESS.test(content)))
    return false;
  if (content.length === 1 && /[)(/,;"']/.test(content)) return false;
  // `$n$th` is a formula, `$HOME$PATH` and `$a->b($c)` are not.
  if (/[A-Za-z_{(]/.test(after)) {
    if (!/[\w})\]']$/.test(content)) return false;
    if (VARIABLE.test(content) && !/[\\^={}]/.test(content)) return false;
  }
  if (/^\d/.test(content) && !/[\\^_=]/.test(content) && isMoney(content) && /\p{L}{2,}/u.test(content))
    return false;
  return !isPlainWords(content);
}

/** True if `$$content$$` is a formula, and not a shell's process id or an escaped dollar of a makefile. */
export function isDoubleDollarFormula(content: string, after: string): boolean {
  const trimmed = content.trim();
  if (trimmed === '' || isPlainWords(trimmed)) return false;
  // Prices behind two signs: `$$5 and $$6`.
  if (/^\d/.test(content) && /\d/.test(after) && !/[\\^_=]/.test(content)) return false;
  if (/[A-Za-z_{(]/.test(after) && (!/[\w})\]']$/.test(trimmed) || VARIABLE.test(content))) return false;
  return !(trimmed.length > 1 && /[/:(]$/.test(trimmed));
}

/**
 * True if `\(content\)` or `\[content\]` is a formula, and not an escaped bracket: `\[sic\]`, `\[1, 2\]`, `\[ \]`, or
 * directly behind the word `before`: `file\(s\)`, `list\[i\]`.
 */
export function isBracketFormula(content: string, display: boolean, before: string): boolean {
  const trimmed = content.trim();
  if (trimmed === '' || isPlainWords(trimmed)) return false;
  if (MATHS.test(trimmed)) return true;
  if (/[A-Za-z\d_)\]]/.test(before)) return false;
  if (!display) return !/^[a-z]{5,}$/.test(trimmed);
  return trimmed.length < content.length || !BRACKETED.test(trimmed);
}
