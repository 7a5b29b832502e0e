// The thread that reads a sealed index, as the engine's thread sees it.
import { expect, it, vi } from 'vitest';
import { createPageReader } from '../../../src/adapters/index/page-reader.ts';

const plan = { name: 'none', pack: 2, files: [], state: new ArrayBuffer(16) };

class Silent extends EventTarget {
  readonly postMessage = vi.fn();
  readonly terminate = vi.fn();
}

it.each(['before', 'after'])(
  'a thread that breaks %s it is asked rejects, so that the engine reads',
  async (when) => {
    const thread = new Silent();
    const reader = createPageReader(thread as never, null);
    const fails = () => thread.dispatchEvent(new Event('error', { cancelable: true }));
    if (when === 'before') fails();
    const reading = reader.read(plan, () => {});
    if (when === 'after') fails();
    await expect(reading).rejects.toThrow('broke');
  },
);

it('a thread that never starts is given up', async () => {
  const reader = createPageReader(new Silent() as never, null, { startsWithinMs: 1 });
  await expect(reader.read(plan, () => {})).rejects.toThrow('did not start');
});
