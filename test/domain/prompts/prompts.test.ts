// Blanks in prompts, words after the slash, and what a persona changes.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { configWith, instructionsFor, parametersWith } from '../../../src/domain/prompts/persona.ts';
import {
  filledPrompt,
  type SavedPrompt,
  slugOf,
  slugsOf,
  variablesIn,
} from '../../../src/domain/prompts/prompt.ts';
import { defaultConfig } from '../../../src/domain/settings/config.ts';
import { runs } from '../../scale.ts';

describe('blanks', () => {
  it('have names, first values and choices, each name once', () => {
    expect(
      variablesIn(
        '{{ text }} in {{tone=warm}}, {{Tone}}, {{lang: de | en |en}} {{one: only}} {{}} {{a\nb}} {{ = x}}',
      ),
    ).toEqual([
      { name: 'text', initial: '', choices: [] },
      { name: 'tone', initial: 'warm', choices: [] },
      { name: 'lang', initial: 'de', choices: ['de', 'en'] },
      { name: 'one', initial: 'only', choices: [] },
    ]);
  });

  it('are filled wherever they stand, by what was given or what they begin with', () => {
    const text = 'A {{who}} and {{WHO}}, {{how=well}}; {{{x}}} {"a": {"b": 1}} {{';
    expect(filledPrompt(text, { who: '{{how}}', x: '1' })).toBe(
      'A {{how}} and {{how}}, well; {1} {"a": {"b": 1}} {{',
    );
    expect(filledPrompt('{{who}} {{who=Ann}}', {})).toBe('Ann Ann');
  });

  it('leave all other words as they are', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('{', '}', '{{', '}}', 'a', '=', ':', '|', '\n', ' ')),
        (pieces) => {
          const text = pieces.join('');
          const names = variablesIn(text);
          const same = Object.fromEntries(names.map(({ name }) => [name, '']));
          const filled = filledPrompt(text, same);
          if (names.length === 0) expect(filled).toBe(text);
          expect(filled.length).toBeLessThanOrEqual(text.length);
        },
      ),
      { numRuns: runs(1_000, 100) },
    );
    variablesIn('{{'.repeat(200_000) + 'a}}'.repeat(200_000));
  });
});

describe('words after the slash', () => {
  it.each([
    ['Translate to German!', 'translate-to-german'],
    ['翻译 成英文', '翻译-成英文'],
    ['3 ideas', 'p-3-ideas'],
    ['  ', ''],
    ['🎉', ''],
  ])('%s', (name, slug) => expect(slugOf(name)).toBe(slug));

  it('are one for each, the oldest first, and never those of commands', () => {
    const one = (id: string, name: string, createdAt: number): SavedPrompt => ({
      id,
      name,
      createdAt,
      updatedAt: 0,
      description: '',
      text: 'x',
    });
    const slugs = slugsOf(
      [one('b', 'Mail', 2), one('a', 'mail', 1), one('c', 'New', 3), one('d', '🎉', 4)],
      ['new'],
    );
    expect(Object.fromEntries(slugs)).toEqual({ a: 'mail', b: 'mail-2', c: 'new-2', d: 'prompt' });
  });
});

describe('a persona', () => {
  it('speaks before the conversation’s own instructions, and instead of those for all', () => {
    const chat = { ...defaultConfig.chat, instructions: 'For all.' };
    const persona = { instructions: 'Be a pirate.' };
    expect(instructionsFor({ systemPrompt: null }, null, chat)).toBe('For all.');
    expect(instructionsFor({ systemPrompt: null }, persona, chat)).toBe('Be a pirate.');
    expect(instructionsFor({ systemPrompt: 'Here.' }, persona, chat)).toBe('Be a pirate.\n\nHere.');
    expect(instructionsFor({ systemPrompt: null }, { instructions: ' ' }, chat)).toBe('For all.');
  });

  it('can do without memory, and has parameters of its own', () => {
    expect(configWith(defaultConfig, null)).toBe(defaultConfig);
    expect(configWith(defaultConfig, { memory: 'all' })).toBe(defaultConfig);
    const { recall, tools } = configWith(defaultConfig, { memory: 'none' });
    expect([recall.auto_recall.enabled, tools.recall, tools.open_conversation, tools.remember]).toEqual([
      false,
      false,
      false,
      true,
    ]);
    expect(parametersWith({ temperature: 1, top_p: 0.5 }, { parameters: { temperature: 0 } })).toEqual({
      temperature: 0,
      top_p: 0.5,
    });
    expect(parametersWith(undefined, null)).toBeUndefined();
  });
});
