// An embedding provider that remembers on disk what it has read, by content: a second run of the evaluation takes seconds.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import type { EmbeddingProvider, Read } from '../../src/adapters/embedding/embedding-provider.ts';

/** Wraps a provider that reads pieces. `save` writes what is new. The file is ours alone: it is believed as it is. */
export function cached(provider: EmbeddingProvider, file: string): EmbeddingProvider & { save(): void } {
  const known: Map<string, Read> = existsSync(file) ? deserialize(readFileSync(file)) : new Map();
  let fresh = 0;
  const save = () => {
    if (fresh === 0) return;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.${process.pid}.new`, serialize(known));
    renameSync(`${file}.${process.pid}.new`, file);
    fresh = 0;
  };
  const read: NonNullable<EmbeddingProvider['read']> = async (readings, options) => {
    const keys = readings.map(({ context, text }) =>
      createHash('sha256')
        .update(JSON.stringify([options.kind, context, text]))
        .digest('base64'),
    );
    const missing = readings.filter((_, at) => !known.has(keys[at] as string));
    if (missing.length > 0) {
      const made = (await provider.read?.(missing, options)) ?? [];
      let at = 0;
      for (const key of keys) if (!known.has(key) && at < made.length) known.set(key, made[at++] as Read);
      fresh += made.length;
      if (fresh > 250) save();
    }
    // Copies: whoever is given a vector may change it.
    return keys.map((key) => {
      const { vector, bits, tokens, weights } = known.get(key) as Read;
      return { vector: vector.slice(), bits: bits.slice(), tokens: tokens.slice(), weights: weights.slice() };
    });
  };
  return {
    ...provider,
    get dimensions() {
      return provider.dimensions;
    },
    read,
    embed: async (texts, options) =>
      (
        await read(
          texts.map((text) => ({ context: '', text })),
          options,
        )
      ).map(({ vector }) => vector),
    save,
  };
}
