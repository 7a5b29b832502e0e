// A conversation with a model, through the interface: connect, stream, stop, answer again, edit, and bad days.

import type { Locator, Page } from '@playwright/test';
import { type ScriptedModelServer, startScriptedModel } from '../test/server/scripted-model.ts';
import {
  asFile,
  bringExport,
  chatgptHistory,
  expect,
  HISTORY,
  openApp,
  ownBrowser,
  remembered,
  saved,
  test,
} from './app.ts';

let server: ScriptedModelServer;
test.beforeAll(async () => {
  server = await startScriptedModel();
});
test.afterAll(async () => {
  await server.close();
});
test.beforeEach(() => server.reset());

/** Connects the scripted server by the console and chooses a model. */
async function choose(page: Page, model: string): Promise<void> {
  await page.evaluate(
    async ({ baseUrl, model }) => {
      const settings = globalThis.recollect?.app.settings;
      await settings?.saveEndpoint(
        { id: 'scripted', label: 'Scripted', baseUrl, models: [model] },
        'sk-test',
      );
      await settings?.choose({ endpointId: 'scripted', model });
    },
    { baseUrl: server.baseUrl, model },
  );
}

/** Words in a message, not in the title, the list or the live region. */
const said = (page: Page, words: string | RegExp) => page.getByRole('article').getByText(words).first();

async function say(page: Page, words: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(words);
  await page.keyboard.press('Enter');
}

/** Says it and waits until the model was asked with these words and its answer has ended. Resolves to that answer. */
async function ask(page: Page, words: string): Promise<Locator> {
  const before = server.chats().length;
  await say(page, words);
  await expect
    .poll(() =>
      server
        .chats()
        .slice(before)
        .some((request) => JSON.stringify(request.messages.at(-1)).includes(words.slice(0, 20))),
    )
    .toBe(true);
  const stop = page.getByRole('button', { name: 'Stop' });
  await expect(stop).toBeHidden();
  const answer = page.locator('[data-message-id]').last();
  await expect(answer).toHaveAccessibleName('Answer');
  // The empty page may still show the first question, and has no such button.
  await expect(stop).toBeHidden();
  return answer;
}

