import { afterEach, describe, expect, it } from 'vitest';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import { RecollectError } from '../../../src/domain/base/errors.ts';
import {
  type ConversationId,
  type MessageId,
  newConversationId,
  newMessageId,
} from '../../../src/domain/base/ids.ts';
import { writable } from '../../../src/domain/base/readable.ts';
import { textOf } from '../../../src/domain/chat/message.ts';
import type { Persona } from '../../../src/domain/prompts/persona.ts';
import type { CommandContext, CommandOutcome } from '../../../src/services/commands/command.ts';
import { COMMANDS, runCommand } from '../../../src/services/commands/index.ts';
import type { ExportedFile } from '../../../src/services/library/library.ts';
import type { RecallRequest } from '../../../src/services/memory/memory.ts';
import { SYNC_OFF, type Sync, type SyncState, type SyncStatus } from '../../../src/services/sync/sync.ts';
import { commands as en } from '../../../src/ui/i18n/en/commands.ts';
import { commands as zh } from '../../../src/ui/i18n/zh/commands.ts';
import { createScene, passage } from '../chat/setup.ts';

const scenes: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const made of scenes.splice(0)) await made.close();
});

/** Real documents and chat, and over them those parts of library and memory that commands use. */
async function createDevice(titles: readonly string[] = [], chosen: object | null = null) {
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
  const looks: Parameters<Sync['syncNow']>[0][] = [];
  let syncStatus: SyncStatus | null = null;
  const sync = () =>
    ({
      status: { get: () => syncStatus, subscribe: () => () => undefined },
      syncNow: async (options: Parameters<Sync['syncNow']>[0]) => {
        looks.push(options);
      },
    }) as unknown as Sync;
  const context: Omit<CommandContext, 'conversationId'> = {
    documents,
    chat,
    context: scene.context,
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
    settings: { connections: writable({ chosen }) } as unknown as CommandContext['settings'],
    signal: new AbortController().signal,
    now: Date.now,
  };
  return {
    ...scene,
    ids,
    firsts,
    recalls,
    exported,
    /** What `syncNow` was called with. */
    looks,
    standsAt: (status: Partial<SyncStatus>) => {
      syncStatus = { ...SYNC_OFF, ...status };
    },
    breakSearch: () => {
      searchFails = true;
    },
    run: (
      line: string,
      conversationId: ConversationId | null = null,
      begins?: CommandContext['begins'],
    ): Promise<CommandOutcome> =>
      runCommand(COMMANDS, line, {
        ...context,
        conversationId,
        begins,
        ...(syncStatus ? { sync: sync() } : {}),
      }),
    entry: (id: ConversationId) => documents.library.get().entries.find((entry) => entry.id === id),
  };
}

const titlesOf = (outcome: CommandOutcome) =>
  outcome.type === 'conversations' ? outcome.entries.map((entry) => entry.title) : outcome;
const TITLES = ['Backups at night', 'Lunch plans', 'Backups in Chinese 备份', 'Garden'];

