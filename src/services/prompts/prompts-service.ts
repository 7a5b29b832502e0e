// Stores prompts and personas in the document of the memory notes (`documents/notes.ts`).
//   q   key -> a prompt as JSON       r   key -> a persona as JSON
// A change deletes the keys that it replaces, and adds a new one: concurrent versions of two devices both remain.
import { v7 } from 'uuid';
import type { z } from 'zod';
import type { Store } from '../../adapters/log/conversation-log.ts';
import { type Problem, RecollectError } from '../../domain/base/errors.ts';
import { NOTES_DOCUMENT } from '../../domain/base/ids.ts';
import { writable } from '../../domain/base/readable.ts';
import { type Persona, personaSchema } from '../../domain/prompts/persona.ts';
import { MAX_PROMPT, MAX_PROMPT_NAME, promptSchema, type SavedPrompt } from '../../domain/prompts/prompt.ts';
import { startOf } from '../../domain/text/whole-characters.ts';
import { readForgotten } from '../documents/forgotten-records.ts';
import { plain, SmallDocument, type ValueMap, type ValueMaps } from '../documents/small-document.ts';
import { itemWithout } from '../documents/taking-out.ts';
import { createEraser, type Eraser, withoutAll } from '../forget/eraser.ts';
import type { Prompts, PromptsState } from './prompts.ts';

interface PromptsDeps {
  readonly store: Pick<Store, 'log'>;
  /** ms since 1970 */
  readonly now: () => number;
  readonly onProblem: (problem: Problem) => void;
}

/** Reads the document at once and follows other tabs and devices. */
export function createPrompts(deps: PromptsDeps): Prompts {
  return new SyncedPrompts(deps);
}

type Kind = 'q' | 'r';
interface Kept {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}
interface Version<T> {
  readonly item: T;
  readonly key: string;
}

/** Versions under each id. A concurrent version is an item of its own, named after its key. */
function versionsIn<T extends Kept>(map: ValueMap, schema: z.ZodType<T>): Version<T>[] {
  const byId = new Map<string, [string, T][]>();
  for (const [key, value] of map.entries()) {
    const { data } = schema.safeParse(value);
    if (data) byId.set(data.id, [...(byId.get(data.id) ?? []), [key, data]]);
  }
  return [...byId.values()].flatMap((rows) => {
    rows.sort(([a, one], [b, other]) => other.updatedAt - one.updatedAt || (a < b ? 1 : -1));
    return rows.map(([key, item], at): Version<T> => ({ item: at === 0 ? item : { ...item, id: key }, key }));
  });
}

const byName = (a: Kept, b: Kept): number =>
  a.name.localeCompare(b.name) || a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);

class SyncedPrompts implements Prompts {
  readonly #deps: PromptsDeps;
  readonly #document: SmallDocument;
  readonly state = writable<PromptsState>({ ready: false, prompts: [], personas: [] });
  readonly failure: Prompts['failure'];

