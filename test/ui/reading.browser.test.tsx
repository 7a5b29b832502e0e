// Every screen that reads something, from being read over a failure and *Try again* to full: one mount for each.
import { expect, it } from 'vitest';
import { type Locator, page, userEvent } from 'vitest/browser';
import type { Overview } from '../../src/adapters/index/memory-index.ts';
import type { Store } from '../../src/adapters/log/conversation-log.ts';
import { createInMemoryStore } from '../../src/adapters/log/in-memory.ts';
import {
  asConversationId,
  type DocumentId,
  LIBRARY_DOCUMENT,
  NOTES_DOCUMENT,
} from '../../src/domain/base/ids.ts';
import type { JournalEntry } from '../../src/services/sync/sync.ts';
import { inAccount, pressed, tooWide } from './dialogs/dialogs.ts';
import { createTestApp, expectAccessible, show, type TestApp } from './harness.tsx';
import { createGate, expectReached, type Gate, gated } from './reading.ts';

const MANY = 12;
const some = <T,>(make: (at: number) => T): T[] => Array.from({ length: MANY }, (_, at) => make(at));
const region = (name: string) => page.getByRole('region', { name, exact: true });
const main = () => page.getByRole('main');
const dialog = () => page.getByRole('dialog');
const NARROW = { width: 320, height: 640 };

interface Filled {
  readonly app: TestApp;
  readonly path: string;
  /** The app of the next start, which reads everything. */
  readonly next?: () => Promise<TestApp>;
}

interface Screen {
  /** Fills the app and puts the gate before what the screen reads; returns the app and the address. */
  readonly fill: (gate: Gate) => Promise<Filled>;
  /** Leads to the part on the page, which is `main` otherwise. */
  readonly open?: () => Promise<unknown>;
  readonly place?: () => Locator;
  /** Words of the empty state and counts: none of them is there before it is known. */
  readonly lies?: RegExp;
  /** What the full screen shows, and how many of it. */
  readonly full: () => Locator;
  readonly count?: number;
  /** `Reload`: the list of conversations is read once for each start. */
  readonly again?: string;
  /** What says that it is being read. */
  readonly loading?: () => Locator;
}

/** An app over the store that another app has filled, with these documents at the gate. */
async function refilled(
  gate: Gate,
  document: DocumentId,
  fill: (app: TestApp) => Promise<string>,
): Promise<Filled> {
  const store: Store = createInMemoryStore();
  const path = await fill(await createTestApp({ store }));
  return {
    app: await createTestApp({ store: gated(store, gate, document) }),
    path,
    next: () => createTestApp({ store }),
  };
}

const talk = async (app: TestApp, title: string): Promise<string> => {
  const id = asConversationId(title);
  await app.documents.change(id, { meta: { title, createdAt: Date.now() } });
  await app.say(`Words of ${title}`, id);
  return `/c/${id}`;
};
const talks = async (app: TestApp): Promise<void> => {
  for (const title of some((at) => `Talk ${at + 1}`)) await talk(app, title);
};
const answered = async () => {
  const app = await createTestApp({
    *reply() {
      yield { type: 'text-delta', text: 'Forty-two.' };
      yield { type: 'usage', usage: { inputTokens: 1_000_000, outputTokens: 500_000 } };
    },
  });
  const id = await app.say('What is the answer?');
  await app.idle(id);
  return { app, id };
};

const PERSONA = {
  name: 'Critic',
  description: '',
  instructions: 'Be strict.',
  sign: 'C',
  colour: 'blue',
  model: null,
  parameters: {},
  memory: 'all',
  project: null,
} as const;

const VERDICT = {
  conversationId: 'bread',
  messageId: 'crust',
  verdict: 'pinned',
  query: null,
  title: 'Bread',
  passage: 'Rye with seeds.',
} as const;

const LINE: JournalEntry = {
  at: Date.now(),
  kind: 'upload',
  what: 'changes',
  document: null,
  device: null,
  count: 3,
  bytes: 900,
};

