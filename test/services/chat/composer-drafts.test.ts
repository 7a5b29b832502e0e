import { describe, expect, it } from 'vitest';
import type { Store } from '../../../src/adapters/log/conversation-log.ts';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import { imprintsOf } from '../../../src/domain/forget/imprint.ts';
import { createComposerDrafts, withoutWords } from '../../../src/services/chat/composer-drafts.ts';
import { createTab, NOTED_WORDS, type TabMemory } from '../../../src/services/chat/tab.ts';
import { textSince } from '../../../src/services/forget/traces.ts';
import { createLocks } from './setup.ts';

const PLACE = 'composer.garden';
const words = (text: string) => ({ text, files: [] });

/** A tab over the store. Without `locks` the browser has none. */
function open(
  store: Store,
  name: string,
  {
    locks,
    memory,
    now = () => 0,
    withoutForgotten,
  }: {
    locks?: ReturnType<typeof createLocks>;
    memory?: TabMemory;
    now?: () => number;
    withoutForgotten?: ReturnType<typeof textSince>;
  } = {},
) {
  const own = locks?.of(name);
  const tab = createTab(own, memory && (() => memory));
  return createComposerDrafts({
    keyValues: store.keyValues,
    tab,
    locks: own,
    now,
    memory: memory && (() => memory),
    withoutForgotten,
  });
}

function createTabMemory(): TabMemory {
  const kept = new Map<string, string>();
  return { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => void kept.set(key, value) };
}

