// Defines personas: the role of a model in a conversation. Pure.
import { z } from 'zod';
import { timeSchema } from '../base/time.ts';
import type { ConversationMeta } from '../chat/conversation.ts';
import type { Known } from '../chat/message.ts';
import type { Config } from '../settings/config.ts';
import { type ModelParameters, parametersSchema } from '../settings/parameters.ts';

export const PERSONA_COLOURS = ['blue', 'amber', 'violet', 'green', 'red', 'grey'] as const;
export type PersonaColour = (typeof PERSONA_COLOURS)[number];

/**
 * `all`: memory as the settings and the project say; `none`: the app recalls no
 * passages, and models cannot search for any.
 */
export const PERSONA_MEMORIES = ['all', 'first', 'only', 'none'] as const;

export const personaSchema = z.looseObject({
  id: z.string(),
  name: z.string(),
  description: z.string().catch(''),
  /** One or two signs, such as an emoji; empty: the first letter of the name. */
  sign: z.string().max(16).catch(''),
  colour: z.enum(PERSONA_COLOURS).catch('blue'),
  instructions: z.string().catch(''),
  /** Id of the model, at any connection that offers it; null: the model in use. */
  model: z.string().nullable().catch(null),
  parameters: parametersSchema.omit({ more: true }).catch({}),
  memory: z.enum(PERSONA_MEMORIES).catch('all'),
  /** Id of the project in which `first` and `only` look; the project may be deleted. */
  project: z.string().nullable().catch(null),
  /** ms since 1970 */
  createdAt: timeSchema.catch(0),
  updatedAt: timeSchema.catch(0),
});
export type Persona = Known<z.infer<typeof personaSchema>>;
/** Persona before it is kept, or as a file gives it. */
export type NewPersona = Omit<Persona, 'id' | 'createdAt' | 'updatedAt'>;

/**
 * Instructions at the head of a request: the persona's, then the conversation's own; without either, the general ones.
 */
export function instructionsFor(
  { systemPrompt }: Pick<ConversationMeta, 'systemPrompt'>,
  persona: Pick<Persona, 'instructions'> | null,
  { instructions }: Config['chat'],
): string {
  const own = [persona?.instructions.trim() ?? '', systemPrompt ?? ''].filter((words) => words !== '');
  return own.length > 0 ? own.join('\n\n') : instructions;
}

/** Fields that decide how far memory looks with a persona. */
export type PersonaReach = Pick<Persona, 'memory' | 'project'>;

/** Configuration in force with a persona; the same object if the persona changes nothing. */
export function configWith(config: Config, persona: Pick<Persona, 'memory'> | null): Config {
  if (persona?.memory !== 'none') return config;
  const { recall, tools } = config;
  return {
    ...config,
    recall: { ...recall, auto_recall: { ...recall.auto_recall, enabled: false } },
    tools: { ...tools, recall: false, open_conversation: false },
  };
}

/** Parameters of a connection, overridden by those of a persona. */
export const parametersWith = (
  parameters: ModelParameters | undefined,
  persona: Pick<Persona, 'parameters'> | null,
): ModelParameters | undefined =>
  persona && Object.keys(persona.parameters).length > 0
    ? { ...parameters, ...persona.parameters }
    : parameters;
