// Learns what can be learnt of the ranking, from data that may ship with it, and says whether it is worth shipping:
//   npm run eval -- --learn [--bench DIR] [--reuse] [--write [--words]] [--fusion no]
// --bench names a folder with MADial-Bench and MemoryBank (bench.mjs); LoCoMo and BEAM in it only measure, and so does
// test/eval/everyday. Everything is cross-validated by conversation: no question is judged by weights that have seen
// another question about the same conversation.
//   1. A fusion: a conditional logistic over what ranking knows of a passage, against the order that ships. It
//      ships only where it wins on every set.
//   2. The line from score to probability. --write puts it into src/domain/memory/learnt.ts.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LEARNT_LINES } from '../../src/domain/memory/learnt.ts';
import { LATE, type Technique } from '../../src/domain/memory/rank.ts';
import { option, ROOT } from './load.ts';
import { type Asked, type Ranked, rankRecorded, recordAll } from './recorded.ts';
import { type Answered, recallAt, shownAt, silentAt, thresholdFor } from './report.ts';

const FOLDS = 5;
/**
 * How much a question counts: those that have an answer here, those made for another library,
 * and small talk. Each set counts alike.
 */
const MASS = { own: 1, stranger: 0.35, talk: 0.1 } as const;
/** So many of the best passages are what a person may be shown. */
const SHOWN = 5;

/** Sets that only measure. */
const isTaught = (set: string): boolean => !/^(?:locomo|beam|samples|everyday)/.test(set);

/** A set of one language is a part of one of several. */
const familyOf = (set: string): string => set.replace(/-(?:en|zh|mixed)$/, '');

const percent = (x: number) => (Number.isFinite(x) ? (100 * x).toFixed(1).padStart(5) : '    –');

/**
 * The conversation a question is about, by the name of its first right unit;
 * questions without one stand for themselves.
 */
const subjectOf = ({ set, groups, question }: Asked): string =>
  groups[0]?.[0] ? `${set} ${groups[0][0].replace(/[#:].*$/, '')}` : question;

const foldOf = (asked: Asked): number => {
  let hash = 7;
  for (const character of subjectOf(asked))
    hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  return hash % FOLDS;
};

/** Solves the symmetric system `matrix · x = right` by elimination. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const rows = matrix.map((row, at) => [...row, right[at] ?? 0]);
  const size = rows.length;
  for (let at = 0; at < size; at++) {
    let pivot = at;
    for (let row = at + 1; row < size; row++)
      if (Math.abs(rows[row]?.[at] ?? 0) > Math.abs(rows[pivot]?.[at] ?? 0)) pivot = row;
    const [one, other] = [rows[at] ?? [], rows[pivot] ?? []];
    rows[at] = other;
    rows[pivot] = one;
    const head = other[at] || 1e-12;
    for (const [place, row] of rows.entries()) {
      if (place === at) continue;
      const factor = (row[at] ?? 0) / head;
      for (let column = at; column <= size; column++)
        row[column] = (row[column] ?? 0) - factor * (other[column] ?? 0);
    }
  }
  return rows.map((row, at) => (row[size] ?? 0) / (row[at] || 1e-12));
}

interface Row {
  readonly x: readonly number[];
  readonly right: boolean;
  readonly weight: number;
  /** Log odds that are given and not learnt. */
  readonly offset?: number;
}

/**
 * Logistic regression by Newton's method; the last of the result is the intercept. A
 * little ridge on standardised numbers.
 */
