// What becomes of a ChatGPT export.
import { describe, expect, it } from 'vitest';
import { MAX_ATTACHMENT_BYTES } from '../../../src/adapters/importers/attachments.ts';
import { chatgpt } from '../../../src/adapters/importers/chatgpt.ts';
import type { ImportedConversation, Skipped } from '../../../src/adapters/importers/importer.ts';
import { fileFromBytes } from '../../../src/adapters/importers/source-file.ts';
import { openZip } from '../../../src/adapters/importers/zip.ts';
import { textOf } from '../../../src/domain/chat/message.ts';
import * as fixture from '../../fixtures/chatgpt.ts';
import { sourceOf, zipFile } from '../../fixtures/files.ts';
import { readAll } from '../../suites/importer.suite.ts';

const T0 = fixture.T0 * 1000;
const never = new AbortController().signal;

const whole = async () => {
  const source = await openZip(await zipFile('export.zip', fixture.exportFiles), never);
  const { conversations, skipped } = await readAll(chatgpt, source);
  return {
    skipped,
    of: (id: string) => conversations.find((c) => c.source.id === id) as ImportedConversation,
  };
};

describe('what tools that imitate the export write', () => {
  const text = (words: unknown) => ({ content_type: 'text', parts: [words] });
  const read = async (conversation: object) =>
    (
      await readAll(
        chatgpt,
        sourceOf('conversations.json', {
          'conversations.json': JSON.stringify([
            { create_time: 1_750_000_000, conversation_id: 7, ...conversation },
          ]),
        }),
      )
    ).conversations[0];

  it('has no title where there are only spaces', async () => {
    const mapping = {
      a: { id: 'a', parent: null, children: [], message: { author: 'user', content: 'hi' } },
    };
    expect((await read({ title: ' \n', mapping }))?.meta).toMatchObject({ title: '', titleBy: 'auto' });
  });

  it('is read with a list of nodes, numbers for ids, and roles by other names', async () => {
    const conversation = await read({
      title: 'T',
      current_node: 2,
      mapping: [
        { id: 1, parent: null, children: [2], message: { author: { role: 'human' }, content: text('hi') } },
        { id: 2, parent: 1, children: [], message: { role: 'assistant', content: text(['a', 'b']) } },
      ],
    });
    expect(conversation).toMatchObject({ source: { id: '7' }, meta: { title: 'T' }, head: '2' });
    expect(conversation?.messages.map(({ role, kind, parts }) => [role, kind, parts])).toEqual([
      ['user', 'message', [{ type: 'text', text: 'hi' }]],
      [
        'assistant',
        'message',
        [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      ],
    ]);
  });

  it.each([
    ['an id beside the key', 'b', (id: string) => ({ id })],
    ['the id of its message', 'b', (id: string) => ({ message: { id } })],
  ])('finds parents by %s', async (_, current, named) => {
    const node = (id: string, parent: string | null, role: string, children: string[]) => {
      const { message, ...more }: { message?: object; id?: string } = named(id);
      return { ...more, parent, children, message: { ...message, author: { role }, content: text(id) } };
    };
    const conversation = await read({
      current_node: current,
      mapping: {
        x: node('a', null, 'user', ['b', 'c']),
        y: node('b', 'a', 'assistant', []),
        z: node('c', null, 'assistant', []),
      },
    });
    expect(conversation?.head).toBe('y');
    expect(conversation?.messages.map(({ id, parentId }) => [id, parentId])).toEqual([
      ['x', null],
      ['y', 'x'],
      ['z', 'x'],
    ]);
  });

  it('keeps numbers as parents', async () => {
    const said = (id: number, parent: number | null, role: string) => ({
      id,
      parent,
      message: { role, content: text(role) },
    });
    const conversation = await read({
      current_node: 2,
      mapping: [said(1, null, 'user'), said(2, 1, 'assistant')],
    });
    expect(conversation?.messages.map(({ id, parentId }) => [id, parentId])).toEqual([
      ['1', null],
      ['2', '1'],
    ]);
  });

  it('keeps a second node of the same id, unless it is the same', async () => {
    const said = (words: string) => ({
      id: 1,
      parent: null,
      message: { role: 'user', content: text(words) },
    });
    const conversation = await read({ mapping: [said('one'), said('another'), said('one')] });
    expect(conversation?.messages.map(textOf).sort()).toEqual(['another', 'one']);
    expect(conversation?.messages.map(({ id }) => id)).toContain('1');
  });

  it('keeps words that a known kind of content has in other fields', async () => {
    const content = { content_type: 'reasoning_recap', content: { lines: ['weighed both ways'] } };
    const conversation = await read({ mapping: [{ id: 1, message: { role: 'assistant', content } }] });
    expect(conversation?.messages.map(({ parts }) => parts)).toEqual([
      [{ type: 'unknown', original: content }],
    ]);
  });

  it('has the dates of databases and of mail', async () => {
    const conversation = await read({
      create_time: 'Sun, 15 Jun 2025 10:00:00 GMT',
      mapping: {
        a: {
          message: {
            author: { role: 'user' },
            create_time: { $date: '2025-06-15T10:00:01Z' },
            content: text('hi'),
          },
        },
      },
    });
    const at = Date.UTC(2025, 5, 15, 10);
    expect([conversation?.meta.createdAt, conversation?.messages[0]?.createdAt]).toEqual([at, at + 1000]);
  });

  it('names the pictures that code drew', async () => {
    const conversation = await read({
      mapping: {
        a: {
          message: {
            author: { role: 'tool', name: 'python' },
            content: { content_type: 'execution_output', text: 'done' },
            metadata: {
              aggregate_result: {
                messages: [{ message_type: 'image', image_url: 'file-service://file-Ab1' }],
              },
            },
          },
        },
      },
    });
    expect(conversation?.messages[0]?.parts).toContainEqual({
      type: 'file',
      mediaType: 'image/*',
      reference: 'file-service://file-Ab1',
    });
  });
});

describe('a ChatGPT export', () => {
  it('keeps the whole tree and shows the branch that was shown', async () => {
    const { head, messages, meta } = (await whole()).of('c-branched');
    expect(head).toBe('a2');
    expect(
      messages
        .filter((message) => message.parentId === 'u1')
        .map((message) => message.id)
        .sort(),
    ).toEqual(['a1', 'a2', 'a3']);
    expect(messages.find((message) => message.id === 'u2')?.parentId).toBe('a1');
    expect(meta).toMatchObject({ title: 'Bread that rises', archived: true, createdAt: T0 });
  });

  it('goes on to the leaf where the current node has children', async () => {
    const conversation = structuredClone(fixture.branched);
    conversation.current_node = 'u1';
    const { conversations } = await readAll(
      chatgpt,
      sourceOf('c.json', { 'c.json': JSON.stringify([conversation]) }),
    );
    expect(conversations[0]?.head).toBe('a3');
  });

  it('reads a node whatever its id is called', async () => {
    const text = JSON.stringify([fixture.branched]).replaceAll('"u2"', '"__proto__"');
    const { conversations, skipped } = await readAll(chatgpt, sourceOf('c.json', { 'c.json': text }));
    const before = (await whole()).of('c-branched');
    expect(conversations[0]?.messages).toHaveLength(before.messages.length);
    expect(conversations[0]?.messages.map(({ id }) => id)).toContain('__proto__');
    expect(conversations[0]?.messages.find(({ id }) => id === '__proto__')?.parentId).toBe('a1');
    expect(skipped).toEqual({});
  });

  it('reads numbers that only Python writes, and leaves words that look like them as they are', async () => {
    const text = JSON.stringify([fixture.branched])
      .replaceAll('"create_time":', '"score":-Infinity,"update_time":NaN,"create_time":')
      .replace('Bread that rises', 'NaN, Infinity,]');
    const { conversations, skipped } = await readAll(chatgpt, sourceOf('c.json', { 'c.json': text }));
    const before = (await whole()).of('c-branched');
    expect(conversations[0]).toEqual({ ...before, meta: { ...before.meta, title: 'NaN, Infinity,]' } });
    expect(skipped).toEqual({});
  });

  it('takes words and speakers in whatever shape they stand', async () => {
    const text = JSON.stringify([fixture.branched])
      .replace('{"content_type":"text","parts":["Too much water."]}', '["Too much water."]')
      .replaceAll('{"role":"assistant","name":null,"metadata":{}}', '"Assistant"');
    const { conversations, skipped } = await readAll(chatgpt, sourceOf('c.json', { 'c.json': text }));
    expect(conversations[0]?.messages).toEqual((await whole()).of('c-branched').messages);
    expect(skipped).toEqual({});
  });

  it('reads a file of lines, each a conversation', async () => {
    const text = [fixture.branched, { ...fixture.branched, conversation_id: 'c-other' }]
      .map((conversation) => JSON.stringify(conversation))
      .join('\r\n');
    const source = sourceOf('conversations.jsonl', { 'conversations.jsonl': text });
    expect(await chatgpt.sniff(source, never)).toBeGreaterThan(0.5);
    const { conversations } = await readAll(chatgpt, source);
    expect(conversations.map(({ source }) => source.id)).toEqual(['c-branched', 'c-other']);
  });

  it('reads a file in UTF-16, as some Windows tools save it', async () => {
    const text = JSON.stringify([fixture.branched]);
    const expected = (await readAll(chatgpt, sourceOf('c.json', { 'c.json': text }))).conversations;
    for (const little of [true, false]) {
      const bytes = new Uint8Array(2 + text.length * 2);
      const view = new DataView(bytes.buffer);
      view.setUint16(0, 0xfeff, little);
      for (let at = 0; at < text.length; at += 1) view.setUint16(2 + at * 2, text.charCodeAt(at), little);
      const source = sourceOf('c.json', { 'c.json': bytes });
      expect(await chatgpt.sniff(source, never)).toBeGreaterThan(0.6);
      expect((await readAll(chatgpt, source)).conversations).toEqual(expected);
    }
  });

  it('keeps hidden nodes as notes and leaves empty ones out of the chain', async () => {
    const { messages } = (await whole()).of('c-branched');
    expect(messages[0]).toMatchObject({ id: 'ctx', parentId: null, kind: 'note' });
    expect(messages.find((message) => message.id === 'u1')).toMatchObject({
      parentId: 'ctx',
      kind: 'message',
    });
  });

  it('reads calls, results, reasoning, images and sources', async () => {
    const { messages } = (await whole()).of('c-tools');
    const of = (id: string) => messages.find((message) => message.id === id);
    expect(of('u1')?.parts).toEqual([
      {
        type: 'file',
        mediaType: 'image/png',
        name: 'data.png',
        reference: 'file-service://file-AbC123',
        url: 'data:image/png;base64,iVBORw0KGgo=',
      },
      { type: 'text', text: 'Plot this 图' },
      { type: 'file', mediaType: 'image/*', reference: 'sediment://file_0000gone' },
      { type: 'file', mediaType: 'text/csv', name: 'table.csv', reference: 'file-Zz9' },
    ]);
    expect(of('th')?.parts).toEqual([{ type: 'reasoning', text: 'Reading\n\nIt is a line.' }]);
    expect(of('call')).toMatchObject({
      finish: 'tool-calls',
      parts: [{ type: 'tool-call', callId: 'call', name: 'python', arguments: 'plot()' }],
    });
    expect(of('out')?.parts).toEqual([
      { type: 'tool-result', callId: 'call', name: 'python', text: '<plot>' },
    ]);
    expect(textOf(of('end') as never)).toBe('Done ([a source](https://example.org)).');
  });

  it('knows seconds, milliseconds and microseconds, and takes a neighbour for what is no time', async () => {
    const { messages, meta } = (await whole()).of('c-tools');
    expect(meta.createdAt).toBe(T0 + 900_000);
    expect(messages.find((message) => message.id === 'u1')?.createdAt).toBe(T0 + 1_000);
    expect(messages.find((message) => message.id === 'end')?.createdAt).toBe(T0 + 5_000);
  });

  it('names pictures and files that no message names', async () => {
    const source = sourceOf('export', {
      ...fixture.exportFiles,
      'file-Left1-lost.png': 'x',
      'file-Left2.dat': 'y',
    });
    const left: Skipped[] = [];
    const skip = (one: Skipped) => left.push(one);
    for await (const _ of chatgpt.read(source, { signal: never, skip, now: T0 }));
    expect(left.filter(({ reason }) => reason === 'unused-file')).toEqual([
      { reason: 'unused-file', count: 2, example: 'file-Left1-lost.png' },
    ]);
  });

  it('counts what it could not take', async () => {
    expect((await whole()).skipped).toEqual({
      'malformed-line': 3,
      'missing-attachment': 2,
      'impossible-time': 2,
      'unknown-part': 2,
      'unknown-role': 1,
      'broken-call': 1,
      'no-content': 1,
      'empty-conversation': 1,
    });
  });

  it('makes trees of rings, orphans and strangers', async () => {
    const { messages } = (await whole()).of('c-tangled');
    expect(messages.map(({ id, parentId }) => [id, parentId])).toEqual([
      ['c', null],
      ['d', 'c'],
      ['__proto__x', null],
      ['a', null],
      ['b', 'a'],
    ]);
  });

  describe('with pictures and files', () => {
    const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10);
    const pictured = (pointer: string, attachments?: unknown) =>
      JSON.stringify([
        {
          conversation_id: 'p',
          current_node: 'q',
          mapping: {
            q: {
              parent: null,
              children: [],
              message: {
                author: { role: 'user' },
                create_time: fixture.T0,
                content: {
                  content_type: 'multimodal_text',
                  parts: [{ content_type: 'image_asset_pointer', asset_pointer: pointer }],
                },
                metadata: { attachments },
              },
            },
          },
        },
      ]);
    const filesIn = async (files: Readonly<Record<string, string | Uint8Array>>) => {
      const { conversations, skipped } = await readAll(chatgpt, sourceOf('export', files));
      return { parts: conversations[0]?.messages[0]?.parts, skipped };
    };

    it('takes name and kind of a .dat from what hangs on the message', async () => {
      const attachment = { id: 'file-Ab1', name: 'cat.webp', mime_type: 'image/webp' };
      const { parts } = await filesIn({
        'conversations.json': pictured('file-service://file-Ab1', [attachment]),
        'file-Ab1.dat': 'bytes that tell nothing',
      });
      expect(parts).toMatchObject([{ mediaType: 'image/webp', name: 'cat.webp' }]);
      expect(parts?.[0]).toMatchObject({ url: expect.stringMatching(/^data:image\/webp;base64,/) });
    });

    const ascii = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
    it.each<[string, string, Uint8Array]>([
      ['image/png', 'png', PNG],
      ['image/jpeg', 'jpg', Uint8Array.of(0xff, 0xd8, 0xff, 0xe0)],
      ['image/gif', 'gif', ascii('GIF89a')],
      ['image/webp', 'webp', ascii('RIFF\x10\0\0\0WEBPVP8 ')],
      ['application/pdf', 'pdf', ascii('%PDF-1.7')],
    ])('knows %s in a .dat by its first bytes', async (mediaType, ending, bytes) => {
      const { parts, skipped } = await filesIn({
        'conversations.json': pictured('sediment://file_00ab'),
        'file_00ab.dat': bytes,
      });
      expect(parts).toMatchObject([{ mediaType, name: `file_00ab.${ending}` }]);
      expect(parts?.[0]).toMatchObject({ url: expect.stringContaining(`data:${mediaType};`) });
      expect(skipped).toEqual({});
    });

    it('says of a file that is there and too large that it is too large', async () => {
      const large = { ...fileFromBytes('file-Ab1-film.png', PNG), size: MAX_ATTACHMENT_BYTES + 1 };
      const [list] = sourceOf('e', { 'conversations.json': pictured('file-service://file-Ab1') }).files;
      const files = [list as typeof large, large];
      const { conversations, skipped } = await readAll(chatgpt, { name: 'e', files });
      expect(conversations[0]?.messages[0]?.parts).toEqual([
        { type: 'file', mediaType: 'image/png', name: 'film.png', reference: 'file-service://file-Ab1' },
      ]);
      expect(skipped).toEqual({ 'oversized-attachment': 1 });
    });
  });

  it('reads an export in several files as one', async () => {
    const [first, ...rest] = fixture.conversations;
    const { conversations } = await readAll(
      chatgpt,
      sourceOf('export', {
        'conversations-000.json': JSON.stringify([first]),
        'conversations-001.json': JSON.stringify(rest),
      }),
    );
    expect(conversations.map((c) => c.source.id)).toEqual(['c-branched', 'c-tools', 'c-tangled']);
  });

  describe('of one conversation', () => {
    type Message = Record<string, unknown>;
    /** A question, and one message under it; `more` goes into the conversation. */
    const read = async (message: Message | null, more: Record<string, unknown> = {}, listed = true) => {
      const conversation = {
        title: 'One',
        create_time: fixture.T0,
        conversation_id: 'one',
        current_node: 'it',
        mapping: {
          ask: {
            id: 'ask',
            parent: null,
            children: ['it'],
            message: {
              author: { role: 'user' },
              create_time: fixture.T0 + 1,
              content: { content_type: 'text', parts: ['Ask'] },
            },
          },
          it: { id: 'it', parent: 'ask', children: [], message },
        },
        ...more,
      };
      const file = { 'c.json': JSON.stringify(listed ? [conversation] : conversation) };
      const { conversations, skipped } = await readAll(chatgpt, sourceOf('c.json', file));
      const [one] = conversations;
      return { one, it: one?.messages.find(({ id }) => id === 'it'), skipped };
    };
    const said = (content: unknown, more: Message = {}): Message => ({
      author: { role: 'assistant' },
      create_time: fixture.T0 + 2,
      content,
      ...more,
    });
    const text = { content_type: 'text', parts: ['Answer'] };
    const tool = { author: { role: 'tool', name: 'browser' } };

    it.each<[string, Message, object]>([
      [
        'a quote of a page',
        said({ content_type: 'tether_quote', url: 'https://a.example', title: 'A', text: 'words' }, tool),
        { role: 'tool', parts: [{ type: 'text', text: 'A\nhttps://a.example\nwords' }] },
      ],
      [
        'a page as browsed',
        said({ content_type: 'tether_browsing_display', result: 'L0: words', summary: null }, tool),
        { role: 'tool', parts: [{ type: 'text', text: 'L0: words' }] },
      ],
      [
        'an error of the service',
        said({ content_type: 'system_error', name: 'ToolError', text: 'no page' }, tool),
        { role: 'tool', parts: [{ type: 'text', text: 'ToolError: no page' }] },
      ],
      [
        'code to a person, fenced',
        said({ content_type: 'code', language: 'python', text: 'print("```")' }),
        { role: 'assistant', parts: [{ type: 'text', text: '````python\nprint("```")\n````' }] },
      ],
      [
        'what was heard',
        said({
          content_type: 'multimodal_text',
          parts: [{ content_type: 'audio_transcription', text: 'heard' }, null],
        }),
        { parts: [{ type: 'text', text: 'heard' }] },
      ],
      [
        'parts of no known shape, kept as they are',
        said({ content_type: 'text', parts: ['a', 7, { odd: 1 }] }),
        {
          parts: [
            { type: 'text', text: 'a' },
            { type: 'unknown', original: 7 },
            { type: 'unknown', original: { odd: 1 } },
          ],
        },
      ],
      [
        'memory that the model wrote, as a note',
        said({ content_type: 'model_editable_context', model_set_context: 'Likes tea.' }),
        { kind: 'note', parts: [{ type: 'text', text: 'Likes tea.' }] },
      ],
      [
        'what is hidden, as a note',
        said(text, { metadata: { is_visually_hidden_from_conversation: true } }),
        { kind: 'note' },
      ],
      ['what weighs nothing, as a note', said(text, { weight: 0 }), { kind: 'note' }],
      [
        'words of the system',
        said(text, { author: { role: 'system' } }),
        { role: 'system', kind: 'message' },
      ],
      [
        'an answer that is still being written',
        said(text, { status: 'in_progress' }),
        { role: 'assistant', finish: 'cut' },
      ],
      [
        'values of other types beside the words',
        said(text, { status: 7, weight: 'much', recipient: [], metadata: 'none', create_time: {} }),
        { role: 'assistant', kind: 'message', createdAt: T0 + 1_000 },
      ],
    ])('reads %s', async (_, message, expected) => {
      expect((await read(message)).it).toMatchObject(expected);
    });

    it('marks the result of a call that failed', async () => {
      const call = said(
        { content_type: 'code', language: 'unknown', text: 'open()' },
        { recipient: 'browser' },
      );
      const failed = said({ content_type: 'system_error', name: 'E', text: 'gone' }, tool);
      const { one } = await read(call, {
        current_node: 'end',
        mapping: {
          it: { parent: null, children: ['end'], message: call },
          end: { parent: 'it', children: [], message: failed },
        },
      });
      expect(one?.messages[1]?.parts).toEqual([
        { type: 'tool-result', callId: 'it', name: 'browser', text: 'E: gone', isError: true },
      ]);
    });

    it.each<[string, unknown]>([
      ['the words alone', 'Snow fell.'],
      ['one part', { content_type: 'text', parts: 'Snow fell.' }],
      ['no parts', { content_type: 'text', text: 'Snow fell.' }],
      [
        'parts with words in them',
        { content_type: 'multimodal_text', parts: [null, { text: 'Snow fell.' }] },
      ],
    ])('takes %s for what was said', async (_, content) => {
      const { it } = await read(said(content));
      expect(it && textOf(it)).toBe('Snow fell.');
    });

    it.each<[string, unknown, string]>([
      ['one without a way to read it', { alt: null }, 'Snow fell.'],
      ['one that nothing is said about', undefined, 'Snow fell.'],
      [
        'one that says how it reads',
        { alt: '[news](https://n.example)' },
        'Snow fell [news](https://n.example).',
      ],
    ])('leaves no marks where a source is cited: %s', async (_, more, expected) => {
      const mark = '\uE200cite\uE202turn0search0\uE202turn0search3\uE201';
      const { it } = await read(
        said(
          { content_type: 'text', parts: [`Snow fell ${mark}.`] },
          more === undefined
            ? {}
            : { metadata: { content_references: [{ matched_text: mark, ...(more as object) }] } },
        ),
      );
      expect(it && textOf(it)).toBe(expected);
    });

    it.each([
      ['In \uE200entity\uE202["city","Lyon","a city in France"]\uE201 it rains.', 'In Lyon it rains.'],
      ['In \uE200entity\uE202["city"\uE201 it rains.', 'In it rains.'],
      ['\uE203It rains\uE204\uE200cite\uE202turn0search1\uE201\n\nOften', 'It rains\n\nOften'],
      ['\uE200image_group\uE202{"query":["rain"]}\uE201\nIt rains', '\nIt rains'],
      ['It rains \uE200cite\uE202turn0sea', 'It rains'],
      ['It rains【4†source】. Often 【12:0†source】', 'It rains. Often'],
      ['It rains 【7†L10-L14】and snows.', 'It rains and snows.'],
      ['See 【12:0†lease.pdf】.', 'See [lease.pdf].'],
      ['In【里昂】it rains.', 'In【里昂】it rains.'],
      // Other private-use characters are the person's own.
      ['It rains \uF8FF', 'It rains \uF8FF'],
    ])('leaves no marks in %j', async (marked, expected) => {
      const { it } = await read(said({ content_type: 'text', parts: [marked] }));
      expect(it && textOf(it)).toBe(expected);
    });

    it('keeps the pages that an answer rests on', async () => {
      const metadata = {
        content_references: [
          {
            type: 'grouped_webpages',
            items: [
              {
                title: 'Snow',
                url: 'https://n.example/a',
                supporting_websites: [{ title: 'Ice', url: 'https://n.example/b' }],
              },
            ],
          },
          { type: 'sources_footnote', sources: [{ title: 'Snow again', url: 'https://n.example/a' }] },
          { type: 'image_v2', images: [{ url: 'https://n.example/picture.png' }] },
          null,
        ],
        citations: [{ metadata: { type: 'webpage', title: 'Old', url: 'https://n.example/c' } }],
      };
      const { it } = await read(said({ content_type: 'text', parts: ['Snow fell.'] }, { metadata }));
      expect(it?.parts).toEqual([
        {
          type: 'text',
          text: 'Snow fell.',
          sources: [
            { url: 'https://n.example/a', title: 'Snow' },
            { url: 'https://n.example/b', title: 'Ice' },
            { url: 'https://n.example/c', title: 'Old' },
          ],
        },
      ]);
    });

    it.each<[Record<string, unknown>, string]>([
      [
        { content_type: 'sonic_webpage', title: 'Snow', url: 'https://n.example/a', text: 'It fell.' },
        'Snow\nhttps://n.example/a\nIt fell.',
      ],
      [{ content_type: 'citable_code_output', output_str: '42' }, '42'],
    ])('reads the words of $content_type', async (content, expected) => {
      const { it } = await read(said(content));
      expect(it && textOf(it)).toBe(expected);
    });

    it('says how an older mark reads', async () => {
      const content_references = [{ matched_text: '【4†source】', alt: '([news](https://n.example))' }];
      const { it } = await read(
        said({ content_type: 'text', parts: ['Snow 【4†source】.'] }, { metadata: { content_references } }),
      );
      expect(it && textOf(it)).toBe('Snow ([news](https://n.example)).');
    });

    it('takes nothing out of what a person wrote', async () => {
      const words = 'What is \uE200cite\uE202turn0search0\uE201 and 【4†source】?';
      const { it } = await read(said({ content_type: 'text', parts: [words] }, { author: { role: 'user' } }));
      expect(it && textOf(it)).toBe(words);
    });

    it.each([
      ['starred', { is_starred: true, is_archived: false }, { pinned: true, archived: false }],
      ['archived', { is_archived: true }, { pinned: false, archived: true }],
      ['without a title', { title: null }, { title: '', titleBy: 'auto' }],
      [
        'with a title and flags of other types',
        { title: 7, is_starred: 'yes', is_archived: 1 },
        { title: '', titleBy: 'auto', pinned: false, archived: false },
      ],
    ])('takes over what stands on it: %s', async (_, more, meta) => {
      expect((await read(said(text), more)).one?.meta).toMatchObject(meta);
    });

    it.each([[undefined], [null], ['nowhere'], [7]])(
      'shows the newest leaf where the current node is %s',
      async (current) => {
        expect((await read(said(text), { current_node: current })).one?.head).toBe('it');
      },
    );

    it('is read where the file is that one object, not a list', async () => {
      const { one, skipped } = await read(said(text), {}, false);
      expect(one?.messages.map(({ id }) => id)).toEqual(['ask', 'it']);
      expect(skipped).toEqual({});
    });

    it.each([
      ['an empty tree', {}, { 'empty-conversation': 1 }],
      [
        'nodes without messages',
        { a: { parent: null, children: [], message: null } },
        { 'empty-conversation': 1 },
      ],
    ])('is left out and counted where it has %s', async (_, mapping, expected) => {
      const { one, skipped } = await read(null, { mapping });
      expect(one).toBeUndefined();
      expect(skipped).toEqual(expected);
    });

    it.each([[[]], ['tree'], [null]])('cannot be trusted where its tree is %j', async (mapping) => {
      await expect(read(null, { mapping })).rejects.toMatchObject({ problem: { code: 'import-broken' } });
    });
  });

  it('takes the whole conversations of a list that is cut off, and refuses one without any', async () => {
    const text = JSON.stringify(fixture.conversations);
    const whole = await readAll(chatgpt, sourceOf('c.json', { 'c.json': text }));
    for (const cut of [text.slice(0, -1), `${text}{}`]) {
      const { conversations, skipped } = await readAll(chatgpt, sourceOf('c.json', { 'c.json': cut }));
      const upTo = cut.length < text.length ? conversations.length : whole.conversations.length;
      expect(conversations).toEqual(whole.conversations.slice(0, upTo));
      expect(conversations.length).toBeGreaterThan(0);
      expect(skipped['damaged-file']).toBe(1);
    }
    for (const cut of [text.slice(0, 400), '[', '[{]'])
      await expect(
        readAll(chatgpt, sourceOf('c.json', { 'c.json': cut })),
        cut.slice(-20),
      ).rejects.toMatchObject({
        problem: { code: 'import-broken' },
      });
  });
});

