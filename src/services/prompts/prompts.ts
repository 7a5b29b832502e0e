// Contract of saved prompts and personas, the same on all devices of a person.
import type { Problem } from '../../domain/base/errors.ts';
import type { Readable } from '../../domain/base/readable.ts';
import type { NewPersona, Persona } from '../../domain/prompts/persona.ts';
import type { NewPrompt, SavedPrompt } from '../../domain/prompts/prompt.ts';
import type { PurgeRules } from '../documents/documents.ts';

export interface PromptsState {
  /** False until the log was read once. */
  readonly ready: boolean;
  /** By name. */
  readonly prompts: readonly SavedPrompt[];
  readonly personas: readonly Persona[];
}

type Undo = () => Promise<void>;

export interface Prompts {
  readonly state: Readable<PromptsState>;
  /** Why they could not be read yet; null once they were, and while nothing failed. */
  readonly failure: Readable<Problem | null>;
  /** Resolves with everything that is saved; reads the log again if that failed before. Never rejects. */
  known(): Promise<PromptsState>;
  /**
   * Stores a prompt; with an `id` it replaces that one, or stands beside it if another device changed it. Durable when
   * done.
   * @throws `prompt-empty` without a name or words, `prompt-too-long`, `storage-full`, `storage-failed`: nothing
   *   changed
   */
  savePrompt(prompt: NewPrompt & { readonly id?: string | undefined }): Promise<SavedPrompt>;
  /** The same for a persona, whose instructions may be empty. */
  savePersona(persona: NewPersona & { readonly id?: string | undefined }): Promise<Persona>;
  /** Removes words that the rules hide; `whole`: an item with such words goes as a whole. */
  takeOut(rules: PurgeRules, whole: boolean): Promise<void>;
  /** Removes prompts and personas. The result puts them back unchanged. */
  remove(ids: readonly string[]): Promise<Undo>;
  /**
   * Adds the items of a file, without forgotten ones; equal ones are not stored twice.
   * A backup's id is kept if it is free.
   */
  bring(brought: {
    readonly prompts: readonly (NewPrompt & { readonly id?: string })[];
    readonly personas: readonly (NewPersona & { readonly id?: string })[];
  }): Promise<{ readonly added: number; readonly known: number; readonly undo: Undo }>;
  /** Returns the persona of a conversation; null for none, or one that is gone. */
  readonly personaOf: (conversation: {
    readonly meta: { readonly persona?: string | null };
  }) => Persona | null;
  close(): void;
}
