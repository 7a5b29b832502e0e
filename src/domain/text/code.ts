// Finds the fenced code of a text, and its declared language; writes code in a fence.

/** A stretch of a message: prose, or one fenced block with its fences. */
export interface TextBlock {
  readonly kind: 'prose' | 'code';
  readonly text: string;
  /** Lower-case word after the opening fence; null for prose and for fences without one. */
  readonly language: string | null;
}

const FENCE = /^[ \t]{0,3}(`{3,}|~{3,})[ \t]*([^\s`]*)/;

/** A fence that is open. */
export interface Fence {
  readonly mark: string;
  /** In lower case; null if none is declared. */
  readonly language: string | null;
}

/** Returns the fence that is open behind a line: the one before it, the one that it opens, or null. */
export function fenceAfter(line: string, fence: Fence | null): Fence | null {
  const [, mark, language] = FENCE.exec(line) ?? [];
  if (mark === undefined) return fence;
  if (fence) return mark.startsWith(fence.mark) && line.trim() === mark ? null : fence;
  return { mark, language: language?.toLowerCase().split(/[{},:]/, 1)[0] || null };
}

/**
 * Cuts Markdown into prose and fenced code, in order, losing no character. A fence
 * that is never closed runs to the end.
 */
export function blocksOf(text: string): TextBlock[] {
  const blocks: TextBlock[] = [];
  let lines: string[] = [];
  let fence: Fence | null = null;
  const flush = () => {
    if (lines.length > 0)
      blocks.push({
        kind: fence ? 'code' : 'prose',
        text: lines.join('\n'),
        language: fence?.language ?? null,
      });
    lines = [];
  };
  for (const line of text.split('\n')) {
    const next = fenceAfter(line, fence);
    if (!fence && next) flush();
    lines.push(line);
    if (fence && !next) flush();
    fence = next;
  }
  flush();
  return blocks;
}

/** Finds out if a text has fenced code, and the language of most of its fenced lines. */
export function codeIn(text: string): { hasCode: boolean; language: string | null } {
  if (!text.includes('```') && !text.includes('~~~')) return { hasCode: false, language: null };
  const lines = new Map<string, number>();
  let hasCode = false;
  for (const block of blocksOf(text)) {
    if (block.kind !== 'code') continue;
    hasCode = true;
    if (block.language)
      lines.set(block.language, (lines.get(block.language) ?? 0) + block.text.split('\n').length);
  }
  const [language] = [...lines].sort((a, b) => b[1] - a[1])[0] ?? [null];
  return { hasCode, language };
}

/** Wraps a text in a fence that is longer than any within. */
export function fenced(text: string, language: string): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
