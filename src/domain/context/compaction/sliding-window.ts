// Keeps the newest turns that fit, and of the rest only the person's rules. Compacted messages
// can still be brought back at each send.
import { finish } from './finish.ts';
import { freeTokens, newestGroups, outlineOf } from './outline.ts';
import type { CompactionStrategy } from './strategy.ts';

export const slidingWindow: CompactionStrategy = {
  id: 'sliding-window',
  async plan(view, budget, tools) {
    const outline = outlineOf(view, budget, tools);
    return finish(outline, {
      strategy: 'sliding-window',
      keep: newestGroups(outline, freeTokens(outline), Number.POSITIVE_INFINITY),
      drafts: [],
    });
  },
};
