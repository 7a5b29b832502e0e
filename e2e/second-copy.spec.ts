// The log's second copy in the built app: the browser deletes its whole database, as Chromium does with a damaged
// one, and nothing that was said is lost.
import { startScriptedModel } from '../test/server/scripted-model.ts';
import { bringExport, chatgptHistory, expect, HISTORY, openApp, saved, test } from './app.ts';

test.use({ firstStart: true });

test('the database is deleted under the app: the conversations come back from the second copy, and it is said', {
  tag: '@gate',
}, async ({ page }) => {
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
  // Waits until the follower has everything: it collects changes for a moment.
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

test('the database is deleted: unsent words, messages that wait, half an answer and instructions come back', async ({
  page,
}) => {
  const server = await startScriptedModel();
  try {
    await openApp(page);
    await page.evaluate(async (baseUrl) => {
      const settings = globalThis.recollect?.app.settings;
      await settings?.saveEndpoint(
        { id: 'scripted', label: 'Scripted', baseUrl, models: ['gated'] },
        'sk-test',
      );
      await settings?.choose({ endpointId: 'scripted', model: 'gated' });
      await settings?.set('chat.instructions', 'Answer in rhymes');
    }, server.baseUrl);
    const composer = page.getByRole('textbox', { name: 'Message' });
    await composer.fill('Count slowly');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('article').getByText('one two three').first()).toBeVisible();
    await composer.fill('First in line');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('list', { name: 'Waiting messages' }).getByRole('listitem')).toHaveCount(1);
    await composer.fill('Words that were never sent');
    const copied = () =>
      page.evaluate(async () => {
        const root = await navigator.storage.getDirectory();
        let words = '';
        for (const name of ['recollect-log-copy', 'recollect-values-log-copy'])
          for await (const file of (await root.getDirectoryHandle(name)).values())
            if (file.kind === 'file')
              words += await (file as FileSystemFileHandle).getFile().then(
                (found) => found.text(),
                () => '',
              );
        return ['Count slowly', 'one two three', 'First in line', 'never sent', 'in rhymes'].filter(
          (part) => !words.includes(part),
        );
      });
    await expect.poll(copied).toEqual([]);
    const address = page.url();
    const { origin } = new URL(address);
    await page.goto('about:blank');
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Storage.clearDataForOrigin', { origin, storageTypes: 'indexeddb' });
    await page.goto(address);
    await expect(page.getByText('came from the second copy')).toBeVisible();
    await expect(composer).toHaveValue('Words that were never sent');
    await expect(page.getByRole('article').getByText('one two three').first()).toBeVisible();
    await expect(page.getByText('First in line').first()).toBeVisible();
    await openApp(page);
    expect(await page.evaluate(() => globalThis.recollect?.app.settings.config.get().chat.instructions)).toBe(
      'Answer in rhymes',
    );
  } finally {
    await server.close();
  }
});
