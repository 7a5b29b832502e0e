// The code of an opened conversation: who begins a new one can type without it.
import { createPart } from '../hooks/part.ts';

const opened = createPart(async () => (await import('./opened-conversation.tsx')).OpenedConversation);

/** Loads it. Throws `part-missing`. */
export const loadOpened = opened.load;

/** Component of an opened conversation; null while it is loaded. If it cannot be, the boundary around it says so. */
export const useOpenedPart = opened.use;
