// Places toasts, makes them reachable by keyboard, and moves the focus on when one is gone.
import { X } from 'lucide-react';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { Toaster } from 'sonner';
import { useReadable } from '../hooks/app.tsx';
import { useSession } from '../hooks/session.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { classes, keyNames } from './controls.tsx';
import { IN_SIGHT } from './offer.ts';
import { useShortcutKeys } from './shortcuts.ts';

/** Keys that focus the latest toast, in the library's names; the same as `notices` in the table of shortcuts. */
const REACH = ['altKey', 'KeyT'];

/** Distance to the edges of the page and to the composer, px. */
const GAP = 16;
/** Distance between two toasts, and to the foot of the drawer, px. */
const BETWEEN = 8;
/** The composer that a shortcut leads to. */
const COMPOSER = '#main form:has(> textarea[aria-keyshortcuts])';
/** The messages end above the composer, or above what waits for a decision there: unsaved edits, a queue. */
const MESSAGES = '#main [data-messages]';

/**
 * Height at which toasts begin: above the composer if there is one, else at the foot of
 * the page, away from its title and tabs.
 */
function useFoot(): number {
  const composer = useReadable(useSession().composer);
  const [foot, setFoot] = useState(GAP);
  // biome-ignore lint/correctness/useExhaustiveDependencies: measures again when the composer changes or goes
  useEffect(() => {
    const form = document.querySelector(COMPOSER);
    if (!form) return setFoot(GAP);
    const messages = document.querySelector(MESSAGES);
    const measure = () => {
      const { top: own, height } = form.getBoundingClientRect();
      const top = messages?.isConnected ? Math.min(own, messages.getBoundingClientRect().bottom) : own;
      // A composer that is removed reports a last size of zero.
      setFoot(height === 0 ? GAP : Math.round(innerHeight - top) + GAP);
    };
    const grown = new ResizeObserver(measure);
    grown.observe(form);
    if (messages) grown.observe(messages);
    addEventListener('resize', measure);
    return () => {
      grown.disconnect();
      removeEventListener('resize', measure);
    };
  }, [composer]);
  return foot;
}

/** Publishes the toasts' height as a style of the page, px, so that the drawer leaves it free. */
function useSpaceTaken(box: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const here = box.current;
    if (!here) return;
    const { style } = document.documentElement;
    const measure = () => {
      const shown = here.querySelectorAll<HTMLElement>(
        '[data-sonner-toast][data-visible=true][data-removed=false]',
      );
      const height = [...shown].reduce((sum, { offsetHeight }) => sum + offsetHeight + BETWEEN, 0);
      style.setProperty('--notices', `${height === 0 ? 0 : height + BETWEEN}px`);
    };
    const observer = new MutationObserver(measure);
    observer.observe(here, {
      childList: true,
      subtree: true,
      attributes: true,
      attributeFilter: ['data-mounted', 'data-visible', 'data-removed'],
    });
    return () => {
      observer.disconnect();
      style.removeProperty('--notices');
    };
  }, [box]);
}

export function Notices({ theme }: { theme: 'system' | 'light' | 'dark' }) {
  const { t } = useTranslation('shell');
  const box = useRef<HTMLDivElement>(null);
  const bottom = useFoot();
  useSpaceTaken(box);
  useEffect(() => {
    const here = box.current;
    if (!here) return;
    /** Focused element before the toast. */
    let from: HTMLElement | null = null;
    let inside = false;
    const onLeave = ({ relatedTarget }: FocusEvent) => {
      if (relatedTarget !== null) inside = false;
    };
    const onFocus = ({ target, relatedTarget }: FocusEvent) => {
      const now = target instanceof HTMLElement && here.contains(target);
      if (now && !here.contains(relatedTarget as Node | null))
        from = relatedTarget instanceof HTMLElement ? relatedTarget : null;
      inside = now;
      // A person who came by keyboard wants the latest toast's button.
      if (now && target.matches('[data-sonner-toaster]'))
        target.querySelector<HTMLElement>('[data-front="true"] [data-button]')?.focus();
    };
    const goBack = () => {
      inside = false;
      (from?.isConnected ? from : document.getElementById('main'))?.focus({ preventScroll: true });
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || !inside || !here.contains(document.activeElement)) return;
      event.preventDefault();
      goBack();
    };
    // A removed toast takes the focus along, and the library returns it only if others remain.
    const observer = new MutationObserver(() => {
      if (inside && document.activeElement === document.body) goBack();
    });
    observer.observe(here, { childList: true, subtree: true });
    here.addEventListener('focusout', onLeave);
    document.addEventListener('focusin', onFocus);
    document.addEventListener('keydown', onKey);
    return () => {
      observer.disconnect();
      here.removeEventListener('focusout', onLeave);
      document.removeEventListener('focusin', onFocus);
      document.removeEventListener('keydown', onKey);
    };
  }, []);
  // Above the foot of the open drawer, with its links to the archive, the trash and the other screens; else above
  // the composer and the list of commands over it.
  const above = `calc(var(--sidebar-foot, ${bottom - BETWEEN}px + var(--safe-bottom) + var(--above-composer, 0px)) + ${BETWEEN}px + var(--hidden-below))`;
  return (
    <div ref={box}>
      <Toaster
        theme={theme}
        // Above dialogs, which they may belong to, but below menus: a notice would lie on the row that is wanted.
        className="!z-[55]"
        position="bottom-right"
        offset={{ bottom: above, right: `calc(${GAP}px + var(--safe-right))` }}
        mobileOffset={{
          bottom: above,
          left: `calc(${GAP}px + var(--safe-left))`,
          right: `calc(${GAP}px + var(--safe-right))`,
        }}
        closeButton
        // Shows all toasts side by side: the undo of an older one must stay reachable.
        expand
        visibleToasts={IN_SIGHT}
        gap={BETWEEN}
        icons={{ close: <X size={15} aria-hidden /> }}
        hotkey={REACH}
        customAriaLabel={t('notices', { keys: keyNames(useShortcutKeys('notices')).join(' ') })}
        toastOptions={{
          className: classes(
            '!pointer-events-auto !rounded-lg !border-line !bg-raised !text-ink !shadow-float !font-sans !text-[0.8125rem]',
          ),
          classNames: {
            description: '!text-ink-2',
            // The library's own focus ring is black and invisible in dark mode.
            actionButton:
              '!bg-ink !text-paper !text-xs pointer-coarse:!h-11 pointer-coarse:!px-4 focus-visible:!shadow-none focus-visible:!outline-2 focus-visible:!outline-accent focus-visible:!outline-offset-2 focus-visible:!outline-solid',
            // After the text and its button, instead of the library's small circle over a corner.
            closeButton:
              '!static !order-1 !size-6 !transform-none !rounded-sm !border-0 !bg-transparent !text-ink-2 hover:!bg-fill hover:!text-ink pointer-coarse:!size-11 pointer-coarse:!-my-2 pointer-coarse:!-mr-2 shrink-0 focus-visible:!shadow-none focus-visible:!outline-2 focus-visible:!outline-accent focus-visible:!outline-solid',
          },
          closeButtonAriaLabel: t('close'),
        }}
      />
    </div>
  );
}
