// Words that begin in one text and end in the next: in an answer that continued after a cut, or
// in a message of several texts. Pure.
import type { MessageId } from '../../domain/base/ids.ts';
import { continuesAnswer, piecesUpTo } from '../../domain/chat/continuation.ts';
import type { Message } from '../../domain/chat/message.ts';
import { TAKEN_OUT } from '../../domain/forget/imprint.ts';
import type { Eraser } from './eraser.ts';

/** A text continues in the next one without a gap, or the next one is a new paragraph. */
const JOINTS = ['', '\n\n'];

/**
 * Removes words across borders from messages whose own text holds only a part of them. Returns the changed messages.
 */
export function acrossBorders(
  messages: ReadonlyMap<MessageId, Message>,
  { spansIn, isLater }: Pick<Eraser, 'spansIn' | 'isLater'>,
): ReadonlyMap<MessageId, Message> {
  const changed = new Map<MessageId, Message>();
  const above = ({ parentId }: Message) => (parentId === null ? undefined : messages.get(parentId));
  // Each chain is read once, from its last piece, since that includes all earlier ones.
  const goneOnFrom = new Set(
    [...messages.values()].flatMap((message) => {
      const before = above(message);
      return before && continuesAnswer(before, message) ? [before.id] : [];
    }),
  );
  const read = new Set<MessageId>();
  const ends = [...messages.values()].filter(({ id }) => !goneOnFrom.has(id));
  // Damaged messages that form a ring have no last piece.
  for (const message of [...ends, ...messages.values()]) {
    if (read.has(message.id)) continue;
    const pieces = continuesAnswer(above(message), message) ? piecesUpTo(messages, message.id) : [message];
    for (const { id } of pieces) read.add(id);
    const meant = pieces.filter(({ id: mark, createdAt: at }) => !isLater({ mark, at }));
    for (const joint of JOINTS) {
      const texts = meant.flatMap(({ id }) => {
        const { parts } = changed.get(id) ?? (messages.get(id) as Message);
        return parts.flatMap((part, at) => (part.type === 'text' ? [{ id, at, text: part.text }] : []));
      });
      if (texts.length < 2) continue;
      for (const [place, text] of cutAtBorders(
        texts.map((one) => one.text),
        joint,
        spansIn,
      )) {
        const { id, at } = texts[place] as (typeof texts)[number];
        const before = changed.get(id) ?? (messages.get(id) as Message);
        changed.set(id, {
          ...before,
          parts: before.parts.map((part, n) => (n === at && part.type === 'text' ? { ...part, text } : part)),
        });
      }
    }
  }
  return changed;
}

/** Returns the changed texts by position. It ignores words that lie within one text. */
function cutAtBorders(
  texts: readonly string[],
  joint: string,
  spansIn: Eraser['spansIn'],
): ReadonlyMap<number, string> {
  const starts: number[] = [];
  let length = 0;
  for (const text of texts) {
    starts.push(length);
    length += text.length + joint.length;
  }
  const left = new Map<number, string>();
  // Cuts from the end, so that earlier positions stay valid.
  for (const [from, to] of [...spansIn(texts.join(joint))].reverse()) {
    const touched = texts.flatMap((text, at) => {
      const start = starts[at] as number;
      const cut = [Math.max(0, from - start), Math.min(text.length, to - start)] as const;
      return cut[0] < cut[1] ? [{ at, cut }] : [];
    });
    if (touched.length < 2) continue;
    for (const [n, { at, cut }] of touched.entries()) {
      const text = left.get(at) ?? (texts[at] as string);
      left.set(at, text.slice(0, cut[0]) + (n === 0 ? TAKEN_OUT : '') + text.slice(cut[1]));
    }
  }
  return left;
}
