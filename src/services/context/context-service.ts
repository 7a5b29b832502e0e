// Keeps what a model sees within its window, and tells how. Strategies plan (`domain/context/compaction`), this carries plans out:
//
//   step ──► request ──► too large? ──► begin ─► strategy.plan ─► (confirm) ─► stored in the document ─► end ──► request again
//                           └─ no ──► send                                          undo = one flag, any time
//
// A compaction that fails leaves everything as it was: the request is sent all the same, without its oldest turns if it must be.
import type { Drawer } from '../../adapters/log/conversation-log.ts';
import type { ChatModel, ToolDescription } from '../../adapters/models/chat-model.ts';
import { type Problem, RecollectError, toProblem } from '../../domain/base/errors.ts';
import type { ConversationId } from '../../domain/base/ids.ts';
import type { Readable } from '../../domain/base/readable.ts';
import { type Conversation, effectiveHead, pathTo } from '../../domain/chat/conversation.ts';
import { keptIn, keptKey } from '../../domain/chat/kept.ts';
import { type Message, textOf } from '../../domain/chat/message.ts';
import { gaugeOf, type Price, roomToReturn } from '../../domain/context/budget.ts';
import { type RequestLedger, requestLedgerSchema } from '../../domain/context/ledger.ts';
import { MESSAGE_OVERHEAD, type TokenCounter } from '../../domain/context/meter.ts';
import type { BuiltPrompt } from '../../domain/context/prompt.ts';
import { renderRecall } from '../../domain/context/recalled.ts';
import type { Config } from '../../domain/settings/config.ts';
import type { Documents } from '../documents/documents.ts';
import type { Notes } from '../documents/notes.ts';
import { createAftercare } from './aftercare.ts';
import { createCheckpointDesk } from './checkpoints.ts';
import { createCompacting } from './compacting.ts';
import type { ContextControl } from './context.ts';
import type { MeaningSource } from './meaning.ts';
import { createMeters } from './meters.ts';
import { createPlanning } from './planning.ts';
import { type Built, createRequests } from './requests.ts';
import { createSessions } from './sessions.ts';
import { SUMMARY_PATIENCE_MS } from './summarise.ts';
import type { StepRequest, TurnContext } from './turn-context.ts';
import { createUpkeep } from './upkeep.ts';
import { createWithheld } from './withholding.ts';

export interface ContextDependencies {
  readonly documents: Pick<Documents, 'library' | 'read' | 'change' | 'open'>;
  readonly drawer: Drawer;
  /** The model that would answer in a conversation now, or in a new one; null: memory answers. */
  readonly model: (conversation?: Conversation) => ChatModel | null;
  readonly config: Readable<Config>;
  /** ms since 1970 */
  readonly now: () => number;
  readonly device: string;
  /** Tools that would be offered with a request in a conversation, or in a new one. */
  readonly tools?: ((conversation: ConversationId | null) => readonly ToolDescription[]) | undefined;
  /** The model's own tokenizer, once it is loaded. */
  readonly counterFor?: ((model: ChatModel) => TokenCounter | undefined) | undefined;
  readonly priceOf?: ((model: ChatModel) => Price | null) | undefined;
  /** What the memory index knows of a conversation; absent: words alone decide. */
  readonly meaning?: MeaningSource | undefined;
  /** What the person said of memory; absent: what conversations were given of it stays as it is. */
  readonly notes?: Pick<Notes, 'state' | 'known'> | undefined;
  /** Longest time for one summary, ms. */
  readonly summaryPatienceMs?: number;
  readonly onProblem?: (problem: Problem) => void;
}

/** After an attempt that did not help, the next one waits until the request has grown by this factor. */
const GROWTH = 1.1;

/** Above so many messages that nothing was read of yet, the gauge leaves out what would be brought back. */
const MANY_UNREAD = 200;

