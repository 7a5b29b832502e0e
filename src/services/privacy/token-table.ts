// The table of tokens and their words on this device. The words are in the key-value store, as they are in the log; the
// table is never sent. A number is given once: a forgotten word leaves its number empty.
import { z } from 'zod';
import type { KeyValues } from '../../adapters/log/conversation-log.ts';
import { log } from '../../domain/base/log.ts';
import { type Readable, writable } from '../../domain/base/readable.ts';
import { SerialQueue } from '../../domain/base/serial-queue.ts';
import { CATEGORIES, type Category, LABELS } from '../../domain/privacy/categories.ts';
import type { KnownPrivateWords } from '../../domain/privacy/detector.ts';
import { createKnownWords } from '../../domain/privacy/known-words.ts';
import type { TokenOf } from '../../domain/privacy/scan.ts';
import { bareToken, tokenFor, tokenPattern } from '../../domain/privacy/tokens.ts';

/** Prefix of the words in the store, by category and page. */
export const TOKENS = 'privacy/tokens/';
const TAG = `${TOKENS}tag`;
/** Words in one record: a new one rewrites only the last record. */
const PAGE = 256;
/** Longer words are not stored: they are hidden, and cannot be put back. Characters. */
const MAX_WORDS = 20_000;

const pageSchema = z.array(z.string().nullable().catch(null)).catch([]);
const tagSchema = z.string().regex(/^[0-9a-z]{4}$/);

interface TokenTableDeps {
  /** Absent: nothing is stored, as for temporary conversations. */
  readonly keyValues?: Pick<KeyValues, 'get' | 'set' | 'keys' | 'subscribe'>;
  /** Runs work in one tab or worker at a time; absent: there is only this one. */
  readonly exclusively?: <T>(name: string, work: () => Promise<T>) => Promise<T>;
  /** Ends following the store. */
  readonly signal?: AbortSignal;
}

export class TokenTable {
  readonly #deps: TokenTableDeps;
  readonly #queue = new SerialQueue();
  /** Words by category, in the order of their numbers. */
  readonly #words = new Map<Category, (string | null)[]>();
  readonly #tokens = new Map<string, string>();
  readonly #version = writable(0);
  readonly #ready: Promise<void>;
  #tag = '';
  #known: { readonly version: number; readonly words: KnownPrivateWords | undefined } | undefined;

  constructor(deps: TokenTableDeps = {}) {
    this.#deps = deps;
    this.#ready = this.#load();
    const stop = deps.keyValues?.subscribe(({ keys }) => {
      const changed = keys.filter((key) => key.startsWith(TOKENS));
      if (changed.length > 0) void this.#queue.run(() => this.#read(changed)).catch(notRead);
    });
    if (stop) deps.signal?.addEventListener('abort', stop, { once: true });
  }

  /** Increases with each change of the table. */
  get version(): Readable<number> {
    return this.#version;
  }

  /** Resolves when the stored table has been read. */
  readonly ready = (): Promise<void> => this.#ready;

  /** Returns the token of words that have one. */
  readonly tokenOf = (category: Category, words: string): string | undefined =>
    this.#tokens.get(keyOf(category, words));

  /** Returns the words of a token of this device. */
  readonly privateWordsOf = (token: string): string | undefined => {
    const [found] = token.matchAll(tokenPattern());
    if (!found || found[0] !== token || found[3] !== undefined) return undefined;
    const category = CATEGORIES.find((one) => LABELS[one] === found[1]);
    return (category && this.#words.get(category)?.[Number(found[2]) - 1]) ?? undefined;
  };

  /** Lists all words with a token, so that they are found anywhere. */
  readonly known = (): KnownPrivateWords | undefined => {
    const version = this.#version.get();
    if (this.#known?.version !== version)
      this.#known = {
        version,
        words: createKnownWords(
          [...this.#words].flatMap(([category, all]) =>
            all.flatMap((words) => (words === null ? [] : [{ category, words }])),
          ),
        ),
      };
    return this.#known.words;
  };

  /** Returns the form of a token for other devices: they lack its words, and their same number means something else. */
  readonly abroad = (token: string): string => token.replace(/\]$/, `@${this.#tag || '0000'}]`);

  /**
   * Runs `work` with tokens for all words that it asks about, and again if some had none: it must have no side effects.
   * If no number can be stored, words get no token, and stay hidden.
   */
  readonly withTokens = async <T>(work: (tokenOf: TokenOf) => T): Promise<T> => {
    await this.#ready;
    for (let tries = 0; tries < 3; tries++) {
      const missing = new Map<string, readonly [Category, string]>();
      const made = work((category, words) => {
        const token = this.tokenOf(category, words);
        if (token === undefined && words.length <= MAX_WORDS)
          missing.set(keyOf(category, words), [category, words]);
        return token ?? bareToken(category);
      });
      if (missing.size === 0) return made;
      try {
        await this.#number([...missing.values()]);
      } catch (error) {
        log.warn('Private words are hidden without a number', error);
        return made;
      }
    }
    return work((category, words) => this.tokenOf(category, words) ?? bareToken(category));
  };

