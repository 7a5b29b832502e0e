// Saved prompts and personas, the same on all devices of a person.
import type { Readable } from '../../domain/base/readable.ts';
import type { NewPersona, Persona } from '../../domain/prompts/persona.ts';
import type { NewPrompt, Prompt } from '../../domain/prompts/prompt.ts';
import type { PurgeRules } from '../documents/documents.ts';

export interface PromptsState {
  /** False until the log was read once. */
  readonly ready: boolean;
  /** By name. */
  readonly prompts: readonly Prompt[];
  readonly personas: readonly Persona[];
}

type Undo = () => Promise<void>;

export interface Prompts {
  readonly state: Readable<PromptsState>;
  /**
   * Keeps a prompt; with an `id` in the place of the one that is there. Where another device changed it since, both stay. Resolves when it is
   * durable. Throws `prompt-empty` without a name or words, `prompt-too-long`, `storage-full`, `storage-failed`: then nothing was changed.
   */
  savePrompt(prompt: NewPrompt & { readonly id?: string | undefined }): Promise<Prompt>;
  /** The same for a persona, whose instructions may be empty. */
  savePersona(persona: NewPersona & { readonly id?: string | undefined }): Promise<Persona>;
  /** Takes out the words that the rules hide; `whole`: what has such words goes as a whole. */
  takeOut(rules: PurgeRules, whole: boolean): Promise<void>;
  /** Removes prompts and personas. What it gives puts them back as they were. */
  remove(ids: readonly string[]): Promise<Undo>;
  /** Adds what a file brought, without what was forgotten for good; what is there word for word is not kept twice. An id of a backup stays where it is free. */
  bring(brought: {
    readonly prompts: readonly (NewPrompt & { readonly id?: string })[];
    readonly personas: readonly (NewPersona & { readonly id?: string })[];
  }): Promise<{ readonly added: number; readonly known: number; readonly undo: Undo }>;
  /** The persona of a conversation; null where it has none, or one that is gone. */
  readonly personaOf: (conversation: {
    readonly meta: { readonly persona?: string | null };
  }) => Persona | null;
  close(): void;
}
