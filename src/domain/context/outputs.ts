// Shortens a tool's output: its first line, its results (totals, failures, its end) and lines that stand out. Keeps
// whole lines, and counts those left out between them.
import { goesWrong } from '../text/cues.ts';
import type { TokenMeter } from './meter.ts';

/** Totals, findings, durations. */
const RESULT_WORDS =
  /\b(?:total|sum(?:mary)?|passed|failed|found|duration|elapsed|took|execution time|exit(?: code)?|status|result|warn(?:ing)?|conflict|version|limit|max(?:imum)?|oldest|newest|used|free)\b|合计|总计|共|耗时|退出码|最[早晚大小新旧]|失败|通过|警告|剩余/i;

/** True for a line that states a result. */
export const statesResult = (line: string): boolean => RESULT_WORDS.test(line);

/** From so many lines of one form on they are a list, represented by its first lines. */
export const LIST_FROM = 4;
/** Longest part of a line that is read, characters. */
const MOST_EXAMINED = 160;
/** Last lines, in which an output states how it ended. */
const LAST = 3;

/** Most lines of a long output that are weighed at its beginning, and at its end. */
const WEIGHED = 2_000;

/** Returns the form of a line, without its words and figures: lines of one log, listing or table share it. */
export const lineFormOf = (line: string): string =>
  line
    .slice(0, MOST_EXAMINED)
    .replace(/\d+/g, '0')
    .replace(/\p{L}+/gu, 'a')
    .replace(/\s+/g, ' ');

/** Counts the lines of each form. */
export function countLineForms(lines: Iterable<string>): Map<string, number> {
  const forms = new Map<string, number>();
  for (const line of lines) {
    const form = lineFormOf(line);
    forms.set(form, (forms.get(form) ?? 0) + 1);
  }
  return forms;
}

/**
 * Returns the most telling lines, in order, in about so many tokens; an omission is a
 * line `[… 12 …]` with the count of lines.
 */
export function shortenOutput(text: string, tokens: number, meter: TokenMeter): string {
  const lines = text.trimEnd().split('\n');
  const isFar = (at: number) => at >= WEIGHED && at < lines.length - WEIGHED;
  const forms = countLineForms(lines.filter((_, at) => !isFar(at)));
  const weighed = lines.flatMap((line, at) => {
    if (isFar(at) || line.trim() === '') return [];
    const same = forms.get(lineFormOf(line)) ?? 1;
    const weight =
      (at === 0 ? 4 : 0) +
      (at >= lines.length - LAST ? 2 : 0) +
      (goesWrong(line) ? 3 : 0) +
      (statesResult(line) ? 2.5 : 0) +
      (same < LIST_FROM ? 1 : 1 / same);
    return [{ line, at, weight }];
  });
  const kept = new Set<number>();
  let left = tokens;
  for (const { line, at } of weighed.sort((a, b) => b.weight - a.weight || a.at - b.at)) {
    // A line that does not fit whole is left out.
    const cost = line.length > left * 8 ? Number.POSITIVE_INFINITY : meter.text(line) + 1;
    if (cost > left) continue;
    kept.add(at);
    left -= cost;
    if (left <= 0) break;
  }
  if (kept.size === 0) return headAndTail(text, tokens, meter);
  const shown: string[] = [];
  let omitted = 0;
  const leaveOut = () => {
    if (omitted > 0) shown.push(`[… ${omitted} …]`);
    omitted = 0;
  };
  lines.forEach((line, at) => {
    if (!kept.has(at)) omitted += line.trim() === '' ? 0 : 1;
    else {
      leaveOut();
      shown.push(line);
    }
  });
  leaveOut();
  return shown.join('\n');
}

/** Beginning and end of a text without lines, such as one long object. */
function headAndTail(text: string, tokens: number, meter: TokenMeter): string {
  const all = meter.text(text);
  const characters = Math.max(40, Math.floor((text.length * tokens) / all));
  const cut = (at: number) => {
    const code = text.charCodeAt(at);
    return code >= 0xdc00 && code <= 0xdfff ? at + 1 : at;
  };
  const first = text.slice(0, cut(Math.floor(characters * 0.6)));
  const end = text.slice(cut(text.length - Math.floor(characters * 0.4)));
  return `${first.trimEnd()}\n[… ${all - tokens} …]\n${end.trimStart()}`;
}
