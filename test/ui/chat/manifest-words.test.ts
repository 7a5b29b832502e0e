import { expect, it } from 'vitest';
import { context as en } from '../../../src/ui/i18n/en/context.ts';
import { context as zh } from '../../../src/ui/i18n/zh/context.ts';

/** What plans, prompts and passages brought back give as their reason (`plan.ts`, `prompt.ts`, `compacted.ts`). */
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
].sort();

it('a manifest has a sentence for every reason there is, and for none that there is not', () => {
  expect(Object.keys(en.manifest.why).sort()).toEqual(CODES);
  expect(Object.keys(zh.manifest.why).sort()).toEqual(CODES);
});
