// What a model would be sent of a branch: the messages as the compaction in force says, with what of the compacted ones the question needs.
// Pure but for its caches: the same branch gives the same bytes.
import type { ChatModel, ToolDescription } from '../../adapters/models/chat-model.ts';
import type { ConversationId, MessageId } from '../../domain/base/ids.ts';
import type { Readable } from '../../domain/base/readable.ts';
import { compactionOn } from '../../domain/chat/compaction.ts';
import type { Conversation } from '../../domain/chat/conversation.ts';
import { keptIn, keptKey } from '../../domain/chat/kept.ts';
import { type Message, type PartOf, textOf } from '../../domain/chat/message.ts';
import { budgetOf, isPressed, returnBudget } from '../../domain/context/budget.ts';
import {
  createCompactedSearch,
  type ReturnedPassage,
  renderReturned,
} from '../../domain/context/compacted.ts';
import {
  type AppliedPlan,
  planOf,
  summaryTextOf,
  withSummaryText,
} from '../../domain/context/compaction/plan.ts';
import type { CompactionBudget } from '../../domain/context/compaction/strategy.ts';
import { asksBack, type Loss, lossIn } from '../../domain/context/loss.ts';
import type { TokenMeter } from '../../domain/context/meter.ts';
import { type BuiltPrompt, buildPrompt } from '../../domain/context/prompt.ts';
import type { Redaction } from '../../domain/context/redaction.ts';
import { sentencesOf } from '../../domain/memory/sentences.ts';
import type { Config } from '../../domain/settings/config.ts';
import { type MeaningSource, withTimeout } from './meaning.ts';
import type { Meters } from './meters.ts';

/** A send waits for the meaning of its question no longer than this, ms. */
const MEANING_TIMEOUT_MS = 1000;

/** Folded messages in which the context meter looks for what will be brought back. */
const MOST_NEAR = 256;

export interface Built {
  readonly prompt: BuiltPrompt;
  readonly budget: CompactionBudget;
  /** It is time to compact, or something was left out for want of room already. */
  readonly pressed: boolean;
  /** The whole request, tokens. */
  readonly total: number;
}

export interface RequestOptions {
  readonly model: ChatModel | null;
  readonly tools: readonly ToolDescription[];
  /** Memory for the answer to come. */
  readonly recall: PartOf<'recall'> | null;
  /** It is sent: an answer at its end is one to go on with. */
  readonly goesOn?: boolean;
}

const isQuestion = ({ role, kind }: Message): boolean => role === 'user' && kind === 'message';
const isAnswer = ({ role, kind }: Message): boolean => role === 'assistant' && kind === 'message';

export type Requests = ReturnType<typeof createRequests>;

