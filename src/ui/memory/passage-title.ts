// Displayed title of a passage's conversation.

import type { TFunction } from 'i18next';
import { isNotes } from '../../domain/memory/notes.ts';
import { shownTitle } from '../../domain/text/shown.ts';

/** The index treats notes as a conversation and gives it an untranslated title. */
export const passageTitle = (
  { conversationId, title }: { readonly conversationId: string; readonly title: string },
  t: TFunction<'memory'>,
): string => (isNotes(conversationId) ? t('notes.title') : shownTitle(title, t('untitled')));
