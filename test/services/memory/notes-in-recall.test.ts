// Notes and feedback reach recall: notes come before passages, feedback moves passages, and a person can undo both.

import { afterEach, describe, expect, it, vi } from 'vitest';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import { asConversationId, NOTES } from '../../../src/domain/base/ids.ts';
import { writable } from '../../../src/domain/base/readable.ts';
import type { RecalledPassage } from '../../../src/domain/chat/message.ts';
import { readLibrary } from '../../../src/services/documents/documents.ts';
import { createMemory } from '../../../src/services/memory/memory-service.ts';
import { createInMemoryIndex } from '../../adapters/index/in-memory-index.ts';
import { conversationOf, type HomeOptions, openHome } from './home.ts';

const homes: ReturnType<typeof openHome>[] = [];
const home = async (options?: HomeOptions) => {
  const one = openHome({ config: { recall: { filters: { min_similarity: 0 } } }, ...options });
  homes.push(one);
  await one.add(
    conversationOf(['Which port does the staging server use?', 'The staging server listens on port 8081.'], {
      title: 'Ports',
    }),
    conversationOf(
      ['Remind me how to restart the staging server.', 'Run systemctl restart staging on the server.'],
      { title: 'Restart' },
    ),
  );
  await one.indexed();
  return one;
};
afterEach(async () => {
  for (const one of homes.splice(0)) await one.close();
});
const keyOf = ({ conversationId, messageId, passage, title }: RecalledPassage) => ({
  conversationId,
  messageId,
  passage,
  title,
});
const first = async (one: Awaited<ReturnType<typeof home>>, question: string) =>
  (await one.recall(question)).passages[0];

/** A store whose log takes no entry from `hold` until `goOn`. */
function slowDisk() {
  const store = createInMemoryStore();
  let held: Promise<void> | undefined;
  let goOn: () => void = () => undefined;
  return {
    store: {
      ...store,
      log: {
        ...store.log,
        append: async (...given: Parameters<typeof store.log.append>) => {
          await held;
          return await store.log.append(...given);
        },
      },
    },
    hold: () => {
      held = new Promise((resolve) => {
        goOn = resolve;
      });
    },
    goOn: () => goOn(),
  };
}

describe('what was deleted a moment ago, while the index still has it', () => {
  const QUESTION = 'staging server port';
  const ports = async (one: Awaited<ReturnType<typeof home>>) => {
    const best = await first(one, QUESTION);
    if (best?.title !== 'Ports') throw new Error('the passage was expected');
    // The index reads nothing any more.
    one.stopEngine();
    return asConversationId(best.conversationId);
  };
  const shown = async (one: Awaited<ReturnType<typeof home>>) => {
    const { passages, nearMisses } = await one.recall(QUESTION);
    const found: string[] = [];
    const request = { filter: {}, limit: 10, signal: new AbortController().signal };
    for (const text of [QUESTION, ':'])
      await one.memory.search({
        ...request,
        text,
        onHits: (hits) => void found.push(...hits.map(({ snippet }) => snippet)),
      });
    return JSON.stringify([passages, nearMisses, found]);
  };

  it('a conversation in the trash', async () => {
    const one = await home();
    const id = await ports(one);
    expect(await shown(one)).toContain('8081');
    await one.documents.change(id, { meta: { deletedAt: 5 } });
    expect(await shown(one)).not.toContain('8081');
    await one.documents.change(id, { meta: { deletedAt: null } });
    expect(await shown(one)).toContain('8081');
  });

  it('a conversation in the trash, asked for before the library is read', async () => {
    const one = await home();
    const id = await ports(one);
    await one.documents.change(id, { meta: { deletedAt: 5 } });
    const read = await readLibrary(one.documents.library);
    const library = writable<typeof read>({ ...read, ready: false, entries: [] });
    const memory = createMemory({
      ...one,
      documents: { ...one.documents, library },
      index: writable(one.index),
      wake: () => undefined,
      setPaused: () => undefined,
      rebuild: async () => undefined,
    });
    const asked = memory.recall({ text: QUESTION, signal: new AbortController().signal });
    // Passages of memory stand still until it is known what was deleted.
    await new Promise((resolve) => setTimeout(resolve, 100));
    library.set(read);
    expect(JSON.stringify(await asked)).not.toContain('8081');
  });

  it('one that was erased for good', async () => {
    const one = await home();
    const id = await ports(one);
    await one.documents.erase([id]);
    expect(await shown(one)).not.toContain('8081');
  });

  it('a memory note', async () => {
    const one = await home();
    const note = await one.notes.write({ text: 'The staging server is called heron, port: 9090.' });
    await one.indexed();
    one.stopEngine();
    expect(await shown(one)).toContain('heron');
    await one.notes.remove(note.id);
    expect(await shown(one)).not.toContain('heron');
  });
});

