// /forget: opens the window of forgetting with these words. Nothing is removed before the person has seen where it is.
import type { Command } from './command.ts';

export const forget: Command = {
  name: 'forget',
  arguments: [{ name: 'text', kind: 'rest', optional: true }],
  run: async (_, { text }) => ({ type: 'forget', words: typeof text === 'string' ? text.trim() : '' }),
};
