// What becomes of the days of a kimi-cli session: D-Mail, compaction, a crash, /clear, subagents, damage.
import { describe, expect, it } from 'vitest';
import { MAX_ATTACHMENT_BYTES } from '../../../src/adapters/importers/attachments.ts';
import type { ImportedConversation, ImportedMessage } from '../../../src/adapters/importers/importer.ts';
import { IMPORTERS } from '../../../src/adapters/importers/index.ts';
import { kimiCli } from '../../../src/adapters/importers/kimi-cli.ts';
import { openZip } from '../../../src/adapters/importers/zip.ts';
import { textOf } from '../../../src/domain/chat/message.ts';
import { recognise } from '../../../src/services/library/sources.ts';
import { jsonl, sourceOf, zipFile } from '../../fixtures/files.ts';
import * as kimi from '../../fixtures/kimi-cli.ts';
import { readAll } from '../../suites/importer.suite.ts';

const T0 = kimi.T0 * 1000;

const home = async () => {
  const { conversations, skipped } = await readAll(kimiCli, sourceOf('.kimi', kimi.kimiHome, T0 + 900_000));
  return {
    skipped,
    of: (id: string) => conversations.find((c) => c.source.id === id) as ImportedConversation,
  };
};

/** From the root to the head, as short words. */
const shown = (conversation: ImportedConversation): string[] => shownMessages(conversation).map(short);
function shownMessages(conversation: ImportedConversation): ImportedMessage[] {
  const line: ImportedMessage[] = [];
  const byId = new Map(conversation.messages.map((message) => [message.id, message]));
  for (let at = byId.get(conversation.head ?? ''); at; at = byId.get(at.parentId ?? '')) line.unshift(at);
  return line;
}
const short = (message: ImportedMessage) =>
  message.kind === 'note'
    ? `(${(message as { note?: string }).note})`
    : `${message.role}: ${textOf(message) || message.parts.map((part) => part.type).join('+')}`;

const find = (conversation: ImportedConversation, words: string) =>
  conversation.messages.find((message) => textOf(message) === words) as ImportedMessage;

