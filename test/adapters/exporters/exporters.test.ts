// What goes out as our own JSON comes back equal; what goes out as Markdown can be read.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { json, jsonWithin } from '../../../src/adapters/exporters/json.ts';
import { markdown } from '../../../src/adapters/exporters/markdown.ts';
import type { SourceFile } from '../../../src/adapters/importers/importer.ts';
import { recollect } from '../../../src/adapters/importers/recollect.ts';
import { fileFromBytes } from '../../../src/adapters/importers/source-file.ts';
import { openZip } from '../../../src/adapters/importers/zip.ts';
import { asConversationId, asMessageId, type MessageId } from '../../../src/domain/base/ids.ts';
import type { Compaction } from '../../../src/domain/chat/compaction.ts';
import type { Conversation } from '../../../src/domain/chat/conversation.ts';
import type { Message } from '../../../src/domain/chat/message.ts';
import { conversationArbitrary } from '../../fixtures/conversations.ts';
import { each, exported, sampleArchive, sampleConversation } from '../../fixtures/recollect.ts';
import { chineseWords, englishWords } from '../../fixtures/words.ts';
import { readAll } from '../../suites/importer.suite.ts';

const never = new AbortController().signal;

const back = async (bytes: Uint8Array) => {
  const source = { name: 'r.json', files: [fileFromBytes('r.json', bytes)] };
  expect(await recollect.sniff(source, never)).toBe(1);
  const { conversations, skipped } = await readAll(recollect, source);
  return {
    skipped,
    conversations: conversations.map((c) => ({
      id: c.own?.id,
      meta: c.own?.meta,
      messages: new Map(c.messages.map((message) => [message.id, message])),
      checkpoints: new Map(Object.entries(c.checkpoints ?? {})),
      compactions: new Map(Object.entries(c.compactions ?? {})),
    })),
  };
};

