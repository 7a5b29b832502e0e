// Runs the tools that a message calls, one after another; their results are a message of its own. A tool that fails or
// is stopped has a result that says so.
import { isAbort, toProblem } from '../../domain/base/errors.ts';
import { type ConversationId, type MessageId, newMessageId } from '../../domain/base/ids.ts';
import type { Readable } from '../../domain/base/readable.ts';
import { unlessAborted } from '../../domain/base/time-limit.ts';
import { modelCheckpoints } from '../../domain/chat/checkpoint.ts';
import { type Conversation, pathTo } from '../../domain/chat/conversation.ts';
import type { Message, Part, PartOf } from '../../domain/chat/message.ts';
import type { Config } from '../../domain/settings/config.ts';
import type { Documents } from '../documents/documents.ts';
import type { Memory } from '../memory/memory.ts';
import { PrivacyFilter } from '../privacy/privacy-filter.ts';
import type { Prompts } from '../prompts/prompts.ts';
import type { TurnState } from './chat.ts';
import { type NotesLike, runTool, type Tool } from './tools/index.ts';

type Call = PartOf<'tool-call'>;

interface CallsToRun {
  readonly message: Message;
  readonly calls: readonly Call[];
  readonly tools: readonly Tool[];
  /** The reused answer, whose results are reused too. */
  readonly taken: Message | undefined;
  /** Shows progress. */
  readonly onProgress: (shown: Partial<TurnState>) => void;
  readonly signal: AbortSignal;
}

interface CallResults {
  /** Not saved yet. */
  readonly message: Message;
  /** A D-Mail that a tool wrote: delivered once the results are saved. */
  readonly mail: { readonly message: string; readonly to: MessageId } | null;
}

interface ToolCallsDependencies {
  readonly documents: Documents;
  readonly memory: Pick<Memory, 'recall' | 'wake'>;
  readonly notes: NotesLike | undefined;
  readonly config: Readable<Config>;
  readonly personaOf?: Prompts['personaOf'] | undefined;
  /** Absent: private words are recognised by their form alone. */
  readonly filter?: PrivacyFilter;
  readonly now: () => number;
  readonly device: () => string;
}

/** Makes the function that runs a message's calls. It never throws. */
export const createToolCalls =
  ({
    documents,
    memory,
    notes,
    config,
    personaOf,
    filter = new PrivacyFilter({ config }),
    now,
    device,
  }: ToolCallsDependencies) =>
  async (
    id: ConversationId,
    conversation: () => Conversation,
    { message, calls, tools, taken, onProgress, signal }: CallsToRun,
  ): Promise<CallResults> => {
    const resultId = newMessageId();
    const running = calls.map(({ callId, name }) => ({ callId, name }));
    onProgress({
      status: 'calling',
      parts: [],
      parentId: message.id,
      answerId: resultId,
      calls: running,
    });
    const copied = taken ? resultsOf(conversation(), taken.id) : undefined;
    const path = pathTo(conversation().messages, message.id);
    const checkpoints = modelCheckpoints(path);
    let parts: readonly Part[] = [];
    let newCheckpoints = 0;
    let mail: { message: string; to: MessageId } | null = null;
    if (copied) parts = copied.parts;
    else
      for (const [at, call] of calls.entries()) {
        onProgress({ calls: running.slice(at), parts });
        let outcome: Awaited<ReturnType<typeof runTool>>;
        if (signal.aborted) outcome = { text: 'Not run: the person stopped the answer.', isError: true };
        else
          try {
            outcome = await unlessAborted(
              runTool(tools, call, {
                conversationId: id,
                path,
                checkpoints,
                newCheckpoints,
                mailPending: mail !== null,
                documents,
                memory,
                notes: notes,
                config: config.get(),
                persona: personaOf?.(conversation()) ?? null,
                filter,
                signal,
              }),
              signal,
            );
          } catch (error) {
            outcome = isAbort(error)
              ? { text: 'The person stopped it.', isError: true }
              : { text: `It failed: ${toProblem(error).message}`, isError: true };
          }
        if (outcome.checkpoint) newCheckpoints += 1;
        if (outcome.mail) mail = outcome.mail;
        parts = [
          ...parts,
          {
            type: 'tool-result',
            callId: call.callId,
            name: call.name,
            text: outcome.text,
            ...(outcome.isError ? { isError: true } : {}),
            ...(outcome.changed ? { changed: true } : {}),
            ...(outcome.checkpoint ? { checkpoint: true } : {}),
            ...(outcome.recalled ? { recalled: outcome.recalled } : {}),
          },
        ];
      }
    const results: Message = {
      id: resultId,
      parentId: message.id,
      role: 'tool',
      kind: 'message',
      createdAt: Math.max(now(), message.createdAt + 1),
      parts,
      device: device(),
      ...(copied ? { copyOf: copied.id } : {}),
    };
    return { message: results, mail };
  };

/** Copies the results of a reused answer. */
function resultsOf(conversation: Conversation, answer: MessageId): Message | undefined {
  let found: Message | undefined;
  for (const message of conversation.messages.values())
    if (
      message.parentId === answer &&
      message.role === 'tool' &&
      !message.parts.some((part) => part.type === 'tool-result' && part.edited === true)
    )
      found = message;
  return found;
}
