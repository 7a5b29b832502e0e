// What the build assembles, for Node: assembled where it is asked for.
import { readFile } from 'node:fs/promises';
import { ASSEMBLY, type AssemblyName, assemble } from '../../src/assembly.ts';
import { memoized } from '../../src/domain/base/once.ts';

const bytesOf = memoized(async (name: AssemblyName) =>
  assemble(name, await readFile(new URL(`../../src/${ASSEMBLY[name].source}`, import.meta.url), 'utf8')),
);

/** As `readAssembly` in a browser: bytes of one's own. */
export const readAssembled = async (name: AssemblyName): Promise<ArrayBuffer> =>
  (await bytesOf(name)).slice().buffer;

export const compileAssembled = async (name: AssemblyName): Promise<WebAssembly.Module> =>
  WebAssembly.compile(await bytesOf(name));
