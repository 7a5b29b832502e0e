// Runs the projection in a worker that lives as long as the app draws one map.
import { z } from 'zod';
import { RecollectError, toProblem } from '../../domain/base/errors.ts';
import { callWorker } from '../../domain/threads/one-call.ts';
import type { Projection } from './projection.ts';

export const projectionCalls = {
  project: {
    given: z.array(z.custom<Float32Array>((value) => value instanceof Float32Array)),
    answer: z.array(z.object({ x: z.number(), y: z.number() })),
  },
};

/** Starts a worker for each call and ends it with the answer or when the signal aborts. */
export const createProjection = (startWorker: () => Worker): Projection => ({
  project: async (vectors, signal) => {
    try {
      return await callWorker(startWorker, projectionCalls, 'project', [...vectors], { signal });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const why = toProblem(error).message;
      throw new RecollectError(
        'unexpected',
        `The map could not be computed${why === '' ? '.' : `: ${why}`}`,
        {
          retry: true,
        },
      );
    }
  },
});
