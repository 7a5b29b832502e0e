// Every screen and state worth looking at, and how to get there: for the screenshots and for the accessibility check.
import type { Page } from '@playwright/test';
import type { ConversationId } from '../src/domain/base/ids.ts';
import type { Writable } from '../src/domain/base/readable.ts';
import type { Message } from '../src/domain/chat/message.ts';
import { SECTION_IDS } from '../src/ui/settings/sections.ts';
import { exportFiles } from '../test/fixtures/claude.ts';
import { zipped } from '../test/fixtures/files.ts';
import { asFile, bringExport, expect, remembered } from './app.ts';
import { chatgptHistory } from './history.ts';

export interface Screen {
  readonly name: string;
  /** Whether it needs the made-up library. */
  readonly library: boolean;
  go(page: Page, phone: boolean): Promise<void>;
}

const call = (page: Page, script: string): Promise<unknown> => page.evaluate(script);
/** Goes to a page within the app, without a reload. */
const visit = async (page: Page, path: string) => {
  await page.evaluate((path) => {
    history.pushState(history.state, '', path);
    dispatchEvent(new PopStateEvent('popstate', { state: history.state }));
  }, path);
};
/** Visits a screen whose code may still be loading. */
const visitScreen = async (page: Page, path: string) => {
  await visit(page, path);
  await expect(page.locator('main').getByRole('heading').first()).toBeVisible();
};
const openTitled = async (page: Page, title: RegExp) => {
  const id = await page.evaluate(
    (source) =>
      globalThis.recollect?.app.documents.library
        .get()
        .entries.find((entry) => new RegExp(source).test(entry.title))?.id,
    title.source,
  );
  await visit(page, `/c/${id}`);
  await expect(page.locator('[data-message-id]').first()).toBeVisible();
};
const composer = (page: Page) => page.getByRole('textbox', { name: /^(Message|消息)$/ });
const temporarySwitch = (page: Page) =>
  page.getByRole('button', { name: /^(Temporary conversation|临时对话)$/ });

/** With the samples more than the twenty conversations that a topic map begins with. */
const LAMPS = Array.from({ length: 8 }, (_, at) => ({
  title: `Lamp ${at}`,
  turns: [`Is lamp ${at} switched off?`, `Yes, lamp ${at} is.`],
}));

/** Makes projects with everything that one can hold, once. Resolves to the id of the fullest. */
const withProject = (page: Page): Promise<string> =>
  page.evaluate(async () => {
    const app = globalThis.recollect?.app;
    if (!app) throw new Error('the app has no handle for the console');
    const known = app.documents.library.get().projects.find(({ title }) => title === 'Riverside house');
    if (known) return known.id;
    const id = await app.projects.create({
      name: 'Riverside house',
      instructions: 'We renovate a house from 1932. Answer in metric units and name sources.',
      face: { emoji: '🏡', colour: 'grey' },
      scope: 'first',
      workDirs: ['/home/me/riverside'],
    });
    await app.projects.create({ name: 'Kitchen', within: id, face: { emoji: '', colour: 'amber' } });
    await app.projects.create({ name: '毕业论文', face: { emoji: '', colour: 'violet' } });
    await app.projects.pinNote(id, 'The budget is 84,000 euros, 11,000 of it for windows.');
    await app.projects.pinNote(id, 'The surveyor is Ms. Okafor.');
    await app.projects.addFiles(
      id,
      ['survey.md', 'window-offers.csv'].map((name) => ({
        type: 'file' as const,
        mediaType: 'text/plain',
        name,
        url: `data:text/plain;base64,${btoa('Ground floor: damp below the stairs.')}`,
      })),
    );
    const entries = app.documents.library.get().entries.filter(({ deletedAt }) => deletedAt === null);
    await app.projects.move(
      entries.slice(1, 5).map((entry) => entry.id),
      id,
    );
    return id;
  });

