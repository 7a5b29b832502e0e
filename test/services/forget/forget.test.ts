// Forgetting for good: reported, undone in time, removed everywhere it can be, and never brought back.
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import type { ImportedConversation } from '../../../src/adapters/importers/importer.ts';
import type { MemoryIndex } from '../../../src/adapters/index/memory-index.ts';
import type { LogEntry } from '../../../src/adapters/log/conversation-log.ts';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import { LOG_REPAIRED } from '../../../src/adapters/log/recovering.ts';
import { RecollectError } from '../../../src/domain/base/errors.ts';
import {
  asMessageId,
  NOTES,
  NOTES_DOCUMENT,
  newEntryId,
  newMessageId,
} from '../../../src/domain/base/ids.ts';
import { until } from '../../../src/domain/base/readable.ts';
import type { Conversation } from '../../../src/domain/chat/conversation.ts';
import { memoryFileChange, savedFiles } from '../../../src/domain/chat/memory-file.ts';
import { type Message, type Part, type PartOf, textOf } from '../../../src/domain/chat/message.ts';
import { type Imprint, imprintOf } from '../../../src/domain/forget/imprint.ts';
import type { Forgotten, Sought } from '../../../src/domain/forget/sought.ts';
import { deleteMessage } from '../../../src/services/chat/delete-message.ts';
import { createDeletedMessages } from '../../../src/services/chat/deleted-messages.ts';
import { createNotes } from '../../../src/services/documents/notes.ts';
import { createEraser } from '../../../src/services/forget/eraser.ts';
import { withoutForgotten } from '../../../src/services/forget/imports.ts';
import { IMPORTING } from '../../../src/services/forget/late-forget.ts';
import { FORGET_PLACES, type PlaceDeps } from '../../../src/services/forget/place.ts';
import { CREATE_PLACES } from '../../../src/services/forget/places/index.ts';
import { createPrompts } from '../../../src/services/prompts/prompts-service.ts';
import { createInMemoryVault } from '../../adapters/vault/in-memory.ts';
import { filesOf } from '../../fixtures/files.ts';
import { runs } from '../../scale.ts';
import { describePlace } from '../../suites/forget-place.suite.ts';
import { perilous } from '../../sync/perilous.ts';
import { isInLog } from '../documents/said.ts';
import { idOf, NOW, openDevice, recallOf } from './device.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
const open: typeof openDevice = (options) => {
  const device = openDevice(options);
  closing.push(device.close);
  return device;
};

const CANARY = 'Quillfeather';
const STORY = `My neighbour ${CANARY} lost the garden in the flood of 1994 and never spoke of it.`;

/** A library with the canary in every place. */
async function populated(device = open()) {
  const story = await device.say('story', [STORY, 'I am sorry to hear that.', 'And the weather?'], {
    title: `About ${CANARY}`,
    titleBy: 'auto',
    source: { tool: 'chatgpt', id: 'abc' },
    summary: `${CANARY} lost a garden`,
  });
  await device.documents.change(story.id, {
    meta: memoryFileChange(
      { meta: {} as never },
      {
        lines: [
          { text: `- ${STORY}`, by: 'rules', pinned: true },
          { text: `- ${CANARY} lost much, a model wrote`, by: 'model' },
          { text: '- Roses need care', by: 'person' },
        ],
        upTo: story.messages[0]?.id as never,
        out: [`${CANARY} is gone`],
      },
      { now: NOW, writer: 'w', device: 'Laptop' },
    ),
  });
  const quoted = await device.say('quoted', [
    'What do you know of gardens?',
    [recallOf(story, STORY), { type: 'text', text: `You told me this. ${STORY} A garden needs care.` }],
  ]);
  const other = await device.say('other', ['Something else entirely', 'Indeed']);
  await device.notes.write({
    text: `${CANARY} likes roses`,
    source: { conversationId: story.id, messageId: story.messages[0]?.id as string },
  });
  await device.notes.judge({
    conversationId: story.id,
    messageId: story.messages[0]?.id as string,
    verdict: 'pinned',
    query: null,
    passage: STORY,
    title: `About ${CANARY}`,
  });
  await device.prompts.savePrompt({ name: 'Letter', description: '', text: `Dear ${CANARY}, I` });
  await device.store.keyValues.set('written/composer/tab', { text: `Dear ${CANARY}`, files: [] });
  await device.store.keyValues.set(`session-memory/${story.id}`, {
    text: `${CANARY} is a neighbour`,
    upTo: story.messages[2]?.id,
    messages: 3,
    calls: 1,
    tokens: 10,
  });
  return { device, story, quoted, other };
}

