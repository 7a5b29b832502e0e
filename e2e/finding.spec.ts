// A person finds things again: a passage on a hidden branch, words in the palette, archived
// conversations. Also: what is stored, how the app rebuilds the index, the first screen in the browser's
// language, and a visible focus wherever Tab leads.
import type { BrowserContext, Locator, Page } from '@playwright/test';
import { MODEL_CACHE } from '../src/adapters/browser/model-cache.ts';
import { sampleConversations } from '../src/services/library/samples.ts';
import {
  asFile,
  chatgptHistory,
  doneImporting,
  expect,
  HISTORY,
  host,
  importThroughDialog,
  openApp,
  remembered,
  test,
} from './app.ts';

const SECRET = 'The spare anchor lies in locker 14, under the harbour stairs.';
const PAINT = 'Dark blue for the hull, white for the rail.';

interface ExportNode {
  readonly id: string;
  readonly parent: string | null;
  readonly children: string[];
  readonly message: unknown;
}

/** A ChatGPT export with a conversation that forks half-way; the app shows the newer branch. */
function branchedHistory() {
  const start = Date.now() / 1000 - 30 * 86_400;
  const mapping: Record<string, ExportNode> = {
    root: { id: 'root', parent: null, children: [], message: null },
  };
  let last = 'root';
  let said = 0;
  const say = (words: string, parent = last): string => {
    said += 1;
    const id = `boat-${said}`;
    mapping[parent]?.children.push(id);
    const message = {
      id,
      author: { role: said % 2 === 1 ? 'user' : 'assistant', name: null, metadata: {} },
      create_time: start + said * 60,
      content: { content_type: 'text', parts: [words] },
      status: 'finished_successfully',
      weight: 1,
      recipient: 'all',
      metadata: {},
    };
    mapping[id] = { id, parent, children: [], message };
    last = id;
    return id;
  };
  // More than a screen of messages above and below the fork, so that none is in view by chance.
  const fill = (things: readonly string[]) => {
    for (const thing of things) {
      say(`What is still to do about the ${thing}?`);
      say(`Look the ${thing} over by daylight, note what is worn, and order it before March. `.repeat(4));
    }
  };
  fill(['sails', 'engine', 'pump', 'lamps', 'radio']);
  const fork = last;
  say('Where did we put the spare anchor?');
  say(SECRET);
  fill(['ropes', 'stove', 'mattresses', 'flag', 'compass']);
  say('Which paint did we choose?', fork);
  const shown = say(PAINT);
  return [
    {
      title: 'Boat in spring',
      create_time: start,
      update_time: start + said * 60,
      conversation_id: 'boat',
      current_node: shown,
      is_archived: false,
      mapping,
    },
  ];
}

const field = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });
const command = async (page: Page, words: string) => {
  await field(page).fill(words);
  await field(page).press('Enter');
  const outcome = page.getByRole('region', { name: words }).last();
  // The app shows this line when the search is over.
  await expect(outcome.getByText(/^By words (and meaning|only), \d/)).toBeVisible();
  return outcome;
};

/**
 * Records from now on which messages get the mark of a jump while wholly on the screen: the
 * mark fades before a slow test looks.
 */
const watchMarks = (page: Page) =>
  page.evaluate(() => {
    const marked = new Map<string | undefined, string>();
    Object.assign(globalThis, { marked });
    const look = () => {
      for (const message of document.querySelectorAll<HTMLElement>('article[data-message-id]')) {
        // Looks at the ring only: the background fades in slowly, and a busy machine may show no frame with both.
        const { boxShadow } = getComputedStyle(message);
        const { top, bottom } = message.getBoundingClientRect();
        if (boxShadow !== 'none' && top >= 0 && bottom <= innerHeight)
          marked.set(message.dataset.messageId, message.textContent ?? '');
      }
      if ((globalThis as unknown as { marked?: unknown }).marked === marked) requestAnimationFrame(look);
    };
    look();
  });
const marked = (page: Page) =>
  page.evaluate(() => [...(globalThis as unknown as { marked: Map<string, string> }).marked.values()]);

