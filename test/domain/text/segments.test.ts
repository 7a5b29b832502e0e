import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wordSegments } from '../../../src/domain/text/segments.ts';

const one = new Intl.Segmenter('zh', { granularity: 'word' });

describe('the segments of runs', () => {
  it('are words as the dictionary has them', () => {
    expect(wordSegments(['每天备份', '我们去公园']).map((run) => run.map(({ text }) => text))).toEqual([
      ['每天', '备份'],
      ['我们', '去', '公园'],
    ]);
    expect(wordSegments([])).toEqual([]);
  });

  it('are the same whether runs are cut together or one by one', () => {
    const han = fc.string({
      unit: fc.constantFrom(...'数据库备份每天凌晨执行今天气很好我们去公园東京タワーのผมไป学校12ab'),
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(fc.array(han, { maxLength: 8 }), (runs) => {
        expect(wordSegments(runs)).toEqual(
          runs.map((run) =>
            Array.from(one.segment(run), ({ segment, isWordLike }) => ({
              text: segment,
              isWord: isWordLike !== false,
            })),
          ),
        );
      }),
    );
  });
});
