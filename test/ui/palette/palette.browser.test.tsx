// The palette while memory starts and where it failed, by keyboard.
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { ConversationId, MessageId } from '../../../src/domain/base/ids.ts';
import type { Memory, SearchHit } from '../../../src/services/memory/memory.ts';
import { STARTING } from '../../../src/services/memory/memory.ts';
import { deep } from '../../scale.ts';
import { createTestApp, expectAccessible, show } from '../harness.tsx';

async function opened() {
  const app = await createTestApp({
    *reply() {
      yield { type: 'text-delta', text: 'An answer.' };
    },
  });
  const id = await app.say('How often should the photo disk be backed up?');
  await app.idle(id);
  await show(app);
  await userEvent.keyboard('{Control>}k{/Control}');
  await expect.element(page.getByRole('dialog', { name: 'Search and commands' })).toBeVisible();
  return app;
}

it('takes the first key, and finds settings by name', async () => {
  await opened();
  await userEvent.keyboard('diagn');
  const option = page.getByRole('option', { name: /Diagnostics log/ });
  await expect.element(option).toBeVisible();
  await expectAccessible();
  await option.click();
  await expect.poll(() => location.pathname).toBe('/settings/about');
});

it('offers nothing where nothing matches, and closes with Escape', async () => {
  await opened();
  await userEvent.keyboard('zzqqxx');
  await expect.element(page.getByRole('option')).not.toBeInTheDocument();
  await expectAccessible();
  await userEvent.keyboard('{Escape}');
  await expect.element(page.getByRole('dialog')).not.toBeInTheDocument();
});

deep('completes the name and the value of a filter with Tab, and takes it away with one stroke', async () => {
  await opened();
  await userEvent.keyboard('photo fro');
  await expect.element(page.getByRole('option', { name: /^from:/ })).toBeVisible();
  await userEvent.keyboard('m:');
  const first = page.getByRole('option').first();
  await expect.element(first).toHaveTextContent(/^from:/);
  await userEvent.keyboard('{Tab}');
  const field = page.getByRole('combobox', { name: 'Search and commands' });
  await expect.element(field).toHaveValue('photo from:me ');
  await expectAccessible();
  await userEvent.keyboard('{Backspace}');
  await expect.element(field).toHaveValue('photo ');
});

