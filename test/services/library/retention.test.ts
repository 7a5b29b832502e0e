// The clean-up that runs by itself, over real documents and notes in memory: what it moves, what
// never, and that every run can be undone.
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Store } from '../../../src/adapters/log/conversation-log.ts';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import { RecollectError } from '../../../src/domain/base/errors.ts';
import { asConversationId, LIBRARY_DOCUMENT, newMessageId } from '../../../src/domain/base/ids.ts';
import type { Config } from '../../../src/domain/settings/config.ts';
import { defaultConfig } from '../../../src/domain/settings/config.ts';
import { createLibrary } from '../../../src/services/library/library-service.ts';
import { NO_RETENTION, retentionPlan } from '../../../src/services/library/retention-plan.ts';
import { createProjects } from '../../../src/services/projects/projects-service.ts';
import { createInMemoryVault } from '../../adapters/vault/in-memory.ts';
import { libraryEntry } from '../../fixtures/library-entry.ts';
import { englishWords } from '../../fixtures/words.ts';
import { perilous } from '../../sync/perilous.ts';
import { tidyingTab } from './tidying.ts';

const DAY = 86_400_000;
const START = Date.UTC(2026, 10, 21);
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A device with a clock of its own. */
function device(cleanup: Partial<Config['storage']['cleanup']> = {}, store: Store = createInMemoryStore()) {
  const clock = { now: START };
  const now = () => clock.now;
  const { notes, documents, config, kept, retention, entry, close } = tidyingTab(store, now, cleanup);
  const library = createLibrary({ documents, words: englishWords, now });
  closing.push(close);
  const say = async (name: string, daysAgo: number, meta = {}) => {
    const id = asConversationId(name);
    const createdAt = clock.now - daysAgo * DAY;
    await documents.change(id, {
      messages: [
        {
          id: newMessageId(),
          parentId: null,
          role: 'user',
          kind: 'message',
          createdAt,
          parts: [{ type: 'text', text: `What ${name} says` }],
        },
      ],
      meta: { title: name, createdAt, ...meta },
    });
    return id;
  };
  /** Lets so many days go by, with a run on each. */
  const live = async (days: number) => {
    for (let day = 0; day < days; day++) {
      clock.now += DAY;
      await retention.run();
    }
  };
  return { clock, documents, library, notes, retention, config, kept, entry, say, live };
}

it('moves nothing and counts as no run where the list of conversations cannot be read', async () => {
  const store = createInMemoryStore();
  const before = device({ enabled: true }, store);
  await before.say('old', 400);
  await before.documents.close();
  const { read } = store.log;
  vi.spyOn(store.log, 'read').mockImplementation((document, ...rest) =>
    document === LIBRARY_DOCUMENT
      ? Promise.reject(new RecollectError('storage-failed', 'No disk'))
      : read.call(store.log, document, ...rest),
  );
  const { retention, kept } = device({ enabled: true }, store);
  await expect(retention.run()).rejects.toMatchObject({ problem: { code: 'storage-failed' } });
  expect(kept.state).toBeUndefined();
});

