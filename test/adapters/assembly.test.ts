// What is written in assembly: the build makes files of all of it, and none of it is written down a second time.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { ASSEMBLY, type AssemblyName, assemble } from '../../src/assembly.ts';
import { readAssembled } from './assembled.ts';

const SRC = resolve(import.meta.dirname, '../../src');
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).map((file) =>
  file.replaceAll('\\', '/'),
);
const names = Object.keys(ASSEMBLY) as AssemblyName[];

it('every source becomes a file', () => {
  const sources = names.map((name) => ASSEMBLY[name].source);
  expect([...new Set<string>(sources)].sort()).toEqual(files.filter((file) => file.endsWith('.wat')).sort());
});

it('no module stands in a script', () => {
  // The first bytes of every module, in base64.
  const carrying = files.filter(
    (file) => /\.tsx?$/.test(file) && readFileSync(join(SRC, file), 'utf8').includes('AGFzbQ'),
  );
  expect(carrying).toEqual([]);
});

it.each(names)('%s is a module of a few kilobytes', async (name) => {
  const code = await readAssembled(name);
  expect(code.byteLength).toBeLessThan(8_000);
  // Node before 21 knows no relaxed SIMD; browsers run that one in `local.browser.test.ts`.
  if (name === 'encoder' && !WebAssembly.validate(code)) return;
  expect(WebAssembly.Module.exports(await WebAssembly.compile(code)).length).toBeGreaterThan(1);
});

it('a source that is wrong is refused, also where nothing stands for a relaxed instruction', async () => {
  await expect(assemble('encoder', '(module (func (i32.nothing)))')).rejects.toThrow(/encoder\.wat/);
  await expect(assemble('encoder-plain', '(module (func (drop (i8x16.relaxed_swizzle))))')).rejects.toThrow(
    'nothing stands for i8x16.relaxed_swizzle yet',
  );
});
