// The tools by which a model asks memory or adds to it. Their calls and results are not indexed: otherwise a passage
// would outlive the message that it quotes.
import type { Part } from '../chat/message.ts';

/** Their names, as models call them. */
export const MEMORY_TOOLS: readonly string[] = ['recall', 'open_conversation', 'remember'];

/** True for a call of memory's own tools, or its result; any part with a recall counts, whatever its name. */
export const isMemoryTool = (part: Part): boolean =>
  (part.type === 'tool-call' || part.type === 'tool-result') &&
  ((part.name !== undefined && MEMORY_TOOLS.includes(part.name)) ||
    (part.type === 'tool-result' && part.recalled !== undefined));