describe('/recall', () => {
  it('asks memory, with what was typed', async () => {
    const device = await createDevice(TITLES);
    const outcome = await device.run('/recall when is "the backup" --limit 2 --with-context', device.ids[0]);
    expect(outcome).toMatchObject({
      type: 'recall',
      withContext: true,
      result: { query: 'when is the backup' },
    });
    expect(device.recalls[0]).toMatchObject({
      limit: 2,
      currentConversation: device.ids[0],
      withContext: true,
    });
  });

  it('asks on an empty page as the conversation would that it is about to begin', async () => {
    const device = await createDevice(TITLES);
    const persona = { memory: 'only', project: null } as unknown as Persona;
    await device.run('/recall backup', null, { project: device.ids[2] as ConversationId, persona });
    await device.run('/recall backup');
    expect(device.recalls[0]).toMatchObject({ from: device.ids[2], persona });
    expect(device.recalls[0]).not.toHaveProperty('currentConversation');
    expect(device.recalls[1]).not.toHaveProperty('from');
  });

  it('takes the last thing said where nothing was typed, and says where there is none', async () => {
    const device = await createDevice(TITLES);
    await device.run('/recall', device.ids[1]);
    expect(device.recalls[0]?.text).toBe('first words of Lunch plans');
    expect(device.recalls[0]?.limit).toBeUndefined();
    expect(await device.run('/recall')).toMatchObject({
      type: 'problem',
      problem: { code: 'command-argument', params: { argument: 'query', value: '' } },
    });
  });

  it('jumps to a passage by its place in the list', async () => {
    const device = await createDevice();
    expect(await device.run('/recall x --jump-to 3')).toEqual({
      type: 'open',
      conversationId: 'old',
      messageId: 'm3',
    });
    expect(await device.run('/recall x --jump-to 4')).toMatchObject({
      problem: { code: 'command-argument', params: { argument: 'jump-to', value: '4', allowed: '1–3' } },
    });
  });

  it('shows what stands beside a passage only where that is asked for', async () => {
    const device = await createDevice(TITLES);
    for (const [line, withContext] of [
      ['/recall backup', false],
      ['/recall backup --with-context', true],
      ['/recall backup --with-context=false', false],
    ] as const)
      expect(await device.run(line)).toMatchObject({ type: 'recall', withContext });
    expect(device.recalls.map(({ limit }) => limit)).toEqual([undefined, undefined, undefined]);
  });

  it.each([
    ['0', '1–3'],
    ['4', '1–3'],
    ['99', '1–3'],
    ['-1', ''],
    ['two', ''],
    ['100', ''],
    ['0198ffff', ''],
    ['""', ''],
  ])('opens nothing for --jump-to %s', async (value, allowed) => {
    const device = await createDevice(TITLES);
    expect(await device.run(`/recall x --jump-to ${value}`)).toMatchObject({
      type: 'problem',
      problem: {
        code: 'command-argument',
        params: { command: 'recall', argument: 'jump-to', value: value === '""' ? '' : value, allowed },
      },
    });
  });

  it('jumps to a message or a conversation by its id', async () => {
    const device = await createDevice(TITLES);
    const [, second] = device.firsts;
    expect(await device.run(`/recall --jump-to ${second}`)).toEqual({
      type: 'open',
      conversationId: device.ids[1],
      messageId: second,
    });
    expect(await device.run(`/recall --jump-to ${device.ids[3]}`)).toEqual({
      type: 'open',
      conversationId: device.ids[3],
    });
    expect(device.recalls).toHaveLength(0);
    expect(await device.run('/recall --jump-to 0198ffff-dead-7000-8000-000000000000')).toMatchObject({
      problem: { code: 'command-argument' },
    });
  });
});

