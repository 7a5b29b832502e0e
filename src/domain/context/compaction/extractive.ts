// A summariser that is no model: quotes instead of rewording. Incomplete at worst, never wrong.
import type { TokenMeter } from '../meter.ts';
import { writeMemory } from './memory.ts';
import type { SummariseRequest } from './strategy.ts';

/** Stands in for a model's answer to the same request. */
export const extractiveSummary = (
  { messages, previous, language, maxTokens }: SummariseRequest,
  meter: TokenMeter,
): string => writeMemory(messages, { language, meter, tokens: maxTokens, base: previous });
