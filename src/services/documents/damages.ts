// Says once of each damaged part of a conversation that it is there: it stays where it is, and would be found again at every start.
import type { KeyValues } from '../../adapters/log/conversation-log.ts';
import type { Problem } from '../../domain/base/errors.ts';
import { isConversation } from '../../domain/base/ids.ts';
import { log } from '../../domain/base/log.ts';
import type { Writable } from '../../domain/base/readable.ts';

interface Damages {
  /** Shows the problem if it is of a part that nobody was told of yet, and nothing else is being told. Others are not for here. */
  report(problem: Problem): void;
  /** The person has read it. */
  dismiss(): void;
}

/** `alert`: what is being told. */
export function createDamages({
  keyValues,
  alert,
}: {
  keyValues: Pick<KeyValues, 'get' | 'set'>;
  alert: Writable<Problem | null>;
}): Damages {
  const shown = new Set<string>();
  const keep = (error: unknown) => log.warn('What was said of damage could not be kept', error);
  return {
    report: (problem) => {
      const { document, seq } = problem.params ?? {};
      if (problem.code !== 'damaged-entry' || !isConversation(String(document))) return;
      const key = `damage-told/${document}/${seq}`;
      keyValues.get(key).then((wasNotified) => {
        if (wasNotified !== undefined) return;
        const telling = alert.get();
        if (telling === null) alert.set(problem);
        // One word is enough of one conversation; what nobody was told is told another time.
        else if (telling.code !== problem.code || telling.params?.document !== document) return;
        shown.add(key);
      }, keep);
    },
    dismiss: () => {
      for (const key of shown) keyValues.set(key, true).catch(keep);
      shown.clear();
    },
  };
}
