// What the person deleted or forbade goes to no model again, also where it was sent before.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asMessageId } from '../../../src/domain/base/ids.ts';
import type { Message, Part, RecalledPassage } from '../../../src/domain/chat/message.ts';
import { cutParts } from '../../../src/domain/context/compaction/plan.ts';
import { renderFoundPassages } from '../../../src/domain/context/recalled.ts';
import { createRedaction } from '../../../src/domain/context/redaction.ts';
import { unitsOf } from '../../../src/domain/context/units.ts';
import type { PassageMessage } from '../../../src/domain/memory/passages.ts';

const passage = (messageId: string, text: string, near: readonly string[] = []): RecalledPassage => ({
  conversationId: `conversation-${messageId}`,
  messageId,
  title: 'Tea',
  createdAt: 1_700_000_000_000,
  role: 'user',
  passage: text,
  neighbours: near.map((id) => ({ messageId: id, role: 'user', text: `beside ${id}`, createdAt: 1 })),
  scores: { vector: 0.9, keyword: 0.8, hybrid: 0.86, decay: 1, final: 0.86 },
  tokens: 10,
});
const message = (...parts: Part[]): Message => ({
  id: asMessageId('m'),
  parentId: null,
  role: 'assistant',
  kind: 'message',
  createdAt: 1,
  parts,
});
const recalled = (passages: RecalledPassage[]) => ({
  query: 'tea',
  threshold: 0.75,
  passages,
  nearMisses: [],
});
const toolFound = (passages: RecalledPassage[]): Part => ({
  type: 'tool-result',
  callId: 'c',
  name: 'recall',
  text: renderFoundPassages(passages, true),
  recalled: recalled(passages),
});
const without = (ids: readonly string[]) =>
  createRedaction(({ messageId, conversationId }) => ids.includes(messageId) || ids.includes(conversationId));
const textIn = (part: Part | undefined): string => (part?.type === 'tool-result' ? part.text : '');

it('what memory’s tools answered is in no summary made by rules, which would keep it; what was asked of them, and other tools’ answers, are', () => {
  const read: Part = {
    type: 'tool-result',
    callId: 'd',
    name: 'open_conversation',
    text: 'All about the white tea.',
  };
  const other: Part = {
    type: 'tool-result',
    callId: 'e',
    name: 'weather',
    text: 'Rain until Friday evening.',
  };
  const asked: Part = { type: 'tool-call', callId: 'c', name: 'recall', arguments: '{"query":"tea"}' };
  const said = unitsOf(
    message(asked, toolFound([passage('a', 'Oolong, four minutes.')]), read, other, {
      type: 'text',
      text: 'As you said.',
    }),
  ).map(({ text }) => text);
  expect(said).toEqual([expect.stringContaining('recall'), 'Rain until Friday evening.', 'As you said.']);
});

