// Lists of messages in JSON, whoever wrote them: a request's `messages`, a dataset's lines (OpenAI's and ShareGPT's),
// exports of other chat apps. A list of messages is one conversation, a list of such lists is several.
import { RecollectError } from '../../domain/base/errors.ts';
import { type Fields, fieldsOf, isFields, objectsOf, readJson, stringOf } from '../../domain/base/json.ts';
import { createYielder } from '../../domain/base/yielding.ts';
import type { Part, Role } from '../../domain/chat/message.ts';
import { wordsOfUnknown } from '../../domain/chat/unknown.ts';
import { fingerprint } from './fingerprint.ts';
import type { ImportedConversation, ImportedMessage, Importer, SourceFile } from './importer.ts';
import {
  decode,
  fromFirstRecord,
  linesOf,
  looksBinary,
  parseJson,
  recordsIn,
  recordsOf,
  wholeItemsOf,
} from './lenient-json.ts';
import {
  bare,
  besideWords,
  CallReader,
  contentOf,
  flattened,
  isAdded,
  messagesOfNodes,
  partsOf,
  roleOf,
  speakerOf,
  withoutTag,
  withThoughts,
} from './message-shapes.ts';
import { otherVersionsOf, withForks } from './other-versions.ts';
import {
  countForeign,
  createDamagedFiles,
  createSkipCounter,
  refuseTooLarge,
  reportForeign,
  type SkipCounter,
  titleIn,
  wordsIn,
} from './skipping.ts';
import { baseName, chunksOf, headOf, isDamaged as isDamagedFile, SNIFF_BYTES } from './source-file.ts';
import { interpolated, timeOf } from './times.ts';
import { isOfWrittenCalls, saidInName, withWrittenCalls } from './written-calls.ts';

const TOOL = 'messages';
const NAME = /\.(?:jsonl?|ndjson)(?:\.\w{1,8})?$/i;
/** Largest file of lines whose encoding is told from the whole of it, bytes; a larger one is read in blocks. */
const MAX_LINES_BYTES = 64 * 1024 * 1024;

/** Fields with the messages of a conversation, and fields around it. */
const LISTS = [
  'messages',
  'conversations',
  'conversation',
  'contents',
  'turns',
  'dialogue',
  'dialog',
  'chat',
  'history',
  'responses',
  'input',
] as const;
/** Fields of a question and its answer in datasets. */
const PAIRS = [
  ['instruction', 'output'],
  ['prompt', 'completion'],
  ['prompt', 'response'],
  ['question', 'answer'],
  ['query', 'answer'],
  ['query', 'response'],
  ['user', 'assistant'],
  ['human', 'assistant'],
  ['human', 'bot'],
  ['input', 'output'],
] as const;
/** Signs of the exports that other importers know; DeepSeek's nodes are like ChatGPT's, but hold fragments. */
const OF_OTHERS = /"chat_messages"\s*:|"role"\s*:\s*"_|"format"\s*:\s*"recollect|"protocol_version"\s*:/;

