// How stores seal what they keep on a locked device. The vault makes ciphers; stores are given one and know nothing of keys.

/** Seals records, each bound to its place. Safe to use for many records at once. */
export interface RecordCipher {
  /** Bytes that a sealed record has beyond what it holds: the same for every record. */
  readonly overhead: number;
  /** `place` names the record and is not kept in it. Reads `plain` before it returns. */
  seal(place: string, plain: Uint8Array): Promise<Uint8Array>;
  /** Null where the bytes were changed, belong to another place or to another key. */
  open(place: string, sealed: Uint8Array): Promise<Uint8Array<ArrayBuffer> | null>;
}
