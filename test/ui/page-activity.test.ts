// What the page does by itself: the background makes room for typing, and a conversation that
// is left or rests is read to its end.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Activity } from '../../src/domain/base/activity.ts';
import { type Writable, writable } from '../../src/domain/base/readable.ts';
import type { App } from '../../src/services/app.ts';
import type { SaveStatus } from '../../src/services/documents/documents.ts';
import type { Memory } from '../../src/services/memory/memory.ts';
import { watchPageActivity } from '../../src/ui/page-activity.ts';

type Reason = Parameters<Memory['wake']>[0];

let ending: AbortController;
let page: EventTarget & { visibilityState: 'visible' | 'hidden' };
let view: EventTarget;
let woken: (Reason | undefined)[];
let paused: [why: string, paused: boolean][];
let retried: number;
let prepared: number;
let library: Writable<{ ready: boolean; entries: never[] }>;
let saving: Writable<SaveStatus>;
let activities: Writable<readonly Activity[]>;

beforeEach(() => {
  vi.useFakeTimers();
  ending = new AbortController();
  page = Object.assign(new EventTarget(), { visibilityState: 'visible' as const });
  view = new EventTarget();
  vi.stubGlobal('document', page);
  vi.stubGlobal('window', view);
  [woken, paused, retried, prepared] = [[], [], 0, 0];
  library = writable({ ready: true, entries: [] });
  saving = writable<SaveStatus>({ state: 'saved' });
  activities = writable<readonly Activity[]>([]);
  const app = {
    documents: {
      library,
      saving,
      retry: async () => {
        retried += 1;
      },
    },
    library: { activities },
    memory: {
      prepare: () => {
        prepared += 1;
      },
    },
  } as unknown as App;
  watchPageActivity({
    app,
    engine: { wake: (reason) => void woken.push(reason) },
    pause: { set: (why, now) => void paused.push([why, now]) },
    signal: ending.signal,
  });
});

afterEach(() => {
  ending.abort();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const asked = () => !view.dispatchEvent(new Event('beforeunload', { cancelable: true }));

describe('the page looks after', () => {
  it('the model, which comes into memory where a person begins to write', () => {
    const write = (tagName: string) => {
      const event = new Event('input');
      Object.defineProperty(event, 'target', { value: { tagName } });
      page.dispatchEvent(event);
    };
    write('INPUT');
    vi.advanceTimersByTime(2000);
    expect(prepared).toBe(0);
    write('TEXTAREA');
    write('TEXTAREA');
    vi.advanceTimersByTime(2000);
    expect(prepared).toBe(1);
    write('TEXTAREA');
    expect(prepared, 'it may have retired').toBe(2);
  });

  it('the background, which waits while a person types and goes on soon after', () => {
    page.dispatchEvent(new Event('input'));
    vi.advanceTimersByTime(1000);
    page.dispatchEvent(new Event('input'));
    vi.advanceTimersByTime(1400);
    expect(paused).toEqual([['typing', true]]);
    vi.advanceTimersByTime(200);
    expect(paused).toEqual([
      ['typing', true],
      ['typing', false],
    ]);
  });

  it('a conversation that rests: a minute without a key, a click or news is its end', () => {
    page.dispatchEvent(new Event('keydown'));
    vi.advanceTimersByTime(50_000);
    library.set({ ready: true, entries: [] });
    vi.advanceTimersByTime(50_000);
    page.dispatchEvent(new Event('pointerdown'));
    vi.advanceTimersByTime(59_000);
    expect(woken).toEqual([]);
    vi.advanceTimersByTime(1000);
    expect(woken).toEqual(['ended']);
  });

  it('a tab that is left: its conversation has ended', () => {
    page.dispatchEvent(new Event('visibilitychange'));
    expect(woken).toEqual([]);
    page.visibilityState = 'hidden';
    page.dispatchEvent(new Event('visibilitychange'));
    expect(woken).toEqual(['ended']);
  });

  it('what could not be written: tried again when one comes back or the network does, and the page asks before it goes', () => {
    expect(asked()).toBe(false);
    saving.set({ state: 'failed' } as SaveStatus);
    expect(asked()).toBe(true);
    for (const event of ['focus', 'online']) view.dispatchEvent(new Event(event));
    expect(retried).toBe(2);
    saving.set({ state: 'saved' });
    expect(asked()).toBe(false);
  });

  it('an import: the page asks before it goes', () => {
    activities.set([{ label: 'import', state: 'running' } as unknown as Activity]);
    expect(asked()).toBe(true);
    activities.set([{ label: 'import', state: 'done' } as unknown as Activity]);
    saving.set({ state: 'saving' } as SaveStatus);
    saving.set({ state: 'saved' });
    expect(asked()).toBe(false);
  });

  it('nothing any more once it has ended', () => {
    page.dispatchEvent(new Event('keydown'));
    ending.abort();
    page.dispatchEvent(new Event('input'));
    vi.advanceTimersByTime(120_000);
    expect([woken, paused]).toEqual([[], []]);
  });
});
