// Keeps one token meter for each model, corrected by the usage that endpoints report.
// The corrections are kept on the device.
import { z } from 'zod';
import type { KeyValues } from '../../adapters/log/conversation-log.ts';
import type { ChatModel } from '../../adapters/models/chat-model.ts';
import { type Problem, toProblem } from '../../domain/base/errors.ts';
import type { Usage } from '../../domain/chat/message.ts';
import type { RequestManifest } from '../../domain/context/manifest.ts';
import {
  type Correction,
  createMeter,
  learnCorrection,
  NO_CORRECTION,
  type TokenCounter,
  type TokenMeter,
} from '../../domain/context/meter.ts';

const KEY = 'context/corrections';
/** A new meter forgets what it has counted, so small changes do not make one. */
const NOTICEABLE = 0.03;

const correctionsSchema = z.record(z.string(), z.object({ ratio: z.number(), samples: z.number() }));

const keyOf = (model: ChatModel | null): string => (model ? `${model.endpoint ?? ''}|${model.id}` : '');

export interface Meters {
  of(model: ChatModel | null): TokenMeter;
  learn(model: ChatModel, manifest: RequestManifest, usage: Usage | undefined): void;
  /** Resolves when the stored corrections are loaded. */
  readonly ready: Promise<void>;
}

/**
 * Makes the token meters, one for each model of an endpoint. The ratio learnt from reported usage is kept in the
 * key-value store; storage errors go to `onProblem` and cost only that ratio.
 */
export function createMeters({
  keyValues,
  counterFor,
  onProblem,
}: {
  keyValues: KeyValues;
  /** The model's own tokenizer, once it is loaded. */
  counterFor: (model: ChatModel) => TokenCounter | undefined;
  onProblem: (problem: Problem) => void;
}): Meters {
  const corrections = new Map<string, Correction>();
  const meters = new Map<string, TokenMeter>();
  const ready = keyValues
    .get(KEY)
    .then((kept) => {
      for (const [key, correction] of Object.entries(correctionsSchema.safeParse(kept).data ?? {}))
        if (!corrections.has(key)) corrections.set(key, correction);
    })
    .catch((error) => onProblem(toProblem(error)));

  return {
    ready,
    of: (model) => {
      const key = keyOf(model);
      const { ratio } = corrections.get(key) ?? NO_CORRECTION;
      const counter = model ? counterFor(model) : undefined;
      const known = meters.get(key);
      if (
        known &&
        Math.abs(known.ratio - ratio) < NOTICEABLE &&
        (counter === undefined || known.counter.id === counter.id)
      )
        return known;
      const made = counter ? createMeter(counter, ratio) : createMeter(undefined, ratio);
      meters.set(key, made);
      return made;
    },
    learn: (model, manifest, usage) => {
      if (usage?.inputTokens === undefined || usage.estimated) return;
      const key = keyOf(model);
      const before = corrections.get(key) ?? NO_CORRECTION;
      const after = learnCorrection(before, manifest.tokens.total / manifest.ratio, usage.inputTokens);
      if (after === before) return;
      corrections.set(key, after);
      keyValues.set(KEY, Object.fromEntries(corrections)).catch((error) => onProblem(toProblem(error)));
    },
  };
}
