// What the open conversation stands on: model, tokens, what memory gave, other lines of time. Only what is true now is shown.
import {
  ChevronsDownUp,
  Flag,
  GitBranch,
  History,
  Pencil,
  ReceiptText,
  Route,
  Trash2,
  X,
} from 'lucide-react';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { MessageId } from '../../domain/base/ids.ts';
import type { ListedCheckpoint } from '../../domain/chat/checkpoint.ts';
import type { Conversation } from '../../domain/chat/conversation.ts';
import { letterOf } from '../../domain/chat/dmail.ts';
import { givenBy, type Message, type Part, type RecalledPassage, textOf } from '../../domain/chat/message.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { formatExact, formatNumber, formatRelative } from '../i18n/index.ts';
import { passageTitle } from '../memory/passage-title.ts';
import { Button, classes, IconButton, TextField } from '../shell/controls.tsx';
import { useReport } from '../shell/conversation-actions.tsx';
import { offer } from '../shell/offer.ts';
import { ProblemNotice } from '../shell/problem-notice.tsx';
import { isComposing } from '../shell/shortcuts.ts';
import { SiblingArrows } from './message-tools.tsx';
import type { Branch } from './rows.ts';

interface ContextFacts {
  /** The last answer of a model on this branch. */
  readonly last: Message | null;
  readonly recalled: readonly RecalledPassage[];
  /** Messages with siblings, each with how many there are. */
  readonly forks: readonly {
    readonly message: Message;
    readonly index: number;
    readonly ids: readonly MessageId[];
  }[];
  /** Messages of the branch that are folded. */
  readonly folded: number;
}

/** What there is to say about a branch. `turn`: what memory gave to the answer that is being written counts already. */
export function contextFacts(branch: Branch, turn: readonly Part[]): ContextFacts {
  const last =
    branch.path.findLast((message) => message.role === 'assistant' && message.kind === 'message') ?? null;
  const recalled = new Map<string, RecalledPassage>();
  for (const parts of [...branch.path.map((message) => message.parts), turn])
    for (const part of parts)
      for (const passage of givenBy(part)) recalled.set(`${passage.messageId} ${passage.passage}`, passage);
  const forks = branch.rows.flatMap((row) =>
    row.type === 'message' && row.siblings
      ? [{ message: row.message, index: row.siblings.index, ids: row.siblings.ids }]
      : [],
  );
  return { last, recalled: [...recalled.values()], forks, folded: branch.folded.size };
}

function Section({ icon, title, children }: { icon?: ReactNode; title: ReactNode; children: ReactNode }) {
  return (
    <section className="border-b px-4 py-4 last:border-0">
      <h3 className="flex items-center gap-1.5 pb-2 font-medium text-sm">
        {icon}
        {title}
      </h3>
      {children}
    </section>
  );
}

const oneLine = (message: Message): string =>
  (letterOf(message) ?? textOf(message)).replace(/\s+/g, ' ').slice(0, 140);

/** The request in which a model named the conversation: it was sent words and cost tokens like any other. */
function TitleCall({ conversation: { meta } }: { conversation: Conversation }) {
  const { t } = useTranslation('chat');
  const { titleCall } = meta;
  if (!titleCall) return null;
  const { model, at, inputTokens, outputTokens } = titleCall;
  return (
    <Section title={t('context.titleBy')}>
      <p className="text-ink-2" title={formatExact(at)}>
        {[
          model,
          inputTokens !== undefined &&
            outputTokens !== undefined &&
            t('usageBoth', { input: formatNumber(inputTokens), output: formatNumber(outputTokens) }),
        ]
          .filter(Boolean)
          .join(' · ')}
      </p>
    </Section>
  );
}

