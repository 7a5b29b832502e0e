// Keeps requests within a model's window, and shows how. Strategies plan
// (`domain/context/compaction`), this service carries plans out:
//
//   step ──► request ──► too large? ──► begin ─► strategy.plan ─► (confirm) ─► into the document ─► end ──► request
//                          └─ no ──► send                                          undo = one flag, any time
//
// A failed compaction changes nothing: the request is still sent, without its oldest turns if need be.
import type { KeyValues } from '../../adapters/log/conversation-log.ts';
import type { ChatModel, ToolDescription } from '../../adapters/models/chat-model.ts';
import { type Problem, RecollectError, toProblem } from '../../domain/base/errors.ts';
import type { ConversationId, MessageId } from '../../domain/base/ids.ts';
import type { Readable } from '../../domain/base/readable.ts';
import { type Conversation, effectiveHead, pathTo } from '../../domain/chat/conversation.ts';
import { keptIn, keptKey } from '../../domain/chat/kept.ts';
import { memoryFileKey } from '../../domain/chat/memory-file.ts';
import type { Part, RecalledPassage } from '../../domain/chat/message.ts';
import { type Message, textOf } from '../../domain/chat/message.ts';
import { contextMeterOf, type Price, returnBudget } from '../../domain/context/budget.ts';
import { type RequestManifest, requestManifestSchema } from '../../domain/context/manifest.ts';
import { MESSAGE_OVERHEAD, type TokenCounter } from '../../domain/context/meter.ts';
import { beginsAnotherTask } from '../../domain/context/phase.ts';
import type { BuiltPrompt } from '../../domain/context/prompt.ts';
import { renderRecall } from '../../domain/context/recalled.ts';
import type { Config } from '../../domain/settings/config.ts';
import type { Documents } from '../documents/documents.ts';
import type { Notes } from '../documents/notes.ts';
import type { Recognising } from '../memory/recognising.ts';
import type { Prompts } from '../prompts/prompts.ts';
import { createCheckpoints } from './checkpoints.ts';
import { createCompacting } from './compacting.ts';
import type { ContextControl, ContextState, NextRequest } from './context.ts';
import type { MeaningSource } from './meaning.ts';
import { createMemoryFiles } from './memory-files.ts';
import type { Meters } from './meters.ts';
import { createMeters } from './meters.ts';
import { createPlanning } from './planning.ts';
import { createPostTurnTasks } from './post-turn-tasks.ts';
import { createProjectWords } from './project-words.ts';
import { createCurrentRedaction } from './redaction.ts';
import { type Built, createRequests } from './requests.ts';
import { createSessionMemoryJob } from './session-memory-job.ts';
import { createSessions, type Sessions } from './sessions.ts';
import { SUMMARY_TIMEOUT_MS } from './summarise.ts';
import type { PreparedStep, StepRequest, TurnContext } from './turn-context.ts';

export interface ContextDependencies {
  readonly documents: Pick<Documents, 'library' | 'read' | 'change' | 'open'>;
  readonly keyValues: KeyValues;
  /** Model that would answer in a conversation now, or in a new one; null: memory answers. */
  readonly model: (conversation?: Conversation) => ChatModel | null;
  readonly config: Readable<Config>;
  /** ms since 1970 */
  readonly now: () => number;
  readonly device: () => string;
  /** Tools that would be offered in a conversation, or in a new one. */
  readonly tools?: ((conversation: ConversationId | null) => readonly ToolDescription[]) | undefined;
  /** The model's own tokenizer, once it is loaded. */
  readonly counterFor?: ((model: ChatModel) => TokenCounter | undefined) | undefined;
  readonly priceOf?: ((model: ChatModel) => Price | null) | undefined;
  /** Persona of a conversation; absent: none anywhere. */
  readonly personaOf?: Prompts['personaOf'] | undefined;
  /** Scores and vectors from the memory index; absent: words alone decide. */
  readonly meaning?: MeaningSource | undefined;
  /** Memory notes and feedback; absent: no memory is redacted. */
  readonly notes?: Pick<Notes, 'state' | 'known'> | undefined;
  /** Recognises a person's sentences that must stay word for word; absent: by their words alone. */
  readonly recognising?: Recognising | undefined;
  /** Longest time for one summary, ms. */
  readonly summaryTimeoutMs?: number;
  readonly onProblem?: (problem: Problem) => void;
}

/** After an attempt that did not help, the next one waits until the request has grown by this factor. */
const GROWTH = 1.1;

/** Between two tasks a conversation is compacted from this share of the usual trigger on. */
const BETWEEN_TASKS = 0.5;

