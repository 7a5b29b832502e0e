// What is imported again, and knows more than the first time: over real documents and a store in memory.
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SourceFile } from '../../../src/adapters/importers/importer.ts';
import { fileFromBytes } from '../../../src/adapters/importers/source-file.ts';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import {
  type ConversationId,
  type MessageId,
  newConversationId,
  newMessageId,
} from '../../../src/domain/base/ids.ts';
import { until } from '../../../src/domain/base/readable.ts';
import type { Conversation } from '../../../src/domain/chat/conversation.ts';
import { memoryFileChange, savedFiles } from '../../../src/domain/chat/memory-file.ts';
import { type Message, textOf } from '../../../src/domain/chat/message.ts';
import type { Documents } from '../../../src/services/documents/documents.ts';
import { createDocuments } from '../../../src/services/documents/documents-service.ts';
import { createReader } from '../../../src/services/documents/reader.ts';
import { createLibrary, type LibraryDeps } from '../../../src/services/library/library-service.ts';
import * as chatgpt from '../../fixtures/chatgpt.ts';
import { filesOf, zipFile } from '../../fixtures/files.ts';
import { englishWords } from '../../fixtures/words.ts';
import { runs } from '../../scale.ts';

const NOW = Date.UTC(2026, 10, 23);
const closing: Documents[] = [];
afterEach(async () => {
  for (const documents of closing.splice(0)) await documents.close();
});

function device(deps: Partial<LibraryDeps> = {}) {
  const store = createInMemoryStore();
  const documents = createDocuments({ store });
  closing.push(documents);
  const library = createLibrary({ documents, words: englishWords, now: () => NOW, ...deps });
  const entries = async () => (await until(documents.library, (l) => l.ready)).entries;
  const read = async (id: ConversationId) => (await documents.read(id)) as Conversation;
  const bring = async (...files: SourceFile[]) => {
    const [report] = await library.importFiles(files);
    if (!report || report.problem) throw new Error(report?.problem?.message ?? 'no report');
    return report;
  };
  return {
    store,
    documents,
    library,
    entries,
    read,
    bring,
    backup: async (): Promise<SourceFile> => {
      const { name, blob } = await library.exportConversations('all', 'json');
      return fileFromBytes(name, new Uint8Array(await blob.arrayBuffer()));
    },
    /** The conversation imported under this id of a tool. */
    from: async (id: string) => {
      const entry = (await entries()).find((e) => e.source?.id === id);
      if (!entry) throw new Error(`no conversation from ${id}`);
      return read(entry.id);
    },
    say: async (
      id: ConversationId,
      text: string,
      parentId: MessageId | null,
      more: Partial<Message> = {},
    ) => {
      const message: Message = {
        id: newMessageId(),
        parentId,
        role: 'user',
        kind: 'message',
        createdAt: NOW,
        parts: [{ type: 'text', text }],
        ...more,
      };
      await documents.change(id, { messages: [message], meta: { head: message.id } });
      return message;
    },
  };
}

const listing = (...conversations: unknown[]): SourceFile =>
  filesOf({ 'conversations.json': JSON.stringify(conversations) })[0] as SourceFile;
const UNCHANGED = { added: 0, changed: 0, unchanged: 1 };
const CHANGED = { added: 0, changed: 1, unchanged: 0 };

/** A question and an answer at ChatGPT, as far as that has come. */
function asked(
  text: string,
  { status = 'finished_successfully', at = 2, ...more }: Record<string, unknown> & { at?: number } = {},
) {
  const said = (
    id: string,
    role: string,
    words: string,
    seconds: number,
    state = 'finished_successfully',
  ) => ({
    id,
    author: { role },
    create_time: chatgpt.T0 + seconds,
    status: state,
    weight: 1,
    recipient: 'all',
    content: { content_type: 'text', parts: [words] },
    metadata: {},
  });
  const answers = at > 2 ? ['u2'] : [];
  return {
    title: 'Poems',
    create_time: chatgpt.T0,
    conversation_id: 'c-poem',
    current_node: at > 2 ? 'u2' : 'a1',
    mapping: {
      root: { id: 'root', parent: null, children: ['u1'], message: null },
      u1: { id: 'u1', parent: 'root', children: ['a1'], message: said('u1', 'user', 'A poem, please.', 1) },
      a1: {
        id: 'a1',
        parent: 'u1',
        children: answers,
        message: said('a1', 'assistant', text, 2, String(status)),
      },
      ...(at > 2
        ? { u2: { id: 'u2', parent: 'a1', children: [], message: said('u2', 'user', 'Thanks.', at) } }
        : {}),
    },
    ...more,
  };
}
const HALF = 'The first li';
const FULL = 'The first line, and the second.';

