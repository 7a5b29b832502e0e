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

it.each([
  ['Move the database as we agreed last month.', 1],
  ['那就按上次说的配置吧', 1],
  ['Thanks, now write it as a list.', 0],
])('a later message that calls on memory is looked up: %s', async (text, times) => {
  const { say, asked } = talk({
    config: (config) => ({
      ...config,
      recall: { ...config.recall, auto_recall: { ...config.recall.auto_recall, trigger_on_start: false } },
      tools: { ...config.tools, enabled: false },
    }),
    recall: async () => ({ passages: [passage('m1', 'The server listens on port 8081.')] }),
  });
  const id = await say('Hello there');
  await say(text, id);
  expect(asked).toHaveLength(times);
});
