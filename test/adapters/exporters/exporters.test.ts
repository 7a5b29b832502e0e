// What goes out as our own JSON comes back equal; what goes out as Markdown can be read.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { json } from '../../../src/adapters/exporters/json.ts';
import { markdown } from '../../../src/adapters/exporters/markdown.ts';
import { recollect } from '../../../src/adapters/importers/recollect.ts';
import { fileFromBytes } from '../../../src/adapters/importers/source-file.ts';
import { openZip } from '../../../src/adapters/importers/zip.ts';
import { asConversationId, asMessageId } from '../../../src/domain/base/ids.ts';
import type { Conversation } from '../../../src/domain/chat/conversation.ts';
import { conversationArbitrary } from '../../fixtures/conversations.ts';
import { each, exported, sampleArchive, sampleConversation } from '../../fixtures/recollect.ts';
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
    expect(skipped).toEqual({ 'malformed-line': 1 });
    expect(conversations[0]?.messages.size).toBe(2);
    expect(conversations[0]?.meta).toMatchObject({ title: 'Own 对话', archived: false, pinned: true });
  });

  it('stops when told to', async () => {
    const write = json.write(each([sampleConversation()]), { count: 1, now: 0, signal: AbortSignal.abort() });
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
      for await (const _ of markdown.write(failing(), { count: 2, now: 0, signal: never }));
    })();
    await expect(reading).rejects.toThrow('the disk is gone');
  });
});