test('connecting in Settings: a preset, a tested address, a chosen model, an answer', {
  tag: '@gate',
}, async ({ page }) => {
  await openApp(page);
  await page
    .getByRole('button', { name: /Connect a model/ })
    .first()
    .click();
  await expect(page).toHaveURL(/settings\/models/);
  const presets = page.getByRole('region', { name: 'Connect a service' }).getByRole('listitem');
  const names = [
    'Other service',
    'OpenAI',
    'Anthropic',
    'Google Gemini',
    'OpenRouter',
    'DeepSeek',
    'Kimi · moonshot.ai',
    'Kimi · moonshot.cn',
    'Mistral',
  ];
  names.push('Groq', 'xAI', 'Together', 'Azure OpenAI', 'Ollama', 'LM Studio', 'vLLM', 'llama.cpp');
  await expect(presets).toContainText(names);
  await expect(presets).toHaveCount(names.length);
  await presets.filter({ hasText: 'Ollama' }).getByRole('button').click();
  const ollama = page.getByRole('dialog', { name: 'Ollama' });
  await expect(ollama.getByLabel('Base URL')).toHaveValue('http://localhost:11434/v1');
  await expect(ollama).toContainText('OLLAMA_ORIGINS=');
  await page.keyboard.press('Escape');
  await expect(ollama).toHaveCount(0);
  await presets.filter({ hasText: 'Other service' }).getByRole('button').click();
  await page.getByLabel(/Base URL|Address/).fill(server.baseUrl);
  await page.getByLabel(/key/i).first().fill('sk-test');
  await page.getByRole('button', { name: /^Test/ }).click();
  await expect(
    page
      .getByRole('dialog')
      .getByText(/models?,/)
      .first(),
  ).toBeVisible();
  // The app has chosen a model; the person can choose another.
  const model = page.getByRole('dialog').getByRole('combobox', { name: 'Model that answers' });
  await expect(model).not.toHaveText('Choose a model');
  await model.click();
  await page.getByRole('option', { name: 'markdown', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Save and use' }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.getByRole('button', { name: 'New conversation' }).first().click();
  await expect(page.getByRole('button', { name: 'Model: markdown' })).toBeVisible();
  await expect(await ask(page, 'When does the backup run?')).toContainText('A worked example');
});

test.describe('in one app that is open', () => {
  // One page for all of them, in one browser.
  test.describe.configure({ mode: 'default' });
  const browser = ownBrowser();
  let page: Page;
  test.beforeAll(async () => {
    const context = await browser.open();
    page = context.pages()[0] ?? (await context.newPage());
    await openApp(page);
  });
  test.afterAll(() => browser.dispose());
  test.beforeEach(() => page.getByRole('button', { name: 'New conversation' }).first().click());

  test('an answer streams, is kept, and is there after a reload', { tag: '@gate' }, async () => {
    await choose(page, 'gated');
    await say(page, 'Count to six');
    await expect(said(page, 'one two three')).toBeVisible();
    await expect(said(page, 'four five six')).toBeHidden();
    server.go();
    await expect(said(page, 'four five six')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Stop' })).toBeHidden();
    await page.goto(`${new URL(page.url()).pathname}?console`);
    await expect(said(page, 'one two three four five six')).toBeVisible();
  });

  test('Stop keeps what arrived; answering again and editing make branches', { tag: '@gate' }, async () => {
    await choose(page, 'gated');
    await say(page, 'Count again');
    await expect(said(page, 'one two three')).toBeVisible();
    await page.getByRole('button', { name: 'Stop' }).click();
    await expect(said(page, 'Stopped. What had arrived is kept.')).toBeVisible();
    await expect(said(page, 'one two three')).toBeVisible();
    await choose(page, 'plain');
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(said(page, 'The backup runs every night at three')).toBeVisible();
    await expect(page.getByText('2 / 2').first()).toBeVisible();
    // What the server counted, beside the model and the time it took.
    await expect(said(page, /^plain · 120 in, 34 out · \d+(\.\d+)?s$/)).toBeVisible();
    await page.getByRole('button', { name: 'Previous branch' }).first().click();
    await expect(said(page, 'one two three')).toBeVisible();
  });

  test('what is written meanwhile waits; it is taken back, deleted, or sent at once', {
    tag: '@gate',
  }, async () => {
    await choose(page, 'gated');
    await say(page, 'Count slowly');
    await expect(said(page, 'one two three')).toBeVisible();
    for (const words of ['First in line', 'Second in line', 'Third in line']) await say(page, words);
    const queue = page.getByRole('list', { name: 'Waiting messages' }).getByRole('listitem');
    await expect(queue).toHaveCount(3);
    await queue.nth(2).getByRole('button', { name: 'Delete' }).click();
    await queue.nth(1).getByRole('button', { name: 'Edit' }).click();
    await expect(page.getByRole('textbox', { name: 'Message' })).toHaveValue('Second in line');
    await expect(queue).toHaveCount(1);
    await choose(page, 'plain');
    await queue.getByRole('button', { name: 'Stop the answer and send this now' }).click();
    await expect(said(page, 'Stopped. What had arrived is kept.')).toBeVisible();
    await expect(said(page, 'The backup runs every night at three')).toBeVisible();
    await expect(queue).toHaveCount(0);
    expect(JSON.stringify(server.chats().at(-1)?.messages.at(-1))).toContain('First in line');
  });

  test('Markdown with code, maths and a table is drawn; script in it does not run', {
    tag: '@gate',
  }, async () => {
    await choose(page, 'markdown');
    await say(page, 'Show me everything');
    await expect(page.locator('article .katex').first()).toBeVisible();
    await expect(page.locator('article table').first()).toBeVisible();
    await expect(page.locator('article pre').first()).toBeVisible();
    // The app shows markup that it does not draw as text.
    await expect(page.getByRole('article').last()).toContainText('<script>window.__scripted_model_was_here');
    await choose(page, 'echo');
    const answer = await ask(
      page,
      'Repeat: <img src=x onerror="globalThis.pwned = 1"><script>globalThis.pwned = 1</script> harmless',
    );
    await expect(answer).toContainText('harmless');
    expect(await page.evaluate(() => (globalThis as { pwned?: number }).pwned)).toBeUndefined();
  });

  test('a stream that breaks off is kept and marked; a wrong key and a busy server are explained', {
    tag: '@gate',
  }, async () => {
    await choose(page, 'plain');
    server.next({ steps: [{ text: 'What arrived before the cut ' }, { gate: true }, { cut: true }] });
    await say(page, 'Will it break?');
    await expect(said(page, 'What arrived before the cut')).toBeVisible();
    server.go();
    await expect(said(page, 'The answer broke off before its end.')).toBeVisible();
    for (const [model, words] of [
      ['error-401', /does not accept this key/],
      ['error-429', /Too many requests.*Try again in 7 seconds/],
    ] as const) {
      await choose(page, model);
      await expect(await ask(page, `Try ${model}`)).toContainText(words);
      await expect(page.getByRole('button', { name: 'Try again' }).last()).toBeVisible();
    }
  });

  test('an answer that was cut off goes on as one: streamed, kept, after a reload, and once more', {
    tag: '@gate',
  }, async () => {
    await choose(page, 'plain');
    server.next(
      { steps: [{ text: 'Here it is:\n\n```ts\nconst first = 1;\nconst sec' }, { finish: 'length' }] },
      {
        steps: [
          { text: 'ond = 2;\n' },
          { gate: true },
          { text: 'const third' },
          { gate: true },
          { cut: true },
        ],
      },
      { steps: [{ text: ' = 3;\n```\n\nThat is all.' }, { finish: 'stop' }] },
    );
    await ask(page, 'Write three lines of code');
    const answers = page.getByRole('article', { name: 'Answer' });
    const goOn = page.getByRole('button', { name: 'Continue', exact: true });
    await expect(page.getByText(/reached the model’s length limit/)).toBeVisible();
    await goOn.click();
    // While more of the answer arrives, it continues the same block of code.
    await expect(answers).toHaveCount(1);
    await expect(answers.locator('pre')).toContainText('const second = 2;');
    server.go();
    await expect(answers.locator('pre')).toContainText('const third');
    server.go();
    await expect(page.getByText(/broke off before its end/)).toBeVisible();
    await expect(answers).toHaveCount(1);
    await goOn.click();
    await expect(answers).toContainText('That is all.');
    // The app saves the answer only when it is complete.
    await expect(page.getByRole('button', { name: 'Stop' })).toBeHidden();
    await expect(goOn).toBeHidden();
    await saved(page);
    await page.goto(`${new URL(page.url()).pathname}?console`);
    await expect(answers).toHaveCount(1);
    await expect(answers.locator('pre')).toHaveCount(1);
    await expect(answers.locator('pre')).toContainText('const second = 2;');
    await expect(answers.locator('pre')).toContainText('const third = 3;');
    expect(server.chats()[2]?.messages.at(-2)?.content).toContain('const second = 2;\nconst third');

    await answers.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'What the model was sent for part 2' }).click();
    await expect(page.getByRole('dialog')).toContainText('Added by the app so that the answer continues');
  });
});

test('instructions go before everything else, also before the first message', async ({ page }) => {
  await openApp(page);
  await choose(page, 'plain');
  const first = 'Answer as a sailor would.';
  await page.getByRole('button', { name: 'Add instructions' }).click();
  await expect(page.getByRole('textbox', { name: 'Instructions' })).toBeFocused();
  await page.getByRole('textbox', { name: 'Instructions' }).fill(first);
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await ask(page, 'When does the tide turn?');
  expect(server.chats().at(-1)?.messages[0]).toMatchObject({ role: 'system' });
  expect(JSON.stringify(server.chats().at(-1)?.messages[0])).toContain(first);
  await page.reload();
  await page.getByRole('button', { name: 'Instructions are set' }).click();
  await expect(page.getByRole('textbox', { name: 'Instructions' })).toHaveValue(first);
  await page.getByRole('textbox', { name: 'Instructions' }).fill('');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('button', { name: 'Instructions are set' })).toHaveCount(0);
  await ask(page, 'And in the morning?');
  expect(JSON.stringify(server.chats().at(-1)?.messages)).not.toContain(first);
});

test('an answer is seen while it is written in another tab, which queues behind it and can stop it', async ({
  page,
}) => {
  await openApp(page);
  await choose(page, 'gated');
  await say(page, 'Count slowly');
  await expect(said(page, 'one two three')).toBeVisible();
  const other = await page.context().newPage();
  await openApp(other, `${new URL(page.url()).pathname}?console`);
  await expect(said(other, 'one two three')).toBeVisible();
  await expect(other.getByText('Another tab is receiving this answer')).toBeVisible();
  await expect(page.getByText('Another tab is receiving this answer')).toHaveCount(0);

  await say(other, 'And then?');
  const queue = other.getByRole('list', { name: 'Waiting messages' }).getByRole('listitem');
  await expect(queue).toHaveCount(1);
  server.go();
  await expect(said(other, 'four five six')).toBeVisible();
  await expect(queue).toHaveCount(0);
  // The tab that queued the message answers it, and the first tab shows that.
  await expect(page.getByText('Another tab is receiving this answer')).toBeVisible();
  await expect(other.getByText('Another tab is receiving this answer')).toHaveCount(0);
  await page.getByRole('button', { name: 'Stop' }).click();
  for (const tab of [page, other])
    await expect(said(tab, 'Stopped. What had arrived is kept.')).toBeVisible();
  await expect(page.getByText(/^1 \/ \d/)).toHaveCount(0);
});

test('an answer is stopped in the trash too, where it goes on until then', async ({ page, context }) => {
  await openApp(page);
  await choose(page, 'gated');
  await say(page, 'Count in the trash');
  await expect(said(page, 'one two three')).toBeVisible();
  const id = /\/c\/([^?]+)/.exec(page.url())?.[1] ?? '';
  const other = await context.newPage();
  await openApp(other);
  await other.evaluate((id) => globalThis.recollect?.app.library.remove([id as never]), id);
  await expect(page.getByText('This conversation is in the trash.')).toBeVisible();
  const stop = page.getByRole('button', { name: 'Stop' });
  await expect(stop).toBeVisible();
  // The restored answer is unchanged: it has not ended by itself.
  await page.getByRole('button', { name: 'Restore' }).click();
  await expect(page.getByRole('textbox', { name: 'Message' })).toBeVisible();
  await expect(stop).toBeVisible();
  await other.evaluate((id) => globalThis.recollect?.app.library.remove([id as never]), id);
  await expect(page.getByText('This conversation is in the trash.')).toBeVisible();
  await stop.click();
  await expect(stop).toBeHidden();
  await expect(said(page, 'Stopped. What had arrived is kept.')).toBeVisible();
  await expect(page.getByText('four five six')).toHaveCount(0);
});