test.describe('with a library that is remembered', () => {
  // One page for all of them, in one browser.
  test.describe.configure({ mode: 'default' });
  // All of these share one import.
  let context: BrowserContext;
  let page: Page;
  test.beforeAll(async ({ browser }) => {
    context = await browser.newContext();
    page = await context.newPage();
    await openApp(page);
    const talks = JSON.stringify([...JSON.parse(chatgptHistory(HISTORY)), ...branchedHistory()]);
    await importThroughDialog(page, [asFile('conversations.json', talks, 'application/json')]);
    await doneImporting(page);
    await remembered(page, 'words');
  });
  test.afterAll(() => context.close());
  test.beforeEach(() => page.getByRole('button', { name: 'New conversation' }).first().click());

  test('a hit on a branch that is not shown opens that branch at the very message, which is marked; Back returns', async () => {
    const list = page.getByRole('navigation', { name: 'Conversations' });
    const message = (words: string) => page.getByRole('article').filter({ hasText: words });
    await list.getByRole('link', { name: 'Boat in spring' }).click();
    await expect(message(PAINT)).toBeInViewport();
    await expect(message('Which paint').getByRole('status', { name: 'Branch 2 of 2' })).toBeVisible();
    await expect(message(SECRET)).toHaveCount(0);

    await list.getByRole('link', { name: 'Night train' }).click();
    await expect(message('the bicycle carriage is the last one')).toBeInViewport();
    const hits = await command(page, '/recall where did we put the spare anchor');
    const hit = hits.getByRole('listitem').filter({ hasText: 'locker 14' }).first();
    const before = page.url();
    await watchMarks(page);
    await hit.getByRole('button', { name: 'Open the message in “Boat in spring”' }).first().click();
    await expect(page.getByText('It is on an older branch.')).toBeVisible();
    await expect(message(SECRET)).toBeInViewport({ ratio: 1 });
    await expect(
      message('Where did we put the spare anchor').getByRole('status', { name: 'Branch 1 of 2' }),
    ).toBeVisible();
    // That message and no other one.
    await expect.poll(() => marked(page)).toEqual([expect.stringContaining(SECRET)]);

    await page.getByRole('button', { name: 'Back to where you were' }).click();
    await expect(page).toHaveURL(before);
    await expect(page.getByRole('heading', { name: 'Night train', level: 1 })).toBeVisible();
    // Back returns to the hit; the messages above it may be out of view.
    await expect(hit).toBeInViewport();
    // The look at the older branch has not changed which branch the app shows.
    await list.getByRole('link', { name: 'Boat in spring' }).click();
    await expect(message(PAINT)).toBeVisible();
    await expect(message(SECRET)).toHaveCount(0);
  });

  test('the palette marks the words that were typed, and a click leads to the message', {
    tag: '@gate',
  }, async () => {
    await page.keyboard.press('ControlOrMeta+k');
    const palette = page.getByRole('dialog', { name: 'Search and commands' });
    await palette.getByRole('combobox').fill('sealed envelope');
    const hit = palette.getByRole('group', { name: 'Messages' }).getByRole('option').first();
    await expect(hit).toContainText('In the sealed envelope in the kitchen drawer.');
    await expect(hit).toContainText('Backup of the photos');
    await expect(hit.locator('mark')).toHaveText(['sealed', 'envelope']);
    // The hit says when the message was sent and how well it fits.
    await expect(hit.locator('time')).toHaveText(/ ago$|^last /);
    await expect(hit.locator('time')).toHaveAttribute('title', /20\d\d/);
    await expect(hit.getByRole('img')).toHaveAccessibleName(/^(very close|close|weak): /);
    await watchMarks(page);
    await hit.click();
    await expect(palette).toHaveCount(0);
    await expect(page.getByRole('heading', { name: 'Backup of the photos' })).toBeVisible();
    await expect.poll(() => marked(page)).toEqual([expect.stringContaining('In the sealed envelope')]);
  });

  test('while meaning is late rows out of sight come too, and none of an earlier answer stands among them', async () => {
    // The search by meaning answers only when the test lets it.
    await page.evaluate(() => {
      const { memory } = globalThis.recollect?.app ?? {};
      if (!memory) throw new Error('no handle');
      const { search } = memory;
      const late = new Promise<void>((resolve) =>
        addEventListener(
          'look',
          () => {
            memory.search = search;
            resolve();
          },
          { once: true },
        ),
      );
      memory.search = async (request) => {
        await search({ ...request, onHits: (hits, final) => !final && request.onHits(hits, false) });
        // The next key aborts it, as it aborts the real search.
        await new Promise<void>((resolve, reject) => {
          void late.then(resolve);
          request.signal.addEventListener('abort', () => reject(request.signal.reason));
        });
      };
    });
    await page.keyboard.press('ControlOrMeta+k');
    const palette = page.getByRole('dialog', { name: 'Search and commands' });
    const box = palette.getByRole('combobox');
    const rows = palette.getByRole('group', { name: 'Messages' }).getByRole('option');
    const late = palette.getByText('Searching by meaning');
    await box.fill('worn before march');
    // There are ten results; the list draws eight rows at once.
    await expect.poll(() => rows.count()).toBeGreaterThan(8);
    await expect(late).toBeVisible();
    // With more words typed, the first results go as soon as the new search begins.
    await box.fill('sealed envelope');
    await expect(rows.first()).toContainText('sealed envelope');
    expect(await rows.filter({ hasText: 'before March' }).count()).toBe(0);
    await expect(late).toBeVisible();
    await page.evaluate(() => dispatchEvent(new Event('look')));
    await expect(late).toHaveCount(0);
    await page.keyboard.press('Escape');
    await expect(palette).toHaveCount(0);
  });

  test('Enter and then an arrow, while the words are looked up, open nothing until Enter comes again', async () => {
    await page.evaluate(() => {
      const memory = globalThis.recollect?.app.memory;
      if (!memory) return;
      const { search } = memory;
      memory.search = async (request) => {
        memory.search = search;
        await new Promise<void>((resolve) => addEventListener('look', () => resolve(), { once: true }));
        return search(request);
      };
    });
    await page.keyboard.press('ControlOrMeta+k');
    const palette = page.getByRole('dialog', { name: 'Search and commands' });
    await palette.getByRole('combobox').fill('kitchen drawer');
    await page.keyboard.press('Enter');
    await page.keyboard.press('ArrowDown');
    await page.evaluate(() => dispatchEvent(new Event('look')));
    const rows = palette.getByRole('group', { name: 'Messages' }).getByRole('option');
    await expect(rows.first()).toContainText('kitchen drawer');
    // Enter opens the row that is selected at that moment.
    await page.keyboard.press('Enter');
    await expect(palette).toHaveCount(0);
    await expect(page.getByRole('heading', { name: 'Backup of the photos' })).toBeVisible();
  });

  test('filters alone list the newest messages that pass, one that is not understood says so, and a single character finds messages', {
    tag: '@gate',
  }, async () => {
    await page.keyboard.press('ControlOrMeta+k');
    const palette = page.getByRole('dialog', { name: 'Search and commands' });
    const box = palette.getByRole('combobox');
    const hits = palette.getByRole('group', { name: 'Messages' }).getByRole('option');
    await box.fill('from:me ');
    // The boat is a month old, the train a week.
    await expect(hits.first()).toContainText('Night train');
    await expect(hits).toHaveCount(20);
    await expect(palette.getByRole('status')).toHaveText(/^20 results/);
    await box.fill('from:model in:boat ');
    await expect(hits.first()).toContainText(PAINT);

    await box.fill('before:abc Night train');
    const wrong = palette.getByRole('button', { name: 'Remove before:abc, which is not a date' });
    await expect(wrong).toContainText('not a date');
    await expect(palette.getByRole('status')).toContainText('before:abc is not a date and narrows nothing');
    const titles = palette.getByRole('group', { name: 'Conversations' }).getByRole('option');
    await expect(titles.first()).toContainText('Night train');
    await box.fill('after:1.1.2020 before:2020年1月2日 train');
    await expect(palette.getByText('Nothing matches')).toBeVisible();

    await box.fill('备');
    await expect(hits.first()).toContainText('备份');
    await expect(hits.first()).toContainText('数据库备份');
    await expect(hits.nth(1)).toContainText('备份');

    for (const [words, setting] of [
      ['dark', 'Theme'],
      ['中文', 'Language'],
      ['temperature', 'Connect a service'],
    ] as const) {
      await box.fill(words);
      const settings = palette.getByRole('group', { name: 'Settings' }).getByRole('option');
      await expect(settings.filter({ hasText: setting })).toBeVisible();
    }
    await box.fill('new chat');
    await expect(palette.getByRole('option', { name: 'New conversation' })).toHaveAttribute(
      'aria-selected',
      'true',
    );
    await page.keyboard.press('Escape');
  });

  test('--scope keeps to what is pinned, what is archived or not, and to dates', {
    tag: '@gate',
  }, async () => {
    const question = 'feed the tomatoes every second week, keep snapshots of the photos';
    const ofTomatoes = (outcome: Locator) =>
      outcome.getByRole('button', { name: 'Open the message in “Balcony tomatoes”' }).first();
    const ofOthers = (outcome: Locator) =>
      outcome.getByRole('button', { name: /^Open the message in “(?!Balcony tomatoes)/ });
    const choose = async (name: string) => {
      await page.getByRole('button', { name: 'More for “Balcony tomatoes”' }).click();
      await page.getByRole('menuitem', { name, exact: true }).click();
    };
    /** Counts the near misses as well, which are collapsed where something was found. */
    const recall = async (scope: string) => {
      const outcome = await command(page, `/recall ${scope}${question}`);
      const misses = outcome.getByRole('button', { name: /^\d+ weaker match/, expanded: false });
      if ((await misses.count()) > 0) await misses.click();
      return outcome;
    };
    /** Waits until recall finds the tomatoes alone: the index follows a change a moment later. */
    const onlyTomatoes = (scope: string) =>
      expect(async () => {
        const outcome = await recall(`--scope ${scope} `);
        await expect(ofTomatoes(outcome)).toBeVisible({ timeout: 1000 });
        await expect(ofOthers(outcome)).toHaveCount(0, { timeout: 1000 });
      }).toPass();

    // Without a scope recall finds others as well, by meaning; otherwise this would prove nothing.
    await remembered(page);
    const all = await recall('');
    await expect(ofTomatoes(all)).toBeVisible();
    await expect(ofOthers(all)).not.toHaveCount(0);

    await choose('Pin');
    await onlyTomatoes('pinned');
    await choose('Unpin');

    // The tomatoes are four weeks old; the conversations before and after are a week away, the boat spans two days.
    const day = (ago: number) => {
      const date = new Date(Date.now() - ago * 86_400_000);
      return [date.getFullYear(), date.getMonth() + 1, date.getDate()]
        .map((part) => String(part).padStart(2, '0'))
        .join('-');
    };
    await onlyTomatoes(`${day(29)}..${day(26)}`);
    const later = await recall(`--scope ${day(26)}.. `);
    await expect(ofTomatoes(later)).toHaveCount(0);
    await expect(ofOthers(later)).not.toHaveCount(0);

    await choose('Archive');
    await expect(page.getByRole('button', { name: /^Archived ?1$/ })).toBeVisible();
    await onlyTomatoes('archived');
    const active = await recall('--scope active ');
    await expect(ofTomatoes(active)).toHaveCount(0);
    await expect(ofOthers(active)).not.toHaveCount(0);
  });
});

