// Lets the idioms of before only shrink: no identifier and no file name in src has one of these words, but in the files
// that glossary.txt lists with it; words that mean nothing else are refused in comments and tests, too.
// `GLOSSARY=shrink npx vitest run --config test/vitest.config.ts test/glossary.test.ts` takes stale lines out.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const SRC = resolve(import.meta.dirname, '../src');
const LIST = join(import.meta.dirname, 'glossary.txt');

/**
 * Word → what the field says (docs/glossary.md). Words that the field uses as well (room, line,
 * place, looks) are left to the reader.
 */
const IDIOMS: Readonly<Record<string, string>> = {
  abreast: 'concurrency',
  aftercare: 'post-turn tasks',
  alike: 'near-duplicate',
  beacon: 'version announcement',
  borrow: 'transfer',
  breathe: 'yield to the event loop',
  breather: 'yield to the event loop',
  crowd: 'background scores',
  desk: 'scratch buffer',
  door: 'entry point',
  drawer: 'key-value store',
  elsewhere: 'cross-tab turns',
  fate: 'disposition',
  fates: 'dispositions',
  folding: 'compaction',
  gauge: 'context meter',
  granted: 'accepted',
  heal: 'repair',
  healed: 'repaired',
  hear: 'subscribe',
  heard: 'last notified',
  household: 'cluster',
  knock: 'probe',
  lanes: 'worker pool',
  lean: 'query blending',
  ledger: 'manifest',
  lend: 'transfer',
  lifetimes: 'epochs, tombstones',
  likeness: 'MaxSim',
  look: 'search, read, check',
  looked: 'searched, examined',
  looking: 'searching, reading',
  mend: 'repair',
  mended: 'repaired',
  outgrown: 'over quota',
  patience: 'timeout',
  polish: 'title and summary generation',
  recipe: 'pipeline version',
  rival: 'runner-up',
  shelf: 'registry',
  stirred: 'dirty set',
  tally: 'counters',
  tell: 'notify',
  told: 'last notified',
  upkeep: 'repair, session-memory job',
  uplink: 'push',
  whence: 'origin',
  wiretap: 'recorder',
  wish: 'request',
  withheld: 'local only',
  withholding: 'redaction',
  worldline: 'branch',
  worldlines: 'branches, branch map',
};

