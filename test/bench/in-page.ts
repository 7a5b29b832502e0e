// What the bench does inside the app's page, through its handle for the console (`?console`). Each function is sent to
// the page as it stands: it may use nothing but its argument and the page.
import type { EmbeddingProvider } from '../../src/adapters/embedding/embedding-provider.ts';
import type { MemoryIndex } from '../../src/adapters/index/memory-index.ts';
import type { App } from '../../src/services/app.ts';

export interface Handle {
  readonly app: App;
  readonly index: MemoryIndex;
  readonly embedding: EmbeddingProvider;
  readonly model: string;
  readonly dimensions: number;
}
declare const recollect: Handle;

/** Puts a piece of a file aside, outside the page's own memory. */
export function stage({ piece }: { piece: string }): void {
  const place = globalThis as unknown as { staged?: Blob[] };
  place.staged = [...(place.staged ?? []), new Blob([piece])];
}

/** Imports the staged file. */
export async function importStaged(_: Record<string, never>) {
  const place = globalThis as unknown as { staged?: Blob[] };
  const file = new Blob(place.staged ?? []);
  delete place.staged;
  const { app } = recollect;
  const started = performance.now();
  const [report] = await app.library.importFiles([
    {
      path: 'conversations.json',
      size: file.size,
      modifiedAt: Date.now(),
      bytes: async () => new Uint8Array(await file.arrayBuffer()),
    },
  ]);
  const logged = performance.now();
  let idle = 0;
  // The engine learns of the import a moment later, so waits until it has been quiet for a while.
  while (idle < 5) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    idle = app.memory.status.get().unread === 0 ? idle + 1 : 0;
  }
  return {
    messages: report?.messages,
    toLogMs: Math.round(logged - started),
    toKeywordSearchableMs: Math.round(performance.now() - started - 500),
  };
}

/**
 * Gives every chunk that waits, or as many as `most`, a random vector and random pieces, as many as a model would read:
 * what a search costs does not depend on what they say. They wait in the order in which the app embeds them.
 */
export async function fillVectors({ most = Number.POSITIVE_INFINITY }: { most?: number }) {
  const { index, model, dimensions } = recollect;
  let count = 0;
  for (;;) {
    const stale = count < most ? await index.pendingChunks(model, Math.min(500, most - count)) : [];
    if (stale.length === 0) return count;
    await index.put(
      model,
      stale.map((chunk) => {
        const values = Float32Array.from({ length: dimensions }, () => Math.random() - 0.5);
        const length = Math.hypot(...values);
        const own = chunk.embedded.slice(chunk.context);
        const narrow = own.replace(/[^\0-\xff]/g, '').length;
        const pieces = Math.ceil(narrow / 4.2 + (own.length - narrow) / 1.6);
        const bits = crypto.getRandomValues(new Uint8Array(pieces * 32));
        return { chunkId: chunk.id, values: values.map((value) => value / length), bits };
      }),
    );
    count += stale.length;
  }
}

/** Saves into a conversation that is open, as the screen does. */
export async function timeSaves({ count, gapMs }: { count: number; gapMs: number }) {
  const { documents } = recollect.app;
  const id = crypto.randomUUID() as never;
  const say = (n: number, parentId: string | null) => {
    const made = crypto.randomUUID();
    const change = {
      messages: [
        {
          id: made as never,
          parentId: parentId as never,
          role: 'user' as const,
          kind: 'message' as const,
          createdAt: Date.now(),
          parts: [{ type: 'text' as const, text: `saved ${n} `.repeat(40) }],
        },
      ],
    };
    return { made, saved: documents.change(id, change) };
  };
  const first = say(0, null);
  await first.saved;
  const open = await documents.open(id);
  const times: number[] = [];
  let parent = first.made;
  for (let n = 1; n <= count; n++) {
    const started = performance.now();
    const { made, saved } = say(n, parent);
    await saved;
    times.push(performance.now() - started);
    parent = made;
    await new Promise((resolve) => setTimeout(resolve, gapMs));
  }
  open.close();
  await documents.erase([id]);
  return times.slice(5);
}

/** Keeps the second copy of the log from being written until `letCopy`: this page takes its lock away. */
export function stopCopy(): Promise<void> {
  return new Promise((taken) => {
    void navigator.locks.request('recollect:copy', { steal: true }, () => {
      taken();
      return new Promise<void>((done) => Object.assign(globalThis, { letCopy: done }));
    });
  });
}
export function letCopy(): void {
  (globalThis as unknown as { letCopy(): void }).letCopy();
}

/**
 * What a browser's durable write costs on this disk with nothing of ours around it: 600 bytes in a strict
 * transaction of a database with one table.
 */
