// Endpoints choose a status as they like: what they mean is in their words. One sentence of each provider,
// from public documentation and reports.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEndpointModel } from '../../../src/adapters/models/index.ts';
import { type ScriptedModelServer, startScriptedModel } from '../../server/scripted-model.ts';
import { collect, endOf } from '../../suites/chat-model.suite.ts';

let server: ScriptedModelServer;
beforeAll(async () => {
  server = await startScriptedModel();
});
afterAll(() => server.close());

const problemOf = async (status: number, error: object | string, key = 'sk-test') => {
  server.next({ status, body: { error } });
  const model = createEndpointModel({
    endpoint: { baseUrl: server.baseUrl },
    model: 'plain',
    key: async () => key,
  });
  const { problem } = endOf(await collect(model));
  return `${problem?.code} ${problem?.params?.reason ?? ''}`.trim();
};

it.each(['k', 'api', 'key'])(
  'the key "%s", as servers at home take it, leaves an endpoint its words',
  async (key) => {
    expect(await problemOf(400, { message: 'Invalid API key provided' }, key)).toBe('model-key invalid');
  },
);

describe('too long for the model', () => {
  it.each([
    'Range of input length should be [1, 30720]',
    'Prompt exceeds max length',
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    'The decoder prompt (length 10000) is longer than the maximum model length of 4096.',
    'Input is too long for requested model.',
    'length of prompt_tokens (50000) must be less than max_seq_len (32768).',
    'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 6000 `inputs` tokens',
    'Total tokens of image and text exceed max message tokens',
    'Invalid request: Your request exceeded model token limit: 131072',
    'prompt is too long: 210000 tokens > 200000 maximum',
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    'the request exceeds the available context size, try increasing it',
    'Input validation error: `inputs` must have less than 4095 tokens. Given: 5000',
    '输入长度超过模型最大上下文限制',
    '入力トークン数が上限を超えています',
    'the max input characters is 20000',
    'prompt tokens too long',
    'Your message is too long for this model',
    'Maximum allowed prompt length is 4096 but your prompt length is 5000',
  ])('%s', async (message) => {
    expect(await problemOf(400, { message })).toBe('model-context');
  });
});

describe('is read wherever an endpoint writes it', () => {
  const words = 'Input is too long for requested model.';
  it.each([
    [{ errors: [{ code: 5007, message: words }], success: false, result: null }],
    [{ errors: { prompt: [words] } }],
    [{ error_code: 336007, error_msg: words }],
    [{ base_resp: { status_code: 1039, status_msg: words } }],
    [{ header: { code: 10907, message: words, sid: 'c' } }],
    [{ Response: { Error: { Code: 'InvalidParameter', Message: words }, RequestId: 'c' } }],
    [{ __type: 'ValidationException', Message: words }],
    [{ error: 'invalid_request', error_description: words }],
    [{ type: 'about:blank', title: words, status: 400 }],
    [{ errorCode: 'x', errorMessage: words }],
  ])('%j', async (body) => {
    server.next({ status: 400, body });
    const model = createEndpointModel({
      endpoint: { baseUrl: server.baseUrl },
      model: 'plain',
      key: async () => 'sk-test',
    });
    expect(endOf(await collect(model)).problem?.code).toBe('model-context');
  });
});

