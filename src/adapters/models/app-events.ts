// Events of apps and hosts that answer with a stream of their own at an address for chat completions: Coze, Replicate,
// LangServe and LangGraph, Flowise, n8n, AnythingLLM, RAGFlow, LM Studio's own API, and the lines of AI SDK 4.
import { type Fields, isFields, readJson, stringOf } from '../../domain/base/json.ts';
import { listOf, said } from './event-fields.ts';

const SILENT = said('');
const WHOLE = said('', 'stop');

/** Events of Coze, by their names in the stream; a message that is complete only repeats its deltas. */
function choiceOfCoze(value: Fields, named: string): Fields | undefined {
  if (named === 'conversation.message.delta') {
    const { type, content, reasoning_content } = value;
    return type === 'answer' ? { delta: { content, reasoning_content }, finish_reason: null } : SILENT;
  }
  if (named === 'conversation.chat.completed') return WHOLE;
  return /^conversation\.(?:message|chat|audio)\.\w+$/.test(named) ? SILENT : undefined;
}

/** Messages of LangChain, as LangServe and LangGraph stream them. */
const OF_A_MODEL = /^(?:AIMessageChunk|AIMessage|ai)$/;

/** Events that say their words plainly, by their type. */
function choiceOfTyped(value: Fields): Fields | undefined {
  const type = stringOf(value.type);
  if (OF_A_MODEL.test(type)) return said(value.content);
  switch (type) {
    // AnythingLLM
    case 'textResponseChunk':
    case 'textResponse':
    case 'finalizeResponseStream':
      return said(stringOf(value.textResponse), value.close === true ? 'stop' : null);
    // n8n
    case 'item':
      return typeof value.content === 'string' ? said(value.content) : undefined;
    case 'begin':
      return 'metadata' in value ? SILENT : undefined;
    case 'end':
      return 'metadata' in value ? WHOLE : undefined;
    // LM Studio
    case 'message.delta':
      return said(value.content);
    case 'reasoning.delta':
      return { delta: { reasoning_content: value.content }, finish_reason: null };
    case 'chat.end':
      return WHOLE;
    default:
      return /^(?:chat|model_load|prompt_processing|reasoning|message|tool_call)\.\w+$/.test(type)
        ? SILENT
        : undefined;
  }
}

const textOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : listOf(content)
        .map((part) => (isFields(part) ? stringOf(part.text) : stringOf(part)))
        .join('');

/** The words that one operation of LangServe's log adds to the answer. */
function addedBy(operation: unknown): string {
  if (!isFields(operation) || operation.path !== '/streamed_output/-') return '';
  const { value } = operation;
  if (!isFields(value)) return stringOf(value);
  return OF_A_MODEL.test(stringOf(value.type)) ? textOf(value.content) : stringOf(value.output);
}

/** The answer at the end of a state of LangGraph; silent for one that ends with a question, a call or a result. */
function lastOf(messages: unknown): Fields {
  const last = listOf(messages).at(-1);
  const isAnswer =
    isFields(last) && OF_A_MODEL.test(stringOf(last.type)) && listOf(last.tool_calls).length === 0;
  return isAnswer ? { message: { content: textOf(last.content) }, finish_reason: 'stop' } : SILENT;
}

/** Events of LangServe's logs and of LangGraph's server: by their form, or their name in the stream. */
function choiceOfLangChain(value: Fields, named: string): Fields | undefined {
  const { ops, event, data, messages } = value;
  if (Array.isArray(ops)) return said(ops.map(addedBy).join(''));
  if (typeof event === 'string' && /^on_[a-z_]+$/.test(event)) {
    const chunk = isFields(data) && /^on_(?:chat_model|llm)_stream$/.test(event) ? data.chunk : undefined;
    return said(isFields(chunk) ? textOf(chunk.content ?? chunk.text) : stringOf(chunk));
  }
  // Graphs within a graph are named behind a bar.
  const [mode] = named.split('|');
  if (mode === 'values') return lastOf(messages);
  if (mode !== 'updates') return undefined;
  return lastOf(
    Object.values(value)
      .flatMap((node) => (isFields(node) ? [node.messages] : []))
      .at(-1),
  );
}

