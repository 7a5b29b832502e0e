// A summariser without a model: it quotes instead of rewording, so it may be incomplete but never wrong.

import { writeMemory } from '../../../../src/domain/context/compaction/memory-writer.ts';
import type { SummariseRequest } from '../../../../src/domain/context/compaction/strategy.ts';
import type { TokenMeter } from '../../../../src/domain/context/meter.ts';

/** Stands in for a model's answer to the same request. */
export const extractiveSummary = (
  { messages, previous, language, maxTokens }: SummariseRequest,
  meter: TokenMeter,
): string => writeMemory(messages, { language, meter, tokens: maxTokens, base: previous });
