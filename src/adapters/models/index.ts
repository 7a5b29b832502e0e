// The registry of protocols: makes models. `connection-test.ts` lists them and tests
// connections; it is loaded when it is used.
import { toProblem } from '../../domain/base/errors.ts';
import type { ModelOptions } from './answer-request.ts';
import { createBrowserModel } from './browser-model.ts';
import { type ChatModel, hostOf, parametersOf } from './chat-model.ts';
import { contextWindowOf } from './context-windows.ts';
import type { ProtocolName } from './protocols.ts';

export { contextWindowOf } from './context-windows.ts';
export { createScriptedModel, type ScriptedStep } from './in-memory.ts';
export { PRESETS } from './presets.ts';

/** Each protocol's file. The SDK is large: it is loaded with the first question. */
const MAKERS: Readonly<
  Record<Exclude<ProtocolName, 'browser'>, () => Promise<(options: ModelOptions) => ChatModel>>
> = {
  chat: async () => (await import('./openai-compatible.ts')).createOpenAICompatibleModel,
  anthropic: async () => (await import('./anthropic.ts')).createAnthropicModel,
  google: async () => (await import('./google.ts')).createGoogleModel,
  'openai-responses': async () => (await import('./openai-responses.ts')).createOpenAIResponsesModel,
};

/** Makes a model of an endpoint, by its protocol. */
export function createEndpointModel(options: ModelOptions): ChatModel {
  const { endpoint, model } = options;
  const { protocol = 'chat' } = endpoint;
  if (protocol === 'browser') return createBrowserModel();
  let loaded: ChatModel | undefined;
  return {
    id: model,
    endpoint: hostOf(endpoint.baseUrl),
    contextWindow: contextWindowOf(model),
    ...parametersOf(endpoint),
    async *stream(prompt, given) {
      try {
        loaded ??= (await MAKERS[protocol]())(options);
      } catch (error) {
        yield { type: 'end', finish: 'error', problem: { ...toProblem(error), retry: true } };
        return;
      }
      yield* loaded.stream(prompt, given);
    },
  };
}
