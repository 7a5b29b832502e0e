// Parses an endpoint's list of models, and picks those that can answer.

import { z } from 'zod';
import { isFields } from '../../domain/base/json.ts';
import type { Price } from '../../domain/context/budget.ts';
import { shownName } from '../../domain/text/shown.ts';

const entrySchema = z.union([z.string().transform((): Entry => ({})), z.looseObject({})]);
type Entry = Readonly<Record<string, unknown>>;
/** Fields of the list: OpenAI and its followers, Google and Ollama, Cloudflare, and gateways. */
const LISTS = [
  ...['data', 'models', 'result', 'results', 'items', 'list', 'value', 'model_list', 'deployments'],
  ...['response', 'resources', 'modelSummaries', 'publisherModels'],
  ...['available_models', 'availableModels', 'model_names', 'model_ids'],
];
const NAMES = ['id', 'model', 'name', 'model_name', 'model_id', 'key', 'slug', 'modelId'] as const;
/** An id that only numbers the entry; requests use its name. */
const NO_NAME = /^(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$|azureml:\/\/)/i;

interface FoundList {
  readonly list: readonly unknown[];
  /** Under a name for which an empty list proves nothing about the address. */
  readonly isOther: boolean;
}

/** True for a body that says in a code of its own, or by a flag, that the request failed. */
const isFailure = ({ code, success }: Entry): boolean =>
  success === false || (typeof code === 'number' && code >= 400);

/**
 * Finds the list in a body: bare, under one of the names, or one level below; the first with
 * content. A fresh Ollama sends `data: null`.
 */
function listIn(body: unknown, depth = 0): FoundList | undefined {
  if (Array.isArray(body)) return { list: body, isOther: false };
  if (!isFields(body) || body.error || isFailure(body)) return undefined;
  const fields: Entry = body;
  let empty: FoundList | undefined;
  for (const name of LISTS) {
    if (!Object.hasOwn(fields, name)) continue;
    const value = fields[name];
    const isOther = name !== 'data';
    const found =
      value === null && !isOther
        ? { list: [], isOther }
        : Array.isArray(value)
          ? { list: value, isOther }
          : depth === 0
            ? (listIn(value, 1) ?? namedIn(value))
            : namedIn(value);
    if (found && found.list.length > 0) return found;
    empty ??= found;
  }
  return empty;
}

/** Lists the models of an object that has them by their names, or lists of them by what they do. */
function namedIn(value: unknown): FoundList | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const entries = Object.entries(value);
  if (entries.length > 0 && entries.every(([, each]) => Array.isArray(each))) {
    const chat = entries.filter(([kind]) => !NOT_CHAT_TYPES.test(kind));
    return { list: chat.flatMap(([, each]): unknown[] => each), isOther: true };
  }
  const list = entries.map(([id, entry]): unknown => (isFields(entry) ? { id, ...entry } : undefined));
  return entries.length > 0 && !list.includes(undefined) ? { list, isOther: true } : undefined;
}

/** Name for requests; '' if the list has none. */
function nameOf(raw: unknown): string {
  if (typeof raw !== 'object' || raw === null) return '';
  const fields = raw as Entry;
  const said = NAMES.map((name) => fields[name]).filter((value) => typeof value === 'string');
  // A number is a name only where nothing else is.
  const number = typeof fields.id === 'number' ? String(fields.id) : '';
  return said.find((name) => name.trim() !== '' && !NO_NAME.test(name)) ?? said[0] ?? number;
}

/** Names of models that make or take something other than text, rate texts, or only complete them. */
const NEVER_CHAT =
  /(^|[/_.:-])(gpt-audio|gpt-4o(-mini)?-audio|native-audio|orpheus|kokoro|chatterbox|xtts|musicgen|lyria|parakeet|ocr|llama-(prompt-)?guard|prompt-guard|shieldgemma|granite-guardian|qwen3guard|seedream|seedance|cogview|cogvideox?|qwen-image|hunyuan-(image|video)|(mj|suno|kling|vidu|hailuo|midjourney)[a-z_]*|wan2|aqa|sdxl|grok-(2-image|imagine)|gpt-3\.5-turbo-instruct|(davinci|babbage)-002)([/_.:-]|\d|$)/i;
/** Names of models that turn text into something else. */
const NOT_FOR_WORDS =
  /(^|[/_.:-])(embed(?!ded)[a-z]*|rerank[a-z]*|colbert|e5|whisper|tts|dall-e|moderation|transcribe|realtime|imagen|veo|sora)([/_.:-]|\d|$)|(^|\/)(bge|gte|m3e|labse|text2vec|multi-qa|all-minilm|all-mpnet|paraphrase|voyage|text-similarity|gpt-image|flux\.?[12]|stable-diffusion)([-_:.]|\d|$)/i;
const NOT_CHAT_TYPES =
  /^(embeddings?|rerank(er)?|image|audio|moderations?|transcribe|video|tts|stt|(text|sentence|feature)[-_ ](embeddings?|similarity|extraction)|(image|video|audio|music)[-_ ]generation|text[-_ ]to[-_ ](image|video|speech|audio|music)|(automatic[-_ ])?speech[-_ ](recognition|to[-_ ]text)|audio[-_ ](speech|transcription)|image[-_ ]classification|object[-_ ]detection)$/i;

