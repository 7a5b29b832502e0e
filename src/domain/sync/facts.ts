// What devices tell one another in the index room: facts by key, the latest of each counts. Merging them in any order, any number of
// times, gives the same, so that deltas, segments and snapshots of the index are all just sets of facts.
//   device/<device>           who belongs to the account; null: it left, or was taken off the list
//   head/<document>/<device>  what the device holds of a document's room (a beacon), in which epoch
//   epoch/<document>          the room moved: a damaged envelope was made again, or a full one left for one that is smaller
//   gone/<document>           erased for good, up to and including an epoch
import { z } from 'zod';
import type { Hlc } from './hlc.ts';

export interface Fact {
  readonly value: unknown;
  readonly time: Hlc;
}
export type Facts = ReadonlyMap<string, Fact>;

export const deviceFact = z.object({
  name: z.string().max(200),
  pairedAt: z.number(),
  seenAt: z.number(),
});
export type DeviceFact = z.infer<typeof deviceFact>;

const reachSchema = z.record(z.string(), z.number());
export const headFact = z.object({ epoch: z.number(), have: reachSchema });
export type HeadFact = z.infer<typeof headFact>;

/** `brought`: the device that says so puts all of the document there. */
export const epochFact = z.object({ epoch: z.number(), brought: z.boolean().default(false) });
export type EpochFact = z.infer<typeof epochFact>;

export const goneFact = z.object({ epoch: z.number(), have: reachSchema, at: z.number() });
export type GoneFact = z.infer<typeof goneFact>;

export const factsSchema = z.array(z.tuple([z.string(), z.unknown(), z.string()]));
/** As it is written: [key, value, time]. */
export type FactRows = z.infer<typeof factsSchema>;

export const deviceKey = (device: string) => `device/${device}`;
export const headKey = (document: string, device: string) => `head/${document}/${device}`;
export const epochKey = (document: string) => `epoch/${document}`;
export const goneKey = (document: string) => `gone/${document}`;

export const toRows = (facts: Iterable<readonly [string, Fact]>): FactRows =>
  [...facts].map(([key, { value, time }]) => [key, value, time]);

/** True where `a` counts and `b` does not. Equal times (a cloned device) are settled by the value, the same on all devices. */
export function isLater(a: Fact, b: Fact | undefined): boolean {
  if (!b) return true;
  if (a.time !== b.time) return a.time > b.time;
  return JSON.stringify(a.value) > JSON.stringify(b.value);
}

/** Takes over what is later; returns the keys that changed. */
export function mergeFacts(into: Map<string, Fact>, rows: FactRows): string[] {
  const changed: string[] = [];
  for (const [key, value, time] of rows) {
    const fact = { value, time };
    if (!isLater(fact, into.get(key))) continue;
    into.set(key, fact);
    changed.push(key);
  }
  return changed;
}
