// Requests of a tab to the engine that syncs. Small, and without secrets: keys travel through the vault.
import { z } from 'zod';
import type { SyncLocation } from './sync.ts';

export const syncRequestSchema = z.discriminatedUnion('do', [
  /**
   * Checks with the relay that the key kept in the vault under this id opens something,
   * then makes it this device's account.
   */
  z.object({
    do: z.literal('join'),
    account: z.string(),
    mode: z.enum(['remote', 'managed']),
    endpoint: z.string(),
    realm: z.string(),
    fingerprint: z.string(),
    deviceName: z.string(),
    /** Latest time in the index that the offering device knew. */
    index: z.string().nullable(),
  }),
  /** Opens an empty room with the token kept in the vault under this id, and leaves it again. */
  z.object({ do: z.literal('knock'), account: z.string(), endpoint: z.string() }),
  z.object({
    do: z.literal('revoke'),
    device: z.string(),
    /** Continue although parts of the account are missing here: the reason that the person was shown and accepted. */
    anyway: z.enum(['fetching', 'lacking', 'unreachable']).nullable(),
  }),
  /** Takes a device off the list of members. */
  z.object({ do: z.literal('take-off'), device: z.string() }),
  z.object({ do: z.literal('forget'), documents: z.array(z.string()) }),
  z.object({ do: z.literal('leave'), erase: z.boolean() }),
  z.object({ do: z.literal('look'), force: z.boolean() }),
  z.object({ do: z.literal('where'), document: z.string() }),
  /** Latest time in the index, for a pairing link. */
  z.object({ do: z.literal('index') }),
  z.object({ do: z.literal('open'), tab: z.string(), documents: z.array(z.string()) }),
]);
export type SyncRequest = z.infer<typeof syncRequestSchema>;

export type SyncAnswer = SyncLocation | string | null;
