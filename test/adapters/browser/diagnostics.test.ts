import { describe, expect, it } from 'vitest';
import { watchPage, watchWorker } from '../../../src/adapters/browser/diagnostics.ts';
import { Log } from '../../../src/domain/base/log.ts';

const threads = () => {
  const [page, worker] = [new Log(), new Log()];
  const [pageScope, workerScope] = [new EventTarget(), new EventTarget()];
  watchPage(pageScope, page);
  watchWorker(workerScope, 'engine', worker);
  return { page, worker, pageScope, workerScope };
};
const withFields = (type: string, fields: object) => Object.assign(new Event(type), fields);

describe('diagnostics of the threads', () => {
  it('gathers in the page what workers write, under their names', async () => {
    const { page, worker } = threads();
    worker.warn('Vectors have to wait', new TypeError('x is not a function'));
    await expect
      .poll(() => page.get())
      .toMatchObject([{ level: 'warn', thread: 'engine', message: 'Vectors have to wait', count: 1 }]);
    expect(page.get()[0]?.error).toMatch(/^TypeError: x is not a function at /);
  });

  it('writes down errors that nobody handles, in the page and in a worker, and none of what was stopped', async () => {
    const { page, pageScope, workerScope } = threads();
    pageScope.dispatchEvent(withFields('error', { error: new RangeError('Invalid array length') }));
    pageScope.dispatchEvent(withFields('error', {}));
    const reason = new DOMException('stopped', 'AbortError');
    pageScope.dispatchEvent(withFields('unhandledrejection', { reason }));
    workerScope.dispatchEvent(withFields('unhandledrejection', { reason: new Error('my diary') }));
    await expect
      .poll(() => page.get().map(({ thread, message }) => [thread, message]))
      .toEqual([
        ['', 'Unhandled error'],
        ['engine', 'Unhandled rejection'],
      ]);
    expect(JSON.stringify(page.get())).not.toContain('diary');
  });
});
