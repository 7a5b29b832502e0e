import { describe, expect, it } from 'vitest';
import { asMessageId } from '../../../src/domain/base/ids.ts';
import type { Message } from '../../../src/domain/chat/message.ts';
import { createCompactedSearch } from '../../../src/domain/context/compacted.ts';
import { compactionPlanSchema } from '../../../src/domain/context/compaction/plan.ts';
import { lossesIn } from '../../../src/domain/context/loss.ts';
import { asksBack } from '../../../src/domain/text/cues.ts';

const conversation = (...said: readonly (readonly [Message['role'], string])[]): Message[] =>
  said.map(([role, text], index) => ({
    id: asMessageId(`m${index}`),
    parentId: index === 0 ? null : asMessageId(`m${index - 1}`),
    role,
    kind: 'message',
    createdAt: index,
    parts: [{ type: 'text', text }],
  }));

const path = conversation(
  ['user', 'Our staging API listens on port 8080 behind nginx.'],
  ['assistant', 'Noted. Anything else about the setup?'],
  ['user', 'no, port 8081.'],
  ['assistant', 'Changed.'],
  ['user', 'The backup of the ledger database lands in /srv/backups/ledger every night.'],
  ['assistant', 'Good, that is easy to check.'],
  ['user', '发布窗口是每周四 21:30，回滚脚本放在 ops/rollback.sh。'],
  ['assistant', '记下了。'],
  ['user', 'What now?'],
);
const plan = compactionPlanSchema.parse({
  strategy: 'x',
  runs: [
    { action: 'fold', from: 'm0', to: 'm7', count: 8, tokens: 90, why: 'older', summary: null },
    { action: 'keep', from: 'm8', to: 'm8', count: 1, tokens: 5, why: 'question' },
  ],
  summaries: [],
  tokensBefore: 100,
  tokensAfter: 10,
  target: 20,
  fits: true,
  whyNot: null,
});
const compacted = createCompactedSearch(path, { id: 'c', plan });
const loss = (answer: string, question = 'What now?') =>
  lossesIn({ parts: [{ type: 'text', text: answer }] }, question, compacted);

describe('an answer that misses what was compacted', () => {
  it.each([
    ['Could you remind me which port the staging API listens on?', 'm0'],
    ["I don't see where the backup of the ledger database is stored.", 'm4'],
    ['I can do that, but you have not told me which port the API in staging uses.', 'm0'],
    ['请告诉我回滚脚本放在哪里？', 'm6'],
    ['对话中没有提到发布窗口的时间。', 'm6'],
  ])('asks: %s', (answer, id) => {
    const [found] = loss(answer);
    expect(found).toMatchObject({ why: 'asks', said: answer });
    expect(found?.messages).toContain(id);
  });

  it('knows from the question what is asked for', () => {
    const [found] = loss("I don't have that information.", 'Where does the backup of the ledger go?');
    expect(found?.messages).toContain('m4');
  });

  it.each([
    ['The staging API listens on port 8080, so the check is simple.', 'm2'],
    ['The backup of the ledger database is written to /var/backups/ledger.', 'm4'],
    ['发布窗口是每周四 20:00，请提前准备。', 'm6'],
    ['回滚脚本放在 tools/rollback.sh。', 'm6'],
  ])('contradicts: %s', (answer, id) => {
    expect(loss(answer)).toEqual([expect.objectContaining({ why: 'contradicts', messages: [id] })]);
  });
});

describe('an answer that misses nothing', () => {
  it.each([
    'The staging API listens on port 8081.',
    'The backup of the ledger database lands in /srv/backups/ledger.',
    '发布窗口是每周四 21:30。',
    'Paris has about 2,100,000 inhabitants.',
    'Would you like me to write the runbook now?',
    'I used 3 steps: build, test, deploy.',
    '好的，我来写。',
  ])('says nothing of it: %s', (answer) => {
    expect(loss(answer)).toEqual([]);
  });

  it('may repeat a list of the same form, though each of its lines names another number', () => {
    const lines = ['garden', 'roof', 'cellar', 'hall'].map(
      (place, at) => `Part ${at + 1} of the plan covers the ${place}.`,
    );
    const listed = conversation(
      ['user', 'Make a plan of the house in parts.'],
      ['assistant', lines.join(' ')],
      ['user', 'Our staging API listens on port 8080 behind nginx. No, port 8081.'],
      ...path
        .slice(3)
        .map(({ role, parts }) => [role, parts[0]?.type === 'text' ? parts[0].text : ''] as const),
    );
    const found = (answer: string) =>
      lossesIn(
        { parts: [{ type: 'text', text: answer }] },
        'What now?',
        createCompactedSearch(listed, { id: 'd', plan }),
      );
    for (const line of lines) expect(found(line)).toEqual([]);
    expect(found('Part 5 of the plan covers the garden.')).toHaveLength(1);
    // Within one message, too, what sets the rest right counts.
    expect(found('The staging API listens on port 8081.')).toEqual([]);
    expect(found('The staging API listens on port 8080.')).toHaveLength(1);
  });

  it('has nothing to miss where nothing is compacted', () => {
    expect(
      lossesIn(
        { parts: [{ type: 'text', text: 'Could you remind me of the port?' }] },
        '',
        createCompactedSearch(path, null),
      ),
    ).toEqual([]);
  });
});

it('tells asking back from offering help', () => {
  expect(asksBack('Which port was it? Please provide the number.')).toBe(true);
  expect(asksBack('Let me know whether you want a table.')).toBe(false);
  expect(asksBack('需要我继续吗？')).toBe(false);
});
