// `npm run eval -- --tasks FILE --out FILE` as a benchmark runs it: one line for each
// question, in the shape that a scorer reads.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { z } from 'zod';
import { ROOT } from './load.ts';

const folder = mkdtempSync(join(tmpdir(), 'eval-command-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Exit code and what was said on stderr. */
const evaluate = (...options: readonly string[]): Promise<{ code: number | null; said: string }> =>
  new Promise((resolve, reject) => {
    const run = spawn(
      process.execPath,
      ['--import', 'tsx', 'test/eval/run.ts', '--cache', folder, ...options],
      { cwd: ROOT, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    let said = '';
    run.stderr.on('data', (data) => {
      said += data;
    });
    run.on('error', reject);
    run.on('close', (code) => resolve({ code, said }));
  });

const TASKS = {
  sets: [
    {
      name: 'rounds',
      language: 'mixed',
      stores: [
        {
          id: 'a',
          sessions: [
            {
              id: 's1',
              startedAt: '2026-05-02T09:00:00Z',
              messages: [
                { id: 'm1', unit: 'r1', role: 'user', name: null, content: 'Where does staging listen?' },
                {
                  id: 'm2',
                  unit: 'r1',
                  role: 'assistant',
                  name: null,
                  content: 'Staging listens on port 8081.',
                },
                { id: 'm3', unit: 'r2', role: 'user', name: null, content: '照片多久备份一次？' },
                { id: 'm4', unit: 'r2', role: 'assistant', name: null, content: '照片每天凌晨三点备份。' },
              ],
            },
            { id: 's2', startedAt: null, messages: [] },
          ],
          queries: [
            { id: 'q1', text: 'port of staging' },
            { id: 'q2', text: '照片什么时候备份' },
            { id: 'q3', text: '' },
          ],
        },
      ],
    },
    {
      name: 'nothing',
      language: 'en',
      stores: [{ id: 'b', sessions: [], queries: [{ id: 'q4', text: 'port of staging' }] }],
    },
  ],
};

const rowSchema = z.strictObject({
  set: z.string(),
  query: z.string(),
  ranking: z.array(z.string()),
  finals: z.array(z.number().min(0).max(1)),
});

it('writes a line for each question: units once each, best first, none where nothing is there', async () => {
  const [tasks, out] = [join(folder, 'tasks.json'), join(folder, 'out', 'rankings.jsonl')];
  writeFileSync(tasks, JSON.stringify(TASKS));
  const { code, said } = await evaluate('--tasks', tasks, '--out', out);
  expect(code, said).toBe(0);
  const rows = readFileSync(out, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => rowSchema.parse(JSON.parse(line)));
  expect(rows.map(({ set, query, ranking }) => [set, query, ranking])).toEqual([
    ['rounds', 'q1', ['r1', 'r2']],
    ['rounds', 'q2', ['r2', 'r1']],
    ['rounds', 'q3', []],
    ['nothing', 'q4', []],
  ]);
  for (const { ranking, finals } of rows) {
    expect(finals).toHaveLength(ranking.length);
    expect(finals).toEqual([...finals].sort((a, b) => b - a));
  }
}, 120_000);

it('refuses a file that it cannot understand in one sentence, with exit code 2', async () => {
  const tasks = join(folder, 'odd.json');
  writeFileSync(tasks, '{"sets": [{"name": "a"}]}');
  const { code, said } = await evaluate('--tasks', tasks, '--out', join(folder, 'none.jsonl'));
  expect(code).toBe(2);
  expect(said.trim().split('\n')).toHaveLength(1);
  expect(said).toMatch(/sets\[0\]\.stores/);
}, 60_000);
