// The browser's own model, if it has one: the `LanguageModel` of the Prompt API. No key, no network, nothing leaves the
// device. https://webmachinelearning.github.io/prompt-api/
import { isAbort, type Problem, RecollectError, toProblem } from '../../domain/base/errors.ts';
import { ignore, log, orElse } from '../../domain/base/log.ts';
import type { ChatEvent, ChatModel, ConnectionReport, Prompt } from './chat-model.ts';
import { BROWSER_URL } from './protocols.ts';
import { toModelMessages } from './sdk-messages.ts';

/** Id of the browser's only model; browsers do not give its name. */
export const BROWSER_MODEL = 'built-in';

/** `downloadable`, `downloading`: it must be downloaded first, some gigabytes, and only after a click. */
export type BrowserModelState = 'unavailable' | 'downloadable' | 'downloading' | 'available';

interface Line {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
  /** The answer continues these words. */
  readonly prefix?: true;
}

/** The members of a session that are used; older browsers have the figures under other names. */
interface PromptSession {
  promptStreaming(input: readonly Line[], options: { signal: AbortSignal }): ReadableStream<string>;
  readonly contextWindow?: number;
  readonly contextUsage?: number;
  readonly inputQuota?: number;
  readonly inputUsage?: number;
  measureContextUsage?(input: readonly Line[]): Promise<number>;
  measureInputUsage?(input: readonly Line[]): Promise<number>;
  destroy(): void;
}

interface Languages {
  readonly expectedInputs?: readonly { readonly type: 'text'; readonly languages: readonly string[] }[];
  readonly expectedOutputs?: readonly { readonly type: 'text'; readonly languages: readonly string[] }[];
}

interface LanguageModelStatic {
  availability(options?: Languages): Promise<string>;
  create(
    options: Languages & {
      readonly initialPrompts?: readonly Line[];
      readonly signal: AbortSignal;
      readonly monitor: (monitor: EventTarget) => void;
    },
  ): Promise<PromptSession>;
}

const languageModel = (): LanguageModelStatic | undefined =>
  (globalThis as { readonly LanguageModel?: LanguageModelStatic }).LanguageModel;

/** Window in tokens, as the last session reported it. Infinity if a browser sets no limit. */
let measuredWindow: number | null = null;
/**
 * Assumed before the first session: less than any browser gives, so that the first long conversation is not refused.
 */
const ASSUMED_WINDOW = 4_096;

/** Languages that Chrome's model is sure of. It logs an error about any other, and a warning where none is named. */
const KNOWN = new Set(['de', 'en', 'es', 'fr', 'ja']);

/** The person's languages that the model knows. */
const languagesOf = (): readonly string[] => [
  ...new Set(
    (navigator.languages ?? [navigator.language])
      .map((tag) => tag.split('-', 1)[0] ?? tag)
      .filter((tag) => KNOWN.has(tag)),
  ),
];

const expecting = (languages: readonly string[]): Languages => ({
  expectedInputs: [{ type: 'text', languages }],
  expectedOutputs: [{ type: 'text', languages }],
});

/**
 * State of the model, and the options for it: the person's languages as far as it knows them, else English,
 * since it often answers in others anyway.
 */
async function stateNow(): Promise<{ readonly state: BrowserModelState; readonly options: Languages }> {
  const model = languageModel();
  if (typeof model?.availability !== 'function') return { state: 'unavailable', options: {} };
  const own = languagesOf();
  const isEnglish = own.length === 0 || own.join() === 'en';
  for (const options of [...(isEnglish ? [] : [expecting(own)]), expecting(['en'])]) {
    // A frame or a policy that forbids it rejects.
    const said = await orElse(model.availability(options), 'unavailable', "the state of the browser's model");
    if (said === 'available' || said === 'downloadable' || said === 'downloading')
      return { state: said, options };
  }
  return { state: 'unavailable', options: {} };
}

/** Reads the state of the browser's own model. */
export const browserModelState = async (): Promise<BrowserModelState> => (await stateNow()).state;

/** Opens a session, downloading the model if needed. */
async function openSession(
  initialPrompts: readonly Line[],
  signal: AbortSignal,
  onProgress: (share: number) => void,
): Promise<PromptSession> {
  const model = languageModel();
  const { state, options } = await stateNow();
  if (!model || state === 'unavailable') throw browserProblem('unavailable', 'There is no model here.');
  const session = await model.create({
    ...options,
    ...(initialPrompts.length > 0 ? { initialPrompts } : {}),
    signal,
    monitor: (monitor) =>
      monitor.addEventListener('downloadprogress', (event) => {
        // Older browsers report bytes.
        const { loaded, total } = event as ProgressEvent;
        onProgress(Math.min(1, total > 1 ? loaded / total : loaded));
      }),
  });
  const window = session.contextWindow ?? session.inputQuota;
  if (window !== undefined && window > 0) measuredWindow = window;
  return session;
}

/**
 * Prepares the model, and downloads it if needed: call it from a click. `onProgress` gets the downloaded share, 0 to 1.
 * Throws `model-browser`, or an AbortError when `signal` is aborted; the browser may continue the download by itself.
 */
export async function prepareBrowserModel(
  signal: AbortSignal,
  onProgress: (share: number) => void,
): Promise<void> {
  try {
    (await openSession([], signal, onProgress)).destroy();
  } catch (error) {
    if (signal.aborted || isAbort(error)) throw error;
    throw problemOf(error);
  }
}

