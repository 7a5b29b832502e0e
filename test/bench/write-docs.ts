// Writes docs/benchmarks.md from history.jsonl (what `npm run bench -- --history` measured) and
// recorded.json (what other commands printed).
//   npm run docs
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';

const HERE = import.meta.dirname;
const PAGE = resolve(HERE, '../../docs/benchmarks.md');
/** Library sizes of the table of growth, messages. The smallest was 1,000 until 2026-11-25 and is 1,500 since. */
const SIZES = [[1000, 1500], [10_000], [100_000]] as const;

const runSchema = z.looseObject({
  date: z.string(),
  machine: z.looseObject({ cores: z.number(), cpu: z.string().optional(), loadAtStart: z.number() }),
});
type Run = z.infer<typeof runSchema>;

const recordedSchema = z.array(
  z.object({
    what: z.string(),
    figure: z.string(),
    wanted: z.string(),
    /** Misses its target, in the judgement of the person who recorded it. */
    missed: z.boolean().default(false),
    command: z.string(),
    machine: z.string(),
    date: z.string(),
    note: z.string().default(''),
  }),
);

interface Measure {
  readonly what: string;
  /** Path in a run; `{size}` is `at10000` and the like. */
  readonly path: string;
  readonly unit: 'ms' | 's' | 'MB' | 'bytes' | 'a second' | 'times' | 'of 100';
  /** Targets of P50 and P95, or of the one number; by size where they differ. */
  readonly wanted?: Readonly<Record<number, readonly number[]>>;
  /** More is better. */
  readonly atLeast?: boolean;
}

/** Every measure of a library of some size. Where the target of P50 is `Infinity`, only P95 has one. */
const BY_SIZE: readonly Measure[] = [
  {
    what: 'Import, until found by words',
    path: '{size}.import.toKeywordSearchableMs',
    unit: 's',
    wanted: { 10000: [60] },
  },
  {
    what: 'Recall, the question embedded',
    path: '{size}.recallMs.total',
    unit: 'ms',
    wanted: { 10000: [35, 70], 100000: [40, 80] },
  },
  {
    what: 'Recall while just written vectors are copied to memory',
    path: '{size}.recallBeforeMs',
    unit: 'ms',
  },
  {
    what: 'Search by words',
    path: '{size}.searchMs.keyword',
    unit: 'ms',
    wanted: { 10000: [Infinity, 20], 100000: [Infinity, 25] },
  },
  {
    what: 'Search by words and meaning, the index’s side',
    path: '{size}.searchMs.both',
    unit: 'ms',
    wanted: { 10000: [15, 25], 100000: [20, 40] },
  },
  {
    what: 'Palette: hits by words',
    path: '{size}.paletteMs.words',
    unit: 'ms',
    wanted: { 10000: [30] },
  },
  {
    what: 'Palette: meaning merged in',
    path: '{size}.paletteMs.merged',
    unit: 'ms',
    wanted: { 10000: [60] },
  },
  {
    what: 'Palette typed at 120 ms a key: by words',
    path: '{size}.paletteTypedMs.120 ms a key.words',
    unit: 'ms',
    wanted: { 10000: [30, 30] },
  },
  {
    what: 'Palette typed at 120 ms a key: merged',
    path: '{size}.paletteTypedMs.120 ms a key.merged',
    unit: 'ms',
    wanted: { 10000: [60, 60] },
  },
  {
    what: 'Palette typed at 60 ms a key: by words',
    path: '{size}.paletteTypedMs.60 ms a key.words',
    unit: 'ms',
    wanted: { 10000: [30, 30] },
  },
  {
    what: 'Palette typed at 60 ms a key: merged',
    path: '{size}.paletteTypedMs.60 ms a key.merged',
    unit: 'ms',
    wanted: { 10000: [60, 60] },
  },
  {
    what: 'A message saved, durable',
    path: '{size}.saveIdleMs',
    unit: 'ms',
    wanted: { 10000: [Infinity, 10], 100000: [Infinity, 10] },
  },
  { what: 'A bare durable write of 600 bytes', path: '{size}.bareWriteMs', unit: 'ms' },
  { what: 'A message saved while indexing', path: '{size}.saveWhileIndexingMs', unit: 'ms' },
  { what: 'An empty call of the index', path: '{size}.emptyCallToIndexMs', unit: 'ms' },
  {
    what: 'A key until it is painted, while importing and indexing',
    path: 'typingWhileImportingAndIndexing.{size}.keyToPaintMs',
    unit: 'ms',
    wanted: { 10000: [50, 50] },
  },
  {
    what: 'Index for each message, token vectors included',
    path: '{size}.index.bytesPerMessage',
    unit: 'bytes',
    wanted: { 10000: [12_000], 100000: [12_000] },
  },
  {
    what: 'Our time compared with Orama’s, P50 (below 1: ours is faster)',
    path: '{size}.compared.oursToOrama.p50',
    unit: 'times',
  },
  {
    what: 'Our time compared with MiniSearch and dot products, P50',
    path: '{size}.compared.oursToMiniSearch.p50',
    unit: 'times',
  },
];

