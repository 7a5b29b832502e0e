// Adds formulas to the Markdown parser: `$…$`, `$$…$$`, `\(…\)`, `\[…\]`. Code, addresses,
// table cells and escapes win over them.
import type { Literal } from 'mdast';
import type { CompileContext, Extension as FromMarkdown, Token } from 'mdast-util-from-markdown';
import type { Code, Construct, Effects, Extension, State, TokenizeContext } from 'micromark-util-types';
import { isBracketFormula, isDollarFormula, isDoubleDollarFormula } from './formula-rule.ts';

/**
 * `display`: set on a separate line always, never, or if nothing stands beside it.
 * `open`: the closing mark is still to come.
 */
export interface Formula extends Literal {
  type: 'formula';
  display: 'always' | 'alone' | 'never';
  open: boolean;
}

declare module 'mdast' {
  interface RootContentMap {
    formula: Formula;
  }
  interface PhrasingContentMap {
    formula: Formula;
  }
}
declare module 'micromark-util-types' {
  interface TokenTypeMap {
    formula: 'formula';
    formulaMark: 'formulaMark';
    formulaData: 'formulaData';
  }
  interface Token {
    _display?: Formula['display'];
    _open?: boolean;
  }
}

const DOLLAR = 36;
const BACKSLASH = 92;
const BACKTICK = 96;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const OPENING: Readonly<Record<number, { readonly close: number; readonly display: boolean }>> = {
  40: { close: 41, display: false },
  91: { close: 93, display: true },
};
/** Longest formula on separate lines, characters. */
const LONGEST = 20_000;

const isLineEnd = (code: Code): boolean => code !== null && code < -2;
const signOf = (code: Code): string =>
  code === null ? '' : code < 0 || code === 32 ? ' ' : String.fromCharCode(code);

interface Streaming {
  /** The text is still being written: a construct that is open at its end will be closed. */
  readonly partial: boolean;
  /** Length of the text that the parser reads, in characters. */
  readonly length: number;
}

/** The micromark extension for one text: a block of several lines begins only where its end is in sight. */
export function formulaSyntax(source: string, { partial }: { readonly partial: boolean }): Extension {
  const streaming: Streaming = { partial, length: source.length };
  const dollars: Construct = { name: 'formula', tokenize: dollarsIn(source, streaming) };
  const brackets: Construct = { name: 'formula', tokenize: bracketsIn(streaming) };
  const block: Construct = { name: 'formulaBlock', concrete: true, tokenize: blockIn(source, partial) };
  const environment: Construct = {
    name: 'formulaEnvironment',
    concrete: true,
    tokenize: environmentIn(source, partial),
  };
  const ticked: Construct = { name: 'formulaTicked', tokenize: tickedIn(source) };
  return {
    text: { [DOLLAR]: [ticked, dollars], [BACKSLASH]: brackets },
    flow: { [DOLLAR]: block, [BACKSLASH]: [block, environment] },
  };
}

/** Tokenises one line of a formula: data and line endings in turn. */
function dataIn(effects: Effects) {
  let inside = false;
  return {
    consume(code: Code) {
      if (!inside) effects.enter('formulaData');
      inside = true;
      effects.consume(code);
    },
    exit() {
      if (inside) effects.exit('formulaData');
      inside = false;
    },
  };
}

/** Commands whose braces hold words, in which a formula may stand: `\text{a $b$}`. */
const TEXT_COMMAND = /\\(?:text[a-z]{0,6}|mbox|hbox|fbox|intertext)$/;

/**
 * Most characters of words in a formula: each dollar sign of a text may begin a formula, and must
 * not cause a search to the text's end.
 */
const MOST_WORDS = 400;

