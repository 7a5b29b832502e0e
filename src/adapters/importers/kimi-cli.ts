// Reads kimi-cli: a session folder, the whole ~/.kimi, a `kimi export` ZIP, or a lone context.jsonl. Joins
// the context (what the model saw), its rotated copies (what was compacted away) and the wire (times).
// Subagents become conversations of their own.
import { md5 } from '@noble/hashes/legacy.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { z } from 'zod';
import { RecollectError } from '../../domain/base/errors.ts';
import { createYielder } from '../../domain/base/yielding.ts';
import { fingerprint } from './fingerprint.ts';
import type {
  ImportedConversation,
  ImportedMessage,
  Importer,
  ImportSource,
  SourceFile,
} from './importer.ts';
import {
  type ContextHistory,
  type ContextNode,
  isBookkeeping,
  layOver,
  readContext,
} from './kimi-context.ts';
import { idOfEvent, lostMessages, parentsFirst, placed, type WireMessage } from './kimi-lost.ts';
import { readWire, type Wire, type WireMatch } from './kimi-wire.ts';
import { decode, linesOf, looksBinary, parseJson } from './lenient-json.ts';
import { createDamagedFiles, createSkipCounter, type SkipCounter, shortened, wordsIn } from './skipping.ts';
import { baseName, folderOf, headOf, isWithin } from './source-file.ts';
import { interpolated, timeOf } from './times.ts';

const TOOL = 'kimi-cli';
const CONTEXT = /^context(?:_(\d+))?\.jsonl$/;
/** Folders in which versions before 0.59 kept sessions as single files. */
const LEGACY_BUCKET = /(?:^|\/)sessions\/[^/]+$|^[0-9a-f]{32}$/;
/** Files beside the contexts of a session or subagent, or at the top of a home. */
const SESSION_FILE =
  /^(?:context(?:_\d+)?\.jsonl|wire\.jsonl|(?:state|metadata|manifest|meta|kimi)\.json|prompt\.txt|output)$/;
/** Folders that a session or `.kimi` itself keeps; the folders of the first kind hold no session. */
const SKIPPED_FOLDER = /^(?:tasks|notifications|uploads|logs|plans|user-history)$/;
const OWN_FOLDER = new RegExp(`${SKIPPED_FOLDER.source}|^subagents$`);
const SUBAGENT = /(?:^|\/)subagents\/([^/]+)$/;
const TITLE_LENGTH = 60;

const stateSchema = z.looseObject({
  custom_title: z.string().nullish().catch(null),
  title: z.string().nullish().catch(null),
  archived: z.boolean().catch(false),
});
const registrySchema = z.looseObject({
  work_dirs: z.array(
    z
      .looseObject({ path: z.string(), kaos: z.string().nullish().catch(null) })
      .nullable()
      .catch(null),
  ),
});
const agentSchema = z.looseObject({
  description: z.string().nullish().catch(null),
  title: z.string().nullish().catch(null),
  name: z.string().nullish().catch(null),
  parent_tool_call_id: z.string().nullish().catch(null),
});

/** The files of one session or subagent. */
interface KimiSession {
  readonly id: string;
  readonly folder: string;
  readonly bucket: string | undefined;
  /** Oldest first; the live file last. */
  readonly contexts: SourceFile[];
  /** True if the last context is the live one. */
  readonly live: boolean;
  readonly wire: SourceFile | undefined;
  readonly files: ReadonlyMap<string, SourceFile>;
}

