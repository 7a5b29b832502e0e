// The conversations and questions of our own writing as tasks: test/eval/own is one library for each language, and one
// of everything for what is mixed; test/eval/everyday is one small library.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Session, Tasks } from './pipeline.ts';

const fileSchema = z.object({
  conversations: z.array(
    z.object({
      id: z.string(),
      language: z.string(),
      topic: z.string(),
      startedAt: z.string(),
      messages: z.array(
        z.object({ role: z.enum(['user', 'assistant']), name: z.string().nullable(), content: z.string() }),
      ),
    }),
  ),
  questions: z.array(
    z.object({
      id: z.string(),
      text: z.string(),
      language: z.string(),
      date: z.string(),
      relevant: z.array(z.object({ conversation: z.string(), message: z.number().int() })),
      kind: z.string(),
    }),
  ),
});

/** Right units of each question: interchangeable ones in one group, as in the neutral scorer. */
export type Gold = ReadonlyMap<
  string,
  { readonly groups: readonly (readonly string[])[]; readonly slice: string }
>;

/** All parts in a folder. */
const read = (directory: string) =>
  readdirSync(directory)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => fileSchema.parse(JSON.parse(readFileSync(join(directory, name), 'utf8'))));

const sessionOf = ({
  id,
  topic,
  startedAt,
  messages,
}: z.infer<typeof fileSchema>['conversations'][number]): Session => ({
  id,
  title: topic,
  startedAt,
  messages: messages.map((message, at) => ({ ...message, id: `${id}#${at}`, unit: `${id}#${at}` })),
});
const goldOf = (questions: z.infer<typeof fileSchema>['questions']): Gold =>
  new Map(
    questions.map(({ id, relevant, kind }) => [
      id,
      { groups: relevant.map(({ conversation, message }) => [`${conversation}#${message}`]), slice: kind },
    ]),
  );
const queriesOf = (questions: z.infer<typeof fileSchema>['questions']) =>
  questions.map(({ id, text, date }) => ({ id, text, date }));

/**
 * The set `everyday`, with what is right: short questions to a small library in two
 * languages. Nothing is learnt from it.
 */
export function everyday(directory: string): { tasks: Tasks; gold: ReadonlyMap<string, Gold> } {
  const files = read(directory);
  const questions = files.flatMap((file) => file.questions);
  const sessions = files.flatMap((file) => file.conversations.map(sessionOf));
  const stores = [{ id: 'everyday', sessions, queries: queriesOf(questions) }];
  return {
    tasks: { sets: [{ name: 'everyday', language: 'mixed', stores }] },
    gold: new Map([['everyday', goldOf(questions)]]),
  };
}

/** The set `own-en`, `own-zh` and `own-mixed`, with what is right. Unrelated questions have no right unit. */
export function own(directory: string): { tasks: Tasks; gold: ReadonlyMap<string, Gold> } {
  const files = read(directory);
  const conversations = files.flatMap((file) => file.conversations);
  const questions = files.flatMap((file) => file.questions);
  const languageOf = new Map(conversations.map(({ id, language }) => [id, language]));
  const sessions = conversations.map(sessionOf);
  const gold = new Map<string, Gold>();
  const sets = ['en', 'zh', 'mixed'].map((language) => {
    const inStore = ({ id }: { readonly id: string }) =>
      language === 'mixed' || languageOf.get(id) === language;
    const kept = questions.filter((question) => {
      const languages = new Set([
        question.language,
        ...question.relevant.map(({ conversation }) => languageOf.get(conversation)),
      ]);
      const alone = languages.size === 1 ? question.language : 'mixed';
      return alone === language;
    });
    gold.set(`own-${language}`, goldOf(kept));
    return {
      name: `own-${language}`,
      language,
      stores: [
        {
          id: language,
          sessions: sessions.filter(inStore),
          queries: queriesOf(kept),
        },
      ],
    };
  });
  return { tasks: { sets }, gold };
}
