// Our own file of prompts and personas.
//   { "format": "recollect-prompts", "version": 1, "exportedAt": ms, "prompts": [ … ], "personas": [ … ] }
import { z } from 'zod';
import { readJson } from '../../domain/base/json.ts';
import { type NewPersona, personaSchema } from '../../domain/prompts/persona.ts';
import { type NewPrompt, promptSchema } from '../../domain/prompts/prompt.ts';
import type { PromptFormat } from './format.ts';

const FORMAT = 'recollect-prompts';
const fileSchema = z.looseObject({
  format: z.literal(FORMAT),
  version: z.number().int().min(1).max(1),
  prompts: z.array(z.unknown()).catch([]),
  personas: z.array(z.unknown()).catch([]),
});
const newPrompt = promptSchema.omit({ id: true, createdAt: true, updatedAt: true }).strip();
const newPersona = personaSchema.omit({ id: true, createdAt: true, updatedAt: true }).strip();

/** Reads Recollect's own file; entries that do not fit are counted as skipped, and another format is null. */
export const readRecollect: PromptFormat = ({ text }) => {
  const file = fileSchema.safeParse(readJson(text)).data;
  if (!file) return null;
  const prompts = file.prompts.flatMap((one) => newPrompt.safeParse(one).data ?? []);
  const personas = file.personas.flatMap((one) => newPersona.safeParse(one).data ?? []);
  const all = file.prompts.length + file.personas.length;
  return { prompts, personas, skipped: all - prompts.length - personas.length };
};

/** `now`: ms since 1970. */
export const writeRecollect = (
  { prompts, personas }: { readonly prompts: readonly NewPrompt[]; readonly personas: readonly NewPersona[] },
  now: number,
): string =>
  `${JSON.stringify(
    {
      format: FORMAT,
      version: 1,
      exportedAt: now,
      prompts: prompts.map((one) => newPrompt.parse(one)),
      personas: personas.map((one) => newPersona.parse(one)),
    },
    null,
    2,
  )}\n`;