/** Measures that a run takes once, for any size. */
const ONCE: readonly Measure[] = [
  { what: 'Cold start until readable', path: 'coldStart.readableMs', unit: 's' },
  { what: 'Warm start until readable', path: 'warmStart.readableMs', unit: 's', wanted: { 0: [1] } },
  {
    what: 'Warm start until the first recall',
    path: 'warmStart.firstRecallMs',
    unit: 's',
    wanted: { 0: [2.5] },
  },
  {
    what: 'Passages embedded, each read in its context',
    path: 'indexRate.passagesPerSecond',
    unit: 'a second',
    wanted: { 0: [9] },
    atLeast: true,
  },
  { what: 'Processor time of a passage', path: 'indexRate.processorMsEach', unit: 'ms' },
  { what: 'Scrolling 5,000 messages, a frame', path: 'scrolling.frameMs', unit: 'ms' },
  ...(
    [
      ['first start', 'coldStart'],
      ['10,000 messages come in', 'import'],
      ['opened warm', 'warmStart'],
      ['recalls', 'recalls'],
      ['embedding', 'embedding'],
    ] as const
  ).map(
    ([what, key]): Measure => ({
      what: `Memory of the app’s renderer at most: ${what}`,
      path: `memoryMegabytes.${key}.peak.footprint`,
      unit: 'MB',
      wanted: { 0: [500] },
    }),
  ),
];

/** How soon the page is there: on a phone, on a desktop, and what both have to load. */
const PAGE_MEASURES: readonly Measure[] = [
  ...(['mobile', 'desktop'] as const).flatMap((preset): Measure[] => {
    const phone = preset === 'mobile';
    const time = (what: string, name: string, unit: 'ms' | 's', limit: number): Measure => ({
      what: `${phone ? 'Phone' : 'Desktop'}: ${what}`,
      path: `page.${preset}.${name}`,
      unit,
      ...(phone ? { wanted: { 0: [limit] } } : {}),
    });
    const score = (what: string, name: string, least: number): Measure => ({
      what: `${phone ? 'Phone' : 'Desktop'}: ${what}`,
      path: `page.${preset}.${name}`,
      unit: 'of 100',
      wanted: { 0: [least] },
      atLeast: true,
    });
    return [
      time('first contentful paint', 'firstPaintMs', 's', 1.8),
      time('largest contentful paint', 'largestPaintMs', 's', 2.5),
      time('total blocking time', 'blockingMs', 'ms', 300),
      time('interactive', 'interactiveMs', 's', 4),
      score('performance', 'performance', phone ? 85 : 97),
      score('accessibility', 'accessibility', 100),
      score('best practices', 'bestPractices', 100),
      score('SEO', 'seo', 100),
    ];
  }),
  {
    what: 'Bytes, packed, of what is asked for until one can type into the first page’s field',
    path: 'page.bytesUntilTyping',
    unit: 'bytes',
    wanted: { 0: [250_000] },
  },
  {
    what: 'Bytes, packed, of what is asked for until the app’s composer has taken over',
    path: 'page.bytesUntilComposer',
    unit: 'bytes',
  },
];

const at = (run: unknown, path: string): unknown => {
  // Names hold spaces, never dots.
  let value = run;
  for (const key of path.split('.')) value = (value as Record<string, unknown> | undefined)?.[key];
  return value;
};

