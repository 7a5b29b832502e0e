// Recall card: how close each passage is and why, and the near misses.
import { ArrowUpRight, ChevronRight, FileText, History } from 'lucide-react';
import { type ReactNode, useCallback, useId, useMemo, useState } from 'react';
import { type PassageSource, passageSource } from '../../domain/chat/files.ts';
import type { AppliedNote, RecalledPassage } from '../../domain/chat/message.ts';
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
import { AppliedNotes } from './applied-notes.tsx';
import { Judgement } from './judgement.tsx';
import { excerpt, MarkedText } from './marked-text.tsx';
import { passageTitle } from './passage-title.ts';
import { ClosenessMark, ScoreTable, useReasons } from './scores.tsx';
import { useUnusableTest } from './usable-passages.ts';

interface RecallCardProps {
  passages: readonly RecalledPassage[];
  nearMisses: readonly RecalledPassage[];
  /** Passages that the person unticked. */
  leftOut?: readonly RecalledPassage[] | undefined;
  /** Notes that apply, which went along. */
  applied?: readonly AppliedNote[] | undefined;
  threshold: number;
  /** The near misses were sent after all, because nothing came closer. */
  nearMissesGiven?: boolean | undefined;
  /** No model is asked, so the cost does not matter. */
  unsent?: boolean;
  /** Query of the search: its words are marked. */
  query: string;
  /** When the query was asked, ms since 1970; absent: just now. */
  askedAt?: number | undefined;
  /** Name of the asking tool, in a second line of the header. */
  asked?: ReactNode;
  /** Content at the end of the opened card. */
  foot?: ReactNode;
  onOpen: (passage: RecalledPassage) => void;
  defaultOpen?: boolean;
  onOpenChange?: (open: boolean) => void;
}

export function RecallCard({
  passages,
  nearMisses,
  leftOut = [],
  applied = [],
  nearMissesGiven = false,
  unsent = false,
  threshold,
  query,
  askedAt,
  asked,
  foot,
  onOpen: openMessage,
  defaultOpen = false,
  onOpenChange,
}: RecallCardProps) {
  const { t } = useTranslation('memory');
  const { openingFile } = useSession();
  const onOpen = (passage: RecalledPassage) => {
    const { source } = passageSource(passage.passage);
    openingFile.set(source && { messageId: passage.messageId, source });
    openMessage(passage);
  };
  const [open, setOpen] = useState(defaultOpen);
  const body = useId();
  const given = nearMissesGiven ? nearMisses : passages;
  const isUnusable = useUnusableTest();
  const isOut = ({ passage, ...said }: RecalledPassage): boolean => isUnusable({ ...said, text: passage });
  const tokens = [...given, ...applied].reduce((sum, one) => sum + one.tokens, 0);
  if (passages.length + nearMisses.length + leftOut.length + applied.length === 0) return null;
  const unused = [
    { name: 'leftOut', help: 'leftOutHelp', listed: leftOut, folds: false },
    {
      name: nearMissesGiven ? 'nearMissesGiven' : 'nearMisses',
      help: nearMissesGiven ? 'nearMissesGivenHelp' : 'nearMissesHelp',
      listed: nearMisses,
      // Beside used passages they are shown only on demand.
      folds: passages.length > 0 && !nearMissesGiven,
    },
  ] as const;
  return (
    <section
      aria-label={t('card.label')}
      className="@container overflow-hidden rounded-lg border border-memory-line bg-memory-soft text-sm"
    >
      <button
        type="button"
        aria-expanded={open}
        aria-controls={body}
        onClick={() => {
          setOpen(!open);
          onOpenChange?.(!open);
        }}
        className="touchable -outline-offset-2 flex w-full items-center gap-2 px-3 py-2 text-left font-medium text-memory hover:bg-memory-mark/40"
      >
        <History size={15} aria-hidden className="shrink-0" />
        <span className="min-w-0 flex-1">
          <span className="block truncate">
            <CardTitle
              {...{ given, applied, nearMissesGiven, tokens, unsent }}
              none={leftOut.length > 0 ? 'noneUsed' : 'none'}
            />
          </span>
          {asked && <span className="block truncate font-normal text-ink-2 text-xs">{asked}</span>}
        </span>
        <span className="sr-only">{open ? t('card.hide') : t('card.show')}</span>
        <ChevronRight
          size={15}
          aria-hidden
          className={classes('shrink-0 transition-transform', open && 'rotate-90')}
        />
      </button>
      {open && (
        <div id={body} className="border-memory-line border-t">
          {applied.length > 0 && <AppliedNotes applied={applied} />}
          {passages.length > 0 && (
            <Given
              {...{ passages, threshold, query, askedAt, onOpen }}
              below={applied.length > 0}
              isOut={passages === given ? isOut : null}
            />
          )}
          {unused.map(
            ({ name, help, listed, folds }) =>
              listed.length > 0 && (
                <Unused
                  key={name}
                  title={t(`card.${name}`, { count: listed.length })}
                  help={t(`card.${help}`)}
                  folds={folds}
                  below={passages.length + applied.length > 0}
                >
                  {listed.map((passage) => (
                    <Passage
                      key={`${passage.messageId} ${passage.passage}`}
                      {...{ passage, threshold, query, askedAt, onOpen }}
                      missed
                      sent={listed === given}
                      unusable={listed === given && isOut(passage)}
                    />
                  ))}
                </Unused>
              ),
          )}
          {foot && (
            <div className="border-memory-line border-t px-3 *:my-0.5 [&>div>button:hover]:bg-memory-mark/40">
              {foot}
            </div>
          )}
        </div>
      )}
    </section>
  );
}

