// /help: all commands, or one of them.
import type { Command } from './command.ts';

export const help: Command = {
  name: 'help',
  arguments: [{ name: 'command', kind: 'rest', optional: true }],
  async run(_context, { command }) {
    return typeof command === 'string'
      ? { type: 'help', command: command.replace(/^\//, '').toLowerCase() }
      : { type: 'help' };
  },
};
