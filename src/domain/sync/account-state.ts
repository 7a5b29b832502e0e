// Facts that devices share in the index room, by key; the latest of each counts. Merging them in any order, any number
// of times, gives the same, so that deltas, segments and snapshots of the index are all just sets of facts.
//   device/<device>           who belongs to the account; null: it left, or was taken off the list
//   head/<document>/<device>  what the device holds of a document's room (a version announcement), in which epoch
//   epoch/<document> the room moved: a damaged envelope was made again, or a full one left for one that is smaller
//   gone/<document> erased for good, up to and including an epoch
import { z } from 'zod';
import type { Hlc } from './hlc.ts';

export interface StateEntry {
  readonly value: unknown;
  readonly time: Hlc;
}

export const deviceSchema = z.object({
  name: z.string().max(200),
  pairedAt: z.number(),
  seenAt: z.number(),
});
export type DeviceState = z.infer<typeof deviceSchema>;

const versionVectorSchema = z.record(z.string(), z.number());
export const announcementSchema = z.object({ epoch: z.number(), have: versionVectorSchema });
export type VersionAnnouncement = z.infer<typeof announcementSchema>;

/** `brought`: the device that wrote this puts the whole document there. */
export const epochSchema = z.object({ epoch: z.number(), brought: z.boolean().default(false) });

export const tombstoneSchema = z.object({ epoch: z.number(), have: versionVectorSchema, at: z.number() });
export type Tombstone = z.infer<typeof tombstoneSchema>;

export const stateRowsSchema = z.array(z.tuple([z.string(), z.unknown(), z.string()]));
/** Stored form: [key, value, time]. */
export type StateRows = z.infer<typeof stateRowsSchema>;

/** Key of a device's row. */
export const deviceKey = (device: string) => `device/${device}`;
/** Key of the head that a device announces for a document. */
export const announcementKey = (document: string, device: string) => `head/${document}/${device}`;
/** Key of a document's epoch. */
export const epochKey = (document: string) => `epoch/${document}`;
/** Key of the row that marks a document as erased (its tombstone). */
export const tombstoneKey = (document: string) => `gone/${document}`;

/** Returns entries by key as rows of key, value and time. */
export const toRows = (entries: Iterable<readonly [string, StateEntry]>): StateRows =>
  [...entries].map(([key, { value, time }]) => [key, value, time]);

/**
 * True if `a` wins over `b`. Equal times (a cloned device) are settled by the value, in the same way on all devices.
 */
export function isLater(a: StateEntry, b: StateEntry | undefined): boolean {
  if (!b) return true;
  if (a.time !== b.time) return a.time > b.time;
  return JSON.stringify(a.value) > JSON.stringify(b.value);
}

/** Merges later entries; returns the keys that changed. */
export function mergeState(into: Map<string, StateEntry>, rows: StateRows): string[] {
  const changed: string[] = [];
  for (const [key, value, time] of rows) {
    const entry = { value, time };
    if (!isLater(entry, into.get(key))) continue;
    into.set(key, entry);
    changed.push(key);
  }
  return changed;
}