export const kimiCli: Importer = {
  id: TOOL,

  async sniff(source, signal) {
    const named = source.files.filter(
      (file) =>
        CONTEXT.test(baseName(file.path)) ||
        (LEGACY_BUCKET.test(folderOf(file.path)) && file.path.endsWith('.jsonl')),
    );
    const [candidate] =
      named.length > 0 ? named : source.files.filter((file) => baseName(file.path) === 'wire.jsonl');
    const file = candidate ?? (source.files.length === 1 ? source.files[0] : undefined);
    if (!file || !/\.jsonl$/i.test(file.path)) return 0;
    const head = decode(await headOf(file, signal));
    if (isKimiCode(head)) return 0;
    const score = scoreOf(head);
    const beside = source.files.some((other) =>
      /^(?:wire\.jsonl|state\.json|kimi\.json)$/.test(baseName(other.path)),
    );
    return candidate && beside ? Math.max(score, 0.6) : score;
  },

  async claim(files) {
    const homes = new Set<string>();
    const sessions = new Set<string>();
    for (const { path } of files) {
      const [name, folder] = [baseName(path), folderOf(path)];
      if (name === 'kimi.json') homes.add(folder);
      if (CONTEXT.test(name) || (name === 'wire.jsonl' && !KIMI_CODE_WIRE.test(path))) sessions.add(folder);
    }
    const roots = new Set([...homes, ...sessions]);
    const own = files.filter(({ path }) => {
      const [name, folder] = [baseName(path), folderOf(path)];
      if (SESSION_FILE.test(name) && roots.has(folder)) return true;
      if (LEGACY_BUCKET.test(folder) && name.endsWith('.jsonl')) return true;
      // There are as many of these files as tasks, so none is opened.
      return isKeptBy(roots, folder, OWN_FOLDER);
    });
    const taken = new Set(own);
    return { own, beside: files.filter((file) => !taken.has(file) && isWithin(file.path, roots)) };
  },

  async *read(source, { signal, skip, now }) {
    const skipped = createSkipCounter();
    const yieldToEvents = createYielder();
    const sessions = await sessionsOf(source, signal);
    const workDirs = await workDirsOf(source, signal);
    let found = 0;
    for (const session of sessions) {
      signal.throwIfAborted();
      for (const conversation of await readSession(session, source, workDirs, { skipped, signal, now })) {
        found += 1;
        yield conversation;
      }
      await yieldToEvents();
    }
    skipped.report(skip);
    createDamagedFiles().report(skip, found, source.files);
    if (found === 0 && sessions.length === 0)
      throw new RecollectError('import-broken', 'There is no session in it');
  },
};

/** Log of kimi-code, the successor of kimi-cli with another format: `agents/<name>/wire.jsonl` below the session. */
const KIMI_CODE_WIRE = /(?:^|\/)agents\/[^/]+\/wire\.jsonl$/;
const KIMI_CODE_RECORD =
  /^(?:context\.(?:append_message|append_loop_event|apply_compaction|clear|undo)|turn\.\w+|usage\.record|config\.update|full_compaction\.\w+)$/;

/** True if a file begins as the log of a kimi-code session does. */
function isKimiCode(head: string): boolean {
  return linesOf(head)
    .slice(0, 20)
    .some((line) => {
      const raw = parseJson(line) as Record<string, unknown> | null | undefined;
      if (typeof raw !== 'object' || raw === null) return false;
      if (raw.type === 'metadata') return 'protocol_version' in raw && 'created_at' in raw;
      return (
        typeof raw.type === 'string' &&
        KIMI_CODE_RECORD.test(raw.type) &&
        !('message' in raw && 'timestamp' in raw)
      );
    });
}

/** Picks the logs of kimi-code among a few candidates. */
export async function kimiCodeAmong(
  files: readonly SourceFile[],
  signal: AbortSignal,
): Promise<SourceFile | undefined> {
  const likely = files.filter(({ path }) => baseName(path) === 'wire.jsonl' || files.length === 1);
  for (const file of likely.slice(0, 8)) if (isKimiCode(decode(await headOf(file, signal)))) return file;
  return undefined;
}

