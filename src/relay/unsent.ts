// What waits to be sent, so that those who do not read cannot fill the memory. A frame that waits for many is there, and counts, once.
// Who asks for a room waits until there is room for the answer; who lags behind when there is none is cut by server.ts.

/** Whoever has a share of what may wait. */
export interface Holder {
  /** Bytes that wait to be sent to its connections, or that are set aside for answers. */
  unsent: number;
}

export interface Unsent {
  /** Of everybody. */
  readonly bytes: number;
  /** Counts a frame that waits for one connection more. */
  hold(holder: Holder, frame: Uint8Array): void;
  /** The frame has left, or the connection is gone: once for each `hold`. */
  release(holder: Holder, frame: Uint8Array): void;
  /** More waits than may, for this one or for everybody, even without `own` bytes of it. */
  isOver(holder: Holder, own: number): boolean;
  /** Sets `bytes` aside as soon as they fit. Resolves with a function that gives them back, or with null when `who` is gone. */
  setAside(who: object, holder: Holder, bytes: number): Promise<(() => void) | null>;
  /** `who` waits no more. */
  forget(who: object): void;
}

/** `share`: bytes that one holder may have waiting; `all`: everybody together. */
export function createUnsent({ share, all }: { readonly share: number; readonly all: number }): Unsent {
  const copies = new Map<Uint8Array, number>();
  const queue = new Map<object, { holder: Holder; bytes: number; admit(isIn: boolean): void }>();
  let total = 0;
  let isLooking = false;

  function add(holder: Holder, bytes: number) {
    holder.unsent += bytes;
    total += bytes;
    if (bytes >= 0 || queue.size === 0 || isLooking) return;
    // Once for all that leaves in this breath.
    isLooking = true;
    setImmediate(() => {
      isLooking = false;
      admit();
    });
  }

  /** First come, first served, but whoever has used up its own share keeps nobody else waiting. */
  function admit() {
    for (const [who, { holder, bytes, admit }] of queue) {
      if (holder.unsent + bytes > share || total + bytes > all) continue;
      queue.delete(who);
      add(holder, bytes);
      admit(true);
    }
  }

  return {
    get bytes() {
      return total;
    },
    hold(holder, frame) {
      const before = copies.get(frame) ?? 0;
      copies.set(frame, before + 1);
      if (before === 0) add(holder, frame.length);
    },
    release(holder, frame) {
      const left = (copies.get(frame) ?? 0) - 1;
      if (left > 0) copies.set(frame, left);
      else if (copies.delete(frame)) add(holder, -frame.length);
    },
    isOver: (holder, own) => holder.unsent - own > share || total - own > all,
    async setAside(who, holder, bytes) {
      // A room may be larger than it may become today: it takes a whole share.
      const size = Math.min(bytes, share);
      const isIn = await new Promise<boolean>((resolve) => {
        queue.set(who, { holder, bytes: size, admit: resolve });
        admit();
      });
      return isIn ? () => add(holder, -size) : null;
    },
    forget(who) {
      queue.get(who)?.admit(false);
      queue.delete(who);
    },
  };
}