  constructor(deps: PromptsDeps) {
    this.#deps = deps;
    this.#document = new SmallDocument({
      log: deps.store.log,
      document: NOTES_DOCUMENT,
      onProblem: deps.onProblem,
      onChange: (maps) => this.#announce(maps),
    });
    this.failure = this.#document.failure;
  }

  readonly known: Prompts['known'] = async () => {
    await this.#document.known();
    return this.state.get();
  };

  readonly savePrompt: Prompts['savePrompt'] = async ({ name, description, text, id }) => {
    if (text.trim() === '') throw new RecollectError('prompt-empty', 'A prompt needs words.');
    checkLength(text);
    const wanted = { name: checkedName(name), description: description.trim(), text };
    return await this.#save('q', promptSchema, wanted, id);
  };

  readonly savePersona: Prompts['savePersona'] = async ({ id, ...persona }) => {
    checkLength(persona.instructions);
    return await this.#save('r', personaSchema, { ...persona, name: checkedName(persona.name) }, id);
  };

  readonly remove: Prompts['remove'] = async (ids) => {
    const gone: { kind: Kind; key: string; item: Kept }[] = [];
    await this.#document.change((maps) => {
      for (const [kind, schema] of KINDS) {
        const map = maps(kind);
        for (const { item, key } of versionsIn<Kept>(map, schema)) {
          if (!ids.includes(item.id)) continue;
          gone.push({ kind, key, item });
          map.delete(key);
        }
      }
    });
    return () =>
      this.#document.change((maps) => {
        const erasers = erasersIn(maps);
        for (const { kind, key, item } of gone) {
          const left = withoutAll(item, erasers, itemWithout);
          if (left) maps(kind).set(key, plain(left));
        }
      });
  };

  readonly takeOut: Prompts['takeOut'] = async (rules, whole) => {
    const at = this.#deps.now();
    await this.#document.change((maps) => {
      for (const [kind, schema] of KINDS)
        for (const [key, value] of [...maps(kind).entries()]) {
          const item = schema.safeParse(value).data;
          const left = item && itemWithout(item, rules, whole);
          if (!item || left === item) continue;
          maps(kind).delete(key);
          if (left) maps(kind).set(v7(), plain({ ...left, updatedAt: Math.max(at, item.updatedAt + 1) }));
        }
    });
  };

  readonly bring: Prompts['bring'] = async ({ prompts, personas }) => {
    const at = this.#deps.now();
    const added: string[] = [];
    let known = 0;
    await this.#document.change((maps) => {
      const erasers = erasersIn(maps);
      const put = <T extends Kept, N extends { readonly id?: string }>(
        kind: Kind,
        schema: z.ZodType<T>,
        wanted: readonly N[],
        wordsOf: (one: N | T) => string,
      ) => {
        const versions = versionsIn(maps(kind), schema);
        const there = new Set(versions.map(({ item }) => wordsOf(item)));
        const ids = new Set(versions.map(({ item }) => item.id));
        for (const one of wanted.flatMap(
          (item) => withoutAll({ updatedAt: 0, ...item }, erasers, itemWithout) ?? [],
        )) {
          const words = wordsOf(one);
          if (there.has(words)) {
            known += 1;
            continue;
          }
          there.add(words);
          const id = one.id !== undefined && !ids.has(one.id) ? one.id : v7();
          ids.add(id);
          added.push(id);
          maps(kind).set(id, plain({ ...one, id, createdAt: at, updatedAt: at }));
        }
      };
      put('q', promptSchema, prompts, ({ name, text }) => JSON.stringify([name, text]));
      put('r', personaSchema, personas, ({ name, instructions, model }) =>
        JSON.stringify([name, instructions, model]),
      );
    });
    return { added: added.length, known, undo: async () => void (await this.remove(added)) };
  };

  readonly personaOf: Prompts['personaOf'] = ({ meta: { persona } }) =>
    (persona && this.state.get().personas.find(({ id }) => id === persona)) || null;

  readonly close: Prompts['close'] = () => this.#document.close();

  async #save<T extends Kept>(
    kind: Kind,
    schema: z.ZodType<T>,
    wanted: object,
    id: string | undefined,
  ): Promise<T> {
    const at = this.#deps.now();
    let saved: T | undefined;
    await this.#document.change((maps) => {
      const map = maps(kind);
      const before =
        id === undefined ? undefined : versionsIn(map, schema).find(({ item }) => item.id === id);
      const item = {
        ...before?.item,
        ...wanted,
        id: id ?? v7(),
        createdAt: before?.item.createdAt ?? at,
        updatedAt: at,
      };
      if (before) map.delete(before.key);
      map.set(before ? v7() : item.id, plain(item));
      saved = schema.parse(plain(item));
    });
    return saved as T;
  }

  #announce(maps: ValueMaps): void {
    const itemsOf = <T extends Kept>(kind: Kind, schema: z.ZodType<T>): T[] =>
      versionsIn(maps(kind), schema)
        .map(({ item }) => item)
        .sort(byName);
    this.state.set({
      ready: true,
      prompts: itemsOf<SavedPrompt>('q', promptSchema),
      personas: itemsOf<Persona>('r', personaSchema),
    });
  }
}

const KINDS: readonly (readonly [Kind, z.ZodType<Kept>])[] = [
  ['q', promptSchema],
  ['r', personaSchema],
];

/** Makes erasers for everything forgotten for good, by the same document. */
const erasersIn = (maps: ValueMaps): Eraser[] => readForgotten(maps).map((record) => createEraser(record));

function checkedName(name: string): string {
  const words = startOf(name.trim(), MAX_PROMPT_NAME);
  if (words === '') throw new RecollectError('prompt-empty', 'It needs a name.');
  return words;
}

function checkLength({ length }: string): void {
  if (length > MAX_PROMPT)
    throw new RecollectError('prompt-too-long', `A prompt has at most ${MAX_PROMPT} characters.`, {
      params: { length, limit: MAX_PROMPT },
    });
}
