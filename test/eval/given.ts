// Reads files that others made: accepts what has only one meaning, fills in what is missing, and refuses the rest
// in one sentence that names the place.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Tasks } from './pipeline.ts';

/** A file that cannot be used, and why: a sentence for the person who named it. */
export class Refused extends Error {}

/** The JSON in a file; a byte order mark and Windows line ends do no harm. */
export function readGiven(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new Refused(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  try {
    return JSON.parse(text.replace(/^\uFEFF/u, ''));
  } catch (error) {
    throw new Refused(`${file} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The value as the schema parses it. Throws `Refused` with the first error. */
export function understand<S extends z.ZodType>(schema: S, value: unknown, what: string): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [first, ...more] = result.error.issues;
  const place = (first?.path ?? [])
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./u, '');
  throw new Refused(
    `${what} cannot be understood: ${place === '' ? 'the whole' : place}: ${first?.message ?? 'wrong'}${more.length > 0 ? ` (and ${more.length} more)` : ''}`,
  );
}

/**
 * Words: a string, the parts of one, a number, or nothing. A half of a character
 * that lost its other half becomes a mark.
 */
export const wordsSchema = z
  .union([
    z.string(),
    z.number().transform(String),
    z
      .array(z.union([z.string(), z.looseObject({ text: z.string().nullish() })]))
      .transform((parts) =>
        parts.map((part) => (typeof part === 'string' ? part : (part.text ?? ''))).join('\n'),
      ),
    z.looseObject({ text: z.string() }).transform(({ text }) => text),
    z.null().transform(() => ''),
  ])
  .transform((text) => text.toWellFormed());

const idSchema = z.union([z.string(), z.number().transform(String)]);
/** ISO text, or ms since 1970; anything else is a time that is not known. */
const timeSchema = z
  .unknown()
  .optional()
  .transform((value) =>
    (typeof value === 'string' && Number.isFinite(Date.parse(value))) ||
    (typeof value === 'number' && Number.isFinite(new Date(value).getTime()))
      ? new Date(value).toISOString()
      : null,
  );
/** The person's side of a talk; all others but tools count as the assistant. */
const PERSON = /^(?:user|human|person|me|customer|client|prompter|speaker_?a|用户|我)$/iu;
const TOOL = /^(?:tool|function|tool_result|工具)$/iu;
const roleSchema = z
  .unknown()
  .optional()
  .transform((role) =>
    typeof role !== 'string' || PERSON.test(role.trim())
      ? ('user' as const)
      : TOOL.test(role.trim())
        ? ('tool' as const)
        : ('assistant' as const),
  );

const messageSchema = z.looseObject({
  id: idSchema.nullish(),
  unit: idSchema.nullish(),
  role: roleSchema,
  name: z.string().nullish().catch(null),
  content: wordsSchema.optional(),
  text: wordsSchema.optional(),
});
const querySchema = z.looseObject({
  id: idSchema,
  text: wordsSchema.optional(),
  messages: z.array(z.looseObject({ role: roleSchema, content: wordsSchema.default('') })).optional(),
});
const tasksSchema = z.looseObject({
  sets: z.array(
    z.looseObject({
      name: idSchema,
      language: z.string().catch('mixed'),
      stores: z.array(
        z.looseObject({
          id: idSchema.nullish(),
          sessions: z
            .array(
              z.looseObject({
                id: idSchema.nullish(),
                title: z.string().nullish().catch(null),
                startedAt: timeSchema,
                messages: z.array(messageSchema).nullish(),
              }),
            )
            .nullish(),
          queries: z.array(querySchema).nullish(),
        }),
      ),
    }),
  ),
});

/** A task file's content, with all that may be missing in it filled in. Throws `Refused`. */
export function tasksFrom(value: unknown, file: string): Tasks {
  const { sets } = understand(tasksSchema, value, file);
  return {
    sets: sets.map(({ name, language, stores }) => ({
      name,
      language,
      stores: stores.map(({ id, sessions, queries }, store) => ({
        id: id ?? String(store),
        sessions: (sessions ?? []).map((session, at) => {
          const own = session.id ?? String(at);
          return {
            id: own,
            title: session.title ?? null,
            startedAt: session.startedAt,
            messages: (session.messages ?? []).map((message, place) => {
              const known = message.id ?? message.unit ?? `${own}/${place}`;
              return {
                id: known,
                unit: message.unit ?? known,
                role: message.role,
                name: message.name?.trim() ? message.name : null,
                content: message.content ?? message.text ?? '',
              };
            }),
          };
        }),
        queries: (queries ?? []).map((query) => ({
          id: query.id,
          text:
            query.text ??
            (query.messages ?? [])
              .filter(({ role }) => role === 'user')
              .map(({ content }) => content)
              .join('\n'),
        })),
      })),
    })),
  };
}
