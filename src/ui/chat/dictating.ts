// Dictates into a field: asks before sound leaves the device, continues across
// pauses, and loses no word that was shown.
import type {
  Dictation,
  DictationProblem,
  Listening,
  RecognisedAt,
} from '../../adapters/browser/dictation.ts';
import { type Readable, writable } from '../../domain/base/readable.ts';

export type DictationState =
  /** `problem`: why dictation ended, until dismissed. */
  | { readonly at: 'off'; readonly problem: DictationProblem | null }
  /** `language`: tag that the question is about. */
  | { readonly at: 'asking'; readonly about: Exclude<RecognisedAt, 'device'>; readonly language: string }
  | { readonly at: 'looking' | 'downloading' | 'starting' }
  /** `interim`: words that may still change. */
  | { readonly at: 'listening' | 'ending'; readonly interim: string };

export const DICTATION_OFF: DictationState = { at: 'off', problem: null };

/**
 * Language tag to ask a recogniser for. `wanted`: the setting; `spoken`: the interface's
 * language; `tags`: the browser's preferences.
 */
export function dictationTag(wanted: string, spoken: string, tags: readonly string[]): string {
  if (wanted !== 'auto') return wanted;
  const language = spoken.slice(0, 2);
  const own = tags.find((tag) => tag.toLowerCase().startsWith(`${language}-`));
  return own ?? (language === 'zh' ? 'zh-CN' : 'en-US');
}

/** Text of a field after dictation: the words go after the caret or selection and replace nothing. */
export function spokenInto(
  words: string,
  { value, selectionEnd }: Pick<HTMLTextAreaElement, 'value' | 'selectionEnd'>,
): { readonly text: string; readonly caret: number } {
  const before = value.slice(0, selectionEnd);
  const after = value.slice(selectionEnd);
  // Adds no space next to scripts without spaces or their punctuation, or after an opening bracket or quotation mark.
  const apart = /[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Ps}\p{Pi}，。！？；：、]$/u;
  const wordFirst = /^[\p{L}\p{N}]/u;
  const closeFirst = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
  const gapBetween = (left: string, right: string) =>
    apart.test(left.slice(-2)) && wordFirst.test(right) && !closeFirst.test(right) ? ' ' : '';
  const start = before + gapBetween(before, words) + words;
  return { text: start + gapBetween(words, after) + after, caret: start.length };
}

interface Given {
  readonly dictation: Dictation;
  /** Language tag to listen for, asked again at each start. */
  readonly language: () => string;
  /** True if the person agreed to send sound to the browser's service. */
  readonly mayLeave: () => boolean;
  /** Records that agreement. */
  readonly allow: () => void;
  readonly onWords: (words: string) => void;
}

export class Dictator {
  readonly #given: Given;
  readonly #state = writable<DictationState>(DICTATION_OFF);
  /** Changes at each end, so that late events of an earlier session are ignored. */
  #turn = 0;
  #language = '';
  #listening: Listening | null = null;

  constructor(given: Given) {
    this.#given = given;
  }

  get state(): Readable<DictationState> {
    return this.#state;
  }

  /** Starts dictation, or ends the running one. */
  async press(): Promise<void> {
    if (this.#state.get().at !== 'off') {
      this.stop();
      return;
    }
    this.#turn += 1;
    const turn = this.#turn;
    this.#language = this.#given.language();
    this.#state.set({ at: 'looking' });
    const where = await this.#given.dictation.where(this.#language);
    if (turn !== this.#turn) return;
    if (where === 'device') this.#listen(true);
    else if (this.#given.mayLeave()) this.#listen(false);
    else this.#ask(where);
  }

  /** Answers the pending question: downloads and listens on the device, or lets the sound leave it. */
  async choose(way: Exclude<RecognisedAt, 'device'>): Promise<void> {
    const state = this.#state.get();
    if (state.at !== 'asking') return;
    if (way === 'service') {
      if (state.about !== 'service') return this.#ask('service');
      this.#given.allow();
      this.#listen(false);
      return;
    }
    const turn = this.#turn;
    this.#state.set({ at: 'downloading' });
    const installed = await this.#given.dictation.install(this.#language);
    if (turn !== this.#turn) return;
    if (installed) this.#listen(true);
    else this.#ask('service');
  }

  /** Ends once the spoken words have arrived; at once if listening has not begun or on a second call. */
  stop(): void {
    const state = this.#state.get();
    if (state.at !== 'listening') {
      this.take();
      return;
    }
    this.#state.set({ at: 'ending', interim: state.interim });
    this.#listening?.stop();
  }

  /** Ends at once and hands over the shown words unchanged. */
  take(): void {
    if (this.#state.get().at === 'off') return;
    this.#turn += 1;
    this.#listening?.abort();
    this.#end(null);
  }

  dismiss(): void {
    if (this.#state.get().at === 'off') this.#state.set(DICTATION_OFF);
  }

  #ask(about: Exclude<RecognisedAt, 'device'>): void {
    this.#state.set({ at: 'asking', about, language: this.#language });
  }

  #end(problem: DictationProblem | null): void {
    const state = this.#state.get();
    this.#listening = null;
    this.#state.set(problem === null ? DICTATION_OFF : { at: 'off', problem });
    if ('interim' in state && state.interim !== '') this.#given.onWords(state.interim);
  }

  #listen(onDevice: boolean): void {
    const turn = this.#turn;
    let hasWords = false;
    if (this.#state.get().at !== 'listening') this.#state.set({ at: 'starting' });
    const show = (interim: string) => {
      const { at } = this.#state.get();
      this.#state.set({ at: at === 'ending' ? 'ending' : 'listening', interim });
    };
    const asked = { language: this.#language, onDevice };
    this.#listening = this.#given.dictation.listen(asked, {
      started: () => turn === this.#turn && show(''),
      interim: (words) => {
        if (turn !== this.#turn) return;
        hasWords ||= words !== '';
        show(words);
      },
      words: (words) => {
        if (turn !== this.#turn) return;
        hasWords = true;
        show('');
        this.#given.onWords(words);
      },
      ended: (problem) => {
        if (turn !== this.#turn) return;
        const ending = this.#state.get().at === 'ending';
        // Recognisers stop at a pause, so listening restarts. If nothing was heard until the end, that is silence.
        if (ending) this.#end(problem === 'silence' ? null : problem);
        else if (problem !== null || !hasWords) this.#end(problem ?? 'silence');
        else {
          this.#keepInterim();
          this.#listen(onDevice);
        }
      },
    });
  }

  /** Keeps the shown words when the recogniser ends without a final result for them. */
  #keepInterim(): void {
    const state = this.#state.get();
    if (!('interim' in state) || state.interim === '') return;
    this.#state.set({ at: 'listening', interim: '' });
    this.#given.onWords(state.interim);
  }
}
