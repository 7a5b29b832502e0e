/** Classes of a screen shown instead of the app. It scrolls by itself where a keyboard leaves little. */
export const WHOLE_SCREEN =
  'relative top-(--visible-top) flex h-[calc(var(--visible-height)-var(--safe-top)-var(--safe-bottom))] flex-col items-center justify-center-safe gap-4 overflow-y-auto p-6';
