// Open WebUI: exported prompts are a list of { command, title, content }; exported models are a list of { id, name,
// base_model_id, params, meta }, whose system prompts make personas.
import { z } from 'zod';
import { lenientJson } from '../../domain/base/json.ts';
import { type NewPersona, personaSchema } from '../../domain/prompts/persona.ts';
import type { NewPrompt } from '../../domain/prompts/prompt.ts';
import { type PromptFormat, personaOf } from './format.ts';

const promptEntry = z.looseObject({
  command: z.string(),
  title: z.string().optional().catch(undefined),
  name: z.string().optional().catch(undefined),
  content: z.string().min(1),
});
const modelEntry = z.looseObject({
  id: z.string(),
  name: z.string(),
  base_model_id: z.string().nullish(),
  params: z.looseObject({ system: z.string().catch('') }),
  meta: z.looseObject({ description: z.string().nullish() }).catch({}),
});

/**
 * Turns a blank of Open WebUI, `name | select:options=["a","b"]:default="a"`, into one of ours. Linear in its length.
 */
function blank(inner: string): string {
  const bar = inner.indexOf('|');
  const name = (bar < 0 ? inner : inner.slice(0, bar)).trim().replaceAll('_', ' ');
  const more = bar < 0 ? '' : inner.slice(bar + 1);
  const start = more.indexOf('options=[');
  const end = start < 0 ? -1 : more.indexOf(']', start);
  const list = end < 0 ? undefined : more.slice(start + 'options='.length, end + 1);
  const [, initial = ''] = /default="([^"]*)"/.exec(more) ?? [];
  const choices = z.array(z.string()).safeParse(list === undefined ? null : lenientJson(list)).data;
  if (!choices || choices.length < 2) return `{{${name}${initial === '' ? '' : `=${initial}`}}}`;
  const first = choices.includes(initial) ? [initial] : [];
  return `{{${name}: ${[...first, ...choices.filter((choice) => choice !== initial)].join(' | ')}}}`;
}

const ourBlanks = (text: string): string =>
  text.replace(/\{\{([^{}]{1,1000})\}\}/g, (_, inner: string) => blank(inner));

/** Reads a list of prompts and models of Open WebUI; null if the file is no list. */
export const readOpenWebui: PromptFormat = ({ text }) => {
  const json = lenientJson(text);
  const list = z.array(z.unknown()).safeParse(json).data;
  if (!list) return null;
  const prompts: NewPrompt[] = [];
  const personas: NewPersona[] = [];
  for (const entry of list) {
    const prompt = promptEntry.safeParse(entry).data;
    const model = modelEntry.safeParse(entry).data;
    if (prompt)
      prompts.push({
        name: (prompt.title ?? prompt.name ?? '').trim() || prompt.command.replace(/^\//, ''),
        description: '',
        text: ourBlanks(prompt.content),
      });
    else if (model)
      personas.push(
        personaOf({
          name: model.name,
          description: model.meta.description ?? '',
          instructions: model.params.system,
          model: model.base_model_id ?? null,
          parameters: personaSchema.shape.parameters.parse(model.params),
        }),
      );
  }
  const read = prompts.length + personas.length;
  return read > 0 ? { prompts, personas, skipped: list.length - read } : null;
};
