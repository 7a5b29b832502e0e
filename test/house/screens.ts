// Which component test shows which screen or panel in which state, and by which title.

/** File below `test/ui`, and words of a title in it. */
type Shown = readonly [test: string, title: string];
/** A sentence instead of a test says why there is no such state. */
export type State = Shown | string;

export interface States {
  readonly empty: State;
  readonly loading: State;
  readonly error: State;
  readonly full: State;
  readonly keyboard: State;
  readonly axe: State;
}

const READING = 'reading.browser.test.tsx';
const SCREENS_TEST = 'screens.browser.test.tsx';
const DIALOGS = 'dialogs/dialogs.browser.test.tsx';
const DIALOG_STATES = 'dialogs/states.browser.test.tsx';
const SETTINGS = 'settings/settings.browser.test.tsx';
const KNOWS = 'memory/knows.browser.test.tsx';
const RECENT = 'memory/recent-recalls.browser.test.tsx';
const IN_MEMORY = 'the settings are in memory before anything is drawn';
const OPENED = 'drawn from a conversation that is open';
const CONTROLS = 'holds controls whose values always exist';

/** One mount walks through being read, failed and full, by keys and with axe. */
const walked = (title: string, empty: State): States => {
  const walk: Shown = [READING, title];
  return { empty, loading: walk, error: walk, full: walk, keyboard: walk, axe: walk };
};

/** One test for all that it names; the others have a sentence. */
const by = (test: Shown, rest: Pick<States, 'empty' | 'loading' | 'error'> & Partial<States>): States => ({
  full: test,
  keyboard: test,
  axe: test,
  ...rest,
});

const EACH_SECTION: Shown = [SETTINGS, '%s is accessible'];
/** A section of the settings: values that are changed one by one. */
const section = (rest: Partial<States> = {}): States =>
  by(EACH_SECTION, {
    empty: CONTROLS,
    loading: IN_MEMORY,
    error: [SETTINGS, 'says at a setting that could not be saved why'],
    ...rest,
  });

/** Drawn as a part of another file, whose tests show it. */
export const PARTS: Readonly<Record<string, string>> = {
  'chat/conversation-header.tsx': 'chat/conversation-screen.tsx',
  'chat/conversation-windows.tsx': 'chat/manifest-dialog.tsx',
  'chat/message-list.tsx': 'chat/conversation-screen.tsx',
  'chat/panel-section.tsx': 'chat/context-panel.tsx',
  'memory/layers.tsx': 'memory/conversation-list.tsx',
  'memory/section.tsx': 'memory/note-list.tsx',
  'memory/memory-screen.tsx': 'memory/note-list.tsx',
  'settings/settings-screen.tsx': 'settings/models-section.tsx',
  'shell/reading.tsx': 'settings/prompts-section.tsx',
};

const BRANCHES = 'chat/branches.browser.test.tsx';
const LOCK = 'lock/lock.browser.test.tsx';
const ERASE: Shown = ['lock/erase.browser.test.tsx', 'tells what it does while it does it, and tries again'];
const FORGET = 'memory/forget.browser.test.tsx';
const IMPORT = 'library/import-dialog.browser.test.tsx';
const ACTIVITY: Shown = ['library/activity.browser.test.tsx', 'says that nothing goes on, then how far each'];
const PAIR = 'sync/pair-screen.browser.test.tsx';
const DEVICES = 'sync/devices.browser.test.tsx';
const CLEANUP = 'settings/cleanup.browser.test.tsx';
const FIRST: Shown = ['library/first-run.browser.test.tsx', 'begins by keyboard: says that samples come'];
const map = by([BRANCHES, 'walks the map with the keyboard'], {
  empty: [BRANCHES, 'says that there is one branch'],
  loading: OPENED,
  error: OPENED,
});

