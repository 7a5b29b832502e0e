// Saved prompts by their word after the slash, as the shelf over the composer offers them and a line names them.
import { useMemo } from 'react';
import { type Prompt, slugOf, slugsOf, variablesIn } from '../../domain/prompts/prompt.ts';
import type { App } from '../../services/app.ts';
import { useApp, useReadable } from '../hooks/app.tsx';

/** A prompt that was named in the composer. */
export interface PromptLine {
  readonly prompt: Prompt;
  readonly slug: string;
  /** Its blanks as they are written. */
  readonly blanks: readonly string[];
  /** What was written behind its name: the first blank begins with it. */
  readonly rest: string;
}

/** At most so many are offered at once. */
const MAX_OFFERED = 20;

const slugsIn = (commands: App['commands'], prompts: readonly Prompt[]) =>
  slugsOf(
    prompts,
    commands.map(({ name }) => name),
  );

const lineOf = (prompt: Prompt, slug: string, rest: string): PromptLine => ({
  prompt,
  slug,
  rest,
  blanks: variablesIn(prompt.text).map(({ name }) => `{{${name}}}`),
});

/** Prompts for the word at the caret; none where it is not the first one. */
export function usePromptLines(text: string, caret: number): readonly PromptLine[] {
  const { commands, prompts } = useApp();
  const all = useReadable(prompts.state, (state) => state.prompts);
  return useMemo(() => {
    const end = text.search(/\s/);
    if (end >= 0 && caret > end) return [];
    const typed = slugOf(text.slice(1, end < 0 ? text.length : end)).toLowerCase();
    const slugs = slugsIn(commands, all);
    const found = all.flatMap((prompt) => {
      const slug = slugs.get(prompt.id) ?? '';
      return slug.includes(typed) ? [lineOf(prompt, slug, end < 0 ? '' : text.slice(end).trim())] : [];
    });
    // What begins so comes first.
    return found
      .sort((a, b) => Number(b.slug.startsWith(typed)) - Number(a.slug.startsWith(typed)))
      .slice(0, MAX_OFFERED);
  }, [commands, all, text, caret]);
}

/** The prompt that a line names in full; null where it names none. */
export function promptLine(
  { commands, prompts }: Pick<App, 'commands' | 'prompts'>,
  line: string,
): PromptLine | null {
  const end = line.search(/\s/);
  const named = line.slice(1, end < 0 ? line.length : end).toLowerCase();
  const { prompts: all } = prompts.state.get();
  const slugs = slugsIn(commands, all);
  const prompt = all.find(({ id }) => slugs.get(id) === named);
  return prompt ? lineOf(prompt, named, end < 0 ? '' : line.slice(end).trim()) : null;
}
