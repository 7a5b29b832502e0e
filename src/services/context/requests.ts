// Builds a model's request for a branch, with the compaction in force, and with the compacted messages that the
// question needs. Pure except for its caches: the same branch gives the same bytes.
import type { ChatModel, ToolDescription } from '../../adapters/models/chat-model.ts';
import type { ConversationId, MessageId } from '../../domain/base/ids.ts';
import type { Readable } from '../../domain/base/readable.ts';
import { compactionOn } from '../../domain/chat/compaction.ts';
import type { Conversation } from '../../domain/chat/conversation.ts';
import { keptIn, keptKey } from '../../domain/chat/kept.ts';
import { memoryFileKey, memoryFileOn } from '../../domain/chat/memory-file.ts';
import { type Message, type PartOf, textOf } from '../../domain/chat/message.ts';
import { budgetOf, isPressed, reserveOf, returnBudget } from '../../domain/context/budget.ts';
import {
  createCompactedSearch,
  type ReturnedPassage,
  renderReturned,
} from '../../domain/context/compacted.ts';
import {
  type AppliedPlan,
  dispositionsOf,
  planOf,
  summaryTextOf,
  withMemoryFile,
  withSummaryText,
} from '../../domain/context/compaction/plan.ts';
import type { CompactionBudget } from '../../domain/context/compaction/strategy.ts';
import { Fitting } from '../../domain/context/fitting.ts';
import { type Loss, lossesIn } from '../../domain/context/loss.ts';
import type { TokenMeter } from '../../domain/context/meter.ts';
import { type BuiltPrompt, buildPrompt, type ProjectText } from '../../domain/context/prompt.ts';
import type { Redaction } from '../../domain/context/redaction.ts';
import { comparableUnits } from '../../domain/context/semantic-scores.ts';
import type { Unit } from '../../domain/context/units.ts';
import { instructionsFor } from '../../domain/prompts/persona.ts';
import type { Config } from '../../domain/settings/config.ts';
import { asksBack } from '../../domain/text/cues.ts';
import { sentencesOf } from '../../domain/text/sentences.ts';
import type { Prompts } from '../prompts/prompts.ts';
import { type MeaningSource, withTimeout } from './meaning.ts';
import type { Meters } from './meters.ts';

/** Longest wait of a send for the meaning of its question, ms. */
const MEANING_TIMEOUT_MS = 1000;

/** Most compacted messages in which the context meter looks for those to bring back. */
const MOST_NEAR = 256;

export interface Built {
  readonly prompt: BuiltPrompt;
  readonly budget: CompactionBudget;
  /** Compaction is due, or something was already left out for want of space. */
  readonly pressed: boolean;
  /** So many messages are sent whole that compaction is due although there is space (`context.compact_threshold`). */
  readonly crowded: boolean;
  /** The whole request, tokens. */
  readonly total: number;
}

export interface RequestOptions {
  readonly model: ChatModel | null;
  readonly tools: readonly ToolDescription[];
  /** Memory for the coming answer. */
  readonly recall: PartOf<'recall'> | null;
  /** It will be sent: an answer at its end is to be continued. */
  readonly goesOn?: boolean;
}

const isQuestion = ({ role, kind }: Message): boolean => role === 'user' && kind === 'message';
const isAnswer = ({ role, kind }: Message): boolean => role === 'assistant' && kind === 'message';

export type Requests = ReturnType<typeof createRequests>;

interface RequestBuilderDeps {
  readonly personaOf?: Prompts['personaOf'] | undefined;
  readonly config: Readable<Config>;
  readonly meters: Meters;
  readonly meaning: MeaningSource;
  readonly redaction: () => Redaction;
  /** Text on the projects of a conversation: the same array until it changes. Absent: there are none. */
  readonly projectsOf?: (conversation: ConversationId) => readonly ProjectText[];
}

/**
 * Makes the builder of requests. It caches per conversation: the same branch, question and settings give the
 * same bytes, which providers can cache.
 */
export function createRequests(deps: RequestBuilderDeps) {
  return new RequestBuilder(deps);
}

class RequestBuilder {
  readonly #deps: RequestBuilderDeps;
  readonly #bounded: ReturnType<typeof withTimeout>;
  /** Relevance of compacted messages and their sentences to each conversation's latest question, by meaning. */
  readonly #understood = new Map<
    ConversationId,
    {
      readonly question: MessageId;
      readonly relevance: ReadonlyMap<MessageId, number>;
      readonly near: ReadonlyMap<Unit, number>;
    }
  >();
  /**
   * Compacted messages brought back for a question: the same bytes for every step of its
   * answer. The newest of each conversation.
   */
  readonly #returned = new Map<
    ConversationId,
    {
      readonly key: string;
      /** The messages up to the question, as they were sent. */
      readonly from: readonly Message[];
      readonly passages: readonly ReturnedPassage[];
    }
  >();
  readonly #missed = new Map<ConversationId, { readonly key: string; readonly losses: readonly Loss[] }>();
  /** The newest of each kind: a step builds the same request several times before it sends it. */
  readonly #built = new Map<boolean, { readonly of: readonly unknown[]; readonly made: Built }>();
  readonly redaction: () => Redaction;
  /** Documents that do not fit whole. */
  readonly fitting = new Fitting();