describe('archiving', () => {
  it('archives what rests, reports it, and takes it back; the next run leaves it where it is', async () => {
    const { retention, entry, say, live } = device();
    const [old, fresh] = [await say('old', 90), await say('fresh', 89)];
    const done = await retention.run();
    expect(done).toMatchObject({ archived: [old], trashed: [], erased: 0, undone: false });
    expect((await entry(old))?.archived).toBe(true);
    expect((await entry(fresh))?.archived).toBe(false);
    expect(await retention.undo(done?.at ?? 0)).toBe(1);
    expect((await entry(old))?.archived).toBe(false);
    expect(retention.state.get()?.runs[0]?.undone).toBe(true);
    await live(89);
    expect((await entry(old))?.archived).toBe(false);
    await live(1);
    expect((await entry(old))?.archived).toBe(true);
  });

  it('leaves in archive and trash what it moved when longer times are set afterwards', async () => {
    const { retention, config, entry, say, live } = device();
    const [old, older] = [await say('old', 90), await say('older', 600)];
    await retention.run();
    await retention.agree(true);
    for (let day = 0; day < 500 && (await entry(older))?.deletedAt === null; day += 1) await live(1);
    expect((await entry(older))?.deletedAt).not.toBeNull();
    const archived = (await entry(old))?.deletedAt === null;
    config.update((now) => ({
      ...now,
      storage: {
        ...now.storage,
        cleanup: { ...now.storage.cleanup, archive_after_days: 3650, delete_archived_after_days: 3650 },
      },
    }));
    await live(1);
    expect((await entry(older))?.deletedAt).not.toBeNull();
    expect((await entry(old))?.archived).toBe(true);
    expect((await entry(old))?.deletedAt === null).toBe(archived);
  });

  it('never touches what is pinned, noted, a sample, excepted, or in the trash', async () => {
    const { retention, notes, entry, say } = device({
      except_work_dirs: ['*/keep/*'],
      except_sources: ['claude'],
    });
    const all = [
      await say('pinned', 500, { pinned: true }),
      await say('sample', 500, { sample: true }),
      await say('folder', 500, { workDir: '/home/me/keep/app' }),
      await say('source', 500, { source: { tool: 'claude', id: '1' } }),
      await say('child', 500, { parent: { conversationId: 'pinned', messageId: null } }),
      await say('trashed', 500, { deletedAt: START - DAY }),
    ];
    const noted = await say('noted', 500);
    await notes.write({ text: 'Ports above 8000', source: { conversationId: noted, messageId: 'm' } });
    const judged = await say('judged', 500);
    await notes.judge({
      conversationId: judged,
      messageId: 'm',
      verdict: 'pinned',
      query: null,
      passage: '',
      title: '',
    });
    expect(await retention.run()).toBeNull();
    for (const id of [...all, noted, judged]) expect((await entry(id))?.archived, id).toBe(false);
  });

  it('never touches what is in an excepted project or in one within it', async () => {
    const { retention, documents, config, entry, say } = device();
    const projects = createProjects({ documents, now: () => START });
    const outer = await projects.create({ name: 'Outer' });
    const inner = await projects.create({ name: 'Inner', within: outer });

    const [within, deeper, other] = [
      await say('within', 500),
      await say('deeper', 500),
      await say('other', 500),
    ];
    await projects.move([within], outer);
    await projects.move([deeper], inner);
    config.update((now) => ({
      ...now,
      storage: { ...now.storage, cleanup: { ...now.storage.cleanup, except_projects: [outer] } },
    }));
    await retention.run();
    expect((await entry(within))?.archived).toBe(false);
    expect((await entry(deeper))?.archived).toBe(false);
    expect((await entry(other))?.archived).toBe(true);
  });

  it('a run that was cut off before it moved everything is undone as far as it came', async () => {
    const { retention, documents, entry, say } = device();
    const old = await say('old', 100);
    const other = await say('other', 100);
    const done = await retention.run();
    // As if the clean-up had stopped before the second, and the person had moved the first again since.
    await documents.change(other, { meta: { archived: false, movedAt: 0 } });
    expect(await retention.undo(done?.at ?? 0)).toBe(1);
    expect((await entry(old))?.archived).toBe(false);
    expect(await retention.undo(12345)).toBe(0);
  });

  it('leaves what the person moved after the run', async () => {
    const { clock, retention, library, entry, say } = device();
    const old = await say('old', 100);
    const done = await retention.run();
    clock.now += DAY;
    await library.setMeta([old], { archived: false });
    await library.setMeta([old], { archived: true });
    expect(await retention.undo(done?.at ?? 0)).toBe(0);
    expect((await entry(old))?.archived).toBe(true);
  });
});

describe('deleting', () => {
  it('never happens without consent, however long it is switched on', async () => {
    const { entry, say, live } = device();
    const old = await say('old', 5000, { archived: true });
    await live(100);
    expect((await entry(old))?.deletedAt).toBeNull();
  });

  it('is announced for thirty days, goes to the trash for thirty days, and then is erased', async () => {
    const { retention, entry, say, live } = device();
    const old = await say('old', 5000, { archived: true });
    await live(1);
    expect(retention.preview().announced).toHaveLength(1);
    await retention.agree(true);
    const [announced] = retention.preview().announced;
    expect((announced?.at ?? 0) - START - DAY).toBe(30 * DAY);
    await live(29);
    expect((await entry(old))?.deletedAt).toBeNull();
    await live(1);
    expect((await entry(old))?.deletedAt).not.toBeNull();
    await live(29);
    expect(await entry(old)).toBeDefined();
    await live(1);
    expect(await entry(old)).toBeUndefined();
    expect(retention.state.get()?.runs[0]).toMatchObject({ erased: 1, archived: [], trashed: [] });
    // What is erased is named nowhere any more.
    expect(JSON.stringify(retention.state.get()?.trashed)).not.toContain('old');
  });

  it('what comes back from the trash, or out of the archive, begins anew', async () => {
    const { library, retention, entry, say, live } = device();
    const old = await say('old', 5000, { archived: true });
    await retention.agree(true);
    await live(31);
    expect((await entry(old))?.deletedAt).not.toBeNull();
    await library.restore([old]);
    await live(364);
    expect((await entry(old))?.deletedAt).toBeNull();
    await live(1);
    expect((await entry(old))?.deletedAt).not.toBeNull();
  });

  it('erases nothing that the person put into the trash, or wrote in since', async () => {
    const { clock, library, retention, documents, entry, say, live } = device();
    const own = await say('own', 1);
    await library.remove([own]);
    const written = await say('written', 5000, { archived: true });
    await retention.agree(true);
    await live(31);
    expect((await entry(written))?.deletedAt).not.toBeNull();
    clock.now += 1000;
    await documents.change(written, {
      messages: [
        {
          id: newMessageId(),
          parentId: null,
          role: 'user',
          kind: 'message',
          createdAt: clock.now,
          parts: [{ type: 'text', text: 'From another device' }],
        },
      ],
    });
    await live(100);
    expect(await entry(own)).toBeDefined();
    expect(await entry(written)).toBeDefined();
  });

  it('waits a run where the clock jumped or the app was closed for long', async () => {
    const { clock, retention, entry, say, live } = device();
    const old = await say('old', 5000, { archived: true });
    await retention.agree(true);
    await live(2);
    clock.now += 400 * DAY;
    await retention.run();
    expect((await entry(old))?.deletedAt).toBeNull();
    clock.now -= 390 * DAY;
    await retention.run();
    expect((await entry(old))?.deletedAt).toBeNull();
  });

  it('ends with the consent: all announcements are taken back', async () => {
    const { retention, entry, say, live } = device();
    const old = await say('old', 5000, { archived: true });
    await retention.agree(true);
    await live(29);
    await retention.agree(false);
    await live(5);
    await retention.agree(true);
    await live(29);
    expect((await entry(old))?.deletedAt).toBeNull();
  });
});