const numbersOf = (value: unknown): readonly number[] | null => {
  if (typeof value === 'number') return [value];
  const spread = z.object({ p50: z.number(), p95: z.number() }).safeParse(value).data;
  return spread ? [spread.p50, spread.p95] : null;
};

const shown = (value: number, unit: Measure['unit']): string => {
  if (unit === 's') return (value / 1000).toFixed(1);
  if (unit === 'bytes') return `${(value / 1000).toFixed(1)} KB`;
  return String(value >= 20 ? Math.round(value) : Math.round(value * 10) / 10);
};

const unitOf = (unit: Measure['unit']): string =>
  unit === 'bytes' ? '' : unit === 'times' ? ' ×' : unit === 'a second' ? ' a second' : ` ${unit}`;

/** A figure as a cell, bold where it misses its target; empty where the run has none. */
function cellOf(run: Run | undefined, size: number, measure: Measure): string {
  const value = run && numbersOf(at(run, measure.path.replace('{size}', `at${size}`)));
  if (!value) return '';
  const wanted = measure.wanted?.[size >= 10_000 ? size : 0] ?? [];
  const scale = measure.unit === 's' ? 1000 : 1;
  const text = value
    .map((number, index) => {
      const limit = wanted[index];
      const missed =
        limit !== undefined && (measure.atLeast ? number < limit * scale : number > limit * scale);
      return missed ? `**${shown(number, measure.unit)}**` : shown(number, measure.unit);
    })
    .join(' / ');
  return `${text}${unitOf(measure.unit)}`;
}

const wantedOf = (measure: Measure, size: number): string => {
  const wanted = measure.wanted?.[size];
  if (!wanted) return '';
  const numbers = wanted.map((limit) =>
    limit === Infinity ? '–' : shown(measure.unit === 's' ? limit * 1000 : limit, measure.unit),
  );
  return `${measure.atLeast ? 'at least ' : ''}${numbers.join(' / ')}${unitOf(measure.unit)}`;
};

const day = (run: Run): string => run.date.slice(0, 16).replace('T', ' ');
const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(head), `|${'---|'.repeat(head.length)}`, ...rows.map(row)].join('\n');

/** The newest run that has this measure at one of these sizes. */
function newest(runs: readonly Run[], sizes: readonly number[], measure: Measure): [Run, number] | undefined {
  for (const run of [...runs].reverse())
    for (const size of [...sizes].reverse())
      if (numbersOf(at(run, measure.path.replace('{size}', `at${size}`)))) return [run, size];
  return undefined;
}

function growthTable(runs: readonly Run[]): string {
  return table(
    ['what', '1,000 or 1,500', '10,000', 'wanted at 10,000', '100,000', 'wanted at 100,000', 'measured'],
    BY_SIZE.map((measure) => {
      const found = SIZES.map((sizes) => newest(runs, sizes, measure));
      const cells = found.map((one) => (one ? cellOf(one[0], one[1], measure) : ''));
      const dates = [...new Set(found.flatMap((one) => (one ? [day(one[0])] : [])))].sort();
      return [
        measure.what,
        cells[0] ?? '',
        cells[1] ?? '',
        wantedOf(measure, 10_000),
        cells[2] ?? '',
        wantedOf(measure, 100_000),
        dates.join(', '),
      ];
    }),
  );
}

function onceTable(runs: readonly Run[], measures: readonly Measure[]): string {
  return table(
    ['what', 'figure', 'wanted', 'measured'],
    measures.flatMap((measure) => {
      const found = newest(runs, [0], measure);
      return found ? [[measure.what, cellOf(found[0], 0, measure), wantedOf(measure, 0), day(found[0])]] : [];
    }),
  );
}

/** How soon the page is there, and how busy the machine was then: simulated times grow with its load, too. */
function pageTable(runs: readonly Run[]): string {
  const measured = runs.findLast((run) => at(run, 'page') !== undefined);
  return measured
    ? `${onceTable(runs, PAGE_MEASURES)}\n\nLoad of the machine at the start: ${measured.machine.loadAtStart}.`
    : 'Not measured yet on a machine without other work.';
}

