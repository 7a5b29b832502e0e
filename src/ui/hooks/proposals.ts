// Sentences that wait for the person's word: *Remember this?*.
import type { Proposal } from '../../services/documents/notes.ts';
import { useApp, useReadable } from './app.tsx';

/** Proposals whose conversation exists; those of the trash wait with it. */
export function useProposals(): readonly Proposal[] {
  const app = useApp();
  const { proposals } = useReadable(app.notes.inbox);
  const { entries } = useReadable(app.documents.library);
  const gone = new Set<string>(entries.flatMap(({ id, deletedAt }) => (deletedAt === null ? [] : [id])));
  return proposals.filter(({ source }) => !gone.has(source.conversationId));
}
