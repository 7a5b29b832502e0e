// Keeps signs that look like Markdown but are words: products (`5*3*2`, `width*height*depth`), paths and comments
// (`src/**/*.ts`, `/* so */`, `C:\_tmp`), names that Python and JavaScript set between underscores (`__init__.py`), and
// placeholders that look like addresses (`<image:tag>`).
import { autolink } from 'micromark-core-commonmark';
import type { Code, Construct, Extension } from 'micromark-util-types';

const STAR = 42;
const UNDERSCORE = 95;
const LESS_THAN = 60;
const BACKSLASH = 92;

/** Distance around a sign that is examined, characters. */
const NEAR = 200;
const FACTOR_BEFORE = /[A-Za-z0-9)\]]$/;
const FACTOR_BEHIND = /^[A-Za-z0-9(]/;

/** A sum, a difference or a comparison of products. */
const OPERATOR = /[-+=<>/−≤≥≠≈＝＋]/;
const LETTER_BEFORE = /[\p{L}\p{N})\]]$/u;
const LETTER_BEHIND = /^[\p{L}\p{N}(]/u;

/**
 * True if the words `between` two stars stand between products, as `before` and `behind` the stars tell: `a*b and c*d`,
 * `单价*数量+运费`. Emphasis within a word has neither a space nor an operator in it.
 */
const isBetweenProducts = (before: string, between: string, behind: string): boolean =>
  (/\s/.test(between) &&
    [before, between].every((text) => FACTOR_BEFORE.test(text)) &&
    [between, behind].every((text) => FACTOR_BEHIND.test(text))) ||
  (OPERATOR.test(between) &&
    [before, between].every((text) => LETTER_BEFORE.test(text)) &&
    [between, behind].every((text) => LETTER_BEHIND.test(text)));

/** True if the star between `before` and `behind`, and the one before or behind it on its line, are of products. */
function isOfProducts(before: string, behind: string): boolean {
  const [line = ''] = /^[^\r\n]*/.exec(behind) ?? [];
  const next = line.indexOf('*');
  if (next > 0 && isBetweenProducts(before, line.slice(0, next), line.slice(next + 1))) return true;
  const above = before.slice(Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1);
  const last = above.lastIndexOf('*');
  return last > 0 && isBetweenProducts(above.slice(0, last), above.slice(last + 1), behind);
}

/**
 * True if the stars at `at` multiply: in a chain of names, or between digits or brackets;
 * `**Top 10**list` and `un*believ*able` are emphasis.
 */
function multiplies(source: string, at: number, stars: number): boolean {
  const before = source.slice(Math.max(0, at - NEAR), at);
  const behind = source.slice(at + stars, at + stars + NEAR);
  if (stars === 1 && isOfProducts(before, behind)) return true;
  if (stars > 2 || !FACTOR_BEFORE.test(before) || !FACTOR_BEHIND.test(behind)) return false;
  if (/\d$/.test(before) && /^\d/.test(behind)) return true;
  if (stars > 1) return false;
  if (/\d$/.test(before) || /^\d/.test(behind) || (/[)\]]$/.test(before) && behind.startsWith('(')))
    return true;
  return /^[\w.()[\]]*\*[A-Za-z0-9(]/.test(behind) || /[A-Za-z0-9)\]]\*[\w.()[\]]*$/.test(before);
}

const PATH_SIGN = /[\w.*/{}!@~$,+\\-]/;
const PATH_BEHIND = /^[\w.*/{}!@~$,+\\-]*/;
/** A part of a path that stands for any name, or for any with an ending. */
const ANY_NAME = /^!?\*{1,2}(?:\.[\w.*{},-]*)?,?$/;
// A path that is set in bold or italics begins and ends with the same stars.
const SET_PATH = /^(\*{1,3})[^*]*[\w.]\1[.,]?$/;

