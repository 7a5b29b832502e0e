// /help: all commands, or one of them.
import type { Command } from './command.ts';
import { findByName, unknownCommand } from './parse.ts';

/** `commands`: the registry that it explains, itself included. */
export const helpFor = (commands: () => readonly Command[]): Command => ({
  name: 'help',
  arguments: [{ name: 'command', kind: 'rest', optional: true }],
  async run(_context, { command }) {
    if (typeof command !== 'string') return { type: 'help' };
    const name = command.replace(/^\//, '').toLowerCase();
    const known = findByName(name, commands(), (candidate) => candidate.name);
    if (!known) throw unknownCommand(commands(), name);
    return { type: 'help', command: known.name };
  },
});
