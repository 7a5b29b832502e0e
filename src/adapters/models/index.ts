// The shelf of models: who can answer, where they are found, how they are tested.
export { testConnection } from './connection-test.ts';
export { contextWindowOf } from './context-windows.ts';
export { createScriptedModel, type ModelScript, type ScriptedStep } from './in-memory.ts';
export { createOpenAICompatibleModel, type OpenAICompatibleOptions } from './openai-compatible.ts';
export { type EndpointPreset, PRESETS } from './presets.ts';