/** Says how many passages were sent, or that none were. */
function CardTitle({
  given,
  applied,
  nearMissesGiven,
  tokens,
  unsent,
  none,
}: {
  given: readonly RecalledPassage[];
  applied: readonly AppliedNote[];
  nearMissesGiven: boolean;
  tokens: number;
  unsent: boolean;
  none: 'none' | 'noneUsed';
}) {
  const { t } = useTranslation('memory');
  return (
    <>
      {given.length + applied.length > 0 ? (
        <>
          {[
            ...(given.length > 0
              ? [t(nearMissesGiven ? 'card.nearMissesGiven' : 'card.passages', { count: given.length })]
              : []),
            ...(applied.length > 0 ? [t('applied.count', { count: applied.length })] : []),
          ].join(' · ')}
          {!unsent && <span className="font-normal"> · {t('card.tokens', { count: tokens })}</span>}
        </>
      ) : (
        t(`card.${none}`)
      )}
    </>
  );
}

/** Lists the sent passages. `isOut`: null if they were not sent after all. */
function Given({
  passages,
  below,
  isOut,
  threshold,
  query,
  askedAt,
  onOpen,
}: {
  passages: readonly RecalledPassage[];
  /** True if notes stand above. */
  below: boolean;
  isOut: ((passage: RecalledPassage) => boolean) | null;
  threshold: number;
  query: string;
  askedAt: number | undefined;
  onOpen: (passage: RecalledPassage) => void;
}) {
  return (
    <ol className={classes('divide-y divide-memory-line/60', below && 'border-memory-line/60 border-t')}>
      {passages.map((passage) => (
        <Passage
          key={`${passage.messageId} ${passage.passage}`}
          {...{ passage, threshold, query, askedAt, onOpen }}
          unusable={isOut?.(passage) ?? false}
        />
      ))}
    </ol>
  );
}

/**
 * Lists passages that were found but not used, below a line that says why; with
 * `folds` only that line is shown at first.
 */
function Unused({
  title,
  help,
  folds,
  below,
  children,
}: {
  title: string;
  help: string;
  folds: boolean;
  /** True if other passages stand above. */
  below: boolean;
  children: ReactNode;
}) {
  const [unfolded, setUnfolded] = useState(false);
  const list = useId();
  const open = unfolded || !folds;
  const head = (
    <>
      <span className="font-medium text-ink-2">{title}</span>
      <span>{help}</span>
    </>
  );
  return (
    <div className={classes('bg-paper/60', below && 'border-memory-line border-t')}>
      {folds ? (
        <button
          type="button"
          aria-expanded={open}
          aria-controls={list}
          onClick={() => setUnfolded(!unfolded)}
          className="touchable -outline-offset-2 flex w-full items-center gap-2 px-3 py-1.5 text-left text-ink-3 text-xs hover:bg-memory-mark/40"
        >
          <span className="flex min-w-0 flex-1 flex-wrap gap-x-2">{head}</span>
          <ChevronRight
            size={15}
            aria-hidden
            className={classes('shrink-0 transition-transform', open && 'rotate-90')}
          />
        </button>
      ) : (
        <p className="flex flex-wrap gap-x-2 px-3 pt-2 pb-1 text-ink-3 text-xs">{head}</p>
      )}
      <ol id={list} hidden={!open} className="pb-1">
        {open && children}
      </ol>
    </div>
  );
}

/**
 * One passage: two lines that link to its message; on demand all of it between its
 * neighbours, the reasons, and the scores.
 */
function Passage({
  passage,
  threshold,
  query,
  askedAt,
  onOpen,
  missed = false,
  sent = true,
  unusable = false,
}: {
  passage: RecalledPassage;
  threshold: number;
  query: string;
  askedAt: number | undefined;
  onOpen: (passage: RecalledPassage) => void;
  missed?: boolean;
  /** True if its cost is part of the card's. */
  sent?: boolean;
  /** It was sent, but will not be again. */
  unusable?: boolean;
}) {
  const { t } = useTranslation('memory');
  const [open, setOpen] = useState(false);
  const body = useId();
  const { source, text } = useMemo(() => passageSource(passage.passage), [passage.passage]);
  const short = useMemo(() => excerpt(text, query), [text, query]);
  const title = passageTitle(passage, t);
  return (
    <li className={classes('group/passage px-3', missed ? 'py-1.5 text-ink-3' : 'py-2.5')}>
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
              missed ? 'text-ink-2' : 'font-medium text-ink',
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
        <span className="flex items-center max-sm:hidden">
          <Judgement {...{ passage, query, askedAt }} />
        </span>
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
        <span className="-mr-1.5 flex items-center sm:hidden">
          <Judgement {...{ passage, query, askedAt }} />
        </span>
      </div>
    </li>
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
