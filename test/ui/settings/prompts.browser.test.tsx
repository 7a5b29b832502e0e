// Prompts and personas: empty, written, called by their name in the composer, filled in, chosen,
// deleted and put back, taken from files.
import { expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { deep } from '../../scale.ts';
import { createTestApp, expectAccessible, show, type TestApp } from '../harness.tsx';

const asked: { system: string | null }[] = [];
const withModel = () =>
  createTestApp({
    *reply(prompt) {
      asked.push(prompt);
      yield { type: 'text-delta', text: 'Aye.' };
    },
  });
const composer = () => page.getByRole('textbox', { name: 'Message', exact: true });
const mail = (app: TestApp) =>
  app.prompts.savePrompt({
    name: 'Kind mail',
    description: 'Says no kindly',
    text: 'Write to {{whom}} in {{language: English | German}}, {{tone=warm}}.',
  });

it('is empty at first, and says how a prompt is called while it is written', async () => {
  const app = await createTestApp();
  await show(app, '/settings/prompts');
  await expect.element(page.getByText('No prompts yet. Save what you ask again and again.')).toBeVisible();
  await expectAccessible();
  await page.getByRole('button', { name: 'New prompt' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('New');
  await expect.element(page.getByText('/new is a command: you call this prompt with /new-2.')).toBeVisible();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect.element(page.getByText('A prompt needs a name and words, a persona a name.')).toBeVisible();
  await page.getByRole('textbox', { name: 'Name' }).fill('Sum up');
  await page.getByRole('textbox', { name: 'Prompt' }).fill('Sum up {{text}}');
  await expect.element(page.getByText('Asked for when you use it: text.')).toBeVisible();
  await expectAccessible();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect.element(page.getByText('/sum-up')).toBeVisible();
});

it('is saved by the key that saves long fields, in every window, once nothing is missing', async () => {
  const app = await createTestApp();
  await show(app, '/settings/prompts');
  const dialog = page.getByRole('dialog');
  for (const [begin, field] of [
    ['New persona', 'Instructions'],
    ['New prompt', 'Prompt'],
  ] as const) {
    await page.getByRole('button', { name: begin }).click();
    await dialog.getByRole('textbox', { name: field }).fill('Sum up');
    await userEvent.keyboard('{Control>}{Enter}{/Control}');
    await expect
      .element(dialog.getByText('A prompt needs a name and words, a persona a name.'))
      .toBeVisible();
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Editor');
    await dialog.getByRole('textbox', { name: field }).click();
    await userEvent.keyboard('{Control>}{Enter}{/Control}');
    await expect.element(dialog).not.toBeInTheDocument();
  }
  expect(app.prompts.state.get().personas.map(({ instructions }) => instructions)).toEqual(['Sum up']);
});

it('is called by its name, asks for its blanks by keyboard, and goes in below what was written', async () => {
  const app = await withModel();
  await mail(app);
  await show(app, '/');
  await composer().fill('/kin');
  await expect.element(page.getByRole('option', { name: /\/kind-mail/ })).toBeVisible();
  await userEvent.keyboard('{Enter}');
  const form = page.getByRole('group', { name: 'Fill in: Kind mail' });
  await expect.element(form.getByRole('textbox', { name: 'whom' })).toHaveFocus();
  await expectAccessible();
  await userEvent.keyboard('Ada{Enter}');
  await expect.element(composer()).toHaveValue('Write to Ada in English, warm.');
  await expect.element(composer()).toHaveFocus();
  await composer().fill('/kind-mail my landlord');
  await userEvent.keyboard('{Escape}{Enter}');
  await expect.element(form.getByRole('textbox', { name: 'whom' })).toHaveValue('my landlord');
  await userEvent.keyboard('{Escape}');
  await expect.element(form).not.toBeInTheDocument();
  await expect.element(composer()).toHaveFocus();
});

it('stands before the commands with personas, which answer from then on by their name', async () => {
  const app = await withModel();
  await mail(app);
  await app.prompts.savePersona({
    name: 'Pirate',
    description: '',
    sign: '',
    colour: 'blue',
    instructions: 'Talk like a pirate.',
    model: null,
    parameters: {},
    memory: 'all',
    project: null,
  });
  await show(app, '/');
  await composer().fill('/');
  await expect.element(page.getByRole('option').nth(0)).toHaveTextContent('/kind-mail');
  await expect.element(page.getByRole('option').nth(1)).toHaveTextContent('/piratePiratepersona');
  await expectAccessible();
  await composer().fill('/pir');
  await userEvent.keyboard('{Enter}');
  await expect.element(page.getByRole('button', { name: 'Persona: Pirate' })).toBeVisible();
  await expect.element(composer()).toHaveValue('');
  await expect.element(composer()).toHaveFocus();
  asked.length = 0;
  await composer().fill('/pirate Ahoy there');
  await userEvent.keyboard('{Escape}{Enter}');
  await expect.element(composer()).toHaveValue('Ahoy there');
  await userEvent.keyboard('{Enter}');
  await expect.element(page.getByText('Aye.', { exact: true })).toBeVisible();
  expect(asked[0]?.system).toContain('Talk like a pirate.');
});

it('is deleted and put back, duplicated, and found in the palette', async () => {
  const app = await createTestApp();
  await mail(app);
  await show(app, '/settings/prompts');
  await page.getByRole('button', { name: 'More for Kind mail' }).click();
  await expect.element(page.getByRole('menuitem').last()).toHaveTextContent('Delete');
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await expect.element(page.getByText('No prompts yet. Save what you ask again and again.')).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('button', { name: 'More for Kind mail' }).click();
  await page.getByRole('menuitem', { name: 'Duplicate' }).click();
  await expect.element(page.getByText('/kind-mail-copy')).toBeVisible();
  await userEvent.keyboard('{Control>}k{/Control}');
  await userEvent.keyboard('Kind mail');
  await page
    .getByRole('option', { name: /^Prompt: Kind mail/ })
    .first()
    .click();
  await expect.element(composer()).toHaveValue('/kind-mail');
});

it('makes a persona that answers: its instructions go along, in one conversation or every new one', async () => {
  const app = await withModel();
  await show(app, '/settings/prompts');
  await page.getByRole('button', { name: 'New persona' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Pirate');
  await page.getByRole('textbox', { name: 'Instructions' }).fill('Talk like a pirate.');
  await page.getByText('No memory').click();
  await page.getByText('Parameters').click();
  await page.getByRole('textbox', { name: 'Temperature' }).fill('9');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect.element(page.getByText('A number from 0 to 2, or nothing.')).toBeVisible();
  await page.getByRole('textbox', { name: 'Temperature' }).fill('1.2');
  await expectAccessible();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'More for Pirate' }).click();
  await page.getByRole('menuitem', { name: 'Use for new conversations' }).click();
  await expect.element(page.getByText('For new conversations', { exact: true })).toBeVisible();
  const [pirate] = app.prompts.state.get().personas;
  expect(pirate).toMatchObject({ memory: 'none', parameters: { temperature: 1.2 } });

  await page.getByRole('button', { name: 'New conversation' }).first().click();
  await expect.element(page.getByRole('button', { name: 'Persona: Pirate' })).toBeVisible();
  asked.length = 0;
  await composer().fill('Ahoy');
  await userEvent.keyboard('{Enter}');
  await expect.element(page.getByText('Aye.', { exact: true })).toBeVisible();
  expect(asked[0]?.system).toContain('Talk like a pirate.');
  const id = app.documents.library.get().entries[0]?.id;
  expect((await app.documents.read(id as NonNullable<typeof id>))?.meta.persona).toBe(pirate?.id);
  await page.getByRole('button', { name: 'Persona: Pirate' }).click();
  await expectAccessible();
  await page.getByRole('menuitemradio', { name: 'No persona' }).click();
  await expect.element(page.getByRole('button', { name: 'Choose a persona' })).toBeVisible();
  await composer().fill('And now?');
  await userEvent.keyboard('{Enter}');
  await vi.waitFor(() => expect(asked.length).toBeGreaterThan(1));
  expect(asked.at(-1)?.system ?? '').not.toContain('pirate');
});

deep('looks in one project with a persona, and says so where that is gone', async () => {
  const app = await createTestApp();
  await show(app, '/settings/prompts', { width: 320, height: 800 });
  await page.getByRole('button', { name: 'New persona' }).click();
  // Without projects there is none to look in.
  await expect.element(page.getByRole('radio', { name: /^Everything/ })).toBeChecked();
  await expect.element(page.getByRole('radio', { name: /^Only one project/ })).not.toBeInTheDocument();
  const farm = await app.projects.create({ name: 'Farm' });
  const shop = await app.projects.create({ name: 'Shop' });
  await page.getByRole('radio', { name: /^Only one project/ }).click();
  await page.getByRole('combobox', { name: 'Project' }).click();
  await page.getByRole('option', { name: 'Shop' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Clerk');
  await expectAccessible();
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(320);
  await page.getByRole('button', { name: 'Save' }).click();
  await vi.waitFor(() =>
    expect(app.prompts.state.get().personas[0]).toMatchObject({ memory: 'only', project: shop }),
  );
  await app.projects.remove(shop, 'outside');
  await page.getByRole('button', { name: 'Edit Clerk' }).click();
  const project = page.getByRole('combobox', { name: 'Project' });
  await expect.element(project).toHaveTextContent('A project that is gone');
  await page.getByRole('radio', { name: /^One project first/ }).click();
  await expect.element(project).toHaveTextContent('Farm');
  await page.getByRole('radio', { name: /^No memory/ }).click();
  await expect.element(project).not.toBeInTheDocument();
  await page.getByRole('radio', { name: /^One project first/ }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await vi.waitFor(() =>
    expect(app.prompts.state.get().personas[0]).toMatchObject({ memory: 'first', project: farm }),
  );
});

deep(
  'takes files of others, says what was new, and takes it back; on a narrow phone in Chinese',
  async () => {
    const app = await createTestApp();
    await app.settings.set('ui.language', 'zh');
    await app.settings.set('ui.theme', 'dark');
    await show(app, '/settings/prompts', { width: 320, height: 800 });
    const input = page.getByTestId('prompt-files');
    const webui = JSON.stringify([{ command: '/a', title: 'Aye', content: 'Say {{word}}' }, { x: 1 }]);
    await userEvent.upload(input, [new File([webui], 'prompts.json'), new File(['Be {{how}}'], 'be.md')]);
    await expect.element(page.getByText('已添加 2 项。')).toBeVisible();
    await expect.element(page.getByText('1 项无法读取。')).toBeVisible();
    await expectAccessible();
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(320);
    await page.getByRole('button', { name: '撤销' }).click();
    await expect.element(page.getByText('还没有提示词。把你反复要问的话存下来。')).toBeVisible();
    await userEvent.upload(input, new File(['{}'], 'strange.json'));
    await expect.element(page.getByText('strange.json 里没有能读出的提示词或角色。')).toBeVisible();
  },
);