/** Makes notes and feedback as a person would leave them, once. */
async function withNotes(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const app = globalThis.recollect?.app;
    if (!app || app.notes.state.get().notes.length > 0) return;
    await app.notes.write({
      text: 'Our staging server is called heron; never restart it before six in the evening.',
    });
    await app.notes.write({ text: '我对坚果过敏，推荐菜谱时请避开。', by: 'model' });
    const entries = app.documents.library.get().entries.slice(0, 3);
    for (const [at, verdict] of (['pinned', 'never', 'not-related'] as const).entries()) {
      const entry = entries[at];
      const conversation = entry && (await app.documents.read(entry.id));
      const message =
        conversation && [...conversation.messages.values()].find(({ role }) => role === 'assistant');
      const part = message?.parts.find(({ type }) => type === 'text');
      if (!entry || !message || part?.type !== 'text') continue;
      await app.notes.judge({
        verdict,
        conversationId: entry.id,
        messageId: message.id,
        query: verdict === 'not-related' ? 'Which flour is best for a wet dough?' : null,
        passage: part.text.slice(0, 300),
        title: entry.title,
      });
    }
  });
}

const LONG = 'Moving the harbour database';
type Id = Message['id'];

const TOPICS = [
  ['How large is the database, and which tables grow?', '数据库有多大，哪些表在增长？'],
  ['My rule: never restart it before six in the evening. How do we copy it?', '怎样复制它？'],
  ['Which version do we move to, and what breaks?', '升级到哪个版本，哪些地方会坏？'],
  ['How long would the last copy take?', '最后一次复制要多久？'],
  ['What do we tell the people who write to it?', '怎样通知写入方？'],
  ['And how would we come back if it fails?', '如果失败，怎样回退？'],
];

/**
 * Messages with everything the context engine draws: branches, a tool, its result in
 * other words. `start`: ms since 1970.
 */
function longTalk(start: number) {
  const messages: Message[] = [];
  let at = 0;
  const add = (
    parentId: Id | null,
    role: Message['role'],
    parts: Message['parts'],
    more: Partial<Message> = {},
  ): Id => {
    at += 1;
    const message: Message = {
      id: `01910000-0000-7000-8000-${String(at).padStart(12, '0')}` as Id,
      parentId,
      role,
      kind: 'message',
      createdAt: start + at * 60_000,
      parts,
      ...(role === 'assistant'
        ? {
            model: 'example-large',
            durationMs: 2400 + at * 90,
            usage: { inputTokens: 900 + at * 210, outputTokens: 180 + at },
            finish: 'stop' as const,
          }
        : {}),
      ...more,
    };
    messages.push(message);
    return message.id;
  };
  const text = (words: string): Message['parts'] => [{ type: 'text', text: words }];
  let leaf: Id | null = null;
  const questions: Id[] = [];
  for (const [en, zh] of TOPICS) {
    const question: Id = add(leaf, 'user', text(`${en} ${zh}`));
    questions.push(question);
    leaf = add(
      question,
      'assistant',
      text(
        `Here is what we know so far. ${'The journal table takes 61 GB of the 84 GB and grows by a gigabyte each week; everything else is small. Logical replication copies it while it is in use, and the last step needs the writers to stop for four minutes on port 5433. '.repeat(4)}We wrote this down as decision ${questions.length}.`,
      ),
    );
  }
  const asked = add(leaf, 'user', text('Look up when the backup runs, then write the plan.'));
  const called = add(
    asked,
    'assistant',
    [
      { type: 'text', text: 'Let me look. ' },
      {
        type: 'tool-call',
        callId: 'call_1',
        name: 'recall',
        arguments: '{"query":"when does the backup run"}',
      },
    ],
    { finish: 'tool-calls' },
  );
  const result = add(called, 'tool', [
    {
      type: 'tool-result',
      callId: 'call_1',
      name: 'recall',
      text: 'The backup runs every night at three.',
    },
  ]);
  const first = add(
    result,
    'assistant',
    text('The plan: stop the writers at four, after the backup of three.'),
  );
  const left = add(
    add(first, 'user', text('Good. Who is on call?')),
    'assistant',
    text('Nobody before eight.'),
  );
  const other = add(
    called,
    'tool',
    [
      {
        type: 'tool-result',
        callId: 'call_1',
        name: 'recall',
        text: 'The backup runs every night at five.',
        edited: true,
      },
    ],
    { dmail: { from: left, checkpoint: called, by: 'person', edits: result } },
  );
  const second = add(
    other,
    'assistant',
    text('The plan: stop the writers at six, after the backup of five.'),
  );
  // Two more branches at an earlier question.
  const again = add(
    questions[3] ? (messages.find(({ id }) => id === questions[3])?.parentId ?? null) : null,
    'user',
    text('How long would it take over the slow line?'),
  );
  add(again, 'assistant', text('About eleven hours over the slow line.'));
  const third = add(
    messages.find(({ id }) => id === questions[3])?.parentId ?? null,
    'user',
    text('What if we copied only this year?'),
  );
  add(third, 'assistant', text('Forty minutes, and the rest can follow later.'));
  return {
    messages,
    head: second,
    checkpoints: { 'before the copy': questions[2] as Id, 'plan agreed': first },
  };
}

