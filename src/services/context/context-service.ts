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
import { contextMeterOf, type Price, returnBudget } from '../../domain/context/budget.ts';
import { type RequestManifest, requestManifestSchema } from '../../domain/context/manifest.ts';
import { MESSAGE_OVERHEAD, type TokenCounter } from '../../domain/context/meter.ts';
import type { BuiltPrompt } from '../../domain/context/prompt.ts';
import { renderRecall } from '../../domain/context/recalled.ts';
import type { Config } from '../../domain/settings/config.ts';
import type { Documents } from '../documents/documents.ts';
import type { Notes } from '../documents/notes.ts';
import { createCheckpoints } from './checkpoints.ts';
import { createCompacting } from './compacting.ts';
import type { ContextControl } from './context.ts';
import type { MeaningSource } from './meaning.ts';
import { createMeters } from './meters.ts';
import { createPlanning } from './planning.ts';
import { createPostTurnTasks } from './post-turn-tasks.ts';
import { createCurrentRedaction } from './redaction.ts';
import { type Built, createRequests } from './requests.ts';
import { createSessionMemoryJob } from './session-memory-job.ts';
import { createSessions } from './sessions.ts';
import { SUMMARY_TIMEOUT_MS } from './summarise.ts';
import type { StepRequest, TurnContext } from './turn-context.ts';

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
  readonly summaryTimeoutMs?: number;
  readonly onProblem?: (problem: Problem) => void;
}

/** After an attempt that did not help, the next one waits until the request has grown by this factor. */
const GROWTH = 1.1;

/** Above so many messages that nothing was read of yet, the context meter leaves out what would be brought back. */
const MANY_UNREAD = 200;

/** Creates the service. Nothing happens before the first call. */
export function createContext(deps: ContextDependencies): ContextControl & TurnContext {
  const { documents, drawer, config, now, model } = deps;
  const onProblem = deps.onProblem ?? (() => undefined);
  const tools = (conversation: ConversationId | null) => deps.tools?.(conversation) ?? [];
  const priceOf = (priced: ChatModel) => deps.priceOf?.(priced) ?? null;
  const timeoutMs = deps.summaryTimeoutMs ?? SUMMARY_TIMEOUT_MS;
  const closing = new AbortController();
  const needed = async (id: ConversationId): Promise<Conversation> => {
    const conversation = await documents.read(id);
    if (!conversation) throw new RecollectError('conversation-missing', `There is no conversation ${id}`);
    return conversation;
  };

  const sessions = createSessions();
  const meters = createMeters({ drawer, counterFor: (counted) => deps.counterFor?.(counted), onProblem });
  const meaning = deps.meaning ?? {};
  const currentRedaction = createCurrentRedaction({
    library: documents.library,
    notes: deps.notes,
    closing: closing.signal,
  });
  const ready = async (): Promise<void> => void (await Promise.all([meters.ready, currentRedaction.known()]));
  const requests = createRequests({ config, meters, meaning, redaction: currentRedaction.now });
  const sessionMemoryJob = createSessionMemoryJob({
    drawer,
    documents,
    config,
    timeoutMs,
    redaction: currentRedaction.now,
    onState: (id, state) => sessions.set(sessions.of(id), { sessionMemory: state }),
  });
  const planning = createPlanning({
    config,
    meters,
    requests,
    sessionMemoryJob,
    now,
    device: deps.device,
    priceOf,
    meaning,
    timeoutMs,
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
  const postTurnTasks = createPostTurnTasks({
    documents,
    sessions,
    requests,
    meters,
    sessionMemoryJob,
    config,
    ready,
    model,
    closing: closing.signal,
  });
  const runPostTurnTasks = (id: ConversationId) =>
    void postTurnTasks.run(id).catch((error) => onProblem(toProblem(error)));

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
      return prompt.manifest.cut ? Math.max(1, total / budget.window) : total / budget.window;
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
      return { prompt: built.prompt, manifest: withParameters(built.prompt.manifest.request, request.model) };
    },

    compactAfterCutOff: async (request) => {
      await ready();
      const before = builtFor(request).total;
      const changed = await compacting.forStep(request, 'length', true);
      return changed && builtFor(request).total < before * 0.95;
    },

    learn: (model, manifest, usage) => meters.learn(model, manifest, usage),

    settled: (id) => runPostTurnTasks(id),
  };

  // ---------------------------------------------------------------------------------------- for people
  /** The request as it stands before anything is typed; made again only where something it depends on is different. */
  let lastBuilt: { readonly of: readonly unknown[]; readonly built: Built } | undefined;

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
      currentRedaction.now(),
    ];
    if (lastBuilt?.of.every((value, at) => Object.is(value, of[at]))) return lastBuilt.built;
    const path = conversation ? pathTo(conversation.messages, head) : [];
    if (conversation && path.some((message) => !postTurnTasks.isRead(message)))
      runPostTurnTasks(conversation.id);
    const built = requests.build(conversation ?? EMPTY, path, {
      model: answering,
      tools: described,
      recall: null,
    });
    lastBuilt = { of, built };
    return built;
  }

  /** Bringing back reads what was not read yet: typing does not wait for that. */
  const isReadAlready = (path: readonly Message[]): boolean =>
    path.filter((message) => !postTurnTasks.isRead(message)).length <= MANY_UNREAD;

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
      const { request } = built.prompt.manifest;
      const { tokens } = request;
      const meter = meters.of(answering);
      const recall =
        typed > 0 && announced.length > 0
          ? meter.text(renderRecall({ passages: announced, quoting: 'lines' }))
          : 0;
      const asked = tokens.total + typed + recall;
      const returnable = returnBudget(request.limit, asked, config.get().recall.context.max_total_tokens);
      const path = conversation ? pathTo(conversation.messages, effectiveHead(conversation)) : [];
      const returned =
        typed > 0 && conversation && isReadAlready(path)
          ? requests.comingBack(
              conversation,
              currentRedaction.now().path(path),
              textOf({ parts: draft }),
              meter,
              returnable,
            )
          : 0;
      const total = asked + returned;
      const manifest: RequestManifest =
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
        contextMeter: contextMeterOf(manifest, built.budget, answering ? priceOf(answering) : null),
        manifest: withParameters(manifest, answering),
        model: answering?.id ?? null,
      };
    },

    manifest: async (id, answer) => {
      const message = (await needed(id)).messages.get(answer);
      return requestManifestSchema.safeParse(message?.ledger).data ?? null;
    },

    ...createCheckpoints({ documents, config, now }),

    close: async () => {
      closing.abort(new DOMException('Closing', 'AbortError'));
      sessionMemoryJob.close();
      await sessions.end();
    },
  };

  return { ...control, ...turns };
}

/** The manifest with what is sent besides the messages. */
const withParameters = (manifest: RequestManifest, model: ChatModel | null): RequestManifest =>
  model?.parameters ? { ...manifest, parameters: model.parameters } : manifest;

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
  prompt.manifest.request.lines.reduce(
    (sum, line) => (line.form === 'out' && line.why === 'window' ? sum + line.tokens : sum),
    total,
  );