describe('a kimi-cli home', () => {
  it('reads title, archive flag, system prompt and the work dir behind the hash', async () => {
    const { meta } = (await home()).of(kimi.SESSIONS.dmail);
    expect(meta).toMatchObject({
      title: 'The crash',
      titleBy: 'import',
      archived: true,
      workDir: '/proj/demo',
      systemPrompt: 'You are a helper.',
      createdAt: T0,
    });
    expect((await home()).of(kimi.SESSIONS.cleared).meta.workDir).toBeNull();
  });

  it('shows what came after a D-Mail and keeps what it folded as a branch', async () => {
    const conversation = (await home()).of(kimi.SESSIONS.dmail);
    expect(shown(conversation)).toEqual([
      '(checkpoint)',
      'user: why does it crash?',
      '(checkpoint)',
      '(d-mail)',
      '(checkpoint)',
      'assistant: The port in the config is taken.',
      'user: see',
      'assistant: A screenshot.',
    ]);
    const folded = find(conversation, 'I read the log.');
    const mail = conversation.messages.find((message) => textOf(message) === kimi.DMAIL);
    // A line of an unknown role stands between them, with its words.
    const record = conversation.messages.find((message) => textOf(message) === 'x');
    expect(record).toMatchObject({ role: 'system', kind: 'note', parentId: mail?.parentId });
    expect(folded.parentId).toBe(record?.id);
    expect(conversation.messages.filter((message) => message.role === 'tool')).toHaveLength(2);
  });

  it('takes times and tokens from the wire', async () => {
    const conversation = (await home()).of(kimi.SESSIONS.dmail);
    const answer = find(conversation, 'The port in the config is taken.');
    expect(answer.createdAt).toBe(T0 + 9_000);
    expect(answer.usage).toMatchObject({
      inputTokens: 16,
      outputTokens: 7,
      cachedInputTokens: 5,
      contextTokens: 90,
    });
    const [result] = conversation.messages.filter((message) => message.role === 'tool');
    expect(result?.createdAt).toBe(T0 + 4_000);
    const mail = conversation.messages.find((message) => textOf(message) === kimi.DMAIL);
    expect(mail?.createdAt).toBeGreaterThan(T0 + 7_000);
    expect(mail?.createdAt).toBeLessThan(T0 + 9_000);
  });

  it('keeps thinking, images, calls and results as what they are', async () => {
    const { messages } = (await home()).of(kimi.SESSIONS.dmail);
    const parts = messages.flatMap((message) => message.parts);
    expect(parts).toContainEqual({ type: 'reasoning', text: 'about: A screenshot.' });
    expect(parts).toContainEqual({
      type: 'file',
      mediaType: 'image/png',
      url: 'data:image/png;base64,iVBORw0KGgo=',
    });
    expect(parts).toContainEqual({
      type: 'tool-call',
      callId: 'c1',
      name: 'Shell',
      arguments: '{"command":"cat log"}',
    });
    expect(parts.find((part) => part.type === 'tool-result')).toMatchObject({ callId: 'c1', name: 'Shell' });
  });

  it('names a picture that is too large, and does not carry it', async () => {
    const url = `data:image/png;base64,${'A'.repeat(Math.ceil(MAX_ATTACHMENT_BYTES / 0.75) + 4)}`;
    const content = [
      { type: 'text', text: 'Look.' },
      { type: 'image_url', image_url: { url } },
    ];
    const { conversations, skipped } = await readAll(
      kimiCli,
      sourceOf('s', { 'context.jsonl': jsonl({ role: 'user', content }) }),
    );
    expect(conversations[0]?.messages[0]?.parts[1]).toEqual({ type: 'file', mediaType: 'image/png' });
    expect(skipped).toEqual({ 'oversized-attachment': 1 });
  });

  it('shows the summary of a compaction with what it carried over, and keeps everything before as a branch', async () => {
    const conversation = (await home()).of(kimi.SESSIONS.compacted);
    expect(shown(conversation)).toEqual([
      '(compaction)',
      'user: second question',
      'assistant: second answer',
      '(reminder)',
      'user: third question',
      'assistant: third answer',
    ]);
    const roots = conversation.messages.filter((message) => message.parentId === null);
    expect(roots.map(short)).toEqual(['user: first question', '(compaction)']);
    expect(roots[1]?.createdAt).toBe(T0 + 29_000);
    const [original, copy] = conversation.messages.filter((message) => textOf(message) === 'second question');
    expect(copy).toMatchObject({ createdAt: original?.createdAt, copyOf: original?.id });
  });

  it('shows the full text after a crash in the middle of a compaction', async () => {
    const line = [
      'user: first question',
      'assistant: first answer',
      'user: second question',
      'assistant: second answer',
    ];
    expect(shown((await home()).of(kimi.SESSIONS.crashed))).toEqual(line);
    // The same without the file, with an empty one, with the prompt only, and with the summary but no tail.
    for (const live of [
      undefined,
      '',
      jsonl({ role: '_system_prompt', content: 'p' }),
      jsonl(
        { role: '_checkpoint', id: 0 },
        {
          role: 'user',
          content: [
            { type: 'text', text: kimi.SUMMARY },
            { type: 'text', text: 's' },
          ],
        },
      ),
    ]) {
      const { 'context.jsonl': _, ...rest } = kimi.crashedSession;
      const files = { ...rest, ...(live === undefined ? {} : { 'context.jsonl': live }) };
      const { conversations } = await readAll(kimiCli, sourceOf('session', files));
      expect(shown(conversations[0] as ImportedConversation)).toEqual(line);
    }
  });

  it('makes a second root after /clear, and takes no text of the interface for an answer', async () => {
    const { of, skipped } = await home();
    const conversation = of(kimi.SESSIONS.cleared);
    expect(shown(conversation)).toEqual(['user: about something else', 'assistant: gladly']);
    expect(conversation.messages.map(short)).toEqual([
      'user: first question',
      'assistant: first answer',
      'user: about something else',
      'assistant: gladly',
    ]);
    expect(skipped['interface-text']).toBe(1);
  });

  it('goes on where kimi-cli gives up, takes what has words, and counts', async () => {
    const { conversations, skipped } = await readAll(kimiCli, sourceOf('x', kimi.damagedSession));
    expect(conversations[0]?.messages.map(short)).toEqual([
      'user: tab\there and byte \uFFFD here',
      'user: after a lone CR',
      '(undefined)',
      'user: lone \uFFFD surrogate',
      'user: look at this',
      'user: no type',
      'assistant: tool-call',
      'tool: tool-result',
      'assistant: tool-call',
      'tool: tool-result',
      'assistant: tool-call',
      'assistant: cut of',
    ]);
    expect(skipped).toEqual({
      // two usages that are no integers, a list, a string, the cut-off line
      'malformed-line': 5,
      'no-content': 2,
      'unknown-part': 1,
      // the byte that is no UTF-8
      undecoded: 1,
      // arguments cut off, null, and a result without its call
      'broken-call': 3,
    });
  });

  it('keeps the words of lines that kimi-cli itself does not read', async () => {
    const lines = (...more: object[]) =>
      [{ role: 'user', content: 'first' }, ...more, { role: 'assistant', content: 'last' }]
        .map((line) => JSON.stringify(line))
        .join('\n');
    const read = async (text: string) => readAll(kimiCli, sourceOf('x', { 'context.jsonl': text }));
    const broken = { id: 'c', function: { arguments: '{}', description: 'look it up' } };
    const { conversations, skipped } = await read(
      lines(
        { role: 'critic', content: 'too long' },
        { role: 'human', content: ['words in a list', 7] },
        { content: 'nobody said it' },
        { role: 'assistant', content: 'I look.', tool_calls: [broken] },
        { role: 'user', text: 'beside the content' },
        { role: 'user', content: null, note: { remark: 'in another field' } },
        { role: 'user', content: { words: 'without a type' } },
      ),
    );
    const [conversation] = conversations;
    expect(conversation?.messages.map(({ role, kind, parts }) => [role, kind, parts])).toEqual([
      ['user', 'message', [{ type: 'text', text: 'first' }]],
      ['system', 'note', [{ type: 'text', text: 'too long' }]],
      ['user', 'message', [{ type: 'text', text: 'words in a list' }]],
      ['system', 'note', [{ type: 'text', text: 'nobody said it' }]],
      [
        'assistant',
        'message',
        [
          { type: 'text', text: 'I look.' },
          { type: 'unknown', original: broken },
        ],
      ],
      ['user', 'message', [{ type: 'text', text: 'beside the content' }]],
      ['user', 'message', [{ type: 'unknown', original: { note: { remark: 'in another field' } } }]],
      ['user', 'message', [{ type: 'unknown', original: { words: 'without a type' } }]],
      ['assistant', 'message', [{ type: 'text', text: 'last' }]],
    ]);
    expect(skipped).toEqual({ 'unknown-role': 2, 'unknown-part': 3, 'broken-call': 1 });
    // The messages below have the ids that they had without those lines: a session that
    // was imported before is known again.
    const before = (await read(lines())).conversations[0]?.messages.at(-1);
    expect(conversation?.messages.at(-1)?.sourceId).toBe(before?.sourceId);
  });

  it('brings back a turn that only the wire still has', async () => {
    const conversation = (await home()).of(kimi.SESSIONS.forked);
    expect(shown(conversation)).toEqual([
      '(compaction)',
      'user: second question',
      'assistant: second answer',
    ]);
    const lost = conversation.messages.filter((message) => message.createdAt < T0 + 9_000);
    expect(lost.map(short)).toEqual([
      'user: first question',
      'assistant: let me look',
      'tool: tool-result',
      'assistant: first answer',
    ]);
    const alone = await readAll(
      kimiCli,
      sourceOf('s', { 'wire.jsonl': kimi.forkedSession['wire.jsonl'] as string }),
    );
    expect(alone.conversations[0]?.messages).toHaveLength(6);
  });

  it('keeps the words of events of an unknown kind as notes beside the conversation', async () => {
    const event = (at: number, type: string, payload: unknown = {}) => ({
      timestamp: kimi.T0 + at,
      message: { type, payload },
    });
    const wire = jsonl(
      { type: 'metadata', protocol_version: '2.0' },
      event(0, 'TurnBegin', { user_input: 'Which flour?' }),
      event(1, 'StepBegin', { n: 1 }),
      event(2, 'AdviceGiven', { advice: 'Sift it twice.', level: 3 }),
      event(3, 'Murmur', 'Rye, she said.'),
      event(4, 'Pulse', { level: 3 }),
      event(5, 'ContentPart', { type: 'text', text: 'Spelt.' }),
      event(6, 'TurnEnd'),
    );
    const context = jsonl(
      { role: 'user', content: 'Which flour?' },
      { role: 'assistant', content: 'Spelt.' },
    );
    const { conversations, skipped } = await readAll(
      kimiCli,
      sourceOf('s', { 'context.jsonl': context, 'wire.jsonl': wire }),
    );
    const messages = conversations[0]?.messages ?? [];
    expect(messages.filter(({ kind }) => kind === 'note').map(({ role, parts }) => [role, parts])).toEqual([
      ['system', [{ type: 'unknown', original: { advice: 'Sift it twice.', level: 3 } }]],
      ['system', [{ type: 'unknown', original: { value: 'Rye, she said.' } }]],
    ]);
    expect(skipped).toEqual({ 'unknown-part': 2 });
    const own = shownMessages(conversations[0] as ImportedConversation);
    expect(own.map(short)).toEqual(['user: Which flour?', 'assistant: Spelt.']);
  });

  describe('forked after a compaction, with words that come again and again', () => {
    const event = (at: number, type: string, payload: unknown = {}) => ({
      timestamp: kimi.T0 + at,
      message: { type, payload },
    });
    const text = (words: string) => ({ type: 'text', text: words });
    const turn = (at: number, ...inside: unknown[]) => [
      event(at, 'TurnBegin', { user_input: 'continue' }),
      event(at, 'StepBegin', { n: 1 }),
      ...inside,
      event(at + 8, 'TurnEnd'),
    ];
    const wire = [
      { type: 'metadata', protocol_version: '1.10' },
      ...turn(0, event(1, 'ContentPart', text('one'))),
      ...turn(
        10,
        event(11, 'ToolCall', { type: 'function', id: 'w1', function: { name: 'Shell', arguments: '{}' } }),
        event(12, 'ToolResult', { tool_call_id: 'w1', return_value: { is_error: false, output: 'found' } }),
        event(13, 'StepBegin', { n: 2 }),
        event(14, 'ContentPart', text('two')),
        event(15, 'CompactionBegin'),
        event(16, 'CompactionEnd'),
      ),
      ...turn(30, event(31, 'ContentPart', text('ok'))),
      ...turn(40, event(41, 'ContentPart', text('four'))),
    ];
    const context = (...lines: unknown[]) =>
      jsonl(
        { role: '_checkpoint', id: 0 },
        { role: 'user', content: [text(kimi.SUMMARY), text('They went on.')] },
        { role: 'assistant', content: 'two' },
        ...lines,
      );
    const read = async (...lines: unknown[]) => {
      const files = { 'context.jsonl': context(...lines), 'wire.jsonl': jsonl(...wire) };
      const { conversations } = await readAll(kimiCli, sourceOf('s', files));
      const all = conversations[0]?.messages ?? [];
      const timed = (list: readonly ImportedMessage[]) =>
        list.map((m) => `${(m.createdAt - T0) / 1000} ${short(m)}`);
      const own = shownMessages(conversations[0] as ImportedConversation);
      return { line: timed(own), lost: timed(all.filter((message) => !own.includes(message))) };
    };
    const again = { role: 'user', content: 'continue' };
    const folded = [
      '0 user: continue',
      '1 assistant: one',
      '10 user: continue',
      '11 assistant: tool-call',
      '12 tool: tool-result',
    ];

    it('has the times of the last of them, and loses nothing of the others', async () => {
      const { line, lost } = await read(again, { role: 'assistant', content: 'ok' }, again, {
        role: 'assistant',
        content: 'four',
      });
      expect(line).toEqual([
        '16 (compaction)',
        '14 assistant: two',
        '30 user: continue',
        '31 assistant: ok',
        '40 user: continue',
        '41 assistant: four',
      ]);
      expect(lost).toEqual(folded);
    });

    it('takes those nearest to what is certain where the wire goes on behind it', async () => {
      const { line, lost } = await read(again, { role: 'assistant', content: 'ok' });
      expect(line).toEqual(['16 (compaction)', '14 assistant: two', '30 user: continue', '31 assistant: ok']);
      expect(lost).toEqual([...folded, '40 user: continue', '41 assistant: four']);
    });
  });

  it('makes a subagent a conversation of its own, linked to the call that started it', async () => {
    const { of } = await home();
    const child = of(`${kimi.PARENT}/a1b2c3`);
    const caller = of(kimi.PARENT).messages.find((m) => m.parts.some((part) => part.type === 'tool-call'));
    expect(child.parent).toEqual({ sourceId: kimi.PARENT, messageSourceId: caller?.sourceId });
    expect(child.meta).toMatchObject({ title: 'Bug hunt', workDir: '/proj/demo' });
    expect(child.messages.map((message) => message.createdAt)).toEqual([T0 + 2_000, T0 + 3_000]);
  });

  it('reads a session whatever the folders above it are called, and skips what lies beside it', async () => {
    const session = (at: string) => ({
      [`${at}/context.jsonl`]: jsonl({ role: 'user', content: `said in ${at}` }),
      [`${at}/tasks/t1/context.jsonl`]: jsonl({ role: 'user', content: 'of a task' }),
    });
    const { conversations } = await readAll(
      kimiCli,
      sourceOf('logs', {
        ...session(`logs/${kimi.SESSIONS.dmail}`),
        ...session(`logs/plans/.kimi/sessions/${kimi.BUCKET}/${kimi.SESSIONS.forked}`),
        'logs/plans/.kimi/logs/context.jsonl': jsonl({ role: 'user', content: 'a log' }),
      }),
    );
    expect(conversations.map(({ messages }) => messages.map(textOf).join())).toEqual([
      `said in logs/${kimi.SESSIONS.dmail}`,
      `said in logs/plans/.kimi/sessions/${kimi.BUCKET}/${kimi.SESSIONS.forked}`,
    ]);
  });

  it('claims what lies beside a session whatever the folders above it are called', async () => {
    const at = `logs/plans/${kimi.SESSIONS.dmail}`;
    const { files } = sourceOf('logs', {
      [`${at}/context.jsonl`]: jsonl({ role: 'user', content: 'said' }),
      [`${at}/tasks/t1/output.log`]: 'of a task',
      [`${at}/uploads/plans/cat.png`]: 'a cat',
      [`${at}/subagents/a1/notes.txt`]: 'of a subagent',
      'logs/plans/letter.txt': 'of nobody',
    });
    const { own } = await kimiCli.claim(files, new AbortController().signal);
    expect(own.map(({ path }) => path)).toEqual(files.slice(0, 4).map(({ path }) => path));
  });

  it('reads sessions of the time before folders', async () => {
    const legacy = (await home()).of(kimi.SESSIONS.legacy);
    expect(legacy.messages.map(short)).toEqual(['user: old question', 'assistant: old answer']);
    expect(legacy.messages[0]?.createdAt).toBe(T0 + 900_000);
  });

  it('knows a session by its id, whichever way it comes', async () => {
    const ways = [
      sourceOf(
        's',
        Object.fromEntries(
          Object.entries(kimi.dmailSession).map(([k, v]) => [`${kimi.SESSIONS.dmail}/${k}`, v]),
        ),
      ),
      await openZip(await zipFile('renamed.zip', kimi.exportedZip), new AbortController().signal),
      await openZip(
        await zipFile(`session-${kimi.SESSIONS.dmail}.zip`, kimi.dmailSession),
        new AbortController().signal,
      ),
    ];
    const [whole] = [(await home()).of(kimi.SESSIONS.dmail)];
    for (const source of ways) {
      const { conversations } = await readAll(kimiCli, source);
      expect(conversations.map((c) => c.source.id)).toEqual([kimi.SESSIONS.dmail]);
      expect(conversations[0]?.messages.map((m) => m.sourceId)).toEqual(
        whole.messages.map((m) => m.sourceId),
      );
    }
  });

  it('gives what was there the same ids when the session has gone on', async () => {
    const early = { 'context.jsonl': kimi.compactedSession['context_1.jsonl'] as string };
    const before = await readAll(kimiCli, sourceOf(kimi.SESSIONS.compacted, early));
    const after = await readAll(kimiCli, sourceOf(kimi.SESSIONS.compacted, kimi.compactedSession));
    const ids = new Set(after.conversations[0]?.messages.map((message) => message.sourceId));
    for (const message of before.conversations[0]?.messages ?? []) expect(ids).toContain(message.sourceId);
  });

  describe('of one session', () => {
    const ask = { role: 'user', content: 'ask' };
    const answer = { role: 'assistant', content: 'answer' };
    const wire = (...lines: readonly unknown[]) => ({ 'wire.jsonl': jsonl(...lines) });
    const event = (at: number, type: string, payload: unknown) => ({
      timestamp: kimi.T0 + at,
      message: { type, payload },
    });
    const read = async (files: Readonly<Record<string, string>>) => {
      const { conversations, skipped } = await readAll(
        kimiCli,
        sourceOf('s', { 'context.jsonl': jsonl(ask, answer), ...files }, T0 + 900_000),
      );
      return { one: conversations[0] as ImportedConversation, skipped };
    };

    it.each<[string, Record<string, string>, object]>([
      [
        'kept as before schemas',
        { 'metadata.json': '{"title":"Old","archived":true}' },
        { title: 'Old', archived: true },
      ],
      [
        'kept both ways, the newer one',
        { 'state.json': '{"custom_title":"New"}', 'metadata.json': '{"title":"Old"}' },
        { title: 'New' },
      ],
      [
        'damaged, then what was kept before',
        { 'state.json': '{ broken', 'metadata.json': '{"title":"Old"}' },
        { title: 'Old' },
      ],
      ['of other types', { 'state.json': '{"custom_title":7,"archived":"no"}' }, { archived: false }],
      ['a list', { 'state.json': '[1]' }, { archived: false }],
    ])('takes title and flag from its state: %s', async (_, files, meta) => {
      const { one, skipped } = await read(files);
      expect(one.meta).toMatchObject(meta);
      expect(one.messages.map(short)).toEqual(['user: ask', 'assistant: answer']);
      expect(skipped).toEqual({});
    });

    it('is read without a wire, with the time of its file', async () => {
      const { one, skipped } = await read({});
      expect(one.messages.map(({ createdAt }) => createdAt)).toEqual([T0 + 900_000, T0 + 900_000]);
      expect(skipped).toEqual({});
    });

    it('goes on behind lines of the wire that are none, and counts each', async () => {
      const { one, skipped } = await read(
        wire(
          { type: 'metadata' },
          event(1, 'TurnBegin', { user_input: 'ask' }),
          '{"timestamp": 1750000002, "mess',
          '',
          '[]',
          '7',
          { timestamp: kimi.T0 + 2 },
          event(3, 'OfTheFuture', {}),
          event(4, 'ContentPart', { type: 'text', text: 'answer' }),
        ),
      );
      expect(one.messages.map(({ createdAt }) => createdAt - T0)).toEqual([1_000, 4_000]);
      expect(skipped).toEqual({ 'malformed-line': 4 });
    });

    it('has what its rotations have where the file in use is gone', async () => {
      const { conversations } = await readAll(
        kimiCli,
        sourceOf('s', { 'context_2.jsonl': jsonl(ask, answer), 'context_1.jsonl': jsonl(ask) }),
      );
      expect(conversations.map(shown)).toEqual([['user: ask', 'assistant: answer']]);
    });

    it('reads its rotations in the order of their numbers', async () => {
      const times = Array.from({ length: 11 }, (_, n) => [
        `context_${n + 1}.jsonl`,
        jsonl({ role: '_system_prompt', content: 'x' }, { role: 'user', content: `talk ${n + 1}` }),
      ]);
      const { one } = await read(Object.fromEntries(times.reverse()));
      expect(one.messages.map((message) => textOf(message))).toEqual([
        ...Array.from({ length: 11 }, (_, n) => `talk ${n + 1}`),
        'ask',
        'answer',
      ]);
      expect(shown(one)).toEqual(['user: ask', 'assistant: answer']);
    });
  });

  it('refuses bytes that are no text', async () => {
    const bytes = Uint8Array.from({ length: 200 }, (_, at) => at % 7);
    await expect(readAll(kimiCli, sourceOf('x', { 'context.jsonl': bytes }))).rejects.toMatchObject({
      problem: { code: 'import-binary' },
    });
  });
});