it('opens the conversation that an arrow chose', async () => {
  await opened();
  const rows = page.getByRole('option');
  await expect.element(rows.first()).toHaveAttribute('aria-selected', 'true');
  await userEvent.keyboard('{ArrowDown}');
  await expect.element(rows.nth(1)).toHaveAttribute('aria-selected', 'true');
  await userEvent.keyboard('{ArrowUp}{Enter}');
  await expect.poll(() => location.pathname).toMatch(/^\/c\//);
});

deep('writes a command into the composer', async () => {
  await opened();
  await userEvent.keyboard('/checkp');
  await expect.element(page.getByRole('option', { name: /checkpoint/ }).first()).toBeVisible();
  await userEvent.keyboard('{Enter}');
  await expect.element(page.getByRole('textbox', { name: 'Message' })).toHaveValue('/checkpoint ');
});

deep('asks once more when the messages have been read in which it found nothing', async () => {
  const { memory, states } = await opened();
  const ready = { ...STARTING, state: 'indexing', unread: 12 } as const;
  states.memory.set(ready);
  const hit: SearchHit = {
    conversationId: 'c-1' as ConversationId,
    messageId: 'm-1' as MessageId,
    title: 'Disks',
    role: 'user',
    createdAt: 0,
    snippet: 'The zebra disk is kept in the attic',
    source: null,
    scores: null,
    archived: false,
  };
  (memory as { search: Memory['search'] }).search = async ({ onHits }) =>
    onHits(states.memory.get().unread > 0 ? [] : [hit], true);
  await userEvent.keyboard('zebra');
  await expect.element(page.getByRole('status').filter({ hasText: '12' }).first()).toBeVisible();
  await expect.element(page.getByRole('option', { name: /zebra disk/ })).not.toBeInTheDocument();
  states.memory.set({ ...ready, state: 'ready', unread: 0 });
  await expect.element(page.getByRole('option', { name: /zebra disk/ })).toBeVisible();
});

it.each(['/billing/import.ts', '/etc/gatekeeper'])(
  'a path is searched and its hits are shown: %s',
  async (typed) => {
    const { memory } = await opened();
    const asked: string[] = [];
    const hit: SearchHit = {
      conversationId: 'c-1' as ConversationId,
      messageId: 'm-1' as MessageId,
      title: 'Paths',
      role: 'user',
      createdAt: 0,
      snippet: `The fault is in ${typed}, line 4`,
      source: null,
      scores: null,
      archived: false,
    };
    (memory as { search: Memory['search'] }).search = async ({ text, onHits }) => {
      asked.push(text);
      onHits(text === typed ? [hit] : [], true);
    };
    await page.getByRole('combobox', { name: 'Search and commands' }).fill(typed);
    await expect.element(page.getByRole('option', { name: /The fault is in/ })).toBeVisible();
    expect(asked.at(-1)).toBe(typed);
  },
);

it('leads to the message of a hit, which says what it was opened from', async () => {
  const { memory, documents } = await opened();
  const [entry] = documents.library.get().entries;
  const [said] = entry ? ((await documents.read(entry.id))?.messages.values() ?? []) : [];
  if (!entry || !said) throw new Error('Nothing was said');
  const hit: SearchHit = {
    conversationId: entry.id,
    messageId: said.id,
    title: 'Disks',
    role: 'user',
    createdAt: 0,
    snippet: 'every night, photo first',
    source: null,
    scores: null,
    archived: false,
  };
  (memory as { search: Memory['search'] }).search = async ({ onHits }) => onHits([hit], true);
  await userEvent.keyboard('photo');
  await page.getByRole('option', { name: /every night/ }).click();
  await expect.element(page.getByText('Opened from search.')).toBeVisible();
  await page.getByRole('button', { name: 'Back to where you were' }).click();
  await expect.element(page.getByText('Opened from search.')).not.toBeInTheDocument();
});

describe('while better messages arrive', () => {
  const hit = (name: string): SearchHit => ({
    conversationId: 'c-1' as ConversationId,
    messageId: name as MessageId,
    title: 'Zebras',
    role: 'user',
    createdAt: 0,
    snippet: `zebra ${name}`,
    source: null,
    scores: null,
    archived: false,
  });
  /** The words have found one and two; `more` brings what meaning puts first. */
  async function halfFound() {
    const { memory } = await opened();
    let more: () => void = () => undefined;
    (memory as { search: Memory['search'] }).search = async ({ onHits }) => {
      onHits([hit('one'), hit('two')], false);
      more = () => onHits([hit('best'), hit('two'), hit('one')], true);
    };
    await userEvent.keyboard('zebra');
    await expect.element(page.getByRole('option', { name: 'zebra two' })).toBeVisible();
    // Late, as meaning is on a slow device: nothing has to be held only because it has been there for long.
    return () => {
      const now = performance.now.bind(performance);
      const later = vi.spyOn(performance, 'now').mockImplementation(() => now() + 1000);
      onTestFinished(() => later.mockRestore());
      more();
    };
  }
  const order = () =>
    page
      .getByRole('option', { name: /zebra/ })
      .elements()
      .map((row) => /zebra (\w+)/.exec(row.textContent ?? '')?.[1]);
  const selected = () => page.getByRole('option', { selected: true });

  it('the row for Enter is the best one, until a person chooses', async () => {
    const more = await halfFound();
    await expect.element(selected()).toHaveTextContent('zebra one');
    more();
    await expect.poll(order).toEqual(['best', 'two', 'one']);
    await expect.element(selected()).toHaveTextContent('zebra best');
  });

  it.each([
    ['by an arrow', '{ArrowDown}', ['one', 'two', 'best'], 'two'],
    ['by arrows, though it is the first', '{ArrowDown}{ArrowUp}', ['one', 'best', 'two'], 'one'],
  ] as const)('a row that was chosen %s stays where it is', async (_how, keys, wanted, chosen) => {
    const more = await halfFound();
    await userEvent.keyboard(keys);
    await expect.element(selected()).toHaveTextContent(`zebra ${chosen}`);
    more();
    await expect.poll(order).toEqual(wanted);
    await expect.element(selected()).toHaveTextContent(`zebra ${chosen}`);
  });

  it('no row moves once a finger was on the list', async () => {
    const more = await halfFound();
    const row = page.getByRole('option', { name: 'zebra two' }).element();
    for (const type of ['pointerdown', 'pointerup'])
      row.dispatchEvent(new PointerEvent(type, { bubbles: true, pointerType: 'touch' }));
    more();
    await expect.poll(order).toEqual(['one', 'two', 'best']);
  });
});