/** Scores how much the first lines look like a context or a wire of kimi-cli, 0–1. */
function scoreOf(head: string): number {
  let [own, messages, wire, other] = [0, 0, 0, 0];
  for (const line of linesOf(head).slice(0, 50)) {
    const raw = parseJson(line) as Record<string, unknown> | undefined;
    if (typeof raw !== 'object' || raw === null) continue;
    if (typeof raw.role === 'string' && raw.role.startsWith('_')) own += 1;
    else if (typeof raw.role === 'string' && 'content' in raw && !('uuid' in raw) && !('object' in raw))
      messages += 1;
    else if (raw.type === 'metadata' && 'protocol_version' in raw && !('created_at' in raw)) wire += 1;
    else if (
      'timestamp' in raw &&
      typeof raw.message === 'object' &&
      raw.message !== null &&
      'payload' in raw.message
    )
      wire += 1;
    else other += 1;
  }
  if (other > own + messages + wire) return 0.1;
  if (own > 0 || wire > 0) return 0.9;
  return messages > 0 ? 0.6 : 0;
}

/**
 * True if the folder, or a folder around it, has such a name directly in a session or
 * home. Elsewhere those names mean nothing.
 */
function isKeptBy(levels: ReadonlySet<string>, folder: string, names: RegExp): boolean {
  for (let at = folder; at !== ''; at = folderOf(at))
    if (names.test(baseName(at)) && levels.has(folderOf(at))) return true;
  return false;
}

async function sessionsOf(source: ImportSource, signal: AbortSignal): Promise<KimiSession[]> {
  const folders = new Map<string, Map<string, SourceFile>>();
  const levels = new Set<string>();
  for (const { path } of source.files) {
    const [name, folder] = [baseName(path), folderOf(path)];
    if (CONTEXT.test(name) || name === 'wire.jsonl' || name === 'kimi.json') levels.add(folder);
    const home = /^(?:.*\/)?\.kimi(?=\/)/.exec(path)?.[0];
    if (home !== undefined) levels.add(home);
  }
  for (const file of source.files) {
    const folder = folderOf(file.path);
    if (isKeptBy(levels, folder, SKIPPED_FOLDER)) continue;
    const files = folders.get(folder) ?? new Map<string, SourceFile>();
    folders.set(folder, files);
    files.set(baseName(file.path), file);
  }

  const sessions = new Map<string, KimiSession>();
  for (const [folder, files] of folders) {
    const { contexts, live } = contextsIn(files);
    const wire = files.get('wire.jsonl');
    if (contexts.length === 0 && !wire) continue;
    const id = await sessionId(folder, files, source, signal);
    const bucket = folder.split('/').at(-2);
    sessions.set(folder, {
      id: id ?? '',
      folder,
      bucket,
      contexts,
      live,
      wire,
      files,
    });
  }

  for (const [root, files] of folders)
    for (const { id, contexts, live } of legacySessions(root, files)) {
      // kimi-cli moved the file into its folder when the session was next opened: then it is the oldest copy.
      const moved = sessions.get(`${root}/${id}`);
      if (moved) moved.contexts.unshift(...contexts);
      else
        sessions.set(`${root}/${id}`, {
          id,
          folder: `${root}/${id}`,
          bucket: baseName(root),
          contexts,
          live,
          wire: undefined,
          files: new Map(),
        });
    }

  // A lone file of any name is a context.
  const [only] = source.files;
  if (sessions.size === 0 && source.files.length === 1 && only && /\.jsonl$/i.test(only.path))
    sessions.set('', {
      id: '',
      folder: '',
      bucket: undefined,
      contexts: [only],
      live: true,
      wire: undefined,
      files: new Map(),
    });

  return [...sessions.values()].sort((a, b) => (a.folder < b.folder ? -1 : 1));
}