describe('memory that is not to be used any more', () => {
  it('leaves everything the same object where nothing is withheld', () => {
    const path = [message({ type: 'text', text: 'a' }), message(toolFound([passage('a', 'x')]))];
    expect(without([]).path(path)).toBe(path);
    const two = without(['b']).path([...path, message({ type: 'recall', ...recalled([passage('b', 'y')]) })]);
    expect(two.slice(0, 2)).toEqual(path);
    expect(two[1]).toBe(path[1]);
    expect(two[2]?.parts[0]).toMatchObject({ passages: [] });
  });

  it('gives the same objects every time', () => {
    const path = [message(toolFound([passage('a', 'x'), passage('b', 'y')]))];
    const redaction = without(['a']);
    expect(redaction.path(path)[0]).toBe(redaction.path([...path])[0]);
  });

  it('takes passages and neighbours out of what the tool recall found', () => {
    const found = toolFound([passage('a', 'first', ['n']), passage('b', 'second')]);
    const text = (ids: string[]) => textIn(without(ids).path([message(found)])[0]?.parts[0]);
    expect(text(['a'])).toMatch(/^1 passages:\n1\. .*second$/s);
    expect(text(['a'])).not.toContain('first');
    expect(text(['n'])).not.toContain('beside n');
    expect(text(['n'])).toContain('first');
    expect(text(['a', 'b'])).toBe('[No longer available to you.]');
  });

  it('takes near misses out that were given as such', () => {
    const nearMisses = [passage('a', 'first'), passage('b', 'second')];
    const found: Part = {
      type: 'tool-result',
      callId: 'c',
      name: 'recall',
      text: renderFoundPassages(nearMisses, false),
      recalled: { ...recalled([]), nearMisses, nearMissesGiven: true },
    };
    const text = textIn(without(['a']).path([message(found)])[0]?.parts[0]);
    expect(text).toMatch(/^Nothing that surely.*second$/s);
    expect(text).not.toContain('first');
  });

  it('takes a conversation that was read out where it is gone, or one of its messages must not come back', () => {
    const conversation = '0196aaaa-0000-7000-8000-000000000001';
    const read: Part = {
      type: 'tool-result',
      callId: 'c',
      name: 'open_conversation',
      text: `“Tea (conversation 0196bbbb)” (conversation ${conversation}) (not shown: 3 later messages)\nuser: one\nassistant: (conversation 0196cccc)`,
    };
    const text = (out: (said: PassageMessage) => boolean, isTouched?: (id: string) => boolean) =>
      textIn(createRedaction(out, isTouched).path([message(read)])[0]?.parts[0]);
    const is = (id: string) => id === conversation;
    expect(text(() => false)).toBe(read.text);
    expect(text(({ conversationId }) => !is(conversationId))).toBe(read.text);
    expect(text(({ conversationId }) => is(conversationId))).not.toContain('one');
    expect(text(() => false, is)).not.toContain('one');
  });

  it('takes an old answer of recall, without its passages, out as a whole', () => {
    const passages = [passage('a', 'first'), passage('b', 'second')];
    const old: Part = {
      type: 'tool-result',
      callId: 'c',
      name: 'recall',
      text: renderFoundPassages(passages, true),
    };
    const text = (ids: string[]) => textIn(without(ids).path([message(old)])[0]?.parts[0]);
    expect(text(['x'])).toBe(old.text);
    expect(text(['b'])).not.toMatch(/first|second/);
  });

  it('does not come back in the shortened wording of a compaction', () => {
    const [kept] = without(['b']).path([message(toolFound([passage('a', 'x')]))]);
    const [changed] = without(['a']).path([message(toolFound([passage('a', 'x')]))]);
    const cuts = [{ part: 0, text: '1. x, in short' }];
    expect(textIn(cutParts(kept?.parts ?? [], cuts)[0])).toBe('1. x, in short');
    expect(textIn(cutParts(changed?.parts ?? [], cuts)[0])).not.toContain('x, in short');
    // As short as it was cut, and left away where it was.
    const long = message(toolFound([passage('a', 'x'), passage('b', 'y'.repeat(5_000))]));
    const [left] = without(['a']).path([long]);
    expect(textIn(cutParts(left?.parts ?? [], [{ part: 0, text: 'z'.repeat(100) }])[0])).toHaveLength(101);
    expect(cutParts(left?.parts ?? [], [{ part: 0, text: null }])).toEqual([]);
  });

  it('keeps exactly what may be used (property)', () => {
    const ids = fc.uniqueArray(fc.constantFrom(...'abcdefgh'), { minLength: 1 });
    fc.assert(
      fc.property(ids, ids, fc.boolean(), (found, out, byTool) => {
        const passages = found.map((id) => passage(id, `words of ${id}`));
        const part: Part = byTool ? toolFound(passages) : { type: 'recall', ...recalled(passages) };
        const [made] = without(out).path([message(part)]);
        const sent = made?.parts[0];
        const words = sent?.type === 'recall' ? JSON.stringify(sent.passages) : textIn(sent);
        for (const id of found) expect(words.includes(`words of ${id}`)).toBe(!out.includes(id));
      }),
    );
  });
});
