// What the palette does besides finding: new conversation, import, screens.
import { Brain, Download, HardDrive, Keyboard, Settings, SquarePen } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useNavigation } from '../hooks/navigation.tsx';
import { useSession } from '../hooks/session.tsx';
import { useShortcutKeys } from '../shell/shortcuts.ts';
import type { PaletteAction } from './rows.tsx';

/** `onDone` closes the palette and runs what it is given once the focus is free. */
export function usePaletteActions(onDone: (then?: () => void) => void): readonly PaletteAction[] {
  const { t } = useTranslation('palette');
  const navigation = useNavigation();
  const session = useSession();
  return [
    {
      id: 'new',
      label: t('action.new'),
      also: t('action.newAlso').split(', '),
      icon: <SquarePen size={16} aria-hidden />,
      keys: useShortcutKeys('new'),
      run: () =>
        onDone(() => {
          navigation.newConversation();
          session.composer.get()?.focus();
        }),
    },
    {
      id: 'import',
      label: t('action.import'),
      icon: <Download size={16} aria-hidden />,
      run: () => onDone(() => session.floating.set('import')),
    },
    {
      id: 'memory',
      label: t('action.memory'),
      icon: <Brain size={16} aria-hidden />,
      run: () => onDone(() => navigation.openScreen('memory')),
    },
    {
      id: 'settings',
      label: t('action.settings'),
      icon: <Settings size={16} aria-hidden />,
      run: () => onDone(() => navigation.openScreen('settings')),
    },
    {
      id: 'storage',
      label: t('action.storage'),
      icon: <HardDrive size={16} aria-hidden />,
      run: () => onDone(() => navigation.openScreen('settings', 'storage')),
    },
    {
      id: 'shortcuts',
      label: t('action.shortcuts'),
      icon: <Keyboard size={16} aria-hidden />,
      keys: useShortcutKeys('shortcuts'),
      run: () => onDone(() => session.floating.set('shortcuts')),
    },
  ];
}
