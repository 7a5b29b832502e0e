// Fetches what the build assembled (`src/assembly.ts`). Its bytes are taken, so that no server has to know the type of such files.

type AssemblyName = 'encoder' | 'encoder-plain' | 'dot-products' | 'late-tables';

/** The bytes of a module. Rejects where it is not to be had; whoever asks does without then, and asks again another time. */
export async function readAssembly(name: AssemblyName): Promise<ArrayBuffer> {
  const answer = await fetch(`${import.meta.env.BASE_URL}${import.meta.env.VITE_ASSEMBLY}${name}.wasm`);
  if (!answer.ok) throw new Error(`${name}.wasm is not to be had: ${answer.status}`);
  return answer.arrayBuffer();
}