/** Lists the live file and its rotated copies, oldest first. */
function contextsIn(files: ReadonlyMap<string, SourceFile>): { contexts: SourceFile[]; live: boolean } {
  const found = [...files].flatMap(([name, file]) => {
    const match = CONTEXT.exec(name);
    return match ? [{ file, n: match[1] === undefined ? Number.POSITIVE_INFINITY : Number(match[1]) }] : [];
  });
  found.sort((a, b) => a.n - b.n);
  return {
    contexts: found.map(({ file }) => file),
    live: found.at(-1)?.n === Number.POSITIVE_INFINITY,
  };
}

/** Finds sessions that lie as files in a bucket: `<id>.jsonl`, with its rotated copies `<id>_1.jsonl` … beside it. */
function legacySessions(root: string, files: ReadonlyMap<string, SourceFile>) {
  if (!LEGACY_BUCKET.test(root)) return [];
  const found = new Map<string, { n: number; file: SourceFile }[]>();
  for (const [name, file] of files) {
    if (!name.endsWith('.jsonl') || CONTEXT.test(name) || name === 'wire.jsonl') continue;
    const plain = name.slice(0, -'.jsonl'.length);
    const [, base = '', digits] = /^(.+)_(\d+)$/.exec(plain) ?? [];
    const rotated = digits !== undefined && files.has(`${base}.jsonl`);
    const id = rotated ? base : plain;
    found.set(id, [
      ...(found.get(id) ?? []),
      { n: rotated ? Number(digits) : Number.POSITIVE_INFINITY, file },
    ]);
  }
  return [...found].map(([id, list]) => ({
    id,
    contexts: list.sort((x, y) => x.n - y.n).map(({ file }) => file),
    live: list.some(({ n }) => n === Number.POSITIVE_INFINITY),
  }));
}

/** Id of a session: the folder's name; in a ZIP the manifest's id, or the one in the name of the ZIP. */
async function sessionId(
  folder: string,
  files: ReadonlyMap<string, SourceFile>,
  source: ImportSource,
  signal: AbortSignal,
): Promise<string | undefined> {
  const manifest = files.get('manifest.json');
  const raw = manifest && parseJson(decode(await manifest.bytes(signal)));
  if (
    typeof raw === 'object' &&
    raw !== null &&
    'session_id' in raw &&
    typeof raw.session_id === 'string' &&
    raw.session_id
  )
    return raw.session_id;
  const name = folder === '' ? source.name.replace(/\.zip$/i, '') : baseName(folder);
  const plain = name.replace(/^session-/, '');
  const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i.exec(plain)?.[0];
  if (uuid !== undefined) return uuid;
  if (folder !== '') return plain;
  return name !== plain ? plain : undefined;
}

/** Maps a bucket to the path of its work dir. */
async function workDirsOf(source: ImportSource, signal: AbortSignal): Promise<Map<string, string>> {
  const workDirs = new Map<string, string>();
  for (const file of source.files) {
    if (baseName(file.path) !== 'kimi.json') continue;
    const registry = registrySchema.safeParse(parseJson(decode(await file.bytes(signal))));
    for (const entry of registry.success ? registry.data.work_dirs : []) {
      if (!entry) continue;
      const hash = bytesToHex(md5(utf8ToBytes(entry.path)));
      workDirs.set(entry.kaos && entry.kaos !== 'local' ? `${entry.kaos}_${hash}` : hash, entry.path);
    }
  }
  return workDirs;
}

interface SessionReading {
  readonly skipped: SkipCounter;
  readonly signal: AbortSignal;
  readonly now: number | undefined;
}

/**
 * Yields the conversation of a session and those of its subagents; a folder below `subagents` yields nothing by itself.
 */
