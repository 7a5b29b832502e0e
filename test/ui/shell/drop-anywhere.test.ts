import { beforeEach, describe, expect, it } from 'vitest';
import type { SourceFile } from '../../../src/adapters/importers/importer.ts';
import { listenForDrops } from '../../../src/ui/shell/drop-anywhere.tsx';

describe('files dragged over the window', () => {
  let scope: EventTarget;
  let over: boolean;
  let taken: Promise<readonly SourceFile[]>[];
  let listening: AbortController;
  beforeEach(() => {
    scope = new EventTarget();
    over = false;
    taken = [];
    listening = new AbortController();
  });
  const listen = (between: (event: Event) => void = () => {}) => {
    // Node hands an event to listeners in the order they came: those of the way down, a
    // place within, those of the way up.
    const later: [string, EventListener, AddEventListenerOptions][] = [];
    const split = {
      addEventListener: (type: string, heard: EventListener, options: AddEventListenerOptions) => {
        if (options.capture) scope.addEventListener(type, heard, options);
        else later.push([type, heard, options]);
      },
    } as unknown as EventTarget;
    listenForDrops(
      split,
      {
        onOver: (now) => {
          over = now;
        },
        onFiles: (files) => taken.push(files),
      },
      listening.signal,
    );
    for (const type of ['dragover', 'drop']) scope.addEventListener(type, between);
    for (const [type, heard, options] of later)
      scope.addEventListener(type, heard, { signal: options.signal as AbortSignal });
  };
  /** Sends a drag event; true: the page prevented the browser's own action. */
  const send = (type: string, types: readonly string[] = ['Files'], more: object = {}): boolean => {
    const file = new File(['[]'], 'conversations.json');
    const item = { kind: 'file', webkitGetAsEntry: () => null, getAsFile: () => file };
    const event = Object.assign(new Event(type, { cancelable: true }), {
      dataTransfer: { types, items: types.includes('Files') ? [item] : [], dropEffect: 'none' },
      relatedTarget: null,
      ...more,
    });
    scope.dispatchEvent(event);
    return event.defaultPrevented;
  };

  it('are taken where nothing else takes them, and the browser opens none', async () => {
    listen();
    expect(send('dragover')).toBe(true);
    expect(over).toBe(true);
    expect(send('drop')).toBe(true);
    expect(over).toBe(false);
    expect((await taken[0])?.map(({ path }) => path)).toEqual(['conversations.json']);
  });

  it('are left to a place that takes them itself', () => {
    listen((event) => event.preventDefault());
    send('dragover');
    expect(over).toBe(false);
    send('drop');
    expect(taken).toEqual([]);
  });

  it('show nothing here any more once a place keeps them to itself', () => {
    let within = false;
    listen((event) => {
      if (within) event.stopImmediatePropagation();
    });
    send('dragover');
    expect(over).toBe(true);
    within = true;
    send('dragover');
    send('dragover');
    expect(over).toBe(false);
    send('drop');
    expect(taken).toEqual([]);
    within = false;
    send('dragover');
    expect(over).toBe(true);
  });

  it('are gone when they leave the window', () => {
    listen();
    send('dragover');
    send('dragleave', ['Files'], { relatedTarget: {} });
    expect(over).toBe(true);
    send('dragleave');
    expect(over).toBe(false);
  });

  it('are neither words nor a picture of the page itself', () => {
    listen();
    expect(send('dragover', ['text/plain'])).toBe(false);
    send('dragstart');
    expect(send('dragover')).toBe(false);
    expect(send('drop')).toBe(false);
    expect(taken).toEqual([]);
    expect(send('dragover')).toBe(true);
  });

  it('are taken again after a drag of the page itself whose element went away', () => {
    listen();
    send('dragstart');
    // No `dragend` reaches the window; the pointer moves again once it is over.
    send('pointermove');
    expect(send('dragover')).toBe(true);
  });

  it('are not heard of after the end', () => {
    listen();
    listening.abort();
    expect(send('dragover')).toBe(false);
    expect(send('drop')).toBe(false);
  });
});
