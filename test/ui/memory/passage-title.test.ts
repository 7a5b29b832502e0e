// A passage names its conversation in the language of the interface.
import i18next from 'i18next';
import { afterAll, expect, it, vi } from 'vitest';
import { NOTES } from '../../../src/domain/base/ids.ts';
import { conversationOfNotes } from '../../../src/domain/memory/notes.ts';
import { allWords, setLanguage } from '../../../src/ui/i18n/index.ts';
import { passageTitle } from '../../../src/ui/memory/passage-title.ts';

afterAll(() => vi.unstubAllGlobals());

it('says the notes as the language has them, a title as it was given, and that there is none', async () => {
  vi.stubGlobal('document', { documentElement: {} });
  await setLanguage('zh');
  // Words of memory come after the first screen, those of another language when they are asked for.
  await allWords('en');
  const notes = { conversationId: NOTES, title: conversationOfNotes([]).meta.title };
  const [en, zh] = [i18next.getFixedT('en', 'memory'), i18next.getFixedT('zh', 'memory')];
  expect(passageTitle(notes, en)).toBe('Memory notes');
  expect(passageTitle(notes, zh)).toBe('备忘');
  expect(passageTitle({ conversationId: 'c', title: 'Memory notes' }, zh)).toBe('Memory notes');
  expect(passageTitle({ conversationId: 'c', title: '' }, zh)).toBe('未命名');
});
