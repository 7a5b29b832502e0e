// Looks up synonyms by their terms.
import { once } from '../base/once.ts';
import { GROUPS } from './synonym-groups.ts';
import { termsOf } from './words.ts';

const groups = once(() => {
  const groups = new Map<string, Set<string>>();
  for (const line of GROUPS.trim().split('\n')) {
    const members = line.split(' ').map((word) => termsOf(word));
    for (const own of members)
      for (const term of own) {
        let set = groups.get(term);
        if (!set) {
          set = new Set();
          groups.set(term, set);
        }
        for (const others of members) for (const other of others) if (other !== term) set.add(other);
      }
  }
  return groups;
});

const NONE: ReadonlySet<string> = new Set();

/** Terms with about the same meaning as this one, without itself; empty for most. */
export const synonymsOf = (term: string): ReadonlySet<string> => groups().get(term) ?? NONE;