function logistic(rows: readonly Row[]): number[] {
  const size = rows[0]?.x.length ?? 0;
  const total = rows.reduce((sum, { weight }) => sum + weight, 0);
  const mean = Array.from(
    { length: size },
    (_, at) => rows.reduce((sum, row) => sum + row.weight * (row.x[at] ?? 0), 0) / total,
  );
  const deviation = mean.map(
    (centre, at) =>
      Math.sqrt(rows.reduce((sum, row) => sum + row.weight * ((row.x[at] ?? 0) - centre) ** 2, 0) / total) ||
      1,
  );
  const standard = rows.map(({ x }) => [
    ...x.map((value, at) => (value - (mean[at] ?? 0)) / (deviation[at] ?? 1)),
    1,
  ]);
  const ridge = 1e-3 * total;
  let weights = new Array<number>(size + 1).fill(0);
  for (let round = 0; round < 60; round++) {
    const slope = weights.map((weight, at) => (at < size ? -ridge * weight : 0));
    const bend = weights.map((_, at) =>
      weights.map((__, other) => (at === other ? (at < size ? ridge : 0) + 1e-9 : 0)),
    );
    for (const [place, z] of standard.entries()) {
      const { right, weight, offset = 0 } = rows[place] as Row;
      const p = 1 / (1 + Math.exp(-z.reduce((sum, value, at) => sum + value * (weights[at] ?? 0), offset)));
      for (let at = 0; at <= size; at++) {
        slope[at] = (slope[at] ?? 0) + weight * ((right ? 1 : 0) - p) * (z[at] ?? 0);
        const row = bend[at] as number[];
        for (let other = 0; other <= size; other++)
          row[other] = (row[other] ?? 0) + weight * p * (1 - p) * (z[at] ?? 0) * (z[other] ?? 0);
      }
    }
    const step = solve(bend, slope);
    weights = weights.map((weight, at) => weight + (step[at] ?? 0));
    if (step.every((one) => Math.abs(one) < 1e-8)) break;
  }
  const plain = weights.slice(0, size).map((weight, at) => weight / (deviation[at] ?? 1));
  return [
    ...plain,
    (weights[size] ?? 0) - plain.reduce((sum, weight, at) => sum + weight * (mean[at] ?? 0), 0),
  ];
}

// ------------------------------------------------------------------------------------------------ a fusion

const factorOf = ({ scores }: Ranked, name: string): number =>
  scores.boosts.find((boost) => boost.name === name)?.factor ?? 1;

/** What the fusion sees of a passage, and what each number means. */
const FEATURES: readonly (readonly [string, string, (one: Ranked) => number])[] = [
  ['vector', 'how near the whole message is in meaning, 0–1', ({ scores }) => scores.vector ?? 0],
  ['late', 'how near its pieces are to the question’s, 0–1', ({ scores }) => scores.late ?? 0],
  [
    'unread',
    `its pieces were not compared (not among the best ${LATE})`,
    ({ scores }) => (scores.late === null ? 1 : 0),
  ],
  ['keyword', 'how much of the question’s words it has, 0–1', ({ scores }) => scores.keyword ?? 0],
  ['both', 'meaning times words', ({ scores }) => (scores.vector ?? 0) * (scores.keyword ?? 0)],
  [
    'context',
    'what the messages around it and its conversation add',
    (one) =>
      one.scores.hybrid *
      factorOf(one, 'language') *
      factorOf(one, 'speaker') *
      (factorOf(one, 'context') - 1),
  ],
  [
    'language',
    'what it is given for being in another language than the question',
    (one) => one.scores.hybrid * (factorOf(one, 'language') - 1),
  ],
  [
    'speaker',
    'score of a message whose speaker is named',
    (one) => (factorOf(one, 'speaker') > 1 ? one.scores.hybrid : 0),
  ],
  ['question', 'is a question itself', (one) => (factorOf(one, 'question') < 1 ? 1 : 0)],
  ['time', 'speaks of a time, where the question asks when', (one) => (factorOf(one, 'time') > 1 ? 1 : 0)],
  ['date', 'was said in the time the question speaks of', (one) => (factorOf(one, 'date') > 1 ? 1 : 0)],
];

interface List {
  readonly x: readonly (readonly number[])[];
  readonly right: readonly boolean[];
  readonly weight: number;
}

/**
 * Conditional logistic (softmax over a question's passages), by gradient ascent with
 * Adam's steps; convex, so it needs no luck.
 */
