// A toast that offers to take back what was done, or to look at it.
import { toast } from 'sonner';

/** Long enough to be read, and reached with the keyboard, ms. While one points at it, it stays. */
const OFFER_MS = 10_000;

export const offer = (
  words: string,
  { label, onClick, description }: { label: string; onClick: () => void; description?: string },
) =>
  toast(words, { duration: OFFER_MS, action: { label, onClick }, ...(description ? { description } : {}) });
