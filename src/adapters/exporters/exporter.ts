// Conversations out, as a file a person can keep.
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
    options: { count: number; now: number; signal: AbortSignal },
  ): AsyncIterable<Uint8Array>;
}
