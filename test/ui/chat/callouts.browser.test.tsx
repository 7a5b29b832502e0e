// Callouts have their name in words, lines of a paragraph stand below one another, and what is folded away opens.
import { expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { createTestApp, show } from '../harness.tsx';

const ANSWER = `> [!WARNING] Mind **it**
> First line
> second line

:::writing{variant="email" subject="Hello there"}
Dear **Bob**,
:::

<details>
<summary>**More** of it</summary>
- folded
</details>`;

it('are named, and lose no word', async () => {
  const app = await createTestApp({
    *reply() {
      yield { type: 'text-delta', text: ANSWER };
    },
  });
  const id = await app.say('Write it.');
  await app.idle(id);
  await show(app, `/c/${id}`);
  await expect.element(page.getByText('Warning', { exact: true })).toBeVisible();
  const labels = [...document.querySelectorAll<HTMLElement>('.callout-label')];
  expect(labels.map(({ textContent }) => textContent)).toEqual([
    'Warning Mind it',
    'Writing email · Hello there',
  ]);
  const lines = document.querySelector<HTMLElement>('blockquote > p:not(.callout-label)');
  expect(lines?.querySelectorAll('br')).toHaveLength(1);
  expect(lines?.textContent).toBe('First line\nsecond line');
  expect(document.querySelector('.prose')?.textContent).not.toMatch(/\[!|:::|\*\*/);

  const folded = page.getByText('folded', { exact: true });
  await expect.element(folded).not.toBeVisible();
  await page.getByText('More', { exact: true }).click();
  await expect.element(folded).toBeVisible();
});
