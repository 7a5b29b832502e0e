// OpenAI's Responses API. Nothing is stored there: thoughts come back sealed and go back with their calls.
// https://platform.openai.com/docs/api-reference/responses
import { createOpenAI } from '@ai-sdk/openai';
import type { ModelOptions } from './answer-request.ts';
import type { ChatModel } from './chat-model.ts';
import { nativeProtocol } from './native.ts';
import { createSdkModel } from './sdk-stream.ts';

/** Makes a model for OpenAI's Responses API. */
export function createOpenAIResponsesModel(options: ModelOptions): ChatModel {
  const native = nativeProtocol(options, 'openai-responses');
  const thinks = /^(o\d|gpt-5)/.test(options.model) && !/^gpt-5(\.\d+)?-chat/.test(options.model);
  return createSdkModel(options, {
    ...native,
    provider: 'openai',
    create: ({ key, baseURL, fetch }) =>
      createOpenAI({ baseURL, apiKey: key || 'none', fetch }).responses(options.model),
    settings: (given) => ({
      ...native.settings?.(given),
      providerOptions: {
        openai: {
          store: false,
          ...(thinks && !given.without?.includes('thoughts') ? { reasoningSummary: 'auto' } : {}),
        },
      },
    }),
  });
}
