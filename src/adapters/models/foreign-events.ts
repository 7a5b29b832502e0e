// Events of protocols that are not chat completions. Some say their words so plainly that they are read; of the native
// protocols the name is known, so that a person can be told which service to choose.
import { type Fields, isFields, stringOf } from '../../domain/base/json.ts';
import { said } from './event-fields.ts';

/** Events that carry no words: Dify's workflow, the AI SDK's beginnings and ends. */
const SILENT = new RegExp(
  `^(?:${[
    'workflow_\\w+',
    'node_\\w+',
    'iteration_\\w+',
    'loop_\\w+',
    'agent_(?:thought|log)',
    'tts_message(?:_end)?',
    'message_file',
    'start(?:-step)?',
    '(?:message|content)-start',
    'content-end',
    'tool-plan-delta',
    'tool-call-end',
    'citation-(?:start|end)',
    'finish-step',
    '(?:text|reasoning|tool-input)-(?:start|end)',
    'tool-input-delta',
    'tool-(?:input|output)-available',
    'source-(?:url|document)',
    'message-metadata',
    'data-[\\w-]+',
  ].join('|')})$`,
);

/**
 * An event as a choice of chat completions: llama.cpp's `/completion`, Cohere, Bedrock, KoboldCpp, watsonx, streams of
 * the AI SDK's interface, Dify, documents of Text Generation Inference. Undefined if it is none of these.
 */
export function choiceOfForeign(value: Fields): Fields | undefined {
  const type = stringOf(value.type);
  const event = stringOf(value.event);
  if (typeof value.content === 'string' && typeof value.stop === 'boolean') {
    const isFull = value.stop_type === 'limit' || value.stopped_limit === true;
    return said(value.content, value.stop ? (isFull ? 'length' : 'stop') : null);
  }
  // Cohere and Bedrock.
  const delta = isFields(value.delta)
    ? value.delta
    : isFields(value.contentBlockDelta)
      ? value.contentBlockDelta.delta
      : undefined;
  const message = isFields(delta) && isFields(delta.message) ? delta.message.content : undefined;
  const words = isFields(message)
    ? message.text
    : isFields(delta) && 'contentBlockDelta' in value
      ? delta.text
      : undefined;
  if (typeof words === 'string') return said(words);
  if (isFields(message) && typeof message.thinking === 'string')
    return { delta: { reasoning_content: message.thinking }, finish_reason: null };
  // Cohere's calls, in pieces as those of chat completions.
  if (/^tool-call-(?:start|delta)$/.test(type) && isFields(delta) && isFields(delta.message)) {
    const call = delta.message.tool_calls;
    return {
      delta: { tool_calls: isFields(call) ? [{ index: value.index, ...call }] : call },
      finish_reason: null,
    };
  }
  if (type === 'message-end' && isFields(delta)) return said('', delta.finish_reason ?? 'stop');
  if (isFields(value.messageStop)) return said('', value.messageStop.stopReason ?? 'stop');
  // KoboldCpp and watsonx.
  if (typeof value.token === 'string') return said(value.token, stringOf(value.finish_reason) || null);
  const [result] = Array.isArray(value.results) ? (value.results as unknown[]) : [];
  if (isFields(result) && typeof result.generated_text === 'string')
    return said(result.generated_text, stringOf(result.stop_reason).replace('not_finished', '') || null);
  if (type === 'text-delta') return said(value.delta ?? value.textDelta ?? value.text);
  if (type === 'reasoning-delta')
    return { delta: { reasoning_content: value.delta ?? value.text }, finish_reason: null };
  if (type === 'finish') return said('', stringOf(value.finishReason) || 'stop');
  if (type === 'abort') return said('', 'abort');
  if (typeof value.answer === 'string' && (event !== '' || 'conversation_id' in value)) {
    const isWhole = event === 'message' && 'metadata' in value && 'mode' in value;
    return said(value.answer, isWhole ? 'stop' : null);
  }
  if (event === 'text_chunk' && isFields(value.data)) return said(stringOf(value.data.text));
  if (event === 'message_end') return said('', 'stop');
  if (SILENT.test(event) || SILENT.test(type)) return said('');
  return typeof value.generated_text === 'string' && !('token' in value)
    ? said(value.generated_text, 'stop')
    : undefined;
}

/** Figures of an event that keeps them elsewhere than chat completions do. */
export const usageOfForeign = (value: Fields): unknown =>
  isFields(value.usage_metadata)
    ? value.usage_metadata
    : isFields(value.metadata)
      ? value.metadata.usage
      : typeof value.tokens_predicted === 'number' && value.stop === true
        ? { prompt_tokens: value.tokens_evaluated, completion_tokens: value.tokens_predicted }
        : undefined;

/** The protocol whose event this is; undefined if it is none that is known here. */
export function protocolOf(value: Fields): 'chat' | 'anthropic' | 'google' | 'openai-responses' | undefined {
  const type = stringOf(value.type);
  if (Array.isArray(value.choices)) return 'chat';
  if (type.startsWith('response.') || value.object === 'response') return 'openai-responses';
  if (Array.isArray(value.candidates)) return 'google';
  const isMessage = type === 'message' && Array.isArray(value.content) && 'stop_reason' in value;
  return isMessage || /^(?:content_block|message)_(?:start|delta|stop)$/.test(type) ? 'anthropic' : undefined;
}
