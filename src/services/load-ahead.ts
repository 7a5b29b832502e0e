// Code that is loaded after the first screen: what a sent message needs, so that the first one does not wait for it,
// and background work.
import { pause, whenIdle } from '../adapters/browser/idle.ts';
import { loadPart } from '../domain/base/part.ts';

/**
 * Resolves when the code that asks memory is loaded. Rejects with `part-missing` if a file is unavailable; then the
 * first question loads it.
 */
export async function loadRecall(): Promise<void> {
  await loadPart(() =>
    Promise.all([
      import('./memory/recalling.ts'),
      import('./memory/applying.ts'),
      import('./memory/recognising.ts'),
      import('./chat/turn-recall.ts'),
    ]),
  );
}

/** The same for the code of contexts and turns. */
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

/**
 * Least delay of background work after the first screen, and longest wait for an idle moment then, ms: what a person
 * needs comes first, and a slow phone still starts.
 */
const [AFTER_SCREEN_MS, IDLE_WITHIN_MS] = [6_000, 5_000];

/** Resolves in an idle moment after the first screen, or when the signal aborts. */
export async function afterScreen(firstScreen: Promise<void>, signal: AbortSignal): Promise<void> {
  await firstScreen;
  await pause(AFTER_SCREEN_MS, signal);
  await whenIdle(IDLE_WITHIN_MS, signal);
}
