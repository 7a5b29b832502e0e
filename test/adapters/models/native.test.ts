// Anthropic, Gemini and OpenAI Responses through the SDK's own providers.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testConnection } from '../../../src/adapters/models/connection-test.ts';
import { createEndpointModel } from '../../../src/adapters/models/index.ts';
import { addToDraft } from '../../../src/domain/chat/draft.ts';
import type { Part } from '../../../src/domain/chat/message.ts';
import {
  type NativeServer,
  ODD,
  ODD_CALLS,
  ODD_THOUGHTS,
  startNative,
  WRITTEN,
} from '../../server/natives.ts';
import { collect, describeChatModel, endOf, promptOf } from '../../suites/chat-model.suite.ts';

const lookup = {
  name: 'lookup',
  description: 'Looks something up',
  schema: { type: 'object', properties: { query: { type: 'string' } } },
};

const PROTOCOLS = ['anthropic', 'google', 'openai-responses'] as const;

describe.each(PROTOCOLS)('%s', (protocol) => {
  describeChatModel(protocol, async () => {
    const server = await startNative(protocol);
    return {
      model: (situation) =>
        createEndpointModel({
          endpoint: { baseUrl: server.baseUrl, protocol },
          model: situation === 'failing' ? 'error-401' : situation,
          key: async () => 'sk-test',
        }),
      close: () => server.close(),
    };
  });

  let server: NativeServer;
  beforeAll(async () => {
    server = await startNative(protocol);
  });
  afterAll(() => server.close());
  const modelOf = (model: string, more: object = {}) =>
    createEndpointModel({
      endpoint: { baseUrl: server.baseUrl, protocol, ...more },
      model,
      key: async () => 'sk-test',
    });

  it('says who asks as the protocol has it, and nothing else', async () => {
    await collect(modelOf('plain'));
    const { headers } = server.requests.at(-1) ?? { headers: {} };
    const own = Object.keys(headers)
      .filter((name) => /key|auth|anthropic|goog|version/.test(name))
      .sort();
    expect(own).toEqual(
      {
        anthropic: ['anthropic-dangerous-direct-browser-access', 'anthropic-version', 'x-api-key'],
        google: ['x-goog-api-key'],
        'openai-responses': ['authorization'],
      }[protocol],
    );
  });

  it('sends what the person wants by the names of the protocol', async () => {
    await collect(
      modelOf('plain', {
        parameters: { temperature: 0.2, max_tokens: 300, more: { metadata: { user_id: 'x' } } },
      }),
    );
    const { body } = server.requests.at(-1) as NativeServer['requests'][number];
    expect(body.metadata).toEqual({ user_id: 'x' });
    const sent = JSON.stringify(body);
    expect(sent).toContain('"temperature":0.2');
    expect(sent).toMatch(/"(max_tokens|maxOutputTokens|max_output_tokens)":300/);
    if (protocol === 'anthropic') expect(body.cache_control).toEqual({ type: 'ephemeral' });
    if (protocol === 'openai-responses') expect(body.store).toBe(false);
  });

  it('sends signatures back with their thoughts and calls, as they are kept', async () => {
    const model = modelOf(protocol === 'openai-responses' ? 'gpt-5' : 'signed');
    const signed =
      protocol === 'openai-responses'
        ? { openai: { itemId: 'item_0', reasoningEncryptedContent: 'c2lnbmF0dXJl' } }
        : { anthropic: { signature: 'c2lnbmF0dXJl' } };
    const parts: Part[] = [
      ...(protocol === 'google'
        ? []
        : [{ type: 'reasoning' as const, text: 'I should look.', provider: signed }]),
      {
        type: 'tool-call',
        callId: 'call_1',
        name: 'lookup',
        arguments: '{"query":"a"}',
        ...(protocol === 'google' ? { provider: { google: { thoughtSignature: 'c2lnbmF0dXJl' } } } : {}),
      },
    ];
    const messages = [
      ...promptOf('When?').messages,
      { role: 'assistant' as const, parts },
      {
        role: 'tool' as const,
        parts: [{ type: 'tool-result' as const, callId: 'call_1', text: 'At three.' }],
      },
    ];
    const options = { tools: [lookup], signal: new AbortController().signal };
    expect(endOf(await collect(model, { system: 'Be brief.', messages }, options)).finish).toBe('stop');
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('c2lnbmF0dXJl');
    // Fields of another protocol are not sent.
    const foreign = parts.map(
      (part) => ({ ...part, provider: { endpoint: { thoughtSignature: 'Zm9yZWlnbg' } } }) as Part,
    );
    const mixed = messages.map((message) =>
      message.role === 'assistant' ? { ...message, parts: foreign } : message,
    );
    expect(endOf(await collect(model, { system: null, messages: mixed }, options)).finish).toBe('stop');
    expect(JSON.stringify(server.requests.at(-1)?.body)).not.toContain('Zm9yZWlnbg');
  });

  it.each(Object.keys(WRITTEN))('is read to its end where it is written with %s', async (model) => {
    const plain = await collect(modelOf('plain'));
    const said = (events: typeof plain) =>
      events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');
    const events = await collect(modelOf(model));
    expect(said(events)).toBe(said(plain));
    expect(endOf(events)).toEqual({ type: 'end', finish: 'stop' });
  });

  it('keeps the signature that came', async () => {
    const options = { tools: [lookup], signal: new AbortController().signal };
    let parts: readonly Part[] = [];
    for (const event of await collect(
      modelOf(protocol === 'google' ? 'tools' : 'reasoning'),
      promptOf('When?'),
      options,
    ))
      if (event.type !== 'usage' && event.type !== 'end') parts = addToDraft(parts, event);
    expect(JSON.stringify(parts)).toContain('c2lnbmF0dXJl');
  });

  it('tells the tokens', async () => {
    const usage = (await collect(modelOf('plain'))).find((event) => event.type === 'usage')?.usage;
    expect(usage).toMatchObject({ outputTokens: 5, cachedInputTokens: 8 });
  });

  it('lists the models that answer', async () => {
    const report = await testConnection(
      { baseUrl: server.baseUrl, protocol },
      'sk-test',
      new AbortController().signal,
    );
    expect(report).toMatchObject({ ok: true, models: [protocol === 'google' ? 'gemini-3-pro' : 'claude-x'] });
  });
});

