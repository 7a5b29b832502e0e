// Anthropic Messages, Gemini and OpenAI Responses as their public documentation shows them, played from the scripts of
// the scripted model. https://docs.anthropic.com/en/docs/build-with-claude/streaming ·
// https://ai.google.dev/api/generate-content · https://platform.openai.com/docs/api-reference/responses-streaming
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { ProtocolName } from '../../src/adapters/models/protocols.ts';
import { SCRIPTS, type Step } from './scripted-model.ts';

type Native = Exclude<ProtocolName, 'chat' | 'browser'>;
type Event = { readonly name?: string; readonly data: unknown };

/** Turns the steps of one answer into the events of a protocol. */
interface Speaker {
  begin(model: string): Event[];
  step(step: Step): Event[];
  end(): Event[];
}

const SIGNATURE = 'c2lnbmF0dXJl';

function anthropic(): Speaker {
  let index = -1;
  let open: string | undefined;
  let reason = 'end_turn';
  const event = (data: Record<string, unknown>): Event => ({ name: String(data.type), data });
  const close = (): Event[] => {
    if (open === undefined) return [];
    const signed =
      open === 'thinking'
        ? [
            event({
              type: 'content_block_delta',
              index,
              delta: { type: 'signature_delta', signature: SIGNATURE },
            }),
          ]
        : [];
    open = undefined;
    return [...signed, event({ type: 'content_block_stop', index })];
  };
  const block = (type: string, content: object): Event[] => {
    if (open === type && type !== 'tool_use') return [];
    const before = close();
    index += 1;
    open = type;
    return [...before, event({ type: 'content_block_start', index, content_block: { type, ...content } })];
  };
  const delta = (delta: object) => event({ type: 'content_block_delta', index, delta });
  return {
    begin: (model) => [
      event({
        type: 'message_start',
        message: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          content: [],
          model,
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: 12, output_tokens: 1, cache_read_input_tokens: 8 },
        },
      }),
      event({ type: 'ping' }),
    ],
    step: (step) => {
      if ('text' in step)
        return [...block('text', { text: '' }), delta({ type: 'text_delta', text: step.text })];
      if ('reasoning' in step)
        return [
          ...block('thinking', { thinking: '', signature: '' }),
          delta({ type: 'thinking_delta', thinking: step.reasoning }),
        ];
      if ('call' in step) {
        const { id, name, arguments: text } = step.call;
        return [
          ...block('tool_use', { id, name, input: {} }),
          delta({ type: 'input_json_delta', partial_json: text.slice(0, 5) }),
          delta({ type: 'input_json_delta', partial_json: text.slice(5) }),
        ];
      }
      if ('finish' in step)
        reason =
          step.finish === 'length' ? 'max_tokens' : step.finish === 'tool_calls' ? 'tool_use' : 'end_turn';
      return [];
    },
    end: () => [
      ...close(),
      event({
        type: 'message_delta',
        delta: { stop_reason: reason, stop_sequence: null },
        usage: { output_tokens: 5 },
      }),
      event({ type: 'message_stop' }),
    ],
  };
}

function google(): Speaker {
  let reason = 'STOP';
  const part = (part: object): Event => ({
    data: { candidates: [{ index: 0, content: { role: 'model', parts: [part] } }] },
  });
  return {
    begin: () => [],
    step: (step) => {
      if ('text' in step) return [part({ text: step.text })];
      if ('reasoning' in step) return [part({ text: step.reasoning, thought: true })];
      if ('call' in step)
        return [
          part({
            functionCall: { id: step.call.id, name: step.call.name, args: JSON.parse(step.call.arguments) },
            thoughtSignature: SIGNATURE,
          }),
        ];
      if ('finish' in step && step.finish === 'length') reason = 'MAX_TOKENS';
      return [];
    },
    end: () => [
      {
        data: {
          candidates: [{ index: 0, content: { role: 'model', parts: [{ text: '' }] }, finishReason: reason }],
          usageMetadata: {
            promptTokenCount: 12,
            candidatesTokenCount: 5,
            cachedContentTokenCount: 8,
            totalTokenCount: 17,
          },
        },
      },
    ],
  };
}

/** A message or a summary of thoughts that is being written. */
interface Item {
  readonly type: string;
  readonly id: string;
  text: string;
}

/** What OpenAI Responses sends when an item begins, as the output's part number `at`. */
function openingOf({ type, id }: Item, at: number): Record<string, unknown>[] {
  const place = { output_index: at, item_id: id };
  return type === 'message'
    ? [
        {
          type: 'response.output_item.added',
          output_index: at,
          item: { type, id, status: 'in_progress', role: 'assistant', content: [] },
        },
        {
          type: 'response.content_part.added',
          ...place,
          content_index: 0,
          part: { type: 'output_text', text: '', annotations: [], logprobs: [] },
        },
      ]
    : [
        {
          type: 'response.output_item.added',
          output_index: at,
          item: { type, id, summary: [], encrypted_content: null },
        },
        {
          type: 'response.reasoning_summary_part.added',
          ...place,
          summary_index: 0,
          part: { type: 'summary_text', text: '' },
        },
      ];
}