describe('memory notes', () => {
  it('are found like passages, come before them, and go with their note', async () => {
    const one = await home();
    const note = await one.notes.write({ text: 'The staging server is called heron, port 9090.' });
    await one.indexed();
    const best = await first(one, 'staging server port');
    expect(best?.conversationId).toBe(NOTES);
    expect(best?.scores.boosts?.map(({ name }) => name)).toContain('note');

    // The notes' document is no conversation.
    expect(await one.memory.stats()).toMatchObject({ conversations: 2, messages: 4 });
    await one.notes.write({ id: note.id, text: 'The staging server is called egret, port 9191.' });
    await one.indexed();
    const passages = (await one.recall('staging server port')).passages;
    expect(passages[0]?.passage).toContain('egret');
    expect(passages.filter(({ conversationId }) => conversationId === NOTES)).toHaveLength(1);

    await one.notes.remove(note.id);
    await one.indexed();
    expect((await first(one, 'staging server port'))?.conversationId).not.toBe(NOTES);
  });

  it('a fact that was corrected is recalled as it is now, and as it was once that is taken back', async () => {
    const one = await home();
    const before = await one.notes.write({ text: 'The staging server is called heron.', kind: 'fact' });
    await one.notes.propose([
      {
        text: 'The staging server is called egret now.',
        kind: 'fact',
        source: { conversationId: 'c', messageId: 'm' },
        at: 10,
        by: 'device',
        replaces: before.id,
      },
    ]);
    const [proposal] = one.notes.inbox.get().proposals;
    if (!proposal) throw new Error('a proposal was expected');
    const recalled = async () => {
      await one.indexed();
      const { passages, nearMisses } = await one.recall('What is the staging server called?');
      return [...passages, ...nearMisses].map(({ passage }) => passage).join('\n');
    };
    expect(await recalled()).toContain('heron');
    const corrected = await one.notes.accept(proposal.id, { over: before.id });
    expect(await recalled()).toContain('egret');
    expect(await recalled()).not.toContain('heron');
    await one.notes.remove(corrected?.id ?? '');
    await one.notes.bring({ notes: [before], feedback: [] });
    await one.notes.reopen(proposal);
    expect(await recalled()).toContain('heron');
    expect(await recalled()).not.toContain('egret');
    expect(one.notes.inbox.get().proposals).toEqual([proposal]);
  });

  it('make no conversation in the library or in the pictures', async () => {
    const one = await home();
    await one.notes.write({ text: 'Heron is the staging server.' });
    await one.indexed();
    expect(one.documents.library.get().entries).toHaveLength(2);
    expect((await one.memory.overview()).conversations).toHaveLength(2);
  });
});