  constructor(deps: RequestBuilderDeps) {
    this.#deps = deps;
    this.#bounded = withTimeout(deps.meaning, MEANING_TIMEOUT_MS);
    this.redaction = deps.redaction;
  }

  /**
   * Compaction in force on a path, in the form for the prompt; an unreadable plan of a newer version is left
   * alone.
   */
  readonly appliedOn = (conversation: Conversation, path: readonly Message[]): AppliedPlan | null => {
    const made = compactionOn(conversation, path);
    if (!made) return null;
    const plan = planOf(made);
    if (!plan) return null;
    const worded = typeof made.summary === 'string' ? withSummaryText(plan, made.summary) : plan;
    const file = memoryFileOn(conversation, path);
    return {
      id: made.id,
      plan: file ? withMemoryFile(worded, file, path) : worded,
      keepVerbatim: keptIn(conversation),
    };
  };

  /**
   * Builds the request. `bringBack`: with compacted messages that the question needs; without, for the context meter.
   */
  readonly build = (
    conversation: Conversation,
    path: readonly Message[],
    options: RequestOptions,
    bringBack = false,
  ): Built => {
    const { messages, compactions, meta } = conversation;
    const { model, tools, recall, goesOn = false } = options;
    const of = [
      messages,
      compactions,
      meta.systemPrompt,
      this.projectsOf(conversation),
      this.#deps.personaOf?.(conversation),
      keptKey(keptIn(conversation)),
      memoryFileKey(conversation),
      path.length,
      path.at(-1),
      recall,
      goesOn,
      tools.length,
      this.#deps.meters.of(model),
      this.windowOf(model),
      this.#deps.config.get(),
      bringBack ? this.#understood.get(conversation.id) : undefined,
      this.#deps.redaction(),
    ];
    const known = this.#built.get(bringBack);
    if (known?.of.every((value, at) => Object.is(value, of[at]))) return known.made;
    const made = this.#make(conversation, path, options, bringBack);
    this.#built.set(bringBack, { of, made });
    return made;
  };

  projectsOf(conversation: Conversation): readonly ProjectText[] | undefined {
    return this.#deps.projectsOf?.(conversation.id);
  }

  /** Instructions in the order of their weight: the conversation's or the person's, and those of its projects. */
  systemOf(conversation: Conversation): string {
    const { chat } = this.#deps.config.get();
    const own = instructionsFor(conversation.meta, this.#deps.personaOf?.(conversation) ?? null, chat);
    return [own, ...(this.projectsOf(conversation) ?? []).map(({ words }) => words)].join('\n\n');
  }

  windowOf(model: ChatModel | null): number {
    return model?.contextWindow ?? this.#deps.config.get().context.window_tokens;
  }

  /** Compacted messages that the last answer on a path missed. */
  lossesOf(id: ConversationId, path: readonly Message[], applied: AppliedPlan): readonly Loss[] {
    const at = path.findLastIndex(isAnswer);
    const answer = path[at];
    if (!answer) return [];
    const key = `${answer.id} ${applied.id}`;
    const known = this.#missed.get(id);
    if (known?.key === key) return known.losses;
    const compacted = createCompactedSearch(path, applied);
    const asked = path.slice(0, at).findLast(isQuestion);
    const suspicious = suspectsIn(textOf(answer));
    const losses =
      suspicious === ''
        ? []
        : lossesIn({ parts: [{ type: 'text', text: suspicious }] }, asked ? textOf(asked) : '', compacted);
    this.#missed.set(id, { key, losses });
    return losses;
  }

  /** Size of the messages that an unsent question would bring back, by its words alone, tokens. */
  comingBack(
    conversation: Conversation,
    path: readonly Message[],
    question: string,
    meter: TokenMeter,
    tokensFree: number,
  ): number {
    const applied = this.appliedOn(conversation, path);
    if (!applied) return 0;
    const must = this.lossesOf(conversation.id, path, applied).flatMap(({ messages }) => messages);
    const near = createCompactedSearch(path, applied).nearest(question, MOST_NEAR, must);
    const passages = near.bringBack(question, { tokens: tokensFree, meter, must });
    return passages.length > 0 ? meter.text(renderReturned(passages)) : 0;
  }

  /**
   * Computes once for each question how relevant compacted messages and their sentences are to it, so that every step
   * of its answer gets the same. Throws only AbortError.
   */
  async understand(conversation: Conversation, path: readonly Message[], signal: AbortSignal): Promise<void> {
    const { id } = conversation;
    const question = path.findLast(isQuestion);
    if (!this.#deps.meaning.relevance || !question || this.#meantBy(id, question)) return;
    const sent = this.#deps.redaction().path(path);
    const applied = this.appliedOn(conversation, sent);
    if (!applied) return;
    const relevance = await this.#bounded.relevance(id, textOf(question), signal);
    // Reads unread messages while there is time: the most relevant first, then the newest.
    const messages = [...createCompactedSearch(sent, applied).messages]
      .reverse()
      .sort((a, b) => (relevance.get(b.id) ?? 0) - (relevance.get(a.id) ?? 0));
    const near = await this.#bounded.near(textOf(question), messages.flatMap(comparableUnits), signal);
    this.#understood.set(id, { question: question.id, relevance, near });
  }

  /** Picks compacted messages that answer the question at the end of the path, or that the answer before it missed. */
  #returnedFor(
    id: ConversationId,
    path: readonly Message[],
    applied: AppliedPlan,
    meter: TokenMeter,
    tokens: number,
  ): readonly ReturnedPassage[] {
    const at = path.findLastIndex(isQuestion);
    const question = path[at];
    if (!question) return [];
    const key = `${question.id} ${applied.id} ${keptKey(applied.keepVerbatim ?? [])} ${summaryTextOf(applied.plan)}`;
    const known = this.#returned.get(id);
    if (known?.key === key && known.from.every((message, place) => message === path[place]))
      return known.passages;
    const must = new Set(this.lossesOf(id, path.slice(0, at), applied).flatMap(({ messages }) => messages));
    const { relevance, near } = this.#meantBy(id, question) ?? {};
    const passages = createCompactedSearch(path, applied).bringBack(textOf(question), {
      tokens,
      meter,
      relevance,
      near,
      must: [...must],
    });
    this.#returned.set(id, { key, from: path.slice(0, at + 1), passages });
    return passages;
  }

  #meantBy(id: ConversationId, question: Message | undefined) {
    const known = this.#understood.get(id);
    return known && known.question === question?.id ? known : undefined;
  }

