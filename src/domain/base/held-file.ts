// A file that another context holds: OPFS gives one handle of a file that writes, and a tab that was closed lets go
// of its own a moment after its locks.

// Declared here because `domain` has no types of the platform.
declare const setTimeout: (work: () => void, ms: number) => unknown;

/** Longest wait for a file, and the pause between two tries, ms. */
const RELEASE_MS = 15_000;
const RETRY_MS = 25;

/** True if another context still holds a handle of the file, as a leader does for a moment after its tab closed. */
export const isHeld = (error: unknown): boolean => {
  const { name, message } = (error ?? {}) as { name?: unknown; message?: unknown };
  return (
    name === 'NoModificationAllowedError' ||
    /NoModificationAllowed|another open Access Handle/i.test(String(message))
  );
};

/** Runs `work` again while another context still holds its files but is about to release them. */
export async function onceReleased<T>(work: () => Promise<T>): Promise<T> {
  const until = Date.now() + RELEASE_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isHeld(error) || Date.now() >= until) throw error;
      await new Promise<void>((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}
