// Sources below an answer: pages open on a click, documents show the words that were cited.
import { expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { createTestApp, show } from '../harness.tsx';

const app = await createTestApp({
  *reply() {
    yield { type: 'text-delta', text: 'Backups run at three.' };
    yield {
      type: 'sources',
      sources: [
        { url: 'https://docs.example.com/backup', title: 'Backups' },
        { url: '', title: 'Handbook', cited: 'Every night at three.' },
        { url: '', cited: 'At 03:00.' },
        { url: '' },
      ],
    };
  },
});

it('shows a document by its title and the words that were cited, beside the pages', async () => {
  const id = await app.say('When?');
  await app.idle(id);
  await show(app, `/c/${id}`);
  const sources = page.getByRole('region', { name: 'Sources' });
  await expect.element(sources).toBeVisible();
  const items = sources.getByRole('listitem').elements();
  expect(items.map((item) => item.textContent)).toEqual([
    '1Backupsdocs.example.com',
    '2Handbook Every night at three.',
    '3At 03:00.',
  ]);
  expect(sources.getByRole('link').elements()).toHaveLength(1);
});
