// Keyboard shortcuts of an open conversation.
import type { MessageId } from '../../domain/base/ids.ts';
import { useApp } from '../hooks/app.tsx';
import { useSession } from '../hooks/session.tsx';
import { useShortcuts } from '../shell/shortcuts.ts';
import type { Opened } from './opened.ts';

/** Focuses the first match in the focused message, and opens it if it can open. False if there is no match. */
function inFocused(selector: string): boolean {
  const message = document.activeElement?.closest('[data-message-id]');
  const target = message?.querySelector<HTMLElement>(selector);
  if (selector.includes('aria-expanded')) target?.click();
  target?.focus();
  return Boolean(target);
}

/** `onFind` returns false if the find bar is already open and handles the key itself. */
export function useConversationKeys(
  { id, busy, branch, list }: Opened,
  { onPanel, onFind }: { onPanel: () => void; onFind: () => boolean },
): void {
  const { chat } = useApp();
  const session = useSession();
  const walk = (step: 1 | -1) => {
    const messages = branch.rows.flatMap((row) => (row.type === 'message' ? [row.message.id] : []));
    const focused = document.activeElement?.closest('[data-message-id]');
    const at = messages.indexOf(list.current?.current() as MessageId);
    const next = messages[focused ? at + step : Math.max(0, at)];
    if (next) list.current?.toMessage(next, { focus: true, glow: false, block: 'nearest' });
    return undefined;
  };
  useShortcuts({
    stop: () => {
      const isRead = session.readAloud.reading.get() !== null;
      if (isRead) session.readAloud.stop();
      else if (busy) chat.stop(id);
      else return false;
      return undefined;
    },
    focus: () => {
      session.composer.get()?.focus();
      return undefined;
    },
    panel: () => {
      onPanel();
      return undefined;
    },
    find: () => (onFind() ? undefined : false),
    messageNext: () => walk(1),
    messagePrevious: () => walk(-1),
    openRecall: () => (inFocused('[data-recall] button[aria-expanded]') ? undefined : false),
    openMessage: () => (inFocused('button') ? undefined : false),
  });
}
