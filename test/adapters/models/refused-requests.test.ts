// What endpoints refuse in words of their own, and what the next request then holds: nothing else is missing.
// Sentences are those of public error references and reports.
import { describe, expect, it } from 'vitest';
import type { Prompt } from '../../../src/adapters/models/chat-model.ts';
import { createEndpointModel } from '../../../src/adapters/models/index.ts';
import type { ProtocolName } from '../../../src/adapters/models/protocols.ts';
import type { ModelParameters } from '../../../src/domain/settings/parameters.ts';
import { collect, endOf, promptOf } from '../../suites/chat-model.suite.ts';

type Body = Readonly<Record<string, unknown>>;
const whole = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
const ANSWERS: Readonly<Record<string, string>> = {
  chat: whole({ choices: [{ index: 0, delta: { content: 'Yes.' }, finish_reason: 'stop' }] }),
  anthropic: JSON.stringify({
    ...{ type: 'message', content: [{ type: 'text', text: 'Yes.' }], stop_reason: 'end_turn' },
  }),
  google: whole({ candidates: [{ content: { parts: [{ text: 'Yes.' }] }, finishReason: 'STOP' }] }),
  'openai-responses': whole({
    type: 'response.completed',
    response: { id: 'r', output: [{ type: 'message', content: [{ type: 'output_text', text: 'Yes.' }] }] },
  }),
};

interface Given {
  readonly protocol?: ProtocolName;
  readonly model?: string;
  readonly parameters?: ModelParameters;
  readonly prompt?: Prompt;
  readonly error: object | string;
  readonly status?: number;
}

/** Refuses every first request with an error; returns how it ended and all requests. */
async function refused({ protocol = 'chat', model = 'm', parameters, prompt, error, status = 400 }: Given) {
  const sent: Body[] = [];
  const asked = createEndpointModel({
    endpoint: { baseUrl: 'https://models.example/v1', protocol, ...(parameters ? { parameters } : {}) },
    model,
    key: async () => 'sk-test',
    fetch: async (_url, init) => {
      sent.push(JSON.parse(String(init?.body)) as Body);
      return sent.length === 1
        ? new Response(JSON.stringify(typeof error === 'string' ? { error: { message: error } } : error), {
            status,
          })
        : new Response(ANSWERS[protocol], { headers: { 'content-type': 'text/event-stream' } });
    },
  });
  return { end: endOf(await collect(asked, prompt ?? promptOf('When?'))), sent };
}

/** Paths of all values that the second request has no more, or has otherwise. */
const changes = (before: unknown, after: unknown, path = ''): string[] => {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (typeof before !== 'object' || before === null || typeof after !== 'object' || after === null)
    return [after === undefined ? path : `${path}=${JSON.stringify(after)}`];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) =>
    changes((before as Body)[key], (after as Body)[key], path === '' ? key : `${path}.${key}`),
  );
};

const more: NonNullable<ModelParameters['more']> = {
  ...{ seed: 1, stop: ['x'], n: 1, user: 'u', metadata: { a: 'b' }, top_logprobs: 2, min_p: 0.1 },
  ...{ thinking: { type: 'enabled', budget_tokens: 1024 }, logit_bias: {} },
};
const parameters: ModelParameters = { temperature: 0.5, top_p: 0.9, max_tokens: 500, more };