describe('a kimi-code session', () => {
  const wire = [
    '{"type":"metadata","protocol_version":"1.5","created_at":1750000000000}',
    '{"type":"context.append_message","time":1750000000001,"message":{"role":"user","content":[{"type":"text","text":"hello"}]}}',
  ].join('\n');
  const never = new AbortController().signal;

  it.each([
    ['its folder', { 'ses_1/state.json': '{"title":"x"}', 'ses_1/agents/main/wire.jsonl': wire }],
    ['one agent', { 'main/wire.jsonl': wire, 'main/state.json': '{}' }],
    ['the file alone', { 'wire.jsonl': wire }],
  ])('is no damaged session of kimi-cli: %s', async (_, files) => {
    const source = sourceOf('dropped', files);
    expect(await kimiCli.sniff(source, never)).toBe(0);
    const { pieces } = await recognise(source, IMPORTERS, never);
    expect(pieces.map(({ importer }) => importer.id)).toEqual(['messages']);
  });

  it('is named as one if it holds no message', async () => {
    const source = sourceOf('dropped', { 'wire.jsonl': wire.split('\n', 1)[0] as string });
    await expect(recognise(source, IMPORTERS, never)).rejects.toMatchObject({
      problem: { code: 'import-kimi-code' },
    });
  });
});

it('takes one part that stands outside a list, and arguments that are an object', async () => {
  const { conversations, skipped } = await readAll(
    kimiCli,
    sourceOf('context.jsonl', {
      'context.jsonl': jsonl(
        { role: 'user', content: { text: 'look it up' } },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c', function: { name: 'f', arguments: { a: 'b' } } }],
        },
      ),
    }),
  );
  expect(conversations[0]?.messages.map(({ parts }) => parts)).toEqual([
    [{ type: 'text', text: 'look it up' }],
    [{ type: 'tool-call', callId: 'c', name: 'f', arguments: '{"a":"b"}' }],
  ]);
  expect(skipped).toEqual({});
});
