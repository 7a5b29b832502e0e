// Shows the manifest of one request: what was included, in which form, what was left out and why.
// For an answer or for the next request.

import type { ReactNode } from 'react';
import type { ContextMeter } from '../../domain/context/budget.ts';
import type { ManifestLine, RequestManifest } from '../../domain/context/manifest.ts';
import { formatNumber, wordsFor } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { classes, Dialog, Skeleton } from '../shell/controls.tsx';
import { useReadableWords } from '../shell/private-text.tsx';
import { Loading } from '../shell/reading.tsx';
import { ContextMeterBar } from './context-meter-bar.tsx';

type Kind = ManifestLine['form'] | 'system' | 'tools';

/** The same colours as in the bar above. */
const MARKS: Readonly<Record<Kind, string>> = {
  system: 'bg-ink-3',
  tools: 'bg-ink-3/50',
  whole: 'bg-ink',
  trimmed: 'bg-line-strong',
  summary: 'bg-compacted-strong',
  recall: 'bg-memory-strong',
  returned: 'bg-memory',
  out: 'hatched',
};

/** Lists words that the app added at the end on behalf of the person. */
function ByApp({ manifest: { patches, goesOn } }: { manifest: RequestManifest }) {
  const { t } = useTranslation('context');
  return (
    <>
      {patches && (
        <Row
          kind="system"
          title={t('manifest.patches')}
          detail={patches.text}
          wraps
          tokens={patches.tokens}
        />
      )}
      {goesOn && (
        <Row kind="system" title={t('manifest.goesOn')} detail={goesOn.text} wraps tokens={goesOn.tokens} />
      )}
    </>
  );
}