describe('forget', () => {
  const soughts: [string, (found: Awaited<ReturnType<typeof populated>>) => Sought][] = [
    ['a phrase', () => ({ kind: 'phrase', words: [CANARY], whole: false })],
    ['a person', () => ({ kind: 'person', words: [CANARY], whole: true })],
    ['a time span, drafts and prompts left aside', () => ({ kind: 'span', from: 0, to: NOW })],
  ];
  it.each(soughts)('%s: nothing is left of it, byte by byte', async (kind, soughtIn) => {
    const found = await populated();
    const { device } = found;
    expect(new Set(await device.placesOf(CANARY))).toEqual(
      new Set(['log', 'written', 'session-memory', 'index', 'overview']),
    );
    if (kind.includes('drafts')) {
      await device.store.keyValues.set('written/composer/tab', undefined);
      await device.prompts.remove(device.prompts.state.get().prompts.map(({ id }) => id));
    }
    const { plan, report } = await device.forgetAll(soughtIn(found));
    expect(plan.finds.length).toBeGreaterThan(0);
    expect(report.places.map(({ place, left }) => [place, left])).toEqual(FORGET_PLACES.map((id) => [id, 0]));
    expect(await device.placesOf(CANARY)).toEqual([]);
    expect(JSON.stringify([device.notes.state.get(), device.prompts.state.get()])).not.toContain(CANARY);
    expect(JSON.stringify(device.documents.library.get())).not.toContain(CANARY);
    // The record that remains is confirmed and contains no word of it.
    const [record] = device.forget.records.get();
    expect([...(record?.confirmed.values() ?? [])]).toMatchObject([{ left: 0 }]);
  });

  it('a person goes in every form of the name, also by a record that was kept', async () => {
    const device = open();
    const forms = ['Jose asked', 'josés@example.org', 'José’s garden', 'Josés Garten', 'a rose', 'Jose9'];
    const { id, messages } = await device.say('names', forms);
    await device.forgetAll({ kind: 'person', words: ['José'], whole: false });
    const read = await device.documents.read(id);
    expect(messages.map((one) => textOf(read?.messages.get(one.id) as Message))).toEqual([
      '••• asked',
      // A single name in lower case may be another word.
      'josés@example.org',
      '•••’s garden',
      '••• Garten',
      'a rose',
      '•••',
    ]);
    expect(device.notes.forgotten.get()[0]?.words.map(({ form }) => form)).toEqual([undefined, 'name']);
  });

  it('the words of a phrase alone go: what stands around them stays', async () => {
    const { device, story, other } = await populated();
    await device.forgetAll({ kind: 'phrase', words: [CANARY], whole: false });
    const read = await device.documents.read(story.id);
    expect([...(read?.messages.values() ?? [])].map(textOf)).toEqual([
      'I am sorry to hear that.',
      'And the weather?',
      'My neighbour ••• lost the garden in the flood of 1994 and never spoke of it.',
    ]);
    expect(savedFiles(read as Conversation).current?.lines.map(({ text }) => text)).toEqual([
      '- My neighbour ••• lost the garden in the flood of 1994 and never spoke of it.',
      '- ••• lost much, a model wrote',
      '- Roses need care',
    ]);
    expect((await device.documents.read(other.id))?.messages.size).toBe(2);
    expect(device.notes.state.get().notes.map(({ text }) => text)).toEqual(['••• likes roses']);
  });

  it('one message, the card that shows it and the sentences that quote it go; the answer around them stays', async () => {
    const { device, story, quoted } = await populated();
    await device.forgetAll({
      kind: 'message',
      conversation: story.id,
      message: story.messages[0]?.id as never,
    });
    expect(await device.placesOf('lost the garden')).toEqual([]);
    // Session memory keeps the person's own line; what a model wrote from the message cannot be told apart, so it goes.
    const file = savedFiles((await device.documents.read(story.id)) as Conversation).current;
    expect(file).toMatchObject({ lines: [{ text: '- Roses need care' }], upTo: null });
    const all = [...((await device.documents.read(quoted.id))?.messages.values() ?? [])];
    expect(all.map(textOf).sort()).toEqual(
      ['What do you know of gardens?', 'You told me this. •••. A garden needs care.'].sort(),
    );
    expect(all.flatMap(({ parts }) => parts).find(({ type }) => type === 'recall')).toMatchObject({
      passages: [],
    });
    expect((await device.documents.read(story.id))?.messages.size).toBe(2);
  });

  it('a short message that the answer of a tool shows beside its passage goes from that answer, too', async () => {
    const device = open({ engine: false });
    const story = await device.say('story', ['Third flower pot.', 'Noted.', 'Tea?']);
    const [gone, noted] = story.messages as [Message, Message];
    const { passages } = recallOf(story, 'Noted.') as PartOf<'recall'>;
    const beside = { messageId: gone.id, role: 'user', text: 'Third flower pot.', createdAt: gone.createdAt };
    const result = {
      ...{ type: 'tool-result', callId: 'one', name: 'recall' },
      text: `1 passages:\n(conversation ${story.id}, message ${noted.id})\n> Third flower pot.\n> Noted.`,
      recalled: {
        ...{ query: 'Where?', threshold: 0.5, nearMisses: [] },
        passages: passages.map((one) => ({ ...one, messageId: noted.id, neighbours: [beside] })),
      },
    } as Part;
    const asked = await device.say('asked', ['Where is the key?', [result]]);
    await device.forgetAll({ kind: 'message', conversation: story.id, message: gone.id });
    expect(await device.placesOf('flower pot')).toEqual([]);
    const [, answer] = [...((await device.documents.read(asked.id))?.messages.values() ?? [])];
    expect(JSON.stringify(answer)).toContain('Noted.');
  });

  it('a title that was made of a message goes from the cards of other conversations with it', async () => {
    const device = open();
    const story = await device.say('story', [STORY, 'I am sorry to hear that.', 'And the weather?'], {
      title: `The flood and ${CANARY}`,
      titleBy: 'auto',
    });
    const [, , third] = story.messages as [Message, Message, Message];
    const card = { ...recallOf({ id: story.id, messages: [third] }, 'And the weather?') } as PartOf<'recall'>;
    const passages = card.passages.map((one) => ({ ...one, title: `The flood and ${CANARY}` }));
    const quoted = await device.say('quoted', [
      'Rain?',
      [
        { ...card, passages, nearMisses: passages },
        { type: 'text', text: 'Sun.' },
      ],
    ]);
    const other = await device.say('other', [
      'Rain?',
      [{ ...card, passages: passages.map((one) => ({ ...one, conversationId: idOf('quoted') })) }],
    ]);
    const { plan } = await device.forgetAll({
      kind: 'message',
      conversation: story.id,
      message: story.messages[0]?.id as never,
    });
    expect(plan.finds.filter(({ what }) => what === 'card').map(({ message }) => message)).toEqual([
      quoted.messages[1]?.id,
    ]);
    expect(plan.record.inside).toContain(quoted.id);
    const title = (await device.documents.read(story.id))?.meta.title;
    const cards = [...((await device.documents.read(quoted.id))?.messages.values() ?? [])]
      .flatMap(({ parts }) => parts)
      .flatMap((part) => (part.type === 'recall' ? [...part.passages, ...part.nearMisses] : []));
    expect(cards.map((one) => [one.title, one.passage])).toEqual([
      [title, 'And the weather?'],
      [title, 'And the weather?'],
    ]);
    // The title of another conversation stays as it is.
    expect([...((await device.documents.read(other.id))?.messages.values() ?? [])]).toEqual(other.messages);
    await device.documents.erase([other.id]);
    expect(await device.placesOf(CANARY)).toEqual([]);
  });

  it('a title that was made of a message goes from feedback, and no backup brings it back', async () => {
    const device = open();
    const title = `The flood and ${CANARY}`;
    const story = await device.say('story', [STORY, 'I am sorry to hear that.', 'And the weather?'], {
      title,
      titleBy: 'auto',
    });
    const [first, , third] = story.messages as [Message, Message, Message];
    const card = { ...recallOf({ id: story.id, messages: [third] }, 'And the weather?') } as PartOf<'recall'>;
    const quoted = await device.say('quoted', [
      'Rain?',
      [{ ...card, passages: card.passages.map((one) => ({ ...one, title })) }],
    ]);
    const verdict = { conversationId: story.id, messageId: third.id, title, passage: 'And the weather?' };
    await device.notes.judge({ ...verdict, verdict: 'pinned', query: null } as never);
    const backup = await device.library.exportConversations('all', 'json');
    const bytes = new Uint8Array(await backup.blob.arrayBuffer());
    const { plan } = await device.forgetAll({ kind: 'message', conversation: story.id, message: first.id });
    expect(plan.finds.filter(({ what }) => what === 'feedback').map(({ excerpt }) => excerpt)).toEqual([
      title,
    ]);
    const now = (await device.documents.read(story.id))?.meta.title;
    expect(device.notes.state.get().feedback.map((one) => one.title)).toEqual([now]);
    expect(await device.placesOf(CANARY)).toEqual([]);
    // The person deletes everything and imports a backup.
    const [pinned] = device.notes.state.get().feedback;
    await device.notes.takeBack(pinned?.id as string);
    await device.documents.erase([quoted.id]);
    const bring = () => device.library.importFiles(filesOf({ 'backup.json': bytes }));
    await bring();
    expect(await device.placesOf(CANARY)).toEqual([]);
    expect(device.notes.state.get().feedback.map((one) => one.title)).toEqual([now]);
    await device.documents.erase([quoted.id, story.id]);
    await bring();
    expect(await device.placesOf(CANARY)).toEqual([]);
    expect((await device.documents.read(story.id))?.messages.size).toBe(2);
    expect((await device.documents.read(quoted.id))?.messages.size).toBe(2);
  });

  it('feedback on a card that was drawn before keeps none of its words, on one of later it does', async () => {
    let now = NOW;
    const device = open({ now: () => now });
    const story = await device.say('story', [STORY, 'Indeed.'], { title: `About ${CANARY}` });
    const [first, second] = story.messages as [Message, Message];
    const on = ({ id, createdAt }: Message, passage: string) =>
      ({
        ...{ conversationId: story.id, messageId: id, said: createdAt, title: `About ${CANARY}` },
        ...{ passage, query: null, verdict: 'pinned' as const },
      }) as const;
    await device.forgetAll({ kind: 'message', conversation: story.id, message: second.id });
    await device.forgetAll({ kind: 'phrase', words: [CANARY], whole: false });
    now += 1000;
    await device.notes.judge(on(first, STORY));
    await device.notes.judge(on(second, 'Indeed.'));
    const asked = {
      ...on(first, 'My neighbour'),
      verdict: 'not-related',
      query: `Who is ${CANARY}?`,
    } as const;
    await device.notes.judge({ ...asked, asked: NOW - 1000 });
    const given = () => device.notes.state.get().feedback.map(({ passage, query }) => query ?? passage);
    expect(given()).toEqual([STORY.replace(CANARY, '•••')]);
    expect(await device.placesOf(CANARY)).toEqual([]);
    const again = await device.say('again', [`Lunch with ${CANARY}`], {}, NOW + 500);
    await device.notes.judge({ ...on(again.messages[0] as Message, `Lunch with ${CANARY}`), title: 'Lunch' });
    await device.notes.judge(asked);
    expect(given()).toContain(`Lunch with ${CANARY}`);
    expect(given()).toContain(`Who is ${CANARY}?`);
  });

  it('the question of feedback goes from the log, also where an earlier version made a key of it', async () => {
    const store = createInMemoryStore({ now: () => NOW });
    const before = open({ store, engine: false });
    const story = await before.say('story', [STORY, 'Indeed.']);
    const said = { conversationId: story.id, messageId: story.messages[1]?.id as string, passage: 'Indeed.' };
    const query = `Where is ${CANARY}?`;
    const unrelated = { ...said, title: 'Rain', query, verdict: 'not-related' } as const;
    await before.notes.judge({ ...unrelated, query: `And ${CANARY}?` });
    await before.close();
    const doc = new Y.Doc();
    const id = `${said.messageId} ${query.toLowerCase()}`;
    doc.getMap('f').set(id, { ...unrelated, id, at: NOW - 1000 });
    const bytes = Y.encodeStateAsUpdate(doc);
    await store.log.append([{ id: newEntryId(), document: NOTES_DOCUMENT, origin: 'remote', bytes }]);
    const device = open({ store, engine: false });
    expect(await isInLog(store, CANARY.toLowerCase())).toBe(true);
    await device.forgetAll({ kind: 'phrase', words: [CANARY], whole: false });
    expect(device.notes.state.get().feedback).toEqual([]);
    expect(await isInLog(store, CANARY)).toBe(false);
    expect(await isInLog(store, CANARY.toLowerCase())).toBe(false);
  });

  it('feedback of a device that learns of the request late loses what it quotes of before', async () => {
    const store = createInMemoryStore({ now: () => NOW });
    const device = open({ store });
    const story = await device.say('story', [STORY, 'Indeed']);
    const [first, second] = story.messages as [Message, Message];
    const on = ({ id, createdAt }: Message, over: object) =>
      ({
        ...{ conversationId: story.id, messageId: id, said: createdAt, title: 'A title', passage: 'Indeed' },
        ...{ query: null, verdict: 'pinned' },
        ...over,
      }) as Parameters<typeof device.notes.judge>[0];
    await device.notes.judge(on(first, { passage: STORY }));
    const unrelated = (query: string, asked: number) =>
      device.notes.judge(on(second, { verdict: 'not-related', query, asked }));
    await unrelated(`Where did ${CANARY} live before?`, NOW - 20);
    await unrelated(`Where does ${CANARY} live now?`, NOW - 5);
    await device.notes.judge(
      on({ ...second, id: newMessageId() }, { passage: `${CANARY} came`, said: NOW - 5 }),
    );
    await device.notes.record({
      ...{ id: 'late', at: NOW - 10, kind: 'phrase', ids: [], inside: [], sources: [], whole: false },
      words: [imprintOf(CANARY, 'late') as Imprint],
    });
    await until(
      device.forget.records,
      (records) => records.some(({ confirmed }) => confirmed.size > 0),
      AbortSignal.timeout(20_000),
    );
    expect(device.forget.records.get()[0]?.confirmed.get('local')?.left).toBe(0);
    expect(
      device.notes.state
        .get()
        .feedback.map(({ passage, query }) => query ?? passage)
        .sort(),
    ).toEqual([`${STORY.replace(CANARY, '•••')}`, `${CANARY} came`, `Where does ${CANARY} live now?`].sort());
    expect(await isInLog(store, `neighbour ${CANARY}`)).toBe(false);
    expect(await isInLog(store, 'live before')).toBe(false);
  });

  it.each([
    ['a conversation', { kind: 'conversation', conversation: idOf('story') }],
    ['a source', { kind: 'source', tool: 'chatgpt' }],
  ] as const)('%s goes as a whole, and no backup brings it back', async (_, sought) => {
    const { device, story } = await populated();
    const backup = await device.library.exportConversations('all', 'json');
    const bytes = new Uint8Array(await backup.blob.arrayBuffer());
    await device.forgetAll(sought);
    expect(await device.documents.read(story.id)).toBeUndefined();
    const [report] = await device.library.importFiles(filesOf({ 'backup.json': bytes }));
    expect(report?.problem).toBeNull();
    expect(report?.skipped).toContainEqual({ reason: 'forgotten', count: 3 });
    expect(await device.documents.read(story.id)).toBeUndefined();
    expect(await device.placesOf('lost the garden')).toEqual([]);
  });

  it('a Markdown export of a conversation that was forgotten brings nothing back', async () => {
    const device = open({ engine: false });
    const story = await device.say('story', ['Where is the key?', 'Below the third flower pot.']);
    const { blob } = await device.library.exportConversations([story.id], 'markdown');
    const bytes = new Uint8Array(await blob.arrayBuffer());
    await device.forgetAll({ kind: 'conversation', conversation: story.id });
    const [report] = await device.library.importFiles(filesOf({ 'story.md': bytes }));
    expect(report?.skipped).toContainEqual(expect.objectContaining({ reason: 'forgotten' }));
    expect(await device.placesOf('flower pot')).toEqual([]);
  });

  it('a backup brings no words of a phrase back, and what is said of it later stays', async () => {
    const { device } = await populated();
    const backup = await device.library.exportConversations('all', 'json');
    const bytes = new Uint8Array(await backup.blob.arrayBuffer());
    await device.forgetAll({ kind: 'phrase', words: [CANARY], whole: false });
    await device.library.importFiles(filesOf({ 'backup.json': bytes }));
    expect(await device.placesOf(CANARY)).toEqual([]);
    const later = await device.say('later', [`I met ${CANARY} again`], {}, NOW + 1);
    device.forget.dismiss();
    expect((await device.documents.read(later.id))?.messages.size).toBe(1);
  });

  it('an import that is under way brings no words of a phrase that is forgotten meanwhile', async () => {
    const { device } = await populated(open({ engine: false }));
    const backup = await device.library.exportConversations('all', 'json');
    const bytes = new Uint8Array(await backup.blob.arrayBuffer());
    await device.documents.erase([...device.documents.library.get().entries.map(({ id }) => id)]);
    const { changeMany } = device.documents;
    let [begin, goOn] = [() => {}, () => {}];
    const isWriting = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const isForgotten = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    // All is read by then, and nothing is written.
    Object.assign(device.documents, {
      changeMany: async (...all: Parameters<typeof changeMany>) => {
        begin();
        await isForgotten;
        return await changeMany.apply(device.documents, all);
      },
    });
    device.asked.set([]);
    const importing = device.library.importFiles(filesOf({ 'backup.json': bytes }));
    await isWriting;
    const forgetting = device.forgetAll({ kind: 'phrase', words: [CANARY], whole: false });
    // Where it waits for no import it is done before that writes.
    await Promise.race([
      forgetting,
      until(
        device.asked,
        (names) => names.filter((name) => name === IMPORTING).length > 1,
        new AbortController().signal,
      ),
    ]);
    goOn();
    expect((await importing)[0]?.problem).toBeNull();
    await forgetting;
    expect(await device.placesOf(CANARY)).toEqual([]);
    expect(device.documents.library.get().entries).not.toEqual([]);
  });

  it('an undo in time removes nothing, and after that there is none', async () => {
    const { device } = await populated(open({ undoMs: 100 }));
    const before = await device.store.log.since(0, Number.POSITIVE_INFINITY);
    const plan = await device.forget.seek(
      { kind: 'phrase', words: [CANARY], whole: false },
      new AbortController().signal,
    );
    await device.forget.begin(plan);
    await expect(device.forget.begin(plan)).rejects.toMatchObject({ problem: { code: 'forget-busy' } });
    expect(await device.forget.undo()).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 120));
    expect(await device.store.log.since(0, Number.POSITIVE_INFINITY)).toEqual(before);
    await device.forgetAll({ kind: 'phrase', words: [CANARY], whole: false });
    expect(await device.forget.undo()).toBe(false);
  });

  it('a page that is closed in the time for an undo leaves it to the next, unless it was undone', async () => {
    for (const isUndone of [false, true]) {
      const store = createInMemoryStore({ now: () => NOW });
      const { device } = await populated(openDevice({ store, undoMs: 100, engine: false }));
      const signal = new AbortController().signal;
      const plan = await device.forget.seek({ kind: 'phrase', words: [CANARY], whole: false }, signal);
      await device.forget.begin(plan);
      if (isUndone) await device.forget.undo();
      await device.close();
      // The clock of these devices stands still, so forgetting begins at the next start.
      const next = open({ store, engine: false });
      await next.notes.known();
      await new Promise((resolve) => setTimeout(resolve, 150));
      for (let look = 0; !isUndone && look < 200 && (await next.placesOf(CANARY)).length > 0; look += 1)
        await new Promise((resolve) => setTimeout(resolve, 10));
      expect((await next.placesOf(CANARY)).length > 0, `undone: ${isUndone}`).toBe(isUndone);
      expect(next.forget.records.get().length).toBe(isUndone ? 0 : 1);
    }
  });

  it('a report has its counts also where another page carried it out, and stays to be read', async () => {
    const store = createInMemoryStore({ now: () => NOW });
    const { device } = await populated(openDevice({ store, undoMs: 100, engine: false }));
    const sought: Sought = { kind: 'phrase', words: [CANARY], whole: false };
    const plan = await device.forget.seek(sought, new AbortController().signal);
    await device.forget.begin(plan);
    await device.close();
    const next = open({ store, engine: false });
    const { id } = plan.record;
    await expect
      .poll(async () => (await next.forget.reportOf(id))?.places.find(({ place }) => place === 'notes'))
      .toMatchObject({ found: plan.finds.filter(({ place }) => place === 'notes').length, left: 0 });
    const report = await next.forget.reportOf(id);
    expect(report?.places.find(({ place }) => place === 'conversations')?.found).toBeGreaterThan(1);
    expect(JSON.stringify(report)).not.toContain(CANARY);
    expect(next.forget.state.get().step).toBe('idle');
    next.forget.reopen(report as NonNullable<typeof report>);
    expect(next.forget.state.get()).toEqual({ step: 'done', report });
    expect(await next.forget.reportOf('unknown')).toBeUndefined();
  });

  it.each([false, true])('prompts, personas and projects lose it, as a whole: %s', async (whole) => {
    const device = open();
    const { prompts, documents } = device;
    await prompts.savePrompt({ name: 'Letter', description: `To ${CANARY}`, text: `Dear ${CANARY}, I` });
    await prompts.savePrompt({ name: 'Other', description: '', text: 'Dear {{name}}' });
    await prompts.savePersona({
      ...{
        name: CANARY,
        description: '',
        sign: '',
        colour: 'blue',
        parameters: {},
        memory: 'all',
        project: null,
      },
      ...{ instructions: `Speak as ${CANARY} does`, model: null },
    });
    const { id } = await device.say('project', [`${CANARY} pays on Fridays`], {
      project: true,
      title: `House of ${CANARY}`,
      titleBy: 'person',
      systemPrompt: `Always greet ${CANARY}`,
      workDirs: [`/home/${CANARY}`, '/srv'],
    });
    const { plan, report } = await device.forgetAll({ kind: 'person', words: [CANARY], whole });
    expect(new Set(plan.finds.map(({ what }) => what))).toEqual(
      new Set(['prompt', 'persona', 'instructions', 'title', ...(whole ? ['message', 'rows'] : ['words'])]),
    );
    expect(report.places.filter(({ left }) => left > 0)).toEqual([]);
    expect(await device.placesOf(CANARY)).toEqual([]);
    const kept = prompts.state.get();
    expect(JSON.stringify([kept, documents.library.get()])).not.toContain(CANARY);
    expect([kept.prompts.length, kept.personas.length]).toEqual(whole ? [1, 0] : [2, 1]);
    expect(kept.prompts.find(({ name }) => name === 'Other')?.text).toBe('Dear {{name}}');
    // The project itself stays, with its instructions and folders.
    const project = await documents.read(id);
    expect(project?.meta).toMatchObject({
      title: 'House of •••',
      systemPrompt: 'Always greet •••',
      workDirs: ['/home/•••', '/srv'],
    });
    expect([...(project?.messages.values() ?? [])].map(textOf)).toEqual(whole ? [] : ['••• pays on Fridays']);
  });

  it('a time span takes the notes of a project, and leaves the project', async () => {
    const device = open();
    const { id } = await device.say('project', ['Pays on Fridays'], {
      project: true,
      title: 'House',
      titleBy: 'person',
    });
    const { plan } = await device.forgetAll({ kind: 'span', from: 0, to: NOW });
    expect(plan.record.ids).not.toContain(id);
    expect((await device.documents.read(id))?.messages.size).toBe(0);
    expect(device.documents.library.get().projects.map(({ title }) => title)).toEqual(['House']);
  });

  it('what a device confirms is not taken for words that are left', async () => {
    const { device } = await populated();
    await device.forgetAll({ kind: 'phrase', words: [CANARY], whole: false });
    const [record] = device.forget.records.get();
    await device.notes.confirm(record?.id as string, 'phone', { at: NOW, left: 0 });
    const rules = { isGone: () => false, hide: (text: string) => ({ text, redacted: 0 }) };
    expect(await device.documents.unpurged(rules)).toEqual([]);
    // The log keeps what a person deleted until its next snapshot.
    await device.notes.remove((await device.notes.write({ text: 'Tea, never coffee' })).id);
    expect(await device.documents.unpurged(rules)).toEqual([NOTES_DOCUMENT]);
    await device.documents.purge(rules);
    expect(await device.documents.unpurged(rules)).toEqual([]);
  });

  it('words that the app itself uses harm nothing: fields, ids, models', async () => {
    const device = open({ engine: false });
    const id = '0190aaaa-cafe-7aaa-8aaa-aaaaaaaaaaaa';
    const message = {
      id: asMessageId(id),
      parentId: null,
      role: 'assistant',
      kind: 'message',
      createdAt: NOW - 5,
      model: 'claude-opus',
      parts: [
        { type: 'text', text: 'Hello there' },
        { type: 'tool-call', callId: 'call text', name: 'read_text', arguments: '{}' },
      ],
    } as const satisfies Message;
    await device.documents.change(idOf('kept'), {
      messages: [message],
      meta: { title: 'Hello', createdAt: NOW - 5, head: message.id },
    });
    const before = await device.documents.read(idOf('kept'));
    const beside = {
      'tool-refusals': [
        {
          endpoint: 'api.deepseek.example',
          model: 'chat',
          detail: 'No',
          at: NOW,
          leftOut: ['tools', 'images'],
        },
      ],
      'spending/2026-11-20/tab': [
        { endpoint: 'api.deepseek.example', model: 'chat', conversation: id, requests: 1 },
      ],
      comparisons: [
        { conversation: id, answer: id, question: id, answers: [{ endpointId: 'deepseek', model: 'x' }] },
      ],
    };
    for (const [key, value] of Object.entries(beside)) await device.store.keyValues.set(key, value);
    for (const word of ['text', 'cafe', 'claude', 'assistant', 'meta', 'tools', 'deepseek'])
      for (const whole of [false, true]) {
        const { plan } = await device.forgetAll({ kind: 'phrase', words: [word], whole });
        expect(plan.finds, word).toEqual([]);
        device.forget.dismiss();
      }
    expect(await device.documents.read(idOf('kept'))).toEqual(before);
    for (const [key, value] of Object.entries(beside))
      expect(await device.store.keyValues.get(key), key).toEqual(value);
    expect(device.forget.records.get().length).toBe(14);
  });

  it('keywords are made again of what stayed', async () => {
    const { device, story } = await populated();
    await device.forgetAll({ kind: 'phrase', words: [CANARY], whole: false });
    const { conversations } = await device.index.overview('none');
    const described = conversations.find(({ id }) => id === story.id);
    expect(described?.keywords).toContain('garden');
    expect(JSON.stringify(described)).not.toContain(CANARY);
  });

  it('keywords are made again before the files, also of a conversation that only this device has', async () => {
    const store = createInMemoryStore({ now: () => NOW });
    const device = open({ store, engine: false });
    const own = await device.say('own', [STORY, 'Indeed']);
    // As the engine notes it once it has read the changes.
    await store.keyValues.set('memory.undescribed', [own.id]);
    const done: string[] = [];
    const index: MemoryIndex = {
      ...device.index,
      bookmark: () => store.log.head(),
      describe: async (id) => void done.push(id),
      purge: async () => void done.push('purge'),
    };
    const place = CREATE_PLACES.map((create) => create({ ...device.deps, index: () => index })).find(
      ({ id }) => id === 'index',
    );
    const words = [imprintOf(CANARY, 'elsewhere') as Imprint];
    await place?.remove(
      createEraser({
        ...{ id: 'elsewhere', at: NOW, kind: 'phrase', ids: [], inside: [], sources: [], whole: false },
        words,
      }),
    );
    expect(done).toEqual([own.id, NOTES, 'purge']);
  });

  it('a second copy that is behind is told so, waited for, and named where it stays behind', async () => {
    const store = createInMemoryStore({ now: () => NOW });
    let copied: LogEntry[] = [];
    const asked: string[] = [];
    let works = true;
    const follow = async () => {
      copied = await store.log.since(0, Number.POSITIVE_INFINITY);
    };
    const copy: PlaceDeps['copy'] = {
      records: async function* () {
        yield copied.map((entry) => ({ entry, offset: 0, size: 0 }));
      },
      hasStaleValues: async () => false,
      letGo: (document) => {
        asked.push(document);
        if (works) void follow();
      },
    };
    const { device, story: conversation } = await populated(open({ store, copy }));
    await follow();
    const { report, plan } = await device.forgetAll({ kind: 'phrase', words: [CANARY], whole: false });
    expect(plan.finds.find(({ place }) => place === 'copy')?.count).toBeGreaterThan(0);
    expect(asked).toContain(conversation.id);
    expect(report.places.find(({ place }) => place === 'copy')).toMatchObject({ left: 0, waiting: false });
    expect(Buffer.concat(copied.map(({ bytes }) => bytes)).includes(CANARY)).toBe(false);

    device.forget.dismiss();
    works = false;
    const behind = await device.forgetAll({ kind: 'phrase', words: ['garden'], whole: false });
    expect(behind.report.places.find(({ place }) => place === 'copy')).toMatchObject({ waiting: true });
    expect(device.forget.records.get()[0]?.confirmed.size).toBe(0);

    // It follows a little later: the report that is still on the screen says so.
    works = true;
    const isCopyWaiting = () => {
      const shown = device.forget.state.get();
      return shown.step === 'done' && shown.report.places.find(({ place }) => place === 'copy')?.waiting;
    };
    await expect.poll(isCopyWaiting, { timeout: 20_000 }).toBe(false);
    expect(device.forget.records.get()[0]?.confirmed.size).toBe(1);
  });

  it('what a copy brings back is forgotten again', async () => {
    const { device, story } = await populated(open({ engine: false }));
    const before = await device.store.log.since(0, Number.POSITIVE_INFINITY);
    await device.forgetAll({ kind: 'conversation', conversation: story.id });
    await device.store.log.append(before);
    expect(await device.placesOf('lost the garden')).toEqual(['log']);
    await device.store.keyValues.set(LOG_REPAIRED, { restored: before.length, missing: 0, at: NOW });
    for (let look = 0; look < 200 && (await device.placesOf('lost the garden')).length > 0; look += 1)
      await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await device.placesOf('lost the garden')).toEqual([]);
    expect(await device.documents.read(story.id)).toBeUndefined();
  });

  it('the preview shows the words where they stand, also in a document beside other words', async () => {
    const device = open({ engine: false });
    const sections = [
      { text: 'The lease runs for a year.' },
      { text: `Rent goes to ${CANARY} by the fifth.` },
    ];
    await device.say('lease', [
      [
        { type: 'file', mediaType: 'application/pdf', name: 'lease.pdf', extract: { sections, bytes: 9 } },
        { type: 'text', text: 'When is the rent due?' },
      ],
    ]);
    const { plan } = await device.forgetAll({ kind: 'person', words: [CANARY], whole: true });
    const excerpts = plan.finds.filter(({ excerpt }) => excerpt !== '').map(({ excerpt }) => excerpt);
    expect(excerpts).not.toEqual([]);
    expect(excerpts.filter((excerpt) => !excerpt.includes(CANARY))).toEqual([]);
  });

  it('notes that said it before, and sentences that wait in the inbox, are found and lose it', async () => {
    const device = open({ engine: false });
    const { notes } = device;
    const [old, later] = [
      await notes.write({ text: `${CANARY} is the neighbour` }),
      await notes.write({ text: 'The neighbour moved away' }),
    ];
    await notes.merge(later.id, old.id, later.text);
    const source = { conversationId: idOf('gone'), messageId: 'gone' };
    await notes.propose([
      { text: `I live beside ${CANARY}`, kind: 'fact', source, at: NOW - 5, by: 'device' },
    ]);
    const { plan, report } = await device.forgetAll({ kind: 'phrase', words: [CANARY], whole: false });
    expect(plan.finds.map(({ what, excerpt }) => [what, excerpt.includes(CANARY)])).toEqual([
      ['note', true],
      ['proposal', true],
    ]);
    expect(report.places.find(({ place }) => place === 'notes')).toMatchObject({ found: 2, left: 0 });
    expect(await device.placesOf(CANARY)).toEqual([]);
    expect(notes.state.get().notes.map(({ text }) => text)).toEqual(['The neighbour moved away']);
  });

  it.each([false, true])(
    'an undo of an earlier deletion brings none of it back, as a whole: %s',
    async (whole) => {
      const device = open({ engine: false });
      const { notes, prompts, documents } = device;
      const story = await device.say('story', [STORY, 'I am sorry.', 'And the weather?']);
      const [first, second] = story.messages as [Message, Message];
      const compaction = {
        ...{
          at: second.id,
          createdAt: NOW,
          strategy: 'session-memory',
          reason: 'auto' as const,
          undone: false,
        },
        ...{ tokensBefore: 10, tokensAfter: 4, durationMs: 1 },
      };
      const summary = (text: string) => ({ plan: { runs: [], summaries: [{ text }] } });
      await documents.change(story.id, {
        checkpoints: { [`Before ${CANARY}`]: first.id, Start: first.id },
        compactions: {
          c1: { ...compaction, ...summary(`They spoke of ${CANARY}`), id: 'c1' },
          c2: { ...compaction, ...summary('They spoke of the weather'), id: 'c2' },
        },
      });
      const source = { conversationId: idOf('else'), messageId: 'else' };
      await notes.propose([
        { text: `I live beside ${CANARY}`, kind: 'fact', source, at: NOW - 5, by: 'device' },
      ]);
      const [proposal] = notes.inbox.get().proposals;
      if (!proposal) throw new Error('nothing was proposed');
      await notes.refuse([proposal.id]);
      const note = await notes.write({ text: `${CANARY} likes roses` });
      const kept = await notes.write({ text: 'Tea, never coffee' });
      await prompts.savePrompt({ name: 'Letter', description: '', text: `Dear ${CANARY}, I` });
      await prompts.savePrompt({ name: 'Other', description: '', text: 'Dear {{name}}' });
      // One place still has the words; the person has just deleted the others.
      await device.say('other', [`${CANARY} again`]);
      const deleted = await deleteMessage(documents, story.id, first.id, 1_790_000_000_000);
      const gone = [await notes.remove(note.id), await notes.remove(kept.id)];
      const undo = await prompts.remove(prompts.state.get().prompts.map(({ id }) => id));
      await device.forgetAll({ kind: 'phrase', words: [CANARY], whole });

      await deleted.undo();
      for (const one of gone) await notes.bring(one);
      await undo();
      await notes.reopen(proposal);
      expect(await device.placesOf(CANARY)).toEqual([]);
      expect(notes.inbox.get().proposals).toEqual([]);
      const back = await documents.read(story.id);
      expect([...(back?.checkpoints.keys() ?? [])]).toEqual(['Start']);
      expect([...(back?.compactions.keys() ?? [])]).toEqual(['c2']);
      const texts = [...((await documents.read(story.id))?.messages.values() ?? [])].map(textOf);
      expect(texts.sort()).toEqual(
        ['And the weather?', 'I am sorry.', ...(whole ? [] : [STORY.replace(CANARY, '•••')])].sort(),
      );
      expect(notes.state.get().notes.map(({ text }) => text)).toContain('Tea, never coffee');
      expect(prompts.state.get().prompts.map(({ text }) => text)).toContain('Dear {{name}}');
    },
  );

  it.each<[string, Sought, string | null]>([
    ['words', { kind: 'phrase', words: [CANARY], whole: false }, STORY.replace(CANARY, '•••')],
    ['messages with the words', { kind: 'phrase', words: [CANARY], whole: true }, null],
    ['a time span', { kind: 'span', from: 0, to: NOW }, null],
  ])('what is forgotten does not come back with a deleted message: %s', async (_, sought, left) => {
    const device = open({ engine: false });
    const { documents, store } = device;
    const story = await device.say('story', [STORY, 'I am sorry.']);
    await device.say('other', [`${CANARY} again`]);
    const [first] = story.messages as [Message];
    await deleteMessage(documents, story.id, first.id, NOW);
    const { keyValues } = store;
    const kept = createDeletedMessages({ keyValues, documents, now: () => NOW });
    expect(await kept.list(story.id)).toHaveLength(1);
    await device.forgetAll(sought);
    expect(await device.placesOf(CANARY)).toEqual([]);
    const [one] = await kept.list(story.id);
    expect(one ? one.messages.map(textOf).join() : null).toBe(left);
  });

  it('a backup brings no names of checkpoints and no summaries back whose messages say nothing of it', async () => {
    const device = open({ engine: false });
    const story = await device.say('story', ['Rain', 'Snow', 'Hail']);
    const [first, second] = story.messages as [Message, Message];
    const compaction = {
      ...{
        at: second.id,
        createdAt: NOW,
        strategy: 'session-memory',
        reason: 'auto' as const,
        undone: false,
      },
      ...{ tokensBefore: 10, tokensAfter: 4, durationMs: 1, id: 'c1' },
      plan: { runs: [], summaries: [{ text: `They spoke of ${CANARY}` }] },
    };
    await device.documents.change(story.id, {
      checkpoints: { [`Before ${CANARY}`]: first.id, Start: first.id },
      compactions: { c1: compaction },
    });
    const backup = await device.library.exportConversations('all', 'json');
    const bytes = new Uint8Array(await backup.blob.arrayBuffer());
    await device.forgetAll({ kind: 'phrase', words: [CANARY], whole: false });
    for (const erased of [false, true]) {
      if (erased) await device.documents.erase([story.id]);
      await device.library.importFiles(filesOf({ 'backup.json': bytes }));
      expect(await device.placesOf(CANARY)).toEqual([]);
      const back = await device.documents.read(story.id);
      expect([...(back?.checkpoints.keys() ?? [])].sort()).toEqual(['Before •••', 'Start']);
      expect([...(back?.messages.values() ?? [])].map(textOf)).toEqual(['Rain', 'Snow', 'Hail']);
    }
  });

  it('a backup brings no prompts, personas and earlier wordings with it back', async () => {
    const device = open({ engine: false });
    const { notes, prompts } = device;
    await device.say('story', ['Rain']);
    await prompts.savePrompt({ name: 'Letter', description: '', text: `Dear ${CANARY}, I` });
    await prompts.savePrompt({ name: 'Other', description: '', text: 'Dear {{name}}' });
    await prompts.savePersona({
      ...{
        name: CANARY,
        description: '',
        sign: '',
        colour: 'blue',
        parameters: {},
        memory: 'all',
        project: null,
      },
      ...{ instructions: `Speak as ${CANARY} does`, model: null },
    });
    const [old, later] = [
      await notes.write({ text: `${CANARY} is the neighbour` }),
      await notes.write({ text: 'The neighbour moved away' }),
    ];
    await notes.merge(later.id, old.id, later.text);
    const backup = await device.library.exportConversations('all', 'json');
    const bytes = new Uint8Array(await backup.blob.arrayBuffer());
    expect(await backup.blob.text()).toContain(`Dear ${CANARY}`);
    await device.forgetAll({ kind: 'person', words: [CANARY], whole: true });
    await notes.remove(later.id);
    const [report] = await device.library.importFiles(filesOf({ 'backup.json': bytes }));
    expect(report?.problem).toBeNull();
    expect(await device.placesOf(CANARY)).toEqual([]);
    expect(prompts.state.get().prompts.map(({ text }) => text)).toEqual(['Dear {{name}}']);
    expect(notes.state.get().notes.map(({ text }) => text)).toEqual(['The neighbour moved away']);
  });

  it('a backup whose messages go round in a circle is read to its end', async () => {
    const device = open({ engine: false });
    const [record] = [
      createEraser({
        ...{ id: 'r', at: NOW, kind: 'phrase', ids: [], inside: [], sources: [], whole: true },
        words: [imprintOf(CANARY, 'r') as Imprint],
      }).record,
    ];
    const { messages } = await device.say('round', [`${CANARY} one`, `${CANARY} two`, 'Three']);
    const [one, two, three] = messages as [Message, Message, Message];
    const imported = {
      source: { tool: 'chatgpt', id: 'round' },
      meta: {},
      head: three.id,
      messages: [{ ...one, parentId: two.id }, { ...two, parentId: one.id }, three],
    } as unknown as ImportedConversation;
    const left: ImportedConversation[] = [];
    for await (const each of withoutForgotten(
      (async function* () {
        yield imported;
      })(),
      [{ eraser: createEraser(record as Forgotten), titles: new Map() }],
      () => {},
    ))
      left.push(each);
    expect(left[0]?.messages).toMatchObject([{ id: three.id, parentId: null }]);
  });

  it('what cannot be written down is told at once, and nothing is removed', async () => {
    const store = createInMemoryStore({ now: () => NOW });
    const full = new RecollectError('storage-full', 'No room');
    let isFull = false;
    const { device } = await populated(
      open({
        engine: false,
        store: {
          ...store,
          keyValues: {
            ...store.keyValues,
            set: async (key, value) => {
              if (isFull) throw full;
              await store.keyValues.set(key, value);
            },
          },
        },
      }),
    );
    const plan = await device.forget.seek(
      { kind: 'phrase', words: [CANARY], whole: false },
      new AbortController().signal,
    );
    isFull = true;
    await expect(device.forget.begin(plan)).rejects.toBe(full);
    // Trying again would be of no use, so the state offers nothing.
    expect(device.forget.state.get()).toEqual({ step: 'idle' });
    expect(await device.placesOf(CANARY)).toContain('log');
  });

  it('what is said after it stays, also where the record is carried out late', async () => {
    const store = createInMemoryStore({ now: () => NOW });
    const device = open({ store });
    const { notes, prompts, documents } = device;
    const story = await device.say('story', [STORY, 'Indeed']);
    const [first] = story.messages as [Message];
    const record: Forgotten = {
      ...{ id: 'late', at: NOW - 10, kind: 'phrase', ids: [], inside: [story.id], sources: [], whole: true },
      words: [imprintOf(CANARY, 'late') as Imprint],
    };
    // This device writes before it learns what another one forgot.
    const later = {
      ...first,
      id: newMessageId(),
      parentId: story.messages[1]?.id as never,
      createdAt: NOW - 5,
    };
    await documents.change(story.id, {
      messages: [{ ...later, parts: [{ type: 'text', text: `${CANARY} called` }] }],
    });
    await device.say('new', [`Lunch with ${CANARY}`], { title: `${CANARY} again` }, NOW - 5);
    await notes.write({ text: `${CANARY} likes roses` });
    await prompts.savePrompt({ name: 'Letter', description: '', text: `Dear ${CANARY}, I` });
    await notes.record(record);
    await until(
      device.forget.records,
      (records) => records.some(({ confirmed }) => confirmed.size > 0),
      AbortSignal.timeout(20_000),
    );
    expect(device.forget.records.get()[0]?.confirmed.get('local')?.left).toBe(0);
    await device.close();
    // The next start reads it from the disk.
    const next = open({ store, engine: false });
    expect([...((await next.documents.read(story.id))?.messages.values() ?? [])].map(textOf).sort()).toEqual([
      'Indeed',
      `${CANARY} called`,
    ]);
    const made = await next.documents.read(idOf('new'));
    expect([made?.meta.title, ...[...(made?.messages.values() ?? [])].map(textOf)]).toEqual([
      `${CANARY} again`,
      `Lunch with ${CANARY}`,
    ]);
    const { notes: kept } = await next.notes.known();
    expect(kept.map(({ text }) => text)).toEqual([`${CANARY} likes roses`]);
    await until(next.prompts.state, ({ ready }) => ready, AbortSignal.timeout(5000));
    expect(next.prompts.state.get().prompts.map(({ text }) => text)).toEqual([`Dear ${CANARY}, I`]);
    expect(next.documents.library.get().entries.map(({ title }) => title)).toContain(`${CANARY} again`);
  });

  it.each([
    ['phrase', 'begun'],
    ['phrase', 'continued'],
    ['message', 'begun'],
    ['message', 'continued'],
  ] as const)(
    'a passage on a card that memory made later goes, by a record of a %s in a conversation %s since',
    async (kind, when) => {
      const store = createInMemoryStore({ now: () => NOW });
      const device = open({ store });
      const story = await device.say('story', [STORY, 'Indeed', 'It rained']);
      const said = await device.say('since', [`Lunch with ${CANARY}`], {}, NOW - 5);
      // A device that has not learnt of the record yet goes on to remember.
      const { passages } = recallOf(story, STORY) as PartOf<'recall'>;
      const [old] = passages as [(typeof passages)[number]];
      const before = { ...old, createdAt: story.messages[0]?.createdAt as number };
      const beside = { messageId: before.messageId, role: 'user', text: STORY, createdAt: before.createdAt };
      const [lunch] = (recallOf(said, `Lunch with ${CANARY}`) as PartOf<'recall'>).passages as [typeof old];
      const since = { ...lunch, createdAt: NOW - 5, neighbours: [beside] };
      const recall = { ...recallOf(story, STORY), passages: [before, since], leftOut: [before] } as Part;
      const result = {
        ...{ type: 'tool-result', callId: 'one', name: 'recall', text: `[${story.id}] ${STORY}` },
        recalled: { query: 'Who?', threshold: 0.5, passages: [before], nearMisses: [] },
      } as Part;
      const later = await device.say(
        'later',
        [`What of ${CANARY}?`, [recall, { type: 'text', text: 'I see.' }], [result]],
        { title: `On ${CANARY}`, titleBy: 'person' },
        when === 'begun' ? NOW - 5 : NOW - 11,
      );
      const record: Forgotten = {
        ...{ id: 'late', at: when === 'begun' ? NOW - 10 : NOW - 11, kind, inside: [story.id], sources: [] },
        ...(kind === 'phrase'
          ? { ids: [], words: [imprintOf(CANARY, 'late') as Imprint] }
          : { ids: [story.messages[0]?.id as string], words: [] }),
        whole: false,
      };
      await device.notes.record(record);
      await until(
        device.forget.records,
        (records) => records.some(({ confirmed }) => confirmed.size > 0),
        AbortSignal.timeout(20_000),
      );
      expect(device.forget.records.get()[0]?.confirmed.get('local')?.left).toBe(0);
      await device.close();
      const next = open({ store, engine: false });
      const gone = kind === 'phrase' ? `neighbour ${CANARY}` : 'lost the garden';
      expect(await isInLog(store, gone)).toBe(false);
      const left = await next.documents.read(later.id);
      const [, answer, tool] = [...(left?.messages.values() ?? [])];
      expect(textOf(answer as Message)).toBe('I see.');
      expect(JSON.stringify([answer, tool])).not.toContain(gone);
      // The card keeps what was said since.
      expect(JSON.stringify(answer)).toContain('Lunch with');
      if (when === 'begun') expect(left?.meta.title).toBe(`On ${CANARY}`);
    },
  );

  it.each([false, true])(
    'what is dated later than now goes too, and what is said since stays; whole: %s',
    async (whole) => {
      const store = createInMemoryStore({ now: () => NOW });
      const device = open({ store });
      const DAY_MS = 86_400_000;
      // The message has a date in the future, from a clock that is ahead.
      const ahead = await device.say(
        'ahead',
        [STORY, 'I see.'],
        { title: `On ${CANARY}`, titleBy: 'person' },
        NOW + DAY_MS,
      );
      const mixed = await device.say('mixed', ['Good morning', 'Hello'], {}, NOW - DAY_MS);
      const far = { ...(mixed.messages[0] as Message), id: newMessageId(), createdAt: NOW + 400 * DAY_MS };
      await device.documents.change(mixed.id, {
        messages: [{ ...far, parts: [{ type: 'text', text: STORY }] }],
      });
      const fast = createNotes({ store, now: () => NOW + DAY_MS });
      await fast.write({ text: `${CANARY} likes roses` });
      fast.close();
      const early = createPrompts({ store, now: () => NOW + DAY_MS, onProblem: console.error });
      await early.savePrompt({ name: 'Letter', description: '', text: `Dear ${CANARY}, I` });
      early.close();
      const backup = await device.library.exportConversations('all', 'json');
      const bytes = new Uint8Array(await backup.blob.arrayBuffer());
      const { report } = await device.forgetAll({ kind: 'person', words: [CANARY], whole });
      expect(report.places.map(({ left }) => left)).toEqual(FORGET_PLACES.map(() => 0));
      expect(await device.placesOf(CANARY)).toEqual([]);
      expect((await device.documents.read(ahead.id))?.messages.size).toBe(whole ? 1 : 2);
      // No backup brings it back; a later message with such a date is not affected.
      await device.library.importFiles(filesOf({ 'backup.json': bytes }));
      expect(await device.placesOf(CANARY)).toEqual([]);
      await device.say('since', [`Lunch with ${CANARY}`], {}, NOW + DAY_MS);
      await store.keyValues.set(LOG_REPAIRED, { restored: 1, missing: 0, at: NOW });
      device.forget.dismiss();
      await device.forgetAll({ kind: 'phrase', words: ['Mooncastle'], whole: false }).catch(() => undefined);
      expect((await device.documents.read(idOf('since')))?.messages.size).toBe(1);
    },
  );

  it.each(['message', 'conversation', 'span'] as const)('dated later than now: a %s', async (kind) => {
    const device = open();
    const far = await device.say('far', [STORY, 'And the weather?', 'Rain.'], {}, NOW + 86_400_000);
    const conversation = far.id;
    await device.forgetAll(
      kind === 'message'
        ? { kind, conversation, message: far.messages[0]?.id as never }
        : kind === 'span'
          ? { kind, from: NOW, to: NOW + 86_400_001 }
          : { kind, conversation },
    );
    expect(await device.placesOf('lost the garden')).toEqual([]);
    expect((await device.documents.read(conversation))?.messages.size).toBe(
      kind === 'conversation' ? undefined : 2,
    );
  });

  it('a message forgotten of an import stays away, also where the rest of it was erased since', async () => {
    const device = open({ engine: false });
    const file = JSON.stringify([
      {
        id: 'c1',
        title: 'Trip',
        create_time: NOW / 1000 + 86_400,
        current_node: 'm2',
        mapping: {
          m1: {
            id: 'm1',
            parent: null,
            children: ['m2'],
            message: {
              id: 'm1',
              author: { role: 'user' },
              create_time: NOW / 1000 + 86_400,
              content: { content_type: 'text', parts: [STORY] },
            },
          },
          m2: {
            id: 'm2',
            parent: 'm1',
            children: [],
            message: {
              id: 'm2',
              author: { role: 'assistant' },
              create_time: NOW / 1000 + 86_401,
              content: { content_type: 'text', parts: ['A pity.'] },
            },
          },
        },
      },
    ]);
    const bring = () =>
      device.library.importFiles(filesOf({ 'conversations.json': new TextEncoder().encode(file) }));
    await bring();
    const [entry] = device.documents.library.get().entries;
    const id = entry?.id as never;
    const story = [...((await device.documents.read(id))?.messages.values() ?? [])].find(
      (one) => textOf(one) === STORY,
    );
    await device.forgetAll({ kind: 'message', conversation: id, message: story?.id as never });
    await bring();
    expect(await device.placesOf('lost the garden')).toEqual([]);
    await device.documents.erase([id]);
    await bring();
    expect(await device.placesOf('lost the garden')).toEqual([]);
    expect((await device.documents.read(id))?.messages.size).toBe(1);
  });

  it('nothing to look for is refused', async () => {
    const device = open();
    await expect(
      device.forget.seek({ kind: 'phrase', words: ['…'], whole: false }, new AbortController().signal),
    ).rejects.toMatchObject({ problem: { code: 'forget-no-words' } });
  });
});

