// The newest correction stands for a fact: a later sentence of the person that sets an earlier one right ("no, port 8081", 改到周四了) often
// has less of the question's words than what it corrects.
import type { Role } from '../chat/message.ts';
import { corrects } from '../context/cues.ts';
import { asks } from './cues.ts';
import { roughWords } from './rough-words.ts';
import { sentencesOf } from './sentences.ts';

/** What of a candidate tells whether it corrects another. */
interface Said {
  readonly messageId: string;
  readonly text: string;
  readonly role?: Role;
  /** ms since 1970 */
  readonly createdAt: number;
  readonly note?: boolean;
}

/** Longer messages say much besides: which of it is meant is not to be told by words. */
const LONGEST = 400;
/** So many of the best are looked at. */
const LOOKED_AT = 50;
/** What speaks of one thing shares so many words, one fewer where the question has one of them, and this share of the shorter one's. */
const [SHARED_WORDS, SHARED_SHARE] = [3, 0.2];
/** Days of the week say what figures say. */
const DAYS =
  /\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|(?:周|星期|礼拜)[一二三四五六日天]|[零一二两三四五六七八九十百千半]+(?=[个百千万元块天月年号点页码度毫克分秒次人桌周])/giu;

interface Read {
  readonly words: ReadonlySet<string>;
  readonly figures: ReadonlySet<string>;
}

function read(text: string): Read {
  const { words, figures } = roughWords(text);
  const all = new Set([...figures, ...(text.toLowerCase().match(DAYS) ?? [])]);
  return { words: new Set([...words].filter((word) => !figures.has(word))), figures: all };
}

const isShort = ({ text, role, note }: Said): boolean => role === 'user' && !note && text.length <= LONGEST;

/**
 * Best first, as they came; but where the person corrected what is among them, the newest correction takes its place and is as probable, and it
 * comes right after.
 */
export function corrected<
  S extends { readonly candidate: Said; readonly scores: { readonly final: number } },
>(question: string, ranked: readonly S[]): S[] {
  const best = ranked
    .slice(0, LOOKED_AT)
    .filter(({ candidate }) => isShort(candidate) && !asks(candidate.text));
  const corrections = best.filter(({ candidate }) => sentencesOf(candidate.text).some(corrects));
  if (corrections.length === 0) return [...ranked];
  const asked = read(question).words;
  const known = new Map<S, Read>();
  const readOf = (one: S): Read => {
    const made = known.get(one) ?? read(one.candidate.text);
    known.set(one, made);
    return made;
  };
  const isOf = (newer: S, older: S): boolean => {
    if (newer.candidate.createdAt <= older.candidate.createdAt) return false;
    if (newer.candidate.messageId === older.candidate.messageId) return false;
    const [a, b] = [readOf(newer), readOf(older)];
    if (a.figures.size === 0 || b.figures.size === 0) return false;
    if ([...b.figures].every((figure) => a.figures.has(figure))) return false;
    const shared = [...a.words].filter((word) => b.words.has(word));
    return (
      shared.length >= (shared.some((word) => asked.has(word)) ? SHARED_WORDS - 1 : SHARED_WORDS) &&
      shared.length >= SHARED_SHARE * Math.min(a.words.size, b.words.size)
    );
  };
  const order = [...ranked];
  for (const older of best) {
    const newest = corrections
      .filter((one) => isOf(one, older))
      .sort((a, b) => b.candidate.createdAt - a.candidate.createdAt)[0];
    if (!newest) continue;
    const [at, from] = [order.indexOf(older), order.findIndex((one) => one.candidate === newest.candidate)];
    if (from < at) continue;
    order.splice(from, 1);
    const final = Math.max(newest.scores.final, older.scores.final);
    order.splice(at, 0, { ...newest, scores: { ...newest.scores, final } });
  }
  return order;
}
