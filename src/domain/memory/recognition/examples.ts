// The examples for training the classifiers: 1,156 sentences in two languages, each with its class and its topic.
import { EXAMPLES_EN } from './examples-en.ts';
import { EXAMPLES_ZH } from './examples-zh.ts';
import { type NoteKind, SENTENCE_CLASSES, TOPICS, type Topic } from './kinds.ts';

export interface Example {
  readonly text: string;
  readonly kind: NoteKind | 'none';
  readonly topic: Topic;
}

const oneOf = <T extends string>(list: readonly T[], word: string | undefined): T => {
  const found = list.find((one) => one === word);
  if (found === undefined) throw new Error(`Examples: ${word} is none of ${list.join(', ')}`);
  return found;
};

/**
 * Parses examples: a heading `# kind topic` holds for the lines below it. Throws for a heading with an unknown name.
 */
export function readExamples(text: string): Example[] {
  const examples: Example[] = [];
  let [kind, topic]: [NoteKind | 'none', Topic] = ['none', 'none'];
  for (const line of text.split('\n'))
    if (line.startsWith('# ')) {
      const [first, second] = line.slice(2).split(' ');
      [kind, topic] = [oneOf(SENTENCE_CLASSES, first), oneOf(TOPICS, second)];
    } else if (line !== '') examples.push({ text: line, kind, topic });
  return examples;
}

export const EXAMPLES: readonly Example[] = [...readExamples(EXAMPLES_EN), ...readExamples(EXAMPLES_ZH)];
