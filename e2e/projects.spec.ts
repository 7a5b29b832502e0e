// A project's memory scope: what is in it is found there, what is elsewhere is not, and the answer says so.
import { expect, openApp, remembered, saved, test } from './app.ts';

test('a conversation is dragged into a project, and memory looks only there', async ({ page }) => {
  await openApp(page);
  await page.evaluate(async () => {
    const say = (title: string, text: string, number: number) => {
      const id = `00000000-0000-7000-8000-00000000000${number}`;
      const message = `00000000-0000-7000-8000-00000000001${number}`;
      const at = Date.now() - number * 86_400_000;
      return {
        id,
        change: {
          meta: { title, titleBy: 'person', createdAt: at, head: message },
          messages: [
            {
              id: message,
              parentId: null,
              role: 'user',
              kind: 'message',
              createdAt: at,
              parts: [{ type: 'text', text }],
            },
          ],
        },
      };
    };
    const all = [
      say('Farm gate', 'The gate code of the farm is 4471; ask Ruth before you change it.', 1),
      say('Villa gate', 'The gate code of the villa is 9038; the gardener knows it, too.', 2),
    ];
    await globalThis.recollect?.app.documents.changeMany(all as never, 'import');
  });
  await page.getByRole('button', { name: 'New project' }).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Farm');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main').getByRole('heading', { name: 'Farm' })).toBeVisible();
  const list = page.getByRole('navigation', { name: 'Conversations' });
  await list
    .getByRole('link', { name: /^Farm gate/ })
    .dragTo(page.getByRole('region', { name: 'Projects' }).getByRole('link', { name: 'Farm' }));
  await expect(page.getByRole('main').getByRole('link', { name: /^Farm gate/ })).toBeVisible();
  const only = page.getByRole('radio', { name: /^Only this project/ });
  await only.click();
  await expect(only).toBeChecked();
  await remembered(page);
  await page.getByRole('main').getByRole('button', { name: 'New conversation in it' }).click();
  await page.getByRole('textbox', { name: 'Message' }).fill('What is the gate code of the villa?');
  await page.keyboard.press('Enter');
  const answers = page.getByRole('article');
  await expect(page.getByText('Memory looked only in the project “Farm”.')).toBeVisible();
  await expect(answers.getByText('9038')).toHaveCount(0);
  await saved(page);
  // Outside of it everything is found.
  await page.getByRole('button', { name: 'New conversation', exact: true }).click();
  await page.getByRole('textbox', { name: 'Message' }).fill('What is the gate code of the villa?');
  await page.keyboard.press('Enter');
  await expect(answers.getByText('9038').first()).toBeVisible();
  await expect(page.getByText('Memory looked only in the project')).toHaveCount(0);
  // And in it, once the scope is what it was before; a conversation that was moved goes back with Undo.
  const farm = page.getByRole('region', { name: 'Projects' }).getByRole('link', { name: 'Farm' });
  await farm.click();
  const everything = page.getByRole('radio', { name: /^Everything/ });
  await everything.click();
  await expect(everything).toBeChecked();
  await page.getByRole('main').getByRole('button', { name: 'New conversation in it' }).click();
  await page.getByRole('textbox', { name: 'Message' }).fill('What is the gate code of the villa?');
  await page.keyboard.press('Enter');
  await expect(answers.getByText('9038').first()).toBeVisible();
  await saved(page);
  await list.getByRole('link', { name: /^Villa gate/ }).dragTo(farm);
  await farm.click();
  await expect(page.getByRole('main').getByRole('link', { name: /^Villa gate/ })).toBeVisible();
  // The notice of the first move may still be there, behind.
  await page.locator('[data-sonner-toast][data-front=true]').getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('main').getByRole('link', { name: /^Farm gate/ })).toBeVisible();
  await expect(page.getByRole('main').getByRole('link', { name: /^Villa gate/ })).toHaveCount(0);
});
