// Runs one model, in a browser's worker or in Node: the tokenizer comes from transformers.js, the network from its ONNX
// Runtime or our own encoder. The only file that names the library.

import {
  AutoModel,
  AutoTokenizer,
  env,
  mean_pooling,
  type PreTrainedTokenizer,
  Tensor,
} from '@huggingface/transformers';
import { z } from 'zod';
import { RecollectError } from '../../domain/base/errors.ts';
import { log, orElse } from '../../domain/base/log.ts';
import type { Thread } from '../../domain/threads/endpoint.ts';
import { collect } from './body.ts';
import {
  type BundledModel,
  bundledModel,
  ENCODER,
  ENCODER_NUMBERS,
  filesFor,
  type ModelFile,
} from './bundled-models.ts';
import {
  createEncoder,
  ENCODER_WIDTH,
  type EncoderCode,
  loadEncoderCode,
  type ReadEncoderCode,
  SHARES,
} from './encoder/encoder.ts';
import { createEncoderPool } from './encoder/encoder-pool.ts';
import type { EmbeddingRuntime, LoadRuntime } from './host.ts';
import { GpuError, StaleFilesError } from './host.ts';
import { compareKept, refusedScript } from './kept-answers.ts';
import type { LocalModel, TokenVectors } from './protocol.ts';
import { type ReduceTokens, reduceWith } from './tokens.ts';
import { unit } from './vector.ts';

/** Locations of files on this thread. */
export interface RuntimePlaces {
  /** Folder of the bundled models: a URL path in the browser, a file path in Node; ends in `/`. */
  readonly models: string;
  /** Reads our encoder's arithmetic. If it cannot be fetched, ONNX Runtime runs the model until the next load. */
  readonly readAssembly: ReadEncoderCode;
  /**
   * ONNX Runtime's two files, served by the app itself; absent in Node. The plain build is small and fast on the CPU
   * but knows no WebGPU; the other one does.
   */
  readonly ort?: { readonly plain: OrtFiles; readonly gpu: OrtFiles };
  /** Only for threads that read files without `fetch` (Node): says if a file below `models` exists, and reads it. */
  readonly files?: {
    readonly exists: (path: string) => boolean;
    readonly read: (path: string) => Promise<ArrayBuffer>;
  };
  /** Name of the browser's cache of bundled models; absent in Node. The library keeps those of a hub itself. */
  readonly kept?: string;
  /** Starts a thread for the pool; absent where this thread reads everything. */
  readonly spawnPoolWorker?: () => Thread;
  /** Replaces the shipped way to make token vectors of states, for measurements. */
  readonly reduceTokens?: ReduceTokens;
}

interface OrtFiles {
  readonly mjs: string;
  readonly wasm: string;
}

/** Longest input in tokens. Models that can read more take time that a message is not worth. */
const MAX_TOKENS = 512;
/** No tokenizer here makes longer tokens than this on average, so the cut changes nothing within the window. */
const MAX_CHARACTERS = MAX_TOKENS * 20;
/** A smaller file cannot be weights, whatever its server says, bytes. */
const LEAST_WEIGHTS = 1_000;
const WEIGHTS = /\.onnx(?:_data(?:_\d+)?)?$/;

/**
 * Makes the loader of one thread. Loading deletes kept files of a damaged model.
 * @throws `embedding-missing` if a file is absent (also if a server answers with its start page
 *   instead), `embedding-broken` if it
 * cannot be run, `GpuError` if only WebGPU failed, `StaleFilesError` if deleted files were from an
 * earlier load: another try may succeed
 */
