// Divides a text that has headings but no pages into sections.
import type { Sections } from './extractor.ts';
import { plainHeading } from './markdown.ts';

export interface DocumentBlock {
  readonly text: string;
  /** Level of a heading, 1 to 6; null for other blocks. */
  readonly level: number | null;
}

/** Deepest level of heading that begins its own section. */
const DEEPEST = 3;

/** Adds blocks to `sections`, each under the nearest heading above it. False once there is no more room. */
export function addByHeadings(
  sections: Sections,
  blocks: readonly DocumentBlock[],
  kind = 'section',
): boolean {
  let name = '';
  let held: string[] = [];
  const flush = (): boolean => {
    const text = held.join('\n\n');
    held = [];
    return sections.add(name === '' ? undefined : { kind, name }, text);
  };
  for (const { text, level } of blocks) {
    if (level !== null && level <= DEEPEST) {
      // A heading with nothing under it joins the next one.
      if (held.some((words) => !words.startsWith('#')) && !flush()) return false;
      name = plainHeading(text).slice(0, 120);
    }
    held.push(text);
  }
  return flush();
}
