// /memory: manages what is remembered.
import { isAbort, RecollectError } from '../../domain/base/errors.ts';
import type { ConversationId } from '../../domain/base/ids.ts';
import type { LibraryEntry } from '../documents/documents.ts';
import type {
  ArgumentDescription,
  Command,
  CommandArguments,
  CommandContext,
  CommandOutcome,
} from './command.ts';
import { shownConversation } from './context.ts';
import { runSync } from './sync.ts';

const ACTIONS = [
  'list',
  'search',
  'archive',
  'delete',
  'export',
  'status',
  'session',
  'sync',
  'config',
] as const;
type Action = (typeof ACTIONS)[number];

const DEFAULT_LIMIT = 20;

/** Actions that take no further words. */
const WORDLESS: readonly Action[] = ['status', 'session', 'sync', 'config'];

const LISTS: readonly Action[] = ['list', 'search'];
const FLAGS: readonly (ArgumentDescription & { readonly of: readonly Action[] })[] = [
  { name: 'limit', kind: 'flag', value: 'number', range: [1, 500], of: LISTS, optional: true },
  { name: 'archived', kind: 'flag', value: 'none', of: LISTS, optional: true },
  {
    name: 'format',
    kind: 'flag',
    value: 'text',
    choices: ['json', 'markdown'],
    of: ['export'],
    optional: true,
  },
  { name: 'all', kind: 'flag', value: 'none', of: ['export'], optional: true },
  { name: 'force', kind: 'flag', value: 'none', of: ['sync'], optional: true },
  { name: 'status', kind: 'flag', value: 'none', of: ['sync'], optional: true },
];
const flagsOf = (action: Action): string[] =>
  FLAGS.filter(({ of }) => of.includes(action)).map(({ name }) => `--${name}`);

export const memory: Command = {
  name: 'memory',
  arguments: [
    { name: 'action', kind: 'choice', choices: ACTIONS, optional: false },
    { name: 'query', kind: 'rest', optional: true },
    ...FLAGS,
  ],

  async run(context, args) {
    const action = args.action as Action;
    for (const { name, of } of FLAGS)
      if (args[name] !== undefined && !of.includes(action)) throw wrongFlag(action, name);
    if (WORDLESS.includes(action) && queryOf(args) !== '') throw wordless(action, queryOf(args));
    return await RUN[action](context, args);
  },
};

const RUN: Readonly<
  Record<Action, (context: CommandContext, args: CommandArguments) => Promise<CommandOutcome>>
> = {
  list: async (context, args) => ({
    type: 'conversations',
    title: 'list',
    query: queryOf(args),
    entries: titled(living(context), queryOf(args))
      .filter((entry) => !entry.child && (args.archived === true || !entry.archived))
      .slice(0, limitOf(args)),
  }),

  search: async (context, args) => {
    const query = queryOf(args);
    if (query === '') throw wrong('query', '', '');
    const entries = living(context).filter((entry) => args.archived === true || !entry.archived);
    const order: ConversationId[] = titled(entries, query).map((entry) => entry.id);
    try {
      await context.memory.search({
        text: query,
        filter: args.archived === true ? {} : { archived: false },
        limit: limitOf(args) * 5,
        signal: context.signal,
        onHits: (hits, final) => {
          if (final) order.push(...hits.map((hit) => hit.conversationId));
        },
      });
    } catch (error) {
      // Titles are an answer, too, if the index gives none.
      if (isAbort(error) || order.length === 0) throw error;
    }
    const byId = new Map(entries.map((entry) => [entry.id, entry]));
    return {
      type: 'conversations',
      title: 'search',
      query,
      entries: [...new Set(order)].flatMap((id) => byId.get(id) ?? []).slice(0, limitOf(args)),
    };
  },

  archive: async (context, args) => {
    const entry = meant(context, args);
    await context.library.setMeta([entry.id], { archived: true });
    return {
      type: 'done',
      what: 'archived',
      params: { count: 1, title: entry.title },
      undo: () => context.library.setMeta([entry.id], { archived: entry.archived }),
    };
  },

  delete: async (context, args) => {
    const entry = meant(context, args);
    await context.library.remove([entry.id]);
    return {
      type: 'done',
      what: 'deleted',
      params: { count: 1, title: entry.title },
      undo: () => context.library.restore([entry.id]),
    };
  },

  export: async (context, args) => {
    if (args.all === true && queryOf(args) !== '') throw wrong('query', queryOf(args), '--all');
    const file = await context.library.exportConversations(
      args.all === true ? 'all' : [meant(context, args).id],
      args.format === 'markdown' ? 'markdown' : 'json',
      context.signal,
    );
    return { type: 'download', file };
  },

  status: async ({ memory: service }) => ({
    type: 'status',
    status: service.status.get(),
    stats: await service.stats(),
  }),

  session: async (context) => ({ type: 'memory-file', conversationId: shownConversation(context).id }),

  sync: (context, args) => runSync(context, { force: args.force === true, status: args.status === true }),

  config: async () => ({ type: 'screen', screen: 'settings', section: 'memory' }),
};

