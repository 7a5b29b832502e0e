// Logs of coding agents, as lists of messages that `message-lists.ts` reads: Claude Code, Codex, Gemini CLI, OpenCode,
// Copilot Chat, aider. Their formats are internal to those tools: any other record is bookkeeping, and passed over.
import { type Fields, fieldsOf, isFields, objectsOf, stringOf } from '../../domain/base/json.ts';
import { cline, goose, openCodePart, openCodePrinted, openHands, type Session, zed } from './editor-logs.ts';
import { messageOfItem } from './message-shapes.ts';
import { interactions, koboldLite } from './saved-turns.ts';

/**
 * Reads the sessions in a log, or in a document, of an agent, and behind them the records that are damaged, as text;
 * undefined if the records are of no agent known here. `title`: of a log that names none.
 */
export function sessionsIn(
  records: readonly unknown[],
  title?: string,
): readonly (Session | string)[] | undefined {
  const all = records.flat().filter(isFields);
  const lost = records.filter((record) => typeof record === 'string');
  for (const read of [
    claudeCode,
    codex,
    codexPrinted,
    geminiCli,
    openCode,
    copilotChat,
    promptHistory,
    kimiCode,
    cline,
    goose,
    zed,
    openHands,
    openCodePrinted,
    koboldLite,
    interactions,
    characterAi,
    telegram,
  ]) {
    const sessions = read(all)?.filter(({ messages }) => messages.length > 0);
    if (sessions && sessions.length > 0)
      return [
        ...(title === undefined ? sessions : sessions.map((one) => ({ ...one, title: one.title ?? title }))),
        ...lost,
      ];
  }
  return undefined;
}

// ------------------------------------------------------------------------------------------------ Claude Code
const isClaudeCode = (record: Fields): boolean =>
  /^(?:user|assistant|tool_result)$/.test(stringOf(record.type)) &&
  'uuid' in record &&
  'sessionId' in record &&
  isFields(record.message);

/** Reads a record of its own for words that a person typed while an answer was being written. */
const withQueued = (record: Fields): Fields => {
  const { type, prompt, commandMode } = fieldsOf(record.attachment);
  const isQueued = record.type === 'attachment' && type === 'queued_command';
  return isQueued && (commandMode === undefined || commandMode === 'prompt')
    ? { ...record, type: 'user', message: { role: 'user', content: prompt } }
    : record;
};

/** The text of a message that holds nothing else. */
function onlyText(content: unknown): string {
  const [block, ...others] = objectsOf(content);
  return typeof content === 'string' ? content : others.length === 0 ? stringOf(block?.text) : '';
}
const TYPED =
  /^\s{0,40}(?:<command-message>[^<]{0,200}<\/command-message>\s{0,40})?<command-name>([^<]{1,200})<\/command-name>/;
const ARGUMENTS = /<command-args>([^<]*)<\/command-args>/;
const SHELL = /^\s{0,40}<bash-input>([\s\S]*)<\/bash-input>\s{0,40}$/;
/** Texts that Claude Code writes in the person's name. */
const BY_CLAUDE_CODE =
  /^\s{0,40}<(?:local-command-\w{1,20}|bash-std\w{1,20}|task-notification|system-reminder)>/;

/** The role and the words of a message: a command as it was typed, and what came of it as nobody's words. */
function claudeCodeSaid(record: Fields): { readonly role: unknown; readonly content: unknown } {
  const message = fieldsOf(record.message);
  // Qwen Code has Gemini's form of a message within the same lines.
  const content = message.content ?? message.parts;
  const isWritten =
    record.isMeta === true || record.isCompactSummary === true || record.isApiErrorMessage === true;
  if (isWritten || record.type !== 'user')
    return { role: isWritten ? 'system' : record.type === 'tool_result' ? 'tool' : record.type, content };
  const text = onlyText(content);
  if (BY_CLAUDE_CODE.test(text)) return { role: 'system', content };
  const command = TYPED.exec(text)?.[1] ?? (SHELL.test(text) ? '!' : undefined);
  const given = (command === '!' ? SHELL : ARGUMENTS).exec(text)?.[1] ?? '';
  return { role: 'user', content: command === undefined ? content : `${command} ${given}`.trim() };
}