it('whatever is forgotten, restored, imported and deleted in whatever order: nothing that was forgotten comes back', async () => {
  const WORDS = ['Quillfeather', 'Mooncastle'];
  const act = fc.record({
    do: fc.constantFrom('forget', 'import', 'heal', 'undelete', 'say'),
    word: fc.nat(1),
    whole: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 2, maxLength: 6 }), async (acts) => {
      const device = openDevice({ engine: false });
      const story = await device.say('story', [`${WORDS[0]} met ${WORDS[1]}`, 'Indeed', `${WORDS[1]} left`]);
      await device.say('other', [`Nothing of ${WORDS[0]}`, 'Rain']);
      const backup = await device.library.exportConversations('all', 'json');
      const bytes = new Uint8Array(await backup.blob.arrayBuffer());
      const entries = await device.store.log.since(0, Number.POSITIVE_INFINITY);
      const gone = new Set<string>();
      for (const { do: what, word, whole } of acts) {
        const words = [WORDS[word] as string];
        if (what === 'forget') {
          await device.forgetAll({ kind: 'phrase', words, whole });
          device.forget.dismiss();
          gone.add(words[0] as string);
        } else if (what === 'import') await device.library.importFiles(filesOf({ 'backup.json': bytes }));
        else if (what === 'heal') {
          const here = new Set(
            (await device.store.log.since(0, Number.POSITIVE_INFINITY)).map(({ id }) => id),
          );
          await device.store.log.append(entries.filter(({ id }) => !here.has(id)));
          await device.store.keyValues.set(LOG_REPAIRED, { restored: 1, missing: 0, at: NOW });
        } else if (what === 'undelete' && (await device.documents.read(story.id)))
          await device.documents.change(story.id, { restored: story.messages });
        else await device.say(`more ${acts.length}`, ['More rain']);
        // The service repeats its work: what came back goes again.
        const isThere = async () => {
          const places = await Promise.all([...gone].map((one) => device.placesOf(one)));
          return places.flat().length > 0;
        };
        for (let look = 0; look < 300 && (await isThere()); look += 1)
          await new Promise((resolve) => setTimeout(resolve, 5));
        for (const one of gone) expect(await device.placesOf(one), what).toEqual([]);
      }
      await device.close();
    }),
    { numRuns: runs(60, 8) },
  );
});

