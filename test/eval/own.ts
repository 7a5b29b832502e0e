// The conversations and questions of test/eval/own as tasks: one library for each language, and one of everything for what is mixed.
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

/** The set `own-en`, `own-zh` and `own-mixed`, with what is right. Unrelated questions have no right unit. */
export function own(directory: string): { tasks: Tasks; gold: ReadonlyMap<string, Gold> } {
  const files = readdirSync(directory)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => fileSchema.parse(JSON.parse(readFileSync(join(directory, name), 'utf8'))));
  const conversations = files.flatMap((file) => file.conversations);
  const questions = files.flatMap((file) => file.questions);
  const languageOf = new Map(conversations.map(({ id, language }) => [id, language]));
  const sessions = conversations.map(
    ({ id, startedAt, messages }): Session => ({
      id,
      startedAt,
      messages: messages.map((message, at) => ({ ...message, id: `${id}#${at}`, unit: `${id}#${at}` })),
    }),
  );
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
    gold.set(
      `own-${language}`,
      new Map(
        kept.map(({ id, relevant, kind }) => [
          id,
          {
            groups: relevant.map(({ conversation, message }) => [`${conversation}#${message}`]),
            slice: kind,
          },
        ]),
      ),
    );
    return {
      name: `own-${language}`,
      language,
      stores: [
        {
          id: language,
          sessions: sessions.filter(inStore),
          queries: kept.map(({ id, text, date }) => ({ id, text, date })),
        },
      ],
    };
  });
  return { tasks: { sets }, gold };
}
