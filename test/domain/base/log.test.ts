import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { RecollectError } from '../../../src/domain/base/errors.ts';
import { describeError, ignore, Log, log, logAsText, orElse } from '../../../src/domain/base/log.ts';

const settled = () => setImmediate();

/** What an operation throws. */
const thrownBy = (run: () => unknown): unknown => {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error('It did not throw');
};

afterEach(() => log.clear());

describe('the diagnostics log', () => {
  it('keeps levels in order, oldest first, and tells its listeners', () => {
    const own = new Log(10, () => 5);
    const listener = vi.fn();
    const stop = own.subscribe(listener);
    own.debug('one');
    own.warn('two');
    stop();
    own.error('three');
    expect(own.get().map(({ level, message, at }) => [level, message, at])).toEqual([
      ['debug', 'one', 5],
      ['warn', 'two', 5],
      ['error', 'three', 5],
    ]);
    expect(listener).toHaveBeenCalledTimes(2);
  });

  it('is a ring: the oldest entry goes first', () => {
    const own = new Log(3);
    for (const message of ['a', 'b', 'c', 'd', 'e']) own.info(message);
    expect(own.get().map(({ message }) => message)).toEqual(['c', 'd', 'e']);
  });

  it('counts what happens again instead of letting it push out the rest', () => {
    let now = 0;
    const own = new Log(3, () => now);
    own.error('the one that matters');
    for (now = 1; now <= 1000; now += 1) own.warn('again and again');
    expect(own.get()).toMatchObject([
      { message: 'the one that matters', count: 1 },
      { message: 'again and again', count: 1000, firstAt: 1, at: 1000 },
    ]);
    expect(logAsText(own.get())).toContain('again and again (1000 times)');
  });

  it('returns the same list until something is written', () => {
    const own = new Log();
    own.info('a');
    const before = own.get();
    expect(own.get()).toBe(before);
    own.info('b');
    expect(own.get()).not.toBe(before);
    expect(before).toHaveLength(1);
  });
});

describe('ignore and orElse', () => {
  it('note what failed, and why that is all right', async () => {
    ignore(Promise.reject(new TypeError('x is not a function')), 'a test');
    expect(await orElse(Promise.reject(new Error('no')), null, 'the figures')).toBeNull();
    await settled();
    expect(log.get().map(({ level, message }) => [level, message])).toEqual(
      expect.arrayContaining([
        ['debug', 'Ignored: a test'],
        ['debug', 'Did without: the figures'],
      ]),
    );
  });

  it('note nothing where all is well, or where somebody stopped it', async () => {
    ignore(Promise.resolve(1), 'fine');
    ignore(Promise.reject(new DOMException('stopped', 'AbortError')), 'stopped');
    expect(await orElse(Promise.resolve(2), null, 'fine')).toBe(2);
    await settled();
    expect(log.get()).toEqual([]);
  });
});

describe('an error in the log', () => {
  const SECRET = 'sk-proj-4711 my diary of Tuesday';
  it.each([
    ['an error of a model or a database', new Error(`Refused: ${SECRET}`)],
    ['parsed text', thrownBy(() => JSON.parse(`{"a": ${SECRET}`))],
    ['parsed text with quotation marks in it', thrownBy(() => JSON.parse(`"${SECRET}" and "${SECRET}`))],
    ['an address', thrownBy(() => new URL(`http://${SECRET}:x`))],
    [
      'an address in words',
      new TypeError(`Failed to parse URL from https://host/${encodeURIComponent(SECRET)}`),
    ],
    ['a quoted value', new TypeError(`"${SECRET}" is not iterable`)],
    ['a problem of the app', new RecollectError('model-refused', SECRET, { params: { detail: SECRET } })],
    ['a cause', new RecollectError('storage-failed', 'No', { cause: new Error(SECRET) })],
    ['a string that was thrown', SECRET],
    ['a name that is no name', Object.assign(new Error('x'), { name: SECRET })],
    ['several lines', new Error(`one\n    ${SECRET}\n    at ${SECRET} (x.js:1:1)\n    at diary (x.js:1:1)`)],
  ])('holds no content: %s', (_, error) => {
    const described = describeError(error);
    for (const part of SECRET.split(' ').filter((word) => word.length > 3))
      expect(described).not.toContain(part);
  });

  it('says the class, the code, what is behind it, and where', () => {
    const cause = thrownBy(() => (undefined as unknown as { read: () => void }).read());
    const described = describeError(new RecollectError('storage-failed', 'No', { cause }));
    expect(described).toMatch(
      /^RecollectError storage-failed at .*log\.test\.ts:\d+:\d+.* ← TypeError: .* at /,
    );
  });

  it('says the name of what a browser refuses', () => {
    expect(describeError(new DOMException('The quota is used up', 'QuotaExceededError'))).toContain(
      'QuotaExceededError: The quota is used up',
    );
  });
});
