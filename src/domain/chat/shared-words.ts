// Turns a share from another app into the beginning of a message.

/** Names of the fields, as the web app manifest has them (`vite.config.ts`). */
export const SHARED_FIELDS = ['shared_title', 'shared_text', 'shared_url'] as const;

/** Name of the field of shared files there. */
export const SHARED_FILES = 'shared_files';
/** Asks the service worker for the files that wait; it answers a port with a list of them. */
export const TAKE_FILES = 'TAKE_SHARED_FILES';

/** Joins the shared pieces, each once, one below the other. Empty if nothing was shared. */
export function sharedWords(field: (name: string) => unknown): string {
  const pieces = SHARED_FIELDS.map(field).flatMap((value) =>
    typeof value === 'string' && value.trim() !== '' ? [value.trim()] : [],
  );
  return pieces
    .filter(
      (piece, at) =>
        !pieces.some((other, o) => o !== at && (o < at || other !== piece) && other.includes(piece)),
    )
    .join('\n');
}
