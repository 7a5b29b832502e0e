// Finds the files of a ZIP without its list, which stands at the end: a download that broke off has none. Goes from one
// local header to the next (APPNOTE.TXT 4.3.7); a file whose size stands behind it ends where that size is true.
import { decode } from './lenient-json.ts';

/** A file in a ZIP as it stands there. */
export interface PackedEntry {
  readonly filename: string;
  readonly isEncrypted: boolean;
  /** 0: stored, 8: deflate. */
  readonly method: number;
  /** Bytes; 0 if unknown, as in a file that is cut off. */
  readonly uncompressedSize: number;
  readonly crc: number | undefined;
  /** Offsets of its packed bytes. */
  readonly from: number;
  readonly to: number;
  /** ms since 1970, 0 if unknown. */
  readonly modifiedAt: number;
  readonly isCut: boolean;
}

const [LOCAL, CENTRAL, DESCRIPTOR] = [0x04034b50, 0x02014b50, 0x08074b50];
const LOCAL_BYTES = 30;
/** Sizes that stand in a field of their own (ZIP64). */
const IN_OWN_FIELD = 0xffffffff;
/** Bytes that are looked at together. */
const WINDOW = 4 * 1024 * 1024;

const viewOf = async (blob: Blob, from: number, to: number): Promise<DataView> =>
  new DataView(await blob.slice(from, Math.min(to, blob.size)).arrayBuffer());

/** Lists the files up to the damage; `isWhole` if all of them are there. `most`: files after which it stops. */
export async function scanned(
  blob: Blob,
  signal: AbortSignal,
  most: number,
): Promise<{ readonly entries: readonly PackedEntry[]; readonly isWhole: boolean }> {
  const entries: PackedEntry[] = [];
  let isWhole = true;
  for (let at = 0; entries.length <= most; ) {
    signal.throwIfAborted();
    const head = await viewOf(blob, at, at + LOCAL_BYTES);
    const sign = head.byteLength < 4 ? 0 : head.getUint32(0, true);
    if (sign === CENTRAL) return { entries, isWhole };
    isWhole &&= sign === LOCAL;
    const entry = sign === LOCAL ? await entryAt(blob, at, head, signal) : undefined;
    if (entry) entries.push(entry);
    if (entry?.isCut || (sign === LOCAL && !entry)) break;
    const next = entry ? entry.next : await nextSign(blob, at + 1, signal, (_, one) => one === LOCAL);
    if (next === undefined) break;
    at = next;
  }
  return { entries, isWhole: false };
}

async function entryAt(
  blob: Blob,
  at: number,
  head: DataView,
  signal: AbortSignal,
): Promise<(PackedEntry & { readonly next: number }) | undefined> {
  if (head.byteLength < LOCAL_BYTES) return undefined;
  const [flags, method] = [head.getUint16(6, true), head.getUint16(8, true)];
  const [nameLength, extraLength] = [head.getUint16(26, true), head.getUint16(28, true)];
  const from = at + LOCAL_BYTES + nameLength + extraLength;
  if (from > blob.size) return undefined;
  const names = await viewOf(blob, at + LOCAL_BYTES, from);
  const filename = decode(new Uint8Array(names.buffer, 0, nameLength));
  const sizes = sizesIn(head, new DataView(names.buffer, nameLength));
  const known = (flags & 8) === 0;
  const end = known ? undefined : await endOf(blob, from, signal);
  const to = known ? from + sizes.packed : (end?.to ?? blob.size);
  const isCut = to > blob.size || (!known && end === undefined);
  const details = end ?? { crc: head.getUint32(14, true), size: sizes.unpacked };
  return {
    filename,
    isEncrypted: (flags & 1) === 1,
    method,
    uncompressedSize: !known && end === undefined ? 0 : details.size,
    crc: isCut ? undefined : details.crc,
    from,
    to: Math.min(to, blob.size),
    modifiedAt: timeOf(head.getUint16(12, true), head.getUint16(10, true)),
    isCut,
    next: end?.next ?? to,
  };
}

const big = (view: DataView, at: number): number => Number(view.getBigUint64(at, true));

