// Panel on the open conversation's current state: model, tokens, passages, other branches.
import { ChevronsDownUp, GitBranch, History, ReceiptText, Route, X } from 'lucide-react';
import { useMemo } from 'react';
import type { MessageId } from '../../domain/base/ids.ts';
import type { ListedCheckpoint } from '../../domain/chat/checkpoint.ts';
import type { Conversation } from '../../domain/chat/conversation.ts';
import { dmailNoteOf } from '../../domain/chat/dmail.ts';
import {
  type Message,
  type Part,
  passagesGivenBy,
  type RecalledPassage,
  textOf,
} from '../../domain/chat/message.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useSession } from '../hooks/session.tsx';
import { formatExact, formatNumber, formatRelative } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { plainLine } from '../memory/marked-text.tsx';
import { passageTitle } from '../memory/passage-title.ts';
import { Button, IconButton } from '../shell/controls.tsx';
import { useReport } from '../shell/conversation-actions.tsx';
import { offer } from '../shell/offer.ts';
import { useReadableWords } from '../shell/private-text.tsx';
import { ProblemNotice } from '../shell/problem-notice.tsx';
import { Checkpoints } from './checkpoints.tsx';
import type { Shortening } from './compaction.tsx';
import { SiblingArrows } from './message-tools.tsx';
import { Section } from './panel-section.tsx';
import type { Branch } from './rows.ts';

interface ContextFacts {
  /** Latest model answer on this branch. */
  readonly last: Message | null;
  readonly recalled: readonly RecalledPassage[];
  /** Messages with siblings, each with the number of siblings. */
  readonly forks: readonly {
    readonly message: Message;
    readonly index: number;
    readonly ids: readonly MessageId[];
  }[];
  /** Number of compacted messages on the branch. */
  readonly compacted: number;
}

/** Collects facts on a branch. `turn`: passages given to the answer being written count, too. */
export function contextFacts(branch: Branch, turn: readonly Part[]): ContextFacts {
  const last =
    branch.path.findLast((message) => message.role === 'assistant' && message.kind === 'message') ?? null;
  const recalled = new Map<string, RecalledPassage>();
  for (const parts of [...branch.path.map((message) => message.parts), turn])
    for (const part of parts)
      for (const passage of passagesGivenBy(part))
        recalled.set(`${passage.messageId} ${passage.passage}`, passage);
  const forks = branch.rows.flatMap((row) =>
    row.type === 'message' && row.siblings
      ? [{ message: row.message, index: row.siblings.index, ids: row.siblings.ids }]
      : [],
  );
  return { last, recalled: [...recalled.values()], forks, compacted: branch.compacted.size };
}

const oneLine = (message: Message): string =>
  plainLine((dmailNoteOf(message) ?? textOf(message)).slice(0, 600)).slice(0, 140);

/** Shows the request in which a model named the conversation: it sent words and cost tokens like any other. */
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
  shorten,
  onManifest,
  onCheckpoint,
  onRestore,
  onCompare,
  onBranches,
  onCheckpointsFocused,
  onClose,
}: {
  conversation: Conversation;
  facts: ContextFacts;
  /** Model that answers next; null: memory. */
  model: string | null;
  onJump: (message: MessageId) => void;
  onOpen: (conversationId: string, messageId: string) => void;
  onShow: (sibling: MessageId) => void;
  /** Absent if there is nothing to compact or the conversation is read-only. */
  shorten?: Shortening | undefined;
  onManifest: (answer: Message) => void;
  /**
   * Names the shown place; an empty name takes the next number. Absent if there is no
   * place or the conversation is read-only.
   */
  onCheckpoint: ((name: string) => void) | undefined;
  onRestore: (checkpoint: ListedCheckpoint) => void;
  onCompare: (message: MessageId) => void;
  onBranches: () => void;
  /** Present while the checkpoints are to take the focus; called once they have it. */
  onCheckpointsFocused: (() => void) | undefined;
  /** Absent if the frame has its own close button. */
  onClose?: () => void;
}) {
  const { t } = useTranslation('chat');
  const { t: tc } = useTranslation('context');
  const { last, recalled, forks, compacted } = facts;
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
      {last && <LastAnswer last={last} model={model} onManifest={onManifest} />}
      <Shortened conversation={conversation} compacted={compacted} shorten={shorten} />
      {recalled.length > 0 && <Recalled passages={recalled} onOpen={onOpen} />}
      {forks.length > 0 && <Forks forks={forks} onJump={onJump} onShow={onShow} />}
      <Checkpoints
        conversation={conversation}
        onJump={onJump}
        onSet={onCheckpoint}
        onRestore={onRestore}
        onCompare={onCompare}
        onFocused={onCheckpointsFocused}
      />
      <Section icon={<Route size={15} aria-hidden className="text-branch" />} title={tc('panel.branches')}>
        <Button size="sm" onClick={onBranches}>
          {tc('panel.openBranches')}
        </Button>
      </Section>
    </div>
  );
}

