// Reading aloud over a stand-in for the browser's voices: pausing, going on, and a voice for each language.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { MessageId } from '../../../src/domain/base/ids.ts';
import { createReadAloud } from '../../../src/ui/chat/read-aloud.ts';

class Utterance {
  voice: { lang: string } | null = null;
  lang = '';
  onend: (() => void) | null = null;
  onboundary: ((event: { charIndex: number }) => void) | null = null;
  onerror: ((event: { error: string }) => void) | null = null;
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
const spoken: Utterance[] = [];
const voice = (lang: string, localService = true) => ({ lang, localService, default: false });
const speechWith = (...voices: object[]) =>
  ({
    getVoices: () => voices,
    speak: (utterance: Utterance) => spoken.push(utterance),
    cancel: () => undefined,
  }) as unknown as SpeechSynthesis;
const id = 'm1' as MessageId;
const last = () => {
  const utterance = spoken.at(-1);
  if (!utterance) throw new Error('Nothing was said');
  return utterance;
};

beforeEach(() => {
  spoken.length = 0;
  vi.stubGlobal('SpeechSynthesisUtterance', Utterance);
});
afterEach(() => vi.unstubAllGlobals());

it('goes on from the sentence in which it was paused', () => {
  const reader = createReadAloud(speechWith(voice('en-US')));
  expect(reader.start(id, 'First one. Second one. Third one.\nNext.', 'en')).toBe('all');
  last().onboundary?.({ charIndex: 18 });
  const before = last();
  reader.pause();
  expect(reader.reading.get()).toEqual({ message: id, paused: true });
  // A cancelled utterance ends late, which must not count as the end of the piece.
  before.onend?.();
  expect(spoken.length).toBe(1);
  reader.goOn();
  expect(last().text).toBe('Second one. Third one.');
  last().onend?.();
  expect(last().text).toBe('Next.');
  last().onend?.();
  expect(reader.reading.get()).toBeNull();
});

it('says each paragraph by a voice of the device for its language, and tells what is left out', () => {
  const both = createReadAloud(speechWith(voice('en-US'), voice('zh-CN'), voice('de-DE', false)));
  expect(both.start(id, 'Good morning.\n早上好。', 'en')).toBe('all');
  expect(last().lang).toBe('en-US');
  last().onend?.();
  expect(last().lang).toBe('zh-CN');
  const one = createReadAloud(speechWith(voice('en-US')));
  expect(one.start(id, 'Good morning.\n早上好。', 'en')).toBe('partly');
  expect(one.start(id, 'Guten Morgen', 'de')).toBe('none');
  expect(one.reading.get()).toBeNull();
});

it('ends no sentence behind an abbreviation, and cuts no word of a long one in two', () => {
  const reader = createReadAloud(speechWith(voice('en-US')));
  const long = `${'She spoke of the harbour and its lights, '.repeat(6)}and then went home.`;
  expect(reader.start(id, `Ask Dr. Brown about it. He knows.\n${long}`, 'en')).toBe('all');
  last().onboundary?.({ charIndex: 12 });
  reader.pause();
  reader.goOn();
  expect(last().text).toBe('Ask Dr. Brown about it. He knows.');
  last().onend?.();
  expect(long.startsWith(`${last().text} `)).toBe(true);
  expect(last().text.length).toBeLessThanOrEqual(200);
});

it('tells that a voice failed, but not that it was stopped', () => {
  const broken = vi.fn();
  const reader = createReadAloud(speechWith(voice('en-US')));
  reader.start(id, 'Good morning.', 'en', broken);
  reader.stop();
  last().onerror?.({ error: 'interrupted' });
  expect(broken).not.toHaveBeenCalled();
  reader.start(id, 'Good morning.', 'en', broken);
  last().onerror?.({ error: 'synthesis-failed' });
  expect(broken).toHaveBeenCalledOnce();
  expect(reader.reading.get()).toBeNull();
});
