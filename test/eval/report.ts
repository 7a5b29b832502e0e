// The whole table of recall quality: each part of the ranking left away in turn, what the thresholds mean, and what is
// brought back where nothing should be:
//   npm run eval -- --report [--bench DIR] [--set NAME,…] [--reuse] [--ablations no] [--save]
// Sets are those of test/eval/own and, with --bench, those of a folder with the neutral scorer (bench.mjs) and its
// data. --reuse ranks again what the last run of a set found (recorded.ts).
import type { Technique } from '../../src/domain/memory/rank.ts';
import { defaultConfig } from '../../src/domain/settings/config.ts';
import { option } from './load.ts';
import { type Asked, type Origin, type Ranked, rankRecorded, recordAll } from './recorded.ts';
import { type SetReport, saveReport } from './write-docs.ts';

/** What is left away, by the name it is printed with. */
const ABLATIONS: Readonly<
  Record<string, { readonly without?: readonly Technique[]; readonly decayFactor?: number }>
> = {
  default: {},
  'words only': { without: ['vector', 'late'] },
  'meaning only': { without: ['keyword'] },
  'no late interaction': { without: ['late'] },
  'no words of neighbours': { without: ['window'] },
  'no titles': { without: ['title'] },
  'no other language': { without: ['language'] },
  'no neighbours': { without: ['neighbours'] },
  'no conversation': { without: ['conversation'] },
  'no runner-up': { without: ['runner-up'] },
  'no lanes': { without: ['lanes'] },
  'no speaker': { without: ['speaker'] },
  'no question mark': { without: ['question'] },
  'no time words': { without: ['time'] },
  'no dates': { without: ['date'] },
  'no decay': { decayFactor: 0 },
};
const THRESHOLDS = [0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95];
const COVERAGES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8];
/** Where one bin of probability ends and the next begins. */
const BINS = [0, 0.25, 0.5, 0.75, 0.9, 1];
const { filters, auto_recall } = defaultConfig.recall;
/** Most passages that are shown or injected, and from which probability on. */
const LIMIT = filters.max_results;
const SHOW = filters.min_similarity;
const INJECT = Math.max(SHOW, auto_recall.min_similarity);

export interface Answered {
  readonly asked: Asked;
  readonly ranked: readonly Ranked[];
}

export const answer = (all: readonly Asked[], options: Parameters<typeof rankRecorded>[1] = {}): Answered[] =>
  all.map((asked) => ({ asked, ranked: rankRecorded(asked, options) }));

/** Mean share of the evidence among the first k units, in the order given, over the questions that have any. */
export function recallAt(all: readonly Answered[], k: number): number {
  const shares = all.flatMap(({ asked: { groups }, ranked }) => {
    if (groups.length === 0) return [];
    const top = new Set([...new Set(ranked.map(({ unit }) => unit))].slice(0, k));
    return groups.filter((group) => group.some((unit) => top.has(unit))).length / groups.length;
  });
  return shares.reduce((sum, one) => sum + one, 0) / Math.max(1, shares.length);
}

/**
 * Of at most five passages above a threshold: share of questions that get any, share of passages that are right,
 * share of the answered with one right.
 */
export function shownAt(all: readonly Answered[], threshold: number) {
  const shown = all.map(({ asked: { groups }, ranked }) => {
    const right = new Set(groups.flat());
    return ranked
      .filter(({ scores }) => scores.final >= threshold)
      .slice(0, LIMIT)
      .map(({ unit }) => right.has(unit));
  });
  const answered = shown.filter((hits) => hits.length > 0);
  const passages = answered.flat();
  return {
    coverage: answered.length / Math.max(1, all.length),
    precision: passages.filter(Boolean).length / passages.length,
    any: answered.filter((hits) => hits.includes(true)).length / answered.length,
  };
}

/** The threshold from which on this share of the questions gets something. */
export function thresholdFor(all: readonly Answered[], coverage: number): number {
  const best = all.map(({ ranked }) => ranked[0]?.scores.final ?? 0).sort((a, b) => b - a);
  return best[Math.max(0, Math.round(coverage * all.length) - 1)] ?? 1;
}

/** Share of questions for which nothing is brought back from this threshold on. */
export const silentAt = (all: readonly Answered[], threshold: number): number =>
  all.filter(({ ranked }) => !ranked.some(({ scores }) => scores.final >= threshold)).length / all.length;

const percent = (x: number) => (Number.isFinite(x) ? (100 * x).toFixed(1).padStart(5) : '    –');

const curveLine = (label: string, all: readonly Answered[], threshold: number): string => {
  const { coverage, precision, any } = shownAt(all, threshold);
  return `  ${label}  something for ${percent(coverage)} %  right ${percent(precision)} %  one right ${percent(any)} %`;
};

