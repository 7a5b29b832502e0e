// Chooses the model of a conversation: the one picked in it on this device, else the one that answered last if it is
// connected here, else the one chosen last. Pure.
import type { Endpoint } from '../../adapters/models/chat-model.ts';
import { type Conversation, effectiveHead } from '../../domain/chat/conversation.ts';
import type { Message } from '../../domain/chat/message.ts';
import type { Connections, ModelChoice } from './settings.ts';

export interface ModelInUse {
  /** Null: memory answers. */
  readonly choice: ModelChoice | null;
  /** Id of the model that should continue here but is not connected on this device; null if the right one answers. */
  readonly missing: string | null;
}

/**
 * `preferred`: its project's choice for new conversations. `conversation` null: one that has not begun. Walks back to
 * the latest answer of the branch, usually one step.
 */
export function modelInUse(
  { endpoints, chosen, picked }: Connections,
  conversation: Conversation | null,
  preferred: ModelChoice | null = null,
): ModelInUse {
  const own = preferred && offers(endpoints, preferred) ? preferred : null;
  if (!conversation) return { choice: own ?? chosen, missing: null };
  const pick = picked?.[conversation.id];
  if (pick === null || (pick && offers(endpoints, pick))) return { choice: pick, missing: null };
  const last = latestAnswer(conversation);
  if (!last && own) return { choice: own, missing: null };
  // An answer from memory says nothing about a model connected since.
  const wanted = last?.kind === 'recall' ? undefined : (last?.model ?? pick?.model);
  const choice = (wanted !== undefined && choiceOf(endpoints, wanted, chosen)) || chosen;
  const matters = !conversation.meta.sample && (pick !== undefined || endpoints.length > 0);
  return {
    choice,
    missing: matters && wanted !== undefined && choice?.model !== wanted ? wanted : null,
  };
}

const offers = (endpoints: readonly Endpoint[], { endpointId, model }: ModelChoice): boolean =>
  endpoints.some(({ id, models }) => id === endpointId && models.includes(model));

/** Finds a model by its name: at `chosen` if it is that one, else at the first endpoint; null if none offers it. */
export function choiceOf(
  endpoints: readonly Endpoint[],
  model: string,
  chosen: ModelChoice | null,
): ModelChoice | null {
  if (chosen?.model === model) return chosen;
  const endpoint = endpoints.find(({ models }) => models.includes(model));
  return endpoint ? { endpointId: endpoint.id, model } : null;
}

function latestAnswer({ messages, ...rest }: Conversation): Message | undefined {
  const seen = new Set<Message>();
  for (let at = effectiveHead({ messages, ...rest }); at !== null; ) {
    const message = messages.get(at);
    if (!message || seen.has(message)) return undefined;
    if (message.role === 'assistant' && message.kind !== 'note') return message;
    seen.add(message);
    at = message.parentId;
  }
  return undefined;
}
