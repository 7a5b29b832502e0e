// Converts an endpoint's parameters to and from the text of their fields.

import { log } from '../../domain/base/log.ts';
import { type ModelParameters, parametersSchema, reservedIn } from '../../domain/settings/parameters.ts';

export const PARAMETER_FIELDS = ['temperature', 'top_p', 'max_tokens', 'reasoning_effort', 'more'] as const;
export type ParameterField = (typeof PARAMETER_FIELDS)[number];

/** Typed text of each field. */
export type ParameterWords = Readonly<Record<ParameterField, string>>;

/** Why a field is refused: out of range, invalid JSON, not an object, or keys that only the app may set. */
export interface ParameterRefusal {
  readonly field: ParameterField;
  readonly why: 'range' | 'json' | 'object' | 'reserved';
  readonly keys: readonly string[];
}

/** Fields for the given parameters. */
export const parameterWords = (parameters: ModelParameters = {}): ParameterWords => ({
  temperature: String(parameters.temperature ?? ''),
  top_p: String(parameters.top_p ?? ''),
  max_tokens: String(parameters.max_tokens ?? ''),
  reasoning_effort: parameters.reasoning_effort ?? '',
  more: parameters.more ? JSON.stringify(parameters.more, null, 2) : '',
});

/** Parameters from the fields, null if all are empty; or the first refused field. */
export function parametersFrom(words: ParameterWords): ModelParameters | null | ParameterRefusal {
  const found: Record<string, unknown> = {};
  for (const field of PARAMETER_FIELDS) {
    const typed = words[field].trim();
    if (typed === '') continue;
    const refuse = (why: ParameterRefusal['why'], keys: readonly string[] = []) => ({ field, why, keys });
    if (field === 'reasoning_effort') found[field] = typed;
    else if (field !== 'more') found[field] = Number(typed.replace(',', '.'));
    else {
      let more: unknown;
      try {
        more = JSON.parse(typed);
      } catch (error) {
        log.debug('Further parameters are no JSON; the field says so', error);
        return refuse('json');
      }
      if (typeof more !== 'object' || more === null || Array.isArray(more)) return refuse('object');
      const reserved = reservedIn(more);
      if (reserved.length > 0) return refuse('reserved', reserved);
      found[field] = more;
    }
    if (!parametersSchema.shape[field].safeParse(found[field]).success) return refuse('range');
  }
  return Object.keys(found).length > 0 ? parametersSchema.parse(found) : null;
}

/** True if the parameters were refused; the refusal says why. */
export const isRefusal = (
  parameters: ModelParameters | null | ParameterRefusal,
): parameters is ParameterRefusal => parameters !== null && 'why' in parameters;
