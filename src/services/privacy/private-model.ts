// A model that never reads what the person keeps out of requests: every request leaves through it, whether
// a question, a continued answer, a title or a summary. Tokens in its answer are turned back for the
// person, however the stream cuts them.
import type { ChatEvent, ChatModel, Prompt } from '../../adapters/models/chat-model.ts';
import { bytesOfDataUrl } from '../../domain/base/data-url.ts';
import type { Part } from '../../domain/chat/message.ts';
import { findAcross, type PrivateSpan } from '../../domain/privacy/scan.ts';
import {
  type PrivateWordsOf,
  restored,
  restoredInJson,
  StreamRestorer,
  tokenPattern,
} from '../../domain/privacy/tokens.ts';
import { withoutPrivateWords } from '../documents/cleaning.ts';
import type { Hiding, PrivacyFilter } from './privacy-filter.ts';

/** Wraps `model` with the filter; it behaves the same otherwise. */
export function privateModel(model: ChatModel, filter: PrivacyFilter): ChatModel {
  return {
    ...model,
    async *stream(prompt, options) {
      const sent = await filter.hiding('prompts', (hiding) => hiddenPrompt(prompt, hiding));
      const given = tokensIn(sent);
      // Only tokens of this request: one that the model made up stays.
      const privateWordsOf = (token: string) =>
        given.has(token) ? filter.tokens.privateWordsOf(token) : undefined;
      const tokensSent = [...given].filter((token) => privateWordsOf(token) !== undefined);
      const events = model.stream(sent, options);
      if (tokensSent.length === 0) yield* events;
      else
        for await (const event of readableEvents(events, privateWordsOf))
          yield event.type === 'end' ? { ...event, tokensSent } : event;
    },
  };
}

/** Replaces private words in a prompt. */
function hiddenPrompt(prompt: Prompt, hiding: Hiding): Prompt {
  const texts = new Map<Part, string>();
  for (const run of runsOf(prompt)) {
    const found = findAcross(
      run.map(({ text }) => text),
      hiding.find,
    );
    for (const [at, part] of run.entries())
      texts.set(part, hiding.replace(part.text, found[at] as PrivateSpan[]));
  }
  const system = prompt.system === null ? null : hiding.hide(prompt.system).text;
  const messages = prompt.messages.map((message) => {
    const parts = message.parts.map((part) => hiddenPart(part, texts, hiding));
    return parts.every((part, at) => part === message.parts[at]) ? message : { ...message, parts };
  });
  return system === prompt.system && messages.every((message, at) => message === prompt.messages[at])
    ? prompt
    : { system, messages };
}

/** Lists consecutive texts of one speaker, since words may be cut between two of them. */
function runsOf({ messages }: Prompt): (Part & { type: 'text' })[][] {
  const runs: (Part & { type: 'text' })[][] = [];
  let speaker = '';
  for (const { role, parts } of messages)
    for (const part of parts) {
      if (part.type !== 'text') continue;
      if (role !== speaker) runs.push([]);
      speaker = role;
      runs.at(-1)?.push(part);
    }
  return runs;
}

/** The same object if nothing in it is hidden. */
function hiddenPart(part: Part, texts: ReadonlyMap<Part, string>, { hide }: Hiding): Part {
  const only = <P extends Part>(made: P, is: boolean): P => (is ? made : (part as P));
  switch (part.type) {
    case 'text': {
      const text = texts.get(part) ?? part.text;
      return only({ ...part, text }, text !== part.text);
    }
    case 'reasoning':
    case 'tool-result': {
      const { text, redacted } = hide(part.text);
      return only({ ...part, text }, redacted > 0);
    }
    case 'tool-call': {
      const { text, redacted } = hide(part.arguments);
      return only({ ...part, arguments: text }, redacted > 0);
    }
    case 'file':
      return withoutPrivateWords(part, hide) as Part;
    default:
      return part;
  }
}

function tokensIn({ system, messages }: Prompt): ReadonlySet<string> {
  const tokens = new Set<string>();
  const add = (text: string) => {
    if (text.includes('[')) for (const [token] of text.matchAll(tokenPattern())) tokens.add(token);
  };
  add(system ?? '');
  for (const { parts } of messages)
    for (const part of parts) {
      if (part.type === 'text' || part.type === 'reasoning' || part.type === 'tool-result') add(part.text);
      else if (part.type === 'tool-call') add(part.arguments);
      else if (part.type === 'file' && part.extract) for (const { text } of part.extract.sections) add(text);
      // Attached text is not decoded again: the answer may use all of its tokens.
      else if (part.type === 'file' && part.url?.startsWith('data:')) addAttached(part.url, add);
    }
  return tokens;
}

function addAttached(url: string, add: (text: string) => void): void {
  const bytes = bytesOfDataUrl(url);
  add(bytes ? new TextDecoder().decode(bytes) : url);
}

async function* readableEvents(
  events: AsyncIterable<ChatEvent>,
  privateWordsOf: PrivateWordsOf,
): AsyncIterable<ChatEvent> {
  const texts = new StreamRestorer(privateWordsOf);
  const thoughts = new StreamRestorer(privateWordsOf);
  const rest = (): ChatEvent[] => {
    const [text, thought] = [texts.end(), thoughts.end()];
    return [
      ...(thought ? [{ type: 'reasoning-delta' as const, text: thought }] : []),
      ...(text ? [{ type: 'text-delta' as const, text }] : []),
    ];
  };
  for await (const event of events) {
    if (event.type === 'text-delta') {
      const thought = thoughts.end();
      if (thought) yield { type: 'reasoning-delta', text: thought };
      const text = texts.push(event.text);
      if (text) yield { ...event, text };
    } else if (event.type === 'reasoning-delta' && event.text !== '') {
      const said = texts.end();
      if (said) yield { type: 'text-delta', text: said };
      const text = thoughts.push(event.text);
      if (text || event.provider) yield { ...event, text };
    } else {
      yield* rest();
      if (event.type === 'tool-call')
        yield { ...event, arguments: restoredInJson(event.arguments, privateWordsOf) };
      else if (event.type === 'reasoning-was-text')
        yield {
          ...event,
          thoughts: restored(event.thoughts, privateWordsOf),
          words: restored(event.words, privateWordsOf),
        };
      else yield event;
    }
  }
  yield* rest();
}