/** Fields in which services say what a model does: LM Studio and Together, LiteLLM, Cloudflare, Copilot, gateways. */
const TYPES = ['type', 'kind', 'mode', 'object', 'model_type', 'task'];
const typesIn = (entry: Entry): string[] =>
  [entry, entry.capabilities, entry.model_info].filter(isFields).flatMap((holder) =>
    TYPES.flatMap((field) => {
      const value = holder[field];
      const name = isFields(value) ? value.name : value;
      return typeof name === 'string' ? [name] : [];
    }),
  );

/** The first list among some values, in lower case; undefined if there is none. */
const listAmong = (values: readonly unknown[]): readonly string[] | undefined =>
  values.find((value): value is unknown[] => Array.isArray(value))?.map((one) => String(one).toLowerCase());

/** Names of requests that a model takes, by the fields of Google and Cohere. */
const methodsOf = (entry: Entry) =>
  listAmong([
    ...[entry.supportedGenerationMethods, entry.supported_generation_methods, entry.supportedActions],
    entry.endpoints,
  ]);
/** Forms in which a model answers, by the fields of OpenRouter, GitHub, xAI and AWS. */
const outputsOf = ({ architecture, modalities, ...entry }: Entry) =>
  listAmong([
    isFields(architecture) ? architecture.output_modalities : undefined,
    isFields(modalities) ? modalities.output : undefined,
    ...[entry.output_modalities, entry.supported_output_modalities, entry.outputModalities],
  ]);

const answers = (entry: Entry, id: string): boolean => {
  if (NOT_FOR_WORDS.test(id) || NEVER_CHAT.test(id)) return false;
  // Groq and Mistral list models that they no longer serve.
  if (entry.active === false || entry.archived === true) return false;
  if (typesIn(entry).some((type) => NOT_CHAT_TYPES.test(type))) return false;
  const methods = methodsOf(entry);
  if (methods && !methods.some((method) => /^(generatecontent|chat|generate)$/.test(method))) return false;
  const { capabilities: can } = entry;
  // Mistral and Azure say so by a flag, LM Studio and Ollama in a list.
  if (isFields(can) && (can.completion_chat === false || can.chat_completion === false)) return false;
  if (Array.isArray(can) && can.length > 0 && can.every((what) => /^embed/.test(String(what)))) return false;
  const made = outputsOf(entry);
  return !made || made.length === 0 || made.includes('text');
};

/**
 * Converts US dollars a token, a number or a text; undefined for anything else. A negative price
 * (OpenRouter's router) is unknown beforehand.
 */
const perMillion = (value: unknown): number | undefined => {
  const price =
    typeof value === 'number' ? value : typeof value === 'string' && value.trim() ? Number(value) : NaN;
  return price >= 0 && price < 1 ? Math.round(price * 1e12) / 1e6 : undefined;
};

/**
 * Prices in the form of OpenRouter and its followers. https://openrouter.ai/docs/api-reference/list-available-models
 */
function priceOf({ pricing: listed }: Entry): Price | undefined {
  if (!isFields(listed)) return undefined;
  const [input, output] = [perMillion(listed.prompt), perMillion(listed.completion)];
  if (input === undefined || output === undefined) return undefined;
  const cachedInput = perMillion(listed.input_cache_read);
  return { currency: 'USD', input, output, ...(cachedInput ? { cachedInput } : {}) };
}

export interface ModelList {
  /** Models that can answer, sorted. */
  readonly models: readonly string[];
  readonly prices: Readonly<Record<string, Price>>;
}

/** Marks by which a list says that more follows, and the parameter that asks for it. */
const NEXT = [
  ['nextPageToken', 'pageToken'],
  ['next_page_token', 'page_token'],
] as const;

/** Parameters for the next page of a list; undefined for the last one. `isAnthropic`: it counts on by another name. */
export function nextPage(body: unknown, isAnthropic: boolean): Readonly<Record<string, string>> | undefined {
  if (!isFields(body)) return undefined;
  for (const [mark, parameter] of NEXT) {
    const token = body[mark];
    if (typeof token === 'string' && token !== '') return { [parameter]: token };
  }
  const { has_more: hasMore, last_id: last } = body;
  return hasMore === true && typeof last === 'string' && last !== ''
    ? { [isAnthropic ? 'after_id' : 'after']: last }
    : undefined;
}

/**
 * Picks the models that can answer, with their prices; undefined for anything but a list. Only under `data` may
 * it be empty, as a fresh Ollama's is.
 */
export function modelsIn(body: unknown): ModelList | undefined {
  const read = listIn(body);
  if (!read) return undefined;
  const { list, isOther } = read;
  const entries = list.flatMap((raw) => {
    const entry = entrySchema.safeParse(raw).data;
    if (!entry) return [];
    const id = (typeof raw === 'string' ? raw : nameOf(raw)).trim();
    // An invisible name cannot be chosen.
    return shownName(id) === '' ? [] : [{ entry, id: id.replace(/^(?:publishers\/\w+\/)?models\//, '') }];
  });
  if (entries.length === 0 && (isOther || list.length > 0)) return undefined;
  const found = entries.filter(({ entry, id }) => answers(entry, id));
  return {
    models: [...new Set(found.map(({ id }) => id))].sort((a, b) => a.localeCompare(b)),
    prices: Object.fromEntries(
      found.flatMap(({ entry, id }) => {
        const price = priceOf(entry);
        return price ? [[id, price] as const] : [];
      }),
    ),
  };
}
