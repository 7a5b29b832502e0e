// Makes this thread one whose server answers with its start page where what the build assembled should lie.
const fetchFromServer = globalThis.fetch;
globalThis.fetch = async (input, init) =>
  /\/assembly-/.test(String(input))
    ? new Response('<!doctype html>', { headers: { 'Content-Type': 'text/html' } })
    : fetchFromServer(input, init);
