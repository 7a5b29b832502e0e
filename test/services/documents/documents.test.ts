import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { encodeStateAsUpdate } from 'yjs';
import type { NewEntry, Store } from '../../../src/adapters/log/conversation-log.ts';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import { RecollectError } from '../../../src/domain/base/errors.ts';
import {
  type ConversationId,
  type DocumentId,
  LIBRARY_DOCUMENT,
  newConversationId,
  newEntryId,
} from '../../../src/domain/base/ids.ts';
import { until } from '../../../src/domain/base/readable.ts';
import { type Conversation, effectiveHead, pathTo } from '../../../src/domain/chat/conversation.ts';
import type { Message } from '../../../src/domain/chat/message.ts';
import { nextHlc } from '../../../src/domain/sync/hlc.ts';
import type { Documents } from '../../../src/services/documents/documents.ts';
import { createDocuments } from '../../../src/services/documents/documents-service.ts';
import { createNotes } from '../../../src/services/documents/notes.ts';
import { createReader } from '../../../src/services/documents/reader.ts';
import { readWhole } from '../../../src/services/documents/shared.ts';
import { createConversationDocument } from '../../../src/services/documents/yjs-conversation.ts';
import { cutWhenRead, said, textOf, textsOf } from './said.ts';

/** A second tab: the same log with listeners of its own, which get every change as foreign. */
function secondTab(store: Store): Store {
  return {
    ...store,
    log: {
      ...store.log,
      append: (entries, writes) => store.log.append(entries, writes),
      subscribe: (listener) => store.log.subscribe((change) => listener({ ...change, foreign: true })),
    },
  };
}

/** A store whose appends fail while `broken` is set. */
function fragile(store: Store): { store: Store; fail: (broken: boolean) => void } {
  let broken = false;
  return {
    fail: (value) => {
      broken = value;
    },
    store: {
      ...store,
      log: {
        ...store.log,
        append: async (entries, writes) => {
          if (broken) throw new RecollectError('storage-full', 'The disk is full', { retry: true });
          return await store.log.append(entries, writes);
        },
      },
    },
  };
}

/** A person's verdict on a passage of this conversation. */
const verdictOn = (id: ConversationId) => ({
  verdict: 'never' as const,
  conversationId: id,
  messageId: `${id}-m`,
  query: null,
  passage: `words of ${id}`,
  title: '',
});

/** A store in which the operation that `holds` names waits for `go`; `reached` resolves when it is called. */
function held(
  store: Store,
  holds: { readonly read?: DocumentId; readonly append?: (entries: readonly NewEntry[]) => boolean },
): { store: Store; reached: Promise<void>; go: () => void } {
  let [go, reach] = [() => {}, () => {}];
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const wait = async (holding: boolean | undefined) => {
    if (!holding) return;
    reach();
    await gate;
  };
  const log: Store['log'] = {
    ...store.log,
    read: async (document, after) => {
      await wait(document === holds.read);
      return await store.log.read(document, after);
    },
    append: async (entries, writes) => {
      await wait(holds.append?.(entries));
      return await store.log.append(entries, writes);
    },
  };
  return { store: { ...store, log }, reached, go };
}

/** A compaction up to a message. */
const record = (id: string, at: Message['id']) => ({
  id,
  at,
  createdAt: 5,
  strategy: 'session-memory',
  reason: 'auto' as const,
  plan: { runs: [], summaries: [{ text: 'what was' }] },
  tokensBefore: 10,
  tokensAfter: 4,
  durationMs: 1,
  undone: false,
});

