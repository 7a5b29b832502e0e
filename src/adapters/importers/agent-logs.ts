// Logs of coding agents, as lists of messages that `message-lists.ts` reads: Claude Code, Codex, Gemini CLI, OpenCode,
// Copilot Chat. Their formats are internal to those tools: any other record is bookkeeping, which is passed over.
import { isFields } from '../../domain/base/json.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A conversation in the shape that lists of messages have. */
interface Session {
  readonly id: string | undefined;
  readonly title?: string | undefined;
  readonly messages: readonly unknown[];
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const listOf = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.filter(isFields) : []);
const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

/**
 * Reads the sessions in a log, or in a document, of an agent, and behind them the records that are damaged, as text;
 * undefined if the records are of no agent known here.
 */
export function sessionsIn(records: readonly unknown[]): readonly (Session | string)[] | undefined {
  const all = records.filter(isFields);
  const lost = records.filter((record) => typeof record === 'string');
  for (const read of [claudeCode, codex, geminiCli, openCode, copilotChat]) {
    const sessions = read(all)?.filter(({ messages }) => messages.length > 0);
    if (sessions && sessions.length > 0) return [...sessions, ...lost];
  }
  return undefined;
}

// ------------------------------------------------------------------------------------------------ Claude Code
const isClaudeCode = (record: Fields): boolean =>
  (record.type === 'user' || record.type === 'assistant') &&
  'uuid' in record &&
  'sessionId' in record &&
  isFields(record.message);

function claudeCode(records: readonly Fields[]): Session[] | undefined {
  if (!records.some(isClaudeCode)) return undefined;
  const parents = new Map(
    records.map((record) => [textOf(record.uuid), textOf(record.parentUuid ?? record.logicalParentUuid)]),
  );
  const said = records.filter(isClaudeCode);
  const ids = new Set(said.map(({ uuid }) => textOf(uuid)));
  /** The nearest message above: records that are none stand in between. */
  const parentOf = (record: Fields): string | undefined => {
    let at = parents.get(textOf(record.uuid));
    for (let steps = 0; at && !ids.has(at) && steps < records.length; steps += 1) at = parents.get(at);
    return at || undefined;
  };
  const title = [...records].reverse().flatMap((record) => {
    const name = textOf(record.customTitle ?? record.aiTitle ?? record.title ?? record.summary);
    return name !== '' && /title|summary/.test(textOf(record.type)) ? [name] : [];
  })[0];
  const sessions = new Map<string, unknown[]>();
  for (const record of said) {
    const side = record.isSidechain === true ? `/${textOf(record.agentId) || 'sidechain'}` : '';
    const id = `${textOf(record.sessionId)}${side}`;
    const message = fieldsOf(record.message);
    const isWritten = record.isMeta === true || record.isCompactSummary === true;
    const one = {
      role: isWritten ? 'system' : record.type,
      content: message.content,
      id: record.uuid,
      parentId: parentOf(record),
      timestamp: record.timestamp,
      ...(typeof message.model === 'string' ? { model: message.model } : {}),
    };
    sessions.set(id, [...(sessions.get(id) ?? []), one]);
  }
  return [...sessions].map(([id, messages]) => ({
    id,
    title: id.includes('/') ? undefined : title,
    messages,
  }));
}

// ------------------------------------------------------------------------------------------------ Codex
const CODEX_ITEM =
  /^(?:message|reasoning|function_call|function_call_output|custom_tool_call|custom_tool_call_output|local_shell_call)$/;
