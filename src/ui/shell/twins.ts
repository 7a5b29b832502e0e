// Reads the first lines of conversations of one title, and finds what tells them apart. Loaded where there are some.
import type { ConversationId } from '../../domain/base/ids.ts';
import { firstLineOf } from '../../domain/chat/checkpoint.ts';
import { effectiveHead, pathTo } from '../../domain/chat/conversation.ts';
import { endOf } from '../../domain/text/whole-characters.ts';
import type { Documents } from '../../services/documents/documents.ts';
import { plainLine } from '../memory/marked-text.tsx';

/** A longer run without a space is no word, characters. */
const LONGEST_WORD = 24;

/** First line of what the person asked for in the shown branch; empty where there is none. */
async function firstLine(documents: Pick<Documents, 'read'>, id: ConversationId): Promise<string> {
  const conversation = await documents.read(id);
  if (!conversation) return '';
  const asked = pathTo(conversation.messages, effectiveHead(conversation)).find(
    ({ role }) => role === 'user',
  );
  return asked ? plainLine(firstLineOf(asked)) : '';
}

/** The part of a line from the word on in which it differs from each of the others; empty if one is the same. */
export function differingPart(line: string, others: readonly string[]): string {
  let same = 0;
  for (const other of others) {
    if (other === line) return '';
    let at = 0;
    while (at < line.length && line[at] === other[at]) at += 1;
    same = Math.max(same, at);
  }
  const word = line.lastIndexOf(' ', same) + 1;
  // Chinese has no spaces: a long run begins where it differs.
  const from = same - word > LONGEST_WORD ? same : word;
  return from === 0 ? line : `…${endOf(line, line.length - from)}`;
}

/** Reads the first lines of a conversation and of its twins, and returns what tells it apart. */
export async function wordsApart(
  documents: Pick<Documents, 'read'>,
  id: ConversationId,
  twins: readonly ConversationId[],
): Promise<string> {
  const [own, ...others] = await Promise.all([id, ...twins].map((one) => firstLine(documents, one)));
  return differingPart(own ?? '', others);
}
