// Every screen and state worth looking at, and how to get there: for the screenshots and for the accessibility check.
import type { Page } from '@playwright/test';
import { expect, remembered } from './app.ts';

export interface Screen {
  readonly name: string;
  /** Whether the made-up library is in it. */
  readonly library: boolean;
  go(page: Page, phone: boolean): Promise<void>;
}

const call = (page: Page, script: string): Promise<unknown> => page.evaluate(script);
/** Within the app, without a reload. */
const visit = async (page: Page, path: string) => {
  await page.evaluate((path) => {
    history.pushState(history.state, '', path);
    dispatchEvent(new PopStateEvent('popstate', { state: history.state }));
  }, path);
};
const openTitled = async (page: Page, title: RegExp) => {
  const id = await page.evaluate(
    (source) =>
      globalThis.recollect?.app.documents.library
        .get()
        .entries.find((entry) => new RegExp(source).test(entry.title))?.id,
    title.source,
  );
  await visit(page, `/c/${id}`);
  await expect(page.locator('[data-message-id]').first()).toBeVisible();
};
const composer = (page: Page) => page.getByRole('textbox', { name: /^(Message|消息)$/ });

export const SCREENS: readonly Screen[] = [
  { name: 'first-run', library: false, go: (page) => visit(page, '/') },
  {
    name: 'import',
    library: false,
    go: async (page) => {
      await visit(page, '/settings/storage');
      await page.getByRole('button', { name: /^(Import|导入)$/ }).click();
      await expect(page.getByRole('dialog')).toBeVisible();
    },
  },
  { name: 'new-conversation', library: true, go: (page) => visit(page, '/') },
  { name: 'conversation-code', library: true, go: (page) => openTitled(page, /slow query/) },
  { name: 'conversation-maths-zh', library: true, go: (page) => openTitled(page, /贝叶斯/) },
  {
    name: 'answer-from-memory',
    library: true,
    go: async (page) => {
      await visit(page, '/');
      await composer(page).fill('Why did my sourdough stay flat, and how much water is right?');
      await composer(page).press('Enter');
      await expect(page.getByText(/From memory, no model was asked|来自记忆/).first()).toBeVisible({
        timeout: 40_000,
      });
    },
  },
  {
    name: 'recall-command',
    library: true,
    go: async (page) => {
      await visit(page, '/');
      await composer(page).fill('/recall 备份计划是怎么定的 --with-context');
      await composer(page).press('Enter');
      await expect(page.getByRole('region', { name: /Recalled|忆起|召回|回忆/ }).first()).toBeVisible({
        timeout: 40_000,
      });
    },
  },
  {
    name: 'commands',
    library: true,
    go: async (page) => {
      await visit(page, '/');
      await composer(page).fill('/');
      await expect(page.getByRole('listbox').first()).toBeVisible();
    },
  },
  {
    name: 'palette',
    library: true,
    go: async (page) => {
      await visit(page, '/');
      await page.keyboard.press('ControlOrMeta+k');
      await page.getByRole('dialog').getByRole('combobox').fill('index');
      await expect(page.getByRole('option').first()).toBeVisible();
    },
  },
  { name: 'memory', library: true, go: (page) => visit(page, '/memory') },
  ...['models', 'memory', 'storage', 'privacy', 'appearance', 'shortcuts', 'about'].map(
    (section): Screen => ({
      name: `settings-${section}`,
      library: true,
      go: (page) => visit(page, `/settings/${section}`),
    }),
  ),
  {
    name: 'sidebar',
    library: true,
    go: async (page, phone) => {
      await visit(page, '/');
      if (phone)
        await page
          .getByRole('button', { name: /sidebar|侧边栏|侧栏/i })
          .first()
          .click();
    },
  },
  {
    name: 'shortcuts-sheet',
    library: true,
    go: async (page) => {
      await visit(page, '/');
      await page.keyboard.press('ControlOrMeta+/');
      await expect(page.getByRole('dialog')).toBeVisible();
    },
  },
];

/** Brings the made-up library in and waits until it is remembered. */
export async function withLibrary(page: Page): Promise<void> {
  await call(page, 'recollect.app.library.addSamples().then(() => undefined)');
  await remembered(page);
}

/** Closes what floats, so that the next screen begins clean. */
export async function settle(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
}
