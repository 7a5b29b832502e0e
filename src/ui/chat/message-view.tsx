// One message: a person's in a tinted block at the right, an answer over the full width; its tools, its siblings, what memory gave to it.
import {
  Check,
  ChevronLeft,
  ChevronRight,
  Copy,
  CornerDownRight,
  Ellipsis,
  Flag,
  History,
  Mail,
  MailPlus,
  Pencil,
  ReceiptText,
  RefreshCw,
  StickyNote,
  TriangleAlert,
} from 'lucide-react';
import { createContext, memo, type ReactNode, useContext, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { MessageId } from '../../domain/base/ids.ts';
import { type Writable, writable } from '../../domain/base/readable.ts';
import { type Message, type Part, type PartOf, textOf } from '../../domain/chat/message.ts';
import type { TurnState } from '../../services/chat/chat.ts';
import { useReadable } from '../hooks/app.tsx';
import { formatDuration, formatExact, formatNumber, formatRelative } from '../i18n/index.ts';
import { RecallCard } from '../memory/recall-card.tsx';
import { Button, classes, IconButton, Menu, type MenuItem, Spinner } from '../shell/controls.tsx';
import { ProblemNotice, useCopy } from '../shell/problem-notice.tsx';
import { isComposing } from '../shell/shortcuts.ts';
import { CompactionRunning } from './compaction.tsx';
import { splitFences } from './fences.ts';
import { Markdown } from './markdown.tsx';
import { FilePart, Fold, Reasoning, ToolLine } from './parts.tsx';
import type { Row, Siblings } from './rows.ts';

/** What a message can ask for. One object for the whole list: messages are not drawn again for it. */
export interface MessageActions {
  open(conversationId: string, messageId: string): void;
  show(sibling: MessageId): void;
  regenerate(answer: MessageId): void;
  edit(message: Message, text: string, rerun: boolean): void;
  /** To a message of another branch, or of this. */
  jump(message: MessageId): void;
  /** Names the message, so that one can come back to it. */
  checkpoint(message: MessageId): void;
  /** Opens what is to be sent back to this message: other words for it or for a tool's result (`callId`), or a note. */
  sendBack(message: Message, callId?: string): void;
  /** Opens the ledger of an answer. */
  ledger(answer: Message): void;
  connectModel(): void;
  /** False while an answer is being written: nothing else can be asked then. */
  readonly canAsk: boolean;
  /** False in the trash. */
  readonly canWrite: boolean;
  readonly hasModel: boolean;
}
export const MessageActionsContext = createContext<MessageActions | null>(null);

/** The message that is being edited, if any: it outlives the row, which goes when it is scrolled away. */
export const EditingContext = createContext<Writable<MessageId | null>>(writable<MessageId | null>(null));

function useActions(): MessageActions {
  const actions = useContext(MessageActionsContext);
  if (!actions) throw new Error('A message needs <MessageActionsContext> above it');
  return actions;
}

/** `‹ 2 / 3 ›`: other lines of time. */
function SiblingArrows({ siblings }: { siblings: Siblings }) {
  const { t } = useTranslation('chat');
  const { show } = useActions();
  const { index, ids } = siblings;
  const go = (to: MessageId | undefined) => to && show(to);
  return (
    <span className="inline-flex items-center rounded-sm bg-branch-soft text-branch text-xs">
      <IconButton
        size="sm"
        label={t('previousBranch')}
        icon={<ChevronLeft size={14} aria-hidden />}
        disabled={index <= 0}
        onClick={() => go(ids[index - 1])}
        className="text-branch hover:bg-branch-line/50 hover:text-branch"
      />
      <span
        role="status"
        aria-label={t('branchOf', { index: index + 1, count: ids.length })}
        className="tabular-nums"
      >
        {index + 1} / {ids.length}
      </span>
      <IconButton
        size="sm"
        label={t('nextBranch')}
        icon={<ChevronRight size={14} aria-hidden />}
        disabled={index >= ids.length - 1}
        onClick={() => go(ids[index + 1])}
        className="text-branch hover:bg-branch-line/50 hover:text-branch"
      />
    </span>
  );
}

function CopyButton({ text }: { text: string }) {
  const { t } = useTranslation('chat');
  const [copy, copied] = useCopy();
  return (
    <IconButton
      size="sm"
      label={copied ? t('copied') : t('copy')}
      icon={copied ? <Check size={15} aria-hidden /> : <Copy size={15} aria-hidden />}
      onClick={() => copy(text)}
    />
  );
}

/** Shown on hover and on focus; always on touch. */
const TOOLS =
  'flex items-center gap-0.5 opacity-0 transition-opacity focus-within:opacity-100 group-focus/message:opacity-100 group-hover/message:opacity-100 has-[[aria-expanded=true]]:opacity-100 pointer-coarse:opacity-100';

/** What a person wrote: as written, lines kept, since Markdown in a person's hand is rarely meant as layout; fenced code is code. */
function PersonWords({ text }: { text: string }) {
  const { t } = useTranslation('chat');
  const long = text.length > 3000 || text.split('\n').length > 24;
  const [open, setOpen] = useState(false);
  return (
    <>
      <div
        className={classes(
          'reading whitespace-pre-wrap [overflow-wrap:anywhere]',
          long && !open && 'max-h-72 overflow-hidden [mask-image:linear-gradient(#000_75%,transparent)]',
        )}
      >
        {splitFences(!open && text.length > 20_000 ? text.slice(0, 20_000) : text).map((piece, at) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text that never changes
          piece.fenced ? <Markdown key={at} text={piece.text} /> : <span key={at}>{piece.text}</span>,
        )}
      </div>
      {long && (
        <Button size="sm" variant="ghost" className="mt-1 -ml-2" onClick={() => setOpen(!open)}>
          {open ? t('showLess') : t('showMore')}
        </Button>
      )}
    </>
  );
}

function Editor({ message, onDone }: { message: Message; onDone: () => void }) {
  const { t } = useTranslation('chat');
  const actions = useActions();
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    const area = field.current;
    if (!area) return;
    area.focus({ preventScroll: true });
    area.setSelectionRange(area.value.length, area.value.length);
  }, []);
  const save = (rerun: boolean) => {
    const text = field.current?.value ?? '';
    if (text.trim() || message.parts.some((part) => part.type === 'file')) {
      actions.edit(message, text, rerun);
      onDone();
    }
  };
  return (
    <div className="w-full rounded-xl border border-line-strong bg-paper p-2">
      <textarea
        ref={field}
        defaultValue={textOf(message)}
        aria-label={t('editMessage')}
        rows={Math.min(14, Math.max(3, textOf(message).split('\n').length + 1))}
        onKeyDown={(event) => {
          if (isComposing(event.nativeEvent)) return;
          if (event.key === 'Escape') {
            event.preventDefault();
            onDone();
          }
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            save(true);
          }
        }}
        className="reading w-full resize-y bg-transparent px-2 py-1 outline-none"
      />
      <div className="flex flex-wrap items-center justify-end gap-2 pt-1">
        <span className="mr-auto flex items-center gap-1.5 pl-2 text-branch text-xs">
          <CornerDownRight size={13} aria-hidden />
          {t('editKeeps')}
        </span>
        <Button size="sm" variant="ghost" onClick={onDone}>
          {t('cancel')}
        </Button>
        <Button size="sm" onClick={() => save(false)}>
          {t('saveOnly')}
        </Button>
        <Button size="sm" variant="primary" disabled={!actions.canAsk} onClick={() => save(true)}>
          {t('saveAndAsk')}
        </Button>
      </div>
    </div>
  );
}

