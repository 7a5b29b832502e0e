// A short explanation beside its element.
import { Tooltip as RadixTooltip } from 'radix-ui';
import type { ReactElement, ReactNode } from 'react';
import { isApple, keyNames } from './keys.tsx';

export const TooltipProvider = ({ children }: { children: ReactNode }) => (
  <RadixTooltip.Provider delayDuration={450} skipDelayDuration={250}>
    {children}
  </RadixTooltip.Provider>
);

/** Shows a short explanation on hover and focus. `children` must be one element that accepts a ref. */
export function Tooltip({
  content,
  shortcut,
  side = 'bottom',
  children,
}: {
  content: ReactNode;
  shortcut?: string | undefined;
  side?: 'top' | 'right' | 'bottom' | 'left';
  children: ReactElement;
}) {
  return (
    <RadixTooltip.Root>
      {/* Does not open when the focus returns from a closed dialog: it would cover
          what is below and take its clicks. */}
      <RadixTooltip.Trigger
        asChild
        onFocus={(event) => {
          if (!event.currentTarget.matches(':focus-visible')) event.preventDefault();
        }}
      >
        {children}
      </RadixTooltip.Trigger>
      <RadixTooltip.Portal>
        <RadixTooltip.Content
          side={side}
          sideOffset={6}
          collisionPadding={8}
          className="z-[70] flex max-w-80 animate-fade items-center gap-2 rounded-sm bg-ink px-2 py-1 text-paper text-xs shadow-float"
        >
          {content}
          {shortcut && <span className="opacity-70">{keyNames(shortcut).join(isApple ? '' : ' ')}</span>}
        </RadixTooltip.Content>
      </RadixTooltip.Portal>
    </RadixTooltip.Root>
  );
}
