// The shelf of models: who can answer, where they are found, how they are tested.
import { toProblem } from '../../domain/base/errors.ts';
import { type ChatModel, hostOf, parametersOf } from './chat-model.ts';
import { contextWindowOf } from './context-windows.ts';
import type { ModelOptions } from './sdk-stream.ts';

export { testConnection } from './connection-test.ts';
export { contextWindowOf } from './context-windows.ts';
export { createScriptedModel, type ModelScript, type ScriptedStep } from './in-memory.ts';
export { type EndpointPreset, PRESETS } from './presets.ts';
export type { KnownRepairs, ModelOptions } from './sdk-stream.ts';

/** A model behind an OpenAI-compatible endpoint. The SDK is large (135 KB packed): it is loaded with the first question. */
export function createOpenAICompatibleModel(options: ModelOptions): ChatModel {
  let loaded: ChatModel | undefined;
  return {
    id: options.model,
    endpoint: hostOf(options.endpoint.baseUrl),
    contextWindow: contextWindowOf(options.model),
    ...parametersOf(options.endpoint),
    async *stream(prompt, given) {
      try {
        loaded ??= (await import('./openai-compatible.ts')).createOpenAICompatibleModel(options);
      } catch (error) {
        yield { type: 'end', finish: 'error', problem: { ...toProblem(error), retry: true } };
        return;
      }
      yield* loaded.stream(prompt, given);
    },
  };
}