const filesIn = ({ messages }: Conversation) =>
  [...messages.values()].flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'file' ? [part] : [])),
  );
const answerIn = ({ messages }: Conversation) =>
  [...messages.values()].find(({ sourceId }) => sourceId === 'a1') as Message;

describe.each([
  ['held', {}],
  ['read twice', { wholeUpToBytes: 0 }],
])('importing again what came without its bytes (%s)', (_, deps) => {
  it('brings a picture that the first export did not have, and nothing the time after', async () => {
    const { bring, from, store } = device(deps);
    const first = await bring(listing(chatgpt.tools));
    expect(first.attachments).toBe(0);
    const before = await from('c-tools');
    const zip = await zipFile('export.zip', {
      ...chatgpt.exportFiles,
      'conversations.json': JSON.stringify([chatgpt.tools]),
    });
    const second = await bring(zip);
    expect(second).toMatchObject({
      conversations: CHANGED,
      attachments: 0,
      later: { attachments: 1, answers: 0, titles: 0 },
      messages: { user: 0, assistant: 0 },
    });
    const after = await from('c-tools');
    const whole = device();
    await whole.bring(zip);
    expect(filesIn(after)).toEqual(filesIn(await whole.from('c-tools')));
    expect(filesIn(after).filter(({ url }) => url !== undefined)).toHaveLength(1);
    expect([...after.messages.keys()].sort()).toEqual([...before.messages.keys()].sort());
    const head = await store.log.head();
    expect((await bring(zip)).conversations).toEqual(UNCHANGED);
    expect((await bring(listing(chatgpt.tools))).conversations).toEqual(UNCHANGED);
    expect(await store.log.head()).toBe(head);
    expect(filesIn(await from('c-tools'))).toEqual(filesIn(after));
  });

  it('takes the picture from the second of two exports in one folder', async () => {
    const { bring, from } = device(deps);
    const report = await bring(
      ...filesOf({
        'all/a/conversations.json': JSON.stringify([chatgpt.tools]),
        'all/b/conversations.json': JSON.stringify([chatgpt.tools]),
        'all/b/file-AbC123-data.png': chatgpt.PNG,
      }),
    );
    expect(report.conversations.added).toBe(1);
    expect(filesIn(await from('c-tools')).filter(({ url }) => url !== undefined)).toHaveLength(1);
  });
});