/** What recall at 10,000 messages is made of, by the names the code gives its parts. */
function partsTable(runs: readonly Run[]): string {
  const run = runs.findLast((one) => at(one, 'at10000.recallMs') !== undefined);
  const parts = Object.entries((at(run, 'at10000.recallMs') ?? {}) as Record<string, unknown>);
  return table(
    ['part', 'P50 / P95, ms'],
    parts.map(([name, value]) => [`\`${name}\``, (numbersOf(value) ?? []).join(' / ')]),
  );
}

function historyTable(runs: readonly Run[]): string {
  const columns: readonly Measure[] = BY_SIZE.filter(({ what }) =>
    ['Recall, the question embedded', 'A message saved, durable', 'Search by words'].includes(what),
  );
  return table(
    [
      'run',
      'processor',
      'load at start',
      ...columns.map(({ what }) => `${what}, 10,000`),
      'passages a second',
    ],
    runs
      .filter((run) => at(run, 'at10000') !== undefined)
      .map((run) => [
        day(run),
        run.machine.cpu ?? '',
        String(run.machine.loadAtStart),
        ...columns.map((measure) => cellOf(run, 10_000, measure)),
        cellOf(run, 0, { what: '', path: 'indexRate.passagesPerSecond', unit: 'a second' }),
      ]),
  );
}

const spreadSchema = z.object({ p50: z.number(), p95: z.number() });
const measuredSchema = z.object({
  saveMs: spreadSchema,
  wordsMs: spreadSchema,
  bothMs: spreadSchema,
  searchesCpuMs: z.number(),
  load: z.number(),
});
const largeSchema = z.object({
  asked: z.number(),
  reached: z.object({ messages: z.number() }),
  steps: z.array(
    z.object({
      messages: z.number(),
      toWordsMs: z.number(),
      cpuMs: z.number(),
      indexBytes: z.number(),
      footprint: z.number(),
      load: z.number(),
    }),
  ),
  marks: z.record(z.string(), measuredSchema).default({}),
  byWords: measuredSchema.optional(),
  vectors: z.object({ made: z.number() }).optional(),
  byBoth: measuredSchema.optional(),
  recallMs: z.looseObject({ total: spreadSchema, cpuMs: z.number(), load: z.number() }).optional(),
  warmStarts: z
    .array(z.object({ readableMs: z.number(), memoryMs: z.number(), firstRecallMs: z.number() }))
    .default([]),
  memoryMegabytes: z.record(z.string(), z.object({ peak: z.object({ footprint: z.number() }) })).default({}),
  failed: z.string().optional(),
  /** A remark of the person who ran it. */
  note: z.string().optional(),
});

const grouped = (value: number): string => Math.round(value).toLocaleString('en');
const both = ({ p50, p95 }: z.infer<typeof spreadSchema>): string =>
  `${shown(p50, 'ms')} / ${shown(p95, 'ms')} ms`;
/** In bold where it is above its target. */
const upTo = (most: number, is: number | undefined, text: string): string =>
  is !== undefined && is > most ? `**${text}**` : text;
const average = (numbers: readonly number[]): number =>
  numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

