// Shows how much room conversations, index and models take, and whether the browser may delete them.

import { ShieldAlert, ShieldCheck } from 'lucide-react';
import { useCallback, useState } from 'react';
import type { App, StorageStatus } from '../../services/app.ts';
import { storageSpaceOf } from '../../services/library/storage-space.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useReadAnew } from '../hooks/read.ts';
import { formatBytes, formatPercent } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { useIndexStats } from '../memory/index-status.tsx';
import { Badge, Button, classes, Skeleton } from '../shell/controls.tsx';
import { useReport } from '../shell/conversation-actions.tsx';
import { Loading, ReadFailed } from '../shell/reading.tsx';

interface Sizes extends StorageStatus {
  readonly log: Pick<Awaited<ReturnType<App['logStats']>>, 'bytes'>;
}

/** Reserves the figures' room until they arrive, so that nothing below moves under a pointer. */
const PENDING: Sizes = {
  usage: 100_000_000,
  quota: 10_000_000_000,
  persisted: false,
  modelBytes: 0,
  log: { bytes: 0 },
};

type PartId = 'log' | 'index' | 'models' | 'other';
interface Part {
  readonly id: PartId;
  /** Null while unknown. */
  readonly bytes: number | null;
  readonly tone: string;
}

export function Usage() {
  const { t } = useTranslation('settings');
  const { settings, documents } = useApp();
  const stats = useIndexStats();
  const limit = useReadable(settings.config, (config) => config.storage.max_size_mb);
  /** Null while the list is unread, and if it could not be. */
  const conversations = useReadable(documents.library, ({ ready, problem, entries }) =>
    ready && !problem ? entries.filter((entry) => entry.deletedAt === null).length : null,
  );
  const { value: known, problem, again } = useSizes(`${stats?.messages} ${conversations}`);
  const isPending = known === undefined;
  const sizes = known ?? PENDING;

  const named: readonly Part[] = [
    { id: 'log', bytes: sizes.log.bytes, tone: 'bg-accent' },
    { id: 'index', bytes: stats?.bytes ?? null, tone: 'bg-memory-strong' },
    { id: 'models', bytes: sizes.modelBytes, tone: 'bg-compacted-strong' },
  ];
  // The index reports its size only once it has started.
  const namedBytes = named.reduce((sum, part) => sum + (part.bytes ?? 0), 0);
  // The browser's figure is rounded and late: never shows less than what is known to be there.
  const {
    used,
    limit: limitBytes,
    state,
  } = storageSpaceOf({ usage: sizes.usage, known: namedBytes, maxSizeMb: limit });
  const parts: readonly Part[] = [
    ...named,
    { id: 'other', bytes: Math.max(0, used - namedBytes), tone: 'bg-line-strong' },
  ];
  const failed = problem && <ReadFailed problem={problem} onRetry={again} />;
  if (isPending && failed) return failed;
  return (
    <>
      {failed}
      <section aria-label={t('storage.contents')} aria-busy={isPending} className="relative">
        {isPending && (
          <Loading className="absolute inset-x-0 top-0 space-y-3">
            <Skeleton className="h-7 w-40" />
            <Skeleton className="h-3 w-full" />
          </Loading>
        )}
        <div className={isPending ? 'invisible' : undefined}>
          <p className="font-semibold text-2xl tracking-tight">{formatBytes(used)}</p>
          <p className="text-ink-3 text-xs">
            {[
              sizes.usage === null
                ? t('storage.unknown')
                : sizes.quota
                  ? t('storage.allowed', { quota: formatBytes(sizes.quota) })
                  : '',
              t('storage.limit', {
                percent: formatPercent(used / limitBytes, used / limitBytes < 0.01 ? 1 : 0),
                limit: formatBytes(limitBytes),
              }),
            ]
              .filter(Boolean)
              .join(' · ')}
          </p>
          <PartsBar parts={parts} used={used} />
          {state !== 'free' && (
            <p role="status" className={classes('mt-3', state === 'full' ? 'text-danger' : 'text-ink-2')}>
              {t(state === 'full' ? 'storage.atLimit' : 'storage.nearLimit')}
            </p>
          )}
          <PartsList parts={parts} conversations={conversations} messages={stats?.messages} />
        </div>
      </section>
      <Persistence persisted={sizes.persisted} onAsked={again} isPending={isPending} />
    </>
  );
}

