// Names on the screen: titles, folders, models, devices, endpoints. What people and other programs give as a name may show nothing at all.

/** Draws nothing by itself: white space, control and format characters, marks without a letter, blanks that are letters to Unicode. */
const INVISIBLE = /[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{M}\u2800]/u;
/** Turns the direction of what stands beside the name, too. */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]+/g;
const GAPS = /[\s\p{Cc}]+/gu;

/** The name on one line, without what would turn its neighbours around. Empty where nothing of it can be seen. Linear in its length. */
export function shownName(name: string): string {
  for (const character of name)
    if (!INVISIBLE.test(character)) return name.replace(DIRECTIONS, '').replace(GAPS, ' ').trim();
  return '';
}

/** What a conversation is called where it is shown: its title, or the word for one without. */
export const shownTitle = (title: string | null | undefined, untitled: string): string =>
  shownName(title ?? '') || untitled;