/** File below `src/ui` → the tests of its states. */
export const STATES: Readonly<Record<string, States>> = {
  'chat/branch-map.tsx': map,
  'chat/branch-dialog.tsx': map,
  'chat/command-list.tsx': by(
    ['settings/prompts.browser.test.tsx', 'is called by its name, asks for its blanks'],
    {
      empty: 'is closed where nothing matches',
      loading: 'commands are in the bundle; prompts join them once they are read',
      error: 'lists the commands without the prompts, whose page says why',
    },
  ),
  'chat/model-list.tsx': by(
    [
      'chat/model-picker.browser.test.tsx',
      'is filtered by typing, walked with arrows, and chosen from with Enter',
    ],
    {
      empty: ['chat/model-picker.browser.test.tsx', 'says that nothing fits, and goes back to memory'],
      loading: 'the connected models are in memory',
      error: 'the connected models are in memory',
    },
  ),
  'chat/context-panel.tsx': by([DIALOGS, "title: 'Context'"], {
    empty: 'a conversation has a context from its first message on',
    loading: OPENED,
    error: OPENED,
  }),
  'chat/conversation-screen.tsx': walked('a conversation', [
    SCREENS_TEST,
    'a conversation that is not there',
  ]),
  'chat/manifest-dialog.tsx': walked('what the model was sent', [
    DIALOG_STATES,
    'says of an answer that it has no record',
  ]),
  'chat/missing-conversation.tsx': by([SCREENS_TEST, 'a conversation that is not there'], {
    empty: [SCREENS_TEST, 'a temporary conversation that has ended'],
    loading: 'is drawn once it is known that the conversation is missing',
    error: [SCREENS_TEST, 'a conversation that could not be read'],
  }),
  'chat/new-conversation.tsx': by(FIRST, {
    empty: FIRST,
    loading: [SCREENS_TEST, 'a library that is being read'],
    error: FIRST,
  }),
  'chat/memory-file.tsx': walked('the session memory', [READING, 'the session memory']),
  'library/first-run.tsx': by(FIRST, { empty: FIRST, loading: FIRST, error: FIRST }),
  'library/activity.tsx': by(ACTIVITY, { empty: ACTIVITY, loading: 'work is in memory', error: ACTIVITY }),
  'library/import-report.tsx': by([IMPORT, 'reports what came in'], {
    empty: [IMPORT, 'refuses what is no export'],
    loading: [DIALOG_STATES, 'imports by keyboard, says that it checks'],
    error: [DIALOG_STATES, 'imports by keyboard, says that it checks'],
    keyboard: [DIALOG_STATES, 'imports by keyboard, says that it checks'],
  }),
  'lock/erase-screen.tsx': by(ERASE, { empty: 'is drawn while it works', loading: ERASE, error: ERASE }),
  'lock/unlock-screen.tsx': by([LOCK, 'opens with the passphrase, says so when it is wrong'], {
    empty: [LOCK, 'lets one begin anew where nothing unlocks it'],
    loading: [LOCK, 'says how much waits, as it comes'],
    error: [LOCK, 'opens with the passphrase, says so when it is wrong'],
  }),
  'memory/conversation-list.tsx': walked('the index and its conversations', [
    SCREENS_TEST,
    'memory with nothing in it',
  ]),
  'memory/feedback-list.tsx': walked('memory notes', [KNOWS, 'begins empty']),
  'memory/forget-report.tsx': by([FORGET, 'from words to a report'], {
    empty: [FORGET, 'from words to a report'],
    loading: [FORGET, 'keeps what is under way'],
    error: [FORGET, 'a message from its menu; failing, it says so'],
  }),
  'memory/index-status.tsx': by([DIALOG_STATES, 'shows the index with a search to try'], {
    empty: [SCREENS_TEST, 'memory with nothing in it'],
    loading: [DIALOG_STATES, 'shows the index with a search to try'],
    error: [DIALOG_STATES, 'shows the index with a search to try'],
    keyboard: [READING, 'the index and its conversations'],
  }),
  'memory/note-inbox.tsx': by([KNOWS, 'one key accepts, replaces or refuses'], {
    empty: [KNOWS, 'begins empty'],
    loading: 'is read with the notes below it, which say so',
    error: 'is read with the notes below it, which say so',
  }),
  'memory/note-list.tsx': walked('memory notes', [KNOWS, 'begins empty']),
  'memory/pictures.tsx': walked('the pictures of the library', [
    DIALOG_STATES,
    'draws the pictures of the library',
  ]),
  'memory/recent-recalls.tsx': by([RECENT, 'lists what answers used'], {
    empty: [RECENT, 'says that nothing was recalled yet'],
    loading: [RECENT, 'says that it is being read'],
    error: [RECENT, 'says that it is being read'],
    keyboard: [RECENT, 'says that it is being read'],
  }),
  'memory/try-it.tsx': walked('a search to try', [READING, 'a search to try']),
  'palette/palette.tsx': walked('the search', [
    'palette/palette.browser.test.tsx',
    'offers nothing where nothing matches',
  ]),
  'projects/project-files.tsx': walked('the files of a project', [
    SCREENS_TEST,
    'a project with nothing in it',
  ]),
  'projects/project-list.tsx': by(
    ['projects/projects.browser.test.tsx', 'takes conversations by the menu, by the keyboard'],
    {
      empty: 'has a button for the first project in any case',
      loading: 'stands above the conversations, which are read with it',
      error: 'stands above the conversations, which are read with it',
    },
  ),
  'projects/project-screen.tsx': walked('a project', [SCREENS_TEST, 'a project that is not there']),
  'settings/about-section.tsx': section({ loading: [DIALOG_STATES, 'reads the notice of a model'] }),
  'settings/appearance-section.tsx': section(),
  'settings/cleanup-group.tsx': by([CLEANUP, 'shows what the next run moves, runs, reports it'], {
    empty: EACH_SECTION,
    loading: IN_MEMORY,
    error: [SETTINGS, 'says at a setting that could not be saved why'],
    keyboard: EACH_SECTION,
  }),
  'settings/context-section.tsx': section(),
  'settings/costs-section.tsx': walked('costs', [
    'settings/costs.browser.test.tsx',
    'says that nothing was spent',
  ]),
  'settings/lock-group.tsx': by([LOCK, 'is turned on in steps, changed, and turned off'], {
    empty: CONTROLS,
    loading: ['dialogs/locking.browser.test.tsx', 'locks this device in three steps'],
    error: ['dialogs/locking.browser.test.tsx', 'locks this device in three steps'],
    keyboard: EACH_SECTION,
  }),
  'settings/memory-section.tsx': section(),
  'settings/models-section.tsx': section({
    full: ['settings/connecting.browser.test.tsx', 'says of a connection whose test failed that it did'],
    error: ['settings/connecting.browser.test.tsx', 'says of a connection whose test failed that it did'],
    empty: EACH_SECTION,
  }),
  'settings/privacy-section.tsx': section({
    full: ['settings/private-words.browser.test.tsx', 'takes names and patterns'],
  }),
  'settings/prompts-section.tsx': walked('prompts and personas', [
    'settings/prompts.browser.test.tsx',
    'is empty at first',
  ]),
  'settings/shortcuts-section.tsx': section({ error: 'changes nothing' }),
  'settings/storage-section.tsx': walked('what storage holds', [SCREENS_TEST, 'storage with nothing in it']),
  'settings/storage-usage.tsx': walked('what storage holds', [SCREENS_TEST, 'storage with nothing in it']),
  'settings/sync-section.tsx': section({ full: [READING, 'the sync log'] }),
  'settings/trash-group.tsx': walked('the trash', [SCREENS_TEST, 'storage with nothing in it']),
  'shell/conversation-list.tsx': walked('the list of conversations', [READING, 'lists that hold nothing']),
  'shell/fatal-screen.tsx': by([DIALOG_STATES, 'says why it cannot start'], {
    empty: 'is drawn for a failure',
    loading: 'is drawn for a failure',
    error: [DIALOG_STATES, 'says why it cannot start'],
  }),
  'shell/sidebar.tsx': walked('the list of conversations', [READING, 'lists that hold nothing']),
  'sync/account-group.tsx': by([DIALOGS, "title: 'Leave the account?'"], {
    empty: 'is drawn for an account',
    loading: 'the account is in memory',
    error: [READING, 'the sync log'],
  }),
  'sync/device-list.tsx': by([DEVICES, 'locks out nothing while something is missing'], {
    empty: [DEVICES, 'says that none is known'],
    loading: [DEVICES, 'says that none is known'],
    error: [DEVICES, 'locks out nothing while something is missing'],
    full: [DEVICES, 'says that none is known'],
    axe: [DEVICES, 'says that none is known'],
  }),
  'sync/pair-screen.tsx': by([PAIR, 'asks for the relay with words'], {
    empty: [PAIR, 'shows each word as it is understood'],
    loading: 'nothing is read before a person types',
    error: [PAIR, 'asks for the relay with words'],
    keyboard: [DIALOG_STATES, 'pairs this device by keys alone'],
    axe: [PAIR, 'takes the relay from a link'],
  }),
  'sync/sync-log.tsx': walked('the sync log', [SCREENS_TEST, 'a sync log with nothing in it']),
};
