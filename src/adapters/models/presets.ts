// Endpoints that many people use, ready to be chosen. Addresses and facts only; sentences are in the catalogue.

import { BROWSER_URL, type ProtocolName } from './protocols.ts';

export interface EndpointPreset {
  readonly id: string;
  readonly label: string;
  /** Absent: chat completions. */
  readonly protocol?: ProtocolName;
  /** Empty: the person types it. */
  readonly baseUrl: string;
  /** `required`, `none` (a server on one's own machine), or `maybe`. */
  readonly key: 'required' | 'none' | 'maybe';
  /** Page where a person gets a key: shown as text. */
  readonly keyFrom: string | null;
  /** Setting that lets a browser page in (CORS), as typed on the person's machine; null if none is needed. */
  readonly cors: { readonly kind: 'environment' | 'switch'; readonly how: string } | null;
  /** A path that answers 401 to a wrong key, if the list of models is public. */
  readonly keyCheckPath?: string;
}

/** An address of one's own. */
export const CUSTOM: EndpointPreset = {
  id: 'custom',
  label: 'Custom',
  baseUrl: '',
  key: 'maybe',
  keyFrom: null,
  cors: null,
};

/**
 * In the order in which they are offered, any other address first: on a phone the list is long. Their texts:
 * `models.preset.<id>` in the catalogue.
 */
export const PRESETS: readonly EndpointPreset[] = [
  CUSTOM,
  // Only for a browser that has one, which the caller checks first.
  {
    id: 'browser',
    label: 'This browser',
    protocol: 'browser',
    baseUrl: BROWSER_URL,
    key: 'none',
    keyFrom: null,
    cors: null,
  },
  {
    id: 'openai',
    label: 'OpenAI',
    protocol: 'openai-responses',
    baseUrl: 'https://api.openai.com/v1',
    key: 'required',
    keyFrom: 'platform.openai.com/api-keys',
    cors: null,
  },
  {
    id: 'anthropic',
    label: 'Anthropic',
    protocol: 'anthropic',
    baseUrl: 'https://api.anthropic.com/v1',
    key: 'required',
    keyFrom: 'console.anthropic.com/settings/keys',
    cors: null,
  },
  {
    id: 'google',
    label: 'Google Gemini',
    protocol: 'google',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    key: 'required',
    keyFrom: 'aistudio.google.com/apikey',
    cors: null,
  },
  {
    id: 'openrouter',
    label: 'OpenRouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    key: 'required',
    keyFrom: 'openrouter.ai/settings/keys',
    cors: null,
    keyCheckPath: '/key',
  },
  {
    id: 'deepseek',
    label: 'DeepSeek',
    baseUrl: 'https://api.deepseek.com/v1',
    key: 'required',
    keyFrom: 'platform.deepseek.com/api_keys',
    cors: null,
  },
  {
    id: 'moonshot',
    label: 'Kimi · moonshot.ai',
    baseUrl: 'https://api.moonshot.ai/v1',
    key: 'required',
    keyFrom: 'platform.moonshot.ai/console/api-keys',
    cors: null,
  },
  {
    id: 'moonshot-cn',
    label: 'Kimi · moonshot.cn',
    baseUrl: 'https://api.moonshot.cn/v1',
    key: 'required',
    keyFrom: 'platform.moonshot.cn/console/api-keys',
    cors: null,
  },
  {
    id: 'mistral',
    label: 'Mistral',
    baseUrl: 'https://api.mistral.ai/v1',
    key: 'required',
    keyFrom: 'console.mistral.ai/api-keys',
    cors: null,
  },
  {
    id: 'groq',
    label: 'Groq',
    baseUrl: 'https://api.groq.com/openai/v1',
    key: 'required',
    keyFrom: 'console.groq.com/keys',
    cors: null,
  },
  {
    id: 'xai',
    label: 'xAI',
    baseUrl: 'https://api.x.ai/v1',
    key: 'required',
    keyFrom: 'console.x.ai',
    cors: null,
  },
  {
    id: 'together',
    label: 'Together',
    baseUrl: 'https://api.together.xyz/v1',
    key: 'required',
    keyFrom: 'api.together.ai/settings/api-keys',
    cors: null,
  },
  {
    id: 'azure',
    label: 'Azure OpenAI',
    baseUrl: '',
    key: 'required',
    keyFrom: 'ai.azure.com',
    cors: null,
  },
  {
    id: 'ollama',
    label: 'Ollama',
    baseUrl: 'http://localhost:11434/v1',
    key: 'none',
    keyFrom: null,
    // Ollama lets pages from localhost in by itself; an app from elsewhere has to be named.
    cors: { kind: 'environment', how: 'OLLAMA_ORIGINS={origin} ollama serve' },
  },
  {
    id: 'lm-studio',
    label: 'LM Studio',
    baseUrl: 'http://localhost:1234/v1',
    key: 'none',
    keyFrom: null,
    cors: { kind: 'switch', how: 'Developer → Server settings → Enable CORS (lms server start --cors)' },
  },
  {
    id: 'vllm',
    label: 'vLLM',
    baseUrl: 'http://localhost:8000/v1',
    key: 'none',
    keyFrom: null,
    cors: null,
  },
  {
    id: 'llama-cpp',
    label: 'llama.cpp',
    baseUrl: 'http://localhost:8080/v1',
    key: 'none',
    keyFrom: null,
    cors: null,
  },
];
