// The tools by which a model asks memory or tells it something. What they were asked and what they answered is memory's own, and no
// memory: indexed again, a passage would outlive the message that it quotes.
import type { Part } from '../chat/message.ts';

/** Their names, as models call them. */
export const MEMORY_TOOLS: readonly string[] = ['recall', 'open_conversation', 'remember'];

/** True for a call of memory's own tools, or its answer; anything that carries a recall is one, whatever its name. */
export const isOfMemory = (part: Part): boolean =>
  (part.type === 'tool-call' || part.type === 'tool-result') &&
  ((part.name !== undefined && MEMORY_TOOLS.includes(part.name)) ||
    (part.type === 'tool-result' && part.recalled !== undefined));
