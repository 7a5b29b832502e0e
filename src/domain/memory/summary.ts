// Makes a summary from the conversation's own sentences, word for word: it can be incomplete, but never wrong.

import { cjkShare } from '../text/sentences.ts';
import type { Digest, Sentence } from './digest.ts';
import { keywordsOf } from './keywords.ts';

/** Most sentences examined: the beginning and the end of a very long conversation. */
const MAX_SENTENCES = 600;

/** True for neither a shout nor a paragraph; a Han character counts as three Latin ones. */
const fits = ({ text }: Sentence): boolean => {
  if (text.length < 8 || text.length > 320) return false;
  const size = text.length * (cjkShare(text) > 0.5 ? 3 : 1);
  return size >= 24 && size <= 320;
};

/**
 * Picks one to three sentences, verbatim and in their order, joined by spaces; keywords if there is no sentence to
 * show. One of the first is the person's (the topic); the others hold most of the weighty words not yet said.
 */
export function summaryOf(digest: Digest, sentences = 3): string {
  const all = digest.sentences.filter(fits);
  const pool =
    all.length > MAX_SENTENCES ? [...all.slice(0, MAX_SENTENCES / 2), ...all.slice(-MAX_SENTENCES / 2)] : all;
  if (pool.length === 0) return keywordsOf(digest).join(', ');
  const covered = new Set<string>();
  const chosen = new Set<number>();
  const score = (index: number): number => {
    const { stems, byPerson } = pool[index] as Sentence;
    let sum = 0;
    for (const stem of stems) if (!covered.has(stem)) sum += digest.names.get(stem)?.weight ?? 0;
    return (sum / Math.sqrt(3 + stems.size)) * (byPerson ? 1.3 : 1);
  };
  const take = (index: number) => {
    chosen.add(index);
    for (const stem of (pool[index] as Sentence).stems) covered.add(stem);
  };
  const firstUsers = pool.flatMap(({ byPerson }, index) => (byPerson ? [index] : [])).slice(0, 4);
  take((firstUsers.length > 0 ? firstUsers : [0]).reduce((a, b) => (score(b) > score(a) * 1.5 ? b : a)));
  while (chosen.size < Math.min(sentences, pool.length)) {
    let best = -1;
    let most = 0;
    for (let index = 0; index < pool.length; index++) {
      if (chosen.has(index)) continue;
      const value = score(index);
      if (value > most) [best, most] = [index, value];
    }
    if (best < 0) break;
    take(best);
  }
  return [...chosen]
    .sort((a, b) => a - b)
    .map((index) => (pool[index] as Sentence).text)
    .join(' ');
}