  #make(
    conversation: Conversation,
    stored: readonly Message[],
    { model, tools, recall, goesOn }: RequestOptions,
    bringBack: boolean,
  ): Built {
    const { chat, context, recall: recalling } = this.#deps.config.get();
    const redacted = this.#deps.redaction().path(stored);
    const window = this.windowOf(model);
    const meter = this.#deps.meters.of(model);
    const toolTokens = tools.length > 0 ? meter.text(JSON.stringify(tools)) : 0;
    const applied = this.appliedOn(conversation, redacted);
    const dispositions = applied ? dispositionsOf(applied.plan, redacted, applied.keepVerbatim) : null;
    const { path, files } = this.fitting.path(
      redacted,
      window - reserveOf(window, context.reserved_tokens) - toolTokens,
      (at) => dispositions !== null && dispositions[at]?.action !== 'keep',
    );
    const promptWith = (brought: readonly ReturnedPassage[]) =>
      buildPrompt({
        path,
        recall: recall && this.#deps.redaction().part(recall),
        system: instructionsFor(conversation.meta, this.#deps.personaOf?.(conversation) ?? null, chat),
        projects: this.projectsOf(conversation),
        window,
        reserve: context.reserved_tokens,
        applied,
        returned: brought,
        meter,
        tools: toolTokens,
        files,
        goesOn,
      });
    let prompt = promptWith([]);
    // Messages that are brought back do not count in the decision: they only fill free space.
    const base = prompt.manifest.request.tokens;
    const budget: CompactionBudget = {
      ...budgetOf(context, window, toolTokens + base.recall),
      keepMessages: context.summary_keep_messages,
    };
    const pressed = isPressed(base.total, budget) || prompt.manifest.cut;
    const crowded =
      context.compact_threshold > 0 &&
      redacted.filter(
        ({ kind }, at) => kind === 'message' && (dispositions?.[at]?.action ?? 'keep') === 'keep',
      ).length >= context.compact_threshold;
    if (applied && bringBack) {
      const tokensFree = returnBudget(prompt.manifest.limit, base.total, recalling.context.max_total_tokens);
      const brought = this.#returnedFor(conversation.id, path, applied, meter, tokensFree);
      if (brought.length > 0) prompt = promptWith(brought);
    }
    return { prompt, budget, pressed, crowded, total: prompt.manifest.request.tokens.total };
  }
}

/** Picks sentences that may show a gap: questions first, then those that name something definite. */
function suspectsIn(answer: string): string {
  const sentences = sentencesOf(answer.slice(0, 20_000));
  const asking = sentences.filter(asksBack).slice(-4);
  const claiming = sentences.filter((sentence) => /\d|\//.test(sentence) && !asking.includes(sentence));
  return [...asking, ...claiming.slice(0, 20)].join('\n');
}
