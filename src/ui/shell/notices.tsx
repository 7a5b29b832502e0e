// Toasts: their place, how the keyboard reaches them, and where the focus goes when one is gone.
import { X } from 'lucide-react';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { Toaster } from 'sonner';
import { useReadable } from '../hooks/app.tsx';
import { useSession } from '../hooks/session.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { classes, keyNames } from './controls.tsx';
import { IN_SIGHT } from './offer.ts';
import { useShortcutKeys } from './shortcuts.ts';

/** From anywhere to the latest toast, as the library names keys; the same as `notices` in the table of shortcuts. */
const REACH = ['altKey', 'KeyT'];

/** From the edges of the page, and from the composer, px. */
const GAP = 16;
/** Between two of them, and from the foot of the drawer, px. */
const BETWEEN = 8;
/** The composer is the one that a key leads to. */
const COMPOSER = '#main form:has(> textarea[aria-keyshortcuts])';
/** The messages end where the composer begins, or what is to be decided above it: edits that were left, a queue that waits. */
const MESSAGES = '#main [data-messages]';

/** How far up toasts begin: where one writes, above what is written; else at the foot of the page, far from its title and tabs. */
function useFoot(): number {
  const composer = useReadable(useSession().composer);
  const [foot, setFoot] = useState(GAP);
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured again when another composer is there, or none
  useEffect(() => {
    const form = document.querySelector(COMPOSER);
    if (!form) return setFoot(GAP);
    const messages = document.querySelector(MESSAGES);
    const measure = () => {
      const { top: own, height } = form.getBoundingClientRect();
      const top = messages?.isConnected ? Math.min(own, messages.getBoundingClientRect().bottom) : own;
      // Taken away with its screen, it tells of it in its last size: none.
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

/** Says on the page how much room the toasts take, px: the drawer leaves it free. */
function useRoomTaken(box: RefObject<HTMLElement | null>): void {
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
  useRoomTaken(box);
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
      // A person who came by keys wants the offer of the latest toast.
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
    // A toast that is gone takes the focus along, and the library hands it back only where others are left.
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
  // Above the foot of the drawer while that is open: it leads to the archive, the trash and the other screens.
  const above = `calc(var(--sidebar-foot, ${bottom - BETWEEN}px + var(--safe-bottom)) + ${BETWEEN}px)`;
  return (
    <div ref={box}>
      <Toaster
        theme={theme}
        position="bottom-right"
        offset={{ bottom: above, right: `calc(${GAP}px + var(--safe-right))` }}
        mobileOffset={{
          bottom: above,
          left: `calc(${GAP}px + var(--safe-left))`,
          right: `calc(${GAP}px + var(--safe-right))`,
        }}
        closeButton
        // Each in sight, none behind another: what an older one takes back is offered as well.
        expand
        visibleToasts={IN_SIGHT}
        gap={BETWEEN}
        icons={{ close: <X size={15} aria-hidden /> }}
        hotkey={REACH}
        customAriaLabel={t('notices', { keys: keyNames(useShortcutKeys('notices')).join(' ') })}
        toastOptions={{
          className: classes(
            '!pointer-events-auto !rounded-lg !border-line !bg-raised !text-ink !shadow-float !font-sans',
          ),
          classNames: {
            description: '!text-ink-2',
            // The library's own ring is black, and not seen in the dark.
            actionButton:
              '!bg-ink !text-paper pointer-coarse:!h-11 pointer-coarse:!px-4 focus-visible:!shadow-none focus-visible:!outline-2 focus-visible:!outline-accent focus-visible:!outline-offset-2 focus-visible:!outline-solid',
            // Behind the words and what they offer, where the library has a small circle over a corner.
            closeButton:
              '!static !order-1 !size-6 !transform-none !rounded-sm !border-0 !bg-transparent !text-ink-2 hover:!bg-fill hover:!text-ink pointer-coarse:!size-11 pointer-coarse:!-my-2 pointer-coarse:!-mr-2 shrink-0 focus-visible:!shadow-none focus-visible:!outline-2 focus-visible:!outline-accent focus-visible:!outline-solid',
          },
          closeButtonAriaLabel: t('close'),
        }}
      />
    </div>
  );
}
