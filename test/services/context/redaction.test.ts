// Redaction is decided anew only where something was deleted or said.
import { expect, it, vi } from 'vitest';
import { writable } from '../../../src/domain/base/readable.ts';
import { createCurrentRedaction } from '../../../src/services/context/redaction.ts';
import type { LibraryEntry } from '../../../src/services/documents/documents.ts';
import { emptyNotes, notesOf } from '../chat/setup.ts';

const entry = (id: string, more: Partial<LibraryEntry> = {}) =>
  ({ id, title: id, deletedAt: null, ...more }) as LibraryEntry;
const scene = () => {
  const library = writable({
    ready: true,
    entries: [entry('a'), entry('b')] as readonly LibraryEntry[],
    projects: [],
  });
  const notes = emptyNotes();
  const closing = new AbortController();
  return {
    library,
    notes,
    closing,
    redaction: createCurrentRedaction({ library, notes: notesOf(notes), closing: closing.signal }),
  };
};

it('is the same object while titles change and conversations are written in', () => {
  const { library, redaction } = scene();
  const before = redaction.now();
  library.set({ ready: true, entries: [entry('b', { title: 'Renamed' }), entry('a')], projects: [] });
  expect(redaction.now()).toBe(before);
});

it('is another one where a conversation comes, goes or is restored, and where memory is told something', () => {
  const { library, notes, redaction } = scene();
  const seen = [redaction.now()];
  const next = () => {
    expect(seen).not.toContain(redaction.now());
    seen.push(redaction.now());
  };
  library.set({ ready: true, entries: [entry('a'), entry('b', { deletedAt: 5 })], projects: [] });
  next();
  library.set({ ready: true, entries: [entry('a'), entry('b')], projects: [] });
  next();
  library.set({ ready: true, entries: [entry('a'), entry('c')], projects: [] });
  next();
  library.set({ ready: false, entries: [], projects: [] });
  next();
  notes.update((state) => ({ ...state, feedback: [] }));
  next();
});

it('waits until the library is read, each time it is asked, and no longer than the app is open', async () => {
  vi.useFakeTimers();
  try {
    const late = scene();
    late.library.set({ ready: false, entries: [], projects: [] });
    const first = late.redaction.known();
    await vi.advanceTimersByTimeAsync(10_000);
    await first;
    let heard = false;
    const second = late.redaction.known().then(() => {
      heard = true;
    });
    await vi.advanceTimersByTimeAsync(100);
    expect(heard).toBe(false);
    late.library.set({ ready: true, entries: [], projects: [] });
    await second;
    const unread = scene();
    unread.library.set({ ready: false, entries: [], projects: [] });
    const waiting = unread.redaction.known();
    unread.closing.abort(new Error('closed'));
    await waiting;
  } finally {
    vi.useRealTimers();
  }
});

it('waits for what is still being written down, each time it is asked', async () => {
  const { library, notes, closing } = scene();
  let known = Promise.resolve(notes.get());
  const redaction = createCurrentRedaction({
    library,
    notes: { state: notes, known: () => known },
    closing: closing.signal,
  });
  await redaction.known();
  let written: () => void = () => undefined;
  known = new Promise((resolve) => {
    written = () => resolve(notes.get());
  });
  let heard = false;
  const waiting = redaction.known().then(() => {
    heard = true;
  });
  await new Promise((resolve) => setTimeout(resolve));
  expect(heard).toBe(false);
  written();
  await waiting;
});
