// Memory notes that came from what goes or name it, and what the person said of its passages.
import type { CreatePlace, Find } from '../place.ts';

export const notes: CreatePlace = ({ notes, documents }) => ({
  id: 'notes',
  find: async ({ isGone, hide }) => {
    const { notes: all, feedback } = await notes.known();
    const find = (what: Find['what'], excerpt: string): Find => ({
      place: 'notes',
      what,
      conversation: null,
      message: null,
      title: '',
      excerpt,
      count: 1,
    });
    return [
      ...all
        .filter(
          ({ source, text }) =>
            (source && (isGone(source.conversationId) || isGone(source.messageId))) ||
            hide(text).redacted > 0,
        )
        .map(({ text }) => find('note', text)),
      ...feedback
        .filter(
          ({ conversationId, messageId, passage, title, query }) =>
            isGone(conversationId) ||
            isGone(messageId) ||
            [passage, title, query ?? ''].some((text) => hide(text).redacted > 0),
        )
        .map(({ passage }) => find('feedback', passage)),
    ];
  },
  remove: async (eraser) => {
    await notes.takeOut(eraser, eraser.record.whole);
    // They are folded with their document.
    await documents.purge(eraser);
  },
  verify: async ({ isGone, hide }) => {
    const { notes: all, feedback } = await notes.known();
    const left = [
      ...all.filter(
        ({ source, text }) =>
          (source && (isGone(source.conversationId) || isGone(source.messageId))) || hide(text).redacted > 0,
      ),
      ...feedback.filter(
        ({ conversationId, messageId, passage }) =>
          isGone(conversationId) || isGone(messageId) || hide(passage).redacted > 0,
      ),
    ];
    return { left: left.length, waiting: false };
  },
});