/**
 * Adds a conversation whose model used the recall tool: once with passages, once with
 * near misses only. Resolves to its id.
 */
const withRecalls = (page: Page): Promise<string> =>
  page.evaluate(async () => {
    const app = globalThis.recollect?.app;
    if (!app) throw new Error('The console is missing');
    const id = '01910000-0000-7000-8000-00000000ca11' as Parameters<typeof app.documents.read>[0];
    if (app.documents.library.get().entries.some((entry) => entry.id === id)) return id;
    const asked = ['the slow query on the orders page', '孩子的钢琴课'];
    const found = await Promise.all(
      asked.map((text) => app.memory.recall({ text, limit: 3, signal: AbortSignal.timeout(20_000) })),
    );
    const start = Date.now() - 3_600_000;
    const said: readonly Pick<Message, 'role' | 'parts'>[] = [
      {
        role: 'user',
        parts: [{ type: 'text', text: 'What did we do about the orders page, and when are the lessons?' }],
      },
      {
        role: 'assistant',
        parts: [
          { type: 'text', text: 'Let me look that up.' },
          ...asked.map((query, at) => ({
            type: 'tool-call' as const,
            callId: `call_${at}`,
            name: 'recall',
            arguments: JSON.stringify({ query, limit: 3 }),
          })),
        ],
      },
      {
        role: 'tool',
        parts: found.map(({ query, threshold, passages, nearMisses }, at) => ({
          type: 'tool-result' as const,
          callId: `call_${at}`,
          name: 'recall',
          text: [...passages, ...nearMisses].map(({ title, passage }) => `“${title}”: ${passage}`).join('\n'),
          recalled: {
            query,
            threshold,
            passages: at === 0 ? [...passages] : [],
            nearMisses: at === 0 ? [...nearMisses] : [...passages, ...nearMisses].slice(0, 2),
            ...(at === 0 ? {} : { nearMissesGiven: true }),
          },
        })),
      },
      {
        role: 'assistant',
        parts: [
          {
            type: 'text',
            text: 'You built a partial index in the order of the sort. About the lessons I found nothing sure.',
          },
        ],
      },
    ];
    const messages = said.map(
      (one, at): Message => ({
        ...one,
        id: `01910000-0000-7000-8000-00000001${String(at).padStart(4, '0')}` as Message['id'],
        parentId:
          at === 0
            ? null
            : (`01910000-0000-7000-8000-00000001${String(at - 1).padStart(4, '0')}` as Message['id']),
        kind: 'message',
        createdAt: start + at * 60_000,
        ...(one.role === 'assistant' ? { model: 'example-large', finish: 'stop' as const } : {}),
      }),
    );
    await app.documents.change(id, {
      messages,
      meta: {
        title: 'What we decided',
        titleBy: 'person',
        createdAt: start,
        head: messages.at(-1)?.id ?? null,
      },
    });
    return id;
  });