/** Sizes on this device, read again when `grownWith` changes. */
function useSizes(grownWith: string): ReturnType<typeof useReadAnew<Sizes>> {
  const app = useApp();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of `grownWith` means new sizes
  const read = useCallback(
    () => Promise.all([app.device.storage(), app.logStats()]).then(([storage, log]) => ({ ...storage, log })),
    [app, grownWith],
  );
  return useReadAnew<Sizes>(read);
}

function PartsBar({ parts, used }: { parts: readonly Part[]; used: number }) {
  return (
    <div aria-hidden className="mt-3 flex h-2.5 gap-px overflow-hidden rounded-full bg-press">
      {parts
        .filter((part) => (part.bytes ?? 0) > 0)
        .map((part) => (
          <span
            key={part.id}
            className={classes('h-full min-w-0.5', part.tone)}
            style={{ width: `${((part.bytes ?? 0) / Math.max(used, 1)) * 100}%` }}
          />
        ))}
    </div>
  );
}

function PartsList({
  parts,
  conversations,
  messages,
}: {
  parts: readonly Part[];
  conversations: number | null;
  messages: number | undefined;
}) {
  const { t } = useTranslation('settings');
  return (
    <dl className="mt-3 grid grid-cols-[repeat(auto-fit,minmax(7.5rem,1fr))] gap-x-4 gap-y-3">
      {parts.map((part) => (
        <div key={part.id}>
          <dt className="flex items-center gap-1.5 text-ink-3 text-xs">
            <span aria-hidden className={classes('size-2 shrink-0 rounded-full', part.tone)} />
            {t(`storage.parts.${part.id}`)}
          </dt>
          <dd className="mt-0.5 font-medium tabular-nums">
            {part.bytes === null ? '–' : formatBytes(part.bytes)}
          </dd>
          {part.id === 'log' && conversations !== null && (
            <dd className="text-ink-3 text-xs">{t('storage.conversations', { count: conversations })}</dd>
          )}
          {part.id === 'index' && messages !== undefined && (
            <dd className="text-ink-3 text-xs">{t('storage.messages', { count: messages })}</dd>
          )}
        </div>
      ))}
    </dl>
  );
}

/** Says whether the browser may delete this storage when room is short, with a button that asks it not to. */
function Persistence({
  persisted,
  onAsked,
  isPending,
}: {
  persisted: boolean | null;
  onAsked: () => Promise<void>;
  isPending: boolean;
}) {
  const { t } = useTranslation('settings');
  const { device, logCopy, storageKind } = useApp();
  const copy = useReadable(logCopy)?.state ?? null;
  const report = useReport();
  const [refused, setRefused] = useState(false);
  const ask = () => {
    device
      .persist()
      .then((accepted) => {
        setRefused(!accepted);
        return onAsked();
      })
      .catch(report);
  };
  return (
    <div
      className={classes(
        'flex flex-wrap items-start gap-3 rounded-lg bg-side px-4 py-3',
        isPending && 'invisible',
      )}
    >
      {persisted ? (
        <ShieldCheck size={18} aria-hidden className="mt-0.5 shrink-0 text-ok" />
      ) : (
        <ShieldAlert size={18} aria-hidden className="mt-0.5 shrink-0 text-ink-3" />
      )}
      <div className="min-w-56 flex-1 basis-0">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          {t('storage.persist.title')}
          {persisted !== null && (
            <Badge tone={persisted ? 'ok' : 'neutral'}>
              {t(`storage.persist.label.${persisted ? 'yes' : 'no'}`)}
            </Badge>
          )}
        </p>
        <p role="status" className="mt-0.5 text-ink-2">
          {refused
            ? t('storage.persist.refused')
            : t(`storage.persist.${persisted === null ? 'unknown' : persisted ? 'yes' : 'no'}`)}
        </p>
        {/* A worker tells the state later: its sentence has its room from the start, so that nothing below moves. */}
        {(copy || storageKind !== 'memory') && (
          <p className={classes('mt-0.5 text-ink-2', !copy && 'invisible')}>
            {t(`storage.copy.${copy ?? 'kept'}`)}
          </p>
        )}
      </div>
      {persisted === false && !refused && (
        <Button size="sm" onClick={ask}>
          {t('storage.persist.ask')}
        </Button>
      )}
    </div>
  );
}