describe('what an export names otherwise than the one before', () => {
  const T0 = Date.UTC(2026, 4, 1);
  const SAID = ['A poem, please.', 'The first line.', 'One more.', 'The second line.'];
  /** A chat of SAID in the form of many apps; `idOf`: ids of its messages, none if absent. */
  const chat = (
    { id, idOf, words = SAID }: { id?: string; idOf?: (at: number) => string; words?: readonly string[] },
    name = 'chat.json',
  ): SourceFile =>
    filesOf({
      [name]: JSON.stringify({
        ...(id === undefined ? {} : { id }),
        title: 'Poems',
        messages: words.map((content, at) => ({
          ...(idOf ? { id: idOf(at) } : {}),
          role: at % 2 ? 'assistant' : 'user',
          content,
          timestamp: T0 + at * 1000,
        })),
      }),
    })[0] as SourceFile;
  const only = async ({ entries, read }: ReturnType<typeof device>) => {
    const all = await entries();
    expect(all).toHaveLength(1);
    return read((all[0] as { id: ConversationId }).id);
  };

  it('is the same conversation when it has ids at last', async () => {
    const here = device();
    await here.bring(chat({}));
    const before = await only(here);
    for (const file of [chat({ id: 'c-1', idOf: (at) => `m-${at}` }, 'export.json'), chat({})])
      expect((await here.bring(file)).conversations).toEqual(UNCHANGED);
    expect([...(await only(here)).messages.keys()]).toEqual([...before.messages.keys()]);
  });

  it('grows by what is new in it', async () => {
    const here = device();
    await here.bring(chat({}));
    const more = [...SAID, 'And a third?'];
    const grown = chat({ id: 'c-1', idOf: (at) => `m-${at}`, words: more });
    expect(await here.bring(grown)).toMatchObject({
      conversations: CHANGED,
      messages: { user: 1, assistant: 0 },
    });
    const { messages, meta } = await only(here);
    expect([...messages.values()].map(textOf)).toEqual(more);
    expect(textOf(messages.get(meta.head as MessageId) as Message)).toBe('And a third?');
    expect((await here.bring(grown)).conversations).toEqual(UNCHANGED);
  });

  it('is another conversation if it lacks a word of the one here, or was said at another time', async () => {
    const here = device();
    await here.bring(chat({}));
    const ids = { idOf: (at: number) => `m-${at}` };
    await here.bring(chat({ ...ids, id: 'c-1', words: ['A poem, please.', 'Another line.'] }));
    expect(await here.entries()).toHaveLength(2);
  });

  it('does not join two conversations of one file that begin alike', async () => {
    const here = device();
    const [one, two] = [
      chat({ id: 'c-1', words: SAID.slice(0, 2) }, 'a.json'),
      chat({ id: 'c-2' }, 'b.json'),
    ];
    for (const _ of [1, 2]) {
      await here.bring(one, two);
      expect(await here.entries()).toHaveLength(2);
    }
  });

  it('gives two messages of the same words and time one each', async () => {
    const here = device();
    const twice = (id: string) =>
      filesOf({
        'chat.json': JSON.stringify({
          id: 'c-1',
          title: 'Poems',
          messages: [0, 1].map((at) => ({
            id: `${id}${at}`,
            role: 'user',
            content: 'Again.',
            timestamp: T0,
          })),
        }),
      })[0] as SourceFile;
    await here.bring(twice('m'));
    expect((await only(here)).messages.size).toBe(2);
    await here.bring(twice('n'));
    expect((await only(here)).messages.size).toBe(2);
  });
});

describe('an answer that was imported half', () => {
  it('is whole after an export that has all of it, and its half does not come back', async () => {
    const { bring, from, store } = device();
    await bring(listing(asked(HALF, { status: 'in_progress' })));
    const half = answerIn(await from('c-poem'));
    expect(half.finish).toBe('cut');
    expect(await bring(listing(asked(FULL)))).toMatchObject({ conversations: CHANGED });
    const answer = answerIn(await from('c-poem'));
    expect(textOf(answer)).toBe(FULL);
    expect(answer).toMatchObject({ id: half.id, parentId: half.parentId, createdAt: half.createdAt });
    expect(answer.finish).toBeUndefined();
    const head = await store.log.head();
    for (const again of [asked(FULL), asked(HALF, { status: 'in_progress' })])
      expect((await bring(listing(again))).conversations).toEqual(UNCHANGED);
    expect(await store.log.head()).toBe(head);
    await bring(listing(asked('Something else, and longer than all.')));
    expect(textOf(answerIn(await from('c-poem')))).toBe(FULL);
  });

  it('stays as it is where it was gone on with here: what follows was written behind its words', async () => {
    const { bring, from, say } = device();
    await bring(listing(asked(HALF, { status: 'in_progress' })));
    const before = await from('c-poem');
    const more = await say(before.id, 'ne, says another.', answerIn(before).id, { role: 'assistant' });
    expect((await bring(listing(asked(FULL)))).conversations).toEqual(UNCHANGED);
    const after = await from('c-poem');
    expect(textOf(answerIn(after))).toBe(HALF);
    expect(textOf(after.messages.get(more.id) as Message)).toBe('ne, says another.');
  });

  it('is completed itself, not a copy of it that was sent back here', async () => {
    const { bring, from, documents } = device();
    await bring(listing(asked(HALF, { status: 'in_progress' })));
    const before = await from('c-poem');
    const half = answerIn(before);
    const copies = Array.from({ length: 8 }, () => ({ ...half, id: newMessageId(), copyOf: half.id }));
    await documents.change(before.id, { messages: copies });
    await bring(listing(asked(FULL)));
    const { messages } = await from('c-poem');
    expect(textOf(messages.get(half.id) as Message)).toBe(FULL);
    for (const { id } of copies) expect(textOf(messages.get(id) as Message)).toBe(HALF);
  });

  it('goes with all that came of it when it is forgotten, and stays forgotten', async () => {
    const { bring, from, documents, store } = device();
    await bring(listing(asked(HALF)));
    await bring(listing(asked(FULL)));
    const { id, messages } = await from('c-poem');
    const answer = [...messages.values()].find(({ sourceId }) => sourceId === 'a1') as Message;
    await documents.change(id, { removed: [answer.id] });
    await bring(listing(asked(`${FULL} And a third.`)));
    expect((await from('c-poem')).messages.has(answer.id)).toBe(false);
    const bytes = (await store.log.read(id)).at(-1)?.bytes as Uint8Array;
    expect(new TextDecoder().decode(bytes)).not.toContain('third');
  });

  it('is told to the index as grown', async () => {
    const { bring, from, store } = device();
    await bring(listing(asked(HALF)));
    const { id } = await from('c-poem');
    const reader = createReader(store.log);
    expect((await reader.read(id))?.grown).toEqual([]);
    await bring(listing(asked(FULL)));
    const read = await reader.read(id);
    expect(read?.grown.map(textOf)).toEqual([FULL]);
    expect((await reader.read(id))?.grown[0]).toBe(read?.grown[0]);
  });
});