export async function timeBareWrites({ count, gapMs }: { count: number; gapMs: number }) {
  const name = 'bench-bare-writes';
  const database = await new Promise<IDBDatabase>((resolve, reject) => {
    const opening = indexedDB.open(name, 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore('rows', { autoIncrement: true });
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error);
  });
  const times: number[] = [];
  for (let n = 0; n < count; n++) {
    const started = performance.now();
    await new Promise<void>((resolve, reject) => {
      const writing = database.transaction('rows', 'readwrite', { durability: 'strict' });
      writing.objectStore('rows').add(new Uint8Array(600).fill(n));
      writing.oncomplete = () => resolve();
      writing.onerror = () => reject(writing.error);
    });
    times.push(performance.now() - started);
    await new Promise((resolve) => setTimeout(resolve, gapMs));
  }
  database.close();
  indexedDB.deleteDatabase(name);
  return times.slice(5);
}

/**
 * Recall from end to end, and where its time goes: the question's vector, each verb of the index (the words are looked
 * up while the vector is made, `searchByWords`), and what is left when none of them runs, which is ranking.
 */
export async function timeRecalls({ questions, warmUp }: { questions: readonly string[]; warmUp: number }) {
  const { app, index, embedding } = recollect;
  const spent: Record<string, number> = {};
  const restore: (() => void)[] = [];
  let [running, since] = [0, 0];
  const measure = (nameOf: (given: unknown) => string, holder: object, verb: string) => {
    const verbs = holder as Record<string, (...given: unknown[]) => unknown>;
    const original = verbs[verb];
    if (!original) throw new Error(`Nothing is called ${verb} here any more, so its time cannot be measured`);
    const add = (name: string, ms: number) => {
      spent[name] = (spent[name] ?? 0) + ms;
    };
    verbs[verb] = async (...given) => {
      const started = performance.now();
      if (running++ === 0) since = started;
      try {
        return await original.apply(holder, given);
      } finally {
        const now = performance.now();
        add(nameOf(given[0]), now - started);
        if (--running === 0) add('waited', now - since);
      }
    };
    restore.push(() => {
      verbs[verb] = original;
    });
  };
  for (const verb of ['embed', 'read']) measure(() => 'embedding', embedding, verb);
  for (const verb of ['maxSim', 'neighbours']) measure(() => verb, index, verb);
  const isMeaning = (query: unknown) => (query as { vector?: unknown }).vector !== undefined;
  measure((query) => (isMeaning(query) ? 'search' : 'searchByWords'), index, 'search');
  const rows: Record<string, number>[] = [];
  let found = 0;
  for (const text of questions) {
    for (const name of Object.keys(spent)) delete spent[name];
    const started = performance.now();
    const result = await app.memory.recall({ text, signal: new AbortController().signal });
    const total = performance.now() - started;
    found += result.passages.length + result.nearMisses.length;
    const { waited = 0, ...parts } = spent;
    rows.push({ total, ...parts, rank: total - waited });
  }
  for (const undo of restore) undo();
  const empty: number[] = [];
  for (let n = 0; n < 30; n++) {
    const started = performance.now();
    await index.bookmark();
    empty.push(performance.now() - started);
  }
  return { rows: rows.slice(warmUp), emptyCall: empty, found };
}

/** One recall: how it found, and when it was done, ms since the page began to load. */
export async function recallOnce({ question }: { question: string }) {
  const { mode } = await recollect.app.memory.recall({
    text: question,
    signal: new AbortController().signal,
  });
  return { mode, doneMs: Math.round(performance.now()) };
}

/** The index alone, asked from the tab: by words, and by words and a vector. */
export async function timeSearches({ words }: { words: readonly string[] }) {
  const { index, model, dimensions } = recollect;
  const [keyword, hybrid]: [number[], number[]] = [[], []];
  for (const line of words) {
    const vector = Float32Array.from({ length: dimensions }, () => Math.random() - 0.5);
    const byWords = performance.now();
    await index.search({ words: line, filter: {}, limit: 60 });
    const byBoth = performance.now();
    await index.search({ words: line, vector: { model, values: vector }, filter: {}, limit: 60 });
    keyword.push(byBoth - byWords);
    hybrid.push(performance.now() - byBoth);
  }
  return { keyword: keyword.slice(5), hybrid: hybrid.slice(5) };
}

