// Memory as a model reads it: the block of passages before a question, the same bytes every time.
import type { AppliedNote, Message, PartOf, RecalledPassage } from '../chat/message.ts';
import { neighboursOf } from '../memory/passages.ts';
import { escapeOwnTags, quotedLines } from './quoted.ts';

export type Recall = PartOf<'recall'>;

const attribute = (text: string): string =>
  escapeOwnTags(text)
    .replaceAll('"', '”')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
/** A day in UTC: the same bytes on every device. */
const day = (time: number): string =>
  Number.isFinite(time) && Math.abs(time) < 8.64e15 ? new Date(time).toISOString().slice(0, 10) : 'unknown';

/** Orders a passage and its neighbours as they were said. */
function inOrder(passage: RecalledPassage): { readonly role: string; readonly text: string }[] {
  const { before, after } = neighboursOf(passage);
  return [...before, { role: passage.role, text: passage.passage }, ...after];
}

/** Way of quoting in a block of memory: line by line, or as earlier versions did. A block once sent keeps its form. */
type Quoting = Recall['quoting'];

/** Writes a passage with its neighbours, as a model reads it. */
function renderPassage(passage: RecalledPassage, quoting: Quoting): string {
  const lines = inOrder(passage).map(({ role, text }) =>
    quoting === 'lines' ? `${role}:\n${quotedLines(text.trim())}` : `${role}: ${escapeOwnTags(text.trim())}`,
  );
  return `<passage conversation="${attribute(passage.title)}" date="${day(passage.createdAt)}">\n${lines.join('\n')}\n</passage>`;
}

/** True if a recall has anything for a model. */
export const hasRecallContent = ({ passages, applied = [] }: Pick<Recall, 'passages' | 'applied'>): boolean =>
  passages.length + applied.length > 0;

/** Writes the person's own notes that apply. They are instructions, unlike quotations, and stand apart from them. */
const renderApplied = (applied: readonly AppliedNote[]): string =>
  `<standing_notes>\nThe person keeps these notes about how they want things and about themselves; they apply here. Keep to them, without mentioning it:\n${applied
    .map(
      ({ text }) =>
        `- ${escapeOwnTags(text)
          .replace(/[\s\p{Cc}]+/gu, ' ')
          .trim()}`,
    )
    .join('\n')}\n</standing_notes>`;

/** Writes the block of memory before a message; it depends on the stored part alone, so it never changes. */
export const renderRecall = ({
  passages,
  quoting,
  applied = [],
}: {
  readonly passages: readonly RecalledPassage[];
  readonly quoting?: Quoting | undefined;
  readonly applied?: readonly AppliedNote[] | undefined;
}): string =>
  [
    ...(applied.length > 0 ? [renderApplied(applied)] : []),
    ...(passages.length > 0 ? [renderPassages(passages, quoting)] : []),
  ].join('\n\n');

const renderPassages = (passages: readonly RecalledPassage[], quoting: Quoting): string =>
  `<recalled_memory>\n${passages.map((passage) => renderPassage(passage, quoting)).join('\n')}\n</recalled_memory>`;

/** Writes a passage for a model that asked for it: its place, and its neighbours in order. */
export function renderFoundPassage(passage: RecalledPassage, at: number): string {
  const date = passage.createdAt > 0 ? day(passage.createdAt) : 'unknown date';
  return [
    `${at + 1}. “${attribute(passage.title)}”, ${date}, said by ${passage.role} (conversation ${passage.conversationId}, message ${passage.messageId})`,
    ...inOrder(passage).map(({ role, text }) => `${role}:\n${quotedLines(text.trim())}`),
  ].join('\n');
}

/** Writes the result of the tool `recall`. `sure`: they passed the threshold. */
export const renderFoundPassages = (passages: readonly RecalledPassage[], sure: boolean): string =>
  [
    sure
      ? `${passages.length} passages:`
      : 'Nothing that surely belongs to it. The nearest, which may be beside the point:',
    ...passages.map(renderFoundPassage),
  ].join('\n');

/**
 * Position of a question on the path → its block of memory: the one stored with its
 * answer, and the new one for the last.
 */
export function recallBlocksOn(path: readonly Message[], recall: Recall | null): Map<number, string> {
  const blocks = new Map<number, string>();
  let asked = -1;
  for (let at = 0; at < path.length; at++) {
    const { role, kind, parts } = path[at] as Message;
    if (kind !== 'message') continue;
    if (role === 'user') asked = at;
    if (role !== 'assistant' || asked < 0 || blocks.has(asked)) continue;
    for (const part of parts)
      if (part.type === 'recall') {
        if (hasRecallContent(part)) blocks.set(asked, renderRecall(part));
        break;
      }
  }
  if (asked >= 0 && recall && hasRecallContent(recall) && !blocks.has(asked))
    blocks.set(asked, renderRecall(recall));
  return blocks;
}
