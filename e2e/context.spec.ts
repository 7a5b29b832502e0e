// What a model sees of a long conversation, through the interface: compaction and taking it back, plans,
// checkpoints, D-Mails, the branch map.
import type { Locator, Page } from '@playwright/test';
import {
  type ChatRequest,
  type Script,
  type ScriptedModelServer,
  startScriptedModel,
} from '../test/server/scripted-model.ts';
import { expect, goToSettings, holdToast, openApp, openContext, remembered, saved, test } from './app.ts';

let server: ScriptedModelServer;
test.beforeAll(async () => {
  server = await startScriptedModel();
});
test.afterAll(async () => {
  await server.close();
});
test.beforeEach(() => server.reset());

const say = (text: string): Script => ({ steps: [{ text }, { finish: 'stop' }] });
const wordsOf = (message: ChatRequest['messages'][number] | undefined): string =>
  typeof message?.content === 'string' ? message.content : JSON.stringify(message?.content ?? '');
const lastWords = (request: ChatRequest): string => wordsOf(request.messages.at(-1));
const asksForSummary = (request: ChatRequest): boolean => request.stream !== true || !request.tools;
/** Everything a request said, as one text. */
const allOf = (request: ChatRequest | undefined): string => JSON.stringify(request?.messages ?? []);

/** Connects the scripted server and sets what a test needs. */
async function connect(page: Page, config: Readonly<Record<string, unknown>> = {}): Promise<void> {
  await page.evaluate(
    async ({ baseUrl, config }) => {
      const settings = globalThis.recollect?.app.settings;
      await settings?.saveEndpoint(
        { id: 'scripted', label: 'Scripted', baseUrl, models: ['plain'] },
        'sk-test',
      );
      await settings?.choose({ endpointId: 'scripted', model: 'plain' });
      for (const [path, value] of Object.entries(config)) await settings?.set(path, value);
    },
    { baseUrl: server.baseUrl, config },
  );
}
/** The app with a model that says what it was asked. */
async function openEcho(page: Page): Promise<void> {
  await openApp(page);
  await connect(page);
  server.answer((request) => say(`Answer to: ${lastWords(request)}`));
}
/** A window that a few turns fill, and a model without tools, so that only the words count. */
const SMALL = {
  'context.window_tokens': 4000,
  // Other tests cover session memory by a model.
  'context.session_memory.by_model': false,
  'notes.propose_by_model': false,
  'context.keep_last_turns': 2,
  'tools.enabled': false,
  'recall.auto_recall.enabled': false,
};

const composer = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });
async function write(page: Page, words: string): Promise<void> {
  await composer(page).fill(words);
  await composer(page).press('Enter');
}
/** Sends and waits until the model was asked and its answer stands there. */
async function ask(page: Page, words: string): Promise<void> {
  const before = server.chats().length;
  await write(page, words);
  await expect
    .poll(() =>
      server
        .chats()
        .slice(before)
        .some((request) => allOf(request).includes(words)),
    )
    .toBe(true);
  const stop = page.getByRole('button', { name: 'Stop' });
  await expect(stop).toBeHidden();
  await expect(page.locator('[data-message-id]').last()).toHaveAccessibleName('Answer');
  // The empty page may still show the first question and has no such button; a step is not the end of an answer.
  await expect(stop).toBeHidden();
}
const meter = (page: Page) => page.getByRole('button', { name: /^Context: / });
const share = async (page: Page): Promise<number> =>
  Number(/(\d+) ?%/.exec((await meter(page).getAttribute('aria-label')) ?? '')?.[1] ?? Number.NaN);
const divider = (page: Page) => page.getByRole('region', { name: 'Shortened', exact: true });
/** Opens a summary; tries again where a message that just arrived moved the divider away from the press. */
const look = (where: Locator) =>
  expect(async () => {
    const closed = where.getByRole('button', { name: 'View', exact: true });
    if (await closed.isVisible()) await closed.click({ timeout: 2000 });
    await expect(closed).toHaveCount(0, { timeout: 3000 });
  }).toPass({ timeout: 60_000 });
const compactedMessages = (page: Page) => page.locator('article.compacted-edge');
/** Scrolls up from the end until the list has drawn the divider. */
async function toDivider(page: Page): Promise<void> {
  const list = page.getByRole('region', { name: 'Messages' });
  await list.evaluate((box) => {
    box.scrollTop = box.scrollHeight;
  });
  await expect(async () => {
    if ((await divider(page).count()) === 0)
      await list.evaluate((box) => {
        box.scrollTop -= box.clientHeight / 2;
      });
    await expect(divider(page).last()).toBeVisible({ timeout: 2000 });
  }).toPass({ timeout: 60_000 });
  await divider(page).last().scrollIntoViewIfNeeded();
}

/**
 * `first`: the message at the top, found by its words; until the list has scrolled, the first one drawn may be another.
 */
const toTop = (page: Page, first: Locator) =>
  expect(async () => {
    await page.getByRole('region', { name: 'Messages' }).evaluate((box) => {
      box.scrollTop = 0;
    });
    await expect(first).toBeInViewport({ timeout: 2000 });
  }).toPass({ timeout: 60_000 });

/** About 250 tokens that say something about a topic. */
const about = (topic: string): string =>
  Array.from(
    { length: 14 },
    (_, at) => `The ${topic} plan, part ${at + 1}: we measured it twice and wrote down what came of it.`,
  ).join(' ');
/** The same length in questions, which compaction does not carry word for word, as it does statements and decisions. */
const questionsOn = (topic: string): string =>
  Array.from(
    { length: 14 },
    (_, at) => `What became of part ${at + 1} of the ${topic} plan, which somebody measured twice?`,
  ).join(' ');
const TOPICS = ['harbour', 'orchard', 'railway', 'library', 'bakery', 'theatre', 'garden', 'museum'];

/** Talks until something was compacted by itself; returns how many questions that took. */
async function talkUntilCompacted(page: Page): Promise<number> {
  for (const [at, topic] of TOPICS.entries()) {
    await ask(page, `Tell me of the ${topic}. ${about(topic)}`);
    const made = await (await openContext(page)).getByText(/messages? shortened/).count();
    if (made > 0) return at + 1;
  }
  throw new Error('Nothing was shortened');
}
const longAnswers = (request: ChatRequest): Script =>
  say(
    asksForSummary(request) && /summar|compact/i.test(allOf(request))
      ? 'A summary by the model.'
      : `About ${lastWords(request).slice(0, 30)}: ${about('answer')}`,
  );

