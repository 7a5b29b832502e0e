// Turns speech into words by the browser's recogniser (Web Speech API, https://webaudio.github.io/web-speech-api/), on
// the device if the browser can do that; otherwise the browser sends the sound to a service of its maker.
import { log, orElse } from '../../domain/base/log.ts';

/**
 * Place where a language is recognised: on the device, there after a download, or by the service of the browser's
 * maker.
 */
export type RecognisedAt = 'device' | 'download' | 'service';

/** Reason why listening ended by itself. `blocked`: the browser or the system forbids its recogniser. */
export type DictationProblem =
  | 'microphone'
  | 'refused'
  | 'blocked'
  | 'network'
  | 'silence'
  | 'language'
  | 'failed';

/** Callbacks for the words heard, in order. None is called after `ended` or `abort`. */
interface Hearing {
  /** The microphone is open. */
  started(): void;
  /** Receives all words so far that are not final. */
  interim(words: string): void;
  /** Receives final words, once. */
  words(words: string): void;
  /** The recogniser ended: on request, after a pause, or because of a problem. */
  ended(problem: DictationProblem | null): void;
}

export interface Listening {
  /** Ends once the words said so far have been delivered. */
  stop(): void;
  /** Ends at once. */
  abort(): void;
}

export interface Dictation {
  /** Returns the place for `language`, a BCP 47 tag such as `en-GB`; `service` if the browser does not say. */
  where(language: string): Promise<RecognisedAt>;
  /** Lets the browser download its parts for `device`; only within a click. False if that failed. */
  install(language: string): Promise<boolean>;
  /**
   * Opens the microphone. With `onDevice` no sound leaves the device; if that is impossible, listening ends with a
   * problem.
   */
  listen(asked: { readonly language: string; readonly onDevice: boolean }, hearing: Hearing): Listening;
}

/** The parts of the browser's recogniser in use; TypeScript's library has no type for it. */
interface Recogniser {
  lang: string;
  continuous: boolean;
  interimResults: boolean;
  processLocally?: boolean;
  onstart: (() => void) | null;
  onresult: ((event: { readonly results: Results }) => void) | null;
  onerror: ((event: { readonly error: string }) => void) | null;
  onend: (() => void) | null;
  start(): void;
  stop(): void;
  abort(): void;
}
type Results = ArrayLike<ArrayLike<{ readonly transcript: string }> & { readonly isFinal: boolean }>;
interface Recognisers {
  new (): Recogniser;
  available?(asked: { langs: string[]; processLocally: boolean }): Promise<string>;
  install?(asked: { langs: string[]; processLocally: boolean }): Promise<boolean>;
}

const PROBLEMS: Readonly<Record<string, DictationProblem>> = {
  'audio-capture': 'microphone',
  'not-allowed': 'refused',
  'service-not-allowed': 'blocked',
  network: 'network',
  'no-speech': 'silence',
  'language-not-supported': 'language',
};

class DictationSession implements Listening {
  readonly #recogniser: Recogniser;
  readonly #hearing: Hearing;
  #problem: DictationProblem | null = null;
  #over = false;
  /** Number of results already delivered as final. */
  #taken = 0;

  constructor(recogniser: Recogniser, hearing: Hearing) {
    this.#recogniser = recogniser;
    this.#hearing = hearing;
    recogniser.onstart = () => {
      if (!this.#over) hearing.started();
    };
    recogniser.onresult = ({ results }) => this.#receive(results);
    recogniser.onerror = ({ error }) => {
      this.#problem ??= PROBLEMS[error] ?? 'failed';
    };
    recogniser.onend = () => this.#end();
  }

  start(): void {
    try {
      this.#recogniser.start();
    } catch (error) {
      log.debug('The recogniser did not start', error);
      // The browser fires no event in this case.
      this.#problem = 'failed';
      queueMicrotask(() => this.#end());
    }
  }

  stop(): void {
    if (!this.#over) this.#recogniser.stop();
  }

  abort(): void {
    if (this.#over) return;
    this.#over = true;
    this.#recogniser.abort();
  }

  #receive(results: Results): void {
    if (this.#over) return;
    let interim = '';
    for (const [at, result] of Array.from(results).entries()) {
      const words = result[0]?.transcript ?? '';
      if (!result.isFinal) interim += words;
      else if (at >= this.#taken) {
        this.#taken = at + 1;
        if (words.trim() !== '') this.#hearing.words(words.trim());
      }
    }
    this.#hearing.interim(interim.trim());
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#hearing.ended(this.#problem);
  }
}

/**
 * Builds dictation on `scope`, the page's global object. Null if the browser has no recogniser or denies this page
 * the microphone.
 */
export function createDictation(scope: object = globalThis): Dictation | null {
  const page = scope as {
    SpeechRecognition?: Recognisers;
    webkitSpeechRecognition?: Recognisers;
    isSecureContext?: boolean;
    navigator?: { readonly userAgent: string };
  };
  const Recogniser = page.SpeechRecognition ?? page.webkitSpeechRecognition;
  if (!Recogniser || page.isSecureContext === false) return null;
  const local = (language: string) => ({ langs: [language], processLocally: true });
  // In continuous mode Chromium on Android repeats unfinished words as final.
  const goesOn = !/android/i.test(page.navigator?.userAgent ?? '');
  return {
    where: async (language) => {
      const answer = await orElse(
        (async () => Recogniser.available?.(local(language)))(),
        undefined,
        'whether speech is recognised on the device; it counts as sent away',
      );
      if (answer === 'available') return 'device';
      return answer === 'downloadable' || answer === 'downloading' ? 'download' : 'service';
    },
    install: (language) =>
      orElse(
        (async () => (await Recogniser.install?.(local(language))) ?? false)(),
        false,
        'the download of a language for speech',
      ),
    listen: ({ language, onDevice }, hearing) => {
      const recogniser = new Recogniser();
      recogniser.lang = language;
      recogniser.continuous = goesOn;
      recogniser.interimResults = true;
      if (onDevice || 'processLocally' in recogniser) recogniser.processLocally = onDevice;
      const session = new DictationSession(recogniser, hearing);
      session.start();
      return session;
    },
  };
}