test.describe('with a service worker that keeps the model', () => {
  test.use({ serviceWorkers: 'allow' });

  test('the figures of what is kept are those of the sample library, on OPFS; the index is made anew with progress, and finds again', async ({
    page,
  }) => {
    const samples = sampleConversations(Date.now());
    const said = samples.reduce((sum, { messages }) => sum + messages.length, 0);
    await openApp(page);
    await page.getByRole('button', { name: /Just look around/ }).click();
    await expect(page.getByText('Sourdough that stays flat')).toBeVisible();
    // The app keeps files for offline use shortly after the start, and counts them
    // once, when the page of figures opens.
    const kept = () =>
      page.evaluate(
        async (name) => (await (await caches.open(name)).keys()).map(({ url }) => url),
        MODEL_CACHE,
      );
    await expect.poll(kept).toContainEqual(expect.stringMatching(/\.onnx_data$|\/model_\w+\.onnx$/));
    await remembered(page, 'words');
    await page.goto('/settings/storage?console');
    const figures = page.getByRole('region', { name: 'What is kept' });
    /** The size of one part, and its count below it. */
    const figure = (name: string) =>
      figures
        .locator('dl > div')
        .filter({ has: page.getByText(name, { exact: true }) })
        .getByRole('definition');
    const SIZE = /^[1-9][\d.,]* (bytes?|kB|MB)$/;
    await expect(figure('Conversations')).toHaveText([SIZE, `${samples.length} conversations`]);
    await expect(figure('Memory index')).toHaveText([SIZE, `${said} messages`]);
    await expect(figures).toContainText(
      /of [\d.,]+ [GMT]B this browser allows · [\d.,]+% of your limit of 2 GB/,
    );
    await expect(figure('Model files')).toHaveText(/^[1-9]\d+(\.\d)? MB$/);
    await expect(page.getByText(/^In use now: /)).toHaveText('In use now: OPFS');
    await remembered(page, 'words');
    // The app shows it only for a moment where there is little to read.
    await page.evaluate(() => {
      const bars: string[] = [];
      Object.assign(globalThis, { bars });
      new MutationObserver(() => {
        for (const bar of document.querySelectorAll('main [role=progressbar]')) {
          const words = bar.getAttribute('aria-label') ?? '';
          if (!bars.includes(words)) bars.push(words);
        }
      }).observe(document.body, { subtree: true, childList: true, attributes: true });
    });
    await page.getByRole('main').getByRole('button', { name: 'Rebuild', exact: true }).click();
    const asked = page.getByRole('dialog', { name: 'Rebuild the index?' });
    await expect(asked).toContainText(`from your ${said} messages`);
    await asked.getByRole('button', { name: 'Rebuild', exact: true }).click();
    await expect
      .poll(() => page.evaluate(() => (globalThis as unknown as { bars?: string[] }).bars))
      .toContain('Rebuilding the index');
    await expect(
      page.getByRole('main').getByRole('progressbar', { name: 'Rebuilding the index' }),
    ).toHaveCount(0);
    await remembered(page, 'words');
    await expect(figure('Memory index')).toHaveText([SIZE, `${said} messages`]);
    await page.getByRole('button', { name: 'New conversation' }).first().click();
    const outcome = await command(page, '/recall why is my sourdough flat');
    await expect(
      outcome.getByRole('button', { name: 'Open the message in “Sourdough that stays flat”' }).first(),
    ).toBeVisible();
  });
});

