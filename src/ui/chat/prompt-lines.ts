// Saved prompts and personas by their slash names: the composer's list offers them, and a line can name them.
import { useMemo } from 'react';
import type { Persona } from '../../domain/prompts/persona.ts';
import { type SavedPrompt, slugOf, slugsOf, variablesIn } from '../../domain/prompts/prompt.ts';
import type { App } from '../../services/app.ts';
import { useApp, useReadable } from '../hooks/app.tsx';

/** A prompt named in the composer. */
export interface PromptLine {
  readonly prompt: SavedPrompt;
  readonly slug: string;
  /** Its blanks as written in the prompt. */
  readonly blanks: readonly string[];
  /** Words typed after its name: they fill the first blank. */
  readonly rest: string;
}

/** A persona named in the composer. */
interface PersonaLine extends Pick<PromptLine, 'slug' | 'rest'> {
  readonly persona: Persona;
}
export type SavedLine = PromptLine | PersonaLine;

/** Most names offered at once. */
const MAX_OFFERED = 20;

type Saved = Pick<ReturnType<App['prompts']['state']['get']>, 'prompts' | 'personas'>;

/** Gives each its slash name. Names of prompts never change because of personas. */
function linesOf(
  { prompts, personas }: Saved,
  commands: App['commands'],
  rest: string,
): readonly SavedLine[] {
  const names = commands.map(({ name }) => name);
  const ofPrompts = slugsOf(prompts, names);
  const ofPersonas = slugsOf(personas, [...names, ...ofPrompts.values()]);
  return [
    ...prompts.map((prompt) => ({
      prompt,
      slug: ofPrompts.get(prompt.id) ?? '',
      rest,
      blanks: variablesIn(prompt.text).map(({ name }) => `{{${name}}}`),
    })),
    ...personas.map((persona) => ({ persona, slug: ofPersonas.get(persona.id) ?? '', rest })),
  ];
}

/** Prompts and personas that match the word at the caret; none unless it is the first word. */
export function useSavedLines(text: string, caret: number): readonly SavedLine[] {
  const { commands, prompts } = useApp();
  const saved = useReadable(prompts.state);
  return useMemo(() => {
    const end = text.search(/\s/);
    if (end >= 0 && caret > end) return [];
    const typed = slugOf(text.slice(1, end < 0 ? text.length : end)).toLowerCase();
    return (
      linesOf(saved, commands, end < 0 ? '' : text.slice(end).trim())
        .filter(({ slug }) => slug.includes(typed))
        // Names with this beginning come first.
        .sort((a, b) => Number(b.slug.startsWith(typed)) - Number(a.slug.startsWith(typed)))
        .slice(0, MAX_OFFERED)
    );
  }, [commands, saved, text, caret]);
}

/** The prompt or persona that a line names in full; null if none. */
export function savedLine(
  { commands, prompts }: Pick<App, 'commands' | 'prompts'>,
  line: string,
): SavedLine | null {
  const end = line.search(/\s/);
  const named = line.slice(1, end < 0 ? line.length : end).toLowerCase();
  const lines = linesOf(prompts.state.get(), commands, end < 0 ? '' : line.slice(end).trim());
  return lines.find(({ slug }) => slug === named) ?? null;
}