export function createTransformersLoader(places: RuntimePlaces): LoadRuntime {
  return async (model, onProgress) => {
    if (!places.ort) return load(places, model, 'cpu', onProgress);
    const known = model.source === 'bundled' ? bundledModel(model.model) : undefined;
    // Checks that need neither a file nor a request come first.
    const wanted = model.device !== 'wasm' && (!known || known.q4);
    const adapter = wanted ? await gpuAdapter(model.device === 'webgpu') : null;
    if (!adapter) return load(places, model, 'wasm', onProgress);
    try {
      return await load(places, model, 'webgpu', onProgress, adapter);
    } catch (error) {
      // A hub model without q4 weights: nothing runs yet, so this thread can still use the CPU.
      if (error instanceof RecollectError && error.problem.code === 'embedding-missing')
        return load(places, model, 'wasm', onProgress);
      throw error;
    }
  };
}

async function load(
  places: RuntimePlaces,
  model: LocalModel,
  device: 'cpu' | 'wasm' | 'webgpu',
  onProgress: (loaded: number, total: number) => void,
  adapter?: GPUAdapter,
): Promise<EmbeddingRuntime> {
  const dtype = device === 'webgpu' ? 'q4' : 'q8';
  if (places.ort) {
    const wasm = env.backends.onnx.wasm;
    if (!wasm) throw new Error('this build of transformers.js has no WASM backend');
    wasm.wasmPaths = { ...(device === 'webgpu' ? places.ort.gpu : places.ort.plain) };
    wasm.numThreads = threads();
  }
  point(model, places);
  const known = model.source === 'bundled' ? bundledModel(model.model) : undefined;
  const code = known && dtype === 'q8' ? await loadEncoderCode(places.readAssembly) : null;
  const files = known && code ? filesFor(known, 'encoder') : filesOf(known, dtype);
  const { missing, stub, letGo, fetched } = watch(files, onProgress);
  const kept = await keptFiles(model, places);
  if (model.source === 'bundled' && places.files) {
    const file = files.find(({ path }) => !places.files?.exists(`${model.model}/${path}`));
    if (file || !known) throw missingFile(model, file?.path ?? 'config.json');
  }
  try {
    const network =
      known && code
        ? await encoderOf(known, code, places)
        : await networkOf(model, { device, dtype, adapter, places });
    // In this order: building a vocabulary takes as much memory as the bytes that are freed here.
    letGo();
    const tokenizer = await AutoTokenizer.from_pretrained(model.model);
    const { run, read } = readingWith(
      model,
      network,
      tokenizer,
      places.reduceTokens ?? reduceWith(known?.stateCentre ?? null),
    );
    // The first run compiles and allocates, so it belongs to loading; it also shows the width.
    const [probe] = await run(['ready']);
    const runtime: EmbeddingRuntime = {
      dimensions: (probe as Float32Array).length,
      batch: device === 'webgpu' ? model.batchSize : 1,
      device,
      get concurrency() {
        return network.pool?.most ?? undefined;
      },
      run: (texts) =>
        run(texts).catch((error: unknown) => {
          throw device === 'webgpu' ? new GpuError('WebGPU failed while running', { cause: error }) : error;
        }),
      read: (text, context, kind) =>
        read(text, context, kind).catch((error: unknown) => {
          throw device === 'webgpu' ? new GpuError('WebGPU failed while running', { cause: error }) : error;
        }),
      dispose: network.dispose,
    };
    return runtime;
  } catch (error) {
    const message = messageOf(error);
    if ((stub() || isCutOff(message)) && (await kept.letGo())) throw new StaleFilesError();
    if (places.ort && isOfRuntime(message)) {
      const files = Object.values(device === 'webgpu' ? places.ort.gpu : places.ort.plain);
      const { stale, wrong } = await compareKept(files, fetch);
      if (stale) throw new StaleFilesError();
      const refused = wrong ?? refusedScript(message, files);
      if (refused && device !== 'webgpu') throw damaged(model, error, refused);
    }
    if (missing() === null && isCutOff(message) && device !== 'webgpu')
      throw damaged(model, error, suspects(message, fetched()));
    throw loadingFailed(error, model, device, missing());
  } finally {
    letGo();
  }
}

