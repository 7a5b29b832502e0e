// Removes forgotten words from notes, feedback, proposals, prompts and personas. Each function returns null for an item
// that must be removed as a whole, the same object if it loses nothing. Words said later than the rules reach stay.
import type { Feedback, MemoryNote, Proposal } from '../../domain/memory/notes.ts';
import { cleanValue, holdbackOf, quotedBy, saidOf } from './cleaning.ts';
import type { PurgeRules } from './documents.ts';

type Source = { readonly conversationId: string; readonly messageId: string };

const isFromGone = ({ conversationId, messageId }: Source, { isGone }: PurgeRules): boolean =>
  isGone(conversationId) || isGone(messageId);
const isNamedIn = (text: string, { hide }: PurgeRules): boolean => hide(text).redacted > 0;
const isSaidLater = (value: object, { isLater }: PurgeRules): boolean => {
  const said = saidOf(value);
  return said !== undefined && isLater?.(said) === true;
};

/**
 * Cleans a note. `whole`: a note with forgotten words is removed as a whole. Earlier wordings with them always
 * go, since they only serve to look back.
 */
export function noteWithout(note: MemoryNote, rules: PurgeRules, whole: boolean): MemoryNote | null {
  if (note.source && isFromGone(note.source, rules)) return null;
  const isLater = isSaidLater(note, rules);
  const text = isLater ? note.text : rules.hide(note.text).text;
  if (whole && text !== note.text) return null;
  const before = note.before?.filter(
    (past) => (isLater && rules.isLater?.({ mark: '', at: past.until })) || !isNamedIn(past.text, rules),
  );
  if (text === note.text && before?.length === note.before?.length) return note;
  return { ...note, text, ...(before ? { before } : {}) };
}

/**
 * Removes forgotten words from what the person said of a passage. `whole`: an item with forgotten words goes as a
 * whole; one whose question has such words always does. Both were said before the verdict on them.
 */
export function feedbackWithout(one: Feedback, rules: PurgeRules, whole: boolean): Feedback | null {
  if (isFromGone(one, rules)) return null;
  const { passage: quoted, question } = quotedBy(one);
  if (!rules.isLater?.(question) && isNamedIn(one.query ?? '', rules)) return null;
  if (rules.isLater?.(quoted)) return one;
  const [passage, title] = [rules.hide(one.passage).text, rules.hide(one.title).text];
  if (passage === one.passage && title === one.title) return one;
  return whole ? null : { ...one, passage, title };
}

/** True for a proposal with forgotten words, which is removed as a whole. */
export const isProposalTakenOut = (proposal: Proposal, rules: PurgeRules): boolean =>
  isFromGone(proposal.source, rules) || (!isSaidLater(proposal, rules) && isNamedIn(proposal.text, rules));

/** Cleans a prompt or a persona. */
export function itemWithout<T extends { readonly updatedAt: number }>(
  item: T,
  rules: PurgeRules,
  whole: boolean,
): T | null {
  if (isSaidLater(item, rules)) return item;
  const cleaned = cleanValue(item, holdbackOf(rules)) as T;
  return whole && cleaned !== item ? null : cleaned;
}
