// Decodes the bytes of an answer. UTF-8 is expected, as event streams require it; UTF-16 is recognised by its first bytes, and any other
// encoding only used if the endpoint names it and a line is no UTF-8.

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

/** UTF-16 by its byte order mark, or by the NUL beside the first sign: every answer begins with a sign of ASCII. */
function utf16Of([first, second]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === undefined || second === undefined || (first === 0) === (second === 0)) return undefined;
  return second === 0 ? 'utf-16le' : 'utf-16be';
}

/** Reads one body from its first byte to its last; pieces may end within a character. */
export class BodyText {
  readonly #named: string;
  #decoder: TextDecoder | undefined;
  /** The first bytes, or those of an unfinished line in an encoding that is only named. */
  #held: Uint8Array = new Uint8Array();

  constructor(contentType = '') {
    this.#named = charsetOf(contentType);
  }

  read(bytes: Uint8Array): string {
    if (this.#decoder) return this.#decoder.decode(bytes, { stream: true });
    const held = new Uint8Array(this.#held.length + bytes.length);
    held.set(this.#held);
    held.set(bytes, this.#held.length);
    this.#held = held;
    if (held.length < 2) return '';
    const encoding = utf16Of(held) ?? (this.#named === '' ? 'utf-8' : undefined);
    if (encoding !== undefined) {
      this.#decoder = new TextDecoder(encoding);
      return this.#decoder.decode(held, { stream: true });
    }
    const end = held.lastIndexOf(NEWLINE) + 1;
    this.#held = held.slice(end);
    return this.#lines(held.subarray(0, end));
  }

  end(): string {
    return this.#decoder ? this.#decoder.decode() : this.#lines(this.#held);
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