const SCREENS: Readonly<Record<string, Screen>> = {
  'prompts and personas': {
    fill: (gate) =>
      refilled(gate, NOTES_DOCUMENT, async ({ prompts }) => {
        for (const at of some((at) => at + 1))
          await prompts.savePrompt({ name: `Prompt ${at}`, description: '', text: 'Sum up' });
        await prompts.savePersona(PERSONA);
        return '/settings/prompts';
      }),
    lies: /No prompts yet|No personas yet/,
    full: () => region('Prompts').getByRole('listitem'),
    count: MANY,
  },
  'memory notes': {
    fill: (gate) =>
      refilled(gate, NOTES_DOCUMENT, async ({ notes }) => {
        for (const at of some((at) => at + 1)) await notes.write({ text: `Note ${at}`, kind: 'fact' });
        await notes.judge(VERDICT);
        return '/memory';
      }),
    lies: /No notes yet|\b0 notes|Nothing yet/,
    full: () => region('Memory notes').getByRole('listitem'),
    count: MANY,
  },
  'the sync log': {
    fill: async (gate) => {
      const app = await createTestApp();
      inAccount(app);
      const lines = Array.from({ length: 24 }, (_, at) => ({ ...LINE, at: LINE.at - at * 1000 }));
      Object.assign(app.sync, { journal: gate.before(async () => lines) });
      return { app, path: '/settings/sync' };
    },
    place: () => region('Sync log'),
    lies: /Nothing has happened/,
    full: () => region('Sync log').getByRole('listitem'),
    count: 20,
  },
  'the list of conversations': {
    fill: (gate) =>
      refilled(gate, LIBRARY_DOCUMENT, async (app) => {
        await talks(app);
        return '/';
      }),
    open: () => page.getByRole('button', { name: 'Show sidebar' }).click(),
    place: dialog,
    lies: /Conversations appear here/,
    full: () => dialog().getByRole('link', { name: /Talk/ }),
    again: 'Reload',
  },
  'the search': {
    fill: async (gate) => {
      const app = await createTestApp();
      await talk(app, 'Bread');
      Object.assign(app.memory, { search: gate.before(app.memory.search.bind(app.memory)) });
      return { app, path: '/' };
    },
    open: async () => {
      await userEvent.keyboard('{Control>}k{/Control}');
      await dialog().getByRole('combobox').fill('Brea');
    },
    place: dialog,
    loading: () => dialog().getByRole('status').filter({ hasText: 'Searching by words' }),
    lies: /Nothing matches/i,
    full: () => dialog().getByRole('option', { name: /Bread/ }),
    again: 'Search again',
  },
  costs: {
    fill: async (gate) => {
      const { app } = await answered();
      Object.assign(app.spending, { load: gate.before(app.spending.load) });
      return { app, path: '/settings/costs' };
    },
    lies: /Nothing was spent/,
    full: () => region('By model').getByRole('row', { name: /scripted/ }),
  },
  'what storage holds': {
    fill: async (gate) => {
      const { app } = await answered();
      Object.assign(app, { logStats: gate.before(app.logStats) });
      return { app, path: '/settings/storage' };
    },
    lies: /\b0 (B|bytes|conversations)/,
    full: () => region('What is kept').getByText('1 conversation', { exact: true }),
  },
  'the trash': {
    fill: (gate) =>
      refilled(gate, LIBRARY_DOCUMENT, async (app) => {
        await talks(app);
        await app.library.remove(some((at) => asConversationId(`Talk ${at + 1}`)));
        return '/settings/storage';
      }),
    place: () => region('Trash'),
    lies: /trash is empty/i,
    full: () => region('Trash').getByRole('listitem'),
    count: MANY,
    again: 'Reload',
  },
  'a project': {
    fill: (gate) =>
      refilled(gate, LIBRARY_DOCUMENT, async (app) => {
        await talks(app);
        const id = await app.projects.create({ name: 'Acme' });
        await app.projects.move(
          some((at) => asConversationId(`Talk ${at + 1}`)),
          id,
        );
        return `/p/${id}`;
      }),
    lies: /This project is not there/,
    full: () => main().getByRole('link', { name: /Talk/ }),
    again: 'Reload',
  },
  'the files of a project': {
    fill: async (gate) => {
      const app = await createTestApp();
      const id = await app.projects.create({ name: 'Acme' });
      await app.projects.addFiles(
        id,
        some(
          (at) => ({ type: 'file', name: `plan-${at}.txt`, mediaType: 'text/plain', data: 'Plan' }) as const,
        ),
      );
      Object.assign(app.documents, { open: gate.before(app.documents.open) });
      return { app, path: `/p/${id}` };
    },
    place: () => region('Files'),
    lies: /No files/,
    full: () => region('Files').getByRole('listitem'),
    count: MANY,
  },
  'a conversation': {
    fill: async (gate) => {
      const { app, id } = await answered();
      Object.assign(app.documents, { open: gate.before(app.documents.open) });
      return { app, path: `/c/${id}` };
    },
    full: () => main().getByText('Forty-two.'),
  },
  'what the model was sent': {
    fill: async (gate) => {
      const { app, id } = await answered();
      Object.assign(app.context, { manifest: gate.before(app.context.manifest.bind(app.context)) });
      return { app, path: `/c/${id}` };
    },
    open: () =>
      pressed(
        page.getByRole('article', { name: 'Answer' }).getByRole('button', { name: 'More' }),
        page.getByRole('menuitem', { name: 'What the model was sent' }),
      ),
    place: () => dialog(),
    lies: /has no record/,
    full: () => dialog().getByRole('listitem').first(),
  },
  'the session memory': {
    fill: async (gate) => {
      const { app, id } = await answered();
      Object.assign(app.context, { memoryFile: gate.before(app.context.memoryFile.bind(app.context)) });
      return { app, path: `/c/${id}` };
    },
    open: () =>
      pressed(
        main().getByRole('button', { name: 'More' }).first(),
        page.getByRole('menuitem', { name: 'Session memory' }),
      ),
    place: () => dialog(),
    lies: /Nothing is shortened|nothing in it/i,
    full: () => dialog().getByText(/Nothing is shortened yet|There is nothing/),
  },
  'the pictures of the library': {
    fill: async (gate) => {
      const app = await createTestApp();
      await talk(app, 'Bread');
      const conversations = some((at) => picture(`Talk ${at + 1}`, at));
      Object.assign(app.memory, { overview: gate.before(async () => ({ conversations, recalled: [] })) });
      Object.assign(app.projection, {
        project: async (vectors: readonly Float32Array[]) =>
          vectors.map((_, at) => ({ x: at / MANY, y: at / MANY })),
      });
      return { app, path: '/memory/pictures' };
    },
    lies: /nothing to draw/i,
    full: () => page.getByRole('heading', { name: 'Timeline' }),
  },
  'the index and its conversations': {
    fill: (gate) =>
      refilled(gate, LIBRARY_DOCUMENT, async (app) => {
        await talks(app);
        return '/memory/index';
      }),
    lies: /\b0 conversations|No conversation/,
    full: () => region('Conversations').getByRole('listitem'),
    count: MANY,
    again: 'Reload',
  },
  'a search to try': {
    fill: async (gate) => {
      const app = await createTestApp();
      await talk(app, 'Bread');
      Object.assign(app.memory, { recall: gate.before(app.memory.recall.bind(app.memory)) });
      return { app, path: '/memory/index' };
    },
    open: () => page.getByRole('searchbox', { name: 'What would be recalled for this?' }).fill('Bread'),
    place: () => region('Try it'),
    lies: /Nothing is close enough/,
    loading: () => region('Try it').getByText('Searching', { exact: true }),
    full: () =>
      region('Try it')
        .getByText(/ms\b|\bs\b/)
        .first(),
  },
};

