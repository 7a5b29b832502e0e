// Logs of agents that work in an editor or beside it, as lists of messages that `message-lists.ts` reads: Cline and its
// kin, goose, Zed, OpenHands, what OpenCode prints. Their formats are internal: any other record is bookkeeping.
import { type Fields, fieldsOf, isFields, objectsOf, readJson, stringOf } from '../../domain/base/json.ts';

/** A conversation in the shape that lists of messages have. */
export interface Session {
  readonly id: string | undefined;
  readonly title?: string | undefined;
  readonly messages: readonly unknown[];
}

// ------------------------------------------------------------------------------------------------ Cline, Roo, Kilo
/** Kinds of lines that a person reads as an answer. */
const ANSWERS =
  /^(?:text|completion_result|followup|plan_mode_respond|act_mode_respond|new_task|condense|subtask_result)$/;
const BY_PERSON = /^(?:task|user_feedback)$/;
const CALLS = /^(?:tool|command|use_mcp_server|browser_action|browser_action_launch|use_subagents)$/;
const OUTPUTS = /^(?:command_output|mcp_server_response|browser_action_result)$/;

/** The words of a line, which questions and plans hold in JSON. */
function wordsOfLine(text: string): string {
  const said = text.startsWith('{') ? readJson(text) : undefined;
  if (!isFields(said)) return text;
  const options = Array.isArray(said.options) ? said.options.map((one) => `- ${String(one)}`) : [];
  const words = [stringOf(said.question) || stringOf(said.response), ...options].join('\n').trim();
  return words === '' ? text : words;
}

/** Reads `ui_messages.json`: a line for each thing that was shown, the first by the person. */
export function cline(records: readonly Fields[]): Session[] | undefined {
  const lines = records.filter(
    ({ type, ts }) => (type === 'say' || type === 'ask') && typeof ts === 'number',
  );
  if (lines.length === 0 || lines.length < records.length / 2) return undefined;
  let calls = 0;
  const messages = lines.flatMap((line, at): Fields[] => {
    const kind = stringOf(line.say ?? line.ask);
    const text = stringOf(line.text) || stringOf(fieldsOf(line.contextCondense).summary);
    const common = { timestamp: line.ts, model: fieldsOf(line.modelInfo).modelId };
    if (text.trim() === '' && !Array.isArray(line.images)) return [];
    if (at === 0 || BY_PERSON.test(kind))
      return [{ role: 'user', content: text, images: line.images, timestamp: line.ts }];
    if (kind === 'reasoning')
      return [{ ...common, role: 'assistant', content: [{ type: 'thinking', thinking: text }] }];
    if (ANSWERS.test(kind)) return [{ ...common, role: 'assistant', content: wordsOfLine(text) }];
    if (CALLS.test(kind)) {
      const given = fieldsOf(readJson(text));
      const { tool = kind, ...input } = Object.keys(given).length > 0 ? given : { command: text };
      calls += 1;
      const call = { id: `call-${calls}`, function: { name: stringOf(tool) || kind, arguments: input } };
      return [{ ...common, role: 'assistant', tool_calls: [call] }];
    }
    if (OUTPUTS.test(kind))
      return [{ role: 'tool', tool_call_id: `call-${calls}`, content: text, timestamp: line.ts }];
    return /error|^condense_context$/.test(kind)
      ? [{ role: 'system', content: text, timestamp: line.ts }]
      : [];
  });
  return [{ id: `task ${String(lines[0]?.ts)}`, messages }];
}

// ------------------------------------------------------------------------------------------------ goose
const GOOSE = /^tool(?:Request|Response|ConfirmationRequest)$/;

function gooseBlock(block: Fields): Fields[] {
  if (block.type === 'toolRequest') {
    const { name, arguments: input } = fieldsOf(fieldsOf(block.toolCall).value);
    return [{ type: 'tool_use', id: block.id, name: stringOf(name) || 'tool', input }];
  }
  if (block.type === 'toolResponse') {
    const { status, value, error } = fieldsOf(block.toolResult);
    const given = isFields(value) ? (value.content ?? value) : (value ?? error ?? '');
    const isError = status === 'error' || fieldsOf(value).isError === true;
    return [{ type: 'tool_result', tool_use_id: block.id, content: given, is_error: isError }];
  }
  return GOOSE.test(stringOf(block.type)) || block.type === 'systemNotification' ? [] : [block];
}

/** Reads a session of goose: its log, whose first line is about it, or its export. */
export function goose(records: readonly Fields[]): Session[] | undefined {
  const about = records.find((one) => 'working_dir' in one);
  if (!about) return undefined;
  const list = Array.isArray(about.conversation)
    ? objectsOf(about.conversation)
    : Array.isArray(about.messages)
      ? objectsOf(about.messages)
      : records.filter((one) => one !== about);
  const messages = list
    .filter(({ role, content }) => typeof role === 'string' && Array.isArray(content))
    .map(({ role, content, created: timestamp }) => ({
      role,
      content: objectsOf(content).flatMap(gooseBlock),
      timestamp,
    }));
  const title = stringOf(about.name) || stringOf(about.description) || undefined;
  return [{ id: stringOf(about.id) || undefined, title, messages }];
}

