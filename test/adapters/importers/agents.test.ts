// Conversations of more agents and editors, in the forms that these keep or export: every word with its speaker, and
// nothing that the person or the model did not say.
import { describe, expect, it } from 'vitest';
import { IMPORTERS } from '../../../src/adapters/importers/index.ts';
import { groupFiles, recognise } from '../../../src/services/library/sources.ts';
import { type Contents, filesOf, jsonl } from '../../fixtures/files.ts';
import { readAll } from '../../suites/importer.suite.ts';

const never = new AbortController().signal;
const AT = 1_750_000_000_000;

/** Titles and messages of all conversations in some files; notes are marked by a star. */
async function read(files: Readonly<Record<string, Contents>>) {
  const found: { title: string | undefined; said: string[] }[] = [];
  for (const source of groupFiles(filesOf(files)))
    for (const { source: piece, importer } of (await recognise(source, IMPORTERS, never)).pieces)
      for (const { meta, messages } of (await readAll(importer, piece)).conversations)
        found.push({
          title: meta.title,
          said: messages.flatMap(({ role, kind, parts }) =>
            parts.map((part) => {
              const words =
                part.type === 'tool-call'
                  ? `${part.name} ${part.arguments}`
                  : 'text' in part
                    ? part.text
                    : part.type;
              return `${kind === 'note' ? '*' : ''}${part.type === 'reasoning' ? 'thought' : role}: ${words}`;
            }),
          ),
        });
  return found;
}
const only = async (name: string, content: Contents) => (await read({ [name]: content }))[0];

const talk = ['user: Which loaf?', 'assistant: Rye.'];
const looked = [
  'user: Which loaf?',
  'thought: Hm.',
  'assistant: read {"path":"a"}',
  'tool: rye',
  'assistant: Rye.',
];

describe('KoboldAI Lite', () => {
  const save = (prompt: string, actions: readonly string[], savedsettings: object = {}) =>
    JSON.stringify({ gamestarted: true, prompt, memory: 'Be brief.', actions, savedsettings });
  it.each<[string, string]>([
    ['marks', save('{{[INPUT]}}Which loaf?{{[OUTPUT]}}', ['Rye.'])],
    [
      'marks with their ends',
      save('{{[INPUT]}}Which loaf?{{[INPUT_END]}}{{[OUTPUT]}}', ['Rye.{{[OUTPUT_END]}}']),
    ],
    [
      'tags of a template',
      save('\n### Instruction:\nWhich loaf?\n### Response:\n', ['Rye.'], {
        instruct_starttag: '\\n### Instruction:\\n',
        instruct_endtag: '\\n### Response:\\n',
      }),
    ],
    [
      'names',
      save('', ['\nAda: Which loaf?\nBaker:', ' Rye.'], {
        chatname: 'Ada',
        chatopponent: 'Baker||$||Miller',
      }),
    ],
  ])('a save with %s', async (_, written) => {
    expect((await only('saved_story.json', written))?.said).toEqual(['system: Be brief.', ...talk]);
  });

  it('a story in one stretch is no conversation', async () => {
    const story = save('Once there was a loaf.', [' It was rye.']);
    await expect(read({ 'saved_story.json': story })).rejects.toThrow('is not an export');
  });
});

describe('Gemini’s Interactions API', () => {
  const text = (words: string) => [{ type: 'text', text: words }];
  const id = (n: number) => `v1_${n}`;
  it('reads steps, and joins answers that go on with one another', async () => {
    const steps = [
      { type: 'user_input', content: text('Which loaf?') },
      { type: 'thought', summary: text('Hm.'), signature: 's' },
      { type: 'function_call', id: 'c1', name: 'read', arguments: { path: 'a' } },
    ];
    const more = [
      { type: 'function_result', call_id: 'c1', result: 'rye' },
      { type: 'model_output', content: text('Rye.') },
    ];
    const all = [
      { id: id(1), object: 'interaction', status: 'requires_action', model: 'gemini-3-flash', steps },
      { id: id(2), status: 'completed', previous_interaction_id: id(1), input: [], steps: more },
    ];
    expect((await only('interactions.json', JSON.stringify(all)))?.said).toEqual(looked);
  });

  it.each([
    ['words', 'Which loaf?'],
    ['parts', text('Which loaf?')],
    ['turns', [{ role: 'user', content: 'Which loaf?' }]],
  ])('reads the outputs of an earlier version, asked in %s', async (_, input) => {
    const one = { id: id(1), object: 'interaction', status: 'completed', input, outputs: text('Rye.') };
    expect((await only('interaction.json', JSON.stringify(one)))?.said).toEqual(talk);
  });
});

