// Work that models do for memory between answers: titles, summaries, proposals. Its code comes after the first screen
// (decision 1115).
import type { ChatModel } from '../../adapters/models/chat-model.ts';
import type { Conversation } from '../../domain/chat/conversation.ts';
import type { PrivacyFilter } from '../privacy/privacy-filter.ts';
import { startNaming } from './naming.ts';
import { startSuggesting } from './suggesting.ts';
import { startTitling } from './titling.ts';

type Shared = Omit<Parameters<typeof startSuggesting>[0], 'documents' | 'filter' | 'model' | 'exclusively'> &
  Pick<Parameters<typeof startTitling>[0], 'documents'> & { readonly filter: PrivacyFilter };

export interface BetweenAnswers extends Shared {
  readonly startedAt: number;
  /** Model of a conversation, or the one chosen last; null: none is connected. */
  readonly model: (conversation?: Conversation) => ChatModel | null;
  /** Runs `work` unless another tab runs work of this name. */
  readonly ifFree: (name: string, work: () => Promise<void>) => Promise<void>;
}

/** Starts this work, in one tab at a time. It ends with the signal. */
export function startBetweenAnswers({ model, ifFree, ...shared }: BetweenAnswers): void {
  const inOneTab = (name: string) => (work: () => Promise<void>) => ifFree(`recollect:${name}`, work);
  // A summary belongs to no conversation's model, so the model chosen last makes it.
  startTitling({ ...shared, model: () => model(), exclusively: inOneTab('polish') });
  startNaming({ ...shared, model, exclusively: inOneTab('naming') });
  startSuggesting({ ...shared, model, exclusively: inOneTab('suggesting') });
}
