import { expect, it } from 'vitest';
import { placeLabels } from '../../../src/ui/memory/map-labels.ts';

const dot = (x: number, y: number) => ({ x, y, r: 8 });

it('a name stands right above its dot', () => {
  const place = dot(100, 100);
  const [label] = placeLabels([{ text: 'bread', beside: [place] }], [place], 300, 200);
  expect(label?.x).toBe(100);
  expect(100 - (label?.y ?? 0)).toBeGreaterThan(8);
  expect(100 - (label?.y ?? 0)).toBeLessThan(24);
});

it('a name keeps off other dots and names, and inside of the picture', () => {
  const [low, above] = [dot(100, 100), dot(100, 82)];
  const [label] = placeLabels([{ text: 'bread', beside: [low] }], [low, above], 300, 200);
  expect(label?.y).toBeGreaterThan(100);

  const corner = dot(10, 10);
  const [edge] = placeLabels([{ text: 'a long name', beside: [corner] }], [corner], 300, 200);
  expect(edge?.x).toBeGreaterThan(30);
  expect(edge?.y).toBeGreaterThan(6);

  const shared = dot(150, 100);
  const [one, two] = placeLabels(
    [
      { text: '博物馆', beside: [shared] },
      { text: '数据库', beside: [shared] },
    ],
    [shared],
    300,
    200,
  );
  expect([one?.x, one?.y]).not.toEqual([two?.x, two?.y]);
});

it('a name goes to the next of its dots where the first is crowded', () => {
  const crowd = [-40, -20, 0, 20, 40].flatMap((x) => [-20, 0, 20].map((y) => dot(100 + x, 100 + y)));
  const alone = dot(250, 100);
  const [label] = placeLabels(
    [{ text: 'bread', beside: [crowd[7] as ReturnType<typeof dot>, alone] }],
    [...crowd, alone],
    300,
    200,
  );
  expect(label?.x).toBe(250);
});
