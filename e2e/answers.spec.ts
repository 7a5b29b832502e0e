// Questions and answers in detail: other wordings, thoughts, code, pictures, refusals, and script in words.

import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect as connectTo, createServer } from 'node:net';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { type ScriptedModelServer, startScriptedModel } from '../test/server/scripted-model.ts';
import {
  asFile,
  chatgptHistory,
  doneImporting,
  ended,
  expect,
  importThroughDialog,
  openApp,
  saved,
  test,
} from './app.ts';

let server: ScriptedModelServer;
test.beforeAll(async () => {
  server = await startScriptedModel();
});
test.afterAll(() => server.close());
test.beforeEach(() => server.reset());

/** Opens the form for an endpoint at any address as a person does. */
async function endpointForm(page: Page): Promise<Locator> {
  await openApp(page);
  await page
    .getByRole('button', { name: /Connect a model/ })
    .first()
    .click();
  await page.getByRole('button', { name: /Other service/ }).click();
  return page.getByRole('dialog');
}

/** A new conversation with a model of the scripted server, connected by the console. */
async function connect(page: Page): Promise<void> {
  await openApp(page);
  await page.evaluate(async (baseUrl) => {
    const settings = globalThis.recollect?.app.settings;
    await settings?.saveEndpoint(
      { id: 'scripted', label: 'Scripted', baseUrl, models: ['plain'] },
      'sk-test',
    );
    await settings?.choose({ endpointId: 'scripted', model: 'plain' });
  }, server.baseUrl);
  await expect(page.getByRole('button', { name: 'Model: plain' })).toBeVisible();
}

const composer = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });
const asked = (page: Page) => page.getByRole('article', { name: 'You' });
const answers = (page: Page) => page.getByRole('article', { name: 'Answer' });
/** Waits until no answer is being written any more. */
async function say(page: Page, words: string): Promise<void> {
  await composer(page).fill(words);
  await composer(page).press('Enter');
}

test('an earlier message in other words makes a branch; the switcher leads back to the old words and all that followed', async ({
  page,
}) => {
  await connect(page);
  server.answer(({ messages }) => ({
    steps: [{ text: `This answers: ${JSON.stringify(messages.at(-1)?.content)}` }, { finish: 'stop' }],
  }));
  const exchanges = ['Where do cranes sleep?', 'And when do they leave?'];
  for (const [at, words] of exchanges.entries()) {
    await say(page, words);
    await expect(answers(page).nth(at)).toContainText(`This answers: "${words}"`);
    await ended(page);
  }

  const first = asked(page).first();
  await first.hover();
  await first.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByRole('textbox', { name: 'Edit the message' }).fill('Where do herons sleep?');
  await page.getByRole('button', { name: 'Save and ask again' }).click();
  await expect(answers(page)).toHaveText([/This answers: "Where do herons sleep\?"/]);
  await ended(page);
  await expect(asked(page)).toHaveText([/Where do herons sleep\?/]);
  // Neither the old words nor what followed them went to the model.
  const sent = JSON.stringify(
    server.chats().filter(({ messages }) => JSON.stringify(messages).includes('herons')),
  );
  expect(sent).toContain('Where do herons sleep?');
  for (const words of exchanges) expect(sent).not.toContain(words);

  const place = first.getByRole('status');
  await expect(place).toHaveText('2 / 2');
  await first.getByRole('button', { name: 'Previous branch' }).click();
  await expect(place).toHaveText('1 / 2');
  for (const [at, words] of exchanges.entries()) {
    await expect(asked(page).nth(at)).toContainText(words);
    await expect(answers(page).nth(at)).toContainText(`This answers: "${words}"`);
  }
  await expect(page.getByRole('article').filter({ hasText: 'herons' })).toHaveCount(0);
  await first.getByRole('button', { name: 'Next branch' }).click();
  await expect(place).toHaveText('2 / 2');
  await expect(answers(page)).toHaveText([/herons/]);
});