test('a conversation that was erased in another tab says so where it is open, and gives back what was not sent', async ({
  page,
  context,
}) => {
  await openApp(page);
  await choose(page, 'plain');
  const box = page.getByRole('textbox', { name: 'Message' });
  const other = await context.newPage();
  await openApp(other);
  const gone = page.getByText('This conversation is not here any more.');
  const unsent = page.getByRole('region', { name: 'Written here and not sent' });
  for (const way of ['by way of the trash', 'at once'] as const) {
    await page.bringToFront();
    await ask(page, `When does the backup run, ${way}?`);
    await saved(page);
    await box.fill(`Half a letter, ${way}`);
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByRole('textbox', { name: 'Edit the message' }).fill(`Another wording, ${way}`);
    const id = /\/c\/([^?]+)/.exec(page.url())?.[1] ?? '';
    if (way === 'by way of the trash') {
      await other.evaluate((id) => globalThis.recollect?.app.library.remove([id as never]), id);
      await expect(page.getByRole('button', { name: 'Restore' })).toBeVisible();
    }
    await other.evaluate((id) => globalThis.recollect?.app.library.erase([id as never]), id);
    await expect(gone).toBeVisible();
    await expect(page.getByRole('button', { name: 'Restore' })).toHaveCount(0);
    await expect(unsent).toContainText(`Half a letter, ${way}`);
    await expect(unsent).toContainText(`Another wording, ${way}`);
    // A link to a deleted conversation leads to the same page.
    await page.goto(`/c/${id}?console`);
    await expect(gone).toBeVisible();
    await expect(unsent).toContainText(`Half a letter, ${way}`);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await unsent.getByRole('button', { name: 'Copy', exact: true }).click();
    const words = `Another wording, ${way}\n\nHalf a letter, ${way}`;
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(words);
    await unsent.getByRole('button', { name: 'Use it in a new conversation' }).click();
    await expect(box).toHaveValue(words);
    await page.goBack();
    await expect(gone).toBeVisible();
    await expect(unsent).toHaveCount(0);
    await page.goForward();
    await expect(box).toHaveValue(words);
  }
});

test('an answer to a conversation that is erased ends with it', async ({ page, context }) => {
  await openApp(page);
  await choose(page, 'gated');
  await say(page, 'Count for nobody');
  await expect(said(page, 'one two three')).toBeVisible();
  const id = /\/c\/([^?]+)/.exec(page.url())?.[1] ?? '';
  const other = await context.newPage();
  await openApp(other);
  await other.evaluate((id) => globalThis.recollect?.app.library.erase([id as never]), id);
  await expect(page.getByText('This conversation is not here any more.')).toBeVisible();
  const status = () =>
    page.evaluate((id) => globalThis.recollect?.app.chat.turn(id as never).get().status, id);
  await expect.poll(status).toBe('idle');
  expect(await page.evaluate(() => globalThis.recollect?.app.documents.library.get().entries.length)).toBe(0);
});

test('the editor of a message is sent by the keys that send the composer', async ({ page }) => {
  await openApp(page);
  await choose(page, 'plain');
  await ask(page, 'When does the backup run?');
  const editor = page.getByRole('textbox', { name: 'Edit the message' });
  const edit = () => page.getByRole('button', { name: 'Edit', exact: true }).first().click();
  const answers = (count: number) => expect.poll(() => server.chats().length).toBe(count);

  await edit();
  await editor.press('End');
  await editor.press('Shift+Enter');
  await editor.pressSequentially('And the photos?');
  await expect(editor).toHaveValue('When does the backup run?\nAnd the photos?');
  // The editor leaves keys to an input method that is composing.
  await editor.dispatchEvent('keydown', {
    key: 'Enter',
    code: 'Enter',
    keyCode: 229,
    bubbles: true,
    cancelable: true,
  });
  await expect(editor).toBeVisible();
  await editor.press('Enter');
  await expect(editor).toHaveCount(0);
  await answers(2);
  expect(JSON.stringify(server.chats().at(-1)?.messages.at(-1))).toContain('run?\\nAnd the photos?');

  await expect(page.getByRole('button', { name: 'Stop' })).toBeHidden();
  await page.evaluate(() => globalThis.recollect?.app.settings.set('ui.send_with', 'mod-enter'));
  await edit();
  await editor.press('Enter');
  await editor.pressSequentially('And the letters?');
  await expect(editor).toHaveValue(/photos\?\nAnd the letters\?$/);
  await editor.press('ControlOrMeta+Enter');
  await expect(editor).toHaveCount(0);
  await answers(3);
});

test('after an answer that failed, what waits is not sent until the person goes on', async ({ page }) => {
  await openApp(page);
  await choose(page, 'plain');
  const failed = { steps: [{ text: 'Half of it' }, { gate: true }, { error: { message: 'overloaded' } }] };
  server.next(failed as Parameters<typeof server.next>[0]);
  await say(page, 'Count slowly');
  await expect(said(page, 'Half of it')).toBeVisible();
  for (const words of ['First in line', 'Second in line']) await say(page, words);
  const queue = page.getByRole('list', { name: 'Waiting messages' }).getByRole('listitem');
  await expect(queue).toHaveCount(2);
  server.go();
  await expect(page.getByText('Waiting: sent when you choose')).toBeVisible();
  await expect(queue).toHaveCount(2);
  expect(server.chats()).toHaveLength(1);
  await page.getByRole('button', { name: 'Send now' }).click();
  await expect(queue).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Stop' })).toBeHidden();
  await expect.poll(() => server.chats().length).toBe(3);
  await expect(page.getByRole('alert')).toHaveCount(1);
});

/** Its distance from the top of the screen, whole px. */
const top = async (target: Locator): Promise<number> =>
  Math.round((await target.boundingBox())?.y ?? Number.NaN);

/** Waits for a few frames, in which a jump would happen. */
const frames = (page: Page) =>
  page.evaluate(async () => {
    for (let frame = 0; frame < 30; frame++) await new Promise(requestAnimationFrame);
  });

