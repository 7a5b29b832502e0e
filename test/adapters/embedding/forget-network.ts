// Makes this thread one that is offline.
globalThis.fetch = () => Promise.reject(new TypeError('Failed to fetch'));
