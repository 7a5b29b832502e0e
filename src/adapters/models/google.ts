// Google's Gemini API. Thoughts are asked for, and the signatures of calls go back with them. Gemini caches what it has
// read by itself. https://ai.google.dev/api/generate-content
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import type { ModelOptions } from './answer-request.ts';
import type { ChatModel } from './chat-model.ts';
import { nativeProtocol } from './native.ts';
import { createSdkModel } from './sdk-stream.ts';

/** Makes a model for Google's own protocol (Gemini). */
export function createGoogleModel(options: ModelOptions): ChatModel {
  const native = nativeProtocol(options, 'google');
  // Older models refuse a request for thoughts.
  const thinks = /gemini-(2\.5|[3-9])/.test(options.model);
  return createSdkModel(options, {
    ...native,
    provider: 'google',
    create: ({ key, baseURL, fetch }) =>
      createGoogleGenerativeAI({ baseURL, apiKey: key || 'none', fetch })(options.model),
    settings: (given) => ({
      ...native.settings?.(given),
      ...(thinks && !given.without?.includes('thoughts')
        ? { providerOptions: { google: { thinkingConfig: { includeThoughts: true } } } }
        : {}),
    }),
  });
}