test('a long conversation is compacted by itself; the summary is read, reworded, undone, and made again later', {
  tag: ['@gate', '@talk-as-long-as-you-like'],
}, async ({ page }) => {
  await openApp(page);
  await connect(page, SMALL);
  server.answer(longAnswers);
  await ask(page, `Tell me first. My rule: never restart the harbour database. ${about('first')}`);
  await expect(meter(page)).toBeVisible();
  const questions = await talkUntilCompacted(page);
  expect(questions).toBeGreaterThan(1);
  await toDivider(page);
  await expect(divider(page)).toContainText(/Shortened \d+ messages: [\d,]+ → [\d,]+ tokens/);
  await expect.poll(() => share(page)).toBeLessThan(75);
  const sent = allOf(server.chats().at(-1));
  // The app no longer sends the first message as it is; it may quote what is close to the question.
  const asked = server.chats().at(-1)?.messages.map(wordsOf) ?? [];
  expect(asked.some((words) => words.startsWith('Tell me first.'))).toBe(false);
  // The person's own rule is still in it, word for word.
  expect(sent).toContain('never restart the harbour database');

  // Compacted messages are marked and still there to be read.
  await expect(compactedMessages(page).first()).toBeVisible();

  // The person reads the summary and rewords it.
  await look(divider(page));
  await expect(divider(page).getByText('What the model reads instead')).toBeVisible();
  await divider(page).getByRole('button', { name: 'Edit' }).click();
  const field = divider(page).getByRole('textbox');
  await field.fill('In my own words: the harbour comes first.');
  await divider(page).getByRole('button', { name: 'Save' }).click();
  await look(divider(page));
  await expect(divider(page).getByText('in your words')).toBeVisible();
  await ask(page, 'What comes first?');
  expect(allOf(server.chats().at(-1))).toContain('In my own words: the harbour comes first.');

  // Undone below newer messages, the app sends everything as it is again.
  await toDivider(page);
  await divider(page).getByRole('button', { name: 'Undo' }).click();
  await expect(divider(page)).toContainText('in full again');
  await expect(compactedMessages(page)).toHaveCount(0);
  // By key, because the list still moves while it measures the rows above.
  // A key does not wait for the button, which is disabled until the app has saved the undoing.
  const again = divider(page).getByRole('button', { name: 'Shorten again' });
  await expect(again).toBeEnabled();
  await again.press('Enter');
  await expect(divider(page)).toContainText(/Shortened \d+ messages/);

  // The new compaction survives a reload.
  await saved(page);
  await page.reload();
  await toDivider(page);
  await expect(divider(page)).toContainText(/Shortened \d+ messages/);
});

test('a summary by the model is made again with guidance', async ({ page }) => {
  await openApp(page);
  await connect(page, { ...SMALL, 'context.window_tokens': 16_000 });
  let summaries = 0;
  server.answer((request) => {
    if (!/current_focus/.test(allOf(request))) return longAnswers(request);
    summaries += 1;
    return say(
      `<current_focus>Summary number ${summaries}</current_focus>\n<environment></environment>\n<completed_tasks></completed_tasks>\n<active_issues></active_issues>\n<code_state></code_state>\n<important_context></important_context>`,
    );
  });
  for (const topic of TOPICS.slice(0, 4)) await ask(page, `Tell me of the ${topic}. ${about(topic)}`);
  await write(page, '/compact --strategy summary');
  await expect(divider(page)).toContainText(/Shortened \d+ messages/);
  await look(divider(page));
  await expect(divider(page)).toContainText('Summary number 1');
  await divider(page).getByRole('button', { name: 'Rewrite' }).click();
  await divider(page)
    .getByRole('textbox', { name: 'What should the summary keep?' })
    .fill('keep every port number');
  await divider(page).locator('form').getByRole('button', { name: 'Write it anew' }).click();
  await expect(divider(page).last()).toContainText(/Shortened \d+ messages/);
  await expect.poll(() => summaries).toBe(2);
  expect(allOf(server.chats().at(-1))).toContain('keep every port number');
  const inForce = divider(page).filter({ hasText: /Shortened \d+ messages/ });
  await expect(inForce).toHaveCount(1);
  await look(inForce);
  await expect(inForce).toContainText('Summary number 2');
  await expect(inForce).toContainText('keep every port number');
});

test('/compact --preview shows the plan; blocks are ticked by hand, then it is carried out', async ({
  page,
}) => {
  await openApp(page);
  await connect(page, { ...SMALL, 'context.window_tokens': 16_000 });
  server.answer(longAnswers);
  for (const topic of TOPICS.slice(0, 5)) await ask(page, `Tell me of the ${topic}. ${questionsOn(topic)}`);
  const before = server.chats().length;
  await write(page, '/compact --preview');
  const dialog = page.getByRole('dialog', { name: 'Shorten older messages' });
  await expect(dialog).toBeVisible();
  await expect(dialog).toContainText(/[\d,]+ → [\d,]+ tokens/);
  const harbour = dialog.getByRole('checkbox', { name: /harbour/ });
  const orchard = dialog.getByRole('checkbox', { name: /orchard/ });
  // The focus is in the guidance, not on the button that closes the dialog.
  await expect(dialog.getByRole('textbox', { name: 'Guidance' })).toBeFocused();
  await expect(harbour).not.toBeChecked();
  await expect(orchard).not.toBeChecked();
  await harbour.click();
  await expect(harbour).toBeChecked();
  // The second choice keeps the first.
  await orchard.click();
  await expect(orchard).toBeChecked();
  await expect(harbour).toBeChecked();
  await orchard.click();
  await expect(orchard).not.toBeChecked();
  await expect(harbour).toBeChecked();
  await dialog.getByRole('button', { name: 'Shorten', exact: true }).click();
  await expect(dialog).toBeHidden();
  await expect(divider(page)).toContainText(/Shortened \d+ messages/);
  expect(server.chats().length).toBe(before);
  await ask(page, 'Go on.');
  const sent = allOf(server.chats().at(-1));
  expect(sent).toContain('part 7 of the harbour plan');
  expect(sent).not.toContain('part 7 of the orchard plan');
});

