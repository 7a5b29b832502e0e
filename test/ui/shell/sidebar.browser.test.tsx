// The list of conversations: selecting several, a menu by right click, renaming in place, and undo from the notice.
import { expect, it, onTestFinished, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { deep } from '../../scale.ts';
import { createTestApp, expectAccessible, show } from '../harness.tsx';

async function withConversations(size?: { width: number; height: number }) {
  const app = await createTestApp({
    *reply() {
      yield { type: 'text-delta', text: 'An answer.' };
    },
  });
  for (const name of ['Apples', 'Bread', 'Cheese', 'Dates']) {
    const id = await app.say(`${name} for breakfast`);
    await app.idle(id);
    await app.library.setMeta([id], { title: name });
  }
  await show(app, '/', size);
  if (size && size.width < 720) await page.getByRole('button', { name: 'Show sidebar' }).click();
  await expect.element(line('Apples')).toBeVisible();
  return app;
}
const line = (name: string) =>
  page.getByRole('navigation', { name: 'Conversations' }).getByRole('link', { name: new RegExp(`^${name}`) });
const undo = (notice: string) =>
  page.getByRole('listitem').filter({ hasText: notice }).getByRole('button', { name: 'Undo' });
const titled = (app: Awaited<ReturnType<typeof withConversations>>, wanted: 'archived' | 'trash') =>
  app.documents.library
    .get()
    .entries.filter(({ archived, deletedAt }) => (wanted === 'trash' ? deletedAt !== null : archived))
    .map(({ title }) => title)
    .sort();

it('chooses with Ctrl and Shift, archives all of it, and takes it back', async () => {
  const app = await withConversations();
  await line('Dates').click({ modifiers: ['Control'] });
  await expect.element(page.getByRole('toolbar')).toHaveTextContent('1 selected');
  await line('Bread').click({ modifiers: ['Shift'] });
  await expect.element(page.getByRole('toolbar')).toHaveTextContent('3 selected');
  expect(location.pathname).toBe('/');
  await expectAccessible();
  await page.getByRole('toolbar').getByRole('button', { name: 'Archive' }).click();
  await expect.element(page.getByText('3 conversations archived')).toBeVisible();
  expect(titled(app, 'archived')).toEqual(['Bread', 'Cheese', 'Dates']);
  await expect.element(page.getByRole('toolbar')).not.toBeInTheDocument();
  await undo('archived').click();
  await expect.element(line('Bread')).toBeVisible();
  expect(titled(app, 'archived')).toEqual([]);
});

it('takes the selected conversations out as one file, and no others', async () => {
  await withConversations();
  const files = vi.spyOn(URL, 'createObjectURL');
  onTestFinished(() => files.mockRestore());
  await line('Dates').click({ modifiers: ['Control'] });
  await line('Bread').click({ modifiers: ['Control'] });
  await page.getByRole('toolbar').getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: 'As JSON, complete' }).click();
  await expect.poll(() => files.mock.calls.length).toBe(1);
  const words = (await (files.mock.calls[0]?.[0] as Blob | undefined)?.text()) ?? '';
  const { conversations } = JSON.parse(words) as { conversations: { meta: { title: string } }[] };
  expect(conversations.map(({ meta }) => meta.title).sort()).toEqual(['Bread', 'Dates']);
  await page.getByRole('toolbar').getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: 'As Markdown' }).click();
  await expect.poll(() => files.mock.calls.length).toBe(2);
  expect((files.mock.calls[1]?.[0] as Blob | undefined)?.size).toBeGreaterThan(0);
  await expect.element(page.getByText(/^Downloaded .*\.json\.$/)).toBeVisible();
});

it('chooses by keyboard, deletes, and lets go with Escape', async () => {
  const app = await withConversations();
  (line('Cheese').element() as HTMLElement).focus();
  await userEvent.keyboard(' ');
  await userEvent.keyboard('{ArrowDown} ');
  await expect.element(page.getByRole('toolbar')).toHaveTextContent('2 selected');
  await userEvent.keyboard('{Escape}');
  await expect.element(page.getByRole('toolbar')).not.toBeInTheDocument();
  await userEvent.keyboard(' ');
  await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click();
  await expect.element(page.getByText('1 conversation moved to the trash')).toBeVisible();
  expect(titled(app, 'trash')).toHaveLength(1);
  await undo('moved to the trash').click();
  await expect.poll(() => titled(app, 'trash')).toEqual([]);
});

