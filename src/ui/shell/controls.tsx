// The controls everything is made of: thin wrappers over Radix primitives that carry our tokens, labels and touch sizes. One file each kind;
// `controls/select.tsx` is imported by itself.
export { Button, IconButton } from './controls/buttons.tsx';
export { classes } from './controls/classes.ts';
export { Field, Switch, TextArea, TextField } from './controls/fields.tsx';
export {
  Confirm,
  Dialog,
  DialogActions,
  leaveToNotices,
  Popover,
  Sheet,
  useFocusReturn,
} from './controls/floating.tsx';
export { isApple, Kbd, keyNames } from './controls/keys.tsx';
export { Badge, EmptyState, Progress, Skeleton, Spinner } from './controls/marks.tsx';
export { Menu, type MenuItem } from './controls/menu.tsx';
export { Tooltip, TooltipProvider } from './controls/tooltip.tsx';
