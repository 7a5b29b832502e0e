// The page that is killed in `engines-kill.long.test.ts`, and measured in `engines.bench.ts`.
import { type IndexInWorker, openIndexInWorker } from '../../../src/adapters/index/worker.ts';
import type { LeaderWork } from './index.worker.ts';
import { changeOf, DIMENSIONS, MODEL, messageRow, ownWord, question, timeApplies, vectorOf } from './load.ts';

export interface Harness {
  /** Opens the index; how long it took, ms. */
  open(engine: 'opfs' | 'indexeddb', id?: string): Promise<number>;
  /** Applies and embeds message after message, reporting each acknowledgement, until the page dies. */
  write(from: number): Promise<never>;
  /**
   * What is there: the bookmark, how many messages, which of the given numbers cannot be found by words or by vector.
   */
  find(numbers: readonly number[]): Promise<{
    bookmark: number;
    messages: number;
    vectors: number;
    common: number;
    lostWords: number[];
    lostVectors: number[];
  }>;
  lead<Verb extends keyof LeaderWork>(
    verb: Verb,
    ...numbers: number[]
  ): Promise<Awaited<ReturnType<LeaderWork[Verb]>>>;
  timeApplies(from: number, count: number): Promise<number[]>;
  timeSearches(
    count: number,
    words: number,
    mode: 'both' | 'words' | 'vector',
    exclude: boolean,
  ): Promise<number[]>;
  isLeader(): boolean;
  bytes(): Promise<number>;
  close(): Promise<void>;
}

declare global {
  interface Window {
    harness: Harness;
    acknowledge(kind: 'applied' | 'embedded', n: number): Promise<void>;
  }
}

let opened: IndexInWorker;

window.harness = {
  open: async (engine, id = 'harness') => {
    const started = performance.now();
    opened = await openIndexInWorker(
      () => new Worker(new URL('./index.worker.ts', import.meta.url), { type: 'module' }),
      { wanted: engine, id },
    );
    await opened.index.bookmark();
    if (opened.engine !== engine) throw new Error(`Opened ${opened.engine} instead of ${engine}`);
    return performance.now() - started;
  },

  write: async (from) => {
    for (let n = from; ; n++) {
      await opened.index.apply(changeOf([messageRow(n)]), n + 1);
      await window.acknowledge('applied', n);
      const stale = await opened.index.pendingChunks(MODEL, 1);
      await opened.index.put(
        MODEL,
        stale.map((chunk) => ({ chunkId: chunk.id, values: vectorOf(n) })),
      );
      await window.acknowledge('embedded', n);
    }
  },

  find: async (numbers) => {
    const { index } = opened;
    const [lostWords, lostVectors]: [number[], number[]] = [[], []];
    for (const n of numbers) {
      const { candidates: hits } = await index.search({
        words: ownWord(n),
        vector: { model: MODEL, values: vectorOf(n) },
        filter: {},
        limit: 1,
      });
      if (!hits.some((hit) => hit.bm25 > 0)) lostWords.push(n);
      if (!hits.some((hit) => (hit.cosine ?? 0) > 0.999)) lostVectors.push(n);
    }
    const stats = await index.stats(MODEL);
    const common = (await index.search({ words: 'common', filter: {}, limit: 1_000_000 })).candidates;
    return {
      bookmark: await index.bookmark(),
      messages: stats.messages,
      vectors: stats.vectors,
      common: common.length,
      lostWords,
      lostVectors,
    };
  },

  lead: (verb, ...numbers) =>
    new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = ({ data }) => {
        port1.close();
        resolve(data);
      };
      opened.post({ verb, numbers }, [port2]);
    }),

  timeApplies: (from, count) => timeApplies(opened.index, from, count),

  timeSearches: async (count, words, mode, exclude) => {
    const times: number[] = [];
    for (let n = 0; n < count; n++) {
      const query = {
        words: mode === 'vector' ? '' : question(n * 37, words),
        ...(mode === 'words'
          ? {}
          : { vector: { model: MODEL, values: vectorOf(-n - 1).subarray(0, DIMENSIONS) } }),
        filter: exclude ? { excludeConversationIds: [messageRow(n * 37).conversationId] } : {},
        limit: 50,
      };
      const started = performance.now();
      const { candidates: hits } = await opened.index.search(query);
      times.push(performance.now() - started);
      if (hits.length < (mode === 'words' ? 1 : 50)) throw new Error(`Only ${hits.length} candidates`);
    }
    return times;
  },

  isLeader: () => opened.isLeader(),
  bytes: async () => (await opened.index.stats(MODEL)).bytes,
  close: () => opened.index.close(),
};
