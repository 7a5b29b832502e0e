// One passage of a list: how close it is, a click to its message, and on demand the reasons with the numbers.
import { ArrowUpRight, FileText } from 'lucide-react';
import { type RefObject, useCallback, useId, useMemo, useRef, useState } from 'react';
import { type PassageSource, passageSource } from '../../domain/chat/files.ts';
import type { RecalledPassage } from '../../domain/chat/message.ts';
import { neighboursOf } from '../../domain/memory/passages.ts';
import { neighbourReply } from '../../domain/memory/replies.ts';
import { shownTitle } from '../../domain/text/shown.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useSession } from '../hooks/session.tsx';
import { formatExact, formatRelative, wordsFor } from '../i18n/index.ts';
import { usePlaceWords } from '../i18n/place-words.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { classes, IconButton } from '../shell/controls.tsx';
import { useReadableWords } from '../shell/private-text.tsx';
import { Judgement } from './judgement.tsx';
import { excerpt, MarkedText } from './marked-text.tsx';
import { passageTitle } from './passage-title.ts';
import { ClosenessMark, ScoreTable, useReasons } from './scores.tsx';

/** Choice of a passage: it goes along only if it is ticked. */
interface PassageTick {
  readonly ticked: boolean;
  readonly onTick: (ticked: boolean) => void;
}

/** Moves the focus from a row about to disappear to its neighbour, or to the text field. */
function focusBeside(row: HTMLLIElement | null): void {
  if (!row?.contains(document.activeElement)) return;
  const beside = row.nextElementSibling ?? row.previousElementSibling;
  const next = beside?.querySelector('input') ?? document.querySelector<HTMLElement>('textarea');
  next?.focus();
}

interface PassageProps {
  readonly passage: RecalledPassage;
  readonly threshold: number;
  readonly query: string;
  /** When the query was asked, ms since 1970; absent: just now. */
  readonly askedAt?: number | undefined;
  readonly onOpen: (passage: RecalledPassage) => void;
  readonly missed?: boolean;
  /** True if its cost is part of the card's. */
  readonly sent?: boolean;
  /** It was sent, but will not be again. */
  readonly unusable?: boolean;
  readonly tick?: PassageTick;
}

/**
 * One passage: two lines that link to its message; on demand all of it between its
 * neighbours, the reasons, and the scores. `tick`: in lists that are chosen from, a checkbox before it.
 */
