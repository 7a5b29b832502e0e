// Find bar below the header. Searches all branches; shows hits on other branches without moving the head.
import { ChevronDown, ChevronUp, Search, X } from 'lucide-react';
import {
  type RefObject,
  useDeferredValue,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { MessageId } from '../../domain/base/ids.ts';
import type { Writable } from '../../domain/base/readable.ts';
import type { Conversation } from '../../domain/chat/conversation.ts';
import { useSession } from '../hooks/session.tsx';
import { formatNumber } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { IconButton } from '../shell/controls.tsx';
import { isComposing, useShortcuts } from '../shell/shortcuts.ts';
import { findIn, firstHit, type Hit, placeInRow, reading } from './find.ts';
import { canMark, messageIn, rangesIn, watchMarks } from './find-marks.ts';
import type { MessageListHandle } from './message-list.tsx';
import type { Branch } from './rows.ts';

/** Longest selection that the bar searches for right away, characters. */
const SELECTION = 80;
const selected = (): string => {
  const words = String(getSelection() ?? '').trim();
  return words.length <= SELECTION && !words.includes('\n') ? words : '';
};

const same = (a: Hit, b: Hit): boolean => a.messageId === b.messageId && a.nth === b.nth;

interface ShownHit {
  readonly hit: Hit;
  /** Increases with each step, so that going to the same hit scrolls again. */
  readonly step: number;
}

/** Scrolls a hit into view: first its branch, then its message, then the words. */
function useGoTo({
  branch,
  list,
  peek,
  words,
  place,
}: {
  branch: Branch;
  list: RefObject<MessageListHandle | null>;
  peek: (message: MessageId) => void;
  words: string;
  place: ShownHit | null;
}): void {
  const gone = useRef({ step: -1, peeked: -1 });
  useEffect(() => {
    if (!place || gone.current.step === place.step) return;
    const { hit, step } = place;
    if (!branch.rowOf.has(hit.messageId)) {
      if (gone.current.peeked !== step) peek(hit.messageId);
      gone.current.peeked = step;
      return;
    }
    gone.current.step = step;
    const { nth } = placeInRow(hit, branch, words);
    list.current?.toMessage(hit.messageId, {
      focus: false,
      glow: !canMark(),
      block: 'center',
      part: (message) => rangesIn(message, words)[nth] ?? null,
    });
  }, [branch, list, peek, words, place]);
}

/** Longest time to read messages without a break, ms, so that the field stays responsive. */
const READ_MS = 12;

/** Reads the messages in slices while the bar is open; the returned number changes when more have been read. */
function useRead({ messages }: Conversation): number {
  const [read, setRead] = useState(0);
  useEffect(() => {
    const rest = reading({ messages });
    let count = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const go = () => {
      const end = performance.now() + READ_MS;
      let step = rest.next();
      for (; !step.done && performance.now() < end; step = rest.next()) count += 1;
      if (!step.done) timer = setTimeout(go);
      else if (count > 0) setRead((before) => before + 1);
    };
    go();
    return () => clearTimeout(timer);
  }, [messages]);
  return read;
}

/** Current hit and steps to others. Starts with the hits on screen, and again for new words. */
function useHits(
  conversation: Conversation,
  branch: Branch,
  list: RefObject<MessageListHandle | null>,
  words: string,
) {
  const { messages } = conversation;
  const read = useRead(conversation);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a message that has been read gives other hits
  const hits = useMemo(() => findIn({ messages }, words), [messages, words, read]);
  const [state, setState] = useState<{ words: string; read: number; place: ShownHit | null }>({
    words: '',
    read,
    place: null,
  });
  let { place } = state;
  const isThere = (hit: Hit | undefined) => hit !== undefined && hits.some((other) => same(hit, other));
  if (state.words !== words || (state.read !== read && !isThere(place?.hit))) {
    const at = firstHit(hits, branch, state.place?.hit.messageId ?? list.current?.current() ?? null);
    const hit = hits[at];
    place = hit ? { hit, step: (state.place?.step ?? 0) + 1 } : null;
    setState({ words, read, place });
  }
  const now = place?.hit;
  const at = now ? hits.findIndex((hit) => same(hit, now)) : -1;
  const go = (by: 1 | -1) => {
    const hit = hits[(at + by + hits.length) % hits.length];
    if (hit) setState({ words, read, place: { hit, step: (place?.step ?? 0) + 1 } });
  };
  return { hits, at, place: at < 0 ? null : place, go };
}

/** Highlights the words in all drawn messages while the bar is open. */
function useMarks({
  branch,
  list,
  found,
  words,
  place,
}: {
  branch: Branch;
  list: RefObject<MessageListHandle | null>;
  found: Writable<MessageId | null>;
  words: string;
  place: ShownHit | null;
}): void {
  const marked = useEffectEvent(() => place && placeInRow(place.hit, branch, words));
  useEffect(() => {
    found.set(place?.hit.messageId ?? null);
    return () => found.set(null);
  }, [found, place]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a step marks another place
  useEffect(() => {
    const box = list.current?.box();
    if (!box || words.trim() === '') return;
    return watchMarks(box, words, () => marked());
  }, [list, words, place]);
}

/** Field for the search words. Enter steps forward, Shift+Enter back; Escape closes. */
function FindField({
  field,
  value,
  onChange,
  onStep,
  onClose,
}: {
  field: RefObject<HTMLInputElement | null>;
  value: string;
  onChange: (value: string) => void;
  onStep: (by: 1 | -1) => void;
  onClose: () => void;
}) {
  const { t } = useTranslation('chat');
  return (
    <label className="relative flex min-w-0 flex-1 items-center md:max-w-96">
      <Search size={15} aria-hidden className="absolute left-2.5 text-ink-3" />
      <input
        ref={field}
        value={value}
        dir="auto"
        type="text"
        enterKeyHint="search"
        autoComplete="off"
        spellCheck={false}
        aria-label={t('find.title')}
        placeholder={t('find.title')}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (isComposing(event.nativeEvent)) return;
          if (event.key === 'Escape') onClose();
          else if (event.key === 'Enter') onStep(event.shiftKey ? -1 : 1);
          else return;
          event.preventDefault();
        }}
        className="touchable h-8 w-full min-w-0 rounded-md border border-line-strong bg-paper pr-2 pl-8 text-sm outline-offset-0"
      />
    </label>
  );
}