test('what is clicked at the end of a conversation stays where it is: thoughts, long words, arrows between branches', async ({
  page,
}) => {
  await openApp(page);
  await choose(page, 'plain');
  const lines = (count: number, words: string) =>
    Array.from({ length: count }, (_, at) => `${words} ${at}`).join('\n\n');
  const short = { steps: [{ text: 'A short answer.' }, { finish: 'stop' }] };
  server.next({
    steps: [{ reasoning: lines(120, 'I think of') }, { text: 'Thought about it.' }, { finish: 'stop' }],
  });
  await ask(page, 'Think hard');
  await expect(page.getByRole('region', { name: 'Messages' }).getByText('Today')).toBeVisible();
  const stays = async (target: Locator, act: () => Promise<unknown>) => {
    // The list measures rows when they first come into view.
    await frames(page);
    const before = await top(target);
    await act();
    await frames(page);
    expect(Math.abs((await top(target)) - before)).toBeLessThan(3);
  };
  const thought = page.getByRole('button', { name: /Thought ·/ }).last();
  await stays(thought, () => thought.click());
  await expect(page.getByText('I think of 0', { exact: true })).toBeInViewport();
  await expect(page.getByRole('button', { name: 'Go to the end' })).toBeVisible();
  await stays(thought, () => thought.click());

  server.next(short);
  await page.getByRole('textbox', { name: 'Message' }).fill(lines(150, 'My own line'));
  await page.keyboard.press('Enter');
  await expect(said(page, 'A short answer.')).toBeInViewport();
  await expect(page.getByRole('button', { name: 'Stop' })).toBeHidden();
  const own = page.getByRole('article', { name: 'You' }).last();
  await stays(own, () => own.getByRole('button', { name: 'Show all' }).click());
  await expect(own.getByText('My own line 0', { exact: false }).first()).toBeInViewport();
  await own.getByRole('button', { name: 'Show less' }).click();

  server.next(short);
  await ask(page, 'Say it briefly, then at length');
  server.next({ steps: [{ text: lines(90, 'At length') }, { finish: 'stop' }] });
  await page.getByRole('button', { name: 'Answer again' }).last().click();
  const region = page.getByRole('region', { name: 'Messages' });
  const number = region.getByRole('status').filter({ hasText: /^\d \/ \d$/ });
  await expect(number).toHaveText('2 / 2');
  await expect(page.getByRole('button', { name: 'Stop' })).toBeHidden();
  // The list kept the end in view while the answer grew.
  await expect(said(page, 'At length 89')).toBeInViewport();
  for (const [name, wanted] of [
    ['Previous branch', '1 / 2'],
    ['Next branch', '2 / 2'],
    ['Previous branch', '1 / 2'],
    ['Next branch', '2 / 2'],
  ] as const)
    await stays(number, async () => {
      await region.getByRole('button', { name }).click();
      await expect(number).toHaveText(wanted);
    });
  // The same by keyboard: the arrow keeps the focus.
  await region.getByRole('button', { name: 'Previous branch' }).press('Enter');
  await expect(number).toHaveText('1 / 2');
  await expect(region.getByRole('button', { name: 'Next branch' })).toBeFocused();

  // The next branch is long: it begins far above its end.
  await region.getByRole('button', { name: 'Next branch' }).press('Enter');
  for (const words of ['And then?', 'And after that?']) {
    server.next({ steps: [{ text: lines(60, words) }, { finish: 'stop' }] });
    await ask(page, words);
  }
  await page.getByRole('region', { name: 'Messages' }).focus();
  await number.scrollIntoViewIfNeeded();
  await page.mouse.wheel(0, 1);
  await stays(number, async () => {
    await region.getByRole('button', { name: 'Previous branch' }).click();
    await expect(number).toHaveText('1 / 2');
  });
  await stays(number, async () => {
    await region.getByRole('button', { name: 'Next branch' }).click();
    await expect(number).toHaveText('2 / 2');
  });
});

test('the end stays in sight while an answer grows, unless one scrolls up or opens something', async ({
  page,
}) => {
  await openApp(page);
  await choose(page, 'plain');
  const text = (from: number) =>
    Array.from({ length: 40 }, (_, at) => `Line ${from + at} of it`).join('\n\n');
  server.next({
    steps: [
      { reasoning: text(1000) },
      { text: text(0) },
      { gate: true },
      { text: `\n\n${text(40)}` },
      { gate: true },
      { text: `\n\n${text(80)}` },
      { gate: true },
      { text: `\n\n${text(120)}` },
      { finish: 'stop' },
    ],
  });
  await say(page, 'Go on and on');
  await expect(said(page, 'Line 39 of it')).toBeInViewport();
  server.go();
  await expect(said(page, 'Line 79 of it')).toBeInViewport();
  await page.getByRole('region', { name: 'Messages' }).hover();
  await page.mouse.wheel(0, -900);
  const line = said(page, 'Line 60 of it');
  await expect(line).toBeVisible();
  await frames(page);
  const before = await top(line);
  server.go();
  await expect(said(page, 'Line 119 of it')).toBeAttached();
  await frames(page);
  expect(await top(line)).toBe(before);
  await page.getByRole('button', { name: 'Go to the end' }).click();
  await expect(said(page, 'Line 119 of it')).toBeInViewport();
  server.go();
  await expect(said(page, 'Line 159 of it')).toBeInViewport();
});

test('words in the composer outlive a command, an idea, and going elsewhere at once', async ({ page }) => {
  await openApp(page);
  await choose(page, 'plain');
  await ask(page, 'When does the backup run?');
  await page.getByRole('button', { name: 'New conversation' }).first().click();
  const field = page.getByRole('textbox', { name: 'Message' });
  const other = page.getByRole('link', { name: /backup run/ }).first();
  await field.fill('Half a thought');
  await page.getByRole('button', { name: /What did we decide about/ }).click();
  await expect(field).toHaveValue('Half a thought What did we decide about ');
  // The person leaves before the app has saved the draft.
  await field.fill('Half a thought and more');
  await other.click();
  await expect(page.getByRole('heading', { name: /backup run/ })).toBeVisible();
  await page.getByRole('button', { name: 'New conversation' }).first().click();
  await expect(field).toHaveValue('Half a thought and more');

  const command = async (line: string) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill(line);
    await page.keyboard.press('Enter');
    await expect(field).toHaveValue(`${line} `);
  };
  await command('/help');
  await page.keyboard.press('Enter');
  await expect(field).toHaveValue('Half a thought and more');
  await command('/title');
  // The second offer replaced the first: the one that is left restores the words set aside last.
  await expect(page.getByRole('button', { name: 'Undo' })).toHaveCount(1);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(field).toHaveValue('Half a thought and more');
  // A command that cannot run returns to the composer to be corrected; once it is removed, the draft returns.
  await command('/title');
  await page.keyboard.press('Enter');
  await expect(field).toHaveValue('/title');
  await field.fill('');
  await expect(field).toHaveValue('Half a thought and more');
  // Another screen fills in words before the composer has read the draft.
  await page.getByRole('link', { name: 'Memory' }).first().click();
  await command('/recall');
  await field.fill('');
  await expect(field).toHaveValue('Half a thought and more');

  // The person sends and leaves before the app has saved the message: it does not pull them back.
  const here = await page.evaluate(() => {
    const link = [...document.querySelectorAll<HTMLAnchorElement>('a[href^="/c/"]')].at(0);
    document.querySelector('textarea')?.form?.requestSubmit();
    link?.click();
    return link?.href ?? '';
  });
  await expect(page.getByRole('link', { name: /Half a thought/ }).first()).toBeVisible();
  await saved(page);
  await expect(page).toHaveURL(here);
  await expect(page.getByRole('heading', { name: /backup run/ })).toBeVisible();
});

