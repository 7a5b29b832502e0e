// A toast that offers to take back what was done, or to look at it.
import { toast } from 'sonner';

/** Long enough to be read, and reached with the keyboard, ms. While one points at it, it stays. */
const OFFER_MS = 10_000;

/** Returns what withdraws the offer, for when there is nothing left to take back. */
export function offer(
  words: string,
  { label, onClick, description }: { label: string; onClick: () => void; description?: string },
): () => void {
  const id = toast(words, {
    duration: OFFER_MS,
    action: { label, onClick },
    ...(description ? { description } : {}),
  });
  return () => toast.dismiss(id);
}