/** What OpenAI Responses sends when an item is whole. */
function closingOf({ type, id, text }: Item, at: number): Record<string, unknown>[] {
  const place = { output_index: at, item_id: id };
  if (type === 'message') {
    const content = [{ type: 'output_text', text, annotations: [], logprobs: [] }];
    const item = { type, id, status: 'completed', role: 'assistant', content };
    return [
      { type: 'response.output_text.done', ...place, content_index: 0, text, logprobs: [] },
      { type: 'response.content_part.done', ...place, content_index: 0, part: content[0] },
      { type: 'response.output_item.done', output_index: at, item },
    ];
  }
  return [
    {
      type: 'response.reasoning_summary_part.done',
      ...place,
      summary_index: 0,
      part: { type: 'summary_text', text },
    },
    {
      type: 'response.output_item.done',
      output_index: at,
      item: { type, id, summary: [{ type: 'summary_text', text }], encrypted_content: SIGNATURE },
    },
  ];
}

/** A whole call of a tool, as OpenAI Responses sends it. */
function callOf(
  { id: callId, name, arguments: args }: Extract<Step, { call: unknown }>['call'],
  at: number,
): Record<string, unknown>[] {
  const id = `item_${at}`;
  const item = { type: 'function_call', id, call_id: callId, name, arguments: args, status: 'completed' };
  return [
    {
      type: 'response.output_item.added',
      output_index: at,
      item: { ...item, arguments: '', status: 'in_progress' },
    },
    { type: 'response.function_call_arguments.delta', output_index: at, item_id: id, delta: args },
    { type: 'response.function_call_arguments.done', output_index: at, item_id: id, arguments: args },
    { type: 'response.output_item.done', output_index: at, item },
  ];
}

function openai(): Speaker {
  let at = -1;
  let open: Item | undefined;
  let number = 0;
  let incomplete = false;
  const output: unknown[] = [];
  const event = (data: Record<string, unknown>): Event => ({
    name: String(data.type),
    data: { ...data, sequence_number: number++ },
  });
  const response = (status: string, model = 'm') => ({
    id: 'resp_1',
    object: 'response',
    created_at: 1_750_000_000,
    status,
    model,
    output,
    error: null,
    incomplete_details: status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
    usage: {
      input_tokens: 12,
      input_tokens_details: { cached_tokens: 8 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 17,
    },
  });
  const close = (): Event[] => {
    if (!open) return [];
    const item = open;
    open = undefined;
    return closingOf(item, at).map(event);
  };
  const begin = (type: string): Event[] => {
    if (open?.type === type) return [];
    const before = close();
    at += 1;
    open = { type, id: `item_${at}`, text: '' };
    return [...before, ...openingOf(open, at).map(event)];
  };
  return {
    begin: (model) => [event({ type: 'response.created', response: response('in_progress', model) })],
    step: (step) => {
      const text = 'text' in step ? step.text : 'reasoning' in step ? step.reasoning : undefined;
      if (text !== undefined) {
        const before = begin('text' in step ? 'message' : 'reasoning');
        if (open) open.text += text;
        const place = { output_index: at, item_id: open?.id, delta: text };
        return [
          ...before,
          event(
            'text' in step
              ? { type: 'response.output_text.delta', ...place, content_index: 0, logprobs: [] }
              : { type: 'response.reasoning_summary_text.delta', ...place, summary_index: 0 },
          ),
        ];
      }
      if ('call' in step) {
        const before = close();
        at += 1;
        return [...before, ...callOf(step.call, at).map(event)];
      }
      if ('finish' in step && step.finish === 'length') incomplete = true;
      return [];
    },
    end: () => {
      const before = close();
      const status = incomplete ? 'incomplete' : 'completed';
      return [...before, event({ type: `response.${status}`, response: response(status) })];
    },
  };
}

const SPEAKERS: Readonly<Record<Native, () => Speaker>> = { anthropic, google, 'openai-responses': openai };
const REFUSAL: Readonly<Record<Native, unknown>> = {
  anthropic: { type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' } },
  google: { error: { code: 401, message: 'API key not valid.', status: 'UNAUTHENTICATED' } },
  'openai-responses': {
    error: { message: 'Incorrect API key provided.', type: 'invalid_request_error', code: 'invalid_api_key' },
  },
};

/** The person's last words, from the field that the protocol uses. */
function lastWords(body: Record<string, unknown>): string {
  const list = (body.messages ?? body.contents ?? body.input) as {
    role?: string;
    content?: unknown;
    parts?: unknown;
  }[];
  const last = list.filter(({ role }) => role === 'user').at(-1);
  const content = last?.content ?? last?.parts;
  return typeof content === 'string'
    ? content
    : (content as { text?: string }[]).map(({ text }) => text ?? '').join('');
}

const events = (...all: readonly Record<string, unknown>[]): string =>
  all.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
const opening = {
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    content: [],
    model: 'm',
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  },
};
const textDelta = (text: string) => ({
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'text_delta', text },
});