describe('Cline and its kin', () => {
  const say = (kind: string, text: string, at: number) => ({ ts: AT + at, type: 'say', say: kind, text });
  const shown = [
    say('task', 'Which loaf?', 0),
    say('api_req_started', '{"request":"x"}', 1),
    say('reasoning', 'Hm.', 2),
    say('tool', '{"tool":"read","path":"a"}', 3),
    { ts: AT + 4, type: 'ask', ask: 'command', text: 'ls' },
    say('command_output', 'a.txt', 5),
    {
      ts: AT + 6,
      type: 'ask',
      ask: 'followup',
      text: '{"question":"Which flour?","options":["rye","wheat"]}',
    },
    say('user_feedback', 'Rye flour.', 7),
    say('completion_result', 'Rye.', 8),
    { ts: AT + 9, type: 'ask', ask: 'completion_result', text: '' },
  ];
  const said = [
    'user: Which loaf?',
    'thought: Hm.',
    'assistant: read {"path":"a"}',
    'assistant: command {"command":"ls"}',
    'tool: a.txt',
    'assistant: Which flour?\n- rye\n- wheat',
    'user: Rye flour.',
    'assistant: Rye.',
  ];
  const asked = [
    {
      role: 'user',
      content: [
        { type: 'text', text: '<task>\nWhich loaf?\n</task>' },
        { type: 'text', text: '<environment_details>\na.txt\n</environment_details>' },
      ],
    },
    { role: 'assistant', content: [{ type: 'text', text: 'Rye.' }] },
  ];
  const added = '*system: <environment_details>\na.txt\n</environment_details>';

  it('keeps what was shown, with calls and questions', async () => {
    expect((await only('ui_messages.json', JSON.stringify(shown, null, 2)))?.said).toEqual(said);
  });
  it('marks what it added to the words of a person', async () => {
    expect((await only('api_conversation_history.json', JSON.stringify(asked)))?.said).toEqual([
      ...['user: Which loaf?', added, 'assistant: Rye.'],
    ]);
    const text =
      '**User:**\n\n<task>\nWhich loaf?\n</task>\n\n<environment_details>\na.txt\n</environment_details>\n';
    expect((await only('task.md', `${text}\n---\n\n**Assistant:**\n\nRye.\n\n---\n`))?.said).toEqual([
      ...['user: Which loaf?', added, 'assistant: Rye.'],
    ]);
  });
  it('reads a task once, where its folder holds it twice', async () => {
    const folder = {
      'tasks/1/ui_messages.json': JSON.stringify(shown),
      'tasks/1/api_conversation_history.json': JSON.stringify(asked),
    };
    expect(await read(folder)).toEqual([{ title: '', said }]);
  });
});

