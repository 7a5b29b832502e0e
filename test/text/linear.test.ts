// Every function that reads people's text takes work that grows with the length of the text, counted in operations.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Message } from '../../src/domain/chat/message.ts';
import { CATEGORIES } from '../../src/domain/privacy/categories.ts';
import { ALL } from '../scale.ts';
import { type BlockCounter, blockCounter, stepsOf } from './operations.ts';
import { TooManySteps } from './regex-steps.ts';

const message = (text: string, role: Message['role'] = 'user'): Message =>
  ({
    id: 'm',
    parentId: null,
    role,
    kind: 'message',
    createdAt: NOW,
    parts: [
      { type: 'text', text },
      { type: 'tool-call', id: 'c', name: 'read', arguments: text },
      { type: 'tool-result', id: 'c', name: 'read', text },
      {
        type: 'file',
        name: text.slice(0, 200),
        mediaType: 'text/plain',
        url: `data:text/plain,${encodeURIComponent(text.toWellFormed())}`,
      },
    ],
  }) as unknown as Message;
const NOW = 1_700_000_000_000;
const keep = (text: string): string => text;
const PERSONAL = {
  sensitive_keywords: ['password', 'api_key', 'secret', 'token'],
  own_names: ['Anna Bergmann', 'a', '李雷'],
  own_addresses: ['12 High Street'],
  own_words: ['Falcon', '1'],
  own_patterns: ['EMP-\\d{4,8}', '[a-z]{2}\\d{2}'],
};

type Readers = Readonly<Record<string, (text: string) => unknown>>;

/** Functions that read plain text: words, sentences, code, times. */
async function textReaders(): Promise<Readers> {
  const [
    words,
    sentences,
    markdown,
    dates,
    written,
    numbers,
    code,
    cues,
    sameKind,
    encoding,
    separated,
    fold,
    spellings,
    find,
    languages,
    parted,
    ofTaiwan,
  ] = await Promise.all([
    import('../../src/domain/text/words.ts'),
    import('../../src/domain/text/sentences.ts'),
    import('../../src/domain/text/markdown.ts'),
    import('../../src/domain/text/dates.ts'),
    import('../../src/domain/text/written-dates.ts'),
    import('../../src/domain/text/numbers.ts'),
    import('../../src/domain/text/code.ts'),
    import('../../src/domain/text/cues.ts'),
    import('../../src/domain/text/near-duplicate.ts'),
    import('../../src/domain/text/encoding.ts'),
    import('../../src/domain/text/separated-values.ts'),
    import('../../src/domain/text/fold.ts'),
    import('../../src/domain/text/spellings.ts'),
    import('../../src/domain/text/find.ts'),
    import('../../src/domain/text/language-stems.ts'),
    import('../../src/domain/text/parted-words.ts'),
    import('../../src/domain/text/words-of-taiwan.ts'),
  ]);
  return {
    languageOf: languages.languageOf,
    words: words.words,
    queryWords: words.queryWords,
    termsOf: words.termsOf,
    termCounts: words.termCounts,
    hasTerms: words.hasTerms,
    sentencesOf: sentences.sentencesOf,
    cjkShare: sentences.cjkShare,
    squeezed: sentences.squeezed,
    'plainText of a title': markdown.plainText,
    replaceCode: (text) => markdown.replaceCode(text, (said) => said),
    timesIn: (text) => dates.timesIn(text, NOW),
    writtenDates: (text) => [...written.writtenDates(text)],
    'numbers in Chinese': (text) => [numbers.chineseNumber(text), numbers.chineseFigures(text)],
    codeIn: (text) => code.codeIn(`\`\`\`${text}`),
    blocksOf: code.blocksOf,
    fenceAfter: (text) => [
      code.fenceAfter(text, null),
      code.fenceAfter(text, { mark: '~~~', language: null }),
    ],
    fenced: (text) => code.fenced(text, 'markdown'),
    speakerIn: cues.speakerIn,
    isNamed: (text) => cues.isNamed('a', text),
    asks: cues.endsWithQuestionMark,
    asksWhen: cues.asksWhen,
    tellsTime: cues.tellsTime,
    isQuestion: cues.isQuestion,
    setsRule: cues.setsRule,
    corrects: cues.makesCorrection,
    asksBack: cues.asksBack,
    answersNothing: cues.answersNothing,
    'what a sentence says': (text) =>
      [
        cues.isAcknowledgement,
        cues.makesDecision,
        cues.leavesToDo,
        cues.goesWrong,
        cues.getsFixed,
        cues.isAboutPerson,
        cues.makesStatement,
      ].map((says) => says(text)),
    asksInWords: cues.asksInWords,
    'what a request says': (text) =>
      [
        cues.setsLimit,
        cues.makesSuggestion,
        cues.makesRequest,
        cues.makesOffer,
        cues.turnsToAnother,
        cues.isDoneByPerson,
        cues.isDoneByAssistant,
      ].map((says) => says(text)),
    foldedWithOrigin: (text) => fold.foldedWithOrigin(text),
    'things with spaces': (text) => [...spellings.spacedIn(text)],
    partedIn: (text) => [...parted.partedIn(text)],
    inWordsOfChina: (text) => [
      ofTaiwan.inWordsOfChina(text),
      words.words(`資料庫${text}`.repeat(2)),
      words.words(text.replaceAll(/./gu, '$&軟體')),
    ],
    'telephones of a question': spellings.joinTelephones,
    'places in a text': (text) => find.placesIn(text, find.comparableForm('alpha 中 a')),
    'places of a text': (text) => find.isIn('alpha 中文 a', find.comparableForm(text)),
    wordings: (text) => sameKind.createWordings()(text),
    separatedRows: (text) => [...separated.separatedRows(text, ',')],
    decodeText: (text) => encoding.decodeText(Uint8Array.from(text, (sign) => sign.charCodeAt(0) | 0x80)),
  };
}