test('a command that compacted in another way says so at once; one with nothing to compact says what stays', async ({
  page,
}) => {
  await openApp(page);
  await connect(page, { ...SMALL, 'context.window_tokens': 16_000 });
  server.answer((request) =>
    /current_focus/.test(allOf(request))
      ? { status: 400, body: { error: { message: 'no summaries today' } } }
      : longAnswers(request),
  );
  await ask(page, 'Hello?');
  await write(page, '/compact');
  await expect(page.getByRole('region', { name: '/compact', exact: true })).toContainText(
    'the newest messages stay as they are',
  );
  for (const topic of TOPICS.slice(0, 4)) await ask(page, `Tell me of the ${topic}. ${about(topic)}`);
  await write(page, '/compact --strategy summary');
  const outcome = page.getByRole('region', { name: '/compact --strategy summary' });
  await expect(outcome).toContainText(/Shortened \d+ messages/);
  await expect(outcome).toContainText('The summary by Summary did not work out');
  await expect(outcome).toContainText('Session memory was used instead');
});

test('what commands handed back makes room for the next answer, and opens again', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openEcho(page);
  await ask(page, 'One');
  await ask(page, 'Two');
  await write(page, '/checkpoint before the refactoring');
  await expect(page.getByText('Checkpoint “before the refactoring” is set')).toBeVisible();
  await write(page, '/checkpoints');
  const list = page.getByRole('region', { name: '/checkpoints', exact: true });
  await expect(list.getByText('turn-2')).toBeVisible();
  // A phone shows the whole name as well, because /restore needs it.
  const cut = () =>
    list.getByRole('listitem').evaluateAll((rows) =>
      rows.flatMap((row) => {
        const name = row.querySelector('[data-checkpoint]');
        return name && name.scrollWidth <= name.clientWidth ? [] : [row.textContent];
      }),
    );
  expect(await cut()).toEqual([]);
  await write(page, '/help');
  const help = page.getByRole('region', { name: '/help', exact: true });
  await expect(help.getByText('/recall', { exact: true })).toBeVisible();
  await ask(page, 'Three');
  await expect(page.getByRole('article').getByText('Answer to: Three')).toBeInViewport();
  await expect(help.getByText('/recall', { exact: true })).toBeHidden();
  await list.getByRole('button', { name: '/checkpoints' }).click();
  await expect(list.getByText('before the refactoring')).toBeVisible();
});

test('a message that is marked to be kept goes along word for word after compaction, until the mark is taken back', async ({
  page,
}) => {
  await openApp(page);
  await connect(page, { ...SMALL, 'context.window_tokens': 16_000 });
  server.answer(longAnswers);
  // A question, because compaction carries statements word for word even without a mark.
  const sentence = 'Does the parrot of the lighthouse answer to Ferdinand?';
  await ask(page, sentence);
  for (const topic of TOPICS.slice(0, 4)) await ask(page, `Tell me of the ${topic}. ${about(topic)}`);
  const first = page.getByRole('article', { name: 'You' }).filter({ hasText: sentence });
  const choose = async (name: string) => {
    await toTop(page, first);
    await first.hover();
    await first.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name, exact: true }).click();
  };
  /** Without what the app looked up for these words, which may be any message: another journey covers it. */
  const sentWith = async (words: string): Promise<string> => {
    await ask(page, words);
    const sent = (server.chats().at(-1)?.messages ?? []).map(wordsOf).join('\n');
    return sent.replace(/<earlier>\n.*?<\/earlier>/gs, '');
  };
  await write(page, '/compact --strategy sliding-window');
  await expect((await openContext(page)).getByText(/messages? shortened/)).toBeVisible();
  expect(await sentWith('Go on.')).not.toContain(sentence);
  await choose('Keep verbatim');
  await expect(first.getByText('Kept verbatim')).toBeVisible();
  expect(await sentWith('And on.')).toContain(sentence);
  await choose('Keep verbatim no longer');
  await expect(first.getByText('Kept verbatim')).toBeHidden();
  expect(await sentWith('And on again.')).not.toContain(sentence);
});

test('asked first: a turn waits for the plan, goes on without compaction or with it', async ({ page }) => {
  await openApp(page);
  await connect(page, { ...SMALL, 'context.confirm': true });
  server.answer(longAnswers);
  const dialog = page.getByRole('dialog', { name: 'Shorten older messages' });
  let at = 0;
  for (; at < TOPICS.length; at++) {
    await write(page, `Tell me of the ${TOPICS[at]}. ${about(TOPICS[at] ?? '')}`);
    const answered = page.getByRole('article', { name: 'Answer' }).last();
    await expect(dialog.or(answered.getByText(`About Tell me of the ${TOPICS[at]}`))).toBeVisible();
    if (await dialog.isVisible()) break;
    await expect(page.getByRole('button', { name: 'Stop' })).toBeHidden();
  }
  expect(at).toBeGreaterThan(1);
  await expect(dialog).toContainText('Your message is waiting');
  const asked = server.chats().length;
  await dialog.getByRole('button', { name: 'Send without shortening' }).click();
  await expect(dialog).toBeHidden();
  await expect.poll(() => server.chats().length).toBe(asked + 1);
  await expect(page.getByRole('button', { name: 'Stop' })).toBeHidden();
  await expect(divider(page)).toHaveCount(0);
  for (let seen = asked + 1; ; seen++) {
    await write(page, `And of the next one. ${about('next')}`);
    await expect.poll(async () => (await dialog.isVisible()) || server.chats().length > seen).toBe(true);
    if (await dialog.isVisible()) break;
    await expect(page.getByRole('button', { name: 'Stop' })).toBeHidden();
  }
  await dialog.getByRole('button', { name: 'Shorten', exact: true }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('button', { name: 'Stop' })).toBeHidden();
  await toDivider(page);
  await expect(divider(page)).toContainText(/Shortened \d+ messages/);
});