/** Stands where Claude Code itself answers. */
const NO_MODEL = '<synthetic>';

function claudeCode(given: readonly Fields[]): Session[] | undefined {
  if (!given.some(isClaudeCode)) return undefined;
  const records = given.map(withQueued);
  const parents = new Map(
    records.map((record) => [stringOf(record.uuid), stringOf(record.parentUuid ?? record.logicalParentUuid)]),
  );
  const said = records.filter(isClaudeCode);
  const ids = new Set(said.map(({ uuid }) => stringOf(uuid)));
  /** For each record that is no message, the nearest message above it. */
  const above = new Map<string, string | undefined>();
  const parentOf = (record: Fields): string | undefined => {
    const passed: string[] = [];
    let at = parents.get(stringOf(record.uuid));
    for (; at && !ids.has(at) && !above.has(at); at = parents.get(at)) {
      above.set(at, undefined);
      passed.push(at);
    }
    const found = at && (ids.has(at) ? at : above.get(at));
    for (const one of passed) above.set(one, found || undefined);
    return found || undefined;
  };
  const title = [...records].reverse().flatMap((record) => {
    const name = stringOf(record.customTitle ?? record.aiTitle ?? record.title ?? record.summary);
    return name !== '' && /title|summary/.test(stringOf(record.type)) ? [name] : [];
  })[0];
  const sessions = new Map<string, unknown[]>();
  for (const record of said) {
    const side = record.isSidechain === true ? `/${stringOf(record.agentId) || 'sidechain'}` : '';
    const id = `${stringOf(record.sessionId)}${side}`;
    const message = fieldsOf(record.message);
    const one = {
      ...claudeCodeSaid(record),
      id: record.uuid,
      parentId: parentOf(record),
      timestamp: record.timestamp,
      ...(typeof message.model === 'string' && message.model !== NO_MODEL ? { model: message.model } : {}),
    };
    const messages = sessions.get(id);
    if (messages) messages.push(one);
    else sessions.set(id, [one]);
  }
  return [...sessions].map(([id, messages]) => ({
    id,
    title: id.includes('/') ? undefined : title,
    messages,
  }));
}

// ------------------------------------------------------------------------------------------------ Codex
const CODEX_ITEM =
  /^(?:message|reasoning|function_call|function_call_output|custom_tool_call|custom_tool_call_output|local_shell_call|web_search_call)$/;
/** An item that `codex exec --json` prints. */
const codexItem = ({ type, text, command, aggregated_output: output, id }: Fields): Fields[] => {
  if (type === 'agent_message') return [{ role: 'assistant', content: text }];
  if (type === 'reasoning') return [{ role: 'assistant', content: [{ type: 'thinking', thinking: text }] }];
  if (type !== 'command_execution') return [];
  return [
    { role: 'assistant', tool_calls: [{ id, function: { name: 'shell', arguments: { command } } }] },
    { role: 'tool', tool_call_id: id, content: output },
  ];
};

function codexPrinted(records: readonly Fields[]): Session[] | undefined {
  const started = records.find(({ type }) => type === 'thread.started');
  if (!started) return undefined;
  const messages = records.flatMap(({ type, item }) =>
    type === 'item.completed' ? codexItem(fieldsOf(item)) : [],
  );
  return [{ id: stringOf(started.thread_id) || undefined, messages }];
}

