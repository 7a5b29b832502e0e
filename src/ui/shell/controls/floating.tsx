// Surfaces that float above the page: dialogs, drawers, and popovers beside their
// trigger. They take the focus and return it.
import { X } from 'lucide-react';
import { Dialog as RadixDialog, Popover as RadixPopover } from 'radix-ui';
import {
  type FocusEvent,
  type FormEvent,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
  useCallback,
  useRef,
  useState,
} from 'react';
import { REACHED } from '../../hooks/focus-fallback.ts';
import { useBackCloses } from '../../hooks/navigation.tsx';
import { useTranslation } from '../../i18n/use-translation.ts';
import { useSwipe } from '../swipe.ts';
import { Button } from './buttons.tsx';
import { classes } from './classes.ts';
import { FLOATING } from './surfaces.ts';

/** Openers of menus by the dialog that a row opened: the row, which had the focus, is gone with its menu. */
const homes = new WeakMap<Element, HTMLElement>();
/** The same for a dialog that is still being loaded when the menu is gone. */
let latestOpener: HTMLElement | null = null;

/**
 * Called by a layer that closes: if its action opened a dialog, the focus returns from there to what opened the layer.
 */
export function handHome(opener: HTMLElement | null): void {
  latestOpener = document.activeElement === document.body ? opener : null;
  const dialog = document.activeElement?.closest('[role="dialog"]');
  if (dialog && opener && !dialog.contains(opener)) homes.set(dialog, opener);
}

/**
 * Returns the focus for dialogs without a Radix trigger to where it was before. On opening it goes to the element
 * marked `data-first-focus`, else to the dialog itself: a ring around the close button would suggest closing.
 */
export function useFocusReturn() {
  const from = useRef<Element | null>(null);
  const place = useRef('');
  return {
    onOpenAutoFocus: (event: Event) => {
      const now = document.activeElement;
      const opened = event.target as Element;
      if (!opened.contains(now)) from.current = now === document.body ? latestOpener : now;
      latestOpener = null;
      place.current = location.pathname;
      const first = opened.querySelector('[data-first-focus]') ?? opened;
      if (!(first instanceof HTMLElement)) return;
      event.preventDefault();
      first.focus();
    },
    onCloseAutoFocus: (event: Event) => {
      if (event.defaultPrevented) return;
      const now = document.activeElement;
      const opener = homes.get(event.target as Element) ?? from.current;
      // Another dialog took the place of this one, which only said that it was loading: it gives the focus back later.
      const next = now?.closest('[role="dialog"]');
      if (next && next !== event.target && opener instanceof HTMLElement && !next.contains(opener)) {
        homes.set(next, opener);
        event.preventDefault();
        return;
      }
      // The closing action may have moved the focus, e.g. by jumping to a message: leaves it there.
      const led =
        now !== null &&
        now !== document.body &&
        !now.matches('[role="dialog"]') &&
        !now.closest('[aria-hidden="true"], [inert]');
      // If the action opened another page, focuses that page, not the button on the old one.
      const home = location.pathname === place.current ? opener : document.getElementById('main');
      const back = home instanceof HTMLElement && home.isConnected ? home : null;
      if (!led && !back) return;
      event.preventDefault();
      // Does not scroll: the page may have grown, and scrolling would push its heading out of sight.
      if (!led) back?.focus({ preventScroll: true });
    },
  };
}

interface DialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: ReactNode;
  description?: ReactNode;
  /** Buttons at the bottom right; Enter means the last one. */
  footer?: ReactNode;
  size?: 'sm' | 'md' | 'lg' | 'xl';
  /** Shows the title to screen readers only. */
  hideTitle?: boolean;
  /** Omits padding and close button: the content fills the dialog to its edges. */
  bare?: boolean;
  /** Asks before closing discards typed text. The dialog's own *Cancel* discards on purpose and does not ask. */
  guarded?: boolean;
  children?: ReactNode;
}