it('is asked again without what it need not have', async () => {
  const server = await startNative('anthropic');
  const kept: string[] = [];
  const model = createEndpointModel({
    endpoint: { baseUrl: server.baseUrl, protocol: 'anthropic' },
    model: 'wants-no-cache',
    key: async () => 'sk-test',
    repairs: { get: () => kept, remember: (more) => kept.push(...more) },
  });
  expect(endOf(await collect(model)).finish).toBe('stop');
  expect(kept).toEqual(['drop:cache_control']);
  await server.close();
});

describe('an answer of anthropic', () => {
  let server: NativeServer;
  beforeAll(async () => {
    server = await startNative('anthropic');
  });
  afterAll(() => server.close());

  it.each([
    ['nothing', 'error', 'model-cut', ''],
    ['nothing-but-the-opening', 'error', 'model-cut', ''],
    ['another-protocol', 'error', 'model-format', ''],
    ['new-events', 'stop', undefined, 'Backups run at three.'],
  ] as const)('%s is told as what it is', async (model, finish, code, words) => {
    const events = await collect(
      createEndpointModel({
        endpoint: { baseUrl: server.baseUrl, protocol: 'anthropic' },
        model,
        key: async () => 'sk-test',
      }),
    );
    const said = events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');
    const end = endOf(events);
    expect([end.finish, end.problem?.code, said]).toEqual([finish, code, words]);
  });
});

/** The events of one answer, and the parts that they make. */
async function answered(baseUrl: string, protocol: (typeof PROTOCOLS)[number], model: string) {
  const events = await collect(
    createEndpointModel({ endpoint: { baseUrl, protocol }, model, key: async () => 'sk-test' }),
  );
  let parts: readonly Part[] = [];
  for (const event of events)
    if (event.type !== 'usage' && event.type !== 'end') parts = addToDraft(parts, event);
  return { events, parts };
}

