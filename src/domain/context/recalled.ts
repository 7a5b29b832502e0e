// Memory as a model reads it: the block of passages in front of a question, the same bytes every time.
import type { AppliedNote, Message, PartOf, RecalledPassage } from '../chat/message.ts';
import { besideOf } from '../memory/passages.ts';
import { quoted, quotedLines } from './quoted.ts';

export type Recall = PartOf<'recall'>;

const attribute = (text: string): string =>
  quoted(text)
    .replaceAll('"', '”')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
/** A day, UTC: the same bytes on every device. */
const day = (time: number): string =>
  Number.isFinite(time) && Math.abs(time) < 8.64e15 ? new Date(time).toISOString().slice(0, 10) : 'unknown';

/** A passage and what stands beside it, as it was said. */
function inOrder(passage: RecalledPassage): { readonly role: string; readonly text: string }[] {
  const { before, after } = besideOf(passage);
  return [...before, { role: passage.role, text: passage.passage }, ...after];
}

/** How a block of memory quotes: line by line, or as it was before that. What was sent once is sent alike ever after. */
type Quoting = Recall['quoting'];

/** One passage with what was said right before and after it, as a model reads it. */
function renderPassage(passage: RecalledPassage, quoting: Quoting): string {
  const lines = inOrder(passage).map(({ role, text }) =>
    quoting === 'lines' ? `${role}:\n${quotedLines(text.trim())}` : `${role}: ${quoted(text.trim())}`,
  );
  return `<passage conversation="${attribute(passage.title)}" date="${day(passage.createdAt)}">\n${lines.join('\n')}\n</passage>`;
}

/** True if a recall has anything for a model. */
export const givesSomething = ({ passages, applied = [] }: Pick<Recall, 'passages' | 'applied'>): boolean =>
  passages.length + applied.length > 0;

/** The person's own notes that apply. They order something, as opposed to what is quoted, and stand apart from it. */
const renderApplied = (applied: readonly AppliedNote[]): string =>
  `<standing_notes>\nThe person keeps these notes about how they want things and about themselves; they apply here. Keep to them, without mentioning it:\n${applied
    .map(({ text }) => `- ${quoted(text).replace(/\s+/g, ' ').trim()}`)
    .join('\n')}\n</standing_notes>`;

/** The block of memory in front of a message, frozen: it depends on the stored part alone. */
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

/** A passage as a model reads it that asked for it: where it stands, and what was said around it in order. */
export function renderFoundOne(passage: RecalledPassage, at: number): string {
  const date = passage.createdAt > 0 ? day(passage.createdAt) : 'unknown date';
  return [
    `${at + 1}. “${attribute(passage.title)}”, ${date}, said by ${passage.role} (conversation ${passage.conversationId}, message ${passage.messageId})`,
    ...inOrder(passage).map(({ role, text }) => `${role}:\n${quotedLines(text.trim())}`),
  ].join('\n');
}

/** The answer of the tool `recall`. `sure`: they passed the threshold. */
export const renderFound = (passages: readonly RecalledPassage[], sure: boolean): string =>
  [
    sure
      ? `${passages.length} passages:`
      : 'Nothing that surely belongs to it. The nearest, which may be beside the point:',
    ...passages.map(renderFoundOne),
  ].join('\n');

/** Place of a question on the path → its block of memory: the one stored on its answer, and the new one for the last. */
export function memoriesOn(path: readonly Message[], recall: Recall | null): Map<number, string> {
  const blocks = new Map<number, string>();
  let asked = -1;
  for (let at = 0; at < path.length; at++) {
    const { role, kind, parts } = path[at] as Message;
    if (kind !== 'message') continue;
    if (role === 'user') asked = at;
    if (role !== 'assistant' || asked < 0 || blocks.has(asked)) continue;
    for (const part of parts)
      if (part.type === 'recall') {
        if (givesSomething(part)) blocks.set(asked, renderRecall(part));
        break;
      }
  }
  if (asked >= 0 && recall && givesSomething(recall) && !blocks.has(asked))
    blocks.set(asked, renderRecall(recall));
  return blocks;
}
