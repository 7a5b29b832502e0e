// Dictation over a stand-in for the browser's recogniser, which is the only thing that is not real here.
import { beforeEach, describe, expect, it } from 'vitest';
import { createDictation } from '../../../src/adapters/browser/dictation.ts';
import { Dictator, dictationTag, spokenInto } from '../../../src/ui/chat/dictating.ts';
import { StandInRecogniser } from '../../fixtures/recogniser.ts';

let said: string[];
let mayLeave: boolean;
beforeEach(() => {
  said = [];
  mayLeave = false;
});

/** `answer`: what the browser says of recognition on the device; undefined: it cannot be asked. */
function dictatorWith(answer?: string, installs = true) {
  const Recogniser = StandInRecogniser.fresh(answer, installs);
  const dictation = createDictation({ webkitSpeechRecognition: Recogniser });
  if (!dictation) throw new Error('No recogniser');
  const dictator = new Dictator({
    dictation,
    language: () => 'en-GB',
    mayLeave: () => mayLeave,
    allow: () => {
      mayLeave = true;
    },
    onWords: (words) => said.push(words),
  });
  return { dictator, Recogniser, at: () => dictator.state.get().at };
}

it('is there only where a browser has a recogniser and may open a microphone', () => {
  expect(createDictation({})).toBeNull();
  const Recogniser = StandInRecogniser.fresh();
  expect(createDictation({ SpeechRecognition: Recogniser, isSecureContext: false })).toBeNull();
  expect(createDictation({ SpeechRecognition: Recogniser, isSecureContext: true })).not.toBeNull();
});

describe('before sound leaves the device', () => {
  it('asks, and opens no microphone until it is answered', async () => {
    const { dictator, Recogniser, at } = dictatorWith();
    await dictator.press();
    expect(dictator.state.get()).toEqual({ at: 'asking', about: 'service', language: 'en-GB' });
    expect(Recogniser.all).toHaveLength(0);
    dictator.take();
    expect(at()).toBe('off');
    expect(mayLeave).toBe(false);
    await dictator.press();
    await dictator.choose('service');
    expect(mayLeave).toBe(true);
    expect(Recogniser.last.lang).toBe('en-GB');
    dictator.take();
    await dictator.press();
    expect(at()).toBe('starting');
  });

  it('does not ask where the browser recognises the language on the device, and holds it to that', async () => {
    const { dictator, Recogniser } = dictatorWith('available');
    await dictator.press();
    expect(Recogniser.last.processLocally).toBe(true);
  });

  it.each([true, false])('offers the download (which works: %s)', async (installs) => {
    const { dictator, Recogniser } = dictatorWith('downloadable', installs);
    await dictator.press();
    expect(dictator.state.get()).toMatchObject({ at: 'asking', about: 'download' });
    expect(Recogniser.installed).toEqual([]);
    await dictator.choose('download');
    expect(Recogniser.installed).toEqual(['en-GB']);
    if (installs) expect(Recogniser.last.processLocally).toBe(true);
    else expect(dictator.state.get()).toMatchObject({ at: 'asking', about: 'service' });
  });

  it('asks about the service, too, for who does not want the download', async () => {
    const { dictator, Recogniser } = dictatorWith('downloadable');
    await dictator.press();
    await dictator.choose('service');
    expect(dictator.state.get()).toMatchObject({ at: 'asking', about: 'service' });
    expect(Recogniser.all).toHaveLength(0);
  });

  it('takes a browser that answers with an error for one that sends it away', async () => {
    const { dictator } = dictatorWith('throws');
    await dictator.press();
    expect(dictator.state.get()).toMatchObject({ at: 'asking', about: 'service' });
  });
});

