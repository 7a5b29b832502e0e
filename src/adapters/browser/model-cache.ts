/** Cache of model files: the service worker fills it on first use, or the page while no service worker controls it. */
export const MODEL_CACHE = 'recollect-models';

/**
 * True if a response is the requested file: hosts that answer a missing file with their index page must not fill the
 * cache.
 */
export const isFile = (response: Response): boolean =>
  response.status === 200 && !(response.headers.get('content-type') ?? '').startsWith('text/html');
