// The page before the app's code is there: what the app is on a first visit, its frame later,
// nothing of it once the app is drawn.
import { expect, host, remembered, test } from './app.ts';

test.use({ firstStart: true });

/** Holds back the code of the app until it is let go. */
async function holdCode(page: import('@playwright/test').Page, code = /assets\/index-.*\.js$/) {
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route(code, async (route) => {
    await held;
    await route.continue();
  });
  return letGo;
}

test.describe('before the code is there', () => {
  // The service worker would answer in place of the route.
  test.use({ serviceWorkers: 'block' });

  test('a first visit reads what the app is, at the place where the app says it then', async ({ page }) => {
    const letGo = await holdCode(page);
    await page.goto('/', { waitUntil: 'commit' });
    const shell = page.locator('#first-paint');
    const title = shell.getByText('A chat that remembers');
    await expect(title).toBeVisible();
    const before = await title.boundingBox();
    letGo();
    await expect(shell).toHaveCount(0);
    const heading = page.getByRole('heading', { name: 'A chat that remembers' });
    await expect(heading).toBeVisible();
    const after = await heading.boundingBox();
    expect(Math.abs((before?.y ?? 0) - (after?.y ?? 99))).toBeLessThan(3);
    expect(Math.abs((before?.x ?? 0) - (after?.x ?? 99))).toBeLessThan(3);
  });

  test('a screen opens though the connection was lost on its file once', async ({ page }) => {
    let asked = 0;
    await page.route(/assets\/memory-screen-.*\.js$/, (route) => {
      asked += 1;
      return asked === 1 ? route.abort('connectionreset') : route.continue();
    });
    await page.goto('/memory');
    await expect(page.getByRole('heading', { name: 'Memory', exact: true }).first()).toBeVisible();
    expect(asked).toBe(2);
  });

  test('later it is the frame alone, and goes with the first screen', async ({ page }) => {
    await page.goto('/');
    await expect(page.getByRole('textbox', { name: 'Message' })).toBeVisible();
    const letGo = await holdCode(page);
    await page.goto('/', { waitUntil: 'commit' });
    const shell = page.locator('#first-paint');
    await expect(shell.getByPlaceholder('Message, or / for commands')).toBeVisible();
    await expect(shell.getByText('A chat that remembers')).toBeHidden();
    await page.goto('/settings/models', { waitUntil: 'commit' });
    await expect(shell).toBeVisible();
    await expect(shell.getByPlaceholder('Message, or / for commands')).toBeHidden();
    letGo();
    await expect(shell).toHaveCount(0);
    await expect(page.getByRole('heading', { name: 'Settings' }).first()).toBeVisible();
  });

  test('what is written before is in the composer then, and sent where Enter was pressed', {
    tag: '@gate',
  }, async ({ page }) => {
    const early = page.getByRole('textbox', { name: 'Start writing' });
    const composer = page.getByRole('textbox', { name: 'Message' });
    // The same on a first visit.
    const first = await holdCode(page);
    await page.goto('/', { waitUntil: 'commit' });
    await expect(early).toBeFocused();
    await page.keyboard.type('A thought');
    first();
    await expect(composer).toHaveValue('A thought');
    await expect(composer).toBeFocused();
    await expect(early).toHaveCount(0);
    await page.keyboard.type(' of mine');
    await expect(composer).toHaveValue('A thought of mine');
    await composer.fill('');

    const later = await holdCode(page);
    await page.goto('/', { waitUntil: 'commit' });
    await early.fill('What is written early');
    await early.press('Enter');
    later();
    await expect(page.getByRole('article', { name: 'You' })).toContainText('What is written early');
    await expect(composer).toHaveValue('');
    const conversation = page.url();
    expect(conversation).toContain('/c/');

    // The conversation is read after its screen is there: the field stays until then.
    const again = await holdCode(page, /assets\/opened-conversation-.*\.js$/);
    await page.goto(conversation, { waitUntil: 'commit' });
    await early.pressSequentially('And then');
    await expect(page.getByRole('complementary', { name: 'Sidebar' })).toBeVisible();
    await early.pressSequentially(' another');
    again();
    await expect(composer).toHaveValue('And then another');
    // The placeholder goes on pages that do not replace it.
    await page.goto('/settings/models');
    await expect(page.getByRole('heading', { name: 'Settings' }).first()).toBeVisible();
    await expect(page.locator('#first-paint')).toHaveCount(0);
  });

  test('a word that an input method is composing is finished before the composer takes it', async ({
    page,
  }) => {
    const early = page.getByRole('textbox', { name: 'Start writing' });
    const composer = page.getByRole('textbox', { name: 'Message' });
    const letGo = await holdCode(page);
    await page.goto('/', { waitUntil: 'commit' });
    await expect(early).toBeFocused();
    const input = await page.context().newCDPSession(page);
    await input.send('Input.imeSetComposition', { text: 'ni', selectionStart: 2, selectionEnd: 2 });
    letGo();
    await expect(page.getByRole('complementary', { name: 'Sidebar' })).toBeVisible();
    await expect(composer).toBeAttached();
    await expect(early).toHaveValue('ni');
    await input.send('Input.insertText', { text: '你好' });
    await expect(composer).toHaveValue('你好');
    await expect(composer).toBeFocused();
    await expect(early).toHaveCount(0);
  });

  for (const keptBack of ['body', 'styles'] as const)
    test(`the app waits for the rest of its page: ${keptBack}`, async ({ page }) => {
      // The code came and the page had a turn to run it, which it should not yet.
      const until = page
        .waitForEvent('requestfinished', (request) => /index-[^/]*\.js$/.test(request.url()))
        .then(() => page.evaluate(() => new Promise((resolve) => setTimeout(resolve))));
      const slow = await host((path) => {
        if (keptBack === 'body' ? path === '/' : path.endsWith('.css'))
          return { from: keptBack === 'body' ? '</head>' : '', until };
        return undefined;
      });
      try {
        // On a later visit the page requests its code first.
        await page.addInitScript(() => localStorage.setItem('recollect.first-paint', 'page'));
        // Whether the styles were there when the app drew for the first time.
        const drawn: boolean[] = [];
        await page.exposeFunction('drawn', (styled: boolean) => drawn.push(styled));
        await page.addInitScript(() =>
          new MutationObserver((_, watching) => {
            if (!document.querySelector('#root button')) return;
            watching.disconnect();
            const { drawn } = globalThis as unknown as { drawn(styled: boolean): void };
            drawn([...document.styleSheets].some((sheet) => sheet.href?.includes('/assets/')));
          }).observe(document, { childList: true, subtree: true }),
        );
        await page.goto(slow.url, { waitUntil: 'commit' });
        await expect(page.getByRole('textbox', { name: 'Message' })).toBeVisible();
        expect(drawn).toEqual([true]);
      } finally {
        slow.close();
      }
    });

  test('index and model wait for the screen, but not who looks for something', { tag: '@gate' }, async ({
    page,
  }) => {
    const letGo = await holdCode(page, /assets\/conversation-screen-.*\.js$/);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    const ofMemory = () =>
      asked.filter((url) =>
        /assets\/(worker|local|engine\.worker|embedding\.worker)-|pglite|models\//.test(url),
      );
    await page.goto('/?console');
    // The list is read and the frame is drawn: only the screen is missing.
    await expect
      .poll(() => page.evaluate(() => globalThis.recollect?.app.documents.library.get().ready))
      .toBe(true);
    await expect(page.getByRole('complementary', { name: 'Sidebar' })).toBeVisible();
    await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
    expect(ofMemory()).toEqual([]);
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByRole('combobox').fill('key');
    await expect.poll(ofMemory).toContainEqual(expect.stringContaining('engine.worker'));
    await page.keyboard.press('Escape');
    letGo();
    await expect(page.getByRole('textbox', { name: 'Message' })).toBeVisible();
    await remembered(page, 'words');
  });

  test('who can type has not waited for what is wanted later', { tag: '@gate' }, async ({ page }) => {
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.addInitScript(() => {
      const ran: string[] = [];
      const note = ({ target }: Event) => target instanceof HTMLScriptElement && ran.push(target.src);
      document.addEventListener('load', note, { capture: true });
      Object.assign(globalThis, { ran });
    });
    // Records the stack of each error in the page; the file that caused it comes last.
    await page.addInitScript(() => {
      const made: string[] = [];
      const origin = () => made.push(new TypeError().stack?.trim().split('\n').at(-1) ?? '');
      globalThis.Error = new Proxy(Error, {
        apply: (target, self, given) => {
          origin();
          return Reflect.apply(target, self, given);
        },
        construct: (target, given, made) => {
          origin();
          return Reflect.construct(target, given, made);
        },
      });
      Object.assign(globalThis, { made });
    });
    await page.goto('/');
    await expect(page.getByRole('textbox', { name: 'Message' })).toBeEditable();
    const start = await page.evaluate(() => ({
      painted: performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
      app: performance.getEntriesByType('resource').find(({ name }) => /index-[^/]*\.js$/.test(name))
        ?.startTime,
      made: (globalThis as { made?: string[] }).made,
      ran: (globalThis as { ran?: string[] }).ran,
    }));
    // Each file runs in a task of its own, after those it imports: else the first that is there runs them all in one.
    expect(
      start.ran?.flatMap((src) => /assets\/([\w-]+?)-[\w-]{8}\.js$/.exec(src)?.[1] ?? []).slice(0, 5),
    ).toEqual(['rolldown-runtime', 'react', 'libraries', 'domain', 'index']);
    // On a first visit the app's code does not compete with the first paint for bandwidth.
    expect(start.app).toBeGreaterThan(start.painted ?? Number.POSITIVE_INFINITY);
    // React and Yjs make some; the whole file would be read again for it where a debugger looks on (decision 1109).
    expect(start.made?.some((frame) => /\/react-/.test(frame))).toBe(true);
    expect(start.made?.filter((frame) => /^\s*at http\S*\/(?:index|libraries|domain)-/.test(frame))).toEqual(
      [],
    );
    const before = asked.filter((url) => url.endsWith('.js'));
    expect(before).not.toEqual([]);
    const later =
      /assets\/(importing|exporting|samples|config-file|opened-conversation|context-service|turn-steps|recalling|turn-recall|forget-service|between-answers)-/;
    // Loaded ahead, but behind what one types with.
    const screen = before.findIndex((url) => url.includes('conversation-screen-'));
    expect(before.slice(0, screen + 1).filter((url) => later.test(url))).toEqual([]);
    // Each file costs a round trip, and a small one takes a share of the line from the large ones (decision 1112).
    const shared = before.filter((url) => /assets\//.test(url)).slice(0, 5);
    expect(shared.map((url) => /([\w-]+?)-[\w-]{8}\.js$/.exec(url)?.[1]).sort()).toEqual([
      'domain',
      'index',
      'libraries',
      'react',
      'rolldown-runtime',
    ]);
    expect(before.slice(0, screen + 1).length).toBeLessThan(10);
    await expect.poll(() => asked.some((url) => url.includes('opened-conversation-'))).toBe(true);
  });
});