/** The time, which tests put forward between edits, so that the later one is certain. */
let clock = NOW;
beforeEach(() => {
  clock = NOW;
  vi.useFakeTimers({ toFake: ['Date'], now: clock });
});
afterEach(() => {
  vi.useRealTimers();
});
const later = () => {
  clock += 1000;
  vi.setSystemTime(clock);
};

describe('a newer backup of our own', () => {
  const equal = async (here: ReturnType<typeof device>, there: ReturnType<typeof device>) => {
    expect(await there.entries()).toEqual(await here.entries());
    for (const { id } of await here.entries()) expect(await there.read(id)).toEqual(await here.read(id));
  };

  it('brings titles, flags, instructions and trash, so that the libraries are equal', async () => {
    const here = device();
    await here.bring(listing(chatgpt.branched, chatgpt.tools, asked(FULL)));
    const there = device();
    await there.bring(await here.backup());
    await equal(here, there);

    later();
    const [branched, tools] = [await here.from('c-branched'), await here.from('c-tools')];
    await here.library.setMeta([branched.id], { title: 'Flat bread', pinned: true, archived: false });
    await here.documents.change(branched.id, { meta: { systemPrompt: 'Be brief. '.repeat(50) } });
    await here.library.remove([tools.id]);
    const second = await here.backup();
    expect(await there.bring(second)).toMatchObject({
      conversations: { added: 0, changed: 2, unchanged: 1 },
      later: { attachments: 0, answers: 0, titles: 2 },
      trashed: [tools.id],
    });
    await equal(here, there);
    const head = await there.store.log.head();
    expect((await there.bring(second)).conversations).toEqual({ added: 0, changed: 0, unchanged: 3 });
    expect(await there.store.log.head()).toBe(head);

    // The next import follows as well: it undoes here what was undone there.
    later();
    await here.library.restore([tools.id]);
    await here.library.setMeta([branched.id], { title: 'Flat bread II', pinned: false });
    await here.documents.change(branched.id, { meta: { systemPrompt: null } });
    await here.say(branched.id, 'And now?', branched.meta.head);
    const third = await here.backup();
    await there.bring(third);
    await equal(here, there);
    const fresh = device();
    await fresh.bring(third);
    await equal(here, fresh);
  });

  it('brings the session memory as it was saved there, and keeps what was saved here later', async () => {
    const here = device();
    await here.bring(listing(asked(FULL)));
    const { id } = await here.from('c-poem');
    const keep = (words: string, now: number, writer: string, before: Conversation) =>
      memoryFileChange(
        before,
        { lines: [{ text: words, by: 'person' }], upTo: null, out: [] },
        { now, writer, device: writer },
      );
    await here.documents.change(id, { meta: keep('- Written here', NOW, 'here', await here.read(id)) });
    const there = device();
    const backup = await here.backup();
    await there.bring(backup);
    expect(savedFiles(await there.read(id)).current?.lines).toMatchObject([{ text: '- Written here' }]);
    await there.documents.change(id, { meta: keep('- There', NOW + 1, 'there', await there.read(id)) });
    await there.bring(backup);
    expect(savedFiles(await there.read(id))).toMatchObject({ current: { writer: 'there' }, others: [] });
    await here.documents.change(id, { meta: keep('- Again here', NOW + 2, 'here', await here.read(id)) });
    await there.bring(await here.backup());
    const both = savedFiles(await there.read(id));
    expect(both.current?.lines).toMatchObject([{ text: '- Again here' }]);
    expect(both.others).toMatchObject([{ lines: [{ text: '- There' }] }]);
  });

  it('gives way to what a person changed here after it, and not before it', async () => {
    const here = device();
    await here.bring(listing(chatgpt.branched, chatgpt.tools));
    const there = device();
    await there.bring(await here.backup());
    const [{ id }, { id: other }] = [await here.from('c-branched'), await here.from('c-tools')];
    later();
    await there.library.setMeta([id], { archived: true });
    await there.library.remove([other]);
    later();
    await here.library.setMeta([id], { title: 'Theirs', pinned: true, archived: false });
    await here.library.setMeta([id], { archived: true });
    await here.library.setMeta([other], { title: 'Tools' });
    later();
    await there.library.setMeta([id], { title: 'Mine', archived: false });
    expect((await there.bring(await here.backup())).trashed).toEqual([other]);
    expect((await there.read(id)).meta).toMatchObject({
      title: 'Mine',
      titleBy: 'person',
      pinned: true,
      archived: false,
    });
    expect((await there.read(other)).meta).toMatchObject({ title: 'Tools', deletedAt: NOW });
  });

  it('does not put a title made from the words in place of one that was given', async () => {
    const here = device();
    await here.bring(listing(asked(FULL, { title: null })));
    const there = device();
    await there.bring(await here.backup());
    const { id } = await here.from('c-poem');
    later();
    await there.library.setMeta([id], { title: 'Mine' });
    later();
    await here.documents.change(id, { meta: { title: 'A poem', titleBy: 'auto' } });
    expect((await there.bring(await here.backup())).conversations).toEqual(UNCHANGED);
    expect((await there.read(id)).meta.title).toBe('Mine');
  });

  it('does not put into the trash what goes on here', async () => {
    const here = device();
    await here.bring(listing(asked(FULL)));
    const there = device();
    await there.bring(await here.backup());
    const { id, meta } = await here.from('c-poem');
    later();
    await here.library.setMeta([id], { pinned: true });
    await here.library.remove([id]);
    await there.say(id, 'More of it here.', meta.head, { createdAt: NOW + 1 });
    expect((await there.bring(await here.backup())).trashed).toEqual([]);
    expect((await there.read(id)).meta).toMatchObject({ deletedAt: null, pinned: true });
  });

  it('changes nothing back when an older one follows it', async () => {
    const here = device();
    await here.bring(listing(asked(FULL)));
    const { id } = await here.from('c-poem');
    await here.library.setMeta([id], { pinned: true });
    const older = await here.backup();
    later();
    await here.library.setMeta([id], { title: 'Later', pinned: false });
    const newer = await here.backup();
    const there = device();
    for (const backup of [older, newer, older]) await there.bring(backup);
    await equal(here, there);
    const head = await here.store.log.head();
    expect((await here.bring(older)).conversations).toEqual(UNCHANGED);
    expect(await here.store.log.head()).toBe(head);
  });

  it('of the first kind, that did not say when, changes no title and no flag', async () => {
    const here = device();
    await here.bring(listing(asked(FULL)));
    const { id } = await here.from('c-poem');
    const there = device();
    await there.bring(await here.backup());
    await here.library.setMeta([id], { title: 'Later', pinned: true });
    const text = new TextDecoder().decode(await (await here.backup()).bytes(new AbortController().signal));
    const { conversations, ...rest } = JSON.parse(text);
    delete conversations[0].said;
    const [older] = filesOf({ 'backup.json': JSON.stringify({ ...rest, conversations }) });
    expect((await there.bring(older as SourceFile)).conversations).toEqual(UNCHANGED);
  });
});

