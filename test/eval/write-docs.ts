// Writes docs/evaluation.md from results.json, the weights in src/domain/memory/learnt.ts and nothing else.
//   npm run docs
// `npm run eval -- --report --save` puts its table into results.json first (`saveReport`).
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { FIT } from '../../src/domain/memory/fit.ts';
import { LEARNT_LINES } from '../../src/domain/memory/learnt.ts';
import { workedExample } from './worked-example.ts';

const HERE = import.meta.dirname;
const RESULTS = join(HERE, 'results.json');
const PAGE = resolve(HERE, '../../docs/evaluation.md');

/** R@1, R@5 and R@10 in percent. */
const figuresSchema = z.tuple([z.number(), z.number(), z.number()]);
const resultsSchema = z.object({
  recall: z.object({
    date: z.string(),
    note: z.string(),
    sets: z.record(z.string(), z.object({ at: figuresSchema, wanted: z.string().optional() })),
  }),
  ablations: z.object({
    date: z.string(),
    note: z.string(),
    sets: z.array(z.string()),
    /** R@5 in percent, in the order of `sets`. */
    at5: z.record(z.string(), z.array(z.number())),
  }),
  promises: z.array(z.object({ what: z.string(), figure: z.string(), wanted: z.string(), date: z.string() })),
  misses: z.array(z.string()),
});
type Results = z.infer<typeof resultsSchema>;

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(head), `|${'---|'.repeat(head.length)}`, ...rows.map(row)].join('\n');

/** What each learnt weight multiplies; a name that the code has and this list has not is shown all the same. */
const MEANING: Readonly<Record<string, string>> = {
  score: 'the passage’s own score: 0 to 1, more with what raises it',
  zScore: `z-score among the background scores: the sixth to the twenty-fifth best message, before language, notes and pins raise them, and ${FIT.background.count} usual ones (mean ${FIT.background.mean}, deviation ${FIT.background.deviation}); at most ${FIT.background.most}`,
  margin: `its z-score less that of the runner-up, the best passage of any other conversation that says another thing, without what raises that one (${FIT.runnerUp.usual} where there is none); ${FIT.runnerUp.even} is even, at most ${FIT.runnerUp.most} count`,
  words: `ln(1 + search words asked, at most ${FIT.wordsMost}), each of a Chinese question half, since characters come as words and as pairs: two are soon met by chance`,
  intercept: 'added to their sum',
};

type Line = Readonly<Record<string, number>>;

const COLUMNS: Readonly<Record<string, string>> = { hybrid: 'with meaning', keyword: 'words only' };

function weightTable(lines: Readonly<Record<string, Line>>): string {
  const names = [...new Set(Object.values(lines).flatMap((line) => Object.keys(line)))];
  return table(
    ['weight', ...Object.keys(lines).map((name) => COLUMNS[name] ?? name), 'of'],
    names.map((name) => [
      `\`${name}\``,
      ...Object.values(lines).map((line) => (line[name] ?? 0).toFixed(2).replace('-', '−')),
      MEANING[name] ?? '',
    ]),
  );
}

/** The largest difference that leaving a part out makes to any set, points. */
const mostMoved = ({ at5 }: Results['ablations'], part: string): string => {
  const shipped = at5['as shipped'] ?? [];
  return Math.max(...(at5[part] ?? []).map((one, at) => Math.abs(one - (shipped[at] ?? 0)))).toFixed(1);
};

/** Figures of a set, those in bold that are less than what is wanted ("R@5 74, R@10 81"). */
const marked = ({
  at,
  wanted = '',
}: {
  readonly at: readonly number[];
  readonly wanted?: string | undefined;
}) =>
  at.map((one, place) => {
    const least = Number(new RegExp(`R@${[1, 5, 10][place]} ([\\d.]+)`).exec(wanted)?.[1] ?? 0);
    return one < least ? `**${one.toFixed(1)}**` : one.toFixed(1);
  });