export function Passage({
  passage,
  threshold,
  query,
  askedAt,
  onOpen: openMessage,
  missed = false,
  sent = true,
  unusable = false,
  tick,
}: PassageProps) {
  const { t } = useTranslation('memory');
  const [open, setOpen] = useState(false);
  const row = useRef<HTMLLIElement>(null);
  const body = useId();
  const { source, text } = useMemo(() => passageSource(passage.passage), [passage.passage]);
  const short = useMemo(() => excerpt(text, query), [text, query]);
  const title = passageTitle(passage, t);
  const { openingFile } = useSession();
  const onOpen = (said: RecalledPassage) => {
    const { source } = passageSource(said.passage);
    openingFile.set(source && { messageId: said.messageId, source });
    openMessage(said);
  };
  const judgement = <PassageJudgement {...{ passage, query, askedAt, row, tick }} />;
  return (
    <li
      ref={row}
      className={classes(
        'group/passage relative px-3',
        missed ? 'py-1.5 text-ink-3' : 'py-2.5',
        tick && 'pl-11',
        tick && !tick.ticked && 'text-ink-3',
      )}
    >
      {tick && <Tick {...tick} title={title} />}
      <div className="flex items-center gap-2">
        <div className="flex min-w-0 flex-1 items-baseline gap-x-1.5 @max-md:flex-wrap">
          <button
            type="button"
            dir="auto"
            onClick={() => onOpen(passage)}
            aria-label={t('card.open', { title })}
            title={title}
            className={classes(
              'touchable min-w-0 max-w-full truncate rounded-xs text-left hover:underline',
              missed || tick?.ticked === false ? 'text-ink-2' : 'font-medium text-ink',
            )}
          >
            {title}
          </button>
          <span className="shrink-0 text-ink-3 text-xs">
            <time dateTime={new Date(passage.createdAt).toISOString()} title={formatExact(passage.createdAt)}>
              {formatRelative(passage.createdAt)}
            </time>
            {' · '}
            {t(`role.${passage.role}`)}
            <PassageProject id={passage.conversationId} />
            {unusable && ` · ${t('card.unusable')}`}
          </span>
        </div>
        {/* Always keeps its room, so that it covers nothing and the row does not change once a verdict is given. */}
        <span className="flex items-center max-sm:hidden">{judgement}</span>
        <ClosenessMark scores={passage.scores} used={!missed} />
        <IconButton
          size="sm"
          label={t('card.open', { title })}
          icon={<ArrowUpRight size={15} aria-hidden />}
          className="-mr-1.5 max-sm:hidden"
          onClick={() => onOpen(passage)}
        />
      </div>
      {source && <SourceLine source={source} />}
      {open && <PassageDetails id={body} {...{ passage, threshold, query, sent, unusable }} />}
      {!open && (
        <button
          type="button"
          title={t('card.open', { title })}
          onClick={() => onOpen(passage)}
          className="touchable mt-0.5 block w-full rounded-xs text-left"
        >
          <span
            dir="auto"
            className={classes(
              'break-words leading-[1.5] [overflow-wrap:anywhere]',
              missed ? 'line-clamp-1 [&_mark]:text-ink-2' : 'line-clamp-2 text-ink-2',
            )}
          >
            <MarkedText text={short} query={query} />
          </span>
        </button>
      )}
      {!open && <Reply {...{ passage, query, title, onOpen }} />}
      <div className="flex items-center justify-between gap-2">
        <button
          type="button"
          aria-expanded={open}
          aria-controls={body}
          title={open ? undefined : t('card.more')}
          onClick={() => setOpen(!open)}
          className="touchable mt-0.5 rounded-xs text-left text-memory text-xs hover:underline"
        >
          {t(open ? 'card.less' : 'closeness.ask')}
        </button>
        {/* A narrow row has no room for them beside the title. */}
        <span className="-mr-1.5 flex items-center sm:hidden">{judgement}</span>
      </div>
    </li>
  );
}

/** As wide as a finger; a click beside it opens the message. */
function Tick({ ticked, onTick, title }: PassageTick & { title: string }) {
  const { t } = useTranslation('memory');
  return (
    <label className="absolute top-0 left-0 flex h-11 w-11 cursor-pointer items-start justify-center pt-3 sm:pt-4">
      <input
        type="checkbox"
        checked={ticked}
        aria-label={t('chip.use', { title })}
        onChange={(event) => onTick(event.target.checked)}
        className="size-4 accent-memory"
      />
    </label>
  );
}

/** Verdicts; in a list that is chosen from they untick the passage, and *never* takes its row away. */
function PassageJudgement({
  passage,
  query,
  askedAt,
  row,
  tick,
}: {
  passage: RecalledPassage;
  query: string;
  askedAt: number | undefined;
  row: RefObject<HTMLLIElement | null>;
  tick: PassageTick | undefined;
}) {
  if (!tick) return <Judgement {...{ passage, query, askedAt }} />;
  const { ticked, onTick } = tick;
  return (
    <Judgement
      {...{ passage, query, askedAt }}
      onGiven={(verdict) => {
        if (verdict === 'never') focusBeside(row.current);
        onTick(verdict === 'pinned');
      }}
      onAllowedAgain={() => onTick(ticked)}
    />
  );
}

/** Answer to a question that was found: a click opens that message. */
function Reply({
  passage,
  query,
  title,
  onOpen,
}: {
  passage: RecalledPassage;
  query: string;
  title: string;
  onOpen: (passage: RecalledPassage) => void;
}) {
  const { t } = useTranslation('memory');
  const reply = useMemo(() => neighbourReply(passage), [passage]);
  if (!reply) return null;
  const { messageId, text, createdAt } = reply;
  const said: RecalledPassage = {
    ...passage,
    messageId,
    createdAt,
    role: 'assistant',
    passage: text,
    neighbours: [],
  };
  return (
    <button
      type="button"
      title={t('card.open', { title })}
      onClick={() => onOpen(said)}
      className="touchable mt-1 block w-full rounded-xs border-memory-line border-l-2 pl-2.5 text-left"
    >
      <span className="block text-ink-3 text-xs">{t('card.reply')}</span>
      <span dir="auto" className="line-clamp-3 break-words text-ink leading-[1.5] [overflow-wrap:anywhere]">
        <MarkedText text={excerpt(text, query)} query={query} />
      </span>
    </button>
  );
}

