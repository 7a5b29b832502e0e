import type { ReactNode } from 'react';

/** One section of the panel beside a conversation. */
export function Section({
  icon,
  title,
  children,
}: {
  icon?: ReactNode;
  title: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className="border-b px-4 py-4 last:border-0">
      <h3 className="flex items-center gap-1.5 pb-2 font-medium text-sm">
        {icon}
        {title}
      </h3>
      {children}
    </section>
  );
}
