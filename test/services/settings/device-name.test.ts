// The name of a device: a guess until its owner says better, the same in all its tabs.
import { expect, it, vi } from 'vitest';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import { until } from '../../../src/domain/base/readable.ts';
import { createDeviceName } from '../../../src/services/settings/device-name.ts';

it('is a guess until its owner says better, and again when they take that back', async () => {
  const { keyValues } = createInMemoryStore();
  const open = () => createDeviceName({ keyValues, guess: () => 'Chrome on Mac', onProblem: vi.fn() });
  const name = open();
  expect(name.get()).toBe('Chrome on Mac');
  await name.set('  Kitchen laptop ');
  expect([name.get(), name.own.get()]).toEqual(['Kitchen laptop', 'Kitchen laptop']);
  const tab = open();
  await until(tab.own, (own) => own !== null);
  expect(tab.get()).toBe('Kitchen laptop');
  await tab.set(' ');
  await until(name.own, (own) => own === null);
  expect(name.get()).toBe('Chrome on Mac');
});

it('is never cut within an emoji', async () => {
  const { keyValues } = createInMemoryStore();
  const name = createDeviceName({ keyValues, guess: () => 'Chrome', onProblem: vi.fn() });
  for (let before = 50; before < 70; before += 1) {
    await name.set(`${'a'.repeat(before)}👩🏽‍💻`);
    expect(name.get()).toMatch(/^a+(?:👩🏽‍💻)?$/u);
  }
});