it.each([
  [
    'model-key invalid',
    400,
    { code: 400, message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT' },
  ],
  [
    'model-key invalid',
    400,
    'Incorrect API key provided: sk***st. You can obtain an API key from the console.',
  ],
  ['model-key invalid', 400, { message: 'API key expired. Please renew the API key.' }],
  [
    'model-forbidden balance',
    400,
    { type: 'invalid_request_error', message: 'Your credit balance is too low to access the API.' },
  ],
  [
    'model-forbidden balance',
    400,
    { code: 'Arrearage', message: 'Access denied, please make sure your account is in good standing.' },
  ],
  ['model-rate quota', 429, { code: '1113', message: '您的账户已欠费，请充值后重试。' }],
  [
    'model-forbidden forbidden',
    400,
    { message: 'User location is not supported for the API use.', status: 'FAILED_PRECONDITION' },
  ],
  ['model-not-found model', 400, { message: 'Model Not Exist', type: 'invalid_request_error' }],
  ['model-not-found model', 400, { message: 'foo/bar is not a valid model ID', code: 400 }],
  ['model-not-found model', 400, { message: 'Invalid model: mistral-huge', code: '1500' }],
  ['model-not-found model', 400, { code: '1211', message: '模型不存在，请检查模型代码。' }],
  [
    'model-not-found model',
    400,
    { message: 'The requested model is not supported.', code: 'model_not_supported' },
  ],
  ['model-forbidden forbidden', 451, 'Unavailable in your region'],
  ['model-not-found model', 410, { message: 'The model has been retired.' }],
  ['model-server server', 408, 'Request timeout'],
  [
    'model-refused',
    400,
    { code: 'data_inspection_failed', message: 'Input data may contain inappropriate content.' },
  ],
  ['model-refused', 400, { code: '1301', message: '系统检测到输入或生成内容可能包含不安全或敏感内容。' }],
  [
    'model-not-found model',
    404,
    { code: 'DeploymentNotFound', message: 'The API deployment for this resource does not exist.' },
  ],
  ['model-server size', 413, 'Payload Too Large'],
  ['model-context', 413, { message: 'Request too large for model: 9000 tokens, limit 6000' }],
  ['model-context', 429, { message: 'Request too large for gpt-4o on TPM: Limit 30000, Requested 45000.' }],
  ['model-rate soon', 500, { message: "Error code: 429 - {'error': {'message': 'Rate limit reached'}}" }],
  ['model-rate quota', 400, { message: 'You have reached your specified API usage limits.' }],
  [
    'model-rate quota',
    400,
    { message: 'Budget has been exceeded! Current cost: 1.2', type: 'budget_exceeded' },
  ],
  ['model-forbidden balance', 403, { message: '该令牌额度已用尽' }],
  ['model-key invalid', 403, { message: "Method doesn't allow unregistered callers." }],
  ['model-key invalid', 403, 'Not authenticated'],
  [
    'model-forbidden forbidden',
    401,
    { message: 'Authentication Error, key not allowed to access model.', type: 'key_model_access_denied' },
  ],
  ['model-forbidden forbidden', 400, { message: 'The model `x` requires terms acceptance.' }],
  ['model-refused', 403, { message: 'Your input was flagged for "violence". No credits were charged.' }],
  [
    'model-refused',
    400,
    { code: 'SensitiveContentDetected', message: 'The input text may contain sensitive information.' },
  ],
  ['model-not-found model', 400, { message: 'The model `x` has been decommissioned.' }],
  ['model-not-found model', 404, { message: 'No endpoints found for foo/bar.' }],
  ['model-not-found model', 503, { message: '当前分组 default 下对于模型 gpt-9 无可用渠道' }],
  ['model-server images', 500, { message: 'image input is not supported - hint: you may need the mmproj' }],
  ['model-server images', 400, { message: 'At most 0 image(s) may be provided in one prompt.' }],
  ['model-server images', 400, { message: '当前模型不支持图片输入' }],
  ['model-server images', 400, { message: 'Image input modality is not enabled for models/x' }],
  [
    'model-server images',
    400,
    { message: "Invalid value: 'input_image'. Supported values are: 'input_text'." },
  ],
  ['model-server picture', 400, { message: 'Could not process image' }],
  ['model-server picture', 400, { message: 'image exceeds 5 MB maximum: 6000000 bytes > 5242880 bytes' }],
  ['model-server picture', 400, { message: 'Image does not match the provided media type image/png' }],
  // What only resembles one of these.
  ['model-server request', 400, { message: 'This model does not support tools' }],
  ['model-server request', 400, { message: 'The parameter `logprobs` is not supported by this model' }],
  [
    'model-server request',
    400,
    { message: "messages: the model's last message was not found to be from the user" },
  ],
  ['model-server images', 400, { message: 'This model does not support image input' }],
  [
    'model-rate soon',
    500,
    { message: 'An error occurred (ThrottlingException): Too many tokens, please wait' },
  ],
  ['model-rate soon', 400, { message: 'Too many tokens per day, please wait before trying again.' }],
  ['model-rate soon', 500, { message: '当前请求数较多，请稍后重试' }],
  ['model-rate soon', 400, { code: '1302', message: '您的账户已达到速率限制，请您控制请求频率' }],
  ['model-rate soon', 498, { message: 'Flex tier capacity exceeded. Please try again later' }],
  ['model-rate quota', 429, { code: '1308', message: '已达到 5 小时的使用上限。' }],
  ['model-rate quota', 429, { message: "You've reached your hourly usage limit, please upgrade" }],
  ['model-forbidden balance', 403, { message: '预扣费额度失败, 用户剩余额度: ＄0.002' }],
  ['model-forbidden balance', 403, { message: 'The free tier of the model has been exhausted.' }],
  ['model-forbidden forbidden', 404, { message: 'No endpoints found matching your data policy.' }],
  ['model-forbidden forbidden', 404, { message: 'Your account has not activated the model x.' }],
  ['model-server request', 404, { message: 'No endpoints found that support tool use.' }],
  ['model-not-found model', 404, { message: "Function 'abc': Not found for account 'xyz'" }],
  ['model-context', 500, { message: 'litellm.ContextWindowExceededError: too long' }],
  ['model-server server', 424, { message: 'Failed dependency' }],
  ['model-context', 400, { message: '{"error":{"message":"Prompt is too long","code":400}}' }],
  ['model-rate soon', 500, { message: '{"detail":"An error occurred (ThrottlingException)"}' }],
] as const)('%s: %i %j', async (problem, status, error) => {
  expect(await problemOf(status, error)).toBe(problem);
});

it.each([
  [{ 'retry-after': '30s' }, { error: { message: 'x' } }, 30],
  [{}, { error: { message: '请求过于频繁，请在 30 秒后重试' } }, 30],
  [{}, { error: { message: 'Please wait 2 minutes before trying again.' } }, 120],
  [{}, { error: { message: 'x', retry_after: 12 } }, 12],
  [{}, { error: 'Model x is currently loading', estimated_time: 20.5 }, 21],
  [{}, { error: { message: 'x', retryAfter: 12 } }, 12],
  [{}, { error: { message: 'x', retry_after_ms: 12_000 } }, 12],
  [{}, { error: { message: 'x', resets_in_seconds: 90 } }, 90],
  [{}, { error: { message: 'Retry after: 15 seconds' } }, 15],
  [{}, { error: { message: 'Please try again 30 seconds later' } }, 30],
  [{}, { error: { message: 'Please wait 2 more minutes.' } }, 120],
  [{}, { error: { message: 'Please try again in 1m31.2s.' } }, 92],
  [{ 'retry-after': '1m30s' }, { error: { message: 'x' } }, 90],
  [{ 'retry-after': '2 minutes' }, { error: { message: 'x' } }, 120],
  [{ 'x-ratelimit-reset-after': '20' }, { error: { message: 'x' } }, 20],
  [{ 'x-ratelimit-reset': '20' }, { error: { message: 'x' } }, 20],
  [{ ratelimit: '"default";r=0;t=30' }, { error: { message: 'x' } }, 30],
  [
    {
      ...{ 'x-ratelimit-reset-requests': '1m5s', 'x-ratelimit-remaining-requests': '0' },
      ...{ 'x-ratelimit-reset-tokens': '1m50s', 'x-ratelimit-remaining-tokens': '9' },
    },
    { error: { message: 'x' } },
    65,
  ],
] as const)('how long to wait is read from %j and %j', async (headers, body, seconds) => {
  const model = createEndpointModel({
    endpoint: { baseUrl: 'https://models.example/v1' },
    model: 'plain',
    key: async () => 'sk-test',
    fetch: async () => new Response(JSON.stringify(body), { status: 429, headers }),
  });
  expect(endOf(await collect(model)).problem?.params).toMatchObject({ reason: 'seconds', seconds });
});

it('how long to wait stands in the words, the header or the details of an error', async () => {
  server.next({
    status: 429,
    body: {
      error: {
        code: 429,
        message: 'You exceeded your current quota, please check your plan and billing details.',
        status: 'RESOURCE_EXHAUSTED',
        details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '28s' }],
      },
    },
  });
  const model = createEndpointModel({
    endpoint: { baseUrl: server.baseUrl },
    model: 'plain',
    key: async () => 'sk-test',
  });
  expect(endOf(await collect(model)).problem?.params).toMatchObject({ reason: 'seconds', seconds: 28 });
});
