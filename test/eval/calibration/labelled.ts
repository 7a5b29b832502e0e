// MADial-Bench and MemoryBank (both MIT) as questions over one person's passages, with the right ones known.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';

/** One question over one person's store: which passages are right, of all there are. */
export interface Question {
  readonly text: string;
  readonly gold: ReadonlySet<string>;
}
export interface Store {
  readonly set: string;
  readonly passages: ReadonlyMap<string, string>;
  readonly questions: readonly Question[];
}

const argument = process.argv.indexOf('--data');
const data = argument < 0 ? resolve(import.meta.dirname, '../data') : (process.argv[argument + 1] as string);
const read = (...path: string[]) => readFileSync(join(data, ...path), 'utf8');
const lines = (...path: string[]): unknown[] =>
  read(...path)
    .split('\n')
    .filter((line) => line.trim())
    .map((line) => JSON.parse(line) as unknown);

/** Whole dialogues as questions, events in one sentence as passages. */
export function madial(language: string): Store[] {
  const memory = z.record(z.string(), z.object({ event: z.string(), 'user-id': z.number().optional() }));
  const memories = lines('madial', `memory.${language}.jsonl`).flatMap((line) =>
    Object.entries(memory.parse(line)),
  );
  const dialogue = z.object({
    dialogue: z.array(z.string()),
    'test-turn': z.array(z.number()),
    'relevant-id': z.array(z.number()),
    'user-id': z.number(),
  });
  const dialogues = lines('madial', `dialogue.${language}.jsonl`).map((line) => dialogue.parse(line));
  const said = (line: string) =>
    line
      .replace(/^<[^>]*>:?\s*/, '')
      .replace(/[\n"]/g, ' ')
      .trim();
  return [1, 2].map((user) => ({
    set: `madial-${language}`,
    // The first 76 memories are the first user's, where the file does not say.
    passages: new Map(
      memories
        .filter(([, { 'user-id': of }], at) => (of ?? (at < 76 ? 1 : 2)) === user)
        .map(([id, { event }]) => [String(Number(id)), event]),
    ),
    questions: dialogues
      .filter((entry) => entry['user-id'] === user)
      .map((entry) => ({
        text: entry.dialogue
          .slice(0, entry['test-turn'][0])
          .filter((line) => !/^<(BOD|EOD|Assistant)>/.test(line))
          .map(said)
          .join('\n'),
        gold: new Set(entry['relevant-id'].map(String)),
      })),
  }));
}

/** Questions over ten days of rounds with an assistant; a round is one passage. */
export function memoryBank(language: string): Store[] {
  const round = z.object({ query: z.string(), response: z.string() });
  const people = z
    .record(z.string(), z.object({ history: z.record(z.string(), z.array(round)) }))
    .parse(JSON.parse(read('memorybank', `memory.${language}.json`)));
  const asked = new Map(
    lines('memorybank', `questions.${language}.jsonl`)
      .flatMap((line) => Object.entries(z.record(z.string(), z.array(z.string())).parse(line)))
      .map(([user, questions]) => [user.trim(), questions]),
  );
  const label = z.object({
    user: z.string(),
    q: z.number(),
    type: z.string(),
    evidence: z.array(z.array(z.string())),
  });
  const labels = z
    .object({ labels: z.record(z.string(), z.array(label.or(z.looseObject({ type: z.literal('day') })))) })
    .parse(JSON.parse(read('memorybank', 'evidence.json')))
    .labels[language]?.flatMap((entry) => (entry.type === 'round' ? [label.parse(entry)] : []));
  return Object.entries(people).map(([name, { history }]) => ({
    set: `memorybank-${language}`,
    passages: new Map(
      Object.entries(history).flatMap(([day, rounds]) =>
        rounds.map(({ query, response }, at) => [`${day.slice(5)}:${at}`, `${query}\n${response}`] as const),
      ),
    ),
    questions: (labels ?? [])
      .filter(({ user }) => user === name.trim())
      .map(({ user, q, evidence }) => ({
        text: asked.get(user)?.[q] ?? '',
        gold: new Set(evidence.flat()),
      })),
  }));
}