describe('/recall in a scope, or explained', () => {
  it('narrows by work directory, pin, archive and dates', async () => {
    const { run, recalls, documents, ids } = await createDevice(TITLES);
    const [id] = ids as [ConversationId];
    await documents.change(id, { meta: { workDir: '/proj/demo' } });
    await run('/recall backups --scope "here, pinned"', id);
    await run('/recall backups --scope archived,2025-03', id);
    await run('/recall backups --scope active', id);
    await run('/recall backups --scope all', id);
    await run('/recall backups --scope 2025-01-10..2025-02', id);
    await run('/recall backups --scope ..2024', id);
    await run('/recall --scope pinned, archived backups', id);
    await run('/recall --scope pinned ,archived backups', id);
    await run('/recall --scope pinned --scope 2025-03 backups', id);
    await run('/recall --scope "pinned 2025-03" backups', id);
    await run('/recall --scope 2025,2025-01 backups', id);
    await run('/recall --scope 2025-03..,2025-05.. backups', id);
    const day = (year: number, month: number, date: number) => new Date(year, month - 1, date).getTime();
    expect(recalls.map((request) => request.filter)).toEqual([
      { workDir: '/proj/demo', pinned: true },
      { archived: true, after: day(2025, 3, 1), before: day(2025, 4, 1) },
      { archived: false },
      {},
      { after: day(2025, 1, 10), before: day(2025, 3, 1) },
      { before: day(2025, 1, 1) },
      { pinned: true, archived: true },
      { pinned: true, archived: true },
      { pinned: true, after: day(2025, 3, 1), before: day(2025, 4, 1) },
      { pinned: true, after: day(2025, 3, 1), before: day(2025, 4, 1) },
      { after: day(2025, 1, 1), before: day(2025, 2, 1) },
      { after: day(2025, 5, 1) },
    ]);
    expect(recalls.every(({ text }) => text === 'backups')).toBe(true);
  });

  it('narrows to a time in words', async () => {
    const { run, recalls } = await createDevice(TITLES);
    for (const scope of ['yesterday', 'last-week', '"last week"', '上周', '"pinned, 上周"'])
      await run(`/recall backups --scope ${scope}`);
    const spans = recalls.map(({ filter }) => [filter?.after, filter?.before]);
    expect(spans.flat().every((time) => typeof time === 'number')).toBe(true);
    const [yesterday, week, ...others] = spans as [[number, number], [number, number], ...unknown[]];
    expect(Math.round((yesterday[1] - yesterday[0]) / 3_600_000)).toBeLessThanOrEqual(25);
    expect(Math.round((week[1] - week[0]) / 86_400_000)).toBe(7);
    for (const other of others) expect(other).toEqual(week);
    expect(recalls.at(-1)?.filter?.pinned).toBe(true);
  });

  it('explains a scope that it does not know', async () => {
    const { run } = await createDevice(TITLES);
    for (const [scope, near] of [
      ['archve', 'archived'],
      ['sometime', ''],
      ['before-last-week', ''],
      ['2025-02-31', ''],
      ['2025-05..2025-01', ''],
    ])
      expect(await run(`/recall x --scope ${scope}`)).toMatchObject({
        type: 'problem',
        problem: { code: 'command-argument', params: { argument: 'scope', value: scope, nearest: near } },
      });
    for (const scope of ['2025-01,2025-02', 'active,archived', '2025-06..,..2025-03'])
      expect(await run(`/recall x --scope ${scope}`)).toMatchObject({
        type: 'problem',
        problem: { code: 'command-scopes', params: { value: scope } },
      });
    expect(await run('/recall x --scope here')).toMatchObject({
      type: 'problem',
      problem: { code: 'command-here' },
    });
  });

  it('runs dry with --explain', async () => {
    const { run, recalls } = await createDevice(TITLES);
    expect(await run('/recall backups --explain --limit 3')).toMatchObject({
      type: 'explain',
      draft: 'backups',
      result: { passages: [{ messageId: 'm1' }, { messageId: 'm2' }] },
    });
    expect(recalls[0]).toMatchObject({ text: 'backups', limit: 3 });
    // Without a model the passages are the answer, shown as for any question.
    expect(recalls[0]?.purpose).toBeUndefined();
  });

  it('explains what would go in to a model, and shows what is asked for', async () => {
    const { run, recalls } = await createDevice(TITLES, { endpointId: 'e1', model: 'm' });
    await run('/recall backups --explain');
    await run('/recall backups');
    expect(recalls.map(({ purpose }) => purpose)).toEqual(['inject', undefined]);
  });
});