describe('a later export of another tool', () => {
  it('renames what has the title that it gave, and takes no flag back', async () => {
    const { bring, from, library } = device();
    await bring(listing(asked(FULL)));
    const odes = listing(asked(FULL, { title: 'Odes', is_archived: true }));
    expect(await bring(odes)).toMatchObject({ conversations: CHANGED, later: { titles: 1 } });
    const { id, meta } = await from('c-poem');
    expect(meta).toMatchObject({ title: 'Odes', titleBy: 'import', archived: false });
    expect((await bring(odes)).conversations).toEqual(UNCHANGED);
    await bring(listing(asked(FULL, { title: 'Elegies' })));
    expect((await from('c-poem')).meta.title).toBe('Elegies');

    await library.setMeta([id], { title: 'Mine' });
    for (const title of ['Odes', 'Elegies', 'Sonnets'])
      expect((await bring(listing(asked(FULL, { title })))).conversations).toEqual(UNCHANGED);
    expect((await from('c-poem')).meta.title).toBe('Mine');
  });

  it('does not rename what a newer one has renamed, nor by one of two that come together', async () => {
    const { bring, from, store } = device();
    await bring(listing(asked(FULL, { title: 'Odes', at: 9 })));
    expect((await bring(listing(asked(FULL)))).conversations).toEqual(UNCHANGED);
    const two = filesOf({
      'all/a/conversations.json': JSON.stringify([asked(FULL, { title: 'Elegies', at: 9 })]),
      'all/b/conversations.json': JSON.stringify([asked(FULL, { title: 'Sonnets', at: 9 })]),
    });
    await bring(...two);
    const { title } = (await from('c-poem')).meta;
    const head = await store.log.head();
    expect((await bring(...two)).conversations).toEqual(UNCHANGED);
    expect(await store.log.head()).toBe(head);
    expect((await from('c-poem')).meta.title).toBe(title);
  });
});

