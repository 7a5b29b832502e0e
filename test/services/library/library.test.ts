// The library over real documents and a store in memory.
import { randomBytes } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { json } from '../../../src/adapters/exporters/json.ts';
import type { ImportedConversation, Importer, SourceFile } from '../../../src/adapters/importers/importer.ts';
import { fileFromBytes } from '../../../src/adapters/importers/source-file.ts';
import { openZip } from '../../../src/adapters/importers/zip.ts';
import type { Store } from '../../../src/adapters/log/conversation-log.ts';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import { RecollectError } from '../../../src/domain/base/errors.ts';
import {
  type ConversationId,
  LIBRARY_DOCUMENT,
  type MessageId,
  NOTES_DOCUMENT,
  newEntryId,
  newMessageId,
} from '../../../src/domain/base/ids.ts';
import { until } from '../../../src/domain/base/readable.ts';
import { nextTask } from '../../../src/domain/base/yielding.ts';
import { type Conversation, pathTo } from '../../../src/domain/chat/conversation.ts';
import { type Message, textOf } from '../../../src/domain/chat/message.ts';
import type { Compaction } from '../../../src/domain/chat/records.ts';
import type { Documents } from '../../../src/services/documents/documents.ts';
import { createDocuments } from '../../../src/services/documents/documents-service.ts';
import { createNotes, type Notes } from '../../../src/services/documents/notes.ts';
import { createLibrary, type LibraryDeps } from '../../../src/services/library/library-service.ts';
import { groupFiles } from '../../../src/services/library/sources.ts';
import { createPrompts } from '../../../src/services/prompts/prompts-service.ts';
import * as chatgpt from '../../fixtures/chatgpt.ts';
import * as claude from '../../fixtures/claude.ts';
import { conversationArbitrary } from '../../fixtures/conversations.ts';
import { filesOf, zipFile, zipped } from '../../fixtures/files.ts';
import * as kimi from '../../fixtures/kimi-cli.ts';
import * as markdown from '../../fixtures/markdown-files.ts';
import { sampleArchive } from '../../fixtures/recollect.ts';
import { englishWords } from '../../fixtures/words.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const closing: Documents[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const documents of closing.splice(0)) await documents.close();
});

function setup(deps: Partial<LibraryDeps & { notes: Notes }> = {}, store: Store = createInMemoryStore()) {
  const documents = createDocuments({ store, ...(deps.notes ? { notes: deps.notes } : {}) });
  closing.push(documents);
  const library = createLibrary({ documents, words: englishWords, now: () => NOW, ...deps });
  const entries = async () => (await until(documents.library, (l) => l.ready)).entries;
  const read = async (id: ConversationId) => (await documents.read(id)) as Conversation;
  const bySource = async (id: string) => {
    const entry = (await entries()).find((e) => e.source?.id === id);
    if (!entry) throw new Error(`no conversation from ${id}`);
    return read(entry.id);
  };
  return { store, documents, library, entries, read, bySource };
}

/** ZIPs inside each other, with an export in the innermost. */
const deep = async (zips: number): Promise<Uint8Array> =>
  await zipped(zips === 1 ? chatgpt.exportFiles : { 'inner.zip': await deep(zips - 1) });
const listing = (...conversations: unknown[]): SourceFile[] =>
  filesOf({ 'conversations.json': JSON.stringify(conversations) });

/** The branched conversation with one more message under what was shown. */
function grown() {
  const more = structuredClone(chatgpt.branched) as typeof chatgpt.branched;
  const template = more.mapping.a1;
  if (!template) throw new Error('fixture');
  more.mapping.u9 = {
    id: 'u9',
    parent: 'a2',
    children: [],
    message: {
      ...(template.message as object),
      id: 'u9',
      author: { role: 'user' },
      create_time: chatgpt.T0 + 200,
      content: { content_type: 'text', parts: ['One more.'] },
    },
  };
  more.mapping.a2?.children.push('u9');
  more.current_node = 'u9';
  more.title = 'Renamed over there';
  return more;
}

/** A conversation so long that the import appends it alone. */
function grownBig() {
  const more = grown();
  const message = more.mapping.u9?.message as { content: { parts: string[] } };
  message.content.parts = ['One more. '.repeat(500_000)];
  return more;
}

/** A conversation of one message, as an importer yields it. */
const made = (n: number): ImportedConversation => ({
  source: { tool: 'chatgpt', id: `talk-${n}` },
  meta: { title: `Talk ${n}`, createdAt: NOW },
  head: 'first',
  messages: [
    {
      id: 'first',
      parentId: null,
      role: 'user',
      kind: 'message',
      createdAt: NOW,
      parts: [{ type: 'text', text: `Words of ${n}` }],
    },
  ],
});

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const compactionAt = (at: MessageId): Compaction => ({
  id: newEntryId(),
  at,
  createdAt: NOW,
  strategy: 'summary',
  reason: 'manual',
  plan: { summaries: [{ text: 'They spoke of bread.' }] },
  tokensBefore: 900,
  tokensAfter: 90,
  durationMs: 1,
  undone: false,
});