describe('checkpoints', () => {
  /** q1 a1 q2 a2 on one branch. */
  async function createTalk() {
    const device = await createDevice(['Talk']);
    const [id] = device.ids as [ConversationId];
    let parentId = device.firsts[0] as MessageId;
    const messages: MessageId[] = [parentId];
    for (const [at, text] of ['a1', 'q2', 'a2'].entries()) {
      const message = newMessageId();
      messages.push(message);
      await device.documents.change(id, {
        messages: [
          {
            id: message,
            parentId,
            role: text.startsWith('a') ? 'assistant' : 'user',
            kind: 'message',
            createdAt: 2000 + at,
            parts: [{ type: 'text', text }],
          },
        ],
        meta: { head: message },
      });
      parentId = message;
    }
    const head = async () => (await device.documents.read(id))?.meta.head;
    return { ...device, id, messages, head, control: device.context };
  }

  it('are named, listed with their first lines, gone back to, and all of it taken back', async () => {
    const { run, id, messages, head, documents } = await createTalk();
    const named = await run('/checkpoint before the change', id);
    expect(named).toMatchObject({
      type: 'done',
      what: 'checkpointed',
      params: { name: 'before the change' },
    });
    expect(await run('/checkpoint', id)).toMatchObject({ params: { name: 'checkpoint-1' } });
    expect(await run('/checkpoints', id)).toMatchObject({
      type: 'checkpoints',
      checkpoints: expect.arrayContaining([
        expect.objectContaining({
          name: 'before the change',
          kind: 'named',
          messageId: messages[3],
          firstLine: 'a2',
          here: true,
        }),
        expect.objectContaining({
          name: 'turn-2',
          kind: 'turn',
          messageId: messages[1],
          firstLine: 'q2',
          auto: true,
        }),
      ]),
    });
    const gone = await run('/restore turn-2', id);
    expect(await head()).toBe(messages[1]);
    expect((await documents.read(id))?.messages.size).toBe(4);
    expect(gone).toMatchObject({ type: 'done', what: 'restored', params: { name: 'turn-2' } });
    if (gone.type === 'done') await gone.undo?.();
    expect(await head()).toBe(messages[3]);
    await run(`/restore ${messages[0]}`, id);
    expect(await head()).toBe(messages[0]);
    await run('/restore BEFORE the change', id);
    expect(await head()).toBe(messages[3]);
    if (named.type === 'done') await named.undo?.();
    expect((await documents.read(id))?.checkpoints.has('before the change')).toBe(false);
  });

  it('are removed and renamed, and each of that is taken back', async () => {
    const { run, id, messages, documents, control } = await createTalk();
    const kept = async () => [...((await documents.read(id))?.checkpoints.keys() ?? [])].sort();
    await run('/checkpoint first', id);
    await run('/checkpoint second', id);
    const removed = await control.removeCheckpoint(id, 'first');
    expect(await kept()).toEqual(['second']);
    await removed.undo();
    expect(await kept()).toEqual(['first', 'second']);
    expect((await documents.read(id))?.checkpoints.get('first')).toMatchObject({
      messageId: messages[3],
      by: 'person',
    });
    await expect(control.removeCheckpoint(id, 'frist')).rejects.toMatchObject({
      problem: { code: 'checkpoint-unknown', params: { nearest: expect.stringContaining('first') } },
    });

    // The checkpoint that had the name gives way, and returns when the person undoes it.
    const renamed = await control.renameCheckpoint(id, 'first', '  second \n');
    expect(renamed.name).toBe('second');
    expect(await kept()).toEqual(['second']);
    await renamed.undo();
    expect(await kept()).toEqual(['first', 'second']);
    expect((await control.renameCheckpoint(id, 'first', ' ')).name).toBe('first');
    expect((await control.renameCheckpoint(id, 'turn-2', 'mine')).name).toBe('turn-2');
    expect(await kept()).toEqual(['first', 'second']);
    await expect(control.renameCheckpoint(id, 'nobody', 'mine')).rejects.toMatchObject({
      problem: { code: 'checkpoint-unknown' },
    });
  });

  it('that nobody knows are answered with the nearest', async () => {
    const { run, id } = await createTalk();
    await run('/checkpoint release', id);
    expect(await run('/restore relaese', id)).toMatchObject({
      type: 'problem',
      problem: { code: 'checkpoint-unknown', params: { name: 'relaese', nearest: 'release, turn-2' } },
    });
    expect(await run('/restore x')).toMatchObject({
      type: 'problem',
      problem: { code: 'command-conversation' },
    });
    // A shared word in a long name is closer than a short name without one.
    await run('/checkpoint before refactor', id);
    expect(await run('/restore refactr', id)).toMatchObject({
      problem: { params: { nearest: 'before refactor, release, turn-2' } },
    });
  });

  it('that are not there at all are told from a wrong name', async () => {
    const device = await createDevice(['Talk']);
    const id = device.ids[0] as ConversationId;
    for (const line of ['/restore release', '/dmail use port 8081', '/dmail use port 8081 --to release'])
      expect(await device.run(line, id)).toMatchObject({
        type: 'problem',
        problem: { code: 'checkpoint-none' },
      });
  });

  it('that have a name already move, which is said and taken back', async () => {
    const { run, id, messages, documents } = await createTalk();
    const place = async () => (await documents.read(id))?.checkpoints.get('release')?.messageId;
    expect(await run('/checkpoint release', id)).toMatchObject({ what: 'checkpointed' });
    await run('/restore turn-2', id);
    const moved = await run('/checkpoint release', id);
    expect(moved).toMatchObject({ what: 'checkpointMoved', params: { name: 'release' } });
    expect(await place()).toBe(messages[1]);
    if (moved.type === 'done') await moved.undo?.();
    expect(await place()).toBe(messages[3]);
  });

  it('of a message are told with its first words, its id being nothing to read', async () => {
    const { run, id, messages } = await createTalk();
    expect(await run(`/restore ${messages[1]}`, id)).toMatchObject({ params: { name: 'a1' } });
  });

  it('are compared', async () => {
    const { run, id, messages } = await createTalk();
    expect(await run('/checkpoints --diff turn-2', id)).toMatchObject({
      type: 'diff',
      left: 'turn-2',
      diff: { common: messages[1], left: [], right: [{ id: messages[2] }, { id: messages[3] }] },
    });
    expect(await run('/checkpoints --with turn-2', id)).toMatchObject({ problem: { code: 'command-flag' } });
  });

  it('get letters: the branch that is left stays, linked', async () => {
    const { run, id, messages, head, documents, idle } = await createTalk();
    const sent = await run('/dmail use port 8081 --to turn-2', id);
    await idle(id);
    expect(sent).toMatchObject({ type: 'done', what: 'dmailed', params: { name: 'turn-2' } });
    const conversation = await documents.read(id);
    const letter = [...(conversation?.messages.values() ?? [])].find((message) => message.dmail);
    expect(letter).toMatchObject({
      parentId: messages[1],
      role: 'user',
      parts: [{ type: 'text', text: 'use port 8081' }],
      dmail: { from: messages[3], checkpoint: messages[1], by: 'person' },
    });
    // Memory alone answers here.
    expect(conversation?.messages.get((await head()) as MessageId)).toMatchObject({
      parentId: letter?.id,
      kind: 'recall',
    });
    if (sent.type === 'done') await sent.undo?.();
    expect(await head()).toBe(messages[3]);
    expect(conversation?.messages.size).toBe(6);
  });
});