/** Texts that Codex writes in the person's name. */
const SCAFFOLDING =
  /^\s*(?:<(?:environment_context|user_instructions|permissions instructions|INSTRUCTIONS|turn_aborted|user_shell_command|subagent_notification|skill)\b|# AGENTS\.md instructions)/;

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
    if (record.type === 'compacted')
      messages.push({ role: 'system', content: stringOf(payload.message), timestamp: record.timestamp });
    if (record.type === 'turn_context') model = payload.model ?? model;
    const item = record.type === 'response_item' ? payload : isOld ? record : undefined;
    if (!item || !CODEX_ITEM.test(stringOf(item.type))) continue;
    const message = codexMessage(item);
    if (message) messages.push({ ...message, timestamp: record.timestamp, ...(model ? { model } : {}) });
  }
  if (messages.length > 0) return [{ id: stringOf(given.id) || undefined, messages }];
  // Some logs hold only the events.
  const events = records.flatMap(({ type, timestamp, payload }) => {
    const event = fieldsOf(payload);
    const role = { user_message: 'user', agent_message: 'assistant' }[stringOf(event.type)];
    return type === 'event_msg' && role ? [{ role, content: event.message, timestamp }] : [];
  });
  return [{ id: stringOf(given.id) || undefined, messages: events }];
}

function codexMessage(item: Fields): Fields | undefined {
  const type = stringOf(item.type);
  if (type === 'message') {
    const [first] = objectsOf(item.content);
    const isWritten = item.role === 'developer' || SCAFFOLDING.test(stringOf(first?.text ?? item.content));
    return { role: isWritten ? 'system' : item.role, content: item.content };
  }
  return messageOfItem(item);
}

// ------------------------------------------------------------------------------------------------ Gemini CLI
function geminiCli(records: readonly Fields[]): Session[] | undefined {
  const meta = records.find(
    (record) => 'sessionId' in record && 'startTime' in record && 'projectHash' in record,
  );
  if (!meta) return undefined;
  const path: string[] = [];
  /** Places in the path. */
  const places = new Map<string, number>();
  const kept = new Map<string, Fields>();
  const parents = new Map<string, string | undefined>();
  const say = (record: Fields) => {
    const id = stringOf(record.id);
    // The same message is written again as it grows: the last one counts.
    kept.set(id, record);
    if (places.has(id)) return;
    parents.set(id, path.at(-1));
    places.set(id, path.length);
    path.push(id);
  };
  let title = stringOf(meta.summary);
  for (const record of records) {
    const set = fieldsOf(record.$set);
    title = stringOf(set.summary) || title;
    for (const message of [...objectsOf(record.messages), ...objectsOf(set.messages)]) say(message);
    // Messages behind it remain as a branch.
    if ('$rewindTo' in record)
      for (const id of path.splice(places.get(stringOf(record.$rewindTo)) ?? 0)) places.delete(id);
    if (typeof record.id === 'string' && /^(?:user|gemini|info|error|warning)$/.test(stringOf(record.type)))
      say(record);
  }
  const messages = [...kept.values()].flatMap((record) =>
    geminiMessages(record, parents.get(stringOf(record.id))),
  );
  return [{ id: stringOf(meta.sessionId), title: title || undefined, messages }];
}

/** Returns what a tool gave: the words out of the form in which they went to the model. */
function geminiResult(result: unknown): unknown {
  const outputs = objectsOf(result).map((one) => {
    const { output, error } = fieldsOf(fieldsOf(one.functionResponse).response);
    return output ?? error;
  });
  return outputs.length > 0 && outputs.every((one) => typeof one === 'string')
    ? outputs.join('\n\n')
    : result;
}

function geminiMessages(record: Fields, parentId: string | undefined): Fields[] {
  const [first] = objectsOf(record.content);
  const isWritten = /^\s*<session_context>/.test(stringOf(first?.text ?? record.content));
  const role = isWritten
    ? 'system'
    : ({ user: 'user', gemini: 'assistant' }[stringOf(record.type)] ?? 'system');
  const thoughts = objectsOf(record.thoughts).map((one) => ({
    type: 'thinking',
    thinking: [one.subject, one.description].filter((text) => typeof text === 'string').join(': '),
  }));
  const calls = objectsOf(record.toolCalls).map((call) => ({
    ...{ type: 'tool-invocation', toolCallId: call.id, toolName: call.name, args: call.args },
    ...(call.result === undefined ? {} : { result: geminiResult(call.result) }),
  }));
  const words =
    typeof record.content === 'string' ? [{ type: 'text', text: record.content }] : objectsOf(record.content);
  const content = [...thoughts, ...words, ...calls];
  return [{ role, id: record.id, parentId, content, timestamp: record.timestamp, model: record.model }];
}

