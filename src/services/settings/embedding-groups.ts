/** Groups of `embedding` with an address, and thus a key: the first description of configuration files had both. */
export const EMBEDDING_GROUPS = ['openai', 'custom'] as const;
export type EmbeddingGroup = (typeof EMBEDDING_GROUPS)[number];
