/** Cache of model files: the service worker fills it on first use, the page where it is not held by one yet. */
export const MODEL_CACHE = 'recollect-models';

/** True if an answer is the file asked for: a host that answers a missing file with its index page must not poison the cache. */
export const isFile = (response: Response): boolean =>
  response.status === 200 && !(response.headers.get('content-type') ?? '').startsWith('text/html');
