// The session memory as a Markdown file of the conversation: read, edited and pinned before and
// after a compaction, on every device.
import { describe, expect, it } from 'vitest';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import { sealedStore } from '../../../src/adapters/log/sealed.ts';
import { cipherFor, holdDataKey, newDataKey } from '../../../src/adapters/vault/data-key.ts';
import type { ConversationId } from '../../../src/domain/base/ids.ts';
import { linesOf, type MemoryLine, textOfLines } from '../../../src/domain/chat/memory-file.ts';
import { STRATEGIES } from '../../../src/domain/context/compaction/index.ts';
import { deleteMessage } from '../../../src/services/chat/delete-message.ts';
import { contextConfig, filler, startTalks, words } from './talk.ts';

const { server, talk } = await startTalks();
type Talk = ReturnType<typeof talk>;

const RULE = 'Never touch the staging table, whatever happens.';
const grownWithRule = (made: Talk, turns = 8) =>
  made.grown(turns, (at) => ({
    user: [{ type: 'text', text: at === 0 ? `${RULE} ${filler(0)}` : filler(2 * at) }],
  }));
const fileOf = ({ context }: Talk, id: ConversationId) => context.memoryFile(id);
const textIn = async (made: Talk, id: ConversationId) => textOfLines((await fileOf(made, id)).lines);
/** Edits as a person does in the window. */
async function edit(made: Talk, id: ConversationId, change: (text: string) => string) {
  const from = await fileOf(made, id);
  return await made.context.saveMemoryFile(id, from, linesOf(change(textOfLines(from.lines)), from.lines));
}
async function pin(made: Talk, id: ConversationId, wanted: string) {
  const from = await fileOf(made, id);
  const lines = from.lines.map((line) => (line.text.includes(wanted) ? { ...line, pinned: true } : line));
  return await made.context.saveMemoryFile(id, from, lines);
}
/** What a model reads in place of compacted messages. */
async function sent(made: Talk, id: ConversationId): Promise<string> {
  await made.say('And what was the last region?', id);
  return JSON.stringify(server.chats().at(-1)?.messages ?? []);
}
const inJson = (text: string) => JSON.stringify(text).slice(1, -1);

/** Carries one device's changes to another, as sync does. */
async function sync(from: Talk, to: Talk, after = 0): Promise<number> {
  const entries = await from.store.log.since(after, 10_000);
  await to.store.log.append(
    entries.map(({ id, document, bytes }) => ({ id, document, bytes, origin: 'remote' as const })),
  );
  return entries.at(-1)?.seq ?? after;
}

