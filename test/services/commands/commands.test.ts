import { afterEach, describe, expect, it } from 'vitest';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import { RecollectError } from '../../../src/domain/base/errors.ts';
import {
  type ConversationId,
  type MessageId,
  newConversationId,
  newMessageId,
} from '../../../src/domain/base/ids.ts';
import { textOf } from '../../../src/domain/chat/message.ts';
import type { CommandContext, CommandOutcome } from '../../../src/services/commands/command.ts';
import { COMMANDS, runCommand } from '../../../src/services/commands/index.ts';
import type { ExportedFile } from '../../../src/services/library/library.ts';
import type { RecallRequest } from '../../../src/services/memory/memory.ts';
import { createScene, passage } from '../chat/setup.ts';

const scenes: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const made of scenes.splice(0)) await made.close();
});

/** Real documents and chat; of library and memory what the commands use, over those documents. */
async function createDesk(titles: readonly string[] = []) {
  const scene = createScene({ store: createInMemoryStore() });
  scenes.push(scene);
  const { documents, chat } = scene;
  const recalls: RecallRequest[] = [];
  const exported: unknown[] = [];
  const ids: ConversationId[] = [];
  const firsts: MessageId[] = [];
  for (const [index, title] of titles.entries()) {
    const id = newConversationId();
    const first = newMessageId();
    ids.push(id);
    firsts.push(first);
    await documents.change(id, {
      messages: [
        {
          id: first,
          parentId: null,
          role: 'user',
          kind: 'message',
          createdAt: 1000 + index,
          parts: [{ type: 'text', text: `first words of ${title}` }],
        },
      ],
      meta: { title, createdAt: 1000 + index, head: first },
    });
  }
  const setAll = async (
    which: readonly ConversationId[],
    meta: Parameters<typeof documents.change>[1]['meta'],
  ) => {
    for (const id of which) await documents.change(id, { meta: meta ?? {} });
  };
  let searchFails = false;
  const context: Omit<CommandContext, 'conversationId'> = {
    documents,
    chat,
    library: {
      setMeta: (which: readonly ConversationId[], meta: object) =>
        setAll(which, 'title' in meta ? { ...meta, titleBy: 'person' } : meta),
      remove: (which: readonly ConversationId[]) => setAll(which, { deletedAt: 5 }),
      restore: (which: readonly ConversationId[]) => setAll(which, { deletedAt: null }),
      exportConversations: async (which: unknown, format: string): Promise<ExportedFile> => {
        exported.push([which, format]);
        return { name: 'x', mediaType: 'text/plain', blob: new Blob([]) };
      },
    } as unknown as CommandContext['library'],
    memory: {
      status: { get: () => ({ state: 'ready' }), subscribe: () => () => undefined },
      stats: async () => ({ messages: 3 }),
      recall: async (request: RecallRequest) => {
        recalls.push(request);
        return {
          query: request.text,
          passages: [passage('m1', 'one'), passage('m2', 'two')],
          nearMisses: [passage('m3', 'three')],
        };
      },
      search: async ({ onHits }: { onHits: (hits: unknown[], final: boolean) => void }) => {
        if (searchFails) throw new RecollectError('index-unavailable', 'asleep');
        onHits([], false);
        onHits([{ conversationId: ids[2] }, { conversationId: ids[2] }, { conversationId: 'unknown' }], true);
      },
    } as unknown as CommandContext['memory'],
    settings: {} as CommandContext['settings'],
    signal: new AbortController().signal,
    now: Date.now,
  };
  return {
    ...scene,
    ids,
    firsts,
    recalls,
    exported,
    breakSearch: () => {
      searchFails = true;
    },
    run: (line: string, conversationId: ConversationId | null = null): Promise<CommandOutcome> =>
      runCommand(COMMANDS, line, { ...context, conversationId }),
    entry: (id: ConversationId) => documents.library.get().entries.find((entry) => entry.id === id),
  };
}

const titlesOf = (outcome: CommandOutcome) =>
  outcome.type === 'conversations' ? outcome.entries.map((entry) => entry.title) : outcome;
