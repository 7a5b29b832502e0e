import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { topicsOf } from '../../../src/domain/memory/topics.ts';

/** The name of a region of these conversations, beside `others` far away. */
function nameOf(
  conversations: readonly (readonly [title: string, keywords: readonly string[]])[],
  others: readonly (readonly [title: string, keywords: readonly string[]])[] = [
    ['', []],
    ['', []],
  ],
): string | undefined {
  const at = (x: number) => (of: readonly (readonly [string, readonly string[]])[]) =>
    of.map(([title, keywords], step) => ({ x: x + step / 1000, y: x, title, keywords }));
  const topics = topicsOf([...at(0)(conversations), ...at(1)(others)], 2);
  return topics.find(({ members }) => members.some((index) => index < conversations.length))?.label;
}

describe('topics', () => {
  it('are named by what sets a region apart', () => {
    const around = (x: number, y: number, keywords: string[], count: number) =>
      Array.from({ length: count }, (_, at) => ({ x: x + at / 1000, y, title: '', keywords }));
    const topics = topicsOf(
      [
        ...around(0, 0, ['question', 'bread', 'oven'], 6),
        ...around(1, 1, ['question', 'postgres', 'index'], 5),
        ...around(1, 0, ['问题', '杭州'], 4),
      ],
      3,
    );
    expect(topics.map(({ label, size }) => [label, size])).toEqual([
      ['bread', 6],
      ['postgres', 5],
      ['问题', 4],
    ]);
  });

  it('never name two regions alike, never more than wanted, and only by places that say it', () => {
    const place = fc.record({
      x: fc.double({ min: 0, max: 1, noNaN: true }),
      y: fc.double({ min: 0, max: 1, noNaN: true }),
      title: fc.constantFrom('', 'bread', 'postgres bread', '数据库'),
      keywords: fc.array(fc.constantFrom('apples', 'bread', 'cider', '数据'), { maxLength: 3 }),
    });
    fc.assert(
      fc.property(fc.array(place, { maxLength: 30 }), fc.integer({ min: 0, max: 6 }), (places, wanted) => {
        const topics = topicsOf(places, wanted);
        expect(topics.length).toBeLessThanOrEqual(wanted);
        expect(new Set(topics.map(({ label }) => label)).size).toBe(topics.length);
        for (const { label, members } of topics)
          for (const at of members)
            expect(`${places[at]?.title} ${places[at]?.keywords.join(' ')}`).toContain(label.slice(0, 2));
      }),
    );
  });

  /** The name of two conversations that have this keyword. */
  const ofTwo = (word: string) =>
    nameOf([
      ['', [word]],
      ['', [word]],
    ]);

  it('never say when', () => {
    expect(
      nameOf([
        ['Backups for the studio NAS', ['十一月', 'backups', 'Tuesday']],
        ['', ['十一月', 'Tuesday', 'November']],
      ]),
    ).toBe('Backups');
    const when =
      'November Tuesday nightly weekend minutes 3pm 2026-05-02 十一月 周末 上午 去年 星期三 小时'.split(' ');
    for (const word of when) expect([word, ofTwo(word)]).toEqual([word, undefined]);
  });

  it('never count', () => {
    const counts =
      'million thirty twenty-five third 0.99 20GB 第二次 五千 十五岁 三百米 两天 一部 四十分钟'.split(' ');
    for (const word of counts) expect([word, ofTwo(word)]).toEqual([word, undefined]);
    for (const word of ['三明治', '四川', '千层面', 'postgres16']) expect(ofTwo(word)).toBe(word);
  });

  it('never are a path, an address or the name of a file', () => {
    expect(
      nameOf([
        ['/home/me/file.txt is missing, where did the printer put it', ['home/me/file.txt', 'printer']],
        ['', ['home/me/file.txt', 'example.com', 'README.md']],
      ]),
    ).toBe('printer');
  });

  it('stand in a title rather than only among the keywords', () => {
    expect(
      nameOf([
        ['A slow query on the orders page', ['archived', 'orders', 'customer_id']],
        ['', []],
      ]),
    ).toBe('orders');
    expect(
      nameOf([
        ['', ['archived']],
        ['', ['status']],
      ]),
    ).toBeUndefined();
    expect(ofTwo('toolchain')).toBe('toolchain');
  });

  it('are whole Chinese words where the segmenter cuts them', () => {
    expect(
      nameOf([
        ['丝绸博物馆怎么去', ['博物', '丝绸']],
        ['周日的博物馆', ['博物']],
      ]),
    ).toBe('博物馆');
    expect(
      nameOf([
        ['数据库的索引', ['数据', '数据库']],
        ['', ['数据']],
      ]),
    ).toBe('数据库');
    expect(
      nameOf([
        ['贝叶斯公式到底在说什么', ['第二次', '阳性']],
        ['', []],
      ]),
    ).toBe('贝叶斯');
  });

  it('keep acronyms, and the way the title writes them', () => {
    expect(
      nameOf([
        ['NAS 怎么选', []],
        ['NAS 的硬盘', []],
      ]),
    ).toBe('NAS');
  });

  it('begin with the place in the midst of those that say the word', () => {
    const [topic] = topicsOf(
      [0, 0.1, 0.2, 0.3].map((x, at) => ({
        x,
        y: 0,
        title: at < 3 ? 'Sourdough' : 'Weather',
        keywords: [],
      })),
      1,
    );
    expect(topic).toMatchObject({ label: 'Sourdough', size: 4 });
    expect(topic?.members[0]).toBe(1);
    expect(topic?.members).toHaveLength(3);
  });
});
