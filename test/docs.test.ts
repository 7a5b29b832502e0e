// Holds the documents to what is there: commands, links, files and names exist, and pages that a
// command writes are as it writes them.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { STRATEGIES } from '../src/domain/context/compaction/index.ts';
import { readBenchmarks } from './bench/write-docs.ts';
import { readEvaluation } from './eval/write-docs.ts';

const ROOT = resolve(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const listed = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
    file.replaceAll('\\', '/'),
  );

/** Every page of documentation. */
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  ...['docs', 'src', 'test'].flatMap((folder) =>
    listed(folder)
      .filter((file) => file.endsWith('.md'))
      .map((file) => `${folder}/${file}`),
  ),
];
const scripts: Record<string, string> = JSON.parse(read('package.json')).scripts;
const SOURCES = listed('src').filter((file) => /\.tsx?$/.test(file));
const CODE = SOURCES.map((file) => read(`src/${file}`)).join('\n');

/** The file behind a command, whose flags it has to know. */
function sourceOf(command: string): string | null {
  const script = /^npm (?:run )?([\w:]+)/.exec(command)?.[1];
  const run = script === undefined ? command : (scripts[script] ?? '');
  const file = /(?:tsx|node --import tsx) (\S+\.ts)(?!.*tsx )/.exec(run)?.[1];
  return file ?? null;
}

