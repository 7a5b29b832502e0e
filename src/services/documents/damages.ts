// Reports each damaged part of a conversation once: it stays in place, and every start would find it again.
import type { KeyValues } from '../../adapters/log/conversation-log.ts';
import type { Problem } from '../../domain/base/errors.ts';
import { isConversation } from '../../domain/base/ids.ts';
import { log } from '../../domain/base/log.ts';
import type { Writable } from '../../domain/base/readable.ts';

interface Damages {
  /** Shows a damage that was never reported, unless another problem is being shown. Ignores other problems. */
  report(problem: Problem): void;
  /** The person has read it. */
  dismiss(): void;
}

/** `alert`: the problem being shown. */
export function createDamages({
  keyValues,
  alert,
}: {
  keyValues: Pick<KeyValues, 'get' | 'set'>;
  alert: Writable<Problem | null>;
}): Damages {
  const shown = new Set<string>();
  const keep = (error: unknown) => log.warn('The report of damage could not be stored', error);
  return {
    report: (problem) => {
      const { document, seq } = problem.params ?? {};
      if (problem.code !== 'damaged-entry' || !isConversation(String(document))) return;
      const key = `damage-told/${document}/${seq}`;
      keyValues.get(key).then((wasNotified) => {
        if (wasNotified !== undefined) return;
        const current = alert.get();
        if (current === null) alert.set(problem);
        // Shows one report for each conversation; unreported parts wait for a later one.
        else if (current.code !== problem.code || current.params?.document !== document) return;
        shown.add(key);
      }, keep);
    },
    dismiss: () => {
      for (const key of shown) keyValues.set(key, true).catch(keep);
      shown.clear();
    },
  };
}
