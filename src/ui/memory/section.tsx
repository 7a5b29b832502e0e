// Section of the Memory screen with a title.
import type { ReactNode } from 'react';

export const Section = ({
  title,
  aside,
  children,
}: {
  title: string;
  aside?: ReactNode;
  children: ReactNode;
}) => (
  <section aria-label={title}>
    <div className="mb-2.5 flex min-h-7 flex-wrap items-center gap-x-3 gap-y-1">
      <h2 className="flex-auto font-semibold text-base">{title}</h2>
      {aside && <div className="flex flex-wrap items-center gap-x-3 gap-y-1">{aside}</div>}
    </div>
    {children}
  </section>
);
