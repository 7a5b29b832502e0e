// Reads text aloud with a voice of the device. Remote voices are never used because they would receive the text.
import type { MessageId } from '../../domain/base/ids.ts';
import { log } from '../../domain/base/log.ts';
import { type Readable, writable } from '../../domain/base/readable.ts';
import { cutAtPauses, sentenceSpans } from '../../domain/text/sentences.ts';

/** Longest piece, characters: engines stop in the middle of longer ones. */
const AT_ONCE = 200;

/** Splits a text into sentences, joining short ones; lines stay separate. Linear in the text's length. */
export function spokenPieces(text: string): string[] {
  const pieces: string[] = [];
  /** Bounds of the piece so far. */
  let [start, end] = [0, 0];
  const add = () => {
    const said = text.slice(start, end);
    if (/[\p{L}\p{N}]/u.test(said)) pieces.push(...cutAtPauses(said, AT_ONCE));
  };
  for (const [from, to] of sentenceSpans(text)) {
    if (to - start > AT_ONCE || text.slice(end, from).includes('\n')) {
      add();
      start = from;
    }
    end = to;
  }
  add();
  return pieces;
}

/** Scripts with the languages written in them; the first counts if the text does not show which one it is. */
const SCRIPTS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\p{Script=Hangul}/gu, ['ko']],
  [/\p{Script=Cyrillic}+/gu, ['ru', 'uk', 'bg', 'sr', 'be', 'mk']],
  [/\p{Script=Arabic}+/gu, ['ar', 'fa', 'ur']],
  [/\p{Script=Greek}+/gu, ['el']],
  [/\p{Script=Hebrew}+/gu, ['he']],
  [/\p{Script=Thai}+/gu, ['th']],
  [/\p{Script=Devanagari}+/gu, ['hi']],
];

/** Language of a text as a code for voices: by its main script, else `otherwise`. */
export function spokenLanguage(text: string, otherwise: string): string {
  const sample = text.slice(0, 2000);
  const count = (script: RegExp) => sample.match(script)?.length ?? 0;
  const among = (languages: readonly string[]) =>
    languages.some((one) => otherwise.startsWith(one)) ? otherwise : (languages[0] as string);
  const latin = count(/\p{Script=Latin}+/gu);
  const kana = count(/[\p{Script=Hiragana}\p{Script=Katakana}]/gu);
  const han = count(/\p{Script=Han}/gu);
  if (kana > 0 && kana + han > latin) return 'ja';
  if (han > latin) return among(['zh', 'ja']);
  for (const [script, languages] of SCRIPTS) if (count(script) > latin) return among(languages);
  const isLatin = !['zh', 'ja', ...SCRIPTS.flatMap(([, languages]) => languages)].some((one) =>
    otherwise.startsWith(one),
  );
  return isLatin || han > 0 || latin === 0 ? otherwise : 'en';
}

/** Offset of the start of the sentence around `at`, characters. */
export const sentenceStart = (text: string, at: number): number =>
  sentenceSpans(text).findLast(([from]) => from <= at)?.[0] ?? 0;

interface SpokenMessage {
  readonly message: MessageId;
  readonly paused: boolean;
}

export interface ReadAloud {
  readonly reading: Readable<SpokenMessage | null>;
  /** True if this browser can speak. */
  readonly able: boolean;
  /**
   * Stops the current reading and starts this one. `none`: the device has no voice for any of it; `partly`: some is
   * left out for lack of a voice.
   * @param otherwise language to assume if the text does not show its own
   * @param onBroken called if the voice fails before the end
   */
  start(
    message: MessageId,
    text: string,
    otherwise: string,
    onBroken?: () => void,
  ): 'all' | 'partly' | 'none';
  pause(): void;
  /** Continues from the start of the sentence in which it was paused. */
  goOn(): void;
  stop(): void;
}

interface Piece {
  readonly text: string;
  readonly voice: SpeechSynthesisVoice;
}

