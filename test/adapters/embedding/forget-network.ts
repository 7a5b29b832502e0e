// Makes this thread one that is offline, with what travels with the app itself.
const fetchOnline = globalThis.fetch;
globalThis.fetch = (input, init) =>
  /\/assembly-/.test(String(input))
    ? fetchOnline(input, init)
    : Promise.reject(new TypeError('Failed to fetch'));
