// The projection in a worker that lives as long as one map is being drawn.
import { z } from 'zod';
import { RecollectError } from '../../domain/base/errors.ts';
import type { Projection } from './projection.ts';

const answerSchema = z.array(z.object({ x: z.number(), y: z.number() }));

/** Starts a worker for each call and ends it with the answer or when the signal aborts. */
export function createProjection(startWorker: () => Worker): Projection {
  return {
    project: (vectors, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const worker = startWorker();
        const end = (settle: () => void) => {
          signal.removeEventListener('abort', onAbort);
          worker.terminate();
          settle();
        };
        const onAbort = () => end(() => reject(signal.reason));
        signal.addEventListener('abort', onAbort, { once: true });
        worker.addEventListener('message', ({ data }) =>
          end(() => {
            const places = answerSchema.safeParse(data);
            if (places.success) resolve(places.data);
            else reject(new RecollectError('unexpected', 'The map could not be computed.', { retry: true }));
          }),
        );
        worker.addEventListener('error', (event) =>
          end(() =>
            reject(
              new RecollectError('unexpected', `The map could not be computed: ${event.message}`, {
                retry: true,
              }),
            ),
          ),
        );
        worker.postMessage(vectors);
      }),
  };
}
