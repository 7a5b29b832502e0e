// One message as programs write it for one another: requests to OpenAI, Anthropic and Gemini, datasets, LangChain, the
// AI SDK, chat apps.
import { type Fields, isFields, readJson, stringOf } from '../../domain/base/json.ts';
import type { Part, Role } from '../../domain/chat/message.ts';
import { wordsOfUnknown } from '../../domain/chat/unknown.ts';
import { isTooLarge, mediaTypeOf, mediaTypeOfUrl } from './attachments.ts';
import { roleNamed } from './roles.ts';
import type { SkipCounter } from './skipping.ts';

/** Speakers that only datasets and frameworks name so. */
const OTHER_ROLES: Readonly<Record<string, Role>> = {
  observation: 'tool',
  function_response: 'tool',
  function_call: 'assistant',
  chatbot: 'assistant',
  thinking: 'assistant',
  llm: 'assistant',
  agent: 'assistant',
  gemini: 'assistant',
  bard: 'assistant',
  bing: 'assistant',
  copilot: 'assistant',
  humanmessage: 'user',
  aimessage: 'assistant',
  aimessagechunk: 'assistant',
  systemmessage: 'system',
  toolmessage: 'tool',
  toolresult: 'tool',
  用户: 'user',
  人类: 'user',
  助手: 'assistant',
  模型: 'assistant',
  机器人: 'assistant',
  系统: 'system',
  工具: 'tool',
  ユーザー: 'user',
  アシスタント: 'assistant',
  사용자: 'user',
  어시스턴트: 'assistant',
  пользователь: 'user',
  ассистент: 'assistant',
  usuario: 'user',
  asistente: 'assistant',
  benutzer: 'user',
  assistent: 'assistant',
  utilisateur: 'user',
};
/** A model's name, where an app writes it in the place of a role. */
const MODEL = /^(?:gpt|claude|gemini|grok|deepseek|kimi|qwen|llama|mistral|o\d)[- ]?[\w.:-]{0,40}$/i;
const SPEAKERS = ['role', 'from', 'sender', 'author', 'speaker', 'type'] as const;
/** Fields that tell a person's message from a model's by yes or no. */
const BY_PERSON = ['isCreatedByUser', 'is_user', 'isUser', 'fromUser'] as const;

const named = (value: unknown): Role | undefined => {
  const written = isFields(value) ? stringOf(value.role) || stringOf(value.name) : stringOf(value);
  // Copilot's command line names its events `user.message`.
  const name = written.replace(/\.message$/, '');
  const known = roleNamed(name) ?? OTHER_ROLES[name.trim().toLowerCase()];
  return known ?? (MODEL.test(name.trim()) ? 'assistant' : undefined);
};

const HOLDERS = ['message', 'kwargs', 'data', 'payload', 'response'] as const;

/** Fields of a message, also where another object holds them: `data` and `kwargs` of LangChain, `message` of a log. */
export function bare(value: Fields): Fields {
  if (OF_RESPONSES.test(stringOf(value.type)) && value.role === undefined)
    return messageOfItem(value) ?? value;
  const kind = Array.isArray(value.id) ? value.id.at(-1) : undefined;
  const holder = HOLDERS.find((name) => {
    const one = value[name];
    return isFields(one) && ['content', 'parts', 'sender'].some((field) => field in one);
  });
  if (holder !== undefined) {
    const { [holder]: inner, ...others } = value;
    return { ...others, type: kind ?? value.type, ...(inner as Fields) };
  }
  // LM Studio keeps each version of a message, and the number of the shown one.
  const shown = Array.isArray(value.versions)
    ? value.versions[Number(value.currentlySelected ?? 0)]
    : undefined;
  if (!isFields(shown)) return value;
  const steps = Array.isArray(shown.steps) ? shown.steps.filter(isFields) : [];
  const said = steps.flatMap(({ content, style }) =>
    (Array.isArray(content) ? (content as unknown[]) : []).map((block) =>
      isFields(style) && style.type === 'thinking' && isFields(block)
        ? { ...block, type: 'thinking' }
        : block,
    ),
  );
  return { ...value, ...shown, content: shown.content ?? said };
}