const DIALOG_WIDTH = { sm: 'max-w-100', md: 'max-w-140', lg: 'max-w-200', xl: 'max-w-320' } as const;

function CloseCross({ className }: { className?: string }) {
  const { t } = useTranslation('shell');
  return (
    <RadixDialog.Close asChild>
      <button
        type="button"
        aria-label={t('close')}
        className={classes(
          'touchable inline-flex size-8 shrink-0 items-center justify-center rounded-sm text-ink-3 hover:bg-fill hover:text-ink',
          className,
        )}
      >
        <X size={17} aria-hidden />
      </button>
    </RadixDialog.Close>
  );
}

/** Remembers what each field contained when it was first entered: a field that differs now has unsaved text. */
function useTypedWords() {
  const before = useRef(new Map<HTMLInputElement | HTMLTextAreaElement, string>());
  const latest = useRef<HTMLElement | null>(null);
  return {
    onFocusCapture: ({ target }: FocusEvent) => {
      if (!(target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement)) return;
      latest.current = target;
      if (!before.current.has(target)) before.current.set(target, target.value);
    },
    some: () => [...before.current].some(([field, was]) => field.isConnected && field.value !== was),
    /** Focuses the field used last. */
    focus: () => latest.current?.focus(),
  };
}

/** Focuses the first field that shows an error after a refused submit, once the errors are drawn. */
const toRefusedField = ({ target }: FormEvent): void =>
  queueMicrotask(() => (target as Element).querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());

/** Saves a form from a long field, where Enter makes a new line, unless its button is disabled. */
function saveByKey(event: KeyboardEvent): void {
  const { target, nativeEvent } = event;
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || nativeEvent.isComposing) return;
  if (!(target instanceof HTMLTextAreaElement) || !target.form) return;
  const isSave = (one: Element) => one instanceof HTMLButtonElement && one.type === 'submit' && !one.disabled;
  if (![...target.form.elements].some(isSave)) return;
  event.preventDefault();
  target.form.requestSubmit();
}

/** Replaces a dialog's buttons if closing would discard typed text. */
function NotSavedYet({ onThrowAway, onStay }: { onThrowAway: () => void; onStay: () => void }) {
  const { t } = useTranslation('shell');
  return (
    <>
      <p role="alert" className="w-full self-center sm:w-auto sm:flex-1">
        {t('typed.notSaved')}
      </p>
      <Button onClick={onThrowAway}>{t('typed.throwAway')}</Button>
      <Button variant="primary" onClick={onStay} autoFocus>
        {t('typed.stay')}
      </Button>
    </>
  );
}

/** Buttons of a dialog's step, as its last child: always visible, however long the step is. */
export function DialogActions({ children }: { children: ReactNode }) {
  return (
    <div className="sticky -bottom-5 z-10 -mx-5 -mb-5 flex flex-wrap justify-end gap-2 border-t bg-raised px-5 py-3">
      {children}
    </div>
  );
}

/**
 * Keeps a modal dialog open when the person uses a notice above it, since its *Undo* belongs to the dialog's action.
 */
export function leaveToNotices(event: Event): void {
  if (event.target instanceof Element && event.target.closest('[data-sonner-toaster]'))
    event.preventDefault();
}