const TITLES = ['Backups at night', 'Lunch plans', 'Backups in Chinese 备份', 'Garden'];

describe('/recall', () => {
  it('asks memory, with what was typed', async () => {
    const desk = await createDesk(TITLES);
    const outcome = await desk.run('/recall when is "the backup" --limit 2 --with-context', desk.ids[0]);
    expect(outcome).toMatchObject({
      type: 'recall',
      withContext: true,
      result: { query: 'when is the backup' },
    });
    expect(desk.recalls[0]).toMatchObject({ limit: 2, currentConversation: desk.ids[0], withContext: true });
  });

  it('takes the last thing said where nothing was typed, and says where there is none', async () => {
    const desk = await createDesk(TITLES);
    await desk.run('/recall', desk.ids[1]);
    expect(desk.recalls[0]?.text).toBe('first words of Lunch plans');
    expect(desk.recalls[0]?.limit).toBeUndefined();
    expect(await desk.run('/recall')).toMatchObject({
      type: 'problem',
      problem: { code: 'command-argument', params: { argument: 'query', value: '' } },
    });
  });

  it('jumps to a passage by its place in the list', async () => {
    const desk = await createDesk();
    expect(await desk.run('/recall x --jump-to 3')).toEqual({
      type: 'open',
      conversationId: 'old',
      messageId: 'm3',
    });
    expect(await desk.run('/recall x --jump-to 4')).toMatchObject({
      problem: { code: 'command-argument', params: { argument: 'jump-to', value: '4', allowed: '1–3' } },
    });
  });

  it('jumps to a message or a conversation by its id', async () => {
    const desk = await createDesk(TITLES);
    const [, second] = desk.firsts;
    expect(await desk.run(`/recall --jump-to ${second}`)).toEqual({
      type: 'open',
      conversationId: desk.ids[1],
      messageId: second,
    });
    expect(await desk.run(`/recall --jump-to ${desk.ids[3]}`)).toEqual({
      type: 'open',
      conversationId: desk.ids[3],
    });
    expect(desk.recalls).toHaveLength(0);
    expect(await desk.run('/recall --jump-to 0198ffff-dead-7000-8000-000000000000')).toMatchObject({
      problem: { code: 'command-argument' },
    });
  });
});

