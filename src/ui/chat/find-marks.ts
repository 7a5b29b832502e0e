// Marks the words one looks for where they are drawn, without touching what React has drawn: by the CSS Custom Highlight API.
import { comparable, placesIn } from '../../domain/text/find.ts';
import { BLOCK_TAGS } from './markdown/drawn-words.ts';

const ALL = 'found';
const CURRENT = 'found-current';
/** Words of messages; not what stands around them. */
const WORDS = '.reading, .prose';
/** Said twice (formulas), by another conversation, not to the person (thoughts), or by nobody. */
const LEFT_OUT = '[data-recall], [data-thoughts], .katex, .code-block-header, button, [aria-hidden="true"]';
const BLOCK = BLOCK_TAGS.join(', ');

/** True if the browser can mark words without changing the page (CSS Custom Highlight API). */
export const canMark = (): boolean => typeof Highlight === 'function' && CSS.highlights !== undefined;

/** The places of the words in one element, in the order in which they stand. Words may run through several elements of a block. */
export function rangesIn(element: Element, words: string): Range[] {
  const wanted = comparable(words).trim();
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
  /** The node that holds a place of the joined text, and where in it. Places come in order. */
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

/** The words of one message that is drawn in `box`; null where it is not. */
export const messageIn = (box: HTMLElement, id: string): HTMLElement | null =>
  box.querySelector<HTMLElement>(`[data-message-id="${CSS.escape(id)}"]`);

/** Marks the words in all messages that are drawn, one place of them more strongly, and again whenever other ones are drawn. Returns how to stop. */
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
