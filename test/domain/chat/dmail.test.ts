import { describe, expect, it } from 'vitest';
import { asMessageId } from '../../../src/domain/base/ids.ts';
import { firstLineOf } from '../../../src/domain/chat/checkpoint.ts';
import { dmailNoteOf, dmailText } from '../../../src/domain/chat/dmail.ts';
import type { Message } from '../../../src/domain/chat/message.ts';

const said = (text: string, by?: 'person' | 'model'): Message => ({
  id: asMessageId('m'),
  parentId: null,
  role: 'user',
  kind: 'message',
  createdAt: 1,
  parts: [{ type: 'text', text }],
  ...(by ? { dmail: { from: 'later', checkpoint: null, by } } : {}),
});

describe('a letter of the model', () => {
  it('is read by a person without the words that are for the model', () => {
    const letter = said(dmailText('  Ask first.\nThe table is gone. '), 'model');
    expect(dmailNoteOf(letter)).toBe('Ask first.\nThe table is gone.');
    expect(firstLineOf(letter)).toBe('Ask first.');
  });

  it('is what a model sent, in whatever frame, and nothing else', () => {
    expect(dmailNoteOf(said('as a newer app frames it', 'model'))).toBe('as a newer app frames it');
    expect(dmailNoteOf(said(dmailText('mine'), 'person'))).toBeNull();
    expect(dmailNoteOf(said(dmailText('quoted')))).toBeNull();
  });
});