test('an edit that is left in the middle outlives another editor, going elsewhere and a reload', async ({
  page,
}) => {
  await openApp(page);
  await choose(page, 'plain');
  await ask(page, 'When does the backup run?');
  await ask(page, 'And the photos?');
  const editor = page.getByRole('textbox', { name: 'Edit the message' });
  const edit = (words: string) =>
    page
      .getByRole('article', { name: 'You' })
      .filter({ hasText: words })
      .getByRole('button', { name: 'Edit', exact: true })
      .click();
  const goOn = (words: string) =>
    page
      .getByRole('listitem')
      .filter({ hasText: `Your edit of “${words}` })
      .getByRole('button', { name: 'Keep editing' });

  await edit('When does the backup run?');
  await editor.fill('When does the backup of the garden run?');
  await edit('And the photos?');
  await editor.fill('And the photos of the garden?');
  await goOn('When does').click();
  await expect(editor).toHaveValue('When does the backup of the garden run?');

  // The person leaves at once, before the app saves the edit.
  await editor.press('End');
  await editor.pressSequentially(' Say it');
  await page.getByRole('button', { name: 'New conversation' }).first().click();
  await expect(page).toHaveURL(/\/(\?.*)?$/);
  await page.goBack();
  await goOn('When does').click();
  await expect(editor).toHaveValue('When does the backup of the garden run? Say it');
  await editor.pressSequentially(' again');
  await expect.poll(() => isOnDisk(page, 'Say it again')).toBe(true);
  await page.reload();
  await goOn('And the').click();
  await expect(editor).toHaveValue('And the photos of the garden?');
  await page.keyboard.press('Escape');
  await expect(editor).toHaveCount(0);
  await expect(goOn('And the')).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Undo' })).toBeVisible();
  await goOn('When does').click();
  await expect(editor).toHaveValue('When does the backup of the garden run? Say it again');
  await page.getByRole('button', { name: 'Save and ask again' }).click();
  await expect(said(page, 'Say it again')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Stop' })).toBeHidden();
  await page.reload();
  await expect(said(page, 'Say it again')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Keep editing' })).toHaveCount(0);
});

test('two tabs of one conversation: sending in one deletes no words of the other', async ({
  page,
  context,
}) => {
  await openApp(page);
  await choose(page, 'plain');
  await ask(page, 'When does the backup run?');
  await saved(page);
  const other = await context.newPage();
  await openApp(other, `${new URL(page.url()).pathname}?console`);
  const here = page.getByRole('textbox', { name: 'Message' });
  const there = other.getByRole('textbox', { name: 'Message' });
  await here.fill('Short');
  await there.fill('A longer letter that is not finished');
  await expect.poll(() => isOnDisk(other, 'longer letter')).toBe(true);
  await expect.poll(() => isOnDisk(page, 'Short')).toBe(true);
  await ask(page, 'Short, and sent');
  await expect.poll(() => isOnDisk(other, 'longer letter')).toBe(true);
  await other.reload();
  await expect(there).toHaveValue('A longer letter that is not finished');
  await page.reload();
  await expect(here).toHaveValue('');
  // After the other tab has closed, the next tab may take over its words.
  await other.close();
  await page.reload();
  await expect(here).toHaveValue('A longer letter that is not finished');
});

test('words are pasted as words, though the clipboard has a picture of them, too', async ({ page }) => {
  await openApp(page);
  const box = page.getByRole('textbox', { name: 'Message' });
  const paste = (given: { text: string; picture: string }) =>
    box.evaluate((field, { text, picture }) => {
      const data = new DataTransfer();
      if (text) data.setData('text/plain', text);
      const bytes = Uint8Array.from(
        atob(
          'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
        ),
        (character) => character.charCodeAt(0),
      );
      data.items.add(new File([bytes], picture, { type: 'image/png' }));
      const event = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true });
      // False: the page handled the paste itself; true: the browser would insert it.
      return field.dispatchEvent(event);
    }, given);
  const files = page.getByRole('list', { name: 'Attached files' }).getByRole('listitem');
  expect(await paste({ text: 'Plan\t2026\nPaint\t12', picture: 'image.png' })).toBe(true);
  expect(await paste({ text: '', picture: 'image.png' })).toBe(false);
  await expect(files).toHaveText(['image.png']);
  // A file copied in a file manager carries its name as text.
  expect(await paste({ text: 'harbour.png', picture: 'harbour.png' })).toBe(false);
  await expect(files).toHaveText(['image.png', 'harbour.png']);
});

test('what was attached before a reload and after it are different files; a long paste can be read before it is sent', async ({
  page,
}) => {
  await openApp(page);
  const field = page.getByRole('textbox', { name: 'Message' });
  const files = page.getByRole('list', { name: 'Attached files' }).getByRole('listitem');
  const picker = page.locator('form input[type=file]');
  const read = page.getByRole('dialog');
  await picker.setInputFiles([asFile('one.txt', 'first words'), asFile('two.txt', 'second words')]);
  await expect(files).toHaveText(['one.txt', 'two.txt']);
  const kept = () =>
    page.evaluate(
      () =>
        new Promise<boolean>((resolve, reject) => {
          const opening = indexedDB.open('recollect');
          opening.onerror = () => reject(opening.error);
          opening.onsuccess = () => {
            const range = IDBKeyRange.bound('written/', 'written/\uffff');
            const count = opening.result.transaction('drawer').objectStore('drawer').count(range);
            count.onsuccess = () => resolve(count.result > 0);
            count.onerror = () => reject(count.error);
            opening.result.close();
          };
        }),
    );
  await expect.poll(kept).toBe(true);
  await field.pressSequentially('and words of this very moment');
  // Reloads at once, without waiting for what the page writes while it unloads.
  await page.reload();
  await expect(field).toHaveValue('and words of this very moment');
  await expect(files).toHaveText(['one.txt', 'two.txt']);
  await picker.setInputFiles([asFile('three.txt', 'third words')]);
  await expect(files).toHaveText(['one.txt', 'two.txt', 'three.txt']);
  await page.getByRole('button', { name: 'Remove three.txt' }).click();
  await expect(files).toHaveText(['one.txt', 'two.txt']);
  await expect(field).toBeFocused();
  await field.evaluate((element) => {
    const data = new DataTransfer();
    data.setData('text/plain', `The beginning of it. ${'Word '.repeat(1000)}`);
    element.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
    );
  });
  await page.getByRole('button', { name: 'Pasted text.txt', exact: true }).click();
  await expect(read).toContainText('The beginning of it.');
  await page.keyboard.press('Escape');
  await expect(read).toHaveCount(0);
  await page.getByRole('button', { name: 'two.txt', exact: true }).click();
  await expect(read).toContainText('second words');
  await page.keyboard.press('Escape');
  // The text that replaces the attachment begins on a line of its own.
  await page.getByRole('button', { name: 'Turn back into text' }).click();
  await expect(field).toHaveValue(/^and words of this very moment\n\nThe beginning of it\. /);
  await expect(files).toHaveText(['one.txt', 'two.txt']);
});