/** Connects a model that no test asks, and adds that conversation, once. Resolves to its id. */
async function withLongConversation(page: Page): Promise<string> {
  const start = Date.now() - 3 * 3_600_000;
  return await page.evaluate(
    async ({ title, start, talk }) => {
      const app = globalThis.recollect?.app;
      if (!app) throw new Error('The console is missing');
      if (!app.settings.connections.get().chosen) {
        await app.settings.saveEndpoint(
          { id: 'drawn', label: 'Drawn', baseUrl: 'http://localhost:9/v1', models: ['example-large'] },
          '',
        );
        await app.settings.choose({ endpointId: 'drawn', model: 'example-large' });
        await app.settings.set('context.window_tokens', 8000);
        await app.settings.set('context.keep_last_turns', 2);
      }
      const known = app.documents.library.get().entries.find((entry) => entry.title === title);
      if (known) return known.id;
      const id = '01910000-0000-7000-8000-00000000c0de' as Parameters<typeof app.documents.read>[0];
      const { messages, head, checkpoints } = talk;
      await app.documents.change(id, {
        messages,
        meta: { title, titleBy: 'person', createdAt: start, head },
        checkpoints,
      });
      return id;
    },
    { title: LONG, start, talk: longTalk(start) },
  );
}
const openLong = async (page: Page) => {
  const id = await withLongConversation(page);
  await visit(page, `/c/${id}`);
  await expect(page.locator('[data-message-id]').first()).toBeVisible();
  await expect(page.getByRole('button', { name: /^(Context|上下文).*%/ })).toBeVisible();
};
const divider = (page: Page) => page.getByRole('region', { name: /^(Shortened|精简)$/ });
/** The conversation with its older half compacted, the divider on the screen. */
const openCompacted = async (page: Page) => {
  await openLong(page);
  await page.evaluate(async () => {
    const app = globalThis.recollect?.app;
    const entry = app?.documents.library
      .get()
      .entries.find(({ title }) => title === 'Moving the harbour database');
    if (!app || !entry) return;
    const there = await app.documents.read(entry.id);
    const made = [...(there?.compactions.values() ?? [])];
    if (made.length === 0) await app.context.compact(entry.id, { preview: false });
    else for (const one of made) if (one.undone) await app.context.redo(entry.id, one.id);
  });
  await page.getByRole('region', { name: /^(Messages|消息)$/ }).evaluate((box) => {
    box.scrollTop = box.scrollHeight;
  });
  await centred(page);
};
/** Scrolls up until the list has drawn the divider, and keeps it in the middle. */
const centred = (page: Page) =>
  expect(async () => {
    if ((await divider(page).count()) === 0)
      await page.getByRole('region', { name: /^(Messages|消息)$/ }).evaluate((box) => {
        box.scrollTop = box.scrollTop < 1 ? box.scrollHeight : box.scrollTop - box.clientHeight / 2;
      });
    await expect(divider(page).first()).toBeVisible({ timeout: 2000 });
    await divider(page)
      .first()
      .evaluate((divider) => divider.scrollIntoView({ block: 'center' }), undefined, { timeout: 2000 });
    await expect(divider(page).first()).toBeInViewport({ timeout: 2000 });
  }).toPass({ timeout: 60_000 });
const dividerButton = (page: Page, name: RegExp) => divider(page).first().getByRole('button', { name });

/** Clicks again where the rows above grew and the click missed. */
const opened = (page: Page, name: RegExp, shows: 'textbox' | 'heading' = 'textbox') =>
  expect(async () => {
    if ((await dividerButton(page, name).getAttribute('aria-expanded')) !== 'true')
      await dividerButton(page, name).click({ timeout: 2000 });
    await expect(divider(page).first().getByRole(shows).first()).toBeVisible({ timeout: 3000 });
  }).toPass({ timeout: 60_000 });

/** The divider with one of its parts opened, in the middle of the screen. */
const dividerScreen = (name: string, open?: (page: Page) => Promise<void>): Screen => ({
  name,
  library: true,
  go: async (page) => {
    await openCompacted(page);
    if (!open) return;
    await open(page);
    await centred(page);
  },
});

