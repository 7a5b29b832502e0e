import fc from 'fast-check';
import { expect, it } from 'vitest';
import { placeLabels } from '../../../src/ui/memory/map-labels.ts';
import { runs } from '../../scale.ts';

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

it('nothing of a name is cut off by the frame, wherever its dot is and however long it is', () => {
  const place = fc.record({
    x: fc.integer({ min: 0, max: 320 }),
    y: fc.integer({ min: 0, max: 240 }),
    r: fc.integer({ min: 2, max: 30 }),
  });
  const name = fc.oneof(
    fc.constantFrom('WWW · MMM · WWMM', '杭州两日游 · 西湖 · 灵隐寺 · 西溪湿地 · 断桥 · 雷峰塔', 'a'),
    fc.string({ minLength: 1, maxLength: 80 }),
  );
  fc.assert(
    fc.property(
      fc.array(fc.record({ text: name, beside: fc.array(place, { minLength: 1, maxLength: 4 }) }), {
        maxLength: 6,
      }),
      (labels) => {
        const dots = labels.flatMap(({ beside }) => beside);
        for (const { text, x, y } of placeLabels(labels, dots, 320, 240)) {
          const half =
            [...text].reduce(
              (sum, character) => sum + (/[WM\p{Script=Han}…]/u.test(character) ? 12 : 7.6),
              0,
            ) / 2;
          expect(x - half).toBeGreaterThanOrEqual(2);
          expect(x + half).toBeLessThanOrEqual(318);
          expect(y).toBeGreaterThanOrEqual(7);
          expect(y).toBeLessThanOrEqual(233);
        }
      },
    ),
    { numRuns: runs(500, 60) },
  );
});
