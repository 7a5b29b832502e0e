// The importer takes what only a kimi-cli session's wire has: once, at its place, or counted as skipped.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ImportedConversation, ImportedMessage } from '../../../src/adapters/importers/importer.ts';
import { kimiCli } from '../../../src/adapters/importers/kimi-cli.ts';
import { asConversationId } from '../../../src/domain/base/ids.ts';
import type { Conversation } from '../../../src/domain/chat/conversation.ts';
import { type Message, textOf } from '../../../src/domain/chat/message.ts';
import { applyChange, planImport } from '../../../src/services/library/import-plan.ts';
import { type Contents, jsonl, sourceOf } from '../../fixtures/files.ts';
import { SUMMARY, T0 } from '../../fixtures/kimi-cli.ts';
import {
  answerLine,
  asked,
  call,
  event,
  result,
  text,
  think,
  toolLine,
  turnsArbitrary,
  userLine,
  whole,
  written,
} from '../../fixtures/kimi-wire.ts';
import { runs } from '../../scale.ts';
import { readAll } from '../../suites/importer.suite.ts';

async function read(files: Record<string, Contents>) {
  const { conversations, skipped } = await readAll(kimiCli, sourceOf('session-s.zip', files));
  return { conversation: conversations[0], conversations, skipped };
}

const ID = asConversationId('00000000-0000-7000-8000-000000000000');

/** The library after an import, and what that changed. */
function imported(conversation: ImportedConversation | undefined, existing?: Conversation) {
  if (!conversation) return { library: existing, state: 'unchanged', messages: [] };
  const plan = planImport(conversation, { id: ID, existing, parent: null });
  return {
    library: applyChange(ID, existing, plan.change),
    state: plan.state,
    messages: plan.change.messages ?? [],
  };
}

/** The content of a message, in the notation of the generator. */
function saidIn(message: Message | ImportedMessage): string[] {
  if (message.kind === 'note' || message.copyOf !== undefined) return [];
  const words = message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  return [
    ...(words === '' ? [] : [`${message.role === 'user' ? 'user' : 'text'} ${words}`]),
    ...message.parts.flatMap((part) => {
      if (part.type === 'reasoning') return [`think ${part.text}`];
      if (part.type === 'tool-call') return [`call ${part.callId}`];
      return part.type === 'tool-result' ? [`result ${part.callId}`] : [];
    }),
  ];
}

/** From the root to a message. */
function lineTo<M extends Message | ImportedMessage>(messages: Iterable<M>, head: string | null): M[] {
  const byId = new Map<string, M>([...messages].map((message) => [message.id, message]));
  const line: M[] = [];
  for (let at = byId.get(head ?? ''); at && line.length <= byId.size; at = byId.get(at.parentId ?? ''))
    line.unshift(at);
  return line;
}

const short = (message: ImportedMessage) =>
  `${message.role}: ${textOf(message) || message.parts.map((part) => part.type).join('+')}${message.finish ? ` (${message.finish})` : ''}`;
const lineOf = (conversation: ImportedConversation | undefined) =>
  lineTo(conversation?.messages ?? [], conversation?.head ?? null).map(short);

