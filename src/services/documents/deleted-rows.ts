/** Key-value rows of deleted messages begin so; the ids of conversation and message follow (`chat/deleted-messages.ts`). */
export const DELETED = 'deleted/';
