// Words on the index for the memory screen: never more than is so, whichever figure came a moment too late.
import type { MemoryStatus } from '../../services/memory/memory.ts';

/** The state's word and the sentences beside it, as keys of the catalogue under `screen`. */
interface IndexWords {
  readonly state: MemoryStatus['state'];
  /** Everything that is remembered can be found. */
  readonly settled: boolean;
  readonly details: readonly {
    readonly key: 'starting' | 'paused' | 'unread' | 'waiting' | 'empty' | 'ready' | 'readyWords';
    readonly count?: number;
  }[];
}

/** `indexed`: messages in the index, null while that is not known. `said`: messages in the library. */
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
    // With nothing in an index of a library that is not empty the figure is old, or everything is kept out of memory.
    else if (indexed !== 0) details.push({ key: embedding.status === 'failed' ? 'readyWords' : 'ready' });
  }
  return { state: state === 'ready' && !settled ? 'indexing' : state, settled, details };
}
