// The one filter before every place that private words may be kept out of: index, requests to models, sync. It finds
// them by the configuration and by earlier finds, and replaces them by tokens.
import type { Readable } from '../../domain/base/readable.ts';
import type { Category, PrivacyPlace } from '../../domain/privacy/categories.ts';
import { findPrivate, type PrivateSpan, replaceFound } from '../../domain/privacy/scan.ts';
import { bareToken, REDACTED, restored, tokenPattern } from '../../domain/privacy/tokens.ts';
import type { Config } from '../../domain/settings/config.ts';
import { TokenTable } from './token-table.ts';

/** A text without its private words, and their count. */
interface Hidden {
  readonly text: string;
  readonly redacted: number;
}
export type Hide = (text: string) => Hidden;

/** Functions for a place: `hide`, or finding and replacing separately for consecutive texts. */
export interface Hiding {
  readonly hide: Hide;
  readonly find: (text: string) => readonly PrivateSpan[];
  readonly replace: (text: string, found: readonly PrivateSpan[]) => string;
}

export interface Replaced extends PrivateSpan {
  readonly token: string;
}

/** Most texts whose finds are cached: a whole conversation is sent with each of its questions. */
const MOST_FINDS = 2_000;

export class PrivacyFilter {
  readonly #config: Readable<Config>;
  readonly tokens: TokenTable;
  /** Words found in each text, valid while configuration and table stay the same. */
  readonly #finds = new Map<PrivacyPlace, Map<string, readonly PrivateSpan[]>>();
  #findsOf: readonly unknown[] = [];

  constructor({
    config,
    tokens = new TokenTable(),
  }: { config: Readable<Config>; tokens?: TokenTable | undefined }) {
    this.#config = config;
    this.tokens = tokens;
  }

  /** Makes the same filter with tokens of its own, which are stored nowhere. */
  readonly passing = (): PrivacyFilter => new PrivacyFilter({ config: this.#config });

  /** Categories that are kept out of this place. */
  readonly categoriesFor = (place: PrivacyPlace): readonly Category[] => {
    const { privacy } = this.#config.get();
    return privacy[`keep_out_of_${place}`];
  };

  /** Private words of a text that are kept out of this place. */
  readonly find = (place: PrivacyPlace, text: string): readonly PrivateSpan[] => {
    const categories = this.categoriesFor(place);
    if (categories.length === 0 || text === '') return [];
    const of = [this.#config.get(), this.tokens.version.get()];
    if (!of.every((value, at) => value === this.#findsOf[at])) {
      this.#finds.clear();
      this.#findsOf = of;
    }
    const kept = this.#finds.get(place) ?? new Map<string, readonly PrivateSpan[]>();
    this.#finds.set(place, kept);
    let found = kept.get(text);
    if (!found) {
      found = findPrivate(text, new Set(categories), this.#config.get().privacy, this.tokens.known());
      if (kept.size >= MOST_FINDS) kept.clear();
      kept.set(text, found);
    }
    return found;
  };

  /** For text that is stored nowhere: words without a token get one without a number. */
  readonly hidden = (place: PrivacyPlace, text: string): string =>
    replaceFound(
      text,
      this.find(place, text),
      (category, words) => this.tokens.tokenOf(category, words) ?? bareToken(category),
    );

  /** Rewrites a question in the index's words: known private words become their tokens. */
  readonly indexed = (text: string): string =>
    replaceFound(
      text,
      this.find('index', text),
      (category, words) => this.tokens.tokenOf(category, words) ?? words,
    );

  /** Replaces words irreversibly, for titles, in which nothing may come back. */
  readonly redacted = (place: PrivacyPlace, text: string): string =>
    replaceFound(text, this.find(place, text), () => REDACTED);

  /**
   * Runs `work` with a filter for this place and keeps every token first. `work` may run more than once, and must have
   * no side effects. Tokens that leave for other devices carry the tag of this one.
   */
  readonly hiding = <T>(place: PrivacyPlace, work: (hiding: Hiding) => T): Promise<T> =>
    this.tokens.withTokens((tokenOf) => {
      const find = (text: string) => this.find(place, text);
      const replace = (text: string, found: readonly PrivateSpan[]) =>
        replaceFound(text, found, (category, words) => {
          // The rest of words whose token ends the previous text.
          if (words === '') return '';
          const token = tokenOf(category, words);
          return place === 'sync' && token !== bareToken(category) ? this.tokens.abroad(token) : token;
        });
      const hide = (text: string): Hidden => {
        const found = find(text);
        const local = place === 'sync' ? this.#localTokens(text) : 0;
        if (found.length + local === 0) return { text, redacted: 0 };
        const replaced = replace(text, found);
        return { text: local > 0 ? this.#sentAbroad(replaced) : replaced, redacted: found.length + local };
      };
      return work({ find, replace, hide });
    });

  /**
   * Lists the words of a text that would be replaced, with their tokens, without storing any: new
   * words show the number they would get.
   */
  readonly preview = (place: PrivacyPlace, text: string): readonly Replaced[] => {
    const next = this.tokens.preview();
    return this.find(place, text).map((found) => ({ ...found, token: next(found.category, found.words) }));
  };

  /** Lists words of a text that were sent as a token and are kept out of requests now. */
  readonly sentAs = (text: string): readonly Replaced[] =>
    this.categoriesFor('prompts').length === 0
      ? []
      : this.find('prompts', text).flatMap((found) => {
          const token = this.tokens.tokenOf(found.category, found.words);
          return token === undefined ? [] : [{ ...found, token }];
        });

  /** Restores a text for the person: with the words of this device's tokens. */
  readonly readable = (text: string): string => restored(text, this.tokens.privateWordsOf);

  #localTokens(text: string): number {
    if (!text.includes('[')) return 0;
    let count = 0;
    for (const [token] of text.matchAll(tokenPattern()))
      if (this.tokens.privateWordsOf(token) !== undefined) count += 1;
    return count;
  }

  readonly #sentAbroad = (text: string): string =>
    text.replace(tokenPattern(), (token) =>
      this.tokens.privateWordsOf(token) === undefined ? token : this.tokens.abroad(token),
    );
}

/**
 * True if words may be proposed as a memory note: notes go into the index and to the person's other devices, so nothing
 * that is kept out of either.
 */
export const mayBeNote = (filter: Pick<PrivacyFilter, 'find'>, text: string): boolean =>
  (['index', 'sync'] as const).every((place) => filter.find(place, text).length === 0);
