// Defines how stores seal records on a locked device. The vault makes ciphers; a
// store gets one and knows nothing of keys.

/** Seals records, each bound to its place. Safe to use for many records at once. */
export interface RecordCipher {
  /** Number of bytes by which sealing lengthens a record; the same for every record. */
  readonly overhead: number;
  /** `place` names the record and is not kept in it. Reads `plain` before it returns. */
  seal(place: string, plain: Uint8Array): Promise<Uint8Array>;
  /** Opens a record; null if its bytes were changed or belong to another place or another key. */
  open(place: string, sealed: Uint8Array): Promise<Uint8Array<ArrayBuffer> | null>;
}
