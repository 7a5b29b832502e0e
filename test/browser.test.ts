// Chromium reads only the last of the lists of what is off, which is ours: it has to name what Playwright switches off.
import { chromium } from 'playwright';
import { expect, it } from 'vitest';
import { JOURNEY_ARGS } from './browser.ts';

it('what Playwright switches off in the browser stays off in journeys', async () => {
  // Something that is no browser: Playwright says with which arguments it started it.
  const said = await chromium
    .launch({ executablePath: process.execPath, args: [...JOURNEY_ARGS] })
    .then(() => '', String);
  const lists = [...said.matchAll(/--disable-features=(\S+)/g)].map(([, names = '']) => names.split(','));
  const [theirs = [], ...ours] = lists;
  expect(theirs.length).toBeGreaterThan(0);
  expect(ours.at(-1)).toEqual(expect.arrayContaining(theirs));
});
