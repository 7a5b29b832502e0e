// Projects: made, filled, set and deleted; conversations go in by keyboard and by drag; both languages.
import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { deep } from '../../scale.ts';
import { createTestApp, expectAccessible, show } from '../harness.tsx';

async function withConversations(path = '/') {
  const app = await createTestApp({
    *reply() {
      yield { type: 'text-delta', text: 'An answer.' };
    },
  });
  for (const name of ['Apples', 'Bread']) {
    const id = await app.say(`${name} for breakfast`);
    await app.idle(id);
    await app.library.setMeta([id], { title: name });
  }
  await show(app, path);
  return app;
}
type Shown = Awaited<ReturnType<typeof withConversations>>;
const line = (name: string) =>
  page.getByRole('navigation', { name: 'Conversations' }).getByRole('link', { name: new RegExp(`^${name}`) });
const projectLine = (name: string) =>
  page.getByRole('region', { name: 'Projects' }).getByRole('link', { name, exact: true });
const undo = (notice: string) =>
  page.getByRole('listitem').filter({ hasText: notice }).getByRole('button', { name: 'Undo' });
const placeOf = (app: Shown, title: string) => {
  const { entries, projects } = app.documents.library.get();
  const place = entries.find((entry) => entry.title === title)?.projectId;
  return projects.find(({ id }) => id === place)?.title ?? null;
};