/** Splits a text into pieces, each with a local voice for its language; `left` counts pieces without one. */
function voiced(
  text: string,
  otherwise: string,
  all: readonly SpeechSynthesisVoice[],
): { pieces: Piece[]; left: number } {
  const main = spokenLanguage(text, otherwise);
  const voices = all.filter(({ localService }) => localService);
  const pieces: Piece[] = [];
  let left = 0;
  for (const piece of spokenPieces(text)) {
    const language = spokenLanguage(piece, main).slice(0, 2);
    const own = voices.filter(({ lang }) => lang.toLowerCase().startsWith(language));
    const voice = own.find(({ default: preferred }) => preferred) ?? own[0];
    if (voice) pieces.push({ text: piece, voice });
    else left += 1;
  }
  return { pieces, left };
}

class Reader implements ReadAloud {
  readonly #speech: SpeechSynthesis | undefined;
  readonly #reading = writable<SpokenMessage | null>(null);
  /** Pieces still to be read; the first is being read. */
  #pieces: readonly Piece[] = [];
  /** Progress within that piece, characters; 0 if the voice reports none. */
  #at = 0;
  /** Changes with each stop, so that late events of an earlier reading are ignored. */
  #turn = 0;
  #onBroken: () => void = () => undefined;

  constructor(speech: SpeechSynthesis | undefined) {
    this.#speech = speech;
    // Some browsers load their list of voices only when asked.
    speech?.getVoices();
  }

  get reading(): Readable<SpokenMessage | null> {
    return this.#reading;
  }

  get able(): boolean {
    return this.#speech !== undefined;
  }

  start(
    message: MessageId,
    text: string,
    otherwise: string,
    onBroken: () => void = () => undefined,
  ): 'all' | 'partly' | 'none' {
    this.stop();
    this.#onBroken = onBroken;
    if (!this.#speech) return 'none';
    const { pieces, left } = voiced(text, otherwise, this.#speech.getVoices());
    if (pieces.length === 0) return 'none';
    this.#pieces = pieces;
    this.#reading.set({ message, paused: false });
    this.#speak();
    return left > 0 ? 'partly' : 'all';
  }

  /** Cancels instead of pausing: `speechSynthesis.pause` does nothing with some voices, and others forget it. */
  pause(): void {
    const now = this.#reading.get();
    if (!now || now.paused) return;
    this.#turn += 1;
    this.#speech?.cancel();
    this.#reading.set({ ...now, paused: true });
  }

  goOn(): void {
    const now = this.#reading.get();
    const [first, ...others] = this.#pieces;
    if (!now?.paused || !first) return;
    this.#pieces = [{ ...first, text: first.text.slice(sentenceStart(first.text, this.#at)) }, ...others];
    this.#reading.set({ ...now, paused: false });
    this.#speak();
  }

  stop(): void {
    this.#turn += 1;
    this.#speech?.cancel();
    this.#pieces = [];
    this.#reading.set(null);
  }

  #speak(): void {
    const turn = this.#turn;
    const [piece] = this.#pieces;
    this.#at = 0;
    if (!piece) {
      this.#reading.set(null);
      return;
    }
    const utterance = new SpeechSynthesisUtterance(piece.text);
    utterance.voice = piece.voice;
    utterance.lang = piece.voice.lang;
    utterance.onboundary = ({ charIndex }) => {
      if (turn === this.#turn) this.#at = charIndex;
    };
    utterance.onend = () => {
      if (turn !== this.#turn) return;
      this.#pieces = this.#pieces.slice(1);
      this.#speak();
    };
    utterance.onerror = ({ error }) => {
      if (turn !== this.#turn) return;
      log.warn('Reading aloud ended early', error);
      this.stop();
      this.#onBroken();
    };
    this.#speech?.speak(utterance);
  }
}

/** `speech`: `speechSynthesis` if the browser has it. */
export const createReadAloud = (speech: SpeechSynthesis | undefined): ReadAloud => new Reader(speech);
