import { describe, expect, it } from 'vitest';
import { NOTES } from '../../../src/domain/base/ids.ts';
import { conversationOfNotes, createDeletedTest, type MemoryNote } from '../../../src/domain/memory/notes.ts';

const note: MemoryNote = { id: 'n1', text: 'tea', createdAt: 1, updatedAt: 1, by: 'person', source: null };
const [messageId = ''] = conversationOfNotes([note]).messages.keys();
const asNote = { conversationId: NOTES, messageId };
const inTalk = { conversationId: 'c1', messageId: 'm1' };

describe('what was recalled', () => {
  it('is gone with its conversation, and with the words of its note', () => {
    const entries = [
      { id: 'c1', deletedAt: null },
      { id: 'c2', deletedAt: 5 },
    ];
    const gone = createDeletedTest({ ready: true, entries }, { ready: true, notes: [note] });
    expect([inTalk, asNote].map(gone)).toEqual([false, false]);
    expect(gone({ ...inTalk, conversationId: 'c2' })).toBe(true);
    expect(gone({ ...inTalk, conversationId: 'c3' })).toBe(true);
    const rewritten = createDeletedTest(
      { ready: true, entries },
      { ready: true, notes: [{ ...note, updatedAt: 2 }] },
    );
    expect([inTalk, asNote].map(rewritten)).toEqual([false, true]);
  });

  it('is not known to be gone before library and notes were read', () => {
    const [library, kept] = [{ entries: [] }, { notes: [] }];
    const read = createDeletedTest({ ...library, ready: true }, { ...kept, ready: true });
    expect([inTalk, asNote].map(read)).toEqual([true, true]);
    const noNotes = createDeletedTest({ ...library, ready: true }, { ...kept, ready: false });
    expect([inTalk, asNote].map(noNotes)).toEqual([true, false]);
    const noLibrary = createDeletedTest({ ...library, ready: false }, { ...kept, ready: true });
    expect([inTalk, asNote].map(noLibrary)).toEqual([false, true]);
  });
});
