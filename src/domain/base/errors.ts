// One small family of errors. An adapter translates every error of its library into one of these; the interface turns
// the code and its parameters into sentences.

/** Values that go into an error's sentence. */
export type ProblemParams = Readonly<Record<string, string | number>>;

/**
 * A problem as data, which survives threads, storage and languages. `code` names its sentences in the catalogue
 * (`problems.<code>`); `message` is the English sentence for logs, and for codes that the catalogue lacks.
 */
export interface Problem {
  readonly code: ProblemCode;
  readonly message: string;
  readonly params?: ProblemParams;
  /** True if the same attempt may succeed later. */
  readonly retry: boolean;
}

export const PROBLEM_CODES = [
  // storage
  'storage-full',
  'storage-unavailable',
  'storage-held',
  'storage-failed',
  'storage-lost',
  'storage-healed',
  'storage-truncated',
  'copy-full',
  'newer-log',
  'newer-index',
  'newer-conversation',
  'damaged-entry',
  'index-unavailable',
  'index-damaged',
  'index-crashed',
  'memory-behind',
  // models
  'no-model',
  'model-key',
  'model-forbidden',
  'model-not-found',
  'model-rate',
  'model-network',
  'model-cors',
  'model-server',
  'model-format',
  'model-cut',
  'model-context',
  'model-refused',
  'model-browser',
  // embedding
  'embedding-missing',
  'embedding-broken',
  'embedding-remote',
  // import and export
  'import-unknown',
  'import-kimi-code',
  'import-binary',
  'import-broken',
  'import-too-large',
  'import-bomb',
  'import-nested',
  'import-encrypted',
  'import-newer',
  'import-empty',
  'import-storage',
  'import-limit',
  'import-cut-off',
  'export-too-large',
  'forget-no-words',
  'forget-busy',
  // commands and settings
  'command-unknown',
  'command-argument',
  'command-scopes',
  'command-here',
  'command-flag',
  'command-conversation',
  'setting-invalid',
  'setting-unknown',
  'setting-pattern',
  'settings-file',
  'settings-line',
  'settings-nested',
  'settings-twice',
  // sync
  'sync-unpaired',
  'sync-endpoint',
  'sync-link',
  'sync-phrase',
  'sync-no-account',
  'sync-offline',
  'sync-refused',
  'sync-auth',
  'sync-quota',
  'sync-deleted',
  'sync-upgrade',
  'sync-rate',
  'sync-thread',
  'sync-unfetched',
  'sync-older',
  // things that are not there any more
  'conversation-missing',
  'conversation-ended',
  'conversation-busy',
  'tool-limit',
  'checkpoint-none',
  'checkpoint-unknown',
  'compaction-failed',
  'compaction-fallback',
  'message-missing',
  'message-too-large',
  'note-empty',
  'note-too-long',
  'project-name',
  'project-text',
  'project-nested',
  'project-missing',
  'prompt-empty',
  'prompt-too-long',
  'prompt-file',
  'vault-unavailable',
  // locking
  'lock-wrong',
  'lock-wait',
  'erase-failed',
  'lock-phrase',
  'lock-passkey',
  'lock-last',
  'lock-busy',
  'part-missing',
  'unexpected',
] as const;
export type ProblemCode = (typeof PROBLEM_CODES)[number];

/** The one exception class of the house. Cancelling is not an error: that stays the platform's `AbortError`. */
export class RecollectError extends Error {
  override readonly name = 'RecollectError';
  readonly problem: Problem;

  constructor(
    code: ProblemCode,
    message: string,
    options: { params?: ProblemParams; retry?: boolean; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.problem = {
      code,
      message,
      retry: options.retry ?? false,
      ...(options.params ? { params: options.params } : {}),
    };
  }
}

/** Turns any thrown value into a problem. An unknown error keeps its own message under the code `unexpected`. */
export function toProblem(error: unknown): Problem {
  if (error instanceof RecollectError) return error.problem;
  const message = error instanceof Error ? error.message : String(error);
  return { code: 'unexpected', message, params: { detail: message }, retry: false };
}

/** Turns a problem that arrived as data into an error to throw. */
export const toError = ({ code, message, params, retry }: Problem): RecollectError =>
  new RecollectError(code, message, { retry, ...(params ? { params } : {}) });

/** True for the errors that mean "the person or the owner stopped this". */
export const isAbort = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && (error as { name?: unknown }).name === 'AbortError';