test('a checkpoint by its button and by command; back to it, undone; an unknown name lists the nearest', {
  tag: ['@gate', '@go-back'],
}, async ({ page }) => {
  await openEcho(page);
  await ask(page, 'One');
  await ask(page, 'Two');
  await write(page, '/checkpoint before the move');
  await expect(page.getByText('Checkpoint “before the move” is set')).toBeVisible();
  await ask(page, 'Three');
  const first = page.getByRole('article', { name: 'You' }).first();
  await first.hover();
  await first.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Set a checkpoint' }).click();
  await expect(page.getByText(/Checkpoint “checkpoint-\d” set/)).toBeVisible();

  // The list completes a name from its first letters.
  const message = page.getByRole('textbox', { name: 'Message' });
  await message.fill('/restore move');
  await expect(page.getByRole('option', { name: /before the move/ })).toContainText('Answer to: Two');
  await message.press('Enter');
  await expect(message).toHaveValue('/restore before the move ');
  await message.press('Enter');
  await expect(page.getByText('Back at “before the move”').first()).toBeVisible();
  await expect(page.getByRole('article').getByText('Answer to: Two')).toBeVisible();
  await expect(page.getByRole('article').getByText('Answer to: Three')).toBeHidden();
  await page
    .getByRole('region', { name: '/restore before the move' })
    .getByRole('button', { name: 'Undo' })
    .click();
  await expect(page.getByRole('article').getByText('Answer to: Three')).toBeVisible();

  await write(page, '/restore befor the mov');
  await expect(page.getByRole('region', { name: '/restore befor the mov' })).toContainText('before the move');

  await write(page, '/checkpoints');
  const list = page.getByRole('region', { name: '/checkpoints' });
  await expect(list).toContainText('before the move');
  await expect(list).toContainText(/checkpoint-\d/);
});

test('a D-Mail on a tool’s result asks for what changed only, and says what was saved; links lead both ways', async ({
  page,
}) => {
  await openApp(page);
  // A model that asks memory waits for half a minute only, and an index may take longer to open on a busy machine.
  await remembered(page, 'words');
  await connect(page, { 'recall.auto_recall.enabled': false });
  server.answer((request) => {
    const last = request.messages.at(-1);
    if (last?.role === 'tool') return say(`The tool said: ${wordsOf(last).slice(0, 60)}`);
    const words = lastWords(request);
    if (/look it up/.test(words))
      return {
        steps: [
          { text: 'Let me look. ' },
          { call: { id: 'call_1', name: 'recall', arguments: '{"query":"backup time"}' } },
          { finish: 'tool_calls' },
        ],
      };
    const seen = /four in the morning/.test(allOf(request)) ? 'four' : 'nothing';
    return say(`After ${seen}: ${words}`);
  });
  await ask(page, 'When is the backup? look it up');
  await expect(page.getByRole('article').getByText(/The tool said: Nothing was found/)).toBeVisible();
  await ask(page, 'And then?');
  const before = server.chats().length;
  expect(before).toBe(3);

  const sendBack = async (words: string) => {
    const step = page.getByRole('article', { name: 'Answer' }).nth(1);
    await step.hover();
    await step.getByRole('button', { name: 'More' }).first().click();
    await page.getByRole('menuitem', { name: 'Go back here with a note' }).click();
    const dialog = page.getByRole('dialog', { name: 'Go back here with a note' });
    await expect(dialog.getByRole('textbox', { name: /Replace the result of recall/ })).toBeFocused();
    await dialog.getByRole('textbox', { name: /Replace the result of recall/ }).fill(words);
    await dialog.getByRole('radio', { name: /Replay everything/ }).check();
    await dialog.getByRole('button', { name: 'Go back' }).click();
    await expect(dialog).toBeHidden();
  };
  await sendBack('The backup runs at four in the morning.');
  await expect(page.getByRole('article').getByText('After four: And then?')).toBeVisible();
  // The model repeats only the step that reads the result, not the one that called the tool.
  expect(server.chats().length).toBe(before + 2);
  await expect(page.getByText(/2 asked for/)).toBeVisible();

  // The mark leads to the other branch and back.
  await page.getByRole('button', { name: 'Note from a later branch' }).first().click();
  await expect(page.getByRole('article').getByText('After nothing: And then?')).toBeVisible();
  await page.getByRole('button', { name: 'You went back from here with a note' }).first().click();
  await expect(page.getByRole('article').getByText('After four: And then?')).toBeVisible();

  // With the old result again, the app knows everything that follows.
  await sendBack('Nothing was found.');
  await expect(page.getByText(/2 model calls saved/)).toBeVisible();
  expect(server.chats().length).toBe(before + 2);
  await expect(page.getByRole('article').getByText('After nothing: And then?')).toBeVisible();
  await expect(page.getByText('reused, no model call').first()).toBeVisible();
});

test('a D-Mail in other words, and one as a note: each goes on from its place; undo and the links lead back', async ({
  page,
}) => {
  await openEcho(page);
  await ask(page, 'One');
  await ask(page, 'Two');
  const said = (words: string | RegExp) => page.getByRole('article').getByText(words);
  const dialog = page.getByRole('dialog', { name: 'Go back here with a note' });
  const openSendBack = async (name: 'You' | 'Answer') => {
    const first = page.getByRole('article', { name }).first();
    await first.hover();
    await first.getByRole('button', { name: 'More' }).first().click();
    await page.getByRole('menuitem', { name: 'Go back here with a note' }).click();
  };

  await openSendBack('You');
  const wording = dialog.getByRole('textbox', { name: 'Reword this message' });
  await expect(wording).toBeFocused();
  await expect(wording).toHaveValue('One');
  await expect(dialog.getByRole('button', { name: 'Go back' })).toBeDisabled();
  await wording.fill('One, in other words');
  await dialog.getByRole('button', { name: 'Go back' }).click();
  // Checked before the answer, which may take longer than the offer stays.
  await expect(page.getByText('Done. The branch you left is still there.')).toBeVisible();
  await holdToast(page);
  await expect(said('Answer to: One, in other words')).toBeVisible();
  await expect(said('Answer to: Two')).toBeHidden();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(said('Answer to: Two')).toBeVisible();

  // A person cannot reword an answer: what they write there is a note.
  await openSendBack('Answer');
  const note = dialog.getByRole('textbox', { name: 'Add a note' });
  await expect(note).toBeFocused();
  await note.fill('Two leads nowhere, ask for three.');
  await note.press('Control+Enter');
  await expect(dialog).toBeHidden();
  await expect(said(/^Answer to: .*Two leads nowhere/)).toBeVisible();
  const asked = allOf(server.chats().at(-1));
  expect(asked).toContain('Answer to: One');
  expect(asked).toContain('Two leads nowhere, ask for three.');
  expect(asked).not.toContain('Answer to: Two');

  await page.getByRole('button', { name: 'Note from a later branch' }).click();
  await expect(said('Answer to: Two')).toBeVisible();
  // The person sent both notes from here; the one they took back is still a branch.
  await expect(page.getByRole('button', { name: 'You went back from here with a note' })).toHaveCount(2);
  await page.getByRole('button', { name: 'You went back from here with a note' }).last().click();
  await expect(said(/^Answer to: .*Two leads nowhere/)).toBeVisible();
});

