// The main job: a person imports history, recall finds the right passage, a click
// opens it and Back returns; also offline.
import type { BrowserContext, Locator, Page } from '@playwright/test';
import { exportFiles } from '../test/fixtures/claude.ts';
import { zipped } from '../test/fixtures/files.ts';
import { exportedZip } from '../test/fixtures/kimi-cli.ts';
import {
  type ChatRequest,
  type Script,
  type ScriptedModelServer,
  startScriptedModel,
} from '../test/server/scripted-model.ts';
import {
  asFile,
  chatgptHistory,
  doneImporting,
  expect,
  HISTORY,
  importThroughDialog,
  openApp,
  recallsByMeaning,
  remembered,
  saved,
  test,
} from './app.ts';

test('exports of ChatGPT and Claude.ai and a kimi-cli session come in; importing again changes nothing', {
  tag: ['@gate', '@import'],
}, async ({ page }) => {
  await openApp(page);
  const files = [
    asFile('conversations.json', chatgptHistory(HISTORY), 'application/json'),
    asFile('session-44444444.zip', await zipped(exportedZip), 'application/zip'),
    asFile('data-2026-03-02.zip', await zipped(exportFiles), 'application/zip'),
  ];
  await importThroughDialog(page, files);
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('6 conversations added');
  await expect(dialog).toContainText('1 conversation added');
  await expect(dialog).toContainText('3 conversations added');
  await expect(dialog).toContainText('Claude.ai');
  await doneImporting(page);
  // The import has branches, thoughts and the text of an attachment.
  await page.getByRole('link', { name: 'A quiet garden' }).click();
  await expect(page.getByRole('article').getByText('Ferns and hostas.')).toBeVisible();
  await expect(page.getByRole('status', { name: 'Branch 2 of 2' }).first()).toBeVisible();
  await expect(page.getByRole('article').getByText('plan.txt').first()).toBeVisible();
  await importThroughDialog(page, files);
  await expect(dialog).toContainText('Nothing new');
  await expect(dialog).not.toContainText('added');
});

