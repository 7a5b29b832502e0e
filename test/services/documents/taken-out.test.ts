// Words that are taken out of conversations for good: nowhere in the log, not brought back by
// another device, an import or an older half.
import fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import * as Y from 'yjs';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import { asConversationId, asMessageId, newMessageId } from '../../../src/domain/base/ids.ts';
import { type Message, textOf } from '../../../src/domain/chat/message.ts';
import { createMatcher, type Imprint, imprintOf } from '../../../src/domain/forget/imprint.ts';
import { createDocuments } from '../../../src/services/documents/documents-service.ts';
import { readWhole } from '../../../src/services/documents/shared.ts';
import { createConversationDocument } from '../../../src/services/documents/yjs-conversation.ts';
import { isInLog } from './said.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const ID = asConversationId('conversation');
const message = (text: string, parentId: Message['parentId'] = null, createdAt = 1000): Message => ({
  id: newMessageId(),
  parentId,
  role: 'user',
  kind: 'message',
  createdAt,
  parts: [{ type: 'text', text }],
});
const matcherOf = (words: string) => createMatcher([imprintOf(words, '') as Imprint], '');
const rulesFor = (words: string, gone: readonly string[] = []) => ({
  hide: matcherOf(words).hide,
  isGone: (id: string) => gone.includes(id),
});
const saying = (of: Message, text: string): Message => ({ ...of, parts: [{ type: 'text', text }] });

async function library() {
  const store = createInMemoryStore();
  const documents = createDocuments({ store });
  closing.push(() => documents.close());
  return { store, documents };
}

it('a message without some of its words stays where it was, and the words are nowhere in the log', async () => {
  const { store, documents } = await library();
  const first = message('My neighbour Quillfeather sings');
  const second = message('At night?', first.id, 2000);
  await documents.change(ID, {
    messages: [first, second],
    meta: { title: 'Quillfeather', head: second.id },
    checkpoints: { 'before Quillfeather': first.id },
  });
  await documents.change(ID, { meta: { title: 'Quillfeather again', titleBy: 'person' } });
  expect(await isInLog(store, 'Quillfeather')).toBe(true);
  await documents.change(ID, {
    rewritten: [saying(first, 'My neighbour ••• sings')],
    meta: { title: 'Singing' },
    checkpoints: { 'before Quillfeather': null },
    takesOut: true,
  });
  expect(await documents.purge(rulesFor('Quillfeather'))).toEqual([]);
  expect(await isInLog(store, 'Quillfeather')).toBe(false);
  await documents.change(ID, { removed: [second.id], takesOut: true });
  await documents.change(ID, { restored: [second] });
  expect((await documents.read(ID))?.messages.has(second.id)).toBe(false);
  await documents.purge(rulesFor('Quillfeather'));
  expect(await documents.unpurged(rulesFor('Quillfeather'))).toEqual([]);
  const read = await documents.read(ID);
  expect([...(read?.messages.values() ?? [])].map((one) => [textOf(one), one.parentId])).toEqual([
    ['My neighbour ••• sings', null],
  ]);
  expect(read?.meta.title).toBe('Singing');

  // The person imports the old export again, and a longer part of the answer arrives.
  await documents.change(ID, {
    messages: [first],
    completed: [saying(first, 'My neighbour Quillfeather sings loud')],
  });
  expect(textOf((await documents.read(ID))?.messages.get(first.id) as Message)).toBe(
    'My neighbour ••• sings',
  );
  expect(await isInLog(store, 'Quillfeather')).toBe(false);
});

it('sync counts a rewriting as something forgotten, each time', async () => {
  const { store, documents } = await library();
  const said = message('one two three');
  await documents.change(ID, { messages: [said] });
  const counts = [];
  for (const text of ['one two •••', 'one ••• •••', '••• ••• •••']) {
    await documents.change(ID, { rewritten: [saying(said, text)] });
    counts.push((await readWhole(store.log, ID))?.forgotten ?? 0);
  }
  expect(counts).toEqual([2, 3, 4]);
});