// ------------------------------------------------------------------------------------------------ OpenCode
function openCode([document, ...rest]: readonly Fields[]): Session[] | undefined {
  const info = fieldsOf(document?.info);
  if (rest.length > 0 || !/^ses/.test(stringOf(info.id)) || !Array.isArray(document?.messages))
    return undefined;
  const messages = objectsOf(document.messages).flatMap((message) => {
    const { role, id, time, modelID: model } = fieldsOf(message.info);
    const { created: timestamp } = fieldsOf(time);
    const parts = objectsOf(message.parts);
    // It adds some words to a person's by itself.
    const added = parts.filter(({ synthetic }) => role === 'user' && synthetic === true);
    const said = parts.filter((part) => !added.includes(part)).flatMap(openCodePart);
    const notes = added.flatMap(openCodePart);
    return [
      { role, id, content: said, timestamp, model },
      ...(notes.length > 0
        ? [{ role: 'system', id: `${stringOf(id)}#added`, content: notes, timestamp }]
        : []),
    ];
  });
  return [{ id: stringOf(info.id), title: stringOf(info.title) || undefined, messages }];
}

// ------------------------------------------------------------------------------------------------ Copilot Chat
function copilotChat(records: readonly Fields[]): Session[] | undefined {
  const [first, ...rest] = records;
  const isGrown = first?.kind === 0;
  const document = isGrown ? fieldsOf(grown(records)) : first;
  if ((rest.length > 0 && !isGrown) || !Array.isArray(document?.requests)) return undefined;
  if (!('responderUsername' in document)) return undefined;
  const messages = objectsOf(document.requests).flatMap((request) => {
    const answer = copilotAnswer(objectsOf(request.response));
    const { timestamp, modelId: model } = request;
    const asked = { role: 'user', content: stringOf(fieldsOf(request.message).text), timestamp };
    return answer.length === 0 ? [asked] : [asked, { role: 'assistant', content: answer, timestamp, model }];
  });
  return [
    {
      id: stringOf(document.sessionId) || undefined,
      title: stringOf(document.customTitle) || undefined,
      messages,
    },
  ];
}

/** The name of a file or a symbol that stands within the words. */
function copilotReference({ name, inlineReference }: Fields): string {
  const { name: symbol, path, location } = fieldsOf(inlineReference);
  const file = stringOf(path) || stringOf(fieldsOf(fieldsOf(location).uri).path);
  return stringOf(name) || stringOf(symbol) || (file.split('/').at(-1) ?? '');
}

/** Thoughts, words and calls of an answer in their order; what a call did stands in a sentence. */
function copilotAnswer(pieces: readonly Fields[]): Fields[] {
  const thinking = pieces
    .map(({ kind, value }) => (kind === 'thinking' ? [value].flat().map(stringOf).join('') : ''))
    .join('');
  const answer: Fields[] = thinking.trim() === '' ? [] : [{ type: 'thinking', thinking }];
  const say = (text: string) => {
    const last = answer.at(-1);
    if (text === '') return;
    if (last?.type === 'text') answer[answer.length - 1] = { type: 'text', text: stringOf(last.text) + text };
    else answer.push({ type: 'text', text });
  };
  for (const piece of pieces) {
    const kind = stringOf(piece.kind);
    const name = kind === 'inlineReference' ? copilotReference(piece) : '';
    if (name !== '') say(`\`${name}\``);
    else if (kind === '' || kind.startsWith('markdown'))
      say(stringOf(piece.value) || stringOf(fieldsOf(piece.content).value));
    else if (kind === 'toolInvocationSerialized') {
      const shown = piece.pastTenseMessage ?? piece.invocationMessage;
      const message = stringOf(fieldsOf(shown).value ?? shown);
      answer.push({ type: 'tool_use', id: piece.toolCallId, name: piece.toolId, input: { message } });
    } else if (kind === 'textEditGroup') {
      const text = [piece.edits].flat(2).map((edit) => stringOf(fieldsOf(edit).text));
      answer.push({
        type: 'tool_use',
        name: 'edit',
        input: { file: fieldsOf(piece.uri).path, text: text.join('') },
      });
    }
  }
  return answer;
}

