// Header of a conversation: its title, which can be edited in place, and its menu.
import type { TFunction } from 'i18next';
import { Ellipsis, Flag, NotebookText, PanelRight, Route, ScrollText, Search } from 'lucide-react';
import { useState } from 'react';
import { useSession } from '../hooks/session.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { OfflineBadge } from '../shell/app-notices.tsx';
import { IconButton, Menu, type MenuItem } from '../shell/controls.tsx';
import { useConversationActions } from '../shell/conversation-actions.tsx';
import { EraseConfirm } from '../shell/erase-confirm.tsx';
import { Header } from '../shell/header.tsx';
import { useShortcutKeys } from '../shell/shortcuts.ts';
import { TitleField } from '../shell/title-field.tsx';
import { useDeletedItem } from './deleted-messages.tsx';
import { InstructionsButton } from './instructions.tsx';
import type { Opened } from './opened.ts';

export function ConversationHeader({
  opened: { id, conversation, entry, title, readOnly },
  onFind,
  onInstructions,
  onPanel,
  onBranches,
  onCheckpoints,
  onDeleted,
}: {
  opened: Opened;
  onFind: () => void;
  onInstructions: () => void;
  /** Absent while the panel is open. */
  onPanel: (() => void) | undefined;
  onBranches: () => void;
  onCheckpoints: () => void;
  onDeleted: () => void;
}) {
  const { t } = useTranslation('chat');
  const actions = useConversationActions();
  const { memoryFile } = useSession();
  const { t: tc } = useTranslation('context');
  const panelKeys = useShortcutKeys('panel');
  const findKeys = useShortcutKeys('find');
  const [renaming, setRenaming] = useState(false);
  const [erasing, setErasing] = useState(false);
  const deleted = useDeletedItem(id, onDeleted);
  return (
    <>
      <Header
        line
        actions={
          <>
            <OfflineBadge />
            {conversation.meta.systemPrompt !== null && !readOnly && (
              <InstructionsButton set onClick={onInstructions} />
            )}
            {onPanel && (
              <IconButton
                label={t('context.show')}
                shortcut={panelKeys}
                icon={<PanelRight size={17} aria-hidden />}
                words={t('context.title')}
                onClick={onPanel}
              />
            )}
            {entry && (
              <Menu
                keepFocus
                trigger={<IconButton label={t('more')} icon={<Ellipsis size={17} aria-hidden />} />}
                items={[
                  {
                    label: t('find.title'),
                    icon: <Search size={15} aria-hidden />,
                    shortcut: findKeys,
                    onSelect: onFind,
                  },
                  ...placeItems(tc, onBranches, onCheckpoints),
                  {
                    label: tc('memoryFile.title'),
                    icon: <NotebookText size={15} aria-hidden />,
                    onSelect: () => memoryFile.set(id),
                  },
                  ...(readOnly
                    ? []
                    : [
                        {
                          label: t('instructions.title'),
                          icon: <ScrollText size={15} aria-hidden />,
                          onSelect: onInstructions,
                        },
                        ...deleted,
                      ]),
                  'separator',
                  ...actions.menu(
                    entry,
                    () => setRenaming(true),
                    () => setErasing(true),
                    null,
                  ),
                ]}
              />
            )}
          </>
        }
      >
        {renaming && entry ? (
          <TitleField
            title={entry.title}
            onDone={(next) => {
              setRenaming(false);
              if (next !== null) actions.rename(entry, next);
            }}
            className="h-8 w-full max-w-120 rounded-sm border border-accent bg-paper px-2 font-semibold outline-none"
          />
        ) : (
          <h1 dir="auto" className="min-w-0 truncate font-semibold" title={title}>
            <button
              type="button"
              disabled={!entry || readOnly}
              onClick={() => setRenaming(true)}
              className="touchable max-w-full truncate rounded-sm px-1.5 py-1 hover:not-disabled:bg-fill"
            >
              {title}
            </button>
          </h1>
        )}
      </Header>
      <EraseConfirm
        entry={(erasing && entry) || null}
        onClose={() => setErasing(false)}
        onErase={() => actions.erase([id])}
      />
    </>
  );
}

/** Ways to other places of the conversation. */
const placeItems = (
  t: TFunction<'context'>,
  onBranches: () => void,
  onCheckpoints: () => void,
): MenuItem[] => [
  { label: t('panel.openBranches'), icon: <Route size={15} aria-hidden />, onSelect: onBranches },
  { label: t('panel.checkpoints'), icon: <Flag size={15} aria-hidden />, onSelect: onCheckpoints },
];
