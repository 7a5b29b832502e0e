// Lists the checkpoints of a conversation: set, rename, remove, go back to.
import { Ellipsis, Flag, History, Pencil, Trash2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { MessageId } from '../../domain/base/ids.ts';
import { orElse } from '../../domain/base/log.ts';
import type { ListedCheckpoint } from '../../domain/chat/checkpoint.ts';
import type { Conversation } from '../../domain/chat/conversation.ts';
import { useApp } from '../hooks/app.tsx';
import { formatExact, formatRelative } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { plainLine } from '../memory/marked-text.tsx';
import { afterClosing } from '../shell/controls/menu.tsx';
import { Button, classes, IconButton, Menu, type MenuItem, TextField } from '../shell/controls.tsx';
import { useReport } from '../shell/conversation-actions.tsx';
import { offer } from '../shell/offer.ts';
import { isComposing } from '../shell/shortcuts.ts';
import { Section } from './panel-section.tsx';

/**
 * Edits a checkpoint's name. Enter saves it, even if empty; leaving the field saves what was written; Esc saves
 * nothing. `left`: the focus has already moved elsewhere.
 */
function NameField({
  label,
  name = '',
  className,
  onDone,
}: {
  label: string;
  name?: string;
  className?: string;
  onDone: (name: string | null, left: boolean) => void;
}) {
  const done = useRef(false);
  const finish = (given: string | null, left = false) => {
    if (done.current) return;
    done.current = true;
    onDone(given, left);
  };
  return (
    <TextField
      label={label}
      hideLabel
      defaultValue={name}
      placeholder={label}
      maxLength={100}
      autoFocus
      autoComplete="off"
      {...(className ? { className } : {})}
      onFocus={(event) => event.target.select()}
      onBlur={(event) => finish(event.target.value.trim() || null, true)}
      onKeyDown={(event) => {
        if (isComposing(event.nativeEvent)) return;
        // Otherwise the same key would press the button that gets the focus next.
        if (event.key === 'Enter' || event.key === 'Escape') event.preventDefault();
        if (event.key === 'Enter') finish(event.currentTarget.value.trim());
        if (event.key === 'Escape') finish(null);
        event.stopPropagation();
      }}
    />
  );
}

/** Automatic checkpoints shown before the person asks for all; named ones are always shown. */
const SHOWN = 3;

export function Checkpoints({
  conversation,
  onJump,
  onSet,
  onRestore,
  onCompare,
  onFocused,
}: {
  conversation: Conversation;
  onJump: (message: MessageId) => void;
  onSet: ((name: string) => void) | undefined;
  onRestore: (checkpoint: ListedCheckpoint) => void;
  onCompare: (message: MessageId) => void;
  /** Present while the section is to take the focus; called once it has it. */
  onFocused: (() => void) | undefined;
}) {
  const { t } = useTranslation('context');
  const { context } = useApp();
  const report = useReport();
  const listed = useCheckpoints(conversation);
  const [all, setAll] = useState(false);
  const [naming, setNaming] = useState(false);
  const [renaming, setRenaming] = useState<string | null>(null);
  const setOne = useRef<HTMLButtonElement>(null);
  /** True if the focus has nowhere to return to: its field is gone, and perhaps the button that opened it. */
  const homeless = useRef(false);
  useEffect(() => {
    if (naming || renaming !== null || !homeless.current) return;
    homeless.current = false;
    setOne.current?.focus({ preventScroll: true });
  }, [naming, renaming]);
  if (listed.length === 0 && !onSet) return null;
  const automatic = listed.filter(({ kind }) => kind !== 'named').slice(0, SHOWN);
  const named = listed.filter(({ kind }) => kind === 'named');
  // Lists named checkpoints first because people look for those.
  const shown = [...named, ...(all ? listed.filter(({ kind }) => kind !== 'named') : automatic)];
  const say = (words: string, undo: () => Promise<void>) =>
    offer(words, { label: t('checkpoint.undo'), onClick: () => void undo().catch(report) });
  const remove = (name: string) => {
    context
      .removeCheckpoint(conversation.id, name)
      .then(({ undo }) => say(t('checkpoint.removed', { name }), undo))
      .catch(report);
  };
  const rename = (before: string, to: string | null) => {
    setRenaming(null);
    if (to === null || to.trim() === '' || to.trim() === before) return;
    context
      .renameCheckpoint(conversation.id, before, to)
      .then(({ name, undo }) => say(t('checkpoint.renamed', { name }), undo))
      .catch(report);
  };
  return (
    <Section
      onFocused={onFocused}
      icon={<Flag size={15} aria-hidden className="text-branch" />}
      title={
        <>
          {t('panel.checkpoints')} <span className="text-ink-3">{listed.length || ''}</span>
        </>
      }
    >
      {onSet &&
        (naming ? (
          <NameField
            label={t('panel.checkpointName')}
            className="mb-2"
            onDone={(name, left) => {
              homeless.current = !left;
              setNaming(false);
              if (name !== null) onSet(name);
            }}
          />
        ) : (
          <Button
            ref={setOne}
            size="sm"
            className="mb-2"
            icon={<Flag size={14} aria-hidden />}
            onClick={() => setNaming(true)}
          >
            {t('panel.newCheckpoint')}
          </Button>
        ))}
      <ul className="-mx-2">
        {shown.map((one) =>
          renaming === one.name && one.kind === 'named' ? (
            <li key={`${one.kind} ${one.name}`} className="px-2 py-1">
              <NameField
                label={t('panel.checkpointName')}
                name={one.name}
                onDone={(to, left) => {
                  homeless.current = !left;
                  rename(one.name, to);
                }}
              />
            </li>
          ) : (
            <CheckpointRow
              key={`${one.kind} ${one.name}`}
              checkpoint={one}
              onOpen={() => (one.here ? onJump(one.messageId) : onCompare(one.messageId))}
              onRestore={() => onRestore(one)}
              onRename={() => setRenaming(one.name)}
              onRemove={() => remove(one.name)}
            />
          ),
        )}
      </ul>
      {shown.length < listed.length && (
        <Button size="sm" variant="ghost" className="-ml-2.5" onClick={() => setAll(true)}>
          {t('panel.more', { count: listed.length })}
        </Button>
      )}
    </Section>
  );
}

/** Reads the checkpoints again whenever the conversation changes: automatic ones are derived from the branch. */
function useCheckpoints(conversation: Conversation): readonly ListedCheckpoint[] {
  const { context } = useApp();
  const [listed, setListed] = useState<readonly ListedCheckpoint[]>([]);
  useEffect(() => {
    let gone = false;
    void orElse(context.checkpoints(conversation.id), [], 'the checkpoints of a conversation').then(
      (found) => {
        if (!gone) setListed(found);
      },
    );
    return () => {
      gone = true;
    };
  }, [context, conversation]);
  return listed;
}

function CheckpointRow({
  checkpoint: one,
  onOpen,
  onRestore,
  onRename,
  onRemove,
}: {
  checkpoint: ListedCheckpoint;
  onOpen: () => void;
  onRestore: () => void;
  onRename: () => void;
  onRemove: () => void;
}) {
  const { t } = useTranslation('context');
  // An automatic checkpoint is known by the person's words; its name is for the command only.
  const isNamed = one.kind === 'named';
  const firstLine = plainLine(one.firstLine);
  const words = firstLine || one.name;
  const title = isNamed ? one.name : one.kind === 'turn' ? t('checkpoint.before', { words }) : words;
  const ownItems: readonly MenuItem[] = [
    { label: t('panel.rename'), icon: <Pencil size={15} aria-hidden />, onSelect: onRename },
    'separator',
    { label: t('panel.remove'), icon: <Trash2 size={15} aria-hidden />, danger: true, onSelect: onRemove },
  ];
  return (
    <li className="group/point relative flex items-center rounded-sm hover:bg-fill">
      <button
        type="button"
        onClick={onOpen}
        title={isNamed ? firstLine : `${firstLine} (${one.name})`}
        className="touchable min-w-0 flex-1 px-2 py-1.5 text-left"
      >
        <span className="flex items-center gap-1.5">
          <span dir="auto" className={classes('truncate', isNamed ? 'font-medium' : 'text-ink-2')}>
            {title}
          </span>
          {one.createdAt > 0 && (
            <time
              dateTime={new Date(one.createdAt).toISOString()}
              title={formatExact(one.createdAt)}
              className="ml-auto shrink-0 text-ink-3 text-xs"
            >
              {formatRelative(one.createdAt)}
            </time>
          )}
        </span>
        {one.kind !== 'turn' && (
          <span dir="auto" className="block truncate text-ink-3 text-xs">
            {isNamed ? firstLine : <span className="text-branch">{t(`checkpoint.kind.${one.kind}`)}</span>}
          </span>
        )}
      </button>
      <span className="absolute inset-y-0 right-0 isolate flex items-center rounded-sm bg-linear-to-l from-70% from-fill to-transparent pr-1 pl-5 opacity-0 focus-within:opacity-100 group-hover/point:opacity-100 has-[[aria-expanded=true]]:opacity-100 pointer-coarse:static pointer-coarse:bg-none pointer-coarse:pl-0 pointer-coarse:opacity-100">
        <Menu
          trigger={
            <IconButton
              size="sm"
              label={t('panel.moreFor', { name: title })}
              icon={<Ellipsis size={14} aria-hidden />}
            />
          }
          items={[
            { label: t('panel.restore'), icon: <History size={15} aria-hidden />, onSelect: onRestore },
            ...(isNamed ? ownItems : []),
          ].map(afterClosing)}
        />
      </span>
    </li>
  );
}