it('two runs at once, as in two tabs, do it once', async () => {
  const { retention, entry, say } = device();
  const old = await say('old', 100);
  const both = await Promise.all([retention.run(), retention.run()]);
  expect(both.filter((done) => done !== null)).toHaveLength(1);
  expect((await entry(old))?.archived).toBe(true);
  expect(retention.state.get()?.runs).toHaveLength(1);
});

it('begins anew from a state that cannot be read, and then deletes nothing', async () => {
  const { kept, retention, entry, say } = device();
  const old = await say('old', 5000, { archived: true });
  kept.state = { ranAt: 'yesterday', agreedAt: START - 100 * DAY, announced: { old: 5 }, runs: [{}] };
  await retention.run();
  expect((await entry(old))?.deletedAt).toBeNull();
});

it('whatever the library and the state: nothing is in two lists, and only consent deletes', () => {
  const time = fc.integer({ min: 0, max: START + 100 * DAY });
  const some = fc.record({
    archived: fc.boolean(),
    pinned: fc.boolean(),
    updatedAt: time,
    movedAt: fc.oneof(fc.constant(0), time),
    deletedAt: fc.option(time),
  });
  fc.assert(
    fc.property(
      fc.array(some, { maxLength: 8 }),
      fc.option(time),
      fc.option(time),
      fc.array(time, { minLength: 8, maxLength: 8 }),
      (entries, ranAt, agreedAt, times) => {
        const all = entries.map((one, at) => libraryEntry(`c${at}`, one));
        const announced = Object.fromEntries(all.map(({ id }, at) => [id, times[at] ?? 0]));
        const state = { ...NO_RETENTION, ranAt, agreedAt, announced, trashed: announced };
        const { archive, trash, erase } = retentionPlan(
          { entries: all, projects: [] },
          defaultConfig.storage.cleanup,
          state,
          new Set(),
          START,
        );
        const ids = [...archive, ...trash, ...erase].map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        expect([...archive, ...trash, ...erase].some(({ pinned }) => pinned)).toBe(false);
        if (agreedAt === null || ranAt === null) expect([...trash, ...erase]).toEqual([]);
      },
    ),
  );
});

describe('killed at a write', () => {
  it('wherever that is, an undo takes back what was moved, and the next runs do the rest, once', async () => {
    for (let strike = 1; ; strike += 1) {
      const disk = createInMemoryStore({ now: () => START });
      const before = device({ archive_after_days: 90 }, disk);
      const rests = await before.say('rests', 120);
      const old = await before.say('old', 500, { archived: true });
      await before.retention.agree(true);
      const kept = structuredClone(before.kept.state);
      let writes = 0;
      let die = () => {};
      const died = new Promise<'died'>((resolve) => {
        die = () => resolve('died');
      });
      const { store } = perilous(disk, createInMemoryVault(), {
        strikes: (lasts) => {
          if (lasts) writes += 1;
          return lasts && writes === strike ? (strike % 2 === 0 ? 'before' : 'after') : null;
        },
        onDeath: die,
        isFull: () => false,
        onCommit: () => {},
      });
      const dying = device({ archive_after_days: 90 }, store);
      dying.clock.now = START + 31 * DAY;
      dying.kept.state = { ...(kept as object), ranAt: START + 30 * DAY };
      const ended = await Promise.race([dying.retention.run().then(() => 'done'), died]);
      const next = device({ archive_after_days: 90 }, disk);
      next.clock.now = dying.clock.now + DAY;
      next.kept.state = structuredClone(dying.kept.state);
      await next.retention.run();
      expect((await next.entry(rests))?.archived, `write ${strike}`).toBe(true);
      expect((await next.entry(old))?.deletedAt, `write ${strike}`).not.toBeNull();
      for (const run of next.retention.state.get()?.runs ?? []) await next.retention.undo(run.at);
      expect((await next.entry(rests))?.archived, `write ${strike}`).toBe(false);
      expect((await next.entry(old))?.deletedAt, `write ${strike}`).toBeNull();
      if (ended === 'done') {
        expect(strike).toBeGreaterThan(1);
        return;
      }
    }
  });
});
