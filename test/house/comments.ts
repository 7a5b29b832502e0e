// Counts the comments of the source that make a reader search for the actor, and those
// that are too long (docs/glossary.md).
import { parseSync } from 'vite';
import type { SourceFile } from './source.ts';

/** Words that begin a relative clause, where an actor, a verb or a noun belongs. */
const OBLIQUE = /^(?:What|Whatever|Who|Where|Whether|Of)\b/;
/**
 * Longest that a comment may be, in lines; file headers, and docstrings with tags, a list or a table, may be longer.
 */
export const MAX_COMMENT_LINES = 2;

/** Longest line that holds a comment, in columns: two files beside one another on a wide screen, or a review. */
const MAX_COMMENT_COLUMNS = 120;

export interface Comment {
  /** Below the root, with slashes. */
  readonly path: string;
  /** Offsets of the whole comment, in UTF-16 units; lines of `//` that follow one another are one comment. */
  readonly start: number;
  readonly end: number;
  readonly kind: 'line' | 'block';
  /** Without the marks of a comment, one entry a line. */
  readonly lines: readonly string[];
  /** True if it stands above the first statement. */
  readonly isHeader: boolean;
}

/** Every comment of the file, in order; adjoining `//` lines count as one. */
export function commentsOf({ path, text, program }: SourceFile): Comment[] {
  const { comments } = parseSync(path, text, { lang: path.endsWith('x') ? 'tsx' : 'ts' });
  const [first] = (program as typeof program & { body: readonly { start: number }[] }).body;
  const found: (Comment & { lines: string[] })[] = [];
  for (const { type, value, start, end } of comments) {
    const isAlone = text.slice(text.lastIndexOf('\n', start - 1) + 1, start).trim() === '';
    const last = found.at(-1);
    if (
      type === 'Line' &&
      isAlone &&
      last?.kind === 'line' &&
      /^\n[ \t]*$/.test(text.slice(last.end, start))
    ) {
      last.lines.push(value.trim());
      Object.assign(last, { end });
      continue;
    }
    const lines = type === 'Line' ? [value.trim()] : linesOfBlock(value);
    const isHeader = first !== undefined && end <= first.start && found.length === 0;
    found.push({ path, start, end, kind: type === 'Line' ? 'line' : 'block', lines, isHeader });
  }
  return found;
}

/** Lines of the file, as `path:number`, that a comment makes longer than a line with one may be. */
export function wideComments(file: SourceFile): string[] {
  const texts = file.text.split('\n');
  let [number, at] = [1, 0];
  return commentsOf(file).flatMap(({ start, end }) => {
    const first = number + file.text.slice(at, start).split('\n').length - 1;
    const last = first + file.text.slice(start, end).split('\n').length - 1;
    [number, at] = [last, end];
    return Array.from({ length: last - first + 1 }, (_, line) => first + line)
      .filter((line) => [...(texts[line - 1] ?? '')].length > MAX_COMMENT_COLUMNS)
      .map((line) => `${file.path}:${line}`);
  });
}

const linesOfBlock = (value: string): string[] =>
  value
    .split('\n')
    .map((line) => line.replace(/^\s*\*+/, '').trim())
    .filter((line) => line !== '');

export const isOblique = ({ lines }: Comment): boolean => OBLIQUE.test(lines[0] ?? '');

export const isLong = ({ lines, isHeader }: Comment): boolean =>
  lines.length > MAX_COMMENT_LINES && !isHeader && !lines.some((line) => /^(?:@|\||- )/.test(line));
