// Finds which messages of a conversation contain the words, on every branch, drawn or not. Pure.
import type { MessageId } from '../../domain/base/ids.ts';
import { type Conversation, childrenOf } from '../../domain/chat/conversation.ts';
import { dmailNoteOf } from '../../domain/chat/dmail.ts';
import { type Message, textOf } from '../../domain/chat/message.ts';
import { comparableForm, countIn } from '../../domain/text/find.ts';
import { plainLine } from '../memory/marked-text.tsx';
import { drawnWords } from './markdown/drawn-words.ts';
import { fencedPieces } from './markdown/parse.ts';
import type { Branch } from './rows.ts';

/** One hit: the `nth` occurrence in its message, from 0. */
export interface Hit {
  readonly messageId: MessageId;
  readonly nth: number;
}

/** Visible words of a message: a model's Markdown as drawn, the person's text as written except for fenced code. */
const seen = (message: Message): string => {
  if (message.role !== 'assistant')
    return (
      dmailNoteOf(message) ??
      fencedPieces(textOf(message))
        .map(({ text, fenced }) => (fenced ? drawnWords(text) : text))
        .join(' ')
    );
  return message.parts.map((part) => (part.type === 'text' ? drawnWords(part.text) : '')).join(' ');
};

/** Messages never change once written, so each is read only once for all searches. */
const forms = new WeakMap<Message, string>();
/** Approximate forms, used until the exact words have been read. */
const roughForms = new WeakMap<Message, string>();

/** Form of a message without parsing its Markdown, which takes a hundred times as long. */
function roughSearchFormOf(message: Message): string {
  let form = roughForms.get(message);
  if (form === undefined) {
    form = comparableForm(plainLine(textOf(message)));
    roughForms.set(message, form);
  }
  return form;
}
const searchFormOf = (message: Message): string => forms.get(message) ?? roughSearchFormOf(message);

/**
 * Reads the remaining messages, one a step, so that searches match the visible words; before
 * that `findIn` finds nearly all of them.
 */
export function* reading({ messages }: Pick<Conversation, 'messages'>): Generator<void, void, void> {
  for (const message of messages.values()) {
    if (forms.has(message) || !isSaid(message)) continue;
    forms.set(message, comparableForm(seen(message)));
    yield;
  }
}

const isSaid = ({ role, kind }: Message): boolean =>
  kind !== 'note' && (role === 'user' || role === 'assistant');

/** All hits in the order of the tree: branch by branch from its fork, older ones first. Empty for empty words. */
export function findIn({ messages }: Pick<Conversation, 'messages'>, words: string): readonly Hit[] {
  const wanted = comparableForm(words).trim();
  if (wanted === '') return [];
  const children = childrenOf(messages);
  const hits: Hit[] = [];
  const ahead = [...(children.get(null) ?? [])].reverse();
  for (let message = ahead.pop(); message; message = ahead.pop()) {
    if (isSaid(message)) {
      const count = countIn(searchFormOf(message), wanted);
      for (let nth = 0; nth < count; nth++) hits.push({ messageId: message.id, nth });
    }
    const below = children.get(message.id) ?? [];
    for (let at = below.length - 1; at >= 0; at--) ahead.push(below[at] as Message);
  }
  return hits;
}

/**
 * Hit to start with: the first from `from` down on the shown branch, else the first on
 * it, else the first of all; -1: none.
 */
export function firstHit(hits: readonly Hit[], branch: Branch, from: MessageId | null): number {
  const top = from === null ? 0 : (branch.rowOf.get(from) ?? 0);
  const below = hits.findIndex(({ messageId }) => (branch.rowOf.get(messageId) ?? -1) >= top);
  if (below >= 0) return below;
  return Math.max(
    hits.findIndex(({ messageId }) => branch.rowOf.has(messageId)),
    hits.length > 0 ? 0 : -1,
  );
}

/** Index of a hit within its row: a row may hold several pieces of one answer. */
export function placeInRow(hit: Hit, branch: Branch, words: string): { id: MessageId; nth: number } {
  const row = branch.rows[branch.rowOf.get(hit.messageId) ?? -1];
  if (row?.type !== 'message') return { id: hit.messageId, nth: hit.nth };
  const wanted = comparableForm(words).trim();
  let nth = hit.nth;
  for (const piece of row.pieces) {
    if (piece.id === hit.messageId) break;
    nth += countIn(searchFormOf(piece), wanted);
  }
  return { id: row.message.id, nth };
}
