// Anthropic's Messages API. Thoughts are signed and go back with their calls; the conversation so far is marked to be
// cached. https://docs.anthropic.com/en/api/messages
import { createAnthropic } from '@ai-sdk/anthropic';
import type { ModelOptions } from './answer-request.ts';
import type { ChatModel } from './chat-model.ts';
import { nativeProtocol } from './native.ts';
import { createSdkModel } from './sdk-stream.ts';

/** Makes a model for Anthropic's own protocol; prompts are cached for a short time. */
export function createAnthropicModel(options: ModelOptions): ChatModel {
  const native = nativeProtocol(options, 'anthropic');
  return createSdkModel(options, {
    ...native,
    provider: 'anthropic',
    create: ({ key, baseURL, fetch }) =>
      createAnthropic({ baseURL, apiKey: key || 'none', fetch })(options.model),
    body: (body, given) => ({ cache_control: { type: 'ephemeral' }, ...native.body?.(body, given) }),
  });
}
