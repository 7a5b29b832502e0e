// Locking: the screen of a locked device, and its group in the settings with the dialogs that
// turn it on, change it and turn it off.
import { deleteDB } from 'idb';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { launchedFiles } from '../../../src/adapters/browser/launched-files.ts';
import { cipherFor } from '../../../src/adapters/vault/data-key.ts';
import { newRecoveryPhrase } from '../../../src/adapters/vault/key-slots.ts';
import { createLockRecords } from '../../../src/adapters/vault/lock-records.ts';
import { putShared, removeShared } from '../../../src/adapters/vault/shared-queue.ts';
import { newEntryId } from '../../../src/domain/base/ids.ts';
import { writable } from '../../../src/domain/base/readable.ts';
import { configSchema } from '../../../src/domain/settings/config.ts';
import { KeyHolder } from '../../../src/services/lock/key-holder.ts';
import { createDeviceLock } from '../../../src/services/lock/lock-service.ts';
import { isKeyOf, newLock } from '../../../src/services/lock/slots.ts';
import { UnlockScreen } from '../../../src/ui/lock/unlock-screen.tsx';
import { openForTab } from '../../../src/workers/device-lock.ts';
import { deep } from '../../scale.ts';
import { createTestApp, expectAccessible, show } from '../harness.tsx';
import { handleOf, launching } from '../launching.ts';
import { saidTwice } from '../reading.ts';
import { PHONE, standInViewport } from '../stand-in-viewport.ts';

const argon = { memory: 64, iterations: 1 };
const closing: (() => void)[] = [];
afterEach(() => {
  launchedFiles().set([]);
  for (const close of closing.splice(0)) close();
});

/** A locked device, and the screen that asks. */
async function locked(language: 'en' | 'zh' = 'en') {
  const records = createLockRecords(`lock-${newEntryId()}`);
  const words = newRecoveryPhrase();
  const { key, ...made } = await newLock(
    [
      { kind: 'passphrase', passphrase: 'correct horse', argon },
      { kind: 'recovery', words },
    ],
    Date.now,
  );
  await records.change((before) => ({ ...before, ...made, language }));
  const ending = new AbortController();
  const isRight = async (one: CryptoKey) => isKeyOf(await records.read(), one);
  const holder = new KeyHolder(isRight, ending.signal);
  const container = document.createElement('div');
  document.body.append(container);
  const screen = new UnlockScreen(container);
  closing.push(() => {
    screen.close();
    container.remove();
    ending.abort();
  });
  const done = vi.fn();
  void screen.ask({ records, holder }).then(done);
  return { records, holder, key, words, done, isRight };
}
const passphrase = () => page.getByLabelText('Passphrase', { exact: true });
const unlock = () => page.getByRole('button', { name: 'Unlock' });