const limitOf = (args: CommandArguments): number =>
  typeof args.limit === 'number' ? args.limit : DEFAULT_LIMIT;
const queryOf = (args: CommandArguments): string => (typeof args.query === 'string' ? args.query.trim() : '');

/** Newest first, without the trash. */
const living = ({ documents }: CommandContext): LibraryEntry[] =>
  documents.library.get().entries.filter((entry) => entry.deletedAt === null);

/** Entries whose title has all the words; all entries without words. */
function titled(entries: readonly LibraryEntry[], query: string): LibraryEntry[] {
  const words = query.toLowerCase().split(/\s+/);
  return entries.filter((entry) => words.every((word) => entry.title.toLowerCase().includes(word)));
}

const wrong = (argument: string, value: string, allowed: string) =>
  new RecollectError('command-argument', `/memory cannot take ${JSON.stringify(value)} as ${argument}.`, {
    params: { command: 'memory', argument, value, allowed, nearest: '' },
  });

const wrongFlag = (action: Action, flag: string) =>
  new RecollectError('command-flag', `/memory ${action} does not know --${flag}.`, {
    params: {
      command: `memory ${action}`,
      flag: `--${flag}`,
      allowed: flagsOf(action).join(', '),
      nearest: '',
    },
  });

const wordless = (action: Action, words: string) =>
  new RecollectError('command-argument', `/memory ${action} has no use for ${JSON.stringify(words)}.`, {
    params: {
      command: `memory ${action}`,
      argument: 'query',
      value: words,
      allowed: ['', ...flagsOf(action)].map((flag) => `/memory ${action} ${flag}`.trim()).join(', '),
      nearest: '',
    },
  });

/** Most titles listed if several conversations match. */
const MAX_NAMED = 5;

/**
 * Finds the meant conversation: by id, by title, by a unique part of the title; without words the one on the screen.
 */
function meant(context: CommandContext, args: CommandArguments): LibraryEntry {
  const entries = living(context);
  const query = queryOf(args);
  if (query === '') {
    const current = entries.find((entry) => entry.id === context.conversationId);
    if (!current) throw wrong('query', '', '');
    return current;
  }
  const wanted = query.toLowerCase();
  const byId = entries.filter(
    (entry) => entry.id === wanted || (wanted.length >= 8 && entry.id.startsWith(wanted)),
  );
  const byTitle = entries.filter((entry) => entry.title.toLowerCase() === wanted);
  const byPart = entries.filter((entry) => entry.title.toLowerCase().includes(wanted));
  for (const found of [byId, byTitle, byPart]) {
    if (found.length === 1) return found[0] as LibraryEntry;
    if (found.length > 1) throw wrong('query', query, titlesOf(found));
  }
  throw wrong('query', query, '');
}

function titlesOf(entries: readonly LibraryEntry[]): string {
  const named = entries.slice(0, MAX_NAMED);
  // Equal titles are distinguished by the beginning of their ids.
  const names = named.map((entry) =>
    named.filter((other) => other.title === entry.title).length > 1
      ? `${entry.title} (${entry.id})`
      : entry.title,
  );
  return `${names.join(', ')}${entries.length > MAX_NAMED ? ' …' : ''}`;
}