describe('documents', () => {
  it('shows a change at once and keeps it for the next start', async () => {
    const store = createInMemoryStore();
    const documents = createDocuments({ store });
    const id = newConversationId();
    const first = said('hello');
    await documents.change(id, {
      messages: [first],
      meta: { title: 'Greeting', createdAt: 1, head: first.id },
    });
    expect(documents.saving.get()).toEqual({ state: 'saved' });
    const again = createDocuments({ store });
    const { entries } = await until(again.library, (library) => library.ready);
    expect(entries).toMatchObject([{ id, title: 'Greeting', messageCount: 1 }]);
    const open = await again.open(id);
    expect([...open.get().messages.values()]).toEqual([first]);
    expect(effectiveHead(open.get())).toBe(first.id);
  });

  it('hears of what another tab says, in a conversation that is open and in the library', async () => {
    const store = createInMemoryStore();
    const here = createDocuments({ store: secondTab(store) });
    const there = createDocuments({ store: secondTab(store) });
    const id = newConversationId();
    await here.change(id, { messages: [said('one')], meta: { title: 'Shared' } });
    await until(there.library, (library) => library.entries.length === 1);
    const open = await there.open(id);
    await here.change(id, { messages: [said('two', null, 2)] });
    await until(open, (conversation) => conversation.messages.size === 2);
    await until(there.library, (library) => library.entries[0]?.messageCount === 2);
  });

  it('keeps what could not be written in line and writes it later, in order', async () => {
    const { store, fail } = fragile(createInMemoryStore());
    const documents = createDocuments({ store });
    const id = newConversationId();
    await documents.change(id, { messages: [said('kept')] });
    fail(true);
    const lost = said('not yet', null, 2);
    await expect(documents.change(id, { messages: [lost] })).rejects.toMatchObject({
      problem: { code: 'storage-full' },
    });
    expect(documents.saving.get()).toMatchObject({ state: 'failed', problem: { code: 'storage-full' } });
    expect((await documents.read(id))?.messages.has(lost.id)).toBe(true);
    expect((await createReader(store.log).read(id))?.conversation.messages.has(lost.id)).toBe(false);
    fail(false);
    await documents.retry();
    expect(documents.saving.get()).toEqual({ state: 'saved' });
    expect((await createReader(store.log).read(id))?.conversation.messages.has(lost.id)).toBe(true);
  });

  it('asks the disk before it lets anyone draw, and whoever asks for the library gets it as it is', async () => {
    const plain = createInMemoryStore();
    const order: string[] = [];
    const store: Store = {
      ...plain,
      log: {
        ...plain.log,
        append: (entries, writes) => {
          order.push('append');
          return plain.log.append(entries, writes);
        },
      },
    };
    const documents = createDocuments({ store });
    const id = newConversationId();
    await documents.change(id, { messages: [said('one')], meta: { title: 'First' } });
    const open = await documents.open(id);
    const notified = new Promise<void>((resolve) => documents.library.subscribe(resolve));
    open.subscribe(() => order.push('conversation'));
    documents.library.subscribe(() => order.push('library'));
    documents.saving.subscribe(() => order.push(documents.saving.get().state));
    order.length = 0;
    const changed = documents
      .change(id, { messages: [said('two', null, 2)] })
      .then(() => order.push('saved!'));
    await changed;
    expect(documents.library.get().entries[0]?.messageCount).toBe(2);
    await notified;
    expect(order).toEqual(['append', 'saving', 'conversation', 'saved', 'saved!', 'library']);
  });

  it('a reader follows what is added, folded, erased and begun again', async () => {
    const store = createInMemoryStore();
    const documents = createDocuments({ store });
    const reader = createReader(store.log);
    const id = newConversationId();
    const texts = async () =>
      [...((await reader.read(id))?.conversation.messages.values() ?? [])].map(({ createdAt }) => createdAt);
    const say = (n: number) => documents.change(id, { messages: [said(`${n}`, null, n)] });
    expect(await texts()).toEqual([]);
    await say(1);
    expect(await texts()).toEqual([1]);
    expect(await texts()).toEqual([1]);
    await say(2);
    expect((await texts()).sort()).toEqual([1, 2]);
    expect(await reader.library()).toMatchObject([{ messageCount: 2 }]);
    const whole = (await documents.read(id)) as Conversation;
    const folded = createConversationDocument(id);
    folded.change({ messages: [...whole.messages.values()] });
    await store.log.replaceBySnapshot(id, encodeStateAsUpdate(folded.doc), await store.log.head());
    await say(3);
    expect((await texts()).sort()).toEqual([1, 2, 3]);
    expect(await reader.library()).toMatchObject([{ messageCount: 3 }]);
    await documents.erase([id]);
    await say(4);
    expect(await texts()).toEqual([4]);
    await documents.erase([id]);
    expect(await reader.read(id)).toBeUndefined();
    expect(await reader.library()).toEqual([]);
  });

  it('takes an import whole or not at all', async () => {
    const { store, fail } = fragile(createInMemoryStore());
    const documents = createDocuments({ store });
    const changes = [1, 2, 3].map((n) => ({
      id: newConversationId(),
      change: { messages: [said(`import ${n}`)], meta: { title: `${n}` } },
    }));
    fail(true);
    await expect(documents.changeMany(changes, 'import')).rejects.toBeInstanceOf(RecollectError);
    fail(false);
    await documents.retry();
    expect(documents.library.get().entries).toEqual([]);
    expect(await store.log.documents()).toEqual([]);
    await documents.changeMany(changes, 'import');
    expect(documents.library.get().entries).toHaveLength(3);
    await documents.changeMany(changes, 'import');
    expect(documents.library.get().entries).toHaveLength(3);
  });

  it('folds long histories and keeps every message', async () => {
    const store = createInMemoryStore();
    const documents = createDocuments({ store });
    const id = newConversationId();
    const open = await documents.change(id, { messages: [said('0')] }).then(() => documents.open(id));
    for (let n = 1; n <= 230; n++) await documents.change(id, { messages: [said(`${n}`, null, n)] });
    open.close();
    await until({ get: () => 0, subscribe: () => () => {} }, () => true);
    await documents.close();
    const again = createDocuments({ store });
    await until(again.library, (library) => library.ready);
    expect((await again.read(id))?.messages.size).toBe(231);
    await again.close();
    expect((await store.log.read(LIBRARY_DOCUMENT)).length).toBeLessThan(20);
  });

  it('forgets a message, and its children find the next living ancestor', async () => {
    const store = createInMemoryStore();
    const documents = createDocuments({ store });
    const id = newConversationId();
    const a = said('a');
    const b = said('b', a.id, 2);
    const c = said('c', b.id, 3);
    await documents.change(id, { messages: [a, b, c] });
    await documents.change(id, { removed: [b.id] });
    const conversation = await documents.read(id);
    await documents.change(id, { messages: [b] });
    expect((await documents.read(id))?.messages.has(b.id)).toBe(false);
    expect(pathTo(conversation?.messages ?? new Map(), c.id).map((message) => message.id)).toEqual([
      a.id,
      c.id,
    ]);
  });

  it('erases for good, and leaves the others alone', async () => {
    const store = createInMemoryStore();
    const documents = createDocuments({ store });
    const [gone, kept] = [newConversationId(), newConversationId()];
    await documents.change(gone, { messages: [said('gone')] });
    await documents.change(kept, { messages: [said('kept')] });
    await documents.erase([gone]);
    expect(await store.log.documents()).not.toContain(gone);
    expect(documents.library.get().entries.map((entry) => entry.id)).toEqual([kept]);
    await expect(documents.open(gone)).rejects.toMatchObject({ problem: { code: 'conversation-missing' } });
  });

  it('goes on saving after it was told to try again with nothing to write', async () => {
    const store = createInMemoryStore();
    const documents = createDocuments({ store });
    await until(documents.library, ({ ready }) => ready);
    await documents.retry();
    const id = newConversationId();
    await documents.change(id, { messages: [said('after the network came back')] });
    expect(await store.log.documents()).toContain(id);
  });

  it('lets go of what another tab erased: nothing is written below what is gone', async () => {
    const store = createInMemoryStore();
    const here = createDocuments({ store: secondTab(store) });
    const id = newConversationId();
    await here.change(id, { messages: [said('first')] });
    const there = createDocuments({ store });
    const open = await here.open(id);
    await there.erase([id]);
    await until(here.library, ({ ready, entries }) => ready && entries.length === 0);
    await expect.poll(() => here.read(id)).toBeUndefined();
    expect(open.get().messages.size).toBe(1);
    await here.change(id, { messages: [said('begun again')] });
    open.close();
    const fresh = createDocuments({ store });
    expect([...((await fresh.read(id))?.messages.values() ?? [])].map(({ parts }) => parts)).toEqual([
      [{ type: 'text', text: 'begun again' }],
    ]);
    expect((await here.read(id))?.messages.size).toBe(1);
  });

  it.each(['said', 'erased'])(
    'looks again by itself at what another tab %s, where looking failed',
    async (what) => {
      const store = createInMemoryStore();
      const shared = secondTab(store);
      let failing = false;
      const once = async <T>(work: () => Promise<T>): Promise<T> => {
        if (!failing) return await work();
        failing = false;
        throw new RecollectError('storage-failed', 'once', { retry: true });
      };
      const { log } = shared;
      const broken: Partial<Store['log']> =
        what === 'said'
          ? { since: (...given) => once(() => log.since(...given)) }
          : { read: (...given) => once(() => log.read(...given)) };
      const problems: string[] = [];
      const here = createDocuments({
        store: { ...shared, log: { ...log, ...broken } },
        onProblem: ({ code }) => problems.push(code),
      });
      const id = newConversationId();
      await here.change(id, { messages: [said('one')], meta: { title: 'A' } });
      const open = await here.open(id);
      const there = createDocuments({ store });
      await until(there.library, ({ ready }) => ready);
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      try {
        failing = true;
        if (what === 'said') await there.change(id, { meta: { title: 'B' } });
        else await there.erase([id]);
        await vi.waitFor(() => expect(problems).toEqual(['storage-failed']));
        expect((await here.read(id))?.meta.title).toBe('A');
        await vi.advanceTimersByTimeAsync(20_000);
        expect((await here.read(id))?.meta.title).toBe(what === 'said' ? 'B' : undefined);
      } finally {
        vi.useRealTimers();
      }
      open.close();
      await here.close();
      await there.close();
    },
  );

  it('erases what quotes it with it, and goes on with that where it was killed or the disk is full', async () => {
    const plain = createInMemoryStore();
    const { store, fail } = fragile(plain);
    const notes = createNotes({ store, now: () => 1 });
    const documents = createDocuments({ store: plain, notes });
    const [gone, kept] = [newConversationId(), newConversationId()];
    for (const id of [gone, kept]) {
      await documents.change(id, { messages: [said('the words')] });
      await notes.judge(verdictOn(id));
    }
    fail(true);
    await expect(documents.erase([gone])).rejects.toMatchObject({ problem: { code: 'storage-full' } });
    expect(documents.library.get().entries.map(({ id }) => id)).toEqual([kept]);
    expect(await plain.log.documents()).not.toContain(gone);
    await documents.close();
    notes.close();
    const later = createNotes({ store: plain, now: () => 2 });
    const again = createDocuments({ store: plain, notes: later });
    expect(await again.read(kept)).toBeDefined();
    expect((await later.known()).feedback.map(({ conversationId }) => conversationId)).toEqual([kept]);
    const bytes = (await plain.log.since(0, Number.POSITIVE_INFINITY)).map((entry) => entry.bytes);
    expect(bytes.map((one) => new TextDecoder().decode(one)).join()).not.toContain(`words of ${gone}`);
    expect(await plain.keyValues.keys('')).toEqual([]);
    await again.close();
    later.close();
  });

  it('does not erase a second time what came back since', async () => {
    const plain = createInMemoryStore();
    const { store, fail } = fragile(plain);
    const notes = createNotes({ store, now: () => 1 });
    const documents = createDocuments({ store: plain, notes });
    const id = newConversationId();
    const whole = { messages: [said('the words')] };
    await documents.change(id, whole);
    await notes.judge(verdictOn(id));
    fail(true);
    await expect(documents.erase([id])).rejects.toThrow();
    await documents.changeMany([{ id, change: whole }], 'import');
    await documents.close();
    fail(false);
    const again = createDocuments({ store: plain, notes });
    expect((await again.read(id))?.messages.size).toBe(1);
    expect(again.library.get().entries).toMatchObject([{ id, messageCount: 1 }]);
    expect(await plain.keyValues.keys('')).toEqual([]);
    await again.close();
    notes.close();
  });

  it('goes on erasing where it was killed: nothing that was erased comes back', async () => {
    const store = createInMemoryStore();
    const killed: Store = {
      ...store,
      log: { ...store.log, erase: () => Promise.reject(new Error('killed')) },
    };
    const documents = createDocuments({ store: killed });
    const [gone, kept] = [newConversationId(), newConversationId()];
    await documents.change(gone, { messages: [said('gone')] });
    await documents.change(kept, { messages: [said('kept')] });
    await expect(documents.erase([gone])).rejects.toThrow('killed');
    const again = createDocuments({ store });
    expect(await again.read(gone)).toBeUndefined();
    expect(again.library.get().entries.map((entry) => entry.id)).toEqual([kept]);
    expect(await store.log.documents()).not.toContain(gone);
    expect(await store.keyValues.keys('')).toEqual([]);
  });

  it('shows the rest when an entry is damaged, and says so', async () => {
    const store = createInMemoryStore();
    const documents = createDocuments({ store });
    const id = newConversationId();
    await documents.change(id, { messages: [said('whole')] });
    await store.log.append([
      { id: 'broken' as never, document: id, origin: 'user', bytes: new Uint8Array([255, 255, 1, 2]) },
    ]);
    const problems: string[] = [];
    const again = createDocuments({ store, onProblem: (problem) => problems.push(problem.code) });
    expect((await again.read(id))?.messages.size).toBe(1);
    expect(problems).toEqual(['damaged-entry']);
  });

  it('shows what was said after a damaged entry, in the same sitting and in later ones', async () => {
    const store = createInMemoryStore();
    const documents = createDocuments({ store });
    const id = newConversationId();
    const texts = ['one', 'two', 'three', 'four'];
    const messages: Message[] = [];
    const open: { close: () => void }[] = [];
    for (const [at, text] of texts.entries()) {
      const message = said(text, messages.at(-1)?.id ?? null, at + 1);
      messages.push(message);
      await documents.change(id, { messages: [message], meta: { head: message.id } });
      // A conversation keeps one author while it is open.
      if (at === 0) open.push(await documents.open(id));
    }
    for (const one of open) one.close();
    await documents.close();
    const entries = await store.log.read(id);
    for (const broken of [0, 1, 2]) {
      const damaged = await cutWhenRead(store, id, broken);
      const wanted = texts.filter((_, at) => at !== broken);
      const again = createDocuments({ store: damaged });
      expect(textsOf(await again.read(id)).sort()).toEqual([...wanted].sort());
      expect(textsOf((await createReader(damaged.log).read(id))?.conversation).sort()).toEqual(
        [...wanted].sort(),
      );
      // The damaged conversation still reads as one, from its first message left to its last.
      const conversation = (await again.read(id)) as Conversation;
      const path = pathTo(conversation.messages, effectiveHead(conversation) as Message['id']);
      expect(path.map(textOf)).toEqual(wanted);
      // A person can go on in it, and a message forgotten in it is gone.
      const more = said('more', messages[3]?.id, 9);
      await again.change(id, { messages: [more], meta: { head: more.id } });
      await again.change(id, { removed: [messages[3]?.id as Message['id'], more.id] });
      expect(textsOf(await again.read(id)).sort()).toEqual(wanted.filter((text) => text !== 'four').sort());
      await again.close();
      // Restores the log for the next round.
      await store.log.erase(id);
      await store.log.append(entries);
      entries.splice(0, entries.length, ...(await store.log.read(id)));
    }
  });

  it('forgets behind a damaged entry for good: its place is handed on, and it does not come back with the missing piece', async () => {
    const store = createInMemoryStore();
    const documents = createDocuments({ store });
    const id = newConversationId();
    const messages: Message[] = [];
    let open: { close: () => void } | undefined;
    for (const [at, text] of ['one', 'two', 'three', 'four'].entries()) {
      messages.push(said(text, messages.at(-1)?.id ?? null, at + 1));
      const last = messages[at] as Message;
      await documents.change(id, { messages: [last], meta: { head: last.id } });
      open ??= await documents.open(id);
    }
    open?.close();
    await documents.close();
    const entries = await store.log.read(id);
    const damaged = createInMemoryStore();
    await damaged.log.append(
      entries.map((entry, at) => (at === 1 ? { ...entry, bytes: entry.bytes.slice(0, 20) } : entry)),
    );
    const shown = (conversation: Conversation | undefined) =>
      conversation
        ? pathTo(conversation.messages, effectiveHead(conversation) as Message['id']).map(textOf)
        : [];
    const again = createDocuments({ store: damaged });
    const three = messages[2] as Message;
    await again.change(id, { compactions: { c1: record('c1', three.id) } });
    expect(shown(await again.read(id))).toEqual(['one', 'three', 'four']);
    await again.change(id, { removed: [three.id] });
    expect(shown(await again.read(id))).toEqual(['one', 'four']);
    expect((await again.read(id))?.compactions.size).toBe(0);
    await again.close();
    const kept = await damaged.log.read(id);
    // The whole document as another device has it, and this one after the missing piece arrives.
    const whole = createConversationDocument(id);
    for (const { bytes } of [...kept.filter((_, at) => at !== 1), ...entries.slice(1, 2)]) whole.apply(bytes);
    expect(shown(whole.read())).toEqual(['one', 'two', 'four']);
    expect(whole.read().messages.size).toBe(3);
  });

  it('loses one message at most to an entry that is cut off, goes on whatever bits were flipped, and still reads as one (property)', async () => {
    const store = createInMemoryStore();
    const documents = createDocuments({ store });
    const id = newConversationId();
    const count = 8;
    let last: Message | undefined;
    let open: { close: () => void } | undefined;
    for (let at = 0; at < count; at += 1) {
      last = said(`message ${at}`, last?.id ?? null, at + 1);
      await documents.change(id, { messages: [last], meta: { head: last.id } });
      // Reopened, so that two authors follow each other.
      if (at % 4 === 0) {
        open?.close();
        open = await documents.open(id);
      }
    }
    open?.close();
    await documents.close();
    const entries = await store.log.since(0, Number.POSITIVE_INFINITY);
    const flips = fc.array(fc.tuple(fc.nat(), fc.nat(7)), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(fc.nat(entries.length - 1), fc.option(fc.nat()), flips, async (which, cut, bits) => {
        const damage = (entry: (typeof entries)[number]) => {
          if (entry.id !== entries[which]?.id) return entry;
          if (cut !== null) return { ...entry, bytes: entry.bytes.slice(0, cut % entry.bytes.length) };
          const bytes = entry.bytes.slice();
          for (const [at, bit] of bits)
            bytes[at % bytes.length] = (bytes[at % bytes.length] ?? 0) ^ (1 << bit);
          return { ...entry, bytes };
        };
        const { log } = store;
        const damaged = createInMemoryStore();
        await damaged.log.append((await log.since(0, Number.POSITIVE_INFINITY)).map(damage));
        const again = createDocuments({ store: damaged });
        const read = (await again.read(id)) as Conversation;
        const whole = [...read.messages.values()].filter(({ id }) =>
          pathTo(read.messages, effectiveHead(read) as Message['id']).some((message) => message.id === id),
        );
        // A flipped bit can be a valid change that says something else, such as a longer deletion.
        if (cut !== null) expect(whole.length).toBeGreaterThanOrEqual(count - 1);
        expect(whole.length).toBe(read.messages.size);
        await again.change(id, { messages: [said('goes on', effectiveHead(read), 99)] });
        expect((await again.read(id))?.messages.size).toBe(whole.length + 1);
        const { entries: lines } = await until(again.library, ({ ready }) => ready);
        expect(lines.map((line) => line.id)).toContain(id);
      }),
      { numRuns: 60 },
    );
  });

  it('is not brought down by a damaged line of a long library', async () => {
    const store = createInMemoryStore();
    const documents = createDocuments({ store });
    const id = newConversationId();
    for (let at = 0; at < 220; at += 1) await documents.change(id, { messages: [said(`m${at}`, null, at)] });
    await documents.close();
    await store.log.append([
      {
        id: 'broken' as never,
        document: LIBRARY_DOCUMENT,
        origin: 'user',
        bytes: new Uint8Array([255, 255, 1, 2]),
      },
    ]);
    const again = createDocuments({ store });
    expect((await again.read(id))?.messages.size).toBe(220);
    await again.change(id, { messages: [said('goes on', null, 999)] });
    expect(again.saving.get()).toEqual({ state: 'saved' });
    expect((await again.read(id))?.messages.size).toBe(221);
  });

  it('says of a line without a conversation that it is missing, and takes only such a line off the list', async () => {
    const store = createInMemoryStore();
    const documents = createDocuments({ store });
    const [real, ghost] = [newConversationId(), newConversationId()];
    for (const id of [real, ghost]) await documents.change(id, { messages: [said('hello')] });
    await documents.close();
    // A flipped bit in an id leaves a list entry without a conversation.
    await store.log.erase(ghost);
    const notes = createNotes({ store, now: () => 1 });
    for (const id of [real, ghost]) await notes.judge(verdictOn(id));
    const again = createDocuments({ store, notes });
    const ids = () => again.library.get().entries.map(({ id }) => id);
    await until(again.library, ({ ready }) => ready);
    expect(ids()).toContain(ghost);
    await expect(again.open(ghost)).rejects.toMatchObject({ problem: { code: 'conversation-missing' } });
    await again.unlist(ghost);
    await again.unlist(real);
    expect(ids()).toEqual([real]);
    expect((await notes.known()).feedback).toMatchObject([{ conversationId: real }]);
    expect((await again.read(real))?.messages.size).toBe(1);
    const later = createDocuments({ store });
    expect((await until(later.library, ({ ready }) => ready)).entries.map(({ id }) => id)).toEqual([real]);
  });

  it('makes room on a full disk by erasing, for what waits in line as well', async () => {
    const inner = createInMemoryStore();
    let full = false;
    const store: Store = {
      ...inner,
      log: {
        ...inner.log,
        append: async (...given) => {
          if (full) throw new RecollectError('storage-full', 'The disk is full', { retry: true });
          return inner.log.append(...given);
        },
        erase: async (id) => {
          await inner.log.erase(id);
          full = false;
        },
      },
    };
    const notes = createNotes({ store, now: () => 1 });
    const documents = createDocuments({ store, notes });
    const [old, now] = [newConversationId(), newConversationId()];
    await documents.change(old, { messages: [said('long ago')] });
    await notes.judge(verdictOn(old));
    full = true;
    await expect(documents.change(now, { messages: [said('just now')] })).rejects.toThrow();
    await documents.erase([old]);
    expect(documents.saving.get()).toEqual({ state: 'saved' });
    expect((await notes.known()).feedback).toEqual([]);
    expect(await inner.keyValues.keys('')).toEqual([]);
    const again = createDocuments({ store: inner });
    const { entries } = await until(again.library, ({ ready }) => ready);
    expect(entries.map(({ id }) => id)).toEqual([now]);
    expect((await again.read(now))?.messages.size).toBe(1);
    expect(await again.read(old)).toBe(undefined);
  });

  it('shows the library where nothing can be written at the start', async () => {
    const store = createInMemoryStore();
    const documents = createDocuments({ store });
    const [kept, gone, orphan] = [newConversationId(), newConversationId(), newConversationId()];
    for (const id of [kept, gone]) await documents.change(id, { messages: [said('hello')] });
    const lone = createConversationDocument(orphan);
    await store.log.append([
      {
        id: 'lone' as never,
        document: orphan,
        origin: 'user',
        bytes: lone.change({ messages: [said('without a line')] }) as Uint8Array,
      },
    ]);
    await store.keyValues.set(`erasing/${gone}`, true);
    const full = new RecollectError('storage-full', 'The disk is full', { retry: true });
    const documentsOfFull = createDocuments({
      store: {
        ...store,
        log: { ...store.log, append: () => Promise.reject(full), erase: () => Promise.reject(full) },
      },
    });
    expect((await documentsOfFull.read(kept))?.messages.size).toBe(1);
    const open = await documentsOfFull.open(kept);
    expect(open.get().messages.size).toBe(1);
  });

  it('gives every tab the same conversation, whatever the order of changes (property)', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(1), fc.constantFrom('message', 'title', 'head', 'forget'), fc.nat(9)), {
          maxLength: 30,
        }),
        async (steps) => {
          const store = createInMemoryStore();
          const tabs = [
            createDocuments({ store: secondTab(store) }),
            createDocuments({ store: secondTab(store) }),
          ] as const;
          const id: ConversationId = newConversationId();
          await tabs[0].change(id, { messages: [said('root')] });
          for (const [tab, what, n] of steps) {
            const documents = tabs[tab as 0 | 1];
            const messages = [...((await documents.read(id))?.messages.values() ?? [])];
            const target = messages[n % Math.max(1, messages.length)];
            if (what === 'message')
              await documents.change(id, { messages: [said(`m${n}`, target?.id ?? null, n)] });
            else if (what === 'title') await documents.change(id, { meta: { title: `t${n}` } });
            else if (what === 'head' && target) await documents.change(id, { meta: { head: target.id } });
            else if (what === 'forget' && target) await documents.change(id, { removed: [target.id] });
          }
          const fresh = (await createReader(store.log).read(id))?.conversation;
          for (const documents of tabs) {
            await documents.close();
            const seen = await documents.read(id);
            expect(seen?.meta).toEqual(fresh?.meta);
            expect(new Set(seen?.messages.keys())).toEqual(new Set(fresh?.messages.keys()));
          }
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe('a conversation in memory', () => {
  const title = (text: string) => ({ meta: { title: text } });

  it('is not let go of by who held what was erased under its name', async () => {
    const documents = createDocuments({ store: createInMemoryStore() });
    const id = newConversationId();
    const first = said('one');
    const whole = { messages: [first], meta: { title: 'A', head: first.id } };
    await documents.change(id, whole);
    const answering = await documents.open(id);
    await documents.erase([id]);
    await documents.changeMany([{ id, change: whole }], 'import');
    const screen = await documents.open(id);
    answering.close();
    await documents.change(id, { messages: [said('two', first.id, 2)] });
    expect(textsOf(screen.get())).toEqual(['one', 'two']);
    screen.close();
    await documents.close();
  });

  it('is not let go of by a change of nothing while another is being written', async () => {
    const { store, go } = held(createInMemoryStore(), { append: () => slow });
    let slow = false;
    const documents = createDocuments({ store });
    const id = newConversationId();
    await documents.change(id, { messages: [said('one')], ...title('A') });
    slow = true;
    const nothing = documents.change(id, title('A'));
    const renamed = documents.change(id, title('B'));
    await nothing;
    const screen = await documents.open(id);
    expect(screen.get().meta.title).toBe('B');
    go();
    await renamed;
    await documents.change(id, title('C'));
    expect(screen.get().meta.title).toBe('C');
    screen.close();
    await documents.close();
  });

  it('is not let go of under somebody who has just asked for it', async () => {
    const documents = createDocuments({ store: createInMemoryStore() });
    const id = newConversationId();
    await documents.change(id, { messages: [said('one')], ...title('A') });
    const before = await documents.open(id);
    const opening = documents.open(id);
    before.close();
    const screen = await opening;
    await documents.change(id, title('B'));
    expect(screen.get().meta.title).toBe('B');
    screen.close();
    await documents.close();
  });
});

describe('a line of the library', () => {
  /** The list entries of a conversation, here and after the next start. */
  const lines = async (documents: Documents, store: Store, id: ConversationId) => {
    const of = (shown: Documents) => shown.library.get().entries.find((entry) => entry.id === id);
    await documents.retry();
    const next = createDocuments({ store });
    await until(next.library, ({ ready }) => ready);
    const both = [of(documents), of(next)];
    await next.close();
    return both;
  };
  /** Two conversations, and an import that adds a message to each. */
  const importing = async (store: Store) => {
    const before = createDocuments({ store });
    const ids = [newConversationId(), newConversationId()] as const;
    for (const id of ids) await before.change(id, { messages: [said('one')], meta: { title: 'A' } });
    await before.close();
    const changes = ids.map((id) => ({ id, change: { messages: [said('grown', null, 2)] } }));
    return { ids, changes };
  };

  it.each(['read', 'written'])(
    'says what was said of its conversation while an import was %s',
    async (when) => {
      const kept = createInMemoryStore();
      const { ids, changes } = await importing(kept);
      const [id, other] = ids;
      const { store, reached, go } = held(kept, {
        ...(when === 'read' ? { read: other } : {}),
        append: (entries) => when === 'written' && entries.some(({ origin }) => origin === 'import'),
      });
      const documents = createDocuments({ store });
      const imported = documents.changeMany(changes, 'import');
      await reached;
      await documents.change(id, { meta: { title: 'B', deletedAt: 77 } });
      go();
      await imported;
      const line = { title: 'B', deletedAt: 77, messageCount: 2 };
      expect(await lines(documents, kept, id)).toMatchObject([line, line]);
      expect((await documents.read(id))?.meta).toMatchObject({ title: 'B', deletedAt: 77 });
      await documents.close();
    },
  );

  it('says what could not be written before the import, and is written after it', async () => {
    const kept = createInMemoryStore();
    const { ids, changes } = await importing(kept);
    const { store, fail } = fragile(kept);
    const documents = createDocuments({ store });
    fail(true);
    await expect(documents.change(ids[0], { meta: { title: 'B' } })).rejects.toThrow();
    await expect(documents.changeMany(changes, 'import')).rejects.toMatchObject({
      problem: { code: 'storage-full' },
    });
    fail(false);
    await documents.changeMany(changes, 'import');
    const line = { title: 'B', messageCount: 2 };
    expect(await lines(documents, kept, ids[0])).toMatchObject([line, line]);
    await documents.close();
  });

  it.each(['read', 'written'])(
    'does not come back where its conversation was erased while an import was %s',
    async (when) => {
      const kept = createInMemoryStore();
      const { ids, changes } = await importing(kept);
      const [id, other] = ids;
      const { store, reached, go } = held(kept, {
        ...(when === 'read' ? { read: other } : {}),
        append: (entries) => when === 'written' && entries.some(({ origin }) => origin === 'import'),
      });
      const documents = createDocuments({ store });
      const imported = documents.changeMany(changes, 'import');
      await reached;
      const erased = documents.erase([id]);
      // A disk does one after the other.
      if (when === 'read') await erased;
      go();
      await Promise.all([imported, erased]);
      expect(await lines(documents, kept, id)).toEqual([undefined, undefined]);
      expect(await lines(documents, kept, other)).toMatchObject([{ messageCount: 2 }, { messageCount: 2 }]);
      expect(await documents.read(id)).toBeUndefined();
      await documents.close();
    },
  );

  it('says what two tabs said at once', async () => {
    const store = createInMemoryStore();
    for (let round = 0; round < 8; round += 1) {
      const [here, there] = [
        createDocuments({ store: secondTab(store) }),
        createDocuments({ store: secondTab(store) }),
      ];
      const id = newConversationId();
      await here.change(id, { messages: [said('one')], meta: { title: 'A' } });
      const open = [await here.open(id), await there.open(id)];
      await Promise.all([
        here.change(id, { meta: { pinned: true } }),
        there.change(id, { meta: { title: 'B' } }),
      ]);
      const line = { title: 'B', pinned: true };
      for (const documents of [here, there])
        await expect.poll(() => lines(documents, store, id)).toMatchObject([line, line]);
      for (const one of open) one.close();
      for (const documents of [here, there]) await documents.close();
    }
  });

  it('that says something else than its conversation is made again when that is opened', async () => {
    const store = createInMemoryStore();
    const before = createDocuments({ store });
    const id = newConversationId();
    await before.change(id, { messages: [said('one')], meta: { title: 'A' } });
    await before.close();
    const inAnotherTab = createConversationDocument(id);
    for (const { bytes } of await store.log.read(id)) inAnotherTab.apply(bytes);
    const bytes = inAnotherTab.change({ meta: { deletedAt: 77 } }) as Uint8Array;
    await store.log.append([{ id: newEntryId(), document: id, origin: 'user', bytes }]);
    const documents = createDocuments({ store });
    (await documents.open(id)).close();
    expect(await lines(documents, store, id)).toMatchObject([{ deletedAt: 77 }, { deletedAt: 77 }]);
    const written = await store.log.head();
    (await documents.open(id)).close();
    await documents.close();
    expect(await store.log.head()).toBe(written);
  });
});

describe('what an import brings of what is here', () => {
  const meet = (...devices: ReturnType<typeof createConversationDocument>[]) => {
    for (const one of devices) for (const other of devices) other.apply(encodeStateAsUpdate(one.doc));
  };
  /** Two devices with the same half answer and a picture without its bytes. */
  const two = () => {
    const half: Message = {
      ...said('The first li'),
      parts: [
        { type: 'text', text: 'The first li' },
        { type: 'file', mediaType: 'image/*', reference: 'r' },
      ],
    };
    const id = newConversationId();
    const [here, there] = [createConversationDocument(id), createConversationDocument(id)];
    here.change({ messages: [half], meta: { title: 'one', pinned: false } });
    meet(here, there);
    const as = (text: string, url?: string): Message => ({
      ...half,
      parts: [
        { type: 'text', text },
        { type: 'file', mediaType: 'image/*', reference: 'r', ...(url ? { url } : {}) },
      ],
    });
    const partsOf = (document: typeof here) => document.read().messages.get(half.id)?.parts;
    return { id, half, here, there, as, partsOf };
  };

  it('is joined where two devices had different parts of it, whoever wrote last', () => {
    for (let at = 0; at < 8; at += 1) {
      const { half, here, there, as, partsOf } = two();
      here.change({ completed: [as('The first line, and more.')] });
      there.change({ completed: [as('The first line', 'data:image/png;base64,AA==')] });
      meet(here, there);
      // A change planned before the devices met has less, and removes nothing.
      there.change({ completed: [as('The first line,')] });
      meet(here, there);
      for (const document of [here, there]) {
        expect(partsOf(document)).toEqual(
          as('The first line, and more.', 'data:image/png;base64,AA==').parts,
        );
        expect(document.grown().map(({ id }) => id)).toEqual([half.id]);
      }
    }
  });

  it('stays forgotten where it was forgotten meanwhile, and its bytes go with the next change', () => {
    const { half, here, there, as } = two();
    here.change({ removed: [half.id] });
    there.change({ completed: [as('The first line of secrets')] });
    meet(here, there);
    for (const document of [here, there]) expect(document.read().messages.size).toBe(0);
    here.change({ meta: { pinned: true } });
    expect(new TextDecoder().decode(encodeStateAsUpdate(here.doc))).not.toContain('secrets');
  });

  it('leaves the log with the next opening, where it was forgotten meanwhile', async () => {
    const { id, half, here, there, as } = two();
    here.change({ removed: [half.id] });
    there.change({ completed: [as('The first line of secrets')] });
    meet(here, there);
    const store = createInMemoryStore();
    const bytes = encodeStateAsUpdate(here.doc);
    expect(new TextDecoder().decode(bytes)).toContain('secrets');
    await store.log.append([{ id: newEntryId(), document: id, origin: 'remote', bytes }]);
    const documents = createDocuments({ store });
    const opened = await documents.open(id);
    await expect.poll(async () => (await store.log.read(id)).length).toBe(2);
    opened.close();
    await documents.close();
    const whole = (await readWhole(store.log, id))?.update;
    expect(new TextDecoder().decode(whole)).not.toContain('secrets');
  });

  it('gives way to what a person says elsewhere at the same time, whatever the clocks', () => {
    const { here, there } = two();
    here.change({ meta: { title: 'by the source' }, said: { title: nextHlc(0, 'tool', null) } });
    there.change({ meta: { title: 'by a person' } });
    meet(here, there);
    for (const document of [here, there]) expect(document.read().meta.title).toBe('by a person');
  });
});

describe('compactions and checkpoints', () => {
  it('name a place and go back to it without a look at every message', () => {
    const document = createConversationDocument(newConversationId());
    const messages = Array.from({ length: 50 }, (_, at) => said(`${at}`, null, at));
    document.change({ messages, meta: { title: 'Long', head: messages[49]?.id ?? null } });
    document.read();
    const stored = document.doc.getMap('m')._map;
    const { entries } = stored;
    let seen = 0;
    stored.entries = function* () {
      for (const entry of entries.call(stored)) {
        seen += 1;
        yield entry;
      }
    } as typeof entries;
    document.change({ checkpoints: { here: { messageId: messages[3]?.id ?? '' } as never } });
    document.change({ meta: { head: messages[3]?.id ?? null } });
    expect(document.read()).toMatchObject({ meta: { head: messages[3]?.id } });
    expect(seen).toBeLessThan(5);
  });

  it('are kept with all that is known of them; what changes later is a small entry of its own', async () => {
    const store = createInMemoryStore();
    const documents = createDocuments({ store });
    const id = newConversationId();
    const message = said('one');
    const kept = { ...record('c1', message.id), colour: 'amber' };
    const checkpoint = {
      messageId: message.id,
      createdAt: 7,
      auto: false,
      by: 'person' as const,
      note: 'mine',
    };
    await documents.change(id, {
      messages: [message],
      checkpoints: { bare: message.id, full: checkpoint },
      compactions: { c1: kept },
    });
    const before = (await store.log.stats()).bytes;
    await documents.change(id, { compactions: { c1: { undone: true } } });
    await documents.change(id, { compactions: { c1: { summary: 'my words' } } });
    await documents.change(id, { compactions: { c1: { undone: true } } });
    expect((await store.log.stats()).bytes - before).toBeLessThan(1000);
    await documents.close();

    const again = createDocuments({ store });
    const conversation = await again.read(id);
    expect(conversation?.compactions.get('c1')).toEqual({ ...kept, undone: true, summary: 'my words' });
    expect(Object.fromEntries(conversation?.checkpoints ?? [])).toEqual({
      bare: { messageId: message.id, createdAt: 0, auto: false, by: 'person' },
      full: checkpoint,
    });
    await again.change(id, { compactions: { c1: null, c2: { undone: true } }, checkpoints: { bare: null } });
    expect((await again.read(id))?.compactions.size).toBe(0);
    await again.close();
  });

  it('of two devices meet: each change of a record counts', () => {
    const message = said('one');
    const id = newConversationId();
    const here = createConversationDocument(id);
    here.change({ messages: [message], compactions: { c1: record('c1', message.id) } });
    const there = createConversationDocument(id);
    there.apply(encodeStateAsUpdate(here.doc));
    here.change({ compactions: { c1: { undone: true } } });
    there.change({ compactions: { c1: { summary: 'theirs' } } });
    here.apply(encodeStateAsUpdate(there.doc));
    there.apply(encodeStateAsUpdate(here.doc));
    for (const document of [here, there])
      expect(document.read().compactions.get('c1')).toMatchObject({ undone: true, summary: 'theirs' });
  });

  it('that may quote a forgotten message are forgotten with it', async () => {
    const documents = createDocuments({ store: createInMemoryStore() });
    const id = newConversationId();
    const first = said('secret', null, 1);
    const late = said('late', first.id, 9);
    const empty: Message = { ...said('', late.id, 2), parts: [], finish: 'error' };
    await documents.change(id, {
      messages: [first, late, empty],
      compactions: { c1: record('c1', first.id) },
    });
    await documents.change(id, { removed: [late.id, empty.id] });
    expect((await documents.read(id))?.compactions.size).toBe(1);
    await documents.change(id, { removed: [first.id] });
    expect((await documents.read(id))?.compactions.size).toBe(0);
    await documents.close();
  });

  it('move the head without making the tree of messages anew', async () => {
    const documents = createDocuments({ store: createInMemoryStore() });
    const id = newConversationId();
    const first = said('one');
    const second = said('two', first.id, 2);
    await documents.change(id, { messages: [first, second], meta: { head: second.id } });
    const open = await documents.open(id);
    const { messages } = open.get();
    await documents.change(id, { meta: { head: first.id }, checkpoints: { here: first.id } });
    expect(open.get().messages).toBe(messages);
    expect(open.get().meta.head).toBe(first.id);
    await documents.change(id, { removed: [first.id] });
    expect(open.get().messages.get(second.id)?.parentId).toBeNull();
    open.close();
    await documents.close();
  });

  it('that a newer app wrote are read, and not written into', async () => {
    const store = createInMemoryStore();
    const newer = createDocuments({ store });
    const [id, other] = [newConversationId(), newConversationId()];
    const first = said('one');
    await newer.change(id, { messages: [first], meta: { v: 2, head: first.id } as object });
    await newer.close();
    const documents = createDocuments({ store });
    const open = await documents.open(id);
    expect(open.get().newer).toBe(true);
    expect(textsOf(open.get())).toEqual(['one']);
    const entries = await store.log.since(0, 100);
    const change = { messages: [said('two', first.id, 2)] };
    await expect(documents.change(id, change)).rejects.toMatchObject({
      problem: { code: 'newer-conversation' },
    });
    const both = [
      { id: other, change: { messages: [said('elsewhere')] } },
      { id, change },
    ];
    await expect(documents.changeMany(both, 'import')).rejects.toMatchObject({
      problem: { code: 'newer-conversation' },
    });
    expect(textsOf(open.get())).toEqual(['one']);
    expect(await store.log.since(0, 100)).toEqual(entries);
    await documents.erase([id]);
    expect(await documents.read(id)).toBeUndefined();
    await documents.close();
  });

  it('that a newer app wrote are not held in memory by a change that was refused', async () => {
    const store = createInMemoryStore();
    const id = newConversationId();
    const newer = createDocuments({ store });
    await newer.change(id, { messages: [said('one')], meta: { v: 2 } as object });
    await newer.close();
    const documents = createDocuments({ store });
    await expect(documents.change(id, { messages: [said('two')] })).rejects.toMatchObject({
      problem: { code: 'newer-conversation' },
    });
    await store.log.erase(id);
    expect(await documents.read(id)).toBeUndefined();
    await documents.unlist(id);
    expect(documents.library.get().entries).toEqual([]);
    await documents.close();
  });
});
