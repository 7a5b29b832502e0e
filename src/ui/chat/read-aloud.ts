// Reads words aloud by a voice of the device. Voices that are made elsewhere would be sent the words: they are never used.
import type { MessageId } from '../../domain/base/ids.ts';
import { log } from '../../domain/base/log.ts';
import { type Readable, writable } from '../../domain/base/readable.ts';

/** Engines stop in the middle of longer ones, characters. */
const AT_ONCE = 200;

/** Sentences, joined as long as they are short. Linear in the length of the text. */
export function spokenPieces(text: string): string[] {
  const pieces: string[] = [];
  let piece = '';
  const end = () => {
    if (/[\p{L}\p{N}]/u.test(piece)) pieces.push(piece.trim());
    piece = '';
  };
  for (const [sentence] of text.matchAll(/[^.!?。！？；\n]+[.!?。！？；\n]*|[.!?。！？；\n]+/g)) {
    if (piece.length + sentence.length > AT_ONCE) end();
    for (let at = 0; at < sentence.length; at += AT_ONCE) {
      piece += sentence.slice(at, at + AT_ONCE);
      if (piece.length >= AT_ONCE) end();
    }
    if (sentence.includes('\n')) end();
  }
  end();
  return pieces;
}

/** The language of a text, as a voice is asked for it: by its script, else `otherwise`. */
export function spokenLanguage(text: string, otherwise: string): string {
  const sample = text.slice(0, 2000);
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(sample)) return 'ja';
  if (/\p{Script=Hangul}/u.test(sample)) return 'ko';
  const han = sample.match(/\p{Script=Han}/gu)?.length ?? 0;
  const latin = sample.match(/\p{Script=Latin}+/gu)?.length ?? 0;
  if (han > latin) return 'zh';
  return han > 0 || !otherwise.startsWith('zh') ? otherwise : 'en';
}

export interface ReadAloud {
  /** The message that is being read. */
  readonly reading: Readable<MessageId | null>;
  /** Whether this browser can speak at all. */
  readonly able: boolean;
  /** Ends what is being read. False where the device has no voice of its own for the language. */
  start(message: MessageId, text: string, language: string): boolean;
  stop(): void;
}

/** `speech`: `speechSynthesis` where the browser has one. */
export function createReadAloud(speech: SpeechSynthesis | undefined): ReadAloud {
  const reading = writable<MessageId | null>(null);
  let turn = 0;
  // Some browsers read their list of voices only once they are asked for it.
  speech?.getVoices();
  const stop = () => {
    turn += 1;
    speech?.cancel();
    reading.set(null);
  };
  return {
    reading,
    able: speech !== undefined,
    stop,
    start: (message, text, otherwise) => {
      stop();
      if (!speech) return false;
      const language = spokenLanguage(text, otherwise);
      const voices = speech
        .getVoices()
        .filter(
          ({ localService, lang }) => localService && lang.toLowerCase().startsWith(language.slice(0, 2)),
        );
      const voice = voices.find(({ default: preferred }) => preferred) ?? voices[0];
      if (!voice) return false;
      const own = turn;
      const pieces = spokenPieces(text);
      const next = () => {
        if (own !== turn) return;
        const piece = pieces.shift();
        if (piece === undefined) return reading.set(null);
        const utterance = new SpeechSynthesisUtterance(piece);
        utterance.voice = voice;
        utterance.lang = voice.lang;
        utterance.onend = next;
        utterance.onerror = ({ error }) => {
          if (own !== turn) return;
          log.warn('Reading aloud ended early', error);
          reading.set(null);
        };
        speech.speak(utterance);
      };
      reading.set(message);
      next();
      return true;
    },
  };
}
