// What every dialog must do, whoever opens it: for the tables in this folder.
import { expect } from 'vitest';
import { type Locator, page, userEvent } from 'vitest/browser';
import { writable } from '../../../src/domain/base/readable.ts';
import { SYNC_OFF } from '../../../src/services/sync/sync.ts';
import { REACHED } from '../../../src/ui/hooks/focus-fallback.ts';
import { expectAccessible, type TestApp } from '../harness.tsx';

/** Follows the buttons and menu rows by keyboard; returns the first, to which the focus has to come back. */
export async function pressed(...way: readonly Locator[]): Promise<Locator> {
  for (const one of way) {
    await expect.element(one).toBeVisible();
    (one.element() as HTMLElement).focus();
    await userEvent.keyboard('{Enter}');
  }
  const [first] = way;
  if (!first) throw new Error('Nothing was pressed');
  return first;
}

/** What is wider than its place, in the page and within the dialog. A field of one line scrolls what is typed. */
export const tooWide = (dialog: Element): string[] =>
  [document.documentElement, dialog, ...dialog.querySelectorAll(':not(input)')]
    .filter((one) => {
      const { overflowX } = getComputedStyle(one);
      const isCut = one !== document.documentElement && overflowX === 'hidden';
      return one.clientWidth > 0 && overflowX !== 'visible' && !isCut && one.scrollWidth > one.clientWidth;
    })
    .map((one) => `${one.tagName.toLowerCase()} ${one.className}: ${one.scrollWidth}`);

/** The name is the title, axe finds nothing, and nothing scrolls sideways. */
export async function expectShown(title: string): Promise<Locator> {
  const dialog = page.getByRole('dialog', { name: title, exact: true });
  await expect.element(dialog).toBeVisible();
  await expectAccessible();
  expect(tooWide(dialog.element())).toEqual([]);
  const { left, right } = dialog.element().getBoundingClientRect();
  expect([left >= 0, right <= innerWidth]).toEqual([true, true]);
  return dialog;
}

/** The focus is in the dialog and Tab keeps it there; Escape closes, and the focus is where it came from. */
export async function expectHeld(dialog: Locator, home: Locator): Promise<void> {
  const box = dialog.element();
  const holds = () => box.contains(document.activeElement);
  await expect.poll(holds).toBe(true);
  const visited = new Set<Element | null>();
  await userEvent.keyboard('{Shift>}{Tab}{/Shift}');
  expect(holds()).toBe(true);
  const stops = [...box.querySelectorAll(REACHED)].filter((one) => one.checkVisibility()).length;
  for (let at = 0; at <= Math.min(stops, 12); at++) {
    await userEvent.keyboard('{Tab}');
    expect(holds(), `Tab ${at + 1} of ${stops}`).toBe(true);
    visited.add(document.activeElement);
  }
  expect(visited.size).toBeGreaterThan(0);
  // A tooltip would take the first Escape: that of the focus, or one that comes half a second later at the pointer.
  await userEvent.hover(document.body, { force: true, position: { x: 0, y: 0 } });
  (box as HTMLElement).focus();
  await expect.element(page.getByRole('tooltip')).not.toBeInTheDocument();
  await userEvent.keyboard('{Escape}');
  await expect.element(dialog).not.toBeInTheDocument();
  await expect.element(home).toHaveFocus();
}

/** The device is in an account of a relay. */
export function inAccount(app: TestApp): undefined {
  const account = {
    fingerprint: 'ab12-cd34-ef56-7890',
    endpoint: 'wss://relay.example',
    managed: false,
    since: 1,
  };
  app.states.sync.set({ ...SYNC_OFF, mode: 'remote', state: 'synced', account });
  Object.assign(app.sync, { account: writable(account) });
}