// ------------------------------------------------------------------------------------------------ Zed
/** A part of a message, whose kind is the name of its one field. */
function zedPart(part: unknown): Fields[] {
  if (typeof part === 'string') return [{ type: 'text', text: part }];
  const { Text: text, Thinking: thinking, ToolUse: call, Mention: mention } = fieldsOf(part);
  if (typeof text === 'string') return [{ type: 'text', text }];
  if (isFields(thinking)) return [{ type: 'thinking', thinking: thinking.text }];
  if (isFields(call)) return [{ type: 'tool_use', id: call.id, name: call.name, input: call.input }];
  if (!isFields(mention)) return [];
  const place = Object.values(fieldsOf(mention.uri)).map((uri) => stringOf(fieldsOf(uri).abs_path));
  return [{ type: 'text', text: [place.map((path) => `@${path}`)[0], mention.content].join('\n\n') }];
}
const zedResult = ({ tool_use_id: id, is_error: isError, content }: Fields): Fields => ({
  role: 'tool',
  tool_call_id: id,
  content: stringOf(fieldsOf(content).Text ?? content),
  isError,
});

function zedMessages(message: Fields): Fields[] {
  const { User: user, Agent: agent, role } = message;
  if (isFields(user)) return [{ role: 'user', content: [user.content].flat().flatMap(zedPart), id: user.id }];
  if (isFields(agent)) {
    const results = Object.values(fieldsOf(agent.tool_results)).filter(isFields);
    const content = [agent.content].flat().flatMap(zedPart);
    return [{ role: 'assistant', content }, ...results.map(zedResult)];
  }
  const segments = objectsOf(message.segments).map((part) =>
    part.type === 'thinking' ? { type: 'thinking', thinking: part.text } : part,
  );
  const calls = objectsOf(message.tool_uses).map((call) => ({ ...call, type: 'tool_use' }));
  const results = objectsOf(message.tool_results).map(zedResult);
  const said = [...segments, ...calls];
  return [...results, ...(said.length > 0 && typeof role === 'string' ? [{ role, content: said }] : [])];
}

/** Reads a thread of Zed, in its newest form or the one before. */
export function zed([document, ...rest]: readonly Fields[]): Session[] | undefined {
  const list = objectsOf(document?.messages);
  const isThread = list.some((one) => isFields(one.User) || isFields(one.Agent) || 'segments' in one);
  if (!document || rest.length > 0 || !isThread) return undefined;
  const { model, title, summary, updated_at: timestamp } = document;
  const name = isFields(model) ? stringOf(model.model) : '';
  const messages = list.flatMap(zedMessages).map((one) => ({
    ...one,
    timestamp,
    ...(one.role === 'assistant' && name !== '' ? { model: name } : {}),
  }));
  return [
    { id: stringOf(document.id) || undefined, title: stringOf(title ?? summary) || undefined, messages },
  ];
}

// ------------------------------------------------------------------------------------------------ OpenHands
/** Reads the events of OpenHands: what was said, what was done, and what came of it. */
export function openHands(records: readonly Fields[]): Session[] | undefined {
  const events = records.filter(
    ({ source, action, observation }) =>
      typeof source === 'string' && (typeof action === 'string' || typeof observation === 'string'),
  );
  if (events.length === 0 || events.length < records.length / 2) return undefined;
  const messages = events.flatMap((event): Fields[] => {
    const { id, source, action, timestamp } = event;
    const args = fieldsOf(event.args);
    const said = stringOf(args.content) || stringOf(args.final_thought) || stringOf(event.message);
    if (typeof event.observation === 'string') {
      const content = stringOf(event.content);
      return content === '' || event.cause === undefined
        ? []
        : [{ role: 'tool', tool_call_id: String(event.cause), content, timestamp }];
    }
    if (action === 'message' || action === 'finish')
      return [{ role: source === 'user' ? 'user' : 'assistant', content: said, timestamp }];
    if (
      source !== 'agent' ||
      !/^(?:run|run_ipython|read|write|edit|browse\w*|call_tool_mcp)$/.test(stringOf(action))
    )
      return [];
    const { thought, ...input } = args;
    const call = { id: String(id), function: { name: action, arguments: input } };
    return [{ role: 'assistant', content: stringOf(thought), tool_calls: [call], timestamp }];
  });
  return [{ id: undefined, messages }];
}

// ------------------------------------------------------------------------------------------------ OpenCode
/** A part of OpenCode's messages; its own additions to a person's words are none of them. */
export function openCodePart(part: Fields): Fields[] {
  const state = fieldsOf(part.state);
  const result = state.output ?? state.error;
  if (part.type === 'tool')
    return [
      {
        ...{ type: 'tool-invocation', toolCallId: part.callID, toolName: part.tool, args: state.input },
        ...(result === undefined ? {} : { result }),
      },
    ];
  if (part.type === 'subtask') {
    const { agent, description, prompt } = part;
    return [{ type: 'tool_use', id: part.id, name: 'subtask', input: { agent, description, prompt } }];
  }
  return /^(?:text|reasoning|file)$/.test(stringOf(part.type)) ? [{ ...part, mediaType: part.mime }] : [];
}

/** Reads what `opencode run --format json` prints, which is the answer alone. */
export function openCodePrinted(records: readonly Fields[]): Session[] | undefined {
  const parts = records.filter(
    ({ type, sessionID, part }) =>
      typeof type === 'string' && typeof sessionID === 'string' && isFields(part),
  );
  if (parts.length === 0) return undefined;
  const messages = parts.flatMap(({ part, timestamp }) => {
    const content = openCodePart(fieldsOf(part));
    return content.length === 0 ? [] : [{ role: 'assistant', content, timestamp }];
  });
  return [{ id: stringOf(parts[0]?.sessionID), messages }];
}
