// Wraps a figure of Observable Plot for React: drawn at the available width, every mark a link, one
// Tab stop with arrow keys between marks.
import * as Plot from '@observablehq/plot';
import { useEffect, useRef, useState } from 'react';

/** Width of an element as it changes, px; 0 before it was measured. */
function useWidth<E extends HTMLElement>(): [React.RefObject<E | null>, number] {
  const ref = useRef<E>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.round(entry?.contentRect.width ?? 0)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}

/** Address that a mark links to. */
const targetOf = (mark: Element): string =>
  mark.getAttribute('href') ?? mark.getAttributeNS('http://www.w3.org/1999/xlink', 'href') ?? '';

/**
 * Draws `options` at the width of its container. Marks with an `href` are links: `onFollow` gets a click, and the
 * browser handles those that ask for another tab or window. `label` describes the figure in one sentence.
 */
export function PlotFigure({
  options,
  label,
  onFollow,
}: {
  options: (width: number) => Plot.PlotOptions;
  label: string;
  onFollow: (target: string) => void;
}) {
  const [ref, width] = useWidth<HTMLDivElement>();
  /** Mark that had the focus when the figure was replaced: the focus returns to it. */
  const left = useRef<string | null>(null);
  useEffect(() => {
    const place = ref.current;
    if (!place || width === 0) return;
    const figure = Plot.plot({
      width,
      ariaLabel: label,
      style: {
        background: 'transparent',
        color: 'var(--ink-2)',
        fontFamily: 'inherit',
        fontSize: '11px',
        overflow: 'visible',
      },
      ...options(width),
    });
    // Plot labels its groups (“cell”, “dot”), but without a role, and screen-reader users have no use for them.
    for (const group of figure.querySelectorAll('g[aria-label]')) group.removeAttribute('aria-label');
    const marks = [...figure.querySelectorAll<SVGAElement>('a')];
    for (const mark of marks) {
      mark.setAttribute('tabindex', mark === marks[0] ? '0' : '-1');
      const title = mark.querySelector('title')?.textContent;
      if (title) mark.setAttribute('aria-label', title.replaceAll('\n', ', '));
    }
    const onClick = (event: MouseEvent) => {
      const mark = (event.target as Element).closest('a');
      if (!mark || event.metaKey || event.ctrlKey || event.shiftKey) return;
      event.preventDefault();
      onFollow(targetOf(mark));
    };
    const stop = (mark: Element) => {
      for (const other of marks) other.setAttribute('tabindex', other === mark ? '0' : '-1');
    };
    const onKeyDown = (event: KeyboardEvent) => {
      const at = marks.findIndex((mark) => mark.contains(event.target as Node));
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      const next =
        step === undefined || at < 0 ? undefined : marks[(at + step + marks.length) % marks.length];
      if (!next) return;
      event.preventDefault();
      stop(next);
      next.focus();
    };
    figure.addEventListener('click', onClick as EventListener);
    figure.addEventListener('keydown', onKeyDown as EventListener);
    place.replaceChildren(figure);
    const again = left.current === null ? undefined : marks.find((mark) => targetOf(mark) === left.current);
    left.current = null;
    if (again && document.activeElement === document.body) {
      stop(again);
      again.focus({ preventScroll: true });
    }
    return () => {
      const mark = marks.find((one) => one === document.activeElement);
      left.current = mark ? targetOf(mark) : null;
      place.replaceChildren();
    };
  }, [ref, width, options, label, onFollow]);
  return (
    <div
      ref={ref}
      className="min-h-24 w-full overflow-x-auto [&_a:focus-visible]:outline-2 [&_a]:cursor-pointer"
    />
  );
}