// All of these share one import; each starts on a fresh page.
let context: BrowserContext;
let page: Page;
test.describe('with a library that is remembered', () => {
  // One page for all of them, in one browser.
  test.describe.configure({ mode: 'default' });
  test.beforeAll(async ({ browser }) => {
    context = await browser.newContext({ serviceWorkers: 'allow' });
    page = await context.newPage();
    await openApp(page);
    await importThroughDialog(page, [
      asFile('conversations.json', chatgptHistory(HISTORY), 'application/json'),
    ]);
    await doneImporting(page);
    await remembered(page);
  });
  test.afterAll(() => context.close());
  test.beforeEach(() => page.getByRole('button', { name: 'New conversation' }).first().click());

  test('recall finds the right message, opens it highlighted, and Back returns', {
    tag: '@gate',
  }, async () => {
    await page
      .getByRole('textbox', { name: 'Message' })
      .fill('/recall when do we back up the photos --limit 3 --with-context');
    await page.keyboard.press('Enter');
    const card = page.getByRole('region', { name: 'Recalled from other conversations' }).first();
    await expect(card).toContainText('Backup of the photos');
    await card.getByTitle('Show what was said around it').first().click();
    await expect(card).toContainText('restic every night at three');
    const before = page.url();
    await card
      .getByRole('button', { name: /Open the message in “Backup of the photos”/ })
      .first()
      .click();
    await expect(page).toHaveURL(/\/c\/.+\?m=/);
    await expect(page.getByText('Back to where you were')).toBeVisible();
    await expect(page.getByText('Run restic every night at three')).toBeVisible();
    await page.goBack();
    await expect(page).toHaveURL(before);
    // Several passages fit; recall gives as many as the person asks for.
    const passages = (words: string) => {
      const outcome = page.getByRole('region', { name: words, exact: true }).last();
      return outcome.getByRole('region').locator('ol').first().getByRole('listitem');
    };
    for (const [limit, count] of [
      [2, 2],
      [1, 1],
    ] as const) {
      const words = `/recall when do we back up the photos --limit ${limit} --with-context`;
      await page.getByRole('textbox', { name: 'Message' }).fill(words);
      await page.keyboard.press('Enter');
      await expect(passages(words)).toHaveCount(count);
    }
    // A single passage comes with the messages around it.
    const alone = passages('/recall when do we back up the photos --limit 1 --with-context');
    await alone.getByTitle('Show what was said around it').click();
    for (const words of ['How often should the photo disk be backed up?', 'Run restic every night at three;'])
      await expect(alone.getByText(words)).toBeVisible();
  });

  test('a Chinese question finds Chinese text, with all scores to be read', { tag: '@gate' }, async () => {
    const result = await page.evaluate(() =>
      globalThis.recollect?.app.memory.recall({
        text: '数据库是几点备份的',
        signal: new AbortController().signal,
      }),
    );
    expect(result?.mode).toBe('hybrid');
    // The old question, with its answer right beside it.
    expect(result?.passages[0]?.title).toBe('数据库备份');
    expect(JSON.stringify(result?.passages[0])).toContain('凌晨三点');
    const scores = result?.passages[0]?.scores;
    for (const value of [scores?.vector, scores?.keyword, scores?.decay, scores?.final]) {
      expect(value).toBeGreaterThan(0);
      expect(value).toBeLessThanOrEqual(1);
    }
    expect(result?.threshold).toBe(0.75);
    // As a person asks it, in the composer.
    const words = '/recall 数据库是几点备份的';
    await page.getByRole('textbox', { name: 'Message' }).fill(words);
    await page.keyboard.press('Enter');
    const card = page.getByRole('region', { name: words }).last().getByRole('region');
    const hit = card.getByRole('listitem').first();
    await expect(hit).toContainText('数据库备份');
    await hit.getByTitle('Show what was said around it').click();
    await expect(hit).toContainText('数据库备份每天凌晨三点执行');
  });

  test('without a model the composer answers from memory, and says so', { tag: '@gate' }, async () => {
    await page.getByRole('button', { name: 'New conversation' }).first().click();
    await page.getByRole('textbox', { name: 'Message' }).fill('Can I take bicycles on the night train?');
    await page.keyboard.press('Enter');
    await expect(page.getByText('From memory, without a model')).toBeVisible();
    await expect(page.getByText('the bicycle carriage is the last one').first()).toBeVisible();
    // Each passage links to its own message, once the answer is complete and a message itself.
    await expect(page.getByRole('button', { name: 'Stop' })).toBeHidden();
    await expect(page).toHaveURL(/\/c\//);
    const asked = page.url();
    const answer = page.getByRole('article', { name: 'From memory' });
    // No model read it.
    await expect(answer.getByRole('button', { name: 'As the model read it' })).toHaveCount(0);
    const name = 'Open the message in “Night train”';
    const hit = answer
      .getByRole('listitem')
      .filter({ has: page.getByRole('button', { name }) })
      .first();
    await expect(hit).toBeVisible();
    const words = /Can two bicycles travel|Yes, with a reservation/;
    const [quoted] = words.exec((await hit.textContent()) ?? '') ?? [''];
    expect(quoted).not.toBe('');
    await hit.getByRole('button', { name }).first().click();
    await expect(page.getByRole('heading', { name: 'Night train', level: 1 })).toBeVisible();
    const there = new URL(page.url()).searchParams.get('m');
    const message = page.locator(`[data-message-id="${there}"]`);
    await expect(message).toContainText(quoted);
    await expect(message).toBeInViewport();
    await page.getByRole('button', { name: 'Back to where you were' }).click();
    await expect(page).toHaveURL(asked);
    await expect(answer).toBeVisible();
  });

  test('/recall --jump-to opens one message; /memory lists, finds, archives, deletes, tells how far it is, and opens its settings', {
    tag: '@gate',
  }, async () => {
    const list = page.getByRole('navigation', { name: 'Conversations' });
    const field = page.getByRole('textbox', { name: 'Message', exact: true });
    const run = async (words: string) => {
      await field.fill(words);
      await field.press('Enter');
      return page.getByRole('region', { name: words, exact: true }).last();
    };
    const hits = await run('/recall potassium for the tomatoes');
    await hits.getByRole('button', { name: 'Open the message in “Balcony tomatoes”' }).first().click();
    await expect(page).toHaveURL(/\?m=/);
    const there = new URL(page.url());
    const id = there.searchParams.get('m') ?? '';
    const title = page.getByRole('heading', { name: 'Balcony tomatoes', level: 1 });
    await expect(title).toBeVisible();
    await page.getByRole('button', { name: 'New conversation' }).first().click();
    await expect(title).toHaveCount(0);
    await run(`/recall --jump-to ${id}`);
    await expect(title).toBeVisible();
    await expect(page).toHaveURL(there.href);
    await expect(page.locator(`[data-message-id="${id}"]`)).toBeInViewport();
    await page.getByRole('button', { name: 'New conversation' }).first().click();
    // The same by its number in the results.
    await run('/recall potassium for the tomatoes --jump-to 1');
    await expect(title).toBeVisible();
    await page.getByRole('button', { name: 'New conversation' }).first().click();

    const some = await run('/memory list --limit 3');
    await expect(some.getByRole('listitem')).toHaveCount(3);
    // A word that is in no title.
    const found = await run('/memory search reservation');
    await found.getByRole('button', { name: /^Night train/ }).click();
    await expect(page.getByRole('heading', { name: 'Night train', level: 1 })).toBeVisible();
    await page.getByRole('button', { name: 'New conversation' }).first().click();

    const tomatoes = list.getByRole('link', { name: 'Balcony tomatoes' });
    for (const [words, done] of [
      ['/memory archive Balcony tomatoes', 'Archived 1 conversation'],
      ['/memory delete Balcony tomatoes', 'Moved 1 conversation to the trash'],
    ] as const) {
      await expect(tomatoes).toBeVisible();
      const outcome = await run(words);
      await expect(outcome).toContainText(done);
      await expect(tomatoes).toHaveCount(0);
      await outcome.getByRole('button', { name: 'Undo' }).click();
    }
    await expect(tomatoes).toBeVisible();

    const status = await run('/memory status');
    await expect(status).toContainText(/Messages\d+/);
    await expect(status).toContainText(/Conversations[1-9]/);
    await run('/memory config');
    await expect(page).toHaveURL(/\/settings\/memory/);
    await expect(page.getByRole('heading', { name: 'Memory and recall' })).toBeVisible();
  });

  test('the palette finds words at once and opens the exact message', {
    tag: ['@gate', '@find'],
  }, async () => {
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByRole('dialog').getByRole('combobox').fill('potassium');
    await page
      .getByRole('option', { name: /potassium/ })
      .first()
      .click();
    await expect(page).toHaveURL(/\?m=/);
    await expect(page.getByText('feed them with potassium')).toBeVisible();
    // Enter right after the last key opens the best message, not an earlier result.
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByRole('dialog').getByRole('combobox').fill('reservation');
    await page.keyboard.press('Enter');
    await expect(page.getByText('the bicycle carriage is the last one')).toBeVisible();
    await expect(page).toHaveURL(/\?m=/);
  });

  test('a short conversation is remembered by meaning as soon as it is left; what waits until then is counted', {
    tag: '@gate',
  }, async () => {
    const status = page
      .getByRole('complementary')
      .getByRole('status')
      .filter({ hasText: /^Saved/ });
    await page.evaluate(() => globalThis.recollect?.app.memory.setPaused(true));
    await page
      .getByRole('textbox', { name: 'Message' })
      .fill('The spare key of the boat hangs behind the clock.');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/\/c\//);
    await expect(page.getByRole('article').getByText('The spare key of the boat')).toBeVisible();
    await page.getByRole('button', { name: 'New conversation' }).first().click();
    await expect(status).toHaveText(/^Saved, [1-9]\d* to index$/);
    await page.getByRole('button', { name: /^Activity/ }).click();
    const activity = page.getByRole('dialog', { name: 'Activity' });
    await expect(activity.getByText('paused').first()).toBeVisible();
    await activity.getByRole('button', { name: 'Resume' }).first().click();
    // The app indexes it before five messages or ten minutes have passed.
    await remembered(page);
    await expect(status).toHaveText('Saved');
    await page.keyboard.press('Escape');
  });

  test('offline after a reload: the library, and recall with vectors', {
    tag: ['@gate', '@offline'],
  }, async () => {
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    // The service worker keeps the model's files shortly after the start.
    const kept = () =>
      page.evaluate(async () =>
        (await (await caches.open('recollect-models')).keys()).map((request) => request.url).join(' '),
      );
    await expect.poll(kept, { timeout: 60_000 }).toMatch(/encoder_quantized\.onnx_data/);
    await expect.poll(kept).toMatch(/tokenizer\.json/);
    const assembled = await page.evaluate(async () => {
      const all = await Promise.all(
        (await caches.keys()).map(async (name) => (await caches.open(name)).keys()),
      );
      return all.flat().flatMap(({ url }) => /\/assembly-\w+\/([\w-]+)\.wasm/.exec(url)?.[1] ?? []);
    });
    expect(assembled.sort()).toEqual(['dot-products', 'encoder', 'encoder-plain', 'late-tables']);
    await expect
      .poll(kept, { timeout: 60_000 })
      .toMatch(/all-MiniLM-L6-v2\/onnx\/encoder_quantized\.onnx_data/);
    // The next start deletes a file that an earlier version kept under another name.
    const old = '/models/multilingual-e5-small-en-zh/onnx/model_quantized.onnx';
    await page.evaluate(
      async (old) => (await caches.open('recollect-models')).put(old, new Response('of an earlier version')),
      old,
    );
    // The address of a file opens that file, not the app.
    const file = await page.goto('/screenshot.png');
    expect(file?.headers()['content-type']).toBe('image/png');
    await context.setOffline(true);
    await page.goto('/?console');
    await expect(page.getByRole('textbox', { name: 'Message' })).toBeVisible();
    await expect(page.getByText('Balcony tomatoes').first()).toBeVisible();
    await remembered(page);
    await recallsByMeaning(page);
    await expect(page.getByText(/Offline/).first()).toBeVisible();
    await expect.poll(kept, { timeout: 60_000 }).not.toMatch(/model_quantized/);
    // 14 MB that only a browser without relaxed SIMD needs.
    expect(await kept()).not.toMatch(/ort-wasm/);
    expect(await kept()).toMatch(/encoder_quantized\.onnx_data/);
  });

  test('still offline: over to the other model that ships, which was never used here', async () => {
    await page.goto('/settings/memory?console');
    await page.getByRole('radio', { name: /all-MiniLM-L6-v2/ }).check();
    await page.getByRole('button', { name: 'Change model' }).click();
    await expect
      .poll(() => page.evaluate(() => globalThis.recollect?.app.settings.config.get().embedding.local.model))
      .toBe('all-MiniLM-L6-v2');
    await remembered(page);
    await recallsByMeaning(page);
  });
});

test.describe('what memory would send', () => {
  let server: ScriptedModelServer;
  test.beforeAll(async () => {
    server = await startScriptedModel();
  });
  test.afterAll(() => server.close());
  test.beforeEach(() => server.reset());

  /** The history is in memory, a model is chosen. */
  const begin = async (page: Page) => {
    await openApp(page);
    await page.evaluate(
      async ({ json, baseUrl }) => {
        const app = globalThis.recollect?.app;
        const bytes = new TextEncoder().encode(json);
        await app?.library.importFiles([
          { path: 'conversations.json', size: bytes.length, modifiedAt: 0, bytes: async () => bytes },
        ]);
        await app?.settings.saveEndpoint(
          { id: 'scripted', label: 'Scripted', baseUrl, models: ['plain'] },
          'sk',
        );
        await app?.settings.choose({ endpointId: 'scripted', model: 'plain' });
      },
      { json: chatgptHistory(HISTORY), baseUrl: server.baseUrl },
    );
    await remembered(page);
  };
  const field = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });
  const command = async (page: Page, words: string) => {
    await field(page).fill(words);
    await field(page).press('Enter');
    return page.getByRole('region', { name: words }).last();
  };
  /** What the model was given with the latest question. */
  const given = async (count: number) => {
    await expect.poll(() => server.chats().length).toBe(count);
    return JSON.stringify(server.chats().at(-1)?.messages);
  };
  /** The block of memory in front of the latest question, as it came over the wire. */
  const blockIn = (request: ChatRequest | undefined) =>
    /<recalled_memory>[\s\S]*<\/recalled_memory>/.exec(
      String(request?.messages.findLast(({ role }) => role === 'user')?.content),
    )?.[0];
  const say = (text: string): Script => ({ steps: [{ text }, { finish: 'stop' }] });
  const QUESTION = 'When does the backup of the photo disk run?';
  /** A question whose passage scores far above the threshold, even once the question itself is indexed. */
  const SURE = 'How often do you back up the photo disk?';
  const ASKED = 'How often should the photo disk be backed up?';
  const ANSWERED = 'Run restic every night at three';
  const PASSWORD = 'sealed envelope in the kitchen drawer';

  test('a card tells every number of a hit, its price and the line above the near misses', async ({
    page,
  }) => {
    await begin(page);
    const card = (await command(page, '/recall photo disk backup')).getByRole('region');
    const hit = card.getByRole('listitem').filter({ hasText: ASKED });
    await hit.getByRole('button', { name: 'Why this?' }).click();
    await hit.getByText('Numbers', { exact: true }).click();
    const numbers = ['Meaning', 'Match by sentence', 'Words', 'Both, weighted', 'Time', 'Score', 'Threshold'];
    for (const name of numbers) {
      const row = hit.locator('dl > div').filter({ has: page.getByText(name, { exact: true }) });
      await expect(row.getByText(/^[01]\.\d\d$/)).toBeVisible();
    }
    await expect(hit.getByText(/^× \d\.\d\d$/).first()).toBeVisible();
    await expect(hit.getByText(/^\d+ tokens$/)).toBeVisible();
    await expect(hit.locator('time')).toHaveText(/ ago$|^last /);
    await expect(hit.locator('time')).toHaveAttribute('title', /20\d\d/);
    // The card has the threshold line and, below it, the weaker matches.
    await card.getByRole('button', { name: /^\d+ weaker match/ }).click();
    await expect(card.getByText('Not close enough to be used.')).toBeVisible();
    const finals = await card
      .getByRole('img')
      .evaluateAll((marks) => marks.map((mark) => Number(mark.getAttribute('data-score'))));
    const count = Number(
      /^(\d+) passage/.exec((await card.getByRole('button').first().textContent()) ?? '')?.[1],
    );
    expect(count).toBeGreaterThan(0);
    expect(finals.length).toBeGreaterThan(count);
    expect(finals.slice(0, count).every((final) => final >= 0.75)).toBe(true);
    expect(finals.slice(count).every((final) => final < 0.75)).toBe(true);
  });

  test('/recall --explain: what is ticked is what the model is given, at the price that was told', async ({
    page,
  }) => {
    await begin(page);
    const outcome = await command(page, `/recall --explain ${QUESTION}`);
    const row = (words: string) => outcome.getByRole('listitem').filter({ hasText: words });
    await expect(row(ANSWERED).getByRole('checkbox')).toBeChecked();
    await expect(outcome.getByText(/^Weaker matches, not close enough/)).toBeVisible();
    await expect(row(PASSWORD).or(row('And where does the password live?')).first()).toBeVisible();
    await row(ASKED).getByRole('checkbox').uncheck();
    // The weakest match.
    const least = outcome.getByRole('listitem').last();
    const words = ((await least.locator('> button > span').first().textContent()) ?? '').trim();
    expect(words.length).toBeGreaterThan(5);
    await least.getByRole('checkbox').check();
    let sum = 0;
    for (const one of [row(ANSWERED), least]) {
      await one.getByRole('button', { name: 'Why this?' }).click();
      await one.getByText('Numbers', { exact: true }).click();
      sum += Number.parseInt((await one.getByText(/^\d+ tokens/).textContent()) ?? '', 10);
    }
    await expect(outcome.getByText(`2 passages · ${sum} tokens`)).toBeVisible();
    expect(server.chats()).toHaveLength(0);
    server.next({
      steps: [{ text: 'Every night ' }, { gate: true }, { text: 'at three.' }, { finish: 'stop' }],
    });
    await outcome.getByRole('button', { name: 'Send with these' }).click();
    const sent = await given(1);
    expect(sent).toContain(QUESTION);
    expect(sent).toContain(ANSWERED);
    expect(sent).toContain(words);
    expect(sent).not.toContain(ASKED);
    // The answer's card says what was sent and what was left out.
    const card = page.getByRole('article').getByRole('region', { name: 'Recalled from other conversations' });
    await card.getByRole('button').first().click();
    await expect(card.getByText('1 passage left out')).toBeVisible();
    // A person opens the card during the answer; it stays open afterwards.
    server.go();
    await expect(page.getByRole('article').getByText('Every night at three.')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Stop' })).toBeHidden();
    await expect(card.getByText('1 passage left out')).toBeVisible();
    await expect(card.getByRole('button').first()).toHaveText(new RegExp(`^2 passages.* ${sum} tokens`));
  });

  test('/recall --explain of what memory does not have: the question can be sent all the same', async ({
    page,
  }) => {
    await begin(page);
    const outcome = await command(page, `/recall --explain --scope archived ${QUESTION}`);
    await expect(outcome.getByText('Nothing is close enough.')).toBeVisible();
    server.next({ steps: [{ text: 'I do not know.' }, { finish: 'stop' }] });
    await outcome.getByRole('button', { name: 'Send without passages' }).click();
    const sent = await given(1);
    expect(sent).toContain(QUESTION);
    expect(sent).not.toContain(ANSWERED);
    await expect(page.getByRole('article').getByText('I do not know.')).toBeVisible();
  });

  test('what is tried on the Memory screen is what a first message would take along', async ({ page }) => {
    await begin(page);
    await page.getByRole('link', { name: 'Memory' }).first().click();
    await page.getByRole('button', { name: 'Index', exact: true }).click();
    await page.getByRole('searchbox', { name: 'What would be recalled for this?' }).fill(QUESTION);
    const line = page.locator('dl > div').filter({ hasText: 'Threshold' }).first();
    const expectLine = (threshold: string) =>
      expect(async () => {
        // The row closes when its passage moves to the other list.
        const why = page.getByRole('button', { name: 'Why this?' }).first();
        if (!(await line.isVisible())) {
          await why.click({ timeout: 1000 });
          await page.getByText('Numbers', { exact: true }).first().click({ timeout: 1000 });
        }
        await expect(line).toContainText(threshold, { timeout: 1000 });
      }).toPass();
    await expectLine('0.90');
    await page.evaluate(() => globalThis.recollect?.app.settings.removeEndpoint('scripted'));
    await expectLine('0.75');
  });

  test('what a model recalls by itself is a card in its call’s place: numbers, links, verdicts, after a reload too', async ({
    page,
  }) => {
    await begin(page);
    const call = { id: 'call_1', name: 'recall', arguments: '{"query":"photo disk backup"}' };
    server.next(
      { steps: [{ text: 'Let me look. ' }, { call }, { finish: 'tool_calls' }] },
      { steps: [{ text: 'Every night at three.' }, { finish: 'stop' }] },
    );
    await field(page).fill('Hello there');
    await field(page).press('Enter');
    await expect(page.getByRole('article').getByText('Every night at three.')).toBeVisible();
    const read = await given(2);
    expect(read).toMatch(/\d passages:.*restic every night at three/);

    const answers = page.getByRole('article', { name: 'Answer' });
    const card = answers.getByRole('region', { name: 'Recalled from other conversations' });
    const head = card.getByRole('button', { name: 'Asked by the model: “photo disk backup”' });
    await expect(head).toHaveText(/^\d passages? · \d+ tokens/);
    await expect(answers.last().getByText(/^\d passages? from memory$/)).toBeVisible();
    const words = await head.textContent();
    await head.click();
    const hit = card.getByRole('listitem').filter({ hasText: ASKED });
    await hit.getByRole('button', { name: 'Why this?' }).click();
    await hit.getByText('Numbers', { exact: true }).click();
    await expect(hit.locator('dl > div').filter({ hasText: 'Threshold' })).toContainText(/0\.\d\d/);
    await expect(hit.getByText(/^\d+ tokens$/)).toBeVisible();
    await expect(card.getByText('Not close enough to be used.')).toBeVisible();
    // The card shows word for word what the model read.
    await card.getByRole('button', { name: 'As the model read it' }).press('Enter');
    await expect(card.getByText(/^\d passages:/)).toContainText('restic every night at three');
    // By key, because the list scrolls with what has just opened at its end.
    await hit.getByRole('button', { name: 'Pin: prefer this passage' }).press('Enter');
    await expect(hit.getByRole('button', { name: 'Pinned: undo' })).toBeVisible();

    // The calendar counts what the model was given.
    await expect
      .poll(() =>
        page.evaluate(async () => (await globalThis.recollect?.app.memory.overview())?.recalled.length),
      )
      .toBe(Number.parseInt(words ?? '', 10));
    await saved(page);
    await page.reload();
    await expect(head).toHaveText(words ?? '');
    await head.click();
    await expect(hit.getByRole('button', { name: 'Pinned: undo' })).toBeVisible();
    await hit
      .getByRole('button', { name: /^Open the message/ })
      .first()
      .click();
    await expect(page.locator('[data-message-id]').filter({ hasText: ASKED })).toBeVisible();
    await page.goBack();
    await expect(head).toBeVisible();
    await head.click();

    // The app no longer sends a passage marked never, even where the model had read it before.
    server.next({ steps: [{ text: 'As you say.' }, { finish: 'stop' }] });
    await field(page).fill('And on Sundays?');
    await field(page).press('Enter');
    expect(await given(3)).toContain(ASKED);
    await expect(page.getByRole('article').getByText('As you say.')).toBeVisible();
    await head.click();
    await hit.getByRole('button', { name: 'Never recall this passage' }).press('Enter');
    await expect(hit.getByText('no longer sent')).toBeVisible();
    server.next({ steps: [{ text: 'I do not know.' }, { finish: 'stop' }] });
    await field(page).fill('And on Mondays?');
    await field(page).press('Enter');
    const without = await given(4);
    expect(without).not.toContain(ASKED);
    expect(without).toContain('And on Sundays?');
    await expect(page.getByRole('article').getByText('I do not know.')).toBeVisible();
  });

  test('a later message about something else is looked up: the chip offers, and what it offered goes along', async ({
    page,
  }) => {
    await begin(page);
    const chip = page.getByRole('region', { name: 'Passages from other conversations' });
    await field(page).fill('Write a short poem about the autumn sea');
    await field(page).press('Enter');
    await given(1);
    await expect(page.getByRole('button', { name: 'Stop' })).toBeHidden();
    await field(page).fill(SURE);
    await expect(chip.getByRole('button', { name: /passages? may help/ })).toBeVisible();
    await field(page).press('Enter');
    expect(await given(2)).toContain(ASKED);
    await expect(page.getByText('Recalled because the topic is a new one.')).toBeVisible();
    // Nearly the same question: the app keeps its passages and asks memory nothing.
    await field(page).fill(`${SURE} Please answer in one short line.`);
    await expect(page.getByRole('button', { name: 'Stop' })).toBeHidden();
    await field(page).press('Enter');
    expect(await given(3)).toContain(ASKED);
    await expect(page.getByText('Recalled because the topic is a new one.')).toHaveCount(1);
  });

  test('at the composer: what is ticked off before sending is not sent', async ({ page }) => {
    await begin(page);
    await field(page).fill(QUESTION);
    const chip = page.getByRole('region', { name: 'Passages from other conversations' });
    await chip.getByRole('button', { name: /passages may help/ }).click();
    const row = (words: string) => chip.getByRole('listitem').filter({ hasText: words });
    await row(ASKED).getByRole('checkbox').uncheck();
    await expect(chip.getByRole('button', { name: /^1 passage may help/ })).toBeVisible();
    // A verdict unticks the passage, and pinning ticks it.
    await row(ANSWERED).hover();
    await row(ANSWERED).getByRole('button', { name: 'Not related to this question' }).click();
    await expect(chip.getByRole('button', { name: 'None will be sent along' })).toBeVisible();
    await row(ANSWERED).getByRole('button', { name: 'Marked as not related: undo' }).click();
    await row(ANSWERED).getByRole('button', { name: 'Pin: prefer this passage' }).click();
    await expect(row(ANSWERED).getByRole('checkbox')).toBeChecked();
    // *Never* removes the row and moves the focus to the next one; the person can undo it on the spot.
    await row(ANSWERED).getByRole('button', { name: 'Never recall this passage' }).press('Enter');
    await expect(row(ANSWERED)).toBeHidden();
    await expect(row(ASKED).getByRole('checkbox')).toBeFocused();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(row(ANSWERED).getByRole('checkbox')).toBeChecked();
    await expect(row(ANSWERED).getByRole('button', { name: 'Pinned: undo' })).toBeVisible();
    await field(page).press('Enter');
    const sent = await given(1);
    expect(sent).toContain(ANSWERED);
    expect(sent).not.toContain(ASKED);
    // The answer's card shows the passage as left out and does not count it.
    const card = page.getByRole('article').getByRole('region', { name: 'Recalled from other conversations' });
    const head = card.getByRole('button').first();
    await expect(head).toHaveText(/^1 passage · \d+ tokens/);
    const sum = /\d+ tokens/.exec((await head.textContent()) ?? '')?.[0] ?? '';
    await head.click();
    await expect(card.getByText('1 passage left out by you')).toBeVisible();
    const used = card.getByRole('listitem').filter({ hasText: ANSWERED });
    // A click on the passage opens its message, so reason and price have a button beside it.
    const askPrice = async (row: Locator) => {
      await row.getByRole('button', { name: 'Why this?' }).click();
      await row.getByText('Numbers', { exact: true }).click();
    };
    await askPrice(used);
    await expect(used.getByText(sum, { exact: true })).toBeVisible();
    const off = card.getByRole('listitem').filter({ hasText: ASKED });
    await askPrice(off);
    await expect(off.getByText(/^\d+ tokens, not sent$/)).toBeVisible();
    // The card also shows the exact words that were sent.
    await card.getByRole('button', { name: 'As the model read it' }).click();
    await expect.poll(() => card.locator('pre').textContent()).toBe(blockIn(server.chats().at(-1)));

    await page.getByRole('button', { name: 'New conversation' }).first().click();
    await field(page).fill(QUESTION);
    await chip.getByRole('button', { name: /may help/ }).click();
    await chip.getByRole('button', { name: 'Clear all' }).click();
    await field(page).press('Enter');
    const bare = await given(2);
    expect(bare).toContain(QUESTION);
    expect(bare).not.toContain(ANSWERED);
    await expect(head).toHaveText(/^Nothing from memory was used/);
    await head.click();
    await expect(card.getByText(/^\d passages? left out by you/)).toBeVisible();
    await expect(card.getByRole('button', { name: 'As the model read it' })).toHaveCount(0);
  });

  test('what could not be sent comes back as it was: what was ticked off is not sent the second time either', async ({
    page,
  }) => {
    await begin(page);
    const chip = page.getByRole('region', { name: 'Passages from other conversations' });
    const offer = chip.getByRole('button', { name: /may help|None will be sent/ });
    /** Refuses the next message, as where the tab cannot reach its log. */
    const refuseOnce = () =>
      page.evaluate(() => {
        const chat = globalThis.recollect?.app.chat;
        if (!chat) return;
        const { send } = chat;
        chat.send = async () => {
          chat.send = send;
          throw new Error('The log cannot be reached');
        };
      });
    for (const [count, out] of [[ASKED], 'all'].entries()) {
      await field(page).fill(SURE);
      await offer.click();
      const box = (words: string) =>
        chip.getByRole('listitem').filter({ hasText: words }).getByRole('checkbox');
      if (out === 'all') await chip.getByRole('button', { name: 'Clear all' }).click();
      else for (const words of out) await box(words).uncheck();
      await refuseOnce();
      await field(page).press('Enter');
      await expect(field(page)).toHaveValue(SURE);
      if (count === 0) {
        // The app shows the same passages, also after it asked memory again.
        await offer.click();
        await expect(box(ASKED)).not.toBeChecked();
        await page.waitForTimeout(1000);
        await expect(box(ASKED)).not.toBeChecked();
        await expect(box(ANSWERED)).toBeChecked();
      }
      // The second time the person sends at once, before the app asks memory again.
      await field(page).press('Enter');
      const sent = await given(count + 1);
      for (const words of [ASKED, ANSWERED])
        if (out === 'all' || out.includes(words)) expect(sent).not.toContain(words);
        else expect(sent).toContain(words);
      await expect(page).toHaveURL(/\/c\//);
      await page.getByRole('button', { name: 'New conversation' }).first().click();
    }
  });

  test('the model asks what was said long ago, the answer does not tell: memory does, and the card says why it was asked', async ({
    page,
  }) => {
    await begin(page);
    server.next(say(`I can set that up. ${SURE}`), say('Done, every night at three.'));
    await field(page).fill('Write me a reminder');
    await field(page).press('Enter');
    await expect(page.getByRole('article').getByText(SURE)).toBeVisible();
    await expect(page.getByRole('button', { name: 'Stop' })).toBeHidden();
    await field(page).fill('As always');
    await field(page).press('Enter');
    await given(2);
    const block = blockIn(server.chats().at(-1));
    expect(block).toContain(ANSWERED);
    const answer = page.getByRole('article', { name: 'Answer' }).filter({ hasText: 'Done, every night' });
    await expect(answer.locator('[data-recall-note]')).toHaveText(
      `Recalled because the model asked about something said before. Searched for “${SURE}”.`,
    );
    const card = answer.getByRole('region', { name: 'Recalled from other conversations' });
    await card.getByRole('button').first().click();
    await expect(
      card.getByRole('button', { name: 'Open the message in “Backup of the photos”' }).first(),
    ).toBeVisible();
    await card.getByRole('button', { name: 'As the model read it' }).click();
    await expect.poll(() => card.locator('pre').textContent()).toBe(block);
  });

  test('four fifths of the window: memory is asked once, and what it gave goes along unchanged from then on', async ({
    page,
  }) => {
    await begin(page);
    const looks = () => page.evaluate(() => (globalThis as { looks?: number }).looks);
    await page.evaluate(async () => {
      const app = globalThis.recollect?.app;
      if (!app) return;
      for (const [path, value] of [
        ['context.window_tokens', 8000],
        ['context.reserved_tokens', 0],
        ['context.trigger_ratio', 0.99],
        ['tools.enabled', false],
        ['recall.auto_recall.trigger_on_start', false],
      ] as const)
        await app.settings.set(path, value);
      // The real memory, with a counter around it.
      const { recall } = app.memory;
      const count = globalThis as { looks?: number };
      count.looks = 0;
      (app.memory as { recall: typeof recall }).recall = (request) => {
        // Looks for a draft do not count.
        if (request.purpose === 'inject' && !request.draft) count.looks = (count.looks ?? 0) + 1;
        return recall(request);
      };
    });
    const meter = page.getByRole('button', { name: /^Context: / });
    const ask = async (words: string, answer: string) => {
      server.next(say(answer));
      await field(page).fill(words);
      await field(page).press('Enter');
      await expect(page.getByRole('article', { name: 'Answer' }).last()).toContainText(answer.slice(0, 20));
      await expect(page.getByRole('button', { name: 'Stop' })).toBeHidden();
    };
    await ask('Tell me of the river', 'The river went on, past willows and a mill. '.repeat(585));
    await expect(meter).toHaveAccessibleName(/^Context: 8\d/);
    expect(await looks()).toBe(0);
    await ask(SURE, 'Every night at three.');
    expect(await looks()).toBe(1);
    const withQuestion = () =>
      server
        .chats()
        .at(-1)
        ?.messages.find(({ content }) => String(content).includes(SURE));
    const sent = withQuestion();
    expect(blockIn(server.chats().at(-1))).toContain(ANSWERED);
    const answer = page.getByRole('article', { name: 'Answer' }).filter({ hasText: 'Every night at three.' });
    await expect(answer.getByRole('region', { name: 'Recalled from other conversations' })).toContainText(
      /^\d passages? · \d+ tokens/,
    );
    await expect(answer.locator('[data-recall-note]')).toHaveText(
      'Recalled because the context window is nearly full.',
    );
    await ask('Thanks', 'You are welcome.');
    expect(server.chats()).toHaveLength(3);
    expect(withQuestion()).toEqual(sent);
    expect(await looks()).toBe(1);
    await expect(page.locator('[data-recall-note]')).toHaveCount(1);
  });

  test('tools: one leads to the next, the ledger counts them, a stop and the limit of steps say so, a switch takes one away', async ({
    page,
  }) => {
    await begin(page);
    const toolRead = (request: ChatRequest | undefined) => {
      const last = request?.messages.at(-1);
      return last?.role === 'tool' ? String(last.content) : '';
    };
    const calls = (id: string, name: string, input: Readonly<Record<string, unknown>>): Script => ({
      steps: [{ call: { id, name, arguments: JSON.stringify(input) } }, { finish: 'tool_calls' }],
    });
    const look = { query: 'photo disk backup' };
    server.answer((request) => {
      const [, id, around] = /\(conversation ([\w-]+), message ([\w@-]+)\)/.exec(toolRead(request)) ?? [];
      if (id && around) return calls('call_2', 'open_conversation', { id, around });
      return toolRead(request) ? say('In the drawer.') : calls('call_1', 'recall', look);
    });
    const send = async (words: string) => {
      await field(page).fill(words);
      await field(page).press('Enter');
    };
    const answers = page.getByRole('article', { name: 'Answer' });
    await send('Hello there');
    await expect(answers.getByText('In the drawer.')).toBeVisible();
    // The tool reads the messages around the passage, which memory did not bring.
    const read = toolRead(server.chats().at(-1));
    expect(read).toMatch(/^“Backup of the photos” \(conversation /);
    expect(read).toContain('(the message asked for)');
    expect(read).toContain(PASSWORD);
    await answers.getByRole('button', { name: 'open_conversation' }).click();
    await expect(answers.locator('pre').filter({ hasText: PASSWORD })).toBeVisible();
    await answers.last().hover();
    await answers.last().getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'What the model was sent' }).click();
    const ledger = page.getByRole('dialog', { name: 'What the model was sent' });
    for (const tool of ['recall', 'open_conversation'])
      await expect(ledger.getByRole('listitem').filter({ hasText: `Tool ${tool}` })).toHaveText(
        /1 call with its result, counted above[1-9]\d*$/,
      );
    await page.keyboard.press('Escape');
    await expect(ledger).toHaveCount(0);

    // The app stops a tool that never answers: its call stays, with a result that says so.
    // The looks for the chip while a person writes are not part of this.
    await page.evaluate((query) => {
      const memory = globalThis.recollect?.app.memory as unknown as
        | { recall: (asked: { text: string }) => Promise<unknown> }
        | undefined;
      if (!memory) return;
      const recall = memory.recall.bind(memory);
      memory.recall = (asked) => {
        if (asked.text !== query) return recall(asked);
        memory.recall = recall;
        return new Promise(() => undefined);
      };
    }, look.query);
    server.next(calls('call_3', 'recall', look));
    await send('And the other one?');
    await expect(page.getByText('Using recall')).toBeVisible();
    await page.getByRole('button', { name: 'Stop' }).click();
    await expect(page.getByRole('button', { name: 'Stop' })).toBeHidden();
    const stopped = answers.last().getByRole('button', { name: /^recall/ });
    await expect(stopped).toContainText('failed');
    await stopped.click();
    await expect(answers.last().getByText('The person stopped it.')).toBeVisible();
    server.next(say('Still here.'));
    await send('Are you there?');
    await expect(answers.getByText('Still here.')).toBeVisible();
    expect(JSON.stringify(server.chats().at(-1)?.messages)).toContain('The person stopped it.');

    // Two steps are allowed, and the model would go on.
    await page.goto('/settings/context?console');
    const steps = page
      .getByRole('spinbutton', { name: 'Steps' })
      .or(page.getByRole('textbox', { name: 'Steps' }));
    await steps.fill('2');
    await steps.press('Enter');
    const searches = page.getByRole('switch', { name: 'Search memory' });
    await expect(searches).toBeChecked();
    await searches.click();
    await expect(searches).not.toBeChecked();
    await page.getByRole('button', { name: 'New conversation' }).first().click();
    server.answer(() => undefined);
    server.next(
      calls('call_4', 'open_conversation', { id: 'nowhere-at-all' }),
      calls('call_5', 'remember', { text: 'x' }),
    );
    await send('Go on then');
    await expect(
      page.getByText('The model went on calling tools instead of answering, and was stopped after 2 steps.'),
    ).toBeVisible();
    await expect(page.getByText('All its calls and their results are in the conversation.')).toBeVisible();
    const offered = JSON.stringify(server.chats().at(-1)?.tools);
    expect(offered).toContain('"open_conversation"');
    expect(offered).not.toContain('"recall"');
  });
});
