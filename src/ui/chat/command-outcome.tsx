// Draws the outcome of a slash command. Its code comes with the first one (`outcomes.tsx`).

import { useMemo, useState } from 'react';
import type { ConversationId } from '../../domain/base/ids.ts';
import type { ListedCheckpoint } from '../../domain/chat/checkpoint.ts';
import { shownTitle } from '../../domain/text/shown.ts';
import type { CommandOutcome } from '../../services/commands/command.ts';
import type { CompactResult } from '../../services/context/context.ts';
import type { LibraryEntry } from '../../services/documents/documents.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useNavigation } from '../hooks/navigation.tsx';
import { useSession } from '../hooks/session.tsx';
import { formatBytes, formatExact, formatNumber, formatRelative, wordsFor } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { nearOnes } from '../memory/closeness.ts';
import { plainLine } from '../memory/marked-text.tsx';
import { useOpenPassage } from '../memory/open-passage.ts';
import { Passage } from '../memory/passage.tsx';
import { RecallCard } from '../memory/recall-card.tsx';
import { RecallNote } from '../memory/recall-note.tsx';
import { useUsablePassages } from '../memory/usable-passages.ts';
import { Badge, Button, Kbd } from '../shell/controls.tsx';
import { useReport } from '../shell/conversation-actions.tsx';
import { offer } from '../shell/offer.ts';
import { ProblemNotice } from '../shell/problem-notice.tsx';
import { BranchSide } from './branch-dialog.tsx';
import { CompactionMethod, readCompaction } from './compaction.tsx';
import { isEmptyPage } from './empty-page.ts';
import { recallOf, stretchesOf } from './explained.ts';

function Entries({ entries }: { entries: readonly LibraryEntry[] }) {
  const { t } = useTranslation('chat');
  const navigation = useNavigation();
  if (entries.length === 0) return <p className="text-ink-2">{t('noConversations')}</p>;
  return (
    <ul className="-mx-2 flex flex-col">
      {entries.map((entry) => (
        <li key={entry.id}>
          <button
            type="button"
            onClick={() => navigation.openConversation(entry.id)}
            className="touchable flex w-full items-baseline gap-3 rounded-sm px-2 py-1.5 text-left hover:bg-fill"
          >
            <span dir="auto" className="min-w-0 flex-1 truncate">
              {shownTitle(entry.title, t('untitled'))}
            </span>
            {entry.archived && <Badge>{t('archived')}</Badge>}
            <span className="shrink-0 text-ink-3 text-xs">
              {t('messageCount', { count: entry.messageCount })}
            </span>
            <time
              dateTime={new Date(entry.updatedAt).toISOString()}
              title={formatExact(entry.updatedAt)}
              className="w-24 shrink-0 text-right text-ink-3 text-xs"
            >
              {formatRelative(entry.updatedAt)}
            </time>
          </button>
        </li>
      ))}
    </ul>
  );
}

function Help({ only }: { only: string | undefined }) {
  const { commands } = useApp();
  useTranslation('commands');
  const { t: say } = useTranslation('chat');
  const help = (key: string) => wordsFor('commands', key) ?? '';
  return (
    <div className="flex flex-col gap-4">
      {commands
        .filter((command) => only === undefined || command.name === only)
        .map((command) => (
          <section key={command.name}>
            <h3 className="flex flex-wrap items-baseline gap-x-3">
              <span className="font-medium font-mono text-[0.8125rem]">/{command.name}</span>
              <span className="text-ink-2">{help(`${command.name}.summary`)}</span>
            </h3>
            {command.arguments.length > 0 && (
              <dl className="mt-1 grid grid-cols-[max-content_1fr] gap-x-4 gap-y-0.5 pl-4 text-ink-2">
                {command.arguments
                  .flatMap((argument) =>
                    argument.kind === 'choice'
                      ? (argument.choices ?? [])
                      : [argument.kind === 'flag' ? `--${argument.name}` : argument.name],
                  )
                  .map((name) => (
                    <div key={name} className="contents">
                      <dt className="font-mono text-[0.8125rem] text-ink">{name}</dt>
                      <dd>{help(`${command.name}.${name}`)}</dd>
                    </div>
                  ))}
              </dl>
            )}
          </section>
        ))}
      <p className="flex items-center gap-2 text-ink-3">
        <Kbd keys="Mod+/" /> {say('helpKeys')}
      </p>
    </div>
  );
}

