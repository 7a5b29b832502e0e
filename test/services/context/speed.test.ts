// What long conversations cost, in Node over an in-memory log. The figures are printed; the
// bounds are wide enough for a busy machine.
import { afterAll, expect } from 'vitest';
import { effectiveHead } from '../../../src/domain/chat/conversation.ts';
import { deep } from '../../scale.ts';
import { startScriptedModel } from '../../server/scripted-model.ts';
import { contextConfig, createTalk } from './talk.ts';

const server = await startScriptedModel();
afterAll(() => server.close());

const TURNS = 5000;
const median = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

deep(
  `${2 * TURNS} messages: context meter, compaction, checkpoint and restore`,
  { timeout: 60_000 },
  async () => {
    const talk = createTalk(server, { config: contextConfig({ window_tokens: 200_000 }) });
    const { grown, context, documents, close } = talk;
    const id = await grown(TURNS);
    const open = await documents.open(id);
    /** Processor time, ms: other work on the machine does not count. */
    const time = async (work: () => Promise<unknown>) => {
      const from = process.cpuUsage();
      await work();
      const { user, system } = process.cpuUsage(from);
      return (user + system) / 1000;
    };
    const many = async (times: number, work: (at: number) => Promise<unknown>) => {
      const all: number[] = [];
      for (let at = 0; at < times; at++) all.push(await time(() => work(at)));
      return median(all);
    };
    const first = await time(() => context.next(id, []));
    const cold = await time(async () => {
      await context.compact(id, { preview: true });
      context.cancel(id);
    });
    const again = await many(9, () => context.next(id, [{ type: 'text', text: 'and now?' }]));
    const compaction = await time(() => context.compact(id));
    expect(talk.events.at(-1)).toMatchObject({ type: 'compaction-end', outcome: 'applied' });
    const compacted = await many(9, () =>
      context.next(id, [{ type: 'text', text: 'what was in region 12?' }]),
    );
    const ids = [...open.get().messages.keys()];
    const checkpoint = await many(21, (at) => context.checkpoint(id, `c${at}`, ids[9_999 - at * 200]));
    const restore = await many(21, (at) => context.restore(id, `c${20 - at}`));
    await context.restore(id, ids.at(-1) ?? '');
    const listed = await many(5, () => context.checkpoints(id));
    const byTurn = await many(21, (at) => context.restore(id, `turn-${TURNS - at}`));
    expect(effectiveHead(open.get())).not.toBeNull();
    console.info(
      JSON.stringify(
        {
          messages: 2 * TURNS,
          first,
          cold,
          again,
          compaction,
          compacted,
          checkpoint,
          restore,
          byTurn,
          listed,
        },
        (_, value) => (typeof value === 'number' ? Math.round(value * 10) / 10 : value),
      ),
    );
    open.close();
    await close();
  },
);
