/** Begins the keys of kept deleted messages; ids of conversation and message follow (`chat/deleted-messages.ts`). */
export const DELETED = 'deleted/';