describe('the screen of a locked device', () => {
  it('opens with the passphrase, says so when it is wrong, and waits after three wrong tries', async () => {
    // Stops the clock: on a busy machine the second of waiting passed between two tries.
    let clock = Date.now();
    const clocks = vi.spyOn(Date, 'now').mockImplementation(() => clock);
    closing.push(() => clocks.mockRestore());
    const { done, holder } = await locked();
    await expect.element(page.getByRole('heading', { name: 'Recollect is locked' })).toBeVisible();
    await expect.element(passphrase()).toHaveFocus();
    await expectAccessible();
    for (let n = 0; n < 3; n += 1) {
      await passphrase().fill('wrong');
      await userEvent.keyboard('{Enter}');
      await expect.element(page.getByRole('alert')).toHaveTextContent('That does not unlock this device.');
    }
    await passphrase().fill('correct horse');
    await userEvent.keyboard('{Enter}');
    await expect.element(page.getByRole('alert')).toHaveTextContent(/Too many wrong tries/);
    await expect.element(unlock()).toBeDisabled();
    clock += 1_000;
    await expect.element(unlock()).toBeEnabled();
    await unlock().click();
    await expect.poll(() => done.mock.calls.length).toBe(1);
    expect(holder.get()).not.toBeNull();
  });

  it('stays within what a keyboard leaves, and scrolls there', async () => {
    const viewport = standInViewport();
    await page.viewport(PHONE.width, PHONE.height);
    await locked();
    await expect.element(passphrase()).toHaveFocus();
    const box = () => page.getByRole('main').element().getBoundingClientRect();
    expect(Math.round(box().bottom)).toBe(PHONE.height);
    viewport.becomes({ height: 300, offsetTop: 40 });
    expect([Math.round(box().top), Math.round(box().bottom)]).toEqual([40, 340]);
    const screen = page.getByRole('main').element();
    screen.scrollTo(0, 0);
    expect(page.getByRole('heading').element().getBoundingClientRect().top).toBeGreaterThan(40);
    screen.scrollTo(0, screen.scrollHeight);
    const last = page.getByRole('button', { name: 'Cannot get in? Delete everything…' });
    expect(last.element().getBoundingClientRect().bottom).toBeLessThan(340);
  });

  it('says how much waits, as it comes, and not what', async () => {
    const open = launching();
    await putShared(1, [{ id: 'a', at: 1, content: new Uint8Array([1]) }]);
    closing.push(() => void removeShared(1, ['a']));
    open([await handleOf('zqx7wkv3.md')]);
    await locked();
    const waits = page.getByRole('status');
    await expect.element(waits).toHaveTextContent('One file will be opened once you unlock.');
    await expect.element(waits).toHaveTextContent('Something that was shared will be in the message box');
    open([await handleOf('zqx7wkv3.md'), await handleOf('other.md')]);
    await expect.element(waits).toHaveTextContent('3 files will be opened once you unlock.');
    expect(document.body.textContent).not.toContain('zqx7wkv3');
    await expectAccessible();
  });

  it('lets one begin anew where nothing unlocks it', async () => {
    await locked();
    await page.getByRole('button', { name: 'Cannot get in? Delete everything…' }).click();
    await expect
      .element(page.getByRole('dialog'))
      .toHaveTextContent('Devices it is paired with keep their copies');
    await expect.element(page.getByRole('button', { name: 'Delete everything', exact: true })).toBeDisabled();
    await expectAccessible();
    await userEvent.keyboard('{Escape}');
    await expect.element(unlock()).toBeVisible();
  });

  it('opens with the 24 words, and tells a slip of the pen from wrong words', async () => {
    const { done, words } = await locked();
    await page.getByRole('button', { name: 'I forgot it: use the 24 words' }).click();
    const field = page.getByLabelText('Recovery phrase');
    await field.fill(words.split(' ').slice(1).join(' '));
    await unlock().click();
    await expect.element(page.getByRole('alert')).toHaveTextContent('These are not the 24 words');
    await field.fill(words);
    await unlock().click();
    await expect.poll(() => done.mock.calls.length).toBe(1);
  });

  it('opens with the words by Enter, as with the passphrase', async () => {
    const { done, words } = await locked();
    await page.getByRole('button', { name: 'I forgot it: use the 24 words' }).click();
    await page.getByLabelText('Recovery phrase').fill(words);
    await userEvent.keyboard('{Enter}');
    await expect.poll(() => done.mock.calls.length).toBe(1);
  });

  deep('opens by itself when another window was unlocked, and only with the key of this device', async () => {
    const { done, key, isRight, holder } = await locked('zh');
    await expect.element(page.getByRole('heading', { name: 'Recollect 已锁定' })).toBeVisible();
    await page.viewport(320, 640);
    expect(document.documentElement.scrollWidth).toBe(320);
    await expectAccessible();
    await page.viewport(1280, 800);
    const ending = new AbortController();
    const other = new KeyHolder(isRight, ending.signal);
    const { key: wrong } = await newLock([{ kind: 'passphrase', passphrase: 'x', argon }], Date.now);
    other.hold(wrong);
    expect(await holder.ask(600)).toBeNull();
    const third = new KeyHolder(isRight, ending.signal);
    third.hold(key);
    await expect.poll(() => done.mock.calls.length).toBe(1);
    // It came as a key that cannot be read out, and opens what the other one seals.
    const mine = holder.get();
    if (!mine) throw new Error('unreachable');
    expect(mine.extractable).toBe(false);
    const sealed = await (await cipherFor(key, 'log')).seal('a', new Uint8Array([1, 2]));
    expect(await (await cipherFor(mine, 'log')).open('a', sealed)).toEqual(new Uint8Array([1, 2]));
    // A lock in one tab removes the key from all at once: a reloaded tab gets it from none.
    third.lock();
    await expect.poll(() => holder.get()).toBeNull();
    expect([holder.wasLocked, third.wasLocked, third.get()]).toEqual([true, true, null]);
    expect(await new KeyHolder(isRight, ending.signal).ask(700)).toBeNull();
    ending.abort();
  });
});

