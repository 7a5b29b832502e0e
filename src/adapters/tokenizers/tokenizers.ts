// Counts tokens exactly for models whose encoding is public: OpenAI's. Only this folder knows gpt-tokenizer. The table
// of an encoding is 1 to 2 MB, so it is loaded when a model first needs it, and kept.
import type { TokenCounter } from '../../domain/context/meter.ts';

type Encoding = 'o200k_base' | 'cl100k_base';

/**
 * Encodings by model name, as endpoints write it but without `openai/` and the like in front. The first match counts.
 */
const ENCODINGS: readonly (readonly [RegExp, Encoding])[] = [
  [/^(?:gpt-4o|gpt-4\.\d|gpt-[5-9]|gpt-oss|chatgpt-4o|chat-latest|codex-mini|o[1-9](?:-|$))/, 'o200k_base'],
  [/^(?:gpt-4|gpt-3\.5|gpt-35|text-embedding-(?:3|ada-002))/, 'cl100k_base'],
];

/** Encoding of a model; null if the encoding is not public or the model unknown. */
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
  /** Counter of a model if it is loaded; null before, and for models without one: the caller then estimates. */
  get(model: string): TokenCounter | null;
  /** Loads the counter of a model. Null for models without one, and if the table cannot be loaded. Never rejects. */
  load(model: string): Promise<TokenCounter | null>;
}

/** Creates the counters. A table is loaded at its first use. */
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
            // The device was offline before the first download: the caller estimates, and the next use tries again.
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
