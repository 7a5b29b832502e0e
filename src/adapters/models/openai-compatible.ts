// Any OpenAI-compatible endpoint as a ChatModel, through the AI SDK. A request is repeated only if the
// endpoint refused something unnecessary: one that seemed lost may have been billed, and trying again is one
// click. Only the endpoint is contacted.

import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { z } from 'zod';
import { limitName } from '../../domain/settings/parameters.ts';
import type { ModelOptions } from './answer-request.ts';
import { type ChatModel, hostOf, parametersOf } from './chat-model.ts';
import { headersFor } from './protocols.ts';
import { createSdkModel } from './sdk-stream.ts';

/** Creates the model. No request is made before `stream`. */
export function createOpenAICompatibleModel(options: ModelOptions): ChatModel {
  const { endpoint, model } = options;
  const limit = limitName(hostOf(endpoint.baseUrl));
  const own = parametersOf(endpoint).parameters;
  return createSdkModel(options, {
    provider: 'endpoint',
    plainThoughts: true,
    isChatCompletions: true,
    headers: (key) =>
      headersFor('chat', endpoint.baseUrl, key) ?? (key ? { authorization: `Bearer ${key}` } : {}),
    create: ({ baseURL, fetch }) =>
      createOpenAICompatible({
        name: 'endpoint',
        baseURL,
        fetch,
        includeUsage: true,
        convertUsage: readUsage,
      }).chatModel(model),
    settings: ({ maxTokens }) => (maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
    // The app's needs for this one request win over the person's settings.
    body: ({ max_tokens, ...body }, { without = [] }) => {
      const { reasoning_effort: effort, ...others } = own ?? {};
      return {
        ...body,
        ...others,
        ...(effort === undefined || without.includes('thoughts') ? {} : { reasoning_effort: effort }),
        ...(max_tokens === undefined ? {} : { [limit]: max_tokens }),
      };
    },
  });
}

const tokens = z.number().optional();
const usageSchema = z.looseObject({
  prompt_tokens: tokens,
  completion_tokens: tokens,
  prompt_tokens_details: z.looseObject({ cached_tokens: tokens }).optional(),
  completion_tokens_details: z.looseObject({ reasoning_tokens: tokens }).optional(),
});

/** The endpoint's figures in the form of `chunk.ts`. A missing figure stays missing instead of becoming zero. */
function readUsage(raw: unknown) {
  const usage = usageSchema.safeParse(raw).data;
  return {
    inputTokens: {
      total: usage?.prompt_tokens,
      noCache: undefined,
      cacheRead: usage?.prompt_tokens_details?.cached_tokens,
      cacheWrite: undefined,
    },
    outputTokens: {
      total: usage?.completion_tokens,
      text: undefined,
      reasoning: usage?.completion_tokens_details?.reasoning_tokens,
    },
  };
}
