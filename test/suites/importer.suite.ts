// What every importer promises, over fixtures of its own and of its neighbours.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type {
  ImportedConversation,
  Importer,
  ImportSource,
  Skipped,
  SourceFile,
} from '../../src/adapters/importers/importer.ts';
import { isAbort, RecollectError } from '../../src/domain/base/errors.ts';
import { partSchema } from '../../src/domain/chat/message.ts';

export interface ImporterSetup {
  readonly importer: Importer;
  /** Made-up exports that it reads. */
  readonly own: readonly ImportSource[];
  /** True if it reads lists of conversations in JSON, and one of its own is a source with at least two in one file. */
  readonly readsLists?: boolean;
  /** Exports of other tools. */
  readonly foreign: readonly ImportSource[];
}

const never = new AbortController().signal;
export const NOW = Date.UTC(2026, 10, 21);
/** The time of a device whose clock was never set. */
const PAST = Date.UTC(2019, 0, 1);

/** Everything a source holds, as read. */
export async function readAll(
  importer: Importer,
  source: ImportSource,
  signal: AbortSignal = never,
  now: number = NOW,
): Promise<{ conversations: ImportedConversation[]; skipped: Record<string, number> }> {
  const conversations: ImportedConversation[] = [];
  const skipped: Record<string, number> = {};
  const skip = ({ reason, count }: Skipped) => {
    skipped[reason] = (skipped[reason] ?? 0) + count;
  };
  for await (const conversation of importer.read(source, { signal, skip, now }))
    conversations.push(conversation);
  return { conversations, skipped };
}

/** Every string in a value, keys left out. */
function strings(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(strings);
}

