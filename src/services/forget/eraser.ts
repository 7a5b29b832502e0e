// A record of what is forgotten, with the questions that places ask about it.
import { createMatcher, type Imprint } from '../../domain/forget/imprint.ts';
import type { Forgotten } from '../../domain/forget/sought.ts';
import { cleanValue, holdbackOf, type Occurrence } from '../documents/cleaning.ts';
import type { PurgeRules } from '../documents/documents.ts';

export interface Eraser extends PurgeRules {
  readonly record: Forgotten;
  /** True if something was said after the request: it is not meant and stays. */
  isLater(said: Occurrence): boolean;
  /**
   * True if this device made the request or learnt of it by an import or an undo; false if it came from another
   * device by sync.
   */
  readonly isOwn: boolean;
  /** Lists the positions of the searched words in a text, [from, to) in order. */
  spansIn(text: string): readonly (readonly [from: number, to: number])[];
  /** Removes what is forgotten from a value; returns the same object if there is nothing to remove. */
  clean<T>(value: T): T;
  /**
   * Removes recalled passages of forgotten messages, and the searched words; returns the same object if there is
   * nothing to remove.
   */
  cleanOfWords<T>(value: T): T;
}

const HIDES_NOTHING = (text: string) => ({ text, redacted: 0 });

/**
 * Builds the eraser of a record. `quotes` identifies quotations of forgotten messages; only the device that made the
 * request knows them.
 */
export function createEraser(record: Forgotten, quotes: readonly Imprint[] = [], isOwn = true): Eraser {
  const ids = new Set(record.ids);
  const isGone = (id: string): boolean => ids.has(id);
  const ahead = new Set(record.ahead);
  const isLater = ({ mark, at }: Occurrence): boolean => at > record.at && !ahead.has(mark);
  const words = createMatcher(record.words, record.id);
  const all = quotes.length === 0 ? words : createMatcher([...record.words, ...quotes], record.id);
  const hide = record.words.length + quotes.length === 0 ? HIDES_NOTHING : all.hide;
  const clean = <T>(value: T, hidden: PurgeRules['hide']): T =>
    cleanValue(value, holdbackOf({ hide: hidden, isGone, isLater })) as T;
  return {
    record,
    isGone,
    hide,
    isOwn,
    isLater,
    spansIn: words.spansIn,
    clean: (value) => clean(value, hide),
    cleanOfWords: (value) => clean(value, record.words.length === 0 ? HIDES_NOTHING : words.hide),
  };
}

/** Applies all records in turn; returns null as soon as nothing is left. `takenOut` applies one record. */
export const withoutAll = <T>(
  one: T,
  erasers: readonly Eraser[],
  takenOut: (one: T, eraser: Eraser, whole: boolean) => T | null,
): T | null =>
  erasers.reduce<T | null>(
    (left, eraser) => (left === null ? null : takenOut(left, eraser, eraser.record.whole)),
    one,
  );
