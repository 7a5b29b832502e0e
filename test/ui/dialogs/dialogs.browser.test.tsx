// Each dialog that no other component test opens: its name, its width on the narrowest
// phone, axe, and the way of the focus.
import { afterEach, expect, it, vi } from 'vitest';
import { type Locator, page, userEvent } from 'vitest/browser';
import { asConversationId } from '../../../src/domain/base/ids.ts';
import { scriptedLanguageModel } from '../../server/language-model.ts';
import { createTestApp, show, type TestApp } from '../harness.tsx';
import { expectHeld, expectShown, inAccount, pressed } from './dialogs.ts';

interface Opened {
  readonly title: string;
  readonly path?: string;
  /** Brings the app into a state in which the dialog can be opened; returns the path where that is known only then. */
  readonly fill?: (app: TestApp) => Promise<string | undefined> | undefined;
  /** Opens it by keyboard; returns what had the focus. */
  readonly open: () => Promise<Locator>;
}

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
const row = (name: string) => page.getByRole('menuitem', { name, exact: true });
const drawer = async () => {
  await button('Show sidebar').click();
  await expect.element(page.getByRole('navigation', { name: 'Conversations' })).toBeVisible();
};

async function talk(app: TestApp): Promise<string> {
  const id = await app.say('Bread for breakfast');
  await app.idle(id);
  await app.library.setMeta([id], { title: 'Bread' });
  return `/c/${id}`;
}

async function inTrash(app: TestApp): Promise<undefined> {
  await app.documents.change(asConversationId('gone'), {
    meta: { title: 'Gone', createdAt: Date.now(), deletedAt: Date.now() },
  });
}

async function inFolders(app: TestApp): Promise<undefined> {
  for (const at of [0, 1, 2, 3])
    await app.documents.change(asConversationId(`session ${at}`), {
      meta: {
        title: `Session ${at}`,
        createdAt: Date.now(),
        workDir: `/home/anna/${at % 2 ? 'shop' : 'a-folder-with-a-name-that-is-long'}`,
      },
    });
}

/** Two conversations in the trash; the path of the first. */
async function twoInTrash(app: TestApp): Promise<string> {
  await inTrash(app);
  const id = asConversationId('bread');
  await app.documents.change(id, {
    meta: { title: 'Bread', createdAt: Date.now(), deletedAt: Date.now() },
  });
  return `/c/${id}`;
}

async function withFile(app: TestApp): Promise<string> {
  const id = await app.projects.create({ name: 'Acme' });
  const words = 'A line of a plan that goes on for long. '.repeat(200);
  await app.projects.addFiles(id, [
    {
      type: 'file',
      mediaType: 'text/plain',
      name: 'plan.txt',
      url: `data:text/plain,${encodeURIComponent(words + 'https://example.com/'.repeat(40))}`,
    },
  ]);
  return `/p/${id}`;
}

