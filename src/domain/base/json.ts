// Reads JSON that others wrote.

/** The value of a JSON text; undefined where it is none, which no JSON text stands for. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // A RangeError: nested deeper than the engine can read.
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}
