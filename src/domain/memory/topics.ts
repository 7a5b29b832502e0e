// Names for the regions of a map: nearby places form a region, and it is called by the keyword that sets it apart from the rest.

export interface Placed {
  readonly x: number;
  readonly y: number;
  readonly keywords: readonly string[];
}

export interface Topic {
  readonly label: string;
  /** Middle of the region, in the coordinates of its places. */
  readonly x: number;
  readonly y: number;
  readonly size: number;
}

const ROUNDS = 12;

/**
 * At most `wanted` regions by k-means, begun at places far from each other; each named by its most telling keyword (how often
 * here × how rare elsewhere), no name twice. Regions of one place, and those without keywords, go unnamed.
 */
export function topicsOf(places: readonly Placed[], wanted: number): Topic[] {
  const count = Math.min(wanted, Math.floor(places.length / 2));
  if (count < 1) return [];
  const distance = (a: { x: number; y: number }, b: { x: number; y: number }) =>
    (a.x - b.x) ** 2 + (a.y - b.y) ** 2;
  let middles = [places[0] as { x: number; y: number }];
  while (middles.length < count) {
    let [best, far] = [places[0] as Placed, -1];
    for (const place of places) {
      const nearest = Math.min(...middles.map((middle) => distance(place, middle)));
      if (nearest > far) [best, far] = [place, nearest];
    }
    middles.push(best);
  }
  let regions: Placed[][] = [];
  for (let round = 0; round < ROUNDS; round++) {
    regions = middles.map(() => []);
    for (const place of places) {
      let nearest = 0;
      for (let at = 1; at < middles.length; at++)
        if (distance(place, middles[at] as Placed) < distance(place, middles[nearest] as Placed))
          nearest = at;
      regions[nearest]?.push(place);
    }
    middles = middles.map((middle, at) => {
      const region = regions[at] ?? [];
      if (region.length === 0) return middle;
      const mean = (of: (place: Placed) => number) =>
        region.reduce((sum, one) => sum + of(one), 0) / region.length;
      return { x: mean(({ x }) => x), y: mean(({ y }) => y) };
    });
  }

  const everywhere = new Map<string, number>();
  for (const { keywords } of places)
    for (const word of new Set(keywords)) everywhere.set(word, (everywhere.get(word) ?? 0) + 1);
  const taken = new Set<string>();
  return regions
    .map((region, at) => ({ region, middle: middles[at] as { x: number; y: number } }))
    .sort((a, b) => b.region.length - a.region.length)
    .flatMap(({ region, middle }) => {
      if (region.length < 2) return [];
      const here = new Map<string, number>();
      for (const { keywords } of region)
        keywords.forEach((word, rank) => {
          // The first keywords of a conversation say more than the last.
          here.set(word, (here.get(word) ?? 0) + 1 / (1 + rank / 4));
        });
      let [label, best] = ['', 0];
      for (const [word, weight] of here) {
        const telling = weight * Math.log(1 + places.length / (everywhere.get(word) ?? 1));
        if (telling > best && !taken.has(word)) [label, best] = [word, telling];
      }
      if (label === '') return [];
      taken.add(label);
      return [{ label, x: middle.x, y: middle.y, size: region.length }];
    });
}