/** Events of Flowise. */
function choiceOfFlowise({ event, data }: Fields): Fields | undefined {
  if (event === 'token' && typeof data === 'string') return said(data);
  if (event === 'end' && data === '[DONE]') return WHOLE;
  return typeof event === 'string' && /^(?:start|metadata|usedTools|sourceDocuments|agent\w+)$/.test(event)
    ? SILENT
    : undefined;
}

/** Fields in which servers of one's own say their words, and nothing else tells what an event is. */
const OWN_WORDS = ['content', 'text', 'answer', 'reply', 'output_text', 'completion'];
const TELLING = ['type', 'event', 'error', 'errors', 'code', 'status', 'detail', 'object', 'message'];

function plainWords(value: Fields): Fields | undefined {
  // FastChat's failures are words with a number.
  if (Number(value.error_code ?? 0) !== 0) return undefined;
  if (Object.keys(value).length > 4 || TELLING.some((name) => name in value)) return undefined;
  const name = OWN_WORDS.find((one) => typeof value[one] === 'string');
  return name === undefined ? undefined : said(value[name], value.done === true ? 'stop' : null);
}

/** An event as a choice of chat completions, by its form or its name in the stream; undefined for any other. */
export function choiceOfApp(value: Fields, named: string): Fields | undefined {
  const found =
    choiceOfCoze(value, named) ??
    choiceOfLangChain(value, named) ??
    choiceOfTyped(value) ??
    choiceOfFlowise(value);
  if (found) return found;
  const { data, output, status } = value;
  // RAGFlow ends a stream with `true`.
  if (isFields(data) && typeof data.answer === 'string') return said(data.answer);
  if (data === true && value.code === 0) return WHOLE;
  // A prediction of Replicate that is whole, and what LangServe gives in one piece.
  if (status === 'succeeded' && 'output' in value)
    return said(Array.isArray(output) ? output.filter((each) => typeof each === 'string') : output, 'stop');
  if (isFields(output) && OF_A_MODEL.test(stringOf(output.type))) return said(output.content, 'stop');
  // Titan.
  if (typeof value.outputText === 'string')
    return said(
      value.outputText,
      stringOf(value.completionReason).replace(/^FINISH(?:ED)?$/i, 'stop') || null,
    );
  return value.event === 'done' || value.done === true ? (plainWords(value) ?? WHOLE) : plainWords(value);
}

/** Words that are the data of an event themselves: as they are (Replicate), or as JSON (LangServe); else undefined. */
export function wordsOfApp(named: string, data: string): string | undefined {
  if (named === 'output') return /^\{"(?:id|choices|object)"/.test(data) ? undefined : data;
  const value = named === 'data' && data.startsWith('"') ? readJson(data) : undefined;
  return typeof value === 'string' && !value.startsWith('{') && value !== '[DONE]' ? value : undefined;
}

const PART = /^([0-9a-k]):(?=["[{])(.*)$/;

/** True if a body begins as the lines of AI SDK 4 do: a sign for the kind of each, and JSON. */
export const beginsWithParts = (body: string): boolean => /^[0-9a-k]:["[{]/.test(body);

/**
 * A line of AI SDK 4 (`0:"words"`) as the JSON of an event; empty for one without words: calls are made where it comes
 * from. Undefined for any other line. https://ai-sdk.dev/v4/docs/ai-sdk-ui/stream-protocol
 */
export function eventOfPart(line: string): string | undefined {
  const [, kind = '', json = ''] = PART.exec(line) ?? [];
  if (kind === '') return undefined;
  if (kind === '0') return `{"type":"text-delta","delta":${json}}`;
  if (kind === 'g') return `{"type":"reasoning-delta","delta":${json}}`;
  if (kind === '3') return `{"type":"error","error":${json}}`;
  return kind === 'd' && json.startsWith('{') ? `{"type":"finish",${json.slice(1)}` : '';
}