/** Items of OpenAI Responses beside messages, which its agents and Codex keep in a list. */
const OF_RESPONSES =
  /^(?:reasoning|function_call|function_call_output|custom_tool_call|custom_tool_call_output|local_shell_call|web_search_call)$/;

/** An item of OpenAI Responses as a message; undefined for thoughts that nobody can read. */
export function messageOfItem(item: Fields): Fields | undefined {
  const type = stringOf(item.type);
  if (type === 'reasoning') {
    const texts = [item.summary, item.content].flatMap((one) =>
      Array.isArray(one) ? (one as unknown[]) : [],
    );
    const thinking = texts.map((one) => (isFields(one) ? stringOf(one.text) : '')).join('\n\n');
    return thinking.trim() === ''
      ? undefined
      : { role: 'assistant', content: [{ type: 'thinking', thinking }] };
  }
  if (type.endsWith('_output')) {
    const { output } = item;
    // Codex wraps what a command wrote in JSON, with its time and its exit code.
    const wrapped = typeof output === 'string' && /^\{\s*"output"/.test(output) ? readJson(output) : output;
    const given = isFields(wrapped)
      ? [wrapped.content, wrapped.output].find((one) => typeof one === 'string')
      : output;
    const content = given ?? output;
    const isBlocks = Array.isArray(content) && content.every(isFields);
    return {
      role: 'tool',
      tool_call_id: item.call_id,
      content: typeof content === 'string' || isBlocks ? content : JSON.stringify(content ?? ''),
    };
  }
  const name = stringOf(item.name) || (type === 'web_search_call' ? 'web_search' : 'shell');
  const input = item.arguments ?? item.input ?? item.action;
  return {
    role: 'assistant',
    tool_calls: [{ id: item.call_id ?? item.id, function: { name, arguments: input } }],
  };
}

/** Thoughts at the beginning of an answer: between tags, or folded away as Open WebUI keeps them. */
const TAGGED =
  /^\s*(?:<(think|thinking)>([\s\S]*?)<\/\1>|<details type="reasoning"[^>]*>\s*<summary>[^<]*<\/summary>([\s\S]*?)<\/details>)\s*/;

/** The words of an answer, and before them the thoughts that stand among them. */
export function withThoughts(text: string): Part[] {
  const [all, , tagged, folded] = TAGGED.exec(text) ?? [];
  if (all === undefined) return [{ type: 'text', text }];
  const thoughts = (tagged ?? (folded ?? '').replace(/^[ \t]*(?:>|&gt;) ?/gm, '')).trim();
  const words = text.slice(all.length);
  return [
    ...(thoughts === '' ? [] : [{ type: 'reasoning' as const, text: thoughts }]),
    ...(words.trim() === '' ? [] : [{ type: 'text' as const, text: words }]),
  ];
}

const FRAGMENTS: Readonly<Record<string, string>> = { REQUEST: 'text', RESPONSE: 'text', THINK: 'thinking' };

/** Messages of DeepSeek's export, whose nodes hold fragments: what was asked, thought, looked up and answered. */
export function messagesOfNodes(nodes: readonly unknown[]): Fields[] {
  return nodes.flatMap((node) => {
    const message = isFields(node) && isFields(node.message) ? node.message : undefined;
    const fragments = Array.isArray(message?.fragments) ? message.fragments.filter(isFields) : [];
    if (!isFields(node) || fragments.length === 0) return [];
    const role = fragments.some(({ type }) => type === 'REQUEST') ? 'user' : 'assistant';
    const content = fragments.map((fragment) => {
      const type = FRAGMENTS[stringOf(fragment.type)];
      return type === undefined ? fragment : { type, text: fragment.content };
    });
    return [{ ...message, id: node.id, parentId: node.parent, role, content }];
  });
}

/** Messages with those that are nested in them as answers, each with its parent. */
export function flattened(list: readonly unknown[]): unknown[] {
  const all: unknown[] = [];
  const open = [...list].reverse();
  while (open.length > 0) {
    const one = open.pop();
    all.push(one);
    if (!isFields(one) || !Array.isArray(one.children)) continue;
    const parentId = one.id ?? one.messageId;
    for (const child of [...one.children].reverse())
      if (isFields(child)) open.push({ ...(parentId === undefined ? {} : { parentId }), ...child });
  }
  return all;
}

/** Tags of texts that agents add to a person's words. */
const ADDED = /^<(environment_details|system-reminder|user_info|attached_files)>[\s\S]*<\/\1>$/;
/** True for a text that an agent wrote in the person's name. */
export const isAdded = (text: string): boolean => ADDED.test(text.trim());
/** A person's task without the tag that an agent put around it. */
export const withoutTag = (text: string): string =>
  /^<(task|user_message|feedback)>\n?([\s\S]*?)\n?<\/\1>$/.exec(text.trim())?.[2] ?? text;

/** The role of a message; undefined if it names none that is known. `value`: as `bare` returns it. */
export function roleOf(value: Fields): Role | undefined {
  for (const name of SPEAKERS) {
    const role = named(value[name]);
    if (role !== undefined) return role;
  }
  const said = BY_PERSON.map((name) => value[name]).find((one) => typeof one === 'boolean');
  return said === undefined ? undefined : said ? 'user' : 'assistant';
}

/** The name that stands where a role is expected; empty if there is none. */
export const speakerOf = (value: Fields): string =>
  SPEAKERS.map((name) => stringOf(value[name])).find((name) => name.trim() !== '') ?? '';

const CONTENTS = [
  'content',
  'contentParts',
  'content_list',
  'fragments',
  'value',
  'parts',
  'text',
  'message',
  'mes',
  'body',
] as const;

const isBareText = (part: unknown): boolean =>
  isFields(part) && Object.keys(part).every((name) => name === 'text');

/** The words or blocks of a message; undefined if it has no field for them. */
export function contentOf(value: Fields): unknown {
  // AI Studio keeps the pieces as they came beside the whole.
  if (stringOf(value.text).trim() !== '' && Array.isArray(value.parts) && value.parts.every(isBareText))
    return value.text;
  // The AI SDK repeats the words of `parts` as `content`.
  if (Array.isArray(value.parts) && value.parts.some((part) => isFields(part) && part.type !== 'text'))
    return value.parts;
  // A database keeps blocks as a text.
  const stored = typeof value.parts === 'string' ? readJson(value.parts) : undefined;
  if (Array.isArray(stored)) return stored;
  const given = CONTENTS.filter((name) => Object.hasOwn(value, name)).map((name) => value[name]);
  const isSaid = (one: unknown) =>
    (typeof one === 'string' && one.trim() !== '') || (Array.isArray(one) ? one.length > 0 : isFields(one));
  return given.find(isSaid) ?? (given.length > 0 ? '' : undefined);
}

const asText = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);

