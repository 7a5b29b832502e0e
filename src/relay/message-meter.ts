// Follows the frames of a WebSocket (RFC 6455, section 5.2) as their bytes arrive, and counts the bytes that an
// unfinished message takes: `ws` joins the frames of a message by itself, and reports nothing before it is complete.

/** Memory of the objects that hold a chunk from the network, and a frame, of an unfinished message, bytes. */
const CHUNK_COST = 256;
const FRAME_COST = 128;
const FIN = 0x80;
const OPCODE_BITS = 0x0f;
const FIRST_CONTROL_OPCODE = 8;
const MASKED = 0x80;
const LENGTH_BITS = 0x7f;

/** Counts the unfinished message of one connection. */
export class MessageMeter {
  /** Bytes held for the unfinished message; 0: there is none. */
  held = 0;
  /** Arrival of its first byte, ms since 1970. */
  since = 0;
  /** Rest of the current frame's payload, bytes. */
  #left = 0;
  #isFinal = false;
  #isControl = false;
  /** Header of the next frame, as far as it has arrived. */
  readonly #header = new Uint8Array(14);
  #headerLength = 0;

  /** Counts the next bytes from the network, in any division. `now`: ms since 1970. */
  take(chunk: Uint8Array, now: number): void {
    let isNew = this.held === 0;
    let isHolding = false;
    for (let at = 0; at < chunk.length; ) {
      if (this.#left === 0) {
        this.#header[this.#headerLength++] = chunk[at++] as number;
        if (this.#headerLength < this.#neededHeader()) {
          isHolding = true;
          continue;
        }
        this.#beginFrame();
      } else {
        const taken = Math.min(this.#left, chunk.length - at);
        at += taken;
        this.#left -= taken;
        if (!this.#isControl) this.held += taken;
      }
      isHolding = this.#left > 0;
      if (this.#left > 0 || !this.#isFinal || this.#isControl) continue;
      this.held = 0;
      isNew = true;
    }
    if (this.held > 0 && isHolding) this.held += CHUNK_COST;
    if (this.held > 0 && isNew) this.since = now;
  }

  /** Length of the header being read, as far as it is known, bytes. */
  #neededHeader(): number {
    if (this.#headerLength < 2) return 2;
    const second = this.#header[1] as number;
    const length = second & LENGTH_BITS;
    return 2 + (length === 126 ? 2 : length === 127 ? 8 : 0) + ((second & MASKED) === 0 ? 0 : 4);
  }

  /** Reads the complete header. */
  #beginFrame(): void {
    const [first = 0, second = 0] = this.#header;
    this.#isFinal = (first & FIN) !== 0;
    this.#isControl = (first & OPCODE_BITS) >= FIRST_CONTROL_OPCODE;
    const short = second & LENGTH_BITS;
    this.#left = short;
    if (short >= 126) {
      const end = short === 126 ? 4 : 10;
      this.#left = 0;
      // Impossible lengths are left to `ws`, which ends the connection.
      for (let at = 2; at < end; at++) this.#left = this.#left * 256 + (this.#header[at] as number);
    }
    this.#headerLength = 0;
    if (!this.#isControl) this.held += FRAME_COST;
  }
}
