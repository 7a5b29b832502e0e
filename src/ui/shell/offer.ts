// A toast that offers to take back what was done, or to look at it.
import { toast } from 'sonner';

/** Long enough to be read, and reached with the keyboard, seconds: those in which nobody points at it or has the keyboard in it. */
const OFFER_SECONDS = 10;

/** How many notices are in sight at once. */
export const IN_SIGHT = 3;

/** An older notice waits behind newer ones, and its time waits with it. */
const isInSight = (id: string | number): boolean =>
  toast
    .getToasts()
    .slice(-IN_SIGHT)
    .some((one) => one.id === id);

/** The library holds its toasts while one points at them, but not for a keyboard that came by Tab. */
const isHeld = (): boolean =>
  document.hidden || document.querySelector('[data-sonner-toaster]:is(:hover, :focus-within)') !== null;

/** Withdraws each offer that is on the screen. */
const open = new Set<() => void>();

/** Withdraws all of them: an undo holds the words of what it brings back, and so does its notice. */
export function withdrawOffers(): void {
  for (const withdraw of [...open]) withdraw();
}

/** Returns what withdraws the offer, for when there is nothing left to take back. */
export function offer(
  words: string,
  { label, onClick, description }: { label: string; onClick: () => void; description?: string },
): () => void {
  let left = OFFER_SECONDS;
  const clock = setInterval(() => {
    if (isHeld() || !isInSight(id)) return;
    left -= 1;
    if (left <= 0) withdraw();
  }, 1000);
  const over = () => {
    clearInterval(clock);
    open.delete(withdraw);
  };
  const id = toast(words, {
    duration: Number.POSITIVE_INFINITY,
    action: {
      label,
      onClick: () => {
        over();
        onClick();
      },
    },
    onDismiss: over,
    ...(description ? { description } : {}),
  });
  const withdraw = () => {
    over();
    toast.dismiss(id);
  };
  open.add(withdraw);
  return withdraw;
}