const isOfOthers = (head: string): boolean =>
  OF_OTHERS.test(head) || (/"mapping"\s*:\s*\{/.test(head) && !/"fragments"\s*:/.test(head));

const isMessage = (value: unknown): value is Fields => {
  if (!isFields(value)) return false;
  const message = bare(value);
  const isCall =
    Array.isArray(message.tool_calls) || Array.isArray(message.toolCalls) || isFields(message.function_call);
  return (
    (contentOf(message) !== undefined || isCall) &&
    (roleOf(message) !== undefined || typeof message.role === 'string' || typeof message.from === 'string')
  );
};

/** A name of somebody who is neither known as a person nor as a model: a bot that a person named. */
const otherIn = (message: Fields): string => {
  const { author, sender, speaker } = message;
  const name = [author, sender, speaker].find((one) => typeof one === 'string' && one.trim() !== '');
  return roleOf(message) === undefined && contentOf(message) !== undefined ? String(name ?? '') : '';
};

/** The one other speaker beside a person is the model. */
function withModel(messages: readonly Fields[]): readonly Fields[] {
  const others = new Set(messages.map(otherIn).filter((name) => name !== ''));
  const roles = messages.map((one) => roleOf(one));
  if (others.size !== 1 || roles.includes('assistant') || !roles.includes('user')) return messages;
  return messages.map((one) => (otherIn(one) === '' ? one : { ...one, role: 'assistant' }));
}

/** True for a list of messages, at least one of which names a person or a model. */
const isMessageList = (value: unknown): value is readonly Fields[] => {
  if (!Array.isArray(value) || value.length === 0) return false;
  const first: unknown[] = value.slice(0, 20);
  const others = first.filter(
    (one) =>
      !isFields(one) || !(isMessage(one) || roleOf(bare(one)) !== undefined || otherIn(bare(one)) !== ''),
  );
  return (
    others.length <= first.length * MOST_BOOKKEEPING &&
    others.every(isBookkeeping) &&
    first.some((one) => isMessage(one) && /^(?:user|assistant)$/.test(roleOf(bare(one)) ?? ''))
  );
};
/** Most items of a list of messages, as a share, that say nothing: counts of tokens, marks of a fork. */
const MOST_BOOKKEEPING = 0.4;
const isBookkeeping = (one: unknown): boolean =>
  isFields(one) && contentOf(bare(one)) === undefined && wordsOfUnknown(one) === '';

interface Said {
  readonly list: readonly unknown[];
  /** Objects around the list, the innermost last. */
  readonly around: readonly Fields[];
}

/** Finds the messages of a conversation; undefined if the value is none. */
function saidIn(value: unknown, around: readonly Fields[] = []): Said | undefined {
  if (isMessageList(value)) return { list: value, around };
  if (!isFields(value) || around.length > 3) return undefined;
  const here = [...around, ...(isFields(value.conversation) ? [value.conversation] : []), value];
  // Open WebUI keeps all branches in `history`, and one of them in `messages`.
  const map = isFields(value.history) ? value.history.messages : value.messages;
  if (isFields(map) && isMessageList(Object.values(map))) {
    const inner = isFields(value.history) ? [...here, value.history] : here;
    return { list: Object.entries(map).map(([id, one]) => ({ id, ...(one as Fields) })), around: inner };
  }
  const nodes = isFields(value.mapping) ? messagesOfNodes(Object.values(value.mapping)) : [];
  if (isMessageList(nodes)) return { list: nodes, around: here };
  const forked = isMessageList(value.messages)
    ? withForks(value.messages, value.messageForksHash)
    : undefined;
  if (forked) return { list: forked, around: [...here, { currentId: lastOf(value.messages) }] };
  for (const name of LISTS)
    if (isMessageList(value[name]))
      return { list: [...value[name], ...answersIn(value.output ?? value.response)], around: here };
  const pairs = pairsIn(value.entries);
  if (pairs) return { list: pairs, around: here };
  const request = saidIn(value.request ?? value.body ?? value.input, here);
  return request
    ? { ...request, list: [...request.list, ...answersIn(value.response ?? value.output)] }
    : pairIn(value, here);
}

const lastOf = (list: unknown): unknown => objectsOf(list).at(-1)?.id;

/** The answers of an endpoint, or of a trace, to a request that stands beside them. */
function answersIn(response: unknown): readonly unknown[] {
  if (Array.isArray(response)) return response.every(isMessage) ? response : [];
  if (!isFields(response)) return [];
  const fields: Fields = response;
  if (isMessage(fields)) return [response];
  const { choices, output } = isFields(response.body) ? response.body : response;
  const [first, ...others] = objectsOf(choices).map(({ message }) => message);
  return isFields(first) ? [{ ...first, choices: others }] : answersIn(output);
}

/** Topics of Cherry Studio, which keeps the words of all messages in one list of blocks. */
function topicsIn({ topics, message_blocks: blocks }: Fields, around: readonly Fields[]): Said[] {
  if (!Array.isArray(topics) || !Array.isArray(blocks)) return [];
  const names = namesOfTopics(fieldsOf(around[0]?.localStorage)['persist:cherry-studio']);
  const byMessage = new Map<unknown, Fields[]>();
  for (const block of blocks.filter(isFields))
    byMessage.set(block.messageId, [...(byMessage.get(block.messageId) ?? []), block]);
  return topics.filter(isFields).flatMap((topic) => {
    const messages = (Array.isArray(topic.messages) ? topic.messages : []).filter(isFields);
    const list = messages.map((one) => ({ ...one, content: byMessage.get(one.id) ?? [] }));
    const named = { name: names.get(stringOf(topic.id)), ...topic };
    return isMessageList(list) ? [{ list, around: [...around, named] }] : [];
  });
}

/** Names of topics by their ids, out of the state of the interface, which is JSON within JSON. */
function namesOfTopics(state: unknown): ReadonlyMap<string, string> {
  const { assistants } = fieldsOf(readJson(stringOf(fieldsOf(readJson(stringOf(state))).assistants)));
  const topics = objectsOf(assistants).flatMap((one) => objectsOf(one.topics));
  return new Map(topics.map(({ id, name }) => [stringOf(id), stringOf(name)]));
}

/** Levels that are searched for messages. */
const DEEPEST = 7;

/** Finds all conversations in a value, wherever an app keeps them. */
function allSaidIn(value: unknown, around: readonly Fields[] = []): Said[] {
  const said = saidIn(value, around.slice(-3));
  if (said) {
    const groups = inGroups(said);
    return [...groups, ...besideIn(value, groups)];
  }
  const topics = isFields(value) ? topicsIn(value, around.slice(-3)) : [];
  if (topics.length > 0) return topics.flatMap(inGroups);
  if (around.length > DEEPEST || typeof value !== 'object' || value === null) return [];
  const here = isFields(value) ? [...around, value] : [...around, {}];
  return Object.values(value).flatMap((one: unknown) =>
    typeof one === 'object' && one !== null ? allSaidIn(one, here) : [],
  );
}

/** Conversations that an app keeps beside a list of messages in the same object: threads before it, other answers. */
function besideIn(value: unknown, shown: readonly Said[]): Said[] {
  if (!isFields(value)) return [];
  const known = new Set(shown.flatMap(({ list }) => list.flatMap(waysToKnow)));
  const id = shown[0]?.around.map((one) => fieldOf(one, CONVERSATION_IDS)).find((one) => one !== undefined);
  return Object.values(value)
    .flatMap((one: unknown) => (typeof one === 'object' && one !== null ? allSaidIn(one, [{}]) : []))
    .filter((said) => !said.list.every((one) => known.has(saidBy(one))))
    .map((said) => {
      const own = said.around.map((one) => fieldOf(one, CONVERSATION_IDS)).find((one) => one !== undefined);
      const inner = own === undefined || id === undefined ? {} : { id: `${id}/${own}` };
      return { ...said, around: [inner, ...said.around] };
    });
}
/** Marks by which a message, or another version of it, may be known. */
const waysToKnow = (one: unknown): string[] =>
  [one, ...(isFields(one) ? otherVersionsOf(bare(one)) : [])].flatMap((each) => [
    saidBy(each),
    wordsOfMessage(each),
  ]);
/** Marks by which a message is known: its id, if it has one, and its words. */
const saidBy = (one: unknown): string =>
  `${(isFields(one) && fieldOf(one, IDS)) || ''}${wordsOfMessage(one)}`;
const wordsOfMessage = (one: unknown): string =>
  isFields(one) ? JSON.stringify(contentOf(bare(one)) ?? '') : '';

/** Fields by which an app tells the conversations of one list apart. */
const GROUPS = [
  'conversationId',
  'conversation_id',
  'sessionId',
  'session_id',
  'topicId',
  'threadId',
  'thread_id',
  'chatId',
];

function inGroups({ list, around }: Said): Said[] {
  const groups = new Map<string, unknown[]>();
  for (const one of list) {
    const name = GROUPS.map((field) => (isFields(one) ? fieldOf(one, [field]) : undefined))
      .filter(Boolean)
      .join(' ');
    const group = groups.get(name) ?? [];
    group.push(one);
    groups.set(name, group);
  }
  const [only] = groups.values();
  if (groups.size <= 1) return [{ list: flattened(list), around: [...around, ...rowTitleOf(only)] }];
  return [...groups].map(([id, some]) => ({
    list: flattened(some),
    around: [{ id }, ...rowTitleOf(some)],
  }));
}

/** The title that a table repeats in each of its rows. */
const rowTitleOf = ([first]: readonly unknown[] = []): Fields[] =>
  isFields(first) && typeof first.conversation_title === 'string'
    ? [{ title: first.conversation_title }]
    : [];

/** Questions and answers that follow one another in a thread, as Perplexity's exports have them. */
function pairsIn(entries: unknown): unknown[] | undefined {
  if (!Array.isArray(entries) || entries.length === 0 || !entries.every(isFields)) return undefined;
  const list = entries.map((entry) =>
    pairIn(entry, [])?.list.map((one) => ({ ...timesIn(entry), ...(one as Fields) })),
  );
  return list.includes(undefined) ? undefined : list.flat();
}
const timesIn = (entry: Fields): Fields =>
  Object.fromEntries(TIMES.flatMap((name) => (name in entry ? [[name, entry[name]]] : [])));

/** A question and its answer, with what was said before them. */
function pairIn(value: Fields, around: readonly Fields[]): Said | undefined {
  const text = (name: string): string => (typeof value[name] === 'string' ? value[name].trim() : '');
  const [question, answer] = PAIRS.find(([one, two]) => text(one) !== '' && text(two) !== '') ?? [];
  if (question === undefined || answer === undefined) return undefined;
  const say = (role: Role, content: unknown) => ({ role, content });
  const before = (Array.isArray(value.history) ? value.history : []).flatMap((pair: unknown) =>
    Array.isArray(pair) ? [say('user', pair[0]), say('assistant', pair[1])] : [],
  );
  const words = [text(question), question === 'input' ? '' : text('input')]
    .filter((one) => one !== '')
    .join('\n\n');
  const system = text('system');
  return {
    list: [
      ...(system === '' ? [] : [say('system', system)]),
      ...before,
      say('user', words),
      say('assistant', text(answer)),
    ],
    around,
  };
}

export const messageLists: Importer = {
  id: TOOL,

  async sniff(source, signal) {
    for (const file of source.files)
      if (source.files.length === 1 || NAME.test(file.path)) {
        const sure = await surenessOf(file, signal);
        if (sure > 0) return sure;
      }
    return 0;
  },

  async claim(files, signal) {
    const own: SourceFile[] = [];
    for (const file of files)
      if (NAME.test(file.path) && (await surenessOf(file, signal)) >= OWN) own.push(file);
    return { own, beside: [] };
  },

  async *read(source, { signal, skip, now }) {
    const skipped = createSkipCounter();
    const damaged = createDamagedFiles();
    const yieldToEvents = createYielder();
    const known: KnownConversations = new Map();
    let [items, understood, tooLarge] = [0, 0, 0];
    for (const file of source.files) {
      signal.throwIfAborted();
      if (source.files.length > 1) {
        if (!NAME.test(file.path)) continue;
        if ((await surenessOf(file, signal)) === 0) {
          if (await isCutShort(file, signal)) damaged.add(file, 0);
          continue;
        }
      }
      const foreign = createSkipCounter();
      const loose: unknown[] = [];
      let [whole, isDamaged] = [0, false];
      const onDamage = () => {
        isDamaged = true;
      };
      const fallback = file.modifiedAt || now || 0;
      const take = (said: Said, name?: string) => {
        understood += 1;
        const isNamed = said.around.some((one) => fieldOf(one, CONVERSATION_IDS) !== undefined);
        const conversation = unique(toConversation(said, skipped, fallback, name), known, isNamed);
        if (conversation) whole += 1;
        return conversation;
      };
      for await (const { value, text, isAlone, isTooLarge } of valuesIn(file, signal, foreign, onDamage)) {
        signal.throwIfAborted();
        items += 1;
        if (isTooLarge) {
          tooLarge += 1;
          skipped.count('oversized-conversation', titleIn(text()));
          continue;
        }
        // Behind the first entry that is none, a damaged file holds words that nobody said.
        if (value === undefined && (await isDamagedFile(file, signal))) break;
        const isLoose = isMessage(value) && !saidIn(value);
        if (isLoose) loose.push(value);
        const found = isLoose ? [] : allSaidIn(value);
        if (!isLoose && found.length === 0 && !(isFields(value) && 'chat_metadata' in value))
          skipped.count(isFields(value) ? 'unknown-part' : 'malformed-line', text());
        for (const said of found) {
          const conversation = take(said, isAlone && found.length === 1 ? baseName(file.path) : undefined);
          if (conversation) yield conversation;
        }
        await yieldToEvents();
      }
      const all = isMessageList(loose) ? inGroups({ list: loose, around: [] }) : [];
      for (const said of all) {
        const conversation = take(said, all.length === 1 ? baseName(file.path) : undefined);
        if (conversation) yield conversation;
      }
      await reportForeign(foreign, file, skipped, signal);
      if (isDamaged || file.damage?.isFound) damaged.add(file, whole);
    }
    skipped.report(skip);
    damaged.report(skip, understood, source.files);
    refuseTooLarge(tooLarge, understood);
    if ((items > 0 || !damaged.isEmpty()) && understood === 0)
      throw new RecollectError('import-broken', 'No conversation in the file can be read');
  },
};

const OWN = 0.5;
/** Lines of messages alone are what kimi-cli writes. */
const LINES_ONLY = 0.2;

/** 0 to 1: how surely a file holds lists of messages. */
async function surenessOf(file: SourceFile, signal: AbortSignal): Promise<number> {
  if (file.size === 0) return 0;
  const bytes = await headOf(file, signal);
  const head = looksBinary(bytes) ? '' : fromFirstRecord(decode(bytes).trimStart(), file.path);
  if (!/^[[{]/.test(head) || isOfOthers(head)) return 0;
  const begun = firstValue(head) ?? firstRecord(head);
  // Some logs begin with lines about themselves.
  const first =
    begun && isFields(begun.value) && !isSaying(begun.value) ? (firstRecord(head, isSaying) ?? begun) : begun;
  if (first === undefined)
    return bytes.length >= SNIFF_BYTES && ROLES.test(head) && WORDS.test(head) ? OWN : 0;
  if (allSaidIn(first.value).length > 0) return OWN;
  if (Array.isArray(first.value) || !isMessage(first.value)) return 0;
  const isOfKimi =
    'content' in first.value && typeof first.value.role === 'string' && !('object' in first.value);
  return isOfKimi && head.startsWith('{') && /\.jsonl$/i.test(file.path) ? LINES_ONLY : OWN;
}

/** True for a small file that begins like JSON and holds no whole value. */
async function isCutShort(file: SourceFile, signal: AbortSignal): Promise<boolean> {
  const bytes = await headOf(file, signal);
  const head = looksBinary(bytes) ? '' : decode(bytes).trimStart();
  const isWhole = bytes.length < SNIFF_BYTES && /^[[{]/.test(head) && !isOfOthers(head);
  return isWhole && firstValue(head) === undefined && firstRecord(head) === undefined;
}

/** Signs of messages in the beginning of a file whose first value is longer. */
const ROLES = /"(?:role|sender|author|from|type)"\s*:\s*"(?:user|human|assistant|model|ai|gpt|bot)"/i;
const WORDS = /"(?:content|value|text|message|parts|contentParts)"\s*:/;

/** The first whole value of a text, or of the list that it begins with; undefined if none is whole. */
function firstValue(head: string): { readonly value: unknown } | undefined {
  const from = head.startsWith('[') ? head.slice(1).search(/[[{]/) + 1 : 0;
  const whole = parseJson(head);
  if (whole !== undefined) return { value: whole };
  let [depth, inString] = [0, false];
  for (let at = from; at < head.length; at += 1) {
    const sign = head[at];
    if (inString) {
      if (sign === '\\') at += 1;
      else if (sign === '"') inString = false;
    } else if (sign === '"') inString = true;
    else if (sign === '{' || sign === '[') depth += 1;
    else if (sign === '}' || sign === ']') {
      depth -= 1;
      if (depth > 0) continue;
      const value = parseJson(head.slice(from, at + 1));
      return value === undefined ? undefined : { value };
    }
  }
  return undefined;
}

const isSaying = (value: unknown): boolean => isMessage(value) || allSaidIn(value).length > 0;
/** Most lines of a log that are about itself. */
const MOST_RECORDS = 20;

/** The first line that is a record: the one above it may be damaged. Lines of an indented document are none. */
function firstRecord(
  head: string,
  fits?: (value: unknown) => boolean,
): { readonly value: unknown } | undefined {
  for (const line of head.startsWith('{') ? linesOf(head).slice(0, MOST_RECORDS) : []) {
    const value = line.startsWith('{') ? parseJson(line) : undefined;
    if (value !== undefined && (fits === undefined || fits(value))) return { value };
  }
  return undefined;
}

interface Value {
  readonly value: unknown;
  readonly text: () => string;
  /** True for the one document of a file, whose name then tells it from others. */
  readonly isAlone: boolean;
  readonly isTooLarge?: boolean | undefined;
}

/** Yields the items of a list, the documents of a file of lines, or the one document. */
async function* valuesIn(
  file: SourceFile,
  signal: AbortSignal,
  skipped: SkipCounter,
  onDamage: () => void,
): AsyncGenerator<Value> {
  const head = fromFirstRecord(decode(await headOf(file, signal)).trimStart(), file.path);
  const [line = ''] = head.split(/[\r\n]/, 1);
  const isOfLines = head.startsWith('{') && head.length > line.length + 1 && firstRecord(head) !== undefined;
  if (isOfLines && file.size <= MAX_LINES_BYTES) {
    for (const { value, line } of recordsOf(await wordsIn(file, skipped, signal)))
      yield { value, text: () => line, isAlone: false };
    return;
  }
  if (isOfLines) {
    for await (const { value, line, isTooLarge } of recordsIn(chunksOf(file, signal, countForeign(skipped))))
      yield { value, text: () => line, isAlone: false, isTooLarge };
    return;
  }
  // No member of a document has an empty name, so each document is one item.
  for await (const { value, text, listed, isTooLarge } of wholeItemsOf(
    chunksOf(file, signal, countForeign(skipped)),
    { list: '', onDamage },
  ))
    yield { value, text, isAlone: !listed, isTooLarge };
}

const TIMES = [
  'created_at',
  'createdAt',
  'create_time',
  'created',
  'inserted_at',
  'timestamp',
  'time',
  'date',
  'send_date',
  'ts',
  'updated_at',
] as const;
const IDS = ['id', 'messageId', 'message_id', 'uuid', '_id'] as const;
const PARENTS = [
  'parentId',
  'parentMessageId',
  'parent_id',
  'parentUuid',
  'parent_message_uuid',
  'parent_response_id',
  'parent',
] as const;
const CONVERSATION_IDS = [
  'conversationId',
  'conversation_id',
  'chat_id',
  'session_id',
  'sessionId',
  'uuid',
  'id',
] as const;

/** The first of these fields that is a text or a number. */
const fieldOf = (fields: Fields, names: readonly string[]): string | undefined => {
  for (const name of names) {
    const value = fields[name];
    if (typeof value === 'number' || (typeof value === 'string' && value.trim() !== '')) return String(value);
  }
  return undefined;
};

const timeFieldOf = (fields: Fields): unknown =>
  TIMES.map((name) => fields[name]).find((value) => value !== undefined && value !== null);

const timeIn = (fields: Fields, skipped: SkipCounter): number | undefined => {
  const written = timeFieldOf(fields);
  const time = timeOf(written);
  if (time === 'impossible') skipped.count('impossible-time', String(written));
  return typeof time === 'number' ? time : undefined;
};

type Piece = Pick<ImportedMessage, 'role' | 'kind' | 'parts'>;

/** Fields for thoughts beside the words. */
const THOUGHTS = ['reasoning_content', 'reasoning', 'thinking', 'thinking_trace', 'reasoningContent'];

/** The texts of a message, as they are written. */
const textsOf = (message: Fields): string[] =>
  [contentOf(message)].flat().map((block: unknown) => stringOf(isFields(block) ? block.text : block));

/** Reads one message; results of tools stand as messages of their own, as everywhere else. */
function piecesOf(
  message: Fields,
  calls: CallReader,
  skipped: SkipCounter,
  hasWrittenCalls: boolean,
): Piece[] {
  const known = roleOf(message);
  if (known === undefined) skipped.count('unknown-role', speakerOf(message));
  const role = known ?? 'system';
  const kind = known === undefined ? 'note' : 'message';
  const content = contentOf(message);
  let parts = [...partsOf(content, calls, skipped), ...besideWords(message, calls, skipped)];
  if (message.isThought === true || message.role === 'thinking')
    parts = parts.map((part) => (part.type === 'text' ? { type: 'reasoning', text: part.text } : part));
  const spoken = isFields(message.audio) ? message.audio.transcript : undefined;
  for (const said of parts.some(({ type }) => type === 'text') ? [] : [message.refusal, spoken])
    parts.push(...partsOf(said, calls, skipped));
  if (role === 'assistant')
    parts = parts.flatMap((part) => (part.type === 'text' ? withThoughts(part.text) : [part]));
  if (hasWrittenCalls && role === 'assistant')
    parts = parts.flatMap((part) => (part.type === 'text' ? withWrittenCalls(part.text, calls) : [part]));
  if (hasWrittenCalls && role === 'user')
    return saidInName(parts, calls).map(({ role, isNote, parts }) => ({
      role,
      kind: isNote ? 'note' : 'message',
      parts,
    }));
  const thoughts = [...THOUGHTS.map((name) => message[name]), fieldsOf(message.extra).reasoning]
    .map((one) => (isFields(one) ? (one.content ?? one.text) : one))
    .find((one): one is string => typeof one === 'string' && one.trim() !== '');
  if (thoughts !== undefined && !parts.some(({ type }) => type === 'reasoning'))
    parts = [{ type: 'reasoning', text: thoughts }, ...parts];
  const given = [message.tool_calls, message.toolCalls].find(Array.isArray) ?? [message.function_call];
  for (const call of given) {
    const part = isFields(call) ? calls.call(call) : undefined;
    if (part) parts.push(part);
    else if (wordsOfUnknown(call) !== '') {
      skipped.count('broken-call');
      parts.push({ type: 'unknown', original: call });
    }
  }
  if (role === 'tool' && !parts.some(({ type }) => type === 'tool-result')) {
    const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
    parts = [calls.result(message, text), ...parts.filter(({ type }) => type !== 'text')];
  }
  const pieces: { role: Role; kind: Piece['kind']; parts: Part[] }[] = [];
  for (const said of parts) {
    const isNote = role === 'user' && said.type === 'text' && isAdded(said.text);
    const part = role === 'user' && said.type === 'text' ? { ...said, text: withoutTag(said.text) } : said;
    const isResult = part.type === 'tool-result' || calls.gave.has(said);
    const as = isNote ? 'system' : isResult ? 'tool' : role;
    const last = pieces.at(-1);
    if (last?.role === as) last.parts.push(part);
    else pieces.push({ role: as, kind: isNote ? 'note' : kind, parts: [part] });
  }
  return pieces;
}

interface Placed {
  readonly id: string;
  readonly parent: string | null;
  readonly fields: Fields;
  readonly time: number;
}

/** Messages with their model; a list that begins with its newest answer is turned round. */
function inOrder(given: readonly Fields[]): readonly Fields[] {
  const messages = withModel(given);
  const [first, last] = [messages[0], messages.at(-1)];
  const isAnswerFirst = first && last && roleOf(first) === 'assistant' && roleOf(last) === 'user';
  if (!isAnswerFirst || messages.some((one) => fieldOf(one, PARENTS) !== undefined)) return messages;
  const times = messages.map((one) => timeOf(timeFieldOf(one)));
  const isBackwards =
    times[0] !== times.at(-1) &&
    times.every((time, at) => {
      const before = times[at - 1] ?? Number.POSITIVE_INFINITY;
      return typeof time === 'number' && typeof before === 'number' && before >= time;
    });
  return isBackwards ? [...messages].reverse() : messages;
}

/** Orders messages, parents first; where none names its parent, each stands below the one before it. */
function placed(list: readonly Fields[], times: readonly number[]): Placed[] {
  const known = new Set<string>();
  const all = list.map((fields, at): Placed & { readonly said: string | undefined } => {
    const own = fieldOf(fields, IDS);
    const id = own === undefined || known.has(own) ? `${own ?? ''}#${at}` : own;
    known.add(id);
    return { id, parent: null, fields, time: times[at] as number, said: fieldOf(fields, PARENTS) };
  });
  if (!all.some(({ said }) => said !== undefined && known.has(said)))
    return all.map((one, at) => ({ ...one, parent: all[at - 1]?.id ?? null }));
  const byId = new Map(all.map((one) => [one.id, one]));
  const done = new Set<string>();
  const above = new Set<string>();
  const ordered: Placed[] = [];
  for (const one of all) {
    const line: (typeof all)[number][] = [];
    for (let at: typeof one | undefined = one; at && !done.has(at.id); at = byId.get(at.said ?? '')) {
      done.add(at.id);
      line.push(at);
    }
    for (const next of line.reverse()) {
      // A message that is above itself is a root.
      const parent = next.said !== undefined && above.has(next.said) ? next.said : null;
      above.add(next.id);
      ordered.push({ ...next, parent });
    }
  }
  return ordered;
}

function toConversation(
  { list, around }: Said,
  skipped: SkipCounter,
  fallback: number,
  fileName?: string,
): ImportedConversation | undefined {
  const fields = inOrder(
    list.flatMap((value) => {
      if (isBookkeeping(value) && roleOf(bare(value as Fields)) === undefined) return [];
      if (isFields(value)) return [bare(value)];
      skipped.count('malformed-line', JSON.stringify(value));
      return [];
    }),
  );
  const of = (names: readonly string[]) =>
    around.map((one) => fieldOf(one, names)).find((value) => value !== undefined);
  const started = around.map((one) => timeIn(one, skipped)).find((time) => time !== undefined);
  const times = interpolated(
    fields.map((one) => timeIn(one, skipped)),
    started ?? fallback,
  );
  const calls = new CallReader();
  const hasWrittenCalls = fields.some((one) => roleOf(one) === 'user' && textsOf(one).some(isOfWrittenCalls));
  const messages: ImportedMessage[] = [];
  /** The last piece of each message; of one without words, that of the message above it. */
  const last = new Map<string, string | null>();
  const system = of(['system', 'system_prompt', 'systemPrompt', 'instructions', 'system_instruction']);
  const hasSystem = fields.some((one) => roleOf(one) === 'system');
  const before: Fields[] = system === undefined || hasSystem ? [] : [{ role: 'system', content: system }];
  let root: string | null = null;
  const say = (one: Fields, parent: string | null, time: number, own: string | undefined): string | null => {
    let above = parent;
    const pieces = piecesOf(one, calls, skipped, hasWrittenCalls);
    if (pieces.length === 0) skipped.count('no-content');
    for (const [n, piece] of pieces.entries()) {
      const id: string =
        own === undefined
          ? fingerprint(above ?? '', piece.role, JSON.stringify(piece.parts))
          : n === 0
            ? own
            : `${own}#${n}`;
      const model =
        piece.role === 'assistant'
          ? (modelOf(one) ?? around.map(modelOf).find((name) => name !== undefined))
          : undefined;
      messages.push({
        ...piece,
        id,
        sourceId: id,
        parentId: above,
        createdAt: time,
        ...(model === undefined ? {} : { model }),
      });
      above = id;
    }
    return above;
  };
  for (const one of before) root = say(one, null, times[0] ?? fallback, undefined);
  const all = placed(fields, times);
  const ids = fields.map((one) => fieldOf(one, IDS));
  const hasIds = !ids.includes(undefined) && new Set(ids).size === ids.length;
  for (const { id, parent, fields: one, time } of all) {
    const above = parent === null ? root : (last.get(parent) ?? root);
    for (const other of otherVersionsOf(one)) say(other, above, time, undefined);
    last.set(id, say(one, above, time, hasIds ? id : undefined));
  }
  const title = of(['title', 'name', 'chatTitle', 'chat_title', 'topic', 'subject']);
  const [first] = messages;
  if (!first) {
    skipped.count('empty-conversation', title);
    return undefined;
  }
  const current = of(['currentId', 'current_id', 'currentNode', 'leaf_response_id']);
  const head =
    (current === undefined ? undefined : last.get(current)) ?? (messages.at(-1) as ImportedMessage).id;
  const ownName =
    fileName === undefined ? (messages.at(-1) as ImportedMessage).id : `${fileName} ${first.id}`;
  return {
    source: { tool: TOOL, id: of(CONVERSATION_IDS) ?? fingerprint(title ?? '', ownName) },
    meta: { title: title ?? '', titleBy: title ? 'import' : 'auto', createdAt: started ?? first.createdAt },
    head,
    messages,
  };
}
const MODELS = ['model', 'model_slug', 'modelName', 'model_name', 'modelId'];
/** The model's name: by itself, or within what an app keeps about it. */
function modelOf(one: Fields): string | undefined {
  const about = [one.model, one.modelInfo, one.extra].find(isFields) ?? {};
  return (
    fieldOf(one, MODELS) ??
    fieldOf(about, ['id', ...MODELS, 'name']) ??
    fieldOf(fieldsOf(one.senderInfo), ['senderName'])
  );
}

/** For each conversation that was read, what its messages say, by their ids. */
type KnownConversations = Map<string, Map<string, string>>;

/**
 * Gives a second conversation of the same name one of its own, unless the app named it and it is the same one as it was
 * earlier or later; undefined for the same once more.
 */
function unique(
  conversation: ImportedConversation | undefined,
  known: KnownConversations,
  isNamed: boolean,
): ImportedConversation | undefined {
  if (!conversation) return undefined;
  const { id } = conversation.source;
  const said = new Map(conversation.messages.map((one) => [one.id, fingerprint(JSON.stringify(one.parts))]));
  const before = known.get(id);
  const shared = before && isNamed ? [...said].filter(([message]) => before.has(message)) : [];
  if (before && shared.length > 0 && shared.every(([message, words]) => before.get(message) === words)) {
    for (const [message, words] of said) before.set(message, words);
    return shared.length === said.size ? undefined : conversation;
  }
  const own = before
    ? `${id}~${fingerprint(JSON.stringify(conversation.messages.map(({ parts }) => parts)))}`
    : id;
  if (before && known.has(own)) return undefined;
  known.set(own, said);
  return { ...conversation, source: { tool: TOOL, id: own } };
}
