// Personas: who a model is to be in a conversation. Pure.
import { z } from 'zod';
import { timeSchema } from '../base/time.ts';
import type { ConversationMeta } from '../chat/conversation.ts';
import type { Known } from '../chat/message.ts';
import type { Config } from '../settings/config.ts';
import { type ModelParameters, parametersSchema } from '../settings/parameters.ts';

export const PERSONA_COLOURS = ['blue', 'amber', 'violet', 'green', 'red', 'grey'] as const;
export type PersonaColour = (typeof PERSONA_COLOURS)[number];

/** `all`: as the settings and the conversation's project say; `none`: no passages are brought back, and models cannot look for any. */
export const PERSONA_MEMORIES = ['all', 'first', 'only', 'none'] as const;

export const personaSchema = z.looseObject({
  id: z.string(),
  name: z.string(),
  description: z.string().catch(''),
  /** A sign or two, such as an emoji; empty: the first letter of the name. */
  sign: z.string().max(16).catch(''),
  colour: z.enum(PERSONA_COLOURS).catch('blue'),
  instructions: z.string().catch(''),
  /** By its id, at whichever connection has it; null: the model in use. */
  model: z.string().nullable().catch(null),
  parameters: parametersSchema.omit({ more: true }).catch({}),
  memory: z.enum(PERSONA_MEMORIES).catch('all'),
  /** Project that `first` and `only` look in, by its id; it may be gone. */
  project: z.string().nullable().catch(null),
  /** ms since 1970 */
  createdAt: timeSchema.catch(0),
  updatedAt: timeSchema.catch(0),
});
export type Persona = Known<z.infer<typeof personaSchema>>;
/** One that is not kept yet, or read from a file. */
export type NewPersona = Omit<Persona, 'id' | 'createdAt' | 'updatedAt'>;

/** Instructions at the head of a request: the persona's, then the conversation's own; without either, those for all. */
export function instructionsFor(
  { systemPrompt }: Pick<ConversationMeta, 'systemPrompt'>,
  persona: Pick<Persona, 'instructions'> | null,
  { instructions }: Config['chat'],
): string {
  const own = [persona?.instructions.trim() ?? '', systemPrompt ?? ''].filter((words) => words !== '');
  return own.length > 0 ? own.join('\n\n') : instructions;
}

/** How far memory looks with a persona. */
export type PersonaReach = Pick<Persona, 'memory' | 'project'>;

/** The configuration as it is in force with a persona. The same object where it changes nothing. */
export function configWith(config: Config, persona: Pick<Persona, 'memory'> | null): Config {
  if (persona?.memory !== 'none') return config;
  const { recall, tools } = config;
  return {
    ...config,
    recall: { ...recall, auto_recall: { ...recall.auto_recall, enabled: false } },
    tools: { ...tools, recall: false, open_conversation: false },
  };
}

/** Parameters of a connection, and what a persona says instead. */
export const parametersWith = (
  parameters: ModelParameters | undefined,
  persona: Pick<Persona, 'parameters'> | null,
): ModelParameters | undefined =>
  persona && Object.keys(persona.parameters).length > 0
    ? { ...parameters, ...persona.parameters }
    : parameters;