const CREATED = { type: 'response.created', response: { id: 'r', created_at: 1, model: 'm' } };
const COMPLETED = { type: 'response.completed', response: { usage: { input_tokens: 1, output_tokens: 1 } } };
const MESSAGE = {
  type: 'message',
  id: 'i0',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'Backups run at three.', annotations: [] }],
};

/** Pages that an answer rests on. */
const RESULT = { url: 'https://docs.example.com/backup', title: 'Backups' };
const OTHER = { url: 'https://b.example.org/x', title: 'Times' };
const location = (page: typeof RESULT) => ({
  type: 'web_search_result_location',
  ...page,
  cited_text: 'at three',
  encrypted_index: 'e',
});
/** Places in documents, in each of Anthropic's forms; the first one is cited twice. */
const char = {
  type: 'char_location',
  cited_text: 'Backups run at three. ',
  document_index: 0,
  document_title: 'Handbook',
  file_id: null,
  start_char_index: 0,
  end_char_index: 22,
};
const PLACES = [
  char,
  { ...char, type: 'page_location', cited_text: 'Every night.', start_page_number: 2, end_page_number: 3 },
  {
    ...char,
    type: 'content_block_location',
    document_index: 1,
    document_title: null,
    cited_text: 'At 03:00.',
  },
  { type: 'search_result_location', source: RESULT.url, title: RESULT.title, cited_text: 'at three' },
  { type: 'search_result_location', source: 'shelf-7', title: 'Notes', cited_text: 'three' },
  char,
];
const CITED = [RESULT, OTHER, OTHER].map((page) => ({
  type: 'url_citation',
  start_index: 0,
  end_index: 21,
  ...page,
}));
const CITED_MESSAGE = {
  ...MESSAGE,
  content: [{ type: 'output_text', text: 'Backups run at three.', annotations: CITED }],
};

const gemini = (...all: readonly object[]): string =>
  all.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
const candidate = (parts: unknown, more: object = { finishReason: 'STOP' }) => ({
  candidates: [{ content: { role: 'model', parts }, ...more }],
});
const SAID = { text: 'Backups run at three.' };
const CALL = { type: 'function_call', id: 'f', call_id: 'c', name: 'lookup', arguments: '{"query":"a"}' };
const itemDone = (item: object, at = 0) => ({
  type: 'response.output_item.done',
  output_index: at,
  item,
});
const saidDelta = { type: 'response.output_text.delta', output_index: 1, item_id: 'i1', delta: SAID.text };
const blockBegins = (block: object, index?: number) => ({
  type: 'content_block_start',
  ...(index === undefined ? {} : { index }),
  content_block: block,
});
const ending = (delta: object = { stop_reason: 'end_turn' }) => [
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta, usage: { output_tokens: 9 } },
  { type: 'message_stop' },
];

/** Values that the SDK's schemas refuse, as proxies and servers of local models send them; each says the same. */
export const ODD: Readonly<Record<Native, Readonly<Record<string, string>>>> = {
  anthropic: {
    'a-block-without-its-text': events(
      opening,
      blockBegins({ type: 'text' }, 0),
      textDelta(SAID.text),
      ...ending(),
    ),
    'blocks-without-a-place': events(
      opening,
      blockBegins({ type: 'text', text: '' }),
      { ...textDelta(SAID.text), index: undefined },
      ...ending(),
    ),
    'an-opening-twice': events(
      opening,
      opening,
      blockBegins({ type: 'text' }, 0),
      textDelta(SAID.text),
      ...ending(),
    ),
    'reasons-of-chat-completions': events(
      opening,
      blockBegins({ type: 'text', text: '' }, 0),
      textDelta(SAID.text),
      ...ending({ stop_reason: 'STOP', stop_sequence: 3 }),
    ),
  },
  google: {
    'figures-as-text': gemini({
      ...candidate([SAID]),
      usageMetadata: { promptTokenCount: '1', candidatesTokenCount: null },
    }),
    'a-reason-as-a-number': gemini(candidate([SAID], { finishReason: 1 })),
    'pages-without-addresses': gemini(
      candidate([SAID], {
        finishReason: 'STOP',
        groundingMetadata: {
          groundingChunks: [{ web: { uri: null } }, { maps: 3 }],
          groundingSupports: 'none',
        },
      }),
    ),
    'keys-with-underscores': gemini({
      ...candidate([SAID], { finish_reason: 'STOP' }),
      usage_metadata: { prompt_token_count: 1 },
    }),
    'an-event-within-another': gemini({ response: candidate([SAID]) }),
    'nothing-among-the-parts': gemini(candidate([null, SAID, { brandNew: 1 }])),
  },
  'openai-responses': {
    'items-without-ids': events(
      CREATED,
      { type: 'response.output_item.added', output_index: 0, item: { type: 'message' } },
      { type: 'response.output_text.delta', output_index: 0, delta: SAID.text },
      itemDone({ type: 'message', content: [{ type: 'output_text', text: SAID.text }] }),
      COMPLETED,
    ),
    'words-only-in-a-part': events(
      CREATED,
      { type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'a' } },
      {
        type: 'response.content_part.done',
        output_index: 0,
        item_id: 'a',
        part: { type: 'output_text', text: SAID.text },
      },
      COMPLETED,
    ),
    'words-only-in-the-opening': events(
      CREATED,
      {
        type: 'response.output_item.added',
        output_index: 0,
        item: { type: 'message', id: 'a', content: [{ type: 'text', text: SAID.text }] },
      },
      COMPLETED,
    ),
    'words-only-beside-the-output': events(CREATED, {
      type: 'response.completed',
      response: { output_text: SAID.text },
    }),
    'another-name-for-the-end': events(CREATED, saidDelta, { type: 'response.done' }),
    'the-end-of-chat-completions': `${events(CREATED, saidDelta)}data: [DONE]\n\n`,
    'an-end-without-a-response': events(CREATED, saidDelta, { type: 'response.completed' }),
    'tools-of-the-endpoint': events(
      CREATED,
      itemDone({ type: 'mcp_list_tools', id: 'w' }),
      { type: 'response.web_search_call.searching', output_index: 0 },
      saidDelta,
      COMPLETED,
    ),
  },
};

