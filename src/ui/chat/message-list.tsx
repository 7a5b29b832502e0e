// The messages of a branch, of which only those near the screen exist. Keeps to the end while an answer grows, unless one scrolls away; what
// a person clicks stays where it is.
import { ArrowDown } from 'lucide-react';
import {
  type ReactNode,
  type RefObject,
  useCallback,
  useContext,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useTranslation } from 'react-i18next';
import { type CacheSnapshot, Virtualizer, type VirtualizerHandle } from 'virtua';
import type { ConversationId, MessageId } from '../../domain/base/ids.ts';
import { useReadable } from '../hooks/app.tsx';
import { useSession } from '../hooks/session.tsx';
import { nearDay, useToday } from '../hooks/today.ts';
import { formatDate } from '../i18n/index.ts';
import { IconButton } from '../shell/controls.tsx';
import { Notes } from './answer.tsx';
import { CompactionDivider } from './compaction.tsx';
import { createHeldPlace, type HeldPlace, SIBLINGS } from './held-place.ts';
import { EditingContext } from './message-actions.ts';
import { MessageView } from './message-view.tsx';
import type { Branch, Row } from './rows.ts';

/** Nearer to the end than this counts as being there, px. */
const AT_END = 24;
/** Frames in which rows that a click changed are measured. */
const SETTLES = 20;
/** With any of these a person goes on to something else than what was clicked. */
const GOES_ON = ['pointerdown', 'keydown', 'wheel', 'touchmove'] as const;
/** How long a message glows after a jump, ms. */
const GLOW = 2000;

export interface MessageListHandle {
  toEnd(): void;
  /** Scrolls to a message, and focuses it and lets it glow where asked. False where it is not on this branch. */
  toMessage(
    id: MessageId,
    options: {
      focus: boolean;
      glow: boolean;
      block: 'center' | 'nearest';
      /** What of the message is to be in sight; null: its beginning. */
      part?: (message: HTMLElement) => Range | null;
    },
  ): boolean;
  /** The element that scrolls. */
  box(): HTMLElement | null;
  /** The message that has the focus, else the first one on the screen. */
  current(): MessageId | null;
}

/** Brings words into the middle of what scrolls around them, sideways too, as in a long line of code. */
function toRange(range: Range): void {
  range.startContainer.parentElement?.scrollIntoView({ block: 'center', inline: 'nearest' });
  const box = range.startContainer.parentElement?.closest('section');
  if (!box) return;
  const [words, seen] = [range.getBoundingClientRect(), box.getBoundingClientRect()];
  if (words.top < seen.top + 40 || words.bottom > seen.bottom - 40)
    box.scrollTop += (words.top + words.bottom) / 2 - (seen.top + seen.bottom) / 2;
}

