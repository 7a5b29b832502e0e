// Sizes of the dots of a map.

/** Share of the picture that all dots may cover together: a dot below another cannot be seen. */
const COVERED = 0.12;
const SMALLEST = 1.5;
const LARGEST = 9;

/** Radii of the smallest and largest of `count` dots on `area` px², in px. */
export function dotSizes(area: number, count: number): [number, number] {
  const fitting = Math.sqrt((area * COVERED) / (Math.max(1, count) * Math.PI));
  const largest = Math.min(LARGEST, Math.max(SMALLEST * 2, fitting * 1.5));
  return [Math.max(SMALLEST, largest / 3), largest];
}

/** Radius of each dot, px, between the smallest and the largest: areas grow with the sizes. */
export function radiiOf(sizes: readonly number[], [smallest, largest]: readonly [number, number]): number[] {
  const most = Math.max(1, ...sizes);
  return sizes.map((size) => smallest + (largest - smallest) * Math.sqrt(size / most));
}