describe('feedback', () => {
  it('keeps a passage out for good, until it is taken back', async () => {
    const one = await home();
    const best = await first(one, 'staging server port');
    if (!best) throw new Error('nothing found');
    const judged = await one.notes.judge({
      verdict: 'never',
      conversationId: best.conversationId,
      messageId: best.messageId,
      query: null,
      passage: best.passage,
      title: best.title,
    });
    const after = await one.recall('staging server port');
    expect([...after.passages, ...after.nearMisses].map(({ messageId }) => messageId)).not.toContain(
      best.messageId,
    );
    await one.notes.takeBack(judged.id);
    expect((await first(one, 'staging server port'))?.messageId).toBe(best.messageId);
  });

  it('counts for a question asked while it is still being written down', async () => {
    const index = createInMemoryIndex();
    const disk = slowDisk();
    const one = await home({
      store: disk.store,
      index: {
        ...index,
        search: async (asked) => {
          // The index has answered before the disk has.
          setTimeout(disk.goOn);
          return await index.search(asked);
        },
      },
    });
    const best = await first(one, 'staging server port');
    if (!best) throw new Error('nothing found');
    disk.hold();
    const judged = one.notes.judge({ ...keyOf(best), verdict: 'never', query: null });
    const { passages, nearMisses } = await one.recall('staging server port');
    await judged;
    expect(passages.length).toBeGreaterThan(0);
    expect([...passages, ...nearMisses].map(({ messageId }) => messageId)).not.toContain(best.messageId);
  });

  it('keeps no palette waiting, and nobody who has given up', async () => {
    const disk = slowDisk();
    const index = createInMemoryIndex();
    let asked = 0;
    const one = await home({
      store: disk.store,
      index: {
        ...index,
        search: (query) => {
          asked += 1;
          return index.search(query);
        },
      },
    });
    const best = await first(one, 'staging server port');
    if (!best) throw new Error('nothing found');
    disk.hold();
    const judged = one.notes.judge({ ...keyOf(best), verdict: 'never', query: null });
    const found: string[] = [];
    await one.memory.search({
      text: 'staging port',
      filter: {},
      limit: 5,
      signal: new AbortController().signal,
      onHits: (hits) => void found.push(...hits.map(({ messageId }) => messageId)),
    });
    expect(found).toContain(best.messageId);
    const leaving = new AbortController();
    asked = 0;
    const left = one.recall('staging server port', { signal: leaving.signal });
    await vi.waitFor(() => expect(asked).toBeGreaterThan(0));
    leaving.abort(new Error('given up'));
    await expect(left).rejects.toThrow('given up');
    disk.goOn();
    await judged;
  });

  it('keeps it out also beside others, and leaves it to whoever searches everything', async () => {
    const one = await home();
    const [said] = (await one.recall('which port does the staging server use', { limit: 1 })).passages;
    const beside = said?.neighbours[0];
    if (!said || !beside) throw new Error('a passage and its neighbour were expected');
    await one.notes.judge({
      verdict: 'never',
      conversationId: said.conversationId,
      messageId: beside.messageId,
      query: null,
      passage: beside.text,
      title: said.title,
    });
    const { passages, nearMisses } = await one.recall('which port does the staging server use', { limit: 1 });
    expect(passages.map(({ messageId }) => messageId)).toContain(said.messageId);
    expect(JSON.stringify([...passages, ...nearMisses])).not.toContain(beside.messageId);

    const shown: (readonly string[])[] = [];
    await one.memory.search({
      text: beside.text,
      filter: {},
      limit: 10,
      signal: new AbortController().signal,
      onHits: (hits) => shown.push(hits.map(({ messageId }) => messageId)),
    });
    expect(shown.length).toBeGreaterThan(0);
    for (const hits of shown) expect(hits).toContain(beside.messageId);
  });

  it('keeps its wording out, too, whoever says it again, as a hit and beside others', async () => {
    const one = await home();
    await one.add(
      conversationOf(['Port?', 'The staging server listens on port 8081!', 'Thanks, port noted.']),
      conversationOf(['The staging server listens on port 8081, and on 8443.']),
    );
    await one.indexed();
    const question = 'staging server listens on which port';
    const best = await first(one, question);
    if (best?.passage !== 'The staging server listens on port 8081.') throw new Error(best?.passage);
    await one.notes.judge({ ...keyOf(best), verdict: 'never', query: null });
    for (const [asked, limit] of [
      [question, 5],
      ['Thanks, port noted', 1],
    ] as const) {
      const { passages, nearMisses } = await one.recall(asked, { limit });
      const all = [...passages, ...nearMisses].flatMap(({ passage, neighbours }) => [
        passage,
        ...neighbours.map(({ text }) => text),
      ]);
      expect(all.filter((text) => /port 8081[.!]/.test(text))).toEqual([]);
    }
    // More than that is another wording.
    expect((await first(one, question))?.passage).toContain('8443');
  });

  it('of a note holds however the note is rewritten, as far as it is about the note', async () => {
    const one = await home();
    const note = await one.notes.write({ text: 'The staging server is called heron.' });
    await one.indexed();
    const best = await first(one, 'staging server called');
    if (best?.conversationId !== NOTES) throw new Error(best?.passage);
    const pin = await one.notes.judge({ ...keyOf(best), verdict: 'pinned', query: null });
    await one.notes.judge({ ...keyOf(best), verdict: 'not-related', query: 'staging server called' });
    await one.notes.write({ id: note.id, text: 'The staging server is called egret.' });
    await one.indexed();
    const again = await first(one, 'staging server called');
    expect(again?.passage).toContain('egret');
    const boosts = again?.scores.boosts?.map(({ name }) => name);
    expect(boosts).toContain('pin');
    expect(boosts).not.toContain('not-related');
    if (!again) throw new Error('nothing found');
    await one.notes.judge({ ...keyOf(again), verdict: 'never', query: null });
    expect(one.notes.state.get().feedback.map(({ id }) => id)).toContain(pin.id);
    expect(one.notes.state.get().feedback.filter(({ verdict }) => verdict === 'pinned')).toEqual([]);
    await one.notes.write({ id: note.id, text: 'The staging server is called ibis.' });
    await one.indexed();
    const { passages, nearMisses } = await one.recall('staging server called');
    expect([...passages, ...nearMisses].filter(({ conversationId }) => conversationId === NOTES)).toEqual([]);
  });

  it('pins a passage above its like, and pushes one down for a question that is much the same', async () => {
    const one = await home();
    const found = (await one.recall('staging server port')).passages;
    const [best, second] = found;
    if (!best || !second) throw new Error('two passages were expected');
    await one.notes.judge({ ...keyOf(best), verdict: 'not-related', query: 'the staging server port' });
    const down = (await one.recall('staging server port')).passages.find(
      ({ messageId }) => messageId === best.messageId,
    );
    expect(down?.scores.final ?? 0).toBeLessThan(best.scores.final);
    const other = (await one.recall('restart systemctl on the server')).passages.find(
      ({ messageId }) => messageId === best.messageId,
    );
    expect(other?.scores.boosts?.map(({ name }) => name) ?? []).not.toContain('not-related');
    const pin = await one.notes.judge({ ...keyOf(second), verdict: 'pinned', query: null });
    const up = (await one.recall('staging server port')).passages.find(
      ({ messageId }) => messageId === second.messageId,
    );
    expect(up?.scores.final ?? 0).toBeGreaterThan(second.scores.final);
    await one.notes.takeBack(pin.id);
  });
});