export function ManifestDialog({
  open,
  onOpenChange,
  manifest,
  failed,
  meter,
  coming = false,
  onJump,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** Undefined while it is being read; null if none was kept. */
  manifest: RequestManifest | null | undefined;
  /** Says that it could not be read. */
  failed?: ReactNode;
  meter?: ContextMeter;
  /** True for a request that has not been sent yet. */
  coming?: boolean;
  onJump?: ((message: string) => void) | undefined;
}) {
  const { t } = useTranslation('context');
  const why = (code: string | undefined): string => {
    if (code === undefined) return '';
    return wordsFor('context', `manifest.why.${code}`) ?? code;
  };
  const hidden = manifest?.hidden ?? [];
  const parameters = Object.entries(manifest?.parameters ?? {});
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={t(coming ? 'manifest.next' : 'manifest.title')}
      {...(manifest
        ? { description: t('manifest.lead', { total: manifest.tokens.total, limit: manifest.limit }) }
        : {})}
    >
      {failed}
      {manifest === undefined && !failed && (
        <Loading>
          <Skeleton className="h-24 w-full" />
        </Loading>
      )}
      {manifest === null && <p className="text-ink-2">{t('manifest.none')}</p>}
      {manifest && (
        <div className="space-y-4">
          {meter && <ContextMeterBar meter={meter} legend={false} />}
          {manifest.overflow && <p className="text-danger text-sm">{t('manifest.overflow')}</p>}
          <ol className="divide-y divide-line overflow-hidden rounded-lg border border-line">
            {manifest.tokens.system > 0 && (
              <Row kind="system" title={t('meter.parts.system')} tokens={manifest.tokens.system} />
            )}
            {manifest.projects?.map(({ name, tokens }) => (
              <Row
                key={name}
                kind="system"
                title={t('manifest.project', { name })}
                detail={t('manifest.projectWords')}
                tokens={tokens}
              />
            ))}
            {manifest.tokens.tools > 0 && (
              <Row kind="tools" title={t('meter.parts.tools')} tokens={manifest.tokens.tools} />
            )}
            {manifest.lines.map((line, at) => (
              <Row
                // biome-ignore lint/suspicious/noArrayIndexKey: a manifest never changes
                key={at}
                kind={line.form}
                title={t(
                  line.form === 'whole' && hidden.length > 0
                    ? 'manifest.wholeButPrivate'
                    : `manifest.form.${line.form}`,
                )}
                detail={[
                  line.form === 'summary' || line.form === 'recall'
                    ? ''
                    : t('manifest.messages', { count: line.count }),
                  why(line.why),
                  line.reasoningOut ? t('manifest.reasoningOut', { count: line.reasoningOut }) : '',
                ]
                  .filter(Boolean)
                  .join(' · ')}
                tokens={line.tokens}
                onClick={onJump && (() => onJump(line.from))}
              />
            ))}
            <ByApp manifest={manifest} />
            <CutFiles files={manifest.files} />
            {manifest.calls?.map(({ name, count, tokens }) => (
              <Row
                key={name}
                kind="tools"
                title={t('manifest.calls.of', { name })}
                detail={t('manifest.calls.count', { count })}
                tokens={tokens}
              />
            ))}
          </ol>
          {hidden.length > 0 && <HiddenWords tokens={hidden} />}
          {parameters.length > 0 && (
            <section aria-label={t('manifest.parameters')}>
              <h3 className="pb-1 font-medium text-sm">{t('manifest.parameters')}</h3>
              <dl className="grid grid-cols-[max-content_1fr] gap-x-4 gap-y-1 font-mono text-xs">
                {parameters.map(([name, value]) => (
                  <div key={name} className="contents">
                    <dt className="text-ink-3">{name}</dt>
                    <dd className="[overflow-wrap:anywhere]">
                      {typeof value === 'string' ? value : JSON.stringify(value)}
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          )}
        </div>
      )}
    </Dialog>
  );
}

/** Shows the tokens that the model read, with the private words they stand for on this device. */
function HiddenWords({ tokens }: { tokens: readonly string[] }) {
  const { t } = useTranslation('context');
  const readable = useReadableWords();
  return (
    <section aria-label={t('manifest.hidden')}>
      <h3 className="pb-1 font-medium text-sm">{t('manifest.hidden')}</h3>
      <dl className="grid grid-cols-[max-content_1fr] gap-x-4 gap-y-1 text-xs">
        {tokens.map((token) => {
          const words = readable(token);
          return (
            <div key={token} className="contents">
              <dt className="font-mono text-ink-3">{token}</dt>
              <dd className="truncate">{words === token ? t('manifest.forgotten') : words}</dd>
            </div>
          );
        })}
      </dl>
    </section>
  );
}

/** Lists documents that were included only in part. */
function CutFiles({ files = [] }: { files: RequestManifest['files'] }) {
  const { t } = useTranslation('context');
  return files.map(({ name, sent, of }, at) => (
    <li
      // biome-ignore lint/suspicious/noArrayIndexKey: a manifest never changes
      key={at}
      className="flex items-center gap-3 px-3 py-2"
    >
      <span aria-hidden className={classes('h-6 w-1 shrink-0 rounded-full', MARKS.trimmed)} />
      <span className="min-w-0 flex-1">
        <span className="block truncate">{t('manifest.files.of', { name })}</span>
        <span className="block text-ink-3 text-xs">{t('manifest.files.sent', { sent, count: of })}</span>
      </span>
    </li>
  ));
}

function Row({
  kind,
  title,
  detail = '',
  wraps = false,
  tokens,
  onClick,
}: {
  kind: Kind;
  title: string;
  detail?: string;
  /** Shows the detail in full, on as many lines as it takes. */
  wraps?: boolean;
  tokens: number;
  onClick?: (() => void) | undefined;
}) {
  const { t } = useTranslation('context');
  const words = (
    <>
      <span aria-hidden className={classes('h-6 w-1 shrink-0 rounded-full', MARKS[kind])} />
      <span className="min-w-0 flex-1">
        <span className={classes('block', kind === 'out' && 'text-ink-3')}>{title}</span>
        {detail && (
          <span
            className={classes(
              'block text-ink-3 text-xs',
              wraps ? '[overflow-wrap:anywhere]' : 'line-clamp-2',
            )}
          >
            {detail}
          </span>
        )}
      </span>
      <span
        title={t('manifest.tokens', { count: tokens })}
        className={classes('shrink-0 text-sm tabular-nums', kind === 'out' && 'text-ink-3 line-through')}
      >
        {formatNumber(tokens)}
      </span>
    </>
  );
  return (
    <li>
      {onClick ? (
        <button
          type="button"
          onClick={onClick}
          className="touchable flex w-full items-center gap-3 px-3 py-2 text-left hover:bg-fill"
        >
          {words}
        </button>
      ) : (
        <div className="flex items-center gap-3 px-3 py-2">{words}</div>
      )}
    </li>
  );
}