function PersonMessage({ message, siblings }: { message: Message; siblings: Siblings | null }) {
  const { t } = useTranslation('chat');
  const actions = useActions();
  const edited = useContext(EditingContext);
  const editing = useReadable(edited, (id) => id === message.id);
  const setEditing = (on: boolean) => edited.set(on ? message.id : null);
  const files = message.parts.filter((part) => part.type === 'file');
  const text = textOf(message);
  return (
    <div className="flex flex-col items-end pt-3">
      {editing ? (
        <Editor message={message} onDone={() => setEditing(false)} />
      ) : (
        <>
          {files.length > 0 && (
            <div className="mb-1.5 flex max-w-[85%] flex-wrap justify-end gap-2">
              {files.map((part, at) => (
                // Parts never change once written: their place is their identity.
                // biome-ignore lint/suspicious/noArrayIndexKey: see above
                <FilePart key={at} part={part} />
              ))}
            </div>
          )}
          {text && (
            <div className="max-w-[min(85%,38rem)] rounded-2xl rounded-br-xs bg-fill px-4 py-2.5">
              <PersonWords text={text} />
            </div>
          )}
        </>
      )}
      {!editing && (
        <div className="mt-0.5 flex min-h-7 items-center gap-1">
          <div className={TOOLS}>
            <Stamp at={message.createdAt} />
            <CopyButton text={text} />
            {actions.canWrite && (
              <IconButton
                size="sm"
                data-edit
                label={t('edit')}
                icon={<Pencil size={15} aria-hidden />}
                onClick={() => setEditing(true)}
              />
            )}
            <RarerTools message={message} />
          </div>
          {siblings && <SiblingArrows siblings={siblings} />}
        </div>
      )}
    </div>
  );
}

