// Kinds of memory notes, and topics of sentences.

export const NOTE_KINDS = ['rule', 'preference', 'fact', 'person', 'project', 'decision'] as const;
export type NoteKind = (typeof NOTE_KINDS)[number];

/** Classes of a sentence: `none` is not worth a note. */
export const SENTENCE_CLASSES = ['none', ...NOTE_KINDS] as const;

/** Topics of requests and notes. `answers`: how the person wants to be answered; `none`: something else. */
export const TOPICS = [
  'none',
  'answers',
  'code',
  'writing',
  'food',
  'health',
  'travel',
  'time',
  'money',
  'people',
  'home',
] as const;
export type Topic = (typeof TOPICS)[number];

/** True if the word names a kind of note. */
export const isNoteKind = (word: string): word is NoteKind => NOTE_KINDS.some((kind) => kind === word);
