// The session memory as a file that a person reads, edits and pins lines of, with or without a compaction. A model gets
// this file in place of compacted messages.
import { v7 } from 'uuid';
import { z } from 'zod';
import type { KeyValues } from '../../adapters/log/conversation-log.ts';
import type { ConversationId, MessageId } from '../../domain/base/ids.ts';
import { loadPart } from '../../domain/base/part.ts';
import { compactionOn } from '../../domain/chat/compaction.ts';
import {
  type Conversation,
  type ConversationMeta,
  effectiveHead,
  pathTo,
} from '../../domain/chat/conversation.ts';
import {
  deletedLines,
  linesOf,
  type MemoryLine,
  memoryFileBefore,
  memoryFileChange,
  memoryFileOn,
  type Stamp,
  savedFiles,
  textOfLines,
  withoutBullet,
} from '../../domain/chat/memory-file.ts';
import { type Message, textOf } from '../../domain/chat/message.ts';
import { conversationLanguage } from '../../domain/context/compaction/headings.ts';
import { boundaryOf } from '../../domain/context/compaction/plan.ts';
import { constraintsOf } from '../../domain/context/constraints.ts';
import type { TokenMeter } from '../../domain/context/meter.ts';
import type { Documents } from '../documents/documents.ts';
import type { SessionMemoryFile } from './context.ts';
import type { Requests } from './requests.ts';
import type { SessionMemoryJob } from './session-memory-job.ts';

/** Space for notes on a conversation without a compaction, tokens. */
const NOTED_TOKENS = 2_000;

interface MemoryFilesDependencies {
  readonly documents: Pick<Documents, 'change'>;
  readonly needed: (id: ConversationId) => Promise<Conversation>;
  /** Resolves when the rules of redaction are loaded. */
  readonly ready: () => Promise<void>;
  readonly requests: Requests;
  readonly sessionMemoryJob: SessionMemoryJob;
  readonly meterOf: (conversation: Conversation) => TokenMeter;
  readonly keyValues: KeyValues;
  /** ms since 1970 */
  readonly now: () => number;
  /** Name of this device. */
  readonly device: () => string;
}

/** Key of the id under which this device saves. */
const WRITER = 'context/writer';

/** A person's wording, and the text they were shown. */
interface Worded {
  readonly shown: readonly MemoryLine[];
  readonly lines: readonly MemoryLine[];
  readonly upTo: MessageId | null;
}

export interface MemoryFiles {
  read(id: ConversationId): Promise<SessionMemoryFile>;
  /** Saves lines in place of those that were read; resolves with the undo. */
  save(
    id: ConversationId,
    from: SessionMemoryFile,
    lines: readonly MemoryLine[],
  ): Promise<{ readonly undo: () => Promise<void> }>;
  /** Deletes the person's version: the file is derived from the conversation again. */
  remake(id: ConversationId): Promise<{ readonly undo: () => Promise<void> }>;
  /** Makes the change of metadata that stores a wording. */
  change(
    conversation: Conversation,
    path: readonly Message[],
    worded: Worded,
  ): Promise<Partial<ConversationMeta>>;
  /** Makes the change of metadata that deletes it. */
  cleared(conversation: Conversation): Promise<Partial<ConversationMeta>>;
}

/**
 * Makes the reader and writer of session memory files. It stores nothing by itself: its writing methods
 * return the change of metadata to append.
 */
export const createMemoryFiles = (deps: MemoryFilesDependencies): MemoryFiles => new FileKeeper(deps);

class FileKeeper implements MemoryFiles {
  readonly #deps: MemoryFilesDependencies;

  constructor(deps: MemoryFilesDependencies) {
    this.#deps = deps;
  }

  async read(id: ConversationId): Promise<SessionMemoryFile> {
    await this.#deps.ready();
    const conversation = await this.#deps.needed(id);
    const path = this.#pathOf(conversation);
    const { current, others } = savedFiles(conversation);
    const saved = memoryFileOn(conversation, path);
    const applied = this.#deps.requests.appliedOn(conversation, path);
    const common = {
      savedAt: saved && current ? current.at : null,
      others: others.map(({ device, at, lines }) => ({ device, at, lines })),
    };
    if (!applied) {
      const lines = await this.#noted(conversation, path);
      return { ...common, lines, upTo: path.at(-1)?.id ?? null, compaction: null, left: 0 };
    }
    let left = 0;
    const lines = applied.plan.summaries.flatMap(({ text, saved: at }, index): MemoryLine[] => {
      const gap: MemoryLine[] = index > 0 ? [{ text: '', by: 'rules' }] : [];
      if (!saved || at !== saved.at) return [...gap, ...linesOf(text, saved?.lines, 'rules')];
      // The file also holds the lines that had no room in the window.
      left = saved.lines.filter((line) => line.text.trim() !== '').length;
      left -= text.split('\n').filter((line) => line.trim() !== '').length;
      return [...gap, ...saved.lines];
    });
    return { ...common, lines, upTo: boundaryOf(applied.plan), compaction: applied.id, left };
  }

