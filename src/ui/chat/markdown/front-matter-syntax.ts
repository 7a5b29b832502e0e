// YAML between dashes at the beginning of an answer, as pages, notes and skills have it: code, whose lines and spaces
// stay. CommonMark reads a rule, and a heading or a list.
import type { CompileContext, Extension as FromMarkdown } from 'mdast-util-from-markdown';
import type { Code, Construct, Extension, State } from 'micromark-util-types';

declare module 'micromark-util-types' {
  interface TokenTypeMap {
    frontMatter: 'frontMatter';
    frontMatterLine: 'frontMatterLine';
  }
}

const DASH = 45;
/** Most lines between the dashes. */
const MOST_LINES = 200;
const FIRST = /^[a-z_][\w-]{0,60}:(?:\s|$)/;
const FIRST_BEGUN = /^(?:[a-z_][\w-]{0,60})?$/;
/** A key, an item, a comment, or a line that is set in. */
const LINE = /^(?:[\w.-]{1,60}:(?:\s|$)|-\s|#|\s+\S|[\]}])/;
const END = /^(?:---|\.\.\.)[ \t]*$/;

/** True if a text may begin with front matter: only its end tells. */
export const mayHaveFrontMatter = (text: string): boolean => /^---[ \t]*[\r\n]/.test(text);

/**
 * Returns the offset behind the front matter that a text begins with; 0: it begins with
 * none. `partial`: its end may still come.
 */
function frontMatterEnd(source: string, partial: boolean): number {
  if (!mayHaveFrontMatter(source)) return 0;
  let at = source.search(/[\r\n]/);
  for (let count = 0; count < MOST_LINES; count += 1) {
    at += source.startsWith('\r\n', at) ? 2 : 1;
    const line = /[^\r\n]*/y;
    line.lastIndex = at;
    const words = line.exec(source)?.[0] ?? '';
    at += words.length;
    const isLast = at >= source.length;
    if (count > 0 && END.test(words)) return at;
    if (isLast && partial && (count > 0 || FIRST_BEGUN.test(words) || FIRST.test(words))) return at;
    if (isLast || !(count === 0 ? FIRST : LINE).test(words)) return 0;
  }
  return 0;
}

/** The micromark extension for one text. */
export function frontMatterSyntax(source: string, { partial }: { readonly partial: boolean }): Extension {
  const end = frontMatterEnd(source, partial);
  if (end === 0) return {};
  const matter: Construct = {
    name: 'frontMatter',
    concrete: true,
    tokenize(effects, ok, nok) {
      const now = () => this.now();
      const inside = (code: Code): State | undefined => {
        if (code === null || now().offset >= end) {
          effects.exit('frontMatter');
          return ok(code);
        }
        if (code < -2) {
          effects.enter('lineEnding');
          effects.consume(code);
          effects.exit('lineEnding');
          return inside;
        }
        effects.enter('frontMatterLine');
        return line(code);
      };
      const line = (code: Code): State | undefined => {
        if (code !== null && code >= -2 && now().offset < end) {
          effects.consume(code);
          return line;
        }
        effects.exit('frontMatterLine');
        return inside(code);
      };
      return (code) => {
        if (now().offset !== 0) return nok(code);
        effects.enter('frontMatter');
        return inside(code);
      };
    },
  };
  return { flow: { [DASH]: matter } };
}

/** Front matter in the syntax tree: a block of YAML. */
export const frontMatterFromMarkdown: FromMarkdown = {
  enter: {
    frontMatter(this: CompileContext, token) {
      const value = this.sliceSerialize(token)
        .replace(/^---[ \t]*(?:\r\n?|\n)/, '')
        .replace(/(?:^|\r\n?|\n)(?:---|\.\.\.)[ \t]*$/, '');
      this.enter({ type: 'code', lang: 'yaml', meta: null, value }, token);
    },
  },
  exit: {
    frontMatter(this: CompileContext, token) {
      this.exit(token);
    },
  },
};
