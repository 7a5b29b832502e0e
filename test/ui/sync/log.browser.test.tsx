// The sync log names what travels: conversations and projects by their titles, notes together with prompts.
import { expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { NOTES_DOCUMENT } from '../../../src/domain/base/ids.ts';
import { type JournalEntry, SYNC_OFF } from '../../../src/services/sync/sync.ts';
import { createTestApp, expectAccessible, show } from '../harness.tsx';

it('names a project by its title, and prompts beside notes', async () => {
  const app = await createTestApp();
  const project = await app.projects.create({ name: 'Garden', face: { emoji: '', colour: 'green' } });
  const sent = {
    at: Date.now(),
    kind: 'upload',
    what: 'changes',
    count: 1,
    bytes: 222,
    device: null,
  } as const;
  const lines: readonly JournalEntry[] = [
    { ...sent, document: project },
    { ...sent, document: NOTES_DOCUMENT },
  ];
  Object.assign(app.sync, { journal: async () => lines });
  app.states.sync.set({
    ...SYNC_OFF,
    mode: 'remote',
    state: 'synced',
    account: { fingerprint: 'ab12-cd34', endpoint: 'wss://relay.example', managed: false, since: 1 },
  });
  await show(app, '/settings/sync');
  await expect.element(page.getByText('Sent 1 change of the project “Garden”')).toBeVisible();
  await expect.element(page.getByText('Sent 1 change of your notes and prompts')).toBeVisible();
  await expectAccessible();
});
