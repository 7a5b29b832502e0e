import { expect, it } from 'vitest';
import { asMessageId } from '../../../src/domain/base/ids.ts';
import { type Message, type Part, partSchema } from '../../../src/domain/chat/message.ts';
import { isAnotherTopic, lastQueryOn } from '../../../src/domain/memory/last-query.ts';

const recall = (query: string): Part => ({
  type: 'recall',
  query,
  threshold: 0.9,
  passages: [],
  nearMisses: [],
});
const path = (...said: readonly (readonly [Message['role'], string, Part?])[]): Message[] =>
  said.map(([role, text, part], at) => ({
    id: asMessageId(`m${at}`),
    parentId: at === 0 ? null : asMessageId(`m${at - 1}`),
    role,
    kind: 'message',
    createdAt: at,
    parts: [...(part ? [part] : []), { type: 'text', text }],
  }));

it('what was looked for last is what the last recall asked, else the first message', () => {
  expect(lastQueryOn([])).toBeNull();
  const plain = path(
    ['user', 'The port?'],
    ['assistant', '8081.'],
    ['user', 'And the dog?'],
    ['assistant', 'Bruno.'],
  );
  expect(lastQueryOn(plain)).toBe('The port?');
  expect(lastQueryOn(plain, { after: asMessageId('m2'), text: 'And the dog?' })).toBe('And the dog?');
  expect(lastQueryOn(plain, { after: asMessageId('elsewhere'), text: 'The cat?' })).toBe('The port?');
  const kept = path(['user', 'The port?'], ['assistant', '8081.', recall('the port')], ['user', 'The dog?']);
  expect(lastQueryOn(kept)).toBe('the port');
  // Notes that applied are kept as a recall that asked for nothing.
  expect(lastQueryOn([...kept, ...path(['assistant', 'Bruno.', recall('')])])).toBe('the port');
});

it('is about something else by what a similarity means to the model', () => {
  const scale = { related: 0.25, spread: 0.08 };
  expect(isAnotherTopic(0.05, scale)).toBe(true);
  expect(isAnotherTopic(0.5, scale)).toBe(false);
});

it('a reason that this version does not know takes no message away', () => {
  expect(partSchema.parse({ ...recall('port'), trigger: 'moon', moved: 'far' })).toMatchObject({
    type: 'recall',
    query: 'port',
  });
});