/** The sizes of a local header, or those of its ZIP64 field. */
function sizesIn(head: DataView, extra: DataView): { readonly packed: number; readonly unpacked: number } {
  let [packed, unpacked] = [head.getUint32(18, true), head.getUint32(22, true)];
  for (let at = 0; at + 4 <= extra.byteLength; at += 4 + extra.getUint16(at + 2, true)) {
    if (extra.getUint16(at, true) !== 1) continue;
    let field = at + 4;
    if (unpacked === IN_OWN_FIELD && field + 8 <= extra.byteLength) {
      unpacked = big(extra, field);
      field += 8;
    }
    if (packed === IN_OWN_FIELD && field + 8 <= extra.byteLength) packed = big(extra, field);
  }
  return { packed, unpacked };
}

interface End {
  /** Offsets of the end of the bytes, and of what stands behind the sizes. */
  readonly to: number;
  readonly next: number;
  readonly crc: number;
  readonly size: number;
}

/** Bytes of the sizes behind a file: signature, checksum, two sizes of four bytes each, or of eight. */
const [SHORT, LONG] = [16, 24];

/** Finds the end of a file whose sizes stand behind it; undefined if it is cut off. */
async function endOf(blob: Blob, from: number, signal: AbortSignal): Promise<End | undefined> {
  let end: End | undefined;
  await nextSign(blob, from, signal, (view, sign, at, offset) => {
    const isSigned = sign === DESCRIPTOR;
    if (!isSigned && sign !== LOCAL && sign !== CENTRAL) return false;
    for (const bytes of [SHORT, LONG]) {
      // Without a signature of their own the sizes stand right before the next one.
      const crcAt = isSigned ? offset + 4 : offset - (bytes - 4);
      if (crcAt < 0 || crcAt + bytes - 4 > view.byteLength) continue;
      const to = at + (crcAt - offset) - (isSigned ? 4 : 0);
      const [packed, size] =
        bytes === SHORT
          ? [view.getUint32(crcAt + 4, true), view.getUint32(crcAt + 8, true)]
          : [big(view, crcAt + 4), big(view, crcAt + 12)];
      if (to < from || packed !== to - from) continue;
      end = { to, next: isSigned ? at + bytes : at, crc: view.getUint32(crcAt, true), size };
      return true;
    }
    return false;
  });
  return end;
}

/**
 * Finds the offset of the next signature for which `fits`; undefined if there is none. `fits` gets the bytes around it,
 * the signature, its offset in the ZIP and in these bytes.
 */
async function nextSign(
  blob: Blob,
  from: number,
  signal: AbortSignal,
  fits: (view: DataView, sign: number, at: number, offset: number) => boolean,
): Promise<number | undefined> {
  for (let start = from; start < blob.size; start += WINDOW) {
    signal.throwIfAborted();
    const before = Math.max(0, start - LONG);
    const view = await viewOf(blob, before, start + WINDOW + LONG);
    const bytes = new Uint8Array(view.buffer);
    const last = Math.min(start - before + WINDOW, bytes.length - 3);
    for (
      let at = bytes.indexOf(0x50, start - before);
      at >= 0 && at < last;
      at = bytes.indexOf(0x50, at + 1)
    ) {
      if (bytes[at + 1] !== 0x4b) continue;
      if (fits(view, view.getUint32(at, true), before + at, at)) return before + at;
    }
  }
  return undefined;
}

/** A date and a time of DOS, in the time zone of this device, as other readers of ZIPs take them. */
function timeOf(date: number, time: number): number {
  const at = new Date(
    1980 + (date >> 9),
    ((date >> 5) & 15) - 1,
    date & 31,
    time >> 11,
    (time >> 5) & 63,
    (time & 31) * 2,
  ).getTime();
  return timeOfEntry(at);
}

/** Programs that keep no times write the first one that a ZIP can hold. */
const EARLIEST = Date.UTC(1990, 0, 1);
/** Time of a file in a ZIP, ms since 1970; 0 where it has none. */
export const timeOfEntry = (at: number): number => (Number.isFinite(at) && at >= EARLIEST ? at : 0);
