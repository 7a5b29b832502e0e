// Rows of the palette, group by group.
import { Command } from 'cmdk';
import { ListFilter, Settings } from 'lucide-react';
import { type RefObject, useCallback } from 'react';
import { until } from '../../domain/base/readable.ts';
import type { SearchHit } from '../../services/memory/memory.ts';
import { useLatest } from '../hooks/latest.ts';
import { useNavigation } from '../hooks/navigation.tsx';
import { useSession } from '../hooks/session.tsx';
import { wordsFor } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { MarkedText } from '../memory/marked-text.tsx';
import { classes } from '../shell/controls.tsx';
import { withFilter, withoutFilter } from './filters.ts';
import { ActionRows, CommandRows, ConversationRow, Group, HitRow, Row, Waiting } from './rows.tsx';
import { halfName, type PaletteFinds } from './use-found.ts';

type OnDone = (then?: () => void) => void;

export function Results({
  ref,
  found,
  query,
  onChange,
  onDone,
}: {
  ref: RefObject<HTMLDivElement | null>;
  found: PaletteFinds;
  query: string;
  onChange: (query: string) => void;
  onDone: OnDone;
}) {
  const { t } = useTranslation('palette');
  const navigation = useNavigation();
  const { openingFile } = useSession();
  const { line, search, messages, isSearching, conversations, commands, settings, meant, close } = found;
  const { text, asCommand, blank } = line;
  const runCommand = useRunCommand(query, onDone);
  const opening = useLatest((hit: SearchHit) => {
    openingFile.set(hit.source && { messageId: hit.messageId, source: hit.source });
    onDone(() => navigation.openConversation(hit.conversationId, hit.messageId, { foundBy: 'search' }));
  });
  const openHit = useCallback((hit: SearchHit) => opening.current(hit), [opening]);
  return (
    <Command.List
      ref={ref}
      label={t('results')}
      className={classes(
        'min-h-0 scroll-py-2 overflow-y-auto overscroll-contain px-2 pb-2',
        found.isNothing ? 'sr-only' : 'flex-1',
      )}
    >
      {found.completions.length + found.names.length > 0 && (
        <FilterCompletions found={found} query={query} onChange={onChange} />
      )}

      {asCommand && commands.length > 0 && (
        <CommandRows
          names={commands.map((command) => command.name)}
          onSelect={runCommand}
          heading={t('group.commands')}
        />
      )}

      {!blank && meant.length > 0 && <ActionRows heading={t('group.actions')} actions={meant} />}

      {conversations.length > 0 && (
        <Group heading={blank ? t('group.recent') : t('group.conversations')}>
          {conversations.map((entry) => (
            <ConversationRow
              key={entry.id}
              entry={entry}
              query={text}
              onSelect={() => onDone(() => navigation.openConversation(entry.id))}
            />
          ))}
        </Group>
      )}

      {(search.hits.length > 0 || (isSearching && !asCommand)) && (
        <Group heading={t('group.messages')}>
          {messages.map(({ hit, query: marked }) => (
            <HitRow key={hit.messageId} hit={hit} query={marked} onOpen={openHit} />
          ))}
          {search.hits.length === 0 && <Waiting />}
        </Group>
      )}
      {!asCommand && commands.length > 0 && (
        <CommandRows
          names={commands.map((command) => command.name)}
          onSelect={runCommand}
          heading={t('group.commands')}
        />
      )}

      {settings.length > 0 && <SettingRows settings={settings} query={text} onDone={onDone} />}

      {(blank ? meant : close).length > 0 && (
        <ActionRows heading={t('group.actions')} actions={blank ? meant : close} />
      )}
    </Command.List>
  );
}

/** Completions of the filter being typed. */
function FilterCompletions({
  found: { line, completions, names },
  query,
  onChange,
}: {
  found: PaletteFinds;
  query: string;
  onChange: (query: string) => void;
}) {
  const { t } = useTranslation('palette');
  const { open } = line;
  return (
    <Group heading={t('group.filter')}>
      {completions.map((completion) => (
        <Row
          key={completion.text}
          value={`filter ${completion.text}`}
          onSelect={() => onChange(withFilter(open ? withoutFilter(query, open) : query, completion.text))}
          icon={<ListFilter size={15} aria-hidden />}
        >
          <span className="truncate font-mono text-xs">{completion.text}</span>
          <span className="truncate text-ink-3">
            {'key' in completion.hint ? wordsFor('palette', completion.hint.key) : completion.hint.plain}
          </span>
        </Row>
      ))}
      {names.map((name) => (
        <Row
          key={name}
          value={`filter ${name}:`}
          onSelect={() => onChange(`${query.slice(0, query.length - halfName(query).length)}${name}:`)}
          icon={<ListFilter size={15} aria-hidden />}
        >
          <span className="font-mono text-xs">{name}:</span>
          <span className="truncate text-ink-3">{t(`filters.${name}.help`)}</span>
        </Row>
      ))}
    </Group>
  );
}

function SettingRows({
  settings,
  query,
  onDone,
}: {
  settings: PaletteFinds['settings'];
  query: string;
  onDone: OnDone;
}) {
  const { t } = useTranslation('palette');
  const navigation = useNavigation();
  return (
    <Group heading={t('group.settings')}>
      {settings.map(({ entry, label, section }) => (
        <Row
          key={entry.key}
          value={`setting ${entry.key}`}
          onSelect={() => onDone(() => navigation.openScreen('settings', entry.section))}
          icon={<Settings size={16} aria-hidden />}
        >
          <span className="min-w-0 truncate">
            <MarkedText text={label} query={query} typing />
          </span>
          <span className="min-w-0 flex-1 truncate text-ink-3 text-xs">{section}</span>
        </Row>
      ))}
    </Group>
  );
}

/** Puts a command into the composer, with its typed arguments. */
function useRunCommand(query: string, onDone: OnDone): (name: string) => void {
  const navigation = useNavigation();
  const session = useSession();
  return (name) => {
    const typed = query.trim();
    const line = typed.startsWith(`/${name} `) ? typed : `/${name} `;
    onDone(() => {
      if (!session.composer.get()) navigation.newConversation();
      // The composer of the new page exists from the next frame, or once its code is loaded.
      requestAnimationFrame(() => {
        void until(session.composer, (there) => there !== null).then((composer) => composer?.insert(line));
      });
    });
  };
}