describe('what the SDK would refuse or drop', () => {
  it.each([
    ['anthropic', 'no-usage', 'length', undefined, ['Backups run at three.']],
    ['anthropic', 'error-after-the-end', 'stop', undefined, ['Backups run at three.']],
    ['anthropic', 'bare-error', 'error', /overloaded/, []],
    ['openai-responses', 'bare-failure', 'error', /Rate limit/, []],
    ['openai-responses', 'failure-as-text', 'error', /overloaded/, []],
    ['openai-responses', 'drawn-by-responses', 'stop', undefined, ['data:image/webp;base64,UklGRg==']],
    ['google', 'drawn-by-gemini', 'stop', undefined, ['data:image/png;base64,iVBORw0KGgo=']],
    ['google', 'error-of-gemini', 'error', /overloaded/, []],
    [
      'anthropic',
      'words-in-the-opening-of-a-block',
      'stop',
      undefined,
      ['reasoning', 'Backups run at three.'],
    ],
    ['anthropic', 'a-block-that-nothing-opens', 'stop', undefined, ['Backups run at three.']],
    ['anthropic', 'searched-by-the-endpoint', 'stop', undefined, ['Backups run at three.']],
    ['anthropic', 'a-document-of-anthropic', 'stop', undefined, ['reasoning', 'Backups run at three.']],
    ['openai-responses', 'a-document-of-responses', 'stop', undefined, ['Backups run at three.']],
    ['openai-responses', 'only-the-last-event', 'stop', undefined, ['Backups run at three.']],
    ['openai-responses', 'only-ended-items', 'stop', undefined, ['Backups run at three.']],
    ['openai-responses', 'words-only-at-their-end', 'stop', undefined, ['Backups run at three.']],
    ['openai-responses', 'words-without-an-item', 'stop', undefined, ['Backups run at three.']],
    ['openai-responses', 'states-without-fields', 'stop', undefined, ['Backups run at three.']],
    [
      'openai-responses',
      'thoughts-of-a-local-model',
      'stop',
      undefined,
      ['reasoning', 'Backups run at three.'],
    ],
    ['openai-responses', 'a-call-that-nothing-ends', 'tool-calls', undefined, ['tool-call']],
    ['anthropic', 'paused-in-its-turn', 'cut', /^undefined$/, ['Backups run at three.']],
    ['anthropic', 'a-call-in-a-block-without-an-end', 'tool-calls', undefined, ['tool-call']],
    ['anthropic', 'thoughts-within-the-words', 'stop', undefined, ['reasoning', 'Backups run at three.']],
    ['openai-responses', 'a-refusal-without-an-item', 'stop', undefined, ['I cannot.']],
    [
      'openai-responses',
      'reasoning_summary_text-without-an-item',
      'stop',
      undefined,
      ['reasoning', 'Backups run at three.'],
    ],
    [
      'openai-responses',
      'reasoning_text-without-an-item',
      'stop',
      undefined,
      ['reasoning', 'Backups run at three.'],
    ],
    ['openai-responses', 'a-refusal-in-words', 'stop', undefined, ['I cannot.']],
    ['openai-responses', 'broken-off-without-a-reason', 'cut', /^undefined$/, ['Backups run at three.']],
    ['google', 'a-call-gemini-could-not-write', 'error', /Malformed call/, []],
    ['google', 'ratings-of-another-form', 'stop', undefined, ['Backups run at three.']],
  ] as const)('%s: %s', async (protocol, model, finish, reason, said) => {
    const server = await startNative(protocol);
    try {
      const { events, parts } = await answered(server.baseUrl, protocol, model);
      const { finish: ended, problem } = endOf(events);
      expect(ended).toBe(finish);
      if (reason) expect(String(problem?.params?.detail)).toMatch(reason);
      else expect(problem).toBeUndefined();
      expect(
        parts.map((part) => (part.type === 'text' ? part.text : part.type === 'file' ? part.url : part.type)),
      ).toEqual(said);
    } finally {
      await server.close();
    }
  });
});