describe('of a large source, which is read twice', () => {
  it('what is here already is met once, and nothing is written', async () => {
    const { bring, store, documents } = device({ wholeUpToBytes: 0 });
    const all = listing(chatgpt.branched, chatgpt.tools, asked(FULL));
    await bring(all);
    const reading = vi.spyOn(documents, 'read');
    const head = await store.log.head();
    expect((await bring(all)).conversations).toEqual({ added: 0, changed: 0, unchanged: 3 });
    expect(reading).toHaveBeenCalledTimes(3);
    await bring(listing(chatgpt.branched, chatgpt.tools, asked(FULL, { title: 'Odes' })));
    expect(reading).toHaveBeenCalledTimes(3 + 3 + 1);
    expect(await store.log.head()).toBeGreaterThan(head);
  });
});

describe('on two devices, in any order (property)', () => {
  const FIELDS = ['title', 'pinned', 'archived', 'deletedAt'] as const;
  type Field = (typeof FIELDS)[number];
  type Device = ReturnType<typeof device>;
  interface Edit {
    readonly field: Field;
    readonly value: unknown;
  }
  const values: Record<Field, readonly unknown[]> = {
    title: ['one', 'two', 'three'],
    pinned: [true, false],
    archived: [true, false],
    deletedAt: [null, NOW],
  };
  const edit = fc
    .constantFrom(...FIELDS)
    .chain((field) => fc.record({ field: fc.constant(field), value: fc.constantFrom(...values[field]) }));
  const who = fc.constantFrom<0 | 1>(0, 1);
  const step = fc.oneof(
    fc.record({ who, brings: fc.nat({ max: 4 }) }),
    fc.record({ who, edit }),
    fc.constant('meet' as const),
  );

  /** Applies an edit; resolves to whether it changed anything. A person's title counts even if it is the same. */
  const apply = async ({ library, read }: Device, id: ConversationId, { field, value }: Edit) => {
    const { meta } = await read(id);
    if (meta[field] === value && (field !== 'title' || meta.titleBy === 'person')) return false;
    later();
    if (field !== 'deletedAt') await library.setMeta([id], { [field]: value });
    else if (value === null) await library.restore([id]);
    else await library.remove([id]);
    return true;
  };
  /** Carries changes between devices, as a relay would. */
  const meet = async (id: ConversationId, ...devices: readonly Device[]) => {
    for (const one of devices)
      for (const other of devices) {
        const known = new Set((await other.store.log.read(id)).map((entry) => entry.id));
        const news = (await one.store.log.read(id)).filter((entry) => !known.has(entry.id));
        await other.store.log.append(
          news.map(({ id, document, bytes }) => ({ id, document, bytes, origin: 'remote' })),
        );
      }
  };

  it('imports and edits converge, and the last word of a person on each field stands', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(edit, { maxLength: 3 }), { minLength: 2, maxLength: 2 }),
        fc.tuple(fc.nat({ max: 4 }), fc.nat({ max: 4 })),
        fc.array(step, { maxLength: 10 }),
        fc.boolean(),
        async (inAnotherTab, begin, steps, goesOn) => {
          const third = device();
          const exports = [
            { file: listing(asked(HALF, { status: 'in_progress' })), last: {}, isFull: false },
            {
              file: listing(asked(FULL, { title: 'Odes', is_archived: true, at: goesOn ? 9 : 2 })),
              last: {},
              isFull: true,
            },
            { file: listing(asked(FULL, { title: 'Elegies' })), last: {}, isFull: true },
          ] as { file: SourceFile; last: Partial<Record<Field, [number, unknown]>>; isFull: boolean }[];
          await third.bring(exports[0]?.file as SourceFile);
          const { id } = await third.from('c-poem');
          const said: Partial<Record<Field, [number, unknown]>> = {};
          const before = (await third.read(id)).meta;
          for (const some of inAnotherTab) {
            for (const one of some) {
              const now = (await third.read(id)).meta;
              await apply(third, id, one);
              // Repeating a value changes nothing, except for a title, which then is the person's.
              if (one.field === 'title' || (now[one.field] ?? null) !== one.value)
                said[one.field] = [clock, one.value];
            }
            exports.push({ file: await third.backup(), last: { ...said }, isFull: false });
          }

          const devices = [device(), device()] as const;
          const last: Partial<Record<Field, [number, unknown]>> = {};
          const hear = (more: typeof last) => {
            for (const field of FIELDS)
              if ((more[field]?.[0] ?? 0) > (last[field]?.[0] ?? 0))
                last[field] = more[field] as [number, unknown];
          };
          let isFull = false;
          const bring = async (at: 0 | 1, which: number) => {
            const brought = exports[which] as (typeof exports)[number];
            await devices[at].bring(brought.file);
            hear(brought.last);
            isFull ||= brought.isFull;
          };
          for (const at of [0, 1] as const) await bring(at, begin[at]);
          for (const one of steps) {
            if (one === 'meet') await meet(id, ...devices);
            else if ('brings' in one) await bring(one.who, one.brings);
            else if (await apply(devices[one.who], id, one.edit))
              hear({ [one.edit.field]: [clock, one.edit.value] });
          }
          await meet(id, ...devices);

          const [here, there] = [await devices[0].read(id), await devices[1].read(id)];
          expect(there).toEqual(here);
          for (const field of FIELDS) if (last[field]) expect(here.meta[field]).toBe(last[field][1]);
          if (!last.title) expect(['Poems', 'Odes', 'Elegies']).toContain(here.meta.title);
          if (!last.pinned) expect(here.meta.pinned).toBe(before.pinned);
          // Begun with the half here and the whole there, one of the two is the message until the whole comes again.
          if (exports[begin[0]]?.isFull === exports[begin[1]]?.isFull)
            expect(textOf(answerIn(here))).toBe(isFull ? FULL : HALF);

          const backup = await devices[0].backup();
          const fresh = device();
          await fresh.bring(backup);
          expect(await fresh.read(id)).toEqual(here);
          for (const { file } of [...exports, { file: backup }]) {
            await devices[0].bring(file);
            const head = await devices[0].store.log.head();
            expect((await devices[0].bring(file)).conversations).toEqual(UNCHANGED);
            expect(await devices[0].store.log.head()).toBe(head);
          }
          expect(textOf(answerIn(await devices[0].read(id)))).toBe(FULL);
        },
      ),
      { numRuns: runs(60, 15) },
    );
  }, 60_000);
});

