// Which models would not take tools. Kept on the device: a model is asked without them from then on, until the person says otherwise.
import { z } from 'zod';
import type { Drawer } from '../../adapters/log/conversation-log.ts';
import type { ChatModel } from '../../adapters/models/chat-model.ts';
import { type Problem, toProblem } from '../../domain/base/errors.ts';
import { type Readable, writable } from '../../domain/base/readable.ts';
import type { ToolRefusal } from './chat.ts';

const KEY = 'tool-refusals';

const refusalsSchema = z.array(
  z.object({ endpoint: z.string(), model: z.string(), detail: z.string(), at: z.number() }),
);

export interface ToolRefusals {
  readonly all: Readable<readonly ToolRefusal[]>;
  refused(model: ChatModel): boolean;
  remember(model: ChatModel, problem: Problem | null): Promise<void>;
  forget(): Promise<void>;
}

export function createToolRefusals({
  drawer,
  now,
  onProblem,
}: {
  drawer: Drawer;
  now: () => number;
  onProblem: (problem: Problem) => void;
}): ToolRefusals {
  const all = writable<readonly ToolRefusal[]>([]);
  drawer
    .get(KEY)
    .then((kept) => {
      const known = refusalsSchema.safeParse(kept).data ?? [];
      all.update((since) => [...known, ...since]);
    })
    .catch((error) => onProblem(toProblem(error)));
  const keep = async () => {
    try {
      await drawer.set(KEY, all.get());
    } catch (error) {
      // Known in this tab at least.
      onProblem(toProblem(error));
    }
  };
  const isOf = (refusal: ToolRefusal, model: ChatModel) =>
    refusal.model === model.id && refusal.endpoint === (model.endpoint ?? '');
  return {
    all,
    refused: (model) => all.get().some((refusal) => isOf(refusal, model)),
    remember: async (model, problem) => {
      const detail = String(problem?.params?.detail ?? problem?.message ?? '');
      all.update((before) => [
        ...before.filter((refusal) => !isOf(refusal, model)),
        { endpoint: model.endpoint ?? '', model: model.id, detail, at: now() },
      ]);
      await keep();
    },
    forget: async () => {
      all.set([]);
      await keep();
    },
  };
}