/** Makes a test for each character of a formula, escaped ones left out: true for a dollar within its words. */
function wordsIn() {
  let depth = 0;
  let size = 0;
  return {
    read(code: Code, before: string) {
      if (depth > 0) size += 1;
      if (depth > 0) depth += code === OPEN_BRACE ? 1 : code === CLOSE_BRACE ? -1 : 0;
      else if (code === OPEN_BRACE && TEXT_COMMAND.test(before.slice(-12))) depth = 1;
    },
    isInside: () => depth > 0 && size < MOST_WORDS,
  };
}

/** Matches the rest of a formula that follows another one directly: `$m$$s^{-1}$`. */
const NEXT_FORMULA = /^\$((?:[^$\\\r\n`]|\\[^\r\n]){1,200})\$(?![$\w])/;
const SHORT_OR_MATHS = /^[A-Za-z]$|[\\^_={}+]/;

/** True if the two dollars, of which the second stands at `at`, end one formula and begin the next. */
function partsFormulas(source: string, at: number, content: string, before: string): boolean {
  const next = NEXT_FORMULA.exec(source.slice(at, at + 210))?.[1];
  return (
    next !== undefined &&
    [content, next].every((one) => SHORT_OR_MATHS.test(one)) &&
    isDollarFormula(content, before, '') &&
    isDollarFormula(next, '', '')
  );
}

const dollarsIn = (source: string, { partial, length }: Streaming) =>
  function tokenize(this: TokenizeContext, effects: Effects, ok: State, nok: State): State {
    const before = this.previous;
    const last = this.events.at(-1)?.[1] as Token | undefined;
    const now = () => this.now();
    const data = dataIn(effects);
    const words = wordsIn();
    let token: Token;
    let size = 0;
    let run = 0;
    let content = '';
    return start;

    function start(code: Code): State | undefined {
      const isBehind = last?.type === 'formula' && last.end.offset === now().offset;
      if (before === DOLLAR && !isBehind) return nok(code);
      token = effects.enter('formula');
      effects.enter('formulaMark');
      return opening(code);
    }
    function opening(code: Code): State | undefined {
      if (code === DOLLAR) {
        size += 1;
        if (size > 2) return nok(code);
        effects.consume(code);
        return opening;
      }
      effects.exit('formulaMark');
      token._display = size === 2 ? 'alone' : 'never';
      return inside(code);
    }
    function inside(code: Code): State | undefined {
      if (code === null) {
        if (!partial || size === 1 || now().offset < length || !isDoubleDollarFormula(`${content}\\`, ''))
          return nok(code);
        data.exit();
        token._open = true;
        effects.exit('formula');
        return ok(code);
      }
      // Code binds more tightly.
      if (code === BACKTICK) return nok(code);
      if (isLineEnd(code)) {
        if (size === 1) return nok(code);
        data.exit();
        effects.enter('lineEnding');
        effects.consume(code);
        effects.exit('lineEnding');
        content += ' ';
        return inside;
      }
      if (code === DOLLAR && !words.isInside()) {
        data.exit();
        run = 0;
        effects.enter('formulaMark');
        return closing(code);
      }
      words.read(code, content);
      data.consume(code);
      content += signOf(code);
      return code === BACKSLASH ? escaped : inside;
    }
    function escaped(code: Code): State | undefined {
      if (code === null || isLineEnd(code)) return inside(code);
      data.consume(code);
      content += signOf(code);
      return inside;
    }
    function closing(code: Code): State | undefined {
      const isParted =
        code === DOLLAR &&
        run === 1 &&
        size === 1 &&
        partsFormulas(source, now().offset, content, signOf(before));
      if (code === DOLLAR && run < 3 && !isParted) {
        run += 1;
        effects.consume(code);
        return closing;
      }
      const mark = effects.exit('formulaMark');
      if (run < size) {
        // A dollar within words of a display formula.
        mark.type = 'formulaData';
        content += '$';
        return inside(code);
      }
      if (run > size) return nok(code);
      // A figure may follow, and then it is a price: `$5–$10`.
      const mayBePrice = partial && now().offset >= length && /^\d/.test(content);
      const is =
        size === 1
          ? isParted || (!mayBePrice && isDollarFormula(content, signOf(before), signOf(code)))
          : isDoubleDollarFormula(content, signOf(code));
      if (!is) return nok(code);
      effects.exit('formula');
      return ok(code);
    }
  };

const TICKED = /^\$`[^`$\r\n]+`\$(?![\w$])/;

/** A formula between dollar signs and backticks, as GitHub and GitLab write it: $`x^2`$. */
const tickedIn = (source: string) =>
  function tokenize(this: TokenizeContext, effects: Effects, ok: State, nok: State): State {
    const now = () => this.now();
    const before = this.previous;
    let end = 0;
    return start;

    function start(code: Code): State | undefined {
      const at = now().offset;
      const length = TICKED.exec(source.slice(at, at + 1_000))?.[0].length ?? 0;
      if (length === 0 || /[\w$]/.test(signOf(before))) return nok(code);
      end = at + length;
      effects.enter('formula')._display = 'never';
      effects.enter('formulaMark');
      return opening(code);
    }
    function opening(code: Code): State | undefined {
      effects.consume(code);
      return code === BACKTICK ? first : opening;
    }
    function first(code: Code): State | undefined {
      effects.exit('formulaMark');
      effects.enter('formulaData');
      return inside(code);
    }
    function inside(code: Code): State | undefined {
      if (code === null) return nok(code);
      if (now().offset >= end - 2) {
        effects.exit('formulaData');
        effects.enter('formulaMark');
        return closing(code);
      }
      effects.consume(code);
      return inside;
    }
    function closing(code: Code): State | undefined {
      if (code !== null && now().offset < end) {
        effects.consume(code);
        return closing;
      }
      effects.exit('formulaMark');
      effects.exit('formula');
      return ok(code);
    }
  };

const bracketsIn = ({ partial, length }: Streaming) =>
  function tokenize(this: TokenizeContext, effects: Effects, ok: State, nok: State): State {
    const before = this.previous;
    const now = () => this.now();
    const data = dataIn(effects);
    let token: Token;
    let close = 0;
    let display = false;
    let content = '';
    return start;

    function start(code: Code): State | undefined {
      token = effects.enter('formula');
      effects.enter('formulaMark');
      effects.consume(code);
      return opening;
    }
    function opening(code: Code): State | undefined {
      const kind = code === null ? undefined : OPENING[code];
      if (!kind) return nok(code);
      close = kind.close;
      display = kind.display;
      token._display = display ? 'always' : 'never';
      effects.consume(code);
      effects.exit('formulaMark');
      return inside;
    }
    function inside(code: Code): State | undefined {
      if (code === null) {
        if (!partial || now().offset < length) return nok(code);
        data.exit();
        token._open = true;
        effects.exit('formula');
        return ok(code);
      }
      if (code === BACKTICK) return nok(code);
      if (isLineEnd(code)) {
        data.exit();
        effects.enter('lineEnding');
        effects.consume(code);
        effects.exit('lineEnding');
        content += ' ';
        return inside;
      }
      if (code === BACKSLASH) {
        data.exit();
        effects.enter('formulaMark');
        effects.consume(code);
        return closing;
      }
      data.consume(code);
      content += signOf(code);
      return inside;
    }
    function closing(code: Code): State | undefined {
      if (code === close) {
        if (!isBracketFormula(content, display, signOf(before))) return nok(code);
        effects.consume(code);
        effects.exit('formulaMark');
        effects.exit('formula');
        return ok;
      }
      // Another formula begins here, so this one has no end.
      if (code !== null && OPENING[code]?.close === close) return nok(code);
      content += '\\';
      if (code !== null && !isLineEnd(code)) {
        content += signOf(code);
        effects.consume(code);
      }
      effects.exit('formulaMark').type = 'formulaData';
      return code === null || isLineEnd(code) ? inside(code) : inside;
    }
  };

/** Continues on the next line, unless that line is only a lazy continuation. */
const nextLine: Construct = {
  partial: true,
  tokenize(effects, ok, nok) {
    const { parser } = this;
    const now = () => this.now();
    return function start(code) {
      if (!isLineEnd(code)) return nok(code);
      effects.enter('lineEnding');
      effects.consume(code);
      effects.exit('lineEnding');
      return (next) => (parser.lazy[now().line] ? nok(next) : ok(next));
    };
  },
};

const blockIn = (source: string, partial: boolean) =>
  function tokenize(this: TokenizeContext, effects: Effects, ok: State, nok: State): State {
    const now = () => this.now();
    const data = dataIn(effects);
    let close = DOLLAR;
    let open = false;
    return start;

    function start(code: Code): State | undefined {
      const end = code === null ? null : endOfBlock(source, now().offset, partial);
      if (end === null) return nok(code);
      open = end === 'open';
      const token = effects.enter('formula');
      token._display = 'always';
      token._open = open;
      effects.enter('formulaMark');
      effects.consume(code);
      return opening;
    }
    function opening(code: Code): State | undefined {
      close = code === DOLLAR ? DOLLAR : 93;
      effects.consume(code);
      effects.exit('formulaMark');
      return inside;
    }
    function inside(code: Code): State | undefined {
      if (code === null) return ended(code);
      if (isLineEnd(code)) {
        data.exit();
        return effects.attempt(nextLine, inside, ended)(code);
      }
      if (code === BACKSLASH || (code === DOLLAR && close === DOLLAR)) {
        data.exit();
        effects.enter('formulaMark');
        effects.consume(code);
        return code === DOLLAR ? (next) => closing(next, next === DOLLAR) : second;
      }
      data.consume(code);
      return inside;
    }
    // The item or the quotation ends before its closing mark: it is no block.
    function ended(code: Code): State | undefined {
      return open && now().offset >= source.length ? end(code) : nok(code);
    }
    function second(code: Code): State | undefined {
      return closing(code, code === close && close !== DOLLAR);
    }
    function closing(code: Code, isEnd: boolean): State | undefined {
      const there = code !== null && !isLineEnd(code);
      if (there) effects.consume(code);
      const mark = effects.exit('formulaMark');
      if (isEnd) return after;
      mark.type = 'formulaData';
      return there ? inside : inside(code);
    }
    function after(code: Code): State | undefined {
      if (code === null || isLineEnd(code)) return end(code);
      effects.enter('whitespace');
      return trailing(code);
    }
    function trailing(code: Code): State | undefined {
      if (code !== null && !isLineEnd(code)) {
        effects.consume(code);
        return trailing;
      }
      effects.exit('whitespace');
      return end(code);
    }
    function end(code: Code): State | undefined {
      data.exit();
      effects.exit('formula');
      return ok(code);
    }
  };

/** Environments that LaTeX sets on lines of their own. */
const ENVIRONMENT = /^\\begin\{((?:equation|align|alignat|gather|multline|eqnarray|CD)\*?)\}/;

/**
 * Returns the end of the environment that begins at `at`, `open` if the end is still to come; null:
 * there is none, or it ends within a line.
 */
function environmentAt(source: string, at: number, partial: boolean): { end: number; open: boolean } | null {
  const name = ENVIRONMENT.exec(source.slice(at, at + 30))?.[1];
  if (name === undefined) return null;
  const within = source.slice(at, at + LONGEST);
  const closing = `\\end{${name}}`;
  const index = within.indexOf(closing);
  if (index < 0)
    return partial && at + within.length === source.length ? { end: source.length, open: true } : null;
  const end = index + closing.length;
  return /^[ \t]*(?:[\r\n]|$)/.test(within.slice(end, end + 200)) ? { end: at + end, open: false } : null;
}

const environmentIn = (source: string, partial: boolean) =>
  function tokenize(this: TokenizeContext, effects: Effects, ok: State, nok: State): State {
    const now = () => this.now();
    const data = dataIn(effects);
    let end = 0;
    return start;

    function start(code: Code): State | undefined {
      const found = environmentAt(source, now().offset, partial);
      if (found === null) return nok(code);
      end = found.end;
      const token = effects.enter('formula');
      token._display = 'always';
      token._open = found.open;
      return inside(code);
    }
    function inside(code: Code): State | undefined {
      if (now().offset >= end) {
        data.exit();
        return after(code);
      }
      // The item or the quotation ends before the environment: it is no block.
      if (code === null) return nok(code);
      if (isLineEnd(code)) {
        data.exit();
        return effects.attempt(nextLine, inside, nok)(code);
      }
      data.consume(code);
      return inside;
    }
    function after(code: Code): State | undefined {
      if (code === null || isLineEnd(code)) return finish(code);
      effects.enter('whitespace');
      return trailing(code);
    }
    function trailing(code: Code): State | undefined {
      if (code !== null && !isLineEnd(code)) {
        effects.consume(code);
        return trailing;
      }
      effects.exit('whitespace');
      return finish(code);
    }
    function finish(code: Code): State | undefined {
      effects.exit('formula');
      return ok(code);
    }
  };

/** The first mark of either kind, escapes left out. */
const MARKS = { $: /\\[\s\S]|\$\$/g, '[': /\\[\s\S]/g };

/**
 * True if the formula block that begins at `at` ends at the end of a line; null: it is no block. Linear for a whole
 * text, since the first mark after an opening one decides.
 */
function endOfBlock(source: string, at: number, partial: boolean): 'closed' | 'open' | null {
  const opening = source.slice(at, at + 2);
  if (opening !== '$$' && opening !== '\\[') return null;
  if (opening === '$$' && source[at + 2] === '$') return null;
  const within = source.slice(at + 2, at + 2 + LONGEST);
  const closing = opening === '$$' ? '$$' : '\\]';
  for (const { 0: mark, index } of within.matchAll(opening === '$$' ? MARKS.$ : MARKS['['])) {
    if (mark === '\\[') return null;
    if (mark !== closing) continue;
    const content = within.slice(0, index);
    const is = closing === '$$' ? isDoubleDollarFormula(content, '') : isBracketFormula(content, true, '');
    return is && /^[ \t]*(?:[\r\n]|$)/.test(within.slice(index + 2, index + 200)) ? 'closed' : null;
  }
  if (!partial || at + 2 + within.length < source.length) return null;
  const [first = ''] = /^[^\r\n]*/.exec(within) ?? [];
  // A formula with words on its opening line contains no empty line, unless these begin an environment.
  const isShort = !/^\s*\\begin\{/.test(first) && /\n[ \t]*\r?\n/.test(within);
  if (first.trim() !== '' && (!isDoubleDollarFormula(`${first}`, '') || isShort)) return null;
  return 'open';
}

/** Formulas in the syntax tree. */
export const formulaFromMarkdown: FromMarkdown = {
  enter: {
    formula(this: CompileContext, token: Token) {
      this.enter(
        {
          type: 'formula',
          value: '',
          display: token._display ?? 'never',
          open: token._open === true,
        } as never,
        token,
      );
      this.buffer();
    },
  },
  exit: {
    formula(this: CompileContext, token: Token) {
      const value = this.resume();
      const node = this.stack[this.stack.length - 1] as unknown as Formula;
      this.exit(token);
      // The description of a picture is words.
      if (this.stack.some(({ type }) => type === 'image'))
        Object.assign(node, { type: 'text', value: this.sliceSerialize(token) });
      else node.value = value.trim();
    },
    formulaData(this: CompileContext, token: Token) {
      this.config.enter.data?.call(this, token);
      this.config.exit.data?.call(this, token);
    },
  },
};
