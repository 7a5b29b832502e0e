import { type ReactNode, useEffect, useRef } from 'react';

/**
 * One section of the panel beside a conversation. `onFocused`: present while its heading is to take the focus; called
 * once it has it.
 */
export function Section({
  icon,
  title,
  onFocused,
  children,
}: {
  icon?: ReactNode;
  title: ReactNode;
  onFocused?: (() => void) | undefined;
  children: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  const isWanted = onFocused !== undefined;
  useEffect(() => {
    // A sheet that opens gives the focus itself (`data-first-focus`), and knows then where to return it.
    if (!isWanted || heading.current?.closest('[role="dialog"]')) return;
    heading.current?.focus({ preventScroll: true });
    heading.current?.scrollIntoView({ block: 'start' });
  }, [isWanted]);
  return (
    <section className="border-b px-4 py-4 last:border-0">
      <h3
        ref={heading}
        {...(isWanted ? { 'data-first-focus': '' } : {})}
        tabIndex={-1}
        onFocus={onFocused}
        className="flex items-center gap-1.5 pb-2 font-medium text-sm outline-none"
      >
        {icon}
        {title}
      </h3>
      {children}
    </section>
  );
}
