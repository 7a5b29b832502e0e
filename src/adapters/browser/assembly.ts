// Fetches the WebAssembly that the build made (`src/assembly.ts`). It reads the bytes, so that a server need
// not know the media type of such files.

type AssemblyName = 'encoder' | 'encoder-plain' | 'dot-products' | 'late-tables';

/**
 * Returns the bytes of a module. Rejects if they cannot be fetched; callers then work without the module and ask
 * again later.
 */
export async function readAssembly(name: AssemblyName): Promise<ArrayBuffer> {
  const answer = await fetch(`${import.meta.env.BASE_URL}${import.meta.env.VITE_ASSEMBLY}${name}.wasm`);
  if (!answer.ok) throw new Error(`${name}.wasm could not be fetched: ${answer.status}`);
  return answer.arrayBuffer();
}