/** File and page that a passage comes from. */
function SourceLine({ source: { file, place } }: { source: PassageSource }) {
  const placeWords = usePlaceWords();
  return (
    <p className="mt-0.5 flex min-w-0 items-center gap-1.5 text-ink-2 text-xs">
      <FileText size={13} aria-hidden className="shrink-0 text-ink-3" />
      <span dir="auto" className="min-w-0 truncate">
        {file}
      </span>
      <span className="min-w-0 shrink-0 truncate font-medium max-w-[60%]">{placeWords(place)}</span>
    </p>
  );
}

/** Project that its conversation is in now. */
function PassageProject({ id }: { id: string }) {
  const project = useReadable(
    useApp().documents.library,
    useCallback(
      ({ entries, projects }) => {
        const place = entries.find((entry) => entry.id === id)?.projectId;
        return projects.find((one) => one.id === place);
      },
      [id],
    ),
  );
  const { t } = useTranslation('projects');
  return project ? ` · ${shownTitle(project.title, t('title'))}` : null;
}

/** The whole passage between its neighbours, the reasons, and its scores. */
function PassageDetails({
  id,
  passage,
  threshold,
  query,
  sent,
  unusable,
}: {
  id: string;
  passage: RecalledPassage;
  threshold: number;
  query: string;
  sent: boolean;
  unusable: boolean;
}) {
  const { t } = useTranslation('memory');
  const why = useReasons()(passage.scores);
  const { before, after } = neighboursOf(passage);
  return (
    <div id={id} className="mt-1.5 grid gap-x-5 gap-y-3 @md:grid-cols-[1fr_11rem]">
      <div className="max-h-80 min-w-0 space-y-2.5 overflow-y-auto">
        {before.map((near) => (
          <Neighbour key={near.messageId} role={near.role} text={near.text} />
        ))}
        <p
          dir="auto"
          className="whitespace-pre-wrap break-words border-memory-strong border-l-2 pl-2.5 text-ink leading-[1.55] [overflow-wrap:anywhere]"
        >
          <MarkedText text={passageSource(passage.passage).text} query={query} />
        </p>
        {after.map((near) => (
          <Neighbour key={near.messageId} role={near.role} text={near.text} />
        ))}
      </div>
      <div className="text-ink-2">
        <p className="text-xs">
          <span className="block text-ink-3">{t('closeness.whyTitle')}</span>
          {why}
        </p>
        <details className="mt-1.5">
          <summary className="touchable w-fit cursor-pointer rounded-xs text-ink-3 text-xs hover:text-ink-2">
            {t('closeness.numbers')}
          </summary>
          <ScoreTable scores={passage.scores} threshold={threshold} className="mt-1.5" />
          <p className="mt-1.5 text-ink-3 text-xs">
            {t(sent ? 'card.tokens' : 'card.tokensUnsent', { count: passage.tokens })}
          </p>
        </details>
        {unusable && <p className="mt-1.5 text-ink-3 text-xs">{t('card.unusableHelp')}</p>}
      </div>
    </div>
  );
}

function Neighbour({ role, text }: { role: string; text: string }) {
  useTranslation('memory');
  const readable = useReadableWords();
  return (
    <div className="border-transparent border-l-2 pl-2.5 text-ink-3">
      <span className="text-xs">{wordsFor('memory', `role.${role}`) ?? role}</span>
      <p
        dir="auto"
        className="line-clamp-3 whitespace-pre-wrap break-words text-ink-2 [overflow-wrap:anywhere]"
      >
        {readable(text)}
      </p>
    </div>
  );
}
