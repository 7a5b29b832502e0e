// The projection in a worker that lives as long as one map is being drawn.
import { z } from 'zod';
import { RecollectError } from '../../domain/base/errors.ts';
import { callWorker } from '../../domain/base/worker-call.ts';
import type { Projection } from './projection.ts';

const answerSchema = z.array(z.object({ x: z.number(), y: z.number() }));

const failed = (why: string): never => {
  throw new RecollectError('unexpected', `The map could not be computed${why === '' ? '.' : `: ${why}`}`, {
    retry: true,
  });
};

/** Starts a worker for each call and ends it with the answer or when the signal aborts. */
export const createProjection = (startWorker: () => Worker): Projection => ({
  project: (vectors, signal) =>
    callWorker(startWorker, {
      message: vectors,
      signal,
      read: (data) => answerSchema.safeParse(data).data ?? failed(''),
      stopped: failed,
    }),
});