describe('a request goes again without what was refused, and with all else', () => {
  it.each([
    ['Argument not supported on this model: stop', ['stop']],
    ['thinking.enabled.budget_tokens: Input should be greater than or equal to 1024', ['thinking']],
    ['"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive".', ['thinking']],
    ['`max_tokens` must be greater than `thinking.budget_tokens`.', ['thinking']],
    ['"llama3.2:1b" does not support thinking', ['thinking']],
    ['Unable to submit request because Thinking is not supported.', ['thinking']],
    ['Only one completion choice is allowed (n=1)', ['n']],
    ['不支持的参数：seed', ['seed']],
    ['does not support the seed parameter', ['seed']],
    ['max_tokens is too large: 500. This model supports at most 400 completion tokens.', ['max_tokens=400']],
    ['`max_tokens` must be less than or equal to `400`, less than the `context_window`', ['max_tokens=400']],
    ['Invalid max_tokens value, the valid range of max_tokens is [1, 400]', ['max_tokens=400']],
    [
      "'max_tokens' is too large: 500. This model's maximum context length is 400 tokens and your request has 30 input tokens (500 > 400 - 30).",
      ['max_tokens'],
    ],
    [
      {
        error: {
          message: 'Provider returned error',
          metadata: { raw: '{"error":{"message":"Unsupported parameter: \'top_logprobs\'"}}' },
        },
      },
      ['top_logprobs'],
    ],
    [{ errors: { seed: ['Value is not allowed'] } }, ['seed']],
    [{ error: { message: 'A parameter is not valid.', param: 'min_p' } }, ['min_p']],
  ] as const)('%j: %j', async (error, expected) => {
    const { end, sent } = await refused({ error, parameters });
    expect(end.finish).toBe('stop');
    expect(changes(sent[0], sent.at(-1))).toEqual(expected);
    expect(sent).toHaveLength(2);
  });

  it.each([
    ['Thinking is not enabled for models/x', ['generationConfig.thinkingConfig']],
    [
      'Invalid JSON payload received. Unknown name "includeThoughts" at \'generation_config.thinking_config\'',
      ['generationConfig.thinkingConfig.includeThoughts'],
    ],
    ['Invalid value at \'generation_config.top_p\' (TYPE_FLOAT), "x"', ['generationConfig.topP']],
    [
      'Unable to submit request because it has a temperature value of 0.5 but only 1 is supported',
      ['generationConfig.temperature'],
    ],
    [
      'it has a maxOutputTokens value of 500 but the supported range is from 1 (inclusive) to 401 (exclusive)',
      ['generationConfig.maxOutputTokens=400'],
    ],
  ])('google: %s', async (error, expected) => {
    const given: ModelParameters = { temperature: 0.5, top_p: 0.9, max_tokens: 500, reasoning_effort: 'low' };
    const { end, sent } = await refused({
      ...{ protocol: 'google', model: 'gemini-2.5-pro', parameters: given, error },
    });
    expect(end.finish).toBe('stop');
    expect(changes(sent[0], sent.at(-1))).toEqual(expected);
  });

  it.each([
    ["Unsupported value: 'low' is not supported with this model.", 'reasoning.effort'],
    ['Your organization must be verified to generate reasoning summaries.', 'reasoning.summary'],
  ])('openai-responses: %s', async (message, param) => {
    const { end, sent } = await refused({
      ...{ protocol: 'openai-responses', model: 'gpt-5', parameters: { reasoning_effort: 'low' } },
      error: { error: { message, param } },
    });
    expect(end.finish).toBe('stop');
    expect(changes(sent[0], sent.at(-1))).toEqual([param]);
  });

  it('anthropic: the longest answer that it allows', async () => {
    const { end, sent } = await refused({
      ...{ protocol: 'anthropic', model: 'claude-x', parameters: { max_tokens: 64_000 } },
      error: 'max_tokens: 64000 > 8192, which is the maximum allowed number of output tokens for claude-x',
    });
    expect(end.finish).toBe('stop');
    expect(changes(sent[0], sent.at(-1))).toEqual(['max_tokens=8192']);
  });
});

describe('instructions become words of the person', () => {
  const prompt = { ...promptOf('When?'), system: 'Be brief.' };
  it.each([
    ['google', 'Developer instruction is not enabled for models/x'],
    ['openai-responses', "Invalid value: 'developer'. Supported values are: 'user', 'assistant'."],
    [
      'chat',
      'messages[0].role: unknown variant `system`, expected one of `user`, `assistant` at line 1 column 50',
    ],
  ] as const)('%s: %s', async (protocol, error) => {
    const { end, sent } = await refused({ protocol, model: 'gpt-5', prompt, error });
    expect(end.finish).toBe('stop');
    const words = JSON.stringify(sent.at(-1));
    expect(words).toMatch(/Be brief\..*When\?/);
    expect(words).not.toMatch(/"role":"(system|developer)"|systemInstruction/);
  });

  it('a beginning of an answer is followed by words, where an answer must not come last', async () => {
    const prefilled: Prompt = {
      system: null,
      messages: [
        ...promptOf('When?').messages,
        { role: 'assistant', parts: [{ type: 'text', text: 'It is' }] },
      ],
    };
    const { end, sent } = await refused({
      prompt: prefilled,
      error: 'Assistant response prefill is incompatible with this model.',
    });
    expect(end.finish).toBe('stop');
    expect(JSON.stringify(sent.at(-1)?.messages)).toMatch(/"role":"user",[^}]*\}\]$/);
  });
});

it('a list of texts and images that an endpoint does not read is told as one of images', async () => {
  const picture = 'data:image/png;base64,iVBORw0KGgo=';
  const { end } = await refused({
    prompt: {
      system: null,
      messages: [
        {
          role: 'user',
          parts: [
            { type: 'text', text: 'What is it?' },
            { type: 'file', mediaType: 'image/png', name: 'a.png', url: picture },
          ],
        },
      ],
    },
    error: 'messages[0].content must be a string',
  });
  expect(`${end.problem?.code} ${end.problem?.params?.reason}`).toBe('model-server images');
});

it.each(Object.keys(ANSWERS) as ProtocolName[])(
  '%s: half of an emoji, which servers refuse as no JSON, is sent as the sign of replacement',
  async (protocol) => {
    let sent = '';
    const model = createEndpointModel({
      endpoint: { baseUrl: 'https://models.example/v1', protocol },
      model: 'm',
      key: async () => 'sk-test',
      fetch: async (_url, init) => {
        sent = String(init?.body);
        return new Response(ANSWERS[protocol], { headers: { 'content-type': 'text/event-stream' } });
      },
    });
    await collect(model, promptOf('Cut here: \ud83d, whole: 😀, typed: \\ud83d'));
    expect(JSON.stringify(JSON.parse(sent))).toBe(sent);
    expect(sent).toContain('Cut here: \ufffd, whole: 😀, typed: \\\\ud83d');
    expect(sent).not.toMatch(/[^\\]\\ud83d/);
  },
);
