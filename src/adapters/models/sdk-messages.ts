// Converts the messages of a conversation to the SDK's form.

import type { AssistantModelMessage, FilePart, ModelMessage, TextPart } from 'ai';
import { isFields } from '../../domain/base/json.ts';
import { log } from '../../domain/base/log.ts';
import type { ProviderFields } from '../../domain/chat/draft.ts';
import { textOfFile } from '../../domain/chat/files.ts';
import { type Part, type PartOf, textOf } from '../../domain/chat/message.ts';
import { quotedFile } from '../../domain/context/quoted.ts';
import type { Prompt } from './chat-model.ts';

/** Fields that a protocol attaches to a part and wants back: signatures of thoughts and calls. */
type ProviderOptions = Record<string, Record<string, never>>;

export interface MessageForm {
  /** Name under which the SDK's provider keeps fields to send back. */
  readonly provider: string;
  /** Thoughts without a signature are sent back too. */
  readonly plainThoughts: boolean;
}

/**
 * Thoughts are sent back only with the calls that they led to: thinking models with tools refuse a call without its
 * thoughts. Bookkeeping parts are never sent.
 */
export function toModelMessages(messages: Prompt['messages'], form: MessageForm): ModelMessage[] {
  const names = new Map<string, string>();
  for (const { parts } of messages)
    for (const part of parts) if (part.type === 'tool-call') names.set(part.callId, part.name);
  const result: ModelMessage[] = [];
  for (const { role, parts } of messages) {
    if (role === 'system') {
      const text = textOf({ parts });
      if (text) result.push({ role, content: text });
    } else if (role === 'user') {
      const content = parts.flatMap((part) =>
        part.type === 'text'
          ? [{ type: 'text' as const, text: part.text }]
          : part.type === 'file'
            ? [toContent(part)]
            : [],
      );
      // Words alone are sent as one string, since some small servers understand no list.
      const words = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
      if (content.length > 0)
        result.push({ role, content: words.length === content.length ? words.join('\n\n') : content });
    } else if (role === 'assistant') {
      const calls = parts.some((part) => part.type === 'tool-call');
      const content = parts.flatMap((part) => assistantPart(part, form, calls));
      if (content.length > 0) result.push({ role, content });
    }
    // A result may be in a tool message (as in OpenAI's form) or beside its call (as in some imports).
    const results = parts.filter((part) => part.type === 'tool-result');
    if (results.length > 0)
      result.push({
        role: 'tool',
        content: results.map((part) => ({
          type: 'tool-result',
          toolCallId: callId(part.callId, form),
          toolName: toolName(part.name ?? names.get(part.callId) ?? 'tool'),
          output: { type: part.isError ? 'error-text' : 'text', value: part.text },
        })),
      });
  }
  return result;
}

type AssistantPart = Exclude<AssistantModelMessage['content'], string>[number];

function assistantPart(part: Part, form: MessageForm, calls: boolean): AssistantPart[] {
  const { provider, plainThoughts } = form;
  const kept: ProviderFields | undefined =
    part.type === 'reasoning' || part.type === 'tool-call' ? part.provider : undefined;
  const own = kept?.[provider];
  const providerOptions = own ? { providerOptions: { [provider]: own } as ProviderOptions } : {};
  if (part.type === 'text') return [{ type: 'text', text: part.text }];
  if (part.type === 'reasoning')
    return calls && (own || (plainThoughts && part.text.trim() !== ''))
      ? [{ type: 'reasoning', text: part.text, ...providerOptions }]
      : [];
  if (part.type === 'tool-call')
    return [
      {
        type: 'tool-call',
        toolCallId: callId(part.callId, form),
        toolName: toolName(part.name),
        input: plainThoughts ? asObjectText(part.arguments) : JSON.parse(asObjectText(part.arguments)),
        ...providerOptions,
      },
    ];
  return part.type === 'file' ? [{ type: 'text', text: mention(part) }] : [];
}

/** Anthropic allows no other characters in ids; chat completions get an id as the model gave it. */
const callId = (id: string, { plainThoughts }: MessageForm): string =>
  plainThoughts ? id : id.replace(/[^\w-]/g, '_').slice(0, 64) || 'call';

/** Imported names may have characters that endpoints refuse. */
const toolName = (name: string): string => name.replace(/[^\w-]/g, '_').slice(0, 64) || 'tool';

/** Arguments as a JSON object, byte for byte as the model wrote it. Endpoints refuse anything else. */
function asObjectText(text: string): string {
  if (text.trim() === '') return '{}';
  try {
    const value: unknown = JSON.parse(text);
    if (isFields(value)) return text;
    return value === null ? '{}' : JSON.stringify({ arguments: value });
  } catch (error) {
    log.debug('Arguments of a call are no JSON and are sent as a text', error);
    return JSON.stringify({ arguments: text });
  }
}

const mention = (part: PartOf<'file'>): string =>
  `[${part.mediaType.startsWith('image/') ? 'image' : 'file'}: ${part.name ?? part.reference ?? part.mediaType}]`;

/**
 * Images are sent as images, texts and extracted text as words, PDFs without words as files; anything else (and
 * files without bytes) is only mentioned.
 */
function toContent(part: PartOf<'file'>): TextPart | FilePart {
  const words = textOfFile(part);
  if (words !== null) return { type: 'text', text: quotedFile(part.name ?? part.reference ?? '', words) };
  const data = /^data:([^,]*),/.exec(part.url ?? '');
  if (!part.url || !data) return { type: 'text', text: mention(part) };
  const encoded = part.url.slice(data[0].length);
  const base64 = /;base64$/i.test(data[1] ?? '');
  const mediaType = part.mediaType.toLowerCase();
  if (!base64 || (!/^image\/[\w.+-]+$/.test(mediaType) && mediaType !== 'application/pdf'))
    return { type: 'text', text: mention(part) };
  return {
    type: 'file',
    data: encoded,
    mediaType,
    ...(part.name === undefined ? {} : { filename: part.name }),
  };
}