describe('two tabs of one device', () => {
  /** Two tabs that have not been locked yet; nothing is copied. */
  async function twoTabs() {
    const records = createLockRecords(`lock-${newEntryId()}`);
    const config = writable(configSchema.parse({ ui: { language: 'en' } }));
    const ending = new AbortController();
    closing.push(() => ending.abort());
    const tab = async () => {
      const holder = new KeyHolder(async (key) => isKeyOf(await records.read(), key), ending.signal);
      const lock = await createDeviceLock({
        records,
        holder,
        kind: 'persistent',
        config,
        exclusively: () => new Promise<never>(() => {}),
        now: Date.now,
        signal: ending.signal,
      });
      return { holder, lock };
    };
    return { records, config, a: await tab(), b: await tab() };
  }

  it('that turn locking on at once make one lock, whose key both have', async () => {
    const { records, a, b } = await twoTabs();
    const tries = await Promise.allSettled([
      a.lock.turnOn('a kettle hums', newRecoveryPhrase()),
      b.lock.turnOn('another kettle', newRecoveryPhrase()),
    ]);
    expect(tries.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(tries.find((one) => one.status === 'rejected')?.reason).toMatchObject({
      problem: { code: 'lock-busy' },
    });
    for (const { holder } of [a, b])
      await expect
        .poll(async () => {
          const key = holder.get();
          return key !== null && (await isKeyOf(await records.read(), key));
        })
        .toBe(true);
  });

  deep('show the unlock screen in the language that the settings have now', async () => {
    const { records, config, a } = await twoTabs();
    await a.lock.turnOn('a kettle hums', newRecoveryPhrase());
    expect((await records.read()).language).toBe('en');
    config.update((before) => ({ ...before, ui: { ...before.ui, language: 'zh' } }));
    await expect.poll(async () => (await records.read()).language).toBe('zh');
  });

  deep('have the same key after locking was called off and turned on anew', async () => {
    const { records, a, b } = await twoTabs();
    await a.lock.turnOn('a kettle hums', newRecoveryPhrase());
    await expect.poll(() => b.holder.get()).not.toBeNull();
    await a.lock.turnOff({ kind: 'passphrase', passphrase: 'a kettle hums' });
    await a.lock.turnOn('another kettle', newRecoveryPhrase());
    await expect
      .poll(async () => {
        const key = b.holder.get();
        return key !== null && (await isKeyOf(await records.read(), key));
      })
      .toBe(true);
  });
});

deep('a tab that starts leaves the database that another one is still copying into', async () => {
  const records = createLockRecords();
  const { generation, stale } = await records.change((now) => ({ ...now, stale: [77] }));
  const ending = new AbortController();
  closing.push(() => ending.abort());
  const removeIndex = vi.fn(async () => undefined);
  const start = async () => {
    const { inForce } = await openForTab({
      signal: ending.signal,
      unlock: () => Promise.reject(new Error('It is not locked')),
      onProgress: () => undefined,
      removeIndex,
    });
    await (await inForce).store.log.close();
  };
  expect({ generation, stale }).toEqual({ generation: 1, stale: [77] });
  await navigator.locks.request('recollect:convert', start);
  expect([removeIndex.mock.calls.length, (await records.read()).stale]).toEqual([0, [77]]);
  await start();
  expect([removeIndex.mock.calls.length, (await records.read()).stale]).toEqual([1, []]);
});

it('the record of the lock comes back from its copy when the browser deleted every database', async () => {
  const name = `lock-${newEntryId()}`;
  const records = createLockRecords(name);
  expect((await records.read()).slots).toEqual([]);
  const words = newRecoveryPhrase();
  const { key, ...made } = await newLock([{ kind: 'recovery', words }], Date.now);
  await records.change((before) => ({ ...before, ...made, generation: 2, sealed: true }));
  const before = await records.read();
  records.close();
  await deleteDB(name);
  const again = createLockRecords(name);
  expect(await again.read()).toEqual(before);
  expect(await isKeyOf(await again.read(), key)).toBe(true);
  again.close();
  await deleteDB(name);
  expect(await createLockRecords(name).change((now) => ({ ...now, language: 'zh' }))).toEqual({
    ...before,
    language: 'zh',
  });
});

it('a copy of the record that was not written is put right at the next start: no old way to unlock stays', async () => {
  const name = `lock-${newEntryId()}`;
  const records = createLockRecords(name);
  const root = await navigator.storage.getDirectory();
  const copied = async () => await (await (await root.getFileHandle(`${name}.json`)).getFile()).text();
  const { key, ...made } = await newLock(
    [{ kind: 'passphrase', passphrase: 'correct horse', argon }],
    Date.now,
  );
  await records.change((before) => ({ ...before, ...made }));
  const old = await copied();
  const oldSlot = made.slots[0]?.id ?? 'none';
  const { slots } = await newLock([{ kind: 'passphrase', passphrase: 'battery staple', argon }], Date.now);
  await records.change((before) => ({ ...before, slots }));
  // As a kill between the two writes leaves it.
  const stream = await (await root.getFileHandle(`${name}.json`)).createWritable();
  await stream.write(old);
  await stream.close();
  expect(await copied()).toContain(oldSlot);

  const ending = new AbortController();
  closing.push(() => ending.abort());
  await createDeviceLock({
    ...{ records, holder: new KeyHolder(async () => true, ending.signal), kind: 'persistent', now: Date.now },
    config: writable(configSchema.parse({})),
    exclusively: (_, work) => work(),
    signal: ending.signal,
  });
  await expect.poll(copied).not.toContain(oldSlot);
  expect(await copied()).toContain(slots[0]?.id);
  expect(await isKeyOf(await records.read(), key)).toBe(true);
});

describe('locking in the settings', () => {
  const group = () => page.getByRole('region', { name: 'Locking' });
  const dialog = () => page.getByRole('dialog');

  it('is turned on in steps, changed, and turned off with the passphrase', async () => {
    const app = await createTestApp();
    await show(app, '/settings/privacy');
    await expect.element(group()).toHaveTextContent(/can read your conversations/);
    await group().getByRole('switch').click();
    const next = () => dialog().getByRole('button', { name: 'Next' });
    await dialog().getByLabelText('Passphrase', { exact: true }).fill('short');
    await expect.element(dialog()).toHaveTextContent('Too short: 5 of 10 characters.');
    await expect.element(next()).toBeDisabled();
    await dialog().getByLabelText('Passphrase', { exact: true }).fill('a kettle hums');
    await dialog().getByLabelText('Passphrase again').fill('a kettle hum');
    await expect.element(dialog()).toHaveTextContent('The two are not the same.');
    await dialog().getByLabelText('Passphrase again').fill('a kettle hums');
    await expectAccessible();
    await next().click();
    const items = dialog().getByRole('listitem').elements();
    const words = items.map((item) => item.textContent?.replace(/^\d+/, '').trim() ?? '');
    expect(words).toHaveLength(24);
    await expectAccessible();
    await dialog().getByRole('button', { name: 'I wrote them down' }).click();
    const seal = () => dialog().getByRole('button', { name: 'Encrypt this device' });
    await expect.element(seal()).toBeDisabled();
    for (const field of dialog().getByRole('textbox').elements() as HTMLInputElement[]) {
      const at = Number(/\d+/.exec(field.labels?.[0]?.textContent ?? '')?.[0]);
      await userEvent.fill(field, words[at - 1] ?? '');
    }
    await seal().click();
    await expect.element(group().getByRole('button', { name: 'Finish now' })).toBeVisible();
    expect(app.lock.state.get()).toMatchObject({ phase: 'sealing', ready: true });
    await expect.element(group().getByText('Encrypting what is here')).not.toBeInTheDocument();
    expect(app.settings.config.get().privacy.encrypt_local).toBe(true);
    await expect.element(group().getByText('Recovery phrase, 24 words')).toBeVisible();
    await expect.element(group().getByRole('button', { name: 'Lock now' })).toBeVisible();
    expect(saidTwice(group().element())).toEqual([]);
    await expectAccessible();

    await group().getByRole('button', { name: 'Change…' }).click();
    await dialog().getByLabelText('Passphrase', { exact: true }).fill('wrong');
    await dialog().getByRole('button', { name: 'Continue' }).click();
    await dialog().getByLabelText('Passphrase', { exact: true }).fill('another kettle');
    await dialog().getByLabelText('Passphrase again').fill('another kettle');
    await dialog().getByRole('button', { name: 'Change…' }).click();
    await expect.element(dialog().getByRole('alert')).toHaveTextContent('That does not unlock this device.');
    await userEvent.keyboard('{Escape}');

    await group().getByRole('switch').click();
    await dialog().getByLabelText('Passphrase', { exact: true }).fill('a kettle hums');
    await dialog().getByRole('button', { name: 'Turn off' }).click();
    await expect.element(dialog()).not.toBeInTheDocument();
    expect(app.lock.state.get()).toMatchObject({ phase: 'off', slots: [] });
    expect(app.settings.config.get().privacy.encrypt_local).toBe(false);
  });

  deep(
    'follows the configuration with the same dialog, goes back when that is left, fits 320 px, and speaks Chinese',
    async () => {
      const app = await createTestApp();
      await app.settings.set('ui.language', 'zh');
      await app.settings.set('ui.theme', 'dark');
      await show(app, '/', { width: 320, height: 640 });
      await app.settings.importYaml('privacy: { encrypt_local: true }\n');
      await expect.element(dialog().getByLabelText('口令', { exact: true })).toBeVisible();
      expect(document.documentElement.scrollWidth).toBe(320);
      await expectAccessible();
      await userEvent.keyboard('{Escape}');
      await expect.poll(() => app.settings.config.get().privacy.encrypt_local).toBe(false);
      expect(app.lock.state.get().phase).toBe('off');
    },
  );
});
