// What was asked before and answered from memory is one with its source.
import { expect, it } from 'vitest';
import type { Rankable } from '../../../src/domain/memory/rank.ts';
import { repeatsIn } from '../../../src/domain/memory/sources.ts';
import { candidate } from './candidates.ts';

/** The source, the question that was asked before, and its answer, which was made from the source. */
function askedBefore(source: string, question: string, answer: string, more: Partial<Rankable> = {}) {
  const said = candidate({ text: source, role: 'user' });
  const asked = candidate({ text: question, role: 'user' });
  const told = candidate({
    text: answer,
    role: 'assistant',
    before: asked.messageId,
    recalled: [said.messageId],
    ...more,
  });
  return { said, asked, told };
}
const repeated = ({ said, asked, told }: ReturnType<typeof askedBefore>) => {
  const repeats = repeatsIn([told, asked, said]);
  return [said, asked, told].map(({ chunkId }) => repeats.has(chunkId));
};

it.each([
  [
    'We moved the staging server to port 8081.',
    'Which port is staging on?',
    'Staging listens on port 8081 since you moved the server.',
  ],
  ['猫对鸡肉过敏，只吃三文鱼罐头。', '猫能吃什么罐头？', '你的猫对鸡肉过敏，只吃三文鱼罐头。'],
])(
  'takes the question and an answer made from the source for repetitions: %s',
  (source, question, answer) => {
    expect(repeated(askedBefore(source, question, answer))).toEqual([false, true, true]);
  },
);

it.each([
  ['another figure', 'Staging listens on port 9090 since you moved the server.', {}],
  ['much that is new', 'Rent a second machine in Helsinki, mirror nightly snapshots there.', {}],
  ['nothing that memory gave', 'Staging listens on port 8081 since you moved the server.', { recalled: [] }],
  ['a source that was not found', 'Staging listens on port 8081, as you moved it.', { recalled: ['gone'] }],
])('keeps an answer with %s, and its question', (_, answer, more) => {
  const source = 'We moved the staging server to port 8081.';
  expect(repeated(askedBefore(source, 'Which port is staging on?', answer, more))).toEqual([
    false,
    false,
    false,
  ]);
});
