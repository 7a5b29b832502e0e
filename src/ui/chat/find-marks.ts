// Highlights search words in drawn messages without touching React's elements, by the CSS Custom Highlight API.
import { comparableForm, placesIn } from '../../domain/text/find.ts';
import { BLOCK_TAGS } from './markdown/drawn-words.ts';

const ALL = 'found';
const CURRENT = 'found-current';
/** Elements with the text of messages, not what surrounds it. */
const WORDS = '.reading, .prose';
/**
 * Excluded elements: text that appears twice (formulas), belongs to another conversation, is not addressed to the
 * person (thoughts), or is decoration.
 */
const LEFT_OUT = '[data-recall], [data-thoughts], .katex, .code-block-header, button, [aria-hidden="true"]';
const BLOCK = BLOCK_TAGS.join(', ');

/** True if the browser can highlight words without changing the page (CSS Custom Highlight API). */
export const canMark = (): boolean => typeof Highlight === 'function' && CSS.highlights !== undefined;

/** Ranges of the words in one element, in document order. Words may span several inline elements of a block. */
export function rangesIn(element: Element, words: string): Range[] {
  const wanted = comparableForm(words).trim();
  if (wanted === '') return [];
  const nodes: { node: Text; from: number }[] = [];
  let text = '';
  let block: Element | null = null;
  const walk = document.createTreeWalker(element, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    if (node instanceof HTMLBRElement) text += ' ';
    if (!(node instanceof Text)) continue;
    const parent = node.parentElement;
    if (!parent?.closest(WORDS) || parent.closest(LEFT_OUT)) continue;
    const within = parent.closest(BLOCK);
    if (block !== within) text += ' ';
    block = within;
    nodes.push({ node, from: text.length });
    text += node.data;
  }
  let at = 0;
  /** Node and offset for a position in the joined text. Must be called with growing positions. */
  const held = (place: number): [Text, number] => {
    while ((nodes[at + 1]?.from ?? Number.POSITIVE_INFINITY) <= place) at += 1;
    const { node, from } = nodes[at] as { node: Text; from: number };
    return [node, Math.min(place - from, node.length)];
  };
  return placesIn(text, wanted).map(([from, to]) => {
    const range = document.createRange();
    range.setStart(...held(from));
    const [node, last] = held(to - 1);
    range.setEnd(node, Math.min(last + 1, node.length));
    return range;
  });
}

/** Element of a message drawn in `box`; null if it is not drawn. */
export const messageIn = (box: HTMLElement, id: string): HTMLElement | null =>
  box.querySelector<HTMLElement>(`[data-message-id="${CSS.escape(id)}"]`);

/**
 * Highlights the words in all drawn messages, one hit more strongly, and updates when other messages are
 * drawn. Returns a function that stops.
 */
export function watchMarks(
  box: HTMLElement,
  words: string,
  current: () => { readonly id: string; readonly nth: number } | null,
): () => void {
  if (!canMark()) return () => undefined;
  let frame = 0;
  const mark = () => {
    frame = 0;
    const wanted = current();
    const strong = wanted && messageIn(box, wanted.id);
    const all = new Highlight();
    const one = new Highlight();
    one.priority = 1;
    for (const message of box.querySelectorAll('article'))
      for (const [nth, range] of rangesIn(message, words).entries())
        (message === strong && nth === wanted?.nth ? one : all).add(range);
    CSS.highlights.set(ALL, all);
    CSS.highlights.set(CURRENT, one);
  };
  mark();
  const watch = new MutationObserver(() => {
    frame ||= requestAnimationFrame(mark);
  });
  watch.observe(box, { childList: true, subtree: true, characterData: true });
  return () => {
    watch.disconnect();
    cancelAnimationFrame(frame);
    CSS.highlights.delete(ALL);
    CSS.highlights.delete(CURRENT);
  };
}