describe('killed at a write', () => {
  const SOUGHT: Sought = { kind: 'phrase', words: [CANARY], whole: false };

  async function forgetUntil(strike: number, when: 'before' | 'after') {
    const disk = createInMemoryStore({ now: () => NOW });
    const first = await populated(open({ store: disk, engine: false }));
    await first.device.close();
    let writes = 0;
    let die: () => void = () => {};
    const died = new Promise<void>((resolve) => {
      die = resolve;
    });
    const { store } = perilous(disk, createInMemoryVault(), {
      strikes: (lasts) => {
        if (!lasts) return null;
        writes += 1;
        return writes === strike ? when : null;
      },
      onDeath: () => die(),
      isFull: () => false,
      onCommit: () => {},
    });
    // A dead store never finishes closing.
    const device = openDevice({ store, engine: false });
    const ended = await Promise.race([device.forgetAll(SOUGHT).then(() => 'done'), died.then(() => 'died')]);
    return { disk, ended, writes };
  }

  it('the next start carries it on, wherever that was; before its first write nothing is lost', {
    timeout: 120_000,
  }, async () => {
    for (let strike = 1; ; strike += 1) {
      const when = strike % 2 === 0 ? 'before' : 'after';
      const { disk, ended } = await forgetUntil(strike, when);
      const device = open({ store: disk, engine: false });
      await device.notes.known();
      const begun = device.forget.records.get().length > 0;
      for (let look = 0; begun && look < 400; look += 1) {
        if ((await device.placesOf(CANARY)).length === 0) break;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      const places = await device.placesOf(CANARY);
      if (begun) expect(places, `${when} write ${strike}`).toEqual([]);
      else expect(places).toContain('log');
      expect((await device.documents.read(idOf('story')))?.messages.size).toBe(3);
      expect((await device.documents.read(idOf('other')))?.messages.size).toBe(2);
      if (ended === 'done') {
        expect(strike).toBeGreaterThan(8);
        return;
      }
    }
  });
});

for (const create of CREATE_PLACES)
  describePlace(create, async () => {
    const { device, story } = await populated();
    return {
      deps: device.deps,
      message: story.messages[0]?.id as string,
      canary: CANARY,
      conversation: story.id,
    };
  });

it('the index is waited for also where its status does not change while it reads', async () => {
  const device = open();
  const { id } = await device.say('story', [STORY]);
  await device.documents.erase([id]);
  let looks = 0;
  const slow = {
    ...device.index,
    bookmark: async () => (++looks < 3 ? 0 : Number.MAX_SAFE_INTEGER),
    conversationIds: async () => new Set<typeof id>(),
  };
  const place = CREATE_PLACES.map((create) => create({ ...device.deps, index: () => slow })).find(
    (one) => one.id === 'index',
  );
  const eraser = createEraser({
    id: 'r',
    at: NOW,
    kind: 'conversation',
    ids: [id],
    inside: [],
    sources: [],
    words: [],
    whole: true,
  });
  await place?.remove(eraser);
  expect(looks).toBeGreaterThanOrEqual(3);
  expect(await place?.verify(eraser)).toEqual({ left: 0, waiting: false });
});