/** Functions that give a text another form, or look for one. */
async function formReaders(): Promise<Readers> {
  const [words, sentences, markdown, dates, find, fold, shown, spellings, typed] = await Promise.all([
    import('../../src/domain/text/words.ts'),
    import('../../src/domain/text/sentences.ts'),
    import('../../src/domain/text/markdown.ts'),
    import('../../src/domain/text/dates.ts'),
    import('../../src/domain/text/find.ts'),
    import('../../src/domain/text/fold.ts'),
    import('../../src/domain/text/shown.ts'),
    import('../../src/domain/text/spellings.ts'),
    import('../../src/domain/text/typed.ts'),
  ]);
  return {
    roughWords: words.roughWords,
    datesIn: (text) => dates.datesIn(text, NOW),
    'places of several words': (text) => ['a', '中'].map(find.placesFinder(text)),
    'forms that are compared': (text) => {
      const form = find.comparableForm(text);
      return [find.countIn(form, 'a'), find.isSame(form, 'a')];
    },
    folds: (text) =>
      [fold.withoutInvisible, fold.withLongVowels, fold.asHiragana, fold.withPlainDigits, fold.folded].map(
        (folds) => folds(text),
      ),
    withoutLinks: markdown.withoutLinks,
    asPlainMarkdown: markdown.asPlainMarkdown,
    hanShare: sentences.hanShare,
    endsAbbreviated: sentences.endsAbbreviated,
    sentenceSpans: sentences.sentenceSpans,
    isHan: sentences.isHan,
    eachSentence: (text: string) => [...sentences.eachSentence(text)],
    endsSentence: sentences.endsSentence,
    cutAtPauses: (text) => sentences.cutAtPauses(text, 100),
    shownName: shown.shownName,
    fileStem: shown.fileStem,
    addSpellings: (text) => spellings.addSpellings(text, []),
    plainFigures: (text) => spellings.plainFigures(text, []),
    withoutEmptyEdges: typed.withoutEmptyEdges,
    restoreLineBreaks: (text) => typed.restoreLineBreaks(text, text),
  };
}

