// Where the names on the map stand: beside a dot that they name, and off the other dots and names where there is room. Pure, in px.

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

const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff00-\uffef]/u;
/** Near enough to keep names apart, and known without drawing them. */
const widthOf = (text: string): number =>
  [...text].reduce((sum, character) => sum + (WIDE.test(character) ? 1 : 0.64), 0) * LABEL_SIZE;

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
  return labels.flatMap(({ text, beside }) => {
    const [halfWidth, halfHeight] = [widthOf(text) / 2, LINE / 2];
    const boxAt = (x: number, y: number): Box => ({
      left: x - halfWidth,
      right: x + halfWidth,
      top: y - halfHeight,
      bottom: y + halfHeight,
    });
    let best: (PlacedLabel & { cost: number }) | undefined;
    for (const { x, y, r } of beside.slice(0, TRIED)) {
      // Near an edge a name above or below its dot moves inwards.
      const inside = Math.max(halfWidth, Math.min(width - halfWidth, x));
      for (const [at, down] of [
        [inside, y - r - GAP - halfHeight],
        [inside, y + r + GAP + halfHeight],
        [x + r + GAP + halfWidth, y],
        [x - r - GAP - halfWidth, y],
      ] as const) {
        const box = boxAt(at, down);
        const outside =
          box.left < 0 || box.top < 0 || box.right > width || box.bottom > height
            ? 4 * halfWidth * halfHeight
            : 0;
        const cost =
          boxes.reduce((sum, dot) => sum + shared(box, dot), 0) +
          NAME_OVER_NAME * (names.reduce((sum, name) => sum + shared(box, name), 0) + outside);
        if (!best || cost < best.cost) best = { text, x: at, y: down, cost };
      }
      if (best?.cost === 0) break;
    }
    if (!best) return [];
    names.push(boxAt(best.x, best.y));
    return [{ text, x: best.x, y: best.y }];
  });
}
