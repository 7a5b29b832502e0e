// Words about the index for the memory screen: they never claim more than is true when a figure arrives late.
import type { MemoryStatus } from '../../services/memory/memory.ts';

/** Word for the state and the sentences beside it, as catalogue keys under `screen`. */
interface IndexWords {
  readonly state: MemoryStatus['state'];
  /** True if everything that memory may keep can be found. */
  readonly settled: boolean;
  readonly details: readonly {
    readonly key: 'starting' | 'paused' | 'unread' | 'waiting' | 'empty' | 'ready' | 'readyWords';
    readonly count?: number;
  }[];
}

/** `indexed`: messages in the index, null while unknown. `said`: messages in the library. */
export function wordsOfIndex(
  { state, unread, waiting, embedding }: Pick<MemoryStatus, 'state' | 'unread' | 'waiting' | 'embedding'>,
  indexed: number | null,
  said: number,
): IndexWords {
  const settled = state === 'ready' && unread === 0 && waiting === 0;
  const details: IndexWords['details'][number][] = [];
  if (state === 'starting' || state === 'paused') details.push({ key: state });
  if (state !== 'starting' && state !== 'failed') {
    if (unread > 0) details.push({ key: 'unread', count: unread });
    if (waiting > 0) details.push({ key: 'waiting', count: waiting });
  }
  if (settled) {
    if (said === 0) details.push({ key: 'empty' });
    // An empty index of a non-empty library means that the figure is old or that everything is kept out of memory.
    else if (indexed !== 0) details.push({ key: embedding.status === 'failed' ? 'readyWords' : 'ready' });
  }
  return { state: state === 'ready' && !settled ? 'indexing' : state, settled, details };
}
