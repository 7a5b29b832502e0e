// Some servers repeat everything so far in each delta. Two deltas that each begin with all words before them show it;
// one is enough where that is much, since nobody says "Ha", "Haha" with a whole sentence.

/** Words of which one repetition is enough where the answer ends with it, in characters. */
const CERTAIN_LAST = 5;
/** Words of which one repetition is enough, in characters. */
const CERTAIN = 12;
/** The same among deltas that repeated nothing. */
const CERTAIN_LATE = 30;

/** Reads the words, or the thoughts, of one answer. */
export class WholeDeltas {
  #said = '';
  /** A short delta that may repeat everything, until the next one tells. */
  #held: string | undefined;
  #kind: 'unknown' | 'pieces' | 'whole' = 'unknown';

  /** Returns the new words of a delta. */
  read(delta: string): string {
    const before = this.#said;
    if (before === '' || delta === '') return this.#say(delta);
    if (this.#kind !== 'unknown') {
      const least = this.#kind === 'whole' ? 1 : CERTAIN_LATE;
      if (before.length >= least && delta.startsWith(before)) return this.#say(delta.slice(before.length));
      return this.#kind === 'whole' && before.startsWith(delta) ? '' : this.#say(delta);
    }
    const held = this.#held;
    const known = held ?? before;
    const repeats = delta.startsWith(known) && delta.length > known.length;
    if (repeats && held === undefined && before.trim().length < CERTAIN) {
      this.#held = delta;
      return '';
    }
    this.#held = undefined;
    this.#kind = repeats ? 'whole' : 'pieces';
    return this.#say(repeats ? delta.slice(before.length) : (held ?? '') + delta);
  }

  /** Returns what was held back, at the end of an answer. */
  end(): string {
    const held = this.#held ?? '';
    this.#held = undefined;
    return this.#say(this.#said.length < CERTAIN_LAST ? held : held.slice(this.#said.length));
  }

  #say(words: string): string {
    this.#said += words;
    return words;
  }
}