/** Creates the service. Nothing happens before the first call. */
export function createContext(deps: ContextDependencies): ContextControl & TurnContext {
  const { documents, drawer, config, now, model } = deps;
  const onProblem = deps.onProblem ?? (() => undefined);
  const tools = (conversation: ConversationId | null) => deps.tools?.(conversation) ?? [];
  const priceOf = (priced: ChatModel) => deps.priceOf?.(priced) ?? null;
  const patienceMs = deps.summaryPatienceMs ?? SUMMARY_PATIENCE_MS;
  const closing = new AbortController();
  const needed = async (id: ConversationId): Promise<Conversation> => {
    const conversation = await documents.read(id);
    if (!conversation) throw new RecollectError('conversation-missing', `There is no conversation ${id}`);
    return conversation;
  };

  const sessions = createSessions();
  const meters = createMeters({ drawer, counterFor: (counted) => deps.counterFor?.(counted), onProblem });
  const meaning = deps.meaning ?? {};
  const withheld = createWithheld({
    library: documents.library,
    notes: deps.notes,
    closing: closing.signal,
  });
  const ready = async (): Promise<void> => void (await Promise.all([meters.ready, withheld.known()]));
  const requests = createRequests({ config, meters, meaning, withholding: withheld.now });
  const upkeep = createUpkeep({
    drawer,
    documents,
    config,
    patienceMs,
    withholding: withheld.now,
    onState: (id, state) => sessions.set(sessions.of(id), { upkeep: state }),
  });
  const planning = createPlanning({
    config,
    meters,
    requests,
    upkeep,
    now,
    device: deps.device,
    priceOf,
    meaning,
    patienceMs,
  });
  const compacting = createCompacting({
    documents,
    needed,
    sessions,
    planning,
    config,
    model,
    tools,
    now,
    ready,
    closing: closing.signal,
  });
  const aftercare = createAftercare({
    documents,
    sessions,
    requests,
    meters,
    upkeep,
    config,
    ready,
    model,
    closing: closing.signal,
  });
  const lookAfter = (id: ConversationId) =>
    void aftercare.lookAfter(id).catch((error) => onProblem(toProblem(error)));

  // ---------------------------------------------------------------------------------------- for turns
  const builtFor = (request: Omit<StepRequest, 'signal' | 'onStatus'>, bringBack = true) => {
    const conversation = request.conversation();
    const path = pathTo(conversation.messages, request.leaf);
    return requests.build(conversation, path, { ...request, goesOn: true }, bringBack);
  };
  /** As it will be sent: what is brought back by the words of the question, and by its meaning where the index knows it in time. */
  const sendable = async (request: StepRequest) => {
    const conversation = request.conversation();
    await requests.understand(conversation, pathTo(conversation.messages, request.leaf), request.signal);
    return builtFor(request);
  };

  const turns: TurnContext = {
    pressure: (request) => {
      const { total, prompt, budget } = builtFor(request, false);
      // What does not even fit counts as full.
      return prompt.ledger.cut ? Math.max(1, total / budget.window) : total / budget.window;
    },

    prepare: async (request) => {
      await ready();
      request.signal.throwIfAborted();
      const session = sessions.of(request.id);
      let built = await sendable(request);
      const again = session.futile === 0 || wantedOf(built) >= session.futile * GROWTH;
      if (built.pressed && again) {
        const changed = await compacting.forStep(request, 'auto', false);
        request.signal.throwIfAborted();
        if (changed) built = await sendable(request);
        session.futile = changed && !built.pressed ? 0 : wantedOf(built);
      }
      request.onStatus('waiting');
      return { prompt: built.prompt, ledger: withParameters(built.prompt.ledger.request, request.model) };
    },

    makeRoom: async (request) => {
      await ready();
      const before = builtFor(request).total;
      const changed = await compacting.forStep(request, 'length', true);
      return changed && builtFor(request).total < before * 0.95;
    },

    learn: (model, ledger, usage) => meters.learn(model, ledger, usage),

    settled: (id) => lookAfter(id),
  };

  // ---------------------------------------------------------------------------------------- for people
  /** The request as it stands before anything is typed; made again only where something it depends on is different. */
  let stands: { readonly of: readonly unknown[]; readonly built: Built } | undefined;

  function standing(conversation: Conversation | undefined, answering: ChatModel | null): Built {
    const head = conversation ? effectiveHead(conversation) : null;
    const described = answering ? tools(conversation?.id ?? null) : [];
    const of = [
      conversation?.messages,
      conversation?.compactions,
      conversation?.meta.systemPrompt,
      conversation && keptKey(keptIn(conversation)),
      head,
      config.get(),
      meters.of(answering),
      requests.windowOf(answering),
      described.length,
      withheld.now(),
    ];
    if (stands?.of.every((value, at) => Object.is(value, of[at]))) return stands.built;
    const path = conversation ? pathTo(conversation.messages, head) : [];
    if (conversation && path.some((message) => !aftercare.isRead(message))) lookAfter(conversation.id);
    const built = requests.build(conversation ?? EMPTY, path, {
      model: answering,
      tools: described,
      recall: null,
    });
    stands = { of, built };
    return built;
  }

  /** Bringing back reads what was not read yet: typing does not wait for that. */
  const isReadAlready = (path: readonly Message[]): boolean =>
    path.filter((message) => !aftercare.isRead(message)).length <= MANY_UNREAD;

  const control: ContextControl = {
    state: (id) => sessions.of(id).state,
    onEvent: sessions.onEvent,
    compact: compacting.compact,
    adjust: compacting.adjust,
    apply: compacting.apply,
    cancel: compacting.cancel,
    undo: compacting.undo,
    redo: compacting.redo,
    rewrite: compacting.rewrite,
    again: compacting.again,

    next: async (id, draft, announced = []) => {
      await meters.ready;
      const conversation = id === null ? undefined : await documents.read(id);
      if (id !== null && !conversation) return null;
      const answering = model(conversation);
      const built = standing(conversation, answering);
      // What is typed costs what it costs: the rest need not be made anew for every letter.
      const typed = draft.length > 0 ? meters.of(answering).parts(draft) + MESSAGE_OVERHEAD : 0;
      const { request } = built.prompt.ledger;
      const { tokens } = request;
      const meter = meters.of(answering);
      const recall =
        typed > 0 && announced.length > 0 ? meter.text(renderRecall({ passages: announced })) : 0;
      const asked = tokens.total + typed + recall;
      const room = roomToReturn(request.limit, asked, config.get().recall.context.max_total_tokens);
      const path = conversation ? pathTo(conversation.messages, effectiveHead(conversation)) : [];
      const returned =
        typed > 0 && conversation && isReadAlready(path)
          ? requests.comingBack(
              conversation,
              withheld.now().path(path),
              textOf({ parts: draft }),
              meter,
              room,
            )
          : 0;
      const total = asked + returned;
      const ledger: RequestLedger =
        typed === 0
          ? request
          : {
              ...request,
              tokens: {
                ...tokens,
                messages: tokens.messages + typed,
                recall: tokens.recall + recall,
                returned: tokens.returned + returned,
                total,
              },
              overflow: request.overflow || total > request.limit,
            };
      return {
        gauge: gaugeOf(ledger, built.budget, answering ? priceOf(answering) : null),
        ledger: withParameters(ledger, answering),
        model: answering?.id ?? null,
      };
    },

    ledger: async (id, answer) => {
      const message = (await needed(id)).messages.get(answer);
      return requestLedgerSchema.safeParse(message?.ledger).data ?? null;
    },

    ...createCheckpointDesk({ documents, config, now }),

    close: async () => {
      closing.abort(new DOMException('Closing', 'AbortError'));
      upkeep.close();
      await sessions.end();
    },
  };

  return { ...control, ...turns };
}

/** The ledger with what is sent besides the messages. */
const withParameters = (ledger: RequestLedger, model: ChatModel | null): RequestLedger =>
  model?.parameters ? { ...ledger, parameters: model.parameters } : ledger;

/** A conversation that has not begun. */
const EMPTY: Conversation = {
  id: '' as ConversationId,
  meta: { systemPrompt: null } as Conversation['meta'],
  messages: new Map(),
  checkpoints: new Map(),
  compactions: new Map(),
};

/** Tokens of a request with what was left out for want of room: this grows on where the request itself cannot. */
const wantedOf = ({ total, prompt }: { readonly total: number; readonly prompt: BuiltPrompt }): number =>
  prompt.ledger.request.lines.reduce(
    (sum, line) => (line.form === 'out' && line.why === 'window' ? sum + line.tokens : sum),
    total,
  );
