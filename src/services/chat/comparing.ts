// Several models answer one question at once: each has a turn of its own, each answer a sibling branch. The head stays where it is
// until the person goes on with one of them.
import type { ConversationId, MessageId } from '../../domain/base/ids.ts';
import { type Readable, type Writable, writable } from '../../domain/base/readable.ts';
import { hasContent } from '../../domain/chat/draft.ts';
import type { ModelChoice } from '../settings/settings.ts';
import { type ComparedAnswer, type Comparison, IDLE_TURN, type TurnState } from './chat.ts';
import type { TurnRequest } from './turn.ts';
import type { createTurns } from './turns.ts';

interface Candidate extends ComparedAnswer {
  readonly run: () => Promise<void>;
}

export function createComparing({
  run,
  hold,
}: {
  readonly run: ReturnType<typeof createTurns>['run'];
  /** The conversation is busy until `work` ends; aborting `control` stops all of it. */
  readonly hold: (
    id: ConversationId,
    about: { readonly question: MessageId; readonly models: string },
    control: AbortController,
    work: Promise<unknown>,
  ) => void;
}) {
  const comparisons = new Map<ConversationId, Writable<Comparison | null>>();
  const of = (id: ConversationId): Writable<Comparison | null> => {
    const known = comparisons.get(id) ?? writable<Comparison | null>(null);
    comparisons.set(id, known);
    return known;
  };

  function begin(
    id: ConversationId,
    about: { readonly answer: MessageId; readonly question: MessageId },
    choices: readonly ModelChoice[],
    request: Omit<TurnRequest, 'asked' | 'by'>,
  ): void {
    /** Ends when no candidate runs any more. Lanes that are asked again while others run join it. */
    const work = (candidates: readonly Candidate[]) => {
      const control = new AbortController();
      control.signal.addEventListener('abort', () => {
        for (const candidate of all) candidate.stop();
      });
      const models = candidates.map(({ choice }) => choice.model).join(', ');
      const done = Promise.all(candidates.map((candidate) => candidate.run()));
      hold(id, { question: about.question, models }, control, done);
    };
    const all = choices.map((choice): Candidate => {
      const session = { state: writable<TurnState>(IDLE_TURN), turn: null as AbortController | null };
      const last = writable<MessageId | null>(null);
      let fruitless: MessageId | null = null;
      const candidate: Candidate = {
        choice,
        turn: session.state,
        last,
        stop: () => session.turn?.abort(new DOMException('Stopped', 'AbortError')),
        again: () => {
          if (session.state.get().status === 'idle') work([candidate]);
        },
        run: async () => {
          last.set(null);
          const end = await run(session, id, {
            ...request,
            ...(fruitless ? { replaces: fruitless } : {}),
            asked: about.question,
            by: choice,
          });
          // An attempt that brought nothing gives way to the next one.
          fruitless = end?.finish === 'error' && !hasContent(session.state.get().parts) ? end.last : null;
          last.set(end?.last ?? null);
          session.state.update(({ problem }) => ({ ...IDLE_TURN, problem }));
        },
      };
      return candidate;
    });
    of(id).set({ ...about, answers: all });
    work(all);
  }

  return { of: (id: ConversationId): Readable<Comparison | null> => of(id), begin };
}