test('a D-Mail in other words patches the old answer: only what changes is asked for, and undo leads back', async ({
  page,
}) => {
  await openApp(page);
  await connect(page, { 'recall.auto_recall.enabled': false, 'notes.propose_by_model': false });
  const list = TOPICS.map((topic) => `- The ${topic} plan is copied after all the others, once a week.`).join(
    '\n',
  );
  server.answer((request) =>
    /FIND/.test(lastWords(request))
      ? say('<<<<<<< FIND\nruns at two\n=======\nruns at four\n>>>>>>> REPLACE')
      : say(`The backup runs at two.\n\n${list}`),
  );
  await ask(page, 'When is the backup? At two.');
  const before = server.chats().length;
  const question = page.getByRole('article', { name: 'You' });
  await question.hover();
  await question.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Go back here with a note' }).click();
  const dialog = page.getByRole('dialog', { name: 'Go back here with a note' });
  await dialog.getByRole('textbox').fill('When is the backup? At four.');
  await dialog.getByRole('radio', { name: 'Change only what must change in the answer' }).check();
  await dialog.getByRole('button', { name: 'Go back' }).click();
  const answer = page.getByRole('article', { name: 'Answer' });
  await expect(answer.getByText('The backup runs at four.', { exact: true })).toBeVisible();
  await expect(answer.getByText(/The museum plan is copied/)).toBeVisible();
  await expect(
    answer.getByText(/^Only what had to change was written: saved about [\d,]+ tokens$/),
  ).toBeVisible();
  expect(server.chats().length).toBe(before + 1);
  await holdToast(page);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(answer.getByText('The backup runs at two.', { exact: true })).toBeVisible();
});

test('the branch map is walked with the keyboard, and two branches are compared', async ({ page }) => {
  await openEcho(page);
  await ask(page, 'One');
  await ask(page, 'Two');
  // Three branches: the second question in three wordings.
  for (const words of ['Two, other words', 'Two, yet other words']) {
    const asked = page.getByRole('article', { name: 'You' }).last();
    await asked.hover();
    await asked.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('textbox', { name: 'Edit the message' }).fill(words);
    await page.getByRole('button', { name: 'Save and ask again' }).click();
    await expect(page.getByRole('article').getByText(`Answer to: ${words}`, { exact: true })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Stop' })).toBeHidden();
  }
  await openContext(page);
  await page.getByRole('button', { name: 'Show all branches' }).click();
  const map = page.getByRole('dialog', { name: 'Branches' });
  await expect(map.getByRole('region', { name: /3 branches/ })).toBeVisible();
  const focused = map.locator('g:focus');
  await expect(focused).toHaveAttribute('aria-current', 'true');
  await expect(focused).toHaveAttribute('aria-label', /yet other words/);
  // By keyboard: moves to the next branch, compares, returns, and opens it.
  await page.keyboard.press('ArrowRight');
  await expect(focused).not.toHaveAttribute('aria-current', 'true');
  const there = (await focused.getAttribute('aria-label')) ?? '';
  await page.keyboard.press('c');
  const sides = map.getByRole('region', { name: 'Two branches side by side' });
  await expect(sides).toContainText('Two, yet other words');
  await expect(sides).toContainText('2 messages in common');
  await map.getByRole('button', { name: 'Stop comparing' }).click();
  await expect(focused).toHaveAttribute('aria-label', there);
  await page.keyboard.press('ArrowUp');
  await expect(focused).toHaveAttribute('aria-label', /fork/);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await expect(map).toBeHidden();
  await expect(page.getByRole('article').getByText('Two, yet other words', { exact: true })).toBeHidden();
  // With a mouse: a click picks a branch to compare after *Compare*; otherwise it opens the branch.
  await page.getByRole('button', { name: 'Show all branches' }).click();
  const last = map.getByRole('button', { name: /yet other words/ });
  await map.getByRole('button', { name: 'Compare' }).click();
  await expect(map).toContainText('Choose the other branch.');
  await last.click();
  await expect(sides).toContainText('Two, yet other words');
  await map.getByRole('button', { name: 'Stop comparing' }).click();
  await last.click();
  await expect(map).toBeHidden();
  await expect(page.getByRole('article').getByText('Two, yet other words', { exact: true })).toBeVisible();
});

test('on a phone the words of the branch map are whole beside their lanes', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await openEcho(page);
  await ask(page, 'One');
  for (const [at, name] of ['before the long way round', 'after'].entries()) {
    await ask(page, 'Which road?');
    await write(page, `/checkpoint ${name}`);
    await expect(page.getByText(`Checkpoint “${name}” is set`)).toBeVisible();
    await write(page, '/restore turn-2');
    await expect(page.getByText('Back at “turn-2”')).toHaveCount(at + 1);
  }
  await page.keyboard.press('ControlOrMeta+.');
  await page.getByRole('button', { name: 'Show all branches' }).click();
  const map = page.getByRole('dialog', { name: 'Branches' });
  await expect(map.getByRole('region', { name: /branches/ })).toBeVisible();
  const cut = () =>
    map.locator('foreignObject').evaluateAll((labels) =>
      labels.flatMap((label) => {
        const { left, right } = label.getBoundingClientRect();
        const inside = left >= 0 && right <= innerWidth;
        const whole = [...label.querySelectorAll('span')].every(
          (line) => line.scrollWidth <= line.clientWidth + 1 && line.scrollHeight <= line.clientHeight + 1,
        );
        return inside && whole ? [] : [label.textContent];
      }),
    );
  await expect.poll(cut).toEqual([]);
  await expect(map).toContainText('before the long way round');
});