  async save(id: ConversationId, from: SessionMemoryFile, lines: readonly MemoryLine[]) {
    const conversation = await this.#deps.needed(id);
    const path = this.#pathOf(conversation);
    const meta = await this.change(conversation, path, { shown: from.lines, lines, upTo: from.upTo });
    const inForce = compactionOn(conversation, path);
    const made = inForce?.id === from.compaction ? inForce : null;
    await this.#deps.documents.change(id, {
      meta,
      // The divider shows it, and an older app, which knows no file, sends it.
      ...(made ? { compactions: { [made.id]: { summary: textOfLines(lines) } } } : {}),
    });
    return {
      undo: () =>
        this.#deps.documents.change(id, {
          meta: memoryFileBefore(conversation, meta),
          ...(made ? { compactions: { [made.id]: { summary: made.summary ?? null } } } : {}),
        }),
    };
  }

  async remake(id: ConversationId) {
    const conversation = await this.#deps.needed(id);
    const path = this.#pathOf(conversation);
    const meta = await this.cleared(conversation);
    const made = compactionOn(conversation, path);
    const worded = typeof made?.summary === 'string' ? made : null;
    await this.#deps.documents.change(id, {
      meta,
      ...(worded ? { compactions: { [worded.id]: { summary: null } } } : {}),
    });
    return {
      undo: () =>
        this.#deps.documents.change(id, {
          meta: memoryFileBefore(conversation, meta),
          ...(worded ? { compactions: { [worded.id]: { summary: worded.summary ?? null } } } : {}),
        }),
    };
  }

  async change(conversation: Conversation, path: readonly Message[], { shown, lines, upTo }: Worded) {
    const said = path.map((message) => textOf(message)).join('\n');
    const written = lines.map((line): MemoryLine => {
      const isQuoted =
        line.by !== 'rules' || line.text.startsWith('#') || said.includes(withoutBullet(line.text));
      // A line without a quotation is a model's: it is removed with any forgotten message.
      return isQuoted ? line : { ...line, by: 'model' };
    });
    const out = deletedLines(shown, lines, savedFiles(conversation).current?.out ?? []);
    return memoryFileChange(conversation, { lines: written, upTo, out }, await this.#stamp());
  }

  async cleared(conversation: Conversation) {
    return memoryFileChange(conversation, { lines: [], upTo: null, out: [] }, await this.#stamp());
  }

  async #stamp(): Promise<Stamp> {
    const { keyValues, now, device } = this.#deps;
    let writer = z.uuid().safeParse(await keyValues.get(WRITER)).data;
    if (writer === undefined) {
      writer = v7();
      await keyValues.set(WRITER, writer);
    }
    return { now: now(), writer, device: device() };
  }

  #pathOf(conversation: Conversation): readonly Message[] {
    return this.#deps.requests.redaction().path(pathTo(conversation.messages, effectiveHead(conversation)));
  }

  /** Notes that would replace the conversation if all of it were compacted now. */
  async #noted(conversation: Conversation, path: readonly Message[]): Promise<readonly MemoryLine[]> {
    const { writeMemory } = await loadPart(() => import('../../domain/context/compaction/memory-writer.ts'));
    const meter = this.#deps.meterOf(conversation);
    const language = conversationLanguage(path);
    const saved = memoryFileOn(conversation, path);
    const model = saved ? null : await this.#deps.sessionMemoryJob.memoryOn(conversation.id, path);
    const upTo = saved ? saved.upTo : (model?.upTo ?? null);
    const said = path.filter(({ kind, role }) => kind === 'message' && role !== 'system');
    const newer = said.slice(said.findIndex(({ id }) => id === upTo) + 1);
    const known = [...(saved?.out ?? []), ...(saved?.lines ?? []).map(({ text }) => withoutBullet(text))];
    const notes = writeMemory(newer, {
      language,
      meter,
      tokens: NOTED_TOKENS,
      without: new Set(known),
      notesOnly: saved !== null || model !== null,
    });
    const base = saved ? saved.lines : linesOf(model?.text ?? '', [], 'model');
    const there = textOfLines(base);
    // A model's words stand beside the person's rules, never in their place.
    const out = new Set(saved?.out);
    const rules = [...new Set(said.slice(0, said.length - newer.length).flatMap(constraintsOf))].filter(
      (rule) => !there.includes(rule) && !out.has(rule),
    );
    const parts = [
      base,
      rules.map((rule): MemoryLine => ({ text: `- ${rule}`, by: 'rules' })),
      linesOf(notes, [], 'rules'),
    ].filter((lines) => lines.length > 0);
    return parts.flatMap((lines, at) => (at === 0 ? lines : [{ text: '', by: 'rules' } as const, ...lines]));
  }
}
