import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { context as en } from '../../../src/ui/i18n/en/context.ts';
import { context as zh } from '../../../src/ui/i18n/zh/context.ts';

/** Reasons that plans, prompts and passages brought back have given so far (`plan.ts`, `prompt.ts`, `compacted.ts`). */
const CODES = [
  ...[
    'tail',
    'question',
    'pinned',
    'chosen',
    'system',
    'dense',
    'relevant',
    'older',
    'plain',
    'tool-output',
    'newer',
  ],
  ...['folded', 'window', 'kind', 'empty', 'unpaired'],
  ...['asked', 'corrects', 'missed'],
  ...['memory', 'summary', 'topic', 'constraints'],
];

const folder = join(import.meta.dirname, '../../../src/domain/context');
const code = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(join(folder, file), 'utf8'))
  .join('\n');

it('a manifest has a sentence for every reason there is, and for none that there is not', () => {
  // Reasons of a new strategy are found by `test/domain/context/compaction/invariants.test.ts`.
  for (const { manifest } of [en, zh]) {
    const words = Object.keys(manifest.why);
    expect(words).toEqual(expect.arrayContaining(CODES));
    const given = words.filter((why) => code.includes(`'${why}'`) || code.includes(`\`${why}\``));
    expect(words, 'no strategy gives this reason: src/ui/i18n/*/context.ts').toEqual(given);
  }
  expect(Object.keys(zh.manifest.why).sort()).toEqual(Object.keys(en.manifest.why).sort());
});
