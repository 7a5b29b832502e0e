// Blocks (tables, lists, code, what tools gave) are kept, shortened as such or left out: never a
// line without what makes it readable.
import { expect, it } from 'vitest';
import { asMessageId } from '../../../src/domain/base/ids.ts';
import type { Message, Part } from '../../../src/domain/chat/message.ts';
import { writeMemory } from '../../../src/domain/context/compaction/memory-writer.ts';
import { createMeter } from '../../../src/domain/context/meter.ts';
import { notesOf } from '../../../src/domain/context/notes.ts';
import { shortenOutput } from '../../../src/domain/context/outputs.ts';
import { makesSuggestion, setsLimit } from '../../../src/domain/text/cues.ts';

const meter = createMeter();
let number = 0;
const message = (role: Message['role'], part: Part): Message => ({
  id: asMessageId(`m${number++}`),
  parentId: null,
  role,
  kind: 'message',
  createdAt: number,
  parts: [part],
});
const said = (role: 'user' | 'assistant', text: string) => message(role, { type: 'text', text });
const gave = (text: string) => message('tool', { type: 'tool-result', callId: 'c', text });
const memoryOf = (messages: readonly Message[], tokens: number) =>
  writeMemory(messages, { language: 'en', meter, tokens });

const RUN = [
  ' RUN  v4.1.12 /srv/app',
  ...Array.from({ length: 40 }, (_, at) => ` ✓ test/part${at}.test.ts (${at + 3} tests) ${at * 7}ms`),
  ' FAIL test/totals.test.ts > discounts come first',
  'AssertionError: expected 118.41 to be 118.44',
  ...Array.from({ length: 20 }, (_, at) => ` ✓ test/more${at}.test.ts (${at + 2} tests) ${at * 9}ms`),
  '      Tests  1 failed | 845 passed (846)',
  '   Duration  41.83s',
].join('\n');

it('shortens an output to whole lines: how it begins, what failed, its totals, how it ended', () => {
  const short = shortenOutput(RUN, 90, meter);
  for (const line of [
    'RUN  v4.1.12',
    'FAIL test/totals',
    'expected 118.41',
    '845 passed',
    'Duration  41.83s',
  ])
    expect(short).toContain(line);
  const lines = new Set(RUN.split('\n'));
  for (const line of short.split('\n'))
    if (!/^\[… \d+ …\]$/.test(line)) expect(lines.has(line), line).toBe(true);
  const left = short.split('\n').filter((line) => lines.has(line)).length;
  const omitted = [...short.matchAll(/^\[… (\d+) …\]$/gm)].reduce((sum, [, count]) => sum + Number(count), 0);
  expect(left + omitted).toBe(RUN.split('\n').length);
});

it('never spends more than it may on the lines of an output, whatever they are', () => {
  let state = 7;
  const next = (most: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state % most;
  };
  for (let round = 0; round < 200; round++) {
    const text = Array.from({ length: 1 + next(60) }, () => 'xy 7:'.repeat(1 + next(30)).slice(next(4))).join(
      '\n',
    );
    const tokens = 20 + next(200);
    const short = shortenOutput(text, tokens, meter);
    if (!text.split('\n').some((line) => short.split('\n').includes(line))) continue;
    const kept = short.split('\n').filter((line) => !line.startsWith('[…'));
    expect(meter.text(kept.join('\n'))).toBeLessThanOrEqual(tokens + 2);
  }
});

it('reads an output of 200,000 lines', () => {
  const long = Array.from(
    { length: 200_000 },
    (_, at) => `2026-01-01 10:00:00 INFO step ${at} took ${at} ms`,
  ).join('\n');
  expect(shortenOutput(long, 90, meter).length).toBeLessThan(2_000);
});

it('weighs what stands out of an output above the lines that are all alike', () => {
  const notes = notesOf(gave(RUN));
  const weightOf = (text: string) => notes.find((note) => note.text.includes(text))?.weight ?? 0;
  expect(weightOf('845 passed')).toBeGreaterThan(weightOf('part20.test.ts'));
  expect(weightOf('41.83s')).toBeGreaterThan(weightOf('part20.test.ts'));
  const log = gave(
    [
      ...Array.from(
        { length: 30 },
        (_, at) => `2026-03-11T07:58:0${at % 10}Z INFO lag ${1_800_000 - at * 9}`,
      ),
      '2026-03-11T07:58:31Z INFO schema registry ok subjects=214, cache warm',
    ].join('\n'),
  );
  expect(notesOf(log).some(({ text }) => text.includes('subjects=214'))).toBe(true);
});

it('keeps a row under the names of its columns, lines of code and of an output together', () => {
  const table = said(
    'user',
    'The offers:\n\n| offer | price | delivery |\n|---|---|---|\n| OfenKontor | 18,950 € | 5 weeks |\n\nThanks.',
  );
  expect(memoryOf([table], 300)).toMatch(
    /- .*\| offer \| price \| delivery \|\n {2}\| OfenKontor \| 18,950 € \| 5 weeks \|/,
  );
  const memory = memoryOf([gave(RUN)], 120);
  expect(memory).toMatch(/FAIL test\/totals[^\n]*\n {2}AssertionError: expected 118\.41/);
  expect(memory).toMatch(/\n {2}…\n/);
});

it('a memory leaves room to each who speaks: a long output does not push the decision out', () => {
  const listing = gave(
    Array.from(
      { length: 60 },
      (_, at) => `error ${at}: /srv/data/part${at}/file${at}.log is missing, size ${at * 31} kB`,
    ).join('\n'),
  );
  const memory = memoryOf(
    [
      said('user', 'The budget approved is 7,200 including travel.'),
      listing,
      said('assistant', 'I recommend the token bucket at sixty calls a minute.'),
      listing,
    ],
    260,
  );
  expect(memory).toContain('7,200');
  expect(memory).toContain('token bucket');
});

it('knows what limits without a must, and what an assistant suggests, in both languages', () => {
  for (const text of [
    'Stairs are over for her since the hip.',
    'The legacy folder belongs to another team.',
    'Parallel workers stay at two.',
    '老人家台阶一概上不去。',
    '那个目录别人碰不得。',
    '并行进程两个封顶。',
  ])
    expect(setsLimit(text), text).toBe(true);
  for (const text of [
    'The soup was lovely.',
    'I moved to Graz in 2019.',
    'Is it over?',
    '汤很好喝。',
    '我去年搬到了苏州。',
  ])
    expect(setsLimit(text), text).toBe(false);
  for (const text of ['I would sum in thousandths.', 'My reading: the cents add up.', '我建议退到 460。'])
    expect(makesSuggestion(text), text).toBe(true);
  for (const text of ['The registry holds well over half.', '镜像仓库占了一大半。'])
    expect(makesSuggestion(text), text).toBe(false);
});
