// Checks the parameters that a person sends with every request to an endpoint, besides the
// messages. Empty ones are not sent. Pure.
import { z } from 'zod';

/** Keys of a request that the app alone sets, and one that a record cannot hold. */
const RESERVED_PARAMETERS: readonly string[] = [
  'messages',
  'model',
  // The app reads only one answer.
  'n',
  'stream',
  'tool_choice',
  'tools',
  '__proto__',
];

/** Deepest nesting of `more`: far more than any endpoint reads, far less than would fill the stack. */
const MAX_DEPTH = 50;

function isShallow(value: unknown, levels = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isShallow(inner, levels - 1));
}

/** Reserved keys among those of `more`. */
export const reservedIn = (more: object): string[] =>
  Object.keys(more).filter((key) => RESERVED_PARAMETERS.includes(key));

/** Parameters under their names in the OpenAI chat API. */
export const parametersSchema = z.object({
  temperature: z.number().min(0).max(2).optional(),
  top_p: z.number().min(0).max(1).optional(),
  /** Most tokens of an answer, thoughts included. */
  max_tokens: z.number().int().min(1).max(10_000_000).optional(),
  reasoning_effort: z
    .string()
    .regex(/^[\w-]{1,40}$/)
    .optional(),
  /** Merged into the body of the request unchanged; a parameter that has a field of its own wins over it. */
  more: z
    .custom<unknown>((more) => isShallow(more))
    .pipe(z.record(z.string(), z.json()))
    .refine((more) => reservedIn(more).length === 0)
    .optional(),
});
export type ModelParameters = z.infer<typeof parametersSchema>;

/** Parameters under their names in a request to `host`; empty if none is set. */
export function sentParameters(
  { more, max_tokens: limit, ...named }: ModelParameters,
  host: string,
): Readonly<Record<string, unknown>> {
  const set = Object.entries(named).filter(([, value]) => value !== undefined);
  return {
    ...more,
    ...Object.fromEntries(set),
    ...(limit === undefined ? {} : { [limitName(host)]: limit }),
  };
}

/** OpenAI's newer models refuse the old name of the limit; most other endpoints know only that one. */
export const limitName = (host: string): 'max_tokens' | 'max_completion_tokens' =>
  host === 'api.openai.com' ? 'max_completion_tokens' : 'max_tokens';