/** Words that mean something else in other places: refused in the identifiers of some files only. */
const IN_FILES: readonly (readonly [files: RegExp, words: Readonly<Record<string, string>>])[] = [
  [/^adapters\/(?:index|log)\/|^services\/memory\/(?:memory-service|search)\.ts$/, { wonders: 'may ask' }],
  [
    /^adapters\/index\/(?:memory-index|rules|searching)\.ts$|^services\/memory\/(?:memory-service|passages|search)\.ts$|^domain\/memory\/(?:rank|sources)\.ts$/,
    { beside: 'neighbours', worth: 'IDF weight' },
  ],
  // The relay and sync have rooms; storage and the screen have space.
  [
    /^(?:adapters\/(?:importers|index|log)|services\/(?:chat|library|memory|storage)|ui)\//,
    { room: 'space' },
  ],
  [/^services\/documents\//, { home: 'only local' }],
  [
    /^services\/documents\/(?:bulk-change|conversation-cache|documents-service|log-follower)\.ts$/,
    { place: 'local head' },
  ],
  [/^services\/documents\/local-head\.ts$/, { held: 'kept' }],
  [/^services\/memory\/engine\.ts$|^adapters\/index\/pglite\.ts$/, { stale: 'pending', waiting: 'pending' }],
  [/^ui\/chat\//, { lane: 'column' }],
  [/^ui\/library\/activity/, { line: 'row', lines: 'rows', tallies: 'counters' }],
  [/^domain\/context\//, { tells: 'statesResult', meant: 'semantic score' }],
  [
    /^adapters\/embedding\//,
    {
      beside: 'concurrency',
      lane: 'worker (of the pool)',
      loans: 'transfers',
      pieces: 'tokenVectors, tokens',
    },
  ],
  [/^adapters\/index\/late-tables\.ts$|^domain\/memory\/late\.ts$/, { pieces: 'token vectors' }],
  [
    /^adapters\/embedding\/(?:host|index|local|protocol|thread)\.ts$/,
    { line: 'port, connection', lines: 'ports, connections' },
  ],
];

/** What the field says for a word in a file; undefined if the word is no idiom there. */
const insteadOf = (file: string, word: string): string | undefined =>
  [IDIOMS, ...IN_FILES.flatMap(([files, words]) => (files.test(file) ? [words] : []))].find((words) =>
    Object.hasOwn(words, word),
  )?.[word];

/** Files of words that people write: their texts stand between backticks, too. */
const HOLDS_WORDS = /\/(?:i18n|cue-words)\/|\/(?:examples-en|synonym-groups)\.ts$/;

const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);

/** Old names of which each word has a plain meaning as well: only the whole identifier is refused. */
const NAMES: Readonly<Record<string, string>> = {
  afterLook: 'searchedBefore',
  akin: 'synonymsOf',
  askable: 'queryForMessage',
  askedFor: 'laneAskedFor',
  asksForCourse: 'asksForOverview',
  atMost: 'withDeadline',
  bareLine: 'withoutBullet',
  besideOf: 'neighboursOf',
  callsOnMemory: 'refersToEarlierTalk',
  canFold: 'canCompact',
  comparableIn: 'comparableUnits',
  countHeld: 'countValuesToHide',
  createDesk: 'createDevice',
  createLooking: 'createSearching',
  foldedBy: 'compactedBy',
  foldProblem: 'compactionProblem',
  formOf: 'lineFormOf, searchFormOf',
  formsOf: 'countLineForms',
  fromField: 'restoreLineBreaks',
  givenBy: 'passagesGivenBy',
  givesSomething: 'hasRecallContent',
  goneSince: 'createDeletedTest',
  hasCentredPieces: 'hasCentredTokenVectors',
  heldAsIs: 'literalQuery',
  holdersOf: 'devicesUpToDate',
  holdsAnything: 'hasAnyEntry',
  holdsSomething: 'hasNotesOrFeedback',
  InForce: 'StoresInForce',
  isAboutElse: 'isAnotherTopic',
  isOfMemory: 'isMemoryTool',
  isTooLate: 'isTimeout',
  keywordHalf: 'keywordScore',
  laneCalls: 'workerCalls',
  leaning: 'blendQuestion',
  letterOf: 'dmailNoteOf',
  lineFor: 'thresholdFor',
  LineNews: 'PortNews',
  lineNewsSchema: 'portNewsSchema',
  lookAfter: 'watchPageActivity',
  lookedForOn: 'lastQueryOn',
  LookOptions: 'SearchOptions',
  lossIn: 'lossesIn',
  madeBy: 'strategyThatPlanned',
  memoriesOn: 'recallBlocksOn',
  memoryLines: 'memoryRows',
  neverOf: 'createNeverTest',
  NO_TALLIES: 'NO_COUNTERS',
  NOT_MEANT: 'NO_SEMANTIC_SCORE',
  onFold: 'onCompact',
  openInForce: 'openStoresInForce',
  outNow: 'excludedNow',
  piecesRow: 'tokenVectorsRow',
  piecesTo: 'piecesUpTo',
  pieceToGoOn: 'pieceToContinue',
  QueryPieces: 'QueryTokenVectors',
  reasonToWithhold: 'localOnlyReason',
  recheckWithheld: 'recheckLocalOnly',
  rememberAsItGoes: 'readBranchAhead',
  renderFoundOne: 'renderFoundPassage',
  replyBeside: 'neighbourReply',
  reportFold: 'reportCompaction',
  RoomNotice: 'StorageNotice',
  roughFormOf: 'roughSearchFormOf',
  saysMuch: 'isClearlyMeaningfulPair',
  sentAsIs: 'countSentUnchanged',
  serveLane: 'servePoolWorker',
  setsStanding: 'setsRuleOrPreference',
  shareOut: 'divideBudget',
  spawnLane: 'spawnPoolWorker',
  StaleChunk: 'PendingChunk',
  staleRow: 'pendingChunkRow',
  standingIn: 'termPositionsIn',
  steppedIn: 'fallbackStrategyOf',
  stillSaid: 'haveSameWords',
  takeTurns: 'alternateRoles',
  talliedBy: 'countMemory',
  tickedOf: 'tickedPassages',
  titledBy: 'titleMatches',
  transferLines: 'connectByTransfer',
  triesAgain: 'retriesSummary',
  unusableSince: 'createUnusableTest',
  useFocusHeir: 'useFocusFallback',
  useHand: 'useInputDevice',
  useHeir: 'useFocusOfRemovedRow',
  useKeptSwitch: 'useStoredSwitch',
  useKeptWord: 'useStoredString',
  useLines: 'useActivityRows',
  useLookAgain: 'useSearchAgain',
  useRoom: 'useStorageSpace',
  useUnusable: 'useUnusableTest',
  useUsable: 'useUsablePassages',
  vectorHalf: 'semanticScore',
  waitingRow: 'pendingCountRow',
  waitingSince: 'pendingSince',
  withStanding: 'placeRules',
  wordsMeet: 'wordingsConflict',
  worthOf: 'idfWeights',
};

/**
 * Identifiers of a file, without its comments and texts; names that are stored (`ledger:`
 * of a message) count, and are listed.
 */
function identifiersOf(code: string): string[] {
  const tokens = code.matchAll(
    /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|([A-Za-z_$][\w$]*)/g,
  );
  return [...tokens].flatMap((match) => match[1] ?? []);
}

it('has no word of the old idiom where it had none before', () => {
  const found = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => /\.tsx?$/.test(file) && !HOLDS_WORDS.test(file))
    .flatMap((file) => {
      const words = [file, ...identifiersOf(readFileSync(join(SRC, file), 'utf8'))].flatMap(wordsOf);
      return [...new Set(words)]
        .filter((word) => insteadOf(file, word) !== undefined)
        .map((word) => `${file} ${word}`);
    })
    .sort();
  const listed = readFileSync(LIST, 'utf8').split('\n').filter(Boolean);
  const there = new Set(found);
  if (process.env.GLOSSARY === 'shrink') {
    writeFileSync(
      LIST,
      listed
        .filter((line) => there.has(line))
        .map((line) => `${line}\n`)
        .join(''),
    );
    return;
  }
  const allowed = new Set(listed);
  const say = (line: string): string => {
    const [file = '', word = ''] = line.split(' ');
    return `${line} (say: ${insteadOf(file, word)})`;
  };
  expect(found.filter((line) => !allowed.has(line)).map(say), 'new').toEqual([]);
  expect(
    listed.filter((line) => !there.has(line)),
    'stale: take these lines out of glossary.txt',
  ).toEqual([]);
  expect(listed).toEqual([...listed].sort());
});

it('has no identifier again that was renamed as a whole, in tests either', () => {
  const found = ['src', 'test', 'e2e']
    .flatMap((folder) =>
      readdirSync(resolve(SRC, '..', folder), { recursive: true, encoding: 'utf8' }).map(
        (file) => `${folder}/${file.replaceAll('\\', '/')}`,
      ),
    )
    .filter((file) => /\.tsx?$/.test(file) && file !== 'test/glossary.test.ts')
    .flatMap((file) =>
      identifiersOf(readFileSync(resolve(SRC, '..', file), 'utf8'))
        .filter((name) => Object.hasOwn(NAMES, name))
        .map((name) => `${file} ${name} (say: ${NAMES[name]})`),
    );
  expect(found).toEqual([]);
});

/**
 * Old names that mean nothing else in code: comments, identifiers and titles of tests are
 * refused with them as well, in every folder.
 */
const UNAMBIGUOUS =
  /\b(?:shel(?:f|ves)|doors?|knock\w*|drawers?|aftercare|abreast|beacons?|breathers?|fates?|gauge|likeness(?:es)?|outgrown|rivals?|stirred|tally|uplink|upkeep|whence|wiretaps?|withholding)\b/i;
/** Names that are stored or sent, and the sidebar of a phone, which is a drawer. */
const STANDING: readonly (readonly [file: RegExp, word: RegExp])[] = [
  [/./, /`knock`/],
  [/adapters\/log\/(?:idb-connection|indexed-db)\.ts$|^test\/glossary/, /./],
  [/^(?:src|test)\/ui\/|^e2e\/safe-area/, /\bdrawers?\b/i],
];

/** Comments, identifiers and titles of tests in a file, each line by itself. */
function saidIn(code: string): string[] {
  const tokens = code.matchAll(
    /(\/\/[^\n]*|\/\*[\s\S]*?\*\/)|(\b(?:it|test|deep|describe)[\w.]*(?:\([^()]*\))?\(\s*)?('(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`)|([A-Za-z_$][\w$]*)/g,
  );
  return [...tokens].flatMap(([, comment, call, text, name]) =>
    comment
      ? comment.split('\n')
      : text
        ? call
          ? [text]
          : []
        : [(name ?? '').replace(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll('_', ' ')],
  );
}

it('has no unambiguous word of the old idiom anywhere, tests, titles and comments included', () => {
  const found = ['src', 'test', 'e2e'].flatMap((folder) =>
    readdirSync(resolve(SRC, '..', folder), { recursive: true, encoding: 'utf8' })
      .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
      .filter((file) => /\.(tsx?|md)$/.test(file) && !file.includes('/i18n/'))
      .flatMap((file) => {
        const code = readFileSync(resolve(SRC, '..', file), 'utf8');
        return (file.endsWith('.md') ? code.split('\n') : saidIn(code))
          .filter((line) => UNAMBIGUOUS.test(line))
          .filter((line) => !STANDING.some(([where, word]) => where.test(file) && word.test(line)))
          .map((line) => `${file}: ${line.trim()}`);
      }),
  );
  expect(found).toEqual([]);
});

it('has no word of the old idiom in the name of a test, but as in that of the file it tries', () => {
  const sources = new Set(readdirSync(SRC, { recursive: true, encoding: 'utf8' }));
  const found = ['test', 'e2e'].flatMap((folder) =>
    readdirSync(resolve(SRC, '..', folder), { recursive: true, encoding: 'utf8' })
      .map((file) => file.replaceAll('\\', '/'))
      .filter((file) => /\.tsx?$/.test(file) && !sources.has(file.replace(/(?:\.\w+)*\.test(?=\.tsx?$)/, '')))
      .filter((file) => wordsOf(file).some((word) => Object.hasOwn(IDIOMS, word)))
      .map((file) => `${folder}/${file}`),
  );
  expect(found).toEqual([]);
});
