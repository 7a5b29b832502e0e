// Tools below a message: other branches, copy, time, and rarer ones.
import {
  Check,
  ChevronLeft,
  ChevronRight,
  Copy,
  Ellipsis,
  Eraser,
  Flag,
  MailPlus,
  Pin,
  PinOff,
  ReceiptText,
  Trash2,
} from 'lucide-react';
import { type ReactNode, useContext, useLayoutEffect, useRef } from 'react';
import type { MessageId } from '../../domain/base/ids.ts';
import type { Message } from '../../domain/chat/message.ts';
import { formatDayTime, formatExact, formatRelative } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { IconButton, Menu, type MenuItem } from '../shell/controls.tsx';
import { useCopy } from '../shell/problem-notice.tsx';
import { shownDevice } from '../sync/device-name.ts';
import { SIBLINGS } from './held-place.ts';
import { type BranchStep, BranchStepContext, useActions } from './message-actions.ts';
import type { Siblings } from './rows.ts';

/** `‹ 2 / 3 ›`: steps through the branches of a fork. */
export function SiblingArrows({
  siblings: { index, ids },
  onShow,
}: {
  siblings: Siblings;
  onShow: (sibling: MessageId) => void;
}) {
  const { t } = useTranslation('chat');
  const step = useContext(BranchStepContext);
  const arrows = useRef<HTMLSpanElement>(null);
  const go = (to: MessageId | undefined, arrow: BranchStep['arrow']) => {
    if (!to) return;
    step.set({ to, arrow });
    onShow(to);
  };
  // The pressed row is gone, so focuses the same arrow in the new row, or the other arrow at either end.
  useLayoutEffect(() => {
    const wanted = step.get();
    if (wanted === null || wanted.to !== ids[index]) return;
    step.set(null);
    if (document.activeElement !== document.body) return;
    const able = [...(arrows.current?.querySelectorAll<HTMLButtonElement>('button:enabled') ?? [])];
    able.at(wanted.arrow === 'next' ? -1 : 0)?.focus({ preventScroll: true });
  });
  return (
    <span
      ref={arrows}
      {...{ [SIBLINGS]: ids[0] }}
      className="inline-flex shrink-0 items-center rounded-sm bg-branch-soft text-branch text-xs"
    >
      <IconButton
        size="sm"
        label={t('previousBranch')}
        icon={<ChevronLeft size={14} aria-hidden />}
        disabled={index <= 0}
        onClick={() => go(ids[index - 1], 'previous')}
        className="text-branch hover:bg-branch-line/50 hover:text-branch"
      />
      <span
        role="status"
        aria-label={t('branchOf', { index: index + 1, count: ids.length })}
        className="tabular-nums"
      >
        {index + 1} / {ids.length}
      </span>
      <IconButton
        size="sm"
        label={t('nextBranch')}
        icon={<ChevronRight size={14} aria-hidden />}
        disabled={index >= ids.length - 1}
        onClick={() => go(ids[index + 1], 'next')}
        className="text-branch hover:bg-branch-line/50 hover:text-branch"
      />
    </span>
  );
}

export function CopyButton({ text }: { text: string }) {
  const { t } = useTranslation('chat');
  const [copy, copied] = useCopy();
  return (
    <IconButton
      size="sm"
      label={copied ? t('copied') : t('copy')}
      icon={copied ? <Check size={15} aria-hidden /> : <Copy size={15} aria-hidden />}
      onClick={() => copy(text)}
    />
  );
}

/** Shown on hover and focus; always on touch screens. */
export const TOOL_ROW =
  'flex items-center gap-0.5 opacity-0 transition-opacity focus-within:opacity-100 group-focus/message:opacity-100 group-hover/message:opacity-100 has-[[aria-expanded=true]]:opacity-100 pointer-coarse:opacity-100';

/**
 * Menu of rarer tools: checkpoint, manifest; nothing if none applies. `kept`: marked to be sent word for word; absent
 * if that is not possible. `pieces`: earlier pieces of the same answer, each with its own manifest.
 */
export function RarerTools({
  message,
  pieces = [],
  kept,
  first = [],
}: {
  message: Message;
  pieces?: readonly Message[];
  kept?: boolean;
  /** Items of the message's own kind, shown first. */
  first?: readonly MenuItem[];
}) {
  const { t } = useTranslation(['chat', 'forget']);
  const { t: tc } = useTranslation('context');
  const actions = useActions();
  const trigger = useRef<HTMLButtonElement>(null);
  // Dialogs opened from here return the focus to this button.
  const item = (
    label: string,
    icon: ReactNode,
    run: () => void,
    disabled = false,
    danger = false,
  ): MenuItem => ({
    label,
    icon,
    disabled,
    danger,
    onSelect: () => {
      trigger.current?.focus();
      run();
    },
  });
  const items: MenuItem[] = [];
  if (message.device)
    items.push({
      heading: t('writtenOn', {
        device: shownDevice(message.device),
        when: formatDayTime(message.createdAt),
      }),
    });
  items.push(...first);
  if (first.length > 0 && actions.canWrite) items.push('separator');
  if (actions.canWrite)
    items.push(
      item(tc('checkpoint.here'), <Flag size={15} aria-hidden />, () => actions.checkpoint(message.id)),
      item(
        tc('dmail.send'),
        <MailPlus size={15} aria-hidden />,
        () => actions.sendBack(message),
        !actions.canAsk,
      ),
    );
  if (actions.canWrite && kept !== undefined)
    items.push(
      item(
        tc(kept ? 'kept.unmark' : 'kept.mark'),
        kept ? <PinOff size={15} aria-hidden /> : <Pin size={15} aria-hidden />,
        () => actions.keep(message.id, !kept),
      ),
    );
  for (const [at, piece] of [...pieces, message].entries())
    if (piece.ledger !== undefined)
      items.push(
        item(
          pieces.length > 0 ? tc('manifest.openPiece', { piece: at + 1 }) : tc('manifest.open'),
          <ReceiptText size={15} aria-hidden />,
          () => actions.showManifest(piece),
        ),
      );
  if (actions.canWrite)
    items.push(
      'separator',
      item(
        t('deleteMessage'),
        <Trash2 size={15} aria-hidden />,
        () => actions.remove(message),
        !actions.canAsk,
        true,
      ),
    );
  const { forget } = actions;
  if (actions.canWrite && forget)
    items.push(
      item(t('forget:menu'), <Eraser size={15} aria-hidden />, () => forget(message), !actions.canAsk, true),
    );
  if (items.every((row) => typeof row === 'object' && 'heading' in row)) return null;
  return (
    <Menu
      keepFocus
      align="start"
      trigger={
        <IconButton ref={trigger} size="sm" label={t('more')} icon={<Ellipsis size={15} aria-hidden />} />
      }
      items={items}
    />
  );
}

/** Relative time; the exact one on hover. */
export const Stamp = ({ at }: { at: number }) =>
  at > 0 ? (
    <time dateTime={new Date(at).toISOString()} title={formatExact(at)} className="px-1 text-ink-3 text-xs">
      {formatRelative(at)}
    </time>
  ) : null;