/** What is wanted less often: the message as a place in time, and what got into it. Nothing where nothing can be done. */
function RarerTools({ message }: { message: Message }) {
  const { t } = useTranslation('chat');
  const { t: tc } = useTranslation('context');
  const actions = useActions();
  const trigger = useRef<HTMLButtonElement>(null);
  // Windows that open from here give the focus back to this button.
  const item = (label: string, icon: ReactNode, run: () => void, disabled = false): MenuItem => ({
    label,
    icon,
    disabled,
    onSelect: () => {
      trigger.current?.focus();
      run();
    },
  });
  const items: MenuItem[] = [];
  if (actions.canWrite)
    items.push(
      item(tc('checkpoint.here'), <Flag size={15} aria-hidden />, () => actions.checkpoint(message.id)),
      item(
        tc('dmail.send'),
        <MailPlus size={15} aria-hidden />,
        () => actions.sendBack(message),
        !actions.canAsk,
      ),
    );
  if (message.ledger !== undefined)
    items.push(item(tc('ledger.open'), <ReceiptText size={15} aria-hidden />, () => actions.ledger(message)));
  if (items.length === 0) return null;
  return (
    <Menu
      keepFocus
      align="start"
      trigger={
        <IconButton ref={trigger} size="sm" label={t('more')} icon={<Ellipsis size={15} aria-hidden />} />
      }
      items={items}
    />
  );
}

/** Where a letter came from, and where letters went from here. */
function DmailLinks({ row }: { row: Extract<Row, { type: 'message' }> }) {
  const { t } = useTranslation('context');
  const actions = useActions();
  const { arrived, left } = row;
  if (arrived.length === 0 && left.length === 0) return null;
  const link = (key: string, label: string, target: string) => (
    <button
      key={key}
      type="button"
      onClick={() => actions.jump(target as MessageId)}
      className="touchable inline-flex items-center gap-1.5 rounded-xs text-branch text-xs hover:underline"
    >
      <Mail size={13} aria-hidden />
      {label}
    </button>
  );
  return (
    <div className={classes('flex flex-wrap gap-x-3 py-0.5', row.message.role === 'user' && 'justify-end')}>
      {arrived.map(({ id, dmail }) => dmail && link(`from ${id}`, t(`dmail.from.${dmail.by}`), dmail.from))}
      {left.map(({ mail, dmail }) => link(mail.id, t(`dmail.left.${dmail.by}`), mail.id))}
    </div>
  );
}

const Stamp = ({ at }: { at: number }) =>
  at > 0 ? (
    <time dateTime={new Date(at).toISOString()} title={formatExact(at)} className="px-1 text-ink-3 text-xs">
      {formatRelative(at)}
    </time>
  ) : null;

