// What a version of sync left on a relay: the rooms as files, the pairing link, and what a device must read out of
// them. Written once per format by write-golden.ts, read by every later version.
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as Y from 'yjs';
import { z } from 'zod';
import { BLOBS } from '../../src/adapters/sync/y-websocket.ts';
import type { ConversationId } from '../../src/domain/base/ids.ts';
import { LIBRARY_DOCUMENT, NOTES_DOCUMENT } from '../../src/domain/base/ids.ts';
import { conversationMetaSchema } from '../../src/domain/chat/conversation.ts';
import type { TestDevice } from '../services/sync/device.ts';

export const GOLDEN = resolve(import.meta.dirname, '../fixtures/sync');

export const goldenSchema = z.object({
  /** As the pairing screen showed it; the relay in it is gone. */
  link: z.string(),
  phrase: z.string(),
  account: z.string(),
  /** Rooms of the account, each a file beside this one: the Yjs update of the envelope. */
  rooms: z.array(z.object({ room: z.string(), file: z.string(), kinds: z.array(z.string()) })),
  /** Every conversation, as `told` tells it. */
  conversations: z.record(z.string(), z.unknown()),
  /** Conversations that were forgotten everywhere. */
  forgotten: z.array(z.string()),
});
export type Golden = z.infer<typeof goldenSchema>;

export async function readGolden(
  version: string,
): Promise<{ golden: Golden; room(file: string): Promise<Uint8Array> }> {
  const folder = join(GOLDEN, version);
  return {
    golden: goldenSchema.parse(JSON.parse(await readFile(join(folder, 'account.json'), 'utf8'))),
    room: async (file) => new Uint8Array(await readFile(join(folder, file))),
  };
}

/** All that a device has of conversations, as plain JSON; long texts by their beginning and length. */
export async function conversationsOn(device: TestDevice): Promise<Record<string, unknown>> {
  const all: Record<string, unknown> = {};
  const short = (_: string, value: unknown) =>
    typeof value === 'string' && value.length > 300 ? `${value.slice(0, 40)}… ${value.length}` : value;
  for (const id of (await device.store.log.documents()).sort()) {
    if (id === LIBRARY_DOCUMENT || id === NOTES_DOCUMENT) continue;
    const conversation = await device.read(id as ConversationId);
    if (!conversation) continue;
    const messages = [...conversation.messages.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
    all[id] = JSON.parse(JSON.stringify({ meta: conversation.meta, messages }, short)) as unknown;
  }
  return all;
}

const writtenSchema = z.looseObject({ meta: z.unknown() });
/** Conversations of an older version, with defaults for fields that it did not know. */
export const withDefaults = (conversations: Golden['conversations']): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(conversations).map(([id, conversation]) => {
      const { meta, ...rest } = writtenSchema.parse(conversation);
      return [id, { ...rest, meta: conversationMetaSchema.parse(meta) }];
    }),
  );

/** The blobs that lie in an envelope. */
export function blobsIn(update: Uint8Array): Uint8Array[] {
  const doc = new Y.Doc();
  Y.applyUpdate(doc, update);
  return doc
    .getArray<unknown>(BLOBS)
    .toArray()
    .filter((item) => item instanceof Uint8Array);
}
