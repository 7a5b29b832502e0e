// Makes a key of everything that a model is sent: equal requests have equal keys,
// so that an answer can be reused. Pure.

import type { ChatModel, Prompt, ToolDescription } from '../../adapters/models/chat-model.ts';
import { hashOfText } from '../../domain/base/hash.ts';
import type { Part } from '../../domain/chat/message.ts';

/** Messages never change, nor do their parts, so each is hashed once. */
const known = new WeakMap<object, string>();

const hashText = (text: string): string => hashOfText(text, 32);

function hashOf(value: object, content: readonly unknown[]): string {
  const kept = known.get(value);
  if (kept !== undefined) return kept;
  const hash = hashText(JSON.stringify(content));
  known.set(value, hash);
  return hash;
}

/** Lists the fields of a part that reach an endpoint, in a fixed order. */
function sentOf(part: Part): readonly unknown[] {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return [part.type, part.text];
    case 'file':
      return [
        part.type,
        part.mediaType,
        part.name,
        part.url,
        part.reference,
        ...(part.extract?.sections ?? []),
      ];
    case 'tool-call':
      return [part.type, part.callId, part.name, part.arguments];
    case 'tool-result':
      return [part.type, part.callId, part.name, part.text, part.isError === true];
    default:
      return [part.type];
  }
}

/** 32 hex digits over model, endpoint, parameters, system prompt, messages and tools. */
export function requestKey(
  model: Pick<ChatModel, 'id' | 'endpoint' | 'parameters'>,
  prompt: Prompt,
  tools: readonly ToolDescription[],
): string {
  return hashText(
    [
      model.endpoint ?? '',
      model.id,
      ...(model.parameters ? [`parameters ${JSON.stringify(model.parameters)}`] : []),
      prompt.system ?? '',
      ...tools.map((tool) => hashOf(tool, [tool.name, tool.description, tool.schema])),
      ...prompt.messages.map(
        ({ role, parts }) => `${role} ${parts.map((part) => hashOf(part, sentOf(part))).join(' ')}`,
      ),
    ].join('\n'),
  );
}
