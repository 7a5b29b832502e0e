// What every server that hands out the built app must say: threads in WASM need an isolated page. The policy on content is written into
// the page itself (vite.config.ts), because a worker takes its own from its headers, and the network worker must reach more than the page.
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin',
};
