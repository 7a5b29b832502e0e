// The first screen of an empty library, on a phone: every way to begin, and that
// nothing leaves the device, are in sight.
import { expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { createTestApp, expectAccessible, show } from '../harness.tsx';

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
