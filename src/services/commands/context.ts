// /compact, /checkpoint, /checkpoints, /restore, /dmail: controls the model's view of a conversation, and going back.
import { RecollectError } from '../../domain/base/errors.ts';
import { asMessageId, type ConversationId } from '../../domain/base/ids.ts';
import { effectiveHead } from '../../domain/chat/conversation.ts';
import { STRATEGY_IDS } from '../../domain/settings/config.ts';
import type { AfterSendBack } from '../chat/chat.ts';
import type { ContextControl } from '../context/context.ts';
import type { Command, CommandContext } from './command.ts';

/** Returns the conversation on the screen and the context service. */
export function shownConversation({ conversationId, context }: CommandContext): {
  id: ConversationId;
  control: ContextControl;
} {
  if (conversationId === null || !context)
    throw new RecollectError('command-conversation', 'There is no conversation on the screen.');
  return { id: conversationId, control: context };
}

const trimmedText = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

export const compact: Command = {
  name: 'compact',
  arguments: [
    { name: 'text', kind: 'rest', optional: true },
    { name: 'preview', kind: 'flag', value: 'none', optional: true },
    {
      name: 'strategy',
      kind: 'flag',
      value: 'text',
      choices: STRATEGY_IDS,
      optional: true,
    },
  ],
  async run(context, { text, preview, strategy }) {
    const { id, control } = shownConversation(context);
    const cancel = () => control.cancel(id);
    context.signal.addEventListener('abort', cancel, { once: true });
    try {
      const result = await control.compact(id, {
        ...(trimmedText(text) === '' ? {} : { guidance: trimmedText(text) }),
        ...(preview === undefined ? {} : { preview: preview === true }),
        ...(typeof strategy === 'string' ? { strategy } : {}),
      });
      context.signal.throwIfAborted();
      if (result.outcome === 'failed') return { type: 'problem', problem: result.problem };
      return {
        type: 'compaction',
        result,
        ...(result.outcome === 'applied' ? { undo: () => control.undo(id, result.compaction.id) } : {}),
      };
    } finally {
      context.signal.removeEventListener('abort', cancel);
    }
  },
};

export const checkpoint: Command = {
  name: 'checkpoint',
  arguments: [{ name: 'name', kind: 'rest', optional: true }],
  async run(context, { name }) {
    const { id, control } = shownConversation(context);
    const made = await control.checkpoint(id, trimmedText(name));
    const what = made.moved ? 'checkpointMoved' : 'checkpointed';
    return { type: 'done', what, params: { name: made.name }, undo: made.undo };
  },
};

export const checkpoints: Command = {
  name: 'checkpoints',
  arguments: [
    { name: 'diff', kind: 'flag', value: 'text', offers: 'checkpoints', optional: true },
    { name: 'with', kind: 'flag', value: 'text', offers: 'checkpoints', optional: true },
  ],
  async run(context, args) {
    const { id, control } = shownConversation(context);
    const left = trimmedText(args.diff);
    if (left === '') {
      if (args.with !== undefined)
        throw new RecollectError('command-flag', '/checkpoints compares with --diff.', {
          params: { command: 'checkpoints', flag: '--with', allowed: '--diff', nearest: '--diff' },
        });
      return { type: 'checkpoints', checkpoints: await control.checkpoints(id) };
    }
    const conversation = await context.documents.read(id);
    const right = trimmedText(args.with) || (conversation && effectiveHead(conversation)) || '';
    const [{ name: one }, { name: other }] = await Promise.all([
      control.find(id, left),
      control.find(id, right),
    ]);
    return { type: 'diff', left: one, right: other, diff: await control.diff(id, left, right) };
  },
};

export const restore: Command = {
  name: 'restore',
  arguments: [{ name: 'checkpoint', kind: 'rest', offers: 'checkpoints', optional: true }],
  async run(context, args) {
    const { id, control } = shownConversation(context);
    const wanted = trimmedText(args.checkpoint);
    // Without a name, list the checkpoints.
    if (wanted === '') return { type: 'checkpoints', checkpoints: await control.checkpoints(id) };
    const restored = await control.restore(id, wanted);
    return { type: 'done', what: 'restored', params: { name: restored.name }, undo: restored.undo };
  },
};

/** Actions that may follow. */
const AFTER = ['answer', 'patch', 'branch', 'none'] as const satisfies readonly AfterSendBack[];

export const dmail: Command = {
  name: 'dmail',
  arguments: [
    { name: 'note', kind: 'rest', optional: false },
    { name: 'to', kind: 'flag', value: 'text', offers: 'checkpoints', optional: true },
    { name: 'then', kind: 'flag', value: 'text', choices: AFTER, optional: true },
  ],
  async run(context, args) {
    const { id, control } = shownConversation(context);
    const all = await control.checkpoints(id);
    // Without a name: to the newest checkpoint of this branch, but not to the present head.
    const conversation = await context.documents.read(id);
    const head = conversation ? effectiveHead(conversation) : null;
    const given = trimmedText(args.to);
    const then = AFTER.find((one) => one === args.then);
    const newest = all.find((candidate) => candidate.here && candidate.messageId !== head);
    const target = given === '' ? newest : await control.find(id, given);
    if (!target) throw new RecollectError('checkpoint-none', 'There is no checkpoint to send it to.');
    const sent = await context.chat.sendBack(id, {
      type: 'note',
      message: asMessageId(target.messageId),
      parts: [{ type: 'text', text: trimmedText(args.note) }],
      ...(then ? { replay: then } : {}),
    });
    return { type: 'done', what: 'dmailed', params: { name: target.name }, undo: sent.undo };
  },
};