/** The page. Pure: the same input gives the same page. */
export function renderEvaluation(
  { recall, ablations, promises, misses }: Results,
  weights: Readonly<Record<string, Line>>,
): string {
  return `<!-- Written by \`npm run docs\` (test/eval/write-docs.ts). Do not edit by hand. -->
# Evaluation of recall

\`npm run eval -- --report --save\` measures every set with each part of the ranking left away in turn, keeps the table in
\`test/eval/results.json\` and writes this page; \`npm run docs\` writes the page alone. How it measures: [test/eval/README.md](../test/eval/README.md).
Why each signal is there, and what was tried: [decisions](decisions/README.md) 0007, 0010 to 0015. What changed since the
last report has its figures in the decisions from 0201 on until the next one. **Bold** misses what is wanted.

## Recall, percent, measured ${recall.date}

${table(
  ['set', 'R@1', 'R@5', 'R@10', 'wanted'],
  Object.entries(recall.sets).map(([name, set]) => [name, ...marked(set), set.wanted ?? '']),
)}

${recall.note}

## R@5 with a part left away, measured ${ablations.date}

${table(
  ['', ...ablations.sets],
  Object.entries(ablations.at5).map(([name, at]) => [name, ...at.map((one) => one.toFixed(1))]),
)}

${ablations.note} To leave decay out moves no set by more than ${mostMoved(ablations, 'no decay')} points.

## From score to probability

Each passage has two halves on a scale of 0 to 1. Words: what the question's words are worth that stand in it, half of that for words that
only a neighbour has, a quarter for words of the conversation's title, as a share of what they could add; a long question need not be met word
for word, so that less than all fills this half. Meaning: seven tenths how near the vectors are, three tenths late interaction of the best 32;
of the others late interaction is taken for three quarters of what their vectors say. They are weighed as \`recall.hybrid_weights\` says (0.6 meaning, 0.4 words).
A passage in the other language, which cannot have the words, counts as if its half of words were ${FIT.language.words} of its meaning, but gets a quarter more at most, and one whose speaker the question names a quarter more.
Then others add a part of their own score so far: the message before ${FIT.previous} (${FIT.reply} where it asks and a person replies), the next ${FIT.next}, and the conversation
${FIT.conversation} of the mean of its best ${FIT.best}, the passage itself among them. Last it is multiplied: a question ${FIT.question} (an unanswered one ${FIT.unanswered}), a time where *when* is asked ${FIT.time}, said on the date
asked for ${FIT.date}, a note ${FIT.note}, a pin ${FIT.pin}, called not related ${FIT.notRelated}. All these numbers stand in \`src/domain/memory/fit.ts\`.

The score becomes a probability by a logistic line learnt by \`npm run eval -- --learn --bench DIR --write\` (\`src/domain/memory/learnt.ts\`); who
speaks and the project add or take log odds: the assistant’s passages lose ln(${FIT.lanes.assistant} · the person’s passages / the assistant’s), counted among those found and usual ones,
${FIT.lanes.usual} of the person, ${FIT.lanes.usual * FIT.lanes.assistant} of the assistant, ${FIT.lanes.usual * FIT.lanes.tool} of a tool, where that is below 0, a tool’s the same with ${FIT.lanes.tool}; ${FIT.lanes.asked} more where the question asks for another’s words; a passage of the project that is
asked from gains ${FIT.project}. Age multiplies the odds, with the fifth root of exp(-factor · days): of two equals the newer wins. What reaches the threshold is
chosen, memory notes first, without near-duplicates; the reply to a question that is chosen may be 0.15 below
(\`src/domain/memory/choose.ts\`). A repetition leaves before, and a correction takes the place of what it corrects. For a request, the nearest rules and
preferences of the person stand at least fifth and tenth (\`standing.ts\`). A question about the course of things, or for a list or a summary where the best passage has
0.4, is shown what passes 0.15 (\`overview.ts\`), and one that calls on memory, asks
for a fact about the person (decision 1806), or was asked before in vain, is given what would be shown.

${weightTable(weights)}

### One passage by hand

${workedExample()}

## What is brought back, by conversations not seen while learning

${table(
  ['what', 'figure', 'wanted', 'measured'],
  promises.map((one) => [one.what, one.figure, one.wanted, one.date]),
)}

## Honest misses

${misses.map((one) => `- ${one}`).join('\n')}
`;
}

export const readEvaluation = (): string =>
  renderEvaluation(resultsSchema.parse(JSON.parse(readFileSync(RESULTS, 'utf8'))), LEARNT_LINES);

export const writeEvaluation = (): void => writeFileSync(PAGE, readEvaluation());

/**
 * What the report found of one set: by the name of what was left away (`default`:
 * nothing), R@1, R@5 and R@10 as shares.
 */
export type SetReport = ReadonlyMap<string, readonly number[]>;

/** Keeps a report's figures, those of sets it did not measure as they were, and writes the page. */
export function saveReport(sets: ReadonlyMap<string, SetReport>, date = new Date()): void {
  const results = resultsSchema.parse(JSON.parse(readFileSync(RESULTS, 'utf8')));
  const percent = (share: number | undefined): number => Math.round((share ?? 0) * 1000) / 10;
  const day = date.toISOString().slice(0, 10);
  const letters = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');
  for (const [measured, report] of sets) {
    const name =
      [...Object.keys(results.recall.sets)].find((one) => letters(one) === letters(measured)) ?? measured;
    const [one, five, ten] = report.get('default') ?? [];
    results.recall.sets[name] = {
      ...results.recall.sets[name],
      at: [percent(one), percent(five), percent(ten)],
    };
    results.recall.date = day;
    const column = results.ablations.sets.indexOf(name);
    if (column < 0 || report.size < 2) continue;
    results.ablations.date = day;
    for (const [label, figures] of report) {
      const key = label === 'default' ? 'as shipped' : label;
      const line = results.ablations.at5[key] ?? results.ablations.sets.map(() => 0);
      line[column] = percent(figures[1]);
      results.ablations.at5[key] = line;
    }
  }
  writeFileSync(RESULTS, `${JSON.stringify(results, null, 2)}\n`);
  writeEvaluation();
}

if (process.argv[1] === import.meta.filename) writeEvaluation();