describe('the session memory of a conversation that nothing stands for yet', () => {
  it('is Markdown with sections, with the rules of the person word for word', async () => {
    const made = talk();
    const id = await grownWithRule(made);
    const file = await fileOf(made, id);
    expect(file).toMatchObject({ savedAt: null, compaction: null, left: 0, others: [] });
    expect(textOfLines(file.lines)).toMatch(/^## /m);
    expect(textOfLines(file.lines)).toContain(RULE);
    expect(server.chats()).toHaveLength(0);
  });

  it('keeps an edit, grows with what is said after it, and undoes it', async () => {
    const made = talk({ config: contextConfig({ window_tokens: 40_000 }) });
    const id = await grownWithRule(made);
    const before = await textIn(made, id);
    const { undo } = await edit(made, id, (text) => `${text}\n- The harbour door opens with 4711.`);
    expect(await textIn(made, id)).toContain('- The harbour door opens with 4711.');
    server.next(words('Noted.'));
    await made.say('The crane lifts exactly 73 tons, always keep that in mind.', id);
    const grown = await textIn(made, id);
    expect(grown.indexOf('4711')).toBeGreaterThan(0);
    expect(grown.indexOf('73 tons')).toBeGreaterThan(grown.indexOf('4711'));
    await undo();
    expect(await textIn(made, id)).not.toContain('4711');
    expect(before).not.toContain('4711');
  });

  it('is thrown away where the person wants it made anew, and comes back with undo', async () => {
    const made = talk();
    const id = await grownWithRule(made);
    await edit(made, id, () => 'Only this.');
    expect(await textIn(made, id)).toMatch(/^Only this\./);
    const { undo } = await made.context.remakeMemoryFile(id);
    expect(await fileOf(made, id)).toMatchObject({ savedAt: null });
    expect(await textIn(made, id)).toContain(RULE);
    await undo();
    expect(await textIn(made, id)).toMatch(/^Only this\./);
  });
});

describe('a compaction', () => {
  it.each(STRATEGIES.map(({ id }) => id))(
    'by %s sends the file as it was edited before',
    async (strategy) => {
      server.answer((request) =>
        JSON.stringify(request.messages).includes('## Message')
          ? words('<current_focus>Regions.</current_focus>')
          : words('Done.'),
      );
      const made = talk();
      const id = await grownWithRule(made, 14);
      await edit(made, id, (text) => `## Mine\n- The door opens with 4711.\n\n${text}`);
      const result = await made.context.compact(id, { strategy, preview: false });
      expect(result.outcome).toBe('applied');
      expect(await sent(made, id)).toContain('The door opens with 4711.');
      expect(await textIn(made, id)).toContain('- The door opens with 4711.');
    },
  );

  it('stands for the messages by exactly what the file says', async () => {
    const made = talk();
    const id = await grownWithRule(made, 14);
    await edit(made, id, (text) => `- The door opens with 4711.\n${text}`);
    await made.context.compact(id);
    const file = await fileOf(made, id);
    expect(file.compaction).not.toBeNull();
    const [applied] = await made.compactions(id);
    const plan = applied?.plan as unknown as { summaries: { text: string }[] };
    const said = plan.summaries.flatMap(({ text }) => text.split('\n')).filter((line) => line.trim() !== '');
    const shown = file.lines.map(({ text }) => text).filter((text) => text.trim() !== '');
    expect(shown.length - file.left).toBe(said.length);
    for (const line of said) expect(shown).toContain(line);
  });

  it('keeps a pinned line word for word through two more, where there is hardly any room', async () => {
    const made = talk();
    server.answer(() => ({ steps: [{ text: 'Noted.' }, { finish: 'stop' }] }));
    const id = await grownWithRule(made, 14);
    await pin(made, id, 'staging table');
    const line = (await fileOf(made, id)).lines.find(({ pinned }) => pinned) as MemoryLine;
    expect(line.text).toContain(RULE);
    for (const round of [1, 2]) {
      for (let at = 0; at < 4; at++) await made.say(filler(100 * round + at), id);
      await made.context.compact(id);
      expect(await sent(made, id)).toContain(inJson(line.text));
      expect((await fileOf(made, id)).lines).toContainEqual(line);
    }
  });

  it('leaves lines of the rules out where they have no room, says how many, and keeps the person’s', async () => {
    const made = talk();
    const id = await grownWithRule(made, 14);
    const from = await fileOf(made, id);
    const noted = Array.from(
      { length: 200 },
      (_, at): MemoryLine => ({
        text: `- ${filler(at)}`,
        by: 'rules',
      }),
    );
    const own: MemoryLine = { text: '- The door opens with 4711.', by: 'person' };
    await made.context.saveMemoryFile(id, from, [...noted, own]);
    await made.context.compact(id);
    const file = await fileOf(made, id);
    expect(file.left).toBeGreaterThan(0);
    expect(file.lines).toHaveLength(201);
    expect(await sent(made, id)).toContain('4711');
  });

  it('in force is edited in place: the next request has the new words, and undo brings the old ones back', async () => {
    const made = talk({ config: contextConfig({ window_tokens: 40_000 }) });
    const id = await grownWithRule(made, 14);
    await made.context.compact(id);
    const { undo } = await edit(made, id, (text) => text.replaceAll(RULE, 'The staging table is free now.'));
    const after = await sent(made, id);
    expect(after).toContain('The staging table is free now.');
    expect(after).not.toContain(RULE);
    await undo();
    expect(await sent(made, id)).toContain(RULE);
  });

  it('brings no line in again that the person took out', async () => {
    const made = talk();
    const id = await grownWithRule(made, 14);
    await edit(made, id, (text) =>
      text
        .split('\n')
        .filter((line) => !line.includes('staging table'))
        .join('\n'),
    );
    await made.context.compact(id);
    expect(await textIn(made, id)).not.toContain('staging table');
  });

  it('worded at its divider is the file from then on', async () => {
    const made = talk();
    const id = await grownWithRule(made, 14);
    await made.context.compact(id);
    const [first] = await made.compactions(id);
    await made.context.rewrite(id, first?.id as string, 'In my words: 4711.');
    expect(await textIn(made, id)).toMatch(/^In my words: 4711\./);
    await made.context.rewrite(id, first?.id as string, null);
    expect(await textIn(made, id)).toContain(RULE);
  });
});

describe('on two devices', () => {
  it('the later one counts, and what the other wrote at once is kept beside it and can be taken in', async () => {
    const here = talk();
    const there = talk();
    const id = await grownWithRule(here);
    let known = await sync(here, there);
    await edit(here, id, (text) => `- Written here.\n${text}`);
    await edit(there, id, (text) => `- Written there.\n${text}`);
    known = await sync(here, there, known);
    await sync(there, here);
    for (const device of [here, there]) {
      const file = await fileOf(device, id);
      const [other] = file.others;
      expect(file.others).toHaveLength(1);
      const both = `${textOfLines(file.lines)}\n${textOfLines(other?.lines ?? [])}`;
      expect(both).toContain('Written here.');
      expect(both).toContain('Written there.');
    }
    const file = await fileOf(here, id);
    await here.context.saveMemoryFile(id, file, [...file.lines, ...(file.others[0]?.lines ?? [])]);
    await sync(here, there, known);
    for (const device of [here, there]) {
      const settled = await fileOf(device, id);
      expect(settled.others).toEqual([]);
      expect(textOfLines(settled.lines)).toContain('Written here.');
      expect(textOfLines(settled.lines)).toContain('Written there.');
    }
  });
});

describe('what is deleted', () => {
  it('leaves the file with what quotes it, and comes back with undo', async () => {
    const made = talk();
    const id = await grownWithRule(made);
    await pin(made, id, 'staging table');
    await edit(made, id, (text) => `${text}\n- My own line about the harbour.`);
    const [first] = await made.path(id);
    const { undo } = await deleteMessage(made.documents, id, first?.id as never, 1_790_000_000_000);
    const text = await textIn(made, id);
    expect(text).not.toContain('staging table');
    expect(text).toContain('My own line about the harbour.');
    await undo();
    expect(await textIn(made, id)).toContain(RULE);
  });
});

describe('on another branch', () => {
  it('own and pinned lines stay, notes of what is not said there do not', async () => {
    const made = talk();
    const id = await grownWithRule(made);
    await edit(made, id, (text) => `${text}\n- My own line about the harbour.`);
    const path = await made.path(id);
    await made.context.restore(id, path[3]?.id as string);
    const text = await textIn(made, id);
    expect(text).toContain('My own line about the harbour.');
    expect(text).toContain(RULE);
    expect(text).not.toContain('shard 13 ');
  });
});

describe('on a locked device', () => {
  it('the file lies sealed with its conversation, and opens with the key alone', async () => {
    const cipher = await holdDataKey(newDataKey());
    const ciphers = {
      entries: await cipherFor(cipher, 'log'),
      values: await cipherFor(cipher, 'key-values'),
    };
    const below = createInMemoryStore();
    const made = talk({ store: sealedStore(below, ciphers) });
    const id = await grownWithRule(made);
    await edit(made, id, (text) => `${text}\n- The harbour door opens with 4711.`);
    expect(await textIn(made, id)).toContain('4711');
    const entries = await below.log.since(0, 10_000);
    const values = await Promise.all((await below.keyValues.keys('')).map((key) => below.keyValues.get(key)));
    const kept = Buffer.concat(
      [...entries.map(({ bytes }) => bytes), ...values].map((one) => Buffer.from(one as Uint8Array)),
    ).toString('latin1');
    expect(entries.length).toBeGreaterThan(0);
    for (const said of ['harbour door', 'staging table', 'memoryFile']) expect(kept).not.toContain(said);
  });
});