/** Texts that Codex writes in the person's name. */
const SCAFFOLDING =
  /^\s*(?:<(?:environment_context|user_instructions|permissions instructions|INSTRUCTIONS)|# AGENTS\.md instructions)/;

function codex(records: readonly Fields[]): Session[] | undefined {
  const meta = records.find(({ type }) => type === 'session_meta');
  const isOld =
    meta === undefined && records.slice(0, 3).some((one) => 'instructions' in one && 'timestamp' in one);
  if (meta === undefined && !isOld && !records.some(({ type }) => type === 'response_item')) return undefined;
  const given = fieldsOf(meta?.payload ?? records[0]);
  let model: unknown;
  const messages: unknown[] = [];
  for (const record of records) {
    const payload = fieldsOf(record.payload);
    if (record.type === 'turn_context') model = payload.model ?? model;
    const item = record.type === 'response_item' ? payload : isOld ? record : undefined;
    if (!item || !CODEX_ITEM.test(textOf(item.type))) continue;
    const message = codexMessage(item);
    if (message) messages.push({ ...message, timestamp: record.timestamp, ...(model ? { model } : {}) });
  }
  if (messages.length > 0) return [{ id: textOf(given.id) || undefined, messages }];
  // Some logs hold only the events.
  const events = records.flatMap(({ type, timestamp, payload }) => {
    const event = fieldsOf(payload);
    const role = { user_message: 'user', agent_message: 'assistant' }[textOf(event.type)];
    return type === 'event_msg' && role ? [{ role, content: event.message, timestamp }] : [];
  });
  return [{ id: textOf(given.id) || undefined, messages: events }];
}

function codexMessage(item: Fields): Fields | undefined {
  const type = textOf(item.type);
  if (type === 'message') {
    const [first] = listOf(item.content);
    const isWritten = item.role === 'developer' || SCAFFOLDING.test(textOf(first?.text ?? item.content));
    return { role: isWritten ? 'system' : item.role, content: item.content };
  }
  if (type === 'reasoning') {
    const thinking = [...listOf(item.summary), ...listOf(item.content)]
      .map(({ text }) => textOf(text))
      .join('\n\n');
    return thinking.trim() === ''
      ? undefined
      : { role: 'assistant', content: [{ type: 'thinking', thinking }] };
  }
  if (type.endsWith('_output')) {
    const { output } = item;
    const content = isFields(output) && typeof output.content === 'string' ? output.content : output;
    return {
      role: 'tool',
      tool_call_id: item.call_id,
      content: typeof content === 'string' ? content : JSON.stringify(content ?? ''),
    };
  }
  const name = textOf(item.name) || 'shell';
  const input = item.arguments ?? item.input ?? item.action;
  return {
    role: 'assistant',
    tool_calls: [{ id: item.call_id ?? item.id, function: { name, arguments: input } }],
  };
}

// ------------------------------------------------------------------------------------------------ Gemini CLI
function geminiCli(records: readonly Fields[]): Session[] | undefined {
  const meta = records.find(
    (record) => 'sessionId' in record && 'startTime' in record && 'projectHash' in record,
  );
  if (!meta) return undefined;
  let path: Fields[] = [];
  const kept = new Map<string, Fields>();
  const parents = new Map<string, string | undefined>();
  const say = (record: Fields) => {
    const id = textOf(record.id);
    // The same message is written again as it grows: the last one counts.
    kept.set(id, record);
    if (path.some((one) => one.id === id)) return;
    parents.set(id, path.at(-1)?.id as string | undefined);
    path.push(record);
  };
  let title = textOf(meta.summary);
  for (const record of records) {
    const set = fieldsOf(record.$set);
    title = textOf(set.summary) || title;
    for (const message of [...listOf(record.messages), ...listOf(set.messages)]) say(message);
    // Messages behind it remain as a branch.
    const rewound = path.findIndex(({ id }) => id === record.$rewindTo);
    if ('$rewindTo' in record) path = path.slice(0, Math.max(0, rewound));
    if (typeof record.id === 'string' && /^(?:user|gemini|info|error|warning)$/.test(textOf(record.type)))
      say(record);
  }
  const messages = [...kept.values()].flatMap((record) =>
    geminiMessages(record, parents.get(textOf(record.id))),
  );
  return [{ id: textOf(meta.sessionId), title: title || undefined, messages }];
}

function geminiMessages(record: Fields, parentId: string | undefined): Fields[] {
  const role = { user: 'user', gemini: 'assistant' }[textOf(record.type)] ?? 'system';
  const thoughts = listOf(record.thoughts).map((one) => ({
    type: 'thinking',
    thinking: [one.subject, one.description].filter((text) => typeof text === 'string').join(': '),
  }));
  const calls = listOf(record.toolCalls).map((call) => ({
    ...{ type: 'tool-invocation', toolCallId: call.id, toolName: call.name, args: call.args },
    ...(call.result === undefined ? {} : { result: call.result }),
  }));
  const words =
    typeof record.content === 'string' ? [{ type: 'text', text: record.content }] : listOf(record.content);
  const content = [...thoughts, ...words, ...calls];
  return [{ role, id: record.id, parentId, content, timestamp: record.timestamp, model: record.model }];
}

// ------------------------------------------------------------------------------------------------ OpenCode
function openCode([document, ...rest]: readonly Fields[]): Session[] | undefined {
  const info = fieldsOf(document?.info);
  if (rest.length > 0 || !/^ses/.test(textOf(info.id)) || !Array.isArray(document?.messages))
    return undefined;
  const messages = listOf(document.messages).map((message) => {
    const about = fieldsOf(message.info);
    const content = listOf(message.parts).flatMap((part): Fields[] => {
      const state = fieldsOf(part.state);
      const result = state.output ?? state.error;
      if (part.type === 'tool')
        return [
          {
            ...{ type: 'tool-invocation', toolCallId: part.callID, toolName: part.tool, args: state.input },
            ...(result === undefined ? {} : { result }),
          },
        ];
      return /^(?:text|reasoning|file)$/.test(textOf(part.type)) ? [{ ...part, mediaType: part.mime }] : [];
    });
    const { created } = fieldsOf(about.time);
    return { role: about.role, id: about.id, content, timestamp: created, model: about.modelID };
  });
  return [{ id: textOf(info.id), title: textOf(info.title) || undefined, messages }];
}

// ------------------------------------------------------------------------------------------------ Copilot Chat
function copilotChat([document, ...rest]: readonly Fields[]): Session[] | undefined {
  if (rest.length > 0 || !Array.isArray(document?.requests) || !('responderUsername' in document))
    return undefined;
  const messages = listOf(document.requests).flatMap((request) => {
    const answer = listOf(request.response)
      .map((one) => textOf(one.value) || textOf(fieldsOf(one.content).value))
      .join('');
    const { timestamp } = request;
    const asked = { role: 'user', content: textOf(fieldsOf(request.message).text), timestamp };
    return answer === '' ? [asked] : [asked, { role: 'assistant', content: answer, timestamp }];
  });
  return [
    {
      id: textOf(document.sessionId) || undefined,
      title: textOf(document.customTitle) || undefined,
      messages,
    },
  ];
}

// ------------------------------------------------------------------------------------------------ aider
const STARTED = /^# aider chat started at (.+)$/;

/** Reads aider's history, one file for all sessions: `#### ` is what the person said, `> ` what the tool said. */
export function aiderSessions(text: string): readonly Session[] {
  const sessions: { id: string; created: string; messages: { role: string; content: string }[] }[] = [];
  for (const line of text.split(/\r\n|\n|\r/)) {
    const started = STARTED.exec(line)?.[1]?.trim();
    if (started !== undefined) {
      const before = sessions.filter(({ created }) => created === started).length;
      const id = `aider ${started}${before === 0 ? '' : `#${before}`}`;
      sessions.push({ id, created: started, messages: [] });
      continue;
    }
    const messages = sessions.at(-1)?.messages;
    const [role, content] = line.startsWith('#### ')
      ? ['user', line.slice(5)]
      : /^> ?/.test(line)
        ? ['system', line.replace(/^> ?/, '')]
        : ['assistant', line];
    const last = messages?.at(-1);
    if (last && (last.role === role || line.trim() === '')) last.content += `\n${content}`;
    else if (content.trim() !== '') messages?.push({ role, content });
  }
  return sessions.map(({ messages, ...session }) => ({
    ...session,
    messages: messages.map(({ role, content }) => ({ role, content: content.trim() })),
  }));
}
