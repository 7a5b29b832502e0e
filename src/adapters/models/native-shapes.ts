// Gives events of Anthropic Messages, Gemini and OpenAI Responses the order and the fields that the SDK
// counts on: words that stand in the event which opens or ends a block, blocks that nothing opened, answers
// in one document. No word is said twice.
import { type Fields, fieldsOf, isFields, objectsOf, readJson, stringOf } from '../../domain/base/json.ts';
import { codeOfInput, codeOfItem, isExecution, outputOfBlock } from './executed-code.ts';
import { finishOf } from './finish-reasons.ts';
import { citedByGemini, GeminiShapes } from './gemini-events.ts';

/** Events of an answer that came as one document. */
export function eventsOfDocument(value: Fields): readonly Fields[] {
  if (value.object === 'response' && value.type === undefined) {
    const ended = ['failed', 'incomplete'].find((status) => status === value.status) ?? 'completed';
    return [
      { type: 'response.created', response: value },
      { type: `response.${ended}`, response: value },
    ];
  }
  if (value.type !== 'message' || !Array.isArray(value.content)) return [value];
  const { content, stop_reason: reason, usage } = value;
  return [
    { type: 'message_start', message: { ...value, content: [], stop_reason: null } },
    ...objectsOf(content).flatMap((block, index) => [
      { type: 'content_block_start', index, content_block: block },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: reason ?? 'end_turn' }, usage },
    { type: 'message_stop' },
  ];
}

/**
 * Pages that an event of Anthropic Messages or Responses cites. The SDK drops those of blocks that come whole, and
 * all of them where a search was told of.
 */
export function citedIn({
  delta,
  content_block: block,
  annotation,
  item,
  response,
  candidates,
}: Fields): readonly Fields[] {
  const ofGemini = objectsOf(candidates).flatMap(citedByGemini);
  const items = [item, ...objectsOf(fieldsOf(response).output)].map(fieldsOf);
  return [
    fieldsOf(fieldsOf(delta).citation),
    ...objectsOf(fieldsOf(block).citations),
    fieldsOf(annotation),
    ...items.flatMap(({ content }) =>
      objectsOf(content).flatMap(({ annotations }) => objectsOf(annotations)),
    ),
    ...ofGemini,
  ];
}

/** Fields of Anthropic's blocks that are said in deltas, and the delta that says each. */
const SAID = [
  ['text', 'text', 'text_delta'],
  ['thinking', 'thinking', 'thinking_delta'],
  ['thinking', 'signature', 'signature_delta'],
] as const;

/** Items that an answer is made of; all others tell what the endpoint did by itself. */
const KNOWN = /^(message|reasoning|function_call|code_interpreter_call)$/;
/** Items that are opened before they are whole. */
const OPENED = /^(message|reasoning|function_call)$/;
const OF_OTHER_ITEMS =
  /^response\.(code_interpreter|web_search|file_search|mcp|computer|image_generation|shell|apply_patch)_/;
/** Place of words that no item holds. */
const AFTER_ALL = 10_000;
/** The words of one part of a message, which may be those of a refusal. */
const wordsOf = ({ type, text, refusal }: Fields): string =>
  type === 'refusal' ? stringOf(refusal) : /^(?:output_)?text$/.test(stringOf(type)) ? stringOf(text) : '';
/** Kinds of places in pages and files that the SDK knows: another one would cost the words beside it. */
const ANNOTATIONS = /^(?:url_citation|file_citation|container_file_citation)$/;

/** Thoughts that an ended item holds, in its summary or, of local models, in its content. */
const thoughtsOf = ({ summary, content }: Fields): string =>
  (objectsOf(summary).length > 0 ? objectsOf(summary) : objectsOf(content))
    .map(({ text }) => stringOf(text))
    .join('\n\n');

interface Item {
  readonly item: Fields;
  /** Words or arguments that were passed on. */
  said: string;
  /** Those of each part, by its place. */
  readonly parts: Map<unknown, string>;
  isDone: boolean;
}

const begun = (item: Fields): Item => ({ item, said: '', parts: new Map(), isDone: false });
function say(item: Item, part: unknown, words: string): void {
  item.said += words;
  item.parts.set(part, (item.parts.get(part) ?? '') + words);
}