function printThresholds(all: readonly Answered[]): void {
  const own = all.filter(({ asked }) => asked.origin === 'own');
  if (own.length > 0) {
    for (const threshold of THRESHOLDS)
      console.log(curveLine(`from ${threshold.toFixed(2)}`, own, threshold));
    for (const coverage of COVERAGES) {
      const threshold = thresholdFor(own, coverage);
      console.log(
        curveLine(`best ${percent(coverage)} % of questions (from ${threshold.toFixed(3)})`, own, threshold),
      );
    }
  }
  for (const line of own.length > 0 ? calledLines(all) : []) console.log(line);
  const silent: readonly (readonly [string, (one: Asked) => boolean])[] = [
    ['strangers', ({ origin }) => origin === 'stranger'],
    ['unrelated', ({ origin, groups }) => origin === 'own' && groups.length === 0],
    ['small talk', ({ origin }) => origin === 'talk'],
  ];
  for (const [name, is] of silent) {
    const some = all.filter(({ asked }) => is(asked));
    if (some.length > 0)
      console.log(
        `  ${name.padEnd(10)} ${String(some.length).padStart(4)} questions: nothing shown for ${percent(silentAt(some, SHOW))} %, nothing injected for ${percent(silentAt(some, INJECT))} %`,
      );
  }
}

/**
 * Share that is right of the passages shown for a set's own questions and called so probable. Labels name the messages
 * that answer; a passage that a person would call related and no label names counts as wrong.
 */
export function calledLines(all: readonly Answered[]): string[] {
  const calls = all
    .filter(({ asked }) => asked.origin === 'own')
    .flatMap(({ asked: { groups }, ranked }) => {
      const right = new Set(groups.flat());
      return ranked
        .slice(0, LIMIT)
        .map(({ unit, scores }) => ({ right: right.has(unit), called: scores.final }));
    });
  return BINS.slice(1).flatMap((to, at) => {
    const from = BINS[at] ?? 0;
    const inside = calls.filter(({ called }) => called >= from && (called < to || to === 1));
    const share = inside.filter(({ right }) => right).length / inside.length;
    return inside.length > 0
      ? [`  called ${from.toFixed(2)}–${to.toFixed(2)}: right ${percent(share)} % of ${inside.length}`]
      : [];
  });
}

/** A set's row: what the two thresholds of the default configuration bring for its own questions. */
export function promiseLine(name: string, all: readonly Answered[]): string {
  const own = all.filter(({ asked }) => asked.origin === 'own');
  const cells = [SHOW, INJECT].map((threshold) => {
    const { coverage, precision, any } = shownAt(own, threshold);
    return [coverage, precision, any].map((one) => percent(one).trim()).join(' / ');
  });
  return `| ${name} | ${cells.join(' | ')} |`;
}

const of = (all: readonly Asked[], origin: Origin): Asked[] => all.filter((one) => one.origin === origin);

/** Prints the table. */
export async function runReport(): Promise<void> {
  const sets = await recordAll();
  const wanted = Object.entries(ABLATIONS).filter(
    ([name]) => name === 'default' || option('ablations', 'yes') === 'yes',
  );
  const worth = new Map<string, string[]>();
  const promised: string[] = [];
  const talk: Answered[] = [];
  const reports = new Map<string, SetReport>();
  for (const [name, all] of sets) {
    const own = of(all, 'own');
    const rated = own.filter(({ groups }) => groups.length > 0);
    console.log(`\n${name}: ${own.length} questions, ${rated.length} with an answer`);
    let base: readonly number[] = [];
    const report = new Map<string, readonly number[]>();
    if (rated.length > 0) reports.set(name, report);
    for (const [label, { without, ...options }] of rated.length > 0 ? wanted : []) {
      const answered = answer(rated, { ...options, without: new Set(without) });
      const found = [1, 5, 10].map((k) => recallAt(answered, k));
      report.set(label, found);
      if (label === 'default') base = found;
      const differences = found.map((x, at) => 100 * (x - (base[at] as number)));
      console.log(
        `  ${label.padEnd(24)} R@1 / 5 / 10 ${found.map(percent).join(' ')}${label === 'default' ? '' : `   ${differences.map((x) => `${x > 0 ? '+' : ''}${x.toFixed(1)}`.padStart(6)).join('')}`}`,
      );
      worth.set(label, [...(worth.get(label) ?? []), `${found.map((x) => percent(x).trim()).join(' / ')}`]);
    }
    const answered = answer(all);
    talk.push(...answered.filter(({ asked }) => asked.origin === 'talk'));
    printThresholds(answered);
    if (own.length > 0) promised.push(promiseLine(name, answered));
  }
  if (promised.length > 0)
    console.log(
      `\nSomething for / right / one right, %\n| set | shown, from ${SHOW.toFixed(2)} | injected unasked, from ${INJECT.toFixed(2)} |\n|---|---|---|\n${promised.join('\n')}`,
    );
  if (worth.size > 0) {
    const names = [...sets]
      .filter(([, all]) => all.some(({ groups }) => groups.length > 0))
      .map(([name]) => name);
    console.log(`\n| R@1 / R@5 / R@10 | ${names.join(' | ')} |\n|---|${names.map(() => '---|').join('')}`);
    for (const [label, cells] of worth) console.log(`| ${label} | ${cells.join(' | ')} |`);
  }
  if (talk.length > 0)
    console.log(
      `\nSmall talk and general knowledge, ${talk.length} askings: nothing shown for ${percent(silentAt(talk, SHOW))} %, nothing injected for ${percent(silentAt(talk, INJECT))} %`,
    );
  if (process.argv.includes('--save')) saveReport(reports);
}
