/** What posts messages: a worker, its scope, a port, a BroadcastChannel. The ground floor knows no browser. */
export interface Endpoint {
  postMessage(message: unknown, transfer: object[]): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  /** A port gives nothing before. */
  start?(): void;
}

const transfers = new WeakMap<object, readonly object[]>();

/** The same value; where it is posted next, buffers and ports in it go over to the other thread instead of being copied. */
export function withTransfer<T extends object>(value: T, transfer: readonly object[]): T {
  transfers.set(value, transfer);
  return value;
}

export const transferOf = (value: unknown): object[] => [
  ...((typeof value === 'object' && value !== null && transfers.get(value)) || []),
];
