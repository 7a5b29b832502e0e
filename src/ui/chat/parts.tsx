// Parts of a message other than text: a model's reasoning and its tools' work.
import { ChevronRight, MailPlus, TriangleAlert, Wrench } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { type CitedSource, shownSources } from '../../domain/chat/cited.ts';
import type { PartOf, ToolRecall } from '../../domain/chat/message.ts';
import { startOf } from '../../domain/text/whole-characters.ts';
import { useSession } from '../hooks/session.tsx';
import { formatNumber } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { RecallCard } from '../memory/recall-card.tsx';
import { RecallNote } from '../memory/recall-note.tsx';
import { Button, classes, Spinner } from '../shell/controls.tsx';
import { Markdown } from './markdown.tsx';
import { useActions } from './message-actions.ts';
import { BLOCK } from './verbatim-block.ts';

/** A line that opens on a click. */
export function Fold({
  icon,
  children,
  body,
  tone = 'plain',
}: {
  icon: ReactNode;
  children: ReactNode;
  body: () => ReactNode;
  tone?: 'plain' | 'danger';
}) {
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <div className="my-1.5 text-sm">
      <button
        type="button"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
        className={classes(
          'touchable -ml-1.5 flex max-w-full items-center gap-2 rounded-sm px-1.5 py-1 text-left hover:bg-fill',
          tone === 'danger' ? 'text-danger' : 'text-ink-3 hover:text-ink-2',
        )}
      >
        {icon}
        <span className="min-w-0 truncate">{children}</span>
        <ChevronRight
          size={14}
          aria-hidden
          className={classes('shrink-0 transition-transform', open && 'rotate-90')}
        />
      </button>
      <div id={id} hidden={!open}>
        {open && <div className="mt-1 mb-2 ml-1 border-l-2 pl-3.5">{body()}</div>}
      </div>
    </div>
  );
}

const wordsIn = (text: string): number => {
  let count = 0;
  for (const _ of text.matchAll(/\p{Script=Han}|[\p{L}\p{N}]+/gu)) count += 1;
  return count;
};

/** A model's reasoning before the answer, collapsed, with its length. */
export function Reasoning({ part, running }: { part: PartOf<'reasoning'>; running: boolean }) {
  const { t } = useTranslation('chat');
  if (!part.text.trim())
    return running || !part.encrypted ? null : (
      <p className="my-1.5 text-ink-3 text-sm">{t('reasoningSealed')}</p>
    );
  return (
    <Fold
      icon={
        running ? (
          <Spinner className="shrink-0 scale-75" />
        ) : (
          <span aria-hidden className="shrink-0">
            ∴
          </span>
        )
      }
      body={() => (
        <div data-thoughts="" className="text-ink-2 [&_.prose]:text-[0.9375rem]!">
          <Markdown text={part.text} streaming={running} />
        </div>
      )}
    >
      {running ? t('thinking') : t('thought')}
      {' · '}
      {t('words', { count: wordsIn(part.text), size: formatNumber(wordsIn(part.text)) })}
    </Fold>
  );
}

const hostOf = (url: string): string =>
  URL.canParse(url) ? new URL(url).hostname.replace(/^www\./, '') : url;

/**
 * Pages and documents that an answer is based on, in the endpoint's order: its numbers
 * (`[2]`) count them. Opens only on a click.
 */
