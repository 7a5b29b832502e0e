// Shared parts of the protocols that the SDK speaks natively: settings by its own names, and the person's parameters.
import type { streamText } from 'ai';
import type { ModelParameters } from '../../domain/settings/parameters.ts';
import type { ModelOptions, StreamOptions } from './answer-request.ts';
import { headersFor, type ProtocolName } from './protocols.ts';
import type { Protocol } from './sdk-stream.ts';

type Settings = Partial<Parameters<typeof streamText>[0]>;

/** Makes the parts of a protocol that depend on the endpoint. */
export function nativeProtocol(
  { endpoint }: ModelOptions,
  protocol: ProtocolName,
): Pick<Protocol, 'plainThoughts' | 'isChatCompletions' | 'headers' | 'settings' | 'body'> {
  const { parameters = {}, baseUrl } = endpoint;
  return {
    plainThoughts: false,
    isChatCompletions: false,
    headers: (key) => headersFor(protocol, baseUrl, key) ?? (key ? { authorization: `Bearer ${key}` } : {}),
    settings: (options) => settingsOf(parameters, options),
    // Add the person's own JSON, in this endpoint's words.
    body: (body) => ({ ...body, ...parameters.more }),
  };
}

function settingsOf(parameters: ModelParameters, { maxTokens, without = [] }: StreamOptions): Settings {
  const { temperature, top_p: topP, max_tokens: limit, reasoning_effort: effort } = parameters;
  const most = maxTokens ?? limit;
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(most === undefined ? {} : { maxOutputTokens: most }),
    ...(effort === undefined || without.includes('thoughts')
      ? {}
      : { reasoning: effort as Settings['reasoning'] }),
  } as Settings;
}
