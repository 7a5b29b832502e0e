// One prompt or persona as Markdown or text, with what is said of it in front matter. Reads ours, VS Code's
// `.prompt.md` (blanks `${input:name:hint}`), commands of Claude Code and Codex (`$ARGUMENTS`), and agents of
// Claude Code, which name their tools.
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { attempt } from '../../domain/base/log.ts';
import {
  type NewPersona,
  PERSONA_COLOURS,
  PERSONA_MEMORIES,
  personaSchema,
} from '../../domain/prompts/persona.ts';
import type { NewPrompt } from '../../domain/prompts/prompt.ts';
import { type PromptFormat, personaOf } from './format.ts';

const ENDINGS = /(?:\.prompt|\.chatmode|\.agent)?\.(?:md|markdown|mdx|txt)$/i;
/** Longest front matter, characters. */
const MAX_FRONT = 20_000;

const word = z.union([z.string(), z.number()]).transform(String).optional().catch(undefined);
const frontSchema = z.looseObject({
  type: word,
  name: word,
  title: word,
  description: word,
  model: word,
  sign: word,
  colour: z.enum(PERSONA_COLOURS).optional().catch(undefined),
  memory: z.enum(PERSONA_MEMORIES).optional().catch(undefined),
  project: word,
  tools: z.unknown().optional(),
});

/** Splits a file into its front matter and the text after it. */
function split(text: string): { readonly front: unknown; readonly body: string } {
  const plain = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  if (!plain.startsWith('---\n')) return { front: {}, body: plain };
  const end = plain.slice(0, MAX_FRONT).indexOf('\n---\n', 3);
  const last = end < 0 && plain.length <= MAX_FRONT && plain.endsWith('\n---') ? plain.length - 4 : end;
  if (last < 0) return { front: {}, body: plain };
  const front: unknown = attempt(
    () => parse(plain.slice(4, last + 1), { maxAliasCount: 0 }),
    {},
    'front matter that is no YAML; the words below it count',
  );
  return { front, body: plain.slice(last + 5) };
}

const INPUT = '${input:';

/** Turns a blank of VS Code (`name` or `name:hint`) into one of ours; null for other text. */
function blank(inner: string): string | null {
  const colon = inner.indexOf(':');
  const name = (colon < 0 ? inner : inner.slice(0, colon)).trim();
  const hint = colon < 0 ? '' : inner.slice(colon + 1).trim();
  if (name === '' || inner.length > 700 || /[\n{}]/.test(inner)) return null;
  return hint === '' ? `{{${name}}}` : `{{${name}=${hint}}}`;
}

/** Linear: each piece begins where a blank may begin, and ends the blank at its first brace. */
function ourBlanks(body: string): string {
  const [first = '', ...pieces] = body.split(INPUT);
  const read = pieces.map((piece) => {
    const end = piece.indexOf('}');
    const ours = end < 0 ? null : blank(piece.slice(0, end));
    return ours === null ? INPUT + piece : ours + piece.slice(end + 1);
  });
  return [first, ...read].join('').replaceAll('$ARGUMENTS', '{{text}}');
}

/** Reads a Markdown file with or without front matter; null for another ending, or if no words are in it. */
export const readMarkdown: PromptFormat = ({ name, text }) => {
  if (!ENDINGS.test(name)) return null;
  const { front, body } = split(text);
  const said = frontSchema.safeParse(front ?? {}).data ?? frontSchema.parse({});
  const words = body.trim();
  if (words === '') return null;
  const shared = {
    name: said.name ?? said.title ?? name.replace(ENDINGS, '').replaceAll(/[-_]+/g, ' ').trim(),
    description: said.description ?? '',
  };
  if (said.type !== 'persona' && said.tools === undefined)
    return { prompts: [{ ...shared, text: ourBlanks(words) }], personas: [], skipped: 0 };
  const persona = personaOf({
    ...shared,
    instructions: words,
    // `inherit` in an agent's file stands for the model in use.
    model: said.model === undefined || said.model === 'inherit' ? null : said.model,
    parameters: personaSchema.shape.parameters.parse(front),
    ...(said.sign === undefined ? {} : { sign: said.sign.slice(0, 16) }),
    ...(said.colour ? { colour: said.colour } : {}),
    ...(said.memory ? { memory: said.memory } : {}),
    ...(said.project === undefined ? {} : { project: said.project }),
  });
  return { prompts: [], personas: [persona], skipped: 0 };
};

const withFront = (front: object, body: string): string =>
  `---\n${stringify(front, { lineWidth: 0 })}---\n\n${body.trim()}\n`;

/** A prompt as Markdown, its name and description in the front matter. */
export const promptAsMarkdown = ({ name, description, text }: NewPrompt): string =>
  withFront({ name, ...(description ? { description } : {}) }, text);

/** A persona as Markdown, with front matter of type `persona`. */
export const personaAsMarkdown = (persona: NewPersona): string => {
  const { name, description, sign, colour, instructions, model, parameters, memory, project } = persona;
  return withFront(
    {
      type: 'persona',
      name,
      ...(description ? { description } : {}),
      ...(sign ? { sign } : {}),
      colour,
      ...(model === null ? {} : { model }),
      ...parameters,
      memory,
      ...(project === null ? {} : { project }),
    },
    instructions,
  );
};