describe('/compact', () => {
  it('says where there is nothing to compact, and no conversation', async () => {
    const { run, ids } = await createDevice(TITLES);
    expect(await run('/compact', ids[0])).toMatchObject({
      type: 'compaction',
      result: { outcome: 'nothing' },
    });
    expect(await run('/compact')).toMatchObject({ problem: { code: 'command-conversation' } });
    expect(await run('/compact --strategy nosuch', ids[0])).toMatchObject({
      problem: { code: 'command-argument', params: { argument: 'strategy' } },
    });
  });
});

describe.each(['/sync', '/memory sync'])('%s', (line) => {
  const phone = {
    id: 'a',
    name: 'Phone',
    here: false,
    pairedAt: 1,
    seenAt: 2,
    missing: 0,
  };
  const full = new RecollectError('sync-quota', 'No room', { params: { code: 4403 } });

  it.each([
    ['disabled', 'disabled'],
    ['local', 'local'],
    ['remote', 'unpaired'],
    ['remote', 'connecting'],
    ['remote', 'offline'],
    ['remote', 'syncing'],
    ['remote', 'synced'],
    ['managed', 'stopped'],
  ] as const)('--status tells of mode %s in state %s, and asks nobody', async (mode, state) => {
    const device = await createDevice();
    device.standsAt({ mode, state, waiting: 3, devices: [phone, phone], problem: full.problem });
    expect(await device.run(`${line} --status`)).toEqual({
      type: 'done',
      what: `sync_${state}`,
      params: { waiting: 3, devices: 2 },
    });
    expect(device.looks).toEqual([]);
    for (const words of [en, zh]) expect(words.done).toHaveProperty(`sync_${state}`);
  });

  it.each(['connecting', 'offline', 'syncing', 'synced'] as const)(
    'looks for changes, and with --force compares everything, in state %s',
    async (state) => {
      const device = await createDevice();
      device.standsAt({ mode: 'remote', state });
      expect(await device.run(line)).toEqual({ type: 'done', what: 'syncing' });
      expect(await device.run(`${line} --force`)).toEqual({ type: 'done', what: 'syncForced' });
      expect(device.looks).toEqual([{ force: false }, { force: true }]);
    },
  );

  it.each(['disabled', 'unpaired'] satisfies SyncState[])('is refused in state %s', async (state) => {
    const device = await createDevice();
    device.standsAt({ state });
    for (const flag of ['', ' --force'])
      expect(await device.run(line + flag)).toMatchObject({ problem: { code: 'sync-unpaired' } });
    expect(device.looks).toEqual([]);
  });

  it('says of a browser that keeps to itself that it does', async () => {
    const device = await createDevice();
    device.standsAt({ mode: 'local', state: 'local' });
    expect(await device.run(line)).toMatchObject({ type: 'done', what: 'sync_local' });
  });

  it('says why sync has stopped; --force tries all the same', async () => {
    const device = await createDevice();
    device.standsAt({ mode: 'remote', state: 'stopped', problem: full.problem });
    expect(await device.run(line)).toMatchObject({
      type: 'problem',
      problem: { code: 'sync-quota', params: { code: 4403 } },
    });
    expect(device.looks).toEqual([]);
    expect(await device.run(`${line} --force`)).toMatchObject({ what: 'syncForced' });
    expect(device.looks).toEqual([{ force: true }]);
  });

  it('is refused where this browser cannot sync', async () => {
    const device = await createDevice();
    expect(await device.run(line)).toMatchObject({ problem: { code: 'sync-unpaired' } });
  });
});