function conditional(lists: readonly List[], size: number): number[] {
  let weights = new Array<number>(size).fill(0);
  const first = new Array<number>(size).fill(0);
  const second = new Array<number>(size).fill(0);
  for (let round = 1; round <= 400; round++) {
    const slope = weights.map((weight) => -1e-4 * weight);
    for (const { x, right, weight } of lists) {
      const scores = x.map((row) => row.reduce((sum, value, at) => sum + value * (weights[at] ?? 0), 0));
      const most = Math.max(...scores);
      const odds = scores.map((score) => Math.exp(score - most));
      const all = odds.reduce((sum, one) => sum + one, 0);
      const meant = odds.reduce((sum, one, at) => sum + (right[at] ? one : 0), 0);
      for (const [place, row] of x.entries()) {
        const odd = odds[place] ?? 0;
        const pull = weight * ((right[place] ? odd / meant : 0) - odd / all);
        if (pull !== 0)
          for (let at = 0; at < size; at++) slope[at] = (slope[at] ?? 0) + pull * (row[at] ?? 0);
      }
    }
    weights = weights.map((weight, at) => {
      first[at] = 0.9 * (first[at] ?? 0) + 0.1 * (slope[at] ?? 0);
      second[at] = 0.99 * (second[at] ?? 0) + 0.01 * (slope[at] ?? 0) ** 2;
      const step =
        (first[at] ?? 0) / (1 - 0.9 ** round) / (Math.sqrt((second[at] ?? 0) / (1 - 0.99 ** round)) + 1e-9);
      return weight + 0.15 * step;
    });
  }
  return weights;
}

function learnFusion(answered: readonly Answered[]): void {
  const rated = answered.filter(({ asked }) => asked.groups.length > 0);
  const taught = rated.filter(({ asked }) => isTaught(asked.set));
  const sets = [...new Set(rated.map(({ asked }) => asked.set))];
  const count = new Map(sets.map((set) => [set, rated.filter(({ asked }) => asked.set === set).length]));
  const seen = (one: Ranked) => FEATURES.map(([, , of]) => of(one));
  const listOf = ({ asked, ranked }: Answered): List[] => {
    const gold = new Set(asked.groups.flat());
    const right = ranked.map(({ unit }) => gold.has(unit));
    return right.includes(true)
      ? [{ x: ranked.map(seen), right, weight: 1 / (count.get(asked.set) ?? 1) }]
      : [];
  };
  const learn = (some: readonly Answered[]) => conditional(some.flatMap(listOf), FEATURES.length);
  const whole = learn(taught);
  const folds = Array.from({ length: FOLDS }, (_, fold) =>
    learn(taught.filter(({ asked }) => foldOf(asked) !== fold)),
  );
  const again = rated.map((one): Answered => {
    const weights = isTaught(one.asked.set) ? (folds[foldOf(one.asked)] ?? whole) : whole;
    const score = (hit: Ranked) => seen(hit).reduce((sum, value, at) => sum + value * (weights[at] ?? 0), 0);
    return { ...one, ranked: [...one.ranked].sort((a, b) => score(b) - score(a)) };
  });
  console.log(
    '\nA fusion learnt from MADial-Bench, MemoryBank and our own set\n\n| weight | value | of |\n|---|---|---|',
  );
  for (const [at, [name, meaning]] of FEATURES.entries())
    console.log(`| ${name} | ${(whole[at] ?? 0).toFixed(2)} | ${meaning} |`);
  console.log('\n| R@1 / R@5 / R@10, by conversations not seen | shipped | learnt | |\n|---|---|---|---|');
  let wins = 0;
  for (const set of sets) {
    const of = (all: readonly Answered[]) =>
      [1, 5, 10].map((k) =>
        recallAt(
          all.filter(({ asked }) => asked.set === set),
          k,
        ),
      );
    const [shipped, learnt] = [of(rated), of(again)];
    const better = shipped.every((x, at) => (learnt[at] ?? 0) >= x - 1e-9);
    if (better) wins += 1;
    console.log(
      `| ${set} | ${shipped.map(percent).join(' / ')} | ${learnt.map(percent).join(' / ')} | ${better ? 'no worse' : 'worse'} |`,
    );
  }
  console.log(
    wins === sets.length
      ? '\nNo worse on every set: worth shipping.'
      : `\nNo worse on ${wins} of ${sets.length} sets: the order chosen by hand stays.`,
  );
}

// --------------------------------------------------------------------------------- from score to probability

