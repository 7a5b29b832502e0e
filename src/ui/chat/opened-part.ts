// Loads the code of an opened conversation separately, so that a person can type on the empty page without it.
import { createPart } from '../hooks/part.ts';

const opened = createPart(async () => (await import('./opened-conversation.tsx')).OpenedConversation);

/** Loads the part. Throws `part-missing`. */
export const loadOpened = opened.load;

/** Component of an opened conversation; null while it loads. The error boundary around it reports a failed load. */
export const useOpenedPart = opened.use;
