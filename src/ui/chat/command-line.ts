// Runs the slash commands of one place and keeps their latest outcomes.
import { useCallback, useEffect, useRef } from 'react';
import type { ConversationId } from '../../domain/base/ids.ts';
import type { Persona } from '../../domain/prompts/persona.ts';
import type { CommandOutcome } from '../../services/commands/command.ts';
import { runCommand } from '../../services/commands/index.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useLatest } from '../hooks/latest.ts';
import { type ShownOutcome, useSession } from '../hooks/session.tsx';
import { useFollowOutcome } from './outcomes.tsx';

const NO_OUTCOMES: readonly ShownOutcome[] = [];

/** Outcomes of commands given at this place, oldest first; `new` stands for the empty page. */
export const useOutcomes = (place: ConversationId | 'new'): readonly ShownOutcome[] =>
  useReadable(useSession().outcomes, (all) => all.get(place) ?? NO_OUTCOMES);

const MOST_OUTCOMES = 8;
let outcomeSerial = 0;

/**
 * Runs a slash command and shows its outcome; resolves to false if the line could not be read. `persona`: the one with
 * which the empty page would begin a conversation.
 */
export function useCommandLine(
  conversationId: ConversationId | null,
  persona: Persona | null = null,
): (line: string) => Promise<boolean> {
  const app = useApp();
  const { outcomes, project } = useSession();
  const follow = useFollowOutcome();
  const latest = useLatest(follow);
  const leaving = useRef<AbortController | null>(null);
  useEffect(() => {
    const control = new AbortController();
    leaving.current = control;
    return () => control.abort();
  }, []);
  return useCallback(
    async (line) => {
      const signal = leaving.current?.signal ?? AbortSignal.abort();
      const place = conversationId ?? 'new';
      outcomeSerial += 1;
      const id = outcomeSerial;
      const put = (outcome: CommandOutcome | null) =>
        outcomes.update((all) => {
          const others = (all.get(place) ?? []).filter((other) => other.id !== id);
          return new Map(all).set(
            place,
            [...others, { id, line, outcome, at: Date.now() }].slice(-MOST_OUTCOMES),
          );
        });
      const drop = () =>
        outcomes.update((all) =>
          new Map(all).set(
            place,
            (all.get(place) ?? []).filter((other) => other.id !== id),
          ),
        );
      // Shows progress only for slow commands; most are done at once.
      const slow = setTimeout(() => put(null), 200);
      try {
        const { documents, library, chat, context, memory, settings, prompts, sync } = app;
        const services = { documents, library, chat, context, memory, settings, prompts, sync };
        const begins = conversationId === null ? { project: project.get(), persona } : undefined;
        const here = { ...services, conversationId, begins, now: Date.now, signal };
        const outcome = await runCommand(app.commands, line, here);
        clearTimeout(slow);
        if (!signal.aborted && latest.current(outcome)) put(outcome);
        else drop();
        return outcome.type !== 'problem';
      } catch (error) {
        clearTimeout(slow);
        drop();
        throw error;
      }
    },
    [app, outcomes, project, persona, conversationId, latest],
  );
}
