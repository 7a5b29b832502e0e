// Tells fenced code from the words around it. Pure.

export interface Piece {
  readonly text: string;
  readonly fenced: boolean;
}

/** A fence of backticks or tildes at the start of a line, to its twin or to the end. */
const FENCE = /(^|\n)(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:\n\2[^\n]*(?=\n|$)|$)/g;

/** The pieces of a text in order; line breaks that only set a fence apart are dropped. An unclosed fence reaches to the end. */
export function splitFences(text: string): Piece[] {
  const pieces: Piece[] = [];
  const words = (piece: string) => {
    const trimmed = piece.replace(/^\n+|\n+$/g, '');
    if (trimmed !== '') pieces.push({ text: trimmed, fenced: false });
  };
  let at = 0;
  for (const match of text.matchAll(FENCE)) {
    words(text.slice(at, match.index));
    pieces.push({ text: match[0].replace(/^\n/, ''), fenced: true });
    at = match.index + match[0].length;
  }
  if (at === 0) return [{ text, fenced: false }];
  words(text.slice(at));
  return pieces;
}
