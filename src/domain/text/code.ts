// Finds the fenced code of a text, and its declared language; writes code in a fence.

/** A stretch of a message: prose, or one fenced block with its fences. */
export interface Block {
  readonly kind: 'prose' | 'code';
  readonly text: string;
  /** Lower-case word after the opening fence; null for prose and for fences without one. */
  readonly language: string | null;
}

const FENCE = /^[ \t]{0,3}(`{3,}|~{3,})[ \t]*([^\s`]*)/;

/** Cuts Markdown into prose and fenced code, in order, losing no character. A fence that is never closed runs to the end. */
export function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let lines: string[] = [];
  let fence: { mark: string; language: string | null } | null = null;
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
    const match = FENCE.exec(line);
    if (fence) {
      lines.push(line);
      if (match?.[1]?.startsWith(fence.mark) && line.trim() === match[1]) {
        flush();
        fence = null;
      }
    } else if (match) {
      flush();
      fence = {
        mark: match[1] as string,
        language: match[2]?.toLowerCase().split(/[{},:]/, 1)[0] || null,
      };
      lines.push(line);
    } else lines.push(line);
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