/** Makes a reader of a network and its tokenizer: vectors of texts, and token vectors beside them. */
function readingWith(
  model: LocalModel,
  network: Network,
  tokenizer: PreTrainedTokenizer,
  reduce: ReduceTokens,
): { run(texts: readonly string[]): Promise<Float32Array[]>; read: NonNullable<EmbeddingRuntime['read']> } {
  const limit = Math.min(MAX_TOKENS, tokenizer.model_max_length || MAX_TOKENS);

  const run = async (texts: readonly string[]): Promise<Float32Array[]> => {
    const inputs = tokenizer(texts.map(readable), {
      padding: true,
      truncation: true,
      max_length: limit,
    });
    const states = await network.run(inputs);
    const pooled =
      model.pooling === 'cls' ? states.slice(null, 0) : mean_pooling(states, inputs.attention_mask);
    const [rows, width] = pooled.dims as [number, number];
    const numbers = Float32Array.from(pooled.data as Float32Array);
    return Array.from({ length: rows }, (_, row) => unit(numbers.slice(row * width, (row + 1) * width)));
  };

  const scores = scoresOf(tokenizer);
  /** Index of a text's first own token, after the marks that stand before every text and after its context. */
  const beginning = (text: string, context: number): number => {
    const front = text.slice(0, context).trimEnd();
    const { size } = tokenizer(front === '' ? '' : readable(front), {
      truncation: true,
      max_length: limit,
    }).input_ids;
    // The end mark stands behind the text.
    return Math.max(1, size - 1);
  };
  const read: NonNullable<EmbeddingRuntime['read']> = async (text, context, kind) => {
    const inputs = tokenizer([readable(text)], { padding: false, truncation: true, max_length: limit });
    const begins = beginning(text, context);
    const make = ({ dims, data }: Tensor): { vector: Float32Array; tokenVectors: TokenVectors } => {
      const [, count, width] = dims as [number, number, number];
      // No other code uses this array, so it is changed in place.
      const numbers = data instanceof Float32Array ? data : Float32Array.from(data as ArrayLike<number>);
      const from = Math.min(begins, Math.max(0, count - 2));
      const pooled = new Float32Array(width);
      // A passage's vector is the mean of its own tokens, each read in its context; a
      // question's is the mean of all, as in `run`.
      const [first, end] =
        model.pooling === 'cls'
          ? [0, 1]
          : kind === 'query'
            ? [0, count]
            : [from, Math.max(from + 1, count - 1)];
      for (let token = first; token < end; token++)
        for (let at = 0; at < width; at++)
          pooled[at] = (pooled[at] as number) + (numbers[token * width + at] as number);
      const own = numbers.subarray(from * width, Math.max(from, count - 1) * width);
      const ids = Array.from((inputs.input_ids.data as BigInt64Array).slice(from, count - 1), Number);
      return {
        vector: unit(pooled),
        tokenVectors: reduce({
          states: own,
          dimensions: width,
          kind,
          text: text.slice(context),
          logProbabilities: scores && ids.map((id) => scores[id] ?? 0),
        }),
      };
    };
    const { pool } = network;
    return kind === 'passage' && pool?.most ? pool.run(inputs, make) : make(await network.run(inputs));
  };
  return { run, read };
}

/** Translates a loader's error. `missing`: name of the file that was not there. */
function loadingFailed(
  error: unknown,
  model: LocalModel,
  device: 'cpu' | 'wasm' | 'webgpu',
  missing: string | null | undefined,
): Error {
  if (error instanceof RecollectError) return error;
  const absent = missing ?? (nameOf(error) === 'ModelFileNotFoundError' ? messageOf(error) : null);
  if (absent !== null) return missingFile(model, absent);
  if (device === 'webgpu') return new GpuError('WebGPU failed while loading', { cause: error });
  return broken(model, error, {});
}

