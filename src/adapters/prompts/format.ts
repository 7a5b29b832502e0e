// Contract of every format of prompts and personas.
import type { NewPersona } from '../../domain/prompts/persona.ts';
import type { NewPrompt } from '../../domain/prompts/prompt.ts';

export interface PromptFile {
  /** With its ending, without folders. */
  readonly name: string;
  readonly text: string;
}

export interface ReadPrompts {
  readonly prompts: readonly NewPrompt[];
  readonly personas: readonly NewPersona[];
  /** Entries that could not be read. */
  readonly skipped: number;
}

/** Reads a file; null where it is none of this format. Unknown keys are left, a damaged entry costs only itself. */
export type PromptFormat = (file: PromptFile) => ReadPrompts | null;

/** A persona of which a file says only this. */
export const personaOf = (said: Partial<NewPersona> & Pick<NewPersona, 'name'>): NewPersona => ({
  description: '',
  sign: '',
  colour: 'blue',
  instructions: '',
  model: null,
  parameters: {},
  memory: 'all',
  project: null,
  ...said,
});
