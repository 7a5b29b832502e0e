// Counts tokens for one model: by its own tokenizer if there is one, by the estimate otherwise, corrected by what the
// endpoint reports. Each message is counted once, since messages never change.
import type { Part } from '../chat/message.ts';
import { estimateFileTokens, estimateTokens } from './tokens.ts';

/** Tokens of a message beside its words: role and separators. */
export const MESSAGE_OVERHEAD = 4;
/** Tokens of a call or a result beside its words. */
const CALL_OVERHEAD = 8;

/** A tokenizer. Pure: equal texts cost the same. */
export interface TokenCounter {
  /** Name of the encoding, or `estimate`. */
  readonly id: string;
  /** True for the model's own tokenizer. */
  readonly exact: boolean;
  /** 0 for the empty text. */
  count(text: string): number;
}

const ESTIMATE: TokenCounter = { id: 'estimate', exact: false, count: estimateTokens };

export interface TokenMeter {
  readonly counter: TokenCounter;
  /** Factor of every count: reported by estimated tokens of the last requests. 1: nothing reported yet. */
  readonly ratio: number;
  text(text: string): number;
  /**
   * Tokens of a message's parts as sent, without `MESSAGE_OVERHEAD`. Reasoning and
   * recall are not sent and cost nothing.
   */
  parts(parts: readonly Part[]): number;
}

/** Makes a meter. Keep it while counter and ratio stay the same: it caches its counts. */
export function createMeter(counter: TokenCounter = ESTIMATE, ratio = 1): TokenMeter {
  const known = new WeakMap<Part, number>();
  const scaled = (tokens: number) => (ratio === 1 ? tokens : Math.ceil(tokens * ratio));
  const raw = (part: Part): number => {
    switch (part.type) {
      case 'text':
        return counter.count(part.text);
      case 'tool-call':
        return counter.count(part.name) + counter.count(part.arguments) + CALL_OVERHEAD;
      case 'tool-result':
        return counter.count(part.text) + CALL_OVERHEAD;
      case 'file':
        return estimateFileTokens(part);
      default:
        return 0;
    }
  };
  return {
    counter,
    ratio,
    text: (text) => scaled(counter.count(text)),
    parts: (parts) => {
      let tokens = 0;
      for (const part of parts) {
        let cost = known.get(part);
        if (cost === undefined) {
          cost = raw(part);
          known.set(part, cost);
        }
        tokens += cost;
      }
      return scaled(tokens);
    },
  };
}

/** Correction to a model's true cost. Plain data, stored for each model. */
export interface Correction {
  readonly ratio: number;
  /** Count of requests it is based on. */
  readonly samples: number;
}

export const NO_CORRECTION: Correction = { ratio: 1, samples: 0 };

/** Smaller requests show more about a template's overhead than about the counting. */
const MIN_SAMPLE = 200;

/**
 * Learns from one answer: `counted` is the prompt's count with ratio 1, `reported` the endpoint's input tokens. A
 * running mean of the last eight or so; a report that differs by more than a factor of three is ignored.
 */
export function learnCorrection(
  known: Correction,
  counted: number,
  reported: number | undefined,
): Correction {
  if (reported === undefined || counted < MIN_SAMPLE || reported <= 0) return known;
  const ratio = reported / counted;
  if (!Number.isFinite(ratio) || ratio > 3 || ratio < 1 / 3) return known;
  const weight = 1 / Math.min(known.samples + 1, 8);
  return { ratio: known.ratio + (ratio - known.ratio) * weight, samples: known.samples + 1 };
}