const broken = (
  model: LocalModel,
  error: unknown,
  more: { readonly reason?: 'file'; readonly file?: string },
) =>
  new RecollectError(
    'embedding-broken',
    `The embedding model ${model.model} cannot be run: ${messageOf(error)}`,
    {
      params: { model: model.model, detail: messageOf(error), ...more },
      retry: true,
      cause: error,
    },
  );

/** `file`: its name, as a person would look for it. */
const damaged = (model: LocalModel, error: unknown, file: string) =>
  broken(model, error, { reason: 'file', file });

/** Names the fetched files that an error may be about. */
function suspects(message: string, fetched: readonly string[]): string {
  const wanted = /JSON/.test(message) ? /\.json$/ : WEIGHTS;
  const names = fetched.filter((path) => wanted.test(path)).map((path) => path.split('/').at(-1));
  return [...new Set(names)].join(', ') || ENCODER_NUMBERS.data;
}

/** A network in memory. */
interface Network {
  /** The states of the last layer: texts by tokens by numbers. */
  run(inputs: Inputs): Promise<Tensor>;
  /** Turns the states of several texts into something while `run` is at work; the states are gone afterwards. */
  readonly pool?: {
    readonly most: number | null;
    run<Made>(inputs: Inputs, make: (states: Tensor) => Made): Promise<Made>;
  };
  dispose(): Promise<void>;
}
/** A tokenizer's output: each texts by tokens. */
interface Inputs {
  readonly input_ids: Tensor;
  readonly attention_mask: Tensor;
}

/**
 * Loads our own encoder: one text at a time on this thread, and more by a pool of threads.
 * @throws `embedding-missing` if the weights cannot be fetched, as offline before they are kept
 */
async function encoderOf(
  model: BundledModel,
  code: EncoderCode,
  { models, files, spawnPoolWorker }: RuntimePlaces,
): Promise<Network> {
  const path = `${model.id}/${ENCODER_NUMBERS.data}`;
  const answer = files ? null : await orElse(env.fetch(models + path), null, 'the weights of the encoder');
  if (!files && !answer?.ok) throw missingFile({ model: model.id }, ENCODER_NUMBERS.data);
  const numbers = await (answer?.arrayBuffer() ?? files?.read(path));
  const isAsShipped = isShipped(model, numbers);
  const encoder = createEncoder(numbers, model.encoder, code);
  if (!(await isAsShipped)) throw new RangeError('the file of weights is not the one that was shipped');
  const count = Math.min(SHARES, threads());
  const pool =
    spawnPoolWorker && count > 1
      ? createEncoderPool({ count, spawn: spawnPoolWorker, share: encoder.share, here: encoder })
      : null;
  const idsOf = ({ input_ids }: Inputs): number[] => {
    if (input_ids.dims[0] !== 1) throw new RangeError('the encoder reads one text at a time');
    return Array.from(input_ids.data as BigInt64Array, Number);
  };
  const tensorOf = (states: Float32Array) =>
    new Tensor('float32', states, [1, states.length / ENCODER_WIDTH, ENCODER_WIDTH]);
  return {
    run: async (inputs) => tensorOf(encoder.run(idsOf(inputs))),
    ...(pool
      ? {
          pool: {
            get most() {
              return pool.most;
            },
            run: async (inputs, make) => pool.run(idsOf(inputs), (states) => make(tensorOf(states))),
          },
        }
      : {}),
    dispose: async () => pool?.close(),
  };
}

/**
 * True if the weights have the shipped digest, computed beside other work. Pages without a secure
 * context cannot compute it and return true.
 */
async function isShipped({ files }: BundledModel, numbers: ArrayBuffer): Promise<boolean> {
  const { digest } = files.find(({ path }) => path === ENCODER_NUMBERS.data) ?? {};
  const { subtle } = globalThis.crypto ?? {};
  if (digest === undefined || !subtle) return true;
  const found = new Uint8Array(await subtle.digest('SHA-256', numbers));
  return Array.from(found, (byte) => byte.toString(16).padStart(2, '0')).join('') === digest;
}