export function ContextPanel({
  conversation,
  facts,
  model,
  onJump,
  onOpen,
  onShow,
  onFold,
  onManifest,
  onCheckpoint,
  onRestore,
  onCompare,
  onWorldlines,
  onClose,
}: {
  conversation: Conversation;
  facts: ContextFacts;
  /** The model that answers next; null: memory. */
  model: string | null;
  onJump: (message: MessageId) => void;
  onOpen: (conversationId: string, messageId: string) => void;
  onShow: (sibling: MessageId) => void;
  /** Absent where there is nothing to fold, or nothing may be changed. */
  onFold?: (() => void) | undefined;
  onManifest: (answer: Message) => void;
  /** Names the place that is shown; an empty name: the next number. Absent where there is none, or nothing may be changed. */
  onCheckpoint: ((name: string) => void) | undefined;
  onRestore: (checkpoint: ListedCheckpoint) => void;
  onCompare: (message: MessageId) => void;
  onWorldlines: () => void;
  /** Absent where the frame has its own close button. */
  onClose?: () => void;
}) {
  const { t } = useTranslation('chat');
  const { t: tc } = useTranslation('context');
  const { t: tm } = useTranslation('memory');
  const { context } = useApp();
  const upkeep = useReadable(
    useMemo(() => context.state(conversation.id), [context, conversation.id]),
    (state) => state.sessionMemory,
  );
  const { last, recalled, forks, folded } = facts;
  const usage = last?.usage;
  const numbers: [string, string][] = [];
  if (last?.model && last.model !== model) numbers.push([t('context.by'), last.model]);
  if (usage?.inputTokens !== undefined) numbers.push([t('context.input'), formatNumber(usage.inputTokens)]);
  if (usage?.cachedInputTokens) numbers.push([t('context.cached'), formatNumber(usage.cachedInputTokens)]);
  if (usage?.outputTokens !== undefined)
    numbers.push([t('context.output'), formatNumber(usage.outputTokens)]);
  if (usage?.reasoningTokens) numbers.push([t('context.reasoning'), formatNumber(usage.reasoningTokens)]);
  return (
    <div className="flex flex-col">
      {onClose && (
        <header className="flex h-13 shrink-0 items-center justify-between border-b pr-2 pl-4">
          <h2 className="font-semibold">{t('context.title')}</h2>
          <IconButton label={t('context.hide')} icon={<X size={16} aria-hidden />} onClick={onClose} />
        </header>
      )}
      <Section title={t('context.model')}>
        <p className="truncate text-ink-2">{model ?? t('memoryOnly')}</p>
      </Section>
      <TitleCall conversation={conversation} />
      {numbers.length > 0 && (
        <Section title={t('context.lastAnswer')}>
          <dl className="grid grid-cols-[max-content_1fr] gap-x-4 gap-y-1">
            {numbers.map(([name, value]) => (
              <div key={name} className="contents">
                <dt className="text-ink-3">{name}</dt>
                <dd className="truncate text-right tabular-nums" title={value}>
                  {value}
                </dd>
              </div>
            ))}
          </dl>
          {last?.ledger && (
            <Button
              size="sm"
              className="mt-2.5"
              icon={<ReceiptText size={14} aria-hidden />}
              onClick={() => onManifest(last)}
            >
              {tc('ledger.open')}
            </Button>
          )}
        </Section>
      )}
      {(folded > 0 || onFold || upkeep) && (
        <Section
          icon={<ChevronsDownUp size={15} aria-hidden className="text-folded" />}
          title={tc('panel.folded')}
        >
          <div className="flex flex-wrap items-center gap-2">
            {folded > 0 && (
              <span className="flex-1 text-ink-2">{tc('panel.foldedCount', { count: folded })}</span>
            )}
            {onFold && (
              <Button size="sm" onClick={onFold}>
                {tc('panel.foldNow')}
              </Button>
            )}
          </div>
          {upkeep && (
            <p className="mt-2 text-ink-3 text-xs tabular-nums">
              {tc(upkeep.running ? 'panel.upkeepRunning' : 'panel.upkeep', {
                tokens: upkeep.tokens,
                budget: upkeep.budget,
              })}
            </p>
          )}
          {upkeep?.problem && <ProblemNotice problem={upkeep.problem} compact className="mt-2" />}
        </Section>
      )}
      {recalled.length > 0 && (
        <Section
          icon={<History size={15} aria-hidden className="text-memory" />}
          title={
            <>
              {t('context.recalled')} <span className="text-ink-3">{recalled.length}</span>
            </>
          }
        >
          <ul className="flex flex-col gap-1">
            {recalled.map((passage) => (
              <li key={`${passage.messageId} ${passage.passage.slice(0, 40)}`}>
                <button
                  type="button"
                  onClick={() => onOpen(passage.conversationId, passage.messageId)}
                  className="-mx-2 block w-[calc(100%+1rem)] rounded-r-sm border-memory-line border-l-2 px-2 py-1.5 text-left hover:bg-memory-soft"
                >
                  <span className="flex items-baseline gap-2">
                    <span className="min-w-0 flex-1 truncate">{passageTitle(passage, tm)}</span>
                    <time
                      dateTime={new Date(passage.createdAt).toISOString()}
                      title={formatExact(passage.createdAt)}
                      className="shrink-0 text-ink-3 text-xs"
                    >
                      {formatRelative(passage.createdAt)}
                    </time>
                  </span>
                  <span className="line-clamp-2 text-ink-2 text-xs">{passage.passage}</span>
                </button>
              </li>
            ))}
          </ul>
        </Section>
      )}
      {forks.length > 0 && (
        <Section
          icon={<GitBranch size={15} aria-hidden className="text-branch" />}
          title={
            <>
              {t('context.branches')} <span className="text-ink-3">{forks.length}</span>
            </>
          }
        >
          <ul className="flex flex-col gap-1">
            {forks.map(({ message, index, ids }) => (
              <li key={message.id} className="flex items-center gap-1">
                <button
                  type="button"
                  onClick={() => onJump(message.id)}
                  className="-ml-2 min-w-0 flex-1 rounded-sm px-2 py-1.5 text-left hover:bg-fill"
                >
                  <span className="block truncate text-ink-2">{oneLine(message) || t('said.model')}</span>
                </button>
                <SiblingArrows siblings={{ index, ids }} onShow={onShow} />
              </li>
            ))}
          </ul>
        </Section>
      )}
      <Checkpoints
        conversation={conversation}
        onJump={onJump}
        onSet={onCheckpoint}
        onRestore={onRestore}
        onCompare={onCompare}
      />
      <Section icon={<Route size={15} aria-hidden className="text-branch" />} title={tc('panel.worldlines')}>
        <Button size="sm" onClick={onWorldlines}>
          {tc('panel.openWorldlines')}
        </Button>
      </Section>
    </div>
  );
}

