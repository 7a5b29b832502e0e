// The index's code in WebAssembly. The index opens without it, and is slower until it is loaded.

/** Reads the code that the build made from a `.wat` file in this folder; rejects if it cannot be fetched. */
export type ReadIndexCode = (name: 'dot-products' | 'late-tables') => Promise<ArrayBuffer>;

/**
 * Reads and compiles the code on first use, and again after a failure. Rejects with the error of `read`, or with
 * `CompileError` if the browser lacks vector instructions.
 */
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
