// Loads parts of the composer that its first drawing does not need: what memory
// would send along, and the context meter.
import { createPart } from '../hooks/part.ts';

const chip = createPart(async () => (await import('../memory/recall-chip.tsx')).RecallChip);
const ring = createPart(async () => (await import('./context-meter.tsx')).MeterRing);

/** Loads both parts. Throws `part-missing`. */
export async function loadComposerParts(): Promise<void> {
  await Promise.all([chip.load(), ring.load()]);
}

/** Component that shows what memory would send along; null while it loads. */
export const useRecallChip = chip.use;

/** Component of the context meter; null while it loads. */
export const useMeterRing = ring.use;