test('the focus goes on where one was: after an edit, another branch, a new title, another conversation', async ({
  page,
}) => {
  await openApp(page);
  await choose(page, 'plain');
  await ask(page, 'When does the backup run?');
  await page.getByRole('button', { name: 'New conversation' }).first().click();
  await ask(page, 'Where do herons sleep?');
  const box = page.getByRole('textbox', { name: 'Message' });
  const editor = page.getByRole('textbox', { name: 'Edit the message' });
  const asked = page.getByRole('article', { name: 'You' });
  const edit = asked.getByRole('button', { name: 'Edit', exact: true });

  await edit.click();
  await editor.press('Escape');
  await expect(edit).toBeFocused();
  await box.focus();
  await box.press('ArrowUp');
  await expect(editor).toBeFocused();
  await editor.press('Escape');
  await expect(box).toBeFocused();

  // While an answer arrives the button is off, and so is its key.
  await choose(page, 'gated');
  await say(page, 'Count to six');
  await expect(said(page, 'one two three')).toBeVisible();
  await edit.first().click();
  await editor.fill('Where do storks sleep?');
  await expect(page.getByRole('button', { name: 'Save and ask again' })).toBeDisabled();
  await editor.press('Control+Enter');
  await expect(page.getByRole('button', { name: 'Stop' })).toBeVisible();
  await expect(editor).toHaveValue('Where do storks sleep?');
  server.go();
  await expect(said(page, 'four five six')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Save and ask again' })).toBeEnabled();
  await choose(page, 'plain');
  await editor.press('Control+Enter');
  await expect(said(page, 'storks')).toBeVisible();
  await expect(box).toBeFocused();
  await expect(page.getByRole('button', { name: 'Stop' })).toBeHidden();

  const previous = asked.getByRole('button', { name: 'Previous branch' });
  const next = asked.getByRole('button', { name: 'Next branch' });
  await previous.click();
  await expect(said(page, 'herons')).toBeVisible();
  // The first branch has none before it, so the focus moves to the other arrow.
  await expect(next.first()).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(said(page, 'storks')).toBeVisible();
  await expect(previous.first()).toBeFocused();

  // A person can still ask an edit that they only saved.
  await edit.first().click();
  await editor.fill('Where do swallows sleep?');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(box).toBeFocused();
  await expect(page.getByText('Not answered yet.')).toBeVisible();
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await expect(said(page, 'The backup runs every night at three')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Stop' })).toBeHidden();
  await expect(page.getByText('Not answered yet.')).toBeHidden();
  await expect(box).toBeFocused();

  const title = page.getByRole('heading', { level: 1 }).getByRole('button');
  const field = page.getByRole('textbox', { name: 'Title of the conversation' });
  for (const key of ['Enter', 'Escape']) {
    await title.click();
    await field.press(key);
    await expect(title).toBeFocused();
    await expect(field).toHaveCount(0);
  }
  await page.getByRole('link', { name: /backup run/ }).click();
  await expect(page.getByRole('heading', { name: /backup run/ })).toBeVisible();
  await expect(box).toBeFocused();
  await page.keyboard.press('Alt+ArrowUp');
  await expect(page.getByRole('heading', { name: /herons/ })).toBeVisible();
  await expect(box).toBeFocused();
});

test.describe('without a service worker, which would have the file', () => {
  test.use({ serviceWorkers: 'block' });

  test('a command that is chosen before the code of conversations is there stands in the composer when it is', async ({
    page,
  }) => {
    let load = () => {};
    const wanted = new Promise<void>((resolve) => {
      load = resolve;
    });
    await page.route(/assets\/conversation-screen-[^/]*\.js/, async (route) => {
      await wanted;
      await route.continue();
    });
    await page.goto('/memory?console');
    await expect(page.getByRole('main').getByRole('heading').first()).toBeVisible();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill('/recall');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await expect(page).toHaveURL(/\/$/);
    // Longer than the one frame that a page with its code loaded needs.
    await page.evaluate(async () => {
      for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
    });
    load();
    await expect(page.getByRole('textbox', { name: 'Message' })).toHaveValue('/recall ');
  });
});

test('a file that is still being read when one goes elsewhere is attached where it was given', async ({
  page,
}) => {
  await openApp(page);
  await choose(page, 'plain');
  await ask(page, 'When does the backup run?');
  const files = page.getByRole('list', { name: 'Attached files' }).getByRole('listitem');
  const picker = page.locator('form input[type=file]');
  const there = page.getByRole('link', { name: /backup run/ }).first();
  const inAnotherTab = page.getByRole('button', { name: 'New conversation' }).first();
  await page.getByRole('textbox', { name: 'Message' }).fill('Words beside it');
  /** Files are read when this is called. */
  const slow = async () => {
    await page.evaluate(() => {
      const read = File.prototype.arrayBuffer;
      File.prototype.arrayBuffer = async function arrayBuffer() {
        await new Promise<void>((resolve) => addEventListener('read', () => resolve(), { once: true }));
        File.prototype.arrayBuffer = read;
        return read.call(this);
      };
    });
    return () => page.evaluate(() => dispatchEvent(new Event('read')));
  };
  for (const name of ['one.txt', 'two.txt']) {
    const read = await slow();
    await picker.setInputFiles([asFile(name, `words of ${name}`)]);
    await inAnotherTab.click();
    await expect(page).toHaveURL(/\/(\?.*)?$/);
    // The second file is read only after the person has come back.
    if (name === 'two.txt') {
      await there.click();
      await expect(files).toHaveText(['one.txt']);
    }
    await read();
    if (name === 'one.txt') {
      await expect(files).toHaveCount(0);
      await there.click();
    }
    await expect(files).toHaveText(name === 'one.txt' ? ['one.txt'] : ['one.txt', 'two.txt']);
    await expect(page.getByRole('textbox', { name: 'Message' })).toHaveValue('Words beside it');
  }
  await page.reload();
  await expect(files).toHaveText(['one.txt', 'two.txt']);
});

test('what may be an export is asked about, and what was left out is told', async ({ page }) => {
  await openApp(page);
  await choose(page, 'plain');
  await ask(page, 'Good morning');

  const form = page.locator('form');
  await form
    .locator('input[type=file]')
    .setInputFiles(asFile('photos.zip', new Uint8Array([80, 75, 3, 4, 0])));
  await expect(form.getByRole('alert')).toContainText('photos.zip');
  const asked = form
    .getByRole('status')
    .filter({ hasText: 'Is this an export of conversations? photos.zip' });
  await expect(asked).toBeVisible();
  await ask(page, 'Never mind the photos');
  await expect(form.getByRole('alert')).toBeHidden();
  await expect(asked).toBeHidden();
});

test('files dragged over a conversation are attached; a picture of the page itself is none', async ({
  page,
}) => {
  await openApp(page);
  await choose(page, 'plain');
  await ask(page, 'Good morning');

  /** Plays a drag as a browser reports it; resolves to whether the page would take it. */
  const drag = (types: readonly string[]) =>
    page
      .getByRole('article')
      .first()
      .evaluate((target, types) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File(['x'], 'red.png'));
        const answers = types.map((type) =>
          target.dispatchEvent(
            new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: transfer }),
          ),
        );
        return answers.at(-1) === false;
      }, types);
  expect(await drag(['dragstart', 'dragover'])).toBe(false);
  await expect(page.getByText('Drop to attach')).toBeHidden();
  expect(await drag(['dragend', 'dragover'])).toBe(true);
  await expect(page.getByText('Drop to attach')).toBeVisible();
  expect(await drag(['drop'])).toBe(true);
  await expect(page.getByText('Drop to attach')).toBeHidden();
  await expect(page.getByRole('list', { name: 'Attached files' })).toContainText('red.png');
});