describe('importing', () => {
  it('reports what came in', async () => {
    const { library, entries } = setup();
    const [report] = await library.importFiles([await zipFile('export.zip', chatgpt.exportFiles)]);
    expect(report).toMatchObject({
      source: 'export.zip',
      importer: 'chatgpt',
      conversations: { added: 3, changed: 0, unchanged: 0 },
      messages: { user: 7, assistant: 11, system: 1, tool: 2 },
      // All but the first: of three answers to one question, four under a picture, three roots of the tangled tree.
      branches: 7,
      attachments: 1,
      problem: null,
      cancelled: false,
    });
    expect(Object.fromEntries(report?.skipped.map(({ reason, count }) => [reason, count]) ?? [])).toEqual({
      'malformed-line': 3,
      'missing-attachment': 2,
      'impossible-time': 2,
      'unknown-part': 2,
      'unknown-role': 1,
      'broken-call': 1,
      'no-content': 1,
      'empty-conversation': 1,
      'service-file': 2,
    });
    expect((await entries()).map((e) => e.source?.id).sort()).toEqual(['c-branched', 'c-tangled', 'c-tools']);
    expect(report?.first).toBe((await entries()).find((e) => e.source?.id === 'c-branched')?.id);
  });

  it('reads an export that was packed by itself, and says of a damaged one that it is', async () => {
    const { library } = setup();
    const packed = new Uint8Array(gzipSync(JSON.stringify([chatgpt.branched])));
    const read = async (name: string, bytes: Uint8Array) =>
      (await library.importFiles([fileFromBytes(name, bytes)]))[0];
    expect(await read('conversations.json.gz', packed)).toMatchObject({
      source: 'conversations.json.gz',
      importer: 'chatgpt',
      conversations: { added: 1 },
      problem: null,
    });
    expect(await read('cut.json.gz', packed.subarray(0, 300))).toMatchObject({
      problem: { code: 'import-broken' },
    });
    const bomb = new Uint8Array(gzipSync(`[{"create_time":1,"mapping":{${' '.repeat(40_000_000)}`));
    expect(await read('bomb.json.gz', bomb)).toMatchObject({ problem: { code: 'import-bomb' } });
  });

  it('reads what was packed by itself within a folder, a ZIP, and once more', async () => {
    const lists = ['Which loaf?', 'Which roll?'].map((content) =>
      JSON.stringify([{ role: 'user', content }]),
    );
    const [first = '', second = ''] = lists;
    const packed = (text: string | Uint8Array) => new Uint8Array(gzipSync(text));
    for (const files of [
      filesOf({ 'chats/a.json.gz': packed(first), 'chats/b.json': second }),
      [await zipFile('chats.zip', { 'a.json.gz': packed(first), 'b.json.gz': packed(second) })],
    ])
      expect(await setup().library.importFiles(files)).toMatchObject([
        { conversations: { added: 2 }, skipped: [] },
      ]);
    const twice = filesOf({ 'a.json.gz': packed(packed(first)) });
    expect(await setup().library.importFiles(twice)).toMatchObject([{ conversations: { added: 1 } }]);
  });

  it('joins an earlier copy of a log with the later one beside it', async () => {
    const record = (at: number) => ({
      ...{ uuid: `u${at}`, parentUuid: at === 0 ? null : `u${at - 1}`, sessionId: 's', type: 'user' },
      message: { content: `words ${at}` },
    });
    const log = [0, 1, 2].map((at) => JSON.stringify(record(at)));
    const { library, entries } = setup();
    const files = filesOf({ 'p/a.jsonl': log.slice(0, 2).join('\n'), 'p/b.jsonl': log.join('\n') });
    expect(await library.importFiles(files)).toMatchObject([{ messages: { user: 3 } }]);
    expect((await entries()).length).toBe(1);
  });

  it('changes nothing the second time, whatever the format', async () => {
    const { library, store } = setup();
    const files = [
      await zipFile('chatgpt.zip', chatgpt.exportFiles),
      await zipFile('claude.zip', claude.exportFiles),
      ...filesOf(kimi.kimiHome, 1_750_000_900_000),
    ];
    const first = await library.importFiles(files);
    expect(first.map((r) => [r.importer, r.problem])).toEqual([
      ['kimi-cli', null],
      ['chatgpt', null],
      ['claude', null],
    ]);
    const head = await store.log.head();
    const again = await library.importFiles(files);
    expect(await store.log.head()).toBe(head);
    for (const [at, report] of again.entries()) {
      expect(report.conversations).toEqual({
        added: 0,
        changed: 0,
        unchanged: first[at]?.conversations.added,
      });
      expect(report.messages).toEqual({ user: 0, assistant: 0, system: 0, tool: 0 });
    }
  });

  it('gives two devices the same ids, so that they are one when they meet', async () => {
    const ids = async () => {
      const { library, entries, read } = setup();
      await library.importFiles([await zipFile('claude.zip', claude.exportFiles)]);
      const all = await Promise.all(
        (await entries()).map(async (e) => [e.id, ...(await read(e.id)).messages.keys()]),
      );
      return all.sort();
    };
    expect(await ids()).toEqual(await ids());
  });

  it('adds only what is new when an export has grown, and follows its head', async () => {
    const { library, bySource } = setup();
    await library.importFiles(listing(chatgpt.branched));
    const before = await bySource('c-branched');
    const [report] = await library.importFiles(listing(grown()));
    expect(report).toMatchObject({
      conversations: { added: 0, changed: 1, unchanged: 0 },
      messages: { user: 1, assistant: 0 },
    });
    const after = await bySource('c-branched');
    expect(after.id).toBe(before.id);
    expect(after.messages.size).toBe(before.messages.size + 1);
    expect(textOf(after.messages.get(after.meta.head as never) as never)).toBe('One more.');
  });

  it('leaves alone what the person changed', async () => {
    const { library, documents, bySource } = setup();
    await library.importFiles(listing(chatgpt.branched));
    const { id, messages } = await bySource('c-branched');
    const other = [...messages.values()].find((m) => m.sourceId === 'a1');
    await library.setMeta([id], { title: 'Mine', pinned: true, archived: false });
    await documents.change(id, { meta: { head: other?.id ?? null } });
    await library.importFiles(listing(grown()));
    const { meta } = await bySource('c-branched');
    expect(meta).toMatchObject({
      title: 'Mine',
      titleBy: 'person',
      pinned: true,
      archived: false,
      head: other?.id,
    });
  });

  it('leaves the head where the person has gone on writing', async () => {
    const { library, documents, bySource } = setup();
    await library.importFiles(listing(chatgpt.branched));
    const { id, meta } = await bySource('c-branched');
    const own = newMessageId();
    await documents.change(id, {
      messages: [
        {
          id: own,
          parentId: meta.head,
          role: 'user',
          kind: 'message',
          createdAt: NOW,
          parts: [{ type: 'text', text: 'mine' }],
        },
      ],
      meta: { head: own },
    });
    await library.importFiles(listing(grown()));
    const after = await bySource('c-branched');
    expect(after.meta.head).toBe(own);
    expect([...after.messages.values()].some((m) => textOf(m) === 'One more.')).toBe(true);
  });

  it('links subagents to the call that started them', async () => {
    const { library, bySource, entries } = setup();
    await library.importFiles(filesOf(kimi.kimiHome, 1_750_000_900_000));
    const parent = await bySource(kimi.PARENT);
    const child = await bySource(`${kimi.PARENT}/a1b2c3`);
    const caller = [...parent.messages.values()].find((m) => m.parts.some((p) => p.type === 'tool-call'));
    expect(child.meta.parent).toEqual({ conversationId: parent.id, messageId: caller?.id });
    expect((await entries()).filter((e) => e.child)).toHaveLength(1);
  });

  it('never rejects for what is in the files, and keeps nothing of what is broken', async () => {
    const { library, entries, store } = setup();
    const text = JSON.stringify(chatgpt.conversations);
    const cases: [SourceFile, string, string?][] = [
      [fileFromBytes('nothing.json', new Uint8Array(0)), 'import-empty'],
      [fileFromBytes('blank.json', new TextEncoder().encode('\ufeff \r\n')), 'import-empty'],
      [await zipFile('nothing.zip', {}), 'import-empty'],
      [
        fileFromBytes(
          'image.png',
          chatgpt.PNG.map((b, at) => (at === 3 ? 0 : b)),
        ),
        'import-binary',
      ],
      [fileFromBytes('notes.txt', new TextEncoder().encode('just some notes')), 'import-unknown'],
      [fileFromBytes('cut.json', new TextEncoder().encode(text.slice(0, 400))), 'import-broken'],
      [fileFromBytes('none.json', new TextEncoder().encode(JSON.stringify([chatgpt.empty]))), 'import-empty'],
      [
        fileFromBytes(
          'new.json',
          new TextEncoder().encode('{"format":"recollect","version":9,"conversations":[]}'),
        ),
        'import-newer',
      ],
      [fileFromBytes('broken.zip', new TextEncoder().encode('PK\u0003\u0004 and no more')), 'import-broken'],
      [await zipFile('locked.zip', chatgpt.exportFiles, { password: 'p' }), 'import-encrypted'],
      [
        await zipFile('bomb.zip', { 'conversations.json': `[${' '.repeat(17 * 1024 * 1024)}]` }),
        'import-bomb',
      ],
      [await zipFile('deep.zip', { 'a.zip': await deep(3) }), 'import-nested', 'deep.zip/a.zip/inner.zip'],
      [fileFromBytes('magic.zip', new TextEncoder().encode('{"a":1}')), 'import-unknown'],
      [fileFromBytes('bytes.zip', new Uint8Array([0, 1, 2, 0, 255])), 'import-binary'],
      [fileFromBytes('list.json', new TextEncoder().encode(' [ ]\n')), 'import-empty'],
      [
        await zipFile('new-account.zip', { 'conversations.json': '[]', 'user.json': '{"id":"u"}' }),
        'import-empty',
      ],
    ];
    const reports = await library.importFiles(cases.map(([file]) => file));
    expect(reports.map((r) => [r.source, r.problem?.code])).toEqual(
      cases.map(([file, code, source = file.path]) => [source, code]),
    );
    // What the refusal says is not told once more.
    expect(
      reports.flatMap(({ skipped }) => skipped).filter(({ reason }) => reason === 'damaged-file'),
    ).toEqual([]);
    expect(await entries()).toEqual([]);
    expect(await store.log.head()).toBe(0);
  });

  describe('leaves nothing half-imported of a file that is broken behind much that is good', () => {
    const good = JSON.stringify(chatgpt.manyMessages(200));
    const lost = async () => {
      const bytes = (
        await zipped({ 'conversations-000.json': good, 'conversations-001.json': good })
      ).slice();
      for (const name of ['conversations-000.json', 'conversations-001.json']) {
        const at = Buffer.from(bytes).indexOf(name) + name.length + 40;
        bytes.fill(0x55, at, at + 400);
      }
      return fileFromBytes('export.zip', bytes);
    };
    const cases: Record<string, () => Promise<SourceFile[]> | SourceFile[]> = {
      'a ChatGPT export without a whole conversation': () =>
        filesOf({ 'conversations.json': JSON.stringify([chatgpt.branched]).slice(0, -2) }),
      'a ZIP whose files are damaged from the beginning': async () => [await lost()],
    };
    describe.each([
      ['held', {}],
      ['read twice', { wholeUpToBytes: 0 }],
    ])('%s', (_, deps) => {
      it.each(Object.keys(cases))('%s', async (name) => {
        const { library, store } = setup(deps);
        const [report] = await library.importFiles((await cases[name]?.()) ?? []);
        expect(report).toMatchObject({
          problem: { code: 'import-broken' },
          conversations: { added: 0 },
          messages: { user: 0 },
        });
        expect(await store.log.head()).toBe(0);
      });
    });
  });

  describe('keeps the whole conversations of what is cut off, and names the file', () => {
    const text = (contents: string | Uint8Array) => Buffer.from(contents).toString();
    const two = JSON.stringify([chatgpt.branched, chatgpt.tools]).slice(0, -2);
    const one = JSON.stringify([grown()]);
    const inFolder = async () => {
      const other = setup();
      await other.library.importFiles(listing(chatgpt.tools));
      const backup = await (await other.library.exportConversations('all', 'json')).blob.text();
      return filesOf({
        'backups/a.json': text(await sampleArchive(json)).slice(0, 300),
        'backups/b.json': backup,
      });
    };
    const many = JSON.stringify(chatgpt.manyMessages(3_000));
    const part = (bytes: Uint8Array, share: number) => bytes.slice(0, Math.floor(bytes.length * share));
    const flipped = async (options = {}, by = 0x58) => {
      const whole = { 'conversations-000.json': one, 'conversations-001.json': many };
      const bytes = (await zipped(whole, options)).slice();
      bytes.fill(by, Math.floor(bytes.length * 0.6), Math.floor(bytes.length * 0.6) + 3);
      return [fileFromBytes('export.zip', bytes)];
    };
    const lines = Array.from({ length: 900 }, (_, n) =>
      JSON.stringify({
        messages: [
          { role: 'user', content: `Loaf ${n * n}?` },
          { role: 'assistant', content: `Rye ${n}.` },
        ],
      }),
    ).join('\n');
    const cutZip = async (files: Parameters<typeof zipped>[0], share: number) => [
      fileFromBytes('export.zip', part(await zipped(files), share)),
    ];
    const picture = new Uint8Array(randomBytes(90_000));
    const cases: Record<string, [files: () => Promise<SourceFile[]> | SourceFile[], damaged: string]> = {
      'a gzipped export that is cut off': [
        () => [fileFromBytes('conversations.json.gz', part(gzipSync(many), 0.7))],
        'conversations.json.gz: ',
      ],
      'a gzipped export that is damaged': [
        () => [fileFromBytes('conversations.json.gz', gzipSync(many).fill(0x58, 3_000, 3_009))],
        'conversations.json.gz: ',
      ],
      'gzipped lines that are cut off': [
        () => [fileFromBytes('chats.jsonl.gz', part(gzipSync(lines), 0.7))],
        'chats.jsonl.gz: ',
      ],
      'a ZIP that breaks off within its conversations': [
        () => cutZip({ 'conversations.json': many, 'user.json': '{"id":"u"}' }, 0.6),
        'export.zip/conversations.json: ',
      ],
      'a ZIP that breaks off within another file': [
        () =>
          cutZip({ 'conversations.json': one, 'user.json': '{"id":"u"}', 'file-AbC-cat.png': picture }, 0.6),
        'export.zip: 1',
      ],
      'a ZIP that breaks off between two files': [
        async () => {
          const bytes = await zipped({ 'conversations.json': one, 'file-AbC-cat.png': picture });
          return [fileFromBytes('export.zip', bytes.slice(0, Buffer.from(bytes).indexOf('file-AbC') - 20))];
        },
        'export.zip: 1',
      ],
      'a ZIP with a damaged file': [() => flipped(), 'export.zip/conversations-001.json: '],
      'a ZIP, by its checksum': [() => flipped({ level: 0 }), 'export.zip/conversations-001.json: '],
      'a ZIP whose damage garbles words': [
        () => flipped({ level: 0 }, 0xf1),
        'export.zip/conversations-001.json: ',
      ],
      'lines whose damage garbles words': [
        async () => {
          const bytes = (await zipped({ 'chats.jsonl': lines }, { level: 0 })).slice();
          return [fileFromBytes('export.zip', bytes.fill(0xf1, 9_000, 9_003))];
        },
        'export.zip/chats.jsonl: ',
      ],
      'a ChatGPT export': [() => filesOf({ 'conversations.json': two }), 'conversations.json: 1'],
      'the second file of a ChatGPT export': [
        () => filesOf({ 'conversations-000.json': one, 'conversations-001.json': two.slice(0, 50) }),
        'conversations-001.json: 0',
      ],
      'Claude.ai': [
        () =>
          filesOf({
            'conversations.json': text(claude.exportFiles['conversations.json']).trimEnd().slice(0, -2),
          }),
        'conversations.json: ',
      ],
      'one of our own in a folder': [inFolder, 'a.json: 0'],
    };
    describe.each([
      ['held', {}],
      ['read twice', { wholeUpToBytes: 0 }],
    ])('%s', (_, deps) => {
      it.each(Object.keys(cases))('%s', async (name) => {
        const [files, damaged] = cases[name] ?? [() => [], ''];
        const { library, entries } = setup(deps);
        const [report] = await library.importFiles(await files());
        expect(report?.problem).toBeNull();
        expect(report?.skipped).toContainEqual({
          reason: 'damaged-file',
          count: 1,
          example: expect.stringContaining(damaged),
        });
        expect(report?.skipped.filter(({ reason }) => reason === 'damaged-file')).toHaveLength(1);
        // The damage is named, and not what it did to the words.
        expect(report?.skipped.map(({ reason }) => reason)).not.toContain('undecoded');
        expect(report?.skipped.map(({ reason }) => reason)).not.toContain('other-encoding');
        expect(report?.conversations.added).toBeGreaterThan(0);
        expect((await entries()).length).toBe(report?.conversations.added);
      });
    });
  });

  describe('leaves out the one conversation that is larger than can be read, and names it', () => {
    const encoder = new TextEncoder();
    /** A file whose second conversation holds 200 MB of one letter, sent in pieces. */
    const huge = (path: string, before: string, after: string): SourceFile => {
      const filler = new Uint8Array(8 * 1024 * 1024).fill(0x78);
      async function* stream() {
        yield encoder.encode(before);
        for (let n = 0; n < 25; n += 1) yield filler;
        yield encoder.encode(after);
      }
      const bytes = () => Promise.reject(new Error('too large to hold'));
      return { path, size: 25 * filler.length, modifiedAt: 0, stream, bytes };
    };
    const [one, two] = [chatgpt.branched, chatgpt.tools].map((value) => JSON.stringify(value));
    const said = JSON.stringify({
      messages: [
        { role: 'user', content: 'Which loaf?' },
        { role: 'assistant', content: 'Rye.' },
      ],
    });
    it.each<[string, SourceFile, number]>([
      [
        'ChatGPT',
        huge('conversations.json', `[${one},{"title":"The long one","mapping":{"a":{"id":"`, `"}}},${two}]`),
        2,
      ],
      [
        'lines of requests',
        huge(
          'chats.jsonl',
          `${said}\n{"title":"The long one","messages":[{"role":"user","content":"`,
          `"}]}\n${said.replace('Rye', 'Spelt')}\n`,
        ),
        2,
      ],
    ])('%s', async (_, file, kept) => {
      const { library, entries } = setup();
      const [report] = await library.importFiles([file]);
      expect(report?.problem).toBeNull();
      expect(report?.skipped).toContainEqual({
        reason: 'oversized-conversation',
        count: 1,
        example: 'The long one',
      });
      expect(report?.conversations.added).toBe(kept);
      expect((await entries()).length).toBe(kept);
    });

    it('refuses a source of nothing else as too large', async () => {
      const { library } = setup();
      const [report] = await library.importFiles([
        huge(
          'conversations.json',
          '[{"title":"The long one","create_time":1,"mapping":{"a":{"id":"',
          '"}}}]',
        ),
      ]);
      expect(report?.problem?.code).toBe('import-too-large');
    });
  });

  it('tells what was left out of a source that could not be read', async () => {
    const { library } = setup();
    const broken = { conversation_id: 'c', current_node: 'n', mapping: 7 };
    const [report] = await library.importFiles(listing(broken, broken));
    expect(report?.problem?.code).toBe('import-broken');
    expect(report?.skipped).toMatchObject([{ reason: 'malformed-line', count: 2 }]);
    // A person who has read the report knows of the failed activity, too.
    expect(library.activities.get()).toMatchObject([{ id: report?.activity, state: 'failed' }]);
    expect(library.activities.get()[0]?.seen).toBeUndefined();
    library.acknowledge(report?.activity ?? '');
    expect(library.activities.get()).toMatchObject([{ state: 'failed', seen: true }]);
  });

  it('refuses before anything is changed where there is no room', async () => {
    const { library, store } = setup({ estimate: async () => ({ usage: 990, quota: 1000 }) });
    const [report] = await library.importFiles(listing(chatgpt.branched));
    expect(report?.problem).toMatchObject({ code: 'import-storage', params: { available: 10 } });
    expect(await store.log.head()).toBe(0);
  });

  it('refuses before anything is changed what would go beyond the size a person allowed', async () => {
    const limited = (limit: number) => {
      return setup({ storageSpace: async () => ({ used: 999_000, limit, state: 'warn' }) });
    };
    const { library, store } = limited(1_000_000);
    const [report] = await library.importFiles(listing(chatgpt.branched));
    expect(report?.problem).toMatchObject({ code: 'import-limit', params: { used: 1, limit: 1 } });
    expect(report?.conversations.added).toBe(0);
    expect(await store.log.head()).toBe(0);

    const roomy = limited(2_000_000_000);
    expect((await roomy.library.importFiles(listing(chatgpt.branched)))[0]?.problem).toBeNull();
    expect(await roomy.library.storageSpace()).toMatchObject({ used: 999_000 });
    // Messages that are here already need no room.
    const full = setup({ storageSpace: async () => ({ used: 9, limit: 9, state: 'full' }) }, roomy.store);
    expect((await full.library.importFiles(listing(chatgpt.branched)))[0]?.problem).toBeNull();
  });

  it('keeps nothing when it is cancelled, and says so in report and activity', async () => {
    const { library, store } = setup();
    const [file] = listing(chatgpt.branched);
    if (!file) throw new Error('fixture');
    const slow: SourceFile = {
      ...file,
      async *stream(signal) {
        const bytes = await file.bytes(signal);
        yield bytes.subarray(0, 1000);
        const [running] = library.activities.get();
        if (running && running.total > 0) library.cancel(running.id);
        yield bytes.subarray(1000);
      },
    };
    const [report] = await library.importFiles([slow]);
    expect(report).toMatchObject({ cancelled: true, problem: null, conversations: { added: 0 } });
    expect(library.activities.get()[0]?.state).toBe('cancelled');
    expect(await store.log.head()).toBe(0);
    expect((await library.importFiles(listing(chatgpt.branched), AbortSignal.abort()))[0]?.cancelled).toBe(
      true,
    );
  });

  it('shows progress, and a finished activity until it is dismissed', async () => {
    const { library } = setup();
    const states = new Set<string>();
    library.activities.subscribe(() => states.add(library.activities.get()[0]?.state ?? 'none'));
    const files = listing(chatgpt.branched);
    await library.importFiles(files);
    const [activity] = library.activities.get();
    expect(activity).toMatchObject({
      label: 'import',
      params: { name: 'conversations.json' },
      state: 'finished',
    });
    expect(activity?.done).toBe(activity?.total);
    expect(states).toContain('running');
    library.dismiss(activity?.id ?? '');
    expect(library.activities.get()).toEqual([]);
  });

  it('tells the index what came in', async () => {
    const notesAndFeedback: ConversationId[][] = [];
    const { library } = setup({ onImported: (ids) => notesAndFeedback.push([...ids]) });
    await library.importFiles(listing(chatgpt.branched, chatgpt.tools));
    await library.importFiles(listing(chatgpt.branched, chatgpt.tools));
    expect(notesAndFeedback.map((ids) => ids.length)).toEqual([2]);
  });

  it('reads a source that is too large to hold twice, and gets the same', async () => {
    const whole = setup();
    const parts = setup({ wholeUpToBytes: 0 });
    const file = await zipFile('export.zip', chatgpt.exportFiles);
    const [a] = await whole.library.importFiles([file]);
    const [b] = await parts.library.importFiles([file]);
    expect({ ...b, tookMs: 0 }).toEqual({ ...a, tookMs: 0 });
    for (const { id } of await whole.entries()) expect(await parts.read(id)).toEqual(await whole.read(id));
    const [again] = await parts.library.importFiles([file]);
    expect(again?.conversations).toEqual({ added: 0, changed: 0, unchanged: 3 });
    const [more] = await parts.library.importFiles(listing(grown()));
    expect(more?.conversations.changed).toBe(1);
  });

  it('lets go of each conversation that it has read before it reads on', async () => {
    const read: WeakRef<object>[] = [];
    let heldAtOnce = 0;
    const inPieces: Importer = {
      id: 'chatgpt',
      sniff: async () => 1,
      claim: async (own) => ({ own, beside: [] }),
      async *read() {
        for (let n = 0; n < 20; n += 1) {
          const conversation = made(n);
          read.push(new WeakRef(conversation.messages[0]?.parts ?? []));
          yield conversation;
          await nextTask();
          collectGarbage();
          heldAtOnce = Math.max(heldAtOnce, read.filter((one) => one.deref()).length);
        }
      },
    };
    const { library, bySource } = setup({ importers: [inPieces] });
    const [report] = await library.importFiles(filesOf({ 'conversations.json': '[]' }));
    expect(report).toMatchObject({ conversations: { added: 20 }, problem: null });
    expect(textOf([...(await bySource('talk-7')).messages.values()][0] as Message)).toBe('Words of 7');
    expect(heldAtOnce).toBeLessThanOrEqual(2);
  });

  it.each([
    ['held at once', {}, 'One more.'],
    ['written in parts', { wholeUpToBytes: 0 }, 'One more.'],
    ['written in parts, one of them in between', { wholeUpToBytes: 0 }, 'One more. '.repeat(500_000)],
  ])('of two exports in a folder the older one moves neither head nor title: %s', async (_, deps, words) => {
    const { library, bySource } = setup(deps);
    const newer = grown();
    const last = newer.mapping.u9;
    if (!last) throw new Error('fixture');
    const saying = (id: string, text: string) => ({
      ...last,
      id,
      message: { ...(last.message as object), id, content: { content_type: 'text', parts: [text] } },
    });
    newer.mapping.u9 = saying('u9', words);
    // Only the older export has the message that was deleted there since.
    const older = structuredClone(chatgpt.branched) as typeof chatgpt.branched;
    older.mapping.gone = { ...saying('gone', 'Gone since.'), parent: 'a1' };
    older.mapping.a1?.children.push('gone');
    older.current_node = 'gone';
    const [report] = await library.importFiles(
      filesOf({
        'both/a-new/conversations.json': JSON.stringify([newer]),
        'both/b-old/conversations.json': JSON.stringify([older]),
      }),
    );
    expect(report?.conversations).toEqual({ added: 1, changed: 0, unchanged: 0 });
    const { meta, messages } = await bySource('c-branched');
    expect(meta.title).toBe('Renamed over there');
    expect(messages.get(meta.head as MessageId)?.sourceId).toBe('u9');
    expect([...messages.values()].map((message) => message.sourceId)).toContain('gone');
    const counted = Object.values(report?.messages ?? {}).reduce((sum, n) => sum + n, 0);
    expect(counted).toBe(messages.size);
  });

  it('of two exports in a folder the newer one moves the head on', async () => {
    for (const deps of [{}, { wholeUpToBytes: 0 }]) {
      const { library, bySource } = setup(deps);
      await library.importFiles(
        filesOf({
          'both/a-old/conversations.json': JSON.stringify([chatgpt.branched]),
          'both/b-new/conversations.json': JSON.stringify([grown()]),
        }),
      );
      const { meta, messages } = await bySource('c-branched');
      expect(messages.get(meta.head as MessageId)?.sourceId).toBe('u9');
    }
  });

  it('takes back what it had added when a later append fails', async () => {
    const store = createInMemoryStore();
    const documents = createDocuments({ store });
    closing.push(documents);
    let appends = 0;
    const failing: Documents = {
      ...documents,
      changeMany: async (changes, origin) => {
        appends += 1;
        if (appends === 2) throw new RecollectError('storage-full', 'no room');
        await documents.changeMany(changes, origin);
      },
    };
    const library = createLibrary({
      documents: failing,
      words: englishWords,
      now: () => NOW,
      wholeUpToBytes: 0,
    });
    await library.importFiles(listing(chatgpt.branched));
    appends = 0;
    // The import appends new conversations first and changes last, so the second append fails.
    const [report] = await library.importFiles(listing(chatgpt.tools, grown()));
    expect(report?.problem?.code).toBe('import-storage');
    const entries = (await until(documents.library, (l) => l.ready)).entries;
    expect(entries.map((e) => e.source?.id)).toEqual(['c-branched']);
    expect(await documents.read(entries[0]?.id as ConversationId)).toMatchObject({
      meta: { title: 'Bread that rises' },
    });
  });

  it('says what is in where a disk is too full even to take it back, and goes on from there', async () => {
    const inner = createInMemoryStore();
    let isFull = false;
    const refuse = () => Promise.reject(new RecollectError('storage-full', 'no room', { retry: true }));
    const store: Store = {
      ...inner,
      log: {
        ...inner.log,
        append: (...given) => (isFull ? refuse() : inner.log.append(...given)),
        erase: (id) => (isFull ? refuse() : inner.log.erase(id)),
      },
    };
    const documents = createDocuments({ store });
    closing.push(documents);
    let appends = 0;
    const filling: Documents = {
      ...documents,
      changeMany: async (changes, origin) => {
        appends += 1;
        if (appends === 3) isFull = true;
        await documents.changeMany(changes, origin);
      },
    };
    const talks = ['one', 'two', 'three', 'four'].map((id) => ({ ...grownBig(), id, conversation_id: id }));
    const library = createLibrary({
      documents: filling,
      words: englishWords,
      now: () => NOW,
      wholeUpToBytes: 0,
    });
    const [report] = await library.importFiles(listing(...talks));
    expect(report).toMatchObject({ conversations: { added: 2 }, problem: { code: 'storage-full' } });
    const sources = async (of: Documents) =>
      (await until(of.library, (l) => l.ready)).entries.map(({ source }) => source?.id).sort();
    expect(await sources(documents)).toEqual(['one', 'two']);
    // As after a kill, and as after the person made room.
    const killed = createDocuments({ store: inner });
    closing.push(killed);
    expect(await sources(killed)).toEqual(['one', 'two']);
    isFull = false;
    await documents.retry();
    const [again] = await library.importFiles(listing(...talks));
    expect(again).toMatchObject({ conversations: { added: 2, unchanged: 2 }, problem: null });
    const later = createDocuments({ store: inner });
    closing.push(later);
    expect(await sources(later)).toEqual(['four', 'one', 'three', 'two']);
    for (const { id } of later.library.get().entries) expect(await later.read(id)).toBeDefined();
  });

  it.each(['cancelled', 'no room'])(
    'keeps of an import that is taken back what somebody has touched meanwhile: %s',
    async (how) => {
      const store = createInMemoryStore();
      const documents = createDocuments({ store });
      closing.push(documents);
      const talks = ['touched', 'open', 'untouched'].map((id) => ({
        ...grownBig(),
        id,
        conversation_id: id,
      }));
      let appends = 0;
      const touching: Documents = {
        ...documents,
        changeMany: async (changes, origin) => {
          appends += 1;
          if (appends === 3 && how === 'no room') throw new RecollectError('storage-full', 'no room');
          const all = [...changes];
          await documents.changeMany(all, origin);
          const [id] = all.map((change) => change.id);
          if (!id) throw new Error('nothing was written');
          if (appends === 1) await documents.change(id, { meta: { pinned: true } });
          if (appends === 2) await documents.open(id);
          if (appends === 3) library.cancel(library.activities.get()[0]?.id ?? '');
        },
      };
      const marks: (string | null)[] = [];
      const library = createLibrary({
        documents: touching,
        words: englishWords,
        now: () => NOW,
        wholeUpToBytes: 0,
        unfinished: { recall: async () => null, keep: async (name) => void marks.push(name) },
      });
      const [report] = await library.importFiles(listing(...talks));
      expect(report).toMatchObject({
        cancelled: how === 'cancelled',
        conversations: { added: 2, changed: 0, unchanged: 0 },
      });
      if (how === 'no room') expect(report?.problem?.code).toBe('storage-full');
      const { entries } = await until(documents.library, (l) => l.ready);
      expect(entries.map((e) => e.source?.id).sort()).toEqual(['open', 'touched']);
      expect(entries.map((e) => e.id)).toContain(report?.first);
      expect(marks).toEqual(['conversations.json', null]);
    },
  );

  it('tells of an import that was cut off with its tab, once', async () => {
    let name: string | null = 'export.zip';
    const unfinished = {
      recall: async () => name,
      keep: async (value: string | null) => {
        name = value;
      },
    };
    const { library } = setup({ unfinished });
    const [notesAndFeedback] = await until(library.activities, ([first]) => first?.state === 'failed');
    expect(notesAndFeedback?.problem).toMatchObject({
      code: 'import-cut-off',
      params: { name: 'export.zip' },
    });
    await expect.poll(() => name).toBeNull();
    const [report] = await setup({ unfinished }).library.importFiles(listing(chatgpt.branched));
    expect(report?.problem).toBeNull();
  });

  it('says of what it met lies in the trash, and restores nothing unasked', async () => {
    for (const deps of [{}, { wholeUpToBytes: 0 }]) {
      const { library, entries } = setup(deps);
      const [before] = await library.importFiles(listing(chatgpt.branched, chatgpt.tools));
      expect(before?.trashed).toEqual([]);
      const thrown = (await entries()).map((e) => e.id).sort();
      await library.remove(thrown);
      const [report] = await library.importFiles(listing(grown(), chatgpt.tools));
      expect(report?.conversations).toEqual({ added: 0, changed: 1, unchanged: 1 });
      expect([...(report?.trashed ?? [])].sort()).toEqual(thrown);
      expect((await entries()).map((e) => e.deletedAt)).toEqual([NOW, NOW]);
    }
  });

  it('takes a folder that nobody knows as the exports that lie in it', async () => {
    const { library } = setup();
    const inner = await zipFile('Downloads/claude.zip', claude.exportFiles);
    const reports = await library.importFiles([
      inner,
      ...filesOf({ 'Downloads/photo.txt': 'x', 'Downloads/odd.json': '{"a":1}' }),
    ]);
    expect(reports.map((r) => [r.source, r.importer, r.problem?.code])).toEqual([
      ['Downloads/claude.zip', 'claude', undefined],
    ]);
    expect(reports[0]?.skipped).toContainEqual({
      reason: 'unread-file',
      count: 2,
      example: 'Downloads/odd.json\nDownloads/photo.txt',
    });
  });

  it('takes every kind of export in a folder, opens its ZIPs, and names what nobody reads', async () => {
    const inAnotherTab = setup();
    await inAnotherTab.library.importFiles(listing(chatgpt.tools));
    const backup = await inAnotherTab.library.exportConversations('all', 'json');
    const within = (folder: string, files: Readonly<Record<string, string | Uint8Array>>) =>
      Object.fromEntries(Object.entries(files).map(([path, contents]) => [`${folder}/${path}`, contents]));
    const zip = await zipFile('all/claude-too.zip', claude.exportFiles);
    const files = [
      ...filesOf({
        ...within('all/gpt', chatgpt.exportFiles),
        ...within('all/anthropic', claude.exportFiles),
        ...within('all', kimi.kimiHome),
        'all/backup.json': await backup.blob.text(),
        'all/gpt/second.json': JSON.stringify([grown()]),
        'all/letter.pdf': '%PDF',
        'all/settings.json': '{"a":1}',
        'all/odd.zip': 'PK',
      }),
      zip,
    ];
    const { library, entries, bySource } = setup();
    const reports = await library.importFiles(files);
    expect(reports.map((r) => [r.source, r.importer, r.problem?.code]).sort()).toEqual(
      [
        ['all', 'recollect', undefined],
        ['all', 'kimi-cli', undefined],
        ['all', 'chatgpt', undefined],
        ['all', 'claude', undefined],
        ['all/gpt/second.json', 'chatgpt', undefined],
        ['all/claude-too.zip', 'claude', undefined],
      ].sort(),
    );
    const unread = reports.flatMap((r) => r.skipped.filter((s) => s.reason === 'unread-file'));
    expect(unread).toEqual([
      { reason: 'unread-file', count: 3, example: 'all/letter.pdf\nall/odd.zip\nall/settings.json' },
    ]);
    // Each file imported alone gives the same conversations.
    const alone = setup();
    await alone.library.importFiles([
      await zipFile('gpt.zip', chatgpt.exportFiles),
      await zipFile('claude.zip', claude.exportFiles),
      ...filesOf(kimi.kimiHome),
    ]);
    expect((await entries()).map((e) => e.source?.id).sort()).toEqual(
      (await alone.entries()).map((e) => e.source?.id).sort(),
    );
    const pictured = [...(await bySource('c-branched')).messages.values()];
    expect(pictured.some((m) => m.parts.some((part) => part.type === 'file' && part.url))).toBe(
      [...(await alone.bySource('c-branched')).messages.values()].some((m) =>
        m.parts.some((part) => part.type === 'file' && part.url),
      ),
    );
  });

  it('counts of a folder only what may be read of it', async () => {
    const { library } = setup({ wholeUpToBytes: 100_000 });
    const own = filesOf({
      'all/gpt/conversations.json': JSON.stringify([chatgpt.tools]),
      'all/pictures/file-AbC123-data.png': 'a picture',
    });
    const video = filesOf({ 'all/film.mp4': 'x'.repeat(200_000) });
    const [report] = await library.importFiles([...own, ...video]);
    expect(report).toMatchObject({ importer: 'chatgpt', conversations: { added: 1 }, attachments: 1 });
    expect(library.activities.get()[0]?.total).toBe(own.reduce((sum, { size }) => sum + size, 0));
  });

  it('takes in what is an export by its content, whatever its name', async () => {
    const backup = Buffer.from(await sampleArchive(json)).toString();
    for (const [name, contents, importer] of [
      ['export.zip', chatgpt.exportFiles['conversations.json'], 'chatgpt'],
      ['conversations', claude.exportFiles['conversations.json'], 'claude'],
      ['conversations.json.txt', chatgpt.exportFiles['conversations.json'], 'chatgpt'],
      ['backup.json.bak', backup, 'recollect'],
      ['backup', backup, 'recollect'],
    ] as const)
      for (const path of name === 'backup' ? [name] : [name, `folder/${name}`]) {
        const { library } = setup();
        const reports = await library.importFiles(filesOf({ [path]: contents, 'folder/notes.txt': 'hello' }));
        const read = reports.filter((r) => r.importer !== null);
        expect(
          read.map((r) => [r.importer, r.problem]),
          path,
        ).toEqual([[importer, null]]);
      }
  });

  it('names an export’s files that hold no conversations, chosen one by one or as a whole', async () => {
    const silent = {
      'users.json': '[{"uuid":"acc"}]',
      'user.json': '{"id":"u"}',
      'message_feedback.json': '[]',
      'shared_conversations.json': '[{"id":"s","conversation_id":"c","title":"t"}]',
      'user_settings.json': '{"a":1}',
      'chat.html': '<html></html>',
    };
    for (const exported of [
      chatgpt.exportFiles['conversations.json'],
      claude.exportFiles['conversations.json'],
    ]) {
      const files = { 'conversations.json': exported, ...silent };
      const within = Object.fromEntries(Object.entries(files).map(([path, c]) => [`folder/${path}`, c]));
      for (const all of [filesOf(files), filesOf(within), [await zipFile('export.zip', files)]]) {
        const reports = await setup().library.importFiles(all);
        expect(reports.map((r) => r.problem)).toEqual([null]);
        expect(reports[0]?.skipped.map((s) => s.reason)).not.toContain('unread-file');
        expect(reports[0]?.skipped.find(({ reason }) => reason === 'service-file')).toEqual({
          reason: 'service-file',
          count: 5,
          // An empty list leaves nothing out.
          example: 'chat.html\nshared_conversations.json\nuser.json\nuser_settings.json\nusers.json',
        });
      }
    }
  });

  it('refuses a ZIP within a ZIP by itself, as it would outside, and takes in the others', async () => {
    const { library } = setup();
    const text = `[${' '.repeat(17 * 1024 * 1024)}]`;
    const wrapped = {
      'good.zip': await zipped({ 'conversations.json': JSON.stringify([claude.flat]) }),
      'bomb.zip': await zipped({ 'conversations.json': text }),
      'cut.zip': new TextEncoder().encode('PK\u0003\u0004 and no more'),
    };
    const reports = await library.importFiles([await zipFile('Takeout.zip', wrapped)]);
    expect(reports.map(({ source, problem }) => [source, problem?.code])).toEqual([
      ['Takeout.zip/good.zip', undefined],
      ['Takeout.zip/bomb.zip', 'import-bomb'],
      ['Takeout.zip/cut.zip', 'import-broken'],
    ]);
  });

  it('reads ZIPs within a ZIP, and says in which each lay', async () => {
    const { library, entries } = setup();
    const wrapped = {
      'read me.txt': 'hello',
      'mine/chatgpt.zip': await zipped(chatgpt.exportFiles),
      'more.zip': await zipped({
        'claude.zip': await zipped({ 'conversations.json': JSON.stringify([claude.flat]) }),
      }),
      'song.zip': await zipped({ 'song.txt': 'la' }),
    };
    const read = async () => await library.importFiles([await zipFile('Takeout.zip', wrapped)]);
    const reports = await read();
    expect(reports.map(({ source, importer, problem }) => [source, importer, problem])).toEqual([
      ['Takeout.zip/mine/chatgpt.zip', 'chatgpt', null],
      ['Takeout.zip/more.zip/claude.zip', 'claude', null],
    ]);
    expect(reports[0]?.skipped.find(({ reason }) => reason === 'unread-file')).toMatchObject({ count: 2 });
    expect(library.activities.get().filter(({ state, seen }) => state === 'failed' && !seen)).toEqual([]);
    const before = (await entries()).length;
    expect(before).toBeGreaterThan(1);
    expect((await read()).map(({ conversations }) => conversations.added)).toEqual([0, 0]);
    expect(await entries()).toHaveLength(before);
  });

  it('reads a folder of Markdown, and names what is no conversation', async () => {
    const { library, entries } = setup();
    const all = filesOf(
      Object.fromEntries(
        Object.entries({ ...markdown.files, ...markdown.documents }).map(([path, text]) => [
          `vault/${path}`,
          text,
        ]),
      ),
    );
    const [report, ...others] = await library.importFiles(all);
    expect(others).toEqual([]);
    expect(report).toMatchObject({
      source: 'vault',
      importer: 'markdown',
      conversations: { added: Object.keys(markdown.files).length },
      problem: null,
      skipped: [{ reason: 'unread-file', count: Object.keys(markdown.documents).length }],
    });
    const [again] = await library.importFiles(all);
    expect(again?.conversations).toMatchObject({ added: 0, changed: 0 });
    expect(await entries()).toHaveLength(Object.keys(markdown.files).length);
    const several = await setup().library.importFiles(
      all.map((file) => ({ ...file, path: file.path.slice(file.path.lastIndexOf('/') + 1) })),
    );
    expect(several).toHaveLength(1);
    expect(several[0]).toMatchObject({ importer: 'markdown', problem: null, skipped: [{ count: 3 }] });
  });

  it('tells of memories, projects and strange files, a ZIP of them among them, beside the conversations of an export', async () => {
    const files = {
      'conversations.json': JSON.stringify([claude.flat]),
      'memories.json': '[{"conversations_memory":"Likes tea."}]',
      'projects.json': '[{"uuid":"p","name":"Garden"}]',
    };
    const zip = await zipFile('export.zip', {
      ...files,
      'more.zip': await zipped({ 'song.txt': 'la' }),
      'letter.pdf': '%PDF',
    });
    const notesAndFeedback = async (all: readonly SourceFile[]) => {
      const reports = await setup().library.importFiles(all);
      expect(reports.map((r) => r.problem)).toEqual([null]);
      return Object.fromEntries(reports[0]?.skipped.map(({ reason, count }) => [reason, count]) ?? []);
    };
    expect(await notesAndFeedback([zip])).toEqual({
      'impossible-time': 1,
      'service-memory': 1,
      'service-project': 1,
      'unread-file': 2,
    });
    expect(await notesAndFeedback(filesOf(files))).toEqual({
      'impossible-time': 1,
      'service-memory': 1,
      'service-project': 1,
    });
  });

  it('keeps the dates of an export where the clock of the device is wrong', async () => {
    const { library, bySource } = setup({ now: () => Date.UTC(2019, 0, 1) });
    const [report] = await library.importFiles(listing(chatgpt.branched));
    expect(report?.skipped).toEqual([]);
    const { messages, meta } = await bySource('c-branched');
    expect([...messages.values()].find((m) => m.sourceId === 'u1')?.createdAt).toBe((chatgpt.T0 + 1) * 1000);
    expect(meta.createdAt).toBe(chatgpt.T0 * 1000);
  });

  it('names nothing where a folder holds one export and what belongs to it', async () => {
    for (const [folder, contents] of [
      ['gpt', chatgpt.exportFiles],
      ['claude', claude.exportFiles],
      ['home', kimi.kimiHome],
      [`sessions/${kimi.BUCKET}/s`, kimi.dmailSession],
      ['session', kimi.exportedZip],
    ] as const) {
      const { library } = setup();
      const reports = await library.importFiles(
        filesOf(Object.fromEntries(Object.entries(contents).map(([path, c]) => [`${folder}/${path}`, c]))),
      );
      expect(reports).toHaveLength(1);
      expect(reports[0]?.skipped.map((s) => s.reason)).not.toContain('unread-file');
    }
  });
});

