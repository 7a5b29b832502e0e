// Chooses the model that answers in this conversation: a quiet button in the composer
// with a menu of all connected models, or a list with a filter where there are many.
import { Check, ChevronDown, Plug } from 'lucide-react';
import { type ReactElement, type ReactNode, useEffect, useRef, useState } from 'react';
import { ignore } from '../../domain/base/log.ts';
import type { Conversation } from '../../domain/chat/conversation.ts';
import type { ModelChoice } from '../../services/settings/settings.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useModelInUse } from '../hooks/model.ts';
import { useNavigation } from '../hooks/navigation.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { MENU_ROW } from '../shell/controls/surfaces.ts';
import { classes, Menu, type MenuItem, Popover } from '../shell/controls.tsx';
import { useReport } from '../shell/conversation-actions.tsx';
import { FILTERED_FROM } from '../shell/name-filter.tsx';
import { type ListedModel, ModelList, nameAmong, useListedModels } from './model-list.tsx';

/** `conversation` null: a new one, which starts with the choice. */
export function ModelPicker({ conversation }: { conversation: Conversation | null }) {
  const { settings } = useApp();
  const { t } = useTranslation('chat');
  const report = useReport();
  const endpoints = useReadable(settings.connections, (connections) => connections.endpoints);
  const { choice: chosen } = useModelInUse(conversation);
  const choose = (choice: ModelChoice | null) => {
    settings
      .choose(choice && { endpointId: choice.endpointId, model: choice.model }, conversation?.id)
      .catch(report);
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
  const models = useListedModels();
  const isChosen = ({ endpointId, model }: ListedModel) =>
    chosen?.endpointId === endpointId && chosen.model === model;
  const name = chosen ? nameAmong(models, chosen) : t('memoryOnly');
  const trigger = (
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
  );
  const parts: PickerParts = { models, isChosen, hasNone: chosen === null, choose, trigger, onOpenChange };
  return models.length < FILTERED_FROM ? <ModelMenu {...parts} /> : <ModelPopover {...parts} />;
}

interface PickerParts {
  readonly models: readonly ListedModel[];
  readonly isChosen: (model: ListedModel) => boolean;
  /** Memory answers, no model. */
  readonly hasNone: boolean;
  readonly choose: (choice: ModelChoice | null) => void;
  readonly trigger: ReactElement;
  readonly onOpenChange: (open: boolean) => void;
}

function ModelMenu({ models, isChosen, hasNone, choose, trigger, onOpenChange }: PickerParts) {
  const { t } = useTranslation('chat');
  const navigation = useNavigation();
  const items: MenuItem[] = [];
  for (const [at, one] of models.entries()) {
    if (models[at - 1]?.endpointId !== one.endpointId) items.push({ heading: one.label });
    items.push({ label: one.model, checked: isChosen(one), onSelect: () => choose(one) });
  }
  if (items.length > 0) items.push('separator');
  items.push({
    label: t('memoryOnly'),
    description: t('memoryOnlyWords'),
    checked: hasNone,
    onSelect: () => choose(null),
  });
  items.push('separator', {
    label: models.length > 0 ? t('manageModels') : t('connectModel'),
    icon: <Plug size={15} aria-hidden />,
    onSelect: () => navigation.openScreen('settings', 'models'),
  });
  return <Menu side="top" align="end" items={items} onOpenChange={onOpenChange} trigger={trigger} />;
}

function ModelPopover({ models, isChosen, hasNone, choose, trigger, onOpenChange }: PickerParts) {
  const { t } = useTranslation('chat');
  const navigation = useNavigation();
  const [open, setOpen] = useState(false);
  const setShown = (next: boolean) => {
    setOpen(next);
    onOpenChange(next);
  };
  const then = (work: () => void) => () => {
    setShown(false);
    work();
  };
  return (
    <Popover
      label={t('models')}
      side="top"
      align="end"
      open={open}
      onOpenChange={setShown}
      trigger={trigger}
      className="p-1.5"
    >
      <ModelList models={models} isChosen={isChosen} onChoose={(one) => then(() => choose(one))()} />
      <div className="mt-1.5 border-t pt-1">
        <PopoverRow
          icon={<Check size={15} aria-hidden className={classes('shrink-0', !hasNone && 'invisible')} />}
          isPressed={hasNone}
          onClick={then(() => choose(null))}
        >
          {t('memoryOnly')}
        </PopoverRow>
        <PopoverRow
          icon={<Plug size={15} aria-hidden className="shrink-0 text-ink-3" />}
          onClick={then(() => navigation.openScreen('settings', 'models'))}
        >
          {t('manageModels')}
        </PopoverRow>
      </div>
    </Popover>
  );
}

function PopoverRow({
  icon,
  isPressed,
  onClick,
  children,
}: {
  icon: ReactNode;
  isPressed?: boolean;
  onClick: () => void;
  children: ReactNode;
}) {
  return (
    <button
      type="button"
      aria-pressed={isPressed}
      onClick={onClick}
      className={classes(MENU_ROW, 'w-full text-left text-sm hover:bg-fill focus-visible:bg-fill')}
    >
      {icon}
      {children}
    </button>
  );
}