test('broken lines of a stream cost only themselves; where nothing else came, a sentence says so and the question stays', async ({
  page,
}) => {
  await openApp(page);
  await choose(page, 'malformed');
  const answer = await ask(page, 'Will it break?');
  await expect(answer).toContainText('Before after.');
  await choose(page, 'malformed-only');
  await expect(await ask(page, 'And now?')).toContainText(
    /not in a form that this service was expected to send.*Check that the base URL/,
  );
  await expect(page.getByRole('button', { name: 'Try again' }).last()).toBeVisible();
  await saved(page);
  await page.reload();
  await expect(page.getByRole('article').getByText('And now?')).toBeVisible();
});

test('a long paste is found later by what it says, also after a reload', async ({ page }) => {
  await openApp(page);
  await choose(page, 'plain');
  const lease = `${'The tenant keeps the stairs clean and the windows shut. '.repeat(90)}The deposit of the attic flat is returned within forty days.`;
  await page.getByRole('textbox', { name: 'Message', exact: true }).evaluate((field, text) => {
    const data = new DataTransfer();
    data.setData('text/plain', text);
    field.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
    );
  }, lease);
  await say(page, 'Keep this for me');
  await expect(said(page, 'The backup runs every night')).toBeVisible();
  await saved(page);
  await page.goto('/?console');
  await remembered(page);
  await page.getByRole('textbox', { name: 'Message' }).fill('/recall deposit of the attic flat');
  await page.keyboard.press('Enter');
  await expect(
    page.getByText('The deposit of the attic flat is returned within forty days.').first(),
  ).toBeVisible();
});

test('eleven megabytes at once go along as a file, are kept, and memory gets over them', async ({ page }) => {
  await openApp(page);
  await choose(page, 'plain');
  const box = page.getByRole('textbox', { name: 'Message', exact: true });
  // Inserts all at once, as a paste does; typing would be too slow.
  await box.evaluate((element) => {
    const text = 'All of it at once. '.repeat(580_000);
    Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')?.set?.call(element, text);
    element.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await box.press('Enter');
  const file = page.getByRole('article', { name: 'You' }).getByRole('button', { name: /Pasted text/ });
  await expect(file).toContainText('11 MB');
  await expect(said(page, 'The backup runs every night')).toBeVisible();
  await saved(page);
  await page.goto(`${new URL(page.url()).pathname}?console`);
  await expect(file).toContainText('11 MB');
  await remembered(page, 'words');
});

test('recalled passages travel with the first message, frozen, and are shown under the answer', {
  tag: ['@gate', '@ask'],
}, async ({ page }) => {
  await openApp(page);
  await bringExport(page, chatgptHistory(HISTORY));
  await remembered(page);
  await choose(page, 'plain');
  // The app sends the passages that it announced while the person wrote.
  await page.getByRole('textbox', { name: 'Message' }).fill('When does the backup of the photo disk run?');
  const chip = page.getByRole('region', { name: 'Passages from other conversations' });
  const button = chip.getByRole('button', { name: /passages? may help/ });
  await expect(button).toBeVisible();
  // Memory never answers from here on; the app keeps what it has read.
  await page.evaluate(() => {
    const memory = globalThis.recollect?.app.memory;
    if (memory) Object.assign(memory, { recall: () => new Promise(() => undefined) });
  });
  const announced = await button.textContent();
  await page.keyboard.press('Enter');
  await expect(said(page, 'The backup runs every night at three')).toBeVisible();
  const count = Number(/\d+/.exec(announced ?? '')?.[0]);
  await expect(page.getByText(new RegExp(`^${count} passages? from memory`)).first()).toBeVisible();
  await say(page, 'And in summer?');
  await expect.poll(() => server.chats().length).toBe(2);
  for (const request of server.chats())
    expect(JSON.stringify(request.messages)).toContain('restic every night at three');
});

test('each conversation keeps its model: through another choice, a reload, and when it is gone', async ({
  page,
}) => {
  await openApp(page);
  await page.evaluate(async (baseUrl) => {
    const settings = globalThis.recollect?.app.settings;
    const at = { label: 'Scripted', baseUrl };
    await settings?.saveEndpoint({ ...at, id: 'one', models: ['plain'] }, 'sk-test');
    await settings?.saveEndpoint({ ...at, id: 'two', models: ['echo'] }, 'sk-test');
    await settings?.choose({ endpointId: 'one', model: 'plain' });
  }, server.baseUrl);
  const picker = (model: string) => page.getByRole('button', { name: `Model: ${model}` });
  const pick = async (from: string, to: string) => {
    await picker(from).click();
    await page.getByRole('menuitemradio', { name: to }).click();
    await expect(picker(to)).toBeVisible();
  };
  const asked = () => server.chats().map(({ model }) => model);

  await ask(page, 'When is the backup made?');
  const first = page.url();
  await page.getByRole('button', { name: 'New conversation' }).first().click();
  await pick('plain', 'echo');
  await ask(page, 'Repeat these words please');
  const second = page.url();
  await page.goto(first);
  await expect(picker('plain')).toBeVisible();
  await ask(page, 'And the second backup?');
  await page.goto(second);
  await expect(picker('echo')).toBeVisible();
  expect(asked()).toEqual(['plain', 'echo', 'plain']);

  // The choice changes no other conversation; new ones start with it.
  await pick('echo', 'No model (search my conversations)');
  await page.goto(first);
  await expect(picker('plain')).toBeVisible();
  await page.getByRole('button', { name: 'New conversation' }).first().click();
  await expect(picker('No model (search my conversations)')).toBeVisible();

  await page.goto(`${first}?console`);
  await expect(picker('plain')).toBeVisible();
  await page.evaluate(() => globalThis.recollect?.app.settings.removeEndpoint('one'));
  await expect(
    page.getByText('plain isn’t set up here; your conversations will be searched instead.'),
  ).toBeVisible();
  await pick('No model (search my conversations)', 'echo');
  await expect(page.getByText(/isn’t set up here/)).toBeHidden();
  await ask(page, 'Words for the other model');
  expect(asked().at(-1)).toBe('echo');
});

test('parameters of a connection: folded away, refused at their field, sent, and shown with the answer', async ({
  page,
}) => {
  await openApp(page);
  await choose(page, 'plain');
  await page.goto('/settings/models?console');
  await page.getByRole('button', { name: 'Edit: Scripted' }).click();
  const dialog = page.getByRole('dialog');
  const more = dialog.getByRole('textbox', { name: 'More parameters' });
  await expect(more).toBeHidden();
  await dialog.getByText('Parameters', { exact: true }).click();
  await dialog.getByRole('textbox', { name: 'Temperature' }).fill('0.2');
  await more.fill('{"seed": 7, "messages": []}');
  const save = dialog.getByRole('button', { name: /^Save/ });
  await save.click();
  await expect(dialog.getByRole('alert')).toHaveText(
    'messages cannot be set here: the app fills that in itself.',
  );
  await more.fill('{"seed": 7');
  await save.click();
  await expect(dialog.getByRole('alert')).toContainText('This is not JSON.');
  await more.fill('{"seed": 7}');
  await save.click();
  await expect(dialog).toBeHidden();

  await page.getByRole('button', { name: 'New conversation' }).first().click();
  const answer = await ask(page, 'When is the backup made?');
  expect(server.chats().at(-1)).toMatchObject({ model: 'plain', temperature: 0.2, seed: 7 });
  expect(server.chats().at(-1)).not.toHaveProperty('top_p');
  await answer.hover();
  await answer.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'What the model was sent' }).click();
  const sent = dialog.getByRole('region', { name: 'Sent besides the messages' });
  await expect(sent).toContainText('temperature0.2');
  await expect(sent).toContainText('seed7');
});

