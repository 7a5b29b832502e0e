// The registry of tools that models may call, and the runner of a call.

import { z } from 'zod';
import type { ToolDescription } from '../../../adapters/models/chat-model.ts';
import { isAbort, toProblem } from '../../../domain/base/errors.ts';
import { readJson } from '../../../domain/base/json.ts';
import type { PartOf } from '../../../domain/chat/message.ts';
import type { Config } from '../../../domain/settings/config.ts';
import { startOf } from '../../../domain/text/whole-characters.ts';
import { checkpoint } from './checkpoint.ts';
import { openConversation } from './open-conversation.ts';
import { recall } from './recall.ts';
import { remember } from './remember.ts';
import { sendDMail } from './send-dmail.ts';
import { MAX_RESULT, type Offering, type Tool, type ToolContext, type ToolOutcome } from './tool.ts';

export type { NotesLike, Tool } from './tool.ts';

export const TOOLS: readonly Tool[] = [recall, openConversation, remember, checkpoint, sendDMail];

/** Lists tools that are switched on and have their dependencies. */
export const toolsInForce = (config: Config, offering: Offering): readonly Tool[] =>
  config.tools.enabled
    ? TOOLS.filter((tool) => config.tools[tool.switch] && (tool.available?.(offering) ?? true))
    : [];

const described = new WeakMap<Tool, ToolDescription>();

/** Description of a tool for the model. */
export function descriptionOf(tool: Tool): ToolDescription {
  const known = described.get(tool);
  if (known) return known;
  const { $schema: _, ...schema } = z.toJSONSchema(tool.input, { io: 'input' });
  const description = { name: tool.name, description: tool.description, schema };
  described.set(tool, description);
  return description;
}

/**
 * Parses arguments as the model meant them: some write JSON within a string, in a fence,
 * or encoded twice. Undefined: no JSON.
 */
function inputOf(written: string): unknown {
  const text = written.trim().replace(/^```\w*\n([\s\S]*?)\n?```$/, '$1');
  if (text === '') return {};
  const half = text.slice(0, text.length / 2);
  const input = readJson(text) ?? (half + half === text ? readJson(half) : undefined);
  return typeof input === 'string' ? readJson(input) : input;
}

/** Runs one call. An error becomes its result: the model reads it and can do better. Throws only AbortError. */
export async function runTool(
  tools: readonly Tool[],
  call: PartOf<'tool-call'>,
  context: ToolContext,
): Promise<ToolOutcome> {
  const failed = (text: string): ToolOutcome => ({ text, isError: true });
  const tool = tools.find((candidate) => candidate.name === call.name);
  if (!tool)
    return failed(
      tools.length === 0
        ? `There is no tool ${call.name}; there are none here.`
        : `There is no tool ${call.name}. There are: ${tools.map(({ name }) => name).join(', ')}.`,
    );
  const input = inputOf(call.arguments);
  if (input === undefined) return failed('The arguments are not JSON.');
  const checked = tool.input.safeParse(input);
  if (!checked.success) return failed(`The arguments do not fit: ${z.prettifyError(checked.error)}`);
  try {
    const outcome = await tool.run(checked.data, context);
    return outcome.text.length > MAX_RESULT
      ? { ...outcome, text: `${startOf(outcome.text, MAX_RESULT)}\n[cut here]` }
      : outcome;
  } catch (error) {
    if (isAbort(error) && context.signal.aborted) throw error;
    return failed(`It failed: ${toProblem(error).message}`);
  }
}
