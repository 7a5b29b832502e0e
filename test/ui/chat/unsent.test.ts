import { afterAll, describe, expect, it, vi } from 'vitest';
import { asConversationId, asMessageId } from '../../../src/domain/base/ids.ts';
import { writable } from '../../../src/domain/base/readable.ts';
import { type Chat, IDLE_TURN } from '../../../src/services/chat/chat.ts';
import type { ComposerDrafts, StoredDraft } from '../../../src/services/chat/composer-drafts.ts';
import { takeUnsent, takeUnsentAlong } from '../../../src/ui/chat/unsent.ts';

afterAll(() => vi.unstubAllGlobals());

const ID = asConversationId('gone');

/** Drafts by place; nothing of the browser's is needed. */
function placeWith(drafts: Record<string, string>, queue: readonly string[] = []) {
  vi.stubGlobal('document', { addEventListener: () => {}, removeEventListener: () => {} });
  vi.stubGlobal('window', { addEventListener: () => {}, removeEventListener: () => {} });
  const kept = new Map<string, StoredDraft>(
    Object.entries(drafts).map(([place, text]) => [place, { text, files: [] }]),
  );
  const turn = writable({
    ...IDLE_TURN,
    queue: queue.map((text) => ({ id: text, parts: [{ type: 'text' as const, text }] })),
  });
  const composerDrafts = {
    claim: async (place) => kept.get(place) ?? null,
    save: async (place, draft) => {
      if (draft && draft.text !== '') kept.set(place, draft);
      else kept.delete(place);
    },
    saveOnUnload: () => {},
    takeOut: () => {},
    places: async (prefix) => [...kept.keys()].filter((place) => place.startsWith(prefix)),
  } satisfies ComposerDrafts;
  const chat: Pick<Chat, 'composerDrafts' | 'turn' | 'editQueued'> = {
    composerDrafts,
    turn: () => turn,
    editQueued: (_, id) =>
      turn.update((now) => ({ ...now, queue: now.queue.filter((item) => item.id !== id) })),
  };
  return { chat, turn, words: () => Object.fromEntries([...kept].map(([place, { text }]) => [place, text])) };
}

describe('what was written for a conversation that is gone', () => {
  it('is all that was not sent: edits, what waits in line, the composer', async () => {
    const { chat } = placeWith(
      {
        'composer.gone': 'half a letter',
        [`edit.gone.${asMessageId('m')}`]: 'another wording',
        'composer.other': 'no',
      },
      ['next in line'],
    );
    expect(await takeUnsent(chat, ID)).toEqual({
      text: 'another wording\n\nnext in line\n\nhalf a letter',
      files: [],
    });
    expect(await takeUnsent(placeWith({}).chat, ID)).toBeNull();
  });

  it('goes below what is begun already, and is nowhere else then', async () => {
    const { chat, turn, words } = placeWith(
      { 'composer.gone': 'half a letter', 'edit.gone.m': 'another wording', 'composer.new': 'begun' },
      ['next in line'],
    );
    const unsent = await takeUnsent(chat, ID);
    if (unsent) await takeUnsentAlong(chat, ID, unsent, null);
    expect(words()).toEqual({ 'composer.new': 'begun\n\nanother wording\n\nnext in line\n\nhalf a letter' });
    expect(turn.get().queue).toEqual([]);
  });
});
