// How endpoints really behave, byte by byte, from public API documentation and bug reports. The model id names the
// dialect. To add one, write one entry in ANSWERS (how it answers), or one in REFUSALS (what it refuses) and its
// repair in REPAIRED of quirks.test.ts.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** What a person must get of an answer. */
export interface Expected {
  readonly words: string;
  readonly thoughts?: string;
  readonly calls?: readonly { readonly name: string; readonly arguments: string }[];
  readonly finish: 'stop' | 'length' | 'tool-calls' | 'cut' | 'error';
  /** Code of the problem; absent: none. */
  readonly problem?: string;
  readonly usage?: Readonly<Record<string, number>>;
  readonly sources?: readonly string[];
  /** Addresses of the pictures, in their order. */
  readonly pictures?: readonly string[];
}

export interface AnswerQuirk {
  readonly body: string | Buffer;
  readonly type?: string;
  /** The connection stays open after the body. */
  readonly hang?: boolean;
  /** The socket is destroyed after the body. */
  readonly destroy?: boolean;
  readonly expected: Expected;
}

const line = (value: unknown) => `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`;
const delta = (delta: unknown, finish: unknown = null, more: object = {}) =>
  line({
    id: 'c1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...more,
  });
/** One white point. */
const PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const DONE = 'data: [DONE]\n\n';
const text = (content: string, more: object = {}) => delta({ content }, null, more);
const stop = delta({}, 'stop');
const whole: Expected = { words: 'Backups run at three.', finish: 'stop' };
const said = text('Backups run ') + text('at three.');
const cut: Expected = { ...whole, finish: 'cut', problem: 'model-cut' };
const call = (fn: unknown, more: object = {}) =>
  delta({ tool_calls: [{ index: 0, type: 'function', function: fn, ...more }] });
const called = (args = '{"query":"a"}', words = ''): Expected => ({
  words,
  calls: [{ name: 'lookup', arguments: args }],
  finish: 'tool-calls',
});

const calledTwice: Expected = {
  words: '',
  calls: [
    { name: 'lookup', arguments: '{"query":"a"}' },
    { name: 'lookup', arguments: '{"query":"b"}' },
  ],
  finish: 'tool-calls',
};

/** Letter by letter, as slow models write. */
const letters = (words: string) => [...words].map((letter) => text(letter)).join('') + stop + DONE;
const HARMONY_THOUGHT = '<|channel|>analysis<|message|>Look.<|end|>';

/** One page, in the form of each endpoint: beside the choices, in the choice, or in its delta. */
const PAGE = { title: 'A', url: 'https://example.org/a' };
const GROUNDED = { groundingChunks: [{ web: { uri: PAGE.url, title: PAGE.title } }] };
const CITED: Readonly<Record<string, string>> = {
  groq: delta({ executed_tools: [{ type: 'search', search_results: { results: [PAGE], images: [] } }] }),
  cohere: delta({}, null, { citations: [{ text: 'x', sources: [{ type: 'document', document: PAGE }] }] }),
  'gemini-in-the-choice': line({ choices: [{ index: 0, delta: {}, groundingMetadata: GROUNDED }] }),
  'vertex-by-litellm': delta({}, null, { vertex_ai_grounding_metadata: [GROUNDED] }),
  'anthropic-by-litellm': delta({ provider_specific_fields: { citation: { ...PAGE, cited_text: 'x' } } }),
  mistral: delta({ content: [{ type: 'tool_reference', tool: 'web_search', ...PAGE }] }),
  'open-webui': line({
    sources: [{ source: { name: 'A', url: PAGE.url }, metadata: [{ source: PAGE.url }] }],
  }),
  venice: line({ choices: [], venice_parameters: { web_search_citations: [PAGE] } }),
  'search-with-pictures': delta({}, null, {
    web_search: {
      results: [{ ...PAGE, favicon: 'https://x.org/i.png', images: [{ url: 'https://x.org/p' }] }],
    },
  }),
};
/** Marks that models set around their thoughts, and around the answer behind them. */
const MARKED: Readonly<Record<string, string>> = {
  hunyuan: '<think>\nLook.</think>\n<answer>\nBackups run at three.</answer>',
  ernie: '<think>\nLook.</think>\n\n<response>\nBackups run at three.</response>\n',
  'command-a':
    '<|START_THINKING|>Look.<|END_THINKING|><|START_RESPONSE|>Backups run at three.<|END_RESPONSE|>',
  openthinker:
    '<|begin_of_thought|>\n\nLook.<|end_of_thought|>\n\n<|begin_of_solution|>\n\nBackups run at three.<|end_of_solution|>',
  longcat: '<longcat_think>\nLook.</longcat_think>\nBackups run at three.',
  minimax: '<mm:think>\nLook.</mm:think>\nBackups run at three.',
  lfm: '<|cot_start|>Look.<|cot_end|>Backups run at three.',
  solar: '<|think|>Look.<|end|><|begin|>assistant<|content|>Backups run at three.',
  apertus: '<|inner_prefix|>Look.<|inner_suffix|>Backups run at three.',
  medgemma: '<unused94>thought\nLook.<unused95>Backups run at three.',
  twice: '<think>\n<think>\nLook.</think>\nBackups run at three.',
  analysis: '<analysis>\nLook.</analysis>\n\nBackups run at three.',
  reflection: '<reflection>Look.</reflection>Backups run at three.',
  scratchpad: '<scratchpad>\nLook.</scratchpad>\n<answer>\nBackups run at three.</answer>',
  marco: '<Thought>\nLook.</Thought>\n<Output>\nBackups run at three.</Output>',
  minicpm: '<|thought_start|>\nLook.<|thought_end|>\nBackups run at three.',
  'granite-for-short': "Here's my thought process:\nLook.Here's my response:\nBackups run at three.",
  apriel:
    'Here are my reasoning steps:\nLook.[BEGIN FINAL RESPONSE]\nBackups run at three.[END FINAL RESPONSE]',
  exaone: '[|assistant|]<thought>\nLook.</thought>\n\nBackups run at three.[|endofturn|]',
  nemotron: '<think>\nLook.</think>\n\nBackups run at three.<SPECIAL_12>',
  'command-a-to-its-end':
    '<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|><|START_THINKING|>Look.<|END_THINKING|>Backups run at three.<|END_OF_TURN_TOKEN|>',
  'seed-to-its-end': '<seed:think>Look.</seed:think>Backups run at three.<seed:eos>',
  'glm-to-its-end': '<think>Look.</think>\nBackups run at three.<|user|>',
  'granite-with-roles':
    '<|start_of_role|>assistant<|end_of_role|><think>Look.</think><response>Backups run at three.</response><|end_of_text|>',
  'phi-with-separators': '<|im_start|>assistant<|im_sep|><think>Look.</think>Backups run at three.<|im_end|>',
  'gemma-to-the-next-turn': '<think>Look.</think>Backups run at three.<end_of_turn>\n<start_of_turn>user\n',
};
/** Words that begin as thoughts do, and are none: what follows, or that nothing does, tells. */
const NO_THOUGHTS: readonly string[] = [
  '<analysis>\n At three.\n</analysis>',
  '<analysis>At three.</analysis>\n<verdict>Late.</verdict>',
  '<reflection>At three',
  '<Analysis>\n\n',
  'Right. <think>\n At three, and',
  'Here are my reasoning steps: at three.',
  'analysisAt three.',
  '<details><summary>Thinking</summary>\nAt three.',
  'The token is <|im_end|>',
  'It ends with:\n\n<|fim_suffix|>',
];

/** A picture written among words, and the words that stay. */
const PICTURES_IN_WORDS: readonly (readonly [written: string, words?: string])[] = [
  [`![a](${PICTURE} "A title")`],
  [`![a](${PICTURE} 'It (so)'\n)`],
  [`![a](<${PICTURE}>)`],
  [`![a]( ${PICTURE} )`],
  [`![a [b] c](${PICTURE})`],
  [`![a\nb](${PICTURE})`],
  [`![a](${PICTURE.replace(';', ';charset=utf-8;name=a.png;')})`],
  [
    `![a](${PICTURE.replaceAll('+', '%2B').replaceAll('/', '%2F').replaceAll('=', '%3D').replace('image%2F', 'image/')})`,
  ],
  [`![a](${PICTURE.replace(/.{60}/g, '$&\r\n')})`],
  [`![a](${PICTURE.replace(/(?<=.{30}).{44}/g, '$&\n  ')}\n"A title")`],
  [`<img src="${PICTURE}" alt="a">`],
  [`<img alt='a' width=5\n src='${PICTURE}' />`],
  [`<IMG SRC=${PICTURE}>`],
  [`<p><img src="${PICTURE}"></p>`, 'A <p></p> B'],
  [`\n${PICTURE}\n`, 'A \n\n B'],
  [PICTURE],
];
const NO_PICTURES_IN_WORDS: readonly string[] = [
  `\`<img src="${PICTURE}">\` so`,
  `\`\`\`html\n<img src="${PICTURE}">\n\`\`\`\nso`,
  '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw="> is one',
  '<img src="https://x.org/a.png" alt="data:image/png;base64,"> so',
  `{"image":"${PICTURE}"}`,
  'It begins with data:image/png;base64, and d',
  `[p]: ${PICTURE}`,
  'Write ![a](data:image/png;base64,AAAA\nand ![b](data:image/png;base64,BBBB "so") or <img',
];

/** Why answers ended, as endpoints and the programs behind them call it. */
const REASONS: readonly (readonly [Expected, ...(readonly unknown[])])[] = [
  [whole, 'eosFound', 'stopStringFound', 'COMPLETE', 'stop_str', 'natural', { type: 'stop', matched: 7 }],
  [
    { ...whole, finish: 'length' },
    ...['maxPredictedTokensReached', 'contextLengthReached', 'max_length', 'max_output_reached', 'limit'],
    ...['truncated', 'output_limit', 'tokens', { type: 'length', length: 20 }],
  ],
  [
    cut,
    ...['timed_out', 'upstream_timeout', 'disconnected', 'client_disconnect', 'user_abort', 'preempted'],
    ...['deadline_exceeded', 'userStopped', 'modelUnloaded', 'request_cancelled', 'connection_closed'],
  ],
  [
    { ...whole, finish: 'error', problem: 'model-refused' },
    ...['content_filter: RECITATION', 'blocked_by_policy', 'guardrail_intervened', 'policy_violation'],
    ...['flagged', 'moderated', 'prohibited'],
  ],
  [
    { ...whole, finish: 'error', problem: 'model-server' },
    ...['function_call_filter: UNEXPECTED_TOOL_CALL', 'error: upstream timeout', 'server_overloaded'],
    'network_error',
  ],
];
/** Failures behind words, in the fields that endpoints have for them. */
const FAILED: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['err_msg', 'errorMessage', 'errmsg', 'error_description', 'error_message', 'Message', 'title'].map(
      (name) => [`in-${name.toLowerCase()}`, line({ code: 50001, [name]: 'Failed.' })],
    ),
  ),
  'of-groq-beside-its-usage': line({ choices: [], x_groq: { id: 'r', error: 'over capacity' } }),
  'in-a-list': '[{\n  "error": {\n    "code": 500,\n    "message": "Failed."\n  }\n}\n]\n',
};

