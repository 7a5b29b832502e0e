// Lets connections through to the configured relay only. Workers are not bound by the page's policy, so the thread that
// syncs keeps the list itself, as network.worker.ts does for models.

/**
 * True if the address is on the configured relay: same host and port, under any
 * scheme (ws for rooms, http for erasing).
 */
export function isOnRelay(address: string | URL, endpoint: string): boolean {
  if (!URL.canParse(String(address)) || !URL.canParse(endpoint)) return false;
  const [to, relay] = [new URL(address), new URL(endpoint)];
  const secure = (url: URL) => url.protocol === 'wss:' || url.protocol === 'https:';
  return to.host === relay.host && secure(to) === secure(relay);
}

/** The platform's WebSocket, for addresses that `isAllowed` accepts. Others throw a SecurityError. */
export function guardedWebSocket(
  isAllowed: (address: string) => boolean,
  Base: typeof WebSocket = WebSocket,
): typeof WebSocket {
  return class extends Base {
    constructor(address: string | URL, protocols?: string | string[]) {
      if (!isAllowed(String(address))) throw new DOMException('Not the configured relay', 'SecurityError');
      super(address, protocols);
    }
  };
}

/** The platform's fetch, for addresses that `isAllowed` accepts, without cookies or redirects. */
export function guardedFetch(
  isAllowed: (address: string) => boolean,
  base: typeof fetch = fetch,
): typeof fetch {
  return async (input, init) => {
    const address = input instanceof Request ? input.url : String(input);
    if (!isAllowed(address)) throw new TypeError('Not the configured relay');
    return await base(input, {
      ...init,
      credentials: 'omit',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
    });
  };
}
