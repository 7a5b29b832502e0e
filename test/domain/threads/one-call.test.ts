// One worker for one call: its result, the signal or any error ends it.
import { expect, it } from 'vitest';
import { z } from 'zod';
import { callWorker } from '../../../src/domain/threads/one-call.ts';

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
  say(said: object): void {
    this.dispatchEvent(new MessageEvent('message', { data: { call: 1, ...said } }));
  }
}

const contract = { run: { given: z.unknown(), answer: z.string(), progress: z.string() } };

function called(given: unknown = 'work', control = new AbortController()) {
  const thread = new Thread();
  const heard: unknown[] = [];
  const result = callWorker(() => thread as unknown as Worker, contract, 'run', given, {
    signal: control.signal,
    onProgress: (progress) => heard.push(progress),
  });
  return { thread, heard, result, control };
}

it('gives the result and ends the worker; what comes before is heard', async () => {
  const { thread, heard, result } = called();
  thread.say({ progress: 'half' });
  expect(thread.isEnded).toBe(false);
  thread.say({ value: 'done' });
  expect(await result).toBe('done');
  const asked = { from: '', asked: { call: 1, verb: 'run', given: 'work' } };
  expect([thread.given, heard, thread.isEnded]).toEqual([[asked], ['half'], true]);
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
  await expect(stopped.result).rejects.toThrow('out of memory');
  const odd = called();
  odd.thread.say({ value: 7 });
  await expect(odd.result).rejects.toThrow('not understood');
  const refused = called(() => 'no clone');
  await expect(refused.result).rejects.toThrow();
  expect([stopped, odd, refused].map(({ thread }) => thread.isEnded)).toEqual([true, true, true]);
});
