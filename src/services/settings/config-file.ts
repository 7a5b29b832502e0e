// Reads and writes the configuration as a file. Loaded with its parser on demand.
import { isMap, isPair, isScalar, Lexer, LineCounter, parseDocument, stringify, visit } from 'yaml';
import { RecollectError, toProblem } from '../../domain/base/errors.ts';
import type { Config } from '../../domain/settings/config.ts';
import { configFields, settingInvalid } from '../../domain/settings/fields.ts';
import { EMBEDDING_GROUPS, type EmbeddingGroup } from './embedding-groups.ts';

const LARGEST_FILE = 1_000_000;
/**
 * Deepest nesting of a configuration file. Ours has four levels; the parser recurses for each, and an
 * engine's stack ends beyond a thousand.
 */
const MOST_LEVELS = 200;

/** Writes a configuration as a file, made `at` (ms since 1970). */
export const writeFile = (config: Config, at: number): string =>
  `# Configuration of Recollect, ${new Date(at).toISOString()}. API keys are not in it.\n${stringify(config, { lineWidth: 0 })}`;

/** Finds the first repeated key of a file, by its whole name, with both lines. */
function twice(text: string): { key: string; first: number; line: number } | null {
  const lineCounter = new LineCounter();
  let found: ReturnType<typeof twice> = null;
  visit(parseDocument(text, { lineCounter, uniqueKeys: false }), {
    Map: (_, { items }, path) => {
      const lines = new Map<string, number>();
      for (const { key } of items) {
        if (!isScalar(key) || !key.range) continue;
        const name = String(key.value);
        const { line } = lineCounter.linePos(key.range[0]);
        const first = lines.get(name);
        if (first !== undefined) {
          const groups = path.flatMap((node) =>
            isPair(node) && isScalar(node.key) ? [String(node.key.value)] : [],
          );
          found = { key: [...groups, name].join('.'), first, line };
          return visit.BREAK;
        }
        lines.set(name, line);
      }
      return undefined;
    },
  });
  return found;
}

/**
 * True if YAML is nested deeper than so many levels, by its tokens and in linear time: open brackets, plus the levels
 * that a line's indentation and marks (`- `, `? `, `: `) could open at most, one for each column.
 */
function isDeeper(text: string, levels: number): boolean {
  let [brackets, marks, columns] = [0, 0, 0];
  let atStart = true;
  for (const token of new Lexer().lex(text)) {
    if (token === '\n' || token === '\r\n') [marks, columns, atStart] = [0, 0, true];
    else if (atStart && /^ +$/.test(token)) columns = token.length;
    else {
      atStart = false;
      if (token === '[' || token === '{') brackets += 1;
      else if (token === ']' || token === '}') brackets = Math.max(0, brackets - 1);
      else if (token === '-' || token === '?' || token === ':') marks += 1;
    }
    if (brackets + (brackets > 0 ? 0 : marks) + columns > levels) return true;
  }
  return false;
}

/**
 * Splits a configuration file into secrets for the vault, and the rest. Throws `settings-file` for any other file,
 * `settings-nested` for one far too deep, `settings-line` and `settings-twice` for a wrong line.
 */
export function readFile(text: string): {
  secrets: { group: EmbeddingGroup; secret: string }[];
  content: Record<string, unknown>;
} {
  const unreadable = (detail: string, cause?: unknown) =>
    new RecollectError('settings-file', `This is not a configuration: ${detail}`, {
      params: { detail },
      cause,
    });
  if (text.length > LARGEST_FILE) throw unreadable(`longer than ${LARGEST_FILE} characters`);
  if (isDeeper(text, MOST_LEVELS))
    throw new RecollectError('settings-nested', `Nested deeper than ${MOST_LEVELS} levels`);
  const document = parseDocument(text);
  const [error] = document.errors;
  const double = error?.code === 'DUPLICATE_KEY' ? twice(text) : null;
  if (double)
    throw new RecollectError('settings-twice', `${double.key} is there twice: line ${double.line}`, {
      params: double,
      cause: error,
    });
  const [at] = error?.linePos ?? [];
  if (error && at && error.code !== 'MULTIPLE_DOCS')
    throw new RecollectError('settings-line', `Not to be read from line ${at.line} on: ${error.message}`, {
      params: { line: at.line },
      cause: error,
    });
  if (error) throw unreadable(error.message, error);
  if (!isMap(document.contents)) throw unreadable('not a list of keys');
  let content: Record<string, unknown>;
  try {
    content = document.toJS({ maxAliasCount: 50 });
  } catch (cause) {
    throw unreadable(toProblem(cause).message, cause);
  }
  const known = new Set(configFields().map(({ path }) => path.split('.')[0] as string));
  if (!Object.keys(content).some((key) => known.has(key))) throw unreadable('none of its keys is known');

  // Unquoted, `1.0` is a number to YAML.
  if (content.version === 1) content.version = '1.0';
  const secrets: { group: EmbeddingGroup; secret: string }[] = [];
  const { embedding } = content as { embedding?: Record<string, unknown> | null };
  for (const group of EMBEDDING_GROUPS) {
    const section = embedding?.[group];
    if (typeof section !== 'object' || section === null || !('api_key' in section)) continue;
    const { api_key: secret, ...others } = section as Record<string, unknown>;
    // An empty one is the placeholder of the description, not a request to forget a key.
    if (typeof secret === 'string' && secret !== '') secrets.push({ group, secret });
    else if (secret !== '' && secret !== null)
      throw settingInvalid([{ key: `embedding.${group}.api_key`, value: '…', allowed: '"…"' }]);
    (embedding as Record<string, unknown>)[group] = others;
  }
  return { secrets, content };
}
