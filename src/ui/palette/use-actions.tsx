// Actions of the palette other than searching: new conversation, import, screens.
import {
  Brain,
  Download,
  Eraser,
  HardDrive,
  Keyboard,
  Lock,
  Settings,
  SquarePen,
  TextQuote,
} from 'lucide-react';
import { until } from '../../domain/base/readable.ts';
import { slugsOf } from '../../domain/prompts/prompt.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useNavigation } from '../hooks/navigation.tsx';
import { useSession } from '../hooks/session.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { ProjectMark } from '../projects/project-mark.tsx';
import { nameOf, useProjects } from '../projects/use-projects.ts';
import { useShortcutKeys } from '../shell/shortcuts.ts';
import type { PaletteAction } from './rows.tsx';

/** `onDone` closes the palette and runs its argument once the focus is free. */
export function usePaletteActions(onDone: (then?: () => void) => void): readonly PaletteAction[] {
  const { t } = useTranslation(['palette', 'projects']);
  const navigation = useNavigation();
  const session = useSession();
  const { prompts, commands, lock } = useApp();
  const saved = useReadable(prompts.state, (state) => state.prompts);
  const projects = useProjects();
  const slugs = slugsOf(
    saved,
    commands.map(({ name }) => name),
  );
  /** Puts its name into the composer, whose list offers it with Enter. */
  const write = (line: string) =>
    onDone(() => {
      if (!session.composer.get()) navigation.newConversation();
      requestAnimationFrame(() => {
        void until(session.composer, (there) => there !== null).then((composer) => composer?.insert(line));
      });
    });
  const canLock = useReadable(lock.state, ({ phase }) => phase === 'sealed' || phase === 'sealing');
  const lockKeys = useShortcutKeys('lock');
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
      id: 'forget',
      label: t('action.forget'),
      also: t('action.forgetAlso').split(', '),
      icon: <Eraser size={16} aria-hidden />,
      run: () => onDone(() => session.forgetting.set({ words: '' })),
    },
    {
      id: 'shortcuts',
      label: t('action.shortcuts'),
      icon: <Keyboard size={16} aria-hidden />,
      keys: useShortcutKeys('shortcuts'),
      run: () => onDone(() => session.floating.set('shortcuts')),
    },
    ...projects.map(({ entry }) => ({
      id: `project ${entry.id}`,
      label: nameOf(entry, t('projects:title')),
      icon: <ProjectMark face={entry.project.face} />,
      asked: true as const,
      run: () => onDone(() => navigation.openProject(entry.id)),
    })),
    ...saved.map(({ id, name, description }) => ({
      id: `prompt ${id}`,
      label: t('action.prompt', { name }),
      also: [description, slugs.get(id) ?? ''].filter((words) => words !== ''),
      icon: <TextQuote size={16} aria-hidden />,
      run: () => write(`/${slugs.get(id)}`),
    })),
    ...(canLock
      ? [
          {
            id: 'lock',
            label: t('action.lock'),
            icon: <Lock size={16} aria-hidden />,
            keys: lockKeys,
            run: () => onDone(() => lock.lockNow()),
          },
        ]
      : []),
  ];
}