test('the context meter opens, the ledger of an answer tells what got in; without a model there is no context meter', async ({
  page,
}) => {
  await openApp(page);
  await expect(meter(page)).toHaveCount(0);
  await connect(page);
  server.answer((request) => say(`Answer to: ${lastWords(request)}`));
  await ask(page, 'What is the harbour plan?');
  await meter(page).click();
  const popover = page.getByRole('dialog', { name: 'What the next message would send' });
  await expect(popover).toContainText(/of 64,000 tokens/);
  // Reads all figures at once, because the meter counts again when the answer has arrived.
  const figures = async (): Promise<Record<string, number>> =>
    popover.evaluate((shown) => {
      const rows = [...shown.querySelectorAll('dl > div')].map(
        (row) => [row.querySelector('dt')?.textContent, row.querySelector('dd')?.textContent] as const,
      );
      const [used] = [...shown.querySelectorAll('p')].flatMap(
        ({ textContent }) => /^[\d,]+(?= of 64,000 tokens)/.exec(textContent ?? '') ?? [],
      );
      return Object.fromEntries(
        [...rows, ['used', used] as const].map(([name, value]) => [
          name,
          Number((value ?? '').replaceAll(',', '')),
        ]),
      );
    });
  const { used = Number.NaN, 'Space left': free, 'Kept for the answer': kept, ...parts } = await figures();
  expect(parts).toEqual({
    System: expect.any(Number),
    Tools: expect.any(Number),
    Messages: expect.any(Number),
  });
  for (const part of Object.values(parts)) expect(part).toBeGreaterThan(0);
  // The parts add up to what is said to be used.
  expect(Object.values(parts).reduce((sum, part) => sum + part, 0)).toBe(used);
  expect(kept).toBe(16_000);
  expect(free).toBe(48_000 - used);
  await popover.getByRole('button', { name: 'What will be sent' }).click();
  await expect(page.getByRole('dialog', { name: 'What will be sent' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  const answer = page.getByRole('article', { name: 'Answer' });
  await answer.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'What the model was sent' }).click();
  const ledger = page.getByRole('dialog', { name: 'What the model was sent' });
  await expect(ledger).toContainText('Sent as it is');
  await ledger.getByRole('button', { name: /Sent as it is/ }).click();
  await expect(ledger).toBeHidden();
  await expect(page.getByRole('article', { name: 'You' })).toBeFocused();
});

test('what an answer misses of compacted messages is shown, leads there, and comes back with the next question', async ({
  page,
}) => {
  await openApp(page);
  await connect(page, { ...SMALL, 'context.strategy': 'sliding-window' });
  server.answer((request) => {
    if (/the pilot/.test(lastWords(request)))
      return say(
        'I do not know the gate of the harbour. Could you tell me which gate number the pilot uses?',
      );
    if (/look again/.test(lastWords(request))) return say('Thank you, that was it.');
    return longAnswers(request);
  });
  await ask(page, `The pilot of the harbour uses gate number 7731. ${about('pilot')}`);
  await talkUntilCompacted(page);
  await ask(page, 'Write a line about the pilot.');
  const notice = page.getByRole('region', { name: 'The answer seems to miss something that was shortened' });
  await expect(notice).toContainText('Could you tell me which gate number');
  await expect(notice).toContainText('uses gate number 7731');
  await ask(page, 'Well, look again.');
  expect(lastWords(server.chats().at(-1) as ChatRequest)).toContain('gate number 7731');
  await expect(notice).toBeHidden();
  const answer = page.getByRole('article', { name: 'Answer' }).last();
  await answer.hover();
  await answer.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'What the model was sent' }).click();
  const ledger = page.getByRole('dialog', { name: 'What the model was sent' });
  await expect(ledger).toContainText('an answer had missed it');
});

test('a session memory that a model writes in the background says what it has cost', async ({ page }) => {
  await openApp(page);
  await connect(page, {
    'tools.enabled': false,
    'recall.auto_recall.enabled': false,
    'context.session_memory.model_from_ratio': 0,
    'context.session_memory.every_tokens': 500,
  });
  server.answer((request) =>
    /## Message 1/.test(allOf(request))
      ? {
          steps: [
            { text: '# Harbour' },
            { finish: 'stop' },
            { usage: { prompt_tokens: 1200, completion_tokens: 34, total_tokens: 1234 } },
          ],
        }
      : say(`About it: ${about('answer')}`),
  );
  await ask(page, `Tell me of the harbour. ${about('harbour')}`);
  const panel = await openContext(page);
  await expect(panel.getByText(/keeps the session memory: 1,234 of 50,000 tokens/)).toBeVisible();
});

test('a model that takes no tools is asked without them, and the settings say so', async ({ page }) => {
  await openApp(page);
  await connect(page, { 'recall.auto_recall.enabled': false });
  server.answer((request) =>
    request.tools
      ? { status: 400, body: { error: { message: 'plain does not support tools' } } }
      : say('Without tools.'),
  );
  await ask(page, 'Hello?');
  await expect(page.getByRole('article', { name: 'Answer' })).toContainText('Without tools.');
  expect(server.chats().map(({ tools }) => Boolean(tools))).toEqual([true, false]);
  await page.goto('/settings/context?console');
  const refusals = page.getByRole('region', { name: 'Left out of requests' });
  await expect(refusals).toContainText('plain does not support tools');
  await refusals.getByRole('button', { name: 'Send everything again' }).click();
  await expect(refusals).toBeHidden();
});

/** Makes saving a compaction fail, as on a full disk; false: lets it work again. */
const refuseCompactions = (page: Page, refused: boolean) =>
  page.evaluate((refused) => {
    const documents = globalThis.recollect?.app.documents;
    if (!documents) return;
    const kept = documents as typeof documents & { was?: typeof documents.change };
    kept.was ??= documents.change;
    const { was } = kept;
    const change: typeof documents.change = (id, what) =>
      refused && what.compactions ? Promise.reject(new Error('no room')) : was(id, what);
    Object.assign(documents, { change });
  }, refused);

