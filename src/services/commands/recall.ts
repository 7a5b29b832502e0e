// /recall: finds passages of other conversations, or opens one of them.
import type { IndexFilter } from '../../adapters/index/memory-index.ts';
import { RecollectError } from '../../domain/base/errors.ts';
import { asConversationId, asMessageId, type ConversationId, type MessageId } from '../../domain/base/ids.ts';
import { effectiveHead, pathTo } from '../../domain/chat/conversation.ts';
import { textOf } from '../../domain/chat/message.ts';
import type { Persona } from '../../domain/prompts/persona.ts';
import type { RecallRequest } from '../memory/memory.ts';
import { modelInUse } from '../settings/model-in-use.ts';
import type { Command, CommandContext } from './command.ts';
import { filterOfScope, ONE_SCOPE, SCOPES } from './scope.ts';

const MAX_LIMIT = 50;

export const recall: Command = {
  name: 'recall',
  arguments: [
    { name: 'query', kind: 'rest', optional: true },
    { name: 'limit', kind: 'flag', value: 'number', range: [1, MAX_LIMIT], optional: true },
    { name: 'with-context', kind: 'flag', value: 'none', optional: true },
    { name: 'jump-to', kind: 'flag', value: 'text', optional: true },
    { name: 'explain', kind: 'flag', value: 'none', optional: true },
    { name: 'scope', kind: 'flag', value: 'text', many: SCOPES, oneOf: ONE_SCOPE, optional: true },
  ],

  async run(context, args) {
    const target = args['jump-to'];
    const limit = typeof args.limit === 'number' ? args.limit : undefined;
    if (typeof target === 'string' && !isRank(target)) return await jump(context, target);

    const text = typeof args.query === 'string' ? args.query : await lastSaid(context);
    if (text === '')
      throw new RecollectError('command-argument', 'There is nothing to look for yet.', {
        params: { command: 'recall', argument: 'query', value: '', allowed: '', nearest: '' },
      });
    const withContext = args['with-context'] === true;
    const filter = typeof args.scope === 'string' ? await scopeOf(context, args.scope) : undefined;
    // Queries as a turn will: ticked passages are those that would be injected.
    const explains = args.explain === true;
    const injects = explains && (await hasModel(context));
    const result = await context.memory.recall({
      text,
      ...(injects ? { purpose: 'inject' as const } : {}),
      ...(filter ? { filter } : {}),
      ...(limit === undefined ? {} : { limit }),
      ...(await placeOf(context)),
      withContext: true,
      signal: context.signal,
    });
    if (explains) return { type: 'explain', result, draft: text };
    if (typeof target !== 'string') return { type: 'recall', result, withContext };
    const passage = [...result.passages, ...result.nearMisses][Number(target) - 1];
    if (!passage) throw notFound(target, result.passages.length + result.nearMisses.length);
    return {
      type: 'open',
      conversationId: asConversationId(passage.conversationId),
      messageId: asMessageId(passage.messageId),
    };
  },
};

/** Conversation that asks memory: the one on the screen, or the one that an empty page would begin. */
async function placeOf(
  context: CommandContext,
): Promise<Pick<RecallRequest, 'from' | 'persona' | 'currentConversation'>> {
  const { conversationId, begins } = context;
  if (conversationId !== null)
    return {
      from: conversationId,
      persona: await personaOf(context),
      currentConversation: conversationId,
    };
  return begins ? { ...(begins.project ? { from: begins.project } : {}), persona: begins.persona } : {};
}

async function hasModel({ settings, documents, conversationId }: CommandContext): Promise<boolean> {
  const conversation = conversationId === null ? undefined : await documents.read(conversationId);
  return modelInUse(settings.connections.get(), conversation ?? null).choice !== null;
}

async function personaOf({ prompts, documents, conversationId }: CommandContext): Promise<Persona | null> {
  const conversation = conversationId === null ? undefined : await documents.read(conversationId);
  return (conversation && prompts?.personaOf(conversation)) ?? null;
}

async function scopeOf(
  { documents, conversationId, now }: CommandContext,
  scope: string,
): Promise<IndexFilter> {
  const conversation = conversationId === null ? undefined : await documents.read(conversationId);
  return filterOfScope(scope, conversation?.meta.workDir ?? null, now());
}

/** `--jump-to 2` means the second passage of the list. */
const isRank = (target: string) => /^\d{1,2}$/.test(target);

const notFound = (value: string, found: number) =>
  new RecollectError('command-argument', `There is no passage ${value}.`, {
    params: {
      command: 'recall',
      argument: 'jump-to',
      value,
      allowed: found > 0 ? `1–${found}` : '',
      nearest: '',
    },
  });

/** How many of the person's messages represent the present topic: the last alone may be "and then?". */
const LAST_SAID = 3;

/** The person's latest messages on the shown branch, one a line, the newest last; empty if there are none. */
async function lastSaid({ documents, conversationId }: CommandContext): Promise<string> {
  const conversation = conversationId === null ? undefined : await documents.read(conversationId);
  if (!conversation) return '';
  return pathTo(conversation.messages, effectiveHead(conversation))
    .filter((message) => message.role === 'user' && message.kind === 'message')
    .map((message) => textOf(message).trim())
    .filter((text) => text !== '')
    .slice(-LAST_SAID)
    .join('\n');
}

/** Opens the message or conversation with this id, or with a unique beginning of it (at least 8 characters). */
async function jump(context: CommandContext, target: string) {
  const id = target.toLowerCase();
  const fits = (candidate: string) => candidate === id || (id.length >= 8 && candidate.startsWith(id));
  const { entries } = context.documents.library.get();
  const found = new Map<string, { conversationId: ConversationId; messageId?: MessageId }>();
  for (const entry of entries) if (fits(entry.id)) found.set(entry.id, { conversationId: entry.id });
  // The index cannot search ids, so the log is read, the conversation on the screen first.
  const order = [...entries].sort(
    (a, b) => Number(b.id === context.conversationId) - Number(a.id === context.conversationId),
  );
  for (const entry of order) {
    if (found.has(id)) break;
    context.signal.throwIfAborted();
    const conversation = await context.documents.read(entry.id);
    for (const message of conversation?.messages.keys() ?? [])
      if (fits(message)) found.set(message, { conversationId: entry.id, messageId: message });
  }
  const hit = found.get(id) ?? (found.size === 1 ? [...found.values()][0] : undefined);
  if (!hit) throw notFound(target, 0);
  return { type: 'open' as const, ...hit };
}
