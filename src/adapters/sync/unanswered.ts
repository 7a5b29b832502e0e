// Frames sent on a connection and not answered yet. A frame may be lost while the connection lives on: a
// proxy that drops it, a relay that fails on it. A relay answers every update by giving it back, and
// every question with what is missing here.
import * as Y from 'yjs';
import { blobKey } from '../../domain/sync/blob.ts';

export class Unanswered {
  /** By content: up to which clock of this client an update goes, 0 if it only deletes. */
  readonly #updates = new Map<string, number>();
  readonly #client: () => number;
  #isAsked = false;
  /** Time at which an answer last arrived or bytes last left, or at which the first waiting frame was sent, ms. */
  #movedAt = 0;

  /** `client`: the Yjs client id that updates are written under. */
  constructor(client: () => number) {
    this.#client = client;
  }

  get isEmpty(): boolean {
    return this.#updates.size === 0 && !this.#isAsked;
  }

  /** Records that this device sent an update. */
  sent(update: Uint8Array, now: number): void {
    if (this.isEmpty) this.#movedAt = now;
    this.#updates.set(blobKey(update), this.#clockIn(update));
  }

  /** Records that this device asked the relay for what is missing here. */
  asked(now: number): void {
    if (this.isEmpty) this.#movedAt = now;
    this.#isAsked = true;
  }

  /** Records that the relay sent an update back, perhaps encoded in other bytes. */
  gaveBack(update: Uint8Array, now: number): void {
    const clock = this.#clockIn(update);
    const before = this.#updates.size;
    this.#updates.delete(blobKey(update));
    for (const [key, end] of this.#updates) if (end > 0 && end <= clock) this.#updates.delete(key);
    if (this.#updates.size < before) this.#movedAt = now;
  }

  answered(now: number): void {
    this.#isAsked = false;
    this.#movedAt = now;
  }

  /** Records that part of the waiting bytes has left this device. */
  moved(now: number): void {
    this.#movedAt = now;
  }

  /** True if a frame waits and nothing has moved for `limit` ms. */
  isOverdue(now: number, limit: number): boolean {
    return !this.isEmpty && now - this.#movedAt > limit;
  }

  #clockIn(update: Uint8Array): number {
    return Y.parseUpdateMeta(update).to.get(this.#client()) ?? 0;
  }
}

const MAX_DOUBLINGS = 3;

/**
 * Longest wait for an answer. A slow connection may need time for a large frame, so the
 * limit doubles whenever it was too short.
 */
export class AnswerLimit {
  readonly #ms: number;
  #doublings = 0;

  /** `ms`: the first limit. */
  constructor(ms: number) {
    this.#ms = ms;
  }

  get ms(): number {
    return this.#ms * 2 ** this.#doublings;
  }
  /** Records that the relay has answered everything in time. */
  wasEnough(): void {
    this.#doublings = Math.max(0, this.#doublings - 1);
  }
  wasTooShort(): void {
    this.#doublings = Math.min(MAX_DOUBLINGS, this.#doublings + 1);
  }
}