/** Whether the words lie anywhere in this browser's databases. */
const isOnDisk = (page: Page, words: string): Promise<boolean> =>
  page.evaluate(async (words) => {
    const textOf = (value: unknown): string =>
      JSON.stringify(value, (_, inner) =>
        inner instanceof Uint8Array ? new TextDecoder().decode(inner) : inner,
      ) ?? '';
    const done = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    for (const { name } of await indexedDB.databases()) {
      const database = await done(indexedDB.open(name ?? ''));
      for (const store of database.objectStoreNames)
        if (textOf(await done(database.transaction(store).objectStore(store).getAll())).includes(words)) {
          database.close();
          return true;
        }
      database.close();
    }
    return false;
  }, words);

test('a temporary conversation is answered and kept nowhere; it ends with its tab, or is kept after all', {
  tag: '@gate',
}, async ({ page }) => {
  await openApp(page);
  await choose(page, 'plain');
  server.answer((request) => ({
    steps: [{ text: `You said: ${JSON.stringify(request.messages.at(-1)?.content)}` }, { finish: 'stop' }],
  }));
  const listed = () =>
    page.evaluate(() => globalThis.recollect?.app.documents.library.get().entries.map(({ title }) => title));
  const begin = async () => {
    await page.getByRole('button', { name: 'New conversation' }).first().click();
    await page.getByRole('button', { name: 'Temporary conversation' }).click();
    await expect(page.getByRole('heading', { name: 'Temporary conversation' })).toBeVisible();
  };
  const bar = page.getByText('Temporary: kept nowhere');

  // The same search does find an ordinary message on the disk.
  await ask(page, 'The lighthouse is painted yellow');
  await saved(page);
  expect(await isOnDisk(page, 'lighthouse')).toBe(true);
  await begin();
  await ask(page, 'The surprise party is on Friday');
  await ask(page, 'Nobody tells the astronomer');
  await expect(bar).toBeVisible();
  await expect(said(page, 'You said: "Nobody tells')).toBeVisible();
  await expect(page).toHaveTitle('Temporary conversation · Recollect');
  await saved(page);
  expect(await listed()).toEqual(['The lighthouse is painted yellow']);
  for (const words of ['surprise', 'astronomer']) expect(await isOnDisk(page, words)).toBe(false);

  // The person opens another conversation; Back leads to the temporary one while the tab lives.
  await page.getByRole('link', { name: 'The lighthouse is painted yellow' }).click();
  await expect(bar).toBeHidden();
  await page.goBack();
  await expect(said(page, 'The surprise party')).toBeVisible();
  // Where the model fails, the app does not claim to have saved a temporary message.
  server.answer(() => ({ status: 500, body: { error: { message: 'no answers today' } } }));
  await ask(page, 'And who brings the cake?');
  const failed = page.getByRole('alert').filter({ hasText: 'broke at the service' });
  await expect(failed).toContainText('as long as this temporary conversation does');
  await expect(failed).not.toContainText('is saved');
  server.answer(() => ({ steps: [{ text: 'Noted.' }, { finish: 'stop' }] }));
  await page.reload();
  await expect(page.getByRole('heading', { name: 'This conversation was temporary' })).toBeVisible();

  await begin();
  await ask(page, 'The greenhouse gets a blue door');
  await page.getByRole('button', { name: 'Keep it' }).click();
  await expect(bar).toBeHidden();
  await expect(page.getByRole('heading', { name: 'The greenhouse gets a blue door' })).toBeVisible();
  await page.reload();
  await expect(said(page, 'The greenhouse gets a blue door')).toBeVisible();

  await begin();
  await ask(page, 'Forget the wheelbarrow in the shed');
  await page.getByRole('button', { name: 'End it now' }).click();
  await expect(bar).toBeHidden();
  await page.goBack();
  await expect(page.getByRole('heading', { name: 'This conversation was temporary' })).toBeVisible();
  for (const kept of ['The lighthouse is painted yellow', 'The greenhouse gets a blue door'])
    await expect(page.getByRole('link', { name: kept })).toBeVisible();
  await expect(page.getByRole('link', { name: /Forget the wheelbarrow/ })).toHaveCount(0);
  expect(await isOnDisk(page, 'wheelbarrow')).toBe(false);
});

test('what is written for a temporary conversation and not sent is on no disk, and goes along where it is kept', async ({
  page,
}) => {
  await openApp(page);
  const ghost = page.getByRole('button', { name: 'Temporary conversation' });
  // The page says who answers: memory, until the person chooses a model.
  await ghost.click();
  await expect(page.getByText('Your conversations are searched for what you write here')).toBeVisible();
  await choose(page, 'plain');
  await expect(page.getByText('Memories are not used automatically.')).toBeVisible();
  await ghost.click();
  server.answer(() => ({ steps: [{ text: 'Noted.' }, { finish: 'stop' }] }));
  const box = page.getByRole('textbox', { name: 'Message' });

  // The draft of an ordinary conversation leaves the disk once it becomes temporary.
  await box.fill('A word about the elephant');
  await expect.poll(() => isOnDisk(page, 'elephant')).toBe(true);
  await ghost.click();
  await expect(box).toBeFocused();
  await expect.poll(() => isOnDisk(page, 'elephant')).toBe(false);
  await page.keyboard.type(' and the giraffe');

  // After a visit to another screen the switch and the words are unchanged.
  await page.getByRole('link', { name: 'Settings' }).first().click();
  expect(await isOnDisk(page, 'giraffe')).toBe(false);
  await page.goBack();
  await expect(ghost).toHaveAttribute('aria-pressed', 'true');
  await expect(box).toHaveValue('A word about the elephant and the giraffe');
  await box.press('Enter');
  await expect(said(page, 'Noted.')).toBeVisible();

  await box.fill('Not said yet: the zebra');
  await page.getByRole('link', { name: 'Settings' }).first().click();
  await page.goBack();
  await expect(box).toHaveValue('Not said yet: the zebra');
  for (const words of ['elephant', 'giraffe', 'zebra', 'temporary-'])
    expect(await isOnDisk(page, words)).toBe(false);

  await page.getByRole('button', { name: 'Keep it' }).dblclick();
  await expect(page.getByText('Kept in the library')).toBeVisible();
  await expect(page.getByText('Temporary: kept nowhere')).toBeHidden();
  await expect(box).toHaveValue('Not said yet: the zebra');
  await expect(box).toBeFocused();
  expect(await page.evaluate(() => globalThis.recollect?.app.documents.library.get().entries.length)).toBe(1);
  await page.getByRole('button', { name: 'New conversation' }).first().click();
  await expect(ghost).toHaveAttribute('aria-pressed', 'false');
  await expect(box).toHaveValue('');
});
