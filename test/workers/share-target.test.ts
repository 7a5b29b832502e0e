// Files that another app shares, in the memory of the service worker: taken once, and not kept for somebody else.
import 'fake-indexeddb/auto';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SHARED_FILES } from '../../src/domain/chat/shared-words.ts';
import { handOverFiles, SHARE_PATH, takeShare } from '../../src/workers/service/share-target.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** Shares a file; `life`: what the worker stays alive for. */
async function share(name: string): Promise<{ readonly life: Promise<unknown> | undefined }> {
  const form = new FormData();
  form.append(SHARED_FILES, new File(['A kettle hums.'], name, { type: 'text/plain' }));
  const lives: Promise<unknown>[] = [];
  const request = new Request(`https://app.example${SHARE_PATH}`, { method: 'POST', body: form });
  const answer = await takeShare(request, { waitUntil: (life) => void lives.push(life) });
  expect(answer.headers.get('location')).toBe('/?open=files');
  expect(lives).toHaveLength(1);
  return { life: lives[0] };
}

/** Names of the files that a page gets. */
function taken(): string[] {
  const got: string[] = [];
  handOverFiles({ postMessage: (files: File[]) => void got.push(...files.map(({ name }) => name)) });
  return got;
}

it('files are taken once, and nothing waits on after that', async () => {
  const shared = await share('kettle.txt');
  expect(vi.getTimerCount()).toBe(1);
  expect(taken()).toEqual(['kettle.txt']);
  expect(vi.getTimerCount()).toBe(0);
  await shared.life;
  expect(taken()).toEqual([]);
});

it('files of two shares behind a lock screen are taken together, by one timer', async () => {
  const first = await share('kettle.txt');
  const second = await share('cup.txt');
  expect(vi.getTimerCount()).toBe(1);
  await first.life;
  expect(taken()).toEqual(['kettle.txt', 'cup.txt']);
  await second.life;
});

it('files that nobody took come with no later share', async () => {
  const shared = await share('kettle.txt');
  vi.advanceTimersByTime(120_000);
  await shared.life;
  expect(taken()).toEqual([]);
  await share('cup.txt');
  expect(taken()).toEqual(['cup.txt']);
});
