// Menus of actions.
import { Check, ChevronRight } from 'lucide-react';
import { DropdownMenu as RadixMenu } from 'radix-ui';
import { type ReactElement, type ReactNode, useRef } from 'react';
import { classes } from './classes.ts';
import { handHome } from './floating.tsx';
import { Kbd } from './keys.tsx';
import { FLOATING, MENU_ROW } from './surfaces.ts';

export type MenuItem =
  | {
      readonly label: string;
      readonly description?: string;
      readonly icon?: ReactNode;
      readonly shortcut?: string | undefined;
      readonly danger?: boolean;
      readonly disabled?: boolean;
      /** If present, the item is one of several choices. */
      readonly checked?: boolean;
      readonly onSelect: () => void;
    }
  | { readonly label: string; readonly icon?: ReactNode; readonly items: readonly MenuItem[] }
  | { readonly heading: string }
  | 'separator';

function MenuRows({ items }: { items: readonly MenuItem[] }) {
  const checkable = items.some((item) => typeof item === 'object' && 'checked' in item);
  return items.map((item, at) => {
    // Items have no identity except their position: the list is drawn again each time it opens.
    const key = `${at}`;
    if (item === 'separator') return <RadixMenu.Separator key={key} className="my-1 h-px bg-line" />;
    if ('heading' in item)
      return (
        <RadixMenu.Label key={key} className="px-2 pt-1.5 pb-1 text-ink-3 text-xs">
          {item.heading}
        </RadixMenu.Label>
      );
    if ('items' in item)
      return (
        <RadixMenu.Sub key={key}>
          <RadixMenu.SubTrigger className={classes(MENU_ROW, 'data-[state=open]:bg-fill')}>
            {item.icon && <span className="text-ink-3">{item.icon}</span>}
            <span className="flex-1">{item.label}</span>
            <ChevronRight size={14} aria-hidden className="text-ink-3" />
          </RadixMenu.SubTrigger>
          <RadixMenu.Portal>
            <RadixMenu.SubContent
              sideOffset={4}
              collisionPadding={8}
              className={classes(
                FLOATING,
                'z-[60] max-h-[min(38rem,var(--radix-dropdown-menu-content-available-height))] min-w-44 max-w-80 animate-fade more-below overflow-y-auto p-1',
              )}
            >
              <MenuRows items={item.items} />
            </RadixMenu.SubContent>
          </RadixMenu.Portal>
        </RadixMenu.Sub>
      );
    return (
      <RadixMenu.Item
        key={key}
        disabled={item.disabled ?? false}
        onSelect={item.onSelect}
        {...('checked' in item ? { role: 'menuitemradio', 'aria-checked': item.checked } : {})}
        className={classes(MENU_ROW, item.danger && 'text-danger data-[highlighted]:bg-danger-soft')}
      >
        {checkable && (
          <Check size={15} aria-hidden className={classes('shrink-0', !item.checked && 'invisible')} />
        )}
        {item.icon && <span className={item.danger ? '' : 'text-ink-3'}>{item.icon}</span>}
        <span className="min-w-0 flex-1">
          <span className="block truncate">{item.label}</span>
          {item.description && <span className="block text-ink-3 text-xs">{item.description}</span>}
        </span>
        {item.shortcut && <Kbd keys={item.shortcut} className="pointer-coarse:hidden" />}
      </RadixMenu.Item>
    );
  });
}

/** True if the chosen action has already moved the focus: the menu's element is gone, so otherwise the body has it. */
const movedFocus = (): boolean =>
  document.activeElement !== null &&
  document.activeElement !== document.body &&
  !document.activeElement.matches('[role="menu"], [role="menu"] *');

/**
 * Runs the action after the menu has closed: a dialog opened earlier would lose its focus to
 * the row, and could not return it later.
 */
export const afterClosing = (item: MenuItem): MenuItem =>
  typeof item === 'object' && 'onSelect' in item
    ? { ...item, onSelect: () => queueMicrotask(item.onSelect) }
    : item;

/** A menu of actions behind one trigger button, which gets the focus back. */
export function Menu({
  trigger,
  items,
  side = 'bottom',
  align = 'end',
  open,
  onOpenChange,
  keepFocus = false,
}: {
  trigger: ReactElement;
  items: readonly MenuItem[];
  side?: 'top' | 'right' | 'bottom' | 'left';
  align?: 'start' | 'center' | 'end';
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  /** True if the chosen action moves the focus itself; Escape chooses none. */
  keepFocus?: boolean;
}) {
  const opener = useRef<HTMLButtonElement>(null);
  const isLeft = useRef(false);
  return (
    <RadixMenu.Root
      modal={false}
      {...(open === undefined ? {} : { open })}
      {...(onOpenChange ? { onOpenChange } : {})}
    >
      <RadixMenu.Trigger asChild ref={opener}>
        {trigger}
      </RadixMenu.Trigger>
      <RadixMenu.Portal>
        <RadixMenu.Content
          side={side}
          align={align}
          sideOffset={4}
          collisionPadding={8}
          loop
          onEscapeKeyDown={() => {
            isLeft.current = true;
          }}
          onCloseAutoFocus={(event) => {
            handHome(opener.current);
            const keeps = keepFocus && !isLeft.current;
            isLeft.current = false;
            if (keeps || movedFocus()) event.preventDefault();
          }}
          className={classes(
            FLOATING,
            'z-[60] max-h-[min(38rem,var(--radix-dropdown-menu-content-available-height))] min-w-48 max-w-80 animate-rise more-below overflow-y-auto p-1',
          )}
        >
          <MenuRows items={items} />
        </RadixMenu.Content>
      </RadixMenu.Portal>
    </RadixMenu.Root>
  );
}
