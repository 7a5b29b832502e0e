// The newest correction stands for a fact, and what it corrects comes right after it.
import { describe, expect, it } from 'vitest';
import { corrected } from '../../../src/domain/memory/corrections.ts';
import { candidate, DAY, NOW } from './candidates.ts';

/** Said by the person, the oldest first, ranked as they stand. */
const order = (question: string, said: readonly string[], role: 'user' | 'assistant' = 'user') => {
  const ranked = said.map((text, at) => ({
    candidate: { ...candidate({ text, createdAt: NOW - (said.length - at) * DAY }), role },
    scores: { final: 0.9 - at / 10 },
  }));
  return corrected(question, ranked).map(({ candidate: { text }, scores }) => ({ text, ...scores }));
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

  it('by an assistant moves nothing', () => {
    const said = ['The photo backup runs at 02:30.', 'I moved the photo backup to 04:15 now.'];
    expect(order('photo backup', said, 'assistant').map(({ text }) => text)).toEqual(said);
  });
});