describe('our own Markdown, which is for people', () => {
  const markdownOf = async ({ library }: ReturnType<typeof device>) => {
    const { name, blob } = await library.exportConversations('all', 'markdown');
    return { name, text: await blob.text() };
  };
  const file = ({ name, text }: { name: string; text: string }) =>
    fileFromBytes(name, new TextEncoder().encode(text));
  const planted = async () => {
    const here = device();
    const id = newConversationId();
    const first = await here.say(id, 'Which port?\n\n    one  two', null);
    await here.say(id, 'It is 8081, in `config.ts`.', first.id, { role: 'assistant' });
    await here.entries();
    return { here, id, written: await markdownOf(here) };
  };

  it('is no second conversation where the first one is here, whatever an editor did to its line ends', async () => {
    const { here, id, written } = await planted();
    await here.say(id, 'Since then', null);
    const before = await here.read(id);
    for (const text of [written.text, written.text.replaceAll('\n', '\r\n')])
      expect(await here.bring(file({ ...written, text }))).toMatchObject({
        conversations: { added: 0, changed: 0, unchanged: 1 },
      });
    expect(await here.entries()).toHaveLength(1);
    expect([...(await here.read(id)).messages.values()]).toEqual([...before.messages.values()]);
  });

  it('is one of its own where somebody changed the file, or the conversation is not here', async () => {
    const { here, written } = await planted();
    const edited = file({ ...written, text: written.text.replace('8081', '9090') });
    expect(await here.bring(edited)).toMatchObject({ conversations: { added: 1 } });
    expect(await here.bring(edited)).toMatchObject({ conversations: { added: 0, unchanged: 1 } });
    const other = device();
    expect(await other.bring(file(written))).toMatchObject({ conversations: { added: 1 } });
    expect(await other.bring(file(written))).toMatchObject({ conversations: { added: 0, unchanged: 1 } });
  });
});

