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
  // Asked for, and all went well; also as older versions kept it.
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
  // There was something, and the person left it out.
  expect(said({ trigger: 'start', leftOut: [passage('m', 'port 8081')] })).toEqual(['trigger']);
  // Without a model the recall is the answer: it says itself where there was nothing.
  for (const code of ['memory-behind', 'embedding-missing'])
    expect(said({ degraded: { code, message: 'x' } })).toEqual(['notReady']);
});
