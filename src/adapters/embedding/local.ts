// A model on this device, as callers that want vectors see it: a proxy over a MessagePort to the thread that runs it.
// Calls queue up there, the thread starts with the first and may retire between any two; the caller just awaits.
import { isAbort, type Problem, RecollectError, toError, toProblem } from '../../domain/base/errors.ts';
import { ignore, orElse } from '../../domain/base/log.ts';
import { writable } from '../../domain/base/readable.ts';
import type { Config } from '../../domain/settings/config.ts';
import { createCaller } from '../../domain/threads/calls.ts';
import { joinNews, postNews } from '../../domain/threads/news.ts';
import { type BundledModel, bundledModel } from './bundled-models.ts';
import { type CalibrationKeyValues, createCalibration } from './calibration.ts';
import type {
  EmbeddingKind,
  EmbeddingProvider,
  EmbeddingState,
  TextInContext,
} from './embedding-provider.ts';
import { familyOf } from './families.ts';
import {
  type LocalModel,
  type ModelConnection,
  modelCalls,
  type PortNews,
  portNewsSchema,
  RETIRED,
  type TokenVectors,
} from './protocol.ts';
import { type Centre, centred } from './vector.ts';

/**
 * How long a failed load answers all calls before the files are tried again, ms: a search
 * must not wait for a new try each time.
 */
const RETRY_AFTER_MS = 30_000;

/** A first text, read so that the model loads. */
const FIRST_WORDS = 'good morning';

/** How long a retired thread's last messages may take to arrive, ms. */
const LAST_WORDS_MS = 50;

interface EmbedAnswer {
  readonly vectors: Float32Array[];
  readonly tokenVectors: readonly TokenVectors[];
}
interface LocalEmbeddingDeps {
  readonly config: Config['embedding']['local'];
  readonly connect: () => ModelConnection | Promise<ModelConnection>;
  readonly keyValues?: CalibrationKeyValues;
  /** Returns vectors as the model makes them, with no centre subtracted. */
  readonly raw?: boolean;
}

/**
 * Makes the provider; the first `embed` or `prepare` opens it. `dimensions` is 0 for a model that is not bundled until
 * it has been loaded once. `connect` opens a port to the thread that runs models, starting the thread if need be.
 */
export function createLocalEmbedding(deps: LocalEmbeddingDeps): EmbeddingProvider {
  const model = new LocalEmbedding(deps);
  const { id, languages, maxBatch, state, calibration } = model;
  return {
    id,
    get dimensions() {
      return model.dimensions;
    },
    languages,
    maxBatch,
    get concurrency(): number {
      return model.concurrency;
    },
    state,
    embed: (texts, options) => model.embed(texts, options),
    read: (readings, options) => model.read(readings, options),
    calibration,
    ...(model.isBundled ? { prepare: () => model.prepare() } : {}),
    close: () => model.close(),
  };
}

class LocalEmbedding {
  readonly #deps: LocalEmbeddingDeps;
  readonly #known: BundledModel | undefined;
  readonly #centre: Centre | null;
  readonly #family: ReturnType<typeof familyOf>;
  readonly #prefixes: { readonly query: string; readonly passage: string };
  readonly #model: LocalModel;
  readonly state = writable<EmbeddingState>({ status: 'idle' });
  /** Calls that wait for an answer, on any port. */
  #pending = 0;
  readonly #caller = createCaller(modelCalls, null);
  #open: { readonly connection: Promise<ModelConnection> } | null = null;
  #withoutGpu = false;
  #failedUntil = 0;
  #dimensions: number;
  #concurrency = 1;
  readonly #nothing = { bits: new Uint8Array(0), tokens: new Float32Array(0), weights: new Float32Array(0) };
  // A prefix of the person's own, or another centre (the number), makes incomparable vectors: both stand in the id.
  // WebGPU's q4 and ONNX Runtime come near our encoder (cosine .98 to .99): they share one, and re-embed nothing.
  readonly id: EmbeddingProvider['id'];
  readonly languages: EmbeddingProvider['languages'];
  readonly maxBatch: EmbeddingProvider['maxBatch'];
  readonly calibration: EmbeddingProvider['calibration'];

