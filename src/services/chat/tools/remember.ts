// remember: stores a memory note in the model's words. The person sees the call, and can edit or delete the note. In an
// excluded folder it stores nothing, since words from there are not for memory or other devices.
import { z } from 'zod';
import { isExcluded } from '../../../domain/memory/privacy.ts';
import { defineTool, mayRemember } from './tool.ts';

export const remember = defineTool({
  name: 'remember',
  switch: 'remember',
  description:
    'Keep a short note for later conversations: a lasting fact, preference or decision of this person. Write it so that it can be understood alone. Do not keep secrets, passwords or what is only of the moment.',
  input: z.object({
    note: z.string().trim().min(1).max(4000).describe('One fact or decision, in one or two sentences'),
  }),
  available: (offering) => offering.notes !== undefined && mayRemember(offering),
  async run({ note }, { notes, conversationId, path, documents, config }) {
    if (!notes) return { text: 'Notes cannot be kept here.', isError: true };
    const here = documents.library.get().entries.find(({ id }) => id === conversationId);
    if (isExcluded(here?.workDir ?? null, config.privacy.exclude_work_dirs))
      return { text: 'This conversation’s folder is excluded from memory. Nothing was kept.', isError: true };
    const source = path.at(-1);
    const before = new Set(notes.state.get().notes.map((one) => one.id));
    const { id } = await notes.write({
      text: note,
      by: 'model',
      source: source ? { conversationId, messageId: source.id } : null,
    });
    return { text: `${before.has(id) ? 'Kept already' : 'Kept'} (note ${id}).`, changed: true };
  },
});
