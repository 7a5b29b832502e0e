// How the second copy of the log lies in a file: records back to back, each with its own checksums, so that a torn or
// damaged one costs only itself. What was taken out is overwritten with zeros.
//
//   record = MARK (4) · length of the payload (4) · CRC-32 of the payload (4) · CRC-32 of these twelve (4) · payload
//   payload = length of the description (4) · description (JSON, UTF-8) · the entry's bytes
import { z } from 'zod';
import type { DocumentId, EntryId } from '../../domain/base/ids.ts';
import { log } from '../../domain/base/log.ts';
import { checksum } from './checksum.ts';
import type { LogEntry } from './conversation-log.ts';

/** UTF-8 contains neither of the first two bytes, so text is never mistaken for a record. Read from the left. */
const MARK = Uint8Array.of(0xff, 0xc0, 0x52, 0x31);
const HEAD = 16;

const description = z.object({
  id: z.string().min(1),
  document: z.string().min(1),
  origin: z.enum(['user', 'import', 'remote', 'fold']),
  seq: z.number().int().positive(),
  at: z.number(),
});

/** A sound record and its position. */
export interface CopyRecord {
  readonly entry: LogEntry;
  /** Offset in the file, bytes. */
  readonly offset: number;
  readonly size: number;
}

interface Scanned {
  readonly records: readonly CopyRecord[];
  /** End of the last sound record: the rest is torn, and is overwritten. */
  readonly end: number;
  /** Bytes before `end` that belong to no sound record. */
  readonly idle: number;
  /** Stretches before `end` that are neither sound nor removed. */
  readonly damaged: readonly { readonly offset: number; readonly size: number }[];
}

/** Encodes an entry as a record. */
export function recordOf({ id, document, origin, seq, at, bytes }: LogEntry): Uint8Array {
  const described = new TextEncoder().encode(JSON.stringify({ id, document, origin, seq, at }));
  const length = 4 + described.length + bytes.length;
  const record = new Uint8Array(HEAD + length);
  const view = new DataView(record.buffer);
  view.setUint32(HEAD, described.length, true);
  record.set(described, HEAD + 4);
  record.set(bytes, HEAD + 4 + described.length);
  record.set(MARK);
  view.setUint32(4, length, true);
  view.setUint32(8, checksum(record.subarray(HEAD)), true);
  view.setUint32(12, checksum(record.subarray(0, 12)), true);
  return record;
}

/** Length of the payload if the head at `offset` is sound, else null. */
function payloadLength(file: Uint8Array, offset: number): number | null {
  if (offset + HEAD > file.length) return null;
  if (MARK.some((byte, at) => file[offset + at] !== byte)) return null;
  const view = new DataView(file.buffer, file.byteOffset + offset, HEAD);
  if (view.getUint32(12, true) !== checksum(file.subarray(offset, offset + 12))) return null;
  return view.getUint32(4, true);
}

/** Decodes the entry of a record with a sound head, or null. Its bytes are a view of the file's. */
function entryAt(file: Uint8Array, offset: number, length: number): LogEntry | null {
  if (length < 4 || offset + HEAD + length > file.length) return null;
  const view = new DataView(file.buffer, file.byteOffset + offset, HEAD + length);
  const payload = file.subarray(offset + HEAD, offset + HEAD + length);
  if (view.getUint32(8, true) !== checksum(payload)) return null;
  const described = view.getUint32(HEAD, true);
  if (4 + described > length) return null;
  const parsed = description.safeParse(jsonOf(payload.subarray(4, 4 + described)));
  if (!parsed.success) return null;
  const { id, document, ...rest } = parsed.data;
  return {
    ...rest,
    id: id as EntryId,
    document: document as DocumentId,
    bytes: payload.subarray(4 + described),
  };
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    // The checksum was right, so another app wrote it in another form.
    log.debug('A record of the copy is described in another form', error);
    return undefined;
  }
}

/** Finds every sound record of a file, whatever lies between them. Reads each byte a fixed number of times. */
export function scanCopy(file: Uint8Array): Scanned {
  const records: CopyRecord[] = [];
  const unsound: { readonly offset: number; readonly size: number }[] = [];
  let [at, end, sound] = [0, 0, 0];
  while (at < file.length) {
    const length = payloadLength(file, at);
    if (length === null) {
      const next = file.indexOf(MARK[0] as number, at + 1);
      const until = next < 0 ? file.length : next;
      // Zeros replace removed records.
      if (file.subarray(at, until).some((byte) => byte !== 0)) unsound.push({ offset: at, size: until - at });
      at = until;
      continue;
    }
    const size = HEAD + length;
    const entry = entryAt(file, at, length);
    if (entry) {
      records.push({ entry, offset: at, size });
      sound += size;
      end = at + size;
    } else unsound.push({ offset: at, size: Math.min(size, file.length - at) });
    // The head is sound, so its length is right: nothing within a damaged record is taken for one.
    at += size;
  }
  const damaged = unsound.filter(({ offset }) => offset < end);
  return { records, end, idle: end - sound, damaged };
}
