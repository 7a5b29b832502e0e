import { describe, expect, it } from 'vitest';
import { asConversationId, asMessageId } from '../../../src/domain/base/ids.ts';
import type { SearchHit } from '../../../src/services/memory/memory.ts';
import { mergeHits } from '../../../src/ui/palette/merge-hits.ts';

const hit = (id: string, final = 0.5): SearchHit => ({
  conversationId: asConversationId('c'),
  messageId: asMessageId(id),
  title: '',
  role: 'user',
  createdAt: 0,
  snippet: '',
  source: null,
  scores: { vector: null, keyword: final, hybrid: final, decay: 1, final },
  archived: false,
});
const ids = (hits: readonly SearchHit[]) => hits.map(({ messageId }) => messageId).join('');

describe('results in waves', () => {
  it('take the newer order where nothing is held', () => {
    expect(ids(mergeHits([hit('a'), hit('b')], [hit('c'), hit('b'), hit('a')], 0))).toBe('cba');
  });
  it('leave the rows up to the cursor where they are', () => {
    expect(ids(mergeHits([hit('a'), hit('b'), hit('d')], [hit('c'), hit('b'), hit('a')], 2))).toBe('abc');
  });
  it('keep a held row that the newer wave lacks, once', () => {
    expect(ids(mergeHits([hit('a')], [hit('b')], 1))).toBe('ab');
  });
  it('show the newer numbers', () => {
    expect(mergeHits([hit('a', 0.2)], [hit('a', 0.9)], 1)[0]?.scores?.final).toBe(0.9);
  });
});
