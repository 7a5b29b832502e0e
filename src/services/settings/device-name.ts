// Name of this device, given by its owner or guessed from the browser. Signs what is
// written here; others see it in sync.
import type { KeyValues } from '../../adapters/log/conversation-log.ts';
import { type Problem, toProblem } from '../../domain/base/errors.ts';
import { type Readable, writable } from '../../domain/base/readable.ts';
import { startOf } from '../../domain/text/whole-characters.ts';

const KEY = 'device-name';
/** Longest name, characters. */
export const MAX_DEVICE_NAME = 60;

export interface DeviceName {
  /** The owner's name; null: none yet, or not read yet. */
  readonly own: Readable<string | null>;
  /** The owner's name, or a guess in the language of the page. */
  get(): string;
  /** Empty: returns to the guess. Throws `storage-failed`, `storage-full`. */
  set(name: string): Promise<void>;
}

/**
 * Reads the device's name from the key-value store and follows changes by other tabs, for as long as the tab lives.
 * Errors in reading go to `onProblem`.
 */
export function createDeviceName({
  keyValues,
  guess,
  onProblem,
}: {
  readonly keyValues: KeyValues;
  readonly guess: () => string;
  readonly onProblem: (problem: Problem) => void;
}): DeviceName {
  const own = writable<string | null>(null);
  const read = async () => {
    const kept = await keyValues.get(KEY);
    own.set(typeof kept === 'string' && kept !== '' ? kept : null);
  };
  const follow = () => {
    read().catch((error: unknown) => onProblem(toProblem(error)));
  };
  follow();
  // Lives as long as the tab.
  keyValues.subscribe(({ keys }) => {
    if (keys.includes(KEY)) follow();
  });
  return {
    own,
    get: () => own.get() ?? guess(),
    set: async (name) => {
      const words = startOf(name.trim(), MAX_DEVICE_NAME);
      await keyValues.set(KEY, words === '' ? undefined : words);
      own.set(words === '' ? null : words);
    },
  };
}
