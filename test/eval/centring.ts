// What becomes of a model's raw vectors: as the product does it, or with other centres, to measure those.
import { bundledModel } from '../../src/adapters/embedding/bundled-models.ts';
import { QUERY_TOKENS, TOKEN_BITS } from '../../src/adapters/embedding/tokens.ts';
import { type Centre, type Centres, centred, hanWeight, unit } from '../../src/adapters/embedding/vector.ts';
import { type Centring, centredTokens, type Raw } from './cache.ts';

/**
 * Takes centres away from vectors and from rotated token vectors, and keeps what the product keeps: signs of a passage's tokens, the
 * weightiest tokens of a question. Null: nothing is taken away.
 */
export function centringWith(centres: {
  readonly vector: Centres | null;
  readonly token: Centres | null;
}): Centring {
  return (raw, text, kind) => {
    const vector = centred(raw.vector.slice(), centres.vector?.[kind] ?? null, text);
    const tokens = centredTokens(raw, commonOf(centres.token?.[kind] ?? null, text));
    return kind === 'passage'
      ? { vector, bits: signsOf(tokens), tokens: new Float32Array(0), weights: new Float32Array(0) }
      : { vector, bits: new Uint8Array(0), ...weightiest(raw, tokens) };
  };
}

function commonOf(centre: Centre | null, text: string): Float32Array | null {
  if (!centre) return null;
  const weight = hanWeight(text) - 0.5;
  return centre.mean.map((value, at) => value + weight * (centre.language[at] as number));
}

function signsOf(tokens: Float32Array): Uint8Array {
  const bits = new Uint8Array(tokens.length / 8);
  for (let at = 0; at < tokens.length; at++)
    if ((tokens[at] as number) > 0) bits[at >> 3] = (bits[at >> 3] as number) | (1 << (at & 7));
  return bits;
}

function weightiest({ weights }: Raw, tokens: Float32Array): { tokens: Float32Array; weights: Float32Array } {
  const kept = Array.from(weights, (weight, token) => ({ token, weight }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .slice(0, QUERY_TOKENS);
  const out = new Float32Array(kept.length * TOKEN_BITS);
  for (const [at, { token }] of kept.entries())
    out.set(unit(tokens.slice(token * TOKEN_BITS, (token + 1) * TOKEN_BITS)), at * TOKEN_BITS);
  return { tokens: out, weights: Float32Array.from(kept, ({ weight }) => weight) };
}

/** As the product does it with a bundled model. */
export function shipped(model: string): Centring {
  const known = bundledModel(model);
  return centringWith({ vector: known?.centres ?? null, token: known?.tokenCentres ?? null });
}
