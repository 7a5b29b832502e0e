// What arrives from outside: shared words in the composer, a shortcut to the
// search, another device on the first screen.
import { expect, it, onTestFinished } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { launchedFiles } from '../../../src/adapters/browser/launched-files.ts';
import { deep } from '../../scale.ts';
import { createTestApp, expectAccessible, show } from '../harness.tsx';
import { handleOf, launching } from '../launching.ts';

it('begins a message with what was shared, once', async () => {
  await show(await createTestApp(), '/?shared_title=A%20page&shared_url=https%3A%2F%2Fexample.org%2Fa');
  await expect
    .element(page.getByRole('textbox', { name: 'Message', exact: true }))
    .toHaveValue('A page\nhttps://example.org/a');
  expect(location.search).toBe('');
});

it('opens files that came before the app was there, and those that come later', async () => {
  const open = launching();
  open([await handleOf('first.md', '# First\n\nA kettle hums.')]);
  // Assistive technology must not see the page behind while the files are shown.
  const shown = show(await createTestApp(), '/');
  await expect.element(page.getByRole('dialog')).toHaveTextContent('first.md');
  open([await handleOf('second.md', '# Second\n\nIt boils.')]);
  await expect.element(page.getByRole('dialog')).toHaveTextContent('second.md');
  expect(launchedFiles().get()).toEqual([]);
  await userEvent.keyboard('{Escape}');
  await shown;
});

/** Stands in for the service worker, which holds these files. */
function holding(held: File[]): void {
  const controller = {
    postMessage: (_: unknown, [port]: MessagePort[]) => port?.postMessage(held.splice(0)),
  };
  Object.defineProperty(navigator.serviceWorker, 'controller', { configurable: true, value: controller });
  onTestFinished(() => void Reflect.deleteProperty(navigator.serviceWorker, 'controller'));
}

it('attaches the files that were shared, each once', async () => {
  const held = [new File(['A kettle hums.'], 'kettle.txt', { type: 'text/plain' })];
  holding(held);
  await show(await createTestApp(), '/?open=files');
  await expect.element(page.getByRole('list', { name: 'Attached files' })).toHaveTextContent('kettle.txt');
  expect(location.search).toBe('');
  expect(held).toEqual([]);
  await expectAccessible();
});

it('says where shared files did not arrive', async () => {
  holding([]);
  await show(await createTestApp(), '/?open=files');
  await expect.element(page.getByText(/shared files did not arrive/)).toBeVisible();
});

deep('opens the search by the shortcut of the installed app', async () => {
  // Assistive technology must not see the page behind until the search is closed.
  const shown = show(await createTestApp(), '/?open=search');
  await expect.element(page.getByRole('dialog', { name: 'Search and commands' })).toBeVisible();
  await userEvent.keyboard('{Escape}');
  await shown;
  expect(location.search).toBe('');
});

it('leads from the first screen to the other device', async () => {
  await show(await createTestApp(), '/', { width: 320, height: 700 });
  const way = page.getByRole('button', { name: /I have Recollect on another device/ });
  await expect.element(way).toBeVisible();
  await expectAccessible();
  await way.click();
  await expect.poll(() => location.pathname).toBe('/pair');
});
