// Files of prompts and personas, ours and those of others.
import { describe, expect, it } from 'vitest';
import {
  PROMPT_FORMATS,
  personaAsMarkdown,
  promptAsMarkdown,
  readPromptFile,
  writeRecollect,
} from '../../../src/adapters/prompts/index.ts';
import type { NewPersona } from '../../../src/domain/prompts/persona.ts';

const prompt = {
  name: 'Translate: "twice"',
  description: '',
  text: 'Into {{language: German | 中文}}:\n\n---\n{{text}}',
};
const persona: NewPersona = {
  name: '🎩 Editor',
  description: 'Strict',
  sign: '🎩',
  colour: 'violet',
  instructions: 'Cut every second word.\n\n- no adverbs',
  model: 'gpt-5.4',
  parameters: { temperature: 0.2, max_tokens: 900 },
  memory: 'only',
  project: '019ad000-0000-7000-8000-000000000001',
};

/** Properties of each format for any input. */
describe.each(Object.entries(PROMPT_FORMATS))('%s', (_, read) => {
  it.each([
    '',
    '{',
    '[]',
    '[1, null, {}]',
    '{"format":"recollect-prompts","version":9}',
    '---\n---',
    '\u0000',
  ])('finds nothing where nothing is: %j', (text) => expect(read({ name: 'x.json', text })).toBeNull());

  // Work that grew with the square of these lengths would last far beyond a test's time.
  it('reads what is long and hostile', () => {
    for (const text of [
      '{{'.repeat(200_000),
      '---\n'.repeat(100_000),
      `[{"command":"/x","content":"${'{{a|'.repeat(50_000)}"}]`,
      '${input:'.repeat(100_000),
    ]) {
      expect(() => read({ name: 'x.md', text })).not.toThrow();
    }
  });
});

describe('our own files', () => {
  it('come back as they were written', () => {
    const text = writeRecollect({ prompts: [prompt], personas: [persona] }, 1);
    expect(readPromptFile({ name: 'any', text })).toEqual({
      prompts: [prompt],
      personas: [persona],
      skipped: 0,
    });
    expect(readPromptFile({ name: 'a.md', text: promptAsMarkdown(prompt) })?.prompts).toEqual([prompt]);
    expect(readPromptFile({ name: 'a.md', text: personaAsMarkdown(persona) })?.personas).toEqual([persona]);
  });

  it('lose only the entry that is damaged', () => {
    const file = JSON.parse(writeRecollect({ prompts: [prompt], personas: [persona] }, 1));
    file.prompts.push({ name: 3 });
    file.personas[0].colour = 'plaid';
    expect(readPromptFile({ name: 'x', text: JSON.stringify(file) })).toMatchObject({
      prompts: [prompt],
      personas: [{ ...persona, colour: 'blue' }],
      skipped: 1,
    });
  });
});

describe('files of others', () => {
  it('are read: prompts of Open WebUI, with their blanks', () => {
    const text = JSON.stringify([
      {
        command: '/sum',
        title: 'Sum up',
        content:
          'Sum up {{ what }} as {{shape | select:options=["list","text"]:default="text"}}, {{length | text:placeholder="x":default="short"}}',
        user_id: 'u',
      },
      { nothing: true },
    ]);
    expect(readPromptFile({ name: 'prompts.json', text })).toEqual({
      prompts: [
        {
          name: 'Sum up',
          description: '',
          text: 'Sum up {{what}} as {{shape: text | list}}, {{length=short}}',
        },
      ],
      personas: [],
      skipped: 1,
    });
  });

  it('are read: models of Open WebUI and presets of LibreChat, as personas', () => {
    const models = JSON.stringify([
      {
        id: 'pirate',
        name: 'Pirate',
        base_model_id: 'llama3',
        params: { system: 'Arr.', temperature: 1.1 },
        meta: { description: null },
      },
    ]);
    expect(readPromptFile({ name: 'models.json', text: models })?.personas).toMatchObject([
      {
        name: 'Pirate',
        model: 'llama3',
        instructions: 'Arr.',
        parameters: { temperature: 1.1 },
        description: '',
      },
    ]);
    const preset = JSON.stringify({
      presetId: 'x',
      title: 'Tutor',
      endpoint: 'openAI',
      model: 'gpt-5.4',
      promptPrefix: 'Ask back.',
      temperature: 9,
    });
    expect(readPromptFile({ name: 'preset.json', text: preset })?.personas).toMatchObject([
      { name: 'Tutor', model: 'gpt-5.4', instructions: 'Ask back.', parameters: {} },
    ]);
  });

  it('are read: Markdown of VS Code and Claude Code, and plain text', () => {
    const read = (name: string, text: string) => readPromptFile({ name, text });
    expect(
      read(
        'new-form.prompt.md',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: VS Code's own form
        '---\r\nmode: agent\r\ndescription: A form\r\n---\r\nMake ${input:form} with ${input:fields:name, age}.',
      )?.prompts,
    ).toEqual([
      { name: 'new form', description: 'A form', text: 'Make {{form}} with {{fields=name, age}}.' },
    ]);
    expect(read('fix.md', 'Fix issue $ARGUMENTS now')?.prompts).toEqual([
      { name: 'fix', description: '', text: 'Fix issue {{text}} now' },
    ]);
    expect(
      read('reviewer.md', '---\nname: reviewer\ntools: Read, Grep\nmodel: inherit\n---\nYou review.')
        ?.personas,
    ).toMatchObject([{ name: 'reviewer', model: null, instructions: 'You review.' }]);
    expect(read('note.txt', '---\n: : not yaml [\n---\nWords stay')?.prompts[0]?.text).toBe('Words stay');
    expect(read('picture.png', 'words')).toBeNull();
  });
});
