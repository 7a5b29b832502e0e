// The ledger of one request: what got in, in which form, what was left out and why. Of an answer, or of what would be sent next.
import { useTranslation } from 'react-i18next';
import type { ContextMeter } from '../../domain/context/budget.ts';
import type { ManifestLine, RequestManifest } from '../../domain/context/manifest.ts';
import { formatNumber } from '../i18n/index.ts';
import { classes, Dialog, Skeleton } from '../shell/controls.tsx';
import { useReadableWords } from '../shell/private-text.tsx';
import { ContextMeterBar } from './context-meter-bar.tsx';

type Kind = ManifestLine['form'] | 'system' | 'tools';

/** As in the bar above them. */
const MARKS: Readonly<Record<Kind, string>> = {
  system: 'bg-ink-3',
  tools: 'bg-ink-3/50',
  whole: 'bg-ink',
  trimmed: 'bg-line-strong',
  summary: 'bg-folded-strong',
  recall: 'bg-memory-strong',
  returned: 'bg-memory',
  out: 'hatched',
};

export function LedgerDialog({
  open,
  onOpenChange,
  ledger,
  gauge,
  coming = false,
  onJump,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** Undefined while it is read; null where none was kept. */
  ledger: RequestManifest | null | undefined;
  gauge?: ContextMeter;
  /** It was not sent yet. */
  coming?: boolean;
  onJump?: ((message: string) => void) | undefined;
}) {
  const { t, i18n } = useTranslation('context');
  const why = (code: string | undefined): string => {
    if (code === undefined) return '';
    const key = `ledger.why.${code}`;
    return i18n.exists(key, { ns: 'context' }) ? t(key as 'ledger.why.tail') : code;
  };
  const hidden = ledger?.hidden ?? [];
  const parameters = Object.entries(ledger?.parameters ?? {});
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={t(coming ? 'ledger.next' : 'ledger.title')}
      {...(ledger
        ? { description: t('ledger.lead', { total: ledger.tokens.total, limit: ledger.limit }) }
        : {})}
    >
      {ledger === undefined && <Skeleton className="h-24 w-full" />}
      {ledger === null && <p className="text-ink-2">{t('ledger.none')}</p>}
      {ledger && (
        <div className="space-y-4">
          {gauge && <ContextMeterBar meter={gauge} legend={false} />}
          {ledger.overflow && <p className="text-danger text-sm">{t('ledger.overflow')}</p>}
          <ol className="divide-y divide-line overflow-hidden rounded-lg border border-line">
            {ledger.tokens.system > 0 && (
              <Row kind="system" title={t('gauge.parts.system')} tokens={ledger.tokens.system} />
            )}
            {ledger.projects?.map(({ name, tokens }) => (
              <Row
                key={name}
                kind="system"
                title={t('ledger.project', { name })}
                detail={t('ledger.projectWords')}
                tokens={tokens}
              />
            ))}
            {ledger.tokens.tools > 0 && (
              <Row kind="tools" title={t('gauge.parts.tools')} tokens={ledger.tokens.tools} />
            )}
            {ledger.lines.map((line, at) => (
              <Row
                // biome-ignore lint/suspicious/noArrayIndexKey: a ledger never changes
                key={at}
                kind={line.form}
                title={t(
                  line.form === 'whole' && hidden.length > 0
                    ? 'ledger.wholeButPrivate'
                    : `ledger.form.${line.form}`,
                )}
                detail={[
                  line.form === 'summary' || line.form === 'recall'
                    ? ''
                    : t('ledger.messages', { count: line.count }),
                  why(line.why),
                  line.reasoningOut ? t('ledger.reasoningOut', { count: line.reasoningOut }) : '',
                ]
                  .filter(Boolean)
                  .join(' · ')}
                tokens={line.tokens}
                onClick={onJump && (() => onJump(line.from))}
              />
            ))}
            {ledger.goesOn && (
              <Row
                kind="system"
                title={t('ledger.goesOn')}
                detail={ledger.goesOn.text}
                wraps
                tokens={ledger.goesOn.tokens}
              />
            )}
            <CutFiles files={ledger.files} />
            {ledger.calls?.map(({ name, count, tokens }) => (
              <Row
                key={name}
                kind="tools"
                title={t('ledger.calls.of', { name })}
                detail={t('ledger.calls.count', { count })}
                tokens={tokens}
              />
            ))}
          </ol>
          {hidden.length > 0 && <HiddenWords tokens={hidden} />}
          {parameters.length > 0 && (
            <section aria-label={t('ledger.parameters')}>
              <h3 className="pb-1 font-medium text-sm">{t('ledger.parameters')}</h3>
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

/** Tokens that the model read, with the words that they stand for on this device. */
function HiddenWords({ tokens }: { tokens: readonly string[] }) {
  const { t } = useTranslation('context');
  const readable = useReadableWords();
  return (
    <section aria-label={t('ledger.hidden')}>
      <h3 className="pb-1 font-medium text-sm">{t('ledger.hidden')}</h3>
      <dl className="grid grid-cols-[max-content_1fr] gap-x-4 gap-y-1 text-xs">
        {tokens.map((token) => {
          const words = readable(token);
          return (
            <div key={token} className="contents">
              <dt className="font-mono text-ink-3">{token}</dt>
              <dd className="truncate">{words === token ? t('ledger.forgotten') : words}</dd>
            </div>
          );
        })}
      </dl>
    </section>
  );
}

/** Documents that went in part. */
function CutFiles({ files = [] }: { files: RequestManifest['files'] }) {
  const { t } = useTranslation('context');
  return files.map(({ name, sent, of }, at) => (
    <li
      // biome-ignore lint/suspicious/noArrayIndexKey: a ledger never changes
      key={at}
      className="flex items-center gap-3 px-3 py-2"
    >
      <span aria-hidden className={classes('h-6 w-1 shrink-0 rounded-full', MARKS.trimmed)} />
      <span className="min-w-0 flex-1">
        <span className="block truncate">{t('ledger.files.of', { name })}</span>
        <span className="block text-ink-3 text-xs">{t('ledger.files.sent', { sent, count: of })}</span>
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
  /** The detail is shown whole, on as many lines as it takes. */
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
            className={classes('block text-ink-3 text-xs', wraps ? '[overflow-wrap:anywhere]' : 'truncate')}
          >
            {detail}
          </span>
        )}
      </span>
      <span
        title={t('ledger.tokens', { count: tokens })}
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