/** Describes what every importer must do. */
export function describeImporter(name: string, given: () => Promise<ImporterSetup>): void {
  const setup = async (): Promise<
    ImporterSetup & { readonly own: readonly [ImportSource, ...ImportSource[]] }
  > => {
    const { importer, own, foreign, readsLists = false } = await given();
    const [first, ...rest] = own;
    if (!first)
      throw new Error(
        `No made-up export for "${importer.id}": add one to \`sources\` in test/adapters/importers/importers.test.ts`,
      );
    return { importer, own: [first, ...rest], foreign, readsLists };
  };
  describe(`${name}, as an importer`, () => {
    it('knows its own and leaves others alone', async () => {
      const { importer, own, foreign } = await setup();
      for (const source of own)
        expect(await importer.sniff(source, never), source.name).toBeGreaterThanOrEqual(0.5);
      for (const source of foreign)
        expect(await importer.sniff(source, never), source.name).toBeLessThan(0.3);
      expect(await importer.sniff({ name: 'nothing', files: [] }, never)).toBe(0);
    });

    it('gives trees whose ids are consistent, parents first, heads and checkpoints inside', async () => {
      const { importer, own } = await setup();
      for (const source of own) {
        const { conversations } = await readAll(importer, source);
        expect(conversations.length, source.name).toBeGreaterThan(0);
        const names = conversations.map((c) => `${c.source.tool} ${c.source.id}`);
        expect(new Set(names).size).toBe(names.length);
        for (const conversation of conversations) {
          const seen = new Set<string>();
          const identities = new Set<string | undefined>();
          for (const message of conversation.messages) {
            if (message.parentId !== null) expect(seen).toContain(message.parentId);
            expect(seen).not.toContain(message.id);
            seen.add(message.id);
            // Our own export keeps its real ids; any other message is known again by the id of its source alone.
            if (!conversation.own)
              expect(message.sourceId, `sourceId of message ${message.id} in ${source.name}`).toBeTruthy();
            identities.add(message.sourceId ?? message.id);
            expect(Number.isFinite(message.createdAt)).toBe(true);
            expect(message.parts.length).toBeGreaterThan(0);
            for (const part of message.parts) partSchema.parse(part);
          }
          expect(identities.size).toBe(seen.size);
          if (conversation.head === null)
            throw new Error(
              `"${conversation.source.id}" has no head: leave a conversation without messages out, through skip('empty-conversation')`,
            );
          expect(seen).toContain(conversation.head);
          for (const target of Object.values(conversation.checkpoints ?? {}))
            expect(seen).toContain(typeof target === 'string' ? target : target.messageId);
          for (const text of strings(conversation)) expect(Buffer.from(text).toString()).toBe(text);
        }
      }
    });

    it('claims files of its own among those of others, and none of theirs', async () => {
      const { importer, own, foreign } = await setup();
      const paths = (files: readonly SourceFile[]) => files.map(({ path }) => path);
      const theirs = foreign.flatMap(({ files }) => files);
      for (const source of own) {
        const claimed = await importer.claim([...source.files, ...theirs], never);
        expect(paths(claimed.own), source.name).not.toEqual([]);
        expect(claimed.own.filter((file) => theirs.includes(file)).map(({ path }) => path)).toEqual([]);
      }
      expect((await importer.claim([], never)).own).toEqual([]);
    });

    it('invents no words', async () => {
      const { importer, own } = await setup();
      for (const source of own) {
        const decoder = new TextDecoder();
        const all: string[] = [];
        for (const file of source.files) all.push(decoder.decode(await file.bytes(never)));
        const haystack = all.join('\n').replaceAll(/\\n|\\u[0-9a-f]{4}|\s|\\/gi, '');
        const { conversations } = await readAll(importer, source);
        for (const { messages } of conversations)
          for (const { parts } of messages)
            for (const part of parts) {
              const said =
                part.type === 'text' || part.type === 'reasoning' || part.type === 'tool-result'
                  ? part.text
                  : '';
              for (const word of said.split(/[^\p{L}\p{N}]+/u))
                expect(haystack.includes(word), word).toBe(true);
            }
      }
    });

    it('reads the same twice', async () => {
      const { importer, own } = await setup();
      for (const source of own)
        expect(await readAll(importer, source)).toEqual(await readAll(importer, source));
    });

    it('dates what was said by the source, whatever the clock of the device says', async () => {
      const { importer, own } = await setup();
      for (const source of own) {
        const right = await readAll(importer, source);
        const wrong = await readAll(importer, source, never, PAST);
        const times = ({ conversations }: typeof right, now: number) =>
          conversations.map(({ messages }) =>
            messages.map((m) => (m.createdAt === now ? 'now' : m.createdAt)),
          );
        expect(times(wrong, PAST), source.name).toEqual(times(right, NOW));
        expect(wrong.skipped).toEqual(right.skipped);
      }
    });

    it('stops when it is told to', async () => {
      const { importer, own } = await setup();
      for (const source of own) {
        const aborted = AbortSignal.abort();
        await expect(readAll(importer, source, aborted)).rejects.toSatisfy(isAbort);
        const stop = new AbortController();
        const begun = (async () => {
          let read = 0;
          for await (const _ of importer.read(source, { signal: stop.signal, skip: () => {}, now: NOW })) {
            read += 1;
            stop.abort();
          }
          return read;
        })();
        // Aborted after the first conversation, it reads no second one.
        expect(await begun.catch((error: unknown) => (isAbort(error) ? 1 : error)), source.name).toBe(1);
      }
    });

    it('keeps the whole conversations of a listing in JSON that is cut off, and names the file', async () => {
      const { importer, own, readsLists } = await setup();
      let tried = 0;
      const isListing = ({ path }: SourceFile) =>
        /\.json$/.test(path) && !/(?:state|metadata)\.json$/.test(path);
      for (const source of own) {
        const lists = source.files.filter(isListing);
        const whole = await readAll(importer, source);
        if (!readsLists || lists.length !== 1 || whole.conversations.length < 2) continue;
        tried += 1;
        const [file] = lists as [SourceFile];
        const bytes = await file.bytes(never);
        let most = 0;
        for (let part = 0; part < 1; part += 1 / 16) {
          const cut = bytes.slice(0, Math.floor(bytes.length * part));
          const files = source.files.map((one) =>
            one === file
              ? { path: one.path, modifiedAt: one.modifiedAt, size: cut.length, bytes: async () => cut }
              : one,
          );
          const named: Skipped[] = [];
          const conversations: ImportedConversation[] = [];
          const skip = (skipped: Skipped) => named.push(skipped);
          try {
            for await (const one of importer.read({ ...source, files }, { signal: never, skip, now: NOW }))
              conversations.push(one);
          } catch (error) {
            // With nothing whole in it, the file is refused.
            expect(error).toMatchObject({ problem: { code: 'import-broken' } });
            expect(conversations).toEqual([]);
            continue;
          }
          if (cut.length === 0) continue;
          expect(conversations).toEqual(whole.conversations.slice(0, conversations.length));
          const name = `${file.path.slice(file.path.lastIndexOf('/') + 1)}: ${conversations.length}`;
          expect(named).toContainEqual({ reason: 'damaged-file', count: 1, example: name });
          most = conversations.length;
        }
        expect(most, source.name).toBeGreaterThan(0);
      }
      expect(tried > 0).toBe(readsLists);
    });

    it('answers garbage with nothing or with an error that has a sentence', async () => {
      const { importer, own } = await setup();
      const [first] = own;
      const originals = await Promise.all(
        first.files.map(async (file) => ({ file, bytes: await file.bytes(never) })),
      );
      const total = originals.reduce((sum, { bytes }) => sum + bytes.length, 0);
      await fc.assert(
        fc.asyncProperty(
          fc.double({ min: 0, max: 1, noNaN: true }),
          fc.array(
            fc.tuple(fc.double({ min: 0, max: 0.999, noNaN: true }), fc.integer({ min: 0, max: 255 })),
            { maxLength: 12 },
          ),
          async (keep, changes) => {
            let from = 0;
            const files = originals.map(({ file, bytes }) => {
              const copy = bytes.slice(0, keep > 0.5 ? bytes.length : Math.floor(bytes.length * keep * 2));
              for (const [where, byte] of changes) {
                const position = Math.floor(where * total) - from;
                if (position >= 0 && position < copy.length) copy[position] = byte;
              }
              from += bytes.length;
              return {
                path: file.path,
                modifiedAt: file.modifiedAt,
                size: copy.length,
                bytes: async () => copy,
              };
            });
            const source = { name: first.name, files };
            try {
              const sure = await importer.sniff(source, never);
              expect(sure).toBeGreaterThanOrEqual(0);
              expect(sure).toBeLessThanOrEqual(1);
              const { conversations } = await readAll(importer, source);
              for (const { messages } of conversations) {
                const seen = new Set<string>();
                for (const message of messages) {
                  expect(message.parentId === null || seen.has(message.parentId)).toBe(true);
                  seen.add(message.id);
                }
              }
            } catch (error) {
              if (!(error instanceof RecollectError)) throw error;
            }
          },
        ),
        { numRuns: 150 },
      );
    });
  });
}
