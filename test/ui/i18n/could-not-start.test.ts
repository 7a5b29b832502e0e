// The sentence that is there where nothing else is.
import { expect, it } from 'vitest';
import { couldNotStart } from '../../../src/ui/i18n/could-not-start.ts';

it('says in the language of the browser that the app could not start, and why', () => {
  expect(couldNotStart('no disk', ['zh-CN', 'en'])).toMatchObject({
    language: 'zh',
    text: expect.stringMatching(/无法启动：no disk。/),
  });
  expect(couldNotStart('no disk', ['nl', 'en-GB'])).toMatchObject({
    language: 'en',
    text: expect.stringContaining('could not start: no disk.'),
  });
  expect(couldNotStart('no disk', []).language).toBe('en');
});
