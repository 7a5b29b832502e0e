// Every importer runs the suite of the shelf.
import { json } from '../../../src/adapters/exporters/json.ts';
import { chatgpt } from '../../../src/adapters/importers/chatgpt.ts';
import { claude } from '../../../src/adapters/importers/claude.ts';
import type { Source } from '../../../src/adapters/importers/importer.ts';
import { kimiCli } from '../../../src/adapters/importers/kimi-cli.ts';
import { markdown } from '../../../src/adapters/importers/markdown.ts';
import { recollect } from '../../../src/adapters/importers/recollect.ts';
import { openZip } from '../../../src/adapters/importers/zip.ts';
import * as chatgptFixture from '../../fixtures/chatgpt.ts';
import * as claudeFixture from '../../fixtures/claude.ts';
import { sourceOf, zipFile } from '../../fixtures/files.ts';
import * as kimi from '../../fixtures/kimi-cli.ts';
import { files as markdownFiles } from '../../fixtures/markdown-files.ts';
import { sampleArchive } from '../../fixtures/recollect.ts';
import { describeImporter } from '../../suites/importer.suite.ts';

const never = new AbortController().signal;
const opened = async (name: string, files: Readonly<Record<string, string | Uint8Array>>): Promise<Source> =>
  openZip(await zipFile(name, files), never);

const sources = async () => ({
  kimi: [
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
  recollect: [
    sourceOf('recollect-2026-11-21.json', { 'recollect-2026-11-21.json': await sampleArchive(json) }),
    await opened('backup.zip', { 'recollect-2026-11-21.json': await sampleArchive(json) }),
  ],
});

for (const importer of [kimiCli, chatgpt, claude, markdown, recollect])
  describeImporter(importer.label, async () => {
    const all = await sources();
    const key = {
      'kimi-cli': 'kimi',
      chatgpt: 'chatgpt',
      claude: 'claude',
      recollect: 'recollect',
      markdown: 'markdown',
    }[importer.id] as keyof typeof all;
    return {
      importer,
      own: all[key],
      foreign: Object.entries(all).flatMap(([name, list]) => (name === key ? [] : list)),
    };
  });