const DIALOGS: Readonly<Record<string, Opened>> = {
  'the context of a conversation': {
    title: 'Context',
    fill: talk,
    open: () => pressed(button('Show context')),
  },
  'a file of a project': {
    title: 'plan.txt',
    fill: withFile,
    open: () => pressed(button('Read “plan.txt”')),
  },
  'one conversation of the trash, from its row': {
    title: 'Delete for good?',
    fill: twoInTrash,
    open: async () => {
      await drawer();
      await button(/^Trash/).click();
      return pressed(button('More for “Gone”'), row('Delete for good'));
    },
  },
  'one conversation of the trash, from its header': {
    title: 'Delete for good?',
    fill: twoInTrash,
    open: () =>
      pressed(page.getByRole('main').getByRole('button', { name: 'More' }).first(), row('Delete for good')),
  },
  'several conversations of the trash': {
    title: 'Delete for good?',
    fill: twoInTrash,
    open: async () => {
      await drawer();
      await button(/^Trash/).click();
      for (const name of ['Gone', 'Bread'])
        await page
          .getByRole('navigation', { name: 'Conversations' })
          .getByRole('link', { name: new RegExp(`^${name}`) })
          .click({ modifiers: ['Control'] });
      return pressed(button('Delete for good'));
    },
  },
  'a new service': {
    title: 'Ollama',
    path: '/settings/models',
    open: () => pressed(button(/^Ollama/)),
  },
  'a service that is connected': {
    title: 'Scripted',
    path: '/settings/models',
    open: () => pressed(button('Edit: Scripted')),
  },
  'the model of the browser': {
    title: 'This browser',
    path: '/settings/models',
    fill: async () => {
      vi.stubGlobal('LanguageModel', scriptedLanguageModel({ state: 'downloadable' }).global);
      return undefined;
    },
    open: () => pressed(button(/^This browser/)),
  },
  'the price of a model': {
    title: 'scripted',
    path: '/settings/costs',
    open: () => pressed(button('Change the price of scripted')),
  },
  'the keyboard cheat sheet': {
    title: 'Keyboard shortcuts',
    open: async () => {
      const field = page.getByRole('textbox', { name: /message/i });
      await field.click();
      await userEvent.keyboard('{Control>}/{/Control}');
      return field;
    },
  },
  'the instructions of a new conversation': {
    title: 'Instructions',
    open: () => pressed(button('Add instructions')),
  },
  'the instructions of a conversation': {
    title: 'Instructions',
    fill: talk,
    open: () =>
      pressed(page.getByRole('main').getByRole('button', { name: 'More' }).first(), row('Instructions')),
  },
  'what the model was sent': {
    title: 'What the model was sent',
    fill: talk,
    open: () =>
      pressed(
        page.getByRole('article', { name: 'Answer' }).getByRole('button', { name: 'More' }),
        row('What the model was sent'),
      ),
  },
  'what the model will be sent': {
    title: 'What will be sent',
    fill: talk,
    open: () => pressed(button(/^Context/), button('What will be sent')),
  },
  'a project for a conversation': {
    title: 'Move to a project',
    fill: talk,
    open: () =>
      pressed(page.getByRole('main').getByRole('button', { name: 'More' }).first(), row('Move to project…')),
  },
  'projects from folders': {
    title: 'Projects from folders',
    fill: inFolders,
    open: async () => {
      await drawer();
      return pressed(button('Make projects of 2 folders'));
    },
  },
  'emptying the trash in the list': {
    title: 'Empty the trash?',
    fill: inTrash,
    open: async () => {
      await drawer();
      await button(/^Trash/).click();
      return pressed(button('Empty'));
    },
  },
  'emptying the trash in the settings': {
    title: 'Delete 1 conversation for good?',
    path: '/settings/storage',
    fill: inTrash,
    open: () => pressed(button('Empty the trash')),
  },
  'the index rebuilt from the settings': {
    title: 'Rebuild the index?',
    path: '/settings/storage',
    open: () => pressed(button('Rebuild')),
  },
  'the index rebuilt from memory': {
    title: 'Rebuild the index?',
    path: '/memory/index',
    fill: (app) => talk(app).then(() => undefined),
    open: () => pressed(button('Rebuild')),
  },
  'another place for the index': {
    title: 'Keep the index in IndexedDB?',
    path: '/settings/storage',
    open: () =>
      pressed(
        page.getByRole('combobox', { name: /index/i }),
        page.getByRole('option', { name: /^IndexedDB/ }),
      ),
  },
  'every setting reset': {
    title: 'Reset all settings?',
    path: '/settings/about',
    open: () => pressed(button('Reset all settings')),
  },
  'a service removed': {
    title: 'Remove Scripted?',
    path: '/settings/models',
    open: () => pressed(button('More for Scripted'), row('Remove')),
  },
  'leaving the account': {
    title: 'Leave the account?',
    path: '/settings/sync',
    fill: inAccount,
    open: () => pressed(button('Leave')),
  },
  'pairing a device': {
    title: 'Pair a device',
    path: '/settings/sync',
    fill: inAccount,
    open: () => pressed(button('Show how')),
  },
};

afterEach(() => vi.unstubAllGlobals());

it('goes back to what opened a menu that Escape closes', async () => {
  const app = await createTestApp({
    *reply() {
      yield { type: 'text-delta', text: 'An answer.' };
    },
  });
  await show(app, await talk(app), { width: 320, height: 640 });
  const menus = [
    page.getByRole('main').getByRole('button', { name: 'More' }).first(),
    page.getByRole('article', { name: 'Answer' }).getByRole('button', { name: 'More' }),
  ];
  for (const menu of menus) {
    await pressed(menu);
    await expect.element(page.getByRole('menu')).toBeVisible();
    await userEvent.keyboard('{Escape}');
    await expect.element(page.getByRole('menu')).not.toBeInTheDocument();
    await expect.element(menu).toHaveFocus();
  }
});

it.each(Object.entries(DIALOGS))('%s', async (_, { title, path = '/', fill, open }) => {
  const app = await createTestApp({
    *reply() {
      yield { type: 'text-delta', text: 'An answer.' };
    },
  });
  const at = (await fill?.(app)) ?? path;
  await show(app, at, { width: 320, height: 640 });
  const home = await open();
  await expectHeld(await expectShown(title), home);
});