it('moves no line when the actions on what is chosen come and go', async () => {
  await withConversations();
  const places = () => ['Apples', 'Dates'].map((name) => line(name).element().getBoundingClientRect().top);
  const before = places();
  await line('Cheese').click({ modifiers: ['Control'] });
  await expect.element(page.getByRole('toolbar')).toBeVisible();
  expect(places()).toEqual(before);
  await page.getByRole('toolbar').getByRole('button', { name: 'Clear selection' }).click();
  await expect.element(page.getByRole('toolbar')).not.toBeInTheDocument();
  expect(places()).toEqual(before);
});

it('has a menu by right click and by the menu key, for one line or for all that are chosen', async () => {
  await withConversations();
  await line('Cheese').click({ button: 'right' });
  await expect.element(page.getByRole('menuitem', { name: 'Rename' })).toBeVisible();
  await expectAccessible();
  await userEvent.keyboard('{Escape}');
  await expect.element(line('Cheese')).toHaveFocus();
  await line('Cheese').click({ modifiers: ['Control'] });
  await line('Bread').click({ modifiers: ['Control'] });
  await line('Bread').click({ button: 'right' });
  const menu = page.getByRole('menu');
  await expect.element(menu).toHaveTextContent('2 selected');
  await expect.element(menu.getByRole('menuitem', { name: 'Rename' })).not.toBeInTheDocument();
});

it('says in the menu of a line, and of a right click, how to choose several', async () => {
  await withConversations();
  await line('Cheese').hover();
  await page.getByRole('button', { name: 'More for “Cheese”' }).click();
  await page.getByRole('menuitem', { name: 'Select several' }).click();
  await expect.element(page.getByRole('toolbar')).toHaveTextContent('1 selected');
  await line('Bread').click({ button: 'right' });
  await expect.element(page.getByRole('menuitem', { name: 'Rename' })).toBeVisible();
  await expect.element(page.getByRole('menuitem', { name: 'Select several' })).not.toBeInTheDocument();
  await userEvent.keyboard('{Escape}');
  await page.getByRole('toolbar').getByRole('button', { name: 'Clear selection' }).click();
  await line('Bread').click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Select several' }).click();
  await expect.element(page.getByRole('toolbar')).toHaveTextContent('1 selected');
});

it('writes a title anew with F2', async () => {
  const app = await withConversations();
  (line('Cheese').element() as HTMLElement).focus();
  await userEvent.keyboard('{F2}');
  await expect.element(page.getByRole('textbox', { name: 'Title of the conversation' })).toHaveFocus();
  await userEvent.keyboard('Cheddar{Enter}');
  await expect.element(line('Cheddar')).toBeVisible();
  expect(app.documents.library.get().entries.map(({ title }) => title)).toContain('Cheddar');
});

deep('chooses by a finger that is held down, and not by one that scrolls', async () => {
  await withConversations();
  const touch = (type: string, y: number) =>
    line('Bread')
      .element()
      .dispatchEvent(
        new PointerEvent(type, { pointerType: 'touch', clientX: 60, clientY: y, bubbles: true }),
      );
  touch('pointerdown', 100);
  touch('pointermove', 160);
  touch('pointerup', 160);
  touch('pointerdown', 100);
  await expect.element(page.getByRole('toolbar')).toHaveTextContent('1 selected');
  touch('pointerup', 100);
  // The tap that ends it opens nothing and chooses nothing, also where it lands on a
  // line that has moved under the finger.
  const tap = (name: string, more: MouseEventInit = {}) =>
    line(name)
      .element()
      .dispatchEvent(new MouseEvent('click', { detail: 1, bubbles: true, cancelable: true, ...more }));
  tap('Apples');
  await expect.element(page.getByRole('toolbar')).toHaveTextContent('1 selected');
  expect(location.pathname).toBe('/');
  touch('pointerdown', 100);
  touch('pointerup', 100);
  // The next one chooses again.
  tap('Cheese', { ctrlKey: true });
  await expect.element(page.getByRole('toolbar')).toHaveTextContent('2 selected');
});

