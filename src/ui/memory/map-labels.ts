// Places the names on the map: beside the dot that they name, and off other dots and names if there is room. Pure, in px.

interface Dot {
  readonly x: number;
  readonly y: number;
  readonly r: number;
}

interface Label {
  readonly text: string;
  /** The dots it may stand beside, the best first. */
  readonly beside: readonly Dot[];
}

interface PlacedLabel {
  readonly text: string;
  /** Middle of the name. */
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
/** Between a name and its dot. */
const GAP = 3;
/** Dots tried for one name: a large region has enough of them that are alike. */
const TRIED = 12;
/** A name over a name cannot be read; over a dot it can, by its outline. */
const NAME_OVER_NAME = 20;

/** To the frame of the picture: the outline of a name needs room, too. */
const EDGE = 4;

const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff00-\uffef]/u;
/** Letters as broad as a Han character in a bold face. */
const BROAD = /[WMmw@%\u2014\u2026\p{Extended_Pictographic}]/u;
const advanceOf = (character: string): number =>
  (WIDE.test(character) || BROAD.test(character) ? 1 : 0.64) * LABEL_SIZE;
/** Near enough to keep names apart and within the frame, and known without drawing them. */
const widthOf = (text: string): number => [...text].reduce((sum, character) => sum + advanceOf(character), 0);

/** The name as far as it fits into so many px. */
function fitting(text: string, room: number): string {
  if (widthOf(text) <= room) return text;
  let [shown, width] = ['', advanceOf('…')];
  for (const character of text) {
    width += advanceOf(character);
    if (width > room) break;
    shown += character;
  }
  return `${shown.trimEnd()}…`;
}

const within = (at: number, half: number, length: number): number =>
  Math.max(half + EDGE, Math.min(length - half - EDGE, at));

const shared = (a: Box, b: Box): number =>
  Math.max(0, Math.min(a.right, b.right) - Math.max(a.left, b.left)) *
  Math.max(0, Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));

/** One place for each label, in their order: those that come first choose first. */
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
        // Near an edge a name moves inwards: it may lie over its dot then, but nothing of it is cut off.
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
