// Headers of every server that hands out the built app: they say what the app's scripts may do. The policy is written
// here only. The build copies it into the page (vite.config.ts), so that it holds on any host, but browsers take a
// worker's policy from its headers alone.
//
//   page, projection, extraction, encoder, page-reader, service worker    may connect to the app's own origin only
//   network, engine, embedding, sync may connect anywhere; each restricts itself to the
//   addresses that the person configured

// Styles may be inline because positioned popovers and highlighted code write them.
/** Builds a Content-Security-Policy (CSP Level 3). `connect`: sources to which its scripts may connect. */
const policy = (connect: string): string =>
  [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "media-src 'self' data: blob:",
    "font-src 'self'",
    `connect-src ${connect}`,
    "worker-src 'self'",
    // Only the page of previews may be framed: all others forbid it by their headers.
    "frame-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');

/** Policy of the page and of workers that need no network. */
export const PAGE_POLICY = policy("'self'");
/** Policy of the workers that connect to other origins. */
const OUTWARD_POLICY = policy("'self' http: https: ws: wss:");
const OUTWARD = /^\/assets\/(network|engine|embedding|sync)\.worker-[^/]*\.js$/;

/**
 * Policy of the page that holds a preview of HTML, inherited by its frame without an origin: its own script runs,
 * without any network. The page contains the same policy (`public/preview.html`), for hosts that send no headers.
 */
const PREVIEW_POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; media-src data: blob:; connect-src 'none'; frame-src 'none'; form-action 'none'; base-uri 'none'; webrtc 'block'";
const PREVIEW = '/preview.html';

const headerPolicy = (path: string): string =>
  path === PREVIEW
    ? `${PREVIEW_POLICY}; frame-ancestors 'self'`
    : `${OUTWARD.test(path) ? OUTWARD_POLICY : PAGE_POLICY}; frame-ancestors 'none'`;

/** Headers that isolate the page (cross-origin isolation), without which browsers give WebAssembly no threads. */
export const ISOLATION: Readonly<Record<string, string>> = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/**
 * Permissions that a page never needs; it may ask for microphone (dictation) and camera (pairing code). The page of
 * previews, which shows what models wrote, may ask for nothing.
 */
const NEVER = 'geolocation=(), payment=(), usb=(), serial=(), hid=(), midi=(), display-capture=()';
const permissions = (path: string): string =>
  path === PREVIEW ? `microphone=(), camera=(), ${NEVER}` : `microphone=(self), camera=(self), ${NEVER}`;

/** Returns the headers of the file at `path`, the path of its address without the query. */
export const pageHeaders = (path: string): Readonly<Record<string, string>> => ({
  ...ISOLATION,
  // A page cannot forbid its own framing by a meta element.
  'Content-Security-Policy': headerPolicy(path),
  'Permissions-Policy': permissions(path),
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
});
