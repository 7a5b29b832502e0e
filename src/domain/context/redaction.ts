// Removes from a prompt the words that the person has deleted since, or wants never recalled. Memory in a conversation
// is otherwise frozen; this is the one change: removed words go to no model again, even if they were sent before.
import { NOTES } from '../base/ids.ts';
import type { Message, Part, ToolRecall } from '../chat/message.ts';
import { isMemoryTool } from '../memory/own-tools.ts';
import { type PassageMessage, withoutMessages } from '../memory/passages.ts';
import { renderFoundPassages } from './recalled.ts';

/** Replaces removed words in a tool's result. */
const REDACTED = '[No longer available to you.]';

/** Parts that differ from their stored form; by identity, so that no text can imitate one. */
const changed = new WeakSet<Part>();
/** True if redaction changed this part: it differs from the stored one. */
export const isChanged = (part: Part): boolean => changed.has(part);

/**
 * Source line in the output of memory's tools: behind the title, in the first line of each (`renderFoundPassage`,
 * `open_conversation`).
 */
const READ_FROM = /\(conversation ([\w-]{8,})(?:, message ([\w@-]+))?\)/g;

/** Redaction of the given memory. Unchanged values stay the same object. */
export interface Redaction {
  /** Returns the messages as they go to a model. */
  path(path: readonly Message[]): readonly Message[];
  part<P extends Part>(part: P): P;
}

/**
 * `out`: what must not be used any more. `isTouched`: true if a message of this conversation is never to be recalled.
 */
export function createRedaction(
  out: (said: PassageMessage) => boolean,
  isTouched: (conversationId: string) => boolean = () => false,
): Redaction {
  const known = new WeakMap<Message, Message>();
  const of = (message: Message): Message => {
    if (!message.parts.some((part) => part.type === 'recall' || isMemoryTool(part))) return message;
    let made = known.get(message);
    if (!made) {
      const parts = message.parts.map((part) => redacted(part, out, isTouched));
      made = parts.every((part, at) => part === message.parts[at]) ? message : { ...message, parts };
      known.set(message, made);
    }
    return made;
  };
  const path = (path: readonly Message[]): readonly Message[] => {
    let made: Message[] | undefined;
    for (let at = 0; at < path.length; at++) {
      const message = path[at] as Message;
      const sent = of(message);
      if (sent === message) continue;
      made ??= [...path];
      made[at] = sent;
    }
    return made ?? path;
  };
  return { path, part: (part) => redacted(part, out, isTouched) };
}

/** Returns a part without what must not be used any more; the same object if it loses nothing. */
function redacted<P extends Part>(
  part: P,
  out: (said: PassageMessage) => boolean,
  isTouched: (conversationId: string) => boolean,
): P {
  if (part.type === 'recall') {
    const passages = withoutMessages(part.passages, out);
    const notes = part.applied ?? [];
    const applied = notes.filter(
      ({ id, at, text }) => !out({ conversationId: NOTES, messageId: `${id}@${at}`, text }),
    );
    return isSame(passages, part.passages) && isSame(applied, notes) ? part : { ...part, passages, applied };
  }
  if (part.type !== 'tool-result') return part;
  const text = part.recalled
    ? foundAgain(part.recalled, part.text, out)
    : isMemoryTool(part)
      ? readAgain(part.text, out, isTouched)
      : part.text;
  if (text === part.text) return part;
  const made: P = { ...part, text };
  changed.add(made);
  return made;
}

const isSame = <T>(one: readonly T[], other: readonly T[]): boolean =>
  one.length === other.length && one.every((value, at) => value === other[at]);

function foundAgain(recalled: ToolRecall, text: string, out: (said: PassageMessage) => boolean): string {
  const { passages, nearMisses, nearMissesGiven = false } = recalled;
  const given = nearMissesGiven ? nearMisses : passages;
  const left = withoutMessages(given, out);
  if (isSame(left, given)) return text;
  return left.length === 0 ? REDACTED : renderFoundPassages(left, !nearMissesGiven);
}

/**
 * Results of `open_conversation`, and old ones of `recall`, do not name their messages: if one message of that
 * conversation may not be used, or must not come back, the whole result is left out.
 */
function readAgain(
  text: string,
  out: (said: PassageMessage) => boolean,
  isTouched: (conversationId: string) => boolean,
): string {
  const places = text.split('\n').flatMap((line, at) => {
    // A quoted line is content, even if it looks like a source.
    if (line.startsWith('> ')) return [];
    const [, conversationId, messageId] = [...line.matchAll(READ_FROM)].at(-1) ?? [];
    return conversationId && (at === 0 || messageId) ? [{ conversationId, messageId: messageId ?? '' }] : [];
  });
  const isOut = places.some((place) => isTouched(place.conversationId) || out({ ...place, text: '' }));
  return isOut ? REDACTED : text;
}