/** Shapes the events of one answer, in their order. */
export class NativeShapes {
  readonly #blocks = new Set<unknown>();
  /** Blocks that nothing has ended yet. */
  readonly #open = new Set<unknown>();
  readonly #items = new Map<unknown, Item>();
  /** Code that an endpoint writes for itself, by its block: JSON as far as it has come. */
  readonly #code = new Map<unknown, string>();
  /** Calls whose name has not come yet, and their arguments so far. */
  readonly #unnamed = new Map<unknown, { readonly name: string; readonly args: string }>();
  /** Places of items by their ids. */
  readonly #places = new Map<string, unknown>();
  /** Why the answer ended was told. */
  #hasReason = false;
  /** Tokens of the answer, as last told. */
  #tokens = 0;
  readonly #gemini = new GeminiShapes();

  shape(given: Fields): readonly Fields[] {
    const { type } = given;
    // Small servers leave the place of their only block out.
    const event =
      typeof type === 'string' && type.startsWith('content_block_') && given.index === undefined
        ? { ...given, index: 0 }
        : given;
    if (type === 'message_start') return this.#messageStart(event);
    if (type === 'content_block_start') return this.#blockStart(event);
    if (type === 'content_block_delta') return this.#blockDelta(event);
    if (type === 'content_block_stop') {
      const code = this.#code.get(event.index);
      this.#code.delete(event.index);
      if (code !== undefined) return [...textBlock(event.index, codeOfInput(code)), event];
      this.#open.delete(event.index);
    }
    // The SDK makes a call only once its block has ended.
    if (type === 'message_delta' || type === 'message_stop') {
      const reason = fieldsOf(event.delta).stop_reason;
      this.#tokens = Number(fieldsOf(event.usage).output_tokens) || this.#tokens;
      const ended = type === 'message_stop' && !this.#hasReason ? [this.#endOfTurn()] : [];
      this.#hasReason ||= Boolean(reason);
      return [...this.#blockEnds(), ...ended, event];
    }
    if (typeof type === 'string' && type.startsWith('response.')) return this.#response(type, event);
    return Array.isArray(event.candidates) ? [this.#gemini.shape(event)] : [event];
  }

  /** Blocks that the opening of an answer holds already become blocks of their own, behind all places. */
  #messageStart(event: Fields): readonly Fields[] {
    const message = fieldsOf(event.message);
    const blocks = objectsOf(message.content).flatMap((block, at) => [
      ...this.#blockStart({ index: AFTER_ALL + at, content_block: block, type: 'content_block_start' }),
      ...this.shape({ type: 'content_block_stop', index: AFTER_ALL + at }),
    ]);
    return [{ ...event, message: { ...message, content: [] } }, ...blocks];
  }

  /** The event that a server left out, which ends an answer as whole. */
  #endOfTurn(): Fields {
    const delta = { stop_reason: 'end_turn', stop_sequence: null };
    return { type: 'message_delta', delta, usage: { output_tokens: this.#tokens } };
  }

  #blockStart(event: Fields): readonly Fields[] {
    const { index } = event;
    const block = wholeBlock(fieldsOf(event.content_block));
    // The words of a block of a new kind open one of words.
    if (!BLOCKS.test(stringOf(block.type))) return [];
    if (isExecution(block)) {
      const { input } = block;
      this.#code.set(index, isFields(input) && Object.keys(input).length > 0 ? JSON.stringify(input) : '');
      return [];
    }
    const output = outputOfBlock(block);
    this.#blocks.add(index);
    this.#open.add(index);
    if (output !== undefined) return textBlock(index, output);
    const begun = SAID.filter(([kind, name]) => block.type === kind && stringOf(block[name]) !== '');
    if (begun.length === 0) return [{ ...event, content_block: block }];
    const emptied = { ...block, ...Object.fromEntries(begun.map(([, name]) => [name, ''])) };
    return [
      { ...event, content_block: emptied },
      ...begun.map(([, name, delta]) => ({
        type: 'content_block_delta',
        index,
        delta: { type: delta, [name]: block[name] },
      })),
    ];
  }

  #blockDelta(event: Fields): readonly Fields[] {
    const code = this.#code.get(event.index);
    if (code !== undefined) {
      this.#code.set(event.index, code + stringOf(fieldsOf(event.delta).partial_json));
      return [];
    }
    const delta = wholeDelta(fieldsOf(event.delta));
    const kind = SAID.find(([, , name]) => name === delta.type)?.[0];
    const whole = { ...event, delta };
    if (this.#blocks.has(event.index)) return [whole];
    if (kind === undefined) return delta.type === 'input_json_delta' ? [whole] : [];
    this.#blocks.add(event.index);
    this.#open.add(event.index);
    const block = { type: kind, [kind]: '' };
    return [{ type: 'content_block_start', index: event.index, content_block: block }, whole];
  }

  #blockEnds(): readonly Fields[] {
    const ends = [...this.#open].map((index) => ({ type: 'content_block_stop', index }));
    this.#open.clear();
    return ends;
  }

  #response(type: string, given: Fields): readonly Fields[] {
    if (OF_OTHER_ITEMS.test(type)) return [];
    const at = this.#placeOf(given);
    const event: Fields = isFields(given.item)
      ? { ...given, output_index: at, item: this.#wholeItem(at, given.item) }
      : isFields(given.delta)
        ? { ...given, delta: stringOf(given.delta.text) }
        : given;
    switch (type) {
      case 'response.created': {
        const { id = '', created_at: made, model } = fieldsOf(event.response);
        const response = { id, created_at: Number(made) || 0, model: stringOf(model) };
        return [{ ...event, response: { ...fieldsOf(event.response), ...response } }];
      }
      case 'response.queued':
      case 'response.in_progress':
        return [];
      case 'response.output_item.added':
        if (!OPENED.test(stringOf(fieldsOf(event.item).type))) return [];
        if (isFields(event.item) && event.item.type === 'function_call' && !stringOf(event.item.name)) {
          this.#unnamed.set(at, { name: '', args: stringOf(event.item.arguments) });
          return [];
        }
        if (isFields(event.item)) this.#items.set(at, begun(event.item));
        return [event];
      case 'response.function_call_arguments.delta':
      case 'response.output_text.delta': {
        if (type === 'response.function_call_arguments.delta' && !this.#items.has(at)) {
          const { name = '', args = '' } = this.#unnamed.get(at) ?? {};
          this.#unnamed.set(at, { name, args: args + stringOf(event.delta) });
          return [];
        }
        const opening = this.#opening(at, { type: 'message', id: event.item_id ?? `item_${at}` });
        const item = this.#items.get(at);
        if (item) say(item, event.content_index, stringOf(event.delta));
        return [...opening, { ...event, output_index: at, item_id: event.item_id ?? item?.item.id }];
      }
      case 'response.output_text.annotation.added':
        return ANNOTATIONS.test(stringOf(fieldsOf(event.annotation).type)) ? [event] : [];
      case 'response.refusal.delta':
        return this.#within(at, 'message', event);
      // Servers of local models name their thoughts so.
      case 'response.reasoning_text.delta':
      case 'response.reasoning.delta':
      case 'response.reasoning_summary.delta':
        return this.#within(at, 'reasoning', {
          ...event,
          type: 'response.reasoning_summary_text.delta',
          summary_index: 0,
        });
      case 'response.reasoning_summary_text.delta':
        return this.#within(at, 'reasoning', event);
      case 'response.content_part.done': {
        const words = wordsOf(fieldsOf(event.part));
        const id = event.item_id ?? this.#items.get(at)?.item.id;
        return words === '' ? [] : this.#rest(at, { type: 'message', id }, words, event.content_index);
      }
      case 'response.output_text.done':
      case 'response.refusal.done': {
        const words = stringOf(event.text ?? event.refusal);
        const id = event.item_id ?? this.#items.get(at)?.item.id ?? `item_${at}`;
        return this.#rest(at, { type: 'message', id }, words, event.content_index);
      }
      case 'response.function_call_arguments.done': {
        const item = this.#items.get(at);
        if (item) item.said = stringOf(event.arguments);
        else this.#unnamed.set(at, { name: stringOf(event.name), args: stringOf(event.arguments) });
        return item ? [event] : [];
      }
      case 'response.output_item.done':
        return this.#itemDone(at, fieldsOf(event.item), event);
      case 'response.done':
      case 'response.completed':
      case 'response.incomplete': {
        const given = fieldsOf(event.response);
        const details = fieldsOf(given.incomplete_details);
        // Servers of local models name the reasons of chat completions.
        const reason = { length: 'max_output_tokens', content_filter: 'content_filter' }[
          String(finishOf(details.reason))
        ];
        const response = reason ? { ...given, incomplete_details: { ...details, reason } } : given;
        const whole = { ...event, type: type === 'response.done' ? 'response.completed' : type, response };
        return [...this.#unsaid(objectsOf(response.output), stringOf(response.output_text)), whole];
      }
      default:
        return [event];
    }
  }

