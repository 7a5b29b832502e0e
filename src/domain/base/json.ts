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

/** A JSON text with the control characters that stand raw inside its strings escaped. */
export function escapedControls(text: string): string {
  let out = '';
  let from = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) inString = !inString;
    else if (code === 0x5c && inString) at += 1;
    else if (code < 0x20 && inString) {
      out += `${text.slice(from, at)}\\u${code.toString(16).padStart(4, '0')}`;
      from = at + 1;
    }
  }
  return out + text.slice(from);
}