/** The palette's search, from the last key on: until the hits by words are there, and until meaning is merged in. */
export async function timeTyped({ questions, warmUp }: { questions: readonly string[]; warmUp: number }) {
  const rows: { words: number; merged: number }[] = [];
  for (const text of questions) {
    const started = performance.now();
    let words = Number.NaN;
    await recollect.app.memory.search({
      text,
      filter: {},
      limit: 30,
      signal: new AbortController().signal,
      onHits: () => {
        if (Number.isNaN(words)) words = performance.now() - started;
      },
    });
    rows.push({ words, merged: performance.now() - started });
  }
  return rows.slice(warmUp);
}

/** ms from the key that made the text what it is: until hits are in the list, and until they are on the screen. */
interface PaletteRow {
  readonly text: string;
  readonly words: number;
  readonly wordsDrawn: number;
  readonly merged: number;
  readonly mergedDrawn: number;
}

/** Begins to time the palette, once in a page: each search from the key that asked for it. */
export function watchPalette(_: Record<string, never>) {
  const seen = globalThis as unknown as { paletteRows?: Promise<PaletteRow>[] };
  if (seen.paletteRows) return;
  const rows: Promise<PaletteRow>[] = [];
  seen.paletteRows = rows;
  const { memory } = recollect.app;
  let [key, isPressed] = [0, false];
  const watched = { capture: true };
  addEventListener(
    'keydown',
    (event) => {
      [key, isPressed] = [event.timeStamp, true];
    },
    watched,
  );
  // Input methods insert text without a key.
  addEventListener(
    'beforeinput',
    (event) => {
      if (!isPressed) key = event.timeStamp;
      isPressed = false;
    },
    watched,
  );
  /** A task after the next picture was made: it is on the screen then, or about to be. */
  const drawn = () =>
    new Promise<number>((resolve) =>
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => resolve(performance.now());
        port2.postMessage(null);
      }),
    );
  const search = memory.search;
  Object.assign(memory, {
    search: async (asked: Parameters<typeof search>[0]) => {
      const from = key;
      let words: { at: number; drawn: Promise<number> } | undefined;
      let merged = 0;
      await search({
        ...asked,
        onHits: (...given) => {
          asked.onHits(...given);
          merged = performance.now();
          words ??= { at: merged, drawn: drawn() };
        },
      });
      if (asked.signal.aborted || !words) return;
      const { at } = words;
      // The next key's search waits for this one: it must not wait for its pictures.
      rows.push(
        Promise.all([words.drawn, drawn()]).then(([wordsDrawn, mergedDrawn]) => ({
          text: asked.text,
          words: at - from,
          wordsDrawn: wordsDrawn - from,
          merged: merged - from,
          mergedDrawn: mergedDrawn - from,
        })),
      );
    },
  });
}

/** What was timed since it was asked last. */
export function paletteSeen(_: Record<string, never>): Promise<PaletteRow[]> {
  const { paletteRows } = globalThis as unknown as { paletteRows: Promise<PaletteRow>[] };
  return Promise.all(paletteRows.splice(0));
}

/** Begins to listen to what a person who types feels. */
export function watchTyping() {
  const heard = { paintMs: [] as number[], delayMs: [] as number[], longTasksMs: [] as number[] };
  Object.assign(globalThis, { heard });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as PerformanceEventTiming[]) {
      if (!/^(key|input|beforeinput)/.test(entry.name)) continue;
      heard.paintMs.push(entry.duration);
      heard.delayMs.push(entry.processingStart - entry.startTime);
    }
  }).observe({ type: 'event', durationThreshold: 16, buffered: false } as PerformanceObserverInit);
  new PerformanceObserver((list) => {
    heard.longTasksMs.push(...list.getEntries().map(({ duration }) => Math.round(duration)));
  }).observe({ type: 'longtask', buffered: false });
}

export function typingHeard() {
  return (globalThis as unknown as { heard: { paintMs: number[]; delayMs: number[]; longTasksMs: number[] } })
    .heard;
}

/** Begins to count the pictures that the browser draws, and what holds them up. */
export function watchFrames() {
  const seen = { framesMs: [] as number[], longTasksMs: [] as number[], going: true };
  Object.assign(globalThis, { seen });
  let last = performance.now();
  const next = (now: number) => {
    seen.framesMs.push(now - last);
    last = now;
    if (seen.going) requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
  new PerformanceObserver((list) => {
    seen.longTasksMs.push(...list.getEntries().map(({ duration }) => Math.round(duration)));
  }).observe({ type: 'longtask', buffered: false });
}

export function framesSeen() {
  const { seen } = globalThis as unknown as {
    seen: { framesMs: number[]; longTasksMs: number[]; going: boolean };
  };
  seen.going = false;
  return { framesMs: seen.framesMs.slice(1), longTasksMs: seen.longTasksMs };
}
