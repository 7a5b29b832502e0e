/** Groups of `embedding` with an address, and thus with a key in the vault. */
export const EMBEDDING_GROUPS = ['openai', 'custom'] as const;
export type EmbeddingGroup = (typeof EMBEDDING_GROUPS)[number];