describe('calls that Cline lets a model write into its words', () => {
  const result = (call: string, text: string) => ({ type: 'text', text: `[${call}] Result:\n${text}` });
  const block = (text: string) => ({ type: 'text', text });
  const asked = 'provided the following feedback:\n<feedback>\nRye flour.\n</feedback>';
  it('are calls with their results, answers and a person’s words', async () => {
    const messages = [
      { role: 'user', content: [block('<task>\nWhich loaf?\n</task>')] },
      {
        role: 'assistant',
        content:
          '<thinking>\nHm.\n</thinking>\n\nI look.\n\n<write_to_file>\n<path>a</path>\n<content>\n<b></content>rye\n</content>\n</write_to_file>',
      },
      {
        role: 'user',
        content: [result("write_to_file for 'a'", ''), block(`The user denied this and ${asked}`)],
      },
      {
        role: 'assistant',
        content:
          '<ask_followup_question>\n<question>Which flour?</question>\n<options>["rye","wheat"]</options>\n</ask_followup_question>',
      },
      {
        role: 'user',
        content: [
          result("ask_followup_question for 'Which flour?'", '<answer>\nrye\n</answer>'),
          block('<environment_details>\na.txt\n</environment_details>'),
        ],
      },
      {
        role: 'assistant',
        content:
          'Of `<read_file>` I only speak.\n<attempt_completion>\n<result>\nRye.\n</result>\n</attempt_completion>',
      },
      { role: 'user', content: '[ERROR] You did not use a tool in your previous response!' },
      { role: 'assistant', content: 'Cut: <execute_command>\n<command>ls -l' },
    ];
    expect((await only('api_conversation_history.json', JSON.stringify(messages)))?.said).toEqual([
      'user: Which loaf?',
      ...['thought: Hm.', 'assistant: I look.'],
      'assistant: write_to_file {"path":"a","content":"<b></content>rye"}',
      'tool: The user denied this and provided the following feedback:',
      'user: Rye flour.',
      ...['assistant: Which flour?\n\n- rye\n- wheat', 'user: rye'],
      '*system: <environment_details>\na.txt\n</environment_details>',
      ...['assistant: Of `<read_file>` I only speak.', 'assistant: Rye.'],
      '*system: [ERROR] You did not use a tool in your previous response!',
      ...['assistant: Cut:', 'assistant: execute_command {"command":"ls -l"}'],
    ]);
  });
  it('are the same in a task that was written out as Markdown', async () => {
    const turns = [
      '**User:**\n\n<task>\nWhich loaf?\n</task>',
      '**Assistant:**\n\nI look.\n\n<read_file>\n<path>a</path>\n</read_file>',
      "**User:**\n\n[read_file for 'a'] Result:\n\nrye\n\n<environment_details>\na.txt\n</environment_details>",
      '**Assistant:**\n\n<attempt_completion>\n<result>\nRye.\n</result>\n</attempt_completion>',
    ];
    expect((await only('task.md', `${turns.join('\n\n---\n\n')}\n`))?.said).toEqual([
      ...['user: Which loaf?', 'assistant: I look.', 'assistant: read_file {"path":"a"}', 'tool: rye'],
      ...['*system: <environment_details>\na.txt\n</environment_details>', 'assistant: Rye.'],
    ]);
  });
  it('are words where no such agent is', async () => {
    const messages = [
      { role: 'user', content: 'Write a call.' },
      { role: 'assistant', content: '<read_file>\n<path>a</path>\n</read_file>' },
    ];
    expect((await only('chat.json', JSON.stringify(messages)))?.said[1]).toBe(
      'assistant: <read_file>\n<path>a</path>\n</read_file>',
    );
  });
});

describe('goose', () => {
  const messages = [
    { role: 'user', created: 1_750_000_000, content: [{ type: 'text', text: 'Which loaf?' }] },
    {
      role: 'assistant',
      created: 1_750_000_001,
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: '' },
        {
          type: 'toolRequest',
          id: 'c1',
          toolCall: { status: 'success', value: { name: 'read', arguments: { path: 'a' } } },
        },
      ],
    },
    {
      role: 'user',
      created: 1_750_000_002,
      content: [
        {
          type: 'toolResponse',
          id: 'c1',
          toolResult: { status: 'success', value: [{ type: 'text', text: 'rye' }] },
        },
      ],
    },
    { role: 'assistant', created: 1_750_000_003, content: [{ type: 'text', text: 'Rye.' }] },
  ];
  it.each([
    ['a log', jsonl({ working_dir: '/p', description: 'About loaves', message_count: 4 }, ...messages)],
    [
      'an export',
      JSON.stringify({ id: '20251101_1', working_dir: '/p', name: 'About loaves', conversation: messages }),
    ],
  ])('%s', async (_, content) => {
    expect(await only('session.jsonl', content)).toEqual({ title: 'About loaves', said: looked });
  });
});