  /** Makes tokens as they would be given, and stores none. */
  readonly preview = (): TokenOf => {
    const given = new Map<string, string>();
    const counts = new Map<Category, number>();
    return (category, words) => {
      const key = keyOf(category, words);
      const token = this.#tokens.get(key) ?? given.get(key);
      if (token !== undefined) return token;
      const count = (counts.get(category) ?? this.#words.get(category)?.length ?? 0) + 1;
      counts.set(category, count);
      given.set(key, tokenFor(category, count));
      return tokenFor(category, count);
    };
  };

  /** Removes the words in these texts from the table; their tokens mean nothing from now on. Durable when resolved. */
  readonly forget = async (texts: readonly string[]): Promise<void> => {
    await this.#ready;
    await this.#alone(async () => {
      const touched = new Set<string>();
      for (const [category, all] of this.#words)
        for (const [at, words] of all.entries())
          if (words !== null && texts.some((text) => text.includes(words))) {
            all[at] = null;
            this.#tokens.delete(keyOf(category, words));
            touched.add(pageKey(category, Math.floor(at / PAGE)));
          }
      await this.#write(touched);
    });
  };

  /** Gives numbers to words without one; they are stored before any token is used. */
  #number(entries: readonly (readonly [Category, string])[]): Promise<void> {
    return this.#alone(async () => {
      const touched = new Set<string>();
      const given: Category[] = [];
      for (const [category, words] of entries) {
        if (this.tokenOf(category, words) !== undefined) continue;
        const all = this.#words.get(category) ?? [];
        this.#words.set(category, all);
        all.push(words);
        given.push(category);
        touched.add(pageKey(category, Math.floor((all.length - 1) / PAGE)));
        this.#tokens.set(keyOf(category, words), tokenFor(category, all.length));
      }
      try {
        await this.#write(touched);
      } catch (error) {
        // Takes back numbers that could not be stored: the next caller gets them.
        for (const category of given) {
          const words = this.#words.get(category)?.pop();
          if (words) this.#tokens.delete(keyOf(category, words));
        }
        throw error;
      }
    });
  }

  /** Runs with the table as it is stored now, while no other code writes it. */
  #alone(work: () => Promise<void>): Promise<void> {
    const { exclusively = (_name: string, run: () => Promise<void>) => run() } = this.#deps;
    return this.#queue.run(() =>
      exclusively('recollect:privacy-tokens', async () => {
        await this.#readAll();
        await work();
      }),
    );
  }

  async #write(pages: ReadonlySet<string>): Promise<void> {
    const { keyValues } = this.#deps;
    for (const key of keyValues ? pages : []) {
      const { category, page } = pageOf(key) ?? {};
      if (category === undefined || page === undefined) continue;
      await keyValues?.set(key, (this.#words.get(category) ?? []).slice(page * PAGE, (page + 1) * PAGE));
    }
    this.#version.update((version) => version + 1);
  }

  async #load(): Promise<void> {
    try {
      await this.#readAll();
      const { keyValues } = this.#deps;
      if (this.#tag) return;
      this.#tag = randomTag();
      await keyValues?.set(TAG, this.#tag);
    } catch (error) {
      notRead(error);
    }
  }

  async #readAll(): Promise<void> {
    const { keyValues } = this.#deps;
    if (keyValues) await this.#read(await keyValues.keys(TOKENS));
  }

  async #read(keys: readonly string[]): Promise<void> {
    const { keyValues } = this.#deps;
    let changed = false;
    for (const key of keyValues ? keys : []) {
      const kept = await keyValues?.get(key);
      if (key === TAG) this.#tag = tagSchema.safeParse(kept).data ?? this.#tag;
      const { category, page } = pageOf(key) ?? {};
      if (category === undefined || page === undefined) continue;
      const all = this.#words.get(category) ?? [];
      this.#words.set(category, all);
      for (const [place, words] of pageSchema.parse(kept ?? []).entries()) {
        const at = page * PAGE + place;
        if (all[at] === words) continue;
        changed = true;
        const before = all[at];
        if (before) this.#tokens.delete(keyOf(category, before));
        all[at] = words;
        if (words !== null) this.#tokens.set(keyOf(category, words), tokenFor(category, at + 1));
      }
    }
    if (changed) this.#version.update((version) => version + 1);
  }
}

const keyOf = (category: Category, words: string): string => `${category} ${words}`;
const pageKey = (category: Category, page: number): string => `${TOKENS}${category}/${page}`;
function pageOf(key: string): { readonly category: Category; readonly page: number } | undefined {
  const [name, number] = key.slice(TOKENS.length).split('/');
  const category = CATEGORIES.find((one) => one === name);
  return category && /^\d{1,6}$/.test(number ?? '') ? { category, page: Number(number) } : undefined;
}
const notRead = (error: unknown): void => log.warn('The tokens of private words could not be read', error);
const randomTag = (): string =>
  [...crypto.getRandomValues(new Uint8Array(4))].map((byte) => (byte % 36).toString(36)).join('');
