/** Cache that the service worker fills with model files on first use. */
export const MODEL_CACHE = 'recollect-models';
