// Moves the focus on when its element is removed: a row that was deleted, a button that has done its work.
//
//   the row is gone ──► same button of the row in its place ──► of the last row ──► the heading of the list
//   the button is gone, or refuses for now ──► a field of its form ──► what follows it in its section
import { type RefObject, useEffect } from 'react';
import { onlyTouch } from './media.ts';

const FIELDS = 'input:enabled, textarea:enabled, select:enabled';
/** Elements that Tab reaches. */
export const REACHED = `a[href], button:enabled, ${FIELDS}, [tabindex="0"]`;
const reachedIn = (place: Element): HTMLElement[] =>
  [...place.querySelectorAll<HTMLElement>(REACHED)].filter((one) => one.checkVisibility());

/** Focused element and its surroundings, while they still exist. */
function placeOf(element: HTMLElement, page: Element) {
  const row = element.closest('li');
  const section = element.closest('section') ?? page;
  return {
    element,
    row,
    rows: row?.parentElement ?? null,
    at: row?.parentElement ? [...row.parentElement.children].indexOf(row) : -1,
    // Counted from the end, because rows differ in the links before the same buttons.
    fromEnd: row ? reachedIn(row).reverse().indexOf(element) : -1,
    section,
    inSection: reachedIn(section).indexOf(element),
    form: element.closest('form'),
  };
}

function fallbackOf(place: ReturnType<typeof placeOf>, page: Element): HTMLElement | undefined {
  const { element, row, rows, at, fromEnd, section, inSection, form } = place;
  // The element itself, if it still exists elsewhere.
  if (element.isConnected && element.matches(REACHED) && element.checkVisibility()) return element;
  const field = form?.isConnected ? form.querySelector<HTMLElement>(FIELDS) : null;
  if (field) return field;
  const inRow = (one: Element | undefined) => {
    const there = one ? reachedIn(one) : [];
    return there.at(-1 - fromEnd) ?? there[0];
  };
  if (row?.isConnected && reachedIn(row).length > 0) return inRow(row);
  if (row && rows?.isConnected && rows.children.length > 0)
    return inRow(rows.children[Math.min(at, rows.children.length - 1)]);
  const around = section.isConnected ? section : page;
  const others = row ? [] : reachedIn(around);
  if (around === section && others.length > 0) return others[Math.min(inSection, others.length - 1)];
  const heading = around.querySelector<HTMLElement>('h1, h2, h3');
  // Headings get the focus only from here, not by Tab.
  heading?.setAttribute('tabindex', '-1');
  return heading ?? undefined;
}

/** Watches a page: keyboard users stay near their work instead of falling back to the start of the page. */
export function useFocusFallback(page: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const root = page.current;
    if (!root) return;
    let last: ReturnType<typeof placeOf> | null = null;
    /** While the focus moves, no element has it, and closing content may disappear before the next element gets it. */
    let onItsWay = false;
    const onLeave = ({ relatedTarget }: FocusEvent) => {
      onItsWay = relatedTarget !== null;
    };
    const onFocus = ({ target }: FocusEvent) => {
      onItsWay = false;
      if (!(target instanceof HTMLElement)) return;
      // Remembers keyboard focus only: pointer users need no help. A dialog or a menu above the page counts for
      // the element that was focused below it.
      if (root.contains(target)) last = target.matches(':focus-visible') ? placeOf(target, root) : null;
      else if (!target.closest('[role="dialog"], [role="menu"]')) last = null;
    };
    const onPointer = () => {
      last = null;
    };
    const restoreFocus = () => {
      const now = document.activeElement;
      if (
        onItsWay ||
        last === null ||
        (now !== document.body && !(now === last.element && now.matches(':disabled')))
      )
        return;
      const fallback = fallbackOf(last, root);
      if (fallback && !(onlyTouch() && fallback.matches(FIELDS))) fallback.focus();
    };
    const observer = new MutationObserver(restoreFocus);
    observer.observe(root, {
      childList: true,
      subtree: true,
      attributes: true,
      attributeFilter: ['disabled'],
    });
    // A closing dialog is removed from the body.
    observer.observe(document.body, { childList: true });
    // Not 'focusout': 'blur' comes first, and its listeners may have changed the page by then.
    document.addEventListener('blur', onLeave, true);
    document.addEventListener('focusin', onFocus);
    document.addEventListener('pointerdown', onPointer, true);
    return () => {
      observer.disconnect();
      document.removeEventListener('blur', onLeave, true);
      document.removeEventListener('focusin', onFocus);
      document.removeEventListener('pointerdown', onPointer, true);
    };
  }, [page]);
}