describe('/memory', () => {
  it('lists what is alive, newest first', async () => {
    const desk = await createDesk(TITLES);
    await desk.run('/memory archive Lunch plans');
    await desk.run('/memory delete garden');
    expect(titlesOf(await desk.run('/memory list'))).toEqual(['Backups in Chinese 备份', 'Backups at night']);
    expect(titlesOf(await desk.run('/memory list --archived --limit 2'))).toEqual([
      'Backups in Chinese 备份',
      'Lunch plans',
    ]);
  });

  it('searches titles and texts, each conversation once', async () => {
    const desk = await createDesk(TITLES);
    expect(titlesOf(await desk.run('/memory search night'))).toEqual([
      'Backups at night',
      'Backups in Chinese 备份',
    ]);
    desk.breakSearch();
    expect(titlesOf(await desk.run('/memory search night'))).toEqual(['Backups at night']);
    expect(await desk.run('/memory search nowhere')).toMatchObject({
      problem: { code: 'index-unavailable' },
    });
    expect(await desk.run('/memory search')).toMatchObject({ problem: { code: 'command-argument' } });
  });

  it('archives and deletes what is meant, and takes it back', async () => {
    const desk = await createDesk(TITLES);
    const [first] = desk.ids as [ConversationId];
    const archived = await desk.run('/memory archive', first);
    expect(archived).toMatchObject({ type: 'done', what: 'archived', params: { count: 1 } });
    expect(desk.entry(first)?.archived).toBe(true);
    if (archived.type === 'done') await archived.undo?.();
    expect(desk.entry(first)?.archived).toBe(false);
    const deleted = await desk.run(`/memory delete ${first.slice(0, 35)}`);
    expect(desk.entry(first)?.deletedAt).not.toBeNull();
    if (deleted.type === 'done') await deleted.undo?.();
    expect(desk.entry(first)?.deletedAt).toBeNull();
  });

  it('asks which one where several fit', async () => {
    const desk = await createDesk(TITLES);
    expect(await desk.run('/memory delete backups')).toMatchObject({
      problem: {
        code: 'command-argument',
        params: { value: 'backups', allowed: 'Backups in Chinese 备份, Backups at night' },
      },
    });
    const twins = await createDesk(['Twin', 'Twin']);
    const outcome = await twins.run('/memory delete twin');
    for (const id of twins.ids) expect(JSON.stringify(outcome)).toContain(id);
    expect(await desk.run('/memory delete nothing like it')).toMatchObject({
      problem: { params: { allowed: '' } },
    });
    expect(await desk.run('/memory delete')).toMatchObject({ problem: { code: 'command-argument' } });
  });

  it('exports one or all', async () => {
    const desk = await createDesk(TITLES);
    expect((await desk.run('/memory export', desk.ids[0])).type).toBe('download');
    await desk.run('/memory export garden --format markdown');
    await desk.run('/memory export --all');
    expect(desk.exported).toEqual([
      [[desk.ids[0]], 'json'],
      [[desk.ids[3]], 'markdown'],
      ['all', 'json'],
    ]);
    expect(await desk.run('/memory export garden --all')).toMatchObject({
      problem: { code: 'command-argument' },
    });
  });

  it('shows how things stand, and the settings', async () => {
    const desk = await createDesk();
    expect(await desk.run('/memory status')).toMatchObject({
      type: 'status',
      status: { state: 'ready' },
      stats: { messages: 3 },
    });
    expect(await desk.run('/memory config')).toEqual({ type: 'screen', screen: 'settings' });
  });

  it('refuses a flag that belongs to another action', async () => {
    const desk = await createDesk(TITLES);
    expect(await desk.run('/memory delete --all')).toMatchObject({
      problem: { code: 'command-flag', params: { command: 'memory delete', flag: '--all', allowed: '' } },
    });
    expect(await desk.run('/memory list --format json')).toMatchObject({
      problem: { params: { allowed: '--limit, --archived' } },
    });
  });
});

describe('/new, /title, /help', () => {
  it('opens an empty page, or sends a first message', async () => {
    const desk = await createDesk();
    expect(await desk.run('/new')).toEqual({ type: 'open', conversationId: null });
    const outcome = await desk.run('/new What  is "this"?');
    if (outcome.type !== 'open' || outcome.conversationId === null) throw new Error('not opened');
    await desk.idle(outcome.conversationId);
    const [question] = await desk.path(outcome.conversationId);
    expect(question && textOf(question)).toBe('What  is "this"?');
  });

  it('renames, and takes it back with who had named it', async () => {
    const desk = await createDesk(TITLES);
    const [first] = desk.ids as [ConversationId];
    const outcome = await desk.run('/title  A better   name', first);
    expect(outcome).toMatchObject({ type: 'done', what: 'titled', params: { title: 'A better name' } });
    expect((await desk.documents.read(first))?.meta).toMatchObject({
      title: 'A better name',
      titleBy: 'person',
    });
    if (outcome.type === 'done') await outcome.undo?.();
    expect((await desk.documents.read(first))?.meta).toMatchObject({
      title: 'Backups at night',
      titleBy: 'auto',
    });
    expect(await desk.run('/title x')).toMatchObject({ problem: { code: 'conversation-missing' } });
  });

  it('helps', async () => {
    const desk = await createDesk();
    expect(await desk.run('/help')).toEqual({ type: 'help' });
    expect(await desk.run('/help /Recall')).toEqual({ type: 'help', command: 'recall' });
  });
});

it('cancelling is no outcome', async () => {
  const desk = await createDesk();
  const command = {
    name: 'stop',
    arguments: [],
    run: () => Promise.reject(new DOMException('Stopped', 'AbortError')),
  };
  await expect(runCommand([command], '/stop', {} as CommandContext)).rejects.toMatchObject({
    name: 'AbortError',
  });
  expect(desk.ids).toEqual([]);
});
