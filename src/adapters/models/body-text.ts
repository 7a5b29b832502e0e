// Decodes the bytes of an answer. UTF-8 is expected, as event streams require it; UTF-16 is recognised by its first
// bytes, and any other encoding only used if the endpoint names it and a line is no UTF-8.

const NEWLINE = 0x0a;
const isUtf8 = (name: string): boolean => /^(?:utf-?8|us-ascii|unicode-1-1-utf-8)$/i.test(name);

/** Name of the encoding in a content type; empty if it names none that this engine knows, or UTF-8. */
function charsetOf(contentType: string): string {
  const name = /charset\s*=\s*["']?([\w.:-]+)/i.exec(contentType)?.[1] ?? '';
  if (name === '' || isUtf8(name)) return '';
  try {
    return new TextDecoder(name).encoding;
  } catch (error) {
    if (error instanceof RangeError) return '';
    throw error;
  }
}

/** Bytes that tell UTF-16 from a NUL before UTF-8. */
const TELLING = 4;

/** UTF-16 by its byte order mark, or by a NUL beside each of the first two signs: every answer begins with ASCII. */
function utf16Of(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  const nuls = [...bytes.subarray(0, TELLING)].map((byte) => Number(byte === 0)).join('');
  return nuls === '0101' ? 'utf-16le' : nuls === '1010' ? 'utf-16be' : undefined;
}

const joined = (pieces: readonly Uint8Array[]): Uint8Array => {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
};

/** Reads one body from its first byte to its last; pieces may end within a character. */
export class BodyText {
  readonly #named: string;
  #decoder: TextDecoder | undefined;
  /** True once the first bytes have shown how the others are read. */
  #isBegun = false;
  /** The first bytes, or those of an unfinished line in an encoding that is only named. */
  #held: Uint8Array[] = [];

  constructor(contentType = '') {
    this.#named = charsetOf(contentType);
  }

  read(bytes: Uint8Array): string {
    if (this.#isBegun) return this.#readNext(bytes);
    const first = joined([...this.#held, bytes]);
    this.#held = [first];
    return first.length < TELLING ? '' : this.#begin(first);
  }

  end(): string {
    const rest = this.#isBegun ? '' : this.#begin(joined(this.#held));
    return rest + (this.#decoder ? this.#decoder.decode() : this.#lines(joined(this.#held)));
  }

  #begin(first: Uint8Array): string {
    this.#isBegun = true;
    this.#held = [];
    const encoding = utf16Of(first) ?? (this.#named === '' ? 'utf-8' : undefined);
    if (encoding !== undefined) this.#decoder = new TextDecoder(encoding);
    return this.#readNext(first);
  }

  #readNext(bytes: Uint8Array): string {
    if (this.#decoder) return this.#decoder.decode(bytes, { stream: true });
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    if (end === 0) {
      this.#held.push(bytes);
      return '';
    }
    const lines = joined([...this.#held, bytes.subarray(0, end)]);
    this.#held = [bytes.slice(end)];
    return this.#lines(lines);
  }

  /** Each line by itself: a server may name an encoding that only some of its lines have. */
  #lines(bytes: Uint8Array): string {
    let text = '';
    for (let from = 0; from < bytes.length; ) {
      const found = bytes.indexOf(NEWLINE, from);
      const end = found < 0 ? bytes.length : found + 1;
      text += this.#line(bytes.subarray(from, end));
      from = end;
    }
    return text;
  }

  #line(bytes: Uint8Array): string {
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      return new TextDecoder(this.#named || 'utf-8').decode(bytes);
    }
  }
}