describe('Zed', () => {
  const call = { id: 't1', name: 'read', input: { path: 'a' } };
  const newest = {
    version: '0.3.0',
    title: 'About loaves',
    messages: [
      { User: { id: 'u1', content: [{ Text: 'Which loaf?' }] } },
      {
        Agent: {
          content: [{ Thinking: { text: 'Hm.', signature: 's' } }, { ToolUse: call }],
          tool_results: {
            t1: { tool_use_id: 't1', tool_name: 'read', is_error: false, content: { Text: 'rye' } },
          },
        },
      },
      { Agent: { content: [{ Text: 'Rye.' }], tool_results: {} } },
      'Resume',
    ],
    model: { provider: 'anthropic', model: 'claude-x' },
    updated_at: '2026-01-01T10:00:00Z',
  };
  const before = {
    version: '0.2.0',
    summary: 'About loaves',
    messages: [
      {
        id: 0,
        role: 'user',
        segments: [{ type: 'text', text: 'Which loaf?' }],
        tool_uses: [],
        tool_results: [],
      },
      {
        id: 1,
        role: 'assistant',
        segments: [{ type: 'thinking', text: 'Hm.' }],
        tool_uses: [call],
        tool_results: [],
      },
      {
        id: 2,
        role: 'user',
        segments: [],
        tool_uses: [],
        tool_results: [{ tool_use_id: 't1', is_error: false, content: 'rye' }],
      },
      {
        id: 3,
        role: 'assistant',
        segments: [{ type: 'text', text: 'Rye.' }],
        tool_uses: [],
        tool_results: [],
      },
    ],
  };
  it.each([newest, before])('reads version $version', async (thread) => {
    expect(await only('thread.json', JSON.stringify(thread))).toEqual({
      title: 'About loaves',
      said: looked,
    });
  });
});

describe('OpenCode', () => {
  const part = (id: string, message: string, more: object) => ({
    [`storage/part/${message}/prt_${id}.json`]: JSON.stringify({
      id: `prt_${id}`,
      messageID: message,
      ...more,
    }),
  });
  const message = (id: string, role: string) => ({
    [`storage/message/ses_1/${id}.json`]: JSON.stringify({
      id,
      sessionID: 'ses_1',
      role,
      time: { created: AT },
    }),
  });
  const tool = { type: 'tool', callID: 'c', tool: 'read', state: { input: { path: 'a' }, output: 'rye' } };
  it('its folder, of which two files were cut off', async () => {
    const said = await read({
      'storage/session/p1/ses_1.json': JSON.stringify({ id: 'ses_1', title: 'About loaves' }),
      ...message('msg_1', 'user'),
      'storage/part/msg_1/prt_1.json': '{"id":"prt_1","type":"text","text":"Which lo',
      'storage/message/ses_1/msg_2.json': '{"id":"msg_2","ro',
      ...part('2', 'msg_2', { type: 'text', text: 'Rye.' }),
    });
    expect(JSON.stringify(said)).toContain('Which lo');
    expect(JSON.stringify(said)).toContain('system: Rye.');
  });
  it('its folder, where each part is a file', async () => {
    const folder = {
      'storage/session/p1/ses_1.json': JSON.stringify({ id: 'ses_1', title: 'About loaves' }),
      ...message('msg_1', 'user'),
      ...part('1', 'msg_1', { type: 'text', text: 'Which loaf?' }),
      ...part('2', 'msg_1', { type: 'text', text: 'Added.', synthetic: true }),
      ...message('msg_2', 'assistant'),
      ...part('3', 'msg_2', { type: 'reasoning', text: 'Hm.' }),
      ...part('4', 'msg_2', tool),
      ...part('5', 'msg_2', { type: 'text', text: 'Rye.' }),
    };
    const [question = '', ...answer] = looked;
    expect(await read(folder)).toEqual([
      { title: 'About loaves', said: [question, 'system: Added.', ...answer] },
    ]);
  });
  it('what it prints', async () => {
    const one = (type: string, given: object) => ({ type, timestamp: AT, sessionID: 'ses_1', part: given });
    const printed = jsonl(
      one('step_start', { type: 'step-start' }),
      one('tool_use', tool),
      one('text', { type: 'text', text: 'Rye.' }),
    );
    expect((await only('run.jsonl', printed))?.said).toEqual([
      ...['assistant: read {"path":"a"}', 'tool: rye', 'assistant: Rye.'],
    ]);
  });
});

it('OpenHands: what was said and done', async () => {
  const events = [
    { id: 0, source: 'user', action: 'message', args: { content: 'Which loaf?' } },
    {
      id: 1,
      source: 'agent',
      action: 'run',
      args: { command: 'ls', thought: 'I look.' },
      message: 'Running',
    },
    { id: 2, source: 'agent', observation: 'run', content: 'a.txt', cause: 1 },
    { id: 3, source: 'agent', action: 'finish', args: { final_thought: 'Rye.' }, message: 'Done' },
  ];
  expect((await only('events.json', JSON.stringify(events)))?.said).toEqual([
    ...['user: Which loaf?', 'assistant: I look.', 'assistant: run {"command":"ls"}', 'tool: a.txt'],
    'assistant: Rye.',
  ]);
});

