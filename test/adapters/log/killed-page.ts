// The page of the kill test: appends without pause and says what was acknowledged; a later page tells what it finds.
import { STORAGE_LOST } from '../../../src/adapters/log/idb-connection.ts';
import { openIndexedDbStore } from '../../../src/adapters/log/indexed-db.ts';
import { asConversationId, newEntryId } from '../../../src/domain/base/ids.ts';

/** Never folded, folded now and then, and one whose entries are large. */
const PLAIN = asConversationId('plain');
const FOLDED = asConversationId('folded');
const LARGE = asConversationId('large');

/** An entry says which numbers it stands for; a fold stands for those of all it replaced. */
const bytesOf = (numbers: readonly number[], size: number) =>
  new TextEncoder().encode(JSON.stringify(numbers).padEnd(size));
const numbersIn = (bytes: Uint8Array) => JSON.parse(new TextDecoder().decode(bytes)) as number[];

export interface Found {
  readonly numbers: readonly number[];
  /** The number written to the key-value store together with the entry. */
  readonly last: number;
  readonly stats: { entries: number; bytes: number };
  readonly counted: { entries: number; bytes: number };
  readonly head: number;
}

export interface KilledPage {
  write(from: number): Promise<never>;
  find(): Promise<Found>;
  /** ms per append of 1 KB, one after the other. */
  time(times: number): Promise<number[]>;
  /** Appends so many bytes; the code of the problem, or undefined. */
  fill(bytes: number): Promise<string | undefined>;
  /** Codes of the problems reported at opening. */
  problems(): Promise<string[]>;
  /** Puts aside what the key-value store says about a lost database. */
  dismiss(): Promise<void>;
}

declare global {
  interface Window {
    log: KilledPage;
    acknowledge(numbers: readonly number[]): void;
  }
}

const problems: string[] = [];
const opening = openIndexedDbStore({ name: 'killed', onProblem: ({ code }) => problems.push(code) });

window.log = {
  async write(from) {
    const { log } = await opening;
    for (let n = from; ; n += 1) {
      const numbers = n % 7 === 0 ? [n, ++n, ++n] : [n];
      const document = n % 11 === 0 ? LARGE : n % 2 === 0 ? PLAIN : FOLDED;
      await log.append(
        numbers.map((number) => ({
          id: newEntryId(),
          document,
          origin: 'user',
          bytes: bytesOf([number], document === LARGE ? 300_000 : 1024),
        })),
        [{ key: 'last', value: n }],
      );
      window.acknowledge(numbers);
      if (n % 15 === 0) {
        const entries = await log.read(FOLDED);
        const upTo = entries.at(-1)?.seq;
        if (upTo !== undefined)
          await log.replaceBySnapshot(
            FOLDED,
            bytesOf(
              entries.flatMap(({ bytes }) => numbersIn(bytes)),
              0,
            ),
            upTo,
          );
      }
    }
  },

  async find() {
    const { log, keyValues } = await opening;
    const entries = await log.since(0, Number.POSITIVE_INFINITY);
    return {
      numbers: entries.flatMap(({ bytes }) => numbersIn(bytes)),
      last: ((await keyValues.get('last')) as number | undefined) ?? -1,
      stats: await log.stats(),
      counted: {
        entries: entries.length,
        bytes: entries.reduce((sum, { bytes }) => sum + bytes.byteLength, 0),
      },
      head: await log.head(),
    };
  },

  async time(times) {
    const { log } = await opening;
    const took: number[] = [];
    for (let n = 0; n < times; n += 1) {
      const entry = {
        id: newEntryId(),
        document: asConversationId(`timed ${n % 20}`),
        origin: 'user' as const,
        bytes: bytesOf([], 1024),
      };
      const before = performance.now();
      await log.append([entry]);
      took.push(performance.now() - before);
    }
    return took;
  },

  async fill(bytes) {
    const { log } = await opening;
    const entry = { id: newEntryId(), document: LARGE, origin: 'user' as const, bytes: bytesOf([-1], bytes) };
    return log.append([entry], [{ key: 'filled', value: bytes }]).then(
      () => undefined,
      (error: { problem?: { code: string } }) => error.problem?.code ?? String(error),
    );
  },

  async problems() {
    await opening;
    return problems;
  },

  async dismiss() {
    await (await opening).keyValues.set(STORAGE_LOST, undefined);
  },
};