/** A document out of its first state and its changes: values that are set, items that are added, keys that go. */
function grown(records: readonly Fields[]): unknown {
  const root: Record<string, unknown> = { v: structuredClone(records[0]?.v) };
  for (const { kind, k, v, i } of records.slice(1)) {
    const path = ['v', ...(Array.isArray(k) ? (k as unknown[]) : [])].map(String);
    const key = path.pop() ?? '';
    const holder = path.reduce<unknown>(
      (at, name) => (typeof at === 'object' && at !== null ? (at as Fields)[name] : undefined),
      root,
    ) as Record<string, unknown> | undefined;
    if (typeof holder !== 'object' || holder === null || key === '__proto__') continue;
    if (kind === 1) holder[key] = v;
    else if (kind === 3) delete holder[key];
    else if (kind === 2) {
      const before = Array.isArray(holder[key]) ? (holder[key] as unknown[]) : [];
      const kept = typeof i === 'number' ? before.slice(0, i) : before;
      holder[key] = [...kept, ...(Array.isArray(v) ? (v as unknown[]) : [])];
    }
  }
  return root.v;
}

// ------------------------------------------------------------------------------------------------ prompt history
/** Reads Claude Code's `history.jsonl`: what a person typed, without the answers. */
function promptHistory(records: readonly Fields[]): Session[] | undefined {
  const typed = records.filter(
    (one) => typeof one.display === 'string' && 'project' in one && 'timestamp' in one,
  );
  if (typed.length === 0 || typed.length < records.length / 2) return undefined;
  const sessions = new Map<string, { title: string; messages: unknown[] }>();
  for (const { display, pastedContents, timestamp, project, sessionId } of typed) {
    const pasted = Object.values(fieldsOf(pastedContents)).map((one) => stringOf(fieldsOf(one).content));
    const content = [stringOf(display), ...pasted].filter((words) => words.trim() !== '').join('\n\n');
    const id = stringOf(sessionId) || stringOf(project);
    const session = sessions.get(id) ?? {
      title: stringOf(project).split(/[\\/]/).at(-1) ?? '',
      messages: [],
    };
    session.messages.push({ role: 'user', content, timestamp });
    sessions.set(id, session);
  }
  return [...sessions].map(([id, { title, messages }]) => ({ id: `history ${id}`, title, messages }));
}

