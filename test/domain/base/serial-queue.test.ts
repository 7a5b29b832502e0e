// The queue runs one piece of work at a time, in order, even after failures.
import { expect, it } from 'vitest';
import { SerialQueue } from '../../../src/domain/base/serial-queue.ts';

/** Work whose end the test decides. */
function gate() {
  let open = () => {};
  let fail: (error: Error) => void = () => {};
  const wait = new Promise<void>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { wait, open: () => open(), fail: (error: Error) => fail(error) };
}

it('runs one after the other, in the order in which they were added', async () => {
  const queue = new SerialQueue();
  const [first, second] = [gate(), gate()];
  const seen: string[] = [];
  const work = (name: string, wait: Promise<void>) => async () => {
    seen.push(`${name} begins`);
    await wait;
    seen.push(`${name} ends`);
    return name;
  };
  const done = [queue.run(work('first', first.wait)), queue.run(work('second', second.wait))];
  second.open();
  await Promise.resolve();
  first.open();
  expect(await Promise.all(done)).toEqual(['first', 'second']);
  expect(seen).toEqual(['first begins', 'first ends', 'second begins', 'second ends']);
});

it('goes on after a failure, which only its own caller sees', async () => {
  const queue = new SerialQueue();
  const failed = queue.run(async () => {
    throw new Error('full');
  });
  const thrown = queue.run(() => {
    throw new Error('at once');
  });
  const after = queue.run(() => 3);
  await expect(failed).rejects.toThrow('full');
  await expect(thrown).rejects.toThrow('at once');
  expect(await after).toBe(3);
});

it('lets go at once of work that is aborted while it waits, and does not run it', async () => {
  const queue = new SerialQueue();
  const first = gate();
  const running = queue.run(() => first.wait);
  const { signal, abort } = (() => {
    const controller = new AbortController();
    return { signal: controller.signal, abort: () => controller.abort(new Error('changed my mind')) };
  })();
  let ran = false;
  const waiting = queue.run(async () => {
    ran = true;
  }, signal);
  abort();
  await expect(waiting).rejects.toThrow('changed my mind');
  first.open();
  await running;
  expect(await queue.run(() => 'next')).toBe('next');
  expect(ran).toBe(false);
});

it('lets work that has begun end, and gives its result, where nothing aborts it', async () => {
  const queue = new SerialQueue();
  const { signal } = new AbortController();
  expect(await queue.run(() => 'done', signal)).toBe('done');
});

it('is idle once all that was added has ended, also in failure', async () => {
  const queue = new SerialQueue();
  const first = gate();
  const failing = queue.run(() => first.wait);
  let idle = false;
  const wait = queue.idle().then(() => {
    idle = true;
  });
  await Promise.resolve();
  expect(idle).toBe(false);
  first.fail(new Error('no'));
  await expect(failing).rejects.toThrow('no');
  await wait;
  expect(idle).toBe(true);
});
