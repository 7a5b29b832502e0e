// What becomes of a Claude.ai export.
import { describe, expect, it } from 'vitest';
import { MAX_ATTACHMENT_BYTES } from '../../../src/adapters/importers/attachments.ts';
import { claude } from '../../../src/adapters/importers/claude.ts';
import type { ImportedConversation } from '../../../src/adapters/importers/importer.ts';
import { textOf } from '../../../src/domain/chat/message.ts';
import * as fixture from '../../fixtures/claude.ts';
import { sourceOf } from '../../fixtures/files.ts';
import { deep } from '../../scale.ts';
import { readAll } from '../../suites/importer.suite.ts';

const whole = async () => {
  const { conversations, skipped } = await readAll(claude, sourceOf('export', fixture.exportFiles));
  return {
    skipped,
    of: (id: string) => conversations.find((c) => c.source.id === id) as ImportedConversation,
  };
};

describe('blocks and names of newer exports', () => {
  it('are words, thoughts, pictures and models', async () => {
    const { conversations, skipped } = await readAll(
      claude,
      sourceOf('conversations.json', {
        'conversations.json': JSON.stringify([
          {
            uuid: 'c',
            name: 'N',
            model: 'claude-x',
            created_at: { $date: 1_750_000_000_000 },
            chat_messages: [
              { uuid: 'a', sender: 'human', content: [{ type: 'voice_note', title: 'v', text: 'spoken' }] },
              {
                uuid: 'b',
                sender: 'AI',
                content: [
                  { type: 'thinking', thinking: '', summaries: [{ summary: 'Looked.' }] },
                  { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
                  { type: 'tool_use', id: 't', name: 'web_search', input: {} },
                  {
                    type: 'tool_result',
                    tool_use_id: 't',
                    content: [{ type: 'knowledge', title: 'Page', url: 'https://example.org', text: 'body' }],
                  },
                ],
              },
            ],
          },
        ]),
      }),
    );
    expect(skipped).toEqual({});
    expect(conversations[0]?.meta.createdAt).toBe(1_750_000_000_000);
    expect(conversations[0]?.messages.map(({ role, model, parts }) => [role, model, parts])).toEqual([
      ['user', undefined, [{ type: 'text', text: 'spoken' }]],
      [
        'assistant',
        'claude-x',
        [
          { type: 'reasoning', text: 'Looked.' },
          { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AAAA' },
          { type: 'tool-call', callId: 't', name: 'web_search', arguments: '{}' },
        ],
      ],
      [
        'tool',
        undefined,
        [
          {
            type: 'tool-result',
            callId: 't',
            name: 'web_search',
            text: 'Page\nhttps://example.org\nbody',
          },
        ],
      ],
    ]);
  });
});

describe('a Claude.ai export', () => {
  it('takes the blocks where there are blocks, and the text where there are none', async () => {
    const { messages } = (await whole()).of('k-tree');
    const of = (id: string) =>
      messages.find((message) => message.id === id) as ImportedConversation['messages'][number];
    expect(textOf(of('m1'))).toBe('What grows in shade?');
    expect(textOf(of('m5'))).toBe('Lavender, from the old text.');
  });

  it('keeps what was read out of an attachment, and names files that are not there', async () => {
    const { messages } = (await whole()).of('k-tree');
    const files = messages[0]?.parts.filter((part) => part.type === 'file') ?? [];
    expect(files.map((file) => file.name)).toEqual(['plan.txt', 'garden.jpg']);
    const [, data = ''] = files[0]?.url?.split('base64,') ?? [];
    expect(Buffer.from(data, 'base64').toString()).toBe('北面的花园');
    expect(files[1]).toEqual({ type: 'file', mediaType: 'image/jpeg', name: 'garden.jpg', reference: 'f-1' });
  });

  it('stands calls and results as everywhere else, in one line', async () => {
    const { messages } = (await whole()).of('k-tree');
    const line = messages.filter((message) => message.id.startsWith('m2'));
    expect(line.map(({ role, parentId, parts }) => [role, parentId, parts.map((part) => part.type)])).toEqual(
      [
        ['assistant', 'm1', ['reasoning', 'text', 'tool-call']],
        ['tool', 'm2', ['tool-result']],
        ['assistant', 'm2#1', ['text', 'unknown']],
      ],
    );
    expect(line[1]?.parts[0]).toMatchObject({ callId: 'tu1', name: 'web_search' });
    expect(messages.filter((message) => message.parentId === 'm2#2').map((message) => message.id)).toEqual([
      'm3',
      'm4',
    ]);
  });

  it('shows the newest leaf', async () => {
    const { of } = await whole();
    expect(of('k-tree').head).toBe('m8');
    expect(of('k-tree').meta).toMatchObject({ title: 'A quiet garden', pinned: true });
  });

  it('reads old exports in their order, with times between their neighbours', async () => {
    const { messages, head } = (await whole()).of('k-flat');
    expect(messages.map((message) => message.parentId)).toEqual([null, 'o1', 'o2', 'o3']);
    const start = Date.parse('2026-03-01T10:00:01.123Z');
    expect(messages.map((message) => message.createdAt - start)).toEqual([0, 2000, 4000, 6000]);
    expect(head).toBe('o4');
  });

  it('keeps a second message of the same id, unless it says the same', async () => {
    const said = (uuid: string, sender: string, text: string, more: object = {}) => ({
      uuid,
      sender,
      text,
      ...more,
    });
    const read = async (chat_messages: object[]) =>
      await readAll(
        claude,
        sourceOf('c', { 'conversations.json': JSON.stringify([{ ...fixture.flat, chat_messages }]) }),
      );
    const list = [
      said('1', 'human', 'one'),
      said('2', 'assistant', 'two'),
      said('1', 'human', 'another'),
      said('1', 'human', 'one'),
      said('3', 'assistant', 'three'),
    ];
    const { conversations, skipped } = await read(list);
    const messages = conversations[0]?.messages ?? [];
    expect(messages.map(textOf)).toEqual(['one', 'two', 'another', 'three']);
    expect(messages.map(({ parentId }) => parentId)).toEqual([
      null,
      ...messages.slice(0, 3).map(({ id }) => id),
    ]);
    expect(messages.map(({ id }) => id).filter((id) => /^\d$/.test(id))).toEqual(['1', '2', '3']);
    expect(skipped).toEqual({});
    const again = await read([list[2] as object, ...list.slice(0, 2)]);
    expect(again.conversations[0]?.messages).toHaveLength(3);
  });

  it('keeps words in fields that no known version writes', async () => {
    const strange = { uuid: '1', sender: 'human', transcript: { lines: 'spoken, not typed' } };
    const text = JSON.stringify([{ ...fixture.flat, chat_messages: [strange] }]);
    const { conversations, skipped } = await readAll(claude, sourceOf('c', { 'conversations.json': text }));
    expect(conversations[0]?.messages.map(({ role, parts }) => [role, parts])).toEqual([
      ['user', [{ type: 'unknown', original: { transcript: { lines: 'spoken, not typed' } } }]],
    ]);
    expect(skipped).toEqual({ 'unknown-part': 1 });
  });

  it('counts what it could not take', async () => {
    expect((await whole()).skipped).toEqual({
      'malformed-line': 2,
      'missing-attachment': 1,
      'unknown-part': 1,
      'unknown-role': 1,
      'broken-call': 1,
      'no-content': 1,
      'impossible-time': 1,
      'empty-conversation': 1,
    });
  });

  it('takes words in whatever shape they stand', async () => {
    const said = [
      { uuid: '1', sender: 'Human', content: { type: 'text', text: 'One block.' } },
      { uuid: '2', sender: 'ASSISTANT', content: ['Words alone.', { type: 'text', text: 'A block.' }] },
    ];
    const text = JSON.stringify({ ...fixture.flat, chat_messages: said });
    const { conversations, skipped } = await readAll(
      claude,
      sourceOf('c.jsonl', { 'c.jsonl': `${text}\r\n` }),
    );
    expect(
      conversations[0]?.messages.map(({ role, parts }) => [
        role,
        ...parts.map((part) => (part.type === 'text' ? part.text : part.type)),
      ]),
    ).toEqual([
      ['user', 'One block.'],
      ['assistant', 'Words alone.', 'A block.'],
    ]);
    expect(skipped['unknown-part'] ?? skipped['no-content'] ?? skipped['unknown-role']).toBeUndefined();
  });

  describe('with memories and projects', () => {
    const read = (files: Readonly<Record<string, string>>) =>
      readAll(claude, sourceOf('export', { 'conversations.json': JSON.stringify([fixture.flat]), ...files }));

    it('tells that they are left out', async () => {
      const { conversations, skipped } = await read({
        'memories.json': JSON.stringify([
          {
            conversations_memory: 'Likes tea.',
            project_memories: { p1: 'A garden.', p2: '' },
            account_uuid: 'acc',
          },
        ]),
        'projects.json': JSON.stringify([
          { uuid: 'p0', name: 'How to use it', is_starter_project: true, docs: [{ content: 'Hello' }] },
          { uuid: 'p1', name: 'Garden', prompt_template: 'Be brief.', docs: [{ content: 'A plan.' }] },
        ]),
        'users.json': '[{"uuid":"acc"}]',
      });
      expect(conversations).toHaveLength(1);
      const { 'impossible-time': _, ...rest } = skipped;
      expect(rest).toEqual({ 'service-memory': 2, 'service-project': 1 });
    });

    it('tells of projects that lie one in each file', async () => {
      const { skipped } = await read({
        'projects/p1.json': JSON.stringify({ uuid: 'p1', name: 'Garden', docs: [{ content: 'A plan.' }] }),
        'projects/p2.json': JSON.stringify({ uuid: 'p2', name: 'How to', is_starter_project: true }),
        'memories.json': JSON.stringify({ conversations_memory: 'Likes tea.' }),
        'other/projects/p3.json': '{"name":"Another"}',
      });
      const { 'impossible-time': _, ...rest } = skipped;
      expect(rest).toEqual({ 'service-memory': 1, 'service-project': 1 });
    });

    it('tells nothing where there are none, and one where it cannot be read what there is', async () => {
      const { 'impossible-time': _, ...none } = (await read({ 'memories.json': '[]', 'projects.json': '[]' }))
        .skipped;
      expect(none).toEqual({});
      const { conversations, skipped } = await read({ 'memories.json': '[{"a', 'projects.json': '"odd"' });
      expect(conversations).toHaveLength(1);
      expect(skipped).toMatchObject({ 'service-memory': 1, 'service-project': 1 });
    });

    it('leaves files of the same name alone that lie elsewhere', async () => {
      const { 'impossible-time': _, ...rest } = (await read({ 'work/projects.json': '[{"name":"a"}]' }))
        .skipped;
      expect(rest).toEqual({});
    });
  });

  describe('of one conversation', () => {
    const ROOT = '00000000-0000-4000-8000-000000000000';
    const read = async (messages: readonly Record<string, unknown>[], listed = true) => {
      const conversation = {
        uuid: 'one',
        name: null,
        created_at: '2026-03-01T10:00:00Z',
        chat_messages: messages,
      };
      const file = { 'c.json': JSON.stringify(listed ? [conversation] : conversation) };
      const { conversations, skipped } = await readAll(claude, sourceOf('c.json', file));
      return { one: conversations[0], messages: conversations[0]?.messages ?? [], skipped };
    };
    const said = (
      uuid: string,
      parent: string | null,
      second: number,
      more: Record<string, unknown> = {},
    ) => ({
      uuid,
      sender: second % 2 === 1 ? 'human' : 'assistant',
      text: uuid,
      created_at: `2026-03-01T10:00:0${second}Z`,
      ...(parent === null ? {} : { parent_message_uuid: parent }),
      ...more,
    });

    it('begins at the root that the service names, and again for a first question asked anew', async () => {
      const { one, messages, skipped } = await read([
        said('a', ROOT, 1),
        said('b', 'a', 2),
        said('c', ROOT, 3),
        said('d', 'c', 4),
        said('e', 'c', 6),
      ]);
      expect(messages.map(({ id, parentId }) => [id, parentId])).toEqual([
        ['a', null],
        ['b', 'a'],
        ['c', null],
        ['d', 'c'],
        ['e', 'c'],
      ]);
      expect(one).toMatchObject({ head: 'e', meta: { title: '', titleBy: 'auto', pinned: false } });
      expect(skipped).toEqual({});
    });

    it('takes the words out of the blocks where the text is empty, and files where there are no words', async () => {
      const { messages, skipped } = await read([
        said('a', ROOT, 1, { text: '', content: [{ type: 'text', text: 'in a block' }] }),
        said('b', 'a', 2, { content: [{ type: 'text', text: '  ' }] }),
        said('c', 'b', 3, {
          text: '',
          attachments: [{ file_name: 'a.txt', extracted_content: 'in a file' }],
        }),
      ]);
      expect(
        messages.map(({ parts }) => parts.map((part) => ('text' in part ? part.text : part.type))),
      ).toEqual([['in a block'], ['b'], ['file']]);
      expect(skipped).toEqual({});
    });

    deep('says of words out of a file that they are too many to carry', async () => {
      const { messages, skipped } = await read([
        said('a', ROOT, 1, {
          attachments: [
            { file_name: 'log.txt', extracted_content: 'é'.repeat(MAX_ATTACHMENT_BYTES / 2 + 1) },
          ],
        }),
      ]);
      expect(messages[0]?.parts.at(-1)).toEqual({ type: 'file', mediaType: 'text/plain', name: 'log.txt' });
      expect(skipped).toEqual({ 'oversized-attachment': 1 });
    });

    it('keeps two files of one name, and one that is listed twice once', async () => {
      const { messages, skipped } = await read([
        said('a', ROOT, 1, {
          attachments: [{ file_name: 'plan.txt', extracted_content: 'words' }],
          files: [
            { file_name: 'image.png', file_uuid: 'f-1' },
            { file_name: 'image.png', file_uuid: 'f-2' },
            { file_name: 'image.png', file_uuid: 'f-2' },
            { file_name: 'plan.txt', file_uuid: 'f-3' },
            { file_name: 'plan.txt', file_uuid: 'f-4' },
          ],
        }),
      ]);
      const files = messages[0]?.parts.flatMap((part) => (part.type === 'file' ? [part] : [])) ?? [];
      expect(files.map(({ name, reference, url }) => [name, reference, url !== undefined])).toEqual([
        ['plan.txt', undefined, true],
        ['image.png', 'f-1', false],
        ['image.png', 'f-2', false],
        ['plan.txt', 'f-4', false],
      ]);
      expect(skipped).toEqual({ 'missing-attachment': 3 });
    });

    it('is read where the file is that one object, not a list', async () => {
      expect((await read([said('a', ROOT, 1)], false)).messages.map(textOf)).toEqual(['a']);
    });

    it('takes values of other types for none', async () => {
      const { messages, skipped } = await read([
        said('a', ROOT, 1, { uuid: 7, content: 'words', attachments: {}, files: 3, created_at: [] }),
        said('b', ROOT, 2, { sender: 9 }),
      ]);
      expect(messages.map(textOf)).toEqual(['a', 'b']);
      expect(skipped).toEqual({ 'impossible-time': 1, 'unknown-role': 1 });
    });

    it('keeps the pages that an answer rests on', async () => {
      const citations = [
        { uuid: 'c-1', url: 'https://n.example/a', title: 'Snow', start_index: 0, end_index: 4 },
        { uuid: 'c-2', details: { type: 'web_search_citation', url: 'https://n.example/b' } },
        { uuid: 'c-3', url: 'https://n.example/a' },
        { uuid: 'c-4', details: { type: 'file', url: 'file:///etc/hosts' } },
        { type: 'page_location', document_title: 'Diary', cited_text: ' It snowed. ', start_page_number: 3 },
      ];
      const content = [{ type: 'text', text: 'Snow fell.', citations }];
      const { messages } = await read([said('Snow fell.', ROOT, 1, { content })]);
      expect(messages[0]?.parts).toEqual([
        {
          type: 'text',
          text: 'Snow fell.',
          sources: [
            { url: 'https://n.example/a', title: 'Snow' },
            { url: 'https://n.example/b' },
            { url: '', title: 'Diary', cited: 'It snowed.' },
          ],
        },
      ]);
    });

    it('keeps the words of a known block that stand in a field of another name', async () => {
      const content = [{ type: 'voice_note', title: 'On the train', transcript: 'Buy two loaves' }];
      const { messages, skipped } = await read([said('', ROOT, 1, { content })]);
      expect(messages[0]?.parts).toEqual([{ type: 'unknown', original: content[0] }]);
      expect(skipped).toEqual({ 'unknown-part': 1 });
    });

    it('stands calls of the service and of other servers as all others', async () => {
      const content = [
        { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'rye' } },
        {
          type: 'web_search_tool_result',
          tool_use_id: 's',
          content: [
            { type: 'web_search_result', url: 'https://e.org', title: 'Rye', encrypted_content: 'x' },
          ],
        },
        { type: 'mcp_tool_use', id: 'm', name: 'notes', server_name: 'n', input: {} },
        { type: 'mcp_tool_result', tool_use_id: 'm', content: [{ type: 'text', text: 'None' }] },
      ];
      const { messages, skipped } = await read([said('a', ROOT, 2, { content })]);
      expect(messages.map(({ role, parts }) => [role, ...parts.map(({ type }) => type)])).toEqual([
        ['assistant', 'tool-call'],
        ['tool', 'tool-result'],
        ['assistant', 'tool-call'],
        ['tool', 'tool-result'],
      ]);
      expect(messages[1]?.parts).toEqual([
        { type: 'tool-result', callId: 's', name: 'web_search', text: 'Rye\nhttps://e.org' },
      ]);
      expect(skipped).toEqual({});
    });

    it('reads thoughts and artifacts that older exports have within the words', async () => {
      const text =
        '<antThinking>A note.</antThinking>Here:\n<antArtifact identifier="a" type="application/vnd.ant.code" language="python" title="Oven">\n__init__ = "```"\n</antArtifact>\nDone.';
      const { messages } = await read([said('a', ROOT, 2, { content: [{ type: 'text', text }] })]);
      expect(messages[0]?.parts).toEqual([
        { type: 'reasoning', text: 'A note.' },
        {
          type: 'text',
          text: 'Here:\n\n\n**Oven**\n\n````python\n__init__ = "```"\n````\n\n\nDone.',
        },
      ]);
      for (const said_ of ['a <antArtifact title="x"> that never ends', 'Use <antThinking> so.']) {
        const read_ = await read([said('a', ROOT, 2, { content: [{ type: 'text', text: said_ }] })]);
        expect(read_.messages.map(textOf)).toEqual([said_]);
      }
    });

    it('takes words in the place of blocks, where there are no others', async () => {
      const { messages, skipped } = await read([said('', ROOT, 1, { content: 'Words alone.' })]);
      expect([messages.map(textOf), skipped]).toEqual([['Words alone.'], {}]);
    });
  });
});