async function memoryReaders(): Promise<Readers> {
  const [snippet, chunk, title, digest, keywords, summary, query, blend, lanes] = await Promise.all([
    import('../../src/domain/memory/snippet.ts'),
    import('../../src/domain/memory/chunk.ts'),
    import('../../src/domain/memory/title.ts'),
    import('../../src/domain/memory/digest.ts'),
    import('../../src/domain/memory/keywords.ts'),
    import('../../src/domain/memory/summary.ts'),
    import('../../src/domain/memory/query.ts'),
    import('../../src/domain/memory/question-blend.ts'),
    import('../../src/domain/memory/lanes.ts'),
  ]);
  return {
    matchesIn: (text) => snippet.matchesIn(text, 'alpha 中文 1234'),
    'matchesIn with the text as the question': (text) => snippet.matchesIn('alpha 中文 1234', text),
    snippetOf: (text) => snippet.snippetOf(text, 'alpha 中文 a 1'),
    excerptOf: (text) => snippet.excerptOf(text, 'alpha 中文 a 1', 20),
    chunksOf: (text) => chunk.chunksOf(message(text), { redact: keep }),
    'chunksOf of a tool': (text) => chunk.chunksOf(message(text, 'tool'), { redact: keep }),
    titleOf: (text) => title.titleOf([message(text)], keep),
    isFromWords: (text) => title.isTitleFromWords(text, [text]),
    'summary and keywords': (text) => {
      const read = digest.digestOf([message(text)], keep);
      return [summary.summaryOf(read), keywords.keywordsOf(read)];
    },
    queryForMessage: query.queryForMessage,
    parseSearch: (text) => query.parseSearch(text, NOW),
    parseDay: (text) => query.parseDay(text, NOW),
    literalQuery: query.literalQuery,
    lastLineOf: blend.lastLineOf,
    laneAskedFor: lanes.laneAskedFor,
  };
}

/** Functions that read a question for what it is, and what memory was asked before. */
async function questionReaders(): Promise<Readers> {
  const [vain, calls, overview, standing, noteText, wording, replies, subQueries, values, query] =
    await Promise.all([
      import('../../src/domain/memory/asked-in-vain.ts'),
      import('../../src/domain/memory/calls.ts'),
      import('../../src/domain/memory/overview.ts'),
      import('../../src/domain/memory/standing.ts'),
      import('../../src/domain/memory/note-text.ts'),
      import('../../src/domain/memory/recognition/wording.ts'),
      import('../../src/domain/memory/replies.ts'),
      import('../../src/domain/memory/sub-queries.ts'),
      import('../../src/domain/memory/values.ts'),
      import('../../src/domain/memory/query.ts'),
    ]);
  const candidate = (text: string, role: Message['role'], chunkId: number) =>
    ({ chunkId, messageId: `m${chunkId}`, role, text, previous: chunkId - 1, next: 2, note: false }) as never;
  return {
    'asked in vain': (text) => {
      const both: readonly Parameters<ReturnType<typeof vain.unansweredIn>>[0][] = [
        candidate(text, 'user', 1),
        candidate(text.slice(0, 600), 'assistant', 2),
      ];
      const isUnanswered = vain.unansweredIn(both);
      const read = both.map((one) => ({ ...one, unanswered: isUnanswered(one) || true }));
      return vain.withoutEchoes(read, `a ${text}`);
    },
    refersToEarlierTalk: calls.refersToEarlierTalk,
    asksOfOwnFacts: (text) => calls.asksOfOwnFacts(text) || calls.asksOfOwnFacts(text.slice(0, 120)),
    asksForOverview: overview.asksForOverview,
    setsRuleOrPreference: standing.setsRuleOrPreference,
    notesInText: noteText.notesInText,
    wordsToKeep: wording.wordsToKeep,
    onlyAsks: replies.onlyAsks,
    'sub-queries of a long message': (text) =>
      subQueries.subQueriesOf(`${'Some words. '.repeat(70)}\n\n${text}`),
    valuesIn: values.valuesIn,
    filtersIn: query.filtersIn,
  };
}

async function forgetReaders(): Promise<Readers> {
  const [imprint, sought, forms] = await Promise.all([
    import('../../src/domain/forget/imprint.ts'),
    import('../../src/domain/forget/sought.ts'),
    import('../../src/domain/text/written-forms.ts'),
  ]);
  const known = ['Anna Bergmann', 'a a', '李雷', 'May 1'].flatMap((name) =>
    imprint.imprintsOf(name, 's', true),
  );
  return {
    'imprints of words': (text) => imprint.imprintsOf(text, 's', true),
    'hiding of imprints': (text) => imprint.createMatcher(known, 's').hide(text),
    'imprints of quotations': (text) => sought.quotesOf([message(text)], 's'),
    writtenForms: forms.writtenForms,
    partedForm: forms.partedForm,
    'keys and numbers over lines': (text) => [
      forms.joinedForm(text, 'key'),
      forms.joinedForm(`1234 ${text}`.repeat(2), 'number'),
    ],
  };
}

