// Conversations that pages hold for their own scripts, as shared pages of ChatGPT do, and pages in the one file that a
// browser saves (MHTML, RFC 2557).
import { isFields } from '../../domain/base/json.ts';
import { parseJson } from './lenient-json.ts';

/** Finds the conversation that a shared page holds for its script; undefined if there is none. */
export function conversationInScript(page: string): unknown {
  const at = page.indexOf('id="__NEXT_DATA__"');
  const [from, to] = at < 0 ? [0, 0] : [page.indexOf('>', at) + 1, page.indexOf('</script', at)];
  if (to > from) return withNodes(parseJson(page.slice(from, to)), 0);
  for (let begin = page.indexOf(STREAM); begin >= 0; begin = page.indexOf(STREAM, begin + 1)) {
    const quote = begin + STREAM.length;
    const literal = page[quote] === '"' ? parseJson(page.slice(quote, endOfText(page, quote))) : undefined;
    if (typeof literal !== 'string' || !/"(?:mapping|linear_conversation)"/.test(literal)) continue;
    // Lines behind the first one hold what came later.
    const flat = parseJson(literal.split('\n', 1)[0] ?? '');
    const found = Array.isArray(flat) ? withNodes(unflattened(flat), 0) : undefined;
    if (found) return found;
  }
  return undefined;
}

const STREAM = 'streamController.enqueue(';

/** Offset behind the text in quotes that begins at `from`. */
function endOfText(page: string, from: number): number {
  for (let at = from + 1; at < page.length; at += 1) {
    if (page[at] === '\\') at += 1;
    else if (page[at] === '"') return at + 1;
  }
  return page.length;
}

function withNodes(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth > 12) return undefined;
  if (isFields(value) && isFields(value.mapping)) return value;
  for (const inner of Object.values(value)) {
    const found = withNodes(inner, depth + 1);
    if (found) return found;
  }
  return undefined;
}

/**
 * Puts a value together from a list of its pieces, which name one another by their places (turbo-stream). What is named
 * in a ring, or far more often than there are pieces, is left out.
 */
function unflattened(pieces: readonly unknown[]): unknown {
  let left = 1000;
  for (const piece of pieces)
    left += typeof piece === 'object' && piece !== null ? 4 * Object.keys(piece).length : 4;
  const open = new Set<number>();
  const at = (place: unknown): unknown => {
    left -= 1;
    if (typeof place !== 'number' || place < 0 || left < 0 || open.has(place) || open.size > 200) return null;
    const piece = pieces[place];
    if (typeof piece !== 'object' || piece === null) return piece;
    open.add(place);
    const value = Array.isArray(piece)
      ? typeof piece[0] === 'string'
        ? (piece[1] ?? null)
        : piece.map(at)
      : Object.fromEntries(
          Object.entries(piece).map(([key, inner]) => [
            String(pieces[Number(key.slice(1))] ?? key),
            at(inner),
          ]),
        );
    open.delete(place);
    return value;
  };
  return at(0);
}

/** Pages in a file of MHTML, decoded, each with its address in a comment before it. */
export function pagesOfMhtml(text: string): string[] {
  const boundary = /boundary="?([^"\r\n;]{1,200})/i.exec(text.slice(0, 4096))?.[1];
  if (boundary === undefined) return [];
  const address = headerOf(text.slice(0, 4096), 'Snapshot-Content-Location');
  return text.split(`--${boundary}`).flatMap((part) => {
    const gap = /\r?\n\r?\n/.exec(part.slice(0, 8192));
    const head = gap ? part.slice(0, gap.index) : '';
    if (!/^text\/html\b/i.test(headerOf(head, 'Content-Type'))) return [];
    const body = part.slice(head.length + (gap?.[0].length ?? 0));
    const encoding = headerOf(head, 'Content-Transfer-Encoding').toLowerCase();
    const bytes =
      encoding === 'base64'
        ? fromBase64(body)
        : encoding === 'quoted-printable'
          ? fromQuoted(body)
          : undefined;
    return [
      `<!-- ${headerOf(head, 'Content-Location') || address} -->${bytes ? new TextDecoder().decode(bytes) : body}`,
    ];
  });
}

const headerOf = (head: string, name: string): string =>
  head
    .split(/\r?\n/)
    .find((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}:`))
    ?.slice(name.length + 1)
    .trim() ?? '';

function fromBase64(body: string): Uint8Array {
  const clean = body.replace(/[^A-Za-z0-9+/]/g, '');
  return Uint8Array.from(atob(clean.slice(0, clean.length - (clean.length % 4 === 1 ? 1 : 0))), (sign) =>
    sign.charCodeAt(0),
  );
}

/** Bytes of quoted-printable (RFC 2045, 6.7); anything beyond ASCII was decoded before, and stays. */
function fromQuoted(body: string): Uint8Array {
  const bytes = new TextEncoder().encode(body.replace(/=[ \t]{0,80}\r?\n/g, ''));
  const out = new Uint8Array(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const [high, low] = bytes[at] === EQUALS ? [digitOf(bytes[at + 1]), digitOf(bytes[at + 2])] : [-1, -1];
    const isCode = high >= 0 && low >= 0;
    out[length] = isCode ? high * 16 + low : (bytes[at] as number);
    length += 1;
    if (isCode) at += 2;
  }
  return out.subarray(0, length);
}
const EQUALS = 0x3d;
const digitOf = (byte: number | undefined): number =>
  '0123456789abcdef'.indexOf(String.fromCharCode(byte ?? 0).toLowerCase());