/** With more unread messages than this, the context meter leaves out what would be brought back. */
const MANY_UNREAD = 200;

/**
 * Creates the service. Nothing happens before the first call. `sessions`: states of
 * conversations that somebody may look at already.
 */
export function createContext(
  deps: ContextDependencies,
  sessions = createSessions(),
): ContextControl & TurnContext {
  return new ContextService(deps, sessions);
}

class ContextService implements ContextControl, TurnContext {
  readonly #deps: ContextDependencies;
  readonly #onProblem: (problem: Problem) => void;
  readonly #closing = new AbortController();
  readonly #sessions: Sessions;
  readonly #meters: Meters;
  readonly #currentRedaction: ReturnType<typeof createCurrentRedaction>;
  readonly #requests: ReturnType<typeof createRequests>;
  readonly #sessionMemoryJob: ReturnType<typeof createSessionMemoryJob>;
  readonly #compacting: ReturnType<typeof createCompacting>;
  readonly #postTurnTasks: ReturnType<typeof createPostTurnTasks>;
  /** The request before anything is typed; rebuilt only if one of its inputs has changed. */
  #lastBuilt: { readonly of: readonly unknown[]; readonly built: Built } | undefined;
  readonly #named: ReturnType<typeof createCheckpoints>;
  readonly onEvent: ContextControl['onEvent'];
  readonly compact: ContextControl['compact'];
  readonly adjust: ContextControl['adjust'];
  readonly apply: ContextControl['apply'];
  readonly cancel: ContextControl['cancel'];
  readonly undo: ContextControl['undo'];
  readonly redo: ContextControl['redo'];
  readonly rewrite: ContextControl['rewrite'];
  readonly again: ContextControl['again'];
  readonly memoryFile: ContextControl['memoryFile'];
  readonly saveMemoryFile: ContextControl['saveMemoryFile'];
  readonly remakeMemoryFile: ContextControl['remakeMemoryFile'];
  readonly checkpoints: ContextControl['checkpoints'];
  readonly find: ContextControl['find'];
  readonly checkpoint: ContextControl['checkpoint'];
  readonly removeCheckpoint: ContextControl['removeCheckpoint'];
  readonly renameCheckpoint: ContextControl['renameCheckpoint'];
  readonly diff: ContextControl['diff'];
  readonly restore: ContextControl['restore'];