test('a compaction that cannot be kept says so: by itself, made again, and from its plan', async ({
  page,
}) => {
  await openApp(page);
  await connect(page, SMALL);
  server.answer(longAnswers);
  await ask(page, `Tell me first. ${about('first')}`);
  await refuseCompactions(page, true);
  const alert = page.getByRole('region', { name: 'Messages' }).getByRole('alert');
  for (const topic of TOPICS) {
    await ask(page, `Tell me of the ${topic}. ${about(topic)}`);
    if ((await alert.count()) > 0) break;
  }
  await expect(alert).toContainText('could not be shortened: no room');

  await meter(page).click();
  await page.getByRole('button', { name: 'Options…' }).last().click();
  const plan = page.getByRole('dialog', { name: 'Shorten older messages' });
  await plan.getByRole('button', { name: 'Shorten', exact: true }).click();
  const said = page.locator('[data-sonner-toast]').filter({ hasText: 'could not be shortened: no room' });
  await expect(said.first()).toBeVisible();
  // The plan stays, to be tried again.
  await refuseCompactions(page, false);
  await plan.getByRole('button', { name: 'Shorten', exact: true }).click();
  await expect(plan).toBeHidden();
  await expect(alert).toBeHidden();
  await toDivider(page);
  await look(divider(page));
  await expect(divider(page)).toContainText(/to \d+ ?% of the tokens/);

  await expect(said).toHaveCount(0);
  await refuseCompactions(page, true);
  await divider(page).getByRole('button', { name: 'Rewrite' }).click();
  const again = divider(page).locator('form').getByRole('button', { name: 'Write it anew' });
  await again.click();
  await expect(said.first()).toBeVisible();
  await expect(again).toBeVisible();
});