/** Makes page and workers see a browser that refuses OPFS. */
const NO_OPFS =
  'StorageManager.prototype.getDirectory = () => Promise.reject(new DOMException("refused", "SecurityError"));\n';

test('where the browser refuses OPFS the interface says which storage is in use, and recall works there', async ({
  page,
}) => {
  const app = await host((path) => (/^\/assets\/[^?]*\.js/.test(path) ? { before: NO_OPFS } : undefined));
  try {
    await openApp(page, `${app.url}/?console`);
    await importThroughDialog(page, [
      asFile('conversations.json', chatgptHistory(HISTORY.slice(0, 1)), 'application/json'),
    ]);
    await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click();
    await expect(page.getByText(/^In use now: /)).toHaveText('In use now: IndexedDB');
    await remembered(page, 'words');
    await page.getByRole('button', { name: 'New conversation' }).first().click();
    const outcome = await command(page, '/recall restic snapshots');
    await expect(outcome).toContainText('restic every night at three');
  } finally {
    // Closes the page first: its requests would find no server.
    await page.close();
    app.close();
  }
});

for (const [locale, title, button, box] of [
  ['zh-CN', '有记忆的聊天', '新对话', '消息'],
  ['en-US', 'A chat that remembers', 'New conversation', 'Message'],
] as const)
  test(`a browser that speaks ${locale} is met in its language`, { tag: '@gate' }, async ({ browser }) => {
    const context = await browser.newContext({ locale });
    try {
      const page = await context.newPage();
      await openApp(page);
      await expect(page.getByRole('heading', { name: title })).toBeVisible();
      await expect(page.getByRole('button', { name: button }).first()).toBeVisible();
      await expect(page.getByRole('textbox', { name: box, exact: true })).toBeVisible();
      await expect(page.locator('html')).toHaveAttribute('lang', locale === 'zh-CN' ? /^zh/ : /^en/);
    } finally {
      await context.close();
    }
  });

