// Shared look of floating surfaces and their rows, so that menus and selects match.

export const FLOATING = 'rounded-lg border border-line bg-raised text-ink shadow-float outline-none';

export const MENU_ROW =
  'flex min-h-8 cursor-default select-none items-center gap-2.5 rounded-sm px-2 py-1 outline-none data-[highlighted]:bg-fill data-[disabled]:opacity-45 pointer-coarse:min-h-11';