const MEANINGS = {
  score: 'the passage’s own score',
  zScore: 'its z-score among the background scores',
  margin: 'its margin over the best passage of any other conversation, in deviations',
  words: 'logarithm of how many words were asked',
} as const;
const NAMES = Object.keys(MEANINGS) as (keyof typeof MEANINGS)[];
/** Log odds of what a line says of a passage; the last weight is the intercept. */
const oddsOf = (x: readonly number[], weights: readonly number[]): number =>
  x.reduce((sum, value, at) => sum + value * (weights[at] ?? 0), weights[x.length] ?? 0);

type Line = Record<keyof typeof MEANINGS | 'intercept', number>;

/**
 * What may be shown, with what is right; what stands beside the right one in its conversation is
 * neither right nor wrong, and left out.
 */
function rowsOf({ asked, ranked }: Answered, weight: number): Row[] {
  const gold = new Set(asked.groups.flat());
  const homes = new Set(
    asked.candidates.flatMap(({ unit, conversationId }) =>
      gold.has(unit) ? [conversationId as string] : [],
    ),
  );
  return ranked.slice(0, SHOWN).flatMap(({ unit, conversation, evidence }) => {
    const right = gold.has(unit);
    return right || !homes.has(conversation)
      ? [{ x: NAMES.map((name) => evidence[name]), right, weight, offset: evidence.lane }]
      : [];
  });
}

function learnLine(label: string, answered: readonly Answered[]): Line {
  const taught = answered.filter(({ asked }) => isTaught(asked.set));
  const crowd = new Map<string, number>();
  const kind = ({ asked }: Answered) => `${asked.set} ${asked.origin}`;
  for (const one of taught) crowd.set(kind(one), (crowd.get(kind(one)) ?? 0) + 1);
  const weightOf = (one: Answered) => (1_000 * MASS[one.asked.origin]) / (crowd.get(kind(one)) ?? 1);
  const learn = (some: readonly Answered[]) => logistic(some.flatMap((one) => rowsOf(one, weightOf(one))));
  const whole = learn(taught);
  const folds = Array.from({ length: FOLDS }, (_, fold) =>
    learn(taught.filter(({ asked }) => foldOf(asked) !== fold)),
  );
  const losses = taught.flatMap((one) => {
    const weights = folds[foldOf(one.asked)] ?? whole;
    return rowsOf(one, weightOf(one)).map(({ x, right, weight, offset = 0 }) => {
      const odds = oddsOf(x, weights) + offset;
      return { weight, loss: weight * Math.log(1 + Math.exp(right ? -odds : odds)) };
    });
  });
  const again = answered.map((one): Answered => {
    const weights = taught.includes(one) ? (folds[foldOf(one.asked)] ?? whole) : whole;
    return {
      ...one,
      ranked: one.ranked.map((hit) => {
        const x = NAMES.map((name) => hit.evidence[name]);
        const odds = oddsOf(x, weights) + hit.evidence.lane;
        return { ...hit, scores: { ...hit.scores, final: 1 / (1 + Math.exp(-odds)) } };
      }),
    };
  });

  console.log(`\nFrom score to probability, ${label}\n\n| weight | value | of |\n|---|---|---|`);
  for (const [at, name] of NAMES.entries())
    console.log(`| ${name} | ${(whole[at] ?? 0).toFixed(2)} | ${MEANINGS[name]} |`);
  console.log(`| intercept | ${(whole[NAMES.length] ?? 0).toFixed(2)} | where all are nothing |`);

  const rows = again.flatMap((one) =>
    one.asked.origin === 'own' && taught.some(({ asked }) => asked === one.asked)
      ? rowsOf(one, 1).map(({ right, x }) => ({ right, x, one }))
      : [],
  );
  const probability = ({ x, one }: (typeof rows)[number]): number =>
    one.ranked.find(({ evidence }) => NAMES.every((name, at) => evidence[name] === x[at]))?.scores.final ?? 0;
  const bins = [0, 0.25, 0.5, 0.75, 0.9, 1.001];
  const finals = rows.map(probability);
  const total = (of: (one: (typeof losses)[number]) => number) =>
    losses.reduce((sum, one) => sum + of(one), 0);
  console.log(
    `\nLog loss by conversations not seen: ${(total(({ loss }) => loss) / total(({ weight }) => weight)).toFixed(4)}`,
  );
  console.log('\nOf what is called so probable, so many are right (by conversations not seen):');
  for (const [at, from] of bins.slice(0, -1).entries()) {
    const inside = rows.filter(
      (_, place) => (finals[place] ?? 0) >= from && (finals[place] ?? 0) < (bins[at + 1] ?? 1),
    );
    console.log(
      `  ${from.toFixed(2)}–${Math.min(1, bins[at + 1] ?? 1).toFixed(2)}  ${percent(inside.filter(({ right }) => right).length / inside.length)} % of ${inside.length}`,
    );
  }
  console.log(
    '\n| by conversations not seen | half of the questions: right; one right | from 0.75: something for; right; one right | from 0.90: something for; right | strangers: nothing from 0.75; 0.90 | small talk: nothing from 0.75; 0.90 |\n|---|---|---|---|---|---|',
  );
  const sets = [...new Set(again.map(({ asked }) => asked.set))];
  const families = [...new Set(sets.filter((set) => familyOf(set) !== set).map(familyOf))];
  for (const set of [...sets, ...families]) {
    const all = again.filter(({ asked }) => asked.set === set || familyOf(asked.set) === set);
    const own = all.filter(({ asked }) => asked.origin === 'own' && asked.groups.length > 0);
    const half = shownAt(own, thresholdFor(own, 0.5));
    const [show, inject] = [shownAt(own, 0.75), shownAt(own, 0.9)];
    const silent = (origin: Asked['origin']) => {
      const some = all.filter(({ asked }) => asked.origin === origin);
      return [0.75, 0.9].map((threshold) => percent(silentAt(some, threshold))).join('; ');
    };
    console.log(
      `| ${families.includes(set) ? `${set}, every language` : set} | ${percent(half.precision)}; ${percent(half.any)} | ${percent(show.coverage)}; ${percent(show.precision)}; ${percent(show.any)} | ${percent(inject.coverage)}; ${percent(inject.precision)} | ${silent('stranger')} | ${silent('talk')} |`,
    );
  }
  const rounded = [...whole].map((value) => Math.round(value * 1_000) / 1_000);
  return Object.fromEntries([...NAMES, 'intercept'].map((name, at) => [name, rounded[at] ?? 0])) as Line;
}