test('what the model thinks is folded and opens on a click; code has colours, and is copied as it is', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await connect(page);
  const code = [
    '// The area of a <circle> & "nothing" else.',
    'export function area(radius: number): number {',
    '  return Math.PI * radius ** 2;',
    '}',
  ].join('\n');
  server.next({
    steps: [
      { reasoning: 'Circles are ' },
      { reasoning: 'round, so pi it is.' },
      { gate: true },
      { text: `Here it is:\n\n\`\`\`ts\n${code}\n\`\`\`\n\nThat is all.` },
      { finish: 'stop' },
    ],
  });
  await say(page, 'How large is a circle?');
  const answer = answers(page).last();
  const thought = answer.getByText('Circles are round, so pi it is.');
  const thinking = answer.getByRole('button', { name: 'Thinking · 7 words' });
  await expect(thinking).toHaveAttribute('aria-expanded', 'false');
  await expect(thought).toBeHidden();
  server.go();
  await expect(answer).toContainText('That is all.');
  await ended(page);
  const line = answer.getByRole('button', { name: 'Thought · 7 words' });
  await expect(line).toHaveAttribute('aria-expanded', 'false');
  await expect(thought).toBeHidden();
  await line.click();
  await expect(thought).toBeVisible();
  await line.click();
  await expect(thought).toBeHidden();

  // Colours appear once the language's grammar is loaded.
  const colours = () =>
    answer.locator('pre span').evaluateAll((spans) => {
      const tokens = spans.filter((span) => span.childElementCount === 0 && span.textContent?.trim());
      return new Set(tokens.map((token) => getComputedStyle(token).color)).size;
    });
  await expect.poll(colours).toBeGreaterThan(1);
  await answer.getByRole('button', { name: 'Copy code' }).click();
  // The line break before the closing fence may be copied: Markdown counts it as code.
  const copied = () => page.evaluate(async () => (await navigator.clipboard.readText()).replace(/\n$/, ''));
  await expect.poll(copied).toBe(code);
});

test('a picture that was picked is shown before and after sending, and the model is sent its bytes', {
  tag: '@gate',
}, async ({ page }) => {
  await connect(page);
  const picture = join(import.meta.dirname, '../public/icons/icon-192.png');
  const choosing = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Attach files' }).click();
  await (await choosing).setFiles(picture);
  // A broken picture has no natural width.
  const width = (image: Locator) =>
    image.evaluate((element) => (element as HTMLImageElement).naturalWidth).catch(() => 0);
  const attached = page.getByRole('list', { name: 'Attached files' }).getByRole('listitem');
  await expect(attached).toContainText('icon-192.png');
  await expect(attached.locator('img')).toBeVisible();
  await expect.poll(() => width(attached.locator('img'))).toBe(192);

  await say(page, 'What is in this picture?');
  const shown = asked(page).getByRole('img', { name: 'icon-192.png' });
  await expect(shown).toBeVisible();
  await expect.poll(() => width(shown)).toBe(192);
  await expect(attached).toHaveCount(0);
  await expect(answers(page).last()).toContainText('The backup runs every night at three.');
  expect(server.chats()[0]?.messages.at(-1)).toMatchObject({
    role: 'user',
    content: expect.arrayContaining([
      { type: 'text', text: 'What is in this picture?' },
      {
        type: 'image_url',
        image_url: { url: `data:image/png;base64,${readFileSync(picture, 'base64')}` },
      },
    ]),
  });
});

test('the test of a connection says what is wrong: the key, the address, the pace, CORS, or nobody there', async ({
  page,
}) => {
  const gone = await startScriptedModel();
  await gone.close();
  const dialog = await endpointForm(page);
  const refusal = dialog.getByRole('alert');
  const tryOut = async (url: string, key: string) => {
    await dialog.getByLabel('Base URL').fill(url);
    await dialog.getByLabel('Key', { exact: true }).fill(key);
    await dialog.getByRole('button', { name: 'Test connection' }).click();
  };
  const expectSentences = async (...sentences: string[]) => {
    for (const sentence of sentences)
      await expect(refusal.getByText(sentence, { exact: true })).toBeVisible();
  };

  await tryOut(server.baseUrl, 'wrong-key');
  await expectSentences(
    'The service does not accept this key (401).',
    'Check that the key was copied in full, belongs to this service and has not been revoked.',
  );
  await tryOut(server.baseUrl, 'busy-key');
  await expectSentences('Too many requests (429).', 'Try again in 7 seconds.');
  await tryOut(gone.baseUrl, 'sk-test');
  await expectSentences(
    'The service cannot be reached.',
    'Check the network and the address. A model on this computer must be running.',
  );
  server.setCors(false);
  await tryOut(server.baseUrl, 'sk-test');
  await expectSentences('The service is there, but it does not allow web pages to talk to it (CORS).');
  await expect(refusal).toContainText('Allow this page there.');
  server.setCors(true);
  await tryOut(server.origin, 'sk-test');
  await expectSentences(
    'There is nothing at this address, or the service does not know this model (404).',
    'Check the base URL: it often ends in /v1.',
  );
  // The refusal offers the address that works.
  await refusal.getByRole('button', { name: `Use ${server.baseUrl}` }).click();
  await expect(dialog.getByRole('status').getByText(/^It works: \d+ models/)).toBeVisible();
  await expect(dialog.getByLabel('Base URL')).toHaveValue(server.baseUrl);
  await expect(refusal).toHaveCount(0);
});

