// Makes this thread one that lost its network once the weights had come.
const fetchAtFirst = globalThis.fetch;
globalThis.fetch = (input, init) =>
  /tokenizer/.test(String(input))
    ? Promise.reject(new TypeError('Failed to fetch'))
    : fetchAtFirst(input, init);
