// Thoughts that come twice: in a field of their own and once more between tags among the words, as gateways send them
// that fill the field and leave the words as they were. Either may come first, or both in turns.

/** A way that thoughts come: `field` beside the words, `tags` among them. */
type Way = 'field' | 'tags';

/** Joins the thoughts of one answer, and says the same ones once. Spaces and line ends make no difference. */
export class TwiceThought {
  /** All thoughts that were said, without spaces. */
  #said = '';
  /** How much of that each way has come to. */
  readonly #at: Record<Way, number> = { field: 0, tags: 0 };
  /** The words by which one way repeats the other: said after all if it goes on otherwise. */
  readonly #held: Record<Way, string> = { field: '', tags: '' };
  #endsInSpace = false;
  #areOthers = false;

  /** Returns what is new in the next thoughts of one way; '' for what the other way said already. */
  read(way: Way, text: string): string {
    if (this.#areOthers || (this.#held[way] === '' && this.#at[way] === this.#said.length))
      return this.#say(way, text);
    let behind = 0;
    for (let at = 0; at < text.length; at += 1) {
      const letter = text[at] as string;
      if (letter.trim() === '') continue;
      const known = this.#said[this.#at[way]];
      if (known === undefined) {
        const space = behind === 0 ? (/\s{1,10}$/.exec(this.#held[way].slice(-10))?.[0] ?? '') : '';
        this.#held[way] = '';
        const rest = space + text.slice(behind);
        return this.#say(way, this.#endsInSpace ? rest.trimStart() : rest);
      }
      if (known !== letter) {
        this.#areOthers = true;
        return this.#held[way] + text;
      }
      this.#at[way] += 1;
      behind = at + 1;
    }
    this.#held[way] += text;
    return '';
  }

  #say(way: Way, text: string): string {
    if (this.#areOthers) return text;
    this.#said += text.replace(/\s/g, '');
    this.#endsInSpace = /\s$/.test(text);
    this.#at[way] = this.#said.length;
    return text;
  }
}