/** The same for calls. */
export const ODD_CALLS: typeof ODD = {
  anthropic: {
    'a-call-without-an-id': events(
      opening,
      blockBegins({ type: 'tool_use', name: 'lookup' }, 0),
      {
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'input_json_delta', partial_json: CALL.arguments },
      },
      ...ending({ stop_reason: 'tool_calls' }),
    ),
  },
  google: {
    'a-call-with-its-input-as-text': gemini(
      candidate([{ function_call: { name: 'lookup', args: CALL.arguments } }]),
    ),
  },
  'openai-responses': {
    'named-at-its-end': events(
      CREATED,
      { type: 'response.output_item.added', output_index: 0, item: { ...CALL, name: '', arguments: '' } },
      { type: 'response.function_call_arguments.delta', output_index: 0, item_id: 'f', delta: '{"query"' },
      { type: 'response.function_call_arguments.delta', output_index: 0, item_id: 'f', delta: ':"a"}' },
      itemDone({ ...CALL, arguments: '' }),
      COMPLETED,
    ),
    'named-with-its-arguments': events(
      CREATED,
      { type: 'response.output_item.added', output_index: 0, item: { ...CALL, name: '', arguments: '' } },
      {
        type: 'response.function_call_arguments.done',
        output_index: 0,
        item_id: 'f',
        name: 'lookup',
        arguments: CALL.arguments,
      },
      COMPLETED,
    ),
    'that-nothing-opens': events(
      CREATED,
      {
        type: 'response.function_call_arguments.delta',
        output_index: 0,
        item_id: 'f',
        delta: CALL.arguments,
      },
      itemDone(CALL),
      COMPLETED,
    ),
    'named-in-the-last-event': events(
      CREATED,
      { type: 'response.output_item.added', output_index: 0, item: { ...CALL, name: null, arguments: '' } },
      {
        type: 'response.function_call_arguments.done',
        output_index: 0,
        item_id: 'f',
        arguments: CALL.arguments,
      },
      { type: 'response.completed', response: { output: [{ ...CALL, arguments: '' }] } },
    ),
    'a-call-without-its-id': events(CREATED, itemDone({ ...CALL, call_id: undefined }), COMPLETED),
    'a-call-with-an-object': events(CREATED, itemDone({ ...CALL, arguments: { query: 'a' } }), COMPLETED),
    'a-call-with-nothing-first': events(
      CREATED,
      { type: 'response.output_item.added', output_index: 0, item: { ...CALL, arguments: null } },
      itemDone(CALL),
      COMPLETED,
    ),
  },
};