  constructor(deps: ContextDependencies, sessions: Sessions) {
    this.#deps = deps;
    this.#sessions = sessions;
    this.#onProblem = deps.onProblem ?? (() => undefined);
    const timeoutMs = deps.summaryTimeoutMs ?? SUMMARY_TIMEOUT_MS;
    this.#meters = createMeters({
      keyValues: deps.keyValues,
      counterFor: (counted) => deps.counterFor?.(counted),
      onProblem: this.#onProblem,
    });
    const meaning = deps.meaning ?? {};
    this.#currentRedaction = createCurrentRedaction({
      library: deps.documents.library,
      notes: deps.notes,
      closing: this.#closing.signal,
    });
    this.#requests = createRequests({
      config: deps.config,
      meters: this.#meters,
      meaning,
      redaction: this.#currentRedaction.now,
      projectsOf: createProjectWords(deps.documents.library),
      personaOf: deps.personaOf,
    });
    this.#sessionMemoryJob = createSessionMemoryJob({
      keyValues: deps.keyValues,
      documents: deps.documents,
      config: deps.config,
      timeoutMs,
      redaction: this.#currentRedaction.now,
      onState: (id, state) => this.#sessions.set(this.#sessions.of(id), { sessionMemory: state }),
    });
    const planning = createPlanning({
      config: deps.config,
      meters: this.#meters,
      requests: this.#requests,
      sessionMemoryJob: this.#sessionMemoryJob,
      now: deps.now,
      device: deps.device,
      priceOf: (priced) => this.#priceOf(priced),
      meaning,
      recognising: deps.recognising,
      timeoutMs,
    });
    const files = createMemoryFiles({
      documents: deps.documents,
      keyValues: deps.keyValues,
      needed: (id) => this.#needed(id),
      ready: () => this.#ready(),
      requests: this.#requests,
      sessionMemoryJob: this.#sessionMemoryJob,
      meterOf: (conversation) => this.#meters.of(deps.model(conversation)),
      now: deps.now,
      device: deps.device,
    });
    this.memoryFile = (id) => files.read(id);
    this.saveMemoryFile = (id, from, lines) => files.save(id, from, lines);
    this.remakeMemoryFile = (id) => files.remake(id);
    this.#compacting = createCompacting({
      files,
      documents: deps.documents,
      needed: (id) => this.#needed(id),
      sessions: this.#sessions,
      planning,
      config: deps.config,
      model: deps.model,
      tools: (conversation) => this.#tools(conversation),
      now: deps.now,
      ready: () => this.#ready(),
      closing: this.#closing.signal,
    });
    this.#postTurnTasks = createPostTurnTasks({
      documents: deps.documents,
      sessions: this.#sessions,
      requests: this.#requests,
      meters: this.#meters,
      meaning,
      sessionMemoryJob: this.#sessionMemoryJob,
      config: deps.config,
      ready: () => this.#ready(),
      model: deps.model,
      closing: this.#closing.signal,
    });
    this.#named = createCheckpoints({ documents: deps.documents, config: deps.config, now: deps.now });
    this.onEvent = this.#sessions.onEvent;
    this.compact = this.#compacting.compact;
    this.adjust = this.#compacting.adjust;
    this.apply = this.#compacting.apply;
    this.cancel = this.#compacting.cancel;
    this.undo = this.#compacting.undo;
    this.redo = this.#compacting.redo;
    this.rewrite = this.#compacting.rewrite;
    this.again = this.#compacting.again;
    this.checkpoints = this.#named.checkpoints;
    this.find = this.#named.find;
    this.checkpoint = this.#named.checkpoint;
    this.removeCheckpoint = this.#named.removeCheckpoint;
    this.renameCheckpoint = this.#named.renameCheckpoint;
    this.diff = this.#named.diff;
    this.restore = this.#named.restore;
  }

  state(id: ConversationId): Readable<ContextState> {
    return this.#sessions.of(id).state;
  }

  async next(
    id: ConversationId | null,
    draft: readonly Part[],
    announced: readonly RecalledPassage[] = [],
  ): Promise<NextRequest | null> {
    await this.#meters.ready;
    const conversation = id === null ? undefined : await this.#deps.documents.read(id);
    if (id !== null && !conversation) return null;
    const answering = this.#deps.model(conversation);
    const built = this.#standing(conversation, answering);
    // Adds the cost of the typed text: the rest need not be rebuilt for every letter.
    const { request } = built.prompt.manifest;
    const cost = draft.length > 0 ? this.#meters.of(answering).parts(draft) + MESSAGE_OVERHEAD : 0;
    // A long document is sent in part.
    const typed = Math.max(0, cost - this.#requests.fitting.saved(draft, request.limit));
    const { tokens } = request;
    const meter = this.#meters.of(answering);
    const recall =
      typed > 0 && announced.length > 0
        ? meter.text(renderRecall({ passages: announced, quoting: 'lines' }))
        : 0;
    const asked = tokens.total + typed + recall;
    const returnable = returnBudget(
      request.limit,
      asked,
      this.#deps.config.get().recall.context.max_total_tokens,
    );
    const path = conversation ? pathTo(conversation.messages, effectiveHead(conversation)) : [];
    const returned =
      typed > 0 && conversation && this.#isReadAlready(path)
        ? this.#requests.comingBack(
            conversation,
            this.#currentRedaction.now().path(path),
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
      contextMeter: contextMeterOf(manifest, built.budget, answering ? this.#priceOf(answering) : null),
      manifest: withParameters(manifest, answering),
      model: answering?.id ?? null,
    };
  }

  async manifest(id: ConversationId, answer: MessageId): Promise<RequestManifest | null> {
    const message = (await this.#needed(id)).messages.get(answer);
    return requestManifestSchema.safeParse(message?.ledger).data ?? null;
  }

  async pressure(request: Omit<StepRequest, 'signal' | 'onStatus'>): Promise<number> {
    const { total, prompt, budget } = this.#builtFor(request, false);
    // A prompt that had to be cut counts as full.
    return prompt.manifest.cut ? Math.max(1, total / budget.window) : total / budget.window;
  }

  async prepare(request: StepRequest): Promise<PreparedStep> {
    await this.#ready();
    request.signal.throwIfAborted();
    const session = this.#sessions.of(request.id);
    let built = await this.#sendable(request);
    const again = session.futile === 0 || wantedOf(built) >= session.futile * GROWTH;
    if ((isDue(built) || this.#isBetweenTasks(request, built)) && again) {
      // Only a full window sets a target: with space left there would be nothing to reduce.
      const changed = await this.#compacting.forStep(request, 'auto', !built.pressed);
      request.signal.throwIfAborted();
      if (changed) built = await this.#sendable(request);
      session.futile = changed && !isDue(built) ? 0 : wantedOf(built);
    }
    request.onStatus('waiting');
    return {
      prompt: built.prompt,
      manifest: withParameters(built.prompt.manifest.request, request.model),
    };
  }

  /** True if the request begins another task, and there is enough before it to make shortening worth while. */
  #isBetweenTasks(request: StepRequest, { total, budget }: Built): boolean {
    if (!this.#deps.config.get().context.compact_on_new_task || total < budget.trigger * BETWEEN_TASKS)
      return false;
    return beginsAnotherTask(
      this.#currentRedaction.now().path(pathTo(request.conversation().messages, request.leaf)),
    );
  }

  async compactAfterCutOff(request: StepRequest): Promise<boolean> {
    await this.#ready();
    const before = this.#builtFor(request).total;
    const changed = await this.#compacting.forStep(request, 'length', true);
    return changed && this.#builtFor(request).total < before * 0.95;
  }

  learn(...learnt: Parameters<TurnContext['learn']>): void {
    this.#meters.learn(...learnt);
  }

  settled(id: ConversationId): void {
    this.#runPostTurnTasks(id);
  }

  async close(): Promise<void> {
    this.#closing.abort(new DOMException('Closing', 'AbortError'));
    this.#sessionMemoryJob.close();
    await this.#sessions.end();
  }

  #tools(conversation: ConversationId | null) {
    return this.#deps.tools?.(conversation) ?? [];
  }

  #priceOf(priced: ChatModel): Price | null {
    return this.#deps.priceOf?.(priced) ?? null;
  }

  async #needed(id: ConversationId): Promise<Conversation> {
    const conversation = await this.#deps.documents.read(id);
    if (!conversation) throw new RecollectError('conversation-missing', `There is no conversation ${id}`);
    return conversation;
  }

  async #ready(): Promise<void> {
    return void (await Promise.all([this.#meters.ready, this.#currentRedaction.known()]));
  }

  #runPostTurnTasks(id: ConversationId) {
    return void this.#postTurnTasks.run(id).catch((error) => this.#onProblem(toProblem(error)));
  }

  #builtFor(request: Omit<StepRequest, 'signal' | 'onStatus'>, bringBack: boolean = true) {
    const conversation = request.conversation();
    const path = pathTo(conversation.messages, request.leaf);
    return this.#requests.build(conversation, path, { ...request, goesOn: true }, bringBack);
  }

  /**
   * Builds the final request: with messages brought back by the question's words, and by its
   * meaning if the index answers in time.
   */
  async #sendable(request: StepRequest) {
    const conversation = request.conversation();
    await this.#requests.understand(
      conversation,
      pathTo(conversation.messages, request.leaf),
      request.signal,
    );
    return this.#builtFor(request);
  }

  #standing(conversation: Conversation | undefined, answering: ChatModel | null): Built {
    const head = conversation ? effectiveHead(conversation) : null;
    const described = answering ? this.#tools(conversation?.id ?? null) : [];
    const of = [
      conversation?.messages,
      conversation?.compactions,
      conversation?.meta.systemPrompt,
      conversation && this.#requests.projectsOf(conversation),
      conversation && this.#deps.personaOf?.(conversation),
      conversation && keptKey(keptIn(conversation)),
      conversation && memoryFileKey(conversation),
      head,
      this.#deps.config.get(),
      this.#meters.of(answering),
      this.#requests.windowOf(answering),
      described.length,
      this.#currentRedaction.now(),
    ];
    if (this.#lastBuilt?.of.every((value, at) => Object.is(value, of[at]))) return this.#lastBuilt.built;
    const path = conversation ? pathTo(conversation.messages, head) : [];
    if (conversation && path.some((message) => !this.#postTurnTasks.isRead(message)))
      this.#runPostTurnTasks(conversation.id);
    const built = this.#requests.build(conversation ?? EMPTY, path, {
      model: answering,
      tools: described,
      recall: null,
    });
    this.#lastBuilt = { of, built };
    return built;
  }

  /** Bringing back would read unread messages, and typing must not wait for that. */
  #isReadAlready(path: readonly Message[]): boolean {
    return path.filter((message) => !this.#postTurnTasks.isRead(message)).length <= MANY_UNREAD;
  }
}

/** Adds the other parts of the request to the manifest. */
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

/** True if a compaction is due: by tokens, or by the number of messages. */
const isDue = ({ pressed, crowded }: { readonly pressed: boolean; readonly crowded: boolean }): boolean =>
  pressed || crowded;

/** Tokens of a request including what was left out for want of space: this grows even if the request cannot. */
const wantedOf = ({ total, prompt }: { readonly total: number; readonly prompt: BuiltPrompt }): number =>
  prompt.manifest.request.lines.reduce(
    (sum, line) => (line.form === 'out' && line.why === 'window' ? sum + line.tokens : sum),
    total,
  );
