import { expect, it } from 'vitest';
import { startTalks } from '../context/talk.ts';
import { passage } from './setup.ts';

const { talk } = await startTalks();

it.each([
  [true, 1],
  [false, 0],
])('trigger_on_start: %s asks memory %i times for a first message', async (trigger_on_start, times) => {
  const { say, asked, path } = talk({
    config: (config) => ({
      ...config,
      recall: { ...config.recall, auto_recall: { ...config.recall.auto_recall, trigger_on_start } },
      tools: { ...config.tools, enabled: false },
    }),
    recall: async () => ({ passages: [passage('m1', 'The server listens on port 8081.')] }),
  });
  const id = await say('Which port?');
  expect(asked).toHaveLength(times);
  const parts = (await path(id)).flatMap((message) => message.parts);
  expect(parts.filter(({ type }) => type === 'recall')).toHaveLength(times);
});