/** Shows the outcome of /compact. */
function CompactionOutcome({
  result,
  undo,
}: {
  result: CompactResult;
  undo: (() => Promise<void>) | undefined;
}) {
  const { t } = useTranslation('context');
  const report = useReport();
  switch (result.outcome) {
    case 'applied':
      return (
        <>
          <p className="flex flex-wrap items-center gap-3">
            <span>
              {t('divider.compacted', {
                count: readCompaction(result.compaction)?.compacted ?? 0,
                before: result.compaction.tokensBefore,
                after: result.compaction.tokensAfter,
              })}
            </span>
            {undo && (
              <Button size="sm" onClick={() => void undo().catch(report)}>
                {t('divider.undo')}
              </Button>
            )}
          </p>
          <CompactionMethod compaction={result.compaction} />
        </>
      );
    case 'preview':
      return <p className="text-ink-2">{t('plan.shown')}</p>;
    case 'nothing':
      return <p className="text-ink-2">{t('plan.nothing')}</p>;
    case 'cancelled':
      return <p className="text-ink-2">{t('plan.cancelled')}</p>;
    case 'failed':
      return <ProblemNotice problem={result.problem} compact />;
  }
}

function CheckpointList({ checkpoints }: { checkpoints: readonly ListedCheckpoint[] }) {
  const { t } = useTranslation('context');
  const app = useApp();
  const session = useSession();
  const report = useReport();
  const id = useReadable(session.current);
  if (checkpoints.length === 0) return <p className="text-ink-2">{t('panel.none')}</p>;
  const restore = (conversation: ConversationId, { name, messageId }: ListedCheckpoint) => {
    app.context.restore(conversation, messageId).then(
      ({ undo }) =>
        offer(t('checkpoint.restored', { name }), {
          label: t('checkpoint.undo'),
          onClick: () => void undo().catch(report),
        }),
      report,
    );
  };
  return (
    <ul className="divide-y divide-line">
      {checkpoints.map((one) => (
        <li key={`${one.kind} ${one.name}`} className="flex items-center gap-3 py-1.5">
          <span className="min-w-0 flex-1">
            <span className="flex flex-wrap items-center gap-x-2">
              <span data-checkpoint className="min-w-0 font-medium [overflow-wrap:anywhere]">
                {one.name}
              </span>
              <Badge tone="branch">{t(`checkpoint.kind.${one.kind}`)}</Badge>
            </span>
            <span className="block truncate text-ink-3 text-xs">{plainLine(one.firstLine)}</span>
          </span>
          {one.createdAt > 0 && (
            <time
              dateTime={new Date(one.createdAt).toISOString()}
              title={formatExact(one.createdAt)}
              className="shrink-0 text-ink-3 text-xs"
            >
              {formatRelative(one.createdAt)}
            </time>
          )}
          {id !== null && (
            <Button size="sm" onClick={() => restore(id, one)}>
              {t('panel.restore')}
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Shows /recall --explain: passages that would go into the prompt, to tick or untick before anything is sent. */
function Explained({ outcome }: { outcome: Extract<CommandOutcome, { type: 'explain' }> }) {
  const { t } = useTranslation('memory');
  const app = useApp();
  const session = useSession();
  const navigation = useNavigation();
  const report = useReport();
  const id = useReadable(session.current);
  const { draft } = outcome;
  const usable = useUsablePassages();
  const openPassage = useOpenPassage();
  const result = useMemo(
    () => ({
      ...outcome.result,
      passages: usable(outcome.result.passages),
      nearMisses: nearOnes(usable(outcome.result.nearMisses)),
    }),
    [outcome.result, usable],
  );
  const shownFrom = useReadable(app.settings.config, ({ recall }) => recall.filters.min_similarity);
  const { goesIn, shown, missed } = stretchesOf(result, shownFrom);
  const stretches = [
    { name: 'goesIn', listed: goesIn, line: null },
    { name: 'shown', listed: shown, line: t('explain.shown') },
    { name: 'missed', listed: missed, line: t('explain.missed') },
  ].filter(({ listed }) => listed.length > 0);
  const [ticked, setTicked] = useState<ReadonlySet<string>>(
    () => session.ticks.get(outcome) ?? new Set(outcome.result.passages.map(({ messageId }) => messageId)),
  );
  const tick = (messageId: string, on: boolean) => {
    const next = new Set(ticked);
    if (on) next.add(messageId);
    else next.delete(messageId);
    setTicked(next);
    session.ticks.set(outcome, next);
  };
  const [sent, setSent] = useState(false);
  const recall = recallOf(result, ticked);
  const tokens = recall.passages.reduce((sum, passage) => sum + passage.tokens, 0);
  const send = () => {
    setSent(true);
    app.chat
      .send({
        ...(id === null ? {} : { conversationId: id }),
        parts: [{ type: 'text', text: draft }],
        recall,
      })
      .then(
        ({ conversationId }) => {
          session.follow(conversationId);
          if (id === null && isEmptyPage())
            navigation.openConversation(conversationId, null, { replace: true });
        },
        (error: unknown) => {
          setSent(false);
          report(error);
        },
      );
  };
  if (stretches.length === 0)
    return (
      <div className="space-y-3">
        {result.degraded ? (
          <ProblemNotice problem={result.degraded} compact />
        ) : (
          <p className="text-ink-2">{t('screen.try.none')}</p>
        )}
        <Button size="sm" disabled={sent} onClick={send}>
          {t('explain.sendPlain')}
        </Button>
      </div>
    );
  return (
    <div className="space-y-3">
      {result.degraded && <ProblemNotice problem={result.degraded} compact />}
      <p className="text-ink-2">{t('explain.lead', { draft })}</p>
      <div className="@container divide-y divide-memory-line/60 rounded-lg border border-memory-line bg-memory-soft">
        {stretches.map(({ name, listed, line }) => (
          <div key={name}>
            {line && <p className="px-3 pt-2 pb-1 text-ink-3 text-xs">{line}</p>}
            <ul className="divide-y divide-memory-line/60">
              {listed.map((passage) => (
                <Passage
                  key={`${passage.messageId} ${passage.passage}`}
                  passage={passage}
                  query={result.query}
                  threshold={result.threshold}
                  missed={name === 'missed'}
                  tick={{
                    ticked: ticked.has(passage.messageId),
                    onTick: (on) => tick(passage.messageId, on),
                  }}
                  onOpen={openPassage}
                />
              ))}
            </ul>
          </div>
        ))}
      </div>
      <div className="flex flex-wrap items-center gap-3">
        <Button variant="primary" size="sm" disabled={sent} onClick={send}>
          {t('explain.send')}
        </Button>
        <span className="text-ink-3 text-xs">
          {t('card.passages', { count: recall.passages.length })} · {t('card.tokens', { count: tokens })}
        </span>
      </div>
    </div>
  );
}

/** Shows how far the memory index has got. */
function Status({ outcome: { status, stats } }: { outcome: Extract<CommandOutcome, { type: 'status' }> }) {
  const { t } = useTranslation(['chat', 'memory']);
  const { pausedHere } = useSession();
  // Ignores the pause that the typing of this command itself caused in memory.
  const [asked] = useState(() => pausedHere.get());
  const state = status.state === 'paused' && !asked ? 'typing' : status.state;
  const rows: [string, string][] = [
    [t('status.state'), t(`status.states.${state}`)],
    [t('status.conversations'), formatNumber(stats.conversations)],
    [t('status.messages'), formatNumber(stats.messages)],
    [t('status.passages'), formatNumber(stats.chunks)],
    [t('status.vectors'), formatNumber(stats.vectors)],
    [t('status.unread'), formatNumber(status.unread)],
    [t('status.waiting'), formatNumber(status.waiting)],
    [t('status.size'), formatBytes(stats.bytes)],
    [t('status.engine'), status.engine ? t(`memory:screen.facts.engines.${status.engine}`) : '–'],
  ];
  return (
    <div className="flex flex-col gap-3">
      <dl className="grid max-w-100 grid-cols-[1fr_max-content] gap-x-6 gap-y-1">
        {rows.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-ink-2">{name}</dt>
            <dd className="text-right tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
      {status.problem && <ProblemNotice problem={status.problem} compact />}
    </div>
  );
}

/** Draws an outcome. Outcomes that navigate (open, screen) have done so already and draw nothing. */
export function CommandOutcomeView({ outcome }: { outcome: CommandOutcome }) {
  const { t } = useTranslation(['chat', 'shell']);
  useTranslation('commands');
  const openPassage = useOpenPassage();
  const report = useReport();
  switch (outcome.type) {
    case 'recall': {
      const { result, withContext } = outcome;
      const bare = <P extends (typeof result.passages)[number]>(passage: P): P =>
        withContext ? passage : { ...passage, neighbours: [] };
      return (
        <div className="flex flex-col gap-2">
          {result.degraded && <ProblemNotice problem={result.degraded} compact />}
          {result.passages.length === 0 && nearOnes(result.nearMisses).length === 0 ? (
            // If the index did not answer, we cannot say that there is nothing.
            !result.unavailable && <p className="text-ink-2">{t('recallNothing')}</p>
          ) : (
            <RecallCard
              passages={result.passages.map(bare)}
              nearMisses={result.nearMisses.map(bare)}
              threshold={result.threshold}
              query={result.query}
              unsent
              defaultOpen
              onOpen={openPassage}
            />
          )}
          {result.scope && (
            <RecallNote
              recall={{
                type: 'recall',
                query: result.query,
                threshold: result.threshold,
                passages: [...result.passages],
                nearMisses: [...result.nearMisses],
                scope: result.scope,
              }}
            />
          )}
          <p className="text-ink-3 text-xs">
            {t(result.mode === 'hybrid' ? 'recallHybrid' : 'recallKeyword', {
              ms: formatNumber(Math.round(result.tookMs)),
            })}
          </p>
        </div>
      );
    }
    case 'compaction':
      return <CompactionOutcome result={outcome.result} undo={outcome.undo} />;
    case 'checkpoints':
      return <CheckpointList checkpoints={outcome.checkpoints} />;
    case 'diff':
      return (
        <div className="grid gap-4 md:grid-cols-2">
          <BranchSide title={outcome.left} messages={outcome.diff.left} />
          <BranchSide title={outcome.right} messages={outcome.diff.right} />
        </div>
      );
    case 'explain':
      return <Explained outcome={outcome} />;
    case 'conversations':
      return <Entries entries={outcome.entries} />;
    case 'status':
      return <Status outcome={outcome} />;
    case 'help':
      return <Help only={outcome.command} />;
    case 'download':
      return <p className="text-ink-2">{t('shell:downloaded', { name: outcome.file.name })}</p>;
    case 'done': {
      const key = `done.${outcome.what}`;
      const params = { ...outcome.params };
      const words = wordsFor('commands', key, params) ?? t('done');
      const { undo } = outcome;
      return (
        <p className="flex flex-wrap items-center gap-3">
          <span>{words}</span>
          {undo && (
            <Button
              size="sm"
              onClick={() => {
                undo().catch(report);
              }}
            >
              {t('undo')}
            </Button>
          )}
        </p>
      );
    }
    case 'problem':
      return <ProblemNotice problem={outcome.problem} compact />;
    case 'open':
    case 'screen':
    case 'forget':
    case 'memory-file':
      return null;
  }
}
