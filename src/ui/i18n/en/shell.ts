// Words of the frame: sidebar, panels, keys, prompts.
export const shell = {
  close: 'Close',
  cancel: 'Cancel',
  copyDetails: 'Copy details',
  copied: 'Copied',
};
