// The newest correction of a fact comes first, and what it corrects right after it.
import { describe, expect, it } from 'vitest';
import { promoteCorrections } from '../../../src/domain/memory/corrections.ts';
import { candidate, DAY, NOW } from './candidates.ts';

/** Said by the person, the oldest first, ranked as they stand. */
const order = (question: string, said: readonly string[], role: 'user' | 'assistant' = 'user') => {
  const ranked = said.map((text, at) => ({
    candidate: { ...candidate({ text, createdAt: NOW - (said.length - at) * DAY }), role },
    scores: { final: 0.9 - at / 10 },
  }));
  return promoteCorrections(question, ranked).map(({ candidate: { text }, scores }) => ({ text, ...scores }));
};

describe('a correction', () => {
  it.each([
    [
      'when does the photo backup run',
      ['The photo backup runs every night at 02:30.', 'I changed the photo backup: it runs at 04:15 now.'],
    ],
    [
      'flow temperature of the boiler',
      ['The boiler flow is at 55 degrees.', 'He moved the boiler flow to 60 degrees.'],
    ],
    ['瑞典语课是周几', ['我的瑞典语课是每周二晚六点半。', '林老师把瑞典语课改到周四了。']],
    [
      'staging port of heron',
      ['The heron staging server is on 8080.', 'no, heron on staging is 8085, 8080 went to metrics.'],
    ],
    [
      'thesis pages',
      ['The thesis may have ninety pages.', 'The thesis may have a hundred and ten pages now.'],
    ],
    [
      'wedding day in the barn',
      ['The wedding in the barn is on 12 September.', 'The barn moved our wedding to 19 September.'],
    ],
    ['测试环境网关端口', ['测试环境的网关在 9000 端口。', '不对，网关在测试环境改成 9085 端口了。']],
  ])('stands in the place of what it corrects: %s', (question, [older = '', newer = '']) => {
    expect(order(question, [older, 'Bread needs salt.', newer])).toEqual([
      { text: newer, final: 0.9 },
      { text: older, final: 0.9 },
      { text: 'Bread needs salt.', final: 0.8 },
    ]);
  });

  it('of two the newest does', () => {
    const said = [
      'The photo backup runs at 02:30.',
      'I moved the photo backup to 03:10.',
      'I moved the photo backup to 04:15 now.',
    ];
    expect(order('photo backup', said)[0]?.text).toBe(said[2]);
  });

  it('is found far behind, as it has none of the words of the question', () => {
    const older = 'Granite closes its climbing hall at 22:00 on weekdays.';
    const newer = 'Granite changed: on weekdays the climbing hall is dark at 21:30 now.';
    const between = Array.from({ length: 60 }, () => 'Bread needs salt.');
    expect(
      order('until when may I boulder', [older, ...between, newer])
        .slice(0, 2)
        .map(({ text }) => text),
    ).toEqual([newer, older]);
  });

  it.each([
    ['of something else', ['The photo backup runs at 02:30.', 'I moved the dentist to 04:15 now.']],
    [
      'that names no other value',
      ['The photo backup runs at 02:30.', 'I moved the photo backup, 02:30 as well.'],
    ],
    ['that only asks', ['The photo backup runs at 02:30.', 'Did I move the photo backup to 04:15?']],
    ['that came before', ['I moved the photo backup to 02:30.', 'The photo backup runs at 04:15.']],
  ])('%s moves nothing', (_, said) => {
    expect(order('photo backup', said).map(({ text }) => text)).toEqual(said);
  });

  it('of another kind of value moves nothing', () => {
    const said = ['The photo backup keeps thirty copies.', 'I moved the photo backup to 04:15 now.'];
    expect(order('photo backup', said).map(({ text }) => text)).toEqual(said);
  });

  it('is seen in fewer words where memory gave both to one answer', () => {
    const said = [
      'The deposit comes back within thirty days.',
      'Forty-five days now, and the deposit only then.',
    ];
    const ranked = said.map((text, at) => ({
      candidate: { ...candidate({ text, createdAt: NOW - (2 - at) * DAY }), role: 'user' as const },
      scores: { final: 0.9 - at / 10 },
    }));
    const given = new Set(ranked.map((one) => one.candidate.messageId));
    const first = (recalls: Parameters<typeof promoteCorrections>[2]) =>
      promoteCorrections('when do I get it', ranked, recalls)[0]?.candidate.text;
    expect([first([]), first([{ given, used: new Set() }])]).toEqual(said);
  });

  it('needs neither a value nor a word of change where an answer that was given both was made of it alone', () => {
    const said = [
      'The reading group meets at Solveig’s place on Wednesday.',
      'Reading group is at Bram’s, as Solveig has the baby.',
      'The choir sings on Wednesday.',
    ];
    const ranked = said.map((text, at) => ({
      candidate: { ...candidate({ text, createdAt: NOW - (3 - at) * DAY }), role: 'user' as const },
      scores: { final: 0.9 - at / 10 },
    }));
    const [old = '', now = '', other = ''] = ranked.map((one) => one.candidate.messageId);
    const first = (used: readonly string[]) =>
      promoteCorrections('whose place', ranked, [
        { given: new Set([old, now, other]), used: new Set(used) },
      ])[0]?.candidate.text;
    expect(first([now])).toBe(said[1]);
    expect([first([]), first([old]), first([old, now]), first([other])]).toEqual(Array(4).fill(said[0]));
  });

  it('by an assistant moves nothing', () => {
    const said = ['The photo backup runs at 02:30.', 'I moved the photo backup to 04:15 now.'];
    expect(order('photo backup', said, 'assistant').map(({ text }) => text)).toEqual(said);
  });
});
