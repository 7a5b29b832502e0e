// A project: a folder of conversations with instructions, files, notes and a reach of memory of its own. It is written
// down as a conversation is (its name is the title, its instructions the system prompt, its files and notes are the
// messages), so that sync, trash and backups have it too.
import { z } from 'zod';
import type { ConversationId } from '../base/ids.ts';

/** Id of a project, and of its document in the log. */
export type ProjectId = ConversationId;

/** Memory scopes of a project: only there · there first · everywhere alike. */
export const MEMORY_SCOPES = ['only', 'first', 'everything'] as const;
export type MemoryScope = (typeof MEMORY_SCOPES)[number];

/** Colours of projects under their everyday names. */
export const PROJECT_COLOURS = ['grey', 'blue', 'amber', 'violet', 'green', 'red'] as const;

export type ProjectColour = (typeof PROJECT_COLOURS)[number];

/** Longest name and longest instructions, characters. */
export const MAX_PROJECT_NAME = 120;
export const MAX_PROJECT_INSTRUCTIONS = 20_000;
/** Longest pinned note, characters, and the most notes of a project: every request carries them. */
export const MAX_PROJECT_NOTE = 2000;
export const MAX_PROJECT_NOTES = 50;

/**
 * Project in which a conversation is filed · `''`: outside of all, whatever its folder ·
 * null: not filed, its folder decides.
 */
export const filedSchema = z.string().nullable();

/** Face of a project. `emoji`: '' for a plain folder. */
export const faceSchema = z.object({
  emoji: z.string().max(16).catch(''),
  colour: z.enum(PROJECT_COLOURS).catch('grey'),
});
export type ProjectFace = Readonly<z.infer<typeof faceSchema>>;
export const PLAIN_FACE: ProjectFace = { emoji: '', colour: 'grey' };

export const preferredModelSchema = z.object({ endpointId: z.string(), model: z.string() });

/** Fields of a project in the library, beside its name, dates and flags. */
export const projectLineSchema = z.object({
  face: faceSchema.catch(PLAIN_FACE),
  scope: z.enum(MEMORY_SCOPES).catch('first'),
  /** Model of new conversations in the project; null: the last chosen model. */
  model: preferredModelSchema.nullable().catch(null),
  /** Folders whose conversations are in the project unless they were filed elsewhere. */
  workDirs: z.array(z.string()).catch([]),
  instructions: z.string().catch(''),
  /** Notes that every request carries. Oldest first. */
  notes: z.array(z.object({ id: z.string(), text: z.string() })).catch([]),
  files: z.number().catch(0),
});
export type ProjectLine = z.infer<typeof projectLineSchema>;

/** Texts for a model about the projects of a conversation, in their order; leaves out projects without any. */
export function projectTexts(
  projects: readonly {
    readonly title: string;
    readonly project: Pick<ProjectLine, 'instructions' | 'notes'>;
  }[],
): { readonly name: string; readonly words: string }[] {
  return projects.flatMap(({ title, project }) => {
    const notes = project.notes.map(
      ({ text }) =>
        `- ${text
          .split('\n')
          .map((line) => line.trim())
          .filter((line) => line !== '')
          .join(' ')}`,
    );
    const said = [project.instructions.trim(), notes.length > 0 ? `Notes:\n${notes.join('\n')}` : '']
      .filter((part) => part !== '')
      .join('\n\n');
    return said === '' ? [] : [{ name: title, words: `Project “${title}”:\n${said}` }];
  });
}
