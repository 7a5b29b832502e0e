// Splits long tables into pieces that fit a passage, each with the column headers above it.
import type { SectionPlace } from '../../domain/chat/message.ts';
import { estimateTokens } from '../../domain/context/tokens.ts';
import type { Sections } from './extractor.ts';
import { table } from './markdown.ts';

/** Tokens of a piece: smaller than a chunk of the index, so that its rows stay together. */
const PIECE_TOKENS = 300;
/** Most columns of a table and most characters of a cell that are read. */
export const [MAX_COLUMNS, MAX_CELL] = [200, 4_000];

export interface TableRow {
  /** Row number, from 1. */
  readonly at: number;
  readonly cells: readonly string[];
}

/**
 * Adds a table to `sections`; its first row is the head. `placeOf` names the rows of a piece. False once there is no
 * more room.
 */
export function addTable(
  sections: Sections,
  rows: readonly TableRow[],
  placeOf: (first: number, last: number) => SectionPlace,
): boolean {
  const filled = rows.filter(({ cells }) => cells.some((text) => text.trim() !== ''));
  const [head, ...body] = filled;
  if (!head) return true;
  const headTokens = estimateTokens(head.cells.join(' | ')) + head.cells.length * 2;
  let held: TableRow[] = [];
  let tokens = headTokens;
  const flush = (): boolean => {
    const [first, last] = [held[0] ?? head, held.at(-1) ?? head];
    const from = held.length === 0 || first === body[0] ? head.at : first.at;
    const isMore = sections.add(
      placeOf(from, last.at),
      table([head.cells, ...held.map(({ cells }) => cells)]),
    );
    held = [];
    tokens = headTokens;
    return isMore;
  };
  for (const row of body) {
    const cost = estimateTokens(row.cells.join(' | ')) + row.cells.length;
    if (held.length > 0 && tokens + cost > PIECE_TOKENS && !flush()) return false;
    held.push(row);
    tokens += cost;
  }
  return flush();
}
