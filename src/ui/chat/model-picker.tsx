// Chooses the model that answers in this conversation: a quiet button in the composer
// with a menu of all connected models.
import { ChevronDown, Plug } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { ignore } from '../../domain/base/log.ts';
import type { Conversation } from '../../domain/chat/conversation.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useModelInUse } from '../hooks/model.ts';
import { useNavigation } from '../hooks/navigation.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { classes, Menu, type MenuItem } from '../shell/controls.tsx';
import { useReport } from '../shell/conversation-actions.tsx';

/** `conversation` null: a new one, which starts with the choice. */
export function ModelPicker({ conversation }: { conversation: Conversation | null }) {
  const { settings } = useApp();
  const { t } = useTranslation('chat');
  const navigation = useNavigation();
  const report = useReport();
  const endpoints = useReadable(settings.connections, (connections) => connections.endpoints);
  const { choice: chosen } = useModelInUse(conversation);
  const choose = (choice: { endpointId: string; model: string } | null) => {
    settings.choose(choice, conversation?.id).catch(report);
  };
  // The lists are requested again when the menu opens; closing it stops the pending requests.
  const asking = useRef<AbortController | null>(null);
  useEffect(() => () => asking.current?.abort(), []);
  const onOpenChange = (open: boolean) => {
    asking.current?.abort();
    if (!open) return;
    const now = new AbortController();
    asking.current = now;
    for (const { id } of endpoints)
      ignore(settings.refreshModels(id, now.signal), 'the list that is known stays');
  };
  const items: MenuItem[] = [];
  for (const endpoint of endpoints) {
    items.push({ heading: endpoint.label });
    for (const model of endpoint.models)
      items.push({
        label: model,
        checked: chosen?.endpointId === endpoint.id && chosen.model === model,
        onSelect: () => choose({ endpointId: endpoint.id, model }),
      });
  }
  if (items.length > 0) items.push('separator');
  items.push({
    label: t('memoryOnly'),
    description: t('memoryOnlyWords'),
    checked: chosen === null,
    onSelect: () => choose(null),
  });
  items.push('separator', {
    label: endpoints.length > 0 ? t('manageModels') : t('connectModel'),
    icon: <Plug size={15} aria-hidden />,
    onSelect: () => navigation.openScreen('settings', 'models'),
  });
  const name = chosen?.model ?? t('memoryOnly');
  return (
    <Menu
      side="top"
      align="end"
      items={items}
      onOpenChange={onOpenChange}
      trigger={
        <button
          type="button"
          aria-label={t('modelIs', { model: name })}
          className="touchable flex h-8 min-w-0 items-center gap-1 rounded-sm px-2 max-[22.4rem]:px-1 text-ink-2 text-sm max-[22.4rem]:text-xs hover:bg-fill hover:text-ink aria-expanded:bg-fill"
        >
          <span className={classes('max-w-44 truncate sm:max-w-72', chosen === null && 'text-memory')}>
            {chosen ? (
              name
            ) : (
              <>
                <span className="max-sm:hidden">{name}</span>
                <span className="sm:hidden">{t('memoryOnlyShort')}</span>
              </>
            )}
          </span>
          <ChevronDown size={14} aria-hidden className="shrink-0 text-ink-3 max-[22.4rem]:hidden" />
        </button>
      }
    />
  );
}
