// Where in an answer an element stands: the ids of its footnotes are unique on the page.
import { createContext } from 'react';
import type { Block, Footnote } from './reader.ts';

/** What elements need to know of the answer they are in. */
interface AnswerScope {
  /** Unique on the page; begins every id of the answer. */
  readonly id: string;
  readonly footnotes: readonly Footnote[];
}
export const AnswerContext = createContext<AnswerScope>({ id: '', footnotes: [] });

/** The block an element is in. */
export const BlockContext = createContext<Pick<Block, 'from' | 'open'>>({ from: 0, open: false });

export const noteId = (id: string, identifier: string): string => `${id}-note-${identifier}`;
export const callId = (id: string, identifier: string, call: string): string =>
  `${id}-call-${identifier}-${call}`;

/** Shows a place of the page and gives it the focus. */
export function jumpTo(id: string): void {
  const place = document.getElementById(id);
  place?.scrollIntoView({ block: 'center' });
  place?.focus({ preventScroll: true });
}