for (const [width, atLeast] of [
  [1280, 12],
  [390, 7],
] as const)
  test(`every place that Tab leads to on a first screen ${width} wide is drawn otherwise while it has the focus`, async ({
    page,
  }) => {
    await page.setViewportSize({ width, height: 800 });
    // No transitions between two looks.
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await openApp(page);
    await expect(page.getByRole('button', { name: /Just look around/ })).toBeVisible();
    /** The number of the focused element, counted in the order of first focus; null: none is focused. */
    const focused = () =>
      page.evaluate(() => {
        const tab = globalThis as unknown as { stops?: Element[] };
        tab.stops ??= [];
        const element = document.activeElement;
        if (!element || element === document.body) return null;
        if (!tab.stops.includes(element)) tab.stops.push(element);
        return tab.stops.indexOf(element);
      });
    /** Outline and shadow of an element; for the text field also the border of its box. */
    const drawn = (at: number) =>
      page.evaluate(async (at) => {
        await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
        const element = (globalThis as unknown as { stops: Element[] }).stops[at];
        if (!element) return { name: '', marks: '' };
        const { outlineStyle, outlineWidth, outlineColor, boxShadow } = getComputedStyle(element);
        // An outline of no width or colour does not count.
        const unseen =
          outlineStyle === 'none' || outlineWidth === '0px' || /, 0\)$|\/ 0\)$/.test(outlineColor);
        const outline = unseen ? 'none' : `${outlineStyle} ${outlineWidth} ${outlineColor}`;
        const box = element.matches('textarea') ? element.closest('form') : null;
        const border = box ? getComputedStyle(box).borderColor : '';
        const name = element.getAttribute('aria-label') ?? element.textContent?.trim() ?? '';
        return { name, marks: `${outline}, ${boxShadow}, ${border}` };
      }, at);
    const stops: { name: string; marks: string }[] = [];
    // Tab goes once around the page.
    for (let pressed = 0; pressed < 40; pressed++) {
      await page.keyboard.press('Tab');
      const at = await focused();
      if (at === null) continue;
      if (stops[at]) break;
      stops[at] = await drawn(at);
    }
    expect(stops.length, stops.map(({ name }) => name).join(', ')).toBeGreaterThanOrEqual(atLeast);
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    const unmarked: string[] = [];
    for (const [at, { name, marks }] of stops.entries())
      if ((await drawn(at)).marks === marks) unmarked.push(name);
    expect(unmarked).toEqual([]);
  });

test('what is typed right after the palette is called goes into it, also the first time', async ({
  page,
}) => {
  await openApp(page);
  // The page has drawn it before, closed.
  await expect
    .poll(() => page.evaluate(() => performance.getEntriesByName('recollect:palette').length))
    .toBeGreaterThan(0);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('brakes', { delay: 20 });
  await expect(page.getByRole('dialog').getByRole('combobox')).toHaveValue('brakes');
});