// ------------------------------------------------------------------------------------------------ kimi-code
/** Reads the log of one agent of a kimi-code session. The prompt of a turn repeats the person's message. */
function kimiCode(records: readonly Fields[]): Session[] | undefined {
  if (!records.some(({ type }) => KIMI_CODE.test(stringOf(type)))) return undefined;
  const created = records.find(({ type }) => type === 'metadata')?.created_at;
  const hasMessages = records.some(
    (one) => one.type === 'context.append_message' && fieldsOf(one.message).role === 'user',
  );
  const messages: Fields[] = [];
  let model: unknown;
  /** The answer that is being written, and its step. */
  let [answer, step]: [unknown[] | undefined, unknown] = [undefined, undefined];
  const say = (message: Fields, time: unknown) => {
    [answer, step] = [undefined, undefined];
    messages.push({ ...message, timestamp: time });
  };
  const write = (part: Fields, of: unknown, time: unknown) => {
    if (!answer || (of !== undefined && of !== step)) {
      const content: unknown[] = [];
      say({ role: 'assistant', content, ...(model ? { model } : {}) }, time);
      [answer, step] = [content, of];
    }
    answer?.push(part);
  };
  for (const record of records) {
    const { type, time } = record;
    const event = fieldsOf(record.event);
    if (type === 'config.update') model = record.modelAlias ?? record.model ?? model;
    else if (type === 'turn.prompt' && !hasMessages)
      say({ role: roleOfOrigin(record.origin, 'user'), content: record.input }, time);
    else if (type === 'context.append_message') say(kimiMessage(fieldsOf(record.message)), time);
    else if (type === 'context.apply_compaction')
      say({ role: 'system', content: stringOf(record.summary) }, time);
    else if (event.type === 'content.part') write(kimiPart(fieldsOf(event.part)), event.stepUuid, time);
    else if (event.type === 'tool.call')
      write(
        { type: 'tool_use', id: event.toolCallId, name: event.name, input: event.args },
        event.stepUuid,
        time,
      );
    else if (event.type === 'tool.result') {
      const result = fieldsOf(event.result);
      const { output } = result;
      const isBlocks = Array.isArray(output) && output.every(isFields);
      const content =
        typeof output === 'string'
          ? output
          : isBlocks
            ? objectsOf(output).map(kimiPart)
            : JSON.stringify(output ?? event.result ?? '');
      say({ role: 'tool', tool_call_id: event.toolCallId, content, isError: result.isError === true }, time);
    }
  }
  return [{ id: created === undefined ? undefined : `kimi-code ${String(created)}`, messages }];
}
const KIMI_CODE = /^(?:context\.append_\w+|turn\.prompt)$/;

const roleOfOrigin = (origin: unknown, role: unknown): unknown => {
  const { kind } = fieldsOf(origin);
  return role === 'user' && typeof kind === 'string' && kind !== 'user' ? 'system' : role;
};

function kimiPart(part: Fields): Fields {
  if (part.type === 'think') return { type: 'thinking', thinking: part.think ?? part.text };
  const media = [part.imageUrl, part.audioUrl, part.videoUrl].find(isFields);
  return media ? { type: part.type, image_url: media } : part;
}

function kimiMessage(message: Fields): Fields {
  const calls = objectsOf(message.toolCalls).map((call) => ({
    type: 'tool_use',
    id: call.id,
    name: call.name ?? fieldsOf(call.function).name,
    input: call.args ?? call.arguments ?? fieldsOf(call.function).arguments,
  }));
  const words =
    typeof message.content === 'string'
      ? [{ type: 'text', text: message.content }]
      : objectsOf(message.content).map(kimiPart);
  return {
    role: roleOfOrigin(message.origin, message.role),
    content: [...words, ...calls],
    ...(message.toolCallId === undefined ? {} : { tool_call_id: message.toolCallId }),
  };
}

// ------------------------------------------------------------------------------------------------ Character.AI
/** Reads turns with their candidates: the chosen one is what was said, the others are answers beside it. */
function characterAi(records: readonly Fields[]): Session[] | undefined {
  const chats = records.flatMap((record) => [
    record,
    ...objectsOf(record.chats),
    ...objectsOf(record.histories),
  ]);
  const sessions = chats.flatMap((chat): Session[] => {
    const turns = objectsOf(chat.turns).filter((turn) => Array.isArray(turn.candidates));
    if (turns.length === 0) return [];
    const times = turns.map(({ create_time }) => Date.parse(stringOf(create_time)));
    const isBackwards = (times[0] ?? 0) > (times.at(-1) ?? 0);
    let above: string | undefined;
    const messages = (isBackwards ? turns.reverse() : turns).flatMap((turn, at) => {
      const { author, candidates, primary_candidate_id: chosen, create_time: timestamp } = turn;
      const role = fieldsOf(author).is_human === true ? 'user' : 'assistant';
      const said = objectsOf(candidates).map((one, n) => ({
        id: stringOf(one.candidate_id) || `${at}-${n}`,
        ...(above === undefined ? {} : { parentId: above }),
        ...{ role, content: one.raw_content, timestamp: one.create_time ?? timestamp },
      }));
      const shown = said.find(({ id }) => id === chosen) ?? said[0];
      above = shown?.id ?? above;
      return [...said.filter((one) => one !== shown), ...(shown ? [shown] : [])];
    });
    return [
      {
        id: stringOf(chat.chat_id ?? chat.external_id) || undefined,
        title: stringOf(chat.name) || undefined,
        messages,
      },
    ];
  });
  return sessions.length === 0 ? undefined : sessions;
}

