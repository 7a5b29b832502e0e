// Screens before and beside what they are full of: being read, nothing there, failed. Full ones
// are in the folders of their subjects.
import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { RecollectError } from '../../src/domain/base/errors.ts';
import { asConversationId, newTemporaryId } from '../../src/domain/base/ids.ts';
import { writable } from '../../src/domain/base/readable.ts';
import { inAccount, tooWide } from './dialogs/dialogs.ts';
import { createTestApp, expectAccessible, show, type TestApp } from './harness.tsx';

interface State {
  /** Brings the app into the state; returns the path of the screen. */
  readonly fill: (app: TestApp) => Promise<string> | string;
  /** What it says; null for a screen that is still being read. */
  readonly says: string | RegExp | null;
  /** A button that Tab reaches, where there is one. */
  readonly button?: string;
}

const failing = (code: 'storage-failed' | 'conversation-missing') => async (): Promise<never> => {
  throw new RecollectError(code, 'It could not be read');
};
/** The list of conversations is still being read. */
const unread = (app: TestApp) =>
  Object.assign(app.documents, {
    library: writable({ ...app.documents.library.get(), ready: false }),
  });

const STATES: Readonly<Record<string, State>> = {
  'a conversation that could not be read': {
    fill: (app) => {
      Object.assign(app.documents, { open: failing('storage-failed') });
      return `/c/${asConversationId('bread')}`;
    },
    says: 'The browser’s storage failed.',
    button: 'Start a new conversation',
  },
  'a conversation that is not there': {
    fill: (app) => {
      Object.assign(app.documents, { open: failing('conversation-missing') });
      return `/c/${asConversationId('bread')}`;
    },
    says: 'This conversation is not here any more.',
    button: 'Start a new conversation',
  },
  'a temporary conversation that has ended': {
    fill: () => `/c/${newTemporaryId()}`,
    says: 'This conversation was temporary',
    button: 'Start a new conversation',
  },
  'a project that is not there': { fill: () => '/p/acme', says: 'This project is not there.' },
  'a project in the trash': {
    fill: async (app) => {
      const id = await app.projects.create({ name: 'Acme' });
      await app.documents.change(id, { meta: { deletedAt: Date.now() } });
      return `/p/${id}`;
    },
    says: 'This project is in the trash.',
    button: 'Restore',
  },
  'a project with nothing in it': {
    fill: async (app) => `/p/${await app.projects.create({ name: 'Acme' })}`,
    says: 'No files yet.',
    button: 'Add files',
  },
  'storage with nothing in it': {
    fill: () => '/settings/storage',
    says: 'The trash is empty.',
  },
  'memory with nothing in it': {
    fill: () => '/memory/index',
    says: 'There is nothing to remember yet.',
    button: 'Import conversations',
  },
  'a sync log with nothing in it': {
    fill: (app) => {
      inAccount(app);
      Object.assign(app.sync, { journal: async () => [] });
      return '/settings/sync';
    },
    says: 'Nothing has happened yet.',
  },
  'a library that is being read': {
    fill: (app) => {
      unread(app);
      return '/';
    },
    says: null,
  },
};

it.each(Object.entries(STATES))('%s', async (_, { fill, says, button }) => {
  const app = await createTestApp();
  await show(app, await fill(app), { width: 320, height: 640 });
  const main = page.getByRole('main');
  if (says) await expect.element(main.getByText(says).first()).toBeVisible();
  await expectAccessible();
  expect(tooWide(main.element())).toEqual([]);
  if (button === undefined) return;
  const reached = main.getByRole('button', { name: button });
  for (let at = 0; at < 24 && document.activeElement !== reached.element(); at++)
    await userEvent.keyboard('{Tab}');
  await expect.element(reached).toHaveFocus();
});
