// Parts of requests that models refused: tools, thoughts, a parameter. Kept on the device by endpoint and model, and
// left out until the person decides otherwise.
import { z } from 'zod';
import type { KeyValues } from '../../adapters/log/conversation-log.ts';
import { type Problem, toProblem } from '../../domain/base/errors.ts';
import { type Readable, writable } from '../../domain/base/readable.ts';
import { SerialQueue } from '../../domain/base/serial-queue.ts';
import type { ModelRefusal, Omission } from './chat.ts';

/** Key of an earlier version, which knew only tools. */
const KEY = 'tool-refusals';

const refusalsSchema = z.array(
  z.object({
    endpoint: z.string(),
    model: z.string(),
    detail: z.string(),
    at: z.number(),
    leftOut: z.array(z.string()).default(['tools']),
  }),
);

type Change = (before: readonly ModelRefusal[]) => readonly ModelRefusal[];
type Named = { readonly id: string; readonly endpoint?: string | undefined };

export interface ModelRefusals {
  readonly all: Readable<readonly ModelRefusal[]>;
  /**
   * Names left out of requests to this model: `tools`, `thoughts`, `images`, and changes named in
   * `adapters/models/repairs.ts`.
   */
  leftOut(model: Named): readonly string[];
  remember(model: Named, leftOut: readonly string[], problem: Problem | null): Promise<void>;
  /** Sends refused parts again: to all models, or to those of one endpoint (its host). */
  forget(endpoint?: string): Promise<void>;
}

const OMISSIONS: readonly string[] = ['tools', 'thoughts', 'images'] satisfies Omission[];
/** True if the word names a part that requests can do without. */
export const isOmission = (what: string): what is Omission => OMISSIONS.includes(what);

/**
 * Reads the refusals kept on this device and follows new ones. Storage errors go to `onProblem`: the
 * refusals then count in this tab only.
 */
export function createModelRefusals({
  keyValues,
  now,
  onProblem,
}: {
  keyValues: KeyValues;
  now: () => number;
  onProblem: (problem: Problem) => void;
}): ModelRefusals {
  const all = writable<readonly ModelRefusal[]>([]);
  const queue = new SerialQueue();
  const read = async () => refusalsSchema.safeParse(await keyValues.get(KEY)).data ?? [];
  read()
    .then((known) => all.update((since) => [...known, ...since]))
    .catch((error) => onProblem(toProblem(error)));
  /** Changes made in this tab, and not stored yet. */
  const changes = new Set<Change>();
  /** Changes the stored list, not this tab's copy: words may have been forgotten, or another tab have added more. */
  const change = (one: Change) => {
    all.update(one);
    changes.add(one);
    return queue.run(async () => {
      try {
        const stored = one(await read());
        await keyValues.set(KEY, stored);
        changes.delete(one);
        all.set([...changes].reduce((known, next) => next(known), stored));
      } catch (error) {
        // At least this tab knows it.
        onProblem(toProblem(error));
      }
    });
  };
  const isOf = (refusal: ModelRefusal, model: Named) =>
    refusal.model === model.id && refusal.endpoint === (model.endpoint ?? '');
  const leftOut = (model: Named) => [
    ...new Set(all.get().flatMap((refusal) => (isOf(refusal, model) ? refusal.leftOut : []))),
  ];
  return {
    all,
    leftOut,
    remember: async (model, more, problem) => {
      const detail = String(problem?.params?.detail ?? problem?.message ?? '');
      const together = [...new Set([...leftOut(model), ...more])];
      await change((before) => [
        ...before.filter((refusal) => !isOf(refusal, model)),
        { endpoint: model.endpoint ?? '', model: model.id, detail, at: now(), leftOut: together },
      ]);
    },
    forget: (endpoint) =>
      change((before) =>
        endpoint === undefined ? [] : before.filter((refusal) => refusal.endpoint !== endpoint),
      ),
  };
}
