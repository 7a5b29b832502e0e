// How well private words are found: precision and recall by category and language, over
// sentences that are labelled by hand.
//   npm run eval -- --privacy [--misses]      prints JSON; --misses: with what was missed and what was found wrongly
// `first.jsonl` was written before the detectors, and they were mended by it; `second.jsonl` was written in another
// manner, and only measures; `third.jsonl` has files, commands and addresses as they are pasted, and what only looks
// like them; `fourth.jsonl` was written after the rules for those.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { CATEGORIES, type Category } from '../../src/domain/privacy/categories.ts';
import { findPrivate } from '../../src/domain/privacy/scan.ts';
import { defaultConfig } from '../../src/domain/settings/config.ts';

const FOLDER = resolve(import.meta.dirname, 'privacy');
const ALL: ReadonlySet<Category> = new Set(CATEGORIES);

interface Labelled {
  readonly text: string;
  readonly hidden: readonly (readonly [Category, string])[];
}

interface Count {
  right: number;
  wrong: number;
  missed: number;
}

const rounded = (value: number): number => Math.round(value * 1000) / 1000;
const share = (part: number, of: number): number | null => (of === 0 ? null : rounded(part / of));
const figures = ({ right, wrong, missed }: Count) => ({
  precision: share(right, right + wrong),
  recall: share(right, right + missed),
  right,
  wrong,
  missed,
});

export const readLabelled = (name: string): Labelled[] =>
  readFileSync(resolve(FOLDER, `${name}.jsonl`), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Labelled);

export function measure(sentences: readonly Labelled[]) {
  const counts = new Map<string, Count>();
  const count = (key: string, kind: keyof Count) => {
    const one = counts.get(key) ?? { right: 0, wrong: 0, missed: 0 };
    one[kind] += 1;
    counts.set(key, one);
  };
  const misses: unknown[] = [];
  for (const { text, hidden } of sentences) {
    const language = /\p{Script=Han}/u.test(text) ? 'zh' : 'en';
    const add = (category: string, kind: keyof Count) => {
      for (const key of ['all', language, category]) count(key, kind);
    };
    const left = [...hidden];
    for (const { category, words } of findPrivate(text, ALL, defaultConfig.privacy)) {
      const at = left.findIndex(([wanted, said]) => wanted === category && said === words);
      add(category, at < 0 ? 'wrong' : 'right');
      if (at < 0) misses.push({ wrong: category, words, text });
      else left.splice(at, 1);
    }
    for (const [category, words] of left) {
      add(category, 'missed');
      misses.push({ missed: category, words, text });
    }
  }
  return {
    sentences: sentences.length,
    negatives: sentences.filter(({ hidden }) => hidden.length === 0).length,
    figures: Object.fromEntries([...counts].map(([key, value]) => [key, figures(value)])),
    misses,
  };
}

export function runPrivacyEval(): void {
  const shown = process.argv.includes('--misses');
  const report = Object.fromEntries(
    ['first', 'second', 'third', 'fourth'].map((name) => {
      const { misses, ...rest } = measure(readLabelled(name));
      return [name, shown ? { ...rest, misses } : rest];
    }),
  );
  console.log(JSON.stringify(report, null, 2));
}
