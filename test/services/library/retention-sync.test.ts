// The clean-up on two devices of one person, over a relay in memory: never twice, never against each
// other, and never over what is being used.
import { afterEach, expect, it } from 'vitest';
import type { Store } from '../../../src/adapters/log/conversation-log.ts';
import { asConversationId, type ConversationId, newMessageId } from '../../../src/domain/base/ids.ts';
import { cluster } from '../sync/cluster.ts';
import { isSynced, type TestDevice } from '../sync/device.ts';
import { tidyingTab } from './tidying.ts';

const DAY = 86_400_000;
const START = Date.UTC(2026, 10, 21);
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
const devices = cluster();
const clock = { now: START };
const now = () => clock.now;

/** As a tab sees the log to which the thread of sync appends. */
const fromTab = ({ log, ...rest }: Store): Store => ({
  ...rest,
  log: { ...log, subscribe: (listener) => log.subscribe((change) => listener({ ...change, foreign: true })) },
});

/** The tab of a device, that cleans up. */
function tabOf(device: TestDevice) {
  const { documents, retention, entry, close } = tidyingTab(fromTab(device.store), now);
  closing.push(close);
  return {
    device,
    documents,
    retention,
    entry,
    say: (id: ConversationId, text: string, createdAt: number) =>
      documents.change(id, {
        messages: [
          {
            id: newMessageId(),
            parentId: null,
            role: 'user',
            kind: 'message',
            createdAt,
            parts: [{ type: 'text', text }],
          },
        ],
        meta: { title: id },
      }),
  };
}
type Tab = ReturnType<typeof tabOf>;

/** Looks until it is so, for a minute at most. */
async function soon(isSo: () => Promise<boolean>): Promise<void> {
  for (let look = 0; look < 1200 && !(await isSo()); look += 1)
    await new Promise((resolve) => setTimeout(resolve, 50));
  expect(await isSo()).toBe(true);
}
/** Both know the same of the conversation. */
const alike = (one: Tab, other: Tab, id: ConversationId) =>
  soon(async () => {
    await Promise.all([isSynced(one.device), isSynced(other.device)]);
    const [here, there] = [await one.entry(id), await other.entry(id)];
    return JSON.stringify(here) === JSON.stringify(there);
  });

async function two(): Promise<[Tab, Tab]> {
  clock.now = START;
  const one = await devices.create();
  const other = await devices.pair(one);
  return [tabOf(one), tabOf(other)];
}

it('what one device cleaned up, the other leaves alone, to the end', { timeout: 120_000 }, async () => {
  const [one, other] = await two();
  const id = asConversationId('old');
  await one.say(id, 'Long ago', START - 100 * DAY);
  await alike(one, other, id);
  expect(await one.retention.run()).toMatchObject({ archived: [id] });
  await alike(one, other, id);
  expect(await other.retention.run()).toBeNull();

  for (const tab of [one, other]) await tab.retention.agree(true);
  const runs: string[] = [];
  for (let day = 0; day < 500 && (await one.entry(id)); day += 1) {
    clock.now += DAY;
    for (const [name, tab] of [
      ['one', one],
      ['other', other],
    ] as const) {
      const done = await tab.retention.run();
      if (!done) continue;
      runs.push(`${name} ${done.trashed.length} ${done.erased}`);
      await soon(async () => {
        const [here, there] = [await one.entry(id), await other.entry(id)];
        return JSON.stringify(here) === JSON.stringify(there);
      });
    }
  }
  expect(runs).toEqual(['one 1 0', 'one 0 1']);
  expect(await other.entry(id)).toBeUndefined();
});

it('both archive while they reach nobody: it is archived once, and one undo takes it back', {
  timeout: 60_000,
}, async () => {
  const [one, other] = await two();
  const id = asConversationId('old');
  await one.say(id, 'Long ago', START - 100 * DAY);
  await alike(one, other, id);
  other.device.stop();
  const runs = [await one.retention.run()];
  clock.now += 1;
  runs.push(await other.retention.run());
  expect(runs.map((run) => run?.archived)).toEqual([[id], [id]]);
  const { store, vault, config } = other.device;
  const again = tabOf(devices.make('Phone', { store, vault, config }));
  await alike(one, again, id);
  expect((await one.entry(id))?.archived).toBe(true);
  clock.now += 1000;
  const undone = [await one.retention.undo(runs[0]?.at ?? 0), await other.retention.undo(runs[1]?.at ?? 0)];
  expect(undone.sort()).toEqual([0, 1]);
  await alike(one, again, id);
  expect((await one.entry(id))?.archived).toBe(false);
  clock.now += DAY;
  expect([await one.retention.run(), await again.retention.run()]).toEqual([null, null]);
});

it('what is used on one device while the other archives it comes back', { timeout: 60_000 }, async () => {
  const [one, other] = await two();
  const id = asConversationId('boat');
  await one.say(id, 'Shall we sell the boat?', START - 100 * DAY);
  await alike(one, other, id);
  // The other device wrote a day earlier, and this one has not heard of it before the run.
  other.device.stop();
  await other.say(id, 'No, we keep it.', START - DAY);
  expect(await one.retention.run()).toMatchObject({ archived: [id] });
  const { store, vault, config } = other.device;
  const again = tabOf(devices.make('Phone', { store, vault, config }));
  await alike(one, again, id);
  expect(await one.entry(id)).toMatchObject({ archived: true, messageCount: 2 });
  clock.now += DAY;
  await one.retention.run();
  await alike(one, again, id);
  expect(await again.entry(id)).toMatchObject({ archived: false, deletedAt: null, messageCount: 2 });
  // No device archives it again before its time.
  for (const tab of [one, again]) expect(await tab.retention.run()).toBeNull();
});

it('what is used on one device while the other puts it into the trash comes back', {
  timeout: 60_000,
}, async () => {
  const [one, other] = await two();
  const id = asConversationId('boat');
  await one.say(id, 'Shall we sell the boat?', START - 600 * DAY);
  await alike(one, other, id);
  await one.retention.run();
  await alike(one, other, id);
  other.device.stop();
  await one.retention.agree(true);
  let trashed: number | null = null;
  while (trashed === null) {
    clock.now += DAY;
    const done = await one.retention.run();
    if (done && done.trashed.length > 0) trashed = clock.now;
  }
  await other.say(id, 'No, we keep it.', trashed - DAY);
  const { store, vault, config } = other.device;
  const again = tabOf(devices.make('Phone', { store, vault, config }));
  await alike(one, again, id);
  clock.now += DAY;
  await one.retention.run();
  await alike(one, again, id);
  expect(await again.entry(id)).toMatchObject({ archived: false, deletedAt: null, messageCount: 2 });
});
