// A new function that reads people's text is tried with hostile text as well: test/text/linear.test.ts lists those.
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { readTree } from '../house/source.ts';

/** Folders and files whose public functions are asked about. */
const READ = /^src\/domain\/(?:text\/|memory\/snippet\.ts$|privacy\/)/;

/** Public functions with a text that is never a person's whole text, or that a listed one runs on every text. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  matches: 'runs the pattern of a detector, and all detectors are tried',
  masked: 'takes spans that were found, each once',
  replaceFound: 'takes spans that were found, each once',
  cleanHead: 'cuts to a length, then calls what it is given',
  cleanTail: 'cuts to a length, then calls what it is given',
  startOf: 'looks at the 128 code units around the cut',
  endOf: 'looks at the 128 code units around the cut',
  hasLuhn: 'takes the digits of one card',
  ownPattern: 'takes a pattern from the settings, of bounded length',
  isOwnPattern: 'takes a pattern from the settings, of bounded length',
  categoryOf: 'looks a label up',
  splitWords: 'takes what words gives',
  spotsIn: 'runs in countIn, isIn and isSame',
  addWord: 'takes one word',
  lightStems: 'takes one word',
  usualForm: 'takes one word',
  addPairs: 'takes one run of signs, and runs in words',
  isStopWord: 'looks a word up',
  synonymsOf: 'looks a word up',
  zerosOf: 'looks a word up',
  isVague: 'takes one count',
  countOf: 'takes one count',
  inFigures: 'makes a pattern, which timesIn and writtenDates run',
};

interface Param {
  readonly typeAnnotation?: { readonly typeAnnotation?: { readonly type: string } } | null;
  readonly left?: Param;
}
interface Declared {
  readonly id?: { readonly name?: string } | null;
  readonly init?: (Callable & { readonly callee?: { readonly name?: string } }) | null;
}
interface Callable {
  readonly type: string;
  readonly params?: readonly Param[];
}
interface Statement {
  readonly type: string;
  readonly declaration?: (Callable & Declared & { readonly declarations?: readonly Declared[] }) | null;
}

const takesText = ({ params = [] }: Callable): boolean => {
  const first = params[0]?.left ?? params[0];
  return first?.typeAnnotation?.typeAnnotation?.type === 'TSStringKeyword';
};

/** Names of exported functions whose first parameter is a string, and of those that `reader` makes. */
const readersIn = (body: readonly Statement[]): string[] =>
  body.flatMap(({ type, declaration }) => {
    if (type !== 'ExportNamedDeclaration' || !declaration) return [];
    if (declaration.type === 'FunctionDeclaration')
      return takesText(declaration) ? [declaration.id?.name ?? ''] : [];
    return (declaration.declarations ?? []).flatMap(({ id, init }) =>
      init && (init.callee?.name === 'reader' || (init.type === 'ArrowFunctionExpression' && takesText(init)))
        ? [id?.name ?? '']
        : [],
    );
  });

// Read outside of the test: on a busy machine this takes longer than a test may.
const found = readTree()
  .source.filter(({ path }) => READ.test(path))
  .flatMap(({ program }) => readersIn((program as unknown as { readonly body: readonly Statement[] }).body));

it('every public function that reads people’s text is tried with hostile text, or has a reason not to be', async () => {
  const tried = await readFile(new URL('./linear.test.ts', import.meta.url), 'utf8');
  expect(found.length).toBeGreaterThan(50);
  expect(found.filter((name) => !new RegExp(`\\.${name}\\b`).test(tried) && !EXCEPTIONS[name])).toEqual([]);
  // What is listed or gone needs no reason.
  expect(
    Object.keys(EXCEPTIONS).filter(
      (name) => !found.includes(name) || new RegExp(`\\.${name}\\b`).test(tried),
    ),
  ).toEqual([]);
});
