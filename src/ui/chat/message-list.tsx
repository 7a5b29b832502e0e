// Draws a branch's messages, mounting only those near the screen. Stays at the end while an answer grows unless the
// person scrolls away; keeps clicked content in place.
import { ArrowDown } from 'lucide-react';
import {
  memo,
  type ReactNode,
  type RefObject,
  useContext,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { type CacheSnapshot, Virtualizer, type VirtualizerHandle } from 'virtua';
import type { ConversationId, MessageId } from '../../domain/base/ids.ts';
import { useReadable } from '../hooks/app.tsx';
import { useSession } from '../hooks/session.tsx';
import { nearDay, useToday } from '../hooks/today.ts';
import { formatDate } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { classes, IconButton } from '../shell/controls.tsx';
import { Notes } from './answer.tsx';
import { CompactionDivider } from './compaction-divider.tsx';
import { EditingContext } from './message-actions.ts';
import { MessageView } from './message-view.tsx';
import type { Branch, ListRow, RunningRow } from './rows.ts';
import { ScrollKeeper } from './scroll-keeper.ts';

/** Duration of a message's highlight after a jump, ms. */
const GLOW = 2000;

export interface MessageListHandle {
  toEnd(): void;
  /** Scrolls to a message, and focuses and highlights it on request. False if it is not on this branch. */
  toMessage(
    id: MessageId,
    options: {
      focus: boolean;
      glow: boolean;
      block: 'center' | 'nearest';
      /** Part of the message to scroll to; null: its beginning. */
      part?: (message: HTMLElement) => Range | null;
    },
  ): boolean;
  /** The element that scrolls. */
  box(): HTMLElement | null;
  /** The focused message, else the first one on screen. */
  current(): MessageId | null;
}

/** Scrolls a range to the middle of everything that scrolls around it, sideways too, as in a long line of code. */
function toRange(range: Range): void {
  range.startContainer.parentElement?.scrollIntoView({ block: 'center', inline: 'nearest' });
  const box = range.startContainer.parentElement?.closest('section');
  if (!box) return;
  const [words, seen] = [range.getBoundingClientRect(), box.getBoundingClientRect()];
  if (words.top < seen.top + 40 || words.bottom > seen.bottom - 40)
    box.scrollTop += (words.top + words.bottom) / 2 - (seen.top + seen.bottom) / 2;
}

/**
 * Shows today and yesterday by name, other days by date. Memoised: the list renders whenever a row grows.
 * `beforeAnswer`: what follows has no space of its own above it, as what a person says has.
 */
const Day = memo(function Day({ at, beforeAnswer }: { at: number; beforeAnswer: boolean }) {
  const { t } = useTranslation('shell');
  const near = nearDay(at, useToday());
  return (
    <div className={classes('flex justify-center pt-6 text-ink-3 text-xs', beforeAnswer && 'pb-5')}>
      <time dateTime={new Date(at).toISOString()} {...(near ? { title: formatDate(at) } : {})}>
        {near ? t(`groups.${near}`) : formatDate(at)}
      </time>
    </div>
  );
});

const isAnswer = (row: ListRow | RunningRow | undefined): boolean =>
  row?.type === 'running' || (row?.type === 'message' && row.message.role !== 'user');

export function MessageList({
  conversationId,
  branch,
  running,
  after,
  handle,
}: {
  conversationId: ConversationId;
  branch: Branch;
  /** The answer that grows at the end. */
  running: RunningRow | null;
  /** Content below all messages: outcomes of commands, problems. */
  after: ReactNode;
  handle: RefObject<MessageListHandle | null>;
}) {
  const { t } = useTranslation('chat');
  const scroller = useRef<HTMLDivElement>(null);
  const spacer = useRef<HTMLDivElement>(null);
  const below = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const [marked, setMarked] = useMarked();
  /** Fork whose branches the person is stepping through. */
  const [switched, setSwitched] = useState<string | null>(null);
  const [away, setAway] = useState(false);
  const { rows, results } = branch;
  const answers = running !== null;
  const drawn = useMemo(() => (running ? [...rows, running] : rows), [rows, running]);
  const { keeper, cache } = useScrollKeeper({
    conversationId,
    rows,
    answers,
    parts: { scroller, spacer, below, list },
    onAway: setAway,
    onSwitched: setSwitched,
  });
  const toMessage = useToMessage({ branch, scroller, list, keeper, onMark: setMarked });
  useImperativeHandle(handle, () => ({
    toEnd: () => keeper.toEnd(),
    box: () => scroller.current,
    toMessage,
    current: () => {
      const focused = document.activeElement?.closest<HTMLElement>('[data-message-id]');
      if (focused) return focused.dataset.messageId as MessageId;
      const first = list.current?.findItemIndex(scroller.current?.scrollTop ?? 0) ?? 0;
      for (const row of rows.slice(first)) if (row.type === 'message') return row.message.id;
      return null;
    },
  }));
  const written = useWrittenRows(drawn, running?.key ?? null, switched);
  const lastMessage = rows.findLast((row) => row.type === 'message')?.key;
  const draw = (row: ListRow | RunningRow, at: number) => {
    switch (row.type) {
      case 'day':
        return <Day key={row.key} at={row.at} beforeAnswer={isAnswer(drawn[at + 1])} />;
      case 'notes':
        return <Notes key={row.key} messages={row.messages} results={results} />;
      case 'compaction':
        return (
          <CompactionDivider
            key={row.key}
            conversationId={conversationId}
            compaction={row.compaction}
            state={row.state}
          />
        );
      case 'message':
        return (
          <MessageView
            key={row.key}
            row={row}
            results={results}
            marked={row.message.id === marked}
            last={row.key === lastMessage && !running}
          />
        );
      case 'running':
        return <MessageView key={row.key} row={row} results={results} marked={false} last />;
    }
  };

  return (
    <div className="relative min-h-0 flex-1">
      <section
        ref={scroller}
        aria-label={t('messages')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        tabIndex={0}
        onScroll={() => keeper.noteScroll()}
        data-messages
        className="-outline-offset-2 absolute inset-0 overflow-y-auto overscroll-contain [overflow-anchor:none] [scrollbar-gutter:stable] has-[>.sticky]:scroll-pb-20"
      >
        {/* The list library ignores clicks while it scrolls, so a click at that moment would be lost. */}
        <div className="relative mx-auto w-full max-w-(--measure) px-5 pb-6 *:[pointer-events:inherit]! md:px-8">
          <Virtualizer
            ref={list}
            scrollRef={scroller}
            data={drawn}
            bufferSize={600}
            keepMounted={written}
            onResize={() => keeper.rowsResized()}
            {...(cache ? { cache } : {})}
          >
            {draw}
          </Virtualizer>
          <div ref={below}>{after}</div>
          <div ref={spacer} aria-hidden />
        </div>
        {away && <Fade />}
      </section>
      {away && <ToEnd onClick={() => keeper.toEnd()} />}
    </div>
  );
}

function ToEnd({ onClick }: { onClick: () => void }) {
  const { t } = useTranslation('chat');
  return (
    <IconButton
      label={t('toEnd')}
      tooltipSide="top"
      icon={<ArrowDown size={17} aria-hidden />}
      onClick={onClick}
      className="-translate-x-1/2 absolute start-1/2 bottom-1 animate-fade rounded-full! border border-line bg-raised shadow-float"
    />
  );
}

/** Lets lines fade out below the button to the end, which would cover their words. */
const Fade = () => (
  <div aria-hidden className="pointer-events-none sticky bottom-0 h-0">
    <div className="absolute inset-x-0 bottom-0 h-20 bg-linear-to-t from-55% from-paper pointer-coarse:h-24" />
  </div>
);

/**
 * Keeps the reader's place in the list and restores it when the list opens again.
 * `cache`: measured heights of that time.
 */
function useScrollKeeper({
  conversationId,
  rows,
  answers,
  parts: { scroller, spacer, below, list },
  onAway,
  onSwitched,
}: {
  conversationId: ConversationId;
  rows: readonly ListRow[];
  answers: boolean;
  parts: {
    readonly scroller: RefObject<HTMLElement | null>;
    readonly spacer: RefObject<HTMLElement | null>;
    readonly below: RefObject<HTMLElement | null>;
    readonly list: RefObject<VirtualizerHandle | null>;
  };
  onAway: (isAway: boolean) => void;
  onSwitched: (siblings: string | null) => void;
}): { keeper: ScrollKeeper; cache: CacheSnapshot | undefined } {
  const { places } = useSession();
  // A place only fits the rows it was measured with.
  const [place] = useState(() => {
    const kept = places.get(conversationId);
    return kept && kept.rows === rows.length ? kept : undefined;
  });
  const [keeper] = useState(
    () =>
      new ScrollKeeper(place, {
        offsetOf: (row) => list.current?.getItemOffset(row),
        onAway,
        onSwitched,
      }),
  );
  useLayoutEffect(() => keeper.drawn(rows, answers), [keeper, rows, answers]);
  useLayoutEffect(() => {
    if (!scroller.current) return;
    keeper.open(scroller.current, below.current);
    return () => {
      const cache = list.current?.cache;
      places.set(conversationId, { ...keeper.close(), cache });
    };
  }, [keeper, conversationId, places, scroller, below, list]);
  useEffect(() => (spacer.current ? keeper.observe(spacer.current) : undefined), [keeper, spacer]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs whenever the rows change
  useLayoutEffect(() => keeper.keepClicked(), [keeper, rows]);
  useEffect(() => {
    if (answers) keeper.answerBegins();
  }, [keeper, answers]);
  return { keeper, cache: place?.cache as CacheSnapshot | undefined };
}

/** The message highlighted for a moment after a jump. */
function useMarked() {
  const [marked, setMarked] = useState<MessageId | null>(null);
  useEffect(() => {
    if (marked === null) return;
    const timer = setTimeout(() => setMarked(null), GLOW);
    return () => clearTimeout(timer);
  }, [marked]);
  return [marked, setMarked] as const;
}

/** Scrolls to a message, which may not be mounted yet, until it is in place. */
function useToMessage({
  branch: { rows, rowOf },
  scroller,
  list,
  keeper,
  onMark,
}: {
  branch: Branch;
  scroller: RefObject<HTMLElement | null>;
  list: RefObject<VirtualizerHandle | null>;
  keeper: ScrollKeeper;
  onMark: (message: MessageId) => void;
}): MessageListHandle['toMessage'] {
  const pending = useRef<number | null>(null);
  useEffect(
    () => () => {
      if (pending.current !== null) cancelAnimationFrame(pending.current);
    },
    [],
  );
  return (id, { focus, glow, block, part }) => {
    const row = rowOf.get(id);
    if (row === undefined) return false;
    // A piece of an answer is shown in the row of all its pieces.
    const shown = rows[row];
    const target = shown?.type === 'message' ? shown.message.id : id;
    keeper.leaveEnd();
    if (pending.current !== null) cancelAnimationFrame(pending.current);
    list.current?.scrollToIndex(row, { align: block });
    // Rows near the target get their heights only once mounted, so scrolls again until the place is final.
    let tries = 0;
    let focused = !focus;
    const settle = () => {
      const element = scroller.current?.querySelector<HTMLElement>(
        `[data-message-id="${CSS.escape(target)}"]`,
      );
      if (element) {
        const tall = element.offsetHeight > (scroller.current?.clientHeight ?? 0) * 0.8;
        const range = part?.(element);
        if (range) toRange(range);
        else if (block === 'center') element.scrollIntoView({ block: tall ? 'start' : 'center' });
        // Focuses only once: in later frames the person may have moved on, and an editor in the
        // message may have the focus already.
        if (!focused && !element.contains(document.activeElement)) element.focus({ preventScroll: true });
        focused = true;
      } else list.current?.scrollToIndex(row, { align: block });
      tries += 1;
      pending.current = tries < (element ? 4 : 30) ? requestAnimationFrame(settle) : null;
    };
    pending.current = requestAnimationFrame(settle);
    if (glow) onMark(target);
    return true;
  };
}

/**
 * Rows that stay mounted at any scroll position: a row being edited must not unmount, a running answer would be drawn
 * twice at its end, and the row just switched to has no known height yet.
 */
function useWrittenRows(
  rows: readonly (ListRow | RunningRow)[],
  running: string | null,
  switched: string | null,
): readonly number[] {
  const edited = useReadable(useContext(EditingContext));
  const [answer, setAnswer] = useState(running);
  if (running !== null && running !== answer) setAnswer(running);
  return useMemo(
    () =>
      rows.flatMap((row, at) =>
        row.type === 'compaction' ||
        row.key === answer ||
        (row.type === 'message' &&
          (row.message.id === edited || (switched !== null && row.siblings?.ids[0] === switched)))
          ? [at]
          : [],
      ),
    [rows, answer, edited, switched],
  );
}
