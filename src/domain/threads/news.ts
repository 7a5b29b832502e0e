// Messages between threads and tabs that expect no answer.
import type { z } from 'zod';
import type { Cancellation } from '../base/readable.ts';
import { type MessageEndpoint, transferOf } from './endpoint.ts';

/** Posts one message to an endpoint that the sender does not listen to. */
export const postNews = <News>(endpoint: Pick<MessageEndpoint, 'postMessage'>, news: News): void =>
  endpoint.postMessage(news, transferOf(news));

/**
 * Passes to `listener` the messages that `schema` understands; ignores others, since another tab may run
 * another version. Returns the sender.
 * @param signal closes the endpoint, after which nothing is sent. Absent: it lasts as long as the thread
 */
export function joinNews<News>(
  endpoint: MessageEndpoint & { close?(): void },
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
