// What was asked before and answered from memory is one with its source.
import { describe, expect, it } from 'vitest';
import type { Rankable } from '../../../src/domain/memory/rank.ts';
import { bestLate, givenAndMissing, groupedBySource } from '../../../src/domain/memory/sources.ts';
import { candidate, DAY, NOW } from './candidates.ts';

/** The source, the question that was asked before, and its answer, which was made from the source. */
function askedBefore(source: string, question: string, answer: string, more: Partial<Rankable> = {}) {
  const said = candidate({ text: source, role: 'user' });
  const asked = candidate({ text: question, role: 'user' });
  const answered = candidate({
    text: answer,
    role: 'assistant',
    before: asked.messageId,
    recalled: [said.messageId],
    ...more,
  });
  return { said, asked, answered };
}
const repeated = ({ said, asked, answered }: ReturnType<typeof askedBefore>) => {
  const { sources } = groupedBySource([answered, asked, said]);
  return [said, asked, answered].map(({ chunkId }) => !sources.some((one) => one.chunkId === chunkId));
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

it.each([
  ['in key words', 'staging port'],
  ['without a mark', 'which port does staging listen on'],
  ['as a request for a summary', 'Give me a short summary: staging server'],
])('takes a question %s for a repetition, too', (_, question) => {
  const source = 'We moved the staging server to port 8081.';
  expect(repeated(askedBefore(source, question, 'Staging listens on port 8081.'))).toEqual([
    false,
    true,
    true,
  ]);
});

it.each([
  'From now on staging has to listen on port 8081.',
  'no, the staging server is on port 8081',
  'Staging listens on port 8081. The old machine is gone.',
])('keeps what tells something: %s', (answered) => {
  const source = 'We moved the staging server to port 8081.';
  expect(repeated(askedBefore(source, answered, 'Staging listens on port 8081.'))[1]).toBe(false);
});

it('lets the source be found by the words in which it was asked for', () => {
  const said = candidate({ text: 'We moved the staging server to port 8081.', role: 'user', cosine: 0.8 });
  const asked = candidate({ text: 'heron gateway?', role: 'user', cosine: 0.95, terms: [0, 4, 0] });
  const other = candidate({ text: 'Bread needs salt and time.', role: 'user', cosine: 0.1 });
  const answered = candidate({
    text: 'It listens on port 8081.',
    role: 'assistant',
    before: asked.messageId,
    recalled: [other.messageId, said.messageId],
    cosine: 0.7,
    terms: [0, 0, 0],
  });
  const { sources, repeatedBy } = groupedBySource([said, other, asked, answered]);
  expect(sources.map(({ cosine }) => cosine)).toEqual([0.95, 0.1]);
  expect(sources[0]?.terms[1]).toBe(4);
  // What memory gave besides, and the answer did not use, is not found by it.
  expect([...repeatedBy.keys()]).toEqual([said.chunkId]);
  const late = new Map([
    [said.chunkId, 0.2],
    [asked.chunkId, 0.5],
  ]);
  expect([said, other].map(({ chunkId }) => bestLate(chunkId, repeatedBy, late))).toEqual([0.5, null]);
});

describe('an answer made of what stood beside the passage', () => {
  const asked = candidate({ text: 'How often should the photo disk be backed up?', role: 'user' });
  const source = candidate({
    text: 'Run restic every night at three; keep thirty daily snapshots.',
    role: 'assistant',
    previous: asked.chunkId,
  });
  const said = { ...asked, next: source.chunkId };
  const again = candidate({ text: 'When does the backup of the photo disk run?', role: 'user' });
  const answered = candidate({
    text: 'Every night at three, with restic.',
    role: 'assistant',
    before: again.messageId,
    recalled: [said.messageId],
  });

  it('repeats it: a passage is given with its neighbours', () => {
    const { sources, repeatedBy } = groupedBySource([answered, again, said, source]);
    expect(sources.map(({ chunkId }) => chunkId)).toEqual([said.chunkId, source.chunkId]);
    expect(repeatedBy.get(source.chunkId)).toEqual([answered.chunkId, again.chunkId]);
  });
});

describe('an answer without a ledger', () => {
  const SOURCE = 'Run restic on the photo disk every night at three; keep thirty daily snapshots.';
  const QUESTION = 'How often did we say the photo disk is backed up?';
  const ANSWER = 'Every night at three, with restic.';
  const LATER = NOW + DAY;
  const left = (
    answer: Partial<Rankable>,
    { question = QUESTION, source = SOURCE }: { question?: string; source?: string } = {},
  ) => {
    const said = candidate({ text: source, role: 'user', conversationId: 'source' });
    const asked = candidate({ text: question, role: 'user', createdAt: LATER });
    const answered = candidate({
      text: ANSWER,
      role: 'assistant',
      before: asked.messageId,
      createdAt: LATER,
      ...answer,
    });
    return groupedBySource([answered, asked, said]).sources.length;
  };

  it('repeats the source that it restates, and so does its question', () => {
    expect(left({})).toBe(1);
  });

  it.each([
    ['with another figure', { text: 'Every night at 4, with restic.' }, {}],
    ['that adds something', { text: 'Every night, and weekly a copy to the cellar with rsync.' }, {}],
    ['that adds two words', { text: 'With restic, at three.' }, {}],
    ['of the same conversation', { conversationId: 'source' }, {}],
    ['that came before', { createdAt: NOW - DAY }, {}],
    ['of a person in a chat', { text: 'Nate: Every night at three, with restic.' }, {}],
    ['of the person', { role: 'user' as const }, {}],
    ['about something else', {}, { question: 'When does the cat come home?' }],
    ['to a question of one word', {}, { question: 'Disk?' }],
    [
      'that names another thing',
      { text: 'The music disk is backed up every night at three, with restic.' },
      { question: 'How often is the music disk backed up?' },
    ],
    ['to what tells something', {}, { question: 'No, the photo disk is backed up at four.' }],
  ])('stays a passage of its own: one %s', (_, answer, around) => {
    expect(left(answer, around)).toBe(3);
  });
});

it('names what answers were given and nobody found, each once', () => {
  const said = candidate();
  const answers = [candidate({ recalled: [said.messageId, 'a'] }), candidate({ recalled: ['b', 'a'] })];
  expect(givenAndMissing([said, ...answers])).toEqual(['a', 'b']);
});