describe('grouping', () => {
  it('puts together what belongs together', () => {
    const names = (files: Record<string, string>) =>
      groupFiles(filesOf(files)).map((source) => [source.name, source.files.map((file) => file.path)]);
    expect(names({ 'a.zip': '1', 'b.json': '2' })).toEqual([
      ['a.zip', ['a.zip']],
      ['b.json', ['b.json']],
    ]);
    expect(names({ 's/context.jsonl': '1', 's/wire.jsonl': '2', 't/x': '3' })).toEqual([
      ['s', ['s/context.jsonl', 's/wire.jsonl']],
      ['t', ['t/x']],
    ]);
    expect(names({ 'context.jsonl': '1', 'wire.jsonl': '2', 'state.json': '3', 'z.zip': '4' })).toEqual([
      ['context.jsonl', ['context.jsonl', 'wire.jsonl', 'state.json']],
      ['z.zip', ['z.zip']],
    ]);
    expect(
      names({
        'conversations-000.json': '1',
        'conversations-001.json': '2',
        'file-A.png': '3',
        'notes.txt': '5',
        'z.zip': '4',
      }),
    ).toEqual([
      ['conversations (2)', ['conversations-000.json', 'conversations-001.json', 'file-A.png']],
      ['notes.txt', ['notes.txt']],
      ['z.zip', ['z.zip']],
    ]);
  });
});