export function Sources({ sources }: { sources: readonly CitedSource[] }) {
  const { t } = useTranslation('chat');
  const id = useId();
  const shown = shownSources(sources);
  if (shown.length === 0) return null;
  return (
    <section aria-labelledby={id} className="my-2 text-sm">
      <h4 id={id} className="pb-1 text-ink-3 text-xs">
        {t('sources')}
      </h4>
      <ol className="flex flex-wrap gap-1.5">
        {shown.map(({ url, title, cited }, at) => (
          <li key={url || `${title} ${cited}`} className="flex max-w-full">
            {url === '' ? (
              <span className="inline-flex max-w-full items-baseline gap-1.5 rounded-md border px-2 py-1 text-ink-2">
                <span className="shrink-0 text-ink-3 text-xs tabular-nums">{at + 1}</span>
                <span className="min-w-0">
                  {title?.trim() && <bdi>{title.trim()} </bdi>}
                  {cited && (
                    <q dir="auto" className="line-clamp-3 break-words text-ink-3 text-xs" title={cited}>
                      {cited}
                    </q>
                  )}
                </span>
              </span>
            ) : (
              <a
                href={url}
                target="_blank"
                rel="noopener noreferrer nofollow"
                title={title ? `${title}\n${url}` : url}
                className="touchable inline-flex max-w-80 items-center gap-1.5 rounded-md border px-2 py-1 text-ink-2 hover:bg-fill hover:text-ink"
              >
                <span className="shrink-0 text-ink-3 text-xs tabular-nums">{at + 1}</span>
                <bdi className="min-w-0 truncate">{title?.trim() || hostOf(url)}</bdi>
                {title?.trim() && (
                  <span className="max-w-28 shrink-0 truncate text-ink-3 text-xs">{hostOf(url)}</span>
                )}
              </a>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Formats arguments for reading: pretty-prints JSON and leaves other text unchanged. */
function laidOut(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch (error) {
    // Not logged: the error's message quotes the text.
    if (!(error instanceof SyntaxError)) throw error;
    return text;
  }
}

/** Picks the most telling argument for the collapsed line. */
function gist(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'string') return value;
    if (value && typeof value === 'object') {
      const first = Object.values(value).find((item) => typeof item === 'string' && item.trim());
      if (typeof first === 'string') return first.replace(/\s+/g, ' ').slice(0, 160);
    }
    return '';
  } catch (error) {
    // Arguments that are still being written are not valid JSON yet.
    if (!(error instanceof SyntaxError)) throw error;
    return text.replace(/\s+/g, ' ').slice(0, 160);
  }
}

const SHOWN = 40_000;

/** Text shown verbatim, with every space and sign. */
export const Verbatim = ({ text }: { text: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
  <pre dir="auto" tabIndex={0} className={BLOCK}>
    {text}
  </pre>
);

interface ToolProps {
  call: PartOf<'tool-call'>;
  result: PartOf<'tool-result'> | undefined;
  running: boolean;
  /** When its answer was begun, ms since 1970; absent while that is being written. */
  askedAt?: number | undefined;
  /** Opens the dialog that sends the result back reworded; absent if that is not possible. */
  onReword?: (() => void) | undefined;
}

/** Shows a tool's call and result verbatim. */
function ToolBody({ call, result, running, onReword }: ToolProps) {
  const { t } = useTranslation('chat');
  return (
    <div className="flex flex-col gap-2">
      {call.arguments.trim() && call.arguments.trim() !== '{}' && (
        <div>
          <div className="pb-1 text-ink-3 text-xs">{t('toolArguments')}</div>
          <Verbatim text={startOf(laidOut(call.arguments), SHOWN)} />
        </div>
      )}
      <div>
        <div className="pb-1 text-ink-3 text-xs">{result?.isError ? t('toolError') : t('toolResult')}</div>
        {result ? (
          <>
            <Verbatim
              text={
                result.text.length > SHOWN ? `${startOf(result.text, SHOWN)}…` : result.text || t('toolEmpty')
              }
            />
            {onReword && (
              <Button
                size="sm"
                variant="ghost"
                className="mt-1 -ml-2 text-branch! hover:bg-branch-soft"
                icon={<MailPlus size={14} aria-hidden />}
                onClick={onReword}
              >
                {t('toolReword')}
              </Button>
            )}
          </>
        ) : (
          <p className="text-ink-3">{running ? t('toolRunning') : t('toolNoResult')}</p>
        )}
      </div>
    </div>
  );
}

/** Draws a call together with its result, never apart. */
export function ToolLine(props: ToolProps) {
  const { t } = useTranslation('chat');
  const { call, result, running } = props;
  const { recalled } = result ?? {};
  if (recalled && recalled.passages.length + recalled.nearMisses.length > 0)
    return <ToolRecallCard {...props} recalled={recalled} />;
  const failed = result?.isError === true;
  const shown = gist(call.arguments);
  return (
    <Fold
      tone={failed ? 'danger' : 'plain'}
      icon={
        failed ? (
          <TriangleAlert size={14} aria-hidden className="shrink-0" />
        ) : running && !result ? (
          <Spinner className="shrink-0 scale-75" />
        ) : (
          <Wrench size={14} aria-hidden className="shrink-0" />
        )
      }
      body={() => <ToolBody {...props} />}
    >
      <span className="font-medium">{call.name}</span>
      {shown && <bdi className="ml-2 font-mono text-[0.8125rem]">{shown}</bdi>}
      {failed && <span className="ml-2">{t('toolFailed')}</span>}
    </Fold>
  );
}

/** Recall by a model's own tool: the recall card replaces the line, with the plain call and result at its end. */
function ToolRecallCard({ recalled, ...props }: ToolProps & { recalled: ToolRecall }) {
  const { t } = useTranslation('chat');
  const actions = useActions();
  const { cards } = useSession();
  const { query, degraded, scope } = recalled;
  const key = `${props.call.callId} ${query}`;
  return (
    <div className="my-2" data-recall>
      <RecallCard
        passages={recalled.passages}
        nearMisses={recalled.nearMisses}
        nearMissesGiven={recalled.nearMissesGiven}
        threshold={recalled.threshold}
        query={query}
        askedAt={props.askedAt}
        asked={t('toolRecalled', { query: query.replace(/\s+/g, ' ') })}
        foot={
          <Fold
            icon={<Wrench size={14} aria-hidden className="shrink-0" />}
            body={() => <ToolBody {...props} />}
          >
            {t('asRead')}
          </Fold>
        }
        defaultOpen={cards.get(key) ?? false}
        onOpenChange={(open) => cards.set(key, open)}
        onOpen={(passage) => actions.open(passage.conversationId, passage.messageId)}
      />
      {(degraded || scope) && <RecallNote recall={{ ...recalled, type: 'recall' }} />}
    </div>
  );
}
