// What every place of forgetting keeps: finding changes nothing, removing twice is removing once,
// and what was removed is found no more.
import { describe, expect, it } from 'vitest';
import { type Imprint, imprintOf } from '../../src/domain/forget/imprint.ts';
import { createEraser } from '../../src/services/forget/eraser.ts';
import type { CreatePlace, PlaceDeps } from '../../src/services/forget/place.ts';

export function describePlace(
  create: CreatePlace,
  make: () => Promise<{ deps: PlaceDeps; canary: string; message: string; conversation: string }>,
): void {
  const name = create({} as PlaceDeps).id;
  describe(`the place ${name}`, () => {
    const eraserFor = ({ canary, message }: { canary: string; message: string }) =>
      createEraser({
        id: 'record',
        at: Number.MAX_SAFE_INTEGER,
        kind: 'phrase',
        ids: [message],
        inside: [],
        sources: [],
        words: [imprintOf(canary, 'record') as Imprint],
        whole: false,
      });

    it('finds the same twice', async () => {
      const made = await make();
      const place = create(made.deps);
      const found = await place.find(eraserFor(made));
      expect(await place.find(eraserFor(made))).toEqual(found);
      for (const find of found) expect(find.place).toBe(name);
    });

    it('finds nothing more after it removed, and removes twice as once', async () => {
      const made = await make();
      const place = create(made.deps);
      const eraser = eraserFor(made);
      // The index follows the conversations.
      if (name === 'index') await made.deps.documents.erase([made.conversation as never]);
      await place.remove(eraser);
      await place.remove(eraser);
      expect(await place.find(eraser)).toEqual([]);
      expect((await place.verify(eraser)).left).toBe(0);
    });

    it('leaves what is not named', async () => {
      const made = await make();
      const place = create(made.deps);
      const eraser = createEraser({ ...eraserFor(made).record, ids: ['nobody'], words: [] });
      expect(await place.find(eraser)).toEqual([]);
      const before = JSON.stringify([made.deps.notes.state.get(), made.deps.documents.library.get()]);
      await place.remove(eraser);
      expect(JSON.stringify([made.deps.notes.state.get(), made.deps.documents.library.get()])).toBe(before);
    });
  });
}
