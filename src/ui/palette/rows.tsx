// Rows of the palette and their containers: groups, commands, conversations, passages, and placeholders while loading.

import { Command } from 'cmdk';
import { Archive, MessageSquare, Slash } from 'lucide-react';
import { memo, type ReactNode } from 'react';
import { shownTitle } from '../../domain/text/shown.ts';
import type { LibraryEntry } from '../../services/documents/documents.ts';
import type { SearchHit } from '../../services/memory/memory.ts';
import { formatExact, formatRelative, wordsFor } from '../i18n/index.ts';
import { usePlaceWords } from '../i18n/place-words.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { MarkedText, plainLine } from '../memory/marked-text.tsx';
import { passageTitle } from '../memory/passage-title.ts';
import { ClosenessMark } from '../memory/scores.tsx';
import { classes, Kbd } from '../shell/controls.tsx';
import { TwinWordsOf } from '../shell/twin-words.tsx';

const HEADING =
  '[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-3 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-ink-3 [&_[cmdk-group-heading]]:text-xs';

export const Group = ({ heading, children }: { heading: string; children: ReactNode }) => (
  <Command.Group heading={heading} className={HEADING}>
    {children}
  </Command.Group>
);

export function Row({
  value,
  onSelect,
  icon,
  children,
  className,
}: {
  value: string;
  onSelect: () => void;
  icon?: ReactNode;
  children: ReactNode;
  className?: string;
}) {
  return (
    <Command.Item
      value={value}
      onSelect={onSelect}
      className={classes(
        'group flex min-h-9 cursor-pointer select-none items-center gap-2.5 rounded-md px-2 py-1.5 data-[selected=true]:bg-fill pointer-coarse:min-h-11',
        className,
      )}
    >
      {icon && <span className="shrink-0 text-ink-3">{icon}</span>}
      {children}
    </Command.Item>
  );
}

export interface PaletteAction {
  readonly id: string;
  readonly label: string;
  /** Alternative names. */
  readonly also?: readonly string[];
  readonly icon: ReactNode;
  readonly keys?: string;
  /** Listed only if something of it is typed, because there may be many. */
  readonly asked?: true;
  run(): void;
}

export const ActionRows = ({ heading, actions }: { heading: string; actions: readonly PaletteAction[] }) => (
  <Group heading={heading}>
    {actions.map((action) => (
      <Row key={action.id} value={`action ${action.id}`} onSelect={action.run} icon={action.icon}>
        <span className="min-w-0 flex-1 truncate">{action.label}</span>
        {action.keys && <Kbd keys={action.keys} className="max-md:hidden pointer-coarse:hidden" />}
      </Row>
    ))}
  </Group>
);

export function CommandRows({
  names,
  heading,
  onSelect,
}: {
  names: readonly string[];
  heading: string;
  onSelect: (name: string) => void;
}) {
  useTranslation('commands');
  return (
    <Group heading={heading}>
      {names.map((name) => (
        <Row
          key={name}
          value={`command ${name}`}
          onSelect={() => onSelect(name)}
          icon={<Slash size={16} aria-hidden />}
        >
          <span className="shrink-0 font-medium">/{name}</span>
          <span className="min-w-0 flex-1 truncate text-ink-3">
            {wordsFor('commands', `${name}.summary`)}
          </span>
        </Row>
      ))}
    </Group>
  );
}

export function ConversationRow({
  entry,
  query,
  onSelect,
}: {
  entry: LibraryEntry;
  query: string;
  onSelect: () => void;
}) {
  const { t } = useTranslation('palette');
  return (
    <Row
      value={`conversation ${entry.id}`}
      onSelect={onSelect}
      icon={entry.archived ? <Archive size={16} aria-hidden /> : <MessageSquare size={16} aria-hidden />}
    >
      <span dir="auto" className="min-w-0 truncate">
        <MarkedText text={shownTitle(entry.title, t('untitled'))} query={query} typing />
      </span>
      <TwinWordsOf entry={entry} />
      <span className="shrink-0 text-ink-3 text-xs max-sm:hidden">
        {t('messages', { count: entry.messageCount })}
      </span>
      <time
        dateTime={new Date(entry.updatedAt).toISOString()}
        title={formatExact(entry.updatedAt)}
        className="shrink-0 text-ink-3 text-xs"
      >
        {formatRelative(entry.updatedAt)}
      </time>
    </Row>
  );
}

/** Renders again only for another passage or query, not at each key. */
export const HitRow = memo(function HitRow({
  hit,
  query,
  onOpen,
}: {
  hit: SearchHit;
  query: string;
  onOpen: (hit: SearchHit) => void;
}) {
  const { t } = useTranslation(['palette', 'memory']);
  const { t: tm } = useTranslation('memory');
  const placeWords = usePlaceWords();
  const role = wordsFor('palette', `role.${hit.role}`) ?? hit.role;
  return (
    <Row value={`message ${hit.messageId}`} onSelect={() => onOpen(hit)} className="items-start">
      <span className="min-w-0 flex-1">
        <span className="flex items-center gap-2 text-xs">
          <span className="shrink-0 font-medium text-ink-2">{role}</span>
          <span className="min-w-0 flex-1 truncate text-ink-3">
            <bdi>{passageTitle(hit, tm)}</bdi>
            {hit.source && (
              <>
                {' · '}
                <bdi>{hit.source.file}</bdi>, {placeWords(hit.source.place)}
              </>
            )}
            {hit.archived && ` · ${t('archived')}`}
          </span>
          <time
            dateTime={new Date(hit.createdAt).toISOString()}
            title={formatExact(hit.createdAt)}
            className="shrink-0 text-ink-3"
          >
            {formatRelative(hit.createdAt)}
          </time>
          {hit.scores && <ClosenessMark scores={hit.scores} focusable={false} />}
        </span>
        <span dir="auto" className="mt-0.5 line-clamp-2 leading-5 [overflow-wrap:anywhere]">
          <MarkedText text={plainLine(hit.snippet)} query={query} typing />
        </span>
      </span>
    </Row>
  );
});

/** Placeholders for coming results; they appear only after a delay. */
export const Waiting = () => (
  <div className="space-y-3 px-2 py-2.5" aria-hidden>
    {['w-1/3', 'w-5/6', 'w-2/3'].map((width) => (
      <span
        key={width}
        className={classes('block h-3.5 animate-pulse rounded-sm bg-fill [animation-delay:200ms]', width)}
      />
    ))}
  </div>
);