/** How endpoints answer. */
export const ANSWERS: Readonly<Record<string, AnswerQuirk>> = {
  // ------------------------------------------------------------------------------- everything so far in each delta
  ...Object.fromEntries(
    Object.entries<string>({
      'in-deltas':
        text('Backups') + text('Backups run') + text('Backups run at') + text('Backups run at three.') + stop,
      'from-the-first-letter':
        text('B') + text('Ba') + text('Backups run') + text('Backups run at three.') + stop,
      'in-two': text('Backups') + delta({ content: 'Backups run at three.' }, 'stop'),
      'in-messages':
        line({ choices: [{ message: { content: 'Backups run' } }] }) +
        line({ choices: [{ message: { content: 'Backups run at' } }] }) +
        line({ choices: [{ message: { content: 'Backups run at three.' }, finish_reason: 'stop' }] }),
      'of-dashscope':
        line({ output: { text: 'Backups run', finish_reason: 'null' } }) +
        line({ output: { text: 'Backups run at three.', finish_reason: 'stop' } }),
    }).map(([id, body]): [string, AnswerQuirk] => [
      `all-so-far-${id}`,
      { body: body + DONE, expected: whole },
    ]),
  ),
  'all-so-far-in-thoughts': {
    body:
      delta({ reasoning_content: 'I look' }) +
      delta({ reasoning_content: 'I look it' }) +
      delta({ reasoning_content: 'I look it up.' }) +
      said +
      stop +
      DONE,
    expected: { ...whole, thoughts: 'I look it up.' },
  },
  'all-so-far-once': {
    body:
      text('Backups run at three ') +
      text('each and every day.') +
      text('Backups run at three each and every day. Yes.') +
      stop +
      DONE,
    expected: { words: 'Backups run at three each and every day. Yes.', finish: 'stop' },
  },
  laughs: {
    body: text('Ha') + text('Haha') + text(' no') + stop + DONE,
    expected: { words: 'HaHaha no', finish: 'stop' },
  },
  // ------------------------------------------------------------------------------- as reports of 2026 have them
  ...Object.fromEntries(
    Object.entries(FAILED).map(([id, failed]): [string, AnswerQuirk] => [
      `failure-${id}`,
      { body: said + failed, expected: { ...whole, finish: 'error', problem: 'model-server' } },
    ]),
  ),
  'failure-too-long-by-names-of-its-own': {
    body: line({ choices: null, error_type: 'BadRequestError', error_message: 'Prompt is too long' }),
    expected: { words: '', finish: 'error', problem: 'model-context' },
  },
  'failure-of-fastchat-as-words': {
    body: line({ text: '**NETWORK ERROR DUE TO HIGH TRAFFIC.**', error_code: 50001 }) + DONE,
    expected: { words: '', finish: 'error', problem: 'model-server' },
  },
  'throttled-by-bedrock': {
    body: line({ detail: 'An error occurred (ThrottlingException): Too many tokens, please wait.' }),
    expected: { words: '', finish: 'error', problem: 'model-rate' },
  },
  'an-error-that-says-success': {
    body: text('Backups run at three.', { error: { code: 0, message: 'success' } }) + stop + DONE,
    expected: whole,
  },
  'an-event-in-the-middle-of-another': {
    body: `${text('Backups run ')}data: {"id":"c1","object":"chat.c${text('at three.')}${stop}${DONE}`,
    expected: { ...whole, problem: 'model-format' },
  },
  'an-event-in-the-words-of-another': {
    body: `${text('Backups run ')}data: {"choices":[{"index":0,"delta":{"content":"${text('at three.')}${stop}${DONE}`,
    expected: { ...whole, problem: 'model-format' },
  },
  'words-as-json-alone': { body: line('"Backups run "') + line('"at three."') + DONE, expected: whole },
  'a-choice-for-each-block': {
    body: JSON.stringify({
      choices: [
        { finish_reason: 'tool_calls', message: { role: 'assistant', content: 'I look.' } },
        {
          finish_reason: 'tool_calls',
          message: { tool_calls: [{ id: 'c1', function: { name: 'lookup', arguments: '{"query":"a"}' } }] },
        },
      ],
    }),
    type: 'application/json',
    expected: called('{"query":"a"}', 'I look.'),
  },
  'call-of-workers-ai': {
    body:
      line({ response: '', tool_calls: [{ name: 'lookup', arguments: { query: 'a' } }] }) +
      line({ response: '' }) +
      DONE,
    expected: { ...called(), finish: 'stop' },
  },
  'call-of-workers-ai-in-a-document': {
    body: JSON.stringify({
      result: { response: null, tool_calls: [{ name: 'lookup', arguments: { query: 'a' } }] },
      success: true,
    }),
    type: 'application/json',
    expected: { ...called(), finish: 'stop' },
  },
  'cohere-itself-thinks-and-calls': {
    body:
      line({ type: 'content-delta', index: 0, delta: { message: { content: { thinking: 'Look.' } } } }) +
      line({
        type: 'tool-call-start',
        index: 0,
        delta: { message: { tool_calls: { id: 'c1', function: { name: 'lookup', arguments: '' } } } },
      }) +
      line({
        type: 'tool-call-delta',
        index: 0,
        delta: { message: { tool_calls: { function: { arguments: '{"query":"a"}' } } } },
      }) +
      line({ type: 'tool-call-end', index: 0 }) +
      line({ type: 'message-end', delta: { finish_reason: 'TOOL_CALL' } }),
    expected: { ...called(), thoughts: 'Look.' },
  },
  'thoughts-of-granite-in-sentences': {
    body: letters('Here is my thought process:\nLook.\n\nHere is my response:\nBackups run at three.'),
    expected: { ...whole, thoughts: 'Look.\n\n' },
  },
  'thoughts-in-a-fold': {
    body: letters(
      '<details type="reasoning" done="true">\n<summary>Thought for 3 seconds</summary>\nLook.\n</details>\nBackups run at three.',
    ),
    expected: { ...whole, thoughts: 'Look.\n' },
  },
  'a-fold-of-something-else': {
    body: letters('<details><summary>Backups</summary>\nAt three.\n</details>'),
    expected: { words: '<details><summary>Backups</summary>\nAt three.\n</details>', finish: 'stop' },
  },
  'speaks-of-its-thought-process': {
    body: letters('Here is my thought process: at three.'),
    expected: { words: 'Here is my thought process: at three.', finish: 'stop' },
  },
  'template-letter-by-letter': {
    body: letters(
      '<|start_header_id|>assistant<|end_header_id|>\n\nBackups run at three.<|eot_id|><|eot_id|>',
    ),
    expected: whole,
  },
  'template-without-its-marks': { body: letters('assistant\n\nBackups run at three.'), expected: whole },
  'an-end-of-file': { body: `${said}${stop}data: [EOF]\n\n`, expected: whole },
  'picture-of-aihubmix': {
    body:
      text('Backups run at three.', {}) +
      delta({
        multi_mod_content: [{ text: '', inline_data: { data: PICTURE.slice(22), mime_type: 'image/png' } }],
      }) +
      stop +
      DONE,
    expected: { ...whole, pictures: [PICTURE] },
  },
  'call-without-inputs-in-words': {
    body: letters('<tool_call>lookup</tool_call>'),
    expected: called('{}'),
  },
  'calls-in-words-of-olmo': {
    body: letters('<function_calls>\nlookup(query="a")\nlookup(query="b")\n</function_calls>'),
    expected: calledTwice,
  },
  'picture-among-words': {
    body: text(`Here.\n\n![image](${PICTURE.slice(0, 50)}`) + text(`${PICTURE.slice(50)})`) + stop + DONE,
    expected: { words: 'Here.\n\n', finish: 'stop', pictures: [PICTURE] },
  },
  ...Object.fromEntries(
    PICTURES_IN_WORDS.map(([written, words = 'A  B'], at): [string, AnswerQuirk] => [
      `picture-in-words-${at + 1}`,
      { body: letters(`A ${written} B`), expected: { words, finish: 'stop', pictures: [PICTURE] } },
    ]),
  ),
  ...Object.fromEntries(
    NO_PICTURES_IN_WORDS.map((words, at): [string, AnswerQuirk] => [
      `no-picture-in-words-${at + 1}`,
      { body: letters(words), expected: { words, finish: 'stop' } },
    ]),
  ),
  'picture-alone': {
    body: text(PICTURE) + stop + DONE,
    expected: { words: '', finish: 'stop', pictures: [PICTURE] },
  },
  'picture-in-code-among-words': {
    body: text(`\`\`\`\n![image](${PICTURE})\n\`\`\``) + stop + DONE,
    expected: { words: `\`\`\`\n![image](${PICTURE})\n\`\`\``, finish: 'stop' },
  },
  'words-behind-a-picture-without-its-bracket': {
    body:
      text('Write ![a](data:image/png;base64,AAAA and close it. ') +
      text(`${'More words. '.repeat(100)}![b](${PICTURE} Last.`) +
      stop +
      DONE,
    expected: {
      words: `Write ![a](data:image/png;base64,AAAA and close it. ${'More words. '.repeat(100)} Last.`,
      finish: 'stop',
      pictures: [PICTURE],
    },
  },
  'result-of-qianfan': {
    body:
      line({ sentence_id: 0, is_end: false, result: 'Backups run ' }) +
      line({ sentence_id: 1, is_end: true, result: 'at three.' }),
    expected: whole,
  },
  'error-beside-an-empty-choice': {
    body:
      said +
      line({
        error: { code: 502, message: 'Overloaded' },
        choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }],
      }) +
      DONE,
    expected: { words: 'Backups run at three.', finish: 'error', problem: 'model-server' },
  },
  // ------------------------------------------------------------------------------- calls among the words
  ...Object.fromEntries(
    Object.entries<string>({
      hermes: '<tool_call>\n{"name": "lookup", "arguments": {"query": "a"}}\n</tool_call>',
      'hermes-with-args': '<tool_call>\n{"name": "lookup", "args": {"query": "a"}}\n</tool_call>',
      'hermes-without-its-end': '<tool_call>\n{"name": "lookup", "arguments": {"query": "a"}}',
      'qwen-coder':
        '<tool_call>\n<function=lookup>\n<parameter=query>\na\n</parameter>\n</function>\n</tool_call>',
      glm: '<tool_call>lookup\n<arg_key>query</arg_key>\n<arg_value>a</arg_value>\n</tool_call>',
      llama: '<|python_tag|>{"name": "lookup", "parameters": {"query": "a"}}<|eom_id|>',
      'llama-in-a-tag': '<function=lookup>{"query": "a"}</function>',
      'llama-bare': '{"name": "lookup", "parameters": {"query": "a"}}',
      'qwen-in-a-fence': '```json\n{\n  "name": "lookup",\n  "arguments": {"query": "a"}\n}\n```',
      mistral: '[TOOL_CALLS][{"name": "lookup", "arguments": {"query": "a"}}]',
      'mistral-with-its-name': '[TOOL_CALLS]lookup[ARGS]{"query": "a"}',
      phi: 'functools[{"name": "lookup", "arguments": {"query": "a"}}]',
      deepseek:
        '<\uff5ctool\u2581calls\u2581begin\uff5c><\uff5ctool\u2581call\u2581begin\uff5c>function<\uff5ctool\u2581sep\uff5c>lookup\n```json\n{"query":"a"}\n```<\uff5ctool\u2581call\u2581end\uff5c><\uff5ctool\u2581calls\u2581end\uff5c>',
      'deepseek-v3.1':
        '<\uff5ctool\u2581calls\u2581begin\uff5c><\uff5ctool\u2581call\u2581begin\uff5c>lookup<\uff5ctool\u2581sep\uff5c>{"query":"a"}<\uff5ctool\u2581call\u2581end\uff5c><\uff5ctool\u2581calls\u2581end\uff5c>',
      kimi: '<|tool_calls_section_begin|><|tool_call_begin|>functions.lookup:0<|tool_call_argument_begin|>{"query":"a"}<|tool_call_end|><|tool_calls_section_end|>',
      minimax:
        '<minimax:tool_call>\n<invoke name="lookup">\n<parameter name="query">a</parameter>\n</invoke>\n</minimax:tool_call>',
      lfm: '<|tool_call_start|>[lookup(query="a")]<|tool_call_end|>',
      gemma: "```tool_code\nprint(lookup(query='a'))\n```",
      'deepseek-v4':
        '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="lookup">\n<｜DSML｜parameter name="query" string="true">a</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>',
      hunyuan:
        '<tool_call>lookup<tool_sep>\n<arg_key>query</arg_key>\n<arg_value>a</arg_value>\n</tool_call>',
      'kimi-without-a-section':
        '<|tool_call_begin|>functions.lookup:0<|tool_call_argument_begin|>{"query":"a"}<|tool_call_end|>',
      'phi-in-marks': '<|tool_call|>[{"name":"lookup","arguments":{"query":"a"}}]<|/tool_call|>',
      grok: '<xai:function_call name="lookup">\n<parameter name="query">a</parameter>\n</xai:function_call>',
      claude: '<invoke name="lookup">\n<parameter name="query">a</parameter>\n</invoke>',
      'hermes-without-its-line': '<toolcall>{"name":"lookup","arguments":{"query":"a"}}</toolcall>',
      'qwen-in-a-tag': '<function_call>{"name":"lookup","arguments":{"query":"a"}}</function_call>',
      'gemini-in-a-tag': '<tool_code>lookup(query="a")</tool_code>',
      'glm-in-a-tag': '<function name="lookup">{"query":"a"}</function>',
      'openai-in-words': '{"tool_calls":[{"function":{"name":"lookup","arguments":{"query":"a"}}}]}',
      'deepseek-without-a-section':
        '<｜tool▁call▁begin｜>lookup<｜tool▁sep｜>{"query":"a"}<｜tool▁call▁end｜>',
      'gemini-in-a-fence': '```function_call\n{"name":"lookup","arguments":{"query":"a"}}\n```',
      'hunyuan-in-a-section':
        '<tool_calls>\n<tool_call>lookup<tool_sep>\n<arg_key>query</arg_key>\n<arg_value>a</arg_value>\n</tool_call>\n</tool_calls>',
      minicpm: '<|tool_call_start|>\n```python\nlookup(query="a")\n```\n<|tool_call_end|>\n',
      'glm-to-its-end':
        '<tool_call>lookup\n<arg_key>query</arg_key>\n<arg_value>a</arg_value>\n</tool_call><|observation|>',
      'react-as-json': '{"action": "lookup", "action_input": {"query": "a"}}',
      'react-in-a-fence': '```json\n{\n  "action": "lookup",\n  "action_input": {"query": "a"}\n}\n```',
      'react-in-lines': 'Action: lookup\nAction Input: {"query": "a"}\nObservation:',
    }).map(([id, words]): [string, AnswerQuirk] => [
      `call-in-words-of-${id}`,
      { body: letters(words), expected: called() },
    ]),
  ),
  'call-in-words-behind-others': {
    body: letters('Let me look.\n<tool_call>{"name":"lookup","arguments":{"query":"a"}}</tool_call>'),
    expected: called('{"query":"a"}', 'Let me look.\n'),
  },
  'call-in-lines-behind-thoughts-in-lines': {
    body: letters('Thought: I look.\nAction: lookup\nAction Input:\n{"query": "a"}\n'),
    expected: called('{"query":"a"}', 'Thought: I look.\n'),
  },
  'calls-in-words': {
    body: letters(
      '<tool_call>{"name":"lookup","arguments":{"query":"a"}}</tool_call>\n<tool_call>{"name":"lookup","arguments":{"query":"b"}}</tool_call>',
    ),
    expected: calledTwice,
  },
  'calls-in-words-bare': {
    body: letters('{"name":"lookup","arguments":{"query":"a"}}\n{"name":"lookup","arguments":{"query":"b"}}'),
    expected: calledTwice,
  },
  'call-in-words-behind-thoughts': {
    body: letters(
      '<think>Look.</think>\n\n<tool_call>{"name":"lookup","arguments":{"query":"a"}}</tool_call>',
    ),
    expected: { ...called(), thoughts: 'Look.' },
  },
  ...Object.fromEntries(
    Object.entries<string>({
      code: 'So:\n```xml\n<tool_call>{"name":"lookup","arguments":{"query":"a"}}</tool_call>\n```',
      'code-between-tildes':
        'So:\n~~~\n<tool_call>{"name":"lookup","arguments":{"query":"a"}}</tool_call>\n~~~',
      'code-within-code':
        'So:\n````md\n```xml\n```\n<tool_call>{"name":"lookup","arguments":{"query":"a"}}</tool_call>\n````',
      'indented-code': 'So:\n\n    <tool_call>{"name":"lookup","arguments":{"query":"a"}}</tool_call>',
      'code-in-a-line': 'It writes `<tool_call>{"name":"lookup","arguments":{}}</tool_call>` there',
      'react-with-an-input-of-words': 'Action: lookup\nAction Input: a',
      'react-that-answers-itself':
        'Thought: I look.\nAction: lookup\nAction Input: {"query": "a"}\nObservation: Three.\nFinal Answer: At three.',
      'react-at-its-end': '{"action": "Final Answer", "action_input": "At three."}',
      'actions-of-a-person':
        '**Plan**\nAction: lookup\nOwner: Ada\nAction: restart it\nAction: other\nAction: ',
      'another-name': '<tool_call>{"name":"other","arguments":{"query":"a"}}</tool_call>',
      'no-call': '<tool_call> is a mark of Hermes',
      json: '{"name": "Ada", "age": 36}',
      'json-in-a-fence': '```json\n{"name": "Ada"}\n```\nis it',
      python: '```python\nlookup(query="a")\n```',
    }).map(([id, words]): [string, AnswerQuirk] => [
      `no-call-in-words-${id}`,
      { body: letters(words), expected: { words, finish: 'stop' } },
    ]),
  ),
  // ------------------------------------------------------------------------------- reported of chat apps
  ...Object.fromEntries(
    Object.entries(MARKED).map(([id, words]): [string, AnswerQuirk] => [
      `marks-of-${id}`,
      { body: letters(words), expected: { ...whole, thoughts: 'Look.' } },
    ]),
  ),
  ...Object.fromEntries(
    NO_THOUGHTS.map((words, at): [string, AnswerQuirk] => [
      `no-thoughts-${at + 1}`,
      { body: letters(words), expected: { words, finish: 'stop' } },
    ]),
  ),
  'call-behind-thoughts-that-never-end': {
    body:
      letters('Right. <think>Look.').replace(stop + DONE, '') +
      call({ name: 'lookup', arguments: '{"query":"a"}' }, { id: 'c1' }) +
      delta({}, 'tool_calls') +
      DONE,
    expected: { ...called('{"query":"a"}', 'Right. '), thoughts: 'Look.' },
  },
  'asked-for-in-a-tag': {
    body: letters('<answer>At three.</answer> is the form.'),
    expected: { words: '<answer>At three.</answer> is the form.', finish: 'stop' },
  },
  'an-answer-with-another-tag': {
    body: letters('<think>Look.</think><answers> are at </answers>'),
    expected: { words: '<answers> are at </answers>', thoughts: 'Look.', finish: 'stop' },
  },
  ...Object.fromEntries(
    Object.entries(CITED).map(([id, cites]): [string, AnswerQuirk] => [
      `cited-by-${id}`,
      { body: said + cites + stop + DONE, expected: { ...whole, sources: [PAGE.url] } },
    ]),
  ),
  ...Object.fromEntries(
    Object.entries({
      'marked-beside': delta({ content: 'Look.', extra_content: { google: { thought: true } } }),
      'marked-with-a-tag': delta({ content: '<thought>Look.', extra_content: { google: { thought: true } } }),
      'in-the-choice': line({ choices: [{ index: 0, delta: { content: '' }, reasoning_content: 'Look.' }] }),
      'passed-on-by-litellm': delta({ provider_specific_fields: { reasoning_content: 'Look.' } }),
      'in-steps': delta({ reasoning_steps: [{ type: 'web_search', thought: 'Look.' }] }),
      'by-a-rare-name': delta({ internal_thoughts: 'Look.' }),
    }).map(([id, thoughts]): [string, AnswerQuirk] => [
      `thoughts-${id}`,
      { body: thoughts + said + stop + DONE, expected: { ...whole, thoughts: 'Look.' } },
    ]),
  ),
  'thoughts-that-end-in-the-words': {
    body:
      delta({ content: '<thought>Look.', extra_content: { google: { thought: true } } }) +
      text('</thought>Backups ') +
      text('run at three.') +
      stop +
      DONE,
    expected: { ...whole, thoughts: 'Look.' },
  },
  ...Object.fromEntries(
    ['abort', 'pause_turn', 'time_limit', 'repetition_truncation'].map((reason): [string, AnswerQuirk] => [
      `broken-off-and-done-${reason}`,
      { body: said + delta({}, reason) + DONE, expected: cut },
    ]),
  ),
  'unspecified-in-every-chunk': {
    body: delta({ content: 'Backups run at three.' }, 'FINISH_REASON_UNSPECIFIED'),
    expected: cut,
  },
  ...Object.fromEntries(
    Object.entries({
      'beside-the-choices': { choices: [{ index: 0, delta: {} }], finish_reason: 'length' },
      'in-the-delta': { choices: [{ index: 0, delta: { finish_reason: 'length' } }] },
      'in-details': { choices: [{ index: 0, delta: {}, finish_details: { type: 'max_tokens' } }] },
      'by-the-model-behind': {
        choices: [{ index: 0, delta: {}, finish_reason: 'stop', native_finish_reason: 'MAX_TOKENS' }],
      },
    }).map(([id, event]): [string, AnswerQuirk] => [
      `length-${id}`,
      { body: said + line(event) + DONE, expected: { ...whole, finish: 'length' } },
    ]),
  ),
  'broken-by-the-model-behind': {
    body:
      line({
        choices: [
          { index: 0, delta: {}, finish_reason: 'stop', native_finish_reason: 'MALFORMED_FUNCTION_CALL' },
        ],
      }) + DONE,
    expected: { words: '', finish: 'error', problem: 'model-server' },
  },
  'call-as-a-part': {
    body:
      delta({ content: [{ type: 'tool_use', id: 't1', name: 'lookup', input: { query: 'a' } }] }) +
      delta({}, 'tool_calls') +
      DONE,
    expected: called(),
  },
  'call-of-a-custom-tool': {
    body:
      delta({
        tool_calls: [
          { index: 0, id: 'c1', type: 'custom', custom: { name: 'lookup', input: '{"query":"a"}' } },
        ],
      }) +
      delta({}, 'tool_calls') +
      DONE,
    expected: called(),
  },
  ...Object.fromEntries(
    [
      ['{"query":"a"}{"query":"b"}'],
      ['{"query":"a"}', '{"query":"b"}'],
      ['{"query":"a"', '}\n{"query":', '"b"}'],
    ].map((pieces, at): [string, AnswerQuirk] => [
      `calls-in-one-text-${at + 1}`,
      {
        body:
          pieces
            .map((piece, n) =>
              call(
                n === 0 ? { name: 'lookup', arguments: piece } : { arguments: piece },
                n === 0 ? { id: 'c1' } : {},
              ),
            )
            .join('') +
          delta({}, 'tool_calls') +
          DONE,
        expected: calledTwice,
      },
    ]),
  ),
  'call-with-braces-in-its-words': {
    body:
      call({ name: 'lookup', arguments: '{"query":"\\\\frac{a}' }, { id: 'c1' }) +
      call({ arguments: '{b}"}' }) +
      delta({}, 'tool_calls') +
      DONE,
    expected: called('{"query":"\\\\frac{a}{b}"}'),
  },
  'pictures-as-addresses': {
    body: delta({ images: [PICTURE] }) + said + stop + DONE,
    expected: { ...whole, pictures: [PICTURE] },
  },
  'error-of-llama-cpp': {
    body: `${said}error: {"code":500,"message":"context shift failed","type":"server_error"}\n\n`,
    expected: { ...whole, finish: 'error', problem: 'model-server' },
  },
  'error-of-llama-cpp-alone': {
    body: 'error: {"code":401,"message":"Invalid API Key","type":"authentication_error"}\n\n',
    expected: { words: '', finish: 'error', problem: 'model-key' },
  },
  'no-line-ends-at-all': { body: (said + stop + DONE).replaceAll('\n', ''), expected: whole },
  // ------------------------------------------------------------------------------- bytes in another form
  ...Object.fromEntries(
    (
      [
        ['utf-16', Buffer.from(`\uFEFF${said}${stop}${DONE}`, 'utf16le')],
        ['utf-16-without-mark', Buffer.from(said + stop + DONE, 'utf16le')],
        ['utf-16-the-other-way', Buffer.from(`\uFEFF${said}${stop}${DONE}`, 'utf16le').swap16()],
      ] as const
    ).map(([id, body]): [string, AnswerQuirk] => [id, { body, expected: whole }]),
  ),
  'encoding-by-its-name': {
    body: Buffer.from(text('caf\u00e9') + text(' at three') + stop + DONE, 'latin1'),
    type: 'text/event-stream; charset=ISO-8859-1',
    expected: { words: 'caf\u00e9 at three', finish: 'stop' },
  },
  'encoding-by-a-wrong-name': {
    body: text('caf\u00e9 \u4e2d') + stop + DONE,
    type: 'text/event-stream; charset=ISO-8859-1',
    expected: { words: 'caf\u00e9 \u4e2d', finish: 'stop' },
  },
  'fields-in-capitals': { body: (said + stop + DONE).replaceAll('data:', 'Data:'), expected: whole },
  'fields-indented': { body: (said + stop + DONE).replaceAll('data:', '  data:'), expected: whole },
  'nul-before': { body: `\0${said}${stop}${DONE}`, expected: whole },
  'nuls-before': { body: `\0\0${said}${stop}${DONE}`, expected: whole },
  'words-before': { body: `OK\n${said}${stop}${DONE}`, expected: whole },
  'json-sequence': {
    type: 'application/json-seq',
    body: (said + stop).replaceAll('data: ', '\u001e').replaceAll('\n\n', '\n'),
    expected: whole,
  },
  'objects-without-lines': {
    type: 'application/json',
    body: (said + stop).replaceAll('data: ', '').replaceAll('\n\n', ''),
    expected: whole,
  },
  'done-without-brackets': { body: `${said}${stop}data: DONE\n\n`, expected: whole },
  'escapes-that-are-none': {
    body: `data: {"choices":[{"index":0,"delta":{"content":"C:\\dir, don\\'t"}}]}\n\n${stop}${DONE}`,
    expected: { words: "C:\\dir, don't", finish: 'stop' },
  },
  'spoken-words': {
    body:
      delta({ audio: { id: 'a', transcript: 'Backups run ' } }) +
      delta({ audio: { transcript: 'at three.', data: 'AAAA' } }) +
      stop +
      DONE,
    expected: whole,
  },
  ...Object.fromEntries(
    ['token_limit', 'max_new_tokens', 'MAX_TOKENS_REACHED', 'outputLength', 'context_length_exceeded'].map(
      (reason): [string, AnswerQuirk] => [
        `finish-${reason}`,
        { body: said + delta({}, reason) + DONE, expected: { ...whole, finish: 'length' } },
      ],
    ),
  ),
  ...Object.fromEntries(
    ['<\uff5cend\u2581of\u2581sentence\uff5c>', '</s>', '<|eom_id|>', '<eos>\n'].map(
      (mark, at): [string, AnswerQuirk] => [
        `ends-with-the-mark-of-${['deepseek', 'mistral', 'llama', 'gemma'][at]}`,
        { body: said + letters(mark), expected: whole },
      ],
    ),
  ),
  'ends-with-words-struck-out': {
    body: letters('Not <s>at three</s>'),
    expected: { words: 'Not <s>at three</s>', finish: 'stop' },
  },
  'in-a-box': {
    body: letters('<|begin_of_box|>Backups run at three.<|end_of_box|>'),
    expected: whole,
  },
  'speaks-of-a-box': {
    body: letters('GLM writes `<|begin_of_box|>` there'),
    expected: { words: 'GLM writes `<|begin_of_box|>` there', finish: 'stop' },
  },
  ...Object.fromEntries(
    ['Lookup', '"lookup"', 'lookup<|channel|>commentary', 'default_api.Lookup'].map(
      (name, at): [string, AnswerQuirk] => [
        `call-named-otherwise-${at}`,
        {
          body: call({ name, arguments: '{"query":"a"}' }, { id: 'c1' }) + delta({}, 'tool-calls') + DONE,
          expected: called(),
        },
      ],
    ),
  ),
  'call-arguments-of-python': {
    body: call({ name: 'lookup', arguments: 'None' }, { id: 'c1' }) + delta({}, 'tool_calls') + DONE,
    expected: called('{}'),
  },
  'usage-in-camel-case': {
    body: said + stop + line({ choices: [], usage: { promptTokens: 3, completionTokens: 5 } }) + DONE,
    expected: { ...whole, usage: { inputTokens: 3, outputTokens: 5 } },
  },
  // ------------------------------------------------------------------------------- values that have no use
  'error-null': {
    body:
      text('Backups run ', { error: null }) +
      text('at three.', { error: null }) +
      delta({}, 'stop', { error: null }) +
      DONE,
    expected: whole,
  },
  'error-empty': {
    body: text('Backups run at three.', { error: {} }) + delta({}, 'stop', { error: '' }) + DONE,
    expected: whole,
  },
  'id-is-a-number': {
    body: text('Backups run at three.', { id: 17 }) + delta({}, 'stop', { id: 17 }) + DONE,
    expected: whole,
  },
  'created-is-text': {
    body: text('Backups run at three.', { created: '2026-01-01T00:00:00Z' }) + stop + DONE,
    expected: whole,
  },
  'created-is-a-fraction': {
    body: text('Backups run at three.', { created: 1.5, model: null }) + stop + DONE,
    expected: whole,
  },
  'other-roles': {
    body:
      delta({ role: 'model', content: 'Backups run ' }) +
      delta({ role: '', content: 'at ' }) +
      delta({ role: 'bot', content: 'three.' }) +
      stop +
      DONE,
    expected: whole,
  },
  'role-is-a-number': {
    body: delta({ role: 0, content: 'Backups run at three.' }) + stop + DONE,
    expected: whole,
  },
  'reasoning-empty-object': {
    body: delta({ content: 'Backups run at three.', reasoning: {} }) + stop + DONE,
    expected: whole,
  },
  'reasoning-null-and-empty': {
    body: delta({ content: 'Backups run at three.', reasoning: null, reasoning_content: '' }) + stop + DONE,
    expected: whole,
  },
  'refusal-is-an-object': {
    body: delta({ content: 'Backups run at three.', refusal: {} }) + stop + DONE,
    expected: whole,
  },
  'choices-null': {
    body: line({ choices: null }) + said + stop + line({ choices: null, usage: { prompt_tokens: 3 } }) + DONE,
    expected: { ...whole, usage: { inputTokens: 3 } },
  },
  'data-null': { body: line('null') + said + line('null') + stop + DONE, expected: whole },
  'choices-is-an-object': {
    body: line({ choices: { delta: { content: 'Backups run at three.' }, finish_reason: 'stop' } }) + DONE,
    expected: whole,
  },
  'index-is-text': {
    body:
      line({
        choices: [{ index: '0', delta: { content: 'Backups run at three.' }, finish_reason: 'stop' }],
      }) + DONE,
    expected: whole,
  },
  'logprobs-of-any-kind': {
    body:
      line({
        choices: [
          { index: 0, delta: { content: 'Backups run at three.' }, logprobs: 'none', finish_reason: null },
        ],
      }) +
      stop +
      DONE,
    expected: whole,
  },
  'filter-results-first': {
    body: line({ choices: [], prompt_filter_results: [{ prompt_index: 0 }] }) + said + stop + DONE,
    expected: whole,
  },
  // ------------------------------------------------------------------------------- keeping the connection open
  'ping-events': {
    body: `event: ping\ndata: {"type":"ping"}\n\n${said}event: ping\ndata: now\n\n: OPENROUTER PROCESSING\n\n${stop}${DONE}`,
    expected: whole,
  },
  'ping-data': {
    body: `data: ping\n\n${said}data: {"type":"ping"}\n\ndata:\n\ndata: keep-alive\n\n${stop}${DONE}`,
    expected: whole,
  },
  'a-note-is-no-error': {
    body: line({ message: 'queued', position: 3 }) + said + stop + DONE,
    expected: whole,
  },
  // ------------------------------------------------------------------------------- the letter of the event stream
  crlf: { body: (said + stop + DONE).replaceAll('\n', '\r\n'), expected: whole },
  cr: { body: (said + stop + DONE).replaceAll('\n', '\r'), expected: whole },
  'byte-order-mark': { body: `\uFEFF${said}${stop}${DONE}`, expected: whole },
  'comments-and-ids': {
    body: `: hello\nretry: 100\nid: 1\n\n${said}: still here\n\n${stop}${DONE}`,
    expected: whole,
  },
  'data-over-lines': {
    body: `data: {"choices":[{"index":0,\ndata: "delta":{"content":"Backups run at three."}}]}\n\n${stop}${DONE}`,
    expected: whole,
  },
  'no-blank-lines': { body: (said + stop + DONE).replaceAll('\n\n', '\n'), expected: whole },
  'data-twice': { body: said.replaceAll('data: ', 'data: data: ') + stop + DONE, expected: whole },
  'no-done-but-finished': { body: said + stop, expected: whole },
  'no-blank-line-at-the-end': { body: (said + stop).trimEnd(), expected: whole },
  'open-after-done': { body: said + stop + DONE, hang: true, expected: whole },
  'broken-after-finish': { body: said + stop, destroy: true, expected: whole },
  'error-after-finish': {
    body: said + stop + line({ error: { message: 'Upstream closed', code: 502 } }) + DONE,
    expected: whole,
  },
  'error-event-after-finish': { body: `${said}${stop}event: error\ndata: gone\n\n`, expected: whole },
  'error-with-finish': {
    body: said + delta({}, 'stop', { error: { message: 'Upstream closed', code: 502 } }) + DONE,
    expected: { ...whole, finish: 'error', problem: 'model-server' },
  },
  'pictures-beside-words': {
    body: said + delta({ images: [{ type: 'image_url', image_url: { url: PICTURE } }] }) + stop + DONE,
    expected: { ...whole, pictures: [PICTURE] },
  },
  'pictures-twice': {
    body:
      said +
      delta({ images: [{ image_url: PICTURE }] }) +
      delta({ images: [{ image_url: { url: PICTURE } }] }, 'stop') +
      DONE,
    expected: { ...whole, pictures: [PICTURE] },
  },
  'picture-as-content': {
    body: delta({ content: [{ type: 'image_url', image_url: { url: PICTURE } }] }) + stop + DONE,
    expected: { words: '', finish: 'stop', pictures: [PICTURE] },
  },
  'picture-in-a-document': {
    body: JSON.stringify({
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: 'Backups run at three.',
            images: [{ image_url: { url: PICTURE } }],
          },
          finish_reason: 'stop',
        },
      ],
    }),
    type: 'application/json',
    expected: { ...whole, pictures: [PICTURE] },
  },
  'done-in-quotes': { body: `${said}${stop}data: "[DONE]"\n\n`, expected: whole },
  'events-in-one-line': { body: `${(said + stop).replaceAll('\n\ndata: ', '')}${DONE}`, expected: whole },
  'event-within-an-event': {
    body:
      line({ code: 0, data: { choices: [{ index: 0, delta: { content: 'Backups run ' } }] } }) +
      line({
        code: 0,
        data: { choices: [{ index: 0, delta: { content: 'at three.' }, finish_reason: 'stop' }] },
      }) +
      DONE,
    expected: whole,
  },
  'event-as-text': {
    body:
      line(
        JSON.stringify(
          '{"choices":[{"index":0,"delta":{"content":"Backups run at three."},"finish_reason":"stop"}]}',
        ),
      ) + DONE,
    expected: whole,
  },
  'no-numbers-of-python': {
    body:
      'data: {"choices":[{"index":0,"delta":{"content":"Backups run at three."},"logprobs":-Infinity,"finish_reason":"stop"}]}\n\n' +
      DONE,
    expected: whole,
  },
  // ------------------------------------------------------------------------------- JSON that is nearly JSON
  'raw-newline-over-data-lines': {
    body: `data: {"choices":[{"index":0,"delta":{"content":"Backups run\ndata: at three."}}]}\n\n${stop}${DONE}`,
    expected: { ...whole, words: 'Backups run\nat three.' },
  },
  'raw-newline-within-a-line': {
    body: `data: {"choices":[{"index":0,"delta":{"content":"Backups run\nat three."}}]}\n\n${stop}${DONE}`,
    expected: { ...whole, words: 'Backups run\nat three.' },
  },
  'raw-tab': {
    body: `data: {"choices":[{"index":0,"delta":{"content":"Backups\trun at three."}}]}\n\n${stop}${DONE}`,
    expected: { ...whole, words: 'Backups\trun at three.' },
  },
  'comma-at-the-end': {
    body: `data: {"choices":[{"index":0,"delta":{"content":"Backups run, ] at three.",},},]}\n\n${stop}${DONE}`,
    expected: { ...whole, words: 'Backups run, ] at three.' },
  },
  'event-named-done': {
    body: `${said}event: done\ndata: {}\n\n`,
    expected: whole,
  },
  // ------------------------------------------------------------------------------- no event stream
  'json-document': {
    type: 'application/json',
    body: JSON.stringify({
      id: 1,
      choices: [
        {
          message: { role: 'assistant', content: 'Backups run at three.', reasoning_content: 'Look.' },
          finish_reason: 'stop',
        },
      ],
      usage: { prompt_tokens: '3', completion_tokens: '4' },
    }),
    expected: { ...whole, thoughts: 'Look.', usage: { inputTokens: 3, outputTokens: 4 } },
  },
  'json-document-without-reason': {
    type: 'application/json',
    body: JSON.stringify({
      choices: [{ message: { content: [{ type: 'text', text: 'Backups run at three.' }] } }],
    }),
    expected: whole,
  },
  'json-lines': {
    type: 'application/x-ndjson',
    body: '{"model":"m","message":{"role":"assistant","content":"Backups run "},"done":false}\n{"message":{"content":"at three."},"done":true,"done_reason":"stop","prompt_eval_count":3,"eval_count":4}\n',
    expected: { ...whole, usage: { inputTokens: 3, outputTokens: 4 } },
  },
  // ------------------------------------------------------------------------------- where words stand
  'message-for-delta': {
    body:
      line({ choices: [{ index: 0, message: { content: 'Backups run ' } }] }) +
      line({ choices: [{ index: 0, message: { content: 'at three.' }, finish_reason: 'stop' }] }) +
      DONE,
    expected: whole,
  },
  'message-repeats-all': {
    body:
      said +
      line({
        choices: [
          { index: 0, delta: {}, message: { content: 'Backups run at three.' }, finish_reason: 'stop' },
        ],
      }) +
      DONE,
    expected: whole,
  },
  'message-repeats-all-without-a-delta': {
    body:
      text('Yes') +
      text(', it ran.') +
      line({ choices: [{ index: 0, message: { content: 'Yes, it ran.' }, finish_reason: 'stop' }] }) +
      DONE,
    expected: { words: 'Yes, it ran.', finish: 'stop' },
  },
  'delta-and-message': {
    body:
      line({
        choices: [{ index: 0, delta: { content: 'Backups run ' }, message: { content: 'Backups run ' } }],
      }) +
      line({
        choices: [
          {
            index: 0,
            delta: { content: 'at three.' },
            message: { content: 'Backups run at three.' },
            finish_reason: 'stop',
          },
        ],
      }) +
      DONE,
    expected: whole,
  },
  'text-for-delta': {
    body:
      line({ choices: [{ index: 0, text: 'Backups run ' }] }) +
      line({ choices: [{ index: 0, text: 'at three.', finish_reason: 'stop' }] }) +
      DONE,
    expected: whole,
  },
  'content-is-a-number': {
    body: delta({ content: 'Backups run at three' }) + delta({ content: 3 }) + stop + DONE,
    expected: { ...whole, words: 'Backups run at three3' },
  },
  'content-null': {
    body: delta({ content: null }) + said + delta({ content: null }, 'stop') + DONE,
    expected: whole,
  },
  'content-with-finish': {
    body: text('Backups run ') + delta({ content: 'at three.' }, 'stop') + DONE,
    expected: whole,
  },
  'content-after-finish': { body: text('Backups run ') + stop + text('at three.') + DONE, expected: whole },
  'content-parts': {
    body:
      delta({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Look.' }] }] }) +
      delta({
        content: [
          { type: 'text', text: 'Backups run ' },
          { type: 'text', text: 'at three.' },
        ],
      }) +
      stop +
      DONE,
    expected: { ...whole, thoughts: 'Look.' },
  },
  'content-one-part': {
    body: delta({ content: { type: 'text', text: 'Backups run at three.' } }) + stop + DONE,
    expected: whole,
  },
  'two-finish-chunks': { body: said + stop + stop + stop + DONE, expected: whole },
  'stop-in-every-chunk': {
    body: delta({ content: 'Backups run ' }, 'stop') + delta({ content: 'at three.' }, 'stop') + DONE,
    expected: whole,
  },
  // ------------------------------------------------------------------------------- how it ended
  ...Object.fromEntries(
    REASONS.flatMap(([expected, ...reasons]) =>
      reasons.map((reason, at): [string, AnswerQuirk] => [
        `finish-${expected.finish}-${expected.problem ?? 'whole'}-${at}`,
        { body: said + delta({}, reason) + DONE, expected },
      ]),
    ),
  ),
  'finish-unknown': { body: said + delta({}, 'eos_token') + DONE, expected: whole },
  'finish-upper-case': { body: said + delta({}, 'STOP') + DONE, expected: whole },
  'finish-max-tokens': { body: said + delta({}, 'MAX_TOKENS'), expected: { ...whole, finish: 'length' } },
  'finish-stop-then-length': {
    body: said + stop + delta({}, 'length') + DONE,
    expected: { ...whole, finish: 'length' },
  },
  'finish-by-another-name': {
    body: said + line({ choices: [{ index: 0, delta: {}, stop_reason: 'end_turn' }] }),
    expected: whole,
  },
  'finish-empty': { body: said + delta({}, ''), expected: cut },
  'finish-empty-in-every-chunk': {
    body: delta({ content: 'Backups run ' }, '') + delta({ content: 'at three.' }, '') + stop + DONE,
    expected: whole,
  },
  'finish-aborted': { body: said + delta({}, 'abort'), expected: cut },
  'no-finish-no-done': { body: said, expected: cut },
  'half-an-event': { body: `${said}data: {"choices":[{"delta":{"con`, expected: cut },
  'cut-within-a-word': {
    body: `${text('Backups run ')}data: {"choices":[{"index":0,"delta":{"content":"at thr`,
    expected: { ...cut, words: 'Backups run at thr' },
  },
  'cut-within-a-finish-reason': {
    body: `${text('Backups run ')}data: {"choices":[{"index":0,"delta":{"content":"at three."},"finish_reason":"st`,
    expected: cut,
  },
  'cut-document': {
    type: 'application/json',
    body: '{"id":1,"choices":[{"index":0,"message":{"role":"assistant","content":"Backups run at thr',
    expected: { ...cut, words: 'Backups run at thr' },
  },
  'cut-before-anything': {
    body: delta({ role: 'assistant', content: '' }),
    expected: { words: '', finish: 'error', problem: 'model-cut' },
  },
  'nothing-but-done': { body: DONE, expected: { words: '', finish: 'stop' } },
  // ------------------------------------------------------------------------------- thoughts by field and by tags
  ...Object.fromEntries(
    Object.entries<string>({
      'one-after-the-other':
        delta({ reasoning_content: 'Look ' }) +
        delta({ reasoning_content: 'it up.' }) +
        text('<think>\nLook it up.\n</think>\n\nBackups run at three.'),
      'in-turns':
        delta({ reasoning_content: 'Look ' }) +
        text('<think>Look ') +
        delta({ reasoning_content: 'it up.' }) +
        text('it up.</think>') +
        text('Backups run at three.'),
      'in-one-delta':
        delta({ reasoning_content: 'Look', content: '<think>Look' }) +
        delta({ reasoning_content: ' it up.', content: ' it up.</think>Backups run at three.' }),
      'the-words-first':
        text('<think>Look') +
        delta({ reasoning: 'Look' }) +
        text(' it up.</think>') +
        delta({ reasoning: ' it up.' }) +
        text('Backups run at three.'),
      'only-closed':
        delta({ reasoning_content: 'Look it up.' }) + text('Look it up.\n</think>\n\nBackups run at three.'),
      'with-more-behind':
        delta({ reasoning_content: 'Look ' }) + text('<think>Look it up.</think>Backups run at three.'),
    }).map(([id, body]): [string, AnswerQuirk] => [
      `thoughts-twice-${id}`,
      { body: body + stop + DONE, expected: { ...whole, thoughts: 'Look it up.' } },
    ]),
  ),
  'thoughts-by-field-and-others-by-tags': {
    body:
      delta({ reasoning_content: 'Look. ' }) +
      text('<think>Lo and more.</think>Backups run at three.') +
      stop +
      DONE,
    expected: { ...whole, thoughts: 'Look. Lo and more.' },
  },
  ...Object.fromEntries(
    [
      '<think duration="3" type=\'x\'>Look.</think>',
      '<thinking signature="abc+/==">\nLook.\n</thinking>\n\n',
      '<thought id=1>Look.</thought>',
      '<Think >Look.</Think>',
      '<antThinking>Look.</antThinking>',
    ].map((thought, at): [string, AnswerQuirk] => [
      `thoughts-in-a-tag-with-attributes-${at + 1}`,
      {
        body: letters(`${thought}Backups run at three.`),
        expected: { ...whole, thoughts: thought.includes('\n') ? 'Look.\n' : 'Look.' },
      },
    ]),
  ),
  'a-tag-of-thoughts-with-other-words': {
    body: letters('<think about it> and <think x="'),
    expected: { words: '<think about it> and <think x="', finish: 'stop' },
  },
  'events-named-a-web-page': {
    type: 'text/html; charset=UTF-8',
    body: `: ok\n\n${said}${stop}${DONE}`,
    expected: whole,
  },
  'json-named-a-web-page': {
    type: 'text/html',
    body: '{"choices":[{"message":{"content":"Backups run at three."},"finish_reason":"stop"}]}',
    expected: whole,
  },
  // ------------------------------------------------------------------------------- words without any form
  ...Object.fromEntries(
    Object.entries<readonly [type: string, body: string, words?: string]>({
      'as-text': ['text/plain; charset=utf-8', 'Backups run at three.'],
      'as-a-web-page': ['text/html; charset=utf-8', 'Backups run at three.'],
      'as-events': ['text/event-stream', 'Backups run at three.\n\nAlways.'],
      'as-markdown': ['text/markdown', '# Backups\n\n- [x] run\n- at <b>three</b>\n\n[a](https://b.example)'],
      'with-json-in-code': ['text/plain', 'Send this:\n```json\n{"a":1}\n{"b":2}\n```\nand wait.'],
      'with-names-of-fields': ['text/plain', 'The file says\ndata: backups\nevent: at three'],
      'with-a-list-in-brackets': ['text/plain', '[1] Backups run at three.'],
      'that-are-a-number': ['text/plain', '42'],
      'that-begin-with-error': ['text/plain', 'Error handling\n\nBackups run at three.'],
      'in-one-json-string': ['application/json', '"Backups run\\nat three."', 'Backups run\nat three.'],
      'with-thoughts': ['text/plain', '<think>Look.</think>Backups run at three.', 'Backups run at three.'],
    }).map(([id, [type, body, words = body]]): [string, AnswerQuirk] => [
      `bare-words-${id}`,
      {
        type,
        body,
        expected: { words, finish: 'stop', ...(body.includes('Look.') ? { thoughts: 'Look.' } : {}) },
      },
    ]),
  ),
  ...Object.fromEntries(
    ['upstream request timeout', 'Internal Server Error', 'error: no such worker', '502 Bad Gateway'].map(
      (body, at): [string, AnswerQuirk] => [
        `an-error-in-bare-words-${at + 1}`,
        { type: 'text/plain', body, expected: { words: '', finish: 'error', problem: 'model-server' } },
      ],
    ),
  ),
  ...Object.fromEntries(
    ['text/html', 'text/plain', 'text/event-stream', 'application/json'].map(
      (type): [string, AnswerQuirk] => [
        `a-web-page-as-${type}`,
        {
          type,
          body: '<!-- x -->\n<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body>data: x</body></html>',
          expected: { words: '', finish: 'error', problem: 'model-format' },
        },
      ],
    ),
  ),
  'thoughts-in-code-behind-words': {
    body: letters('Use ```xml\n<think>a</think>\n```\nso.'),
    expected: { words: 'Use ```xml\n<think>a</think>\n```\nso.', finish: 'stop' },
  },
  'call-in-words-of-kimi-in-one-section': {
    body: letters(
      '<|tool_call_section_begin|><|tool_call_begin|>functions.lookup:0<|tool_call_argument_begin|>{"query":"a"}<|tool_call_end|><|tool_call_section_end|>',
    ),
    expected: called(),
  },
  'calls-in-words-of-mistral': {
    body: letters('[TOOL_CALLS]lookup[ARGS]{"query":"a"}[TOOL_CALLS]lookup[ARGS]{"query":"b"}'),
    expected: calledTwice,
  },
  ...Object.fromEntries(
    Object.entries<string>({
      kimi: '<|tool_calls_section_begin|><|tool_call_begin|>functions.lookup:0<|tool_call_argument_begin|>{"query":"a"}<|tool_call_end|><|tool_calls_section_end|>',
      qwen: '<tool_call>\n{"name":"lookup","arguments":{"query":"a"}}\n</tool_call>',
    }).map(([id, words]): [string, AnswerQuirk] => [
      `call-at-the-end-of-thoughts-of-${id}`,
      {
        body: delta({ reasoning_content: 'Look.\n' }) + delta({ reasoning_content: words }) + stop + DONE,
        expected: { ...called(), thoughts: `Look.\n${words}` },
      },
    ]),
  ),
  'call-that-thoughts-speak-of': {
    body:
      delta({ reasoning_content: 'Like\n<tool_call>{"name":"lookup","arguments":{}}</tool_call>\nor so.' }) +
      said +
      stop +
      DONE,
    expected: {
      ...whole,
      thoughts: 'Like\n<tool_call>{"name":"lookup","arguments":{}}</tool_call>\nor so.',
    },
  },
  'too-many-requests-in-the-middle': {
    body: said + line({ error: { message: 'Limit exceeded', type: 'too_many_requests_error' } }),
    expected: { words: 'Backups run at three.', finish: 'error', problem: 'model-rate' },
  },
  'words-of-a-server-of-one-s-own': {
    body: `${line({ content: 'Backups ' })}${line({ content: 'run at three.' })}${DONE}`,
    expected: whole,
  },
  'words-of-a-server-of-one-s-own-in-one-piece': {
    type: 'application/json',
    body: '{"answer":"Backups run at three."}',
    expected: whole,
  },
  'byte-order-marks-within': {
    body: `\ufeff${text('Backups run ')}\ufeff${text('at three.')}${stop}${DONE}`,
    expected: whole,
  },
  ...Object.fromEntries(
    [
      'analysis<|message|>Look.<|end|><|start|>assistant<|channel|>final<|message|>Backups run at three.<|return|>',
      '<|channel|>analysis Look.<|end|><|start|>assistant<|channel|>final<|message|>Backups run at three.',
    ].map((words, at): [string, AnswerQuirk] => [
      `harmony-without-some-of-its-marks-${at + 1}`,
      { body: letters(words), expected: { ...whole, thoughts: 'Look.' } },
    ]),
  ),
  'harmony-that-has-only-its-end': {
    body: letters('final<|message|>Backups run at three.<|return|>'),
    expected: whole,
  },
  ...Object.fromEntries(
    [
      '<|im_start|>assistant\n',
      '<|start_header_id|>assistant<|end_header_id|>\n\n',
      '<|begin_of_text|>',
      '<start_of_turn>model\n',
      '<\uff5cAssistant\uff5c>',
      '[/INST] ',
    ].map((mark): [string, AnswerQuirk] => [
      `begins-with-a-mark-${mark.trim()}`,
      { body: letters(`${mark}Backups run at three.`), expected: whole },
    ]),
  ),
  'begins-with-a-mark-and-thoughts': {
    body: letters('<|im_start|>assistant\n<think>Look.</think>Backups run at three.'),
    expected: { ...whole, thoughts: 'Look.' },
  },
  'begins-like-a-mark': {
    body: letters('<|im_start|> begins a turn, [/x] ends none.'),
    expected: { words: '<|im_start|> begins a turn, [/x] ends none.', finish: 'stop' },
  },
  'refused-by-minimax': {
    type: 'application/json',
    body: '{"choices":null,"input_sensitive":true,"base_resp":{"status_code":1026,"status_msg":"input new_sensitive"}}',
    expected: { words: '', finish: 'error', problem: 'model-refused' },
  },
  'coze-before': {
    body: 'data:{"event":"message","message":{"role":"assistant","type":"answer","content":"Backups ","content_type":"text"},"is_finish":false,"index":0}\n\ndata:{"event":"message","message":{"role":"assistant","type":"answer","content":"run at three.","content_type":"text"},"is_finish":true,"index":0}\n\ndata:{"event":"done"}\n\n',
    expected: whole,
  },
  'titan-itself': {
    type: 'application/json',
    body: '{"outputText":"Backups run at three.","index":0,"completionReason":"FINISH","inputTextTokenCount":4}\n',
    expected: whole,
  },
  // ------------------------------------------------------------------------------- reported of gateways and hosts
  ...Object.fromEntries(
    Object.entries<unknown>({
      'of-parts-alone': [{ type: 'text', text: 'Backups run at three.' }],
      'in-a-field-for-text': { text: 'Backups run at three.' },
      'in-a-field-for-parts': { role: 'model', parts: [{ text: 'Backups run at three.' }] },
      'of-an-output': { content: null, output_text: 'Backups run at three.' },
    }).map(([id, one]): [string, AnswerQuirk] => [
      `a-delta-${id}`,
      { body: delta(one) + stop + DONE, expected: whole },
    ]),
  ),
  'a-message-of-words-alone': {
    type: 'application/json',
    body: '{"choices":[{"message":"Backups run at three.","finish_reason":"stop"}]}',
    expected: whole,
  },
  'a-body-as-text-within-a-body': {
    type: 'application/json',
    body: JSON.stringify({
      statusCode: 200,
      body: '{"choices":[{"message":{"content":"Backups run at three."},"finish_reason":"stop"}]}',
    }),
    expected: whole,
  },
  'a-response-of-cloudflare-in-its-result': {
    type: 'application/json',
    body: '{"result":{"response":"Backups run at three."},"success":true,"errors":[],"messages":[]}',
    expected: whole,
  },
  'usage-beside-what-is-wrapped': {
    type: 'application/json',
    body: JSON.stringify({
      output: {
        choices: [{ message: { content: [{ text: 'Backups run at three.' }] }, finish_reason: 'stop' }],
      },
      usage: { input_tokens: 3, output_tokens: 4 },
    }),
    expected: { ...whole, usage: { inputTokens: 3, outputTokens: 4 } },
  },
  'done-and-nothing-else': { body: said + line({ done: true }), expected: whole },
  ...Object.fromEntries(
    ['reasoningContent', 'reasoningText', 'thinkingContent', 'reasoningDetails'].map(
      (name): [string, AnswerQuirk] => [
        `thoughts-named-${name}`,
        { body: delta({ [name]: 'Look.' }) + said + stop + DONE, expected: { ...whole, thoughts: 'Look.' } },
      ],
    ),
  ),
  ...Object.fromEntries(
    Object.entries<string>({
      message: line({
        choices: [
          {
            index: 0,
            message: { content: 'Backups run at three.', reasoning_content: 'Look it up.' },
            finish_reason: 'stop',
          },
        ],
      }),
      delta: delta({ reasoning_content: 'Look it up.' }, 'stop'),
    }).map(([id, last]): [string, AnswerQuirk] => [
      `thoughts-once-more-in-the-last-${id}`,
      {
        body:
          delta({ reasoning_content: 'Look ' }) + delta({ reasoning_content: 'it up.' }) + said + last + DONE,
        expected: { ...whole, thoughts: 'Look it up.' },
      },
    ]),
  ),
  'call-once-more-in-the-last-message': {
    body:
      call({ name: 'lookup', arguments: '{"query":"a"}' }, { id: 'c1' }) +
      line({
        choices: [
          {
            index: 0,
            delta: {},
            message: {
              content: null,
              tool_calls: [{ function: { name: 'lookup', arguments: '{"query":"a"}' } }],
            },
            finish_reason: 'tool_calls',
          },
        ],
      }) +
      DONE,
    expected: called(),
  },
  'what-a-tool-of-the-endpoint-gave-back': {
    body: delta({ role: 'tool', content: 'Rows: 3', tool_call_id: 'x' }) + said + stop + DONE,
    expected: whole,
  },
  ...Object.fromEntries(
    Object.entries<string>({
      'in-a-fence': '```json\n{"query":"a"}\n```',
      'with-a-comma-too-many': '{"query":"a",}',
      'with-a-bracket-too-many': '{"query":"a"}}',
      'with-a-mark-behind': '{"query":"a"}<|tool_call_end|>',
      'with-a-closing-tag-behind': '{"query":"a"}\n</tool_call>',
      'in-a-list': '[{"query":"a"}]',
    }).map(([id, args]): [string, AnswerQuirk] => [
      `arguments-${id}`,
      {
        body:
          call({ name: 'lookup', arguments: args.slice(0, 4) }, { id: 'c1' }) +
          call({ arguments: args.slice(4) }) +
          delta({}, 'tool_calls') +
          DONE,
        expected: called(),
      },
    ]),
  ),
  'arguments-in-two-objects-of-a-list': {
    body:
      call({ name: 'lookup', arguments: '[{"a":1},{"b":2}]' }, { id: 'c1' }) + delta({}, 'tool_calls') + DONE,
    expected: called('[{"a":1},{"b":2}]'),
  },
  'call-with-its-function-as-text': {
    body:
      delta({
        tool_calls: [{ index: 0, id: 'c1', function: '{"name":"lookup","arguments":{"query":"a"}}' }],
      }) +
      delta({}, 'tool_calls') +
      DONE,
    expected: called(),
  },
  'call-with-a-namespace-of-mcp': {
    body:
      call({ name: 'mcp__lookup', arguments: '{"query":"a"}' }, { id: 'c1' }) +
      delta({}, 'tool_calls') +
      DONE,
    expected: called(),
  },
  ...Object.fromEntries(
    Object.entries<string>({
      step: '<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="lookup"><steptml:parameter name="query">a</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>',
      seed: '<seed:tool_call>\n<function=lookup>\n<parameter=query>a</parameter>\n</function>\n</seed:tool_call>',
      internlm: '<|action_start|><|plugin|>{"name":"lookup","parameters":{"query":"a"}}<|action_end|>',
      longcat: '<longcat_tool_call>{"name":"lookup","arguments":{"query":"a"}}</longcat_tool_call>',
      nemotron: '<TOOLCALL>[{"name":"lookup","arguments":{"query":"a"}}]</TOOLCALL>',
      apertus: '<|tools_prefix|>[{"lookup":{"query":"a"}}]<|tools_suffix|>',
      'command-a':
        '<|START_ACTION|>[{"tool_call_id":"0","tool_name":"lookup","parameters":{"query":"a"}}]<|END_ACTION|>',
    }).map(([id, words]): [string, AnswerQuirk] => [
      `call-in-words-of-${id}`,
      { body: letters(words), expected: called() },
    ]),
  ),
  'error-of-aws-in-a-stream': {
    body:
      said + line({ modelStreamErrorException: { message: 'Model stream failed', originalStatusCode: 500 } }),
    expected: { ...whole, finish: 'error', problem: 'model-server' },
  },
  'error-of-aws-before-a-word': {
    body: line({ throttlingException: { message: 'Too many requests, please wait.' } }),
    expected: { words: '', finish: 'error', problem: 'model-rate' },
  },
  'call-that-the-gateway-could-not-read': {
    body: delta({}, 'function_call_filter: MALFORMED_FUNCTION_CALL') + DONE,
    expected: { words: '', finish: 'error', problem: 'model-server' },
  },
  'a-picture-by-itself': {
    body: said + delta({ image: { url: PICTURE } }) + stop + DONE,
    expected: { ...whole, pictures: [PICTURE] },
  },
  'a-picture-in-bytes-of-a-part': {
    body:
      delta({ content: [{ type: 'output_image', image_base64: PICTURE.split(',')[1] }] }) +
      said +
      stop +
      DONE,
    expected: { ...whole, pictures: [PICTURE] },
  },
  // ------------------------------------------------------------------------------- streams of apps
  'lines-of-ai-sdk-4': {
    type: 'text/plain; charset=utf-8',
    body: 'f:{"messageId":"m1"}\ng:"Look."\n0:"Backups "\n2:[{"a":1}]\n0:"run at three."\ne:{"finishReason":"stop","isContinued":false}\nd:{"finishReason":"stop","usage":{"promptTokens":3,"completionTokens":4}}\n',
    expected: { ...whole, thoughts: 'Look.', usage: { inputTokens: 3, outputTokens: 4 } },
  },
  'lines-of-ai-sdk-4-with-an-error': {
    type: 'text/plain',
    body: '0:"Backups run at three."\n3:"An error occurred."\n',
    expected: { ...whole, finish: 'error', problem: 'model-server' },
  },
  coze: {
    body:
      'event:conversation.chat.created\ndata:{"id":"1","conversation_id":"2","status":"created"}\n\n' +
      'event:conversation.chat.in_progress\ndata:{"id":"1","status":"in_progress"}\n\n' +
      'event:conversation.message.delta\ndata:{"id":"4","role":"assistant","type":"answer","content":"","reasoning_content":"Look."}\n\n' +
      'event:conversation.message.delta\ndata:{"id":"4","role":"assistant","type":"answer","content":"Backups "}\n\n' +
      'event:conversation.message.delta\ndata:{"id":"4","role":"assistant","type":"answer","content":"run at three."}\n\n' +
      'event:conversation.message.completed\ndata:{"id":"4","role":"assistant","type":"answer","content":"Backups run at three."}\n\n' +
      'event:conversation.message.completed\ndata:{"id":"5","role":"assistant","type":"follow_up","content":"Why?"}\n\n' +
      'event:conversation.chat.completed\ndata:{"id":"1","status":"completed","last_error":{"code":0,"msg":""},"usage":{"token_count":7,"output_count":4,"input_count":3}}\n\n' +
      'event:done\ndata:"[DONE]"\n\n',
    expected: { ...whole, thoughts: 'Look.', usage: { inputTokens: 3, outputTokens: 4 } },
  },
  'coze-with-an-error': {
    body: 'event:conversation.chat.failed\ndata:{"id":"1","status":"failed","last_error":{"code":5000,"msg":"event interval error"}}\n\nevent:done\ndata:"[DONE]"\n\n',
    expected: { words: '', finish: 'error', problem: 'model-server' },
  },
  replicate: {
    body: 'event: output\nid: 1:0\ndata: Backups\n\nevent: output\nid: 2:0\ndata:  run at\n\nevent: output\nid: 3:0\ndata:  3\n\nevent: output\ndata: \ndata: - \n\nevent: output\ndata: 4\n\nevent: done\nid: 4:0\ndata: {}\n\n',
    expected: { words: 'Backups run at 3\n- 4', finish: 'stop' },
  },
  'replicate-in-one-piece': {
    type: 'application/json',
    body: '{"id":"x","status":"succeeded","output":["Backups ","run at three."],"urls":{"get":"https://x.example"}}',
    expected: whole,
  },
  langserve: {
    body: 'event: metadata\ndata: {"run_id":"1"}\n\nevent: data\ndata: {"content":"","type":"AIMessageChunk","additional_kwargs":{}}\n\nevent: data\ndata: {"content":"Backups ","type":"AIMessageChunk","response_metadata":{}}\n\nevent: data\ndata: {"content":"run at three.","type":"AIMessageChunk","usage_metadata":{"input_tokens":3,"output_tokens":4}}\n\nevent: end\n\n',
    expected: { ...whole, usage: { inputTokens: 3, outputTokens: 4 } },
  },
  'langserve-in-words': {
    body: 'event: metadata\ndata: {"run_id":"1"}\n\nevent: data\ndata: "Backups "\n\nevent: data\ndata: "run at three."\n\nevent: end\n\n',
    expected: whole,
  },
  'langserve-in-one-piece': {
    type: 'application/json',
    body: '{"output":{"content":"Backups run at three.","type":"ai"},"metadata":{"run_id":"x"}}',
    expected: whole,
  },
  ...Object.fromEntries(
    Object.entries<string>({
      'langserve-log':
        'event: data\ndata: {"ops":[{"op":"replace","path":"","value":{"id":"1","streamed_output":[],"final_output":null,"logs":{}}}]}\n\n' +
        'event: data\ndata: {"ops":[{"op":"add","path":"/logs/ChatOpenAI/streamed_output_str/-","value":"Backups "},{"op":"add","path":"/logs/ChatOpenAI/streamed_output/-","value":{"content":"Backups ","type":"AIMessageChunk"}}]}\n\n' +
        'event: data\ndata: {"ops":[{"op":"add","path":"/streamed_output/-","value":{"content":"Backups ","type":"AIMessageChunk"}},{"op":"replace","path":"/final_output","value":{"content":"Backups ","type":"AIMessageChunk"}}]}\n\n' +
        'event: data\ndata: {"ops":[{"op":"add","path":"/streamed_output/-","value":{"content":[{"type":"text","text":"run at three."}],"type":"AIMessageChunk"}}]}\n\nevent: end\n\n',
      'langserve-log-in-words':
        'event: data\ndata: {"ops":[{"op":"add","path":"/streamed_output/-","value":"Backups "}]}\n\nevent: data\ndata: {"ops":[{"op":"add","path":"/streamed_output/-","value":"run at three."}]}\n\nevent: end\n\n',
      'langserve-events':
        'event: data\ndata: {"event":"on_chain_start","name":"agent","data":{"input":"When?"}}\n\nevent: data\ndata: {"event":"on_chat_model_stream","data":{"chunk":{"content":"Backups ","type":"AIMessageChunk"}}}\n\nevent: data\ndata: {"event":"on_chain_stream","data":{"chunk":"Backups "}}\n\nevent: data\ndata: {"event":"on_chat_model_stream","data":{"chunk":{"content":"run at three.","type":"AIMessageChunk"}}}\n\nevent: data\ndata: {"event":"on_chain_end","data":{"output":"Backups run at three."}}\n\nevent: end\n\n',
      'langgraph-messages':
        'event: metadata\ndata: {"run_id":"1","attempt":1}\n\nevent: messages\ndata: [{"content":"Backups ","type":"AIMessageChunk","id":"run-1"},{"langgraph_node":"agent","thread_id":"t"}]\n\nevent: messages\ndata: [{"content":"run at three.","type":"AIMessageChunk","id":"run-1"},{"langgraph_node":"agent"}]\n\nevent: values\ndata: {"messages":[{"content":"When?","type":"human"},{"content":"Backups run at three.","type":"ai"}]}\n\nevent: end\ndata: null\n\n',
      'langgraph-partial':
        'event: metadata\ndata: {"run_id":"1"}\n\nevent: messages/metadata\ndata: {"run-1":{"metadata":{"langgraph_node":"agent"}}}\n\nevent: messages/partial\ndata: [{"content":"Backups","type":"ai","id":"run-1"}]\n\nevent: messages/partial\ndata: [{"content":"Backups run at","type":"ai","id":"run-1"}]\n\nevent: messages/complete\ndata: [{"content":"Backups run at three.","type":"ai","id":"run-1"}]\n\nevent: end\n\n',
      'langgraph-values':
        'event: values\ndata: {"messages":[{"content":"When?","type":"human"}]}\n\nevent: values\ndata: {"messages":[{"content":"When?","type":"human"},{"content":"","type":"ai","tool_calls":[{"name":"x"}]}]}\n\nevent: values\ndata: {"messages":[{"content":"When?","type":"human"},{"content":[{"type":"text","text":"Backups run at three."}],"type":"ai","tool_calls":[]}]}\n\n',
      'langgraph-updates':
        'event: updates\ndata: {"agent":{"messages":[{"content":"Backups run at three.","type":"ai"}]}}\n\nevent: end\n\n',
      'langgraph-in-a-graph':
        'event: messages|agent:1\ndata: [{"content":"Backups run at three.","type":"AIMessageChunk"},{"langgraph_node":"b"}]\n\nevent: end\n\n',
      'printed-by-python':
        "data: {'choices': [{'delta': {'content': 'Backups '}, 'finish_reason': None}]}\n\ndata: {'choices': [{'delta': {'content': \"run at three.\"}, 'finish_reason': 'stop'}], 'x': True}\n\n",
      'lines-printed-by-python':
        "{'message': {'content': 'Backups '}, 'done': False}\n{'message': {'content': 'run at three.'}, 'done': True}\n",
      'printed-by-python-in-one-piece':
        "{'choices': [{'message': {'content': 'Backups run at three.'}, 'finish_reason': 'stop'}], 'error': None}",
    }).map(([id, body]): [string, AnswerQuirk] => [id, { body, expected: whole }]),
  ),
  ...Object.fromEntries(
    ["{'query': 'a'}", "{'query': 'a', 'deep': True, 'more': None}", '{"query": "a", "deep": False}'].map(
      (args, at): [string, AnswerQuirk] => [
        `arguments-printed-by-python-${at + 1}`,
        {
          body:
            call({ name: 'lookup', arguments: args.slice(0, 5) }, { id: 'c' }) +
            call({ arguments: args.slice(5) }) +
            delta({}, 'tool_calls') +
            DONE,
          expected: called(
            ['{"query":"a"}', '{"query":"a","deep":true,"more":null}', '{"query":"a","deep":false}'][at],
          ),
        },
      ],
    ),
  ),
  flowise: {
    body: 'message:\ndata:{"event":"start","data":""}\n\nmessage:\ndata:{"event":"token","data":"Backups "}\n\nmessage:\ndata:{"event":"token","data":"run at three."}\n\nmessage:\ndata:{"event":"metadata","data":{"chatId":"1"}}\n\nmessage:\ndata:{"event":"end","data":"[DONE]"}\n\n',
    expected: whole,
  },
  n8n: {
    type: 'application/json',
    body: '{"type":"begin","metadata":{"nodeId":"1"}}\n{"type":"item","content":"Backups ","metadata":{}}\n{"type":"item","content":"run at three.","metadata":{}}\n{"type":"end","metadata":{}}\n',
    expected: whole,
  },
  anythingllm: {
    body: 'data: {"uuid":"1","sources":[],"type":"textResponseChunk","textResponse":"Backups ","close":false,"error":false}\n\ndata: {"uuid":"1","type":"textResponseChunk","textResponse":"run at three.","sources":[],"close":true,"error":false}\n\n',
    expected: whole,
  },
  ragflow: {
    body: 'data:{"code":0,"message":"","data":{"answer":"Backups run","reference":{}}}\n\ndata:{"code":0,"data":{"answer":"Backups run at","reference":{}}}\n\ndata:{"code":0,"data":{"answer":"Backups run at three.","reference":{}}}\n\ndata:{"code":0,"data":true}\n\n',
    expected: whole,
  },
  'lm-studio-itself': {
    body: 'event: chat.start\ndata: {"type":"chat.start","model_instance_id":"m"}\n\nevent: reasoning.delta\ndata: {"type":"reasoning.delta","content":"Look."}\n\nevent: message.start\ndata: {"type":"message.start"}\n\nevent: message.delta\ndata: {"type":"message.delta","content":"Backups run at three."}\n\nevent: chat.end\ndata: {"type":"chat.end","result":{"output":[]}}\n\n',
    expected: { ...whole, thoughts: 'Look.' },
  },
  'another-protocol': {
    body: 'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Backups"}}\n\n',
    expected: { words: '', finish: 'error', problem: 'model-format' },
  },
  'another-document': {
    type: 'application/json',
    body: '[{"score":1,"label":"Backups run at three."}]',
    expected: { words: '', finish: 'error', problem: 'model-format' },
  },
  'of-gemini': {
    body: line({ candidates: [{ content: { role: 'model', parts: [{ text: 'Backups' }] } }] }),
    expected: { words: '', finish: 'error', problem: 'model-format' },
  },
  'of-responses': {
    body: line({ type: 'response.output_text.delta', item_id: 'm', delta: 'Backups' }),
    expected: { words: '', finish: 'error', problem: 'model-format' },
  },
  ...Object.fromEntries(
    Object.entries({
      'words-as-data': 'data: Backups\n\ndata:  run\n\ndata:  at three.\n\ndata: [DONE]\n\n',
      'words-as-data-without-spaces': 'data:Backups\n\ndata: run\n\ndata: at three.\n\n',
      'words-as-data-to-a-named-end': 'data: Backups run\n\ndata:  at three.\n\nevent: done\ndata: \n\n',
    }).map(([id, body]): [string, AnswerQuirk] => [id, { body, expected: whole }]),
  ),
  'words-as-data-with-numbers-and-lines': {
    body: 'data: It is\n\ndata: \ndata: \n\ndata: 3\n\ndata:  o’clock.\n\n',
    expected: { words: 'It is\n3 o’clock.', finish: 'stop' },
  },
  'one-line-as-data': {
    body: 'data: Please log in\n\n',
    expected: { words: '', finish: 'error', problem: 'model-format' },
  },
  'document-of-tgi': {
    type: 'application/json',
    body: '[{"generated_text":"Backups run at three."}]',
    expected: whole,
  },
  'completion-of-llama.cpp': {
    body: ['Backups run ', 'at three.']
      .map((content) => line({ index: 0, content, tokens: [1], stop: false, id_slot: 0 }))
      .concat(line({ content: '', stop: true, stop_type: 'eos', tokens_predicted: 5, tokens_evaluated: 12 }))
      .join(''),
    expected: { ...whole, usage: { inputTokens: 12, outputTokens: 5 } },
  },
  'completion-of-llama.cpp-at-its-limit': {
    type: 'application/json',
    body: '{"index":0,"content":"Backups run at three.","stop":true,"stop_type":"limit"}',
    expected: { ...whole, finish: 'length' },
  },
  'interface-stream-of-the-ai-sdk': {
    body:
      line({ type: 'start', messageId: 'm' }) +
      line({ type: 'start-step' }) +
      line({ type: 'reasoning-start', id: 'r' }) +
      line({ type: 'reasoning-delta', id: 'r', delta: 'Look.' }) +
      line({ type: 'reasoning-end', id: 'r' }) +
      line({ type: 'text-start', id: 't' }) +
      line({ type: 'text-delta', id: 't', delta: 'Backups run ' }) +
      line({ type: 'text-delta', id: 't', delta: 'at three.' }) +
      line({ type: 'text-end', id: 't' }) +
      line({ type: 'finish-step' }) +
      line({ type: 'finish' }) +
      DONE,
    expected: { ...whole, thoughts: 'Look.' },
  },
  'interface-stream-with-an-error': {
    body: line({ type: 'start' }) + line({ type: 'error', errorText: 'The engine is overloaded' }),
    expected: { words: '', finish: 'error', problem: 'model-server' },
  },
  'call-of-deepseek-3.2-in-words': {
    body: letters(
      '<｜DSML｜function_calls>\n<｜DSML｜invoke name="lookup">\n<｜DSML｜parameter name="query" string="true">a</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
    ),
    expected: called(),
  },
  'call-of-granite-in-words': {
    body: letters('<|tool_call|>[{"name":"lookup","arguments":{"query":"a"}}]'),
    expected: called(),
  },
  'call-of-gpt-oss-in-words': {
    body: letters(
      '<|channel|>commentary to=functions.lookup <|constrain|>json<|message|>{"query":"a"}<|call|>',
    ),
    expected: called(),
  },
  'call-of-gemma-4-in-words': {
    body: letters('<|tool_call>call:lookup{query:<|"|>a<|"|>}<tool_call|>'),
    expected: called(),
  },
  'call-of-functiongemma-in-words': {
    body: letters('<start_function_call>call:lookup{query:<escape>a<escape>}<end_function_call>'),
    expected: called(),
  },
  'call-of-llama-4-in-words': { body: letters('[lookup(query="a")]'), expected: called() },
  'call-of-llama-s-python-in-words': {
    body: letters('<|python_tag|>lookup.call(query="a")'),
    expected: called(),
  },
  'list-of-calls-in-a-fence': {
    body: letters('```json\n[{"name":"lookup","arguments":{"query":"a"}}]\n```'),
    expected: called(),
  },
  'call-of-gpt-oss-behind-its-thoughts': {
    body: letters(
      `${HARMONY_THOUGHT}<|start|>assistant<|channel|>commentary to=functions.lookup <|constrain|>json<|message|>{"query":"a"}<|call|>`,
    ),
    expected: { ...called(), thoughts: 'Look.' },
  },
  'words-like-a-call-of-llama': {
    body: letters('[lookup] takes a query, and [other(x)](https://a.b) none.'),
    expected: { words: '[lookup] takes a query, and [other(x)](https://a.b) none.', finish: 'stop' },
  },
  'words-that-begin-like-a-call': {
    body: letters('[lookup(query="a"), and then nothing'),
    expected: { words: '[lookup(query="a"), and then nothing', finish: 'stop' },
  },
  'words-with-a-list': {
    body: letters('[1, 2] and [a].'),
    expected: { words: '[1, 2] and [a].', finish: 'stop' },
  },
  'cohere-itself': {
    body:
      line({ type: 'message-start', delta: { message: { role: 'assistant' } } }) +
      line({ type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: '' } } } }) +
      line({
        type: 'content-delta',
        index: 0,
        delta: { message: { content: { text: 'Backups run at three.' } } },
      }) +
      line({ type: 'content-end', index: 0 }) +
      line({ type: 'message-end', delta: { finish_reason: 'MAX_TOKENS' } }),
    expected: { ...whole, finish: 'length' },
  },
  'bedrock-itself': {
    body:
      line({ contentBlockDelta: { delta: { text: 'Backups run at three.' }, contentBlockIndex: 0 } }) +
      line({ messageStop: { stopReason: 'end_turn' } }),
    expected: whole,
  },
  'koboldcpp-itself': {
    body: line({ token: 'Backups run ' }) + line({ token: 'at three.', finish_reason: 'stop' }),
    expected: whole,
  },
  'watsonx-itself': {
    body:
      line({ results: [{ generated_text: 'Backups run ', stop_reason: 'not_finished' }] }) +
      line({ results: [{ generated_text: 'at three.', stop_reason: 'eos_token' }] }),
    expected: whole,
  },
  dify: {
    body:
      'event: ping\n\n' +
      line({ event: 'workflow_started', task_id: 't', data: { id: 'w', inputs: {} } }) +
      line({ event: 'message', conversation_id: 'c', answer: 'Backups run ' }) +
      line({ event: 'agent_message', conversation_id: 'c', answer: 'at three.' }) +
      line({
        event: 'message_end',
        conversation_id: 'c',
        metadata: { usage: { prompt_tokens: 12, completion_tokens: 5 } },
      }),
    expected: { ...whole, usage: { inputTokens: 12, outputTokens: 5 } },
  },
  'document-of-dify': {
    type: 'application/json',
    body: JSON.stringify({
      event: 'message',
      mode: 'chat',
      conversation_id: 'c',
      answer: 'Backups run at three.',
      metadata: {},
    }),
    expected: whole,
  },
  'error-of-dify': {
    body: line({
      event: 'error',
      status: 400,
      code: 'completion_request_error',
      message: 'The engine is overloaded',
    }),
    expected: { words: '', finish: 'error', problem: 'model-server' },
  },
  'cut-within-a-call': {
    body: said + call({ name: 'lookup', arguments: '{"query":"ba' }, { id: 'c1' }),
    expected: cut,
  },
  'cut-before-the-arguments-of-a-call': {
    body: said + call({ name: 'lookup' }, { id: 'c1' }),
    expected: cut,
  },
  'cut-socket': { body: said, destroy: true, expected: cut },
  'error-in-the-middle': {
    body:
      said +
      line({
        error: { message: 'The engine is overloaded', code: 502 },
        choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }],
      }),
    expected: { ...whole, finish: 'error', problem: 'model-server' },
  },
  'error-as-text': {
    body: `${said}event: error\ndata: The engine is overloaded\n\n`,
    expected: { ...whole, finish: 'error', problem: 'model-server' },
  },
  'error-of-minimax': {
    body: line({ base_resp: { status_code: 1008, status_msg: 'insufficient balance' } }),
    expected: { words: '', finish: 'error', problem: 'model-forbidden' },
  },
  'no-error-of-minimax': {
    body: text('Backups run at three.', { base_resp: { status_code: 0, status_msg: '' } }) + stop + DONE,
    expected: whole,
  },
  'a-broken-event': {
    body: `${text('Backups run ')}data: {"choices":[{"delta":{"con\n\n${text('at three.')}${stop}${DONE}`,
    expected: { ...whole, problem: 'model-format' },
  },
  // ------------------------------------------------------------------------------- usage
  'usage-as-text': {
    body:
      said +
      delta({}, 'stop', { usage: { prompt_tokens: '12', completion_tokens: '5', total_tokens: '17' } }) +
      DONE,
    expected: { ...whole, usage: { inputTokens: 12, outputTokens: 5 } },
  },
  'usage-in-the-choice': {
    body:
      said +
      line({
        choices: [
          {
            index: 0,
            delta: {},
            finish_reason: 'stop',
            usage: { prompt_tokens: 12, completion_tokens: 5, cached_tokens: 8 },
          },
        ],
      }) +
      DONE,
    expected: { ...whole, usage: { inputTokens: 12, outputTokens: 5, cachedInputTokens: 8 } },
  },
  'usage-of-groq': {
    body:
      said +
      delta({}, 'stop', { x_groq: { id: 'r', usage: { prompt_tokens: 12, completion_tokens: 5 } } }) +
      DONE,
    expected: { ...whole, usage: { inputTokens: 12, outputTokens: 5 } },
  },
  'usage-in-a-last-chunk': {
    body:
      said +
      stop +
      line({ choices: [], usage: { prompt_tokens: 12, completion_tokens: 5, prompt_tokens_details: null } }) +
      DONE,
    expected: { ...whole, usage: { inputTokens: 12, outputTokens: 5 } },
  },
  'usage-in-every-chunk': {
    body:
      text('Backups run ', { usage: { prompt_tokens: 12, completion_tokens: 1 } }) +
      text('at three.', { usage: { prompt_tokens: 12, completion_tokens: 5 } }) +
      delta({}, 'stop', { usage: null }) +
      DONE,
    expected: { ...whole, usage: { inputTokens: 12, outputTokens: 5 } },
  },
  'usage-is-text': { body: text('Backups run at three.', { usage: '' }) + stop + DONE, expected: whole },
  // ------------------------------------------------------------------------------- calls
  'call-function-null': {
    body:
      delta({ content: 'Backups run at three.', tool_calls: [{ index: 0, function: null }] }) + stop + DONE,
    expected: whole,
  },
  'call-null': {
    body:
      delta({ content: 'Backups run at three.', tool_calls: null, function_call: null }) +
      delta({ tool_calls: [null] }) +
      stop +
      DONE,
    expected: whole,
  },
  'call-arguments-object': {
    body: call({ name: 'lookup', arguments: { query: 'a' } }, { id: 'c1' }) + delta({}, 'tool_calls') + DONE,
    expected: called(),
  },
  'call-without-index': {
    body:
      delta({ tool_calls: [{ id: 'c1', function: { name: 'lookup', arguments: '{"query"' } }] }) +
      delta({ tool_calls: [{ function: { arguments: ':"a"}' } }] }) +
      delta({}, 'tool_calls') +
      DONE,
    expected: called(),
  },
  'call-index-text': {
    body:
      delta({ tool_calls: [{ index: '0', id: 'c1', function: { name: 'lookup', arguments: '{"query"' } }] }) +
      delta({ tool_calls: [{ index: '0', function: { arguments: ':"a"}' } }] }) +
      delta({}, 'tool_calls') +
      DONE,
    expected: called(),
  },
  'call-id-empty': {
    body: call({ name: 'lookup', arguments: '{"query":"a"}' }, { id: '' }) + delta({}, 'tool_calls') + DONE,
    expected: called(),
  },
  'call-id-number': {
    body: call({ name: 'lookup', arguments: '{"query":"a"}' }, { id: 7 }) + delta({}, 'tool_calls') + DONE,
    expected: called(),
  },
  'call-id-and-name-in-every-chunk': {
    body:
      call({ name: 'lookup', arguments: '{"query"' }, { id: 'c1' }) +
      call({ name: 'lookup', arguments: ':"a"}' }, { id: 'c1' }) +
      delta({}, 'tool_calls') +
      DONE,
    expected: called(),
  },
  'call-id-null-after-first': {
    body:
      call({ name: 'lookup', arguments: '' }, { id: 'c1' }) +
      call({ name: null, arguments: '{"query":"a"}' }, { id: null }) +
      delta({}, 'tool_calls') +
      DONE,
    expected: called(),
  },
  'call-new-id-in-every-chunk': {
    body:
      call({ name: 'lookup', arguments: '{"query"' }, { id: 'x1' }) +
      call({ arguments: ':"a"}' }, { id: 'x2' }) +
      delta({}, 'tool_calls') +
      DONE,
    expected: called(),
  },
  'call-name-late': {
    body:
      call({ arguments: '{"query"' }, { id: 'c1' }) +
      call({ name: 'lookup', arguments: ':"a"}' }) +
      delta({}, 'tool_calls') +
      DONE,
    expected: called(),
  },
  'calls-all-with-index-0': {
    body:
      call({ name: 'lookup', arguments: '{"query":"a"}' }, { id: 'c1' }) +
      call({ name: 'lookup', arguments: '{"query":"b"}' }, { id: 'c2' }) +
      delta({}, 'tool_calls') +
      DONE,
    expected: calledTwice,
  },
  'calls-with-one-id': {
    body:
      delta({
        tool_calls: [
          { index: 0, id: 'call', function: { name: 'lookup', arguments: '{"query":"a"}' } },
          { index: 1, id: 'call', function: { name: 'lookup', arguments: '{"query":"b"}' } },
        ],
      }) +
      delta({}, 'tool_calls') +
      DONE,
    expected: calledTwice,
  },
  'call-is-an-object': {
    body:
      delta({
        tool_calls: { index: 0, id: 'c1', function: { name: 'lookup', arguments: '{"query":"a"}' } },
      }) +
      delta({}, 'tool_calls') +
      DONE,
    expected: called(),
  },
  'call-without-function': {
    body:
      delta({ tool_calls: [{ index: 0, id: 'c1', name: 'lookup', arguments: '{"query":"a"}' }] }) +
      delta({}, 'tool_calls') +
      DONE,
    expected: called(),
  },
  'call-the-old-way': {
    body:
      delta({ function_call: { name: 'lookup', arguments: '{"query"' } }) +
      delta({ function_call: { arguments: ':"a"}' } }) +
      delta({}, 'function_call') +
      DONE,
    expected: called(),
  },
  'call-without-arguments': {
    body: call({ name: 'lookup' }, { id: 'c1' }) + delta({}, 'tool_calls') + DONE,
    expected: called('{}'),
  },
  'call-in-a-document': {
    type: 'application/json',
    body: JSON.stringify({
      choices: [
        {
          message: {
            content: null,
            tool_calls: [{ id: 'c1', function: { name: 'lookup', arguments: { query: 'a' } } }],
          },
          finish_reason: 'tool_calls',
        },
      ],
    }),
    expected: called(),
  },
  'calls-all-with-index-0-in-turns': {
    body:
      call({ name: 'lookup', arguments: '' }, { id: 'c1' }) +
      call({ name: 'lookup', arguments: '' }, { id: 'c2' }) +
      call({ arguments: '{"query":"a"}' }, { id: 'c1' }) +
      call({ arguments: '{"query":"b"}' }, { id: 'c2' }) +
      delta({}, 'tool_calls') +
      DONE,
    expected: calledTwice,
  },
  'calls-with-index-0-and-then-their-own': {
    body:
      call({ name: 'lookup', arguments: '{"query":"a"}' }, { id: 'c1' }) +
      call({ name: 'lookup', arguments: '' }, { id: 'c2' }) +
      delta({ tool_calls: [{ index: 1, function: { arguments: '{"query":"b"}' } }] }) +
      delta({}, 'tool_calls') +
      DONE,
    expected: calledTwice,
  },
  'calls-with-index-0-and-no-id': {
    body:
      call({ name: 'lookup', arguments: '{"query":"a"}' }) +
      call({ name: 'lookup', arguments: '{"query":"b"}' }) +
      delta({}, 'tool_calls') +
      DONE,
    expected: calledTwice,
  },
  'call-name-again-behind-its-end': {
    body:
      call({ name: 'lookup', arguments: '{"query":"a"}' }) +
      call({ name: 'lookup', arguments: '' }) +
      delta({}, 'tool_calls') +
      DONE,
    expected: called(),
  },
  'call-arguments-once-more': {
    body:
      call({ name: 'lookup', arguments: '{"query"' }, { id: 'c1' }) +
      call({ arguments: ':"a"}' }) +
      call({ name: 'lookup', arguments: '{"query":"a"}' }, { id: 'c1' }) +
      delta({}, 'tool_calls') +
      DONE,
    expected: called(),
  },
  'call-arguments-so-far': {
    body:
      call({ name: 'lookup', arguments: '{' }, { id: 'c1' }) +
      call({ name: 'lookup', arguments: '{"query":"' }, { id: 'c1' }) +
      call({ name: 'lookup', arguments: '{"query":"a"}' }, { id: 'c1' }) +
      delta({}, 'tool_calls') +
      DONE,
    expected: called(),
  },
  'call-begins-with-an-empty-object': {
    body:
      call({ name: 'lookup', arguments: '{}' }, { id: 'c1' }) +
      call({ arguments: '{"query":"a"}' }) +
      delta({}, 'tool_calls') +
      DONE,
    expected: called(),
  },
  'call-with-a-space': {
    body: call({ name: 'lookup', arguments: ' ' }, { id: 'c1' }) + delta({}, 'tool_calls') + DONE,
    expected: called('{}'),
  },
  'call-that-nobody-named': {
    body: call({ arguments: '{"query":"a"}' }, { id: 'c1' }) + delta({}, 'tool_calls') + DONE,
    expected: { words: '', finish: 'tool-calls', problem: 'model-format' },
  },
  'call-name-in-pieces': {
    body:
      call({ name: 'look', arguments: '' }, { id: 'c1' }) +
      call({ name: 'up' }) +
      call({ arguments: '{"query":"a"}' }) +
      delta({}, 'tool_calls') +
      DONE,
    expected: called(),
  },
  'call-by-its-full-name': {
    body:
      call({ name: 'functions.lookup:0', arguments: '{"query":"a"}' }, { id: 'functions.lookup:0' }) +
      delta({}, 'tool_calls') +
      DONE,
    expected: called(),
  },
  'call-with-input': {
    body:
      delta({ tool_calls: [{ index: 0, id: 'c1', function: { name: 'lookup', input: { query: 'a' } } }] }) +
      delta({}, 'tool_calls') +
      DONE,
    expected: called(),
  },
  'call-finish-twice': {
    body:
      call({ name: 'lookup', arguments: '{"query":"a"}' }, { id: 'c1' }) +
      delta({}, 'tool_calls') +
      stop +
      DONE,
    expected: called(),
  },
  // ------------------------------------------------------------------------------- thoughts
  'thoughts-reasoning': {
    body: delta({ reasoning: 'Look ' }) + delta({ reasoning: 'here.' }) + said + stop + DONE,
    expected: { ...whole, thoughts: 'Look here.' },
  },
  'thoughts-by-two-names': {
    body:
      delta({
        reasoning: 'Look.',
        reasoning_content: 'Look.',
        reasoning_details: [{ type: 'reasoning.text', text: 'Look.' }],
      }) +
      said +
      stop +
      DONE,
    expected: { ...whole, thoughts: 'Look.' },
  },
  'thoughts-as-details': {
    body:
      delta({
        reasoning_details: [
          { type: 'reasoning.summary', summary: 'Look.' },
          { type: 'reasoning.encrypted', data: 'xyz' },
        ],
      }) +
      said +
      stop +
      DONE,
    expected: { ...whole, thoughts: 'Look.' },
  },
  'thoughts-as-an-object': {
    body: delta({ reasoning: { content: 'Look.' } }) + said + stop + DONE,
    expected: { ...whole, thoughts: 'Look.' },
  },
  'no-words': { body: text('') + stop + DONE, expected: { words: '', finish: 'stop' } },
  'no-words-but-thoughts': {
    body: delta({ reasoning_content: 'Look.' }) + stop + DONE,
    expected: { words: '', thoughts: 'Look.', finish: 'stop' },
  },
  'thoughts-only-closed': {
    body:
      text('The person ') +
      text('asks.</thi') +
      text('nk>\n\nBackups ') +
      text('run at three.') +
      stop +
      DONE,
    expected: { ...whole, thoughts: 'The person asks.' },
  },
  'thoughts-only-closed-on-a-line': {
    body: text('The person asks.\n') + text('</think>\n\n') + said + stop + DONE,
    expected: { ...whole, thoughts: 'The person asks.\n' },
  },
  'thoughts-only-closed-kimi': {
    body: text('Look.◁/think▷') + said + stop + DONE,
    expected: { ...whole, thoughts: 'Look.' },
  },
  'thoughts-of-kimi-vl': {
    body: text('◁thi') + text('nk▷Look.◁/') + text('think▷') + said + stop + DONE,
    expected: { ...whole, thoughts: 'Look.' },
  },
  'thoughts-of-magistral': {
    body: text('[THINK]Look.[/THINK]') + said + stop + DONE,
    expected: { ...whole, thoughts: 'Look.' },
  },
  'thoughts-in-blocks': {
    body:
      text('<think>One.</think>Backups run ') +
      text('\n<think>Two.</think>\n') +
      text('at three.') +
      stop +
      DONE,
    expected: { words: 'Backups run \nat three.', thoughts: 'One.Two.', finish: 'stop' },
  },
  'thoughts-in-blocks-at-the-start': {
    body: text('<think>One.</think>\n<think>Two.</think>\n') + said + stop + DONE,
    expected: { ...whole, thoughts: 'One.Two.' },
  },
  'thoughts-closed-twice': {
    body: text('<think>Look.</think></think>\n') + said + stop + DONE,
    expected: { ...whole, thoughts: 'Look.' },
  },
  ...Object.fromEntries(
    [
      ['gpt-oss', '<|channel|>analysis<|message|>Look.<|end|><|start|>assistant<|channel|>final<|message|>'],
      ['gemma', '<|channel>thought\nLook.<channel|>'],
      ['command', '<|START_THINKING|>Look.<|END_THINKING|>'],
      ['others', '<reasoning>Look.</reasoning>\n'],
    ].map(([of, thoughts = '']): [string, AnswerQuirk] => [
      `thoughts-of-${of}`,
      {
        body: text(thoughts.slice(0, 9)) + text(thoughts.slice(9)) + said + stop + DONE,
        expected: { ...whole, thoughts: 'Look.' },
      },
    ]),
  ),
  'thoughts-by-other-names': {
    body: delta({ reasoning_text: 'Look ' }) + delta({ thought: 'here.' }) + said + stop + DONE,
    expected: { ...whole, thoughts: 'Look here.' },
  },
  'thoughts-with-their-marks': {
    body:
      delta({ reasoning_content: '<think>\nLook.' }) +
      delta({ reasoning_content: '\n</think>' }) +
      said +
      stop +
      DONE,
    expected: { ...whole, thoughts: 'Look.' },
  },
  'thoughts-spoken-about': {
    body:
      text('Put `<think>` before and </think> after them, or\n```\n<think>x</think>\n```\n') + stop + DONE,
    expected: {
      words: 'Put `<think>` before and </think> after them, or\n```\n<think>x</think>\n```\n',
      finish: 'stop',
    },
  },
  'thoughts-in-indented-code': {
    body: text('Write it so:\n\n    <think>x</think>\n\nBackups run.') + stop + DONE,
    expected: { words: 'Write it so:\n\n    <think>x</think>\n\nBackups run.', finish: 'stop' },
  },
  // ------------------------------------------------------------------------------- sources
  'sources-of-openrouter': {
    body:
      said +
      delta({
        annotations: [{ type: 'url_citation', url_citation: { url: 'https://example.org/a', title: 'A' } }],
      }) +
      stop +
      DONE,
    expected: { ...whole, sources: ['https://example.org/a'] },
  },
  harmony: {
    body: letters(
      `${HARMONY_THOUGHT}<|start|>assistant<|channel|>final<|message|>Backups run at three.<|return|>`,
    ),
    expected: { ...whole, thoughts: 'Look.' },
  },
  'harmony-from-its-start': {
    body: letters(
      `<|start|>assistant${HARMONY_THOUGHT}<|start|>assistant<|channel|>final<|message|>Backups run at three.`,
    ),
    expected: { ...whole, thoughts: 'Look.' },
  },
  'harmony-without-thoughts': {
    body: letters('<|channel|>final<|message|>Backups run at three.<|end|>'),
    expected: whole,
  },
  'harmony-thoughts-in-two': {
    body: letters(
      `${HARMONY_THOUGHT}<|start|>assistant${HARMONY_THOUGHT}<|start|>assistant<|channel|>final<|message|>Backups run at three.`,
    ),
    expected: { ...whole, thoughts: 'Look.\n\nLook.' },
  },
  'harmony-commentary': {
    body: letters(
      `${HARMONY_THOUGHT}<|start|>assistant<|channel|>commentary<|message|>A moment.<|end|><|start|>assistant<|channel|>final<|message|>At 3 < 4 <| three.`,
    ),
    expected: { words: 'A moment.\n\nAt 3 < 4 <| three.', thoughts: 'Look.', finish: 'stop' },
  },
  'harmony-without-its-marks': {
    body: letters('analysisWe look.assistantfinalBackups run at three.'),
    expected: { ...whole, thoughts: 'We look.' },
  },
  'a-word-like-harmony': {
    body: letters('analysis of backups'),
    expected: { words: 'analysis of backups', finish: 'stop' },
  },
  'ends-with-a-mark': {
    body: said + letters('<|im_end|>\n'),
    expected: whole,
  },
  'speaks-of-an-end-mark': {
    body: letters('Qwen writes <|im_end|> there, and `<|im_end|>`'),
    expected: { words: 'Qwen writes <|im_end|> there, and `<|im_end|>`', finish: 'stop' },
  },
  'ends-with-words-on-an-end-mark': {
    body: letters('The last token is <|im_end|>'),
    expected: { words: 'The last token is <|im_end|>', finish: 'stop' },
  },
  'thoughts-of-mistral-in-parts': {
    body:
      delta({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Look.' }], closed: true }] }) +
      delta({
        content: [
          { type: 'text', text: 'Backups run at three.' },
          { type: 'reference', reference_ids: [1] },
        ],
      }) +
      stop +
      DONE,
    expected: { ...whole, thoughts: 'Look.' },
  },
  'thoughts-as-a-summary': {
    body: delta({ cot_summary: 'Look.' }) + said + stop + DONE,
    expected: { ...whole, thoughts: 'Look.' },
  },
  'call-name-in-pieces-without-index': {
    body:
      delta({ tool_calls: [{ id: 'c1', function: { name: 'look' } }] }) +
      delta({ tool_calls: [{ function: { name: 'up' } }] }) +
      delta({ tool_calls: [{ function: { arguments: '{"query":"a"}' } }] }) +
      delta({}, 'tool_calls') +
      DONE,
    expected: called(),
  },
  'calls-by-number': {
    body:
      delta({ tool_calls: { '0': { id: 'c1', function: { name: 'lookup', arguments: '{"query":"a"}' } } } }) +
      delta({}, 'tool_calls') +
      DONE,
    expected: called(),
  },
  'calls-in-camel-case': {
    body:
      delta({
        toolCalls: [{ index: 0, id: 'c1', function: { name: 'lookup', arguments: '{"query":"a"}' } }],
      }) +
      delta({}, 'tool_calls') +
      DONE,
    expected: called(),
  },
  'call-arguments-as-text-once-more': {
    body:
      call({ name: 'lookup', arguments: '"{\\"query\\"' }, { id: 'c1' }) +
      call({ arguments: ':\\"a\\"}"' }) +
      delta({}, 'tool_calls') +
      DONE,
    expected: called(),
  },
  'another-answer-beside': {
    body:
      line({ choices: [{ index: 0, delta: { content: 'Backups run ' } }] }) +
      line({ choices: [{ index: 1, delta: { content: 'Another.' } }] }) +
      line({
        choices: [
          { index: 0, delta: { content: 'at three.' } },
          { index: 1, delta: { content: 'No.' } },
        ],
      }) +
      stop +
      DONE,
    expected: whole,
  },
  'wrapped-as-response': {
    body:
      line({
        response: { choices: [{ delta: { content: 'Backups run at three.' }, finish_reason: 'stop' }] },
      }) + DONE,
    expected: whole,
  },
  'wrapped-as-output': {
    body: line({
      output: {
        choices: [
          { message: { role: 'assistant', content: 'Backups run at three.' }, finish_reason: 'stop' },
        ],
      },
    }),
    expected: whole,
  },
  'response-of-cloudflare': {
    body:
      line({ response: 'Backups run ', p: 'ab' }) +
      line({ response: 'at three.' }) +
      line({ response: '', usage: { prompt_tokens: 3, completion_tokens: 5 } }) +
      DONE,
    expected: { ...whole, usage: { inputTokens: 3, outputTokens: 5 } },
  },
  'tokens-of-text-generation': {
    body:
      line({ token: { id: 1, text: 'Backups run at three.', special: false }, generated_text: null }) +
      line({ token: { id: 2, text: '</s>', special: true }, generated_text: 'Backups run at three.' }),
    expected: whole,
  },
  'picture-in-inline-data': {
    body:
      delta({ content: [{ inline_data: { mime_type: 'image/png', data: PICTURE.split(',')[1] } }] }) +
      said +
      stop +
      DONE,
    expected: { ...whole, pictures: [PICTURE] },
  },
  'sources-of-zhipu': {
    body:
      said + delta({}, 'stop', { web_search: [{ title: 'Backups', link: 'https://example.org/a' }] }) + DONE,
    expected: { ...whole, sources: ['https://example.org/a'] },
  },
  'sources-in-the-last-message': {
    body:
      said +
      line({
        choices: [
          {
            index: 0,
            delta: {},
            message: {
              content: 'Backups run at three.',
              annotations: [{ type: 'url_citation', url_citation: { url: 'https://example.org/a' } }],
            },
            finish_reason: 'stop',
          },
        ],
      }) +
      DONE,
    expected: { ...whole, sources: ['https://example.org/a'] },
  },
  'sources-of-azure': {
    body: delta({ context: { citations: [{ url: 'https://example.org/a' }] } }) + said + stop + DONE,
    expected: { ...whole, sources: ['https://example.org/a'] },
  },
  'sources-of-perplexity': {
    body:
      text('Backups run at three.', {
        citations: ['https://example.org/a'],
        search_results: [{ title: 'A', url: 'https://example.org/a' }],
      }) +
      stop +
      DONE,
    expected: { ...whole, sources: ['https://example.org/a'] },
  },
};

type Body = Readonly<Record<string, unknown>> & {
  readonly messages: readonly Readonly<Record<string, unknown>>[];
};
/** A body that the endpoint refuses, or undefined. */
type Check = (body: Body) => { readonly status: number; readonly body: unknown } | undefined;

const openai = (message: string, param: string | null = null, code: string | null = null, status = 400) => ({
  status,
  body: { error: { message, type: 'invalid_request_error', param, code } },
});
const unsupported =
  (key: string): Check =>
  (body) =>
    key in body
      ? openai(
          `Unsupported parameter: '${key}' is not supported with this model.`,
          key,
          'unsupported_parameter',
        )
      : undefined;
const roles = ({ messages }: Body) =>
  messages.filter(({ tool_calls: calls, role }) => role !== 'tool' && !calls).map(({ role }) => role);
const callsOf = ({ messages }: Body) =>
  messages.flatMap(({ tool_calls: calls }) =>
    Array.isArray(calls) ? (calls as Record<string, unknown>[]) : [],
  );

/** What endpoints refuse. They answer a request with nothing to refuse. */
export const REFUSALS: Readonly<Record<string, Check>> = {
  'refuses-stream-options': (body) =>
    'stream_options' in body
      ? {
          status: 422,
          body: {
            detail: [
              {
                type: 'extra_forbidden',
                loc: ['body', 'stream_options'],
                msg: 'Extra inputs are not permitted',
              },
            ],
          },
        }
      : undefined,
  'refuses-stream-options-in-words': (body) =>
    'stream_options' in body ? openai('Unrecognized request argument supplied: stream_options') : undefined,
  'refuses-stream-options-in-the-stream': (body) =>
    'stream_options' in body
      ? { status: 200, body: line({ error: { message: 'Unknown field: stream_options', code: 400 } }) }
      : undefined,
  'refuses-temperature': (body) =>
    'temperature' in body
      ? openai(
          "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
          'temperature',
          'unsupported_value',
        )
      : undefined,
  'refuses-top-p': unsupported('top_p'),
  'refuses-temperature-and-top-p': (body) =>
    'temperature' in body && 'top_p' in body
      ? openai('`temperature` and `top_p` cannot both be specified for this model. Please use only one.')
      : undefined,
  'refuses-max-tokens': (body) =>
    'max_tokens' in body
      ? openai(
          "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
          'max_tokens',
          'unsupported_parameter',
        )
      : undefined,
  'refuses-effort': (body) =>
    'reasoning_effort' in body
      ? openai('Unrecognized request argument supplied: reasoning_effort')
      : undefined,
  'refuses-tool-choice': (body) =>
    'tool_choice' in body ? openai('`tool_choice` is not supported by this model') : undefined,
  'refuses-penalty': (body) =>
    'presence_penalty' in body ? openai('Argument not supported on this model: presencePenalty') : undefined,
  'refuses-seed-behind-a-colon': (body) =>
    'seed' in body ? openai('Extra inputs are not permitted: seed') : undefined,
  'refuses-stream-options-as-a-property': (body) =>
    'stream_options' in body
      ? openai("Additional properties are not allowed ('stream_options' was unexpected)")
      : undefined,
  'refuses-penalty-of-gemini': (body) =>
    'presence_penalty' in body
      ? openai('Penalty is not enabled for models/gemini-2.5-flash-lite')
      : undefined,
  'wants-text-in-other-words': (body) =>
    body.messages.some(({ content }) => content === null)
      ? openai("Invalid 'messages' in payload. Please check the structure of your 'messages' and try again.")
      : undefined,
  'wants-words': (body) =>
    body.messages.some(({ content }) => content === null || content === '')
      ? openai('messages.2: all messages must have non-empty content')
      : undefined,
  'wants-no-system-in-a-number': (body) =>
    roles(body).includes('system') ? openai('invalid params, invalid chat setting (2013)') : undefined,
  'wants-no-system-by-its-place': (body) =>
    roles(body).includes('system')
      ? openai("Unsupported value: 'messages[0].role' does not support 'system' with this model.")
      : undefined,
  'refuses-seed': (body) => ('seed' in body ? openai("property 'seed' is unsupported") : undefined),
  'refuses-strict': (body) =>
    JSON.stringify(body).includes('"$schema"')
      ? openai(
          'Invalid JSON payload received. Unknown name "$schema" at \'tools[0].function.parameters\': Cannot find field.',
        )
      : undefined,
  'refuses-several': (body) =>
    unsupported('stream_options')(body) ?? unsupported('temperature')(body) ?? unsupported('top_p')(body),
  'refuses-thoughts': (body) =>
    body.messages.some((message) => 'reasoning_content' in message)
      ? openai(
          "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning_content' is unsupported)]",
        )
      : undefined,
  /** Moonshot, DeepSeek: thoughts go back with calls. */
  'wants-thoughts': (body) => {
    const at = body.messages.findIndex(
      (message) => Array.isArray(message.tool_calls) && !message.reasoning_content,
    );
    return at < 0
      ? undefined
      : openai(
          `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${at}`,
        );
  },
  /** Gemini 3: the signature of a call comes back with it. */
  'wants-signatures': (body) =>
    callsOf(body).every(({ extra_content: extra }) =>
      JSON.stringify(extra ?? '').includes('thought_signature'),
    )
      ? undefined
      : {
          status: 400,
          body: [
            {
              error: {
                code: 400,
                message: 'Function call is missing a thought_signature in functionCall parts.',
                status: 'INVALID_ARGUMENT',
              },
            },
          ],
        },
  /** Mistral: ids of nine letters or digits. */
  'wants-short-ids': (body) =>
    callsOf(body).every(({ id }) => /^[a-zA-Z0-9]{9}$/.test(String(id)))
      ? undefined
      : {
          status: 422,
          body: {
            object: 'error',
            message: 'Tool call id was c1 but must be a-z, A-Z, 0-9, with a length of 9.',
            type: 'invalid_request_error',
          },
        },
  'wants-text': (body) =>
    body.messages.some(({ content }) => content === null)
      ? openai('messages.1.content: Input should be a valid string, received null')
      : undefined,
  'wants-no-system': (body) =>
    roles(body).includes('system') ? openai('System role not supported') : undefined,
  'wants-no-stream': (body) =>
    body.stream === true
      ? openai('Your organization must be verified to stream this model.', 'stream', 'unsupported_value')
      : undefined,
  /** Templates of Qwen, Mistral and Gemma. */
  'strict-roles': (body) => {
    const said = roles(body);
    if (said.slice(1).includes('system'))
      return openai('System message must be at the beginning.', null, null, 500);
    const turns = said[0] === 'system' ? said.slice(1) : said;
    const wrong = turns.some((role, at) => role !== (at % 2 === 0 ? 'user' : 'assistant'));
    return wrong ? openai('Conversation roles must alternate user/assistant/user/assistant/...') : undefined;
  },
  'wants-object-arguments': (body) => {
    const bad = callsOf(body).find(({ function: fn }) => {
      try {
        const value: unknown = JSON.parse((fn as { arguments: string }).arguments);
        return typeof value !== 'object' || value === null || Array.isArray(value);
      } catch {
        return true;
      }
    });
    return bad ? openai('invalid tool call arguments: Expected an object') : undefined;
  },
  'refuses-tools': (body) =>
    'tools' in body || callsOf(body).length > 0 ? openai('This model does not support tools') : undefined,
  'refuses-all': () =>
    openai('The request is not accepted: stream_options, temperature and this conversation.'),
};

export interface QuirksServer {
  readonly baseUrl: string;
  /** Bodies of the chat requests, oldest first. */
  readonly requests: Body[];
  close(): Promise<void>;
}

const THINKING_TOOLS = 'thinking-tools';
const SIGNED_TOOLS = 'signed-tools';
const ODD_TOOLS = 'odd-tools';

/** Models that call a tool and then require what they sent with the call. */
function toolDialect(model: string, body: Body): { status?: number; body: unknown } | undefined {
  const refused =
    model === THINKING_TOOLS
      ? REFUSALS['wants-thoughts']?.(body)
      : model === SIGNED_TOOLS
        ? REFUSALS['wants-signatures']?.(body)
        : undefined;
  if (refused) return refused;
  if (body.messages.at(-1)?.role === 'tool' || !('tools' in body)) return undefined;
  if (model === THINKING_TOOLS)
    return {
      body:
        delta({ reasoning_content: 'I should look it up.' }) +
        call({ name: 'recall', arguments: '{"query":"backup"}' }, { id: 'recall:0' }) +
        delta({}, 'tool_calls') +
        DONE,
    };
  if (model === SIGNED_TOOLS)
    return {
      body:
        call(
          { name: 'recall', arguments: '{"query":"backup"}' },
          { id: 'c1', extra_content: { google: { thought_signature: 'c2lnbmF0dXJl' } } },
        ) +
        delta({}, 'tool_calls') +
        DONE,
    };
  // A call without a function beside one whose arguments are no text.
  if (model === ODD_TOOLS)
    return {
      body:
        delta({ tool_calls: [{ index: 0, function: null }] }) +
        call({ name: 'recall', arguments: { query: 'backup' } }, { id: 'c1' }) +
        delta({}, 'tool_calls') +
        DONE,
    };
  return undefined;
}

/** Starts the server on 127.0.0.1. Bodies are sent in pieces of a few bytes; a piece may end within a character. */
export async function startQuirks({ port = 0 }: { port?: number } = {}): Promise<QuirksServer> {
  const requests: Body[] = [];
  const sockets = new Set<Socket>();
  const send = async (response: ServerResponse, bytes: Buffer) => {
    for (let at = 0, size = 1; at < bytes.length; at += size, size = 1 + ((size * 7) % 23)) {
      response.write(bytes.subarray(at, at + size));
      // Sends each piece as a packet of its own.
      if (bytes.length < 4000) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader(
      'access-control-allow-headers',
      request.headers['access-control-request-headers'] ?? '*',
    );
    if (request.method === 'OPTIONS') return void response.writeHead(204).end();
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    if (request.method === 'GET') {
      const ids = [
        ...Object.keys(ANSWERS),
        ...Object.keys(REFUSALS),
        THINKING_TOOLS,
        SIGNED_TOOLS,
        ODD_TOOLS,
      ];
      return void response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ data: ids.map((id) => ({ id })) }));
    }
    const body = JSON.parse(Buffer.concat(pieces).toString('utf8')) as Body;
    requests.push(body);
    const model = String(body.model);
    const refused = REFUSALS[model]?.(body) ?? toolDialect(model, body);
    const quirk = ANSWERS[model];
    const plain =
      body.stream === false
        ? JSON.stringify({
            choices: [{ message: { content: 'Backups run at three.' }, finish_reason: 'stop' }],
          })
        : said + stop + DONE;
    const out = refused?.body ?? quirk?.body ?? plain;
    const status = refused?.status ?? 200;
    response.writeHead(status, {
      'content-type':
        quirk?.type ??
        (typeof out === 'string' || Buffer.isBuffer(out) ? 'text/event-stream' : 'application/json'),
    });
    await send(
      response,
      Buffer.isBuffer(out) ? out : Buffer.from(typeof out === 'string' ? out : JSON.stringify(out)),
    );
    if (quirk?.destroy) return void setTimeout(() => response.destroy(), 20);
    if (!quirk?.hang) response.end();
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
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
