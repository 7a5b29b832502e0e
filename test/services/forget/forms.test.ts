// A name in every part of a message and beside it, in every form in which machines write it: gone when it was
// forgotten, and nothing else with it.
import { afterEach, describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import type { Store } from '../../../src/adapters/log/conversation-log.ts';
import { type MessageId, newMessageId } from '../../../src/domain/base/ids.ts';
import { type Message, type Part, textOf } from '../../../src/domain/chat/message.ts';
import { filesOf } from '../../fixtures/files.ts';
import { idOf, NOW, openDevice, recallOf } from './device.ts';

let device: ReturnType<typeof openDevice>;
afterEach(() => device.close());

const base64 = (bytes: Buffer) => `data:text/plain;base64,${bytes.toString('base64')}`;
const escaped = (text: string) =>
  [...text].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
const tryOr = <T>(work: () => T, other: T): T => {
  try {
    return work();
  } catch {
    return other;
  }
};

/** Every string and key in a value, with the way to it. */
function* stringsIn(value: unknown, way: string): Generator<readonly [way: string, text: string]> {
  if (typeof value === 'string') yield [way, value];
  else if (typeof value === 'object' && value !== null)
    for (const [key, inner] of Object.entries(value)) {
      yield [`${way} key`, key];
      yield* stringsIn(inner, `${way}.${key}`);
    }
}

/** All that is kept, Yjs updates unpacked. */
async function* keptIn({ log, keyValues }: Store) {
  for (const { document, bytes } of await log.since(0, Number.POSITIVE_INFINITY))
    for (const struct of Y.decodeUpdate(bytes).structs)
      if (struct instanceof Y.Item) {
        yield [`${document} key`, struct.parentSub ?? ''] as const;
        if (struct.content instanceof Y.ContentAny) yield* stringsIn(struct.content.arr, document);
        if (struct.content instanceof Y.ContentString) yield [document, struct.content.str] as const;
      }
  for (const key of await keyValues.keys('')) {
    yield ['key', key] as const;
    yield* stringsIn(await keyValues.get(key), key);
  }
}

/** The ways in which a text may be read: as bytes of a file, unescaped, percent-decoded. */
function* readingsOf(text: string): Generator<string> {
  const bytes = Buffer.from(/^data:[^,]*;base64,(.*)$/.exec(text)?.[1] ?? '', 'base64');
  const swapped = Buffer.from(bytes.subarray(0, bytes.length & ~1)).swap16();
  for (const one of [text, bytes.toString(), bytes.toString('utf16le'), swapped.toString('utf16le')]) {
    yield one;
    yield one.replace(/\\+u([0-9a-f]{4})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
    yield tryOr(() => decodeURIComponent(one), one);
  }
}

async function leftOf(name: string): Promise<string[]> {
  const plain = (text: string) =>
    text
      .normalize('NFKC')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]/gu, '');
  const left: string[] = [];
  for await (const [way, text] of keptIn(device.store))
    if ([...readingsOf(text)].some((one) => plain(one).includes(plain(name)))) left.push(`${way}: ${text}`);
  return left;
}

const partsWith = (name: string, recalled: Extract<Part, { type: 'recall' }>): Part[] => {
  const utf16 = Buffer.from(`Hi there, ${name} is there`, 'utf16le');
  const file = (of: string, url: string): Part => ({ type: 'file', mediaType: 'text/plain', name: of, url });
  return [
    {
      type: 'text',
      text: `See ${name}`,
      sources: [{ url: `https://a.example/${encodeURIComponent(name)}`, title: `On ${name}` }],
    },
    { type: 'reasoning', text: `About ${name}`, provider: { openai: { summary: [name] } } },
    { type: 'text', text: `| ${name.replace(' ', ' | ')} |\n\n\`\`\`\nlet x = "\\n${name}"\n\`\`\`` },
    file(`${name}.txt`, base64(Buffer.from(`Hi ${name} there`))),
    file('little', base64(Buffer.concat([Buffer.from([255, 254]), utf16]))),
    file('big', base64(Buffer.concat([Buffer.from([254, 255]), Buffer.from(utf16).swap16()]))),
    file('bare', base64(Buffer.from(`The notes of the meeting: ${name}`, 'utf16le'))),
    file('json', base64(Buffer.from(`{"a":"${escaped(name)}"}`))),
    file('svg', `data:image/svg+xml,${encodeURIComponent(`<text>${name}</text>`)}`),
    {
      type: 'tool-call',
      callId: 'one',
      name: 'remember',
      arguments: JSON.stringify({ text: `A line\n${name}` }),
      provider: { x: { signature: name } },
    },
    { type: 'tool-call', callId: 'two', name: 'remember', arguments: `{"text":"${escaped(name)}"}` },
    { type: 'tool-result', callId: 'two', name: 'recall', text: `Found\n${name}`, recalled },
    {
      ...recalled,
      query: name,
      leftOut: recalled.passages,
      // By a clock that is ahead.
      applied: [{ id: 'n', at: NOW + 99_999, text: name, kind: 'fact', tokens: 1 }],
      scope: { project: 'p', name, reach: 'only' },
    },
    { type: 'unknown', original: { [name]: 1, list: [{ tool: name, id: name }] } },
  ];
};

