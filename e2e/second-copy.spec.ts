// The log's second copy in the built app: the browser deletes its whole database, as Chromium does with a damaged one, and nothing that was said is lost.
import { bringExport, chatgptHistory, expect, HISTORY, openApp, saved, test } from './app.ts';

test('the database is deleted under the app: the conversations come back from the second copy, and it is said', async ({
  page,
}) => {
  await openApp(page);
  await bringExport(page, chatgptHistory(HISTORY));
  await saved(page);
  const library = () =>
    page.evaluate(() =>
      globalThis.recollect?.app.documents.library
        .get()
        .entries.map(({ title, messageCount }) => `${title} ${messageCount}`)
        .sort(),
    );
  const before = await library();
  expect(before?.length).toBeGreaterThan(0);
  await expect.poll(() => page.evaluate(() => globalThis.recollect?.app.logCopy.get()?.state)).toBe('kept');
  // Until the follower has all of it: it collects what is new for a moment.
  const copied = () =>
    page.evaluate(async () => {
      const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('recollect-log-copy');
      let bytes = 0;
      for await (const file of folder.values())
        if (file.kind === 'file') bytes += (await (file as FileSystemFileHandle).getFile()).size;
      return bytes;
    });
  const { bytes } = await page.evaluate(
    async () => (await globalThis.recollect?.app.logStats()) ?? { bytes: 0 },
  );
  await expect.poll(copied).toBeGreaterThan(bytes);
  const origin = new URL(page.url()).origin;
  await page.goto('about:blank');
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Storage.clearDataForOrigin', { origin, storageTypes: 'indexeddb' });
  await openApp(page);
  expect(await library()).toEqual(before);
  await expect(page.getByText('came from the second copy')).toBeVisible();
});
