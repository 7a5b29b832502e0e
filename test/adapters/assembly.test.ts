// What is written in assembly: the app carries exactly what its source says.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import wabt from 'wabt';
import {
  ASSEMBLED as ENCODER,
  ASSEMBLED_PLAIN as PLAIN_ENCODER,
} from '../../src/adapters/embedding/encoder.ts';
import { ASSEMBLED as PRODUCTS } from '../../src/adapters/index/dot-products.ts';
import { ASSEMBLED as TABLES } from '../../src/adapters/index/late-tables.ts';
import { withoutRelaxed } from './plain-simd.ts';

it.each([
  ['embedding/encoder.wat', ENCODER],
  ['index/dot-products.wat', PRODUCTS],
  ['index/late-tables.wat', TABLES],
])('%s is what the script beside it carries', async (path, carried) => {
  const source = readFileSync(new URL(`../../src/adapters/${path}`, import.meta.url), 'utf8');
  const { parseWat } = await wabt();
  const { buffer } = parseWat(path, source, { simd: true, relaxed_simd: true, threads: true }).toBinary({});
  expect(carried).toBe(Buffer.from(buffer).toString('base64'));
});

it('the build of the encoder for the older SIMD comes from the same source', async () => {
  const source = readFileSync(new URL('../../src/adapters/embedding/encoder.wat', import.meta.url), 'utf8');
  const { parseWat } = await wabt();
  const { buffer } = parseWat('encoder.wat', withoutRelaxed(source), { simd: true, threads: true }).toBinary(
    {},
  );
  expect(PLAIN_ENCODER).toBe(Buffer.from(buffer).toString('base64'));
});
