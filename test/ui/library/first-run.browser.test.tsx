// The first screen of an empty library, on a phone: every way to begin, and that
// nothing leaves the device, are in sight.
import { expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { RecollectError } from '../../../src/domain/base/errors.ts';
import { pressed } from '../dialogs/dialogs.ts';
import { createTestApp, expectAccessible, show } from '../harness.tsx';
import { expectReached } from '../reading.ts';

const LAST = { en: /^Just look around/, zh: /^先随便看看/ } as const;
const STAYS = { en: /^Everything stays in this browser/, zh: /^一切都留在这个浏览器里/ } as const;

it.each(['en', 'zh'] as const)(
  'shows all of it at 390 px, and scrolls to all of it at 320, %s',
  async (language) => {
    const app = await createTestApp();
    await app.settings.set('ui.language', language);
    await show(app, '/', { width: 390, height: 844 });
    const last = page.getByRole('button', { name: LAST[language] });
    const stays = page.getByText(STAYS[language]);
    await expect.element(last).toBeVisible();
    /** px between the words and the composer below them. */
    const roomBelow = (words: typeof last) =>
      (document.querySelector('#main form')?.getBoundingClientRect().top ?? 0) -
      words.element().getBoundingClientRect().bottom;
    for (const words of [last, stays]) await expect.poll(() => roomBelow(words)).toBeGreaterThanOrEqual(0);
    await expectAccessible();
    await page.viewport(320, 568);
    stays.element().scrollIntoView({ block: 'nearest' });
    await expect.poll(() => roomBelow(stays)).toBeGreaterThanOrEqual(0);
    // Tests of other files leave things in the same document: measures the app's own part.
    const main = document.querySelector('#main') as HTMLElement;
    expect([main.scrollWidth, main.clientWidth]).toEqual([320, 320]);
  },
);

it('begins by keyboard: says that samples come, that they could not come, and greets once they are there', async () => {
  const app = await createTestApp();
  const real = app.library.addSamples.bind(app.library);
  const full = Promise.withResolvers<Awaited<ReturnType<typeof real>>>();
  Object.assign(app.library, { addSamples: () => full.promise });
  await show(app, '/', { width: 320, height: 568 });
  const main = page.getByRole('main');
  const samples = main.getByRole('button', { name: LAST.en });
  await expect.element(samples).toBeVisible();
  await expectReached(main.element());
  await pressed(samples);
  await expect.element(main.getByText('Adding samples')).toBeInTheDocument();
  await expectAccessible();
  full.reject(new RecollectError('storage-full', 'There is no space left'));
  await expect.element(main.getByRole('alert')).toBeVisible();
  await expectAccessible();
  Object.assign(app.library, { addSamples: real });
  await pressed(samples);
  await expect.element(main.getByRole('heading', { name: 'What are you thinking about?' })).toBeVisible();
  await expect
    .element(main.getByRole('region', { name: 'Continue' }).getByRole('link').first())
    .toBeVisible();
  await expectAccessible();
  await expectReached(main.element());
});

it('offers to connect a model until one is connected', async () => {
  const app = await createTestApp();
  await show(app, '/');
  const connect = page.getByRole('button', { name: /^Connect a model/ });
  await expect.element(connect).toBeVisible();
  await app.settings.saveEndpoint(
    { id: 'mine', label: 'Mine', baseUrl: 'http://localhost:9', models: ['one'] },
    undefined,
  );
  await expect.element(connect).not.toBeInTheDocument();
  await expect.element(page.getByRole('button', { name: LAST.en })).toBeVisible();
});