test('pages that an answer rests on stand under it, also after a reload', async ({ page }) => {
  await connect(page);
  const cited = {
    choices: [
      {
        delta: {
          content: 'At three [1].',
          annotations: [
            {
              type: 'url_citation',
              url_citation: { url: 'https://docs.example.com/backup', title: 'Backups' },
            },
          ],
        },
      },
    ],
    citations: ['https://docs.example.com/backup', 'https://b.example.org/x', 'javascript:alert(1)'],
  };
  server.next({ steps: [{ raw: `data: ${JSON.stringify(cited)}\n\n` }, { finish: 'stop' }] });
  await say(page, 'When is the backup?');
  for (const again of [false, true]) {
    if (again) {
      await ended(page);
      await page.reload();
    }
    const sources = answers(page).last().getByRole('region', { name: 'Sources' }).getByRole('link');
    await expect(sources).toHaveText(['1Backupsdocs.example.com', '2b.example.org']);
    await expect(sources.first()).toHaveAttribute('href', 'https://docs.example.com/backup');
    await expect(sources.first()).toHaveAttribute('rel', /noopener noreferrer/);
  }
});

test('a model that takes no images is asked without them, and the picture stays', async ({ page }) => {
  await connect(page);
  const choosing = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Attach files' }).click();
  await (await choosing).setFiles(join(import.meta.dirname, '../public/icons/icon-192.png'));
  await expect(page.getByRole('list', { name: 'Attached files' }).locator('img')).toBeVisible();
  server.answer(({ messages }) =>
    JSON.stringify(messages).includes('image_url')
      ? {
          status: 404,
          body: { error: { message: 'No endpoints found that support image input', code: 404 } },
        }
      : undefined,
  );
  await say(page, 'What is in this picture?');
  await expect(page.getByRole('alert')).toContainText('This model takes no images.');
  await page.getByRole('button', { name: 'Send without images' }).click();
  await expect(answers(page).last()).toContainText('The backup runs every night at three.');
  await expect(page.getByRole('alert')).toHaveCount(0);
  await expect(asked(page).getByRole('img', { name: 'icon-192.png' })).toBeVisible();
  expect(server.chats().at(-1)?.messages.at(-1)?.content).toContain('[image: icon-192.png]');
  // The app remembers the refusal: the next question does not fail first.
  const before = server.chats().length;
  await say(page, 'And now?');
  await expect(answers(page)).toHaveCount(2);
  await ended(page);
  expect(server.chats().length).toBe(before + 1);
});

test('script, handlers and javascript: links in an imported conversation run nothing', {
  tag: '@gate',
}, async ({ page }) => {
  await openApp(page);
  const words = [
    '<script>globalThis.pwned = 1</script>',
    '<img src="/nothing.png" onerror="globalThis.pwned = 2">',
    '[Press me](javascript:globalThis.pwned=3)',
    '<a href="javascript:globalThis.pwned=4">Press this</a>',
    'The end of it.',
  ].join('\n\n');
  await importThroughDialog(page, [
    asFile(
      'conversations.json',
      chatgptHistory([{ title: 'Sent by a stranger', turns: [words, words] }]),
      'application/json',
    ),
  ]);
  await doneImporting(page);
  await page
    .getByRole('link', { name: /Sent by a stranger/ })
    .first()
    .click();
  const answer = answers(page);
  await expect(answer).toContainText('The end of it.');
  // The app shows a person's words unchanged.
  await expect(asked(page)).toContainText('<script>globalThis.pwned = 1</script>');
  for (const link of ['Press me', 'Press this']) await answer.getByText(link).click();
  // Waits for a second missing picture, which began later, to fail.
  await page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const later = new Image();
        later.onerror = () => resolve();
        later.src = '/nothing.png?later';
      }),
  );
  expect(await page.evaluate(() => (globalThis as { pwned?: number }).pwned)).toBeUndefined();
  await expect(page.getByRole('article').locator('script, [onerror]')).toHaveCount(0);
  await expect(page.locator('a[href^="javascript:" i]')).toHaveCount(0);
});