/** True if the stars at `at` are part of a path, or begin or end a comment. */
function isOfPath(source: string, at: number): boolean {
  let begin = at;
  while (begin > 0 && at - begin < NEAR && PATH_SIGN.test(source.charAt(begin - 1))) begin -= 1;
  const before = source.slice(begin, at);
  const behind = PATH_BEHIND.exec(source.slice(at, at + NEAR))?.[0] ?? '';
  const path = before + behind;
  if (!path.includes('/') || SET_PATH.test(path)) return false;
  const from = before.lastIndexOf('/') + 1;
  const slash = behind.indexOf('/');
  const name = before.slice(from) + (slash < 0 ? behind : behind.slice(0, slash));
  // Letters of other scripts belong to no path, and are no edge of one.
  const touches = (sign: string) => /\p{L}/u.test(sign);
  if (from === 0 && touches(source.charAt(at - before.length - 1))) return false;
  if (slash < 0 && touches(source.charAt(at + behind.length))) return false;
  return ANY_NAME.test(name);
}

/**
 * The words before a backslash up to it, if these are the beginning of a path: a drive, two
 * backslashes and a server, or a named place.
 */
const DRIVE = /(?:^|[^A-Za-z0-9])[A-Za-z]:(?:\\\S*)?$/;
const SERVER = /(?:^|[\s"'(*“「（：])\\\\[A-Za-z0-9?.]\S*$/;
/** A server and a folder, or what Windows sets before a long path or a device. */
const SERVER_BEGINS = /^\\\\(?:[A-Za-z0-9][\w.-]*|[?.])\\[\w$]/;
/**
 * A path from a variable, the folder one is in, the home folder or a part of the registry:
 * `%APPDATA%\_x`, `.\*.ps1`, `~\.ssh`, `HKCU:\_x`.
 */
const PLACE =
  /(?:^|[\s"'(*“「（：])(?:%\w+%|\$env:\w+|\.\.?|~|(?:HK(?:LM|CU|CR|U|CC)|HKEY_[A-Z_]+):?)(?:\\\S*)?$/;
/** After a dot alone a name must follow: `.\*` may be a pattern. */
const DOT = /(?:^|[\s"'(*“「（：])(?:\.\.?|~)$/;
const NAME_BEHIND = /^\\(?:\w|[!-/:-@[-`{}~][\w.])/;
const PATH_EDGE = /^$|[\s"'(*“「（：]$/;
/** Beginning that Markdown reads as an escape. */
const ESCAPED = /^\\[!-/:-@[-`{}~]/;

/** The places of backslashes within environments of LaTeX that stand outside a formula. */
function signsOfEnvironments(source: string): ReadonlySet<number> {
  const signs = new Set<number>();
  let name = '';
  let within: number[] = [];
  for (const { 0: sign, 1: kind, 2: named = '', index } of source.matchAll(
    /\\(begin|end)\{([A-Za-z]{1,20}\*?)\}|\\[\s\S]|\n[ \t]*\r?\n/g,
  )) {
    if (kind === 'begin' && name === '') name = named;
    else if (kind === 'end' && name === named) {
      for (const at of within) signs.add(at);
      [name, within] = ['', []];
    } else if (sign.startsWith('\n')) [name, within] = ['', []];
    else if (name !== '') within.push(index);
  }
  return signs;
}

/** Counts the literal characters of a Windows path at the backslash `at`, including the sign that it would escape. */
function pathSigns(source: string, at: number): number {
  const before = source.slice(Math.max(0, at - NEAR), at);
  const behind = source.slice(at, at + NEAR);
  // A table's cell ends at the next sign otherwise.
  if (behind.startsWith('\\|')) return 0;
  // The arm of ¯\_(ツ)_/¯.
  if (before.endsWith('¯') && /^\\[_(]/.test(behind)) return 2;
  if (PATH_EDGE.test(before)) return SERVER_BEGINS.test(behind) ? 2 : 0;
  if (!DRIVE.test(before) && !SERVER.test(before) && !PLACE.test(before)) return 0;
  if (DOT.test(before) && !NAME_BEHIND.test(behind)) return 0;
  return ESCAPED.test(behind) ? 2 : 1;
}

const NO_SIGNS: ReadonlySet<number> = new Set();

const STAR_FACE = /^\*_+\*(?!\*)/;
/** True if the star at `at` is an eye: `*_*`. */
const isOfFace = (source: string, at: number): boolean =>
  STAR_FACE.test(source.slice(at, at + 10)) ||
  (source.charAt(at - 1) === '_' && /(?<!\*)\*_+$/.test(source.slice(Math.max(0, at - 10), at)));

/** How many signs at `at` are the mouth of a face (`^_^`, `>_<`), or a variable of Perl (`$_`). */
function linesOfFace(source: string, at: number): number {
  const before = source.charAt(at - 1);
  if (!/[\^><*;=~@$#-]/.test(before)) return 0;
  const [lines = ''] = /^_+/.exec(source.slice(at, at + 10)) ?? [];
  const behind = source.charAt(at + lines.length);
  return /[\^><*;=~@$#-]/.test(behind) || (/[$@]/.test(before) && !/[\w*]/.test(behind)) ? lines.length : 0;
}

const DUNDER =
  /^__(?:init|main|name|file|doc|dict|class|call|str|repr|len|iter|next|new|del|eq|ne|lt|le|gt|ge|hash|bool|int|float|add|sub|mul|enter|exit|aenter|aexit|getitem|setitem|delitem|contains|getattr|setattr|slots|all|version|author|future|import|builtins|module|path|package|annotations|bases|mro|subclasses|post_init|proto|typename|dirname|filename)__(?![A-Za-z0-9_])/;

const ADDRESS = /^<(?:(?:https?|ircs?|mailto|xmpp|tel):|[^\s<>@]+@[^\s<>@]+\.[^\s<>@.]+>)/i;

/** The micromark extension for one text. */
export function literalSyntax(source: string): Extension {
  /** Takes as many characters as `lengthAt` says for words. */
  const words = (name: string, lengthAt: (at: number, before: Code) => number): Construct => ({
    name,
    tokenize(effects, ok, nok) {
      const now = () => this.now();
      const before = this.previous;
      let end = 0;
      return (code) => {
        const at = now().offset;
        end = at + lengthAt(at, before);
        if (end === at) return nok(code);
        effects.enter('data');
        return inside(code);
      };
      function inside(code: Code): ReturnType<typeof ok> {
        if (code !== null && now().offset < end) {
          effects.consume(code);
          return inside;
        }
        effects.exit('data');
        return ok(code);
      }
    },
  });
  const product = words('product', (at, before) => {
    const stars = before === STAR ? 0 : (/^\*+/.exec(source.slice(at, at + 4))?.[0].length ?? 0);
    const isWords =
      stars > 0 &&
      (multiplies(source, at, stars) || isOfPath(source, at) || (stars === 1 && isOfFace(source, at)));
    return isWords ? stars : 0;
  });
  const environments = source.includes('\\begin{') ? signsOfEnvironments(source) : NO_SIGNS;
  const path = words('windowsPath', (at) => (environments.has(at) ? 2 : pathSigns(source, at)));
  const dunder = words('dunder', (at, before) =>
    before !== null && /\w/.test(String.fromCharCode(before))
      ? 0
      : (DUNDER.exec(source.slice(at, at + 20))?.[0].length ?? linesOfFace(source, at)),
  );
  const address: Construct = {
    ...autolink,
    name: 'autolinkGuarded',
    tokenize(effects, ok, nok) {
      const inner = autolink.tokenize.call(this, effects, ok, nok);
      return (code) =>
        ADDRESS.test(source.slice(this.now().offset, this.now().offset + NEAR)) ? inner(code) : nok(code);
    },
  };
  return {
    disable: { null: ['autolink'] },
    text: { [BACKSLASH]: path, [STAR]: product, [UNDERSCORE]: dunder, [LESS_THAN]: address },
  };
}