/** A modal dialog. Keeps the focus inside and returns it on closing. */
export function Dialog({
  open,
  onOpenChange,
  title,
  description,
  footer,
  size = 'md',
  hideTitle = false,
  bare = false,
  guarded = false,
  children,
}: DialogProps) {
  const focusReturn = useFocusReturn();
  const typed = useTypedWords();
  const [asking, setAsking] = useState(false);
  // Resets the question after any close, so that the dialog opens without it.
  if (asking && !open) setAsking(false);
  const change = (wanted: boolean) => {
    const asks = guarded && !wanted && typed.some();
    setAsking(asks);
    if (!asks) onOpenChange(wanted);
  };
  const stay = () => {
    setAsking(false);
    typed.focus();
  };
  // Back closes a layer; while the question shows, the dialog covers the page again, and another Back means to stay.
  useBackCloses(open, asking ? stay : () => change(false), asking);
  const foot = asking ? <NotSavedYet onThrowAway={() => onOpenChange(false)} onStay={stay} /> : footer;
  return (
    <RadixDialog.Root open={open} onOpenChange={change}>
      <RadixDialog.Portal>
        <RadixDialog.Overlay className="fixed inset-0 z-50 animate-fade bg-scrim" />
        <div className="pointer-events-none fixed inset-x-0 top-(--visible-top) bottom-(--hidden-below) z-50 flex items-start justify-center p-4 pt-[10vh] max-md:p-[max(0.5rem,var(--safe-bottom))] max-md:px-[max(0.5rem,var(--safe-left),var(--safe-right))] max-md:pt-[max(6vh,var(--safe-top))]">
          <RadixDialog.Content
            {...focusReturn}
            onInteractOutside={leaveToNotices}
            {...(description ? {} : { 'aria-describedby': undefined })}
            onFocusCapture={typed.onFocusCapture}
            onSubmit={toRefusedField}
            onKeyDown={saveByKey}
            className={classes(
              FLOATING,
              'pointer-events-auto flex max-h-[calc(var(--visible-height)*0.8)] w-full animate-rise flex-col overflow-hidden rounded-xl',
              DIALOG_WIDTH[size],
            )}
          >
            {bare ? (
              <RadixDialog.Title className="sr-only">{title}</RadixDialog.Title>
            ) : (
              <div className={classes('px-5 pt-4', hideTitle && 'sr-only')}>
                <div className="flex items-start gap-4">
                  <RadixDialog.Title className="min-w-0 flex-1 py-0.5 font-semibold text-base leading-6">
                    {title}
                  </RadixDialog.Title>
                  <CloseCross className="-mt-0.5 -mr-2 pointer-coarse:-mt-2 pointer-coarse:-mr-3.5 pointer-coarse:-mb-3.5 -mb-1.5" />
                </div>
                {description && (
                  <RadixDialog.Description className="mt-0.5 text-ink-2">
                    {description}
                  </RadixDialog.Description>
                )}
              </div>
            )}
            {bare ? children : <Scrolled className="scrolled-edge px-5 pt-3 pb-5">{children}</Scrolled>}
            {foot && <div className="flex flex-wrap justify-end gap-2 border-t px-5 py-3">{foot}</div>}
          </RadixDialog.Content>
        </div>
      </RadixDialog.Portal>
    </RadixDialog.Root>
  );
}

/** Asks before an action that cannot be undone. */
export function Confirm({
  open,
  onOpenChange,
  title,
  children,
  action,
  danger = false,
  onConfirm,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  children: ReactNode;
  /** Verb on the button. */
  action: string;
  danger?: boolean;
  onConfirm: () => void;
}) {
  const { t } = useTranslation('shell');
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={title}
      size="sm"
      footer={
        <>
          <Button onClick={() => onOpenChange(false)}>{t('cancel')}</Button>
          <Button
            variant={danger ? 'danger' : 'primary'}
            onClick={() => {
              onOpenChange(false);
              onConfirm();
            }}
          >
            {action}
          </Button>
        </>
      }
    >
      <div className="text-ink-2">{children}</div>
    </Dialog>
  );
}

/** Scrolls the content of a dialog. Long words alone get the focus, or no key would scroll them. */
function Scrolled({ className, children }: { className?: string; children: ReactNode }) {
  const [isReached, setReached] = useState(false);
  const watch = useCallback((box: HTMLDivElement) => {
    const measure = () =>
      setReached(box.scrollHeight > box.clientHeight && box.querySelector(REACHED) === null);
    const grown = new ResizeObserver(measure);
    const changed = new MutationObserver(measure);
    grown.observe(box);
    changed.observe(box, { childList: true, subtree: true, characterData: true });
    return () => {
      grown.disconnect();
      changed.disconnect();
    };
  }, []);
  return (
    <div
      ref={watch}
      {...(isReached ? { tabIndex: 0 } : {})}
      className={classes('relative min-h-0 flex-1 overflow-y-auto overscroll-contain', className)}
    >
      {children}
    </div>
  );
}

