import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addToDraft, type DraftEvent, hasContent } from '../../../src/domain/chat/draft.ts';
import type { Part } from '../../../src/domain/chat/message.ts';

const event: fc.Arbitrary<DraftEvent> = fc.oneof(
  fc.record({ type: fc.constantFrom('text-delta' as const, 'reasoning-delta' as const), text: fc.string() }),
  fc.record({
    type: fc.constant('tool-call' as const),
    callId: fc.string(),
    name: fc.string(),
    arguments: fc.string(),
  }),
);

it('keeps every character in its order, and no two parts of one kind in a row', () => {
  fc.assert(
    fc.property(fc.array(event), (events) => {
      let parts: readonly Part[] = [];
      for (const each of events) {
        const before = structuredClone(parts);
        const next = addToDraft(parts, each);
        expect(parts).toEqual(before);
        parts = next;
      }
      const streamed = (type: 'text' | 'reasoning') =>
        parts.map((part) => (part.type === type ? part.text : '')).join('');
      const sent = (type: DraftEvent['type']) =>
        events.map((each) => (each.type === type && 'text' in each ? each.text : '')).join('');
      expect(streamed('text')).toBe(sent('text-delta'));
      expect(streamed('reasoning')).toBe(sent('reasoning-delta'));
      expect(parts.filter((part) => part.type === 'tool-call')).toHaveLength(
        events.filter((each) => each.type === 'tool-call').length,
      );
      for (const [index, part] of parts.entries())
        if (part.type !== 'tool-call') expect(parts[index + 1]?.type).not.toBe(part.type);
    }),
  );
});

it('knows what a person would miss', () => {
  expect(hasContent([])).toBe(false);
  expect(hasContent([{ type: 'text', text: ' \n' }])).toBe(false);
  expect(hasContent([{ type: 'recall', query: '', threshold: 0, passages: [], nearMisses: [] }])).toBe(false);
  expect(hasContent([{ type: 'reasoning', text: 'hm' }])).toBe(true);
  expect(hasContent([{ type: 'tool-call', callId: 'a', name: 'b', arguments: '' }])).toBe(true);
});

it('turns the last thoughts back into words, and leaves those before them', () => {
  const back = { type: 'reasoning-was-text', thoughts: ' b', words: '<x> b' } as const;
  const reasoning = (text: string): Part => ({ type: 'reasoning', text });
  const text = (words: string): Part => ({ type: 'text', text: words });
  expect(addToDraft([text('a'), reasoning('b')], back)).toEqual([text('a<x> b')]);
  expect(addToDraft([reasoning('a b')], back)).toEqual([reasoning('a'), text('<x> b')]);
  expect(addToDraft([text('a')], back)).toEqual([text('a<x> b')]);
  const signed = { ...reasoning('b'), provider: { anthropic: { signature: 's' } } };
  expect(addToDraft([signed], back)).toEqual([signed, text('<x> b')]);
});
