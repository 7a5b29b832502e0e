// A model that runs on this device, seen from those who want vectors: a proxy over a line to the thread that runs it.
// Calls queue up there, the thread starts with the first and may retire between any two; the caller just awaits.
import { isAbort, type Problem, RecollectError, toProblem } from '../../domain/base/errors.ts';
import { writable } from '../../domain/base/readable.ts';
import type { Config } from '../../domain/settings/config.ts';
import { bundledModel } from './bundled-models.ts';
import { type CalibrationDrawer, createCalibration } from './calibration.ts';
import type { EmbeddingKind, EmbeddingProvider, EmbeddingState, Reading } from './embedding-provider.ts';
import { familyOf } from './families.ts';
import type { Line, LocalModel, Pieces, Request } from './protocol.ts';
import { RETIRED, replySchema } from './protocol.ts';
import { centred } from './vector.ts';

/** After a failed load the same answer is given for this long before the files are tried again: a search must not wait for it each time. */
const RETRY_AFTER_MS = 30_000;

/** What the model reads to come into memory. */
const FIRST_WORDS = 'good morning';

/** How long a retired thread's last messages may take to arrive. */
const LAST_WORDS_MS = 50;

interface Answer {
  readonly vectors: Float32Array[];
  readonly pieces: readonly Pieces[];
}
interface Pending {
  readonly request: Extract<Request, { type: 'embed' }>;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/**
 * Makes the provider. Nothing is opened before the first `embed` or `prepare`. `dimensions` is 0 for a model that is not bundled until it
 * has been loaded once. `connect` opens a line to the thread that runs models, starting the thread if need be.
 */
export function createLocalEmbedding(deps: {
  readonly config: Config['embedding']['local'];
  readonly connect: () => Line | Promise<Line>;
  readonly drawer?: CalibrationDrawer;
  /** Vectors as the model gives them, with nothing taken away. */
  readonly raw?: boolean;
}): EmbeddingProvider {
  const { config } = deps;
  const known = config.source === 'bundled' ? bundledModel(config.model) : undefined;
  const centre = deps.raw ? null : (known?.centre ?? null);
  const family = known ?? familyOf(config.model);
  const prefixes = {
    query: config.query_prefix === 'auto' ? family.queryPrefix : config.query_prefix,
    passage: config.passage_prefix === 'auto' ? family.passagePrefix : config.passage_prefix,
  };
  const model: LocalModel = {
    model: config.model,
    source: config.source,
    device: config.device,
    pooling: family.pooling,
    batchSize: config.batch_size,
  };

  const state = writable<EmbeddingState>({ status: 'idle' });
  const pending = new Map<number, Pending>();
  let open: { readonly line: Promise<Line> } | null = null;
  let withoutGpu = false;
  let failedUntil = 0;
  let dimensions = known?.dimensions ?? 0;
  let beside = 1;
  let calls = 0;

  const fail = (problem: Problem, which: readonly Pending[]) => {
    state.set({ status: 'failed', problem });
    failedUntil = Date.now() + RETRY_AFTER_MS;
    reject(which, problemError(problem));
  };
  const reject = (which: readonly Pending[], error: unknown) => {
    for (const call of which) {
      pending.delete(call.request.call);
      call.reject(error);
    }
  };

  const start = () => {
    const mine = { line: (async () => deps.connect())() };
    open = mine;
    /** Leaves this line, unless it has been left already; tells whether it was the one in use. */
    const leave = (): boolean => {
      if (open !== mine) return false;
      open = null;
      return true;
    };
    /** The thread retired: what it has not answered is asked of the next one. */
    const retired = () => {
      if (!leave()) return;
      if (state.get().status !== 'failed') state.set({ status: 'idle' });
      for (const { request } of pending.values()) send(request);
    };
    const lost = (reason: unknown) => {
      if (reason === RETIRED) return retired();
      if (!leave()) return;
      if (!isAbort(reason)) return fail(toBroken(reason, model.model), [...pending.values()]);
      state.set({ status: 'idle' });
      reject([...pending.values()], reason);
    };
    const hear = (data: unknown) => {
      const parsed = replySchema.safeParse(data);
      if (!parsed.success) return console.warn('embedding: reply not understood', parsed.error.message);
      const reply = parsed.data;
      switch (reply.type) {
        case 'loading':
          return state.set({ status: 'loading', loaded: reply.loaded, total: reply.total });
        case 'ready':
          ({ dimensions, beside } = reply);
          return state.set({ status: 'ready' });
        case 'vectors':
          pending.get(reply.call)?.resolve({ vectors: reply.vectors, pieces: reply.pieces ?? [] });
          return void pending.delete(reply.call);
        case 'failed': {
          const call = pending.get(reply.call);
          return fail(reply.problem, call ? [call] : []);
        }
        case 'retired':
          withoutGpu ||= reply.withoutGpu;
          return retired();
      }
    };
    mine.line.then(({ port, lost: gone }) => {
      if (open !== mine) return;
      port.addEventListener('message', (event) => hear(event.data));
      port.start();
      const leaveIt = () => {
        port.close();
        lost(gone.reason);
      };
      // A retired thread's last words may still be on their way; without waiting for them, what it has answered would be asked again.
      const onGone = () => (gone.reason === RETIRED ? void setTimeout(leaveIt, LAST_WORDS_MS) : leaveIt());
      if (gone.aborted) onGone();
      else gone.addEventListener('abort', onGone, { once: true });
    }, lost);
    return mine;
  };

  const send = (request: Request) => {
    void (open ?? start()).line.then(
      ({ port }) => {
        // Cancelled while the line was opening: nothing to ask.
        if (request.type === 'embed' && !pending.has(request.call)) return;
        const asked =
          request.type === 'embed' && withoutGpu
            ? { ...request, model: { ...request.model, device: 'wasm' as const } }
            : request;
        port.postMessage(asked, []);
      },
      () => undefined,
    );
  };

  const ask = async (
    readings: readonly Reading[],
    pieces: boolean,
    { kind, signal }: { kind: EmbeddingKind; signal: AbortSignal },
  ): Promise<Answer> => {
    signal.throwIfAborted();
    if (readings.length === 0) return { vectors: [], pieces: [] };
    const before = state.get();
    if (before.status === 'failed' && Date.now() < failedUntil) throw problemError(before.problem);
    const call = ++calls;
    const prefix = prefixes[kind];
    const request: Pending['request'] = {
      type: 'embed',
      call,
      model,
      kind,
      texts: readings.map(({ context, text }) => `${prefix}${context}${text}`),
      ...(pieces ? { contexts: readings.map(({ context }) => prefix.length + context.length) } : {}),
    };
    const cancel = () => {
      const waiting = pending.get(call);
      if (!waiting) return;
      pending.delete(call);
      waiting.reject(signal.reason);
      if (open) send({ type: 'cancel', call });
    };
    try {
      const answer = await new Promise<Answer>((resolve, reject) => {
        pending.set(call, { request, resolve, reject });
        signal.addEventListener('abort', cancel, { once: true });
        send(request);
      });
      for (const [at, vector] of answer.vectors.entries()) centred(vector, centre, readings[at]?.text ?? '');
      return answer;
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };

  const embed: EmbeddingProvider['embed'] = async (texts, options) =>
    (
      await ask(
        texts.map((text) => ({ context: '', text })),
        false,
        options,
      )
    ).vectors;

  const nothing = { bits: new Uint8Array(0), tokens: new Float32Array(0), weights: new Float32Array(0) };
  const read: NonNullable<EmbeddingProvider['read']> = async (readings, options) => {
    const { vectors, pieces } = await ask(readings, true, options);
    return vectors.map((vector, at) => ({ vector, ...nothing, ...pieces[at] }));
  };

  return {
    // A prefix of one's own makes other vectors of the same passage: they must not be compared. The number is that of the centres.
    // WebGPU's q4 weights and ONNX Runtime's way to round give nearly the vectors of our encoder (cosine .98 to .99 after centring): one key, so that a
    // change of device or browser is none of the index's.
    id: `local/${config.model}/q8${centre ? '-centred-3' : ''}${prefixes.passage === family.passagePrefix ? '' : `/${prefixes.passage}`}`,
    get dimensions() {
      return dimensions;
    },
    languages: known?.languages ?? 'any',
    maxBatch: config.batch_size,
    get abreast() {
      return beside;
    },
    state,
    embed,
    read,
    // One that would have to be fetched from elsewhere waits until it is asked.
    ...(known
      ? {
          prepare: () => {
            if (state.get().status !== 'idle' || pending.size > 0) return;
            // What is wrong with it is said where somebody asks for it.
            embed([FIRST_WORDS], { kind: 'query', signal: new AbortController().signal }).catch(
              () => undefined,
            );
          },
        }
      : {}),
    calibration: known
      ? async () => known.calibration
      : createCalibration(
          embed,
          deps.drawer && {
            drawer: deps.drawer,
            name: JSON.stringify([
              'local',
              config.model,
              config.source,
              config.device,
              prefixes,
              family.pooling,
            ]),
          },
        ),
    close: async () => {
      const mine = open;
      open = null;
      failedUntil = 0;
      state.set({ status: 'idle' });
      reject([...pending.values()], new DOMException('The embedding model was closed.', 'AbortError'));
      const { port } = (await mine?.line.catch(() => null)) ?? {};
      port?.postMessage({ type: 'bye' } satisfies Request, []);
      port?.close();
    },
  };
}

const problemError = (problem: Problem): RecollectError =>
  new RecollectError(problem.code, problem.message, {
    retry: problem.retry,
    ...(problem.params ? { params: problem.params } : {}),
  });

function toBroken(error: unknown, model: string): Problem {
  if (error instanceof RecollectError) return error.problem;
  const detail = toProblem(error).message;
  return {
    code: 'embedding-broken',
    message: `The embedding thread could not be started: ${detail}`,
    params: { model, detail },
    retry: true,
  };
}