describe('what stands in the wire alone', () => {
  it('is an answer that was stopped: in the line, between what was said before and after', async () => {
    const { conversation } = await read({
      'context.jsonl': jsonl(userLine('ask'), userLine('no, shorter'), answerLine('short')),
      'wire.jsonl': jsonl(
        ...asked(0, 'ask'),
        event(1, 'ContentPart', think('about it')),
        event(2, 'ContentPart', text('a long answ')),
        event(3, 'StepInterrupted'),
        ...asked(10, 'no, shorter'),
        event(11, 'ContentPart', text('short')),
        whole(12),
      ),
    });
    expect(lineOf(conversation)).toEqual([
      'user: ask',
      'assistant: a long answ (stopped)',
      'user: no, shorter',
      'assistant: short',
    ]);
  });

  it('is an answer that a crash kept out of the context', async () => {
    const wire = [...asked(0, 'ask'), event(1, 'ContentPart', text('all of it'))];
    const ended = await read({ 'context.jsonl': jsonl(userLine('ask')), 'wire.jsonl': jsonl(...wire) });
    expect(lineOf(ended.conversation)).toEqual(['user: ask', 'assistant: all of it']);
    const gone = await read({
      'context.jsonl': jsonl(userLine('ask'), userLine('again'), answerLine('here it is')),
      'wire.jsonl': jsonl(
        ...wire,
        ...asked(10, 'again'),
        event(11, 'ContentPart', text('here it is')),
        whole(12),
      ),
    });
    expect(lineOf(gone.conversation)).toEqual([
      'user: ask',
      'assistant: all of it (cut)',
      'user: again',
      'assistant: here it is',
    ]);
  });

  it('is a call with its result, and one of the results of an answer', async () => {
    const { conversation } = await read({
      'context.jsonl': jsonl(
        userLine('ask'),
        answerLine('I look', call('c1'), call('c2')),
        toolLine('c1', 'one'),
        userLine('and?'),
        answerLine('done'),
      ),
      'wire.jsonl': jsonl(
        ...asked(0, 'ask'),
        event(1, 'ContentPart', text('I look')),
        event(2, 'ToolCall', call('c1')),
        event(3, 'ToolCall', call('c2')),
        whole(4),
        event(5, 'ToolResult', result('c2', 'two')),
        event(6, 'ToolResult', result('c1', 'one')),
        event(7, 'StepBegin', { n: 2 }),
        event(8, 'ToolCall', call('c3')),
        event(9, 'ToolResult', result('c3', 'three')),
        event(10, 'StepInterrupted'),
        ...asked(20, 'and?'),
        event(21, 'ContentPart', text('done')),
        whole(22),
      ),
    });
    const line = lineTo(conversation?.messages ?? [], conversation?.head ?? null);
    expect(line.flatMap(saidIn)).toEqual([
      'user ask',
      'text I look',
      'call c1',
      'call c2',
      'result c2',
      'result c1',
      'call c3',
      'result c3',
      'user and?',
      'text done',
    ]);
  });

  it('is a question asked aside, with its answer: a branch that leaves the line as it is', async () => {
    const { conversation } = await read({
      'context.jsonl': jsonl(userLine('ask'), answerLine('an answer')),
      'wire.jsonl': jsonl(
        ...asked(0, 'ask'),
        event(1, 'ContentPart', text('an ')),
        event(2, 'BtwBegin', { id: 'b', question: 'by the way?' }),
        event(3, 'BtwEnd', { id: 'b', response: 'yes', error: null }),
        event(4, 'ContentPart', text('answer')),
        whole(5),
      ),
    });
    expect(lineOf(conversation)).toEqual(['user: ask', 'assistant: an answer']);
    const response = conversation?.messages.find((message) => textOf(message) === 'yes');
    expect(
      lineTo(conversation?.messages ?? [], response?.id ?? null)
        .map(short)
        .slice(-2),
    ).toEqual(['user: by the way?', 'assistant: yes']);
  });

  it('is a plan, unless it stands in a call or an answer as well', async () => {
    const plans = async (...more: unknown[]) => {
      const { conversation } = await read({
        'context.jsonl': jsonl(userLine('ask')),
        'wire.jsonl': jsonl(
          ...asked(0, 'ask'),
          ...more,
          event(5, 'PlanDisplay', { content: '1. Look\n2. Mend', file_path: 'plan.md' }),
        ),
      });
      return conversation?.messages.filter((message) => textOf(message).includes('1. Look')).length;
    };
    expect(await plans()).toBe(1);
    expect(await plans(event(1, 'ContentPart', text('Here it is: 1. Look\n2. Mend')))).toBe(1);
    const args = JSON.stringify({ content: '1. Look\n2. Mend' });
    const write = { ...call('c1'), function: { name: 'WriteFile', arguments: args } };
    expect(await plans(event(1, 'ToolCall', write))).toBe(0);
  });

  it('counts an attempt that broke off and was begun again', async () => {
    const { conversation, skipped } = await read({
      'context.jsonl': jsonl(
        userLine('ask'),
        answerLine('an answer'),
        userLine('more'),
        answerLine('of another, longer answer'),
      ),
      'wire.jsonl': jsonl(
        ...asked(0, 'ask'),
        event(1, 'ContentPart', text('an ans')),
        event(2, 'StepRetry', { n: 1, next_attempt: 2 }),
        event(3, 'ContentPart', text('an answer')),
        // Without that event both messages are one.
        ...asked(10, 'more'),
        event(11, 'ContentPart', text('of anoof another, longer answer')),
      ),
    });
    expect(lineOf(conversation)).toEqual([
      'user: ask',
      'assistant: an answer',
      'user: more',
      'assistant: of another, longer answer',
    ]);
    expect(skipped['broken-attempt']).toBe(2);
  });

  it('is no command: the context has what it told the model', async () => {
    const { conversation } = await read({
      'context.jsonl': jsonl(userLine('You know all about tides. high water today'), answerLine('at noon')),
      'wire.jsonl': jsonl(
        ...asked(7, '/skill:tides high water today'),
        event(8, 'ContentPart', text('at noon')),
      ),
    });
    expect(lineOf(conversation)).toHaveLength(2);
    expect(conversation?.messages[0]?.createdAt).toBe((T0 + 7) * 1000);
  });

  it.each([
    ['', { parent_tool_call_id: 'c1', agent_id: 'a1' }],
    [', named by its call alone', { parent_tool_call_id: 'c1' }],
    [', in the first versions of the protocol', { task_tool_call_id: 'c1' }],
  ])('is a subagent of which no files were kept%s', async (_, names) => {
    const passed = (at: number, type: string, payload: unknown) =>
      event(at, 'SubagentEvent', { ...names, event: { type, payload } });
    const { conversations } = await read({
      'context.jsonl': jsonl(userLine('ask'), answerLine('', call('c1', 'Task')), toolLine('c1', 'found')),
      'wire.jsonl': jsonl(
        ...asked(0, 'ask'),
        event(1, 'ToolCall', call('c1', 'Task')),
        passed(2, 'TurnBegin', { user_input: 'look for it' }),
        passed(3, 'ContentPart', text('here it is')),
        event(4, 'ToolResult', result('c1', 'found')),
      ),
    });
    expect(conversations.map(lineOf)[1]).toEqual(['user: look for it', 'assistant: here it is']);
  });

  it('is nothing of what is said again after a compaction in the same words', async () => {
    const old = [userLine('continue'), answerLine('one'), userLine('more'), answerLine('two')];
    const { conversation } = await read({
      'context_1.jsonl': jsonl(...old),
      'context.jsonl': jsonl(
        userLine([text(SUMMARY), text('They went on.')]),
        ...old.slice(2),
        userLine('continue'),
        answerLine('three'),
      ),
      'wire.jsonl': jsonl(
        ...[...asked(0, 'continue'), event(1, 'ContentPart', text('one'))],
        ...[...asked(10, 'more'), event(11, 'ContentPart', text('two'))],
        event(20, 'CompactionEnd'),
        ...[...asked(30, 'continue'), event(31, 'ContentPart', text('three'))],
      ),
    });
    const line = lineTo(conversation?.messages ?? [], conversation?.head ?? null);
    expect(line.map(({ createdAt, copyOf }) => [createdAt / 1000 - T0, copyOf !== undefined])).toEqual([
      [20, false],
      [10, true],
      [11, true],
      [30, false],
      [31, false],
    ]);
    expect(conversation?.messages).toHaveLength(9);
  });

  it('keeps the ids that versions before this gave to whole turns', async () => {
    const { conversation } = await read({
      'context.jsonl': jsonl(
        userLine('first'),
        answerLine('answer one'),
        userLine('third'),
        answerLine('answer three'),
      ),
      'wire.jsonl': jsonl(
        ...asked(0, 'first'),
        event(1, 'ContentPart', text('answer one')),
        ...asked(10, 'second'),
        event(11, 'ContentPart', text('answ')),
        event(12, 'StepRetry', { n: 1, next_attempt: 2 }),
        event(13, 'ContentPart', text('answer two')),
        event(14, 'ToolCall', call('c1')),
        event(15, 'ToolResult', result('c1', 'found')),
        event(16, 'StepBegin', { n: 2 }),
        event(17, 'ContentPart', text('it is found')),
        ...asked(20, 'third'),
        event(21, 'ContentPart', text('answer three')),
      ),
    });
    expect(conversation?.messages.map(({ sourceId }) => sourceId)).toEqual([
      '8546adb642dd36ad21872b54067efa09',
      '77096a986f9898df23fd72205888c231',
      // Only the wire has these.
      'b97bc6a06cec29658f14c8f3ca7d3966',
      'f10a490f539d93afb3bb1e2af263834d',
      '2c68e6b2fef83dbc165b301b777746ef',
      '3105cf753d70b5ec784ced7774702916',
      '3f1a3512c2e51e6ef435560d8da3366e',
      '1621b3ecc4f1188707a7723a6c62d59d',
    ]);
  });

  it('is the same message when the context has it later, and whole then', async () => {
    const wire = [...asked(0, 'ask'), event(1, 'ContentPart', text('I look'))];
    const early = await read({ 'context.jsonl': jsonl(userLine('ask')), 'wire.jsonl': jsonl(...wire) });
    const late = await read({
      'context.jsonl': jsonl(userLine('ask'), answerLine('I look', call('c1')), toolLine('c1', 'found')),
      'wire.jsonl': jsonl(
        ...wire,
        event(2, 'ToolCall', call('c1')),
        whole(3),
        event(4, 'ToolResult', result('c1', 'found')),
      ),
    });
    const before = imported(early.conversation).library;
    const { library, messages } = imported(late.conversation, before);
    expect(messages.map(({ role }) => role)).toEqual(['tool']);
    expect([...(library?.messages.values() ?? [])].flatMap(saidIn)).toEqual([
      'user ask',
      'text I look',
      'call c1',
      'result c1',
    ]);
  });
});