const picture = (title: string, at: number): Overview['conversations'][number] => ({
  id: asConversationId(title),
  title,
  createdAt: Date.now() - at * 9e7,
  updatedAt: Date.now() - at * 9e7,
  messages: 3 + at,
  workDir: null,
  archived: false,
  keywords: [title],
  said: [],
  vector: Float32Array.from([Math.cos(at), Math.sin(at)]),
});

/** Says what was kept and what to do, and a key reaches the button that tries again. */
async function expectFailed(place: Locator, again: string): Promise<Locator> {
  const alert = place.getByRole('alert').first();
  await expect.element(alert).toBeVisible();
  await expect
    .element(alert)
    .toHaveTextContent(/could not be read.*Nothing was changed.*Try again\..*reload/);
  const retry = alert.getByRole('button', { name: again, exact: true });
  for (let at = 0; at < 60 && document.activeElement !== retry.element(); at++)
    await userEvent.keyboard('{Tab}');
  await expect.element(retry).toHaveFocus();
  return retry;
}

/** Nothing scrolls sideways but a strip that is meant to. */
const expectFits = (place: Locator): void =>
  expect(tooWide(place.element()).filter((one) => !one.includes('scrollbar-width:none'))).toEqual([]);

it.each(Object.entries(SCREENS))('%s: being read, failed, full', async (_, screen) => {
  const gate = createGate();
  const { app, path, next } = await screen.fill(gate);
  const leave = await show(app, path, NARROW);
  await screen.open?.();
  const place = screen.place?.() ?? main();
  const loading = screen.loading?.() ?? place.getByRole('status').filter({ hasText: /Loading|Reading/ });
  const { lies, full, count, again = 'Try again' } = screen;
  const honest = () => lies && expect(place.element().textContent).not.toMatch(lies);
  await expect.element(loading.first()).toBeInTheDocument();
  honest();
  await expectAccessible();
  expectFits(place);
  gate.fail();
  await expectFailed(place, again);
  honest();
  await expectAccessible();
  expectFits(place);
  gate.open();
  if (again === 'Reload' && next) {
    leave();
    await show(await next(), path, NARROW);
    await screen.open?.();
  } else await userEvent.keyboard('{Enter}');
  await expect.element(full().first()).toBeVisible();
  // Another notice may remain, as that memory finds by words alone.
  await expect
    .element(place.getByRole('alert').filter({ hasText: 'could not be read' }))
    .not.toBeInTheDocument();
  if (count) await expect.poll(() => full().elements().length).toBe(count);
  expectFits(place);
  await expectAccessible();
  await expectReached(place.element());
});

it('lists that hold nothing say what comes there', async () => {
  await show(await createTestApp(), '/', NARROW);
  await page.getByRole('button', { name: 'Show sidebar' }).click();
  await expect.element(dialog().getByText('Conversations appear here.')).toBeVisible();
  await expectAccessible();
  await expectReached(dialog().element());
});
