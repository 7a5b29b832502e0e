// Adds the events of a stream to the parts of a message, in order of arrival. Pure.
import type { Part } from './message.ts';

/** Fields that a protocol attaches to a thought or a call and wants back, by the protocol's name: signatures, ids. */
export type ProviderFields = Readonly<Record<string, unknown>>;

/** Additions of a stream to a message. */
export type DraftEvent =
  | { readonly type: 'text-delta'; readonly text: string }
  /** `provider` without text belongs to the thought that just ended. */
  | { readonly type: 'reasoning-delta'; readonly text: string; readonly provider?: ProviderFields }
  /** The words since the last thought or call were thoughts: only their end was marked. */
  | { readonly type: 'text-was-reasoning' }
  /** The last of the thoughts were words: `words` are they, with the marks that seemed to be those of thoughts. */
  | { readonly type: 'reasoning-was-text'; readonly thoughts: string; readonly words: string }
  | {
      readonly type: 'tool-call';
      readonly callId: string;
      readonly name: string;
      readonly arguments: string;
      readonly provider?: ProviderFields;
    }
  /** Pages and documents that the answer cites, as the endpoint names them. */
  | {
      readonly type: 'sources';
      readonly sources: readonly { readonly url: string; readonly title?: string; readonly cited?: string }[];
    }
  /** A picture that the model drew: its bytes as a `data:` URL, or its address. */
  | {
      readonly type: 'file';
      readonly mediaType: string;
      readonly name?: string;
      readonly url?: string;
      readonly reference?: string;
    };

/**
 * Returns the parts with the event added; does not change the given ones. Consecutive deltas of one kind make one part.
 */
export function addToDraft(parts: readonly Part[], event: DraftEvent): readonly Part[] {
  const last = parts.at(-1);
  const provider = 'provider' in event && event.provider ? { provider: { ...event.provider } } : {};
  switch (event.type) {
    case 'tool-call': {
      const { callId, name } = event;
      return [...parts, { type: 'tool-call', callId, name, arguments: event.arguments, ...provider }];
    }
    case 'text-was-reasoning': {
      if (last?.type !== 'text') return parts;
      // The same thought came in a field of its own.
      const before = parts.at(-2);
      const isTwice = before?.type === 'reasoning' && before.text.trim() === last.text.trim();
      return isTwice ? parts.slice(0, -1) : addThought(parts.slice(0, -1), { text: last.text });
    }
    case 'reasoning-was-text': {
      const said = { type: 'text-delta', text: event.words } as const;
      if (last?.type !== 'reasoning' || last.provider) return addToDraft(parts, said);
      const text = last.text.slice(0, last.text.length - commonEnd(last.text, event.thoughts));
      return addToDraft([...parts.slice(0, -1), ...(text === '' ? [] : [{ ...last, text }])], said);
    }
    case 'reasoning-delta':
      return event.text === '' && !event.provider
        ? parts
        : addThought(parts, { text: event.text, ...provider });
    case 'text-delta':
      if (event.text === '') return parts;
      return last?.type === 'text'
        ? [...parts.slice(0, -1), { ...last, text: last.text + event.text }]
        : [...parts, { type: 'text', text: event.text }];
    case 'file':
      return [...parts, { ...event }];
    case 'sources': {
      const at = parts.findLastIndex(({ type }) => type === 'text');
      const words = parts[at];
      if (words?.type !== 'text') return parts;
      return parts.with(at, { ...words, sources: event.sources.map((source) => ({ ...source })) });
    }
  }
}

/** Length of the end that two texts share, characters. */
function commonEnd(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one.at(-1 - length) === other.at(-1 - length)) length += 1;
  return length;
}

/** A signed thought is complete: later text begins another one. */
function addThought(
  parts: readonly Part[],
  thought: { readonly text: string; readonly provider?: Record<string, unknown> },
): readonly Part[] {
  const last = parts.at(-1);
  return last?.type === 'reasoning' && !last.provider
    ? [...parts.slice(0, -1), { ...last, ...thought, text: last.text + thought.text }]
    : [...parts, { type: 'reasoning', ...thought }];
}

/** True if the parts hold anything that a person would miss. */
export const hasContent = (parts: readonly Part[]): boolean =>
  parts.some(
    (part) =>
      ((part.type === 'text' || part.type === 'reasoning') && part.text.trim() !== '') ||
      part.type === 'tool-call' ||
      part.type === 'tool-result' ||
      part.type === 'file',
  );