/** The newest run of a library too large for the round above, and how its figures grow. */
function largeSection(runs: readonly Run[]): string {
  const run = runs.findLast((one) => at(one, 'large.reached') !== undefined);
  if (!run) return 'Not run yet.';
  const large = largeSchema.parse(run.large);
  const reached = large.reached.messages;
  const places = [
    ...Object.entries(large.marks).map(([name, measured]) => ({ messages: Number(name.slice(2)), measured })),
    ...(large.byWords ? [{ messages: reached, measured: large.byWords }] : []),
  ].filter(({ messages }, index, all) => all.findLastIndex((one) => one.messages === messages) === index);
  const rows = places.map(({ messages, measured }, index) => {
    const before = places[index - 1]?.messages ?? 0;
    const steps = large.steps.filter((step) => step.messages <= messages);
    const since = steps.filter((step) => step.messages > before);
    return [
      grouped(messages),
      `${(steps.reduce((sum, { toWordsMs }) => sum + toWordsMs, 0) / 60_000).toFixed(1)} min`,
      `${average(since.map(({ cpuMs }) => cpuMs / 1000)).toFixed(1)} s`,
      `${shown((since.at(-1)?.indexBytes ?? 0) / messages, 'bytes')}`,
      `${Math.max(...since.map(({ footprint }) => footprint))} MB`,
      both(measured.saveMs),
      both(measured.wordsMs),
      both(measured.bothMs),
      `${measured.searchesCpuMs} ms`,
      String(average(since.map(({ load }) => load)).toFixed(0)),
    ];
  });
  const middle = (
    of: 'readableMs' | 'memoryMs' | 'firstRecallMs',
    mostMs = Number.POSITIVE_INFINITY,
  ): string => {
    const sorted = large.warmStarts.map((start) => start[of]).sort((a, b) => a - b);
    const found = sorted[Math.floor(sorted.length / 2)];
    return found === undefined ? '' : upTo(mostMs, found, `${shown(found, 's')} s`);
  };
  const recall = large.recallMs;
  return `Logs of agents, half of the messages tool output (\`test/bench/agent-logs.ts\`), imported in files of 10,000 until the time was over: ${grouped(large.asked)}
asked for, **${grouped(reached)} reached**, on ${run.machine.cpu} (${day(run)}), ${run.machine.cores} cores shared with others: what the clock says grows with the load beside it,
processor time does not.${large.failed ? ` It ended early: ${large.failed}.` : ''}${large.note ? ` ${large.note}` : ''}

${table(
  [
    'messages',
    'imported and found by words after',
    'processor time of 10,000',
    'index a message',
    'memory',
    'a save',
    'search by words',
    'by both',
    'processor time of the two',
    'load',
  ],
  rows,
)}

${table(
  ['at the end', 'figure', 'wanted for 1,000,000'],
  [
    ['Vectors, random, of what the app embeds first', grouped(large.vectors?.made ?? 0), 'of what matters'],
    [
      'Recall, the question embedded',
      recall ? upTo(100, recall.total.p95, both(recall.total)) : '',
      '– / 100 ms',
    ],
    ['Processor time of a recall', recall ? `${recall.cpuMs} ms, at a load of ${recall.load}` : '', ''],
    [
      'A save, with those vectors',
      large.byBoth ? upTo(12, large.byBoth.saveMs.p95, both(large.byBoth.saveMs)) : '',
      '– / 12 ms',
    ],
    ['Search by words and meaning', large.byBoth ? both(large.byBoth.bothMs) : '', ''],
    ['Warm start until readable', middle('readableMs', 2000), '2 s'],
    ['Warm start until the index answers', middle('memoryMs'), ''],
    ['Warm start until the first recall', middle('firstRecallMs'), ''],
    ...Object.entries(large.memoryMegabytes).map(([phase, { peak }]) => [
      `Memory of the app’s renderer at most: \`${phase}\``,
      upTo(700, peak.footprint, `${peak.footprint} MB`),
      '700 MB',
    ]),
  ],
)}

\`npm run bench -- --sizes 1000000 --vectors 100000 --within-minutes 120 --history\` measures it again.`;
}

const sideSchema = z.object({
  saveMs: spreadSchema,
  recallMs: spreadSchema,
  readableMs: spreadSchema,
  memoryMs: spreadSchema,
});
const lockedSchema = z.object({
  without: sideSchema,
  within: sideSchema.extend({ derivationMs: spreadSchema }),
  cost: z.object({
    saveP95Ms: z.number(),
    recallP95Percent: z.number(),
    readableMs: z.number(),
    memoryMs: z.number(),
  }),
});

