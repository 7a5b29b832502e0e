// The evaluation ranks what it recorded as recall itself does, and a second run reads nothing again.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { runs } from '../scale.ts';
import { models } from './load.ts';
import { openPipeline, type Session } from './pipeline.ts';
import { rankRecorded } from './recorded.ts';

const QUESTION = 'Which port does the staging server listen on?';
const session = (id: string, ...said: string[]): Session => ({
  id,
  startedAt: '2026-05-02T09:00:00Z',
  messages: said.map((content, at) => ({
    id: `${id}${at}`,
    unit: `${id}${at}`,
    role: at % 2 === 0 ? 'user' : 'assistant',
    name: null,
    content,
  })),
});
const SESSIONS = [
  session('a', 'Where is staging?', 'The staging server listens on port 8081 of heron.'),
  session('b', 'How often are photos saved?', 'Every night at three, by restic.'),
  // Asked before and never answered: recall does not bring it back.
  session('c', QUESTION),
];

const run = async (model: string, cache: string) => {
  const pipeline = await openPipeline({ models: models(), model, cache });
  const library = await pipeline.library(SESSIONS);
  const asked = (await library.ask(QUESTION)).map(({ unit, scores }) => [unit, scores.final]);
  const recorded = await library.record(QUESTION);
  const ranked = rankRecorded(recorded).map(({ unit, scores }) => [unit, scores.final]);
  await library.close();
  await pipeline.close();
  const evidence = recorded.candidates.map(({ unit, cosine, late }) => ({ unit, cosine, late }));
  return { asked, ranked, evidence };
};

it.each(['multilingual-e5-small-en-zh', 'all-MiniLM-L6-v2'].slice(0, runs(2, 1)))(
  'ranks what was recorded as recall does, with %s',
  async (model) => {
    // A second try reads everything anew: what a first one kept may be what was wrong.
    const folder = mkdtempSync(join(tmpdir(), 'pipeline-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const files = () => readdirSync(folder).map((name) => [name, statSync(join(folder, name)).ino]);
    const first = await run(model, folder);
    const { asked, ranked, evidence } = first;
    expect(asked[0]?.[0], JSON.stringify({ asked, evidence })).toBe('a1');
    expect(asked.map(([unit]) => unit)).not.toContain('c0');
    expect(ranked).toEqual(asked);
    const before = files();
    expect(before.length).toBeGreaterThan(0);
    // A vector that had to be made would make the file anew.
    expect(await run(model, folder)).toEqual(first);
    expect(files()).toEqual(before);
  },
  120_000,
);