/** The parts of an answer in the order in which they came. */
function AnswerParts({
  parts,
  results,
  running,
  message,
}: {
  parts: readonly Part[];
  results: ReadonlyMap<string, PartOf<'tool-result'>>;
  running: boolean;
  /** The message they belong to, once it is kept: its tools' results can be sent back in other words. */
  message?: Message;
}) {
  const { t } = useTranslation('chat');
  const actions = useContext(MessageActionsContext);
  const rewordable = message && actions?.canWrite && actions.canAsk ? message : undefined;
  const own = new Map<string, PartOf<'tool-result'>>();
  const called = new Set<string>();
  for (const part of parts) {
    if (part.type === 'tool-result') own.set(part.callId, part);
    if (part.type === 'tool-call') called.add(part.callId);
  }
  const draw = (part: Part, at: number): ReactNode => {
    const last = running && at === parts.length - 1;
    const key = `${at}`;
    switch (part.type) {
      case 'text':
        return <Markdown key={key} text={part.text} streaming={last} />;
      case 'reasoning':
        return <Reasoning key={key} part={part} running={last} />;
      case 'tool-call':
        return (
          <ToolLine
            key={key}
            call={part}
            result={own.get(part.callId) ?? results.get(part.callId)}
            running={running}
            onReword={rewordable && (() => actions?.sendBack(rewordable, part.callId))}
          />
        );
      case 'tool-result':
        // Its call shows it; only a result that lost its call stands alone.
        return called.has(part.callId) ? null : (
          <ToolLine
            key={key}
            call={{ type: 'tool-call', callId: part.callId, name: part.name ?? t('tool'), arguments: '' }}
            result={part}
            running={false}
          />
        );
      case 'file':
        return (
          <div key={key} className="my-2">
            <FilePart part={part} />
          </div>
        );
      case 'recall':
        return null;
      case 'unknown':
        return (
          <Fold
            key={key}
            icon={<StickyNote size={14} aria-hidden />}
            body={() => (
              <pre className="overflow-auto font-mono text-xs">{JSON.stringify(part.original, null, 2)}</pre>
            )}
          >
            {t('unknownPart')}
          </Fold>
        );
    }
  };
  return parts.map(draw);
}

/** What went into the answer from other conversations. */
function Recalled({ parts, defaultOpen = false }: { parts: readonly Part[]; defaultOpen?: boolean }) {
  const actions = useActions();
  const recall = parts.find((part) => part.type === 'recall');
  if (!recall || (recall.passages.length === 0 && recall.nearMisses.length === 0)) return null;
  return (
    <div className="my-2" data-recall>
      <RecallCard
        passages={recall.passages}
        nearMisses={recall.nearMisses}
        threshold={recall.threshold}
        query={recall.query}
        defaultOpen={defaultOpen}
        onOpen={(passage) => actions.open(passage.conversationId, passage.messageId)}
      />
    </div>
  );
}

/** Whether memory had nothing at all, not even near misses (of which the card speaks). */
const isEmptyRecall = (parts: readonly Part[]): boolean =>
  parts.every(
    (part) => part.type !== 'recall' || (part.passages.length === 0 && part.nearMisses.length === 0),
  );

/** Model, tokens, seconds, and the amber mark where memory was used. */
function UsageLine({ message }: { message: Message }) {
  const { t } = useTranslation('chat');
  const { t: tc } = useTranslation('context');
  const recall = message.parts.find((part) => part.type === 'recall');
  const recalled = recall?.passages.length ?? 0;
  const { usage } = message;
  const facts = [
    message.model,
    message.reused !== undefined && tc('dmail.reused'),
    usage?.outputTokens !== undefined &&
      (usage.inputTokens !== undefined
        ? t('usageBoth', {
            input: formatNumber(usage.inputTokens),
            output: formatNumber(usage.outputTokens),
          })
        : t('usage', { output: formatNumber(usage.outputTokens) })),
    message.durationMs !== undefined && formatDuration(message.durationMs),
  ].filter((fact): fact is string => typeof fact === 'string' && fact !== '');
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-x-2 text-ink-3 text-xs">
      {recalled > 0 && message.kind !== 'recall' && (
        <span className="inline-flex items-center gap-1 text-memory">
          <History size={12} aria-hidden />
          {t('fromMemory', { count: recalled })}
        </span>
      )}
      {facts.length > 0 && <span className="truncate">{facts.join(' · ')}</span>}
    </span>
  );
}

