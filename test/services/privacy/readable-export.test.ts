import { expect, it } from 'vitest';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import { newMessageId } from '../../../src/domain/base/ids.ts';
import { writable } from '../../../src/domain/base/readable.ts';
import type { Message } from '../../../src/domain/chat/message.ts';
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

it('has neither half of a key that was cut and went on, nor a name in the name of a checkpoint', async () => {
  const store = createInMemoryStore();
  const documents = createDocuments({ store });
  const filter = new PrivacyFilter({
    config: writable(configSchema.parse({ privacy: { own_names: ['Anna Bergmann'] } })),
  });
  const library = createLibrary({ documents, words: exportWords, forReading: () => readableExport(filter) });
  const talk = conversationOf(['Which token?', { text: 'It is ghp_9aXb3LmQ7rT2vK8', finish: 'length' }]);
  const [, cut] = talk.change.messages;
  const rest: Message = {
    id: newMessageId(),
    parentId: cut?.id ?? null,
    role: 'assistant',
    kind: 'message',
    finish: 'stop',
    createdAt: (cut?.createdAt ?? 0) + 1,
    parts: [{ type: 'text', text: 'wN5cZ1yF4dG6hJ0pSeUoI, keep it safe.' }],
  };
  const change = { ...talk.change, messages: [...talk.change.messages, rest] };
  await documents.changeMany(
    [
      {
        id: talk.id,
        change: {
          ...change,
          meta: { ...change.meta, head: rest.id },
          checkpoints: { 'Anna Bergmann': rest.id },
        },
      },
    ],
    'import',
  );
  const { blob } = await library.exportConversations([talk.id], 'markdown');
  const text = await blob.text();
  expect(text).toContain('keep it safe');
  for (const words of ['ghp_9aXb3', 'hJ0pSeUoI', 'Bergmann']) expect(text).not.toContain(words);
});
