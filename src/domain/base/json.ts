// Reads JSON that other programs wrote.

/** True for what JSON calls an object: neither an array nor null. */
export const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A JSON object whose form nobody guarantees. */
export type Fields = Readonly<Record<string, unknown>>;

/** The fields of a JSON object; none for any other value. */
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

/** The objects of a list; none for any other value. */
export const objectsOf = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.filter(isFields) : [];

/** A text; '' for anything else. */
export const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Value of a JSON text; undefined, which no JSON text stands for, if the text is no JSON. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The engine throws a RangeError for text that is nested too deep.
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * Parses the JSON of other tools: raw control characters in strings, Python's numbers (NaN, Infinity: null here),
 * commas behind the last member, lone backslashes (`C:\dir`). Strings keep their content. Undefined if no JSON.
 */
export function lenientJson(text: string): unknown {
  const value = readJson(text);
  return value === undefined ? readJson(repairedJson(text)) : value;
}

const PYTHON = /"(?:[^"\\]|\\[\s\S])*"|'((?:[^'\\]|\\[\s\S])*)'|\\[\s\S]|(?<!\w)(?:None|True|False)(?!\w)/g;
const CONSTANTS: Readonly<Record<string, string>> = { None: 'null', True: 'true', False: 'false' };

/** Value of an object or a list as Python prints it: strings in single quotes, None, True. Undefined if it is none. */
export function pythonJson(text: string): unknown {
  if (!/^\s*[{[]/.test(text) || !/'|None|True|False/.test(text)) return undefined;
  const json = text.replace(PYTHON, (found, quoted: string | undefined) =>
    quoted === undefined
      ? (CONSTANTS[found] ?? found)
      : `"${quoted.replace(/\\([\s\S])|"/g, (sign, escaped: string | undefined) => (escaped === "'" ? "'" : escaped === undefined ? '\\"' : sign))}"`,
  );
  return readJson(repairedJson(json));
}

/** As JSON has them; at the end of a text that was cut off, the beginning of one. */
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}|u[0-9a-fA-F]{0,3}$|$)/y;
const NO_NUMBER = /(?:NaN|Infinity)(?!\w)/y;

/** Rewrites the text as valid JSON, as far as `lenientJson` promises; reads each character once. */
export function repairedJson(text: string): string {
  let out = '';
  let from = 0;
  let inString = false;
  /** Place of a comma that only white space has followed so far; -1: none. */
  let comma = -1;
  const put = (until: number, instead: string, next: number) => {
    out += text.slice(from, until) + instead;
    from = next;
  };
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      inString = !inString;
      comma = -1;
    } else if (inString) {
      if (code === 0x5c) {
        // A backslash that escapes nothing stands for itself.
        ESCAPE.lastIndex = at;
        if (ESCAPE.test(text)) at += 1;
        else put(at, text[at + 1] === "'" ? '' : '\\\\', at + 1);
      } else if (code < 0x20) put(at, `\\u${code.toString(16).padStart(4, '0')}`, at + 1);
    } else if (code === 0x2c) comma = at;
    else if ((code === 0x7d || code === 0x5d) && comma >= 0) {
      put(comma, '', comma + 1);
      comma = -1;
    } else if (code > 0x20) {
      comma = -1;
      if (code !== 0x4e && code !== 0x49) continue;
      NO_NUMBER.lastIndex = at;
      const [word] = NO_NUMBER.exec(text) ?? [];
      if (word === undefined) continue;
      put(text[at - 1] === '-' ? at - 1 : at, 'null', at + word.length);
      at = from - 1;
    }
  }
  return out + text.slice(from);
}