describe('/memory', () => {
  it('lists what is alive, newest first', async () => {
    const device = await createDevice(TITLES);
    await device.run('/memory archive Lunch plans');
    await device.run('/memory delete garden');
    expect(titlesOf(await device.run('/memory list'))).toEqual([
      'Backups in Chinese 备份',
      'Backups at night',
    ]);
    expect(titlesOf(await device.run('/memory list --archived --limit 2'))).toEqual([
      'Backups in Chinese 备份',
      'Lunch plans',
    ]);
  });

  it('lists those whose title has the words', async () => {
    const device = await createDevice(TITLES);
    expect(titlesOf(await device.run('/memory list in BACKUPS'))).toEqual(['Backups in Chinese 备份']);
    expect(titlesOf(await device.run('/memory list backups --limit 1'))).toEqual(['Backups in Chinese 备份']);
    expect(titlesOf(await device.run('/memory list nowhere'))).toEqual([]);
  });

  it.each([
    ['status', '/memory status'],
    ['config', '/memory config'],
    ['sync', '/memory sync, /memory sync --force, /memory sync --status'],
  ])('does not drop words that %s has no use for', async (action, allowed) => {
    const device = await createDevice(TITLES);
    expect(await device.run(`/memory ${action} of backups`)).toMatchObject({
      type: 'problem',
      problem: {
        code: 'command-argument',
        params: { command: `memory ${action}`, argument: 'query', value: 'of backups', allowed },
      },
    });
  });

  it('searches titles and texts, each conversation once', async () => {
    const device = await createDevice(TITLES);
    expect(titlesOf(await device.run('/memory search night'))).toEqual([
      'Backups at night',
      'Backups in Chinese 备份',
    ]);
    device.breakSearch();
    expect(titlesOf(await device.run('/memory search night'))).toEqual(['Backups at night']);
    expect(await device.run('/memory search nowhere')).toMatchObject({
      problem: { code: 'index-unavailable' },
    });
    expect(await device.run('/memory search')).toMatchObject({ problem: { code: 'command-argument' } });
  });

  it('archives and deletes what is meant, and takes it back', async () => {
    const device = await createDevice(TITLES);
    const [first] = device.ids as [ConversationId];
    const archived = await device.run('/memory archive', first);
    expect(archived).toMatchObject({ type: 'done', what: 'archived', params: { count: 1 } });
    expect(device.entry(first)?.archived).toBe(true);
    if (archived.type === 'done') await archived.undo?.();
    expect(device.entry(first)?.archived).toBe(false);
    const deleted = await device.run(`/memory delete ${first.slice(0, 35)}`);
    expect(device.entry(first)?.deletedAt).not.toBeNull();
    if (deleted.type === 'done') await deleted.undo?.();
    expect(device.entry(first)?.deletedAt).toBeNull();
  });

  it('asks which one where several fit', async () => {
    const device = await createDevice(TITLES);
    expect(await device.run('/memory delete backups')).toMatchObject({
      problem: {
        code: 'command-argument',
        params: { value: 'backups', allowed: 'Backups in Chinese 备份, Backups at night' },
      },
    });
    const twins = await createDevice(['Twin', 'Twin']);
    const outcome = await twins.run('/memory delete twin');
    for (const id of twins.ids) expect(JSON.stringify(outcome)).toContain(id);
    expect(await device.run('/memory delete nothing like it')).toMatchObject({
      problem: { params: { allowed: '' } },
    });
    expect(await device.run('/memory delete')).toMatchObject({ problem: { code: 'command-argument' } });
  });

  it('exports one or all', async () => {
    const device = await createDevice(TITLES);
    expect((await device.run('/memory export', device.ids[0])).type).toBe('download');
    await device.run('/memory export garden --format markdown');
    await device.run('/memory export --all');
    expect(device.exported).toEqual([
      [[device.ids[0]], 'json'],
      [[device.ids[3]], 'markdown'],
      ['all', 'json'],
    ]);
    expect(await device.run('/memory export garden --all')).toMatchObject({
      problem: { code: 'command-argument' },
    });
  });

  it('shows how things stand, and the settings', async () => {
    const device = await createDevice();
    expect(await device.run('/memory status')).toMatchObject({
      type: 'status',
      status: { state: 'ready' },
      stats: { messages: 3 },
    });
    expect(await device.run('/memory session', device.ids[0])).toMatchObject({ type: 'problem' });
    expect(await device.run('/memory config')).toEqual({
      type: 'screen',
      screen: 'settings',
      section: 'memory',
    });
  });

  it.each([
    ['list --limit 0', 'command-argument', '1–500'],
    ['list --limit 501', 'command-argument', '1–500'],
    ['list --arhived', 'command-flag', '--limit, --archived'],
    ['search', 'command-argument', ''],
    ['search x --limit some', 'command-argument', '1–500'],
    ['search x --all', 'command-flag', '--limit, --archived'],
    ['archive', 'command-argument', ''],
    ['archive no such title', 'command-argument', ''],
    ['archive x --archived', 'command-flag', ''],
    ['delete 0198ffff-dead', 'command-argument', ''],
    ['delete garden --force', 'command-flag', ''],
    ['export', 'command-argument', ''],
    ['export --format xml', 'command-argument', 'json, markdown'],
    ['export garden --limit 3', 'command-flag', '--format, --all'],
    ['status --limit 3', 'command-flag', ''],
    ['config theme dark', 'command-argument', '/memory config'],
    ['config --all', 'command-flag', ''],
    ['forget', 'command-argument', 'list, search, archive, delete, export, status, session, sync, config'],
  ])('says of “%s” what would work, and does nothing', async (line, code, allowed) => {
    const device = await createDevice(TITLES);
    const before = device.documents.library.get();
    expect(await device.run(`/memory ${line}`)).toMatchObject({
      type: 'problem',
      problem: { code, params: { allowed } },
    });
    expect(device.documents.library.get()).toBe(before);
    expect(device.exported).toEqual([]);
  });

  it('refuses a flag that belongs to another action', async () => {
    const device = await createDevice(TITLES);
    expect(await device.run('/memory delete --all')).toMatchObject({
      problem: { code: 'command-flag', params: { command: 'memory delete', flag: '--all', allowed: '' } },
    });
    expect(await device.run('/memory list --format json')).toMatchObject({
      problem: { params: { allowed: '--limit, --archived' } },
    });
  });
});