/** The same for thoughts before the words. */
export const ODD_THOUGHTS: typeof ODD = {
  anthropic: {
    'thoughts-without-their-field': events(
      opening,
      blockBegins({ type: 'thinking' }, 0),
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Look.' } },
      { type: 'content_block_stop', index: 0 },
      blockBegins({ type: 'text', text: SAID.text }, 1),
      ...ending(),
    ),
  },
  google: {
    'thoughts-with-other-keys': gemini(
      candidate([{ text: 'Look.', thought: true, thought_signature: 'c2ln' }, SAID], {
        finish_reason: 'STOP',
      }),
    ),
  },
  'openai-responses': {
    'thoughts-in-their-content': events(
      CREATED,
      itemDone({ type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Look.' }] }),
      saidDelta,
      COMPLETED,
    ),
    'thoughts-by-another-name': events(
      CREATED,
      { type: 'response.reasoning.delta', output_index: 0, item_id: 'r', delta: 'Look.' },
      saidDelta,
      COMPLETED,
    ),
  },
};

/** Answers of Anthropic Messages as they may come, byte by byte. The model id names one. */
export const BODIES: Readonly<Record<string, string>> = {
  ...Object.assign({}, ...[ODD, ODD_CALLS, ODD_THOUGHTS].flatMap((odd) => Object.values(odd))),
  nothing: '',
  'nothing-but-the-opening': events(opening),
  'another-protocol': 'data: {"choices":[{"index":0,"delta":{"content":"Hello."}}]}\n\n',
  'new-events': events(
    opening,
    { type: 'brand_new', share: 1 },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    textDelta('Backups run '),
    { type: 'content_block_delta', index: 0, delta: { type: 'new_delta', share: 1 } },
    textDelta('at three.'),
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: 9 },
    },
    { type: 'message_stop' },
  ),
  'no-usage': events(
    { ...opening, message: { ...opening.message, usage: undefined } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    textDelta('Backups run at three.'),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'max_tokens' } },
    { type: 'message_stop' },
  ),
  'error-after-the-end': events(
    opening,
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    textDelta('Backups run at three.'),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } },
    { type: 'error', error: { type: 'api_error', message: 'Internal server error' } },
  ),
  'bare-error': events(opening, { type: 'error', error: { message: 'The engine is overloaded' } }),
  'bare-failure': events({
    type: 'response.failed',
    response: { status: 'failed', error: { code: 'rate_limit_exceeded', message: 'Rate limit reached' } },
  }),
  'failure-as-text': events({ type: 'response.failed', response: { error: 'The engine is overloaded' } }),
  'drawn-by-responses': events(
    { type: 'response.created', response: { id: 'r', created_at: 1, model: 'm' } },
    {
      type: 'response.output_item.added',
      output_index: 0,
      item: { type: 'image_generation_call', id: 'ig_1' },
    },
    {
      type: 'response.output_item.done',
      output_index: 0,
      item: { type: 'image_generation_call', id: 'ig_1', output_format: 'webp', result: 'UklGRg==' },
    },
    {
      type: 'response.completed',
      response: { usage: { input_tokens: 1, output_tokens: 1 }, incomplete_details: null },
    },
  ),
  'drawn-by-gemini': `data: ${JSON.stringify({
    candidates: [
      {
        index: 0,
        content: { role: 'model', parts: [{ inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }] },
        finishReason: 'STOP',
      },
    ],
  })}\n\n`,
  // ------------------------------------------------------------------------------- words in unusual places
  'words-in-the-opening-of-a-block': events(
    opening,
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: 'Look.' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'text', text: 'Backups run ' } },
    { ...textDelta('at three.'), index: 1 },
    { type: 'content_block_stop', index: 1 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } },
    { type: 'message_stop' },
  ),
  'a-block-that-nothing-opens': events(
    opening,
    textDelta('Backups run at three.'),
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } },
    { type: 'message_stop' },
  ),
  'searched-by-the-endpoint': events(
    opening,
    {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} },
    },
    {
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'input_json_delta', partial_json: '{"query":"x"}' },
    },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
    { ...textDelta('Backups run at three.'), index: 1 },
    { type: 'content_block_stop', index: 1 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } },
    { type: 'message_stop' },
  ),
  'a-document-of-anthropic': JSON.stringify({
    ...opening.message,
    content: [
      { type: 'thinking', thinking: 'Look.', signature: 's' },
      { type: 'text', text: 'Backups run at three.' },
    ],
    stop_reason: 'end_turn',
  }),
  'a-document-of-responses': JSON.stringify({
    id: 'r',
    object: 'response',
    status: 'completed',
    output: [MESSAGE],
    usage: { input_tokens: 1, output_tokens: 1 },
  }),
  'only-the-last-event': events(CREATED, {
    type: 'response.completed',
    response: { output: [MESSAGE], usage: { input_tokens: 1, output_tokens: 1 } },
  }),
  'only-ended-items': events(
    CREATED,
    { type: 'response.output_item.done', output_index: 0, item: MESSAGE },
    COMPLETED,
  ),
  'words-only-at-their-end': events(
    CREATED,
    { type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'i0' } },
    { type: 'response.output_text.done', output_index: 0, item_id: 'i0', text: 'Backups run at three.' },
    { type: 'response.output_item.done', output_index: 0, item: MESSAGE },
    COMPLETED,
  ),
  'words-without-an-item': events(
    CREATED,
    { type: 'response.output_text.delta', delta: 'Backups run at three.' },
    COMPLETED,
  ),
  'states-without-fields': events(
    { type: 'response.created', response: { id: 'r' } },
    { type: 'response.queued', response: {} },
    { type: 'response.in_progress', response: {} },
    { type: 'keepalive', sequence_number: 3 },
    { type: 'response.output_item.done', output_index: 0, item: MESSAGE },
    COMPLETED,
  ),
  'thoughts-of-a-local-model': events(
    CREATED,
    {
      type: 'response.output_item.added',
      output_index: 0,
      item: { type: 'reasoning', id: 'rs', summary: [] },
    },
    {
      type: 'response.reasoning_text.delta',
      output_index: 0,
      item_id: 'rs',
      content_index: 0,
      delta: 'Look.',
    },
    {
      type: 'response.output_item.done',
      output_index: 0,
      item: { type: 'reasoning', id: 'rs', summary: [] },
    },
    { type: 'response.output_item.done', output_index: 1, item: MESSAGE },
    COMPLETED,
  ),
  'paused-in-its-turn': events(
    opening,
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Backups run at three.' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'pause_turn' }, usage: { output_tokens: 9 } },
    { type: 'message_stop' },
  ),
  'a-call-in-a-block-without-an-end': events(
    opening,
    {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'tool_use', id: 't', name: 'lookup', input: {} },
    },
    {
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'input_json_delta', partial_json: '{"query":"a"}' },
    },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } },
    { type: 'message_stop' },
  ),
  'thoughts-within-the-words': events(
    opening,
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '<thi' } },
    textDelta('nk>Look.</think>\n\nBackups run '),
    textDelta('at three.'),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } },
    { type: 'message_stop' },
  ),
  'a-refusal-without-an-item': events(
    CREATED,
    { type: 'response.refusal.delta', item_id: 'i0', content_index: 0, delta: 'I cannot.' },
    COMPLETED,
  ),
  ...Object.fromEntries(
    ['reasoning_summary_text', 'reasoning_text'].map((name) => [
      `${name}-without-an-item`,
      events(
        CREATED,
        { type: `response.${name}.delta`, item_id: 'r0', output_index: 0, summary_index: 0, delta: 'Look.' },
        {
          type: 'response.output_text.delta',
          item_id: 'i0',
          output_index: 1,
          delta: 'Backups run at three.',
        },
        COMPLETED,
      ),
    ]),
  ),
  'read-by-gemini': `data: ${JSON.stringify({
    candidates: [
      {
        content: { role: 'model', parts: [{ text: 'Backups run at three.' }] },
        finishReason: 'STOP',
        urlContextMetadata: {
          urlMetadata: [
            {
              retrievedUrl: 'https://docs.example.com/backup',
              urlRetrievalStatus: 'URL_RETRIEVAL_STATUS_SUCCESS',
            },
            { retrievedUrl: 'https://x.example.org', urlRetrievalStatus: 'URL_RETRIEVAL_STATUS_ERROR' },
          ],
        },
      },
    ],
  })}\n\n`,
  'a-call-that-nothing-ends': events(
    CREATED,
    {
      type: 'response.output_item.added',
      output_index: 0,
      item: { type: 'function_call', id: 'f', call_id: 'c', name: 'lookup', arguments: '' },
    },
    {
      type: 'response.function_call_arguments.done',
      output_index: 0,
      item_id: 'f',
      arguments: '{"query":"a"}',
    },
    COMPLETED,
  ),
  'a-refusal-in-words': events(
    CREATED,
    { type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'i0' } },
    { type: 'response.refusal.delta', output_index: 0, item_id: 'i0', content_index: 0, delta: 'I cannot.' },
    {
      type: 'response.output_item.done',
      output_index: 0,
      item: { type: 'message', id: 'i0', content: [{ type: 'refusal', refusal: 'I cannot.' }] },
    },
    COMPLETED,
  ),
  'broken-off-without-a-reason': events(
    CREATED,
    { type: 'response.output_item.done', output_index: 0, item: MESSAGE },
    { type: 'response.incomplete', response: { status: 'incomplete', incomplete_details: null } },
  ),
  'a-call-gemini-could-not-write': `data: ${JSON.stringify({
    candidates: [{ content: {}, finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: 'Malformed call' }],
  })}\n\n`,
  // ------------------------------------------------------------------------------- pages that an answer rests on
  'cited-by-anthropic': events(
    opening,
    {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} },
    },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'content_block_start',
      index: 1,
      content_block: {
        type: 'web_search_tool_result',
        tool_use_id: 's1',
        content: [{ ...RESULT, type: 'web_search_result', encrypted_content: 'e' }],
      },
    },
    { type: 'content_block_stop', index: 1 },
    { type: 'content_block_start', index: 2, content_block: { type: 'text', text: '', citations: [] } },
    { ...textDelta('Backups run at three.'), index: 2 },
    ...[RESULT, OTHER, OTHER].map((page) => ({
      type: 'content_block_delta',
      index: 2,
      delta: { type: 'citations_delta', citation: location(page) },
    })),
    { type: 'content_block_stop', index: 2 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } },
    { type: 'message_stop' },
  ),
  'cited-in-a-document-of-anthropic': JSON.stringify({
    ...opening.message,
    content: [
      { type: 'text', text: 'Backups run at three.', citations: [location(RESULT), location(OTHER)] },
    ],
    stop_reason: 'end_turn',
  }),
  'documents-cited-by-anthropic': events(
    opening,
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '', citations: [] } },
    textDelta('Backups run at three.'),
    ...PLACES.map((citation) => ({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'citations_delta', citation },
    })),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } },
    { type: 'message_stop' },
  ),
  'documents-cited-in-a-document-of-anthropic': JSON.stringify({
    ...opening.message,
    content: [{ type: 'text', text: 'Backups run at three.', citations: PLACES }],
    stop_reason: 'end_turn',
  }),
  'cited-by-gemini': `data: ${JSON.stringify({
    candidates: [
      {
        content: { role: 'model', parts: [{ text: 'Backups run at three.' }] },
        finishReason: 'STOP',
        groundingMetadata: {
          webSearchQueries: ['backup'],
          groundingChunks: [RESULT, OTHER, OTHER].map(({ url, title }) => ({ web: { uri: url, title } })),
          groundingSupports: [
            {
              segment: { startIndex: 0, endIndex: 21, text: 'Backups run at three.' },
              groundingChunkIndices: [0, 1],
            },
          ],
        },
      },
    ],
  })}\n\n`,
  'cited-by-responses': events(
    CREATED,
    { type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'i0' } },
    { type: 'response.output_text.delta', output_index: 0, item_id: 'i0', delta: 'Backups run at three.' },
    ...CITED.map((annotation, at) => ({
      type: 'response.output_text.annotation.added',
      output_index: 0,
      item_id: 'i0',
      content_index: 0,
      annotation_index: at,
      annotation,
    })),
    { type: 'response.output_item.done', output_index: 0, item: CITED_MESSAGE },
    COMPLETED,
  ),
  'cited-by-ended-items': events(
    CREATED,
    { type: 'response.output_item.done', output_index: 0, item: CITED_MESSAGE },
    COMPLETED,
  ),
  'cited-by-a-document-of-responses': JSON.stringify({
    id: 'r',
    object: 'response',
    status: 'completed',
    output: [CITED_MESSAGE],
    usage: { input_tokens: 1, output_tokens: 1 },
  }),
  'ratings-of-another-form': `data: ${JSON.stringify({
    candidates: [
      {
        content: { role: 'model', parts: [{ text: 'Backups run at three.' }] },
        finishReason: 'STOP',
        safetyRatings: [{ category: null, probability: 3 }],
      },
    ],
  })}\n\n`,
  // ------------------------------------------------------------------------------ code that the endpoint ran by itself
  'run-by-gemini': [
    { text: 'I add.' },
    { executableCode: { id: 'a', language: 'PYTHON', code: 'print(1 + 1)\n' } },
    { codeExecutionResult: { id: 'a', outcome: 'OUTCOME_OK', output: '2\n' } },
    { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '```\n3' } },
    { text: 'Two.' },
  ]
    .map((part, at) => ({
      candidates: [
        { content: { role: 'model', parts: [part] }, ...(at === 4 ? { finishReason: 'STOP' } : {}) },
      ],
    }))
    .map((event) => `data: ${JSON.stringify(event)}\n\n`)
    .join(''),
  'run-by-responses': events(
    CREATED,
    {
      type: 'response.output_item.added',
      output_index: 0,
      item: { type: 'code_interpreter_call', id: 'ci' },
    },
    { type: 'response.code_interpreter_call_code.delta', output_index: 0, item_id: 'ci', delta: 'print(1' },
    {
      type: 'response.output_item.done',
      output_index: 0,
      item: {
        type: 'code_interpreter_call',
        id: 'ci',
        container_id: 'c',
        code: 'print(1 + 1)',
        outputs: [{ type: 'logs', logs: '2\n' }],
      },
    },
    { type: 'response.output_item.done', output_index: 1, item: MESSAGE },
    COMPLETED,
  ),
  'run-by-anthropic': events(
    opening,
    {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'server_tool_use', id: 's1', name: 'bash_code_execution', input: {} },
    },
    {
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'input_json_delta', partial_json: '{"command": "echo ' },
    },
    { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '2"}' } },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'content_block_start',
      index: 1,
      content_block: {
        type: 'bash_code_execution_tool_result',
        tool_use_id: 's1',
        content: {
          type: 'bash_code_execution_result',
          stdout: '2\n',
          stderr: '',
          return_code: 0,
          content: [],
        },
      },
    },
    { type: 'content_block_stop', index: 1 },
    { type: 'content_block_start', index: 2, content_block: { type: 'text', text: 'Two.' } },
    { type: 'content_block_stop', index: 2 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } },
    { type: 'message_stop' },
  ),
  'error-of-gemini': `data: ${JSON.stringify({ error: { code: 503, message: 'The model is overloaded.' } })}\n\n`,
};

