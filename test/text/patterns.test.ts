// No pattern in the source takes more than linear work on a text that was made to hurt it.
import { describe, expect, it } from 'vitest';
import { hostileTextFor, patternsInSource } from './patterns.ts';

/** Patterns that read what no stranger writes, or so little of it that the square is small. */
const BOUNDED: readonly (readonly [file: string, why: string])[] = [
  ['domain/base/log.ts', 'reads 300 characters of a message, and the stack of the engine'],
  [
    'adapters/importers/speakers.ts',
    'names of speakers are looked for in the first 400 characters of a line',
  ],
  ['adapters/importers/times.ts', 'reads no date that is longer than 100 characters'],
  ['ui/chat/nesting.ts', 'the parser takes its place'],
];

describe('patterns', () => {
  it('take work that grows with the length of the text, not with its square', () => {
    const seen = new Set<string>();
    const slow: string[] = [];
    for (const { file, pattern } of patternsInSource()) {
      if (seen.has(String(pattern)) || BOUNDED.some(([bounded]) => file === bounded)) continue;
      seen.add(String(pattern));
      const hostile = hostileTextFor(pattern);
      if (hostile !== null) slow.push(`${file} ${String(pattern).slice(0, 160)} ${hostile}`);
    }
    expect(seen.size).toBeGreaterThan(300);
    expect(slow).toEqual([]);
  }, 240_000);

  it.each([
    [/\s+$/, 'spaces'],
    [/^[ \t]*\|?(?:[ \t]*:?-{3,}:?[ \t]*\|)+/m, 'tabs'],
    [/(?:a|aa)+$/, 'an alternative twice'],
    [/\[([^\]]*)\]\([^)]*\)/, 'brackets'],
  ])('are caught where they do not: %s', (pattern) => {
    expect(hostileTextFor(pattern)).not.toBeNull();
  });
});
