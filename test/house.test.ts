// Checks the architecture: imports only go down, each big dependency has one folder,
// and the style sheet has every class.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { compile } from 'tailwindcss';
import { describe, expect, it } from 'vitest';
import { BY_CLOCK } from './house/by-clock.ts';
import { SHOWN } from './house/dialogs.ts';
import { beyond, KINDS, listed } from './house/exceptions.ts';
import { PARTS, STATES, type State } from './house/screens.ts';
import {
  exportedTypes,
  longTestFunctions,
  MAX_LINES,
  promiseQueues,
  readText,
  readTree,
  refsWrittenInRender,
  repeatsByClock,
  silentCatches,
} from './house/source.ts';

const SRC = resolve(import.meta.dirname, '../src');
const FLOORS = ['domain', 'adapters', 'services', 'ui'];
const ROOTS = [/^main\.tsx$/, /^workers\//, /^relay\/main\.ts$/];

/** Everything at the top of the repository, except hidden and generated files. */
const TOP = [
  'CONTRIBUTING.md',
  'LICENSE',
  'README.md',
  'biome.json',
  'docs',
  'e2e',
  'index.html',
  'package-lock.json',
  'package.json',
  'public',
  'src',
  'test',
  'tsconfig.json',
  'vite.config.ts',
];

/** Package → the only folders (or files) that may name it. */
const FOLDERS_OF: Record<string, readonly string[]> = {
  yjs: ['services/documents/', 'adapters/sync/', 'relay/'],
  'y-websocket': ['adapters/sync/'],
  ws: ['relay/'],
  pg: ['relay/'],
  'classic-level': ['relay/'],
  idb: ['adapters/log/', 'adapters/index/', 'adapters/vault/'],
  '@electric-sql/pglite': ['adapters/index/', 'workers/'],
  '@huggingface/transformers': ['adapters/embedding/'],
  ai: ['adapters/models/'],
  '@ai-sdk/anthropic': ['adapters/models/'],
  '@ai-sdk/google': ['adapters/models/'],
  '@ai-sdk/openai': ['adapters/models/'],
  '@ai-sdk/openai-compatible': ['adapters/models/'],
  'umap-js': ['adapters/projection/'],
  'gpt-tokenizer': ['adapters/tokenizers/'],
  '@observablehq/plot': ['ui/memory/'],
  'hash-wasm': ['adapters/vault/'],
  react: ['ui/', 'main.tsx'],
  'react-dom': ['ui/', 'main.tsx'],
  'workbox-window': ['adapters/browser/'],
  '@zip.js/zip.js': ['adapters/importers/', 'adapters/exporters/', 'adapters/extractors/'],
  pako: ['adapters/importers/'],
  'pdfjs-dist': ['adapters/extractors/'],
  htmlparser2: ['adapters/extractors/', 'adapters/importers/'],
};

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts'));

const { source, users } = readTree();

const importsOf = (file: string): string[] =>
  [
    ...readFileSync(join(SRC, file), 'utf8').matchAll(
      /(?:^|\n)\s*(?:import|export)\s[^'"]*?from\s+['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]|(?:^|\n)import\s+['"]([^'"]+)['"]/g,
    ),
  ].map((match) => (match[1] ?? match[2] ?? match[3]) as string);

const floorOf = (file: string): number => FLOORS.indexOf(file.split('/')[0] as string);

describe('the house', () => {
  it('wires a tab in at most 200 lines', () => {
    const lines = readFileSync(join(SRC, 'main.tsx'), 'utf8').trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(200);
  });

  it('has files on every floor', () => {
    expect(files.length).toBeGreaterThan(10);
    for (const floor of FLOORS) expect(files.some((file) => file.startsWith(`${floor}/`))).toBe(true);
  });

  it('has nothing else at the top of the repository', () => {
    const root = resolve(SRC, '..');
    const made = ['node_modules', ...readFileSync(join(root, '.gitignore'), 'utf8').split('\n')].map((line) =>
      line.replaceAll('/', ''),
    );
    const there = readdirSync(root).filter((name) => !name.startsWith('.') && !made.includes(name));
    expect(there.sort()).toEqual([...TOP].sort());
  });

  it('imports go down', () => {
    const wrong: string[] = [];
    for (const file of files) {
      if (ROOTS.some((root) => root.test(file))) continue;
      for (const target of importsOf(file)) {
        if (!target.startsWith('.')) continue;
        const to = relative(SRC, resolve(SRC, dirname(file), target)).replaceAll('\\', '/');
        const [from, into] = [floorOf(file), floorOf(to)];
        if (file.startsWith('relay/') ? !/^(relay|domain)\//.test(to) : into < 0 || into > from)
          wrong.push(`${file} -> ${to}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('adapters do not know one another', () => {
    const wrong = files
      .filter((file) => file.startsWith('adapters/'))
      .flatMap((file) =>
        importsOf(file)
          .filter((target) => target.startsWith('.'))
          .map((target) => relative(SRC, resolve(SRC, dirname(file), target)).replaceAll('\\', '/'))
          .filter((to) => to.startsWith('adapters/') && to.split('/')[1] !== file.split('/')[1])
          .map((to) => `${file} -> ${to}`),
      );
    expect(wrong).toEqual([]);
  });

  it('each big dependency is named in its own folders only', () => {
    const wrong: string[] = [];
    for (const file of files)
      for (const target of importsOf(file))
        for (const [dependency, folders] of Object.entries(FOLDERS_OF))
          if (
            (target === dependency || target.startsWith(`${dependency}/`)) &&
            !folders.some((folder) => file.startsWith(folder))
          )
            wrong.push(`${file} names ${target}`);
    expect(wrong).toEqual([]);
  });

  it('has one of each that reads text', () => {
    // What to look for → the only file that may have it.
    const ONE: readonly (readonly [RegExp, string])[] = [
      [/granularity: '(?:word|sentence)'/, 'domain/text/segments.ts'],
      [/from 'stemmer'/, 'domain/text/stems.ts'],
      [/\bK1 =|\+ 0\.5\) \/ \(.* \+ 0\.5\)/, 'domain/text/bm25.ts'],
      // What cuts a text behind the signs that end sentences.
      [
        /_STOPS = |(?:split|matchAll)\(.*\[[^\]\n]*(?:[!?][^\]\n]*。|。[^\]\n]*[!?])/,
        'domain/text/sentences.ts',
      ],
      [/\bSTOP_?WORDS\w* =/, 'domain/text/stop-words.ts'],
      [/Record<string, CueSet>/, 'domain/text/cue-words/sentences.ts'],
    ];
    const wrong = files.flatMap((file) => {
      const text = readFileSync(join(SRC, file), 'utf8');
      return ONE.filter(([sign, home]) => file !== home && sign.test(text)).map(
        ([sign]) => `${file} has ${sign}`,
      );
    });
    expect(wrong).toEqual([]);
    for (const [sign, home] of ONE) expect(readFileSync(join(SRC, home), 'utf8'), home).toMatch(sign);
    expect(files.filter((file) => /(?:^|\/)cues\.ts$/.test(file))).toEqual(['domain/text/cues.ts']);
  });

  it('has cue words in one folder', () => {
    // A line of a pattern with two of these is about what a sentence does.
    const cue =
      /always|never|from now on|prefer|decided|suggest|recommend|said|told|mentioned|discussed|agreed|remember|recall|remind|以后|今后|记得|记住|总结|建议|上次|之前|说过|提过|决定|聊过/gi;
    const isPattern = /\(\?[:=!<]|\\b|\/[a-z]*[iu][a-z]*[;,.)\s]/;
    const cuesIn = (line: string) => new Set(line.toLowerCase().match(cue) ?? []).size;
    const wordings = (file: string) =>
      readFileSync(join(SRC, file), 'utf8')
        .split('\n')
        .filter((line) => !/^\s*(?:\/\/|\/?\*)/.test(line) && isPattern.test(line) && line.includes('|'))
        .filter((line) => cuesIn(line) > 1);
    const here = files.filter((file) => !file.startsWith('ui/i18n/') && wordings(file).length > 0);
    const folder = 'domain/text/cue-words/';
    expect(
      here.filter((file) => !file.startsWith(folder)),
      `cues belong into ${folder}`,
    ).toEqual([]);
    expect(here.length).toBeGreaterThan(5);
  });

  it('has one message protocol', () => {
    // Who else posts, and why: decision 0412.
    const may = [
      // Another origin; PGlite's own worker; a task that waits for its turn by a port of its own.
      'ui/chat/markdown/preview.tsx',
      'adapters/index/worker.ts',
      'domain/base/yielding.ts',
      // Endpoints of calls: to the channel of a tab, and in the form of before on a channel.
      'adapters/index/calls.ts',
      'workers/sync-link.ts',
      // A page asks the service worker for files that were shared; it answers by the port that came along.
      'adapters/browser/shared-files.ts',
      'workers/service/share-target.ts',
    ];
    const posts = /\.postMessage\(|\.onmessage\b/;
    const posting = files.filter((file) => posts.test(readFileSync(join(SRC, file), 'utf8')));
    expect(
      posting.filter((file) => !file.startsWith('domain/threads/')).sort(),
      'use calls.ts or news.ts of domain/threads',
    ).toEqual(may.sort());
    const channels = files.filter((file) =>
      /new BroadcastChannel\(/.test(readFileSync(join(SRC, file), 'utf8')),
    );
    const bare = channels.filter(
      (file) => !/\/threads\/(?:news|calls)\.ts'/.test(readFileSync(join(SRC, file), 'utf8')),
    );
    // The composition of the services hands its channel to cross-tab turns.
    expect(bare).toEqual(['services/create-app.ts']);
  });

  it('has one queue of promises', () => {
    // The supervisor's chain hands the opened index on, the turns' says when what runs has ended: both queue nothing. A
    // first claim of a draft is read in the caller's task, before the next key; `SerialQueue` would begin later.
    const may = [
      'src/domain/base/serial-queue.ts this.#last',
      'src/services/chat/composer-drafts.ts this.#reading.get(place)',
      'src/services/chat/turn-queue.ts session.running',
      'src/services/memory/index-supervisor.ts this.#opening',
    ];
    const queues = new Set(
      source.flatMap((file) => promiseQueues(file).map((target) => `${file.path} ${target}`)),
    );
    expect([...queues].sort(), 'use SerialQueue of domain/base/serial-queue.ts').toEqual(may);
  });

  it('yields to the event loop by one helper', () => {
    const yields =
      /setTimeout\((?:resolve|done|next)(?:, 0)?\)|setTimeout\(\(\) => (?:resolve|done|next)\(\)(?:, 0)?\)/;
    const may = [
      // Browsers that do not report idleness: the timer is the handle of what is given up.
      'src/adapters/browser/idle.ts',
      'src/domain/base/yielding.ts',
    ];
    expect(
      source.filter(({ text }) => yields.test(text)).map(({ path }) => path),
      'use yieldToEvents of domain/base/yielding.ts',
    ).toEqual(may);
  });

  it('has one field for files', () => {
    const having = files.filter((file) => /type="file"/.test(readFileSync(join(SRC, file), 'utf8')));
    expect(having, 'use FilePicker').toEqual(['ui/shell/controls/file-picker.tsx']);
  });

  it('has one hash of a text and one test for an object of JSON', () => {
    const having = (shape: RegExp): string[] =>
      source.filter(({ text }) => shape.test(text)).map(({ path }) => path);
    // The codes of sync hash bytes.
    expect(having(/sha256\(\s*utf8ToBytes\(/), 'use hashOfText').toEqual(['src/domain/base/hash.ts']);
    const isObject = /typeof (\w+) === 'object' &&\s+\1 !== null &&\s+!Array\.isArray\(\1\)/;
    expect(having(isObject), 'use isFields').toEqual(['src/domain/base/json.ts']);
  });

  it.each([
    ['itself', 'x = x.then(work);'],
    ['a field', 'class A { #x; run(work) { this.#x = this.#x.catch(skip).then(work); } }'],
    ['a constant', 'const turn = x.then(work); x = orElse(turn, undefined);'],
    ['two constants', 'const before = x; const turn = before.finally(work); x = turn.catch(skip);'],
    ['a function', 'const before = x; x = (async () => { await before; await work(); })();'],
    ['a map', 'const before = all.get(id); all.set(id, before ? before.then(work) : work());'],
  ])('sees a queue of promises by way of %s', (_, text) => {
    expect(promiseQueues(readText('queue.ts', text))).toHaveLength(1);
  });

  it.each([
    ['a promise of its own', 'x = work().then(done);'],
    ['the first one alone', 'x ??= work().then(done);'],
    ['a field of what it sets', 'x = start({ ask: async (it) => await x.ask(it) });'],
    ['another key', 'all.set(id, all.get(other).then(work));'],
  ])('sees none in %s', (_, text) => {
    expect(promiseQueues(readText('none.ts', text))).toEqual([]);
  });

  it('writes no ref while it renders', () => {
    const written = source.flatMap((file) => refsWrittenInRender(file).map((line) => `${file.path}:${line}`));
    expect(written, 'use useEffectEvent, or useLatest of ui/hooks/latest.ts for what is handed out').toEqual(
      [],
    );
  });

  it.each([
    ['the body of a hook', 'function useIt(a) { const b = useRef(a); b.current = a; }', 1],
    [
      'a component in a variable',
      'const View = ({ a }) => { if (a) { seen.current.at.current ??= a; } return null; };',
      1,
    ],
    ['a component in memo', 'const View = memo(function View() { turn.current++; });', 1],
    [
      'what runs at once',
      'function useIt(a) { useMemo(() => { b.current = a; }, []); a.map((c) => { b.current = c; }); }',
      1,
    ],
    [
      'a selector',
      'function useIt(a) { return useReadable(a, (v) => { seen.current ||= v; return v; }); }',
      1,
    ],
    [
      'an effect',
      'function useIt(a) { useEffect(() => { b.current = a; }); useInsertionEffect(() => { b.current = a; }); }',
      0,
    ],
    [
      'a handler',
      'function View() { const on = () => { b.current = 1; }; return <p onClick={() => { b.current = 2; }} />; }',
      0,
    ],
    ['no component', 'function keep(a) { b.current = a; }', 0],
  ])('tells a ref that is written while rendering: %s', (_, text, count) => {
    expect(refsWrittenInRender(readText('src/ui/it.tsx', text))).toHaveLength(count);
  });

  it.each([
    ['does nothing', 'work.catch(() => {});', 1],
    ['only sets state', "work.then(show, () => { if (!over) setText(t('missing')); });", 1],
    ['sets what others read', 'work.then(show, () => this.state.set(null));', 1],
    ['takes the error', 'work.then(show, (error) => { log.warn("Not read", error); setText(null); });', 0],
    ['asks another holder', 'work.catch(() => this.#drop(id));', 0],
  ])('tells a rejection that is dropped unread: one that %s', (_, text, count) => {
    expect(silentCatches(readText('src/ui/it.tsx', text))).toBe(count);
  });

  it('gives each exported type a name of its own', () => {
    const homes = new Map<string, string[]>();
    for (const file of source)
      for (const name of exportedTypes(file)) homes.set(name, [...(homes.get(name) ?? []), file.path]);
    expect(homes.size).toBeGreaterThan(500);
    const shared = [...homes].filter(([, paths]) => paths.length > 1);
    expect(shared, 'one name has one meaning: say which kind it is').toEqual([]);
  });

  it('tells exported types from what is not exported, and from functions', () => {
    const text =
      'export interface A {} export type B = A; export class C {} class D {} export const E = 1; export function F() {}';
    expect(exportedTypes(readText('it.ts', text))).toEqual(['A', 'B', 'C']);
  });

  it('gives each exported constant in capitals a name of its own', () => {
    const homes = new Map<string, string[]>();
    for (const { path, text } of source)
      for (const [, name = ''] of text.matchAll(/^export const ([A-Z][A-Z\d_]+)\b/gm))
        homes.set(name, [...(homes.get(name) ?? []), path]);
    expect(homes.size).toBeGreaterThan(200);
    const shared = [...homes].filter(([, paths]) => paths.length > 1);
    expect(shared, 'say of what it is').toEqual([]);
  });

  it('repeats by the clock only where nothing else tells', () => {
    const repeating = source.filter((file) => repeatsByClock(file).length > 0).map(({ path }) => path);
    expect(repeating.sort(), 'subscribe, or say in house/by-clock.ts why not').toEqual(
      Object.keys(BY_CLOCK).sort(),
    );
  });

  it.each([
    ['an interval', 'const timer = setInterval(look, 100);', 1],
    ['a loop with a timer', 'while (!done()) await new Promise((over) => setTimeout(over, 100));', 1],
    ['a loop with a pause', 'for (;;) { if (done()) break; await pause(100, signal); }', 1],
    ['a timer outside of loops', 'await new Promise((over) => setTimeout(over, 100));', 0],
    ['a loop over pieces', 'for (const piece of pieces) await write(piece);', 0],
    ['a loop that yields', 'while (more()) await yieldToEvents(signal);', 0],
  ])('tells what repeats by the clock: %s', (_, text, count) => {
    expect(repeatsByClock(readText('src/it.ts', text))).toHaveLength(count);
  });

  it('names a day of the person in one way', () => {
    // The day in UTC is tomorrow's in the evening west of Greenwich.
    const others =
      /toISOString\(\)\.slice\(0, 10\)|toLocaleDateString\('sv'\)|padStart\(2, '0'\)\)\s*\.join\('-'\)/;
    // Both write the same bytes on every device, for a model and for a text that is read again.
    const may = ['domain/context/recalled.ts', 'domain/memory/note-text.ts'];
    expect(
      files.filter((file) => !may.includes(file) && others.test(readFileSync(join(SRC, file), 'utf8'))),
      'use localDay of domain/base/time.ts',
    ).toEqual([]);
  });

  it('holds nothing that only tests use', () => {
    const byPath = new Map(source.map((file) => [file.path, file]));
    const builds = users.filter(({ path }) => path === 'vite.config.ts');
    const open = [
      ...builds.flatMap(({ imports }) => imports.map(({ file }) => file ?? '')),
      ...source
        .map(({ path }) => path)
        .filter((path) =>
          /^src\/(main\.tsx|workers\/(service\/)?[\w-]*worker\.ts|relay\/main\.ts)$/.test(path),
        ),
    ];
    const reached = new Set<string>();
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      const file = byPath.get(path);
      if (!file || reached.has(path)) continue;
      reached.add(path);
      open.push(...file.imports.map((target) => target.file ?? ''));
    }
    // Catalogues are imported by a pattern.
    const left = [...byPath.keys()].filter((path) => !reached.has(path) && !path.startsWith('src/ui/i18n/'));
    expect(left).toEqual([]);
  });

  it('lets no browser keep what is typed', () => {
    // Without `autoComplete` Chromium writes it to its session files and suggestions, in
    // clear, on a locked device as well.
    const wrong = files
      .filter((file) => file.endsWith('.tsx'))
      .flatMap((file) =>
        [...readFileSync(join(SRC, file), 'utf8').matchAll(/<(?:input|textarea)\b(?:=>|[^>])*/g)]
          .filter(([tag]) => !/type="(?:file|checkbox|radio|range)"|autoComplete/.test(tag))
          .map(([tag]) => `${file}: ${tag}`),
      );
    expect(wrong).toEqual([]);
  });

  it('names no class that the style sheet does not know', async () => {
    const root = resolve(SRC, '..');
    const { build } = await compile(readFileSync(join(SRC, 'ui/styles.css'), 'utf8'), {
      base: join(SRC, 'ui'),
      loadStylesheet: async (id, base) => {
        const path = join(root, 'node_modules', id, 'index.css');
        return { path, base, content: readFileSync(path, 'utf8') };
      },
    });
    const lists = files
      .filter((name) => name.startsWith('ui/'))
      .flatMap((file) =>
        [...readFileSync(join(SRC, file), 'utf8').matchAll(/'([^'\n]*)'|"([^"\n]*)"|`([^`]*)`/g)].map(
          (match) => ({
            file,
            names: (match[1] ?? match[2] ?? match[3] ?? '')
              .replace(/\$\{[^}]*\}/g, ' ')
              .split(/\s+/)
              .filter(Boolean),
          }),
        ),
      );
    const built = build(lists.flatMap(({ names }) => names));
    const escaped = (name: string) =>
      name.replace(/[^\w-]/g, (sign) => `\\${sign}`).replace(/^\d/, (digit) => `\\3${digit} `);
    const isNamed = (name: string): boolean => {
      const selector = `.${escaped(name)}`;
      let at = built.indexOf(selector);
      // It ends where no more of a name can follow: `.bg-ink` is not known by `.bg-ink-3`.
      while (at >= 0 && /[\w\\-]/.test(built[at + selector.length] ?? ''))
        at = built.indexOf(selector, at + 1);
      return at >= 0;
    };
    const known = new Map<string, boolean>();
    const isKnown = (name: string): boolean => {
      const is = known.get(name) ?? (/^(group|peer)(\/|$)/.test(name) || isNamed(name));
      known.set(name, is);
      return is;
    };
    // What is a list of classes, for the most part, is one as a whole.
    const classes = lists.filter(
      ({ names }) => names.length > 1 && names.filter(isKnown).length > names.length / 2,
    );
    expect(classes.length).toBeGreaterThan(300);
    expect(
      classes.flatMap(({ file, names }) =>
        names.filter((name) => !isKnown(name)).map((name) => `${file}: ${name}`),
      ),
    ).toEqual([]);
  });

  it.each(Object.entries(KINDS))('has no more of what is on its way out: %s', (name, find) => {
    expect(beyond(find(source, users), listed(name)), `see test/house/${name}`).toEqual([]);
  });

  it(`has no function of more than ${MAX_LINES} lines in its tests`, () => {
    const inTests = users.filter(({ path }) => /^(?:test|e2e)\//.test(path));
    expect(inTests.length).toBeGreaterThan(300);
    expect(inTests.filter((file) => longTestFunctions(file) > 0).map(({ path }) => path)).toEqual([]);
  });
});

/** Files under `test/` with tests of their own, or with shared ones (`it` in a function that test files call). */
const ROOT = resolve(SRC, '..');
const tests = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => ({ file, text: readFileSync(join(ROOT, 'test', file), 'utf8') }));
/** Names of files that draw a screen, a panel or a list of their own. */
const SCREEN =
  /(?:^ui\/|[/-])(?:screen|section|panel|list|log|inbox|status|report|files|map|usage|group|palette|activity|pictures|layers|sidebar|first-run)\.tsx$/;

const inGate = tests.filter(({ file }) => /\.test\.tsx?$/.test(file) && !file.includes('.long.'));

/** Words in a test that press keys, and that run axe. */
const MEANS: Readonly<Record<string, RegExp>> = {
  keyboard: /userEvent\.keyboard\(|pressed\(|expectReached\(|expectHeld\(/,
  axe: /expectAccessible\(|expectShown\(/,
};

/**
 * True if a test of the gate, or a row of its table, begins with that title, in a
 * file that has the means for the state.
 */
function isTested([file, title]: Exclude<State, string>, state: string): boolean {
  const text = inGate.find((test) => test.file === `ui/${file}`)?.text ?? '';
  const words = title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const isTest = new RegExp(`(?<!deep)\\(\\s*'${words}|^ {2}'?${words}'?: \\{|^ {4}${words}`, 'm');
  return isTest.test(text) && (MEANS[state] ?? /./).test(text);
}

// `test/tiers.ts` says which tests `npm test` leaves to `npm run test:all`. These keep each kind of test in both.
describe('the gate', () => {
  it('knows where every test runs', () => {
    const names = tests
      .map(({ file }) => file)
      .filter((file) => /\b(test|spec|long|browser)\.tsx?$/.test(file));
    const wrong = names.filter((file) => !/\/?[\w-]+(\.long)?(\.browser)?\.test\.tsx?$/.test(file));
    expect(wrong.filter((file) => file !== 'browser.ts')).toEqual([]);
  });

  it('runs each shared suite for one member at least', () => {
    const shared = tests
      .filter(
        ({ file, text }) => !/\.test\.tsx?$/.test(file) && /^\s*(it|test|describe)(\.\w+)*\(/m.test(text),
      )
      .map(({ file }) => file);
    expect(shared.length).toBeGreaterThan(10);
    const unused = shared.filter((file) => {
      const name = `/${file.split('/').at(-1)}'`;
      return !inGate.some(({ text }) => text.includes(name));
    });
    expect(unused).toEqual([]);
  });

  it('has a journey for each promise of the README', () => {
    const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
    const steps = [...readme.matchAll(/^\d\. \*\*([^*]+)\*\*/gm)].map(([, name]) =>
      String(name).toLowerCase().replaceAll(' ', '-'),
    );
    expect(steps.length).toBeGreaterThan(5);
    const journeys = readdirSync(join(ROOT, 'e2e'))
      .filter((file) => file.endsWith('.spec.ts'))
      .map((file) => readFileSync(join(ROOT, 'e2e', file), 'utf8'))
      .join('\n');
    const missing = [...steps, 'offline'].filter((step) => !journeys.includes(`tag: ['@gate', '@${step}']`));
    expect(missing, "journeys are tagged with the step, e.g. tag: ['@gate', '@find']").toEqual([]);
  });

  it('shows each screen, and a dialog of each folder, in a component test with axe', () => {
    const components = inGate
      .filter(
        ({ file, text }) => /^ui\/.*\.browser\.test\.tsx$/.test(file) && text.includes('expectAccessible('),
      )
      .map(({ text }) => text);
    const screens = ["'/'", '`/c/', "'/memory'", "'/p/", '`/settings/${', "'/pair'"];
    expect(screens.filter((at) => !components.some((text) => text.includes(`show(app, ${at}`)))).toEqual([]);
    expect(components.some((text) => text.includes('new UnlockScreen('))).toBe(true);
    const folders = ['chat', 'library', 'lock', 'memory', 'palette', 'settings', 'shell', 'sync'];
    const opened = inGate.filter(
      ({ text }) => /'(alert)?dialog'/.test(text) && text.includes('expectAccessible('),
    );
    expect(folders.filter((folder) => !opened.some(({ file }) => file.startsWith(`ui/${folder}/`)))).toEqual(
      [],
    );
  });

  it('names for every screen and panel the component test of each of its states', () => {
    const views = files.filter((file) => /^ui\/(?!shell\/controls\/).*\.tsx$/.test(file));
    const isScreen = (file: string): boolean =>
      SCREEN.test(file) ||
      /<(?:Header|Loading|EmptyState|ReadFailed|ListFailed)\b/.test(readFileSync(join(SRC, file), 'utf8'));
    const wanted = views.filter(isScreen).map((file) => file.slice('ui/'.length));
    const known = [...Object.keys(STATES), ...Object.keys(PARTS)].sort();
    expect(
      wanted.filter((file) => !known.includes(file)),
      'a new screen: show it empty, being read, failed, full, by keyboard and with axe, and name the tests in test/house/screens.ts',
    ).toEqual([]);
    expect(
      known.filter((file) => !files.includes(`ui/${file}`)),
      'test/house/screens.ts names what is no file below src/ui',
    ).toEqual([]);
    expect(
      Object.values(PARTS).filter((file) => !(file in STATES)),
      'a part is shown by the tests of a screen that the table names',
    ).toEqual([]);
    const wrong = Object.entries(STATES).flatMap(([file, states]) =>
      Object.entries<State>({ ...states }).flatMap(([state, shown]) => {
        if (typeof shown === 'string') return state === 'axe' || state === 'full' ? [`${file} ${state}`] : [];
        return isTested(shown, state) ? [] : [`${file} ${state}: ${shown.join(', ')}`];
      }),
    );
    expect(wrong, 'the test is gone, runs only in the long tail, or leaves out axe or the keys').toEqual([]);
  });

  it('draws no placeholder without the words that something is being read', () => {
    const silent = files.filter((file) => {
      if (!/^ui\/(?!shell\/controls\/).*\.tsx$/.test(file)) return false;
      const text = readFileSync(join(SRC, file), 'utf8');
      return /<Skeleton\b/.test(text) && !/<Loading\b/.test(text);
    });
    expect(silent, 'put <Skeleton> into <Loading>, which readers announce').toEqual([]);
  });

  it('opens every dialog by its title in a component test with axe', () => {
    const views = files
      .filter((file) => /^ui\/(?!shell\/controls\/).*\.tsx$/.test(file))
      .map((file) => ({
        file: file.slice('ui/'.length),
        text: readFileSync(join(SRC, file), 'utf8'),
      }));
    // A frame has the title that it is given: those who give it one have the dialog.
    const frameOf = ({ text }: { text: string }): string | undefined =>
      /<Dialog\b(?:=>|[^>])*\stitle=\{title\}/.test(text)
        ? /export function (\w+)\(\{[^}]*\btitle\b[^}]*\}/.exec(text)?.[1]
        : undefined;
    const frames = views.map(frameOf).filter((name) => name !== undefined);
    expect(frames).toContain('FormDialog');
    const signs = ['Dialog', 'Sheet', 'Confirm', 'RadixDialog\\.Root', ...frames];
    const isDrawn = new RegExp(`<(?:${signs.join('|')})\\b|function FatalScreen`);
    const drawn = views
      .filter((view) => isDrawn.test(view.text) && frameOf(view) === undefined)
      .map(({ file }) => file);
    const known = Object.keys(SHOWN).sort();
    expect(
      drawn.filter((file) => !known.includes(file)),
      'a new dialog: open it by its title in a test, e.g. in test/ui/dialogs, and name both in test/house/dialogs.ts',
    ).toEqual([]);
    expect(known, 'test/house/dialogs.ts names a file twice, or one without a dialog').toEqual(drawn.sort());
    const wrong = Object.entries(SHOWN).filter(([, [file, ...titles]]) => {
      const text = inGate.find((test) => test.file === `ui/${file}`)?.text ?? '';
      return (
        !titles.every((title) => ["'", '/', '/^'].some((sign) => text.includes(sign + title))) ||
        !Object.values(MEANS).every((means) => means.test(text))
      );
    });
    expect(wrong, 'the test is gone, does not name the title, or leaves out axe or the keys').toEqual([]);
  });
});
