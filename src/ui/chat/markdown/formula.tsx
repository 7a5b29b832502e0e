// A formula in an answer.
import { useLayoutEffect, useRef } from 'react';
import { createLazy, useLazy } from './lazy.ts';

const maths = createLazy(() => import('../maths.ts'));

/** `open`: still being written; its source is shown until it is whole. */
export function Formula({ value, display, open }: { value: string; display: boolean; open: boolean }) {
  const place = useRef<HTMLSpanElement>(null);
  const module = useLazy(maths, true);
  useLayoutEffect(() => {
    if (module && !open && place.current) module.drawFormula(value, display, place.current);
  }, [module, value, display, open]);
  if (!module || open)
    return (
      <code dir="ltr" className={display ? 'block whitespace-pre-wrap text-ink-3' : 'text-ink-3'}>
        {value}
      </code>
    );
  return (
    <span
      ref={place}
      dir="ltr"
      {...(display ? { className: 'formula-block', tabIndex: 0, role: 'math', 'aria-label': value } : {})}
    />
  );
}