/** The answer with these words, once it is saved. */
async function answered(page: Page, text: string): Promise<Locator> {
  const before = await answers(page).count();
  server.next({ steps: [{ text: `${text}\n\nThat is answer ${before + 1}.` }, { finish: 'stop' }] });
  await say(page, 'Go on');
  await expect(answers(page).nth(before)).toContainText(`That is answer ${before + 1}.`);
  await ended(page);
  return answers(page).nth(before);
}

test('an answer is shown and copied as it was said: code, prices, tags, addresses, directions, tasks', {
  tag: '@gate',
}, async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await connect(page);
  const code = 'export PATH=$HOME/bin:$PATH';
  const answer = await answered(
    page,
    [
      `1. so\n\n   ~~~sh\n   ${code}\n   ~~~`,
      '每天2~3次，$AAPL/$MSFT，**注意：**请看https://example.com/docs/guide。然后继续',
      'Replace <your-api-key> in List<String>; $x^2$ stays \\\\[sic\\\\].',
      '- [x] done\n- [ ] open',
      'مرحبا بالعالم',
    ].join('\n\n'),
  );
  await expect(answer.locator('pre')).toHaveText(code);
  await answer.getByRole('button', { name: 'Copy code' }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(code);
  await expect(answer).toContainText('每天2~3次，$AAPL/$MSFT，注意：请看');
  await expect(answer.locator('strong')).toHaveText('注意：');
  await expect(answer.getByRole('link')).toHaveAttribute('href', 'https://example.com/docs/guide');
  await expect(answer).toContainText('Replace <your-api-key> in List<String>;');
  await expect(answer).toContainText('stays \\[sic\\].');
  await expect(answer.locator('.katex')).toHaveCount(1);
  await expect(answer.getByRole('checkbox', { name: 'Done', exact: true })).toBeChecked();
  await expect(answer.getByRole('checkbox', { name: 'Not done' })).not.toBeChecked();
  await expect(answer.getByText('مرحبا')).toHaveCSS('direction', 'rtl');
  await composer(page).fill('שלום');
  await expect(composer(page)).toHaveCSS('direction', 'rtl');
  await composer(page).fill('');
});

test('a footnote jumps within its answer and back, in each of two answers', async ({ page }) => {
  await connect(page);
  for (const name of ['first', 'second']) {
    const answer = await answered(page, `So it is.[^1] Again.[^1]\n\n[^1]: The ${name} note.`);
    const call = answer.getByRole('link', { name: 'Footnote 1', exact: true }).last();
    await call.click();
    const note = answer.getByRole('listitem').filter({ hasText: `The ${name} note.` });
    await expect(note).toBeFocused();
    await note.getByRole('link', { name: 'Back to reference 2' }).click();
    await expect(call).toBeFocused();
  }
  expect(page.context().pages()).toHaveLength(1);
  expect(new URL(page.url()).hash).toBe('');
});