/** A clear line where an answer did not end by itself. */
function Ending({ message }: { message: Message }) {
  const { t } = useTranslation('chat');
  const actions = useActions();
  const retry = actions.canWrite && (
    <Button
      size="sm"
      icon={<RefreshCw size={14} aria-hidden />}
      disabled={!actions.canAsk}
      onClick={() => actions.regenerate(message.id)}
    >
      {t('retry')}
    </Button>
  );
  if (message.finish === 'error' || message.finish === 'cut')
    return (
      <ProblemNotice
        className="my-2"
        problem={
          message.problem ?? {
            code: message.finish === 'cut' ? 'model-cut' : 'unexpected',
            message: t(message.finish === 'cut' ? 'cut' : 'failed'),
          }
        }
        actions={retry}
      />
    );
  if (message.finish === 'stopped' || message.finish === 'length')
    return (
      <div className="my-2 flex items-center gap-2 text-ink-2 text-sm">
        <TriangleAlert size={15} aria-hidden className="shrink-0 text-ink-3" />
        <span>{t(message.finish === 'stopped' ? 'stopped' : 'lengthReached')}</span>
        {retry}
      </div>
    );
  return null;
}

function Answer({
  message,
  siblings,
  continued,
  results,
  last,
}: {
  message: Message;
  siblings: Siblings | null;
  continued: boolean;
  results: ReadonlyMap<string, PartOf<'tool-result'>>;
  last: boolean;
}) {
  const { t } = useTranslation('chat');
  const actions = useActions();
  const fromMemory = message.kind === 'recall';
  const text = textOf(message);
  return (
    <div className={continued ? 'pt-1' : 'pt-1 pb-3'}>
      {fromMemory && (
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1 pb-1 text-sm">
          <span className="inline-flex items-center gap-1.5 font-medium text-memory">
            <History size={15} aria-hidden />
            {t('recallAnswer')}
          </span>
          {!actions.hasModel && (
            <button
              type="button"
              onClick={actions.connectModel}
              className="text-accent underline underline-offset-2"
            >
              {t('connectModel')}
            </button>
          )}
        </div>
      )}
      <Recalled parts={message.parts} defaultOpen={fromMemory} />
      {fromMemory && message.finish !== 'error' && !text && isEmptyRecall(message.parts) && (
        <p className="reading text-ink-2">{t('recallNothing')}</p>
      )}
      <AnswerParts parts={message.parts} results={results} running={false} message={message} />
      <Ending message={message} />
      {!continued && (
        <div className="mt-1 flex min-h-7 flex-wrap items-center gap-x-2 gap-y-1">
          {siblings && <SiblingArrows siblings={siblings} />}
          <UsageLine message={message} />
          <div className={classes(TOOLS, last && 'opacity-100')}>
            {text && <CopyButton text={text} />}
            {actions.canWrite && (
              <IconButton
                size="sm"
                label={t('regenerate')}
                icon={<RefreshCw size={15} aria-hidden />}
                disabled={!actions.canAsk}
                onClick={() => actions.regenerate(message.id)}
              />
            )}
            <RarerTools message={message} />
            <Stamp at={message.createdAt} />
          </div>
        </div>
      )}
    </div>
  );
}

