// Which component test opens which dialog, and by which words.

/** File below `src/ui` → file below `test/ui`, and the title of a dialog in it. */
export const SHOWN: Readonly<Record<string, readonly [test: string, title: string]>> = {
  'chat/compaction.tsx': ['chat/compaction.browser.test.tsx', 'Shorten older messages'],
  'chat/compare.tsx': ['chat/compare.browser.test.tsx', 'Compare models'],
  'chat/dictation.tsx': ['chat/dictation.browser.test.tsx', 'Let your speech leave this device?'],
  'chat/file-part.tsx': ['chat/documents.browser.test.tsx', 'Lease.pdf'],
  'chat/instructions.tsx': ['dialogs/dialogs.browser.test.tsx', 'Instructions'],
  'chat/manifest-dialog.tsx': ['dialogs/dialogs.browser.test.tsx', 'What the model was sent'],
  'chat/memory-file.tsx': ['chat/memory-file.browser.test.tsx', 'Session memory'],
  'chat/send-back.tsx': ['chat/patching.browser.test.tsx', 'Go back here with a note'],
  'chat/worldline-map.tsx': ['chat/branches.browser.test.tsx', 'Branches'],
  'library/import-dialog.tsx': ['dialogs/states.browser.test.tsx', 'Import conversations'],
  'lock/erase-dialog.tsx': ['lock/erase.browser.test.tsx', 'Delete everything on this device?'],
  'memory/forget-dialog.tsx': ['memory/forget.browser.test.tsx', 'Forget for good'],
  'memory/index-status.tsx': ['dialogs/dialogs.browser.test.tsx', 'Rebuild the index?'],
  'memory/notes-as-text.tsx': ['memory/knows.browser.test.tsx', 'Paste memories'],
  'palette/palette.tsx': ['palette/palette.browser.test.tsx', 'Search and commands'],
  'projects/project-windows.tsx': ['dialogs/dialogs.browser.test.tsx', 'Projects from folders'],
  'settings/about-section.tsx': ['dialogs/dialogs.browser.test.tsx', 'Reset all settings?'],
  'settings/cleanup-group.tsx': [
    'settings/cleanup.browser.test.tsx',
    'Delete what has been archived for long?',
  ],
  'settings/diagnostics.tsx': ['settings/settings.browser.test.tsx', 'Diagnostics log'],
  'settings/models-section.tsx': ['dialogs/dialogs.browser.test.tsx', 'Remove Scripted?'],
  'settings/persona-dialog.tsx': ['settings/prompts.browser.test.tsx', 'New persona'],
  'settings/prompt-dialog.tsx': ['settings/prompts.browser.test.tsx', 'New prompt'],
  'settings/storage-section.tsx': ['dialogs/dialogs.browser.test.tsx', 'Keep the index in IndexedDB?'],
  'settings/trash-group.tsx': ['dialogs/dialogs.browser.test.tsx', 'Erase 1 conversation for good?'],
  'shell/cheat-sheet.tsx': ['dialogs/dialogs.browser.test.tsx', 'Keyboard shortcuts'],
  'shell/fatal-screen.tsx': ['dialogs/states.browser.test.tsx', 'Recollect cannot start here'],
  'shell/sidebar.tsx': ['dialogs/dialogs.browser.test.tsx', 'Empty the trash?'],
  'sync/account-group.tsx': ['dialogs/dialogs.browser.test.tsx', 'Leave the account?'],
  'sync/device-list.tsx': ['sync/devices.browser.test.tsx', 'Lock out Old phone'],
  'sync/pair-device.tsx': ['dialogs/dialogs.browser.test.tsx', 'Pair a device'],
  'sync/scan.tsx': ['dialogs/states.browser.test.tsx', 'Scan the QR code'],
};

/** Frames that others fill, and dialogs that tests open by something else than their title: this list only gets shorter. */
export const NOT_BY_TITLE: readonly string[] = [
  'chat/opened-conversation.tsx',
  'projects/project-files.tsx',
  'root.tsx',
  'settings/endpoint-dialog.tsx',
  'settings/lock-dialogs.tsx',
  'settings/model-prices.tsx',
  'shell/conversation-list.tsx',
  'shell/erase-confirm.tsx',
  'shell/form-dialog.tsx',
];
