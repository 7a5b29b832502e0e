// What tabs and the thread that syncs write to one another: a tab of an earlier version
// may be open while another is updated.
import { afterEach, expect, it, vi } from 'vitest';
import { writable } from '../../src/domain/base/readable.ts';
import { type Config, defaultConfig } from '../../src/domain/settings/config.ts';
import type { SyncRequest } from '../../src/services/sync/requests.ts';
import { SYNC_OFF } from '../../src/services/sync/sync.ts';
import { connectSync, serveSync } from '../../src/workers/sync-link.ts';

let closing = new AbortController();
let raw = new BroadcastChannel('recollect-sync');
afterEach(() => {
  vi.unstubAllGlobals();
  closing.abort();
  closing = new AbortController();
  raw.close();
  raw = new BroadcastChannel('recollect-sync');
});

const tab = () =>
  connectSync({
    startThread: () => Object.assign(new EventTarget(), { terminate: () => {} }) as unknown as Worker,
    config: writable<Config>(defaultConfig),
    signal: closing.signal,
  });
/** The next message that is none of those that are passed over. */
const next = (type: string) =>
  new Promise<Record<string, unknown>>((resolve) => {
    raw.addEventListener('message', ({ data }: MessageEvent) => data.type === type && resolve(data));
  });
const where: SyncRequest = { do: 'where', document: 'd' };
const here = { place: 'here', devices: [] } as const;

it('a question is answered, once however often it is asked, and with a problem where there is one', async () => {
  const asked: SyncRequest[] = [];
  serveSync(async (request) => {
    asked.push(request);
    if (request.do === 'look') throw new Error('no');
    return here;
  }, closing.signal);
  const [one, two] = [tab(), tab()];
  expect(await Promise.all([one.ask(where), two.ask(where)])).toEqual([here, here]);
  await expect(one.ask({ do: 'look', force: false })).rejects.toMatchObject({ problem: { message: 'no' } });
  expect(asked).toHaveLength(3);
});

it('a tab of an earlier version is answered', async () => {
  const asked: SyncRequest[] = [];
  serveSync(async (request) => {
    asked.push(request);
    return here;
  }, closing.signal);
  const answer = next('answer');
  for (let time = 0; time < 2; time++) raw.postMessage({ type: 'ask', id: 'its own', request: where });
  expect(await answer).toMatchObject({ id: 'its own', answer: here });
  const strange = next('answer');
  raw.postMessage({ type: 'ask', id: 'strange', request: { do: 'dance' } });
  expect(await strange).toMatchObject({ id: 'strange', problem: { code: 'sync-thread', retry: true } });
  expect(asked).toEqual([where]);
});

it('a leader of an earlier version is understood', async () => {
  const answers: Record<string, object> = { where: { answer: here }, leave: {}, look: { problem: 'odd' } };
  raw.addEventListener('message', ({ data }: MessageEvent) => {
    if (data.type === 'ask') raw.postMessage({ type: 'answer', id: data.id, ...answers[data.request.do] });
  });
  const link = tab();
  expect(await link.ask(where)).toEqual(here);
  expect(await link.ask({ do: 'leave', erase: false })).toBeNull();
  await expect(link.ask({ do: 'look', force: false })).rejects.toMatchObject({
    problem: { code: 'unexpected' },
  });
});

it('names of the status and of places stay as tabs of earlier versions know them', async () => {
  // Node has no locks; a leader that is heard of is watched by one.
  vi.stubGlobal('navigator', { locks: { request: () => new Promise(() => {}) } });
  const kept = { place: 'localOnly', devices: [] } as const;
  const notify = serveSync(async () => kept, closing.signal);
  const [status, answer] = [next('status'), next('answer')];
  const link = tab();
  notify({ ...SYNC_OFF, mode: 'remote', state: 'synced', localOnly: 3 });
  expect((await status).status).toMatchObject({ withheld: 3 });
  await expect.poll(() => link.status.get().localOnly).toBe(3);
  expect(await link.ask(where)).toEqual(kept);
  expect(await answer).toMatchObject({ answer: { place: 'withheld' } });
});

it('what is asked when the tab closes is refused', async () => {
  const waiting = tab().ask(where);
  closing.abort();
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
});
