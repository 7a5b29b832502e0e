// Headers for every server that hands out the built app: they say what the app's scripts may do. The one place of the policy: the build writes
// it into the page as well (vite.config.ts), so that it holds on any host, but a worker takes its own from its headers alone.
//
//   page, projection, extraction, encoder, service worker    nothing but the app's own origin
//   network, engine, embedding, sync                         also endpoints, model hubs and relays that a person names: which, each of them sees to

// Styles may be inline because positioned popovers and highlighted code write them.
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

export const PAGE_POLICY = policy("'self'");
const OUTWARD_POLICY = policy("'self' http: https: ws: wss:");
const OUTWARD = /^\/assets\/(network|engine|embedding|sync)\.worker-[^/]*\.js$/;

/**
 * Policy of the page that holds a preview of HTML, inherited by its frame without an origin: its own script runs, without any network.
 * The page contains the same policy (`public/preview.html`), for hosts that send no headers.
 */
const PREVIEW_POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; media-src data: blob:; connect-src 'none'; frame-src 'none'; form-action 'none'; base-uri 'none'; webrtc 'block'";
const PREVIEW = '/preview.html';

const headerPolicy = (path: string): string =>
  path === PREVIEW
    ? `${PREVIEW_POLICY}; frame-ancestors 'self'`
    : `${OUTWARD.test(path) ? OUTWARD_POLICY : PAGE_POLICY}; frame-ancestors 'none'`;

/** Threads in WASM need an isolated page. */
export const ISOLATION: Readonly<Record<string, string>> = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/**
 * Permissions that a page never needs; it may ask for microphone (dictation) and camera (pairing code). The page of previews,
 * which shows what models wrote, may ask for nothing.
 */
const NEVER = 'geolocation=(), payment=(), usb=(), serial=(), hid=(), midi=(), display-capture=()';
const permissions = (path: string): string =>
  path === PREVIEW ? `microphone=(), camera=(), ${NEVER}` : `microphone=(self), camera=(self), ${NEVER}`;

/** Headers of the file at `path` (of the address, without its query). */
export const pageHeaders = (path: string): Readonly<Record<string, string>> => ({
  ...ISOLATION,
  // A page cannot forbid its own framing by a meta element.
  'Content-Security-Policy': headerPolicy(path),
  'Permissions-Policy': permissions(path),
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
});