describe('any session (property)', () => {
  it('has all that was said once where it was forked, so that what was compacted is in no file', async () => {
    await fc.assert(
      fc.asyncProperty(turnsArbitrary, async (turns) => {
        const session = written(turns);
        const { 'context.jsonl': context = '', 'wire.jsonl': wire = '' } = session.filesAt(session.lines);
        const { conversation } = await read({ 'context.jsonl': context, 'wire.jsonl': wire });
        expect((conversation?.messages ?? []).flatMap(saidIn).sort()).toEqual([...session.said].sort());
      }),
      { numRuns: runs(200, 50) },
    );
  });

  it('has all that was said once or counts it, in a tree whose times go on', async () => {
    await fc.assert(
      fc.asyncProperty(turnsArbitrary, async (turns) => {
        const session = written(turns);
        const { conversation, skipped } = await read(session.filesAt(session.lines));
        const messages = conversation?.messages ?? [];
        expect(messages.flatMap(saidIn).sort()).toEqual([...session.said].sort());
        expect(skipped['broken-attempt'] ?? 0).toBe(session.leftOut.attempts);
        expect(skipped['interface-text'] ?? 0).toBe(session.leftOut.shown);

        const seen = new Set<string | null>([null]);
        for (const { id, parentId } of messages) {
          expect(seen).toContain(parentId);
          expect(seen).not.toContain(id);
          seen.add(id);
        }
        expect(seen).toContain(conversation?.head ?? null);
        const line = lineTo(messages, conversation?.head ?? null).filter(
          ({ copyOf }) => copyOf === undefined,
        );
        const times = line.map(({ createdAt }) => createdAt);
        expect(times).toEqual(times.toSorted((a, b) => a - b));

        expect((await read(session.filesAt(session.lines))).conversation).toEqual(conversation);
      }),
      { numRuns: runs(300, 80) },
    );
  });

  it('gets only what is new, however early it was imported before', async () => {
    await fc.assert(
      fc.asyncProperty(turnsArbitrary, fc.array(fc.nat(), { maxLength: 3 }), async (turns, moments) => {
        const session = written(turns);
        const ends = moments.map((moment) => moment % (session.lines + 1)).sort((a, b) => a - b);
        let library: Conversation | undefined;
        for (const end of [...ends, session.lines]) {
          const before = [...(library?.messages.keys() ?? [])];
          library = imported((await read(session.filesAt(end))).conversation, library).library;
          expect([...(library?.messages.keys() ?? [])].slice(0, before.length)).toEqual(before);
        }
        const said = [...(library?.messages.values() ?? [])].flatMap(saidIn);
        // An earlier import could not know that an attempt would be retried.
        expect(said.filter((words) => !/^text attempt/.test(words)).sort()).toEqual([...session.said].sort());
        const again = imported((await read(session.filesAt(session.lines))).conversation, library);
        expect(again.state).toBe('unchanged');
      }),
      { numRuns: runs(200, 50) },
    );
  });
});
