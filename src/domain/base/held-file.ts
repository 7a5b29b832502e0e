// A file that another context holds: OPFS gives one handle of a file that writes, and a tab that was closed lets go of its own a moment after its locks.

// The platform's, which this floor does not know.
declare const setTimeout: (work: () => void, ms: number) => unknown;

/** How long a file is waited for, and how soon it is tried again, ms. */
const RELEASE_MS = 15_000;
const RETRY_MS = 25;

/** Another context still holds a handle of the file: true of a leader that was closed a moment ago. */
export const isHeld = (error: unknown): boolean => {
  const { name, message } = (error ?? {}) as { name?: unknown; message?: unknown };
  return (
    name === 'NoModificationAllowedError' ||
    /NoModificationAllowed|another open Access Handle/i.test(String(message))
  );
};

/** Runs `work` again while its files are held by someone who is about to let go. */
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