describe('/new, /title, /help', () => {
  it('opens an empty page, or sends a first message', async () => {
    const device = await createDevice();
    expect(await device.run('/new')).toEqual({ type: 'open', conversationId: null });
    const outcome = await device.run('/new What  is "this"?');
    if (outcome.type !== 'open' || outcome.conversationId === null) throw new Error('not opened');
    await device.idle(outcome.conversationId);
    const [question] = await device.path(outcome.conversationId);
    expect(question && textOf(question)).toBe('What  is "this"?');
  });

  it('renames, and takes it back with who had named it', async () => {
    const device = await createDevice(TITLES);
    const [first] = device.ids as [ConversationId];
    const outcome = await device.run('/title  A better   name', first);
    expect(outcome).toMatchObject({ type: 'done', what: 'titled', params: { title: 'A better name' } });
    expect((await device.documents.read(first))?.meta).toMatchObject({
      title: 'A better name',
      titleBy: 'person',
    });
    if (outcome.type === 'done') await outcome.undo?.();
    expect((await device.documents.read(first))?.meta).toMatchObject({
      title: 'Backups at night',
      titleBy: 'auto',
    });
    expect(await device.run('/title x')).toMatchObject({ problem: { code: 'command-conversation' } });
  });

  it('helps', async () => {
    const device = await createDevice();
    expect(await device.run('/help')).toEqual({ type: 'help' });
    expect(await device.run('/help /Recall')).toEqual({ type: 'help', command: 'recall' });
    expect(await device.run('/help checkpoint')).toEqual({ type: 'help', command: 'checkpoint' });
    expect(await device.run('/help rec')).toEqual({ type: 'help', command: 'recall' });
    expect(await device.run('/help recal me')).toMatchObject({
      type: 'problem',
      problem: { code: 'command-unknown', params: { name: 'recal me', nearest: 'recall' } },
    });
    expect(await device.run('/help nonsense')).toMatchObject({
      type: 'problem',
      problem: { code: 'command-unknown', params: { name: 'nonsense', nearest: '' } },
    });
  });
});

it('cancelling is no outcome', async () => {
  const device = await createDevice();
  const command = {
    name: 'stop',
    arguments: [],
    run: () => Promise.reject(new DOMException('Stopped', 'AbortError')),
  };
  await expect(runCommand([command], '/stop', {} as CommandContext)).rejects.toMatchObject({
    name: 'AbortError',
  });
  expect(device.ids).toEqual([]);
});
