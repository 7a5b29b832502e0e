// Compares models: each has a turn of its own, each answer is a sibling branch. The head stays
// until the person continues with one of them. The device remembers which answers belong to a
// comparison, so a reload does not end it.
import { z } from 'zod';
import type { KeyValues } from '../../adapters/log/conversation-log.ts';
import { asMessageId, type ConversationId, isTemporary, type MessageId } from '../../domain/base/ids.ts';
import { ignore, orElse } from '../../domain/base/log.ts';
import { type Readable, type Writable, writable } from '../../domain/base/readable.ts';
import { SerialQueue } from '../../domain/base/serial-queue.ts';
import { hasContent } from '../../domain/chat/draft.ts';
import type { ModelChoice } from '../settings/settings.ts';
import { type ComparedAnswer, type Comparison, IDLE_TURN, type TurnState } from './chat.ts';
import { showTurn, type TurnRequest } from './turn.ts';
import type { createTurns } from './turns.ts';

interface Candidate extends ComparedAnswer {
  readonly run: () => Promise<void>;
}

const KEY = 'comparisons';
/** Most comparisons that are remembered, one for each conversation; the oldest ones go. */
const MAX_KEPT = 50;
const keptSchema = z.array(
  z.object({
    conversation: z.string(),
    answer: z.string(),
    question: z.string(),
    answers: z.array(z.object({ endpointId: z.string(), model: z.string(), last: z.string().nullable() })),
  }),
);
type Kept = z.infer<typeof keptSchema>[number];

/** Input that all models share besides the question: the memory of the existing answer. */
type Given = Omit<TurnRequest, 'asked' | 'by'>;
type About = { readonly answer: MessageId; readonly question: MessageId };

interface ComparingDeps {
  readonly run: ReturnType<typeof createTurns>['run'];
  /** Keeps the conversation busy until `work` ends; aborting `control` stops all of it. */
  readonly hold: (
    id: ConversationId,
    about: { readonly question: MessageId; readonly models: string },
    control: AbortController,
    work: Promise<unknown>,
  ) => void;
  /** Prepares the input of a comparison that began before the tab's reload. */
  readonly prepare: (id: ConversationId, answer: MessageId) => Promise<Given>;
  readonly keyValues: Pick<KeyValues, 'get' | 'set'>;
}

export class Comparing {
  readonly #deps: ComparingDeps;
  readonly #comparisons = new Map<ConversationId, Writable<Comparison | null>>();
  readonly #changes = new SerialQueue();

  constructor(deps: ComparingDeps) {
    this.#deps = deps;
  }

  /** The latest comparison of a conversation. */
  of(id: ConversationId): Readable<Comparison | null> {
    return this.#of(id);
  }

  /** Asks all of them at once. */
  begin(id: ConversationId, about: About, choices: readonly ModelChoice[], given: Given): void {
    const all = this.#candidates(
      id,
      about,
      choices.map((choice) => ({ choice, last: null })),
      given,
    );
    this.#of(id).set({ ...about, answers: all });
    this.#work(id, about, all, all);
  }

  #of(id: ConversationId): Writable<Comparison | null> {
    const known = this.#comparisons.get(id);
    if (known) return known;
    const comparison = writable<Comparison | null>(null);
    this.#comparisons.set(id, comparison);
    // Temporary conversations leave nothing to restore.
    if (!isTemporary(id)) ignore(this.#restore(id, comparison), 'a comparison of before the reload');
    return comparison;
  }

  async #restore(id: ConversationId, comparison: Writable<Comparison | null>): Promise<void> {
    const kept = (await this.#kept()).find(({ conversation }) => conversation === id);
    if (!kept || comparison.get() !== null) return;
    const about = { answer: asMessageId(kept.answer), question: asMessageId(kept.question) };
    const before = kept.answers.map(({ endpointId, model, last }) => ({
      choice: { endpointId, model },
      last: last === null ? null : asMessageId(last),
    }));
    const given = () =>
      orElse(
        this.#deps.prepare(id, about.answer),
        {},
        'the memory of the answer that is there; models look for their own',
      );
    comparison.set({ ...about, answers: this.#candidates(id, about, before, given) });
  }

  async #kept(): Promise<readonly Kept[]> {
    return keptSchema.safeParse(await this.#deps.keyValues.get(KEY)).data ?? [];
  }

  #keep(kept: Kept): void {
    const write = this.#changes.run(async () => {
      const others = (await this.#kept()).filter(({ conversation }) => conversation !== kept.conversation);
      await this.#deps.keyValues.set(KEY, [kept, ...others].slice(0, MAX_KEPT));
    });
    ignore(write, 'which answers stand in a comparison; after a reload they are branches');
  }

  /** Makes a column for each model; it runs when it is asked. */
  #candidates(
    id: ConversationId,
    about: About,
    wanted: readonly { readonly choice: ModelChoice; readonly last: MessageId | null }[],
    given: Given | (() => Promise<Given>),
  ): Candidate[] {
    /** Ids of the answers as they begin: a tab that dies leaves its parts under them. */
    const lasts: (string | null)[] = wanted.map(({ last }) => last);
    const note = (at: number, last: MessageId | null) => {
      lasts[at] = last;
      if (isTemporary(id)) return;
      const answers = all.map(({ choice }, place) => ({ ...choice, last: lasts[place] ?? null }));
      this.#keep({ conversation: id, ...about, answers });
    };
    const all = wanted.map(({ choice, last: before }, at): Candidate => {
      const session = { state: writable<TurnState>(IDLE_TURN), turn: null as AbortController | null };
      const last = writable<MessageId | null>(before);
      let fruitless: MessageId | null = null;
      const candidate: Candidate = {
        choice,
        turn: session.state,
        last,
        stop: () => session.turn?.abort(new DOMException('Stopped', 'AbortError')),
        again: () => {
          if (session.state.get().status === 'idle') this.#work(id, about, all, [candidate]);
        },
        run: async () => {
          last.set(null);
          showTurn(session, { status: 'waiting' });
          const ending = this.#deps.run(session, id, {
            ...(typeof given === 'function' ? await given() : given),
            ...(fruitless ? { replaces: fruitless } : {}),
            asked: about.question,
            by: choice,
          });
          note(at, session.state.get().answerId);
          const end = await ending;
          // An attempt without any words is replaced by the next one.
          fruitless = end?.finish === 'error' && !hasContent(session.state.get().parts) ? end.last : null;
          last.set(end?.last ?? null);
          note(at, end?.last ?? null);
          session.state.update(({ problem }) => ({ ...IDLE_TURN, problem }));
        },
      };
      return candidate;
    });
    return all;
  }

  /** Ends when no candidate runs any more. One that is asked again meanwhile joins in. */
  #work(
    id: ConversationId,
    { question }: About,
    all: readonly Candidate[],
    running: readonly Candidate[],
  ): void {
    const control = new AbortController();
    control.signal.addEventListener('abort', () => {
      for (const candidate of all) candidate.stop();
    });
    const models = running.map(({ choice }) => choice.model).join(', ');
    const work = Promise.all(running.map((candidate) => candidate.run()));
    this.#deps.hold(id, { question, models }, control, work);
  }
}
