// What becomes of a model's raw vectors: as the product does it, or with other centres, to measure those.
import { bundledModel } from '../../src/adapters/embedding/bundled-models.ts';
import { QUERY_TOKENS, rotation, TOKEN_BITS } from '../../src/adapters/embedding/tokens.ts';
import { type Centre, centred, hanWeight, unit } from '../../src/adapters/embedding/vector.ts';
import { type Centring, centredTokens, type Raw } from './cache.ts';

/** What is taken away from the vectors of one kind of text, and from its token vectors; null: nothing. */
export interface Centres {
  readonly vector: Centre | null;
  readonly token: Centre | null;
}

const rotated = (numbers: Float32Array): Float32Array => {
  const into = new Float32Array(TOKEN_BITS);
  rotation(numbers.length)(numbers, into);
  return into;
};

/**
 * Takes the centres away and keeps what the product keeps: signs of a passage's tokens,
 * the weightiest tokens of a question.
 */
export function centringWith(centres: { readonly query: Centres; readonly passage: Centres }): Centring {
  const turned = {
    query: tokenCentre(centres.query.token),
    passage: tokenCentre(centres.passage.token),
  };
  return (raw, text, kind) => {
    const vector = centred(raw.vector.slice(), centres[kind].vector, text);
    const tokens = centredTokens(raw, turned[kind]?.(text) ?? null);
    return kind === 'passage'
      ? { vector, bits: signsOf(tokens), tokens: new Float32Array(0), weights: new Float32Array(0) }
      : { vector, bits: new Uint8Array(0), ...weightiest(raw, tokens) };
  };
}

function tokenCentre(centre: Centre | null): ((text: string) => Float32Array) | null {
  if (!centre) return null;
  const [mean, language] = [rotated(centre.mean), rotated(centre.language)];
  return (text) => {
    const weight = hanWeight(text) - 0.5;
    return mean.map((value, at) => value + weight * (language[at] as number));
  };
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
  const mean = known?.stateCentre;
  const token = mean ? { mean, language: new Float32Array(mean.length) } : null;
  const both: Centres = { vector: known?.centre ?? null, token };
  return centringWith({ query: both, passage: both });
}