/** What a tool wrote into the conversation for itself: kept, folded, hatched. */
export function Notes({
  messages,
  results,
}: {
  messages: readonly Message[];
  results: ReadonlyMap<string, PartOf<'tool-result'>>;
}) {
  const { t } = useTranslation('chat');
  return (
    <Fold
      icon={<StickyNote size={14} aria-hidden className="shrink-0" />}
      body={() => (
        <div className="flex flex-col gap-3 text-ink-2">
          {messages.map((message) => (
            <div key={message.id} className="[&_.prose]:text-sm!">
              <AnswerParts parts={message.parts} results={results} running={false} />
            </div>
          ))}
        </div>
      )}
    >
      {t('notes', { count: messages.length })}
    </Fold>
  );
}

/** A message of the branch. Focusable, so that J and K can walk; `marked` while it glows after a jump. */
export const MessageView = memo(function MessageView({
  row,
  results,
  marked,
  last,
}: {
  row: Extract<Row, { type: 'message' }>;
  results: ReadonlyMap<string, PartOf<'tool-result'>>;
  marked: boolean;
  last: boolean;
}) {
  const { t } = useTranslation('chat');
  const { t: tc } = useTranslation('context');
  const { message } = row;
  const who = message.role === 'user' ? 'you' : message.role === 'assistant' ? 'model' : message.role;
  return (
    <article
      data-message-id={message.id}
      tabIndex={-1}
      aria-label={t(`said.${message.kind === 'recall' ? 'memory' : who}`)}
      className={classes(
        'group/message -mx-3 rounded-lg px-3 outline-none transition-colors duration-700 focus-visible:bg-fill/50 md:-mx-4 md:px-4',
        marked && 'bg-memory-soft! ring-1 ring-memory-line',
        row.folded && 'folded-edge',
      )}
    >
      {row.folded && <span className="sr-only">{tc('divider.foldedMessage')}</span>}
      {message.role === 'user' ? (
        <PersonMessage message={message} siblings={row.siblings} />
      ) : message.role === 'assistant' ? (
        <Answer
          message={message}
          siblings={row.siblings}
          continued={row.continued}
          results={results}
          last={last}
        />
      ) : (
        <div className="py-1">
          <Fold
            icon={<StickyNote size={14} aria-hidden className="shrink-0" />}
            body={() => <AnswerParts parts={message.parts} results={results} running={false} />}
          >
            {t(`said.${who}`)}
          </Fold>
        </div>
      )}
      <DmailLinks row={row} />
    </article>
  );
});

const NO_RESULTS: ReadonlyMap<string, PartOf<'tool-result'>> = new Map();

/** The answer that is being written. */
export function RunningAnswer({ turn }: { turn: TurnState }) {
  const { t } = useTranslation('chat');
  const { t: tc } = useTranslation('context');
  const written = turn.parts.some((part) => part.type !== 'recall');
  let foot: ReactNode = null;
  if (turn.status === 'compacting') foot = <CompactionRunning />;
  else if (!written || turn.status === 'calling')
    foot = (
      <p
        className={classes(
          'flex items-center gap-2.5 py-1.5 text-sm',
          turn.status === 'recalling' ? 'text-memory' : 'text-ink-3',
        )}
      >
        <Spinner className="scale-90" />
        {turn.status === 'recalling'
          ? t('recalling')
          : turn.status === 'calling'
            ? t('calling', { tools: turn.calls.map(({ name }) => name).join(', ') })
            : turn.status === 'confirming'
              ? t('confirming')
              : turn.model
                ? t('waitingFor', { model: turn.model })
                : t('waiting')}
      </p>
    );
  return (
    <article aria-label={t('said.model')} aria-busy className="pt-1 pb-6">
      {turn.replay && turn.replay.total > 0 && (
        <p role="status" className="pb-1 text-branch text-xs tabular-nums">
          {tc('dmail.replay.running', { done: turn.replay.done, total: turn.replay.total })}
          {turn.replay.saved > 0 && ` · ${tc('dmail.replay.saved', { count: turn.replay.saved })}`}
        </p>
      )}
      <Recalled parts={turn.parts} />
      <AnswerParts parts={turn.parts} results={NO_RESULTS} running />
      {foot}
    </article>
  );
}
