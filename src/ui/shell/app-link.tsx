// A link within the app.
import type { ComponentProps } from 'react';

/** Link within the app: an ordinary one for the browser (open in a new tab), a navigation step on a plain click. */
export function AppLink({
  href,
  onOpen,
  ...rest
}: ComponentProps<'a'> & { href: string; onOpen: () => void }) {
  return (
    <a
      href={href}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        onOpen();
      }}
      {...rest}
    />
  );
}