async function privacyReaders(): Promise<Readers> {
  const [privacy, scan, privateTokens, plain] = await Promise.all([
    import('../../src/domain/privacy/detectors/index.ts'),
    import('../../src/domain/privacy/scan.ts'),
    import('../../src/domain/privacy/tokens.ts'),
    import('../../src/domain/privacy/plain-form.ts'),
  ]);
  return {
    ...Object.fromEntries(
      privacy.DETECTORS.map(({ category, find }) => [
        `private words: ${category}`,
        (text: string) => find(text, PERSONAL),
      ]),
    ),
    'private words, all of them': (text) => scan.findPrivate(text, new Set(CATEGORIES), PERSONAL),
    'private words with a keyword before': (text) =>
      scan.findPrivate(`password ${text}`, new Set(['keywords', 'secrets']), PERSONAL),
    // Long texts are read at their borders only, which hides how their number counts.
    'private words across texts': (text) =>
      scan.findAcross(text.match(/.{1,40}/gs) ?? [], (one) =>
        scan.findPrivate(one, new Set(['phones', 'secrets']), PERSONAL),
      ),
    'tokens of private words': (text) => [
      privateTokens.restored(text, () => 'words'),
      privateTokens.restoredInJson(text, () => 'words'),
      privateTokens.withoutTokens(text),
    ],
    'plain form of private words': plain.plainForm,
  };
}

async function contextReaders(): Promise<Readers> {
  const [constraints, values, units, quoted, asked, notes, tokens, unknown] = await Promise.all([
    import('../../src/domain/context/constraints.ts'),
    import('../../src/domain/context/value-kinds.ts'),
    import('../../src/domain/context/units.ts'),
    import('../../src/domain/context/quoted.ts'),
    import('../../src/domain/context/query.ts'),
    import('../../src/domain/context/notes.ts'),
    import('../../src/domain/context/tokens.ts'),
    import('../../src/domain/chat/unknown.ts'),
  ]);
  return {
    constraintsOf: (text) => constraints.constraintsOf(message(text)),
    valuesOf: (text) => values.valuesOf({ text, lead: '', kind: 'prose' }),
    expectedIn: values.expectedIn,
    unitsOf: (text) => units.unitsOf(message(text)),
    'unitsOf of a tool': (text) => units.unitsOf(message(text, 'tool')),
    quotedLines: quoted.quotedLines,
    quotedFile: (text) => quoted.quotedFile('a', text),
    wordsOfUnknown: (text) => unknown.wordsOfUnknown({ type: 'x', text, list: [text] }),
    queryOf: asked.queryOf,
    notesOf: (text) => notes.notesOf(message(text)),
    estimateTokens: tokens.estimateTokens,
    cutToTokens: (text) => tokens.cutToTokens(text, 100),
    endWithinTokens: (text) => tokens.endWithinTokens(text, 100),
  };
}

