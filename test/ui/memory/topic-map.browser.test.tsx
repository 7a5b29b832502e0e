// The topic map: nothing is drawn of few conversations, it looks the same at each visit, and says what its marks mean.
import { expect, it } from 'vitest';
import { page } from 'vitest/browser';
import type { Overview } from '../../../src/adapters/index/memory-index.ts';
import { asConversationId } from '../../../src/domain/base/ids.ts';
import { createTestApp, expectAccessible, show } from '../harness.tsx';

type Conversation = Overview['conversations'][number];

const talk = (at: number): Conversation => ({
  id: asConversationId(`talk-${at}`),
  title: `Talk ${at}`,
  createdAt: 1_790_000_000_000 + at * 86_400_000,
  updatedAt: 1_790_000_000_000 + at * 86_400_000,
  messages: 2 + at,
  workDir: null,
  archived: at === 3,
  keywords: [at % 2 ? 'bread' : 'trains'],
  said: [],
  vector: Float32Array.from({ length: 8 }, (_, i) => (i % 2 === at % 2 ? 1 : 0) + 0.1 * Math.sin(at * 7 + i)),
});

async function opened(count: number) {
  const app = await createTestApp();
  await app.documents.change(asConversationId('Bread'), { meta: { title: 'Bread', createdAt: Date.now() } });
  let conversations = Array.from({ length: count }, (_, at) => talk(at)).reverse();
  Object.assign(app.memory, { overview: async () => ({ conversations, recalled: [] }) });
  // The place depends on the order alone, as it does in part for the one of the app.
  Object.assign(app.projection, {
    project: async (vectors: readonly Float32Array[]) =>
      vectors.map((_, at) => ({ x: at / vectors.length, y: (at % 5) / 5 })),
  });
  await show(app, '/memory/pictures', { width: 390, height: 844 });
  const goOn = (at: number) => {
    const more = conversations.filter(({ title }) => title !== `Talk ${at}`);
    conversations = [{ ...talk(at), updatedAt: 1_800_000_000_000 }, ...more];
  };
  return { goOn };
}

const map = () => page.getByRole('region', { name: 'Topic map' });
const places = () =>
  Object.fromEntries(
    [...map().element().querySelectorAll('svg a')].map((mark) => {
      const dot = mark.querySelector('circle');
      return [
        mark.getAttribute('aria-label')?.split(',')[0],
        `${dot?.getAttribute('cx')} ${dot?.getAttribute('cy')}`,
      ];
    }),
  );

it('is not drawn below twenty conversations, and says how many there are', async () => {
  await opened(19);
  await expect
    .element(map().getByText(/^19 conversations have been read .* once 20 have been/))
    .toBeVisible();
  expect(map().element().querySelector('svg a')).toBeNull();
  await expect.element(page.getByRole('list', { name: 'Legend' })).not.toBeInTheDocument();
  await expectAccessible();
});

it('is the same at the next visit, also after an older conversation went on', async () => {
  const { goOn } = await opened(24);
  await expect.poll(() => Object.keys(places()).length).toBe(24);
  const before = places();
  await page.getByRole('button', { name: 'What it knows' }).click();
  await expect.element(map()).not.toBeInTheDocument();
  goOn(5);
  await page.getByRole('button', { name: 'Pictures' }).click();
  await expect.poll(() => Object.keys(places()).length).toBe(24);
  expect(places()).toEqual(before);
});

it('says what its marks mean', async () => {
  await opened(20);
  const legend = page.getByRole('list', { name: 'Legend' });
  await expect.element(legend).toBeVisible();
  expect(
    legend
      .getByRole('listitem')
      .elements()
      .map(({ textContent }) => textContent),
  ).toEqual(['few messages', 'many messages', 'archived', 'Wordwhat the conversations around it are about']);
  await expectAccessible();
});
