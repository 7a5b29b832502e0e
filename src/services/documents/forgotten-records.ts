// Records of what was forgotten, in the document of the notes, so that they travel to the person's other devices:
//   x id -> record as JSON (the same map as a conversation's: sync counts its keys, and replaces a room that still has
//   the words) k `id/device` -> confirmation (that device did what the record asks)
import {
  type Confirmation,
  confirmationSchema,
  type Forgotten,
  forgottenSchema,
} from '../../domain/forget/sought.ts';
import { plain, type ValueMaps } from './small-document.ts';

/** A record, with the ids of devices that confirmed it. */
export interface ForgottenRecord extends Forgotten {
  readonly confirmed: ReadonlyMap<string, Confirmation>;
}

/** Newest first. */
export function readForgotten(maps: ValueMaps): ForgottenRecord[] {
  const confirmed = new Map<string, Map<string, Confirmation>>();
  for (const [key, value] of maps('k')) {
    const parsed = confirmationSchema.safeParse(value);
    const slash = key.indexOf('/');
    if (!parsed.success || slash < 0) continue;
    const id = key.slice(0, slash);
    confirmed.set(
      id,
      (confirmed.get(id) ?? new Map<string, Confirmation>()).set(key.slice(slash + 1), parsed.data),
    );
  }
  return [...maps('x')]
    .flatMap(([key, value]) => {
      const parsed = forgottenSchema.safeParse(value);
      return parsed.success && parsed.data.id === key
        ? [
            {
              ...(parsed.data as Forgotten),
              confirmed: confirmed.get(key) ?? new Map<string, Confirmation>(),
            },
          ]
        : [];
    })
    .sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1));
}

/** Adds the record unless it exists. Call within a transaction. */
export function writeForgotten(maps: ValueMaps, record: Forgotten): void {
  const records = maps('x');
  if (!records.has(record.id)) records.set(record.id, plain(record));
}

/** Call within a transaction. */
export function writeConfirmation(
  maps: ValueMaps,
  id: string,
  device: string,
  { at, left }: Confirmation,
): void {
  maps('k').set(`${id}/${device}`, { at, left });
}
