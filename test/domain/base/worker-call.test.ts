// One worker for one call: it is ended by its result, by the signal, and by whatever goes wrong.
import { expect, it } from 'vitest';
import { callWorker } from '../../../src/domain/base/worker-call.ts';

/** The two ends of a worker: what it is given, what it says, and whether it was ended. */
class Thread extends EventTarget {
  readonly given: unknown[] = [];
  isEnded = false;
  postMessage(message: unknown): void {
    this.given.push(structuredClone(message));
  }
  terminate(): void {
    this.isEnded = true;
  }
  say(data: unknown): void {
    this.dispatchEvent(new MessageEvent('message', { data }));
  }
}

function called(message: unknown = 'work', control = new AbortController()) {
  const thread = new Thread();
  const heard: unknown[] = [];
  const result = callWorker<string>(() => thread as unknown as Worker, {
    message,
    signal: control.signal,
    read: (data) => {
      heard.push(data);
      if (data === 'nonsense') throw new Error('Not understood');
      return data === 'half' ? undefined : String(data);
    },
    stopped: (why) => `stopped: ${why}`,
  });
  return { thread, heard, result, control };
}

it('gives the result and ends the worker; what comes before is heard', async () => {
  const { thread, heard, result } = called();
  thread.say('half');
  expect(thread.isEnded).toBe(false);
  thread.say('done');
  expect(await result).toBe('done');
  expect([thread.given, heard, thread.isEnded]).toEqual([['work'], ['half', 'done'], true]);
});

it('is ended by the signal, and does not begin where that was aborted before', async () => {
  const { thread, result, control } = called();
  control.abort(new Error('No longer wanted'));
  await expect(result).rejects.toThrow('No longer wanted');
  expect(thread.isEnded).toBe(true);
  const late = called('work', control);
  await expect(late.result).rejects.toThrow('No longer wanted');
  expect(late.thread.given).toEqual([]);
});

it('is ended where the worker stops, says what nobody understands, or cannot be given its work', async () => {
  const stopped = called();
  stopped.thread.dispatchEvent(Object.assign(new Event('error'), { message: 'out of memory' }));
  expect(await stopped.result).toBe('stopped: out of memory');
  const odd = called();
  odd.thread.say('nonsense');
  await expect(odd.result).rejects.toThrow('Not understood');
  const refused = called(() => 'no clone');
  await expect(refused.result).rejects.toThrow();
  expect([stopped, odd, refused].map(({ thread }) => thread.isEnded)).toEqual([true, true, true]);
});