/** Today and yesterday by name, any other day by its date. */
function Day({ at }: { at: number }) {
  const { t } = useTranslation('shell');
  const near = nearDay(at, useToday());
  return (
    <div className="flex justify-center pt-6 text-ink-3 text-xs">
      <time dateTime={new Date(at).toISOString()} {...(near ? { title: formatDate(at) } : {})}>
        {near ? t(`groups.${near}`) : formatDate(at)}
      </time>
    </div>
  );
}

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
  running: ReactNode;
  /** What stands below everything: outcomes of commands, problems. */
  after: ReactNode;
  handle: RefObject<MessageListHandle | null>;
}) {
  const { t } = useTranslation('chat');
  const { places } = useSession();
  const scroller = useRef<HTMLDivElement>(null);
  const room = useRef<HTMLDivElement>(null);
  const below = useRef<HTMLDivElement>(null);
  const held = useRef<HeldPlace | null>(null);
  const list = useRef<VirtualizerHandle>(null);
  const [marked, setMarked] = useState<MessageId | null>(null);
  /** The branches one is going through: where they part. */
  const [switched, setSwitched] = useState<string | null>(null);
  const [away, setAway] = useState(false);
  const { rows, rowOf, results } = branch;
  // A place is only good for the rows it was measured with.
  const [place] = useState(() => {
    const kept = places.get(conversationId);
    return kept && kept.rows === rows.length ? kept : undefined;
  });
  const sticking = useRef(place ? place.atEnd : true);
  const lastOffset = useRef(0);
  /** It stands above the end, see `restOf`. */
  const resting = useRef(false);
  /** The last row whose end somebody went to from there: who did that wants to be there. */
  const seenEnd = useRef<string | null>(null);

  const now = useRef({ rows, running: false });
  now.current = { rows, running: Boolean(running) };
  /**
   * Where the list stands when it keeps to the end, px from the top: at the end, but for an answer that memory gave. That is there at once and
   * best first, so its question and its beginning stay in sight.
   */
  const restOf = useCallback((box: HTMLElement): number => {
    const end = box.scrollHeight - box.clientHeight;
    const { rows, running } = now.current;
    const last = rows.at(-1);
    if (running || last?.type !== 'message' || last.message.kind !== 'recall' || below.current?.offsetHeight)
      return end;
    if (seenEnd.current === last.key) return end;
    const question = rows.findLastIndex((row) => row.type === 'message' && row.message.role === 'user');
    const offset = question < 0 ? undefined : list.current?.getItemOffset(question);
    return Math.min(end, offset ?? end);
  }, []);

  const toEnd = useCallback(() => {
    held.current?.clear();
    [sticking.current, resting.current] = [true, false];
    seenEnd.current = now.current.rows.at(-1)?.key ?? null;
    const box = scroller.current;
    if (box) box.scrollTop = box.scrollHeight;
  }, []);

  const noteScroll = useCallback(() => {
    const box = scroller.current;
    if (!box) return;
    held.current?.fit();
    const left = held.current?.left() ?? box.scrollHeight - box.scrollTop - box.clientHeight;
    // Content that grows moves nobody; only a person moves up.
    if (!held.current?.holds) {
      if (left <= AT_END) {
        sticking.current = true;
        if (resting.current) seenEnd.current = now.current.rows.at(-1)?.key ?? null;
      } else if (
        box.scrollTop < lastOffset.current - 1 ||
        (resting.current && box.scrollTop > lastOffset.current + 1)
      )
        sticking.current = false;
    }
    lastOffset.current = box.scrollTop;
    setAway((!sticking.current || resting.current) && left > 160);
  }, []);

  useLayoutEffect(() => {
    const box = scroller.current;
    if (!box) return;
    if (place && !place.atEnd) box.scrollTop = place.offset;
    else box.scrollTop = box.scrollHeight;
    lastOffset.current = box.scrollTop;
    return () => {
      if (held.current?.holds) sticking.current = held.current.left() <= AT_END;
      const cache = list.current?.cache;
      places.set(conversationId, {
        offset: box.scrollTop,
        atEnd: sticking.current,
        rows: rowCount.current,
        cache,
      });
    };
  }, [conversationId, place, places]);
  const rowCount = useRef(rows.length);
  rowCount.current = rows.length;

  // Whatever grows inside (an answer, a picture that arrives, a font) keeps the end in sight.
  useEffect(() => {
    const box = scroller.current;
    const content = box?.firstElementChild;
    if (!box || !(content instanceof HTMLElement) || !room.current) return;
    const own = createHeldPlace(box, content, room.current);
    held.current = own;
    // Nothing is moved away from under a finger: what was pressed is let go at the same place, and words being selected stand still.
    let pressed = false;
    let frame = 0;
    /** What was clicked in: told of in the same frame in which it grew. */
    let watched: HTMLElement | null = null;
    const keepEnd = () => {
      if (!own.keep()) {
        own.fit();
        if (sticking.current && !pressed) {
          const rest = restOf(box);
          resting.current = rest < box.scrollHeight - box.clientHeight;
          box.scrollTop = rest;
          lastOffset.current = box.scrollTop;
        }
      }
      noteScroll();
    };
    const free = (event: Event) => {
      if (event.type === 'wheel' || event.type === 'touchmove') own.level();
      if (!own.holds) return;
      own.release();
      noteScroll();
    };
    // What a click opens, folds or switches must not move what was clicked; a click that changed nothing changes nothing here.
    const click = (event: MouseEvent) => {
      if (!(event.target instanceof Element)) return;
      const followed = sticking.current;
      const around = own.hold(event.target);
      if (!own.holds) return;
      sticking.current = false;
      setSwitched(event.target.closest(`[${SIBLINGS}]`)?.getAttribute(SIBLINGS) ?? null);
      if (watched) watch.unobserve(watched);
      if (around) watch.observe(around);
      watched = around;
      // Rows are measured in the frames after: what moved is brought back before it is seen elsewhere.
      let frames = 0;
      const settle = () => {
        if (!own.holds) return;
        keepEnd();
        frames += 1;
        if (frames === 2 && answering.current && !own.changed()) {
          own.release();
          sticking.current = followed;
          keepEnd();
        } else if (frames < SETTLES) frame = requestAnimationFrame(settle);
      };
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(settle);
    };
    const press = (event: PointerEvent) => {
      pressed = event.button === 0;
    };
    const release = () => {
      if (!pressed) return;
      pressed = false;
      frame = requestAnimationFrame(keepEnd);
    };
    const watch = new ResizeObserver(keepEnd);
    watch.observe(content);
    watch.observe(box);
    // Before the click does what it does: that may lead elsewhere in here.
    box.addEventListener('click', click, { capture: true });
    for (const goesOn of GOES_ON) addEventListener(goesOn, free, { capture: true, passive: true });
    box.addEventListener('pointerdown', press);
    addEventListener('pointerup', release);
    addEventListener('pointercancel', release);
    return () => {
      watch.disconnect();
      cancelAnimationFrame(frame);
      held.current = null;
      box.removeEventListener('click', click, { capture: true });
      for (const goesOn of GOES_ON) removeEventListener(goesOn, free, { capture: true });
      box.removeEventListener('pointerdown', press);
      removeEventListener('pointerup', release);
      removeEventListener('pointercancel', release);
    };
  }, [noteScroll, restOf]);

  // Another branch is drawn: what was clicked for it is brought to its place before that is seen.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever the rows change
  useLayoutEffect(() => {
    held.current?.keep();
  }, [rows]);

  const answers = Boolean(running);
  const answering = useRef(answers);
  answering.current = answers;
  useEffect(() => {
    const own = held.current;
    if (!answers || !own?.holds || own.changed()) return;
    own.release();
    noteScroll();
  }, [answers, noteScroll]);

  useEffect(() => {
    if (marked === null) return;
    const timer = setTimeout(() => setMarked(null), GLOW);
    return () => clearTimeout(timer);
  }, [marked]);

  const pending = useRef<number | null>(null);
  useEffect(
    () => () => {
      if (pending.current !== null) cancelAnimationFrame(pending.current);
    },
    [],
  );
  useImperativeHandle(handle, () => ({
    toEnd,
    box: () => scroller.current,
    toMessage: (id, { focus, glow, block, part }) => {
      const row = rowOf.get(id);
      if (row === undefined) return false;
      // A piece of an answer is shown in the row of all its pieces.
      const shown = rows[row];
      const target = shown?.type === 'message' ? shown.message.id : id;
      held.current?.clear();
      sticking.current = false;
      if (pending.current !== null) cancelAnimationFrame(pending.current);
      list.current?.scrollToIndex(row, { align: block });
      // Rows around the target are measured once they are there; then it is brought to its place for good.
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
          // Once: in the frames after, a person may have gone on. An editor in it may have the focus already.
          if (!focused && !element.contains(document.activeElement)) element.focus({ preventScroll: true });
          focused = true;
        } else list.current?.scrollToIndex(row, { align: block });
        tries += 1;
        pending.current = tries < (element ? 4 : 30) ? requestAnimationFrame(settle) : null;
      };
      pending.current = requestAnimationFrame(settle);
      if (glow) setMarked(target);
      return true;
    },
    current: () => {
      const focused = document.activeElement?.closest<HTMLElement>('[data-message-id]');
      if (focused) return focused.dataset.messageId as MessageId;
      const first = list.current?.findItemIndex(scroller.current?.scrollTop ?? 0) ?? 0;
      for (const row of rows.slice(first)) if (row.type === 'message') return row.message.id;
      return null;
    },
  }));

  // What a person is writing, into a divider or into a message, must not go when it is scrolled away; nor what was just switched to, before
  // its height is known.
  const edited = useReadable(useContext(EditingContext));
  const written = useMemo(
    () =>
      rows.flatMap((row, at) =>
        row.type === 'compaction' ||
        (row.type === 'message' &&
          (row.message.id === edited || (switched !== null && row.siblings?.ids[0] === switched)))
          ? [at]
          : [],
      ),
    [rows, edited, switched],
  );
  const lastMessage = rows.findLast((row) => row.type === 'message')?.key;
  const draw = (row: Row) => {
    switch (row.type) {
      case 'day':
        return <Day key={row.key} at={row.at} />;
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
    }
  };

  return (
    <div className="relative min-h-0 flex-1">
      <section
        ref={scroller}
        aria-label={t('messages')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        tabIndex={0}
        onScroll={noteScroll}
        className="-outline-offset-2 absolute inset-0 overflow-y-auto overscroll-contain [overflow-anchor:none] [scrollbar-gutter:stable]"
      >
        {/* While it scrolls the library takes no clicks, and one made in that moment was lost. */}
        <div className="relative mx-auto w-full max-w-(--measure) px-5 pb-6 *:[pointer-events:inherit]! md:px-8">
          <Virtualizer
            ref={list}
            scrollRef={scroller}
            data={rows}
            bufferSize={600}
            keepMounted={written}
            {...(place ? { cache: place.cache as CacheSnapshot } : {})}
          >
            {draw}
          </Virtualizer>
          {running}
          <div ref={below}>{after}</div>
          <div ref={room} aria-hidden />
        </div>
      </section>
      {away && (
        <IconButton
          label={t('toEnd')}
          tooltipSide="top"
          icon={<ArrowDown size={17} aria-hidden />}
          onClick={toEnd}
          className="-translate-x-1/2 absolute bottom-3 left-1/2 animate-fade rounded-full! border border-line bg-raised shadow-float"
        />
      )}
    </div>
  );
}
