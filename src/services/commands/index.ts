// The registry of slash commands, in the order in which they are offered. Composer, palette and /help read it.
import { isAbort, toProblem } from '../../domain/base/errors.ts';
import type { Command, CommandContext, CommandOutcome } from './command.ts';
import { checkpoint, checkpoints, compact, dmail, restore } from './context.ts';
import { forget } from './forget.ts';
import { helpFor } from './help.ts';
import { memory } from './memory.ts';
import { newConversation } from './new.ts';
import { parseCommand } from './parse.ts';
import { recall } from './recall.ts';
import { sync } from './sync.ts';
import { title } from './title.ts';

export { type Completion, complete, type Offered, type Suggestion, wantsCheckpoints } from './complete.ts';
export { parseCommand } from './parse.ts';

export const COMMANDS: readonly Command[] = [
  recall,
  memory,
  compact,
  checkpoint,
  checkpoints,
  restore,
  dmail,
  newConversation,
  title,
  sync,
  forget,
  helpFor(() => COMMANDS),
];

/** Parses and runs a line that begins with a slash. An error becomes an outcome, too; only cancelling throws. */
export async function runCommand(
  commands: readonly Command[],
  line: string,
  context: CommandContext,
): Promise<CommandOutcome> {
  const parsed = parseCommand(commands, line);
  if (!parsed.ok) return { type: 'problem', problem: parsed.problem };
  try {
    return await parsed.command.run(context, parsed.args);
  } catch (error) {
    if (isAbort(error)) throw error;
    return { type: 'problem', problem: toProblem(error) };
  }
}
