// The narrowest phone with the largest letters: strips above the page and the row below the composer keep within it.
import { expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { newTemporaryId } from '../../../src/domain/base/ids.ts';
import { writable } from '../../../src/domain/base/readable.ts';
import { createTestApp, expectAccessible, show } from '../harness.tsx';

const MODEL = 'a-model-of-many-words';

async function largest(language: string) {
  const app = await createTestApp({
    *reply() {
      yield { type: 'text-delta', text: 'An answer.' };
    },
  });
  Object.assign(app.device, { update: writable(() => undefined) });
  app.library.storageSpace = async () => ({ state: 'full', used: 100e6, limit: 100e6 });
  await app.settings.saveEndpoint(
    { id: 'long', label: 'Long', baseUrl: 'http://localhost:9', models: [MODEL] },
    undefined,
  );
  await app.settings.set('ui.font_size', 'larger');
  await app.settings.set('ui.language', language);
  const id = newTemporaryId();
  await app.documents.change(id, { meta: { createdAt: Date.now() } });
  await app.idle(await app.say('A question', id));
  await app.settings.choose({ endpointId: 'long', model: MODEL }, id);
  await show(app, `/c/${id}`, { width: 320, height: 640 });
  return app;
}

/** Names of elements that cross the edge of the page, or overlap a neighbour. */
function crossing(elements: readonly Element[]): string[] {
  const name = (element: Element) => element.getAttribute('aria-label') ?? element.textContent ?? '';
  const rects = elements.map((element) => ({
    name: name(element),
    ...element.getBoundingClientRect().toJSON(),
  }));
  return rects.flatMap((one, at) => [
    ...(one.left < 0 || one.right > 320 ? [`${one.name} over the edge`] : []),
    ...rects
      .slice(at + 1)
      .filter(
        (other) =>
          one.left < other.right - 1 &&
          other.left < one.right - 1 &&
          one.top < other.bottom - 1 &&
          other.top < one.bottom - 1,
      )
      .map((other) => `${one.name} over ${other.name}`),
  ]);
}

it.each(['en', 'zh'])('has room for strips and the name of the model, %s', async (language) => {
  await largest(language);
  const storage = page.getByRole('button', { name: language === 'en' ? 'Open Storage' : '打开存储设置' });
  await expect.element(storage).toBeVisible();
  const pressed = () =>
    [...document.querySelectorAll('button')].filter(
      (button) => button.checkVisibility() && !button.matches('.sr-only, article *'),
    );
  const said = () => [...document.querySelectorAll('[role=status]:has(button) span:not(:has(*))')];
  await expect.poll(() => crossing([...pressed(), ...said()])).toEqual([]);
  // Room for a dozen letters of it, each about 0.55 em wide.
  const name = page.getByText(MODEL, { exact: true });
  await expect.element(name).toBeVisible();
  const words = name.element();
  expect(words.clientWidth / Number.parseFloat(getComputedStyle(words).fontSize)).toBeGreaterThan(7);
  expect(document.documentElement.scrollWidth).toBe(320);
  await expectAccessible();
});