  /** The place of an event's item: small servers give one place to several items at once. */
  #placeOf({ output_index: place = 0, item_id: within, item }: Fields): unknown {
    const id = stringOf(within ?? fieldsOf(item).id);
    const known = id === '' ? undefined : this.#places.get(id);
    if (known !== undefined) return known;
    const held = this.#items.get(place);
    const isTaken = held !== undefined && !held.isDone && held.item.type === 'function_call' && id !== '';
    const at = isTaken && held.item.id !== id ? AFTER_ALL + 1 + this.#places.size : place;
    if (id !== '') this.#places.set(id, at);
    return at;
  }

  /** An item with the fields that the SDK wants: the same id for what it is called later. */
  #wholeItem(at: unknown, item: Fields): Fields {
    const known = this.#items.get(at)?.item;
    const id = item.id ?? known?.id ?? `item_${at}`;
    if (item.type !== 'function_call') return { ...item, id };
    const name = stringOf(item.name) || stringOf(known?.name);
    const { arguments: given } = item;
    const args = typeof given === 'string' ? given : isFields(given) ? JSON.stringify(given) : '';
    const call = item.call_id ?? known?.call_id ?? newCallId();
    return { ...item, id, call_id: call, name, arguments: args, status: item.status ?? 'completed' };
  }

  /** The event that opens an item, if nothing opened it. */
  #opening(at: unknown, item: Fields): readonly Fields[] {
    if (this.#items.has(at)) return [];
    this.#items.set(at, begun(item));
    const empty = item.type === 'function_call' ? { ...item, arguments: '' } : item;
    return [{ type: 'response.output_item.added', output_index: at, item: empty }];
  }

  /** An event within an item, behind the one that opens it. */
  #within(at: unknown, type: 'message' | 'reasoning', event: Fields): readonly Fields[] {
    const item = {
      type,
      id: event.item_id ?? `item_${at}`,
      ...(type === 'reasoning' ? { summary: [] } : {}),
    };
    const opening = this.#opening(at, item);
    say(this.#items.get(at) as Item, event.content_index, stringOf(event.delta));
    return [
      ...opening,
      { ...event, output_index: at, item_id: event.item_id ?? this.#items.get(at)?.item.id },
    ];
  }

  /** The words of an item, or of one part of it, that no delta said. */
  #rest(at: unknown, item: Fields, text: string, part?: unknown): readonly Fields[] {
    const known = this.#items.get(at);
    const said = (part === undefined ? known?.said : known?.parts.get(part)) ?? '';
    if (!text.startsWith(said) || text.length === said.length) return [];
    const opening = this.#opening(at, item);
    const rest = text.slice(said.length);
    say(this.#items.get(at) as Item, part, rest);
    return [
      ...opening,
      { type: 'response.output_text.delta', output_index: at, item_id: item.id, delta: rest },
    ];
  }

  #itemDone(at: unknown, given: Fields, event: Fields): readonly Fields[] {
    if (!KNOWN.test(stringOf(given.type))) return [];
    const item = this.#named(at, given);
    if (item.type === 'code_interpreter_call') return this.#itemOfCode(at, codeOfItem(item));
    const text = objectsOf(item.content).map(wordsOf).join('');
    const thoughts = item.type === 'reasoning' && !this.#items.get(at)?.said ? thoughtsOf(item) : '';
    const before =
      item.type === 'message'
        ? [...this.#opening(at, item), ...this.#rest(at, item, text)]
        : thoughts === ''
          ? this.#opening(at, item)
          : this.#within(at, 'reasoning', {
              type: 'response.reasoning_summary_text.delta',
              summary_index: 0,
              delta: thoughts,
            });
    (this.#items.get(at) as Item).isDone = true;
    return [...before, { ...event, item: item.type === 'message' ? withKnownPlaces(item) : item }];
  }

  /** A call with what came of it before its name did. */
  #named(at: unknown, item: Fields): Fields {
    const held = this.#unnamed.get(at);
    this.#unnamed.delete(at);
    if (held === undefined || item.type !== 'function_call') return item;
    return {
      ...item,
      name: stringOf(item.name) || held.name,
      arguments: stringOf(item.arguments) || held.args,
    };
  }

  /** A message with the code that ran, in the place of its item. */
  #itemOfCode(at: unknown, text: string): readonly Fields[] {
    if (text === '' || this.#items.get(at)?.isDone) return [];
    const item = {
      type: 'message',
      id: `code_${at}`,
      content: [{ type: 'output_text', text, annotations: [] }],
    };
    return this.#itemDone(at, item, { type: 'response.output_item.done', output_index: at, item });
  }

  /** Items that only the last event holds, and calls that nothing ended. */
  #unsaid(output: readonly Fields[], text: string): readonly Fields[] {
    const type = 'response.output_item.done';
    const begun = [...this.#items].flatMap(([at, { item, said, isDone }]) =>
      !isDone && said === '' && item.type === 'message'
        ? this.#itemDone(at, item, { type, output_index: at, item })
        : [],
    );
    const held = output
      .map((item, at) => this.#wholeItem(at, item))
      .flatMap((item, at) =>
        this.#items.get(at)?.isDone || !KNOWN.test(stringOf(item.type))
          ? []
          : this.#itemDone(at, item, { type, output_index: at, item }),
      );
    const isSaid = [...this.#items.values()].some(({ item, said }) => item.type === 'message' && said !== '');
    const rest = isSaid || text === '' ? [] : this.#rest(AFTER_ALL, { type: 'message', id: 'text' }, text);
    const named = [...this.#unnamed].flatMap(([at, { name }]) => {
      const item = this.#wholeItem(at, { type: 'function_call', name });
      return name === '' ? [] : this.#itemDone(at, item, { type, output_index: at, item });
    });
    const open = [...this.#items].filter(([, { item, isDone }]) => !isDone && item.type === 'function_call');
    return [
      ...begun,
      ...held,
      ...named,
      ...rest,
      ...open.map(([at, { item, said }]) => ({
        type,
        output_index: at,
        item: { ...item, arguments: said, status: 'completed' },
      })),
    ];
  }
}

