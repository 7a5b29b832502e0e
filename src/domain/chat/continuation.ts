// Joins an answer that was cut off and continued: each piece is a message of its own below the piece
// before, and a person reads them as one. Nothing extra is stored: an answer right below one that
// was cut off is its continuation. Pure.
import type { MessageId } from '../base/ids.ts';
import { addToDraft } from './draft.ts';
import { type Finish, type Message, type Part, textOf, type Usage } from './message.ts';

const CUT: readonly (Finish | undefined)[] = ['length', 'stopped', 'cut', 'error'];

const isAnswer = ({ role, kind }: Message): boolean => role === 'assistant' && kind === 'message';

/**
 * True for an answer that did not end by itself and has words to continue. One that
 * called tools continues with their results.
 */
export const isCutOff = (message: Message): boolean =>
  isAnswer(message) &&
  CUT.includes(message.finish) &&
  message.parts.some((part) => part.type === 'text' && part.text.trim() !== '') &&
  !message.parts.some((part) => part.type === 'tool-call');

/** True if `message` continues `before`, its parent. */
export const continuesAnswer = (before: Message | undefined, message: Message): boolean =>
  before !== undefined && message.parentId === before.id && isAnswer(message) && isCutOff(before);

/**
 * Lists the pieces of an answer up to the one at `id`, oldest first; the message alone if it
 * continues none, nothing for an unknown id.
 */
export function piecesUpTo(messages: ReadonlyMap<MessageId, Message>, id: MessageId): Message[] {
  const pieces = new Set<Message>();
  for (let at = messages.get(id); at && !pieces.has(at); ) {
    const above: Message | undefined = at.parentId === null ? undefined : messages.get(at.parentId);
    pieces.add(at);
    at = continuesAnswer(above, at) ? above : undefined;
  }
  return [...pieces].reverse();
}

/** Groups the messages of a branch: the pieces of one answer together, every other message alone. */
export function groupPieces(line: readonly Message[]): Message[][] {
  const groups: Message[][] = [];
  for (const message of line) {
    const group = groups.at(-1);
    if (group && continuesAnswer(group.at(-1), message)) group.push(message);
    else groups.push([message]);
  }
  return groups;
}

/** Joins the parts of two pieces: the words continue where they stopped, thoughts between them come before. */
export function joinedParts(before: readonly Part[], after: readonly Part[]): readonly Part[] {
  const at = after.findIndex(({ type }) => type === 'text');
  const words = after[at];
  const last = before.at(-1);
  const thought = after.slice(0, Math.max(0, at));
  if (words?.type !== 'text' || last?.type !== 'text' || thought.some(({ type }) => type !== 'reasoning'))
    return [...before, ...after];
  return [
    ...before.slice(0, -1),
    ...thought,
    ...addToDraft([last], { type: 'text-delta', text: words.text }),
    ...after.slice(at + 1),
  ];
}

/**
 * Makes one message of an answer's pieces for display: the last one, with the words, costs
 * and time of all. Throws for no pieces.
 */
export function joinPieces(pieces: readonly Message[]): Message {
  const last = pieces.at(-1);
  if (!last) throw new Error('An answer has at least one piece');
  if (pieces.length === 1) return last;
  const usage = sumOfUsage(pieces.map((piece) => piece.usage));
  const costs = pieces.flatMap(({ cost }) => cost ?? []);
  const amount = costs.reduce((sum, cost) => sum + cost.amount, 0);
  return {
    ...last,
    parts: pieces.map(({ parts }) => parts).reduce(joinedParts),
    ...(Object.keys(usage).length > 0 ? { usage } : {}),
    ...(costs[0] ? { cost: { ...costs[0], amount } } : {}),
    ...(last.durationMs === undefined
      ? {}
      : { durationMs: pieces.reduce((sum, { durationMs = 0 }) => sum + durationMs, 0) }),
  };
}

function sumOfUsage(usages: readonly (Usage | undefined)[]): Usage {
  const sum: Record<string, number> = {};
  for (const usage of usages)
    for (const [key, value] of Object.entries(usage ?? {}))
      if (typeof value === 'number') sum[key] = (sum[key] ?? 0) + value;
  return sum;
}

/**
 * Returns the piece that the model can be asked to continue: the last one, or the one before it if that has no words.
 */
export function pieceToContinue(pieces: readonly Message[]): Message | undefined {
  const last = pieces.at(-1);
  const wordless = last && !last.parts.some(({ type }) => type === 'tool-call') && textOf(last).trim() === '';
  const from = wordless ? pieces.at(-2) : last;
  return from && isCutOff(from) ? from : undefined;
}
