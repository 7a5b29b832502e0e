// Prompts that a person saved, with blanks to fill in: `{{name}}`, `{{name=default}}`,
// `{{name: one | other}}`. Pure, and linear in the text.
import { z } from 'zod';
import { timeSchema } from '../base/time.ts';
import type { Known } from '../chat/message.ts';

export const promptSchema = z.looseObject({
  id: z.string(),
  name: z.string(),
  description: z.string().catch(''),
  text: z.string(),
  /** ms since 1970 */
  createdAt: timeSchema.catch(0),
  updatedAt: timeSchema.catch(0),
});
export type SavedPrompt = Known<z.infer<typeof promptSchema>>;
/** Prompt before it is kept, or as a file gives it. */
export type NewPrompt = Pick<SavedPrompt, 'name' | 'description' | 'text'>;

/** Longest text of a prompt, or of a persona's instructions; longest name. Characters. */
export const MAX_PROMPT = 50_000;
export const MAX_PROMPT_NAME = 80;

/** A blank in a prompt. */
export interface Variable {
  readonly name: string;
  /** Initial value; empty if there is none. */
  readonly initial: string;
  /** Allowed values, if the blank lists any. */
  readonly choices: readonly string[];
}

const OPEN = '{{';
const CLOSE = '}}';
/** Longest blank, characters; a longer pair of braces is plain text. */
const MAX_BLANK = 1_000;

interface Blank extends Variable {
  readonly from: number;
  readonly to: number;
}

/** Reads the variable between the braces; null if it has no name. */
function readBlank(inner: string): Variable | null {
  const at = inner.search(/[=:]/);
  const name = (at < 0 ? inner : inner.slice(0, at)).trim();
  if (name === '' || /[\n{}|]/.test(name)) return null;
  const more = at < 0 ? '' : inner.slice(at + 1);
  if (inner[at] !== ':') return { name, initial: more.trim(), choices: [] };
  const choices = more.split('|').map((choice) => choice.trim());
  const named = [...new Set(choices.filter((choice) => choice !== ''))];
  return { name, initial: named[0] ?? '', choices: named.length > 1 ? named : [] };
}

function blanksIn(text: string): Blank[] {
  const blanks: Blank[] = [];
  for (let from = text.indexOf(OPEN); from >= 0; ) {
    const end = text.indexOf(CLOSE, from + OPEN.length);
    if (end < 0) break;
    // Take the innermost pair: earlier opening braces belong to the text.
    const begin = text.lastIndexOf(OPEN, end - 1);
    const inner = text.slice(begin + OPEN.length, end);
    const to = end + CLOSE.length;
    const variable = inner.length <= MAX_BLANK ? readBlank(inner) : null;
    if (variable) blanks.push({ ...variable, from: begin, to });
    from = text.indexOf(OPEN, to);
  }
  return blanks;
}

const keyOf = (name: string): string => name.normalize('NFKC').toLowerCase();

/** Blanks of a prompt, each name once, in their order. The first default and the first choices of a name count. */
export function variablesIn(text: string): readonly Variable[] {
  const found = new Map<string, Variable>();
  for (const { name, initial, choices } of blanksIn(text)) {
    const before = found.get(keyOf(name));
    found.set(keyOf(name), {
      name: before?.name ?? name,
      initial: before?.initial || initial,
      choices: before?.choices.length ? before.choices : choices,
    });
  }
  return [...found.values()];
}

/** Fills in the blanks of a prompt. A name without a value gets its initial value. */
export function filledPrompt(text: string, values: Readonly<Record<string, string>>): string {
  const given = new Map(Object.entries(values).map(([name, value]) => [keyOf(name), value]));
  const initial = new Map(variablesIn(text).map((variable) => [keyOf(variable.name), variable.initial]));
  let filled = '';
  let at = 0;
  for (const { name, from, to } of blanksIn(text)) {
    filled += text.slice(at, from) + (given.get(keyOf(name)) ?? initial.get(keyOf(name)) ?? '');
    at = to;
  }
  return filled + text.slice(at);
}

/** Name after the slash: letters, digits and dashes; empty if the name has none. Linear in the name. */
export function slugOf(name: string): string {
  const dashed = name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, MAX_PROMPT_NAME)
    .replace(/^-|-$/g, '');
  return /^\p{N}/u.test(dashed) ? `p-${dashed}` : dashed;
}

/**
 * Gives each prompt or persona its own word after the slash. If two share a name, or one has that of a command,
 * the later gets a number. Oldest first.
 */
export function slugsOf(
  prompts: readonly Pick<SavedPrompt, 'id' | 'name' | 'createdAt'>[],
  taken: Iterable<string>,
): ReadonlyMap<SavedPrompt['id'], string> {
  const used = new Set(taken);
  const slugs = new Map<SavedPrompt['id'], string>();
  const oldestFirst = [...prompts].sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
  for (const { id, name } of oldestFirst) {
    const slug = slugOf(name) || 'prompt';
    let free = slug;
    for (let number = 2; used.has(free); number++) free = `${slug}-${number}`;
    used.add(free);
    slugs.set(id, free);
  }
  return slugs;
}