describe('the model of an answer', () => {
  const answer = (metadata: object) => ({
    id: 'a',
    author: { role: 'assistant' },
    content: { content_type: 'text', parts: ['Yes.'] },
    metadata,
  });
  it.each([
    ['its own', { model_slug: 'own', default_model_slug: 'set' }, 'whole', 'own'],
    ['the one it was set to', { default_model_slug: 'set' }, 'whole', 'set'],
    ['that of the conversation', {}, 'whole', 'whole'],
    ['none', {}, null, undefined],
  ])('is %s', async (_, metadata, ofConversation, expected) => {
    const conversation = {
      title: 't',
      current_node: 'a',
      ...(ofConversation ? { default_model_slug: ofConversation } : {}),
      mapping: { a: { id: 'a', parent: null, children: [], message: answer(metadata) } },
    };
    const { conversations } = await readAll(
      chatgpt,
      sourceOf('x', { 'conversations.json': JSON.stringify([conversation]) }),
    );
    expect(conversations[0]?.messages[0]?.model).toBe(expected);
  });
});

describe('what newer exports do otherwise', () => {
  const answered = (content: unknown, metadata: object = {}) => {
    const conversation = structuredClone(fixture.branched) as unknown as {
      mapping: Record<string, { message: Record<string, unknown> }>;
    };
    Object.assign(conversation.mapping.a2?.message ?? {}, { content, metadata });
    return sourceOf('c.json', { 'c.json': JSON.stringify([conversation]) });
  };
  const partsOf = async (content: unknown, metadata: object = {}) => {
    const { conversations, skipped } = await readAll(chatgpt, answered(content, metadata));
    return { parts: conversations[0]?.messages.find(({ id }) => id === 'a2')?.parts, skipped };
  };

  const SHAPES: readonly (readonly [content: unknown, expected: unknown])[] = [
    [{ parts: ['Rye.'] }, [{ type: 'text', text: 'Rye.' }]],
    [{ content_type: 'thoughts', thoughts: ['Rye?'] }, [{ type: 'reasoning', text: 'Rye?' }]],
    [
      { content_type: 'thoughts', thoughts: [{ summary: '', content: '', chunks: ['Rye', 'or wheat'] }] },
      [{ type: 'reasoning', text: 'Rye\n\nor wheat' }],
    ],
    ...[
      { content_type: 'code', text: { source: 'rye()' } },
      { content_type: 'execution_output', text: ['rye'] },
    ].map((content): [unknown, unknown] => [content, [{ type: 'unknown', original: content }]]),
  ];
  it.each(SHAPES)('no word of %j is lost', async (content, expected) => {
    expect((await partsOf(content)).parts).toEqual(expected);
  });

  it('a report of Deep Research is an answer, wherever the state of its widget lies', async () => {
    const report_message = {
      author: { role: 'assistant' },
      content: { content_type: 'text', parts: ['# Rye\n\nIt rises slowly.'] },
      metadata: { content_references: [{ type: 'webpage', url: 'https://example.org/rye', title: 'Rye' }] },
    };
    for (const chatgpt_sdk of [
      { widget_state: JSON.stringify({ status: 'completed', report_message }) },
      { tool_response_metadata: { venus_widget_state: JSON.stringify({ report_message }) } },
    ]) {
      const { conversations, skipped } = await readAll(
        chatgpt,
        answered(
          { content_type: 'text', parts: [''] },
          { chatgpt_sdk, is_visually_hidden_from_conversation: true },
        ),
      );
      const { role, kind, parts } = conversations[0]?.messages.find(({ id }) => id === 'a2') ?? {};
      expect([role, kind]).toEqual(['assistant', 'message']);
      expect(parts?.[0]).toMatchObject({ type: 'text', text: '# Rye\n\nIt rises slowly.' });
      expect(JSON.stringify(parts)).toContain('https://example.org/rye');
      expect(skipped).toEqual({});
    }
  });

  it('what code wrote while it ran is its output, where no other is there', async () => {
    const { parts } = await partsOf(
      { content_type: 'execution_output', text: '' },
      {
        aggregate_result: {
          messages: [
            { message_type: 'stream', stream_name: 'stdout', text: 'rye\n' },
            { message_type: 'stream', text: 'wheat' },
          ],
        },
      },
    );
    expect(parts).toEqual([{ type: 'text', text: 'rye\nwheat' }]);
  });

  it('the words by which a model drew are kept with what it drew', async () => {
    const { parts } = await partsOf({
      content_type: 'multimodal_text',
      parts: [
        {
          content_type: 'image_asset_pointer',
          asset_pointer: 'file-service://file-x',
          metadata: { dalle: { prompt: 'A loaf of rye' } },
        },
      ],
    });
    expect(parts?.[0]).toEqual({ type: 'text', text: 'A loaf of rye' });
  });

  it('an attachment without an id is told of', async () => {
    const { parts, skipped } = await partsOf(
      { content_type: 'text', parts: ['Rye.'] },
      { attachments: [{ name: 'oven.pdf' }] },
    );
    expect(parts).toContainEqual(expect.objectContaining({ type: 'file', name: 'oven.pdf' }));
    expect(skipped).toEqual({ 'missing-attachment': 1 });
  });
});
