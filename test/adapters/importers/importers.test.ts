// Every importer runs the suite, and rejects the exports of the others. To add one,
// add an entry to `sources` by its id.
import { expect, it } from 'vitest';
import { json } from '../../../src/adapters/exporters/json.ts';
import type { ImportSource } from '../../../src/adapters/importers/importer.ts';
import { IMPORTERS } from '../../../src/adapters/importers/index.ts';
import { openZip } from '../../../src/adapters/importers/zip.ts';
import * as chatgptFixture from '../../fixtures/chatgpt.ts';
import * as claudeFixture from '../../fixtures/claude.ts';
import { sourceOf, zipFile } from '../../fixtures/files.ts';
import * as kimi from '../../fixtures/kimi-cli.ts';
import { files as markdownFiles } from '../../fixtures/markdown-files.ts';
import * as lists from '../../fixtures/message-lists.ts';
import { sampleArchive } from '../../fixtures/recollect.ts';
import { describeImporter } from '../../suites/importer.suite.ts';

const never = new AbortController().signal;
const opened = async (
  name: string,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<ImportSource> => openZip(await zipFile(name, files), never);

/** Our own export with its conversation under three ids. */
const severalOfOurs = async (): Promise<string> => {
  const archive = JSON.parse(Buffer.from(await sampleArchive(json)).toString()) as {
    conversations: { id: string }[];
  };
  const conversations = ['a', 'b', 'c'].flatMap((sign) =>
    archive.conversations.map((one) => ({ ...one, id: `${sign}${one.id.slice(1)}` })),
  );
  return JSON.stringify({ ...archive, conversations });
};

const sources = async (): Promise<Readonly<Record<string, readonly ImportSource[]>>> => ({
  'kimi-cli': [
    sourceOf('.kimi', kimi.kimiHome, 1_750_000_900_000),
    sourceOf(
      kimi.SESSIONS.dmail,
      Object.fromEntries(
        Object.entries(kimi.dmailSession).map(([k, v]) => [`${kimi.SESSIONS.dmail}/${k}`, v]),
      ),
    ),
    await opened(`session-${kimi.SESSIONS.dmail}.zip`, kimi.exportedZip),
    sourceOf('context.jsonl', { 'context.jsonl': kimi.compactedSession['context.jsonl'] as string }),
  ],
  chatgpt: [
    sourceOf('conversations.json', {
      'conversations.json': chatgptFixture.exportFiles['conversations.json'],
    }),
    await opened('chatgpt.zip', chatgptFixture.exportFiles),
  ],
  claude: [
    sourceOf('conversations.json', { 'conversations.json': claudeFixture.exportFiles['conversations.json'] }),
    await opened('claude.zip', claudeFixture.exportFiles),
  ],
  markdown: [sourceOf('chats', markdownFiles), await opened('chats.zip', markdownFiles)],
  messages: [
    sourceOf('request.json', { 'request.json': JSON.stringify(lists.request) }),
    sourceOf('list.json', { 'list.json': `[${lists.openaiLines.trim().replaceAll('\n', ',')}]` }),
    sourceOf('train.jsonl', { 'train.jsonl': lists.sharegptLines }),
    sourceOf('chats', {
      'chats/webui.json': JSON.stringify(lists.openWebui),
      'chats/ui.json': JSON.stringify(lists.uiMessages),
      'chats/openai.jsonl': lists.openaiLines,
    }),
  ],
  recollect: [
    sourceOf('recollect-2026-11-21.json', { 'recollect-2026-11-21.json': await sampleArchive(json) }),
    sourceOf('several.json', { 'several.json': await severalOfOurs() }),
    await opened('backup.zip', { 'recollect-2026-11-21.json': await sampleArchive(json) }),
  ],
});

/** Importers whose exports are lists of conversations in JSON. */
const LISTS: ReadonlySet<string> = new Set(['chatgpt', 'claude', 'messages', 'recollect']);

for (const importer of IMPORTERS)
  describeImporter(importer.id, async () => {
    const all = await sources();
    return {
      importer,
      own: all[importer.id] ?? [],
      readsLists: LISTS.has(importer.id),
      foreign: Object.entries(all).flatMap(([id, list]) => (id === importer.id ? [] : list)),
    };
  });

it('has made-up exports of importers only', async () => {
  const known = new Set<string>(IMPORTERS.map(({ id }) => id));
  expect(Object.keys(await sources()).filter((id) => !known.has(id))).toEqual([]);
});