/** Functions of files, commands and the interface. */
async function outerReaders(): Promise<Readers> {
  const [terminal, agents, rich] = await Promise.all([
    import('../../src/adapters/importers/terminal-texts.ts'),
    import('../../src/adapters/importers/message-shapes.ts'),
    import('../../src/domain/text/rich-text.ts'),
  ]);
  const written = await import('../../src/adapters/importers/written-calls.ts');
  const drawn = await import('../../src/adapters/models/pictures-in-words.ts');
  const thoughts = await import('../../src/adapters/models/thoughts.ts');
  const [lenient, openBlock, repeat, commands, marked, palette, nesting, shapes, spoken, whole, lists, html] =
    await Promise.all([
      import('../../src/adapters/importers/lenient-json.ts'),
      import('../../src/adapters/exporters/open-block.ts'),
      import('../../src/services/chat/repeat.ts'),
      import('../../src/services/commands/parse.ts'),
      import('../../src/ui/memory/marked-text.tsx'),
      import('../../src/ui/palette/filters.ts'),
      import('../../src/ui/chat/nesting.ts'),
      import('../../src/adapters/models/native-shapes.ts'),
      import('../../src/adapters/models/spoken-calls.ts'),
      import('../../src/adapters/models/whole-deltas.ts'),
      import('../../src/ui/chat/markdown/list-syntax.ts'),
      import('../../src/ui/chat/markdown/html-rule.ts'),
    ]);
  return {
    'screen of a terminal': (text) => [
      terminal.isTerminalText(text),
      terminal.terminalSession(text),
      terminal.terminalSession(`⏺ Bash(${text}\n  ⎿  ${text}`),
    ],
    'words that an agent added': (text) => [
      agents.isAdded(`<user_info>${text}`),
      agents.withoutTag(`<task>${text}`),
    ],
    'calls that a model writes into its words': (text) => [
      written.withWrittenCalls(text, new agents.CallReader()),
      written.withWrittenCalls(`<read_file>\n<path>${text}`, new agents.CallReader()),
      written.withWrittenCalls(text.replaceAll('a', '<read_file><a>'), new agents.CallReader()),
      written.withWrittenCalls(text.replaceAll('a', '<thinking>'), new agents.CallReader()),
      written.saidInName([{ type: 'text', text: `[read_file for '${text}` }], new agents.CallReader()),
      written.saidInName([{ type: 'text', text: `[read_file] Result:${text}` }], new agents.CallReader()),
    ],
    isRichText: rich.isRichText,
    wordsOfRichText: (text) => rich.wordsOfRichText(`{\\rtf1 ${text}`),
    recordsOf: lenient.recordsOf,
    'code in items of a list': (text) => lists.looseLines(`- ${text}\n\`\`\`\n${text}`, true),
    'words between tags': (text) => html.foldedWords(`<summary>${text}`),
    'records that never end': (text) => lenient.recordsOf(`{"a":"${text}\n`.repeat(4)),
    parseJson: (text) => lenient.parseJson(`{"a":"${text}`),
    'parseJson of text in quotes': (text) => lenient.parseJson(`"${text}"`),
    'lines of a log': (text) => lenient.linesOf(text).map(lenient.parseJson),
    'open block of an export': (text) => {
      const reader = openBlock.createBlockReader();
      for (const line of text.split(openBlock.LINE_BREAK)) reader.line(line);
      return reader.closing();
    },
    askedAgain: (text) => repeat.askedAgain([message(text, 'assistant')]),
    'words of a command': commands.wordsOfLine,
    'marks of a hit': (text) => marked.markedRanges(text, 'alpha 中文 a 1', true),
    'marks of a hit with the text as the query': (text) => marked.markedRanges('alpha 中文', text, true),
    'plainLine of a hit': marked.plainLine,
    'excerpt of a hit': (text) => marked.excerpt(text, 'zz'),
    'nesting of Markdown': (text) => new nesting.NestingGuard().isTooDeep(text),
    'nesting of Markdown, a line each': (text) =>
      new nesting.NestingGuard().isTooDeep(text.replaceAll(/.{8}/g, '$&\n')),
    'events of a native answer': (text) => {
      const native = new shapes.NativeShapes();
      const item_id = 'i';
      return [...text].flatMap((delta) =>
        native.shape({ type: 'response.output_text.delta', item_id, delta }),
      );
    },
    'calls among the words of an answer': (text) => {
      const calls = new spoken.SpokenCalls(
        (name) => (name === 'recall' ? name : undefined),
        () => 'string',
      );
      return [text, ...text].map((delta, at) => calls.read(delta, at === text.length));
    },
    'thoughts among the words of an answer': (text) => {
      const read = (begun: string, words = text) => {
        const reader = thoughts.createThoughts();
        return [[begun, words, ...words].map((delta) => reader.read(delta)), reader.end()];
      };
      const ends = '<|end|>'.repeat(text.length / 7);
      return [read(''), read('so'), read('<analysis>'), read('<think>a'), read('so', ends)];
    },
    'pictures among the words of an answer': (text) => {
      const pictures = new drawn.PicturesInWords(() => undefined);
      const begun = `![a](data:image/png;base64,${text}`;
      return [text, ...text, begun].map((delta, at) => pictures.read(delta, at > text.length));
    },
    'deltas that may repeat everything': (text) => {
      const deltas = new whole.WholeDeltas();
      return [[...text].map((delta) => deltas.read(delta)), deltas.end()];
    },
    'filters of the palette': (text) => palette.openFilter(text),
  };
}