export function createRequests({
  config,
  meters,
  meaning,
  redaction,
}: {
  config: Readable<Config>;
  meters: Meters;
  meaning: MeaningSource;
  redaction: () => Redaction;
}) {
  const bounded = withTimeout(meaning, MEANING_TIMEOUT_MS);
  /** How compacted messages bear on the question that was asked last in each conversation, by meaning. */
  const understood = new Map<
    ConversationId,
    { readonly question: MessageId; readonly relevance: ReadonlyMap<MessageId, number> }
  >();

  /** What of compacted messages goes with a question: the same bytes for every step of its answer. The newest of each conversation. */
  const returned = new Map<
    ConversationId,
    {
      readonly key: string;
      /** The messages up to the question, as they were sent. */
      readonly from: readonly Message[];
      readonly passages: readonly ReturnedPassage[];
    }
  >();
  const missed = new Map<ConversationId, { readonly key: string; readonly losses: readonly Loss[] }>();

  const windowOf = (model: ChatModel | null): number =>
    model?.contextWindow ?? config.get().context.window_tokens;

  /** What is in force on a path, as the prompt is made from it; a plan of a newer version that cannot be read is left alone. */
  function appliedOn(conversation: Conversation, path: readonly Message[]): AppliedPlan | null {
    const made = compactionOn(conversation, path);
    if (!made) return null;
    const plan = planOf(made);
    if (!plan) return null;
    return {
      id: made.id,
      plan: typeof made.summary === 'string' ? withSummaryText(plan, made.summary) : plan,
      keepVerbatim: keptIn(conversation),
    };
  }

  /** What the last answer on a path missed of what was compacted when it was given. */
  function lossesOf(id: ConversationId, path: readonly Message[], applied: AppliedPlan): readonly Loss[] {
    const at = path.findLastIndex(isAnswer);
    const answer = path[at];
    if (!answer) return [];
    const key = `${answer.id} ${applied.id}`;
    const known = missed.get(id);
    if (known?.key === key) return known.losses;
    const compacted = createCompactedSearch(path, applied);
    const asked = path.slice(0, at).findLast(isQuestion);
    const suspicious = suspectsIn(textOf(answer));
    const losses =
      suspicious === ''
        ? []
        : lossIn({ parts: [{ type: 'text', text: suspicious }] }, asked ? textOf(asked) : '', compacted);
    missed.set(id, { key, losses });
    return losses;
  }

  /** What of the compacted messages answers the question at the end of the path, and what the answer before it had missed. */
  function returnedFor(
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
    const known = returned.get(id);
    if (known?.key === key && known.from.every((message, place) => message === path[place]))
      return known.passages;
    const must = new Set(lossesOf(id, path.slice(0, at), applied).flatMap(({ messages }) => messages));
    const { relevance } = meantBy(id, question) ?? {};
    const passages = createCompactedSearch(path, applied).bringBack(textOf(question), {
      tokens,
      meter,
      relevance,
      must: [...must],
    });
    returned.set(id, { key, from: path.slice(0, at + 1), passages });
    return passages;
  }

  /** What a question that is not asked yet would bring back, by its words alone, tokens. */
  function comingBack(
    conversation: Conversation,
    path: readonly Message[],
    question: string,
    meter: TokenMeter,
    tokensFree: number,
  ): number {
    const applied = appliedOn(conversation, path);
    if (!applied) return 0;
    const must = lossesOf(conversation.id, path, applied).flatMap(({ messages }) => messages);
    const near = createCompactedSearch(path, applied).nearest(question, MOST_NEAR, must);
    const passages = near.bringBack(question, { tokens: tokensFree, meter, must });
    return passages.length > 0 ? meter.text(renderReturned(passages)) : 0;
  }

  const meantBy = (id: ConversationId, question: Message | undefined) => {
    const known = understood.get(id);
    return known && known.question === question?.id ? known : undefined;
  };

  /**
   * Asks the index how the compacted messages bear on the question at the end of the path, once for each question: every step of its answer
   * gets the same. Throws AbortError only.
   */
  async function understand(
    conversation: Conversation,
    path: readonly Message[],
    signal: AbortSignal,
  ): Promise<void> {
    const { id } = conversation;
    const question = path.findLast(isQuestion);
    if (!meaning.relevance || !question || meantBy(id, question) || !appliedOn(conversation, path)) return;
    const relevance = await bounded.relevance(id, textOf(question), signal);
    understood.set(id, { question: question.id, relevance });
  }

  /** The newest of each kind: a step looks at the same request several times before it sends it. */
  const built = new Map<boolean, { readonly of: readonly unknown[]; readonly made: Built }>();

  /** `bringBack`: with what of the compacted messages the question needs; without, it is a context meter. */
  function build(
    conversation: Conversation,
    path: readonly Message[],
    options: RequestOptions,
    bringBack = false,
  ): Built {
    const { messages, compactions, meta } = conversation;
    const { model, tools, recall, goesOn = false } = options;
    const of = [
      messages,
      compactions,
      meta.systemPrompt,
      keptKey(keptIn(conversation)),
      path.length,
      path.at(-1),
      recall,
      goesOn,
      tools.length,
      meters.of(model),
      windowOf(model),
      config.get(),
      bringBack ? understood.get(conversation.id) : undefined,
      redaction(),
    ];
    const known = built.get(bringBack);
    if (known?.of.every((value, at) => Object.is(value, of[at]))) return known.made;
    const made = make(conversation, path, options, bringBack);
    built.set(bringBack, { of, made });
    return made;
  }

  function make(
    conversation: Conversation,
    stored: readonly Message[],
    { model, tools, recall, goesOn }: RequestOptions,
    bringBack: boolean,
  ): Built {
    const { chat, context, recall: recalling } = config.get();
    const path = redaction().path(stored);
    const window = windowOf(model);
    const meter = meters.of(model);
    const toolTokens = tools.length > 0 ? meter.text(JSON.stringify(tools)) : 0;
    const applied = appliedOn(conversation, path);
    const promptWith = (brought: readonly ReturnedPassage[]) =>
      buildPrompt({
        path,
        recall: recall && redaction().part(recall),
        system: conversation.meta.systemPrompt ?? chat.instructions,
        window,
        reserve: context.reserved_tokens,
        applied,
        returned: brought,
        meter,
        tools: toolTokens,
        goesOn,
      });
    let prompt = promptWith([]);
    // What is brought back does not weigh when it is asked whether it is time: it fills what is free.
    const base = prompt.manifest.request.tokens;
    const budget: CompactionBudget = {
      ...budgetOf(context, window, toolTokens + base.recall),
      keepMessages: context.summary_keep_messages,
    };
    const pressed = isPressed(base.total, budget) || prompt.manifest.cut;
    if (applied && bringBack) {
      const tokensFree = returnBudget(prompt.manifest.limit, base.total, recalling.context.max_total_tokens);
      const brought = returnedFor(conversation.id, path, applied, meter, tokensFree);
      if (brought.length > 0) prompt = promptWith(brought);
    }
    return { prompt, budget, pressed, total: prompt.manifest.request.tokens.total };
  }

  return { windowOf, redaction, appliedOn, lossesOf, comingBack, understand, build };
}

/** Sentences of an answer that may tell of something missing: what asks back first, then what names something definite. */
function suspectsIn(answer: string): string {
  const sentences = sentencesOf(answer.slice(0, 20_000));
  const asking = sentences.filter(asksBack).slice(-4);
  const claiming = sentences.filter((sentence) => /\d|\//.test(sentence) && !asking.includes(sentence));
  return [...asking, ...claiming.slice(0, 20)].join('\n');
}