  constructor(deps: LocalEmbeddingDeps) {
    this.#deps = deps;
    this.#known = deps.config.source === 'bundled' ? bundledModel(deps.config.model) : undefined;
    this.#centre = deps.raw ? null : (this.#known?.centre ?? null);
    this.#family = this.#known ?? familyOf(deps.config.model);
    this.#prefixes = {
      query: deps.config.query_prefix === 'auto' ? this.#family.queryPrefix : deps.config.query_prefix,
      passage:
        deps.config.passage_prefix === 'auto' ? this.#family.passagePrefix : deps.config.passage_prefix,
    };
    this.#model = {
      model: deps.config.model,
      source: deps.config.source,
      device: deps.config.device,
      pooling: this.#family.pooling,
      batchSize: deps.config.batch_size,
    };
    this.#dimensions = this.#known?.dimensions ?? 0;
    this.id = `local/${deps.config.model}/q8${this.#centre ? '-centred-3' : ''}${this.#prefixes.passage === this.#family.passagePrefix ? '' : `/${this.#prefixes.passage}`}`;
    this.languages = this.#known?.languages ?? 'any';
    this.maxBatch = deps.config.batch_size;
    const known = this.#known;
    this.calibration = known
      ? async () => known.calibration
      : createCalibration(
          this.embed,
          deps.keyValues && {
            keyValues: deps.keyValues,
            name: JSON.stringify([
              'local',
              deps.config.model,
              deps.config.source,
              deps.config.device,
              this.#prefixes,
              this.#family.pooling,
            ]),
          },
        );
  }

  readonly embed: EmbeddingProvider['embed'] = async (texts, options) =>
    (
      await this.#ask(
        texts.map((text) => ({ context: '', text })),
        false,
        options,
      )
    ).vectors;

  readonly read: NonNullable<EmbeddingProvider['read']> = async (readings, options) => {
    const { vectors, tokenVectors } = await this.#ask(readings, true, options);
    return vectors.map((vector, at) => ({ vector, ...this.#nothing, ...tokenVectors[at] }));
  };

  readonly close: EmbeddingProvider['close'] = async () => {
    const mine = this.#open;
    this.#open = null;
    this.#failedUntil = 0;
    this.state.set({ status: 'idle' });
    this.#caller.connect(null);
    this.#caller.refuse(new DOMException('The embedding model was closed.', 'AbortError'));
    const connection =
      mine && (await orElse(mine.connection, null, 'a connection to the model that did not open'));
    const { port } = connection ?? {};
    if (port) postNews<PortNews>(port, { type: 'bye' });
    port?.close();
  };

  /** A bundled model came with the app, so it may load before the first request. */
  get isBundled(): boolean {
    return this.#known !== undefined;
  }

  prepare(): void {
    if (this.state.get().status !== 'idle' || this.#pending > 0) return;
    ignore(
      this.embed([FIRST_WORDS], { kind: 'query', signal: new AbortController().signal }),
      'loading the model ahead; what is wrong is said where somebody asks for vectors',
    );
  }

  get dimensions(): number {
    return this.#dimensions;
  }

  get concurrency(): number {
    return this.#concurrency;
  }

  #fail(problem: Problem): void {
    this.state.set({ status: 'failed', problem });
    this.#failedUntil = Date.now() + RETRY_AFTER_MS;
  }

  #start(): void {
    const mine = { connection: (async () => this.#deps.connect())() };
    this.#open = mine;
    /** Leaves this connection, once; returns whether it was the one in use. */
    const leave = (): boolean => {
      if (this.#open !== mine) return false;
      this.#open = null;
      this.#caller.connect(null);
      return true;
    };
    /** The thread retired: the next thread gets the requests that it left unanswered. */
    const retired = () => {
      if (!leave()) return;
      if (this.state.get().status !== 'failed') this.state.set({ status: 'idle' });
      if (this.#pending > 0) this.#start();
    };
    const lost = (reason: unknown) => {
      if (reason === RETIRED) return retired();
      if (!leave()) return;
      if (isAbort(reason)) {
        this.state.set({ status: 'idle' });
        return this.#caller.refuse(reason);
      }
      const broken = toBroken(reason, this.#model.model);
      this.#fail(broken.problem);
      this.#caller.refuse(broken);
    };
    const receive = (news: PortNews) => {
      if (news.type === 'loading')
        this.state.set({ status: 'loading', loaded: news.loaded, total: news.total });
      else if (news.type === 'ready') {
        ({ dimensions: this.#dimensions, concurrency: this.#concurrency } = news);
        this.state.set({ status: 'ready' });
      } else if (news.type === 'retired') {
        this.#withoutGpu ||= news.withoutGpu;
        retired();
      }
    };
    mine.connection.then(({ port, lost: gone }) => {
      if (this.#open !== mine) return;
      joinNews(port, portNewsSchema, receive);
      this.#caller.connect(port);
      const leaveIt = () => {
        port.close();
        lost(gone.reason);
      };
      // A retired thread's last answers may still be on their way; without the wait their texts would be asked again.
      const onGone = () => (gone.reason === RETIRED ? void setTimeout(leaveIt, LAST_WORDS_MS) : leaveIt());
      if (gone.aborted) onGone();
      else gone.addEventListener('abort', onGone, { once: true });
    }, lost);
  }

  async #ask(
    readings: readonly TextInContext[],
    withTokenVectors: boolean,
    { kind, signal }: { kind: EmbeddingKind; signal: AbortSignal },
  ): Promise<EmbedAnswer> {
    signal.throwIfAborted();
    if (readings.length === 0) return { vectors: [], tokenVectors: [] };
    const before = this.state.get();
    if (before.status === 'failed' && Date.now() < this.#failedUntil) throw toError(before.problem);
    const prefix = this.#prefixes[kind];
    // Computed for each request: WebGPU may have failed meanwhile.
    const model = () => (this.#withoutGpu ? { ...this.#model, device: 'wasm' as const } : this.#model);
    this.#pending++;
    try {
      const answer = this.#caller.call.embed(
        {
          get model() {
            return model();
          },
          kind,
          texts: readings.map(({ context, text }) => `${prefix}${context}${text}`),
          ...(withTokenVectors
            ? { contexts: readings.map(({ context }) => prefix.length + context.length) }
            : {}),
        },
        { signal },
      );
      if (!this.#open) this.#start();
      const { vectors, tokenVectors = [] } = await answer;
      for (const [at, vector] of vectors.entries()) centred(vector, this.#centre, readings[at]?.text ?? '');
      return { vectors, tokenVectors };
    } catch (error) {
      const now = this.state.get();
      const isSaid =
        now.status === 'failed' && error instanceof RecollectError && now.problem === error.problem;
      if (error instanceof RecollectError && !isSaid) this.#fail(error.problem);
      throw error;
    } finally {
      this.#pending--;
    }
  }
}

function toBroken(error: unknown, model: string): RecollectError {
  if (error instanceof RecollectError) return error;
  const detail = toProblem(error).message;
  return new RecollectError('embedding-broken', `The embedding thread could not be started: ${detail}`, {
    params: { model, detail },
    retry: true,
  });
}