const source = (lines: { readonly hybrid: Line; readonly keyword: Line }): string =>
  `// Written by \`npm run eval -- --learn --bench DIR --write\` from test/eval/own, MADial-Bench and MemoryBank (both MIT): the weights that turn a
// score into a probability; what each means is said in \`fit.ts\`. The line for words alone, \`keyword\`, is learnt anew only with \`--words\`: see decision 0012.

export const LEARNT_LINES = {
${Object.entries(lines)
  .map(
    ([name, line]) =>
      `  ${name}: {\n${Object.entries(line)
        .map(([weight, value]) => `    ${weight}: ${value},\n`)
        .join('')}  },\n`,
  )
  .join('')}} as const;
`;

/** Prints what was learnt; with --write the line from score to probability is put where the app reads it. */
export async function runLearn(): Promise<void> {
  const sets = await recordAll();
  const all = [...sets.values()].flat();
  const rankAll = (without: readonly Technique[]): Answered[] =>
    all.map((asked) => ({ asked, ranked: rankRecorded(asked, { without: new Set(without) }) }));
  const answered = rankAll([]);
  if (option('fusion', 'yes') === 'yes') learnFusion(answered.filter(({ asked }) => asked.origin === 'own'));
  const lines = {
    hybrid: learnLine('with words and meaning', answered),
    keyword: learnLine('with words alone', rankAll(['vector', 'late'])),
  };
  if (process.argv.includes('--write')) {
    const kept = process.argv.includes('--words') ? lines.keyword : LEARNT_LINES.keyword;
    writeFileSync(join(ROOT, 'src/domain/memory/learnt.ts'), source({ ...lines, keyword: kept }));
    console.log('\nWritten: src/domain/memory/learnt.ts');
  }
}
