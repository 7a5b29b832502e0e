// Folds the events of a stream into the parts of a message, in the order in which they came. Pure.
import type { Part } from './message.ts';

/** What a stream adds to a message. */
export type DraftEvent =
  | { readonly type: 'text-delta' | 'reasoning-delta'; readonly text: string }
  | {
      readonly type: 'tool-call';
      readonly callId: string;
      readonly name: string;
      readonly arguments: string;
    };

/** The parts with the event added; the given ones stay as they are. Deltas of one kind in a row make one part. */
export function addToDraft(parts: readonly Part[], event: DraftEvent): readonly Part[] {
  if (event.type === 'tool-call') {
    const { callId, name } = event;
    return [...parts, { type: 'tool-call', callId, name, arguments: event.arguments }];
  }
  if (event.text === '') return parts;
  const type = event.type === 'text-delta' ? 'text' : 'reasoning';
  const last = parts.at(-1);
  return last?.type === type
    ? [...parts.slice(0, -1), { ...last, text: last.text + event.text }]
    : [...parts, { type, text: event.text }];
}

/** True where a model has said, thought or called anything: what a person would miss if it were gone. */
export const hasContent = (parts: readonly Part[]): boolean =>
  parts.some(
    (part) =>
      ((part.type === 'text' || part.type === 'reasoning') && part.text.trim() !== '') ||
      part.type === 'tool-call' ||
      part.type === 'tool-result' ||
      part.type === 'file',
  );