/** A message of which the SDK knows all that its words cite. */
const withKnownPlaces = (item: Fields): Fields => ({
  ...item,
  ...(Array.isArray(item.content)
    ? {
        content: objectsOf(item.content).map((part) =>
          Array.isArray(part.annotations)
            ? {
                ...part,
                annotations: objectsOf(part.annotations).filter(({ type }) =>
                  ANNOTATIONS.test(stringOf(type)),
                ),
              }
            : part,
        ),
      }
    : {}),
});

/** Blocks that the SDK knows. */
const BLOCKS = /^(?:text|thinking|redacted_thinking|tool_use|server_tool_use|mcp_tool_use|\w+_tool_result)$/;
/** Askers of a call that the SDK knows. */
const CALLERS = /^(?:direct|code_execution_\d+)$/;

/** A block with the fields that the SDK wants. */
function wholeBlock(given: Fields): Fields {
  const { caller, ...others } = given;
  const block = isFields(caller) && CALLERS.test(stringOf(caller.type)) ? given : others;
  if (block.type === 'text') return { ...block, text: stringOf(block.text) };
  if (block.type === 'thinking') return { ...block, thinking: stringOf(block.thinking) };
  if (block.type !== 'tool_use') return block;
  const input = typeof block.input === 'string' ? readJson(block.input) : block.input;
  return { ...block, id: stringOf(block.id) || newCallId(), input: isFields(input) ? input : {} };
}
/** A delta whose part of a call's arguments is a text. */
const wholeDelta = (delta: Fields): Fields => {
  const { type, partial_json: given } = delta;
  if (type !== 'input_json_delta' || typeof given === 'string') return delta;
  return { ...delta, partial_json: isFields(given) ? JSON.stringify(given) : '' };
};
/** An id that no other call of a conversation has. */
const newCallId = (): string => `call_${crypto.randomUUID().replaceAll('-', '').slice(0, 24)}`;

/** The events of a block of text that nothing has opened or ended yet. */
const textBlock = (index: unknown, text: string): readonly Fields[] => [
  { type: 'content_block_start', index, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index, delta: { type: 'text_delta', text } },
];
