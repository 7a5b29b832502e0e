// Runs one save at a time, and reports whether it runs and why the last one failed.
import { useRef, useState } from 'react';
import { type Problem, toProblem } from '../../domain/base/errors.ts';

/** `save` does nothing while another one runs: pressing Enter twice makes one note or project. */
export function useSaving(): {
  saving: boolean;
  problem: Problem | null;
  save(work: () => Promise<unknown>): void;
  /** Clears the problem. */
  forgive(): void;
} {
  const [saving, setSaving] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const running = useRef(false);
  return {
    saving,
    problem,
    save: (work) => {
      if (running.current) return;
      running.current = true;
      setSaving(true);
      setProblem(null);
      work()
        .catch((error: unknown) => setProblem(toProblem(error)))
        .finally(() => {
          running.current = false;
          setSaving(false);
        });
    },
    forgive: () => setProblem(null),
  };
}
