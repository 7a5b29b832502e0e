// Plans the changes of sending something back: new messages, the head, the next question.
// Writes nothing; the old branch stays.
import { RecollectError } from '../../domain/base/errors.ts';
import { type MessageId, newMessageId } from '../../domain/base/ids.ts';
import { startsTurn } from '../../domain/chat/checkpoint.ts';
import { continuesAnswer } from '../../domain/chat/continuation.ts';
import {
  type Conversation,
  childrenOf,
  effectiveHead,
  newestLeaf,
  pathTo,
} from '../../domain/chat/conversation.ts';
import { type Dmail, type Message, type Part, textOf } from '../../domain/chat/message.ts';
import type { SendBack } from './chat.ts';

interface SendBackPlan {
  /** To be appended, parents first. */
  readonly messages: readonly Message[];
  /** The message that carries the D-Mail. */
  readonly sent: MessageId;
  /** New head, and parent of the next message. */
  readonly leaf: MessageId;
  /** The question without an answer at `leaf`; null: none. */
  readonly asked: MessageId | null;
  /** Later questions of the old branch, oldest first. */
  readonly after: readonly MessageId[];
  /** Count of later answers on that branch, which may have to be requested again. */
  readonly answers: number;
}

/** Returns the branch on which a message is seen: the shown one if it is on it, else the newest below it. */
function branchThrough(conversation: Conversation, message: MessageId): Message[] {
  const shown = pathTo(conversation.messages, effectiveHead(conversation));
  return shown.some(({ id }) => id === message)
    ? shown
    : pathTo(conversation.messages, newestLeaf(childrenOf(conversation.messages), message));
}

/** Counts the questions after a message on its branch, and their answers. */
export function questionsAfter(
  conversation: Conversation,
  message: MessageId,
): { questions: readonly MessageId[]; answers: number } {
  const branch = branchThrough(conversation, message);
  const later = branch.slice(branch.findIndex(({ id }) => id === message) + 1);
  return {
    questions: later
      .filter((said) => startsTurn(said) && (textOf(said) !== '' || said.parts.length > 0))
      .map(({ id }) => id),
    // The pieces of an answer that was cut off count as one.
    answers: later.filter(
      (said, at) =>
        said.role === 'assistant' &&
        said.kind === 'message' &&
        !continuesAnswer(at > 0 ? later[at - 1] : undefined, said),
    ).length,
  };
}

/** Finds the answer of the old branch that the change affects; null if there is none, or it consists of pieces. */
export function answerToPatch(
  conversation: Conversation,
  message: MessageId,
  type: SendBack['type'],
): MessageId | null {
  const branch = branchThrough(conversation, message);
  const at = branch.findIndex(({ id }) => id === message);
  const isOwn = type === 'note' && branch[at]?.role === 'assistant';
  const later = branch.slice(isOwn ? at : at + 1);
  const next = later.findIndex((said) => startsTurn(said));
  const turn = next < 0 ? later : later.slice(0, next);
  const answer = turn.findLast(({ role, kind }) => role === 'assistant' && kind === 'message');
  const place = answer ? branch.indexOf(answer) : -1;
  const isWhole =
    answer?.finish === 'stop' &&
    textOf(answer).trim() !== '' &&
    !answer.parts.some((part) => part.type === 'tool-call') &&
    !continuesAnswer(branch[place - 1], answer);
  return answer && isWhole ? answer.id : null;
}

/** Makes the plan. Throws `message-missing`. */
export function planSendBack(
  conversation: Conversation,
  mail: SendBack,
  { now, device }: { now: number; device: string },
): SendBackPlan {
  const original = conversation.messages.get(mail.message);
  if (!original) throw new RecollectError('message-missing', `There is no message ${mail.message}`);
  const branch = branchThrough(conversation, original.id);
  const at = branch.findIndex(({ id }) => id === original.id);
  const { questions, answers } = questionsAfter(conversation, original.id);
  const from = (branch.at(-1) ?? original).id;
  const later = (parent: Message | undefined, offset = 0) =>
    Math.max(now + offset, (parent?.createdAt ?? 0) + 1);

  if (mail.type === 'note') {
    const dmail: Dmail = { from, checkpoint: original.id, by: 'person' };
    const note: Message = {
      id: newMessageId(),
      parentId: original.id,
      role: 'user',
      kind: 'message',
      createdAt: later(original),
      parts: mail.parts,
      device,
      dmail,
    };
    return { messages: [note], sent: note.id, leaf: note.id, asked: note.id, after: questions, answers };
  }

  const dmail: Dmail = { from, checkpoint: original.parentId, by: 'person', edits: original.id };
  const parent = original.parentId === null ? undefined : conversation.messages.get(original.parentId);
  const edited: Message = {
    id: newMessageId(),
    parentId: original.parentId,
    role: original.role,
    kind: original.kind,
    createdAt: later(parent),
    parts: wording(original, mail),
    device,
    dmail,
    ...(original.model && original.role === 'assistant' ? { model: original.model } : {}),
  };
  const plan = { sent: edited.id, after: questions, answers };
  const hasResults = edited.parts.some((part) => part.type === 'tool-result');
  if (original.role !== 'tool' && !hasResults) {
    // An edited question is asked again; an edited answer stands as worded.
    const asked = original.role === 'user' ? edited.id : null;
    return { ...plan, messages: [edited], leaf: edited.id, asked };
  }

  // Calls and results stay together, so the other results of the step are copied.
  const messages: Message[] = [edited];
  for (const sibling of branch.slice(at + 1)) {
    if (sibling.role !== 'tool') break;
    const above = messages.at(-1) as Message;
    messages.push({
      ...sibling,
      id: newMessageId(),
      parentId: above.id,
      createdAt: later(above, messages.length),
      copyOf: sibling.id,
    });
  }
  const question = branch.slice(0, at).findLast((said) => said.role === 'user' && said.kind === 'message');
  return { ...plan, messages, leaf: (messages.at(-1) as Message).id, asked: question?.id ?? null };
}

/**
 * Applies the person's wording to a message. With tool results, one result is replaced and the text after them goes;
 * otherwise only the words change, and attached files stay unless new ones are sent.
 */
function wording(original: Message, { parts, callId }: SendBack): readonly Part[] {
  const target = original.parts.findIndex(
    (part) => part.type === 'tool-result' && (callId === undefined || part.callId === callId),
  );
  if (target < 0) {
    const isFile = ({ type }: Part) => type === 'file';
    return parts.some(isFile) ? parts : [...original.parts.filter(isFile), ...parts];
  }
  const text = textOf({ parts });
  const last = original.parts.findLastIndex((part) => part.type === 'tool-result');
  return original.parts.slice(0, last + 1).map((part, index) => {
    if (index !== target || part.type !== 'tool-result') return part;
    // The passages no longer belong to it, since the model reads another text now.
    const { recalled: _, ...result } = part;
    return { ...result, text, edited: true, isError: false };
  });
}