/** Loads ONNX Runtime's network. */
async function networkOf(
  model: LocalModel,
  how: {
    readonly device: 'cpu' | 'wasm' | 'webgpu';
    readonly dtype: 'q4' | 'q8';
    readonly adapter: GPUAdapter | undefined;
    readonly places: RuntimePlaces;
  },
): Promise<Network> {
  const { device, dtype, adapter, places } = how;
  const inTwo = model.source === 'bundled' && dtype === 'q8';
  const gpu = adapter && (await deviceOf(adapter));
  const network = await AutoModel.from_pretrained(model.model, {
    device,
    dtype,
    ...(gpu ? { session_options: { executionProviders: [{ name: 'webgpu', device: gpu }] } } : {}),
    ...(inTwo ? { model_file_name: ENCODER } : {}),
    ...(inTwo && places.ort ? { session_options: { externalData: [ENCODER_NUMBERS] } } : {}),
  });
  return {
    run: async (inputs) => {
      const output = await network(inputs);
      return output.last_hidden_state ?? output.token_embeddings ?? output.logits;
    },
    dispose: async () => {
      await network.dispose();
      gpu?.destroy();
    },
  };
}

/**
 * True for messages of ONNX Runtime, our encoder and the tokenizer about a file that is cut off or changed:
 * the file is at fault, not the browser.
 */
const isCutOff = (message: string): boolean =>
  /protobuf parsing failed|No graph was found|Failed to load external data|end of JSON|not valid JSON|in JSON at position|Deserialize tensor|the file of weights is/i.test(
    message,
  );

/** True for messages of browsers and ONNX Runtime about its own script or WebAssembly module that cannot be run. */
const isOfRuntime = (message: string): boolean =>
  /no available backend|dynamically imported|module script|WebAssembly|\bwasm\b/i.test(message);

/** Configures the library: the place of this model's files, and whether it may keep them. */
function point(model: LocalModel, places: RuntimePlaces): void {
  const bundled = model.source === 'bundled';
  env.allowLocalModels = bundled;
  env.allowRemoteModels = !bundled;
  env.localModelPath = places.models;
  // The service worker keeps bundled files; a second copy would waste space.
  if (places.ort) env.useBrowserCache = !bundled && typeof caches !== 'undefined';
  // The library's cache would start ONNX Runtime from a blob, which a strict Content-Security-Policy forbids.
  env.useWasmCache = false;
  env.remoteHost = bundled || model.source === 'hub' ? 'https://huggingface.co/' : model.source;
  env.remotePathTemplate = model.source === 'hub' ? '{model}/resolve/{revision}/' : '';
}

/** A model's files in the browser's cache, as a load finds them. */
interface KeptFiles {
  /**
   * Deletes them and those that this load added; true if any were there before it. Offline they
   * stay, since nothing could replace them.
   */
  letGo(): Promise<boolean>;
}

async function keptFiles(model: LocalModel, { models, kept }: RuntimePlaces): Promise<KeptFiles> {
  if (!kept) return { letGo: async () => false };
  const [name, folder] =
    model.source === 'bundled'
      ? [kept, new URL(`${models}${model.model}/`, location.href).href]
      : [env.cacheKey, model.source === 'hub' ? `${env.remoteHost}${model.model}/` : model.source];
  // Some private modes refuse caches: then nothing is kept.
  const cache = await orElse(caches.open(name), null, 'the cache of model files');
  const find = async () =>
    (cache ? await orElse(cache.keys(), [], 'the list of kept model files') : []).filter(({ url }) =>
      url.startsWith(folder),
    );
  const before = (await find()).length;
  return {
    letGo: async () => {
      if (!navigator.onLine) return false;
      for (const request of await find()) await cache?.delete(request, { ignoreVary: true });
      return before > 0;
    },
  };
}

