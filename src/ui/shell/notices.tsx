// Where toasts appear, how they are reached by keyboard, and where the keyboard goes on when one is gone.
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Toaster } from 'sonner';
import { classes, keyNames } from './controls.tsx';
import { useShortcutKeys } from './shortcuts.ts';

/** From anywhere to the latest toast, as the library names keys; the same as `notices` in the table of shortcuts. */
const REACH = ['altKey', 'KeyT'];

export function Notices({ theme }: { theme: 'system' | 'light' | 'dark' }) {
  const { t } = useTranslation('shell');
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const here = box.current;
    if (!here) return;
    /** What one was at before the toast. */
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
      // Who came by the keys came for what the latest one offers.
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
  return (
    <div ref={box}>
      <Toaster
        theme={theme}
        position="top-center"
        offset={60}
        mobileOffset={60}
        closeButton
        hotkey={REACH}
        customAriaLabel={t('notices', { keys: keyNames(useShortcutKeys('notices')).join(' ') })}
        toastOptions={{
          className: classes('!rounded-lg !border-line !bg-raised !text-ink !shadow-float !font-sans'),
          classNames: {
            description: '!text-ink-2',
            // The library's own ring is black, and not seen in the dark.
            actionButton:
              '!bg-ink !text-paper focus-visible:!shadow-none focus-visible:!outline-2 focus-visible:!outline-accent focus-visible:!outline-offset-2 focus-visible:!outline-solid',
            closeButton: '!hidden',
          },
          closeButtonAriaLabel: t('close'),
        }}
      />
    </div>
  );
}
