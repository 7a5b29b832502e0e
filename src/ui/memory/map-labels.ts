// Places names on the map beside their dots, and off other dots and names if there is room. Pure, in px.

interface Dot {
  readonly x: number;
  readonly y: number;
  readonly r: number;
}

interface Label {
  readonly text: string;
  /** Dots that the name may stand beside, best first. */
  readonly beside: readonly Dot[];
}

interface PlacedLabel {
  readonly text: string;
  /** Horizontal centre of the name. */
  readonly x: number;
  readonly y: number;
}

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export const LABEL_SIZE = 12;
const LINE = LABEL_SIZE * 1.2;
/** Gap between a name and its dot. */
const GAP = 3;
/** Dots tried for one name: the dots of a large region are alike enough. */
const TRIED = 12;
/** Penalty for overlapping a name, relative to a dot: an outline keeps a name readable over a dot, not over a name. */
const NAME_OVER_NAME = 20;

/** Distance to the frame of the picture, with room for the outline of a name. */
const EDGE = 4;

const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff00-\uffef]/u;
/** Characters as wide as a Han character in a bold face. */
const BROAD = /[WMmw@%\u2014\u2026\p{Extended_Pictographic}]/u;
const advanceOf = (character: string): number =>
  (WIDE.test(character) || BROAD.test(character) ? 1 : 0.64) * LABEL_SIZE;
/** Estimates the width without measuring, closely enough to keep names apart and within the frame. */
const widthOf = (text: string): number => [...text].reduce((sum, character) => sum + advanceOf(character), 0);

/** Shortens a name to this width in px. */
function fitting(text: string, maxWidth: number): string {
  if (widthOf(text) <= maxWidth) return text;
  let [shown, width] = ['', advanceOf('…')];
  for (const character of text) {
    width += advanceOf(character);
    if (width > maxWidth) break;
    shown += character;
  }
  return `${shown.trimEnd()}…`;
}

const within = (at: number, half: number, length: number): number =>
  Math.max(half + EDGE, Math.min(length - half - EDGE, at));

const shared = (a: Box, b: Box): number =>
  Math.max(0, Math.min(a.right, b.right) - Math.max(a.left, b.left)) *
  Math.max(0, Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));

/** Gives each label a place; earlier ones choose first. */
export function placeLabels(
  labels: readonly Label[],
  dots: readonly Dot[],
  width: number,
  height: number,
): PlacedLabel[] {
  const boxes: Box[] = dots.map(({ x, y, r }) => ({ left: x - r, right: x + r, top: y - r, bottom: y + r }));
  const names: Box[] = [];
  return labels.flatMap(({ text: name, beside }) => {
    const text = fitting(name, width - 2 * EDGE);
    const [halfWidth, halfHeight] = [widthOf(text) / 2, LINE / 2];
    const boxAt = (x: number, y: number): Box => ({
      left: x - halfWidth,
      right: x + halfWidth,
      top: y - halfHeight,
      bottom: y + halfHeight,
    });
    let best: (PlacedLabel & { cost: number }) | undefined;
    for (const { x, y, r } of beside.slice(0, TRIED)) {
      for (const [wantedX, wantedY] of [
        [x, y - r - GAP - halfHeight],
        [x, y + r + GAP + halfHeight],
        [x + r + GAP + halfWidth, y],
        [x - r - GAP - halfWidth, y],
      ] as const) {
        // Near an edge a name moves inwards, even over its dot, so that nothing of it is cut off.
        const [at, down] = [within(wantedX, halfWidth, width), within(wantedY, halfHeight, height)];
        const box = boxAt(at, down);
        const cost =
          boxes.reduce((sum, dot) => sum + shared(box, dot), 0) +
          NAME_OVER_NAME * names.reduce((sum, name) => sum + shared(box, name), 0);
        if (!best || cost < best.cost) best = { text, x: at, y: down, cost };
      }
      if (best?.cost === 0) break;
    }
    if (!best) return [];
    names.push(boxAt(best.x, best.y));
    return [{ text, x: best.x, y: best.y }];
  });
}
