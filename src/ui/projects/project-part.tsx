import type { ReactNode } from 'react';

/** Section of a project's page, with its heading. */
export function Part({
  title,
  words,
  actions,
  children,
}: {
  title: string;
  words?: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <section aria-label={title}>
      <div className="flex min-h-8 flex-wrap items-center gap-x-2 gap-y-1">
        <h2 className="flex-1 font-semibold">{title}</h2>
        {actions}
      </div>
      {words && <p className="pb-2 text-ink-2 text-sm">{words}</p>}
      {children}
    </section>
  );
}