it('what is gone behind a gap goes from the bytes that wait, too', async () => {
  const { store, documents } = await library();
  const doc = createConversationDocument(ID);
  const [lost, said] = [message('lost'), message('The vault code of Quillfeather')];
  doc.change({ messages: [lost] });
  const update = doc.change({ messages: [said] }) as Uint8Array;
  await store.log.append([{ id: 'e' as never, document: ID, origin: 'remote', bytes: update }]);
  await documents.change(ID, { removed: [said.id] });
  expect(await isInLog(store, 'vault code')).toBe(true);
  await documents.purge(rulesFor('nothing', [said.id]));
  expect(await isInLog(store, 'vault code')).toBe(false);
});

it('a damaged entry stays, and is reported', async () => {
  const { store, documents } = await library();
  await documents.change(ID, { messages: [message('Quillfeather')] });
  await store.log.append([
    { id: 'e' as never, document: ID, origin: 'user', bytes: new Uint8Array([1, 9, 200]) },
  ]);
  expect(await documents.purge(rulesFor('Quillfeather'))).toEqual([ID]);
  expect((await store.log.read(ID)).length).toBe(2);
});

it('whatever two devices do in whatever order: what both forgot never comes back', () => {
  const texts = ['alpha beta gamma', 'alpha beta', 'gamma alpha'];
  const act = fc.record({
    device: fc.nat(1),
    do: fc.constantFrom('forget', 'rewrite', 'complete', 'import', 'meet'),
    at: fc.nat(2),
    word: fc.constantFrom('alpha', 'gamma'),
  });
  fc.assert(
    fc.property(fc.array(act, { maxLength: 14 }), (acts) => {
      const messages = texts.map((text, at) => ({
        ...message(text, at === 0 ? null : asMessageId(`m${at - 1}`), at),
        id: asMessageId(`m${at}`),
      }));
      const devices = [0, 1].map(() => createConversationDocument(ID));
      const forgotten = new Set<string>();
      const taken: Set<string>[] = [new Set(), new Set()];
      const meet = () => {
        const updates = devices.map(({ doc }) => Y.encodeStateAsUpdate(doc));
        for (const [at, device] of devices.entries()) device.apply(updates[1 - at] as Uint8Array);
        const both = new Set([...(taken[0] ?? []), ...(taken[1] ?? [])]);
        taken[0] = new Set(both);
        taken[1] = both;
      };
      devices[0]?.change({ messages });
      meet();
      for (const one of acts) {
        const device = devices[one.device];
        const target = messages[one.at] as Message;
        if (one.do === 'meet') meet();
        if (one.do === 'import') device?.change({ messages });
        if (one.do === 'complete')
          device?.change({ completed: [saying(target, `${texts[one.at]} and more`)] });
        if (one.do === 'forget') {
          device?.change({ removed: [target.id] });
          forgotten.add(target.id);
        }
        const here = device?.read().messages.get(target.id);
        if (one.do === 'rewrite' && here) {
          device?.change({ rewritten: [saying(here, matcherOf(one.word).hide(textOf(here)).text)] });
          taken[one.device]?.add(`${target.id} ${one.word}`);
        }
      }
      meet();
      // Each device does what the other asked, as the record of it tells both.
      for (const device of devices)
        for (const key of taken[0] ?? []) {
          const [id, word] = key.split(' ') as [string, string];
          const here = device.read().messages.get(asMessageId(id));
          if (here && matcherOf(word).has(textOf(here)))
            device.change({ rewritten: [saying(here, matcherOf(word).hide(textOf(here)).text)] });
        }
      meet();
      const [one, other] = devices.map(({ read }) => [...read().messages.values()].map(textOf));
      expect(one).toEqual(other);
      for (const { read } of devices) {
        for (const id of forgotten) expect(read().messages.has(asMessageId(id))).toBe(false);
        for (const key of taken[0] ?? []) {
          const [id, word] = key.split(' ') as [string, string];
          const here = read().messages.get(asMessageId(id));
          if (here) expect(textOf(here)).not.toContain(word);
        }
      }
    }),
  );
});
