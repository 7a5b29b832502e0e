// What a model may spend on the memory of a conversation, at an endpoint that writes as much as it
// is allowed to and tells what it took.
import { describe, expect, it } from 'vitest';
import { until } from '../../../src/domain/base/readable.ts';
import { estimateTokens } from '../../../src/domain/context/tokens.ts';
import type { Config } from '../../../src/domain/settings/config.ts';
import type { ChatRequest } from '../../server/scripted-model.ts';
import { contextConfig, filler, startTalks } from './talk.ts';

const { server, talk } = await startTalks();

const allowed =
  (budget: number) =>
  (config: Config): Config => {
    const made = contextConfig({ window_tokens: 60_000 })(config);
    return {
      ...made,
      context: {
        ...made.context,
        session_memory: {
          ...made.context.session_memory,
          every_tokens: 500,
          model_from_ratio: 0,
          model_budget_tokens: budget,
        },
      },
    };
  };
const isJob = (request: ChatRequest) => JSON.stringify(request.messages).includes('## Message 1');
const read = (request: ChatRequest) =>
  request.messages.reduce((sum, { content }) => sum + estimateTokens(String(content)) + 4, 0);
const billed = (text: string, input: number, output: number) => ({
  steps: [
    { text },
    { finish: 'stop' },
    { usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output } },
  ],
});

describe('what the memory of a conversation may cost', () => {
  it.each([
    [1_500, 0],
    [3_000, 0],
    [4_000, 1],
    [10_000, 2],
    [60_000, 4],
  ])('of %i tokens is never exceeded', async (budget, atLeast) => {
    server.answer((request) =>
      isJob(request)
        ? billed(
            '# Import\n## Current state\nIt goes on.',
            read(request),
            Number(request.max_tokens ?? 6_000),
          )
        : billed('Good.', read(request), 2),
    );
    const { grown, say, context } = talk({ config: allowed(budget) });
    const id = await grown(6);
    for (let round = 0; round < 4; round += 1) {
      const known = context.state(id).get().sessionMemory;
      await say(Array.from({ length: 6 }, (_, at) => filler(50 * round + at)).join('\n'), id);
      const { sessionMemory: job } = await until(
        context.state(id),
        (state) => state.sessionMemory !== known && state.sessionMemory?.running === false,
      );
      expect(job?.problem).toBeNull();
      expect(job?.tokens).toBeLessThanOrEqual(budget);
    }
    const asked = server.chats().filter(isJob);
    expect(asked.length).toBeGreaterThanOrEqual(atLeast);
    expect(context.state(id).get().sessionMemory?.calls).toBe(asked.length);
  });
});