test('a preview draws Mermaid, and HTML that runs and reaches neither the network nor the page', async ({
  page,
}) => {
  await connect(page);
  const outside = `${server.baseUrl}/models`;
  const answer = await answered(
    page,
    [
      '```mermaid\nflowchart LR\n  A[Start] --> B[End]\n```',
      `\`\`\`html
<p id="said">waiting</p>
<img src="${outside}?image"><link rel="stylesheet" href="${outside}?style"><iframe src="${outside}?frame"></iframe>
<script>
  const refused = async (act) => { try { await act(); return false; } catch { return true; } };
  (async () => {
    const all = await Promise.all([
      refused(() => fetch('${outside}?fetch')),
      refused(() => fetch('/index.html')),
      refused(() => parent.document.body),
      refused(() => top.document.body),
      refused(() => localStorage.length),
      refused(() => { top.location = '${outside}?top'; }),
    ]);
    document.getElementById('said').textContent = 'refused: ' + all.join(' ');
    navigator.sendBeacon?.('${outside}?beacon');
  })();
</script>
\`\`\``,
    ].join('\n\n'),
  );
  server.reset();
  await expect(answer.locator('iframe, img')).toHaveCount(0);
  const previews = answer.getByRole('button', { name: 'Preview' });
  await previews.first().click();
  const picture = answer.getByRole('img', { name: 'Diagram: flowchart' });
  await expect
    .poll(() => picture.evaluate((element) => (element as HTMLImageElement).naturalWidth))
    .toBeGreaterThan(50);
  // A diagram of two boxes keeps its size instead of filling the column.
  expect(await picture.evaluate((element) => element.clientWidth)).toBeLessThan(450);
  await previews.last().click();
  const inner = answer.frameLocator('iframe').frameLocator('iframe');
  await expect(inner.locator('#said')).toHaveText('refused: true true true true true true');
  await inner.locator('#said').evaluate((_, to) => {
    location.href = to;
  }, `${outside}?self`);
  await expect(inner.locator('#said')).toHaveCount(0);
  expect(server.requests).toEqual([]);
  await answer.getByRole('button', { name: 'Show the code' }).last().click();
  await expect(answer.locator('pre').last()).toContainText('waiting');
});

test('a preview connects to nobody for a link, a refresh or a frame, and links and forms work within it', async ({
  page,
}) => {
  const reached: string[] = [];
  const listener = createServer((socket) => {
    reached.push('connected');
    socket.on('error', () => undefined).destroy();
  });
  await once(listener.listen(0, '127.0.0.1'), 'listening');
  const { port } = listener.address() as AddressInfo;
  const calls = createSocket('udp4').on('message', () => reached.push('called'));
  await once(calls.bind(port, '127.0.0.1'), 'listening');
  const away = `http://127.0.0.1:${port}`;
  const call = `const c = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${port}' }] }); c.createDataChannel('x'); c.createOffer().then((offer) => c.setLocalDescription(offer))`;
  await connect(page);
  const answer = await answered(
    page,
    `\`\`\`html
<link rel="preconnect" href="${away}"><meta http-equiv="refresh" content="0;url=${away}/refresh">
<a href="#far">Contents</a> <a href="${away}/link">Away</a>
<form action="${away}/form"><button>Add</button></form><ul></ul>
<iframe src="${away}/frame"></iframe><iframe src="javascript:${call}"></iframe>
<div><template shadowrootmode="closed"><iframe src="javascript:${call}"></iframe></template></div>
<div style="height: 3000px"></div><h2 id="far">Far</h2><div id="host"></div>
<script>
  const frameOf = () => Object.assign(document.createElement('iframe'), { srcdoc: "<script>${call}<" + "/script>" });
  document.body.append(frameOf());
  host.attachShadow({ mode: 'closed' }).append(frameOf());
  document.write('<p><template shadowroo');
  document.write('tmode="closed"><iframe src="javascript:${call.replaceAll("'", '&#39;')}"></iframe></template></p>');
  const form = document.forms[0];
  form.addEventListener('submit', () => { document.querySelector('ul').innerHTML += '<li>Added</li>'; });
  form.submit();
</script>
\`\`\``,
  );
  await answer.getByRole('button', { name: 'Preview' }).click();
  const inner = answer.frameLocator('iframe').frameLocator('iframe');
  await inner.getByRole('button', { name: 'Add' }).click();
  await expect(inner.getByRole('listitem')).toHaveText(['Added']);
  await inner.getByRole('link', { name: 'Away' }).click();
  await inner.getByRole('link', { name: 'Contents' }).click();
  await expect(inner.getByRole('heading', { name: 'Far' })).toBeInViewport();
  await expect(inner.locator('iframe')).toHaveCount(0);
  // An earlier connection would arrive before this one.
  const last = connectTo(port, '127.0.0.1');
  await once(last, 'connect');
  await expect.poll(() => reached).toContain('connected');
  expect(reached).toEqual(['connected']);
  last.destroy();
  listener.close();
  calls.close();
});