/**
 * A name being written. Enter keeps it, also an empty one; leaving keeps what was written; Esc keeps nothing. `left`: the focus is elsewhere
 * already.
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
        // Or the same key would press the button that has the focus a moment later.
        if (event.key === 'Enter' || event.key === 'Escape') event.preventDefault();
        if (event.key === 'Enter') finish(event.currentTarget.value.trim());
        if (event.key === 'Escape') finish(null);
        event.stopPropagation();
      }}
    />
  );
}

/** Automatic checkpoints shown before somebody asks for all; those with a name always are. */
const SHOWN = 3;

function Checkpoints({
  conversation,
  onJump,
  onSet,
  onRestore,
  onCompare,
}: {
  conversation: Conversation;
  onJump: (message: MessageId) => void;
  onSet: ((name: string) => void) | undefined;
  onRestore: (checkpoint: ListedCheckpoint) => void;
  onCompare: (message: MessageId) => void;
}) {
  const { t } = useTranslation('context');
  const { context } = useApp();
  const report = useReport();
  const [listed, setListed] = useState<readonly ListedCheckpoint[]>([]);
  const [all, setAll] = useState(false);
  const [naming, setNaming] = useState(false);
  const [renaming, setRenaming] = useState<string | null>(null);
  const setOne = useRef<HTMLButtonElement>(null);
  /** The field that had the focus is gone, and what opened it may be, too. */
  const homeless = useRef(false);
  useEffect(() => {
    if (naming || renaming !== null || !homeless.current) return;
    homeless.current = false;
    setOne.current?.focus({ preventScroll: true });
  }, [naming, renaming]);
  // Listed again whenever the conversation changes: automatic ones are read from the branch.
  useEffect(() => {
    let gone = false;
    context.checkpoints(conversation.id).then(
      (found) => {
        if (!gone) setListed(found);
      },
      () => {
        if (!gone) setListed([]);
      },
    );
    return () => {
      gone = true;
    };
  }, [context, conversation]);
  if (listed.length === 0 && !onSet) return null;
  const automatic = listed.filter(({ kind }) => kind !== 'named').slice(0, SHOWN);
  const named = listed.filter(({ kind }) => kind === 'named');
  // What somebody gave a name to is what is looked for.
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
            <li
              key={`${one.kind} ${one.name}`}
              className="group/point relative flex items-center rounded-sm hover:bg-fill"
            >
              <button
                type="button"
                onClick={() => (one.here ? onJump(one.messageId) : onCompare(one.messageId))}
                title={one.firstLine}
                className="min-w-0 flex-1 px-2 py-1.5 text-left"
              >
                <span className="flex items-center gap-1.5">
                  <span className={classes('truncate', one.kind === 'named' ? 'font-medium' : 'text-ink-2')}>
                    {one.name}
                  </span>
                  {one.kind !== 'named' && (
                    <span className="shrink-0 text-branch text-xs">{t(`checkpoint.kind.${one.kind}`)}</span>
                  )}
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
                <span className="block truncate text-ink-3 text-xs">{one.firstLine}</span>
              </button>
              <span className="absolute right-0 isolate flex rounded-sm bg-linear-to-l from-70% from-fill to-transparent pr-1 pl-5 opacity-0 focus-within:opacity-100 group-hover/point:opacity-100 pointer-coarse:static pointer-coarse:bg-none pointer-coarse:pl-0 pointer-coarse:opacity-100">
                <IconButton
                  size="sm"
                  label={t('panel.restore')}
                  icon={<History size={14} aria-hidden />}
                  onClick={() => onRestore(one)}
                />
                {one.kind === 'named' && (
                  <>
                    <IconButton
                      size="sm"
                      label={t('panel.rename')}
                      icon={<Pencil size={14} aria-hidden />}
                      onClick={() => setRenaming(one.name)}
                    />
                    <IconButton
                      size="sm"
                      label={t('panel.remove')}
                      icon={<Trash2 size={14} aria-hidden />}
                      onClick={() => remove(one.name)}
                    />
                  </>
                )}
              </span>
            </li>
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