test('a checkpoint gets its name in the panel, another one, and comes back when it was removed', async ({
  page,
}) => {
  await openEcho(page);
  await ask(page, 'One');
  const panel = await openContext(page);
  const toast = (words: string) => page.locator('[data-sonner-toast]').filter({ hasText: words });
  const name = panel.getByRole('textbox', { name: 'Name of the checkpoint' });
  await panel.getByRole('button', { name: 'Set a checkpoint here' }).click();
  await name.fill('before lunch');
  await name.press('Enter');
  await expect(toast('Checkpoint “before lunch” set')).toBeVisible();
  await expect(panel.getByRole('button', { name: 'Set a checkpoint here' })).toBeFocused();
  const row = (words: string) => panel.getByRole('listitem').filter({ hasText: words });
  const choose = async (checkpoint: string, item: string) => {
    await row(checkpoint).hover();
    await row(checkpoint)
      .getByRole('button', { name: `More for ${checkpoint}` })
      .click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  await choose('before lunch', 'Rename');
  await name.fill('after lunch');
  await name.press('Enter');
  await expect(toast('The checkpoint is called “after lunch” now')).toBeVisible();
  await choose('after lunch', 'Remove');
  await holdToast(page);
  await expect(row('after lunch')).toHaveCount(0);
  await toast('Checkpoint “after lunch” removed').getByRole('button', { name: 'Undo' }).click();
  await expect(row('after lunch')).toBeVisible();

  await write(page, '/help checkpiont');
  await expect(page.getByRole('region', { name: '/help checkpiont' })).toContainText('/checkpoint?');
});

test('an answer says that memory was too slow; a PDF goes along; what the model costs can be said', async ({
  page,
}) => {
  await openApp(page);
  await connect(page);
  server.answer((request) => say(`Answer to: ${lastWords(request).slice(0, 20)}`));
  await page.evaluate(() => {
    const memory = globalThis.recollect?.app.memory;
    if (memory) Object.assign(memory, { recall: () => new Promise(() => undefined) });
  });
  await page.locator('input[type=file]').setInputFiles({
    name: 'Plan.pdf',
    mimeType: 'application/pdf',
    buffer: Buffer.from('%PDF-1.7'),
  });
  await expect(page.getByRole('list', { name: 'Attached files' })).toContainText('Plan.pdf');
  await ask(page, 'What is the plan?');
  expect(allOf(server.chats().at(-1))).toContain('data:application/pdf;base64,JVBERi0xLjc=');
  await expect(page.getByRole('article', { name: 'You' })).toContainText('Plan.pdf');
  await expect(page.getByRole('article', { name: 'Answer' })).toContainText('did not finish in time');

  await goToSettings(page);
  await page.getByRole('button', { name: 'Edit: Scripted' }).click();
  const dialog = page.getByRole('dialog', { name: 'Scripted' });
  await dialog.getByRole('spinbutton', { name: 'Input' }).fill('1000');
  await dialog.getByRole('button', { name: /^Save( and use)?$/ }).click();
  await expect(dialog).toContainText('Both figures are needed');
  await dialog.getByRole('spinbutton', { name: 'Output' }).fill('2000');
  await dialog.getByRole('button', { name: /^Save( and use)?$/ }).click();
  await expect(dialog).toBeHidden();
  await page.goBack();
  await meter(page).click();
  await expect(page.getByText(/Sending it costs about \$/)).toBeVisible();
});

test('guidance given in the plan reaches the model, and stays with what is compacted', async ({ page }) => {
  await openApp(page);
  await connect(page, { ...SMALL, 'context.window_tokens': 16_000 });
  server.answer((request) =>
    /current_focus/.test(allOf(request)) ? say('A summary by the model.') : longAnswers(request),
  );
  for (const topic of TOPICS.slice(0, 4)) await ask(page, `Tell me of the ${topic}. ${about(topic)}`);
  await write(page, '/compact --preview --strategy summary');
  const dialog = page.getByRole('dialog', { name: 'Shorten older messages' });
  await expect(dialog).toContainText('A summary by the model.');
  const asked = server.chats().length;
  await dialog.getByRole('textbox', { name: 'Guidance' }).fill('keep every port number');
  await dialog.getByRole('button', { name: 'Plan again' }).click();
  await expect.poll(() => server.chats().length).toBe(asked + 1);
  expect(allOf(server.chats().at(-1))).toContain('keep every port number');
  const shorten = dialog.getByRole('button', { name: 'Shorten', exact: true });
  await expect(shorten).toBeEnabled();
  await shorten.click();
  await expect(dialog).toBeHidden();
  await toDivider(page);
  await look(divider(page));
  await expect(divider(page)).toContainText('“keep every port number”');
});

test('a D-Mail that the model sends itself is seen: the question stands, and links lead to the branch it left and back', async ({
  page,
}) => {
  await openApp(page);
  await connect(page, {
    'recall.auto_recall.enabled': false,
    'tools.checkpoint': true,
    'tools.send_dmail': true,
  });
  const call = (id: string, name: string, input: object): Script => ({
    steps: [{ call: { id, name, arguments: JSON.stringify(input) } }, { finish: 'tool_calls' }],
  });
  server.next(
    call('call_1', 'checkpoint', {}),
    call('call_2', 'open_conversation', { id: 'ffffffff-0000' }),
    call('call_3', 'sendDMail', { message: 'It is in no conversation; ask where to look.', checkpointId: 1 }),
    say('Where should I look?'),
  );
  await ask(page, 'Find the recipe');
  const said = (words: string) => page.getByRole('article').getByText(words);
  const question = page.getByRole('article', { name: 'You' }).first();
  await expect(question).toContainText('Find the recipe');
  const letter = page.getByRole('article', { name: 'Note from the model' });
  await expect(letter).toContainText('It is in no conversation; ask where to look.');
  await expect(letter).not.toContainText('<system>');
  await expect(letter.getByRole('button', { name: 'Edit', exact: true })).toHaveCount(0);
  await expect(said('Where should I look?')).toBeVisible();

  await page.getByRole('button', { name: 'Note from the model on a later branch' }).click();
  await expect(said('Where should I look?')).toBeHidden();
  await expect(question).toContainText('Find the recipe');
  await expect(page.getByRole('article').getByText('sendDMail')).toBeVisible();
  await page.getByRole('button', { name: 'The model went back from here with a note' }).click();
  await expect(said('Where should I look?')).toBeVisible();
  await expect(question).toContainText('Find the recipe');
  await expect(page.getByRole('article').getByText('sendDMail')).toBeHidden();
});

test('/checkpoints tells when each was set, and shows what only one of two has', async ({ page }) => {
  await openEcho(page);
  const began = Date.now();
  await ask(page, 'One');
  await write(page, '/checkpoint start');
  await expect(page.getByText('Checkpoint “start” is set')).toBeVisible();
  await ask(page, 'Two');
  await write(page, '/checkpoint second');
  await expect(page.getByText('Checkpoint “second” is set')).toBeVisible();
  await write(page, '/restore start');
  await expect(page.getByText('Back at “start”').first()).toBeVisible();
  await ask(page, 'Three');
  await write(page, '/checkpoint third');
  await expect(page.getByText('Checkpoint “third” is set')).toBeVisible();

  await write(page, '/checkpoints');
  const rows = page.getByRole('region', { name: '/checkpoints', exact: true }).getByRole('listitem');
  const row = (name: string) => rows.filter({ has: page.getByText(name, { exact: true }) });
  const setAt = async (name: string) =>
    Date.parse((await row(name).locator('time').getAttribute('datetime')) ?? '');
  await expect(row('third')).toContainText('Answer to: Three');
  await expect(row('start').locator('time')).toHaveText(/now|ago/);
  const times = [began];
  for (const name of ['start', 'second', 'turn-2', 'third']) times.push(await setAt(name));
  times.push(Date.now());
  expect(times).toEqual([...times].sort((a, b) => a - b));

  await write(page, '/checkpoints --diff second --with third');
  const both = page.getByRole('region', { name: '/checkpoints --diff second --with third' });
  const side = (name: string) => both.getByRole('heading', { name, exact: true }).locator('xpath=..');
  await expect(side('second')).toContainText('Answer to: Two');
  await expect(side('second')).not.toContainText('Three');
  await expect(side('third')).toContainText('Answer to: Three');
  await expect(side('third')).not.toContainText('Two');
  await expect(both).not.toContainText('Answer to: One');
});

test('the words for a summary and the model in the background are set in Settings, and are what is sent', async ({
  page,
}) => {
  await openApp(page);
  await connect(page, {
    'tools.enabled': false,
    'recall.auto_recall.enabled': false,
    'context.session_memory.by_model': false,
    'context.session_memory.model_from_ratio': 0,
  });
  server.answer((request) =>
    allOf(request).includes('a ship’s log') ? say('Log of the harbour.') : longAnswers(request),
  );
  await page.goto('/settings/context?console');
  const words = page.getByRole('textbox', { name: 'What a model is told to write a summary' });
  await words.fill('Write it as a ship’s log.');
  await words.blur();
  await expect(page.getByRole('button', { name: 'Use the default text' })).toBeVisible();
  await page.getByRole('switch', { name: 'Let the model write it' }).click();
  const every = page.getByRole('textbox', { name: 'After so many tokens' });
  await every.fill('500');
  await every.press('Enter');
  // The saved value is in force.
  await expect
    .poll(() => page.evaluate(() => globalThis.recollect?.app.settings.config.get().context.session_memory))
    .toMatchObject({ by_model: true, every_tokens: 500 });

  await openApp(page);
  await ask(page, `Tell me of the harbour. ${about('harbour')}`);
  const panel = await openContext(page);
  await expect(panel.getByText(/keeps the session memory: \d+ of 50,000 tokens/)).toBeVisible();
  const logs = () => server.chats().filter((request) => allOf(request).includes('a ship’s log'));
  expect(logs()).toHaveLength(1);
  expect(allOf(logs()[0])).toContain('harbour plan, part 7');

  for (const topic of TOPICS.slice(1, 3)) await ask(page, `Tell me of the ${topic}. ${about(topic)}`);
  await write(page, '/compact --strategy summary');
  await toDivider(page);
  await expect(divider(page)).toContainText(/Shortened \d+ messages/);
  const summary = logs().at(-1);
  expect(allOf(summary)).toContain('orchard plan, part 7');
  expect(allOf(summary)).not.toContain('current_focus');
  await look(divider(page));
  await expect(divider(page)).toContainText('Log of the harbour.');
});
