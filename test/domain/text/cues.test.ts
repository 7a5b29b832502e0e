import { describe, expect, it } from 'vitest';
import { asks, asksWhen, isNamed, speakerIn, tellsTime } from '../../../src/domain/text/cues.ts';

describe('hints in words', () => {
  it('tell who speaks, and whether a question names them', () => {
    expect(speakerIn('Mara: we moved')).toBe('Mara');
    expect(speakerIn('Mel B: hello')).toBe('Mel B');
    expect(speakerIn('小明：你好')).toBe('小明');
    expect(speakerIn('https://example.org')).toBeNull();
    expect(speakerIn('it is so: we moved')).toBeNull();
    expect(isNamed('Mara', 'When did mara move?')).toBe(true);
    expect(isNamed('Mara', 'the marathon')).toBe(false);
    expect(isNamed('小明', '小明什么时候搬家')).toBe(true);
  });

  it('tell a question from an answer, also behind a picture', () => {
    expect(asks('Did you go?')).toBe(true);
    expect(asks('Did you go?\n[image: a beach]')).toBe(true);
    expect(asks('去了吗？')).toBe(true);
    expect(asks('We went. Why? Because.')).toBe(false);
  });

  it('tell what is asked of time, and what speaks of it', () => {
    expect(asksWhen('When did we go?')).toBe(true);
    expect(asksWhen('我们几号去的')).toBe(true);
    expect(asksWhen('Where did we go?')).toBe(false);
    expect(tellsTime('we went last Friday')).toBe(true);
    expect(tellsTime('上周去的')).toBe(true);
    expect(tellsTime('we went there')).toBe(false);
  });
});
