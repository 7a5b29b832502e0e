// Apart from the parts of a message, which bring all that lays out Markdown.

/** How words stand that are shown as they are. */
export const BLOCK =
  'max-h-80 overflow-auto rounded-md border bg-side px-3 py-2 font-mono text-[0.8125rem] leading-5 whitespace-pre-wrap break-words';