it('is made, told what to say, and conversations begin in it', async () => {
  const app = await withConversations();
  await page.getByRole('button', { name: 'New project' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Acme');
  await userEvent.keyboard('{Enter}');
  await expect.element(page.getByRole('heading', { name: 'Acme' })).toBeVisible();
  await expect.element(page.getByText('Nothing is in this project yet.')).toBeVisible();
  await expect.element(page.getByRole('main')).toHaveFocus();
  await page.getByRole('textbox', { name: 'Instructions' }).fill('Be brief.');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('textbox', { name: 'New note' }).fill('Port 8081');
  await userEvent.keyboard('{Enter}');
  await expect.element(page.getByRole('listitem').filter({ hasText: 'Port 8081' })).toBeVisible();
  await page.getByRole('radio', { name: /^Only this project/ }).click();
  const project = () => app.documents.library.get().projects[0]?.project;
  await expect.poll(project).toMatchObject({
    instructions: 'Be brief.',
    notes: [{ text: 'Port 8081' }],
    scope: 'only',
  });
  await expectAccessible();
  await page.getByRole('button', { name: 'Take out “Port 8081”' }).click();
  await expect.poll(() => project()?.notes).toEqual([]);
  await undo('was taken out').click();
  await expect.poll(() => project()?.notes.length).toBe(1);

  await page.getByRole('button', { name: 'New conversation in it' }).first().click();
  await expect.element(page.getByText('Begins in the project “Acme”')).toBeInTheDocument();
  await page.getByRole('textbox', { name: /message/i }).fill('Dates for breakfast');
  await userEvent.keyboard('{Enter}');
  await expect.poll(() => location.pathname).toMatch(/^\/c\//);
  const begun = app.documents.library.get().entries.find(({ title }) => title.startsWith('Dates'));
  expect(begun?.projectId).toBe(app.documents.library.get().projects[0]?.id);
});

it('takes conversations by the menu, by the keyboard and by drag, and gives them back', async () => {
  const app = await withConversations();
  await app.projects.create({ name: 'Acme' });
  await app.projects.create({ name: 'Shop' });
  await expect.element(projectLine('Shop')).toBeVisible();
  await line('Bread').click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Move to project…' }).click();
  await expect.element(page.getByRole('textbox', { name: 'Find a project' })).toHaveFocus();
  await expectAccessible();
  await userEvent.keyboard('sho{Enter}');
  await expect.poll(() => placeOf(app, 'Bread')).toBe('Shop');
  await undo('moved').click();
  await expect.poll(() => placeOf(app, 'Bread')).toBe(null);

  await line('Apples').click({ modifiers: ['Control'] });
  await line('Bread').click({ modifiers: ['Control'] });
  await userEvent.dragAndDrop(line('Bread'), projectLine('Acme'));
  await expect.poll(() => [placeOf(app, 'Apples'), placeOf(app, 'Bread')]).toEqual(['Acme', 'Acme']);
  await expect.element(line('Bread').getByRole('img', { name: 'In the project “Acme”' })).toBeInTheDocument();
});

deep('makes a project of a new name by Enter, once', async () => {
  const app = await withConversations();
  const names = () => app.documents.library.get().projects.map(({ title }) => title);
  await line('Bread').click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Move to project…' }).click();
  const twice = (act: () => void) => {
    act();
    act();
  };
  const find = page.getByRole('textbox', { name: 'Find a project' });
  await find.fill('Garden');
  const enter = { key: 'Enter', bubbles: true } as const;
  twice(() => find.element().dispatchEvent(new KeyboardEvent('keydown', enter)));
  await expect.poll(() => placeOf(app, 'Bread')).toBe('Garden');
  await page.getByRole('button', { name: 'New project' }).click();
  const name = page.getByRole('textbox', { name: 'Name' });
  await name.fill('Kitchen');
  twice(() => (name.element() as HTMLInputElement).form?.requestSubmit());
  await expect.element(page.getByRole('main').getByRole('heading', { name: 'Kitchen' })).toBeVisible();
  expect(names().sort()).toEqual(['Garden', 'Kitchen']);
});

deep('begins each window anew', async () => {
  const app = await withConversations();
  for (const name of ['Acme', 'Shop']) {
    const id = await app.projects.create({ name });
    const entry = app.documents.library.get().entries.find(({ projectId }) => projectId === null);
    await app.projects.move(entry ? [entry.id] : [], id);
  }
  await page.getByRole('button', { name: 'New project' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Kitchen');
  await userEvent.keyboard('{Escape}');
  await page.getByRole('button', { name: 'Throw away' }).click();
  await page.getByRole('button', { name: 'New project' }).click();
  await expect.element(page.getByRole('textbox', { name: 'Name' })).toHaveValue('');
  await userEvent.keyboard('{Escape}');
  // Its tooltip lies on what is below it, and lets clicks through.
  await expect.element(page.getByRole('button', { name: 'New project' })).toHaveFocus();
  const askRemove = async (name: string) => {
    await page.getByRole('button', { name: `More for the project “${name}”` }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
  };
  await askRemove('Acme');
  await page.getByRole('radio', { name: /^To the trash with it/ }).click();
  await userEvent.keyboard('{Escape}');
  await askRemove('Shop');
  await expect.element(page.getByText('Delete the project “Shop”?')).toBeVisible();
  await expect.element(page.getByRole('radio', { name: /^Keep them/ })).toBeChecked();
});

deep('leads from its menu to its name', async () => {
  const app = await withConversations();
  await app.projects.create({ name: 'Acme' });
  for (const _ of ['from elsewhere', 'from its page']) {
    await page
      .getByRole('region', { name: 'Projects' })
      .getByRole('button', { name: /^More for/ })
      .click();
    await page.getByRole('menuitem', { name: 'Name and looks' }).click();
    const name = page.getByRole('main').getByRole('textbox', { name: 'Name' });
    await expect.element(name).toHaveFocus();
    await expect.element(name).toBeInViewport();
    (document.activeElement as HTMLElement).blur();
    await page.getByRole('main').getByRole('heading', { name: 'Acme' }).click();
  }
});

it('asks what becomes of its conversations, and comes back', async () => {
  const app = await withConversations();
  const id = await app.projects.create({ name: 'Acme' });
  const bread = app.documents.library.get().entries.find(({ title }) => title === 'Bread');
  await app.projects.move(bread ? [bread.id] : [], id);
  await projectLine('Acme').click();
  await expect.element(page.getByRole('main').getByRole('link', { name: /^Bread/ })).toBeVisible();
  await page.getByRole('main').getByRole('button', { name: 'More for the project “Acme”' }).click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  await page.getByRole('radio', { name: /^To the trash with it/ }).click();
  await expectAccessible();
  await page.getByRole('button', { name: 'Delete project' }).click();
  const gone = () =>
    [...app.documents.library.get().entries, ...app.documents.library.get().projects]
      .filter(({ deletedAt }) => deletedAt !== null)
      .map(({ title }) => title)
      .sort();
  await expect.poll(gone).toEqual(['Acme', 'Bread']);
  await undo('is in the trash').click();
  await expect.poll(gone).toEqual([]);
  expect(placeOf(app, 'Bread')).toBe('Acme');
});

it('keeps what was typed and not saved while one is elsewhere, until it is saved or taken back', async () => {
  const app = await withConversations();
  const id = await app.projects.create({ name: 'Acme' });
  await projectLine('Acme').click();
  const instructions = page.getByRole('textbox', { name: 'Instructions' });
  const note = page.getByRole('textbox', { name: 'New note' });
  await instructions.fill('Be brief.');
  await note.fill('Port 8081');
  const away = async () => {
    await line('Bread').click();
    await expect.element(instructions).not.toBeInTheDocument();
    await projectLine('Acme').click();
  };
  await away();
  await expect.element(instructions).toHaveValue('Be brief.');
  await expect.element(note).toHaveValue('Port 8081');
  expect(app.documents.library.get().projects[0]?.project.instructions).toBe('');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect.element(instructions).toHaveValue('');
  await instructions.fill('Be kind.');
  await away();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Pin a note' }).click();
  const project = () => app.documents.library.get().projects[0]?.project;
  await expect.poll(project).toMatchObject({ instructions: 'Be kind.', notes: [{ text: 'Port 8081' }] });
  await away();
  await expect.element(note).toHaveValue('');
  await expect.poll(() => app.chat.composerDrafts.places(`edit.${id}.`)).toEqual([]);
});

it('says where nothing is, and speaks Chinese', async () => {
  const app = await createTestApp();
  await app.settings.set('ui.language', 'zh');
  const id = await app.projects.create({ name: '网店' });
  await show(app, '/p/00000000-0000-7000-8000-000000000000');
  await expect.element(page.getByText('没有这个项目。')).toBeVisible();
  await page.getByRole('region', { name: '项目' }).getByRole('link', { name: '网店' }).click();
  await expect.element(page.getByRole('heading', { name: '固定备忘' })).toBeVisible();
  expect(location.pathname).toBe(`/p/${id}`);
  await expect.element(page.getByText('这个项目里还没有内容。')).toBeVisible();
  expect(page.getByRole('main').element().textContent).not.toMatch(/[。，；：] /);
  await expectAccessible();
});
