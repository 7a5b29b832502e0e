// Strip at the top of every screen: button to the sidebar, title, actions.
import { Menu as MenuIcon, PanelLeftOpen } from 'lucide-react';
import { createContext, type ReactNode, useContext } from 'react';
import { useIsPhone } from '../hooks/media.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { classes, IconButton } from './controls.tsx';
import { useShortcutKeys } from './shortcuts.ts';

/** How a screen opens the sidebar; `shown` while no button is needed. */
export const SidebarControl = createContext<{ shown: boolean; open: () => void }>({
  shown: true,
  open: () => undefined,
});

/** `line`: draws a hairline above scrolling content. */
export function Header({
  children,
  actions,
  line = false,
}: {
  children: ReactNode;
  actions?: ReactNode;
  line?: boolean;
}) {
  const { t } = useTranslation('shell');
  const sidebar = useContext(SidebarControl);
  const phone = useIsPhone();
  const keys = useShortcutKeys('sidebar');
  return (
    <header className={classes('flex h-13 shrink-0 items-center gap-1 px-3', line && 'border-b')}>
      {!sidebar.shown && (
        <IconButton
          label={t('showSidebar')}
          shortcut={keys}
          icon={phone ? <MenuIcon size={18} aria-hidden /> : <PanelLeftOpen size={17} aria-hidden />}
          onClick={sidebar.open}
        />
      )}
      <div className="flex min-w-0 flex-1 items-center gap-2 pl-1">{children}</div>
      {actions}
    </header>
  );
}
