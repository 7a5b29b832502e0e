// Conversations out, as a file a person can keep.
import type { Told } from '../../domain/chat/archive.ts';
import type { Conversation } from '../../domain/chat/conversation.ts';

export interface Exporter {
  readonly id: string;
  readonly label: string;
  /** Without the dot. `json` for one file, `zip` where several conversations become several files. */
  readonly extension: (conversations: number) => string;
  readonly mediaType: (conversations: number) => string;
  /** Yields the file in pieces, so that a large library never lies in memory twice. */
  write(
    conversations: AsyncIterable<Conversation>,
    /** `told`: what the person told memory, where everything is exported. */
    options: { count: number; now: number; signal: AbortSignal; told?: Told },
  ): AsyncIterable<Uint8Array>;
}