test('what a model keeps with its tool stands among the memory notes as the model’s, and leads to where it was said', async ({
  page,
}) => {
  await connect(page);
  const note = 'This person moors the boat at jetty nine.';
  server.next(
    {
      steps: [
        { call: { id: 'call_1', name: 'remember', arguments: JSON.stringify({ note }) } },
        { finish: 'tool_calls' },
      ],
    },
    { steps: [{ text: 'I shall keep that in mind.' }, { finish: 'stop' }] },
  );
  await say(page, 'From now on my boat lies at jetty nine.');
  await expect(answers(page).last()).toContainText('I shall keep that in mind.');
  await ended(page);
  // The tool's result says that the note is saved.
  expect(server.chats()[1]?.messages.at(-1)).toMatchObject({
    role: 'tool',
    tool_call_id: 'call_1',
    content: expect.stringMatching(/^Kept /),
  });
  await saved(page);

  await page.goto('/memory?console');
  await page
    .getByRole('navigation', { name: 'Parts of memory' })
    .getByRole('button', { name: 'What it knows' })
    .click();
  const kept = page.getByRole('main').getByRole('listitem').filter({ hasText: note });
  await expect(kept).toHaveCount(1);
  await expect(kept).toContainText('written by the model');
  await kept.getByRole('button', { name: 'where it comes from' }).click();
  await expect(page).toHaveURL(/\/c\//);
  await expect(asked(page)).toContainText('From now on my boat lies at jetty nine.');
});

test('connections that two tabs make at the same time are two, each with its own address and key', async ({
  page,
  context,
}) => {
  const other = await context.newPage();
  const begun = async (tab: Page, name: string, url: string) => {
    const dialog = await endpointForm(tab);
    await dialog.getByLabel('Base URL').fill(url);
    await dialog.getByLabel('Key', { exact: true }).fill(`sk-${name}`);
    await dialog.getByLabel('Model that answers').fill('plain');
    await dialog.getByLabel('Name', { exact: true }).fill(name);
    return dialog;
  };
  // The address as documentation shows it, with its path.
  const first = await begun(page, 'first', `${server.baseUrl}/chat/completions`);
  const second = await begun(other, 'second', server.baseUrl);
  for (const [tab, dialog] of [
    [page, first],
    [other, second],
  ] as const) {
    // A tab in the background draws no animation.
    await tab.bringToFront();
    await dialog.getByRole('button', { name: 'Save and use' }).click();
    await expect(dialog).toBeHidden();
  }
  for (const name of ['first', 'second'])
    await expect(other.getByRole('button', { name: `Edit: ${name}` })).toBeVisible();

  const answeredWith = async (name: string) => {
    server.reset();
    await openApp(other);
    await other.evaluate(async (label) => {
      const settings = globalThis.recollect?.app.settings;
      const endpoint = settings?.connections.get().endpoints.find((one) => one.label === label);
      if (endpoint) await settings?.choose({ endpointId: endpoint.id, model: 'plain' });
    }, name);
    await say(other, 'When does the backup run?');
    await expect(answers(other).getByText('The backup runs every night at three.')).toBeVisible();
    expect(server.requests.find(({ path }) => path === '/v1/chat/completions')?.headers.authorization).toBe(
      `Bearer sk-${name}`,
    );
  };
  await answeredWith('first');
  await answeredWith('second');
});

test('a model that is typed while the connection is tested stays the one that answers', async ({ page }) => {
  let answer = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route(/\/v1\/models/, async (route) => {
    await held;
    await route.continue();
  });
  const dialog = await endpointForm(page);
  await dialog.getByLabel('Base URL').fill(server.baseUrl);
  await dialog.getByLabel('Key', { exact: true }).fill('sk-test');
  await dialog.getByRole('button', { name: 'Test connection' }).click();
  // A text field until the list of models is there.
  const model = dialog.getByRole('combobox', { name: 'Model that answers' });
  await model.fill('markdown');
  answer();
  await expect(dialog.getByRole('status').getByText(/^It works: \d+ models/)).toBeVisible();
  await expect(model).toHaveValue('markdown');
  await expect(model).toBeFocused();
  await dialog.getByRole('button', { name: 'Save and use' }).click();
  await page.getByRole('button', { name: 'New conversation' }).first().click();
  await expect(page.getByRole('button', { name: 'Model: markdown' })).toBeVisible();
});