/**
 * How proxies and small servers write a stream that says the same. The model id names
 * one; the bytes come in small pieces.
 */
export const WRITTEN: Readonly<Record<string, (stream: string) => string>> = {
  'carriage-returns': (stream) => stream.replaceAll('\n', '\r'),
  'line-feeds-and-returns': (stream) => stream.replaceAll('\n', '\r\n'),
  'no-blank-lines': (stream) => stream.replaceAll('\n\n', '\n'),
  'no-blank-line-at-the-end': (stream) => stream.trimEnd(),
  'no-names-no-spaces': (stream) => stream.replace(/^event: .*\n/gm, '').replaceAll('data: ', 'data:'),
  'comments-and-a-mark': (stream) => `\uFEFF: open\n\n${stream.replaceAll('data: ', ': here\ndata: ')}`,
  'over-several-lines': (stream) =>
    stream.replace(/^data: (.*)$/gm, (_, data: string) =>
      JSON.stringify(JSON.parse(data), null, 1).replace(/^/gm, 'data: '),
    ),
  'words-and-nulls-between': (stream) => `data: ping\n\ndata: null\n\n${stream}data: [DONE]\n\n`,
  'numbers-of-python': (stream) => stream.replaceAll('data: {', 'data: {"score":-Infinity,"rank":NaN,'),
  'a-list': (stream) => `[${[...stream.matchAll(/^data: (.*)$/gm)].map(([, data]) => data).join(',\n')}]`,
  'lines-of-json': (stream) => [...stream.matchAll(/^data: (.*)$/gm)].map(([, data]) => data).join('\n'),
};

