// What threads and tabs tell one another without waiting for an answer.
import type { z } from 'zod';
import type { Cancellation } from '../base/readable.ts';
import { type Endpoint, transferOf } from './endpoint.ts';

/**
 * Gives `listener` what others say and `schema` understands; the rest is passed over: another tab may run another version. Returns how to speak.
 * @param signal closes the endpoint, and nothing is said after that. Absent: it lasts as long as the thread
 */
export function joinNews<News>(
  endpoint: Endpoint & { close?(): void },
  schema: z.ZodType<News>,
  listener: (news: News) => void,
  signal?: Cancellation,
): (news: News) => void {
  endpoint.addEventListener('message', ({ data }) => {
    const parsed = schema.safeParse(data);
    if (parsed.success) listener(parsed.data);
  });
  endpoint.start?.();
  signal?.addEventListener('abort', () => endpoint.close?.(), { once: true });
  return (news) => {
    if (!signal?.aborted) endpoint.postMessage(news, transferOf(news));
  };
}
