// A profile that an older version of the app wrote: all of it is there in this one. The fixture is the database
// of the build of 22 November 2026, whose log had version 1, filled by hand in a browser; the vault is left
// out, as its keys cannot leave a browser.
import { readFileSync } from 'node:fs';
import { expect, openApp, remembered, saved, test } from './app.ts';

test.use({ firstStart: true });

interface Dump {
  readonly name: string;
  readonly version: number;
  readonly stores: readonly {
    readonly name: string;
    readonly keyPath: string | null;
    readonly autoIncrement: boolean;
    readonly indexes: readonly {
      readonly name: string;
      readonly keyPath: string | string[];
      readonly unique: boolean;
      readonly multiEntry: boolean;
    }[];
    readonly records: readonly (readonly [string | number, unknown])[];
  }[];
}

const dump = JSON.parse(
  readFileSync(new URL('../test/fixtures/log-version-1.json', import.meta.url), 'utf8'),
) as Dump;

test('conversations, draft, notes and settings of an older version are all there', { tag: '@gate' }, async ({
  page,
}) => {
  // A file of the same origin in which no app runs.
  await page.goto('/manifest.webmanifest');
  await page.evaluate(async (dump) => {
    const revived = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(revived);
      if (typeof value !== 'object' || value === null) return value;
      if ('$bytes' in value)
        return Uint8Array.from(atob(String(value.$bytes)), (letter) => letter.charCodeAt(0));
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, revived(inner)]));
    };
    await new Promise<void>((resolve, reject) => {
      const opening = indexedDB.open(dump.name, dump.version);
      opening.onerror = () => reject(opening.error);
      opening.onupgradeneeded = () => {
        for (const { name, keyPath, autoIncrement, indexes, records } of dump.stores) {
          const store = opening.result.createObjectStore(name, { keyPath, autoIncrement });
          for (const index of indexes)
            store.createIndex(index.name, index.keyPath, {
              unique: index.unique,
              multiEntry: index.multiEntry,
            });
          for (const [key, value] of records) store.put(revived(value), keyPath === null ? key : undefined);
        }
      };
      opening.onsuccess = () => {
        opening.result.close();
        resolve();
      };
    });
  }, dump);

  await openApp(page);
  const conversation = page.getByRole('link', { name: 'The flat in Lindenstraße', exact: true });
  await expect(page.getByText('Pinned', { exact: true })).toBeVisible();
  await conversation.click();
  const messages = page.getByRole('region', { name: 'Messages' });
  await expect(messages.getByText('The rent of the flat in Lindenstraße is 870 euros')).toBeVisible();
  await expect(messages.getByText('房东周三有空')).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Message', exact: true })).toHaveValue(
    'a draft that was never sent',
  );
  const kept = await page.evaluate(() => {
    const app = globalThis.recollect?.app;
    return {
      results: app?.settings.config.get().recall.filters.max_results,
      endpoints: app?.settings.connections.get().endpoints.map(({ label }) => label),
      notes: app?.notes.state.get().notes.map(({ text }) => text),
      alert: app?.alert.get(),
    };
  });
  expect(kept).toEqual({
    results: 7,
    endpoints: ['Home server'],
    notes: ['Anna is allergic to hazelnuts.'],
    alert: null,
  });

  // The app goes on: it appends new messages, and search finds old and new ones.
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill('The deposit is 2,610 euros.');
  await page.keyboard.press('Enter');
  await expect(messages.getByText('The deposit is 2,610 euros.')).toBeVisible();
  await saved(page);
  await remembered(page, 'words');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('heating included');
  await expect(page.getByRole('option', { name: /Lindenstraße is 870 euros/ }).first()).toBeVisible();
});