describe('the screen that Claude Code exports', () => {
  it('has the words of both sides, calls and what they gave', async () => {
    const screen =
      '╭──────╮\n│ ✻ Welcome to Claude Code! │\n╰──────╯\n\n> Which\n  loaf?\n\n⏺ I look.\n\n⏺ Bash(ls -la)\n  ⎿  a.txt\n     b.txt\n\n⏺ Rye:\n  - one\n';
    expect((await only('2026-01-01-loaves.txt', screen))?.said.slice(1)).toEqual([
      ...['user: Which\nloaf?', 'assistant: I look.', 'assistant: Bash {"input":"ls -la"}'],
      ...['tool: a.txt\nb.txt', 'assistant: Rye:\n- one'],
    ]);
  });
  it('may have other signs', async () => {
    const screen = 'Claude Code v2.1.0\n\n❯ Which loaf?\n\n● Rye.\n\n✻ Worked for 3s\n';
    expect((await only('loaves.txt', screen))?.said).toEqual([
      ...['system: Claude Code v2.1.0', ...talk, 'system: Worked for 3s'],
    ]);
  });
});

describe('a text with styles is read as its words', () => {
  const rtf = (words: string) => `{\\rtf1\\ansi{\\fonttbl{\\f0 Helvetica;}}\\f0 ${words}}`;
  it.each([
    ['names with a colon', rtf('User: Which loaf?\\par \\par Assistant: Rye.\\par ')],
    [
      'names above the words',
      rtf('\\b You said:\\b0 \\\nWhich loaf?\\\n\\\n\\b ChatGPT said:\\b0 \\\nRye.\\\n'),
    ],
  ])('%s', async (_, text) => {
    expect(await only('chat.rtf', text)).toEqual({ title: 'chat', said: talk });
  });
  it('and is no conversation if nobody speaks in it', async () => {
    await expect(only('letter.rtf', rtf('Dear Ann,\\par best wishes'))).rejects.toMatchObject({
      problem: { code: 'import-unknown', params: { reason: 'documents' } },
    });
  });
});

describe('Markdown of more tools', () => {
  const story = '<!-- Generated by SpecStory -->\n\n';
  it.each([
    [
      'a title with a time, names in two marks',
      `${story}# Loaves (2025-06-01 10:00)\n\n_**User**_\n\nWhich loaf?\n\n---\n\n_**Assistant**_\n\nRye.\n`,
    ],
    [
      'times and models beside the names',
      `${story}_**User (2026-01-01 10:00:00Z)**_\n\nWhich loaf?\n\n---\n\n_**Agent (claude-x 2026-01-01 10:00:05Z)**_\n\nRye.\n`,
    ],
    [
      'a mode beside the name',
      `${story}_**User (2026-01-01 10:00Z)**_\n\nWhich loaf?\n\n_**Agent (model claude-x, mode Agent)**_\n\nRye.\n`,
    ],
    ['Codex', '**User**: Which loaf?\n\n**Codex**: Rye.\n'],
    ['Windsurf', '### User Input\n\nWhich loaf?\n\n### Planner Response\n\nRye.\n'],
    ['names without a colon', 'You said\nWhich loaf?\n\nGemini said\nRye.\n'],
    ['the time between', '### User\n\nWhich loaf?\n\n---\n\n<sub>⏱️ 5s</sub>\n\n### Copilot\n\nRye.\n'],
  ])('%s', async (_, text) => {
    expect((await only('chat.md', text))?.said.filter((one) => !one.startsWith('*'))).toEqual(talk);
  });
  it('Perplexity: questions as headings, each below a rule', async () => {
    const logo = '<img src="https://r2cdn.perplexity.ai/pplx-full-logo.png" style="height:64px"/>';
    const cited =
      'Rye.[^1]\n\n# A heading of the answer\n\n<div align="center">⁂</div>\n\n[^1]: https://a.example';
    const text = `${logo}\n\n# Which loaf?\n\n${cited}\n\n---\n\n# And rolls?\n\nWheat.\n`;
    expect((await only('loaf.md', text))?.said).toEqual([
      ...['user: Which loaf?', `assistant: ${cited}`, 'user: And rolls?', 'assistant: Wheat.'],
    ]);
  });
  it('tells the model and the thoughts of an answer', async () => {
    const text = `_**User**_\n\nWhich loaf?\n\n_**Agent**_\n\n<think><details><summary>Thought Process</summary>\nHm.</details></think>\n\nRye.\n`;
    expect((await only('chat.md', text))?.said).toEqual([
      'user: Which loaf?',
      'thought: Hm.',
      'assistant: Rye.',
    ]);
  });
});