/** What a locked device costs, from the newest run at each size. */
function lockedSection(runs: readonly Run[]): string {
  const rows = [1000, 10_000, 100_000].flatMap((size) => {
    const run = runs.findLast((one) => at(one, `locked.at${size}`) !== undefined);
    if (!run) return [];
    const { without, within, cost } = lockedSchema.parse(at(run, `locked.at${size}`));
    const pair = ({ p50, p95 }: z.infer<typeof spreadSchema>) => `${p50} / ${p95}`;
    const goal = (cell: string, isMissed: boolean) => (isMissed ? `**${cell}**` : cell);
    const signed = (value: number) => (value > 0 ? `+${value}` : String(value));
    const both = (of: keyof z.infer<typeof sideSchema>) => [pair(without[of]), pair(within[of])];
    const row = (what: string, of: keyof z.infer<typeof sideSchema>, more: string, wanted: string) => [
      grouped(size),
      what,
      ...both(of),
      more,
      wanted,
      `${day(run)}, load ${run.machine.loadAtStart}`,
    ];
    return [
      row('A save, ms', 'saveMs', goal(`P95 ${signed(cost.saveP95Ms)} ms`, cost.saveP95Ms > 2), 'P95 +2 ms'),
      row(
        'Recall, ms',
        'recallMs',
        goal(`P95 ${signed(cost.recallP95Percent)} %`, cost.recallP95Percent > 10),
        'P95 +10 %',
      ),
      row(
        'Start until readable, ms',
        'readableMs',
        goal(`P50 ${signed(cost.readableMs)} ms`, cost.readableMs > 700),
        '+700 ms',
      ),
      row(
        'Start until memory answers, ms',
        'memoryMs',
        goal(`P50 ${signed(cost.memoryMs)} ms`, cost.memoryMs > 700),
        '+700 ms',
      ),
      [
        grouped(size),
        'Derivation of the key, ms',
        '',
        pair(within.derivationMs),
        '',
        '500–1000 ms',
        `${day(run)}, load ${run.machine.loadAtStart}`,
      ],
    ];
  });
  return table(['messages', 'what', 'unlocked', 'locked', 'more', 'wanted', 'measured'], rows);
}

/**
 * The page, from the lines of history.jsonl and the text of recorded.json. Pure: the same input gives the same page.
 */
export function renderBenchmarks(history: string, recordedJson: string): string {
  const runs = history
    .trim()
    .split('\n')
    .map((line) => runSchema.parse(JSON.parse(line)));
  const recorded = recordedSchema.parse(JSON.parse(recordedJson));
  return `<!-- Written by \`npm run docs\` (test/bench/write-docs.ts). Do not edit by hand. -->
# Benchmarks

\`npm run bench -- --history\` measures the built app in a real Chromium, appends a line to \`test/bench/history.jsonl\` and writes this page;
\`npm run docs\` writes the page alone. Each cell is the newest run that has the figure, P50 / P95 where there are two numbers. **Bold** misses
what is wanted. Times depend on the machine, its hour and its load: the same build takes up to half as much again in another hour.

## By the size of the library, messages

${growthTable(runs)}

The real model makes the first vectors; the others are random, since what a search costs does not depend on what they say.

## A library too large for that round

${largeSection(runs)}

## Whatever the size

${onceTable(runs, ONCE)}

Memory is measured in a browser that nothing watches, importing a file as a person does.

## How soon the page is there

${pageTable(runs)}

\`npm run bench -- --page --history\`: Lighthouse 13, each visit with an empty profile, the app served packed with brotli. A phone is
Lighthouse’s mobile preset, a processor four times slower and slow 4G, both simulated. Medians.

## What recall at 10,000 messages is made of

${partsTable(runs)}

The search by words runs while the model reads the question, so the parts add up to more than the total.

## What locking a device costs

${lockedSection(runs)}

P50 / P95 of the same library with and without locking, measured in turns in one run, so that the load beside it strikes both: a difference below
what two turns of one side differ by says no more than that the cost is smaller than that. The start is told without the person’s typing and the
derivation of the key. A locked device reads its sealed index from IndexedDB while memory starts (\`docs/limits.md\`), where an
unlocked one reads pages of OPFS on demand; how that time divides tells [decision 0904](decisions/0904-pages-in-packs.md). What was said can be read by then.
\`npm run bench -- --locked --sizes 10000 --history\` measures it again.

## Measured by other commands

${table(
  ['what', 'figure', 'wanted', 'command', 'machine', 'measured', ''],
  recorded.map((one) => [
    one.what,
    one.missed ? `**${one.figure}**` : one.figure,
    one.wanted,
    `\`${one.command}\``,
    one.machine,
    one.date,
    one.note,
  ]),
)}

## Every run at 10,000 messages

${historyTable(runs)}
`;
}

export const readBenchmarks = (): string =>
  renderBenchmarks(
    readFileSync(join(HERE, 'history.jsonl'), 'utf8'),
    readFileSync(join(HERE, 'recorded.json'), 'utf8'),
  );

export const writeBenchmarks = (): void => writeFileSync(PAGE, readBenchmarks());

if (process.argv[1] === import.meta.filename) writeBenchmarks();
