// A browser's own model as the Prompt API has it, scripted: states, a download that needs a click, a small window, and
// what browsers do differently. https://webmachinelearning.github.io/prompt-api/
interface Line {
  readonly role: string;
  readonly content: string;
  readonly prefix?: boolean;
}

export interface Script {
  state?: 'unavailable' | 'downloadable' | 'downloading' | 'available';
  /** Languages that it knows; asked for others it is unavailable. */
  languages?: readonly string[];
  /** Tokens; a word is one. */
  window?: number;
  /** Figures under the names of before, and progress in bytes. */
  old?: boolean;
  /** The download ends no sooner than this. */
  downloaded?: Promise<unknown>;
  /** There was no click. */
  forbidden?: boolean;
  /** Streams the pieces of an answer; a throwing one breaks off; `hold` waits for ever. */
  reply?: (lines: readonly Line[]) => Iterable<string | 'hold'>;
}

const words = (lines: readonly Line[]) =>
  lines.flatMap(({ content }) => content.split(/\s+/).filter(Boolean)).length;
const failure = (name: string, message: string) => new DOMException(message, name);

/** Makes the global. `asked`: the lines of each request. `open`: sessions that were not destroyed. */
export function scriptedLanguageModel(script: Script) {
  const asked: (readonly Line[])[] = [];
  const counts = { open: 0 };
  const create = async ({
    initialPrompts = [],
    signal,
    monitor,
    ...options
  }: {
    initialPrompts?: readonly Line[];
    signal?: AbortSignal;
    monitor?: (target: EventTarget) => void;
    expectedInputs?: readonly { languages: readonly string[] }[];
  }) => {
    signal?.throwIfAborted();
    const state = await availability(options);
    if (state === 'unavailable')
      throw failure('NotSupportedError', 'The device is unable to create a session.');
    if (initialPrompts.some(({ role }, at) => role === 'system' && at > 0))
      throw new TypeError('A system line must be the first.');
    if (state !== 'available') {
      if (script.forbidden) throw failure('NotAllowedError', 'Requires a user gesture.');
      const target = new EventTarget();
      monitor?.(target);
      for (const loaded of [0, 0.4, 1]) {
        const figures = script.old ? { loaded: loaded * 2e9, total: 2e9 } : { loaded, total: 1 };
        target.dispatchEvent(Object.assign(new Event('downloadprogress'), figures));
        await new Promise((resolve) => setTimeout(resolve, 30));
        signal?.throwIfAborted();
        if (loaded > 0) await script.downloaded;
      }
      script.state = 'available';
    }
    const { window = 9_216 } = script;
    if (words(initialPrompts) > window)
      throw failure('QuotaExceededError', 'The initial prompts are too large.');
    counts.open += 1;
    let used = words(initialPrompts);
    const usage = () => used;
    const session = {
      ...(script.old
        ? { inputQuota: window, measureInputUsage: async (lines: readonly Line[]) => words(lines) }
        : { contextWindow: window, measureContextUsage: async (lines: readonly Line[]) => words(lines) }),
      promptStreaming: (lines: readonly Line[], { signal }: { signal?: AbortSignal } = {}) => {
        const all = [...initialPrompts, ...lines];
        asked.push(all);
        used += words(lines);
        const pieces = (script.reply ?? (() => ['An ', 'answer.']))(all)[Symbol.iterator]();
        return new ReadableStream<string>({
          start: (controller) => {
            if (used > window) controller.error(failure('QuotaExceededError', 'The prompt is too large.'));
            signal?.addEventListener('abort', () => controller.error(failure('AbortError', 'Stopped')), {
              once: true,
            });
          },
          pull: (controller) => {
            try {
              const { done, value } = pieces.next();
              if (done) return controller.close();
              if (value === 'hold') return new Promise(() => {});
              used += value.split(/\s+/).filter(Boolean).length;
              controller.enqueue(value);
            } catch (error) {
              controller.error(error);
            }
            return undefined;
          },
        });
      },
      destroy: () => {
        counts.open -= 1;
      },
    };
    return Object.defineProperty(session, script.old ? 'inputUsage' : 'contextUsage', { get: usage });
  };
  const availability = async ({
    expectedInputs = [],
  }: {
    expectedInputs?: readonly { languages: readonly string[] }[];
  } = {}) => {
    const { languages, state = 'available' } = script;
    const knows = expectedInputs
      .flatMap(({ languages }) => languages)
      .every((one) => !languages || languages.includes(one));
    return knows ? state : 'unavailable';
  };
  return { global: { create, availability }, asked, counts, script };
}