describe.each([
  ['Quillfeather', 'Quill', 'feather'],
  ['Mira Quillfeather', 'Mira ', 'Quillfeather'],
  ['张伟', '张', '伟'],
  ['김철수', '김철', '수'],
])('%s', (name, head, tail) => {
  async function plant() {
    device = openDevice({ engine: false });
    const roses = await device.say('told', ['Roses need care', 'Indeed they do']);
    const [passage] = [recallOf(roses, `Of ${name}`)] as [Extract<Part, { type: 'recall' }>];
    const id = idOf('planted');
    const [first, second, third] = [newMessageId(), newMessageId(), newMessageId()];
    const message = (one: MessageId, parentId: MessageId | null, rest: Partial<Message>): Message => ({
      ...{ id: one, parentId, role: 'assistant', kind: 'message', createdAt: NOW - 100, parts: [] },
      ...rest,
    });
    const text = (words: string): Part => ({ type: 'text', text: words });
    await device.documents.change(id, {
      messages: [
        message(first, null, {
          role: 'user',
          parts: partsWith(name, passage),
          ledger: { files: [{ name, sent: 1, of: 2 }], goesOn: { text: name, tokens: 1 } },
          problem: { code: 'x', message: `No ${name}` },
        }),
        message(second, first, { parts: [text(`It was ${head}`)], finish: 'length' }),
        message(third, second, {
          createdAt: NOW - 99,
          parts: [
            { type: 'reasoning', text: 'Hm' },
            text(`${tail} all along. Ask ${head}`),
            text(`${tail} now`),
          ],
        }),
      ],
      meta: {
        ...{ title: `With ${name}`, titleBy: 'person', head: third, createdAt: NOW - 100, summary: name },
        source: { tool: 'markdown', id: `https://a.example/chats/${name.replaceAll(' ', '-')}` },
        ...{ systemPrompt: `Greet ${name}`, workDir: `/home/${name}`, workDirs: [`/srv/${name}`] },
      },
    });
    for (const key of [`draft/${id}/x`, `queue/${id}/tab`, `written/composer:${id}/tab`, 'written/edit/tab'])
      await device.store.keyValues.set(key, {
        text: `Dear ${name}`,
        items: [{ text: name, files: [{ part: { type: 'file', url: base64(Buffer.from(name)) } }] }],
      });
    return { id, roses };
  }

  it('is nowhere in what is kept, whatever wrote it, and what stands beside it stays', async () => {
    const { id, roses } = await plant();
    expect((await leftOf(name)).length).toBeGreaterThan(30);
    const { report } = await device.forgetAll({ kind: 'person', words: [name], whole: false });
    expect(report.places.filter(({ left }) => left > 0)).toEqual([]);
    expect(await leftOf(name)).toEqual([]);
    const planted = await device.documents.read(id);
    const [, second, third] = [...(planted?.messages.values() ?? [])].sort(
      (one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1),
    );
    // An answer that went on, and a message in two texts.
    expect([second, third].map((one) => textOf(one as Message))).toEqual([
      'It was •••',
      ' all along. Ask •••\n\n now',
    ]);
    const [user] = [...(planted?.messages.values() ?? [])].filter(({ role }) => role === 'user');
    const args = user?.parts.flatMap((part) => (part.type === 'tool-call' ? [part.arguments] : [])) ?? [];
    expect(args.map((one) => JSON.parse(one))).toEqual([{ text: 'A line\n•••' }, { text: '•••' }]);
    expect([...((await device.documents.read(roses.id))?.messages.values() ?? [])]).toEqual(roses.messages);
  });

  it('comes back with no backup, and where messages go as a whole both pieces do', async () => {
    const { id } = await plant();
    const backup = await device.library.exportConversations('all', 'json');
    const bytes = new Uint8Array(await backup.blob.arrayBuffer());
    await device.forgetAll({ kind: 'person', words: [name], whole: true });
    expect(await leftOf(name)).toEqual([]);
    const texts = async () =>
      JSON.stringify([...((await device.documents.read(id))?.messages.values() ?? [])]);
    for (const isImported of [false, true]) {
      if (isImported) await device.library.importFiles(filesOf({ 'backup.json': bytes }));
      expect(await texts()).not.toContain('It was');
      expect(await texts()).not.toContain('all along');
    }
    expect(await leftOf(name)).toEqual([]);
  });
});

it('a number in other groups and a name between marks go from log, titles, drafts and attached texts', async () => {
  device = openDevice({ engine: false });
  const page = base64(Buffer.from('<p><b>Mira</b> Quillfeather, +442079460958</p>'));
  const { id } = await device.say(
    'page',
    [
      'Call **Mi**ra Quillfeather at +44 20 7946 0958',
      [{ type: 'file', mediaType: 'text/html', name: 'page.html', url: page }],
    ],
    { title: 'On 0044 20 7946-0958', titleBy: 'person' },
  );
  await device.store.keyValues.set(`written/composer:${id}/tab`, { text: '[Mira](a) Quill-\nfeather' });
  for (const words of ['442079460958', 'Mira Quillfeather'])
    await device.forgetAll({ kind: 'phrase', words: [words], whole: false });
  const left: string[] = [];
  for await (const [way, text] of keptIn(device.store))
    for (const one of readingsOf(text)) if (/7946|Mira|feather/.test(one)) left.push(`${way}: ${one}`);
  expect(left).toEqual([]);
});