export interface NativeServer {
  readonly baseUrl: string;
  readonly requests: {
    readonly path: string;
    readonly headers: IncomingHttpHeaders;
    readonly body: Record<string, unknown>;
  }[];
  close(): Promise<void>;
}

/** Starts the server on 127.0.0.1. The model id names the script. */
export async function startNative(protocol: Native): Promise<NativeServer> {
  const requests: NativeServer['requests'] = [];
  const sockets = new Set<Socket>();
  const play = async (response: ServerResponse, model: string, steps: readonly Step[]) => {
    const speaker = SPEAKERS[protocol]();
    const rewrite = WRITTEN[model];
    let kept = '';
    const send = (events: readonly Event[]) => {
      for (const { name, data } of events) {
        const text = `${name ? `event: ${name}\n` : ''}data: ${JSON.stringify(data)}\n\n`;
        if (rewrite) kept += text;
        else response.write(text);
      }
    };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    send(speaker.begin(model));
    for (const step of steps) {
      if ('gate' in step) return;
      if ('cut' in step) return void setTimeout(() => response.destroy(), 20);
      send(speaker.step(step));
    }
    send(speaker.end());
    const bytes = Buffer.from(rewrite?.(kept) ?? '');
    for (let at = 0; at < bytes.length; at += 61) response.write(bytes.subarray(at, at + 61));
    response.end();
  };
  const server = createServer(async (request, response) => {
    response.setHeader('access-control-allow-origin', '*');
    if (request.method === 'OPTIONS') {
      response.setHeader(
        'access-control-allow-headers',
        request.headers['access-control-request-headers'] ?? '*',
      );
      response.writeHead(204).end();
      return;
    }
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const path = request.url ?? '';
    const body =
      pieces.length > 0
        ? (JSON.parse(Buffer.concat(pieces).toString('utf8')) as Record<string, unknown>)
        : {};
    requests.push({ path, headers: request.headers, body });
    const json = (status: number, value: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (request.method === 'GET')
      return json(
        200,
        protocol === 'google'
          ? {
              models: [
                { name: 'models/gemini-3-pro', supportedGenerationMethods: ['generateContent'] },
                { name: 'models/gemini-embedding-001', supportedGenerationMethods: ['embedContent'] },
              ],
            }
          : { data: [{ id: 'claude-x' }, { id: 'text-embedding-3-small' }], has_more: false },
      );
    const model = protocol === 'google' ? (/models\/([^:]+):/.exec(path)?.[1] ?? '') : String(body.model);
    const bytes = BODIES[model];
    if (bytes !== undefined) {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(bytes);
      return;
    }
    if (model === 'error-401') return json(401, REFUSAL[protocol]);
    if (model === 'wants-no-cache' && 'cache_control' in body)
      return json(400, {
        type: 'error',
        error: { type: 'invalid_request_error', message: 'cache_control: Extra inputs are not permitted' },
      });
    const script = SCRIPTS[model]?.({ model, messages: [{ role: 'user', content: lastWords(body) }] });
    const plain = SCRIPTS.plain?.({ model, messages: [] });
    const { steps } = (script ?? plain) as { steps: readonly Step[] };
    return play(response, model, steps);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    close: async () => {
      const done = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await done;
    },
  };
}
