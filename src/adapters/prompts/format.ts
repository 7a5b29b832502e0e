// Defines the contract of every format of prompts and personas.
import type { NewPersona } from '../../domain/prompts/persona.ts';
import type { NewPrompt } from '../../domain/prompts/prompt.ts';

export interface PromptFile {
  /** Name of the file with its ending, without folders. */
  readonly name: string;
  readonly text: string;
}

export interface ReadPrompts {
  readonly prompts: readonly NewPrompt[];
  readonly personas: readonly NewPersona[];
  /** Number of unreadable entries. */
  readonly skipped: number;
}

/** Reads a file; null if it is not of this format. It ignores unknown keys, and a damaged entry costs only itself. */
export type PromptFormat = (file: PromptFile) => ReadPrompts | null;

/** Makes a persona from the fields that a file gives, with defaults for the rest. */
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
