// Words that are quoted to a model stand between tags; nothing quoted may look like the end of them.

const TAGS = /<(?=\/?(?:recalled_memory|passage|earlier)\b)/gi;

/** The text with our own tags in it made harmless. */
export const quoted = (text: string): string => text.replace(TAGS, '‹');