export function FindBar({
  conversation,
  branch,
  list,
  found,
  peek,
  onClose,
}: {
  conversation: Conversation;
  branch: Branch;
  list: RefObject<MessageListHandle | null>;
  found: Writable<MessageId | null>;
  /** Shows a message's branch without moving the head. */
  peek: (message: MessageId) => void;
  onClose: () => void;
}) {
  const { t } = useTranslation('chat');
  const session = useSession();
  const field = useRef<HTMLInputElement>(null);
  const [query, setQuery] = useState(selected);
  const words = useDeferredValue(query);
  const { hits, at, place, go } = useHits(conversation, branch, list, words);
  useGoTo({ branch, list, peek, words, place });

  useMarks({ branch, list, found, words, place });

  const [from] = useState(() => document.activeElement);
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  const close = () => {
    const box = list.current?.box();
    const message = place && box && messageIn(box, placeInRow(place.hit, branch, words).id);
    onClose();
    if (from instanceof HTMLElement && from.isConnected && from !== document.body) from.focus();
    else if (message) message.focus({ preventScroll: true });
    else session.composer.get()?.focus();
  };
  useShortcuts({
    find: () => {
      // A second press opens the browser's own find.
      if (document.activeElement === field.current) return false;
      field.current?.focus();
      field.current?.select();
      return undefined;
    },
    stop: () => {
      close();
      return undefined;
    },
  });

  const onOther = place !== null && !branch.path.some(({ id }) => id === place.hit.messageId);
  const count =
    words.trim() === ''
      ? ''
      : hits.length === 0
        ? t('find.none')
        : t('find.count', { at: formatNumber(at + 1), count: hits.length, size: formatNumber(hits.length) });
  return (
    <search className="flex shrink-0 animate-fade items-center gap-1 border-b bg-side px-3 py-1.5">
      <FindField field={field} value={query} onChange={setQuery} onStep={go} onClose={close} />
      <span role="status" className="shrink-0 whitespace-nowrap px-1 text-ink-3 text-xs tabular-nums">
        {count}
        {onOther && <span className="sr-only"> {t('find.otherBranch')}</span>}
      </span>
      <IconButton
        label={t('find.previous')}
        shortcut="Shift+Enter"
        icon={<ChevronUp size={17} aria-hidden />}
        disabled={hits.length === 0}
        onClick={() => go(-1)}
      />
      <IconButton
        label={t('find.next')}
        shortcut="Enter"
        icon={<ChevronDown size={17} aria-hidden />}
        disabled={hits.length === 0}
        onClick={() => go(1)}
      />
      <IconButton
        label={t('find.close')}
        shortcut="Escape"
        icon={<X size={17} aria-hidden />}
        onClick={close}
        className="md:ml-auto"
      />
    </search>
  );
}
