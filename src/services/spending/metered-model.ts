// Wraps a model so that every request is counted: with the tokens that the endpoint reports, or else with an estimate.
import type { ChatModel, Prompt } from '../../adapters/models/chat-model.ts';
import type { Usage } from '../../domain/chat/message.ts';
import { estimateTokens, tokensOfParts } from '../../domain/context/tokens.ts';

/** Tokens that frame a message in a request. */
const FRAME_TOKENS = 4;

type StreamOptions = Parameters<ChatModel['stream']>[1];

/**
 * Wraps the model. `onSpent` is called for each request that was answered at least in part. If the endpoint reports no
 * usage, or not all of it, an estimate is in the stream before its end.
 */
export function meteredModel(model: ChatModel, onSpent: (usage: Usage) => void): ChatModel {
  return { ...model, stream: (prompt, options) => metered(model, prompt, options, onSpent) };
}

async function* metered(
  model: ChatModel,
  prompt: Prompt,
  options: StreamOptions,
  onSpent: (usage: Usage) => void,
): ReturnType<ChatModel['stream']> {
  let reported: Usage | undefined;
  let words = '';
  let over = false;
  const spent = (): Usage | null => {
    if (reported?.inputTokens !== undefined && reported.outputTokens !== undefined) return reported;
    if (words === '' && reported === undefined) return null;
    return {
      ...reported,
      inputTokens: reported?.inputTokens ?? tokensOfRequest(prompt, options),
      outputTokens: reported?.outputTokens ?? estimateTokens(words),
      estimated: true,
    };
  };
  const count = (): Usage | null => {
    if (over) return null;
    over = true;
    const usage = spent();
    if (usage) onSpent(usage);
    return usage;
  };
  try {
    for await (const event of model.stream(prompt, options)) {
      if (event.type === 'text-delta' || event.type === 'reasoning-delta') words += event.text;
      else if (event.type === 'tool-call') words += `${event.name} ${event.arguments}`;
      else if (event.type === 'usage') reported = event.usage;
      else if (event.type === 'end') {
        const usage = count();
        if (usage?.estimated) yield { type: 'usage', usage };
      }
      yield event;
    }
  } finally {
    // The caller stopped reading.
    count();
  }
}

function tokensOfRequest({ system, messages }: Prompt, { tools }: StreamOptions): number {
  let tokens = system === null ? 0 : estimateTokens(system) + FRAME_TOKENS;
  for (const { parts } of messages) tokens += tokensOfParts(parts) + FRAME_TOKENS;
  return tokens + (tools?.length ? estimateTokens(JSON.stringify(tools)) : 0);
}
