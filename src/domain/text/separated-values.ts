// Reads tables whose cells are separated by a sign, as spreadsheets and chats are exported.

/**
 * Yields the rows of a text (RFC 4180): a quoted cell may hold separators, line ends and doubled quotes; an unclosed
 * quote ends with the text. Linear.
 * @param separator one character
 */
export function* separatedRows(text: string, separator: string): Generator<string[]> {
  let cells: string[] = [];
  let held = '';
  let isQuoted = false;
  const end = () => {
    cells.push(held);
    held = '';
  };
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] as string;
    if (isQuoted) {
      if (sign !== '"') held += sign;
      else if (text[at + 1] === '"') {
        held += '"';
        at += 1;
      } else isQuoted = false;
    } else if (sign === '"' && held.trim() === '') {
      isQuoted = true;
      held = '';
    } else if (sign === separator) end();
    else if (sign === '\n' || sign === '\r') {
      if (sign === '\r' && text[at + 1] === '\n') at += 1;
      end();
      yield cells;
      cells = [];
    } else held += sign;
  }
  end();
  yield cells;
}