const CONTEXT_SCREENS: readonly Screen[] = [
  {
    name: 'context-gauge',
    library: true,
    go: async (page) => {
      await openLong(page);
      await page.getByRole('button', { name: /^(Context|上下文).*%/ }).click();
      await expect(page.getByRole('dialog')).toBeVisible();
    },
  },
  {
    name: 'context-ledger',
    library: true,
    go: async (page) => {
      await openLong(page);
      await page.getByRole('button', { name: /^(Context|上下文).*%/ }).click();
      await page.getByRole('button', { name: /^(What will be sent|将发给模型的内容)$/ }).click();
      await expect(page.getByRole('dialog').getByRole('listitem').first()).toBeVisible();
    },
  },
  {
    name: 'context-message-tools',
    library: true,
    go: async (page) => {
      await openLong(page);
      await openTools(page);
      await expect(page.getByRole('menu')).toBeVisible();
    },
  },
  {
    name: 'context-tool',
    library: true,
    go: async (page) => {
      await openLong(page);
      await page.getByRole('button', { name: /^recall/ }).click();
    },
  },
  {
    name: 'context-plan',
    library: true,
    go: async (page) => {
      await openLong(page);
      await page.evaluate(async () => {
        const app = globalThis.recollect?.app;
        const entry = app?.documents.library
          .get()
          .entries.find(({ title }) => title === 'Moving the harbour database');
        if (!app || !entry) return;
        const there = await app.documents.read(entry.id);
        for (const one of there?.compactions.values() ?? [])
          if (!one.undone) await app.context.undo(entry.id, one.id);
        await app.context.compact(entry.id, { preview: true });
      });
      await expect(page.getByRole('dialog')).toBeVisible();
    },
  },
  dividerScreen('context-divider'),
  dividerScreen('context-divider-look', (page) => opened(page, /^(View|查看|Hide|收起)$/, 'heading')),
  dividerScreen('context-divider-edit', (page) => opened(page, /^(Edit|修改)$/)),
  dividerScreen('context-divider-again', (page) => opened(page, /^(Rewrite|重做)$/)),
  {
    name: 'context-send-back',
    library: true,
    go: async (page) => {
      await openLong(page);
      await openTools(page);
      await page.getByRole('menuitem', { name: /^(Go back here with a note|带备注回到这里)$/ }).click();
      await expect(page.getByRole('dialog').getByRole('textbox')).toBeVisible();
    },
  },
  {
    name: 'context-panel',
    library: true,
    go: async (page, phone) => {
      await openLong(page);
      const map = page.getByRole('button', { name: /^(Show all branches|查看分支图)$/ });
      if (phone || !(await map.isVisible())) await page.keyboard.press('ControlOrMeta+.');
      await expect(map).toBeVisible();
    },
  },
  {
    name: 'context-branches',
    library: true,
    go: async (page) => {
      await openLong(page);
      await openMap(page);
    },
  },
  {
    name: 'context-compared',
    library: true,
    go: async (page) => {
      await openLong(page);
      await openMap(page);
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('c');
    },
  },
];
async function openTools(page: Page): Promise<void> {
  const answer = page.getByRole('article').last();
  await answer.hover();
  await answer.getByRole('button', { name: /^(More|更多)$/ }).click();
}
async function openMap(page: Page): Promise<void> {
  const map = page.getByRole('button', { name: /^(Show all branches|查看分支图)$/ });
  if (!(await map.isVisible())) await page.keyboard.press('ControlOrMeta+.');
  await map.click();
  await expect(page.getByRole('dialog').locator('g:focus')).toBeVisible();
}

/** A question whose answer broke off, once. Its id. */
const withFailure = (page: Page): Promise<string> =>
  page.evaluate(async () => {
    const app = globalThis.recollect?.app;
    if (!app) throw new Error('The console is missing');
    const id = '01910000-0000-7000-8000-00000000fa17' as Parameters<typeof app.documents.read>[0];
    if (app.documents.library.get().entries.some((entry) => entry.id === id)) return id;
    const [asked, answered] = [
      '01910000-0000-7000-8000-000000020001',
      '01910000-0000-7000-8000-000000020002',
    ] as [Message['id'], Message['id']];
    const createdAt = Date.now() - 600_000;
    const messages: readonly Message[] = [
      {
        id: asked,
        parentId: null,
        role: 'user',
        kind: 'message',
        createdAt,
        parts: [{ type: 'text', text: 'When does the harbour open?' }],
      },
      {
        id: answered,
        parentId: asked,
        role: 'assistant',
        kind: 'message',
        createdAt: createdAt + 1000,
        parts: [{ type: 'text', text: 'The harbour opens at' }],
        model: 'example-large',
        finish: 'error',
        problem: { code: 'model-network', message: 'The network failed.' },
      },
    ];
    await app.documents.change(id, {
      messages,
      meta: { title: 'When the harbour opens', titleBy: 'person', createdAt, head: answered },
    });
    return id;
  });

