// Shared controls: thin wrappers over Radix primitives with our tokens, labels and touch sizes. One file per kind;
// `controls/select.tsx` is imported separately.
export { Button, IconButton } from './controls/buttons.tsx';
export { classes } from './controls/classes.ts';
export { Field, Switch, submitByEnter, TextArea, TextField } from './controls/fields.tsx';
export { FilePicker } from './controls/file-picker.tsx';
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