/** Commands of a page: in fences of sh, and in code spans that begin as one. */
function commandsOf(text: string): string[] {
  const fenced = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap((match) => (match[1] ?? '').split('\n'));
  const spans = [...text.replace(/```[\s\S]*?```/g, '').matchAll(/`([^`\n]+)`/g)].map(
    (match) => match[1] ?? '',
  );
  return [...fenced, ...spans]
    .map((line) =>
      line
        .replace(/\s#.*$/, '')
        .replace(/^(?:[A-Z_]+=\S+ )+/, '')
        .trim(),
    )
    .flatMap((line) => line.split(' && '))
    .filter((line) => /^(?:npm|npx) /.test(line));
}

describe('the documents', () => {
  it('begin with a README that is read in five minutes', () => {
    expect(Buffer.byteLength(read('README.md'))).toBeLessThanOrEqual(8192);
  });

  it('name commands that there are, with flags that they know', () => {
    const wrong: string[] = [];
    for (const page of PAGES)
      for (const command of commandsOf(read(page))) {
        const script = /^npm (?:run )?([\w:]+)/.exec(command)?.[1];
        if (script && script !== 'ci' && script !== 'install' && scripts[script] === undefined)
          wrong.push(`${page}: ${command}`);
        const file = /^npx tsx (\S+)/.exec(command)?.[1];
        if (file && !existsSync(join(ROOT, file))) wrong.push(`${page}: ${command}`);
        for (const path of command.startsWith('npx vitest') ? (command.match(/\btest\/\S+/g) ?? []) : [])
          if (!listed('test').some((name) => `test/${name}`.startsWith(path))) wrong.push(`${page}: ${path}`);
        const source = sourceOf(command);
        if (source === null) continue;
        const known = listed(dirname(source))
          .filter((name) => name.endsWith('.ts'))
          .map((name) => read(join(dirname(source), name)))
          .join('\n');
        for (const [, flag = ''] of command.matchAll(/ --([a-z][\w-]*)/g))
          if (!new RegExp(`['"\`](?:--)?${flag}['"\`]|\\b${flag}: \\{`).test(known))
            wrong.push(`${page}: ${command} (--${flag})`);
      }
    expect(wrong).toEqual([]);
  });

  it('link to pages that there are', () => {
    const wrong = PAGES.flatMap((page) =>
      [...read(page).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)]
        .map((match) => match[1] ?? '')
        .filter((target) => !existsSync(resolve(ROOT, dirname(page), target)))
        .map((target) => `${page} -> ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('name files that there are', () => {
    const wrong: string[] = [];
    for (const page of [
      'README.md',
      'CONTRIBUTING.md',
      'docs/architecture.md',
      'docs/glossary.md',
      'docs/privacy.md',
    ])
      for (const [path] of read(page).matchAll(/\b(?:src|test|e2e)\/[\w./*-]*[\w*]/g))
        if (!path.includes('*') && !/\/(?:yours|store-yours)/.test(path) && !existsSync(join(ROOT, path)))
          wrong.push(`${page}: ${path}`);
    // A table of the glossary or of a folder's README names files without what stands before them.
    for (const [, path = ''] of read('docs/glossary.md').matchAll(
      /\| `((?:domain|services|adapters|ui|workers|relay)[\w/.-]*)` \|/g,
    ))
      if (!existsSync(join(ROOT, 'src', path))) wrong.push(`docs/glossary.md: ${path}`);
    for (const page of PAGES.filter((name) => /^src\/(?:services|adapters)\/.*README\.md$/.test(name)))
      for (const [line] of read(page).matchAll(/^\| `[^|]*\|/gm))
        for (const [, file = ''] of line.matchAll(/`([\w/.-]+\.(?:tsx?|wat|sql))`/g))
          if (!existsSync(join(ROOT, dirname(page), file))) wrong.push(`${page}: ${file}`);
    expect(wrong).toEqual([]);
  });

  it('name every file of a folder of services and of a family of adapters in its README', () => {
    const missing = PAGES.filter((name) =>
      /^src\/(?:services|adapters|domain)\/[\w/-]+\/README\.md$/.test(name),
    ).flatMap((page) => {
      // Members of a registry are named there.
      const index = join(dirname(page), 'index.ts');
      const text =
        read(page) + (existsSync(join(ROOT, index)) ? read(index).replace(/'\.\/(\w[\w.-]*)'/g, '`$1`') : '');
      return readdirSync(join(ROOT, dirname(page)))
        .filter((file) => file.endsWith('.ts') && file !== 'index.ts' && !text.includes(`\`${file}\``))
        .map((file) => `${dirname(page)}/${file}`);
    });
    expect(missing).toEqual([]);
  });

  it('give each importer and each compaction strategy its row in the README of its folder', () => {
    const rowed = (page: string, name: string) => new RegExp(`^\\| [^|]*\`${name}\``, 'm').test(read(page));
    const importers = 'src/adapters/importers';
    const files = [...read(`${importers}/index.ts`).matchAll(/from '\.\/(\w[\w-]*\.ts)'/g)].flatMap(
      ([, file = '']) => (file === 'importer.ts' ? [] : [file]),
    );
    const strategies = 'src/domain/context/compaction';
    const lacking = [
      ...files
        .filter((file) => !rowed(`${importers}/README.md`, file))
        .map((file) => `${importers}: ${file}`),
      ...STRATEGIES.filter(({ id }) => !rowed(`${strategies}/README.md`, id)).map(
        ({ id }) => `${strategies}: ${id}`,
      ),
    ];
    expect(files.length).toBeGreaterThan(4);
    expect(lacking, 'a row in the table of its README.md').toEqual([]);
  });

  it('run the test that asks for a row with each recipe that asks for one', () => {
    const recipes = read('CONTRIBUTING.md')
      .split(/\n\n/)
      .filter(
        (text) =>
          /^\*\*(?:An?|Another) [^*]+\*\*/.test(text) && /\bIts row in (?:the table of\s)?\[/.test(text),
      );
    expect(recipes.length).toBeGreaterThan(1);
    expect(recipes.filter((text) => !/vitest[^`]* test\/docs\.test\.ts/.test(text))).toEqual([]);
  });

  it('show each promise of privacy by a test', () => {
    const page = read('docs/privacy.md');
    const tables = [...page.matchAll(/^\|.*shown by \|\n\|[-|]+\|\n((?:\|.*\|\n)+)/gm)];
    expect(tables).toHaveLength(3);
    const rows = tables.flatMap(([, rows = '']) => rows.trim().split('\n'));
    const tested = /`(?:test|e2e)\/[\w./-]+`(?:, `(?:test|e2e)\/[\w./-]+`| in `test\/[\w./-]+`)* \|$/;
    expect(rows.filter((row) => !tested.test(row))).toEqual([]);
    // A promise is read at one glance.
    expect(rows.filter((row) => Buffer.byteLength(row) > 900)).toEqual([]);
  });

  it('draw the roads with names that the code has', () => {
    const has = (code: string, name: string) => new RegExp(`\\b${name}\\b`).test(code);
    const wrong: string[] = [];
    for (const [, drawing = ''] of read('docs/architecture.md').matchAll(/```\n([\s\S]*?)```/g)) {
      // Names belong to a file of their line, or of the nearest line above that gives a path or stands over columns.
      let above = CODE;
      for (const line of drawing.split('\n')) {
        const files = [...line.matchAll(/[\w./-]+\.tsx?\b/g)].map(([file]) => file.replace(/^src\//, ''));
        const named = SOURCES.filter((source) => files.some((file) => `/${source}`.endsWith(`/${file}`)))
          .map((source) => read(`src/${source}`))
          .join('\n');
        for (const file of files)
          if (!SOURCES.some((source) => `/${source}`.endsWith(`/${file}`)))
            wrong.push(`${file} is no file of src`);
        if (line.includes('src/') || files.length > 2) above = named;
        for (const [name] of line.matchAll(/\b[a-z]+[A-Z]\w*\b/g))
          if (!has(`${above}\n${named}`, name)) wrong.push(`${name}: ${line.trim()}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('keep the road of one message to 45 words, of which its drawing is made', () => {
    const road = read('docs/glossary.md').split('## Beside that road')[0] ?? '';
    const words = [...road.matchAll(/^\| (?!word \||---)([^|]+) \|/gm)].flatMap(([, row = '']) =>
      row.split(', '),
    );
    expect(words.length).toBeGreaterThan(30);
    expect(words.length).toBeLessThanOrEqual(45);
    expect(new Set(words).size).toBe(words.length);
    // What is done, and by what: words of English and of the platform.
    const plain =
      'acts all changes chat connection create db done embed follow idb indexed keep new once push round run saved saving send service session start sync use user with writer';
    // The plural, and who or what does it, are the same word.
    const stem = (word: string) => word.replace(/(?:e?s|or|er|ion|ing|edding)$/, '');
    const known = new Set([...words, plain].join(' ').split(/[ -]/).map(stem));
    const drawn = /## The road of a message\n([\s\S]*?)\n## /.exec(read('docs/architecture.md'))?.[1] ?? '';
    const names = [
      ...[...drawn.matchAll(/([\w-]+)\.tsx?\b/g)].map(([, name = '']) => name),
      ...[...drawn.matchAll(/\b[A-Za-z]+[a-z][A-Z]\w*\b/g)].map(([name]) => name),
    ].filter((name) => name !== 'IndexedDB' && name !== 'BroadcastChannel');
    expect(names.length).toBeGreaterThan(20);
    const strange = names.filter((name) =>
      name
        .replace(/([a-z])([A-Z])/g, '$1-$2')
        .toLowerCase()
        .split('-')
        .some((word) => !known.has(stem(word))),
    );
    expect(strange).toEqual([]);
  });

  it('have a README of at most a page in each folder of the source', () => {
    const long = PAGES.filter((page) => page.startsWith('src/')).filter(
      (page) => Buffer.byteLength(read(page)) > 4096,
    );
    expect(long).toEqual([]);
  });

  it('name in an older decision each later one that goes on with it', () => {
    const pages = new Map(
      listed('docs/decisions').flatMap((name) =>
        /^\d{4}-/.test(name) ? [[name.slice(0, 4), read(`docs/decisions/${name}`)]] : [],
      ),
    );
    const unnamed = [...pages].flatMap(([number, page]) => {
      const [head = ''] = page.split('\n## ');
      const older = [
        ...head.matchAll(/(?:adds to|continues|takes the place of) ((?:(?:, | and )?\[\d{4}\]\([^)]+\))+)/gi),
      ];
      return older
        .flatMap(([, links = '']) => [...links.matchAll(/\((\d{4})-/g)].map(([, link = '']) => link))
        .filter((link) => !pages.get(link)?.includes(`(${number}-`))
        .map((link) => `${link} does not name ${number}`);
    });
    expect(unnamed).toEqual([]);
  });

  it('have a README in every folder of services and family of adapters, with promise, drawing, reading order and how to add; and number decisions once', () => {
    const folders = ['src/services', 'src/adapters'].flatMap((floor) =>
      readdirSync(join(ROOT, floor), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => `${floor}/${name}/README.md`),
    );
    expect(folders.length).toBeGreaterThan(25);
    expect(folders.filter((page) => !existsSync(join(ROOT, page)))).toEqual([]);
    const parts = {
      promise: /promise/i,
      drawing: /^```\n[\s\S]*?[─►▼]/m,
      'reading order': /in this order|reading order/i,
      'how to add': /^(?:#+ |\*\*)?(?:how )?(?:to )?add\b|- \*\*To add/im,
    };
    const lacking = folders.flatMap((page) =>
      Object.entries(parts)
        .filter(([, shape]) => !shape.test(read(page)))
        .map(([part]) => `${page}: ${part}`),
    );
    expect(lacking).toEqual([]);
    const numbers = listed('docs/decisions').flatMap((name) => /^\d{4}(?=-)/.exec(name)?.[0] ?? []);
    expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([]);
    for (const name of listed('docs/decisions').filter((name) => /^\d/.test(name)))
      expect(read(`docs/decisions/${name}`), name).toMatch(
        /^# .+\n[\s\S]*(?:## Context|\*\*Context)[\s\S]*Decision/,
      );
  });

  it('say once what something measured brought', () => {
    // Decisions quote one another's tables: each says what it began with.
    const seen = new Map<string, Set<string>>();
    for (const page of PAGES)
      for (const [figures] of read(page).matchAll(/\d+\.\d+ → \d+\.\d+/g))
        seen.set(figures, (seen.get(figures) ?? new Set()).add(page));
    const twice = [...seen]
      .filter(([, pages]) => pages.size > 1)
      .map(([figures, pages]) => [figures, ...pages].join(' '));
    expect(seen.size).toBeGreaterThan(5);
    expect(twice).toEqual([]);
  });

  it('give a figure once', () => {
    // Told by their digits: three that count, or a decimal with its unit. Decisions quote what they began with.
    const figures = /(?<![\w.,/#:-])(?:\d[\d,]*\.\d+ (?:s|ms|MB|GB|KB|%)|\d[\d,.]*[1-9]\d*)(?![\w-])/g;
    const counts = (figure: string): boolean => {
      const digits = figure.replace(/\D/g, '');
      const isPower = Number.isInteger(Math.log2(Number(digits)));
      return / /.test(figure) || (digits.replace(/^0+|0+$/g, '').length > 2 && !isPower);
    };
    // Two commands write these of what each measures itself: a figure on both is a coincidence.
    const placeOf = (page: string) =>
      /^docs\/(?:benchmarks|evaluation)\.md$/.test(page) ? 'measured' : page;
    const pages = new Map<string, Set<string>>();
    for (const page of PAGES.filter((name) => !name.startsWith('docs/decisions/')))
      for (const [figure] of read(page)
        .replace(
          /```[\s\S]*?```|\]\([^)]*\)|[Dd]ecisions? [\d, and]+|\b20\d\d-\d\d-\d\d|\b(?:19|20)\d\d\b|`[^`\n]*`|\[\d{4}\]/g,
          ' ',
        )
        .matchAll(figures))
        if (counts(figure)) pages.set(figure, (pages.get(figure) ?? new Set()).add(placeOf(page)));
    expect(pages.size).toBeGreaterThan(100);
    const twice = [...pages].filter(([, on]) => on.size > 1).map(([figure, on]) => [figure, ...on].join(' '));
    expect(twice, 'leave it on one page, and link there').toEqual([]);
  });

  it('are written by the commands that say so', () => {
    expect(read('docs/benchmarks.md')).toBe(readBenchmarks());
    expect(read('docs/evaluation.md')).toBe(readEvaluation());
  });
});
