// OpenCode's folder of sessions, where each session, message and part is a file of its own: one document for each
// session, as `opencode export` writes it.
import { isFields } from '../../domain/base/json.ts';
import type { SourceFile } from './importer.ts';
import { decode, parseJson } from './lenient-json.ts';

const PLACE =
  /(?:^|\/)(?:(session)\/(?:[^/]+\/)?(ses_[^/]+)|(message)\/(ses_[^/]+)\/msg_[^/]+|(part)\/(msg_[^/]+)\/[^/]+)\.json$/;

/** Files of one session: itself, its messages, and their parts by message. */
interface Stored {
  session?: SourceFile;
  readonly messages: SourceFile[];
}

/** The documents of such a folder, and the files that they are made of. */
export function openCodeAmong(files: readonly SourceFile[]): {
  readonly sessions: readonly SourceFile[];
  readonly used: ReadonlySet<SourceFile>;
} {
  const stored = new Map<string, Stored>();
  const parts = new Map<string, SourceFile[]>();
  const used = new Set<SourceFile>();
  const of = (id: string): Stored => {
    const one = stored.get(id) ?? { messages: [] };
    stored.set(id, one);
    return one;
  };
  for (const file of files) {
    const [, isSession, session = '', isMessage, holder = '', isPart, message = ''] =
      PLACE.exec(file.path) ?? [];
    if (isSession) of(session).session = file;
    else if (isMessage) of(holder).messages.push(file);
    else if (isPart) parts.set(message, [...(parts.get(message) ?? []), file]);
  }
  const sessions = [...stored].flatMap(([id, { session, messages }]) => {
    if (messages.length === 0) return [];
    const partsOf = (file: SourceFile) => parts.get(file.path.replace(/^.*\/|\.json$/g, '')) ?? [];
    const all = [...(session ? [session] : []), ...messages.flatMap((file) => [file, ...partsOf(file)])];
    for (const file of all) used.add(file);
    return [documentOf(id, { ...(session ? { session } : {}), messages }, partsOf, all)];
  });
  return { sessions, used };
}

function documentOf(
  id: string,
  { session, messages }: Stored,
  partsOf: (message: SourceFile) => readonly SourceFile[],
  all: readonly SourceFile[],
): SourceFile {
  const recordOf = async (file: SourceFile, signal: AbortSignal): Promise<Record<string, unknown>> => {
    const text = decode(await file.bytes(signal));
    const value = parseJson(text);
    // A file that was cut off keeps its words, as they stand in it.
    return isFields(value) ? { ...value } : { type: 'text', text };
  };
  const sorted = (list: readonly SourceFile[]) => [...list].sort((a, b) => (a.path < b.path ? -1 : 1));
  return {
    path: session?.path ?? `${id}.json`,
    size: all.reduce((sum, { size }) => sum + size, 0),
    modifiedAt: session?.modifiedAt ?? 0,
    bytes: async (signal) => {
      const info = { id, ...(session ? await recordOf(session, signal) : {}) };
      const said: unknown[] = [];
      for (const file of sorted(messages)) {
        const parts: unknown[] = [];
        for (const part of sorted(partsOf(file))) parts.push(await recordOf(part, signal));
        said.push({ info: { role: 'system', ...(await recordOf(file, signal)) }, parts });
      }
      return new TextEncoder().encode(JSON.stringify({ info, messages: said }));
    },
  };
}
