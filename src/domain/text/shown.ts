// Prepares names for the screen: titles, folders, models, devices, endpoints. Names from people
// and other programs may be invisible.

/**
 * Draws nothing by itself: white space, control and format characters, marks without a
 * letter, blanks that are letters to Unicode.
 */
const INVISIBLE = /[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{M}\u2800]/u;
/** Direction marks also affect the text beside the name. */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]+/g;
const GAPS = /[\s\p{Cc}]+/gu;

/** Puts the name on one line and removes direction marks. Empty if nothing of it is visible. Linear in its length. */
export function shownName(name: string): string {
  for (const character of name)
    if (!INVISIBLE.test(character)) return name.replace(DIRECTIONS, '').replace(GAPS, ' ').trim();
  return '';
}

/** Title of a conversation for the screen, or `untitled` for one without. */
export const shownTitle = (title: string | null | undefined, untitled: string): string =>
  shownName(title ?? '') || untitled;

/** A title as the name of a file, without its ending: at most 60 characters that every system takes, or none. */
export const fileStem = (title: string): string =>
  [
    ...title
      .replace(/[^\p{L}\p{N}\p{M} ._-]+/gu, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  ]
    .slice(0, 60)
    .join('')
    .trim();
