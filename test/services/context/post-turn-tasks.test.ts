// Post-turn tasks read the branch before a compaction needs it. The test watches the real readers.
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Message } from '../../../src/domain/chat/message.ts';
import { readBranchAhead } from '../../../src/domain/context/compaction/memory-writer.ts';
import { structureOf } from '../../../src/domain/context/compaction/outline.ts';
import { notesOf } from '../../../src/domain/context/notes.ts';
import { readMessageAhead } from '../../../src/domain/context/reading.ts';
import type { Config } from '../../../src/domain/settings/config.ts';
import { contextConfig, filler, startTalks } from './talk.ts';

vi.mock(import('../../../src/domain/context/notes.ts'), { spy: true });
vi.mock(import('../../../src/domain/context/reading.ts'), { spy: true });
vi.mock(import('../../../src/domain/context/compaction/memory-writer.ts'), { spy: true });
vi.mock(import('../../../src/domain/context/compaction/outline.ts'), { spy: true });

const { talk } = await startTalks();
beforeEach(() => {
  vi.clearAllMocks();
});

const every = (change: Partial<Config['context']['session_memory']>) => (config: Config) => {
  const made = contextConfig({ window_tokens: 40_000 })(config);
  return {
    ...made,
    context: { ...made.context, session_memory: { ...made.context.session_memory, ...change } },
  };
};
/**
 * Messages that were read one by one, by id; and the longest branch that was put together, by notes and by structure.
 */
const seen = () => ({
  noted: new Set(vi.mocked(notesOf).mock.calls.map(([{ id }]) => id)),
  read: new Set(vi.mocked(readMessageAhead).mock.calls.map(([{ id }]) => id)),
  remembered: Math.max(0, ...vi.mocked(readBranchAhead).mock.calls.map(([path]) => path.length)),
  structured: Math.max(0, ...vi.mocked(structureOf).mock.calls.map(([path]) => path.length)),
});
const allOf = (path: readonly Message[]) => {
  const ids = new Set(path.map(({ id }) => id));
  return { noted: ids, read: ids, remembered: path.length, structured: path.length };
};
const withCall = (at: number) => ({
  user: [{ type: 'text', text: `Look at ${at}` } as const],
  more: [
    {
      role: 'assistant' as const,
      parts: [{ type: 'tool-call', callId: `c${at}`, name: 'look', arguments: '{}' } as const],
    },
    {
      role: 'tool' as const,
      parts: [{ type: 'tool-result', callId: `c${at}`, text: 'nothing' } as const],
    },
  ],
});

describe('after an answer', () => {
  it('the whole branch is read, without a model and before there is any pressure', async () => {
    const { grown, say, path, paired } = talk({ config: every({ every_tokens: 500 }) });
    const id = await grown(10);
    await say('And now?', id);
    await expect.poll(seen).toEqual(allOf(await path(id)));
    expect(paired()).toEqual([]);
  });

  it('it is read after so many calls of tools, too', async () => {
    const { grown, say, path } = talk({
      config: every({ every_tokens: 1_000_000, every_tool_calls: 3 }),
    });
    const id = await grown(3, withCall);
    await say('And now?', id);
    await expect.poll(seen).toEqual(allOf(await path(id)));
  });

  it('its sentences are read for a question that means one of them, once a compaction comes near', async () => {
    const ahead: number[] = [];
    const readAhead = async (units: readonly unknown[]) => void ahead.push(units.length);
    const of = (window_tokens: number) => ({
      context: { meaning: { readAhead } },
      config: (config: Config) => {
        const made = every({ every_tokens: 500 })(config);
        return { ...made, context: { ...made.context, window_tokens } };
      },
    });
    const far = talk(of(40_000));
    const id = await far.grown(10);
    await far.say('And now?', id);
    await expect.poll(seen).toEqual(allOf(await far.path(id)));
    expect(ahead).toEqual([]);
    const near = talk(of(4_000));
    const other = await near.grown(10);
    await near.say('And now?', other);
    await expect.poll(() => ahead.length).toBe(1);
    expect(ahead[0]).toBeGreaterThan(20);
  });

  it('little that is new is left until there is enough of it', async () => {
    const { grown, say, path } = talk({ config: every({ every_tokens: 500 }) });
    const id = await grown(1);
    await say('And now?', id);
    await say(filler(7).repeat(12), id);
    // On a busy machine the tasks after the first answer see the second question; its short answer is then left.
    await expect.poll(() => seen().remembered).toBeGreaterThanOrEqual(5);
    const asked = (await path(id)).slice(0, 5).map((message) => message.id);
    expect([...seen().noted]).toEqual(expect.arrayContaining(asked));
    // Not before the second question was asked.
    for (const [known] of vi.mocked(readBranchAhead).mock.calls)
      expect(known.length).toBeGreaterThanOrEqual(5);
  });
});
