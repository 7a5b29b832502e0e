// A record of what is forgotten, as places ask it.
import { createMatcher, type Imprint } from '../../domain/forget/imprint.ts';
import type { Forgotten } from '../../domain/forget/sought.ts';
import { cleanValue, holdbackOf, type Said } from '../documents/cleaning.ts';
import type { PurgeRules } from '../documents/documents.ts';

export interface Eraser extends PurgeRules {
  readonly record: Forgotten;
  /** It was said after what was asked for: another thing, which stays. */
  isLater(said: Said): boolean;
  /** This device asked for it, or learns of it by an import or an undo; else another one did, and sync brought it. */
  readonly isOwn: boolean;
  /** Lists where the sought words occur in a text, [from, to) in order. */
  spansIn(text: string): readonly (readonly [from: number, to: number])[];
  /** The value without what goes: the same object where that is nothing. */
  clean<T>(value: T): T;
  /** The value without its passages of what is gone, and without the words that are sought: the same object where that is nothing. */
  cleanOfWords<T>(value: T): T;
}

const HIDES_NOTHING = (text: string) => ({ text, redacted: 0 });

/** `quotes`: by which sentences of messages that go are known where they stand once more; known on the device that began. */
export function createEraser(record: Forgotten, quotes: readonly Imprint[] = [], isOwn = true): Eraser {
  const ids = new Set(record.ids);
  const isGone = (id: string): boolean => ids.has(id);
  const ahead = new Set(record.ahead);
  const isLater = ({ mark, at }: Said): boolean => at > record.at && !ahead.has(mark);
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

/** Applies all records of forgetting in turn; null: nothing is left. `takenOut` applies one record. */
export const withoutAll = <T>(
  one: T,
  erasers: readonly Eraser[],
  takenOut: (one: T, eraser: Eraser, whole: boolean) => T | null,
): T | null =>
  erasers.reduce<T | null>(
    (left, eraser) => (left === null ? null : takenOut(left, eraser, eraser.record.whole)),
    one,
  );