describe('our own JSON', () => {
  it('comes back equal', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(conversationArbitrary(), { maxLength: 4, selector: (c) => c.id }),
        async (conversations) => {
          const read = await back(await exported(json, conversations));
          expect(read.skipped).toEqual({});
          expect(read.conversations).toEqual(conversations);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('is one JSON document, handed over in pieces', async () => {
    const text = new TextDecoder().decode(await sampleArchive(json));
    expect(JSON.parse(text)).toMatchObject({
      format: 'recollect',
      version: 1,
      exportedAt: 1_760_000_000_000,
    });
    const long = sampleConversation();
    const first = [...long.messages.values()][0];
    if (!first) throw new Error('no message');
    const many = new Map(
      Array.from({ length: 300 }, (_, n) => {
        const id = asMessageId(`01900000-0000-7000-8000-${String(n).padStart(12, '0')}`);
        return [id, { ...first, id, parts: [{ type: 'text' as const, text: 'x'.repeat(10_000) }] }];
      }),
    );
    let pieces = 0;
    for await (const piece of json.write(each([{ ...long, messages: many }]), {
      count: 1,
      now: 0,
      signal: never,
      words: englishWords,
    })) {
      pieces += 1;
      expect(piece.length).toBeLessThan(400_000);
    }
    expect(pieces).toBeGreaterThan(5);
  });

  it('never fails on half a character', async () => {
    const conversation = sampleConversation();
    const bytes = await exported(json, [
      { ...conversation, meta: { ...conversation.meta, title: 'a\uD83D' } },
    ]);
    expect((await back(bytes)).conversations[0]?.meta?.title).toBe('a\uFFFD');
  });

  it('is read back however large it has become, and however large a conversation in it', async () => {
    const MiB = 1024 * 1024;
    const text = new TextDecoder().decode(await sampleArchive(json));
    const [head = '', conversation = ''] = text.split(/(?<="conversations":\[\n)/);
    const parts = conversation.replace('\n]}\n', '').split(/good day|good morning/);
    const utf8 = (part: string) => new TextEncoder().encode(part);
    const words = new Uint8Array(MiB).fill(97);
    /** Three conversations of 200 MiB, in pieces as from the disk: nobody holds all of them. */
    function* pieces() {
      yield utf8(head);
      for (let n = 0; n < 3; n += 1) {
        if (n > 0) yield utf8(',');
        for (const [at, part] of parts.entries()) {
          for (let mib = 0; at > 0 && mib < 100; mib += 1) yield words;
          yield utf8(part);
        }
      }
      yield utf8('\n]}\n');
    }
    const file: SourceFile = {
      path: 'r.json',
      size: 600 * MiB,
      modifiedAt: 0,
      bytes: async () => {
        throw new Error('too large to be read at once');
      },
      async *stream() {
        for (const piece of pieces()) yield piece;
      },
    };
    const read: unknown[] = [];
    for await (const { own, messages, checkpoints } of recollect.read(
      { name: 'r.json', files: [file] },
      { signal: never, skip: (skipped) => read.push(skipped) },
    ))
      read.push([
        own?.meta.title,
        Object.keys(checkpoints ?? {}),
        messages.map(({ parts: [part] }) => part?.type === 'text' && part.text.length),
      ]);
    const one = ['Own 对话', ['start'], [5, 100 * MiB, 100 * MiB]];
    expect(read).toEqual([one, one, one]);
  }, 60_000);

  it('is not written where it could not be read back, and says which conversation it is', async () => {
    const conversation = sampleConversation();
    for (const limits of [
      { message: 100, conversation: 1e6 },
      { message: 1e6, conversation: 100 },
    ])
      await expect(exported(jsonWithin(limits), [conversation])).rejects.toMatchObject({
        problem: { code: 'export-too-large', params: { title: 'Own 对话' } },
      });
    const enough = { message: 1000, conversation: 10_000 };
    expect(await exported(jsonWithin(enough), [conversation])).toEqual(await exported(json, [conversation]));
  });

  it('of a newer version is refused, whatever it holds', async () => {
    const text = new TextDecoder().decode(await sampleArchive(json)).replace('"version":1', '"version":2');
    await expect(back(new TextEncoder().encode(text))).rejects.toMatchObject({
      problem: { code: 'import-newer' },
    });
  });

  it('costs a damaged message only itself', async () => {
    const text = new TextDecoder()
      .decode(await sampleArchive(json))
      .replace('"role":"assistant"', '"role":"oracle"')
      .replace('"archived":false', '"archived":"maybe"');
    const { conversations, skipped } = await back(new TextEncoder().encode(text));
    // The message and the flag.
    expect(skipped).toEqual({ 'malformed-line': 2 });
    expect(conversations[0]?.messages.size).toBe(2);
    expect(conversations[0]?.meta).toMatchObject({ title: 'Own 对话', archived: false, pinned: true });
  });

  it('stops when told to', async () => {
    const write = json.write(each([sampleConversation()]), {
      count: 1,
      now: 0,
      signal: AbortSignal.abort(),
      words: englishWords,
    });
    await expect(write[Symbol.asyncIterator]().next()).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('Markdown', () => {
  const rich = (): Conversation => {
    const conversation = sampleConversation();
    const messages = [...conversation.messages.values()];
    const id = asMessageId('01900000-0000-7000-8000-0000000000ff');
    const last = messages.at(-1);
    if (!last) throw new Error('no message');
    return {
      ...conversation,
      meta: { ...conversation.meta, head: id, workDir: '/proj: "x"' },
      messages: new Map([
        ...conversation.messages,
        [
          id,
          {
            ...last,
            id,
            parentId: last.id,
            createdAt: last.createdAt + 1000,
            model: 'some_model',
            parts: [
              { type: 'reasoning', text: 'hmm' },
              { type: 'text', text: '# Plan\n\n```js\n1\n```' },
              { type: 'tool-call', callId: 'c', name: 'shell', arguments: '{"a":"```"}' },
              { type: 'tool-result', callId: 'c', name: 'shell', text: 'ok' },
              {
                type: 'file',
                mediaType: 'image/png',
                name: 'a b?.png',
                url: 'data:image/png;base64,iVBORw==',
              },
              { type: 'unknown', original: { x: 1 } },
            ],
          },
        ],
      ]),
    };
  };

  it('has front matter, the shown branch, and the others after it', async () => {
    const text = new TextDecoder().decode(await exported(markdown, [rich()]));
    expect(text.startsWith('---\ntitle: Own 对话\n')).toBe(true);
    expect(text).toContain('work_dir: \'/proj: "x"\'');
    expect(text).toContain('messages: 4');
    expect(text).toContain('## some\\_model · 2025-06-15');
    expect(text).toContain('````json\n{"a":"```"}\n````');
    expect(text).toContain('*[a b?.png, image/png]*');
    const [shown = '', others = ''] = text.split('# Branch 1');
    expect(shown).toContain('good morning');
    expect(shown).not.toContain('good day');
    expect(others).toContain('good day');
  });

  it('has an answer that was cut off and went on as one', async () => {
    const conversation = rich();
    const question = [...conversation.messages.values()][0] as Message;
    const piece = (name: string, parentId: MessageId, text: string, finish: 'length' | 'stop'): Message => ({
      id: asMessageId(name),
      parentId,
      role: 'assistant',
      kind: 'message',
      createdAt: question.createdAt + 1,
      model: 'cutter',
      parts: [{ type: 'text', text }],
      finish,
    });
    const pieces = [
      piece('p1', question.id, '```js\nfirst', 'length'),
      piece('p2', asMessageId('p1'), '(second)\n```', 'stop'),
    ];
    const messages = new Map([question, ...pieces].map((message) => [message.id, message]));
    const head = asMessageId('p2');
    const text = new TextDecoder().decode(
      await exported(markdown, [{ ...conversation, messages, meta: { ...conversation.meta, head } }]),
    );
    expect(text).toContain('```js\nfirst(second)\n```');
    expect(text.match(/## cutter/g)).toHaveLength(1);
  });

  /** Said, answered, folded, and sent back to the beginning with a note. */
  const lived = (): Conversation => {
    const conversation = rich();
    const [first, second] = [...conversation.messages.values()];
    const last = conversation.messages.get(conversation.meta.head as MessageId);
    if (!first || !second || !last) throw new Error('no message');
    const note = asMessageId('01900000-0000-7000-8000-0000000000fe');
    const compaction = (id: string, more: Partial<Compaction>): [string, Compaction] => [
      id,
      {
        id,
        at: first.id,
        createdAt: 1,
        strategy: 'summary',
        reason: 'manual',
        plan: {
          runs: [
            { action: 'fold', count: 3 },
            { action: 'keep', count: 9 },
          ],
          summaries: [
            { kind: 'summary', text: 'They met.\n\nThey parted.' },
            { kind: 'constraints', text: 'no' },
          ],
        },
        tokensBefore: 31_204,
        tokensAfter: 1180,
        durationMs: 1,
        undone: false,
        ...more,
      },
    ];
    return {
      ...conversation,
      meta: { ...conversation.meta, head: note, systemPrompt: 'Be brief.\nBe kind.', summary: 'A greeting.' },
      messages: new Map([
        ...conversation.messages,
        [
          note,
          {
            ...last,
            id: note,
            parentId: first.id,
            role: 'user',
            model: undefined,
            createdAt: last.createdAt + 5000,
            parts: [{ type: 'text', text: 'another way' }],
            dmail: { from: last.id, checkpoint: first.id, by: 'person' },
          } as Message,
        ],
      ]),
      compactions: new Map([
        compaction('01900000-0000-7000-8000-0000000000c1', {}),
        compaction('01900000-0000-7000-8000-0000000000c2', { summary: 'My own words.', plan: {} }),
        compaction('01900000-0000-7000-8000-0000000000c3', { summary: 'Taken back.', undone: true }),
      ]),
    };
  };

  it('tells instructions, checkpoints, what was folded and what was sent back, where they are', async () => {
    const text = new TextDecoder().decode(await exported(markdown, [lived()]));
    const [, front = '', body = ''] = text.split(/^---$/m);
    expect(parse(front)).toMatchObject({
      pinned: true,
      summary: 'A greeting.',
      instructions: 'Be brief.\nBe kind.',
      checkpoints: [{ name: 'start', at: '2025-06-15T15:06:50.000Z', message: expect.any(String) }],
    });
    expect(body).toContain('*Checkpoint: start*');
    expect(body).toContain(
      '> **Folded up to here: 3 messages, 31,204 → 1,180 tokens**\n> \n> They met.\n> \n> They parted.',
    );
    expect(body).toContain('> **Folded up to here: 31,204 → 1,180 tokens**\n> \n> My own words.');
    expect(text).not.toContain('Taken back.');
    expect(body).toMatch(/another way\n\n\*D-Mail, sent back from: some\\_model · 2025-06-15 15:06\*/);
    expect(text).toMatch(/\*From here a D-Mail was sent back: You · 2025-06-15/);
  });

  it('speaks the language it is given', async () => {
    const text = new TextDecoder().decode(await exported(markdown, [lived()], 0, chineseWords));
    const bones = text.slice(text.indexOf('\n# '));
    expect(bones).toContain('## 您 · 2025-06-15');
    expect(bones).toContain('*检查点：start*');
    for (const word of ['You', 'Assistant', 'Branch', 'Reasoning', 'Result', 'Calls', 'Checkpoint', 'Folded'])
      expect(bones).not.toContain(word);
  });

  it('has notes and feedback in a file of their own', async () => {
    const pieces: Uint8Array[] = [];
    const write = markdown.write(each([]), {
      count: 1,
      now: 0,
      signal: never,
      words: englishWords,
      told: {
        notes: [
          {
            id: 'n',
            text: 'Call me Lin.',
            createdAt: 0,
            updatedAt: Date.UTC(2026, 0, 2),
            by: 'person',
            source: null,
          },
        ],
        feedback: [
          {
            id: 'f',
            conversationId: 'c',
            messageId: 'm',
            verdict: 'not-related',
            query: 'bread',
            passage: 'about [cars]',
            title: 'Cars',
            at: 0,
          },
        ],
      },
    });
    for await (const piece of write) pieces.push(piece);
    const text = Buffer.concat(pieces).toString();
    expect(text).toContain('- Call me Lin. *(2026-01-02)*');
    expect(text).toContain('- Not related to “bread”: about \\[cars\\] — Cars *(1970-01-01)*');
  });

  it('holds every text of every branch', async () => {
    await fc.assert(
      fc.asyncProperty(conversationArbitrary(), async (conversation) => {
        const text = new TextDecoder().decode(await exported(markdown, [conversation]));
        for (const message of conversation.messages.values())
          for (const part of message.parts)
            if (part.type === 'text') expect(text.includes(part.text)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('of several is a ZIP with attachments beside them, under names that every system takes', async () => {
    const other = { ...rich(), id: asConversationId('01900000-0000-7000-8000-00000000aaaa') };
    const bytes = await exported(markdown, [rich(), other]);
    const { files } = await openZip(fileFromBytes('m.zip', bytes), never);
    expect(files.map((file) => file.path)).toEqual([
      '2025-06-15 Own 对话.md',
      'attachments/2025-06-15 Own 对话/a b .png',
      '2025-06-15 Own 对话 (2).md',
      'attachments/2025-06-15 Own 对话 (2)/a b .png',
    ]);
    const text = new TextDecoder().decode(await files[0]?.bytes(never));
    expect(text).toContain('![a b?.png](attachments/2025-06-15%20Own%20%E5%AF%B9%E8%AF%9D/a%20b%20.png)');
    expect(await files[1]?.bytes(never)).toEqual(Uint8Array.of(0x89, 0x50, 0x4e, 0x47));
  });

  it('of several hears why it stopped', async () => {
    async function* failing(): AsyncGenerator<Conversation> {
      yield rich();
      throw new Error('the disk is gone');
    }
    const reading = (async () => {
      const options = { count: 2, now: 0, signal: never, words: englishWords };
      for await (const _ of markdown.write(failing(), options));
    })();
    await expect(reading).rejects.toThrow('the disk is gone');
  });
});