/** The files ONNX Runtime will read, with their sizes if known. */
function filesOf(known: BundledModel | undefined, dtype: 'q4' | 'q8'): readonly ModelFile[] {
  if (!known) return [];
  const files = filesFor(known, 'onnx');
  return dtype === 'q4' && known.q4 ? [...files.filter(({ path }) => !WEIGHTS.test(path)), known.q4] : files;
}

interface Watch {
  /** A file that was missing or could not be fetched, or null. */
  missing(): string | null;
  /** True if a file of weights was too small to be one, like a pointer of Git LFS. */
  stub(): boolean;
  /** Paths of all requested files. */
  fetched(): readonly string[];
  /**
   * Frees the bytes that the weights came in; call it once the model is loaded or has failed. Otherwise they
   * stay until the next garbage collection.
   */
  letGo(): void;
}

/** Counts the bytes of this load as they arrive and checks the servers' answers. */
function watch(files: readonly ModelFile[], onProgress: (loaded: number, total: number) => void): Watch {
  const known = files.reduce((sum, { bytes }) => sum + bytes, 0);
  let [loaded, announced, reported] = [0, 0, 0];
  let missing: string | null = null;
  let stub = false;
  const weights: ArrayBuffer[] = [];
  const paths: string[] = [];
  const arrived = (bytes: number) => {
    loaded += bytes;
    const total = Math.max(known || announced, loaded);
    if (loaded < total && loaded - reported <= 500_000) return;
    reported = loaded;
    onProgress(loaded, total);
  };
  /** Returns the same answer, whose bytes a reader gets in one buffer, which is remembered. */
  const inOneBuffer = (answer: Response, body: ReadableStream<Uint8Array>, expected: number): Response => {
    answer.arrayBuffer = async () => {
      const buffer = await collect(body, expected, arrived);
      weights.push(buffer);
      return buffer;
    };
    return answer;
  };
  env.fetch = async (input, init) => {
    const response = await fetch(input, init).catch((error: unknown) => {
      missing ??= pathOf(String(input));
      throw error;
    });
    const path = pathOf(response.url || String(input));
    paths.push(pathOf(String(input)));
    const length = Number(response.headers.get('content-length') ?? 0);
    const html = response.headers.get('content-type')?.includes('text/html') ?? false;
    // A hub serves large files from an address with another name.
    const isWeights = WEIGHTS.test(path) || WEIGHTS.test(pathOf(String(input)));
    // The length of a compressed answer is not the file's.
    const isPlain = !response.headers.has('content-encoding');
    const tiny = isWeights && isPlain && length > 0 && length < LEAST_WEIGHTS && !isRange(init);
    if (response.status === 404 || (response.ok && (html || tiny))) {
      missing ??= path;
      stub ||= tiny;
      await response.body?.cancel();
      return new Response(null, { status: 404 });
    }
    if (!response.ok || !response.body || isRange(init)) return response;
    announced += length;
    const { status, headers } = response;
    if (isWeights) {
      const { bytes = 0 } = files.find((file) => path.endsWith(file.path)) ?? {};
      const { body } = response;
      return inOneBuffer(new Response(body, { status, headers }), body, Math.max(length, bytes));
    }
    const counted = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => {
          arrived(chunk.byteLength);
          controller.enqueue(chunk);
        },
      }),
    );
    return new Response(counted, { status, headers });
  };
  return {
    missing: () => missing,
    stub: () => stub,
    fetched: () => paths,
    letGo: () => {
      // Browsers before 2024 lack `transfer`; they wait for garbage collection.
      for (const buffer of weights.splice(0)) buffer.transfer?.(0);
    },
  };
}

const pathOf = (address: string): string => new URL(address, 'http://localhost').pathname;

const vocabularySchema = z.union([
  z.array(z.tuple([z.string(), z.number()])),
  z.record(z.string(), z.number()),
]);