describe.each(PROTOCOLS)('what proxies send in the form of %s', (protocol) => {
  const saidIn = async (model: string) => {
    const server = await startNative(protocol);
    try {
      const { events, parts } = await answered(server.baseUrl, protocol, model);
      const words = parts.map((part) =>
        part.type === 'tool-call'
          ? `${part.name} ${part.arguments}`
          : part.type === 'file'
            ? part.url
            : 'text' in part
              ? part.text
              : '',
      );
      const ids = parts.flatMap((part) => (part.type === 'tool-call' ? [part.callId] : []));
      expect(ids.every((id) => id !== '')).toBe(true);
      return { end: endOf(events), words };
    } finally {
      await server.close();
    }
  };
  it.each(Object.keys(ODD[protocol]))('loses no word: %s', async (model) => {
    const whole = { end: { type: 'end', finish: 'stop' }, words: ['Backups run at three.'] };
    expect(await saidIn(model)).toEqual(whole);
  });
  it.each(Object.keys(ODD_CALLS[protocol]))('loses no call: %s', async (model) => {
    const whole = { end: { type: 'end', finish: 'tool-calls' }, words: ['lookup {"query":"a"}'] };
    expect(await saidIn(model)).toEqual(whole);
  });
  it.each(Object.keys(ODD_THOUGHTS[protocol]))('loses no thought: %s', async (model) => {
    const whole = { end: { type: 'end', finish: 'stop' }, words: ['Look.', 'Backups run at three.'] };
    expect(await saidIn(model)).toEqual(whole);
  });
});

describe('code that an endpoint ran by itself', () => {
  const ran = (code: string, language: string, output: string) =>
    `\n\n\`\`\`${language}\n${code}\n\`\`\`\n\n\n\n\`\`\`\n${output}\n\`\`\`\n\n`;
  it.each([
    [
      'google',
      'run-by-gemini',
      `I add.${ran('print(1 + 1)', 'python', '2')}\n\n\`\`\`\`\n\`\`\`\n3\n\`\`\`\`\n\nTwo.`,
    ],
    ['openai-responses', 'run-by-responses', `${ran('print(1 + 1)', 'python', '2')}Backups run at three.`],
    ['anthropic', 'run-by-anthropic', `${ran('echo 2', 'bash', '2')}Two.`],
  ] as const)('is shown as code, with what it gave: %s', async (protocol, model, words) => {
    const server = await startNative(protocol);
    try {
      const { events } = await answered(server.baseUrl, protocol, model);
      expect(endOf(events)).toEqual({ type: 'end', finish: 'stop' });
      expect(events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')).toBe(words);
    } finally {
      await server.close();
    }
  });
});

describe('pages that an answer rests on', () => {
  it('may be those that Gemini read', async () => {
    const server = await startNative('google');
    try {
      const { events } = await answered(server.baseUrl, 'google', 'read-by-gemini');
      const urls = events.flatMap((event) => (event.type === 'sources' ? event.sources : []));
      expect(urls).toEqual([{ url: 'https://docs.example.com/backup' }]);
    } finally {
      await server.close();
    }
  });

  it.each(['documents-cited-by-anthropic', 'documents-cited-in-a-document-of-anthropic'])(
    'may be places in documents, with the words that were cited: %s',
    async (model) => {
      const server = await startNative('anthropic');
      try {
        const { events, parts } = await answered(server.baseUrl, 'anthropic', model);
        expect(endOf(events)).toEqual({ type: 'end', finish: 'stop' });
        expect(parts).toEqual([
          {
            type: 'text',
            text: 'Backups run at three.',
            sources: [
              { url: '', title: 'Handbook', cited: 'Backups run at three.' },
              { url: '', title: 'Handbook', cited: 'Every night.' },
              { url: '', cited: 'At 03:00.' },
              { url: 'https://docs.example.com/backup', title: 'Backups' },
              { url: '', title: 'Notes', cited: 'three' },
            ],
          },
        ]);
      } finally {
        await server.close();
      }
    },
  );

  it.each([
    ['anthropic', 'cited-by-anthropic'],
    ['anthropic', 'cited-in-a-document-of-anthropic'],
    ['google', 'cited-by-gemini'],
    ['openai-responses', 'cited-by-responses'],
    ['openai-responses', 'cited-by-ended-items'],
    ['openai-responses', 'cited-by-a-document-of-responses'],
  ] as const)('are kept with its words, each once: %s, %s', async (protocol, model) => {
    const server = await startNative(protocol);
    try {
      const { events, parts } = await answered(server.baseUrl, protocol, model);
      expect(endOf(events)).toEqual({ type: 'end', finish: 'stop' });
      expect(parts).toEqual([
        {
          type: 'text',
          text: 'Backups run at three.',
          sources: [
            { url: 'https://docs.example.com/backup', title: 'Backups' },
            { url: 'https://b.example.org/x', title: 'Times' },
          ],
        },
      ]);
    } finally {
      await server.close();
    }
  });
});
