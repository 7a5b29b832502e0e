// Lists what can be sent back to a message: a rewording, other results of its answer's tools, a note. Pure.
import type { MessageId } from '../../domain/base/ids.ts';
import { type Conversation, childrenOf, effectiveHead, pathTo } from '../../domain/chat/conversation.ts';
import { dmailNoteOf } from '../../domain/chat/dmail.ts';
import { type Message, type PartOf, textOf } from '../../domain/chat/message.ts';

/** Target to reword: the message itself, or the results of the tools it called. */
export type Target =
  | { readonly type: 'note'; readonly message: MessageId }
  | { readonly type: 'edit'; readonly message: MessageId; readonly text: string }
  | {
      readonly type: 'result';
      readonly message: MessageId;
      readonly callId: string;
      readonly name: string;
      readonly text: string;
    };

/** Messages of the answer that contains `message`: every step since the question, without tool results. */
function stepsOf(conversation: Conversation, message: Message): Message[] {
  if (message.role !== 'assistant') return [message];
  const steps: Message[] = [];
  for (let at: Message | undefined = message; at && at.role !== 'user'; ) {
    if (at.role === 'assistant') steps.unshift(at);
    at = at.parentId === null ? undefined : conversation.messages.get(at.parentId);
  }
  return steps;
}

/** Results of the tools that a message called, if they follow it. */
function resultsOf(conversation: Conversation, message: Message): Target[] {
  const targets: Target[] = [];
  const calls = new Map(
    message.parts
      .filter((part): part is PartOf<'tool-call'> => part.type === 'tool-call')
      .map((part) => [part.callId, part.name]),
  );
  if (calls.size === 0) return targets;
  const children = childrenOf(conversation.messages);
  const shown = new Set<MessageId>(
    pathTo(conversation.messages, effectiveHead(conversation)).map(({ id }) => id),
  );
  const below = (children.get(message.id) ?? []).filter(({ role }) => role === 'tool');
  // Takes the shown one of several results of a call, else the newest.
  let result = below.find(({ id }) => shown.has(id)) ?? below.at(-1);
  while (result) {
    const at: Message = result;
    for (const part of at.parts)
      if (part.type === 'tool-result' && calls.has(part.callId))
        targets.push({
          type: 'result',
          message: at.id,
          callId: part.callId,
          name: part.name ?? calls.get(part.callId) ?? '',
          text: part.text,
        });
    const next: readonly Message[] = (children.get(at.id) ?? []).filter(({ role }) => role === 'tool');
    result = next.find(({ id }) => shown.has(id)) ?? next.at(-1);
  }
  return targets;
}

/** Everything that can be sent back to a message, likeliest first; for an answer, the results of all its steps. */
export function targetsOf(conversation: Conversation, message: Message): Target[] {
  const targets: Target[] = [];
  if (message.role === 'user' && message.kind === 'message' && dmailNoteOf(message) === null)
    targets.push({ type: 'edit', message: message.id, text: textOf(message) });
  for (const step of stepsOf(conversation, message)) targets.push(...resultsOf(conversation, step));
  targets.push({ type: 'note', message: message.id });
  return targets;
}