async function readSession(
  session: KimiSession,
  source: ImportSource,
  workDirs: ReadonlyMap<string, string>,
  reading: SessionReading,
): Promise<ImportedConversation[]> {
  if (SUBAGENT.test(session.folder) || /(?:^|\/)subagents(?:\/|$)/.test(session.folder)) {
    // The session reads this folder if it is in the source as well.
    const parent = session.folder.split(/\/?subagents\//, 1)[0] as string;
    if (
      source.files.some(
        (file) =>
          folderOf(file.path) === parent &&
          (CONTEXT.test(baseName(file.path)) || baseName(file.path) === 'wire.jsonl'),
      )
    )
      return [];
  }
  const { skipped, signal } = reading;
  const state = stateSchema.safeParse(await jsonIn(session, ['state.json', 'metadata.json'], signal));
  const details = state.success ? state.data : undefined;
  const wire = session.wire ? readWire(await wordsIn(session.wire, skipped, signal), skipped) : undefined;
  const read = await toConversation(session, wire, reading);
  if (!read) {
    skipped.count('empty-conversation', session.folder || source.name);
    return [];
  }
  const title = details?.custom_title || details?.title || read.title;
  const id = session.id || read.fallbackId;
  const workDir = (session.bucket !== undefined && workDirs.get(session.bucket)) || null;
  const conversation: ImportedConversation = {
    source: { tool: TOOL, id },
    meta: {
      title,
      titleBy: details?.custom_title || details?.title ? 'import' : 'auto',
      createdAt: read.createdAt,
      archived: details?.archived ?? false,
      workDir,
      systemPrompt: read.systemPrompt,
    },
    head: read.head,
    messages: read.messages,
  };

  const conversations = [conversation];
  const prefix = session.folder === '' ? 'subagents/' : `${session.folder}/subagents/`;
  const agents = new Map<string, Map<string, SourceFile>>();
  for (const file of source.files) {
    if (!file.path.startsWith(prefix)) continue;
    const [agent, name, ...deeper] = file.path.slice(prefix.length).split('/');
    if (agent === undefined || name === undefined || deeper.length > 0) continue;
    const files = agents.get(agent) ?? new Map<string, SourceFile>();
    agents.set(agent, files);
    files.set(name, file);
  }
  // Early versions kept no files of their subagents.
  for (const agent of wire?.agents ?? []) if (!agents.has(agent)) agents.set(agent, new Map());
  for (const [agent, files] of agents) {
    const child = await readAgent({ agent, files, folder: `${prefix}${agent}` }, wire, reading);
    if (!child) continue;
    const { read: inside, meta, callId: started } = child;
    const call = started ?? wire?.callOfAgent.get(agent);
    const starter = read.messages.find((message) =>
      message.parts.some((part) => part.type === 'tool-call' && part.callId === call),
    );
    conversations.push({
      source: { tool: TOOL, id: `${id}/${agent}` },
      meta: {
        title: meta || inside.title || agent,
        titleBy: meta ? 'import' : 'auto',
        createdAt: inside.createdAt,
        workDir,
        systemPrompt: inside.systemPrompt,
      },
      head: inside.head,
      messages: inside.messages,
      parent: { sourceId: id, messageSourceId: starter?.sourceId ?? null },
    });
  }
  return conversations;
}

async function readAgent(
  { agent, files, folder }: { agent: string; files: ReadonlyMap<string, SourceFile>; folder: string },
  parentWire: Wire | undefined,
  reading: SessionReading,
) {
  const { skipped, signal } = reading;
  const wireFile = files.get('wire.jsonl');
  const wire = wireFile
    ? readWire(await wordsIn(wireFile, skipped, signal), skipped)
    : parentWire?.agent(agent);
  const session: KimiSession = {
    id: agent,
    folder,
    bucket: undefined,
    ...contextsIn(files),
    wire: wireFile,
    files,
  };
  const read = await toConversation(session, wire, reading);
  if (!read) return undefined;
  const parsed = agentSchema.safeParse(await jsonIn(session, ['meta.json'], signal));
  const described = parsed.success ? parsed.data : undefined;
  return {
    read,
    meta: described?.description || described?.title || described?.name || '',
    callId: described?.parent_tool_call_id ?? undefined,
  };
}

/** Parses the first of these files that is JSON. */
async function jsonIn(session: KimiSession, names: readonly string[], signal: AbortSignal): Promise<unknown> {
  for (const name of names) {
    const file = session.files.get(name);
    const value = file && parseJson(decode(await file.bytes(signal)));
    if (value !== undefined) return value;
  }
  return undefined;
}

interface Read {
  readonly messages: readonly ImportedMessage[];
  readonly head: string | null;
  readonly createdAt: number;
  readonly systemPrompt: string | null;
  readonly title: string;
  /** For a file that names no id. */
  readonly fallbackId: string;
}

async function toConversation(
  session: KimiSession,
  wire: Wire | undefined,
  reading: SessionReading,
): Promise<Read | undefined> {
  const { skipped, signal, now } = reading;
  const seen = new Set<string>();
  const snapshots: Awaited<ReturnType<typeof readContext>>[] = [];
  for (const file of session.contexts) {
    const bytes = await file.bytes(signal);
    if (looksBinary(bytes.subarray(0, 4096)) && session.contexts.length === 1 && !wire)
      throw new RecollectError('import-binary', `${file.path} is not text`, { params: { file: file.path } });
    snapshots.push(
      readContext(await wordsIn({ ...file, bytes: async () => bytes }, skipped, signal), skipped, seen),
    );
  }
  const history = layOver(snapshots);

  const original = history.nodes.filter((node) => node.copyOf === undefined);
  const cut = isCut(history);
  const matching = wire?.match(
    original.map(({ record }) => record),
    { cut },
  );
  const known = new Map(original.map((node, at) => [node.id, matching?.known[at]]));
  const lost =
    wire && matching ? lostMessages({ events: wire.events, matching, nodes: original, cut, skipped }) : [];
  if (history.nodes.length + lost.length === 0) return undefined;

  const { order, parents, head } = placed(lost, history.nodes, leafOf(history, wire, session.live));
  const times = timesOf({ history, known, lost, order }, session, now);
  const at = (id: string) => ({ parentId: parents.get(id) ?? null, createdAt: times.get(id) ?? 0 });
  const inContext = history.nodes.map((node) => toMessage(node, known.get(node.id), at(node.id)));
  const inWire = lost.map(({ id, role, isNote, parts, finish }): ImportedMessage => {
    const kind = isNote ? 'note' : 'message';
    return { id, ...at(id), role, kind, parts, sourceId: id, ...(finish ? { finish } : {}) };
  });
  const messages = parentsFirst([...inContext, ...inWire]);
  nameResults(messages, skipped);

  const firstWords = messages.find((message) => message.role === 'user' && message.kind === 'message');
  const words = wire?.firstInput ?? firstWords?.parts.find((part) => part.type === 'text')?.text ?? '';
  return {
    messages,
    head: head ?? messages.at(-1)?.id ?? null,
    createdAt: messages.reduce(
      (least, message) => Math.min(least, message.createdAt),
      Number.POSITIVE_INFINITY,
    ),
    systemPrompt: history.systemPrompt,
    title: shortened(words, TITLE_LENGTH),
    fallbackId: fingerprint(
      ...[...inContext, ...inWire]
        .slice(0, 4)
        .map((message) => JSON.stringify([message.role, message.parts])),
    ),
  };
}

/**
 * True if the history begins with a compaction whose older part is in no file:
 * forks and undos copy the live file alone.
 */
const isCut = ({ snapshots }: ContextHistory): boolean =>
  snapshots[0]?.path.find((node) => !isBookkeeping(node))?.record.synthetic === 'compaction';

/**
 * Gives each message a time: gaps are filled evenly between their neighbours, copies that a compaction carried over
 * keep the original's time. Without any time the context file's own is used.
 */
function timesOf(
  {
    history,
    known,
    lost,
    order,
  }: {
    history: ContextHistory;
    known: ReadonlyMap<string, WireMatch | undefined>;
    lost: readonly WireMessage[];
    order: readonly string[];
  },
  session: KimiSession,
  now: number | undefined,
): Map<string, number> {
  const times = new Map<string, number>();
  const written = new Map([...known].map(([id, match]) => [id, match?.time]));
  const isKnown = [...written.values()].some((time) => time !== undefined);
  for (const { id, time } of lost) written.set(id, time);
  const fill = (ids: readonly string[], fallback: number) => {
    const filled = interpolated(
      ids.map((id) => written.get(id)),
      fallback,
    );
    for (const [at, id] of ids.entries()) times.set(id, filled[at] as number);
  };
  if (isKnown) fill(order, 0);
  for (const { id, copyOf, snapshot } of history.nodes) {
    if (isKnown && copyOf === undefined) continue;
    const file = timeOf(session.contexts[snapshot]?.modifiedAt || undefined);
    times.set(id, (isKnown && times.get(copyOf ?? '')) || (typeof file === 'number' ? file : (now ?? 0)));
  }
  fill(
    lost.filter(({ how }) => !isKnown || how === 'apart').map(({ id }) => id),
    times.get(history.nodes[0]?.id ?? '') ?? session.wire?.modifiedAt ?? now ?? 0,
  );
  return times;
}

function toMessage(
  node: ContextNode,
  match: WireMatch | undefined,
  place: Pick<ImportedMessage, 'parentId' | 'createdAt'>,
): ImportedMessage {
  const { record } = node;
  const usage = match?.usage;
  const tokens = node.tokens === undefined ? {} : { contextTokens: node.tokens };
  return {
    id: node.id,
    ...place,
    // kimi-cli wrote these words in the person's name, so they get another role.
    role: record.synthetic ? 'system' : record.role,
    kind: record.synthetic || record.role === 'system' ? 'note' : 'message',
    parts: record.parts,
    sourceId: node.id,
    ...(usage || node.tokens !== undefined ? { usage: { ...usage, ...tokens } } : {}),
    ...(match?.event === undefined ? {} : { formerly: idOfEvent(match.event) }),
    ...(record.synthetic ? { note: record.synthetic } : {}),
    ...(node.copyOf === undefined ? {} : { copyOf: node.copyOf }),
    ...(record.parts.some((part) => part.type === 'tool-call') ? { finish: 'tool-calls' as const } : {}),
  };
}

/** Gives results the name of their call; counts those without one. */
function nameResults(messages: ImportedMessage[], skipped: SkipCounter): void {
  const names = new Map<string, string>();
  for (const [at, message] of messages.entries()) {
    for (const part of message.parts) if (part.type === 'tool-call') names.set(part.callId, part.name);
    if (message.role !== 'tool') continue;
    const parts = message.parts.map((part) => {
      if (part.type !== 'tool-result') return part;
      const name = names.get(part.callId);
      if (name === undefined) skipped.count('broken-call', part.callId);
      return name === undefined ? part : { ...part, name };
    });
    messages[at] = { ...message, parts };
  }
}

/**
 * Leaf of the live file; of the newest rotated copy if a crash during a compaction left the live file short, empty or
 * absent, or if the person cleared it, since a conversation has to show something.
 */
function leafOf(history: ContextHistory, wire: Wire | undefined, live: boolean): string | null {
  const isReal = (node: ContextNode) => node.record.synthetic === undefined && !isBookkeeping(node);
  for (const [at, { path, change }] of [...history.snapshots.entries()].reverse()) {
    const leaf = path.at(-1);
    if (!leaf) continue;
    const newest = at === history.snapshots.length - 1;
    if (newest && live && change === 'compaction' && wire?.endsInCompaction) continue;
    if (path.some(isReal) || (change === 'compaction' && wire && !wire.endsInCompaction)) return leaf.id;
  }
  return history.nodes.at(-1)?.id ?? null;
}
