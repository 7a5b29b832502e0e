// What the browser test runs inside a page of a real Chromium: ZIPs out and in, then an import, under a strict policy.
import './no-eval.ts';
import { markdown } from '../../../src/adapters/exporters/markdown.ts';
import { zipOf } from '../../../src/adapters/exporters/zip.ts';
import { chatgpt } from '../../../src/adapters/importers/chatgpt.ts';
import { fileOf } from '../../../src/adapters/importers/source-file.ts';
import { openZip } from '../../../src/adapters/importers/zip.ts';

export interface PageApi {
  violations: string[];
  /** Texts into a ZIP, out of it again, and what ChatGPT's importer reads from it. */
  roundTrip(texts: Record<string, string>): Promise<{
    paths: string[];
    texts: string[];
    conversations: { id: string; messages: number }[];
    workers: number;
  }>;
  /** Code of the problem that unpacking so many zeros gives. */
  bomb(bytes: number): Promise<string>;
  exporter: string;
}

const violations: string[] = [];
document.addEventListener('securitypolicyviolation', (event) =>
  violations.push(`${event.violatedDirective} ${event.blockedURI}`),
);
let workers = 0;
globalThis.Worker = class extends Worker {
  constructor(url: string | URL, options?: WorkerOptions) {
    workers += 1;
    super(url, options);
  }
};

const { signal } = new AbortController();

async function pack(files: Record<string, Uint8Array>): Promise<File> {
  async function* each() {
    for (const [path, bytes] of Object.entries(files)) yield { path, bytes };
  }
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  for await (const piece of zipOf(each(), signal)) pieces.push(piece as Uint8Array<ArrayBuffer>);
  return new File(pieces, 'export.zip');
}

Object.assign(globalThis, {
  api: {
    violations,
    exporter: markdown.extension(2),
    roundTrip: async (texts) => {
      const encoder = new TextEncoder();
      const file = await pack(
        Object.fromEntries(Object.entries(texts).map(([path, text]) => [path, encoder.encode(text)])),
      );
      const source = await openZip(fileOf(file), signal);
      const decoder = new TextDecoder();
      const read = await Promise.all(source.files.map(async (f) => decoder.decode(await f.bytes(signal))));
      const conversations: { id: string; messages: number }[] = [];
      for await (const c of chatgpt.read(source, { signal, skip: () => {} }))
        conversations.push({ id: c.source.id, messages: c.messages.length });
      return { paths: source.files.map((f) => f.path), texts: read, conversations, workers };
    },
    bomb: async (bytes) => {
      try {
        await openZip(fileOf(await pack({ a: new Uint8Array(bytes) })), signal);
        return 'opened';
      } catch (error) {
        return (error as { problem?: { code: string } }).problem?.code ?? String(error);
      }
    },
  } satisfies PageApi,
});