/**
 * Log of each vocabulary token's frequency: from the vocabulary, or by its order, which begins with the frequent ones
 * (Zipf's law from the commonest English word on; marks and single characters stand before it). Null: not known.
 */
function scoresOf(tokenizer: { readonly _tokenizerJSON?: unknown }): readonly number[] | null {
  const { model } = (tokenizer._tokenizerJSON ?? {}) as { readonly model?: { readonly vocab?: unknown } };
  const parsed = vocabularySchema.safeParse(model?.vocab);
  if (!parsed.success) return null;
  if (Array.isArray(parsed.data)) return parsed.data.map(([, score]) => score);
  const { the: first } = parsed.data;
  if (first === undefined) return null;
  const scores: number[] = [];
  for (const id of Object.values(parsed.data)) scores[id] = id < first ? 0 : -Math.log(id - first + 1) - 2.5;
  return scores;
}

const isRange = (init: RequestInit | undefined): boolean => new Headers(init?.headers).has('range');

const missingFile = (model: Pick<LocalModel, 'model'>, file: string) =>
  new RecollectError('embedding-missing', `The embedding model ${model.model} is not there: ${file}`, {
    params: { model: model.model, file },
    retry: true,
  });

/** Replaces lone surrogates, which some tokenizers do not survive, and cuts early what no window can hold. */
const readable = (text: string): string => text.slice(0, MAX_CHARACTERS).replace(/\p{Surrogate}/gu, '\ufffd');

/**
 * How many threads read: 1 to 4, never more than there are cores, and one if the page is not isolated. The asking
 * thread sleeps meanwhile, so a machine with two cores gives both.
 * @param cores as the browser tells them; some tell none
 */
export function threadsFor(cores: number | undefined, isIsolated: boolean): number {
  if (!isIsolated || !cores) return 1;
  return Math.min(4, cores <= 2 ? cores : cores - 1);
}

/** Node before 21 has no `navigator`. */
const threads = (): number => {
  const { hardwareConcurrency } = (globalThis.navigator as NavigatorConcurrentHardware | undefined) ?? {};
  return threadsFor(hardwareConcurrency, globalThis.crossOriginIsolated);
};

/** Finds a WebGPU adapter; null if there is none. A software adapter is slower than WASM, and only taken on request. */
async function gpuAdapter(software: boolean): Promise<GPUAdapter | null> {
  const gpu = (globalThis.navigator as { readonly gpu?: GPU } | undefined)?.gpu;
  try {
    const adapter = await gpu?.requestAdapter();
    return adapter && (software || !adapter.info?.isFallbackAdapter) ? adapter : null;
  } catch (error) {
    // Browsers with WebGPU but no adapter report it in many ways.
    log.debug('There is no WebGPU adapter', error);
    return null;
  }
}

/** Limits that ONNX Runtime itself requests of an adapter. */
const LIMITS = [
  'maxBufferSize',
  'maxComputeInvocationsPerWorkgroup',
  'maxComputeWorkgroupSizeX',
  'maxComputeWorkgroupSizeY',
  'maxComputeWorkgroupSizeZ',
  'maxComputeWorkgroupStorageSize',
  'maxComputeWorkgroupsPerDimension',
  'maxStorageBufferBindingSize',
  'maxStorageBuffersPerShaderStage',
] as const;

/**
 * Requests a device without subgroups: if those are small (four on Chromium's software adapter), ONNX Runtime 1.31
 * computes attention over more than some thirty tokens wrongly, cosine 0.9 to the right result.
 */
const deviceOf = (adapter: GPUAdapter): Promise<GPUDevice> =>
  adapter.requestDevice({
    requiredFeatures: adapter.features.has('shader-f16') ? ['shader-f16'] : [],
    requiredLimits: Object.fromEntries(LIMITS.map((name) => [name, adapter.limits[name]])),
  });

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
const nameOf = (error: unknown): string => (error instanceof Error ? error.name : '');
