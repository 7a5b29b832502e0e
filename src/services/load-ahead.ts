// Loads the code that a sent message needs, so that the first one does not wait for it.
import { loadPart } from '../domain/base/part.ts';

/**
 * Resolves when the code of contexts and turns is loaded. Rejects with `part-missing` if a file is
 * unavailable; then the first turn loads it.
 */
export async function loadTurns(): Promise<void> {
  await loadPart(() =>
    Promise.all([
      import('./context/context-service.ts'),
      import('./chat/turn-steps.ts'),
      import('./chat/asking.ts'),
      import('./chat/tool-calls.ts'),
    ]),
  );
}
