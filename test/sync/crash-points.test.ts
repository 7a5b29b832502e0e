// A process dies at a write of the scripted story: some of them here, before or after it takes effect.
// `npm run simulate -- --story` has it die at every one, both ways.
import './seeded.ts';
import { expect, it } from 'vitest';
import { runs } from '../scale.ts';
import { type Death, playStory } from './story.ts';

const SEED = 1;
const EVERY = runs(6, 130);
/**
 * Each of these is a step of its own in src/services/sync, with what is to be done again where it did not come about.
 */
const COMMITS = [
  'sync-service create',
  'account joinAccount',
  'outbox-writer pushChanges',
  'outbox-writer adoptDocuments',
  'outbox-writer #pushSnapshot',
  'receive #commit',
  'send #removeConfirmed',
  'session #refreshListEntries',
  'account-state sendAnnouncements',
  'compact compact',
  'repair #queueSnapshot',
  'repair compare',
  'quota withdraw',
  'tombstones moveDamagedRooms',
  'tombstones #applyDocumentState',
  'tombstones #applyTombstone',
  'tombstones #publishTombstone',
  'tombstones eraseOnRelay',
];

const { operations, commits } = await playStory(SEED, null, true);
const DEATHS = Array.from({ length: Math.floor(operations / EVERY) }, (_, at): Death => {
  const operation = 1 + at * EVERY + ((SEED + at) % EVERY);
  return { operation, when: at % 2 === 0 ? 'before' : 'after' };
});

it('the story has every commit of sync', () => {
  expect(COMMITS.filter((commit) => !commits.has(commit))).toEqual([]);
});

/** Ended badly once: both devices put back what the relay had lost, in a room that has space for one. */
const FOUND: readonly Death[] = [{ operation: 162, when: 'before' }];

it.each([...DEATHS, ...FOUND])(
  'death $when write $operation: both devices and a fresh one have the same, nothing is lost, nothing forgotten comes back',
  async (death) => {
    expect((await playStory(SEED, death)).operations).toBeGreaterThan(death.operation);
  },
);