const SHEET_SIDES = {
  left: 'top-(--visible-top) bottom-(--hidden-below) left-0 pt-(--safe-top) pb-(--safe-bottom) pl-(--safe-left) w-[min(20rem,86vw)] animate-slide-left border-r',
  right:
    'top-(--visible-top) bottom-(--hidden-below) right-0 pt-(--safe-top) pr-(--safe-right) pb-(--safe-bottom) w-[min(22rem,90vw)] animate-slide-right border-l',
  bottom:
    'inset-x-0 bottom-(--hidden-below) px-[max(var(--safe-left),var(--safe-right))] pb-(--safe-bottom) max-h-[calc(var(--visible-height)*0.85)] animate-slide-up rounded-t-xl border-t',
} as const;

/** A drawer at an edge of the screen; a swipe towards a side edge closes it. */
export function Sheet({
  open,
  onOpenChange,
  title,
  side = 'right',
  hideTitle = false,
  children,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  side?: keyof typeof SHEET_SIDES;
  hideTitle?: boolean;
  children: ReactNode;
}) {
  const focusReturn = useFocusReturn();
  const close = () => onOpenChange(false);
  useBackCloses(open, close);
  useSwipe(
    side === 'left' ? 'left' : 'right',
    open && side !== 'bottom',
    (target) => target.closest('[data-edge]') !== null,
    close,
  );
  return (
    <RadixDialog.Root open={open} onOpenChange={onOpenChange}>
      <RadixDialog.Portal>
        <RadixDialog.Overlay data-edge className="fixed inset-0 z-40 animate-fade bg-scrim" />
        <RadixDialog.Content
          {...focusReturn}
          data-edge
          onInteractOutside={leaveToNotices}
          aria-describedby={undefined}
          className={classes(
            'fixed z-40 flex flex-col bg-raised text-ink shadow-float outline-none',
            SHEET_SIDES[side],
          )}
        >
          <div className={hideTitle ? 'sr-only' : 'flex items-center gap-2 border-b py-2 pr-2 pl-4'}>
            <RadixDialog.Title className="min-w-0 flex-1 truncate font-semibold">{title}</RadixDialog.Title>
            <CloseCross />
          </div>
          <Scrolled>{children}</Scrolled>
        </RadixDialog.Content>
      </RadixDialog.Portal>
    </RadixDialog.Root>
  );
}

/** Small content beside its trigger that is not a menu. */
export function Popover({
  trigger,
  label,
  side = 'bottom',
  align = 'start',
  open,
  onOpenChange,
  className,
  children,
}: {
  trigger: ReactElement;
  label: string;
  side?: 'top' | 'right' | 'bottom' | 'left';
  align?: 'start' | 'center' | 'end';
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  className?: string;
  children: ReactNode;
}) {
  const opener = useRef<HTMLButtonElement>(null);
  return (
    <RadixPopover.Root {...(open === undefined ? {} : { open })} {...(onOpenChange ? { onOpenChange } : {})}>
      <RadixPopover.Trigger asChild ref={opener}>
        {trigger}
      </RadixPopover.Trigger>
      <RadixPopover.Portal>
        <RadixPopover.Content
          aria-label={label}
          side={side}
          align={align}
          sideOffset={6}
          collisionPadding={8}
          onCloseAutoFocus={() => handHome(opener.current)}
          className={classes(
            FLOATING,
            'z-[60] max-h-(--radix-popover-content-available-height) w-80 max-w-[calc(100vw-1rem)] animate-rise overflow-y-auto p-3',
            className,
          )}
        >
          {children}
        </RadixPopover.Content>
      </RadixPopover.Portal>
    </RadixPopover.Root>
  );
}