describe('an older export after a newer one', () => {
  const talk = (title: string, update_time: number | undefined, more: Record<string, unknown> = {}) => {
    const { mapping, ...rest } = asked(FULL, { at: 9 });
    return {
      ...rest,
      title,
      ...(update_time === undefined ? {} : { update_time }),
      mapping: { ...mapping, ...more },
    };
  };
  /** Another answer, which the newer export no longer has. */
  const other = (seconds: number) => ({
    x: {
      id: 'x',
      parent: 'u1',
      children: [],
      message: {
        ...asked('Another.').mapping.a1.message,
        id: 'x',
        create_time: chatgpt.T0 + seconds,
      },
    },
  });
  const older = (update_time: number | undefined, seconds: number) => {
    const { mapping, ...rest } = asked(FULL);
    return {
      ...rest,
      ...(update_time === undefined ? {} : { update_time }),
      title: 'Old',
      current_node: 'x',
      mapping: { ...mapping, ...other(seconds) },
    };
  };
  const listing = (conversation: object) => filesOf({ 'conversations.json': JSON.stringify([conversation]) });

  it.each([
    ['by its last change', chatgpt.T0 + 20, chatgpt.T0 + 5, 9],
    ['by its messages', undefined, undefined, 5],
  ])('adds what is missing, and undoes nothing: %s', async (_, late, early, seconds) => {
    const { bring, from } = device();
    await bring(...listing(talk('New', late)));
    const before = await from('c-poem');
    const report = await bring(...listing(older(early, seconds)));
    expect(report).toMatchObject({ conversations: CHANGED, messages: { assistant: 1 } });
    const after = await from('c-poem');
    expect(after.meta).toMatchObject({ title: 'New', head: before.meta.head });
    expect([...after.messages.values()].map(textOf)).toContain('Another.');
    // The newer export still leads.
    await bring(...listing(talk('Newest', late === undefined ? undefined : late + 1)));
    expect((await from('c-poem')).meta).toMatchObject({ title: 'Newest', head: before.meta.head });
  });
});

it('keeps a message that was edited under its id beside the one that is here', async () => {
  const { bring, from } = device();
  const messages = (question: string, answer: string) =>
    filesOf({
      'chat.json': JSON.stringify({
        id: 'c',
        messages: [
          { id: 'q', role: 'user', content: question, timestamp: NOW },
          { id: 'a', role: 'assistant', content: answer, timestamp: NOW },
        ],
      }),
    });
  await bring(...messages('Which loaf?', 'Rye.'));
  const edited = messages('Which bread?', 'Spelt.');
  await bring(...edited);
  const { messages: here } = await from('c');
  const parents = Object.fromEntries(
    [...here.values()].map((one) => [textOf(one), one.parentId && textOf(here.get(one.parentId) as Message)]),
  );
  expect(parents).toEqual({
    'Which loaf?': null,
    'Rye.': 'Which loaf?',
    'Which bread?': null,
    'Spelt.': 'Which bread?',
  });
  for (const again of [edited, messages('Which loaf?', 'Rye.'), messages('Which', 'Ry')])
    expect((await bring(...again)).conversations).toEqual({ added: 0, changed: 0, unchanged: 1 });
});
