/** Groups of `embedding` that have an address, and with it a key: in a configuration file of the first description both. */
export const EMBEDDING_GROUPS = ['openai', 'custom'] as const;
export type EmbeddingGroup = (typeof EMBEDDING_GROUPS)[number];
