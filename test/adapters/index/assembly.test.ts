// What is written in assembly: the app carries exactly what its source says.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import wabt from 'wabt';
import { ASSEMBLED as PRODUCTS } from '../../../src/adapters/index/dot-products.ts';
import { ASSEMBLED as TABLES } from '../../../src/adapters/index/late-tables.ts';

it.each([
  ['dot-products.wat', PRODUCTS],
  ['late-tables.wat', TABLES],
])('%s is what the script beside it carries', async (name, carried) => {
  const source = readFileSync(new URL(`../../../src/adapters/index/${name}`, import.meta.url), 'utf8');
  const { parseWat } = await wabt();
  const { buffer } = parseWat(name, source, { simd: true }).toBinary({});
  expect(carried).toBe(Buffer.from(buffer).toString('base64'));
});
