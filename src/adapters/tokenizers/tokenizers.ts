// Exact token counts for models whose encoding is public: OpenAI's. The only room that knows gpt-tokenizer. An encoding's table is a
// megabyte or two, so it is loaded when a model that needs it is first used, and kept.
import type { TokenCounter } from '../../domain/context/meter.ts';

type Encoding = 'o200k_base' | 'cl100k_base';

/** Model names as endpoints write them, `openai/` and the like in front left out → encoding. The first that fits counts. */
const ENCODINGS: readonly (readonly [RegExp, Encoding])[] = [
  [/^(?:gpt-4o|gpt-4\.\d|gpt-[5-9]|gpt-oss|chatgpt-4o|chat-latest|codex-mini|o[1-9](?:-|$))/, 'o200k_base'],
  [/^(?:gpt-4|gpt-3\.5|gpt-35|text-embedding-(?:3|ada-002))/, 'cl100k_base'],
];

/** The encoding of a model; null where it is not public or nobody knows the model. */
export function encodingOf(model: string): Encoding | null {
  const name = model.toLowerCase().split('/').at(-1) ?? '';
  return ENCODINGS.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}

/** Option that counts special tokens as the plain text that they are in a conversation. */
const AS_TEXT = { disallowedSpecial: new Set<string>() };

const load: Readonly<Record<Encoding, () => Promise<TokenCounter>>> = {
  o200k_base: async () => {
    const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
    return counter('o200k_base', (text) => countTokens(text, AS_TEXT));
  },
  cl100k_base: async () => {
    const { countTokens } = await import('gpt-tokenizer/encoding/cl100k_base');
    return counter('cl100k_base', (text) => countTokens(text, AS_TEXT));
  },
};

const counter = (id: string, count: (text: string) => number): TokenCounter => ({ id, exact: true, count });

interface Tokenizers {
  /** The counter of a model, where it is loaded already; null while it is not, and for models without one: then estimate. */
  get(model: string): TokenCounter | null;
  /** Loads the counter of a model. Null for models without one, and where the table cannot be loaded. Never rejects. */
  load(model: string): Promise<TokenCounter | null>;
}

/** Creates the counters. Nothing is loaded before it is asked for. */
export function createTokenizers(): Tokenizers {
  const ready = new Map<Encoding, TokenCounter>();
  const loading = new Map<Encoding, Promise<TokenCounter | null>>();
  return {
    get(model) {
      const encoding = encodingOf(model);
      return encoding && (ready.get(encoding) ?? null);
    },
    async load(model) {
      const encoding = encodingOf(model);
      if (!encoding) return null;
      let work = loading.get(encoding);
      if (!work) {
        work = load[encoding]().then(
          (made) => {
            ready.set(encoding, made);
            return made;
          },
          () => {
            // Offline before it was ever fetched: the estimate does, and the next use tries again.
            loading.delete(encoding);
            return null;
          },
        );
        loading.set(encoding, work);
      }
      return work;
    },
  };
}