describe('what is written and not sent', () => {
  it('in one tab outlives that another sends', async () => {
    const store = createInMemoryStore();
    const locks = createLocks();
    const first = open(store, 'first', { locks });
    const memory = createTabMemory();
    const second = open(store, 'second', { locks, memory });
    await first.save(PLACE, words('short'));
    await second.save(PLACE, words('a much longer letter'));
    await first.save(PLACE, null);
    expect(await first.claim(PLACE)).toBeNull();
    locks.kill('second');
    const again = open(store, 'second again', { locks, memory });
    expect(await again.claim(PLACE)).toEqual(words('a much longer letter'));
  });

  it('and was taken out of its row since comes back from nowhere', async () => {
    const store = createInMemoryStore();
    const only = open(store, 'only', { locks: createLocks() });
    await only.save(PLACE, words('Dear Quillfeather'));
    const [key] = await store.keyValues.keys('written/');
    const row = (await store.keyValues.get(key as string)) as object;
    await store.keyValues.set(key as string, { ...row, text: 'Dear •••' });
    expect(await only.claim(PLACE)).toEqual(words('Dear •••'));
    // What is typed then is what counts.
    const saved = only.save(PLACE, words('Dear Ada'));
    expect(await only.claim(PLACE)).toEqual(words('Dear Ada'));
    await saved;
  });

  it('and was forgotten while the browser had put the tab away comes back without it', async () => {
    const record = (id: string, ids: readonly string[], words: readonly string[]) => ({
      ...({ id, at: 5, kind: 'phrase', ids, inside: [], sources: [], whole: true } as const),
      words: words.flatMap((one) => imprintsOf(one, id)),
    });
    const store = createInMemoryStore();
    const locks = createLocks();
    const memory = createTabMemory();
    const old = open(store, 'old page', { locks, memory, now: () => 4 });
    old.saveOnUnload(PLACE, 'Dear Quillfeather, hello');
    old.saveOnUnload('composer.gone', 'More of it');
    locks.kill('old page');
    const withoutForgotten = textSince(async () => [
      record('a', [], ['Quillfeather']),
      record('b', ['gone'], []),
    ]);
    const fresh = open(store, 'new page', { locks, memory, now: () => 6, withoutForgotten });
    expect(await fresh.claim(PLACE)).toEqual(words('Dear •••, hello'));
    expect(await fresh.claim('composer.gone')).toBeNull();
    // Words written after the request stay.
    fresh.saveOnUnload(PLACE, 'Quillfeather again');
    locks.kill('new page');
    const later = open(store, 'later page', { locks, memory, now: () => 7, withoutForgotten });
    expect(await later.claim(PLACE)).toEqual(words('Quillfeather again'));
  });

  it('and was noted before locking was turned on is in clear in no tab that opens after that', async () => {
    const store = createInMemoryStore();
    const memory = createTabMemory();
    open(store, 'old page', { memory }).saveOnUnload('composer.other', 'Dear Quillfeather');
    const locked = withoutWords(memory);
    const fresh = open(store, 'new page', { memory: locked });
    expect(await fresh.claim(PLACE)).toBeNull();
    expect(memory.getItem(NOTED_WORDS)).toBe('{}');
    fresh.saveOnUnload(PLACE, 'Dear Quillfeather');
    expect(memory.getItem(NOTED_WORDS)).toBe('{}');
  });

  it('in tabs that are gone is taken by the next one, the oldest first, and by one only', async () => {
    const store = createInMemoryStore();
    const locks = createLocks();
    let at = 0;
    for (const name of ['first', 'second']) {
      at += 1;
      await open(store, name, { locks, now: () => at }).save(PLACE, words(`of the ${name}`));
      locks.kill(name);
    }
    expect(await open(store, 'third', { locks }).claim(PLACE)).toEqual(
      words('of the first\n\nof the second'),
    );
    locks.kill('third');
    const taken = await Promise.all(
      ['fourth', 'fifth'].map((name) => open(store, name, { locks }).claim(PLACE)),
    );
    expect(taken.filter((draft) => draft !== null)).toHaveLength(1);
    expect(await store.keyValues.keys('written/')).toHaveLength(1);
  });

  it('before a reload waits for the page that is just ending', async () => {
    const store = createInMemoryStore();
    const locks = createLocks();
    const memory = createTabMemory();
    await open(store, 'old page', { locks, memory }).save(PLACE, words('half a thought'));
    const taking = open(store, 'new page', { locks, memory }).claim(PLACE);
    await Promise.resolve();
    locks.kill('old page');
    expect(await taking).toEqual(words('half a thought'));
  });

  it('is there after a reload also where the page was gone before it was durable, once and in its latest words', async () => {
    const store = createInMemoryStore();
    const locks = createLocks();
    const memory = createTabMemory();
    const old = open(store, 'old page', { locks, memory });
    await old.save(PLACE, words('half'));
    old.saveOnUnload(PLACE, 'half a thought');
    old.saveOnUnload('composer.new', 'a new one');
    locks.kill('old page');
    const fresh = open(store, 'new page', { locks, memory });
    expect(await fresh.places('composer.')).toEqual([PLACE, 'composer.new']);
    expect(await fresh.claim(PLACE)).toEqual(words('half a thought'));
    expect(await fresh.claim('composer.new')).toEqual(words('a new one'));
    await fresh.save(PLACE, words('sent'));
    await fresh.save(PLACE, null);
    locks.kill('new page');
    const third = open(store, 'third page', { locks, memory });
    expect(await third.claim(PLACE)).toBeNull();
    expect(await third.claim('composer.new')).toEqual(words('a new one'));
  });

  it('and noted by a page that stayed is forgotten once it is durable, and never taken from a living tab', async () => {
    const store = createInMemoryStore();
    const locks = createLocks();
    const memory = createTabMemory();
    const here = open(store, 'here', { locks, memory });
    here.saveOnUnload(PLACE, 'hidden for a moment');
    const copied = createTabMemory();
    copied.setItem('recollect.left', memory.getItem('recollect.left') ?? '');
    expect(await open(store, 'a copy', { locks, memory: copied }).claim(PLACE)).toBeNull();
    await here.save(PLACE, words('hidden for a moment'));
    await here.save(PLACE, null);
    locks.kill('here');
    expect(await open(store, 'again', { locks, memory }).claim(PLACE)).toBeNull();
  });

  it('in a temporary conversation leaves nothing behind', async () => {
    const memory = createTabMemory();
    open(createInMemoryStore(), 'here', { memory }).saveOnUnload('composer.temporary-1', 'between us');
    expect(memory.getItem('recollect.left')).toBeNull();
  });

  it('while one looks is not told twice, and stays', async () => {
    const store = createInMemoryStore();
    const locks = createLocks();
    await open(store, 'gone', { locks }).save(PLACE, words('before'));
    locks.kill('gone');
    const here = open(store, 'here', { locks });
    const taking = here.claim(PLACE);
    const keeping = here.save(PLACE, words('meanwhile'));
    expect(await taking).toEqual(words('before'));
    await keeping;
    locks.kill('here');
    expect((await open(store, 'next', { locks }).claim(PLACE))?.text).toContain('meanwhile');
  });

  it('by a version that had one draft for all tabs is taken over', async () => {
    const store = createInMemoryStore();
    await store.keyValues.set(`item/${PLACE}`, words('from before'));
    const here = open(store, 'here', { locks: createLocks() });
    expect(await here.claim(PLACE)).toEqual(words('from before'));
    expect(await store.keyValues.keys('item/')).toEqual([]);
    expect(await here.places('composer.')).toEqual([PLACE]);
  });

  it('where there are no locks: of this very tab at once, of another once it was not touched for long', async () => {
    const store = createInMemoryStore();
    const memory = createTabMemory();
    await open(store, 'mine', { memory }).save(PLACE, words('mine'));
    await open(store, 'other').save(PLACE, words('of another'));
    const now = () => 10_000;
    expect(await open(store, 'mine again', { memory, now }).claim(PLACE)).toEqual(words('mine'));
    const later = await open(store, 'third', { now: () => 100_000 }).claim(PLACE);
    expect(later?.text).toContain('of another');
  });

  it('in a form that this version cannot read is left alone', async () => {
    const store = createInMemoryStore();
    const locks = createLocks();
    await store.keyValues.set(`written/${PLACE}/newer`, { tab: 'newer', rich: [] });
    expect(await open(store, 'here', { locks }).claim(PLACE)).toBeNull();
    expect(await store.keyValues.keys('written/')).toHaveLength(1);
  });
});
