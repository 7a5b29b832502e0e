// Separate from the message parts, which load everything that lays out Markdown.

/** Style of text shown verbatim. */
export const BLOCK =
  'max-h-80 overflow-auto rounded-md border bg-side px-3 py-2 font-mono text-[0.8125rem] leading-5 whitespace-pre-wrap break-words';