describe('documents that are no conversations', () => {
  it('are told from exports that nobody knows, alone and in a folder', async () => {
    const { library } = setup();
    const bytes = new TextEncoder().encode('# Garden plan');
    const reports = await library.importFiles([
      fileFromBytes('plan.md', bytes),
      fileFromBytes('survey.pdf', new Uint8Array([37, 80, 68, 70, 0, 1])),
      fileFromBytes('data.json', new TextEncoder().encode('{"a":1}')),
      fileFromBytes('notes/garden.md', bytes),
      fileFromBytes('notes/boat.md', bytes),
    ]);
    expect(reports.map(({ source, problem }) => [source, problem?.code, problem?.params?.reason])).toEqual([
      ['notes', 'import-unknown', 'documents'],
      ['plan.md', 'import-unknown', 'documents'],
      ['survey.pdf', 'import-unknown', 'documents'],
      ['data.json', 'import-unknown', undefined],
    ]);
  });
});

describe('taking out', () => {
  const asFile = async (exported: { name: string; blob: Blob }) =>
    fileFromBytes(exported.name, new Uint8Array(await exported.blob.arrayBuffer()));

  it('everything as JSON gives an equal library elsewhere, trash and links included', async () => {
    const here = setup();
    await here.library.importFiles([
      await zipFile('chatgpt.zip', chatgpt.exportFiles),
      ...filesOf(kimi.kimiHome, 1_750_000_900_000),
    ]);
    await here.library.addSamples();
    const [trashed] = await here.entries();
    await here.library.remove([trashed?.id as ConversationId]);
    const file = await here.library.exportConversations('all', 'json');
    expect(file).toMatchObject({ name: 'recollect-2026-11-21.json', mediaType: 'application/json' });
    const there = setup();
    const [report] = await there.library.importFiles([await asFile(file)]);
    expect(report).toMatchObject({ importer: 'recollect', skipped: [], problem: null });
    expect(await there.entries()).toEqual(await here.entries());
    for (const { id } of await here.entries()) expect(await there.read(id)).toEqual(await here.read(id));
    const head = await there.store.log.head();
    const [again] = await there.library.importFiles([await asFile(file)]);
    expect(again?.conversations.added).toBe(0);
    expect(await there.store.log.head()).toBe(head);
  });

  it('everything takes the memory notes and the feedback along; the later words of a note win', async () => {
    const home = () => {
      const store = createInMemoryStore();
      let at = 1000;
      const notes = createNotes({ store, now: () => (at += 1) });
      return { notes, ...setup({ notes }, store) };
    };
    const here = home();
    await here.library.addSamples();
    const note = await here.notes.write({ text: 'Call me by my first name. 叫我小林' });
    await here.notes.judge({
      verdict: 'never',
      conversationId: 'c',
      messageId: 'm',
      query: null,
      passage: 'old',
      title: 'Old',
    });
    const file = await here.library.exportConversations('all', 'json');
    const there = home();
    const [report] = await there.library.importFiles([await asFile(file)]);
    expect(report).toMatchObject({ notesAndFeedback: 2, problem: null, skipped: [] });
    expect(there.notes.state.get()).toEqual(here.notes.state.get());
    await there.notes.write({ id: note.id, text: 'Call me Lin.' });
    const [again] = await there.library.importFiles([await asFile(file)]);
    expect(again?.notesAndFeedback).toBe(0);
    expect(there.notes.state.get().notes.map(({ text }) => text)).toEqual(['Call me Lin.']);
  });

  it('everything takes saved prompts and personas along, under the ids that conversations name', async () => {
    const home = () => {
      const store = createInMemoryStore();
      const notes = createNotes({ store, now: Date.now });
      const prompts = createPrompts({ store, now: Date.now, onProblem: console.error });
      return { prompts, ...setup({ notes, prompts }, store) };
    };
    const here = home();
    await here.library.addSamples();
    await here.prompts.savePrompt({ name: 'Mail', description: '', text: 'To {{whom}}' });
    const { id } = await here.prompts.savePersona({
      name: 'Pirate',
      description: '',
      sign: '',
      colour: 'red',
      instructions: 'Arr.',
      model: null,
      parameters: {},
      memory: 'all',
      project: null,
    });
    const file = await here.library.exportConversations('all', 'json');
    const there = home();
    const [report] = await there.library.importFiles([await asFile(file)]);
    expect(report).toMatchObject({ notesAndFeedback: 2, problem: null, skipped: [] });
    expect(there.prompts.state.get()).toMatchObject({ prompts: [{ name: 'Mail' }], personas: [{ id }] });
    const [again] = await there.library.importFiles([await asFile(file)]);
    expect(again?.notesAndFeedback).toBe(0);
  });

  /** Reading this document of the log fails until `mockRestore`. */
  const failReading = ({ log }: Store, unread: string) => {
    const { read } = log;
    return vi
      .spyOn(log, 'read')
      .mockImplementation((document, ...rest) =>
        document === unread
          ? Promise.reject(new RecollectError('storage-failed', 'No disk'))
          : read.call(log, document, ...rest),
      );
  };

  it('of everything fails where notes or prompts cannot be read, and comes once they can', async () => {
    const store = createInMemoryStore();
    const read = failReading(store, NOTES_DOCUMENT);
    const prompts = createPrompts({ store, now: Date.now, onProblem: () => {} });
    const { library } = setup({ prompts }, store);
    await expect(library.exportConversations('all', 'json')).rejects.toMatchObject({
      problem: { code: 'storage-failed' },
    });
    read.mockRestore();
    expect((await library.exportConversations('all', 'json')).name).toContain('recollect-');
  });

  describe('where the list of conversations cannot be read', () => {
    const unread = async () => {
      const store = createInMemoryStore();
      const before = setup({}, store);
      await before.library.addSamples();
      await before.documents.close();
      failReading(store, LIBRARY_DOCUMENT);
      return { ...setup({}, store), head: await store.log.head() };
    };
    const failed = { problem: { code: 'storage-failed' } };

    it('an export of everything is refused, not empty, and no backup', async () => {
      const keep = vi.fn(async () => {});
      const { documents } = await unread();
      const library = createLibrary({
        documents,
        words: englishWords,
        now: () => NOW,
        backups: { recall: async () => undefined, keep },
      });
      await expect(library.exportConversations('all', 'json')).rejects.toMatchObject(failed);
      expect(keep).not.toHaveBeenCalled();
    });

    it('an import brings in nothing twice, and says why', async () => {
      const { library, store, head } = await unread();
      const [report] = await library.importFiles(filesOf({ 'recollect.json': await sampleArchive(json) }));
      expect(report).toMatchObject(failed);
      expect(await store.log.head()).toBe(head);
    });
  });

  it('tells what came in where the notes of it could not be kept', async () => {
    const store = createInMemoryStore();
    const notes = createNotes({ store, now: () => NOW });
    await notes.write({ text: 'Bread wants salt.' });
    const { library } = setup({ notes }, store);
    await library.importFiles(listing(chatgpt.branched));
    const backup = await library.exportConversations('all', 'json');
    const file = fileFromBytes(backup.name, new Uint8Array(await backup.blob.arrayBuffer()));

    const indexed: ConversationId[] = [];
    const inAnotherTab = setup({
      notes: {
        ...notes,
        bring: async () => {
          throw new RecollectError('storage-full', 'no room');
        },
      },
      onImported: (ids) => indexed.push(...ids),
    });
    const [report] = await inAnotherTab.library.importFiles([file]);
    const ids = (await inAnotherTab.entries()).map((e) => e.id);
    expect(ids).toHaveLength(1);
    expect(indexed).toEqual(ids);
    expect(report).toMatchObject({
      importer: 'recollect',
      conversations: { added: 1, changed: 0, unchanged: 0 },
      notesAndFeedback: 0,
      first: ids[0],
      problem: { code: 'storage-full' },
    });
    expect(report?.messages.user).toBeGreaterThan(0);
    expect(inAnotherTab.library.activities.get()[0]).toMatchObject({ state: 'failed' });
    notes.close();
  });

  it('of a file with notes and feedback alone takes these, and says so', async () => {
    const home = () => {
      const store = createInMemoryStore();
      const notes = createNotes({ store, now: () => NOW });
      return { notes, ...setup({ notes }, store) };
    };
    const here = home();
    await here.notes.write({ text: 'Reply in Dutch.' });
    await here.notes.judge({
      verdict: 'pinned',
      conversationId: 'c',
      messageId: 'm',
      query: null,
      passage: 'old',
      title: 'Old',
    });
    const file = await asFile(await here.library.exportConversations('all', 'json'));
    const there = home();
    const [report] = await there.library.importFiles([file]);
    expect(report).toMatchObject({
      problem: null,
      notesAndFeedback: 2,
      first: null,
      conversations: { added: 0 },
    });
    expect(there.notes.state.get()).toEqual(here.notes.state.get());
    const [again] = await there.library.importFiles([file]);
    expect(again).toMatchObject({ problem: null, notesAndFeedback: 0 });
    const nothing = await asFile(await setup().library.exportConversations('all', 'json'));
    expect((await home().library.importFiles([nothing]))[0]?.problem?.code).toBe('import-empty');
  });

  it('brings what a newer backup of a known conversation knows more, without a new message', async () => {
    const here = setup();
    await here.library.importFiles(listing(chatgpt.branched));
    const known = await here.bySource('c-branched');
    const older = await asFile(await here.library.exportConversations('all', 'json'));
    const place = known.meta.head as NonNullable<typeof known.meta.head>;
    const compaction = { ...compactionAt(place), createdAt: NOW };
    await here.documents.change(known.id, {
      checkpoints: {
        'before the move': { messageId: place, createdAt: NOW, auto: false, by: 'person' },
        ['__proto__']: { messageId: place, createdAt: NOW, auto: false, by: 'person' },
      },
      compactions: { [compaction.id]: compaction },
    });
    const newer = await asFile(await here.library.exportConversations('all', 'json'));

    const there = setup();
    await there.library.importFiles([older]);
    await there.library.setMeta([known.id], { title: 'Mine' });
    const [report] = await there.library.importFiles([newer]);
    expect(report).toMatchObject({
      conversations: { added: 0, changed: 1, unchanged: 0 },
      messages: { user: 0, assistant: 0 },
    });
    const after = await there.read(known.id);
    const whole = await here.read(known.id);
    expect(after.checkpoints).toEqual(whole.checkpoints);
    expect(after.compactions).toEqual(whole.compactions);
    expect(after.meta).toEqual({ ...whole.meta, title: 'Mine', titleBy: 'person' });
    const head = await there.store.log.head();
    expect((await there.library.importFiles([newer]))[0]?.conversations.unchanged).toBe(1);
    expect(await there.store.log.head()).toBe(head);

    // A summary that may quote a forgotten message does not bring it back.
    await there.documents.change(known.id, { removed: [place] });
    await there.library.importFiles([newer]);
    const without = await there.read(known.id);
    expect(without.messages.has(place)).toBe(false);
    expect(without.compactions.size).toBe(0);
  });

  it('takes the links of messages that were sent back along', async () => {
    const here = setup();
    await here.library.importFiles(listing(chatgpt.branched));
    const { id, meta, messages } = await here.bySource('c-branched');
    const note = newMessageId();
    await here.documents.change(id, {
      messages: [
        {
          id: note,
          parentId: [...messages.keys()][0] ?? null,
          role: 'user',
          kind: 'message',
          createdAt: NOW,
          parts: [{ type: 'text', text: 'Try the other way.' }],
          dmail: { from: meta.head as string, checkpoint: [...messages.keys()][0] ?? null, by: 'person' },
        },
      ],
      meta: { head: note },
    });
    const there = setup();
    await there.library.importFiles([await asFile(await here.library.exportConversations('all', 'json'))]);
    expect(await there.read(id)).toEqual(await here.read(id));
    expect((await there.read(id)).messages.get(note)?.dmail?.from).toBe(meta.head);
  });

  it('gives back any conversation equal', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(conversationArbitrary(6), { minLength: 1, maxLength: 3, selector: (c) => c.id }),
        async (conversations) => {
          const here = setup();
          await here.documents.changeMany(
            conversations.map(({ id, meta, messages, checkpoints, compactions }) => ({
              id,
              change: {
                messages: [...messages.values()],
                meta,
                checkpoints: Object.fromEntries(checkpoints),
                compactions: Object.fromEntries(compactions),
              },
            })),
            'user',
          );
          const there = setup();
          const file = await asFile(await here.library.exportConversations('all', 'json'));
          const [report] = await there.library.importFiles([file]);
          expect(report?.problem).toBeNull();
          for (const { id, checkpoints, compactions } of conversations) {
            const read = await there.read(id);
            expect(read).toEqual(await here.read(id));
            expect(read?.checkpoints).toEqual(checkpoints);
            expect(read?.compactions).toEqual(compactions);
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  it('adds to a conversation that has gone on here', async () => {
    const { library, documents, bySource } = setup();
    await library.importFiles(listing(chatgpt.branched));
    const before = await bySource('c-branched');
    const backup = await asFile(await library.exportConversations([before.id], 'json'));
    await library.setMeta([before.id], { title: 'Later title' });
    const own = newMessageId();
    await documents.change(before.id, {
      messages: [
        {
          id: own,
          parentId: before.meta.head,
          role: 'user',
          kind: 'message',
          createdAt: NOW,
          parts: [{ type: 'text', text: 'later' }],
        },
      ],
      meta: { head: own },
    });
    const [report] = await library.importFiles([backup]);
    expect(report?.conversations).toEqual({ added: 0, changed: 0, unchanged: 1 });
    const after = await bySource('c-branched');
    expect(after.meta).toMatchObject({ title: 'Later title', head: own });
  });

  it('a file is named after the day it is where the person lives', async () => {
    vi.stubEnv('TZ', 'America/Los_Angeles');
    const { library } = setup({ now: () => new Date(2026, 10, 20, 23, 30).getTime() });
    await library.addSamples();
    expect((await library.exportConversations('all', 'json')).name).toBe('recollect-2026-11-20.json');
  });

  it('everything as Markdown has the memory notes beside the conversations, or alone', async () => {
    const store = createInMemoryStore();
    const notes = createNotes({ store, now: () => NOW });
    const { library } = setup({ notes }, store);
    await notes.write({ text: 'Reply in Dutch.\nAlways.' });
    const alone = await library.exportConversations('all', 'markdown');
    expect(alone.name).toBe('recollect-2026-11-21.md');
    expect(await alone.blob.text()).toBe(
      '# Memory notes\n\n- Reply in Dutch.\n  Always.\n\n  *(2026-11-21)*\n',
    );
    await library.addSamples();
    const { name, blob } = await library.exportConversations('all', 'markdown');
    expect(name).toBe('recollect-2026-11-21.zip');
    const zip = fileFromBytes(name, new Uint8Array(await blob.arrayBuffer()));
    const { files } = await openZip(zip, new AbortController().signal);
    expect(files[0]?.path).toBe('Memory notes.md');
  });

  it('remembers when everything was last taken out as JSON', async () => {
    let kept: number | undefined;
    const backups = {
      recall: async () => kept,
      keep: async (at: number) => {
        kept = at;
      },
    };
    const { library } = setup({ backups });
    expect(await until(library.lastBackup, (at) => at !== undefined)).toBeNull();
    await library.addSamples();
    await library.exportConversations('all', 'markdown');
    expect(kept).toBeUndefined();
    await library.exportConversations('all', 'json');
    expect(library.lastBackup.get()).toBe(NOW);
    expect(await until(setup({ backups }).library.lastBackup, (at) => at !== undefined)).toBe(NOW);
  });

  it('as Markdown is one file for one, a ZIP for several, without the trash', async () => {
    const { library, entries } = setup();
    await library.addSamples();
    const [first, ...rest] = await entries();
    const one = await library.exportConversations([first?.id as ConversationId], 'markdown');
    expect(one.name).toBe('A slow query on the orders page.md');
    expect(await one.blob.text()).toContain('CREATE INDEX CONCURRENTLY');
    await library.remove(rest.slice(1).map((e) => e.id));
    const several = await library.exportConversations('all', 'markdown');
    expect(several).toMatchObject({ name: 'recollect-2026-11-21.zip', mediaType: 'application/zip' });
    expect(several.blob.size).toBeGreaterThan(500);
  });
});

describe('samples', () => {
  it('come in once and go in one go', async () => {
    const { library, entries } = setup();
    const count = await library.addSamples();
    expect(count).toBeGreaterThanOrEqual(10);
    expect(await library.addSamples()).toBe(0);
    expect((await entries()).every((e) => e.sample)).toBe(true);
    expect(await library.removeSamples()).toBe(count);
    expect(await entries()).toEqual([]);
    expect(await library.addSamples()).toBe(count);
  });

  it('show what a conversation can hold, in two languages, over the last year', async () => {
    const { library, entries, read } = setup();
    await library.addSamples();
    const all = await Promise.all((await entries()).map((e) => read(e.id)));
    const messages = all.flatMap((c) => [...c.messages.values()]);
    const types = new Set(messages.flatMap((m) => m.parts.map((p) => p.type)));
    for (const type of ['text', 'reasoning', 'tool-call', 'tool-result']) expect(types).toContain(type);
    const text = messages.map(textOf).join('\n');
    for (const sign of ['```sql', '| before |', '$$', '备份', 'backup'])
      expect(text.toLowerCase()).toContain(sign);
    expect(all.some((c) => c.messages.size > pathTo(c.messages, c.meta.head).length)).toBe(true);
    expect(all.some((c) => c.checkpoints.size > 0)).toBe(true);
    const times = messages.map((m) => m.createdAt);
    expect(Math.max(...times)).toBeLessThan(NOW);
    expect(Math.min(...times)).toBeGreaterThan(NOW - 366 * 86_400_000);
    for (const c of all) expect(pathTo(c.messages, c.meta.head).length).toBeGreaterThan(2);
  });

  it('stay where the person has written in one', async () => {
    const { library, documents, entries } = setup();
    const count = await library.addSamples();
    const [first] = await entries();
    const id = first?.id as ConversationId;
    await documents.change(id, {
      messages: [
        {
          id: newMessageId(),
          parentId: null,
          role: 'user',
          kind: 'message',
          createdAt: NOW,
          parts: [{ type: 'text', text: 'my own words' }],
        },
      ],
    });
    expect(await library.removeSamples()).toBe(count - 1);
    expect((await entries()).map((e) => [e.id, e.sample])).toEqual([[id, false]]);
  });
});

describe('trash', () => {
  it('takes, gives back, and erases for good', async () => {
    const { library, entries, documents } = setup();
    await library.addSamples();
    const ids = (await entries()).slice(0, 3).map((e) => e.id);
    await library.remove(ids);
    expect((await entries()).filter((e) => e.deletedAt === NOW)).toHaveLength(3);
    await library.restore(ids);
    expect((await entries()).filter((e) => e.deletedAt !== null)).toHaveLength(0);
    await library.erase(ids.slice(0, 1));
    expect(await documents.read(ids[0] as ConversationId)).toBeUndefined();
    await library.setMeta(ids, { archived: true });
    expect((await entries()).filter((e) => e.archived && ids.includes(e.id))).toHaveLength(2);
  });

  it('what is erased for good takes along what was said of its passages', async () => {
    const store = createInMemoryStore();
    const notes = createNotes({ store, now: () => NOW });
    const { library, entries } = setup({ notes }, store);
    await library.addSamples();
    const [gone, kept] = (await entries()).map(({ id }) => id) as [ConversationId, ConversationId];
    for (const conversationId of [gone, kept])
      await notes.judge({
        verdict: 'pinned',
        conversationId,
        messageId: `${conversationId}-m`,
        query: null,
        passage: 'its words',
        title: 'its title',
      });
    await library.erase([gone]);
    expect(notes.state.get().feedback.map((one) => one.conversationId)).toEqual([kept]);
  });
});
