// An export as JSON imports as an equal library; one as Markdown is readable.
import fc from 'fast-check';
import type { Element, ElementContent, RootContent } from 'hast';
import { fromHtml } from 'hast-util-from-html';
import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { toString as wordsOf } from 'mdast-util-to-string';
import { micromark } from 'micromark';
import { gfm } from 'micromark-extension-gfm';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { json, jsonWithin } from '../../../src/adapters/exporters/json.ts';
import { markdown } from '../../../src/adapters/exporters/markdown.ts';
import type { SourceFile } from '../../../src/adapters/importers/importer.ts';
import { recollect } from '../../../src/adapters/importers/recollect.ts';
import { fileFromBytes } from '../../../src/adapters/importers/source-file.ts';
import { openZip } from '../../../src/adapters/importers/zip.ts';
import { asConversationId, asMessageId, type MessageId } from '../../../src/domain/base/ids.ts';
import type { Conversation } from '../../../src/domain/chat/conversation.ts';
import type { Message, Part, RecalledPassage } from '../../../src/domain/chat/message.ts';
import type { Compaction } from '../../../src/domain/chat/records.ts';
import { conversationArbitrary } from '../../fixtures/conversations.ts';
import { roughMarkdown } from '../../fixtures/markdown.ts';
import { each, exported, sampleArchive, sampleConversation } from '../../fixtures/recollect.ts';
import { chineseWords, englishWords } from '../../fixtures/words.ts';
import { runs } from '../../scale.ts';
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
      { numRuns: runs(100, 40) },
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
    /**
     * Three conversations of 200 MiB (20 in the gate), in pieces as from the disk, so
     * that memory never holds all of them.
     */
    const half = runs(100, 10);
    function* pieces() {
      yield utf8(head);
      for (let n = 0; n < 3; n += 1) {
        if (n > 0) yield utf8(',');
        for (const [at, part] of parts.entries()) {
          for (let mib = 0; at > 0 && mib < half; mib += 1) yield words;
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
    const one = ['Own 对话', ['start'], [5, half * MiB, half * MiB]];
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
    // Skips the flag, and keeps the message's words as a note.
    expect(skipped).toEqual({ 'malformed-line': 1, 'unknown-role': 1 });
    expect(conversations[0]?.messages.size).toBe(3);
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

  /** Said, answered, compacted, and sent back to the beginning with a note. */
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

  it('tells instructions, checkpoints, what was compacted and what was sent back, where they are', async () => {
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
      '> **Shortened up to here: 3 messages, 31,204 → 1,180 tokens**\n> \n> They met.\n> \n> They parted.',
    );
    expect(body).toContain('> **Shortened up to here: 31,204 → 1,180 tokens**\n> \n> My own words.');
    expect(text).not.toContain('Taken back.');
    expect(body).toMatch(/another way\n\n\*Note from: some\\_model · 2025-06-15 15:06\*/);
    expect(text).toMatch(/\*Went back from here with a note to: You · 2025-06-15/);
  });

  it('has the session memory that was saved, and what another device saved beside it', async () => {
    const plain = rich();
    const file = (at: number, device: string, ...texts: string[]) => ({
      at,
      device,
      lines: texts.map((text) => ({ text, by: 'person' })),
      upTo: null,
    });
    const text = async (files: Record<string, unknown>, words = englishWords) => {
      const meta = { ...plain.meta, ...files } as Conversation['meta'];
      return new TextDecoder().decode(await exported(markdown, [{ ...plain, meta }], 0, words));
    };
    expect(await text({})).not.toContain('Session memory');
    const both = {
      'memoryFile:a': file(Date.UTC(2026, 0, 2), 'Desk', '# Rules', '- Port 8081.'),
      'memoryFile:b': file(Date.UTC(2026, 0, 1), 'A <b>phone</b>', '</details> Only by night.'),
    };
    const said = await text(both);
    expect(said).toContain(
      '<details>\n<summary>Session memory</summary>\n\n# Rules\n- Port 8081.\n\n</details>',
    );
    expect(said).toContain(
      '<summary>Session memory as A &lt;b&gt;phone&lt;/b&gt; saved it, 2026-01-01 00:00</summary>',
    );
    // A `</details>` in the saved file stands in a fence, where it does not end the block.
    expect(said).toContain('```markdown\n</details> Only by night.\n```\n\n</details>');
    expect(await text(both, chineseWords)).toContain('<summary>会话记忆</summary>');
  });

  it('speaks the language it is given', async () => {
    const text = new TextDecoder().decode(await exported(markdown, [lived()], 0, chineseWords));
    const bones = text.slice(text.indexOf('\n# '));
    expect(bones).toContain('## 你 · 2025-06-15');
    expect(bones).toContain('*检查点：start*');
    for (const word of [
      'You',
      'Assistant',
      'Branch',
      'Reasoning',
      'Result',
      'Calls',
      'Checkpoint',
      'Shortened',
    ])
      expect(bones).not.toContain(word);
  });

  it('has notes and feedback in a file of their own', async () => {
    const pieces: Uint8Array[] = [];
    const write = markdown.write(each([]), {
      count: 1,
      now: 0,
      signal: never,
      words: englishWords,
      notesAndFeedback: {
        notes: [
          {
            id: 'n',
            text: 'Call me Lin.',
            createdAt: 0,
            updatedAt: Date.UTC(2026, 0, 2),
            by: 'person',
            source: null,
          },
          {
            id: 'o',
            text: 'Fences:\n```\n1',
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
    expect(text).toContain('- Fences:\n  ```\n  1\n  ```\n\n  *(2026-01-02)*');
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
      { numRuns: runs(50, 20) },
    );
  });

  it('of several is a ZIP with attachments beside them, under names that every system takes', async () => {
    const other = { ...rich(), id: asConversationId('01900000-0000-7000-8000-00000000aaaa') };
    const bytes = await exported(markdown, [rich(), other]);
    const { files } = await openZip(fileFromBytes('m.zip', bytes), never);
    expect(files.map((file) => file.path)).toEqual([
      '2025-06-15 Own 对话.md',
      'attachments/2025-06-15 Own 对话/a b.png',
      '2025-06-15 Own 对话 (2).md',
      'attachments/2025-06-15 Own 对话 (2)/a b.png',
    ]);
    const text = new TextDecoder().decode(await files[0]?.bytes(never));
    expect(text).toContain('![a b?.png](attachments/2025-06-15%20Own%20%E5%AF%B9%E8%AF%9D/a%20b.png)');
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

describe('Markdown as others read it', () => {
  const T = Date.UTC(2026, 2, 1);
  /** A branch of messages, a minute apart. */
  const talk = (
    parts: readonly (readonly Part[])[],
    more: Partial<Message> = {},
    title = 'A talk',
  ): Conversation => {
    const ids = parts.map((_, at) => asMessageId(`m${at}`));
    const sample = sampleConversation();
    return {
      ...sample,
      meta: { ...sample.meta, title, createdAt: T, head: ids.at(-1) ?? null },
      checkpoints: new Map(),
      compactions: new Map(),
      messages: new Map(
        parts.map((list, at) => {
          const id = ids[at] as MessageId;
          const role = at % 2 === 0 ? 'user' : 'assistant';
          return [
            id,
            {
              id,
              parentId: ids[at - 1] ?? null,
              role,
              kind: 'message',
              createdAt: T + at * 60_000,
              parts: list,
              ...more,
            },
          ];
        }),
      ),
    };
  };
  const text = (words: string): Part => ({ type: 'text', text: words });
  /** The Markdown without its front matter. */
  const written = async (conversation: Conversation): Promise<string> =>
    new TextDecoder().decode(await exported(markdown, [conversation])).replace(/^---\n[\s\S]*?\n---\n/, '');
  const parsed = (source: string) =>
    fromMarkdown(source, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  /** The title and the headings with roles, outside of all blocks. */
  const headings = (source: string): string[] =>
    [parsed(source), fromMarkdown(source)].flatMap((root) =>
      root.children
        .filter((node) => node.type === 'heading')
        .map((node) => wordsOf(node))
        .filter((words) => words === 'A talk' || words.includes(' · 2026-')),
    );
  const expected = (count: number) => {
    const one = [
      'A talk',
      ...Array.from({ length: count }, (_, at) => {
        const minute = String(at).padStart(2, '0');
        return `${at % 2 === 0 ? 'You' : 'Assistant'} · 2026-03-01 00:${minute}`;
      }),
    ];
    return [...one, ...one];
  };
  const passage = (more: Partial<RecalledPassage> = {}): RecalledPassage => ({
    conversationId: 'c',
    messageId: 'm',
    title: 'Cars [old]',
    createdAt: T,
    role: 'user',
    passage: 'The red one.',
    neighbours: [],
    scores: { vector: 0.8, keyword: null, hybrid: 0.7, decay: 1, final: 0.8345 },
    tokens: 3,
    ...more,
  });
  /** A recall with one passage, which it also lists as left out. */
  const recalled = (title: fc.Arbitrary<string>): fc.Arbitrary<Part> =>
    fc.record({ title, passage: roughMarkdown }).map((more) => ({
      type: 'recall',
      query: '',
      threshold: 0.75,
      passages: [passage(more)],
      nearMisses: [],
      leftOut: [passage(more)],
    }));
  const find = (node: Nodes, type: string): Nodes[] => [
    ...(node.type === type ? [node] : []),
    ...('children' in node ? node.children.flatMap((child) => find(child, type)) : []),
  ];

  it.each([
    'Sad face :( …',
    'cut inside (a parenthesis',
    ') first',
    "It's 100% [odd] *really*! \\ `so`",
    'half a \uD83D character',
    '备份 (二',
  ])('leads to each file under its real name: %j', async (name) => {
    const file = (named: string): Part => ({
      type: 'file',
      mediaType: 'image/png',
      name: named,
      url: 'data:image/png;base64,iVBORw==',
    });
    const one = talk([[file(`${name}.png`), file(name)]], {}, name);
    const other = {
      ...talk([[text('words')]]),
      id: asConversationId('01900000-0000-7000-8000-00000000aaaa'),
    };
    const { files } = await openZip(fileFromBytes('m.zip', await exported(markdown, [one, other])), never);
    const source = new TextDecoder().decode(
      await files.find(({ path }) => path.endsWith('.md'))?.bytes(never),
    );
    const images = find(fromMarkdown(source), 'image');
    expect(images.map((image) => image.type === 'image' && decodeURIComponent(image.url))).toEqual(
      files.filter(({ path }) => path.startsWith('attachments/')).map(({ path }) => path),
    );
    // Markdown merges spaces and drops half a character.
    expect(images.map((image) => image.type === 'image' && image.alt)).toEqual(
      [`${name}.png`, name].map((said) => Buffer.from(said).toString()),
    );
  });

  it('numbers equal names behind the whole name, and keeps the ending of a long one', async () => {
    const file = (name: string): Part => ({
      type: 'file',
      mediaType: 'image/png',
      name,
      url: 'data:image/png;base64,iVBORw==',
    });
    const long = `${'x'.repeat(100)}.png`;
    const one = talk([[file('v1.2'), file('v1.2'), file('a.png'), file('a.png'), file(long)]], {}, 'v1.2');
    const other = { ...one, id: asConversationId('01900000-0000-7000-8000-00000000aaaa') };
    const { files } = await openZip(fileFromBytes('m.zip', await exported(markdown, [one, other])), never);
    const folder = 'attachments/2026-03-01 v1.2 (2)';
    expect(files.map(({ path }) => path).slice(6)).toEqual([
      '2026-03-01 v1.2 (2).md',
      `${folder}/v1.2`,
      `${folder}/v1.2 (2)`,
      `${folder}/a.png`,
      `${folder}/a (2).png`,
      `${folder}/${'x'.repeat(76)}.png`,
    ]);
  });

  it('lists the pages and documents that a text cites below it', async () => {
    const cited: Part = {
      type: 'text',
      text: 'So [1].\n\n```\nleft open',
      sources: [
        { url: 'https://a.example/x(y) z?q=<b>', title: 'One *two* ](https://evil.example)' },
        { url: 'https://b.example' },
        { url: 'data:text/html,x', title: 'never' },
        { url: '', cited: '# said\nthere' },
      ],
    };
    const source = new TextDecoder().decode(await exported(markdown, [talk([[cited, text('And on.')]])]));
    const tree = fromMarkdown(source);
    expect(find(tree, 'link').map((link) => link.type === 'link' && link.url)).toEqual([
      'https://a.example/x%28y%29%20z?q=%3Cb%3E',
      'https://b.example',
    ]);
    const [list] = find(tree, 'list');
    expect(list?.type === 'list' && list.ordered && list.children.length).toBe(3);
    expect(source).toContain('Sources:\n\n1. ');
    expect(source).toContain('3. “# said there”');
    expect(find(tree, 'heading')).toHaveLength(3);
  });

  it('closes a fence that an answer left open, and the folds of a message', async () => {
    const source = await written(
      talk([
        [text('Why does\n```js\nlet a\n')],
        [text('<details>\n\n~~~~\n1'), text('and on')],
        [text('<!-- so')],
      ]),
    );
    expect(source).toContain('Why does\n```js\nlet a\n```\n\n##');
    expect(source).toContain('<details>\n\n~~~~\n1\n~~~~\n\n</details>\n\nand on\n\n##');
    expect(source).toContain('<!-- so\n-->\n');
    expect(headings(source)).toEqual(expected(3));
  });

  it('reads a text below another as what stands in its list', async () => {
    const source = await written(talk([[text('- a'), text('  ```\nx\n  ```')], [text('then')]]));
    expect(headings(source)).toEqual(expected(2));
  });

  it('keeps headings headings, whatever a message holds', async () => {
    const name = fc.oneof(roughMarkdown, fc.constantFrom('shell', '</summary></details>', '```\n## x'));
    const part: fc.Arbitrary<Part> = fc.oneof(
      { weight: 4, arbitrary: roughMarkdown.map(text) },
      fc.record({ type: fc.constant('reasoning' as const), text: roughMarkdown }),
      fc.record({ type: fc.constant('tool-call' as const), callId: name, name, arguments: roughMarkdown }),
      fc.record({ type: fc.constant('tool-result' as const), callId: name, name, text: roughMarkdown }),
      fc.record({ type: fc.constant('file' as const), mediaType: name, name }),
      recalled(name),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(part, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 }),
        roughMarkdown,
        async (messages, summary) => {
          const plain = talk(messages);
          const at = plain.meta.head as MessageId;
          const conversation = {
            ...plain,
            checkpoints: new Map([
              [summary, { messageId: at, createdAt: 0, auto: false, by: 'person' as const }],
            ]),
            compactions: new Map([
              [
                'f',
                {
                  id: 'f',
                  at: asMessageId('m0'),
                  createdAt: 1,
                  strategy: 's',
                  reason: 'manual' as const,
                  plan: {},
                  summary,
                  tokensBefore: 2,
                  tokensAfter: 1,
                  durationMs: 1,
                  undone: false,
                },
              ],
            ]),
          };
          const source = await written(conversation);
          expect(headings(source)).toEqual(expected(messages.length));
          for (const { text: said } of messages.flat().filter((one) => one.type === 'text'))
            expect(source).toContain(said);
        },
      ),
      { numRuns: runs(300) },
    );
  });

  it('keeps each fold around what is in it, whatever HTML that holds', async () => {
    const hidden: fc.Arbitrary<Part> = fc.oneof(
      fc.record({ type: fc.constant('reasoning' as const), text: roughMarkdown }),
      fc.record({
        type: fc.constant('tool-result' as const),
        callId: fc.constant('c'),
        name: roughMarkdown,
        text: roughMarkdown,
      }),
      recalled(roughMarkdown),
    );
    /** Elements of the page, each with the count of `details` around it. */
    const walk = (node: RootContent | ElementContent, folds: number): (readonly [Element, number])[] => {
      if (node.type !== 'element') return [];
      const within = folds + (node.tagName === 'details' ? 1 : 0);
      return [[node, folds] as const, ...node.children.flatMap((child) => walk(child, within))];
    };
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(hidden, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 3 }),
        fc.boolean(),
        async (messages, note) => {
          const lines = messages.map((parts) => [text('before'), ...parts, text('seen')]);
          const source = await written(talk(lines, note ? { kind: 'note' } : {}));
          const html = micromark(source, { allowDangerousHtml: true, extensions: [gfm()] });
          const elements = fromHtml(html, { fragment: true }).children.flatMap((node) => walk(node, 0));
          const depths = elements.flatMap(([element, folds]) =>
            element.tagName === 'p' &&
            element.children.some((child) => child.type === 'text' && /^(before|seen)$/.test(child.value))
              ? [folds]
              : [],
          );
          expect(depths).toEqual(messages.flatMap(() => (note ? [1, 1] : [0, 0])));
        },
      ),
      { numRuns: runs(200) },
    );
  });

  it('reads a passage that begins a line with a tab as it stands in its quote', async () => {
    const quoted = async (words: string) => {
      const recall: Part = {
        type: 'recall',
        query: '',
        threshold: 0.75,
        passages: [passage({ passage: words })],
        nearMisses: [],
      };
      return written(talk([[recall, text('seen')]]));
    };
    // Four columns of indent are code, in the quote as well: the fence stays open until the quote ends.
    expect(await quoted('```js\n\t`````\n> <textarea>\n')).toContain(
      '> ```js\n>     `````\n> > <textarea>\n',
    );
    // A tab within a line stays.
    expect(await quoted('- a\tb')).toContain('> - a\tb\n');
  });

  it('leaves thoughts without HTML as Markdown, and fences them with it', async () => {
    const thought = (words: string): Part => ({ type: 'reasoning', text: words });
    const source = await written(
      talk([[thought('So **two**, 1 < 2:\n\n```html\n<b>')], [thought('Close </details> it')]]),
    );
    expect(source).toContain('</summary>\n\nSo **two**, 1 < 2:\n\n```html\n<b>\n```\n\n</details>');
    expect(source).toContain('```markdown\nClose </details> it\n```\n\n</details>');
  });

  it('calls arguments JSON only where they are', async () => {
    const call = (args: string): Part => ({ type: 'tool-call', callId: 'c', name: 'run', arguments: args });
    const source = await written(talk([[call('{"a":1}'), call('print("hi")')]]));
    expect(source).toContain('```json\n{"a":1}\n```');
    expect(source).toContain('```\nprint("hi")\n```');
  });

  it('tells of each passage where it is from and how close it came, and what was left out', async () => {
    const recall: Part = {
      type: 'recall',
      query: 'cars',
      threshold: 0.75,
      passages: [passage()],
      nearMisses: [],
      leftOut: [passage({ title: '1. Boats', scores: { ...passage().scores, final: 0.76 } })],
    };
    const tool: Part = {
      type: 'tool-result',
      callId: 'c',
      name: 'recall',
      text: 'The red one.',
      recalled: {
        query: 'cars',
        threshold: 0.75,
        passages: [passage(), passage({ title: '' })],
        nearMisses: [],
      },
    };
    const conversation = talk([[text('Which?')], [recall, text('Red.'), tool]]);
    const source = await written(conversation);
    expect(source).toContain(
      '> The red one.\n\n— Cars \\[old\\] · 2026-03-01 · score 0.83\n\nLeft out by you:\n\n- 1\\. Boats · 2026-03-01 · score 0.76\n\n</details>',
    );
    expect(source).toContain(
      '```\n\n- Cars \\[old\\] · 2026-03-01 · score 0.83\n- Untitled · 2026-03-01 · score 0.83\n\n</details>',
    );
    const chinese = new TextDecoder().decode(await exported(markdown, [conversation], 0, chineseWords));
    expect(chinese).toContain('你未采用的片段：\n\n- 1\\. Boats · 2026-03-01 · 得分 0.76');
    // The export lists them even where all passages were left out.
    expect(await written(talk([[{ ...recall, passages: [] }]]))).toContain('Boats');
  });
});
