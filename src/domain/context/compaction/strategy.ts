// Contract of a strategy: it reads a conversation and a budget and returns a plan. It stores nothing.
import type { MessageId } from '../../base/ids.ts';
import type { MemoryFile } from '../../chat/memory-file.ts';
import type { Message } from '../../chat/message.ts';
import type { CompactionReason } from '../../chat/records.ts';
import type { TokenMeter } from '../meter.ts';
import type { AppliedPlan, CompactionPlan } from './plan.ts';

/** Request of a person or a trigger. */
interface CompactionRequest {
  readonly reason: CompactionReason;
  /** `/compact keep the API decisions`; outranks the strategy's own priorities. */
  readonly instruction?: string | undefined;
  /** The person's own summary prompt instead of the shipped one. */
  readonly prompt?: string | undefined;
  /** Ticked in a preview: messages that stay whole, and messages to compact, each with its inseparable ones. */
  readonly keep?: ReadonlySet<MessageId> | undefined;
  readonly compact?: ReadonlySet<MessageId> | undefined;
}

export interface CompactionView {
  /** Root to the newest message. */
  readonly path: readonly Message[];
  /** The conversation's own system prompt. */
  readonly system: string | null;
  /** Compaction in force on this path, or null. */
  readonly previous: AppliedPlan | null;
  readonly request: CompactionRequest;
  /** Marked by the person: always sent whole. */
  readonly pinned?: ReadonlySet<MessageId> | undefined;
  /**
   * The person's sentences that stay word for word, recognised by meaning, beside the rules that their wording shows.
   */
  readonly held?: ReadonlyMap<MessageId, readonly string[]> | undefined;
  /** The session memory as a person left it: it is carried on, and deleted lines stay out. */
  readonly file?: MemoryFile | undefined;
  /** A session memory that a model wrote in the background, up to and including `upTo`. */
  readonly modelMemory?: { readonly text: string; readonly upTo: MessageId } | undefined;
}

/** All in tokens unless stated otherwise. `budgetOf` makes one from the configuration. */
export interface CompactionBudget {
  /** The model's window. */
  readonly window: number;
  /** Largest prompt: the window without the part kept free for the answer. */
  readonly limit: number;
  /** Size of the prompt to reach by a compaction. */
  readonly target: number;
  /** Size at which compaction is due. */
  readonly trigger: number;
  /** Tokens sent beside system prompt and messages: descriptions of tools, recall. */
  readonly extra: number;
  /** Turns kept whole if they fit. */
  readonly keepTurns: number;
  /** Messages of person and model that `summary` keeps. */
  readonly keepMessages: number;
  /** Most calls of the model before a strategy does without. */
  readonly maxAttempts: number;
}

export interface SummariseRequest {
  readonly system: string;
  /** Everything the model needs: the text to summarise, the wanted structure, the instruction. */
  readonly prompt: string;
  /** Source of `prompt`, for a summariser that is no model: the messages, and the summary they follow on. */
  readonly messages: readonly Message[];
  readonly previous: string | null;
  readonly language: 'en' | 'zh';
  /** Most tokens of the answer. */
  readonly maxTokens: number;
}

/**
 * One answer of a summariser. Throws what the endpoint does (RecollectError), or an
 * AbortError once `tools.signal` is aborted.
 */
export type Summarise = (request: SummariseRequest) => Promise<{ readonly text: string }>;

export interface CompactionTools {
  /** Counts tokens as the answering model does, as exactly as known. */
  readonly meter: TokenMeter;
  /** Null: there is no model, or none may be asked. */
  readonly summarise: Summarise | null;
  /**
   * Relevance of messages of this path to a question by meaning, 0–1; absent: by words alone. Messages may be missing.
   */
  readonly relevance?: ((question: string) => Promise<ReadonlyMap<MessageId, number>>) | undefined;
  /** Vectors of messages of this path, of length 1; absent or missing: by words alone. */
  readonly vectors?:
    | ((messages: readonly MessageId[]) => Promise<ReadonlyMap<MessageId, Float32Array>>)
    | undefined;
  /** The members of an `AbortSignal` that are used here. */
  readonly signal: { readonly aborted: boolean; throwIfAborted(): void };
}

/**
 * One way to make a long conversation fit. Every plan of every strategy keeps these rules:
 * - the system prompt and the newest question are sent whole, the person's constraints word for word
 * - a tool call and its result go together
 * - it fits the target, or says why not
 * - planning again at once gives the same plan
 * - roles of the sent messages alternate
 */
export interface CompactionStrategy {
  /** Its name in the catalogue is `context.strategies.<id>`. */
  readonly id: string;
  /**
   * Makes the plan. One that asks a model falls back to the session memory without it (`fallback: no-model`). Throws
   * only AbortError: a summariser's failure is in the plan.
   */
  plan(view: CompactionView, budget: CompactionBudget, tools: CompactionTools): Promise<CompactionPlan>;
}
