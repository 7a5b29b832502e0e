// The evaluation set of our own writing is what its README says: shaped as promised, every label points at a message
// that exists and was there before the question was asked, and there is enough of it, in more than one language.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';

const FOLDER = new URL('./own', import.meta.url).pathname;

const KINDS = ['fact', 'preference', 'decision', 'time', 'who', 'code', 'paraphrase', 'unrelated'] as const;
const languages = z.enum(['en', 'zh', 'mixed']);
const instant = z.iso.datetime({ offset: true });

const partSchema = z.strictObject({
  conversations: z.array(
    z.strictObject({
      id: z.string().min(1),
      language: languages,
      topic: z.string().min(1),
      startedAt: instant,
      workDir: z.string().min(1).nullable(),
      messages: z
        .array(
          z.strictObject({
            role: z.enum(['user', 'assistant']),
            name: z.string().min(1).nullable(),
            content: z.string().trim().min(1),
          }),
        )
        .min(6)
        .max(26),
    }),
  ),
  questions: z.array(
    z.strictObject({
      id: z.string().min(1),
      text: z.string().trim().min(1),
      language: languages,
      date: instant,
      relevant: z.array(
        z.strictObject({ conversation: z.string().min(1), message: z.number().int().nonnegative() }),
      ),
      kind: z.enum(KINDS),
    }),
  ),
});

/** Reads the parts of the set whose file name passes as one library. */
function read(wanted: (file: string) => boolean) {
  const parts = readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json') && wanted(file))
    .sort()
    .map((file) => partSchema.parse(JSON.parse(readFileSync(join(FOLDER, file), 'utf8'))));
  return {
    conversations: parts.flatMap((part) => part.conversations),
    questions: parts.flatMap((part) => part.questions),
  };
}

const distinct = (values: readonly string[]): number => new Set(values).size;
const english = (file: string): boolean => file.startsWith('en');
const all = read(() => true);

test('ids and questions are not repeated', () => {
  expect(distinct(all.conversations.map(({ id }) => id))).toBe(all.conversations.length);
  expect(distinct(all.questions.map(({ id }) => id))).toBe(all.questions.length);
  expect(distinct(all.questions.map(({ text }) => text))).toBe(all.questions.length);
});

test('every label points once at a message of a conversation begun before the question', () => {
  const known = new Map(all.conversations.map((conversation) => [conversation.id, conversation]));
  const wrong = all.questions.filter(
    ({ date, relevant }) =>
      distinct(relevant.map((label) => `${label.conversation} ${label.message}`)) !== relevant.length ||
      relevant.some(({ conversation, message }) => {
        const held = known.get(conversation);
        return (
          held === undefined ||
          message >= held.messages.length ||
          Date.parse(held.startedAt) >= Date.parse(date)
        );
      }),
  );
  expect(wrong).toEqual([]);
});

test('a question is called unrelated exactly when nothing is labelled', () => {
  const wrong = all.questions.filter(
    ({ kind, relevant }) => (kind === 'unrelated') !== (relevant.length === 0),
  );
  expect(wrong).toEqual([]);
});

test('messages are not one template repeated', () => {
  const said = all.conversations.flatMap(({ messages }) => messages.map(({ content }) => content));
  expect(distinct(said) / said.length).toBeGreaterThan(0.99);
});

test('there are several hundred scenes', () => {
  expect(distinct(all.conversations.map(({ language, topic }) => `${language} ${topic}`))).toBeGreaterThan(
    280,
  );
});

test.for([
  { name: 'English', wanted: english, least: { conversations: 120, questions: 1_300, unrelated: 70 } },
  {
    name: 'Chinese and mixed',
    wanted: (file: string) => !english(file),
    least: { conversations: 150, questions: 1_200, unrelated: 80 },
  },
])('there is enough of $name to learn from', ({ wanted, least }, { skip }) => {
  const part = read(wanted);
  skip(part.conversations.length === 0, 'this part is not in this checkout');
  const count = (kind: string): number => part.questions.filter((question) => question.kind === kind).length;
  expect(part.conversations.length).toBeGreaterThanOrEqual(least.conversations);
  expect(part.questions.length).toBeGreaterThanOrEqual(least.questions);
  expect(count('unrelated')).toBeGreaterThanOrEqual(least.unrelated);
  for (const kind of KINDS) expect(count(kind), kind).toBeGreaterThan(0);
  expect(part.conversations.some(({ messages }) => messages.some(({ name }) => name !== null))).toBe(true);
});
