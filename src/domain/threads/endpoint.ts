/** Anything that posts messages: a worker, its scope, a port, a BroadcastChannel. This floor has no browser types. */
export interface MessageEndpoint {
  postMessage(message: unknown, transfer: object[]): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  /** A port delivers nothing before this call. */
  start?(): void;
}

/** The members of a Worker that are needed. */
export interface Thread extends MessageEndpoint {
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(
    type: 'error' | 'messageerror',
    listener: (event: { readonly message?: string; preventDefault(): void }) => void,
  ): void;
  terminate(): void;
}

const transfers = new WeakMap<object, readonly object[]>();

/**
 * Marks a value: the next time it is posted, these buffers and ports move to the other thread instead of
 * being copied. Returns the same value.
 */
export function withTransfer<T extends object>(value: T, transfer: readonly object[]): T {
  transfers.set(value, transfer);
  return value;
}

/** Lists the objects that `withTransfer` marked for this value; none for an unmarked one. */
export const transferOf = (value: unknown): object[] => [
  ...((typeof value === 'object' && value !== null && transfers.get(value)) || []),
];