describe('while it listens', () => {
  const listening = async () => {
    mayLeave = true;
    const all = dictatorWith();
    await all.dictator.press();
    all.Recogniser.last.onstart?.();
    return all;
  };

  it('shows words that may change, and hands over final ones once', async () => {
    const { dictator, Recogniser } = await listening();
    Recogniser.last.hear(['hello', false]);
    expect(dictator.state.get()).toEqual({ at: 'listening', interim: 'hello' });
    Recogniser.last.hear(['Hello there.', true], [' how', false]);
    Recogniser.last.hear(['Hello there.', true], [' how are', false]);
    expect(said).toEqual(['Hello there.']);
    expect(dictator.state.get()).toEqual({ at: 'listening', interim: 'how are' });
  });

  it('ends at a second press with the last words, which come late', async () => {
    const { dictator, Recogniser, at } = await listening();
    Recogniser.last.hear(['good mor', false]);
    await dictator.press();
    expect(at()).toBe('ending');
    Recogniser.last.hear(['Good morning.', true]);
    Recogniser.last.onend?.();
    expect(said).toEqual(['Good morning.']);
    expect(at()).toBe('off');
  });

  it('keeps what was shown where it ends at once, or without a last word', async () => {
    const { dictator, Recogniser, at } = await listening();
    Recogniser.last.hear(['one two', false]);
    const first = Recogniser.last;
    dictator.take();
    expect([said, at()]).toEqual([['one two'], 'off']);
    // After closing, the page ignores what the recogniser still sends.
    first.hear(['One two.', true]);
    first.onend?.();
    expect(said).toEqual(['one two']);
    await dictator.press();
    Recogniser.last.onstart?.();
    Recogniser.last.hear(['three', false]);
    dictator.stop();
    Recogniser.last.onend?.();
    expect(said).toEqual(['one two', 'three']);
  });

  it('goes on through pauses, and ends in silence', async () => {
    const { dictator, Recogniser, at } = await listening();
    Recogniser.last.hear(['One.', true]);
    Recogniser.last.onend?.();
    expect(Recogniser.all).toHaveLength(2);
    expect(at()).toBe('listening');
    Recogniser.last.onstart?.();
    Recogniser.last.onend?.();
    expect(dictator.state.get()).toEqual({ at: 'off', problem: 'silence' });
    expect(Recogniser.all).toHaveLength(2);
    dictator.dismiss();
    expect(dictator.state.get()).toEqual({ at: 'off', problem: null });
  });

  it.each([
    ['audio-capture', 'microphone'],
    ['not-allowed', 'refused'],
    ['service-not-allowed', 'blocked'],
    ['network', 'network'],
    ['no-speech', 'silence'],
    ['language-not-supported', 'language'],
    ['aborted', 'failed'],
  ])('says of %s that it is: %s, and keeps the words', async (error, problem) => {
    const { dictator, Recogniser } = await listening();
    Recogniser.last.hear(['kept', false]);
    Recogniser.last.onerror?.({ error });
    Recogniser.last.onend?.();
    expect(dictator.state.get()).toEqual({ at: 'off', problem });
    expect(said).toEqual(['kept']);
  });

  it('says that it did not begin where the recogniser refuses at once', async () => {
    mayLeave = true;
    const { dictator, Recogniser } = dictatorWith();
    Recogniser.refuses = true;
    await dictator.press();
    await Promise.resolve();
    expect(dictator.state.get()).toEqual({ at: 'off', problem: 'failed' });
  });
});

it.each([
  ['Hello', 5, 'there', 'Hello there', 11],
  ['Hello ', 6, 'there', 'Hello there', 11],
  ['A dog.', 1, 'big', 'A big dog.', 5],
  ['(', 1, 'so', '(so', 3],
  ['', 0, 'So', 'So', 2],
  ['你好，', 3, '世界', '你好，世界', 5],
  ['用 Rust', 6, '写', '用 Rust写', 7],
])('puts words into %j at %i: %s', (value, selectionEnd, words, text, caret) => {
  expect(spokenInto(words, { value, selectionEnd })).toEqual({ text, caret });
});

it('listens for the chosen language, else for that of the interface as the browser has it', () => {
  expect(dictationTag('de-DE', 'en', ['en-US'])).toBe('de-DE');
  expect(dictationTag('auto', 'en', ['zh-CN', 'en-AU', 'en-US'])).toBe('en-AU');
  expect(dictationTag('auto', 'zh', ['en-US'])).toBe('zh-CN');
  expect(dictationTag('auto', 'en', ['zh-CN'])).toBe('en-US');
});