/** Replaces a connection test. */
export async function testBrowserModel(): Promise<ConnectionReport> {
  const startedAt = performance.now();
  return (await browserModelState()) === 'unavailable'
    ? { ok: false, problem: browserProblem('unavailable', 'This browser has no model of its own.').problem }
    : { ok: true, models: [BROWSER_MODEL], tookMs: performance.now() - startedAt };
}

/**
 * Makes the browser's own model; its window in tokens is assumed until a session
 * measured it, and null if it is unlimited.
 */
export function createBrowserModel(): ChatModel {
  return {
    id: BROWSER_MODEL,
    endpoint: BROWSER_URL,
    get contextWindow() {
      const window = measuredWindow ?? ASSUMED_WINDOW;
      return Number.isFinite(window) ? window : null;
    },
    stream: (prompt, { signal }) => answer(prompt, signal),
  };
}

async function* answer(prompt: Prompt, signal: AbortSignal): AsyncIterable<ChatEvent> {
  if (signal.aborted) return yield { type: 'end', finish: 'stopped' };
  const { before, last } = linesOf(prompt);
  let session: PromptSession | undefined;
  let reader: ReadableStreamDefaultReader<string> | undefined;
  let isBegun = false;
  try {
    session = await openSession(before, signal, () => undefined);
    const asked = session.measureContextUsage?.([last]) ?? session.measureInputUsage?.([last]);
    const taken = usageOf(session) + (asked ? await orElse(asked, 0, 'the size of a question') : 0);
    reader = session.promptStreaming([last], { signal }).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      if (value === '') continue;
      isBegun = true;
      yield { type: 'text-delta', text: value };
    }
    const now = usageOf(session);
    if (now > 0)
      yield { type: 'usage', usage: { inputTokens: taken, outputTokens: Math.max(0, now - taken) } };
    yield { type: 'end', finish: signal.aborted ? 'stopped' : 'stop' };
  } catch (error) {
    if (signal.aborted || isAbort(error)) yield { type: 'end', finish: 'stopped' };
    else yield { type: 'end', finish: isBegun ? 'cut' : 'error', problem: endOf(error, isBegun) };
  } finally {
    if (reader) ignore(reader.cancel(), 'an answer that nobody reads to its end');
    session?.destroy();
  }
}

const usageOf = ({ contextUsage, inputUsage }: PromptSession): number => contextUsage ?? inputUsage ?? 0;

/** Converts the conversation for the API: one system line first, alternating roles, the last line apart. */
function linesOf({ system, messages }: Prompt): { readonly before: readonly Line[]; readonly last: Line } {
  const lines: { role: Line['role']; content: string }[] = system
    ? [{ role: 'system', content: system }]
    : [];
  const add = (role: Line['role'], content: string) => {
    const before = lines.at(-1);
    if (before?.role === role) before.content += `\n\n${content}`;
    else lines.push({ role, content });
  };
  for (const { role, content } of toModelMessages(messages, { provider: 'browser', plainThoughts: false })) {
    const text = typeof content === 'string' ? content : content.map(asWords).filter(Boolean).join('\n\n');
    if (text === '') continue;
    // The API has no tools, and takes a system line only at the beginning.
    const isFirst = lines.length === 0 && role === 'system';
    add(role === 'assistant' ? role : isFirst ? 'system' : 'user', text);
  }
  const last = lines.at(-1);
  if (!last || last.role === 'system') return { before: lines, last: { role: 'user', content: '' } };
  const before = lines.slice(0, -1);
  return { before, last: last.role === 'assistant' ? { ...last, prefix: true } : last };
}

/** Writes a part of a message in words; each role has its own parts. */
function asWords(part: object): string {
  const { type, text, toolName, input, output, filename, mediaType } = part as Record<string, unknown>;
  if (type === 'text') return String(text);
  if (type === 'tool-call') return `[${toolName}: ${JSON.stringify(input)}]`;
  if (type === 'tool-result')
    return `[${toolName}] ${(output as { value?: unknown } | undefined)?.value ?? ''}`;
  if (type !== 'file') return '';
  return `[${String(mediaType).startsWith('image/') ? 'image' : 'file'}: ${filename ?? mediaType}]`;
}

type Reason = 'unavailable' | 'download' | 'failed';

const browserProblem = (reason: Reason, message: string, cause?: unknown) =>
  new RecollectError('model-browser', message, {
    params: { endpoint: BROWSER_URL, model: BROWSER_MODEL, reason, detail: message },
    retry: reason !== 'unavailable',
    ...(cause === undefined ? {} : { cause }),
  });

function problemOf(error: unknown): RecollectError {
  if (error instanceof RecollectError) return error;
  const { name } = (error ?? {}) as { readonly name?: unknown };
  const { message } = toProblem(error);
  // Without a click nothing is downloaded; a policy of the page may also forbid it.
  if (name === 'NotAllowedError') return browserProblem('download', message, error);
  const params = { endpoint: BROWSER_URL, model: BROWSER_MODEL, reason: '', detail: message };
  if (name === 'QuotaExceededError')
    return new RecollectError('model-context', 'The conversation is too long for the model.', {
      params,
      cause: error,
    });
  if (name === 'NotSupportedError')
    return new RecollectError('model-refused', `The browser's model refused: ${message}`, {
      params,
      cause: error,
    });
  return browserProblem('failed', message, error);
}

function endOf(error: unknown, isBegun: boolean): Problem {
  const { problem } = problemOf(error);
  log.info("The browser's model ended", problem.message);
  return isBegun ? { ...problem, code: 'model-cut', retry: true } : problem;
}
