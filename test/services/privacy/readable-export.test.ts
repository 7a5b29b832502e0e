import { expect, it } from 'vitest';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import { writable } from '../../../src/domain/base/readable.ts';
import { configSchema } from '../../../src/domain/settings/config.ts';
import { createDocuments } from '../../../src/services/documents/documents-service.ts';
import { createNotes } from '../../../src/services/documents/notes.ts';
import { createLibrary } from '../../../src/services/library/library-service.ts';
import { PrivacyFilter } from '../../../src/services/privacy/privacy-filter.ts';
import { readableExport } from '../../../src/services/privacy/readable-export.ts';
import { exportWords } from '../../../src/ui/i18n/export-words.ts';
import { conversationOf } from '../memory/home.ts';

it('has placeholders in Markdown where that is on, and the words in a backup', async () => {
  const store = createInMemoryStore();
  const documents = createDocuments({ store });
  const notes = createNotes({ store, now: Date.now });
  const config = writable(configSchema.parse({ privacy: { own_names: ['Anna Bergmann'] } }));
  const filter = new PrivacyFilter({ config });
  let on = true;
  const library = createLibrary({
    documents,
    notes,
    words: exportWords,
    forReading: () => (on ? readableExport(filter) : null),
  });
  const talk = conversationOf(['Anna Bergmann says the password is hunter22!', 'Noted.'], {
    title: 'Anna Bergmann',
  });
  await documents.changeMany([talk], 'import');
  const read = async (format: 'json' | 'markdown') => {
    const { name, blob } = await library.exportConversations([talk.id], format);
    return name + (await blob.text());
  };
  const hidden = await read('markdown');
  expect(hidden).not.toMatch(/Bergmann|hunter22/);
  expect(hidden).toMatch(/\[name-1@[0-9a-z]{4}\]/);
  expect(await read('json')).toContain('hunter22');
  on = false;
  expect(await read('markdown')).toContain('hunter22');
});
