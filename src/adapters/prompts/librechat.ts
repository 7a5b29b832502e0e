// LibreChat: a preset, or a list of them, with its instructions in `promptPrefix` or `system`.
import { z } from 'zod';
import { lenientJson } from '../../domain/base/json.ts';
import { personaSchema } from '../../domain/prompts/persona.ts';
import { type PromptFormat, personaOf } from './format.ts';

const presetSchema = z
  .looseObject({
    title: z.string().nullish(),
    chatGptLabel: z.string().nullish(),
    modelLabel: z.string().nullish(),
    model: z.string().nullish(),
    promptPrefix: z.string().nullish(),
    system: z.string().nullish(),
    endpoint: z.string().nullish(),
  })
  .refine(({ endpoint, promptPrefix, system }) => endpoint || promptPrefix || system);

/** Reads presets of LibreChat, one or a list of them, as personas. */
export const readLibreChat: PromptFormat = ({ name, text }) => {
  const json = lenientJson(text);
  const list = Array.isArray(json) ? json : [json];
  const personas = list.flatMap((entry) => {
    const preset = presetSchema.safeParse(entry).data;
    if (!preset) return [];
    const named = preset.title || preset.modelLabel || preset.chatGptLabel || name.replace(/\.json$/i, '');
    return [
      personaOf({
        name: named,
        instructions: preset.promptPrefix || preset.system || '',
        model: preset.model ?? null,
        parameters: personaSchema.shape.parameters.parse(preset),
      }),
    ];
  });
  return personas.length > 0 ? { prompts: [], personas, skipped: list.length - personas.length } : null;
};