describe('lists of messages of more agents', () => {
  it('Continue: thoughts and calls', async () => {
    const history = [
      { message: { role: 'user', content: [{ type: 'text', text: 'Which loaf?' }] }, contextItems: [] },
      { message: { role: 'thinking', content: 'Hm.' }, contextItems: [] },
      {
        message: {
          role: 'assistant',
          content: '',
          toolCalls: [{ id: 't', type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } }],
        },
      },
      { message: { role: 'tool', content: 'rye', toolCallId: 't' } },
      { message: { role: 'assistant', content: 'Rye.' } },
    ];
    const session = { sessionId: 'abc', title: 'About loaves', history };
    expect(await only('abc.json', JSON.stringify(session))).toEqual({ title: 'About loaves', said: looked });
  });

  it('Amp: what a tool gave', async () => {
    const messages = [
      { role: 'user', content: [{ type: 'text', text: 'Which loaf?' }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.' },
          { type: 'tool_use', id: 't', name: 'read', input: { path: 'a' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', toolUseID: 't', run: { status: 'done', result: { content: 'rye' } } },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'Rye.' }] },
    ];
    expect((await only('T-1.json', JSON.stringify({ v: 30, id: 'T-1', messages })))?.said).toEqual(looked);
  });

  it('crush: blocks beside their kind, also as its database keeps them', async () => {
    const block = (type: string, data: object) => ({ type, data });
    const messages = [
      { role: 'user', parts: [block('text', { text: 'Which loaf?' })] },
      {
        role: 'assistant',
        parts: [
          block('reasoning', { thinking: 'Hm.' }),
          block('tool_call', { id: 't', name: 'read', input: '{"path":"a"}', finished: true }),
          block('finish', { reason: 'tool_use' }),
        ],
      },
      { role: 'tool', parts: [block('tool_result', { tool_call_id: 't', name: 'read', content: 'rye' })] },
      {
        role: 'assistant',
        parts: [block('text', { text: 'Rye.' }), block('finish', { reason: 'end_turn' })],
      },
    ];
    expect((await only('crush.json', JSON.stringify(messages)))?.said).toEqual(looked);
    const rows = messages.map(({ role, parts }) => ({ role, parts: JSON.stringify(parts) }));
    expect((await only('crush.json', JSON.stringify(rows)))?.said).toEqual(looked);
  });
});

describe('Claude Code', () => {
  const record = (uuid: string, parentUuid: string | null, type: string, content: unknown, more = {}) => ({
    ...{ uuid, parentUuid, type, sessionId: 's', timestamp: '2026-01-01T10:00:00.000Z' },
    ...{ message: { role: type, content }, ...more },
  });
  const picture = {
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' },
  };
  it('has what was typed while it worked, commands as they were typed, and pictures that a tool gave', async () => {
    const queued = { type: 'queued_command', prompt: 'Rolls, too.', commandMode: 'prompt' };
    const log = jsonl(
      record('a', null, 'user', 'Which loaf?'),
      record('b', 'a', 'assistant', [{ type: 'tool_use', id: 't', name: 'look', input: {} }]),
      record('c', 'b', 'user', [
        { type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'rye' }, picture] },
      ]),
      { ...record('d', 'c', 'attachment', ''), message: undefined, attachment: queued },
      record('e', 'd', 'assistant', 'Rye.'),
      record(
        'f',
        'e',
        'user',
        '<command-name>/model</command-name>\n<command-message>model</command-message>\n<command-args>opus</command-args>',
      ),
      record('g', 'f', 'user', '<local-command-stdout>Set model to opus</local-command-stdout>'),
      record('h', 'g', 'user', '<bash-input>ls</bash-input>'),
      record('i', 'h', 'assistant', 'API Error: 529', { isApiErrorMessage: true }),
    );
    expect((await only('s.jsonl', log))?.said).toEqual([
      ...['user: Which loaf?', 'assistant: look {}', 'tool: rye', 'tool: file', 'user: Rolls, too.'],
      ...['assistant: Rye.', 'user: /model opus'],
      'system: <local-command-stdout>Set model to opus</local-command-stdout>',
      ...['user: ! ls', 'system: API Error: 529'],
    ]);
  });
});

describe('a log of Claude Code', () => {
  const record = (at: number, content: string) => ({
    ...{ uuid: `u${at}`, parentUuid: at === 0 ? null : `u${at - 1}`, sessionId: 's' },
    ...{ type: at % 2 === 0 ? 'user' : 'assistant', message: { content } },
  });
  const records = [record(0, 'Which loaf?'), record(1, 'Rye.'), record(2, 'And?')];
  const log = jsonl(...records);
  const sourceIds = async (files: Readonly<Record<string, Contents>>) => {
    const ids: string[] = [];
    for (const source of groupFiles(filesOf(files)))
      for (const { source: piece, importer } of (await recognise(source, IMPORTERS, never)).pieces)
        for (const one of (await readAll(importer, piece)).conversations) ids.push(one.source.id);
    return ids;
  };
  it.each([
    ['with a line in front of it that was cut off', `ge":{"content":"lost"}}\n${log}`],
    ['set out over several lines', records.map((one) => JSON.stringify(one, null, 2)).join('\n')],
  ])('is read %s', async (_, text) => {
    expect((await only('s.jsonl', text))?.said).toEqual([...talk, 'user: And?']);
    expect(await sourceIds({ 's.jsonl': text })).toEqual(['s']);
  });
  it('is one conversation where a folder holds it once more, as it was before', async () => {
    const earlier = jsonl(...records.slice(0, 2));
    expect(new Set(await sourceIds({ 'p/a.jsonl': earlier, 'p/b.jsonl': log }))).toEqual(new Set(['s']));
    expect(await sourceIds({ 'p/a.jsonl': log, 'p/b.jsonl': earlier })).toEqual(['s']);
    const others = jsonl(record(0, 'Which roll?'), record(1, 'Wheat.'));
    expect(new Set(await sourceIds({ 'p/a.jsonl': log, 'p/b.jsonl': others })).size).toBe(2);
  });
  it('is empty where a power cut left nothing but NULs', async () => {
    await expect(only('s.jsonl', new Uint8Array(100))).rejects.toMatchObject({
      problem: { code: 'import-empty' },
    });
  });
});

describe('Codex', () => {
  const item = (payload: object, type = 'response_item') => ({
    timestamp: '2026-01-01T10:00:00Z',
    type,
    payload,
  });
  const words = (role: string, text: string) =>
    item({ type: 'message', role, content: [{ type: 'input_text', text }] });
  it('has what it looked up, what commands wrote, and the summary of what was compacted', async () => {
    const log = jsonl(
      item({ id: 'x', cwd: '/p' }, 'session_meta'),
      words('user', 'Which loaf?'),
      item({ type: 'web_search_call', action: { type: 'search', query: 'rye' } }),
      item({ type: 'function_call', name: 'shell', arguments: '{}', call_id: 'c' }),
      item({
        type: 'function_call_output',
        call_id: 'c',
        output: '{"output":"a.txt","metadata":{"exit_code":0}}',
      }),
      item({ type: 'function_call_output', call_id: 'd', output: [{ type: 'input_text', text: 'seen' }] }),
      item({ message: 'A loaf is wanted.' }, 'compacted'),
      words('user', '<turn_aborted>\nInterrupted.\n</turn_aborted>'),
      words('assistant', 'Rye.'),
    );
    expect((await only('rollout.jsonl', log))?.said).toEqual([
      ...[
        'user: Which loaf?',
        'assistant: web_search {"type":"search","query":"rye"}',
        'assistant: shell {}',
      ],
      ...['tool: a.txt', 'tool: seen', 'system: A loaf is wanted.'],
      ...['system: <turn_aborted>\nInterrupted.\n</turn_aborted>', 'assistant: Rye.'],
    ]);
  });
});

it('aider: what stands in code is the model’s, whatever its lines begin with', async () => {
  const code = '```md\n> quoted\n#### A heading\n>>>>>>> REPLACE\n```';
  const cut = '```md\nnever ended\n\n#### And rolls?  ';
  const log = `\n# aider chat started at 2026-01-01 10:00:00\n\n#### Which loaf?  \n\n${code}\n\n> Applied edit  \n\n${cut}\n\nWheat.\n`;
  expect((await only('.aider.chat.history.md', log))?.said).toEqual([
    ...['user: Which loaf?', `assistant: ${code}`],
    ...['system: Applied edit', 'assistant: ```md\nnever ended', 'user: And rolls?', 'assistant: Wheat.'],
  ]);
});

describe('what stands beside the words of an answer', () => {
  it('Copilot Chat: names within the words, what it ran and changed', async () => {
    const response = [
      { value: 'Rye, as in ' },
      { kind: 'inlineReference', inlineReference: { path: '/p/a.ts' } },
      { value: ', is best.' },
      {
        kind: 'toolInvocationSerialized',
        toolId: 'read',
        toolCallId: 'x',
        pastTenseMessage: { value: 'Read a.ts' },
      },
      { kind: 'textEditGroup', uri: { path: '/p/a.ts' }, edits: [[{ text: 'rye' }]] },
    ];
    const requests = [{ message: { text: 'Which loaf?' }, response }];
    const chat = JSON.stringify({ responderUsername: 'GitHub Copilot', sessionId: 'c', requests });
    expect((await only('chat.json', chat))?.said).toEqual([
      ...[
        'user: Which loaf?',
        'assistant: Rye, as in `a.ts`, is best.',
        'assistant: read {"message":"Read a.ts"}',
      ],
      'assistant: edit {"file":"/p/a.ts","text":"rye"}',
    ]);
  });
  it('Gemini CLI: the words of a result', async () => {
    const result = [{ functionResponse: { id: 't', name: 'look', response: { output: 'rye' } } }];
    const messages = [
      { id: '1', type: 'user', content: 'Which loaf?' },
      { id: '2', type: 'gemini', content: '', toolCalls: [{ id: 't', name: 'look', args: {}, result }] },
    ];
    const session = { sessionId: 'g', projectHash: 'h', startTime: '2026-01-01T10:00:00Z', messages };
    expect((await only('session.json', JSON.stringify(session)))?.said).toEqual([
      ...['user: Which loaf?', 'assistant: look {}', 'tool: rye'],
    ]);
  });
  it('kimi-code: pictures, and the words of a result', async () => {
    const step = (event: object) => ({ type: 'context.append_loop_event', time: AT, event });
    const picture = { type: 'image_url', imageUrl: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
    const log = jsonl(
      { type: 'metadata', created_at: AT },
      { type: 'context.append_message', time: AT, message: { role: 'user', content: [picture] } },
      step({ type: 'tool.call', toolCallId: 't', name: 'look', args: {} }),
      step({ type: 'tool.result', toolCallId: 't', result: { output: [{ type: 'text', text: 'rye' }] } }),
    );
    const [source] = groupFiles(filesOf({ 'wire.jsonl': log }));
    const { pieces } = await recognise(source as NonNullable<typeof source>, IMPORTERS, never);
    for (const { source: piece, importer } of pieces)
      expect((await readAll(importer, piece)).skipped).toEqual({});
    expect((await only('wire.jsonl', log))?.said).toEqual(['user: file', 'assistant: look {}', 'tool: rye']);
  });
  it('a trace: the answer, and further choices beside it', async () => {
    const say = (role: string, content: string) => ({ role, content });
    const asked = { messages: [say('user', 'Which loaf?')] };
    expect(
      await read({ 'a.json': JSON.stringify([{ input: asked, output: say('assistant', 'Rye.') }]) }),
    ).toEqual([{ title: '', said: talk }]);
    const choices = ['Rye.', 'Wheat.'].map((words) => ({ message: say('assistant', words) }));
    expect(await read({ 'a.json': JSON.stringify({ ...asked, response: { choices } }) })).toEqual([
      { title: '', said: ['user: Which loaf?', 'assistant: Wheat.', 'assistant: Rye.'] },
    ]);
  });
});
