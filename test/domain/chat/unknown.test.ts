import { describe, expect, it } from 'vitest';
import type { Message } from '../../../src/domain/chat/message.ts';
import { wordsOfUnknown } from '../../../src/domain/chat/unknown.ts';
import { chunksOf } from '../../../src/domain/memory/chunk.ts';

describe('a part of an unknown kind', () => {
  it.each([
    { type: 'token_budget', remaining: 190_000 },
    { type: 'flag', flag: 'dangerous_content', helpline: null },
    {
      type: 'cursor',
      id: '018f-aa',
      start_timestamp: '2026-05-01T00:00:00Z',
      url: 'https://example.com/a b',
    },
    { type: 'picture', source: { data: 'data:image/png;base64,AAAA' } },
    null,
    7,
  ])('says nothing where it holds no words: %j', (original) => {
    expect(wordsOfUnknown(original)).toBe('');
  });

  it('says its words, wherever they stand', () => {
    expect(
      wordsOfUnknown({
        type: 'poll',
        question: 'Which hut do we book?',
        options: [{ label: 'Refuge' }, { label: '山屋' }],
      }),
    ).toBe('Which hut do we book?\nRefuge\n山屋');
  });

  it('is found by its words', () => {
    const message = {
      role: 'assistant',
      kind: 'message',
      createdAt: 1,
      parts: [{ type: 'unknown', original: { type: 'poll', question: 'Which mountain hut do we book?' } }],
    } as unknown as Message;
    const [chunk] = chunksOf(message, { redact: (text) => text });
    expect(chunk?.words).toContain('mountain');
  });
});