/** A file by its address, which may hold its bytes. */
function fileOf(url: string, name: string, mediaType: string, skipped: SkipCounter): Part {
  const embedded = mediaTypeOfUrl(url);
  const written = mediaType.includes('/') ? mediaType : '';
  const kind = embedded ?? (written || mediaTypeOf(name || (url.split(/[?#]/, 1)[0] as string)));
  const isKept = embedded !== undefined && !isTooLarge(url);
  if (!isKept) skipped.count(embedded === undefined ? 'missing-attachment' : 'oversized-attachment', name);
  return {
    type: 'file',
    mediaType: kind,
    ...(name === '' ? {} : { name }),
    ...(isKept ? { url } : embedded === undefined && url !== '' ? { reference: url } : {}),
  };
}

const MEDIA = /^(?:input_)?(?:image|audio|video|file|document)(?:_url)?$/;

function mediaIn(block: Fields, skipped: SkipCounter): Part | undefined {
  const kind = stringOf(block.type);
  const data = [block.inlineData, block.inline_data, block.source].find(isFields);
  if (!MEDIA.test(kind) && data === undefined) return undefined;
  const holder = [block.image_url, block.file, block.input_audio, block.video_url].find(isFields) ?? block;
  const type =
    stringOf(data?.media_type ?? data?.mimeType ?? data?.mime_type ?? block.mediaType ?? block.mimeType) ||
    (/^image/.test(kind) ? 'image/*' : '');
  const name = stringOf(block.filename ?? holder.filename ?? block.name ?? block.fileIdentifier);
  const bytes = stringOf(data?.data);
  const url =
    bytes === ''
      ? stringOf(holder.url ?? block.image_url ?? block.image ?? holder.file_data ?? data?.url ?? block.data)
      : `data:${type || 'application/octet-stream'};base64,${bytes}`;
  return fileOf(url, name, type, skipped);
}

interface Call {
  readonly callId: string;
  readonly name: string;
}

/** Reads the calls of one conversation: a result without an id belongs to the oldest call that has none yet. */
export class CallReader {
  #open: Call[] = [];
  #count = 0;
  /** Pictures and files that stand within the result of a call. */
  readonly gave = new WeakSet<Part>();

  /** `given`: a call in any shape; undefined if it names no tool. */
  call(given: Fields): Part | undefined {
    const described = [given.function, given.functionCall, given.function_call].find(isFields) ?? given;
    const name = stringOf(described.name ?? given.toolName);
    if (name === '') return undefined;
    const callId =
      stringOf(given.id ?? given.call_id ?? given.toolCallId ?? given.toolCallRequestId) ||
      `call-${this.#count}`;
    this.#count += 1;
    this.#open.push({ callId, name });
    const input =
      described.arguments ?? given.input ?? described.args ?? described.parameters ?? given.arguments;
    return { type: 'tool-call', callId, name, arguments: asText(input) || '{}' };
  }

  /** `given`: a result, or the message that is one. `text`: its words. */
  result(given: Fields, text: string): Part {
    const said = stringOf(
      given.tool_call_id ??
        given.tool_use_id ??
        given.call_id ??
        given.toolCallId ??
        given.toolUseId ??
        given.toolUseID,
    );
    const wanted = stringOf(given.name ?? given.toolName);
    const at = this.#open.findIndex((call) =>
      said === '' ? wanted === '' || call.name === wanted : call.callId === said,
    );
    const [call] = at < 0 ? [] : this.#open.splice(at, 1);
    const name = wanted || call?.name;
    return {
      type: 'tool-result',
      callId: said || call?.callId || `call-${this.#count}`,
      ...(name ? { name } : {}),
      text,
      ...(given.is_error === true || given.isError === true ? { isError: true } : {}),
    };
  }
}

/** Reads what a message holds beside its words: pictures, files, calls with their results. */
export function besideWords(message: Fields, calls: CallReader, skipped: SkipCounter): Part[] {
  const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
  const pictures = listOf(message.images).flatMap((image) => {
    const url = stringOf(isFields(image) ? image.url : image);
    const isBytes = /^[A-Za-z0-9+/=\s]{8,}$/.test(url.slice(0, 200)) && !url.startsWith('/');
    return url === '' ? [] : [fileOf(isBytes ? `data:image/png;base64,${url}` : url, '', 'image/*', skipped)];
  });
  const files = [message.attachments, message.files, message.experimental_attachments]
    .flatMap(listOf)
    .filter(isFields)
    .map((file) =>
      fileOf(
        stringOf(file.url ?? file.filepath),
        stringOf(file.name ?? file.filename ?? file.file_name),
        stringOf(file.contentType ?? file.mediaType ?? file.mime_type ?? file.type),
        skipped,
      ),
    );
  const invoked =
    Array.isArray(message.parts) && message.parts.some((part) => isFields(part) && part.type !== 'text');
  const tools = invoked ? [] : listOf(message.toolInvocations);
  return [
    ...pictures,
    ...files,
    ...tools.flatMap((toolInvocation) =>
      blockOf({ type: 'tool-invocation', toolInvocation }, calls, skipped),
    ),
  ];
}

const CALLS =
  /^(?:tool_use|tool[-_]call|function_call|server_tool_use|functionCall|toolCall|toolCallRequest)$/;
const RESULTS = /^(?:\w*tool_result|tool[-_]result|function_call_output|function_response|toolCallResult)$/;
const THOUGHTS = /^(?:thinking|reasoning|think|thought)$/;
/** A tool's call and its result in one block, as the AI SDK keeps them. */
const TOOL_PART = /^(?:tool-(?!call$|result$)(.+)|dynamic-tool|tool-invocation)$/;

/** Reads the words or blocks of a message as parts; counts what is left out. */
export function partsOf(content: unknown, calls: CallReader, skipped: SkipCounter): Part[] {
  if (typeof content === 'string') return content.trim() === '' ? [] : [{ type: 'text', text: content }];
  if (Array.isArray(content)) return content.flatMap((block) => blockOf(block, calls, skipped));
  if (!isFields(content)) return [];
  return Array.isArray(content.parts)
    ? partsOf(content.parts, calls, skipped)
    : blockOf(content, calls, skipped);
}

function blockOf(block: unknown, calls: CallReader, skipped: SkipCounter): Part[] {
  if (!isFields(block)) return partsOf(block, calls, skipped);
  // big-AGI keeps each part within a fragment.
  if (isFields(block.part) && block.type === undefined) {
    const { pt, aText, ...part } = block.part;
    return blockOf(
      aText === undefined ? { ...part, type: pt } : { type: 'thinking', text: aText },
      calls,
      skipped,
    );
  }
  // crush keeps what a block says beside its kind.
  if (isFields(block.data) && typeof block.type === 'string' && Object.keys(block).length === 2)
    return block.type === 'finish'
      ? []
      : blockOf(
          {
            ...block.data,
            type: block.type,
            ...(block.type === 'tool_call' ? { arguments: block.data.input } : {}),
          },
          calls,
          skipped,
        );
  const type = stringOf(block.type);
  const words = (value: unknown): string => (isFields(value) ? stringOf(value.value) : stringOf(value));
  // Qwen names the phase of an answer that a block is of.
  const isThought = [block.thought, block.isThought].includes(true) || block.phase === 'think';
  if (THOUGHTS.test(type) || isThought) {
    const text = words(block.thinking ?? block.reasoning ?? block.text ?? block.think ?? block.content);
    return text.trim() === '' ? [] : [{ type: 'reasoning', text }];
  }
  const functionCall = isFields(block.functionCall) ? block.functionCall : undefined;
  if (CALLS.test(type) || functionCall) {
    // LibreChat keeps the call, with what it gave, within the block.
    const given = functionCall ?? (isFields(block.tool_call) ? block.tool_call : block);
    const call = calls.call(given);
    const gave = functionCall ? undefined : (given.output ?? given.result);
    if (!call) return unknownPart(block, skipped);
    return gave === undefined || gave === null ? [call] : [call, calls.result(given, asText(gave))];
  }
  const response = isFields(block.functionResponse) ? block.functionResponse : undefined;
  if (RESULTS.test(type) || response) return resultOf(response ?? block, calls, skipped);
  const [isTool, name] = TOOL_PART.exec(type) ?? [];
  if (isTool !== undefined) {
    const given = isFields(block.toolInvocation) ? block.toolInvocation : block;
    const call = calls.call({ ...given, toolName: given.toolName ?? name, input: given.input ?? given.args });
    const output = given.output ?? given.result ?? given.errorText;
    if (!call) return unknownPart(block, skipped);
    return output === undefined ? [call] : [call, calls.result(given, asText(output))];
  }
  const media = mediaIn(block, skipped);
  if (media) return [media];
  const text = words(block.text ?? block.content ?? block.value);
  if (text.trim() !== '') return [{ type: 'text', text }];
  return unknownPart(block, skipped);
}

function resultOf(block: Fields, calls: CallReader, skipped: SkipCounter): Part[] {
  const { result: ran, error } = isFields(block.run) ? block.run : ({} as Fields);
  const run = isFields(ran) ? (ran.content ?? ran.output ?? ran) : (ran ?? error);
  const given = block.content ?? block.output ?? block.response ?? block.result ?? run;
  const isBlocks = Array.isArray(given) && given.every(isFields);
  const said = isBlocks ? partsOf(given, new CallReader(), skipped) : [];
  const text = said.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  const files = said.filter(({ type }) => type === 'file');
  for (const file of files) calls.gave.add(file);
  const isRead = isBlocks && (text !== '' || files.length === said.length);
  return [calls.result(block, isRead ? text : asText(given)), ...files];
}

/** A block of an unknown kind is kept if it has words. */
function unknownPart(block: Fields, skipped: SkipCounter): Part[] {
  if (wordsOfUnknown(block) === '') return [];
  skipped.count('unknown-part', stringOf(block.type) || JSON.stringify(block));
  return [{ type: 'unknown', original: block }];
}