/** The sidebar with what was put away, the archive or the trash. */
const putAway = (name: string, button: RegExp): Screen => ({
  name,
  library: true,
  go: async (page, phone) => {
    await visit(page, '/');
    await expect(composer(page)).toBeVisible();
    if (phone) await showSidebar(page);
    const back = page.getByRole('button', { name: /^(Back to conversations|返回对话列表)$/ });
    if (await back.isVisible()) await back.click();
    await page.getByRole('button', { name: button }).click();
    await expect(back).toBeVisible();
  },
});
const showSidebar = (page: Page) =>
  page
    .getByRole('button', { name: /sidebar|侧边栏|侧栏/i })
    .first()
    .click();

/** Screens that change the library, or have no place of their own, come last. */
const LAST_SCREENS: readonly Screen[] = [
  {
    name: 'endpoint',
    library: true,
    go: async (page) => {
      await visitScreen(page, '/settings/models');
      await page.getByRole('button', { name: /^(Other service|其他服务)/ }).click();
      const dialog = page.getByRole('dialog');
      // Browsers block this port, so the request fails at once.
      await dialog.getByRole('textbox').first().fill('http://localhost:9/v1');
      await dialog.getByRole('button', { name: /^(Test connection|测试连接)$/ }).click();
      await expect(dialog.getByRole('alert')).toBeVisible();
    },
  },
  {
    name: 'project',
    library: true,
    go: async (page) => visitScreen(page, `/p/${await withProject(page)}`),
  },
  {
    name: 'project-settings',
    library: true,
    go: async (page) => {
      await visitScreen(page, `/p/${await withProject(page)}`);
      await page.getByRole('region', { name: /^(Name and looks|名称和外观)$/ }).scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'project-move',
    library: true,
    go: async (page) => {
      const id = await withProject(page);
      await visitScreen(page, `/p/${id}`);
      await page.getByRole('main').getByRole('link').first().click();
      await expect(page.locator('[data-message-id]').first()).toBeVisible();
      await page
        .getByRole('main')
        .getByRole('button', { name: /^(More|更多)$/ })
        .first()
        .click();
      await page.getByRole('menuitem', { name: /^(Move to project…|移到项目…)$/ }).click();
      await expect(page.getByRole('dialog')).toBeVisible();
    },
  },
  { name: 'pairing', library: true, go: (page) => visitScreen(page, '/pair') },
  {
    name: 'answer-failed',
    library: true,
    go: async (page) => {
      await visit(page, `/c/${await withFailure(page)}`);
      await expect(page.getByRole('article').getByText('The harbour opens at')).toBeVisible();
    },
  },
  putAway('archive', /^(Archived|已归档) ?\d/),
  {
    ...putAway('trash', /^(Trash|回收站) ?\d/),
    go: async (page, phone) => {
      const id = await withFailure(page);
      await page.evaluate((id) => globalThis.recollect?.app.library.remove([id as ConversationId]), id);
      await putAway('trash', /^(Trash|回收站) ?\d/).go(page, phone);
    },
  },
  {
    name: 'import-report',
    library: true,
    go: async (page) => {
      // Paused, so that the next screen shows messages that wait to be read.
      await call(page, 'recollect.app.memory.setPaused(true)');
      await visitScreen(page, '/settings/storage');
      await page.getByRole('button', { name: /^(Import|导入)$/ }).click();
      const report = page.getByRole('dialog', { name: /^(Import report|导入报告)$/ });
      await expect(page.getByRole('dialog')).toBeVisible();
      // The report may still be open from before.
      if (await report.isVisible()) return;
      await page
        .locator('input[data-import=files]')
        .setInputFiles([
          asFile('claude.zip', await zipped(exportFiles), 'application/zip'),
          asFile('broken.json', '[{"mapping": {"a":', 'application/json'),
        ]);
      await expect(report).toBeVisible();
    },
  },
  {
    name: 'activity',
    library: true,
    go: async (page, phone) => {
      await visit(page, '/');
      await expect(composer(page)).toBeVisible();
      if (phone) await showSidebar(page);
      await page.getByRole('button', { name: /^(Activity|活动)/ }).click();
      await expect(
        page
          .getByRole('dialog', { name: /^(Activity|活动)$/ })
          .getByRole('listitem')
          .first(),
      ).toBeVisible();
    },
  },
  {
    name: 'notices',
    library: true,
    go: async (page) => {
      await visit(page, '/');
      await page.evaluate(() => {
        dispatchEvent(new Event('offline'));
        const update = globalThis.recollect?.app.device.update as Writable<(() => void) | null> | undefined;
        update?.set(() => {});
      });
      await expect(page.getByRole('status').filter({ hasText: /new version|新版本/ })).toBeVisible();
      await expect(page.getByText(/^(Offline|离线)$/).first()).toBeVisible();
    },
  },
];

export const SCREENS: readonly Screen[] = [
  {
    name: 'first-run',
    library: false,
    go: async (page) => {
      await visit(page, '/');
      // The page is blank until the composer is there.
      await expect(composer(page)).toBeVisible();
    },
  },
  {
    name: 'import',
    library: false,
    go: async (page) => {
      await visit(page, '/settings/storage');
      await page.getByRole('button', { name: /^(Import|导入)$/ }).click();
      await expect(page.getByRole('dialog')).toBeVisible();
    },
  },
  {
    name: 'new-conversation',
    library: true,
    go: async (page) => {
      await visit(page, '/');
      await expect(composer(page)).toBeVisible();
    },
  },
  {
    name: 'temporary-new',
    library: true,
    go: async (page) => {
      await visit(page, '/');
      const ghost = temporarySwitch(page);
      if ((await ghost.getAttribute('aria-pressed')) === 'false') await ghost.click();
      await expect(page.getByRole('heading', { name: /^(Temporary conversation|临时对话)$/ })).toBeVisible();
    },
  },
  {
    name: 'temporary-conversation',
    library: true,
    go: async (page) => {
      await call(
        page,
        `recollect.app.documents.change('temporary-shown', { messages: [{ id: 'in-confidence', parentId: null, role: 'user',
          kind: 'message', createdAt: Date.now(), parts: [{ type: 'text', text: 'How do I plan a surprise party?' }] }] })`,
      );
      await visit(page, '/c/temporary-shown');
      await expect(page.getByRole('button', { name: /^(Keep it|保留)$/ })).toBeVisible();
    },
  },
  {
    name: 'temporary-ended',
    library: true,
    go: async (page) => {
      await visit(page, '/c/temporary-gone');
      await expect(
        page.getByRole('button', { name: /^(Start a new conversation|开始新对话)$/ }),
      ).toBeVisible();
    },
  },
  { name: 'conversation-code', library: true, go: (page) => openTitled(page, /slow query/) },
  { name: 'conversation-maths-zh', library: true, go: (page) => openTitled(page, /贝叶斯/) },
  {
    name: 'conversation-instructions',
    library: true,
    go: async (page) => {
      await openTitled(page, /slow query/);
      await page
        .locator('header')
        .getByRole('button', { name: /^(More|更多)$/ })
        .last()
        .click();
      await page.getByRole('menuitem', { name: /^(Instructions|自定义指令)$/ }).click();
      await expect(page.getByRole('dialog').getByRole('textbox')).toBeVisible();
    },
  },
  {
    name: 'answer-from-memory',
    library: true,
    go: async (page) => {
      await visit(page, '/');
      await composer(page).fill('Why did my sourdough stay flat, and how much water is right?');
      await composer(page).press('Enter');
      await expect(page.getByText(/From memory, without a model|来自记忆/).first()).toBeVisible();
    },
  },
  {
    name: 'recall-by-model',
    library: true,
    go: async (page) => {
      const id = await withRecalls(page);
      await visit(page, `/c/${id}`);
      const cards = page.getByRole('button', { name: /^(\d.*)(Asked by the model|模型查询)/ });
      await expect(cards).toHaveCount(2);
      for (const card of await cards.all())
        if ((await card.getAttribute('aria-expanded')) === 'false') await card.click();
    },
  },
  {
    name: 'recall-command',
    library: true,
    go: async (page) => {
      await visit(page, '/');
      await composer(page).fill('/recall 备份计划是怎么定的 --with-context');
      await composer(page).press('Enter');
      await expect(page.getByRole('region', { name: /Recalled|忆起|召回|回忆/ }).first()).toBeVisible();
      // A tall element that scrolls into view must not move the frame.
      await expect(page.locator('main header').first()).toBeInViewport({ ratio: 1 });
    },
  },
  {
    name: 'commands',
    library: true,
    go: async (page) => {
      await visit(page, '/');
      await composer(page).fill('/');
      await expect(page.getByRole('listbox').first()).toBeVisible();
    },
  },
  {
    name: 'palette',
    library: true,
    go: async (page) => {
      await visit(page, '/');
      await page.keyboard.press('ControlOrMeta+k');
      await page.getByRole('dialog').getByRole('combobox').fill('index');
      await expect(page.getByRole('option').first()).toBeVisible();
    },
  },
  { name: 'memory', library: true, go: (page) => visitScreen(page, '/memory') },
  { name: 'memory-index', library: true, go: (page) => visitScreen(page, '/memory/index') },
  {
    name: 'memory-pictures',
    library: true,
    go: async (page) => {
      await call(page, 'recollect.app.memory.setPaused(false)');
      await bringExport(page, chatgptHistory(LAMPS));
      await remembered(page, 'meaning');
      await visit(page, '/memory/pictures');
      await expect(page.locator('main svg a').first()).toBeVisible();
      await expect(page.locator('main svg:has(a)')).toHaveCount(3, { timeout: 60_000 });
    },
  },
  {
    name: 'memory-notes',
    library: true,
    go: async (page) => {
      await withNotes(page);
      await visit(page, '/memory/notes');
      await expect(page.getByRole('listitem').filter({ hasText: 'heron' })).toBeVisible();
    },
  },
  ...CONTEXT_SCREENS,
  ...SECTION_IDS.map(
    (section): Screen => ({
      name: `settings-${section}`,
      library: true,
      go: (page) => visitScreen(page, `/settings/${section}`),
    }),
  ),
  {
    name: 'sidebar',
    library: true,
    go: async (page, phone) => {
      await visit(page, '/');
      await expect(composer(page)).toBeVisible();
      if (phone) await showSidebar(page);
    },
  },
  {
    name: 'shortcuts-sheet',
    library: true,
    go: async (page) => {
      await visit(page, '/');
      await page.keyboard.press('ControlOrMeta+/');
      await expect(page.getByRole('dialog')).toBeVisible();
    },
  },
  ...LAST_SCREENS,
];

/** Waits until fonts are loaded and only endless animations still run. */
export async function atRest(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await document.fonts.ready;
    // Some animations begin a frame or two after their cause, and one may start another.
    for (let round = 0; round < 3; round++) {
      for (let frame = 0; frame < 2; frame++) await new Promise((resolve) => requestAnimationFrame(resolve));
      const ending = document
        .getAnimations()
        .filter((one) => one.effect?.getComputedTiming().iterations !== Number.POSITIVE_INFINITY);
      await Promise.allSettled(ending.map((one) => one.finished));
    }
  });
}

