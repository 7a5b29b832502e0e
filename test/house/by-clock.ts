// Files that may repeat something by the clock, and why no event would do.
export const BY_CLOCK: Readonly<Record<string, string>> = {
  // A clock that a person sees, or one that measures idleness.
  'src/ui/lock/unlock-screen.tsx': 'counts the seconds until the next try',
  'src/ui/memory/forget-dialog.tsx': 'counts the seconds in which forgetting can be undone',
  'src/ui/shell/offer.ts': 'counts the seconds in which an act can be undone, while the offer is in sight',
  'src/ui/sync/pair-device.tsx': 'counts how long a pairing code holds',
  'src/ui/shell/auto-lock.ts': 'locks after a time without input, which no event tells',
  // The other side may be gone, or not there yet, and nothing says so.
  'src/services/lock/key-holder.ts': 'asks tabs for the key until one answers',
  'src/services/sync/sync-service.ts': 'sends what is open until the leading thread has it',
  'src/workers/sync-link.ts': 'repeats a request until a thread leads that answers it',
  'src/services/memory/pause.ts': 'keeps a pause, which ends by itself if its tab dies',
  'src/services/chat/draft-rows.ts':
    'writes the draft row of a growing answer, and a sign of life where there are no locks',
  'src/relay/server.ts':
    'closes clients that are silent; forgets addresses; spreads the closing of all clients',
  // Values that change without an event.
  'src/adapters/browser/device.ts': 'looks for a new version on the server',
  'src/adapters/sync/y-websocket.ts': 'reads how much a socket still has to send',
  'src/services/forget/places/copy.ts':
    'looks whether the second copy, which another worker writes, has let go',
  'src/ui/hooks/storage-space.ts': 'measures the room that is left, which browsers do not announce',
  'src/ui/memory/index-status.tsx': 'reads the figures of the index while they grow',
  // Tries again.
  'src/adapters/embedding/openai-compatible.ts': 'tries again when a server has said that it is busy',
  'src/domain/base/held-file.ts': 'tries again until another context has let go of a file',
  'src/ui/chat/languages.ts': 'tries again to load what colours code',
};
