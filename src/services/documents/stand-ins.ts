// Stand-ins for messages that lost words: the original is forgotten, and a copy without those words replaces it. The
// map `r` of a conversation holds them by `id/client`; `id/-` marks a message removed as a whole, `id/!` one removed
// for good. Both win over a removal of words elsewhere at the same time.
import type * as Y from 'yjs';
import { type Message, messageSchema } from '../../domain/chat/message.ts';

const [REMOVED, FOR_GOOD] = ['-', '!'];
const messageOf = (row: string): string => row.slice(0, row.lastIndexOf('/'));

export class StandIns {
  readonly #rows: Y.Map<unknown>;
  readonly #parsed = new Map<string, Message | null>();
  readonly #client: () => number;

  constructor(doc: Y.Doc, onChange: () => void) {
    this.#rows = doc.getMap<unknown>('r');
    this.#client = () => doc.clientID;
    this.#rows.observe((event) => {
      for (const key of event.keysChanged) this.#parsed.delete(key);
      onChange();
    });
  }

  /** By id. If two devices removed words at once, all devices pick the same one. */
  all(): ReadonlyMap<string, Message> {
    const found = new Map<string, Message>();
    for (const row of [...this.#rows.keys()].sort()) {
      const id = messageOf(row);
      if (found.has(id) || this.#isGone(id)) continue;
      const message = this.#parse(row);
      if (message?.id === id) found.set(id, message);
    }
    return found;
  }

  /** Replaces all stand-ins of the message. Call within a transaction. */
  set(message: Message): void {
    this.remove(message.id);
    this.#rows.set(
      `${message.id}/${this.#client().toString(36)}`,
      JSON.parse(JSON.stringify(message)) as unknown,
    );
  }

  /** Removes its stand-ins of all devices. Call within a transaction. */
  removeWhole(id: string, forGood: boolean): void {
    this.remove(id);
    this.#rows.set(`${id}/${forGood ? FOR_GOOD : REMOVED}`, null);
  }

  /** Restores a removed message. False if it was removed for good, or has lost words. Call within a transaction. */
  restore(id: string): boolean {
    if (this.#rows.has(`${id}/${FOR_GOOD}`) || this.all().has(id)) return false;
    this.#rows.delete(`${id}/${REMOVED}`);
    return true;
  }

  remove(id: string): void {
    for (const row of this.#standing()) if (messageOf(row) === id) this.#rows.delete(row);
  }

  /** Removes writes of another device from the time while the message was removed here. Call within a transaction. */
  removeForgotten(): void {
    for (const row of this.#standing()) if (this.#isGone(messageOf(row))) this.#rows.delete(row);
  }

  #isGone(id: string): boolean {
    return this.#rows.has(`${id}/${REMOVED}`) || this.#rows.has(`${id}/${FOR_GOOD}`);
  }

  #standing(): string[] {
    return [...this.#rows.keys()].filter((row) => !/\/[-!]$/.test(row));
  }

  #parse(row: string): Message | null {
    const known = this.#parsed.get(row);
    if (known !== undefined) return known;
    const result = messageSchema.safeParse(this.#rows.get(row));
    const message = result.success ? (result.data as unknown as Message) : null;
    this.#parsed.set(row, message);
    return message;
  }
}
