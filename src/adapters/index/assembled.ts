// The index's code in WebAssembly. The index opens without it and is slower until it is there.

/** Reads what the build assembled of a `.wat` beside this; rejects where it is not to be had. */
export type ReadIndexCode = (name: 'dot-products' | 'late-tables') => Promise<ArrayBuffer>;

/** Reads and compiles it when it is asked for first, and again after that failed. Rejects with what `read` does, `CompileError` where vector instructions are not known. */
export function compiled(read: () => Promise<ArrayBuffer>): () => Promise<WebAssembly.Module> {
  let module: Promise<WebAssembly.Module> | undefined;
  return () => {
    module ??= read()
      .then((bytes) => WebAssembly.compile(bytes))
      .catch((error: unknown) => {
        module = undefined;
        throw error;
      });
    return module;
  };
}
