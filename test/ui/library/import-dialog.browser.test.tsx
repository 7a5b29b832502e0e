// The import dialog: empty, a report, and a file that is no export.
import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { chatgptHistory, HISTORY } from '../../../e2e/history.ts';
import { createTestApp, expectAccessible, show } from '../harness.tsx';

async function opened() {
  const app = await createTestApp();
  await show(app, '/settings/storage');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Import conversations' });
  await expect.element(dialog.getByRole('button', { name: 'Choose files' })).toBeVisible();
  return { app, dialog };
}

const choose = (name: string, content: string) => {
  const input = document.querySelector<HTMLInputElement>('input[data-import=files]');
  if (!input) throw new Error('The dialog has no field for files');
  return userEvent.upload(input, new File([content], name, { type: 'application/json' }));
};

it('says what can be imported, and is accessible', async () => {
  const { dialog } = await opened();
  await expect.element(dialog.getByText('ChatGPT').first()).toBeVisible();
  await expectAccessible();
});

it('reports what came in', async () => {
  const { app } = await opened();
  const history = chatgptHistory(HISTORY);
  await choose('conversations.json', history);
  await expect.element(page.getByRole('dialog').getByText('Import report')).toBeVisible();
  expect(app.documents.library.get().entries).toHaveLength(HISTORY.length);
  await expectAccessible();
});

it('refuses what is no export with a sentence, and adds nothing', async () => {
  const { app } = await opened();
  await choose('notes.json', '{"shopping": ["milk"]}');
  await expect
    .element(
      page
        .getByRole('dialog')
        .getByText(/notes\.json/)
        .first(),
    )
    .toBeVisible();
  await expect.element(page.getByRole('dialog').getByRole('progressbar')).not.toBeInTheDocument();
  expect(app.documents.library.get().entries).toHaveLength(0);
  await expectAccessible();
});