/** Brings the made-up library in and waits until it is remembered, by words or also by meaning. */
export async function withLibrary(page: Page, by: 'words' | 'meaning' = 'meaning'): Promise<void> {
  await call(page, 'recollect.app.library.addSamples().then(() => undefined)');
  await remembered(page, by);
}

/** Closes dialogs and menus, so that the next screen begins clean. */
export async function settle(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  // A dialog that is just opening does not receive the key yet.
  await expect(async () => {
    await page.keyboard.press('Escape');
    // The dialog asks before it throws away what was typed.
    const throwAway = page.getByRole('button', { name: /^(Throw away|放弃)$/ });
    if (await throwAway.isVisible()) await throwAway.click({ timeout: 3000 });
    await expect(page.getByRole('dialog')).toHaveCount(0, { timeout: 3000 });
  }).toPass({ timeout: 60_000 });
  // A notice stays for ten seconds, and may go by itself meanwhile.
  for (const close of await page.locator('[data-sonner-toast] [data-close-button]').all())
    await close.click({ timeout: 3000 }).catch(() => {});
  // What is written, and that it is to be temporary, would stand in the pictures of later screens.
  const field = composer(page);
  if ((await field.isVisible()) && (await field.isEditable())) await field.fill('');
  const ghost = temporarySwitch(page);
  if ((await ghost.isVisible()) && (await ghost.getAttribute('aria-pressed')) === 'true') await ghost.click();
}
