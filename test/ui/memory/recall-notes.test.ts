import { expect, it } from 'vitest';
import { type PartOf, partSchema } from '../../../src/domain/chat/message.ts';
import { remarksOn } from '../../../src/ui/memory/recall-notes.ts';
import { passage } from '../../services/chat/setup.ts';

const recall = (more: object) =>
  partSchema.parse({
    type: 'recall',
    query: 'port',
    threshold: 0.5,
    passages: [],
    nearMisses: [],
    ...more,
  }) as PartOf<'recall'>;
const said = (more: object) => remarksOn(recall(more)).map(({ say }) => say);

it('a kept recall tells why memory was asked, and what went wrong', () => {
  // A recall on request without problems says nothing; the same in the format of older versions.
  expect(said({})).toEqual([]);
  expect(said({ trigger: 'start', skipped: { code: 'index-unavailable', message: 'slow' } })).toEqual([
    'trigger',
    'skipped',
  ]);
  expect(
    said({
      trigger: 'start',
      skipped: { code: 'index-unavailable', message: 'slow', params: { reason: 'slow' } },
    }),
  ).toEqual(['trigger', 'slow']);
  expect(said({ trigger: 'repeat', degraded: { code: 'embedding-broken', message: 'x' } })).toEqual([
    'trigger',
    'searchedFor',
    'none',
    'words',
  ]);
  expect(remarksOn(recall({ moved: true, leftOut: [passage('m', 'port 8081')] }))).toEqual([
    { say: 'trigger', trigger: 'topic' },
  ]);
  // Memory had a passage, and the person left it out.
  expect(said({ trigger: 'start', leftOut: [passage('m', 'port 8081')] })).toEqual(['trigger']);
  // Without a model the recall is the answer and reports itself that it found nothing.
  for (const code of ['memory-behind', 'embedding-missing'])
    expect(said({ degraded: { code, message: 'x' } })).toEqual(['notReady']);
});
