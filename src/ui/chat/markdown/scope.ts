// Knows the place of an element in its answer, so that the ids of footnotes are unique on the page.
import { createContext } from 'react';
import type { AnswerBlock, Footnote } from './reader.ts';

/** Facts about the answer that its elements need. */
interface AnswerScope {
  /** Unique on the page; begins every id of the answer. */
  readonly id: string;
  readonly footnotes: readonly Footnote[];
}
export const AnswerContext = createContext<AnswerScope>({ id: '', footnotes: [] });

/** The block an element is in. */
export const BlockContext = createContext<Pick<AnswerBlock, 'from' | 'open'>>({ from: 0, open: false });

/** Element id of a footnote, unique on the page. `id`: that of the answer. */
export const noteId = (id: string, identifier: string): string => `${id}-note-${identifier}`;
/** Element id of the place that refers to a footnote. `call` is one of `Block.calls`. */
export const callId = (id: string, identifier: string, call: string): string =>
  `${id}-call-${identifier}-${call}`;

/** Scrolls to an element and gives it the focus. */
export function jumpTo(id: string): void {
  const place = document.getElementById(id);
  place?.scrollIntoView({ block: 'center' });
  place?.focus({ preventScroll: true });
}
