// Merges Yjs updates (format v1) for the relay, finds the part that a client lacks, and leaves out deleted content. All
// of it works on the encoded bytes, in linear time but for sorting; no Yjs document or item is ever built. `maxPieces`
// bounds what an update would unpack to.
//
//   updates ──► UpdateTable (where each struct lies) ──► order by client, clock ──► copy byte ranges, cut at overlaps
import {
  ByteReader,
  HAS_ORIGIN,
  HAS_RIGHT_ORIGIN,
  KIND,
  KIND_BITS,
  UpdateTable,
  unitsOfByte,
} from './update-table.ts';

/** Writes lib0's encoding (lib0/encoding.js) into bytes that grow as needed. */
class ByteWriter {
  #bytes: Uint8Array;
  #at = 0;
  constructor(size: number) {
    this.#bytes = new Uint8Array(Math.max(64, size));
  }

  /** Count of written bytes. */
  get length(): number {
    return this.#at;
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#at + bytes));
    grown.set(this.#bytes.subarray(0, this.#at));
    this.#bytes = grown;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#at++] = value;
  }

  /** Writes a varUint: 7 bits a byte, low ones first. */
  uint(value: number): void {
    let rest = value;
    while (rest > 127) {
      this.byte((rest % 128) | 128);
      rest = Math.floor(rest / 128);
    }
    this.byte(rest);
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  /** Returns a view of the written bytes from `from` to `to`. */
  view(from = 0, to = this.#at): Uint8Array {
    return this.#bytes.subarray(from, to);
  }
}

/** Writes an update: its structs client after client, then its deletions. */
class StructWriter {
  /** Bytes of the structs alone. */
  readonly out: ByteWriter;
  /** Clients with the clock and count of their structs, and the offset of these in `out`. */
  readonly #clients: { client: number; clock: number; count: number; from: number }[] = [];
  #current: { client: number; clock: number; count: number; from: number } | undefined;

  constructor(size: number) {
    this.out = new ByteWriter(size);
  }

  /** Counts the struct that the caller writes to `out` next. */
  begin(client: number, clock: number): void {
    if (this.#current?.client !== client) {
      this.#current = { client, clock, count: 0, from: this.out.length };
      this.#clients.push(this.#current);
    }
    this.#current.count++;
  }

  /** Returns the whole update. */
  finish(deletions: Deletions): Uint8Array {
    const whole = new ByteWriter(this.out.length + 16 * this.#clients.length + 16 * deletions.count);
    whole.uint(this.#clients.length);
    for (const [index, { client, clock, count, from }] of this.#clients.entries()) {
      whole.uint(count);
      whole.uint(client);
      whole.uint(clock);
      whole.raw(this.out.view(from, this.#clients[index + 1]?.from));
    }
    deletions.write(whole);
    return whole.view();
  }
}

/** Deletions of a table, joined where they touch: by client, high ones first, then by clock. */
class Deletions {
  count = 0;
  readonly client: Float64Array;
  readonly from: Float64Array;
  readonly to: Float64Array;

  constructor({ deletions }: UpdateTable) {
    this.client = new Float64Array(deletions.count);
    this.from = new Float64Array(deletions.count);
    this.to = new Float64Array(deletions.count);
    for (const row of deletions.order()) {
      const client = deletions.client[row] as number;
      const from = deletions.clock[row] as number;
      const to = from + (deletions.length[row] as number);
      const last = this.count - 1;
      if (last >= 0 && this.client[last] === client && from <= (this.to[last] as number))
        this.to[last] = Math.max(this.to[last] as number, to);
      else {
        this.client[this.count] = client;
        this.from[this.count] = from;
        this.to[this.count] = to;
        this.count++;
      }
    }
  }

  /** Writes the delete set that ends an update (yjs/src/utils/DeleteSet.js). */
  write(out: ByteWriter): void {
    let clients = 0;
    for (let at = 0; at < this.count; at++)
      if (at === 0 || this.client[at] !== this.client[at - 1]) clients++;
    out.uint(clients);
    for (let at = 0; at < this.count; ) {
      const first = at;
      while (at < this.count && this.client[at] === this.client[first]) at++;
      out.uint(this.client[first] as number);
      out.uint(at - first);
      for (let range = first; range < at; range++) {
        out.uint(this.from[range] as number);
        out.uint((this.to[range] as number) - (this.from[range] as number));
      }
    }
  }

  /** True if each range of `others` lies within one of these. */
  cover(others: Deletions): boolean {
    let at = 0;
    for (let other = 0; other < others.count; other++) {
      const client = others.client[other] as number;
      const from = others.from[other] as number;
      const to = others.to[other] as number;
      if (from === to) continue;
      const isBefore = () =>
        (this.client[at] as number) > client || (this.client[at] === client && (this.to[at] as number) < to);
      while (at < this.count && isBefore()) at++;
      if (at === this.count || this.client[at] !== client || (this.from[at] as number) > from) return false;
    }
    return true;
  }
}

/** Header of a struct: its first byte, and the client and clock of each neighbour at its creation, or NOBODY. */
interface Header {
  readonly info: number;
  readonly originClient: number;
  readonly originClock: number;
  readonly rightClient: number;
  readonly rightClock: number;
}
const NOBODY = -1;

function readHeader(table: UpdateTable, row: number): Header {
  const { structs, updates } = table;
  const reader = new ByteReader(updates[structs.source[row] as number] as Uint8Array, structs.start[row]);
  const info = reader.byte();
  const isItem = (info & KIND_BITS) !== KIND.gc && (info & KIND_BITS) !== KIND.skip;
  const hasOrigin = isItem && (info & HAS_ORIGIN) !== 0;
  const hasRight = isItem && (info & HAS_RIGHT_ORIGIN) !== 0;
  return {
    info,
    originClient: hasOrigin ? reader.uint() : NOBODY,
    originClock: hasOrigin ? reader.uint() : NOBODY,
    rightClient: hasRight ? reader.uint() : NOBODY,
    rightClock: hasRight ? reader.uint() : NOBODY,
  };
}

/**
 * Writes the header that a struct has without its first `offset` steps of the clock: the last of them is then its left
 * neighbour, as when Yjs splits a struct. `kind` takes the place of its kind.
 */
function writeHeader(out: ByteWriter, table: UpdateTable, row: number, offset: number, kind?: number): void {
  const { structs, updates } = table;
  const update = updates[structs.source[row] as number] as Uint8Array;
  const start = structs.start[row] as number;
  const first = update[start] as number;
  const info = kind === undefined ? first : (first & ~KIND_BITS) | kind;
  if (offset === 0 || (first & KIND_BITS) === KIND.gc || (first & KIND_BITS) === KIND.skip) {
    out.byte(info);
    out.raw(update.subarray(start + 1, structs.content[row]));
    return;
  }
  const { rightClient, rightClock } = readHeader(table, row);
  out.byte(info | HAS_ORIGIN);
  out.uint(structs.client[row] as number);
  out.uint((structs.clock[row] as number) + offset - 1);
  if (rightClient !== NOBODY) {
    out.uint(rightClient);
    out.uint(rightClock);
  }
}

/** U+FFFD in UTF-8: Yjs replaces half of a cut surrogate pair by it. */
const REPLACEMENT = Uint8Array.of(0xef, 0xbf, 0xbd);

/** Writes a struct without its first `offset` steps of the clock. */
function writeRest(out: ByteWriter, table: UpdateTable, row: number, offset: number): void {
  writeHeader(out, table, row, offset);
  const { structs, updates } = table;
  const update = updates[structs.source[row] as number] as Uint8Array;
  const kind = (update[structs.start[row] as number] as number) & KIND_BITS;
  const length = (structs.length[row] as number) - offset;
  if (kind === KIND.text) {
    const reader = new ByteReader(update, structs.content[row]);
    reader.uint();
    const end = structs.end[row] as number;
    let units = 0;
    while (units < offset) units += skipCharacter(reader, end);
    const rest = update.subarray(reader.at, end);
    out.uint(rest.length + (units > offset ? REPLACEMENT.length : 0));
    if (units > offset) out.raw(REPLACEMENT);
    out.raw(rest);
    return;
  }
  out.uint(length);
  if (kind === KIND.any || kind === KIND.json) {
    const reader = new ByteReader(update, structs.content[row]);
    reader.uint();
    for (let left = offset; left > 0; left--)
      if (kind === KIND.any) reader.skipAny();
      else reader.skipBytes();
    out.raw(update.subarray(reader.at, structs.end[row]));
  }
}

/** Writes all structs of a table once, without those before the clocks of `known`; gaps are kept. */
function writeOnce(table: UpdateTable, known: ReadonlyMap<number, number>): Uint8Array {
  const { structs, updates } = table;
  const writer = new StructWriter(updates.reduce((sum, update) => sum + update.length, 0));
  let client = NOBODY;
  /** Clock up to which the client's structs are written, or known. */
  let done = 0;
  let hasBegun = false;
  for (const row of structs.order()) {
    const clock = structs.clock[row] as number;
    const end = clock + (structs.length[row] as number);
    if (structs.client[row] !== client) {
      client = structs.client[row] as number;
      done = known.get(client) ?? 0;
      hasBegun = false;
    }
    const update = updates[structs.source[row] as number] as Uint8Array;
    if (update[structs.start[row] as number] === KIND.skip || end <= done) continue;
    if (hasBegun && clock > done) {
      writer.begin(client, done);
      writer.out.byte(KIND.skip);
      writer.out.uint(clock - done);
    }
    const offset = Math.max(0, done - clock);
    writer.begin(client, clock + offset);
    if (offset === 0) writer.out.raw(update.subarray(structs.start[row], structs.end[row]));
    else writeRest(writer.out, table, row, offset);
    done = end;
    hasBegun = true;
  }
  return writer.finish(new Deletions(table));
}

/**
 * Returns the state vector: for each client the clock up to which its structs have no gap. The
 * table must hold one update of `merge`.
 */
function clocksOf({ structs, updates }: UpdateTable): Map<number, number> {
  const clocks = new Map<number, number>();
  for (let row = 0; row < structs.count; row++) {
    const client = structs.client[row] as number;
    const clock = structs.clock[row] as number;
    const update = updates[structs.source[row] as number] as Uint8Array;
    if (update[structs.start[row] as number] === KIND.skip || clock !== (clocks.get(client) ?? 0)) continue;
    clocks.set(client, clock + (structs.length[row] as number));
  }
  return clocks;
}

const tableOf = (updates: readonly Uint8Array[], maxPieces: number): UpdateTable => {
  const table = new UpdateTable(maxPieces);
  for (const update of updates) table.add(update);
  return table;
};

/**
 * Reads an update to its end. `isEmpty`: it has neither structs nor deletions. Throws an Error for junk, a
 * TooManyPiecesError beyond `maxPieces`.
 */
export function inspect(
  update: Uint8Array,
  maxPieces: number,
): { isEmpty: boolean; deletes: boolean; pieces: number } {
  const { structs, deletions, pieces } = tableOf([update], maxPieces);
  const deletes = deletions.count > 0;
  return { isEmpty: structs.count === 0 && !deletes, deletes, pieces };
}

/**
 * Merges updates without loss, gaps included. `pieces`: those of all updates, at least
 * those of the result. Throws as `inspect`.
 */
export function merge(
  updates: readonly Uint8Array[],
  maxPieces: number,
): { update: Uint8Array; pieces: number } {
  const table = tableOf(updates, maxPieces);
  return { update: writeOnce(table, new Map()), pieces: table.pieces };
}

/** Most clients of a state vector that is read. */
const MAX_VECTOR_ENTRIES = 100_000;

/**
 * Parses a state vector (y-protocols/PROTOCOL.md): client → clock. Throws a RangeError for too
 * many clients, another Error for junk.
 */
export function readVector(vector: Uint8Array): Map<number, number> {
  const reader = new ByteReader(vector);
  const clocks = new Map<number, number>();
  const entries = reader.uint();
  if (entries > MAX_VECTOR_ENTRIES) throw new RangeError('the state vector has too many entries');
  for (let left = entries; left > 0; left--) clocks.set(reader.uint(), reader.uint());
  return clocks;
}

/**
 * Returns the part of a merged update that a client with these clocks lacks, and
 * all its deletions. Throws as `inspect`.
 */
export const diff = (state: Uint8Array, known: ReadonlyMap<number, number>, maxPieces: number): Uint8Array =>
  writeOnce(tableOf([state], maxPieces), known);

/** Encodes the state vector of a merged update. Throws as `inspect`. */
export function vectorOf(state: Uint8Array, maxPieces: number): Uint8Array {
  const clocks = clocksOf(tableOf([state], maxPieces));
  const out = new ByteWriter(16 * clocks.size);
  out.uint(clocks.size);
  for (const [client, clock] of clocks) {
    out.uint(client);
    out.uint(clock);
  }
  return out.view();
}

/**
 * True if the merged update `state` contains all of `update`: its structs by their clocks, its deletions
 * by their ranges. Throws as `inspect`.
 */
export function covers(state: Uint8Array, update: Uint8Array, maxPieces: number): boolean {
  const here = tableOf([state], maxPieces);
  const there = tableOf([update], maxPieces);
  const clocks = clocksOf(here);
  for (let row = 0; row < there.structs.count; row++) {
    const end = (there.structs.clock[row] as number) + (there.structs.length[row] as number);
    if (update[there.structs.start[row] as number] === KIND.skip) continue;
    if (end > (clocks.get(there.structs.client[row] as number) ?? 0)) return false;
  }
  return new Deletions(here).cover(new Deletions(there));
}

/** A struct of a snapshot: a part of a struct of the log, or several consecutive parts that become one. */
interface Run {
  readonly kind: number;
  /** Row of the first part's struct, and offset in it, in steps of the clock. */
  readonly row: number;
  readonly offset: number;
  readonly header: Header;
  /** In steps of the clock. */
  length: number;
  /** Byte ranges of the content, for text and values. */
  readonly content: Uint8Array[];
}
/** Kinds whose neighbours Yjs joins into one struct. */
const JOINABLE: ReadonlySet<number> = new Set([KIND.gc, KIND.deleted, KIND.text, KIND.any]);
const HAS_KEY = 32;

/**
 * Merges updates without their deleted content, neighbours joined as Yjs joins them. `pieces`: those of the result. The
 * struct of a deleted item stays, as others may refer to it, and so do structs that wait. Throws as `inspect`.
 */
export function snapshot(
  updates: readonly Uint8Array[],
  maxPieces: number,
): { update: Uint8Array; pieces: number } {
  const table = tableOf([merge(updates, maxPieces).update], maxPieces);
  const deletions = new Deletions(table);
  const { structs } = table;
  const [update] = table.updates as [Uint8Array];
  const writer = new StructWriter(update.length);
  let run: Run | undefined;
  let nextDeletion = 0;

  const flush = () => {
    if (run) writeRun(writer, table, run);
    run = undefined;
  };
  const add = (
    row: number,
    header: Header,
    kind: number,
    from: number,
    to: number,
    content: Uint8Array[],
  ) => {
    if (run && isJoined(table, run, row, header, kind, from)) {
      run.length += to - from;
      run.content.push(...content);
      return;
    }
    flush();
    run = { kind, row, offset: from, header, length: to - from, content };
  };

  for (let row = 0; row < structs.count; row++) {
    const client = structs.client[row] as number;
    const clock = structs.clock[row] as number;
    const length = structs.length[row] as number;
    const header = readHeader(table, row);
    const kind = header.info & KIND_BITS;
    const isPast = () =>
      (deletions.client[nextDeletion] as number) > client ||
      (deletions.client[nextDeletion] === client && (deletions.to[nextDeletion] as number) <= clock);
    while (nextDeletion < deletions.count && isPast()) nextDeletion++;
    const cuts =
      kind === KIND.gc || kind === KIND.skip || kind === KIND.deleted
        ? []
        : cutsOf(deletions, nextDeletion, client, clock, length);
    for (const { from, to, isDeleted, content } of cutStruct(
      update,
      structs.content[row] as number,
      structs.end[row] as number,
      kind,
      length,
      cuts,
    ))
      add(row, header, isDeleted ? KIND.deleted : kind, from, to, content);
  }
  flush();
  const state = writer.finish(deletions);
  return { update: state, pieces: inspect(state, maxPieces).pieces };
}

/**
 * Returns the deleted parts of a struct, in steps of the clock from its start: from, to, from, to …
 * `first`: row of the first possible deletion.
 */
function cutsOf(
  deletions: Deletions,
  first: number,
  client: number,
  clock: number,
  length: number,
): number[] {
  const cuts: number[] = [];
  for (let at = first; at < deletions.count && deletions.client[at] === client; at++) {
    const from = Math.max(0, (deletions.from[at] as number) - clock);
    const to = Math.min(length, (deletions.to[at] as number) - clock);
    if (from >= length) break;
    if (from < to) cuts.push(from, to);
  }
  return cuts;
}

/** A part of a struct, in steps of the clock from its start, with the bytes of its content. */
interface Part {
  readonly from: number;
  readonly to: number;
  readonly isDeleted: boolean;
  readonly content: Uint8Array[];
}

/**
 * Cuts a struct into deleted and kept parts. Only text and values are cut; other content
 * is deleted as a whole or not at all.
 */
function cutStruct(
  update: Uint8Array,
  start: number,
  end: number,
  kind: number,
  length: number,
  cuts: readonly number[],
): Part[] {
  if (cuts[0] === 0 && cuts[1] === length) return [{ from: 0, to: length, isDeleted: true, content: [] }];
  const reader = new ByteReader(update, start);
  if (kind !== KIND.text && kind !== KIND.any)
    return [{ from: 0, to: length, isDeleted: false, content: [] }];
  reader.uint();
  const parts: Part[] = [];
  let from = 0;
  let isDeleted = false;
  let begin = reader.at;
  const close = (to: number, at: number) => {
    if (to > from)
      parts.push({ from, to, isDeleted, content: isDeleted ? [] : [update.subarray(begin, at)] });
    from = to;
    begin = at;
  };
  let unit = 0;
  for (const cut of cuts) {
    // A deletion that cuts a surrogate pair leaves the whole pair.
    let before = reader.at;
    let unitBefore = unit;
    while (unit < cut) {
      before = reader.at;
      unitBefore = unit;
      unit += kind === KIND.any ? skipValue(reader) : skipCharacter(reader, end);
    }
    if (unit > cut && isDeleted) close(unitBefore, before);
    else close(unit, reader.at);
    isDeleted = !isDeleted;
  }
  close(length, end);
  return parts;
}

/** Skips a value; returns its length, in steps of the clock. */
function skipValue(reader: ByteReader): number {
  reader.skipAny();
  return 1;
}

/** Skips a character of a text that ends at `end`; returns its UTF-16 code units. */
function skipCharacter(reader: ByteReader, end: number): number {
  const units = unitsOfByte(reader.byte());
  while (reader.at < end && unitsOfByte(reader.bytes[reader.at] as number) === 0) reader.at++;
  return units;
}

/** True if a part continues the run, and Yjs would split both into the same two structs again. */
function isJoined(
  table: UpdateTable,
  run: Run,
  row: number,
  header: Header,
  kind: number,
  from: number,
): boolean {
  const { structs } = table;
  if (run.kind !== kind || !JOINABLE.has(kind) || structs.client[run.row] !== structs.client[row])
    return false;
  const clock = (structs.clock[row] as number) + from;
  if ((structs.clock[run.row] as number) + run.offset + run.length !== clock) return false;
  if (kind === KIND.gc) return true;
  if (kind !== KIND.deleted && ((run.header.info | header.info) & HAS_KEY) !== 0) return false;
  const isAfter =
    from > 0 || (header.originClient === structs.client[row] && header.originClock === clock - 1);
  return (
    isAfter && run.header.rightClient === header.rightClient && run.header.rightClock === header.rightClock
  );
}

/** Writes the struct that a run has become. */
function writeRun(writer: StructWriter, table: UpdateTable, run: Run): void {
  const { structs, updates } = table;
  const { kind, row, offset } = run;
  const { out } = writer;
  writer.begin(structs.client[row] as number, (structs.clock[row] as number) + offset);
  const isWhole = run.content.length === 0 && kind === (run.header.info & KIND_BITS) && !JOINABLE.has(kind);
  if (isWhole) {
    const update = updates[structs.source[row] as number] as Uint8Array;
    out.raw(update.subarray(structs.start[row], structs.end[row]));
    return;
  }
  writeHeader(out, table, row, offset, kind);
  out.uint(kind === KIND.text ? run.content.reduce((sum, part) => sum + part.length, 0) : run.length);
  for (const part of run.content) out.raw(part);
}
