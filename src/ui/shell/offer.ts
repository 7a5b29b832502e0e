// A toast that offers to undo an action or to look at its result.
import { toast } from 'sonner';

/** Enough time to read it and reach it by keyboard, seconds; pauses while a pointer or the focus is in it. */
const OFFER_SECONDS = 10;

/** Most toasts visible at once. */
export const IN_SIGHT = 3;

/** An older toast waits behind newer ones, and so does its time. */
const isInSight = (id: string | number): boolean =>
  toast
    .getToasts()
    .slice(-IN_SIGHT)
    .some((one) => one.id === id);

/** The library pauses its toasts while a pointer is over them, but not for focus that arrived by Tab. */
const isHeld = (): boolean =>
  document.hidden || document.querySelector('[data-sonner-toaster]:is(:hover, :focus-within)') !== null;

/** Withdraws each offer that is on the screen. */
const open = new Set<() => void>();

/** Withdraws all notices: an undo holds the text that it would restore, and any notice may name it. */
export function withdrawNotices(): void {
  for (const withdraw of [...open]) withdraw();
  toast.dismiss();
}

/** Returns a function that withdraws the offer once there is nothing left to undo. */
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
