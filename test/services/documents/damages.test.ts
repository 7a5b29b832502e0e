// The app reports each damage once, and never hides another notice with it.
import { expect, it, vi } from 'vitest';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import { type Problem, RecollectError } from '../../../src/domain/base/errors.ts';
import { NOTES_DOCUMENT, newConversationId } from '../../../src/domain/base/ids.ts';
import { writable } from '../../../src/domain/base/readable.ts';
import { createDamages } from '../../../src/services/documents/damages.ts';

const damage = (document: string, seq = 1): Problem =>
  new RecollectError('damaged-entry', 'cannot be read', { params: { document, seq } }).problem;
/** Resolves after pending promises have run. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

it('tells of a part until it was read, then never again', async () => {
  const { keyValues } = createInMemoryStore();
  const problem = damage(newConversationId());
  for (let start = 0; start < 3; start++) {
    const alert = writable<Problem | null>(null);
    const damages = createDamages({ keyValues, alert });
    damages.report(problem);
    if (start < 2) await vi.waitFor(() => expect(alert.get()).toBe(problem));
    else {
      await settled();
      expect(alert.get()).toBeNull();
    }
    if (start === 1) damages.dismiss();
    await settled();
  }
});

it('does not take the place of what is being told, and is not for anything else', async () => {
  const { keyValues } = createInMemoryStore();
  const full = new RecollectError('storage-full', 'no room').problem;
  const alert = writable<Problem | null>(full);
  const damages = createDamages({ keyValues, alert });
  damages.report(damage(newConversationId()));
  await settled();
  expect(alert.get()).toBe(full);
  alert.set(null);
  damages.report(full);
  damages.report(damage(NOTES_DOCUMENT));
  await settled();
  expect(alert.get()).toBeNull();
});

it('keeps for later what was heard of while another was told, unless both are of one conversation', async () => {
  const { keyValues } = createInMemoryStore();
  const [first, second] = [newConversationId(), newConversationId()];
  const alert = writable<Problem | null>(null);
  const damages = createDamages({ keyValues, alert });
  for (const problem of [damage(first, 1), damage(second, 2), damage(first, 3)]) damages.report(problem);
  await settled();
  expect(alert.get()?.params?.seq).toBe(1);
  damages.dismiss();
  alert.set(null);
  await settled();
  for (const problem of [damage(first, 1), damage(first, 3), damage(second, 2)]) damages.report(problem);
  await settled();
  expect(alert.get()?.params?.seq).toBe(2);
});