// ------------------------------------------------------------------------------------------------ Telegram
/** Reads chats with bots, and what a person sent to herself; other chats are among people. */
function telegram([document]: readonly Fields[]): Session[] | undefined {
  const chats = [document ?? {}, ...objectsOf(fieldsOf(document?.chats).list)];
  const sessions = chats.flatMap((chat): Session[] => {
    if (!/^(?:bot_chat|saved_messages)$/.test(stringOf(chat.type))) return [];
    const messages = objectsOf(chat.messages).flatMap((one) => {
      const pieces = [one.text].flat().map((piece) => stringOf(isFields(piece) ? piece.text : piece));
      const role =
        chat.type === 'bot_chat' && one.from_id === `user${String(chat.id)}` ? 'assistant' : 'user';
      const file = stringOf(one.photo) || stringOf(one.file);
      return one.type === 'message'
        ? [
            {
              ...{ id: `${String(chat.id)}-${String(one.id)}`, role, content: pieces.join('') },
              ...{
                timestamp: one.date_unixtime ?? one.date,
                ...(file === '' ? {} : { files: [{ name: file }] }),
              },
            },
          ]
        : [];
    });
    return [{ id: `telegram ${String(chat.id)}`, title: stringOf(chat.name) || undefined, messages }];
  });
  return sessions.length === 0 ? undefined : sessions;
}

// ------------------------------------------------------------------------------------------------ aider
const STARTED = /^# aider chat started at (.+)$/;

const FENCE = /^(`{3,}|~{3,})[^`]*$/;
/** aider ends the lines of its own, and those of a person, with two spaces, and begins them behind an empty line. */
const isBegun = (line: string, before: string | undefined): boolean =>
  /^(?:#### |> )/.test(line) && line.endsWith('  ') && (before === undefined || before.trim() === '');

/** Reads aider's history, one file for all sessions: `#### ` is what the person said, `> ` what the tool said. */
export function aiderSessions(text: string): readonly Session[] {
  const sessions: { id: string; created: string; messages: { role: string; content: string }[] }[] = [];
  const begun = new Map<string, number>();
  /** The fence of the code that is being read. */
  let fence: string | undefined;
  let before: string | undefined;
  for (const line of text.split(/\r\n|\n|\r/)) {
    const started = STARTED.exec(line)?.[1]?.trim();
    if (started !== undefined) {
      const times = begun.get(started) ?? 0;
      begun.set(started, times + 1);
      const id = `aider ${started}${times === 0 ? '' : `#${times}`}`;
      sessions.push({ id, created: started, messages: [] });
      fence = undefined;
      continue;
    }
    if (fence !== undefined && isBegun(line, before)) fence = undefined;
    before = line;
    const isInCode = fence !== undefined;
    const signs = FENCE.exec(line)?.[1] ?? '';
    if (fence === undefined) fence = signs || undefined;
    else if (signs.startsWith(fence) && line.trim() === signs) fence = undefined;
    const messages = sessions.at(-1)?.messages;
    const [role, content] = isInCode
      ? ['assistant', line]
      : line.startsWith('#### ')
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