/** Imports every reader. Called when counting has begun: the counter does not see what was imported before. */
const readers = async (): Promise<Readers> =>
  Object.assign(
    {},
    await textReaders(),
    await formReaders(),
    await memoryReaders(),
    await questionReaders(),
    await forgetReaders(),
    await privacyReaders(),
    await contextReaders(),
    await outerReaders(),
  );

/** Repeated to the wanted length: one for each sign that patterns tell apart, and mixtures that have hurt. */
const HOSTILE: readonly string[] = [
  ...'aA1 \t\n.,:"\'`([<|/-_*>',
  ...'中。「',
  '😀',
  '。"',
  '([“',
  '![a](',
  '<a',
  ' **a',
  '`a``b',
  '```a\n',
  '|---',
  'e.g. ',
  'a@',
  'a_b-',
  'aA',
  '1.1.',
  'http://a:b@',
  'token = "a',
  '-----BEGIN ',
  'May 1 ',
  '上',
  '\\"',
  'What? ',
  'a a  ',
  '\n[image:a ',
  '~~~',
  'did you ',
  '> ',
  '- *',
  '12 345 ',
  '+1 (2) 34-',
  'न्द',
  'น้ํา',
  'カ－',
  '二〇',
  'a <tool_call> ',
];

/** In the gate every twelfth kind; `npm run test:all` tries them all. */
const TRIED = ALL ? HOSTILE : HOSTILE.filter((_, at) => at % 12 === 0);

/** Lengths of two texts, one twice the other. */
const [SHORT, LONG] = ALL ? [640, 1_280] : [320, 640];
/** From this length on, work at the borders of pieces no longer hides the work within them. */
const LOOPS = 1_280;
/** Steps for each character below which nothing can have grown. */
const FEW = 40;

const blocks: { counter?: BlockCounter } = {};
let all: Readers;
beforeAll(async () => {
  blocks.counter = await blockCounter();
  all = await readers();
}, 120_000);
afterAll(() => blocks.counter?.stop());

const textOf = (hostile: string, length: number): string =>
  hostile.repeat(Math.ceil(length / hostile.length)).slice(0, length);

/** Parts that the readers are tried in: all kinds of text over all readers take longer than one test may. */
const PARTS = ALL ? 8 : 1;
const part = Array.from({ length: PARTS }, (_, at) => at);
const textsOf = (part: number) => TRIED.filter((_, at) => at % PARTS === part);
const readersOf = (part: number) => Object.entries(all).filter((_, at) => at % PARTS === part);

describe('work on text', () => {
  it.each(part)(
    'grows with its length in patterns and built-in functions, part %i of the texts',
    (part) => {
      const slow: string[] = [];
      for (const hostile of textsOf(part)) {
        for (const [name, read] of Object.entries(all)) {
          const steps = (length: number): number => {
            try {
              return stepsOf(() => read(textOf(hostile, length)), 10_000 * length);
            } catch (error) {
              if (error instanceof TooManySteps) return Number.POSITIVE_INFINITY;
              throw error;
            }
          };
          const first = steps(LONG);
          if (first < FEW * LONG) continue;
          const short = steps(SHORT);
          // Counted anew only where it would matter: what is made once for all texts was made by then.
          const long = first > 2.6 * short ? steps(LONG) : first;
          if (!Number.isFinite(long) || long > 2.6 * short)
            slow.push(`${name} ${JSON.stringify(hostile)}: ${short}, ${long}`);
        }
      }
      expect(slow).toEqual([]);
    },
    300_000,
  );

  it.each(part)(
    'grows with its length in loops, part %i of the readers',
    async (part) => {
      const slow: string[] = [];
      for (const [name, read] of readersOf(part)) {
        const taken = async (length: number): Promise<number> => {
          await blocks.counter?.taken();
          for (const hostile of TRIED) read(textOf(hostile, length));
          return (await blocks.counter?.taken()) ?? 0;
        };
        // A first run makes what is made once for all texts.
        await taken(LOOPS);
        const [short, middle, long] = [await taken(LOOPS), await taken(2 * LOOPS), await taken(4 * LOOPS)];
        // Twice the length, twice the growth; with the square in it four times.
        if (long - middle > 2.5 * Math.max(middle - short, 20 * LOOPS))
          slow.push(`${name}: ${short}, ${middle}, ${long}`);
      }
      expect(slow).toEqual([]);
    },
    300_000,
  );
});