it('on a phone, is taken back from the notice above the drawer, which stays open', async () => {
  const app = await createTestApp({
    *reply() {
      yield { type: 'text-delta', text: 'An answer.' };
    },
  });
  await app.idle(await app.say('Apples for breakfast'));
  await show(app, '/', { width: 390, height: 844 });
  await page.getByRole('button', { name: 'Show sidebar' }).click();
  const drawer = page.getByRole('dialog');
  await expect.element(drawer).toBeVisible();
  await drawer.getByRole('button', { name: /^More for/ }).click();
  await page.getByRole('menuitem', { name: 'Archive' }).click();
  await expect.poll(() => titled(app, 'archived').length).toBe(1);
  await undo('rchived').click();
  await expect.poll(() => titled(app, 'archived').length).toBe(0);
  await expect.element(drawer).toBeVisible();
});

it.each([390, 320])(
  'on a phone of %d px, two notices stand beside each other, over nothing',
  async (width) => {
    const app = await withConversations({ width, height: width === 390 ? 844 : 568 });
    const drawer = page.getByRole('dialog');
    for (const [at, name] of ['Apples', 'Bread'].entries()) {
      await drawer.getByRole('button', { name: `More for “${name}”` }).click();
      await page.getByRole('menuitem', { name: 'Archive' }).click();
      await expect.poll(() => titled(app, 'archived').length).toBe(at + 1);
    }
    const hit = (element: Element) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      const there = document.elementFromPoint(left + width / 2, top + height / 2);
      return element.contains(there);
    };
    await expect.poll(() => undo('rchived').elements().map(hit)).toEqual([true, true]);
    for (const name of ['Archived', 'Memory', 'Settings'])
      await expect
        .poll(() => hit(drawer.getByRole(name === 'Archived' ? 'button' : 'link', { name }).element()))
        .toBe(true);
    await undo('Apples').click();
    await expect.poll(() => titled(app, 'archived')).toEqual(['Bread']);
    await undo('Bread').click();
    await expect.poll(() => titled(app, 'archived')).toEqual([]);
    await expect.element(drawer).toBeVisible();
  },
);

it('a notice lies on no row of the drawer, on the smallest phone with the largest letters', async () => {
  const app = await withConversations({ width: 320, height: 568 });
  await app.settings.set('ui.font_size', 'larger');
  await page.getByRole('button', { name: /^More for.*Dates/ }).click();
  await page.getByRole('menuitem', { name: 'Archive', exact: true }).click();
  await expect.element(page.getByText(/archived$/i)).toBeVisible();
  const last = line('Apples').element();
  const isOnTop = (element: Element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return element.contains(document.elementFromPoint(x + width / 2, y + height / 2));
  };
  await expect
    .poll(() => {
      const sidebar = document.querySelector('[data-sidebar]');
      sidebar?.scrollTo(0, sidebar.scrollHeight);
      last.scrollIntoView({ block: 'nearest' });
      return [last, page.getByRole('link', { name: 'Settings' }).element()].map(isOnTop);
    })
    .toEqual([true, true]);
});

it('lets a person write at once who begins a conversation from another page', async () => {
  await withConversations();
  await page.getByRole('link', { name: 'Settings' }).click();
  await expect.element(page.getByRole('heading', { name: 'Settings' })).toBeVisible();
  await page.getByRole('button', { name: 'New conversation', exact: true }).click();
  await expect.element(page.getByRole('textbox', { name: 'Message' })).toHaveFocus();
});

it('shades its lower edge while rows below it are out of sight, as at 200 %', async () => {
  await withConversations({ width: 640, height: 300 });
  const sidebar = page.getByRole('link', { name: 'Settings' }).element().closest('[data-sidebar]');
  expect(sidebar?.scrollHeight).toBeGreaterThan(sidebar?.clientHeight ?? 0);
  // The shade stays at the edge, what covers it moves with the last row.
  expect(getComputedStyle(sidebar ?? document.body).backgroundAttachment).toBe('local, scroll');
});

it('leads to a conversation that was restored from the trash', async () => {
  const app = await withConversations();
  const bread = app.documents.library.get().entries.find(({ title }) => title === 'Bread');
  await app.library.remove(bread ? [bread.id] : []);
  await page.getByRole('button', { name: /^Trash/ }).click();
  await line('Bread').hover();
  await page.getByRole('button', { name: 'More for “Bread”' }).click();
  await page.getByRole('menuitem', { name: 'Restore' }).click();
  const notice = page.getByRole('listitem').filter({ hasText: 'Restored' });
  await notice.getByRole('button', { name: 'Open' }).click();
  await expect.poll(() => location.pathname).toBe(`/c/${bread?.id}`);
});
