// Shows a persona's sign, or the first letter of its name, on its colour.
import type { Persona, PersonaColour } from '../../domain/prompts/persona.ts';
import { classes } from './controls.tsx';

export const PERSONA_TONES: Readonly<Record<PersonaColour, string>> = {
  blue: 'bg-accent-soft text-accent',
  amber: 'bg-memory-soft text-memory',
  grey: 'bg-compacted-soft text-compacted',
  violet: 'bg-branch-soft text-branch',
  green: 'bg-ok-soft text-ok',
  red: 'bg-danger-soft text-danger',
};

export function PersonaSign({
  persona: { sign, name, colour },
}: {
  persona: Pick<Persona, 'sign' | 'name' | 'colour'>;
}) {
  return (
    <span
      aria-hidden
      className={classes(
        'inline-flex size-6 shrink-0 items-center justify-center overflow-hidden rounded-full font-medium text-xs',
        PERSONA_TONES[colour],
      )}
    >
      {sign.trim() || [...name.trim()][0]?.toUpperCase()}
    </span>
  );
}