/** Shows usage of the last answer, its model if another one is in use now, and its request. */
function LastAnswer({
  last,
  model,
  onManifest,
}: {
  last: Message;
  model: string | null;
  onManifest: (answer: Message) => void;
}) {
  const { t } = useTranslation('chat');
  const { t: tc } = useTranslation('context');
  const usage = last.usage;
  const numbers: [string, string][] = [];
  if (last.model && last.model !== model) numbers.push([t('context.by'), last.model]);
  if (usage?.inputTokens !== undefined) numbers.push([t('context.input'), formatNumber(usage.inputTokens)]);
  if (usage?.cachedInputTokens) numbers.push([t('context.cached'), formatNumber(usage.cachedInputTokens)]);
  if (usage?.outputTokens !== undefined)
    numbers.push([t('context.output'), formatNumber(usage.outputTokens)]);
  if (usage?.reasoningTokens) numbers.push([t('context.reasoning'), formatNumber(usage.reasoningTokens)]);
  if (numbers.length === 0) return null;
  return (
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
      {last.ledger && (
        <Button
          size="sm"
          className="mt-2.5"
          icon={<ReceiptText size={14} aria-hidden />}
          onClick={() => onManifest(last)}
        >
          {tc('manifest.open')}
        </Button>
      )}
    </Section>
  );
}

/** Shows the messages left out of requests, and the session memory that replaces them. */
function Shortened({
  conversation,
  compacted,
  shorten,
}: {
  conversation: Conversation;
  compacted: number;
  shorten: Shortening | undefined;
}) {
  const { t } = useTranslation('context');
  const { context, settings } = useApp();
  const { memoryFile } = useSession();
  const report = useReport();
  const byModel = useReadable(settings.config, (config) => config.context.session_memory.by_model);
  const setByModel = (on: boolean) => settings.set('context.session_memory.by_model', on);
  const stop = () =>
    setByModel(false).then(
      () =>
        offer(t('panel.memoryJobIsOff'), {
          label: t('checkpoint.undo'),
          onClick: () => void setByModel(true).catch(report),
        }),
      report,
    );
  const job = useReadable(
    useMemo(() => context.state(conversation.id), [context, conversation.id]),
    (state) => state.sessionMemory,
  );
  if (compacted === 0 && !shorten && !job) return null;
  return (
    <Section
      icon={<ChevronsDownUp size={15} aria-hidden className="text-compacted" />}
      title={t('panel.compacted')}
    >
      <div className="flex flex-wrap items-center gap-2">
        {compacted > 0 && (
          <span className="w-full text-ink-2">{t('panel.compactedCount', { count: compacted })}</span>
        )}
        {shorten && (
          <>
            <Button size="sm" onClick={shorten.now}>
              {t('panel.compactNow')}
            </Button>
            <Button size="sm" onClick={shorten.withOptions}>
              {t('panel.compactOptions')}
            </Button>
          </>
        )}
        <Button size="sm" onClick={() => memoryFile.set(conversation.id)}>
          {t('panel.memoryFile')}
        </Button>
      </div>
      {job && (
        <p className="mt-2 text-ink-3 text-xs tabular-nums">
          {t(job.running ? 'panel.memoryJobRunning' : 'panel.memoryJob', {
            tokens: job.tokens,
            budget: job.budget,
          })}
        </p>
      )}
      {job && byModel && (
        <Button size="sm" className="mt-2" onClick={() => void stop()}>
          {t('panel.memoryJobOff')}
        </Button>
      )}
      {job?.problem && <ProblemNotice problem={job.problem} compact className="mt-2" />}
    </Section>
  );
}

function Recalled({
  passages,
  onOpen,
}: {
  passages: readonly RecalledPassage[];
  onOpen: (conversationId: string, messageId: string) => void;
}) {
  const { t } = useTranslation('chat');
  const { t: tm } = useTranslation('memory');
  const readable = useReadableWords();
  return (
    <Section
      icon={<History size={15} aria-hidden className="text-memory" />}
      title={
        <>
          {t('context.recalled')} <span className="text-ink-3">{passages.length}</span>
        </>
      }
    >
      <ul className="flex flex-col gap-1">
        {passages.map((passage) => (
          <li key={`${passage.messageId} ${passage.passage.slice(0, 40)}`}>
            <button
              type="button"
              onClick={() => onOpen(passage.conversationId, passage.messageId)}
              className="touchable -mx-2 block w-[calc(100%+1rem)] rounded-r-sm border-memory-line border-l-2 px-2 py-1.5 text-left hover:bg-memory-soft"
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
              <span className="line-clamp-2 text-ink-2 text-xs">{plainLine(readable(passage.passage))}</span>
            </button>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** Lists the forks of the conversation, to move between branches. */
function Forks({
  forks,
  onJump,
  onShow,
}: {
  forks: ContextFacts['forks'];
  onJump: (message: MessageId) => void;
  onShow: (sibling: MessageId) => void;
}) {
  const { t } = useTranslation('chat');
  return (
    <Section
      icon={<GitBranch size={15} aria-hidden className="text-branch" />}
      title={
        <>
          {t('context.forks')} <span className="text-ink-3">{forks.length}</span>
        </>
      }
    >
      <ul className="flex flex-col gap-1">
        {forks.map(({ message, index, ids }) => (
          <li key={message.id} className="flex items-center gap-1">
            <button
              type="button"
              onClick={() => onJump(message.id)}
              className="touchable -ml-2 min-w-0 flex-1 rounded-sm px-2 py-1.5 text-left hover:bg-fill"
            >
              <span className="block truncate text-ink-2">{oneLine(message) || t('said.model')}</span>
            </button>
            <SiblingArrows siblings={{ index, ids }} onShow={onShow} />
          </li>
        ))}
      </ul>
    </Section>
  );
}
