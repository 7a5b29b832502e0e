// Conversations of one title are told apart by their first lines, wherever they meet.
import { expect, it } from 'vitest';
import { type Locator, page, userEvent } from 'vitest/browser';
import { createTestApp, expectAccessible, show } from '../harness.tsx';

const ENDS = ['to my landlord', 'to the school', 'to grandma'];

async function withTwins(size?: { width: number; height: number }) {
  const app = await createTestApp({ reply: () => [{ type: 'text-delta', text: 'Dear all,' }] });
  const project = await app.projects.create({ name: 'Letters' });
  for (const end of ENDS) {
    const id = await app.say(`Help with a letter ${end}`);
    await app.idle(id);
    await app.library.setMeta([id], { title: 'Help with a letter' });
    await app.projects.move([id], project);
  }
  await show(app, '/', size);
  return { app, project };
}
const told = async (place: Locator) => {
  for (const words of ['…my landlord', '…the school', '…grandma'])
    await expect.element(place.getByText(words)).toBeVisible();
};

it('in the sidebar, on the first screen, in a project, in the palette', async () => {
  const { project } = await withTwins();
  await told(page.getByRole('navigation', { name: 'Conversations' }));
  await told(page.getByRole('region', { name: 'Continue' }));
  await expectAccessible();
  await page.getByRole('region', { name: 'Projects' }).getByRole('link', { name: 'Letters' }).click();
  await expect.poll(() => location.pathname).toBe(`/p/${project}`);
  await told(page.getByRole('main'));
  await userEvent.keyboard('{Control>}k{/Control}');
  await userEvent.keyboard('Help with');
  await told(page.getByRole('dialog'));
});

it('on a narrow phone, beside the title', async () => {
  await withTwins({ width: 320, height: 640 });
  const words = page.getByRole('region', { name: 'Continue' }).getByText('…grandma');
  await expect.element(words).toBeVisible();
  expect(words.element().getBoundingClientRect().width).toBeGreaterThan(60);
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(320);
  await expectAccessible();
});
