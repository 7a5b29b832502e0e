// Named places in a conversation, and unnamed ones: every turn is a checkpoint by itself. Pure.
//
//   root ── question 1 ── answer ──┬── question 2 ── answer      turn-2 stands before question 2
//                                  └── (restored: the head is here, nothing is copied)
import type { MessageId } from '../base/ids.ts';
import type { Conversation } from './conversation.ts';
import { effectiveHead, pathTo } from './conversation.ts';
import { dmailNoteOf } from './dmail.ts';
import type { Message } from './message.ts';
import type { Checkpoint } from './records.ts';

/** Stored form: the bare id if nothing else is known. */
export const writtenCheckpoint = (checkpoint: Checkpoint): string | Checkpoint =>
  Object.keys(checkpoint).length === 4 &&
  checkpoint.createdAt === 0 &&
  !checkpoint.auto &&
  checkpoint.by === 'person'
    ? checkpoint.messageId
    : checkpoint;

/** One line of `/checkpoints`. */
export interface ListedCheckpoint {
  /** Name for `/restore`: the given one, or `turn-3`, `tool-7`, `model-2`. */
  readonly name: string;
  /** New head. */
  readonly messageId: MessageId;
  /** ms since 1970; 0 if unknown. */
  readonly createdAt: number;
  /**
   * `named`: kept under a name; `turn`: before a question; `tool`: before a tool changed
   * something; `model`: set by a model.
   */
  readonly kind: 'named' | 'turn' | 'tool' | 'model';
  readonly auto: boolean;
  /** First line of what came next (turn, tool) or of the message itself. */
  readonly firstLine: string;
  /** On the branch that is shown. */
  readonly here: boolean;
}

/** Settings of `context.checkpoints` that are used here. */
interface CheckpointRules {
  /** How many automatic ones are listed, the newest. */
  readonly keep: number;
  /** Automatic ones older than this are not listed; 0: never. */
  readonly expire_after_days: number;
}

const DAY_MS = 86_400_000;
const LINE = 120;

/**
 * Returns the first words of a message on one line. Reads no further than needed, since lists have thousands of lines.
 */
export function firstLineOf(message: Message): string {
  for (const part of message.parts) {
    const said =
      dmailNoteOf(message) ??
      (part.type === 'text' || part.type === 'tool-result'
        ? part.text
        : part.type === 'tool-call'
          ? `${part.name}(${part.arguments.slice(0, 4 * LINE)})`
          : part.type === 'file'
            ? (part.name ?? part.mediaType)
            : '');
    const start = said.search(/\S/);
    if (start < 0) continue;
    const end = said.indexOf('\n', start);
    const line = said
      .slice(start, Math.min(end < 0 ? said.length : end, start + 4 * LINE))
      .replace(/\s+/g, ' ')
      .trimEnd();
    const characters = line.length <= LINE ? [] : [...line];
    return characters.length <= LINE ? line : `${characters.slice(0, LINE - 1).join('')}…`;
  }
  return '';
}

/** True for a person's question, which starts a turn; false for a model's D-Mail to itself. */
export const startsTurn = (message: Message): boolean =>
  message.role === 'user' && message.kind === 'message' && message.dmail?.by !== 'model';

/**
 * Lists all checkpoints, newest first: named ones of every branch, and the automatic ones of the branch that ends at
 * `head`. Automatic ones are read from the branch, so they cost nothing to make or to keep. Linear in the branch.
 */
export function listCheckpoints(
  conversation: Conversation,
  {
    rules,
    now,
    head = effectiveHead(conversation),
  }: { rules: CheckpointRules; now: number; head?: MessageId | null },
): ListedCheckpoint[] {
  const path = pathTo(conversation.messages, head);
  const here = new Set(path.map((message) => message.id));
  const oldest =
    rules.expire_after_days > 0 ? now - rules.expire_after_days * DAY_MS : Number.NEGATIVE_INFINITY;
  /** First lines are read only of the checkpoints that are listed: the others can be thousands. */
  type Found = Omit<ListedCheckpoint, 'firstLine'> & { readonly line: Message };
  const automatic: Found[] = [];
  let [turns, tools, models] = [0, 0, 0];
  const add = (
    name: string,
    kind: ListedCheckpoint['kind'],
    messageId: MessageId,
    at: number,
    line: Message,
  ) => automatic.push({ name, messageId, createdAt: at, kind, auto: true, here: true, line });
  for (const [at, message] of path.entries()) {
    const { parentId, createdAt } = message;
    if (startsTurn(message)) {
      turns += 1;
      // Before the first question there is nothing to go back to.
      if (at > 0 && parentId !== null) add(`turn-${turns}`, 'turn', parentId, createdAt, message);
    }
    if (message.role !== 'tool') continue;
    const caller = path[at - 1];
    for (const result of message.parts) {
      if (result.type !== 'tool-result') continue;
      if (result.changed === true && caller?.parentId) {
        tools += 1;
        add(`tool-${tools}`, 'tool', caller.parentId, createdAt, caller);
      }
      if (result.checkpoint === true) {
        models += 1;
        add(`model-${models}`, 'model', message.id, createdAt, caller ?? message);
      }
    }
  }
  const named = [...conversation.checkpoints].flatMap(([name, checkpoint]): Found[] => {
    const line = conversation.messages.get(checkpoint.messageId);
    const { createdAt, auto } = checkpoint;
    return line
      ? [{ name, messageId: line.id, createdAt, kind: 'named', auto, here: here.has(line.id), line }]
      : [];
  });
  const living = (list: Found[]) =>
    list
      .filter(({ createdAt }) => createdAt === 0 || createdAt >= oldest)
      .sort((a, b) => a.createdAt - b.createdAt)
      .slice(-rules.keep);
  return [
    ...named.filter(({ auto }) => !auto),
    ...living([...automatic, ...named.filter(({ auto }) => auto)]),
  ]
    .sort((a, b) => b.createdAt - a.createdAt || (a.name < b.name ? -1 : 1))
    .map(({ line, ...found }) => ({ ...found, firstLine: firstLineOf(line) }));
}

/**
 * Messages that a model's D-Mails can go to, by number: after each question of the person, and after each checkpoint of
 * the model. Read from the branch, so that numbers survive compactions and D-Mails.
 */
export function modelCheckpoints(path: readonly Message[]): MessageId[] {
  const places: MessageId[] = [];
  for (const message of path) {
    if (startsTurn(message)) places.push(message.id);
    else if (message.role === 'tool')
      for (const part of message.parts)
        if (part.type === 'tool-result' && part.checkpoint === true) places.push(message.id);
  }
  return places;
}

/** Differences between two messages of a conversation. */
export interface CheckpointDiff {
  /** The last common message; null if they share none. */
  readonly common: MessageId | null;
  /** Messages only the first has, oldest first. */
  readonly left: readonly Message[];
  /** Messages only the second has, oldest first. */
  readonly right: readonly Message[];
}

/** Compares the branches that end at two messages. Linear in their lengths. */
export function diffOf(conversation: Conversation, left: MessageId, right: MessageId): CheckpointDiff {
  const a = pathTo(conversation.messages, left);
  const b = pathTo(conversation.messages, right);
  let shared = 0;
  while (shared < a.length && shared < b.length && a[shared]?.id === b[shared]?.id) shared += 1;
  return { common: a[shared - 1]?.id ?? null, left: a.slice(shared), right: b.slice(shared) };
}
