import { describe, expect, it } from 'vitest';
import {
  type ParameterWords,
  parametersFrom,
  parameterWords,
} from '../../../src/ui/settings/endpoint-parameters.ts';

const EMPTY = parameterWords();
const from = (words: Partial<ParameterWords>) => parametersFrom({ ...EMPTY, ...words });

describe('the parameters of an endpoint', () => {
  it('are none where nothing was typed', () => {
    expect(from({})).toBeNull();
    expect(from({ temperature: ' ', more: '\n' })).toBeNull();
  });

  it('take a comma where others write a point', () => {
    expect(from({ temperature: '0,5' })).toEqual({ temperature: 0.5 });
  });

  it('are what was typed, and come back as it', () => {
    const parameters = {
      temperature: 0,
      top_p: 0.9,
      max_tokens: 800,
      reasoning_effort: 'low',
      more: { seed: 7, stop: ['END'], nested: { on: true, none: null } },
    };
    expect(parametersFrom(parameterWords(parameters))).toEqual(parameters);
  });

  it.each([
    [{ temperature: '3' }, 'temperature', 'range'],
    [{ temperature: 'hot' }, 'temperature', 'range'],
    [{ top_p: '-0.1' }, 'top_p', 'range'],
    [{ max_tokens: '1.5' }, 'max_tokens', 'range'],
    [{ reasoning_effort: 'very high' }, 'reasoning_effort', 'range'],
    [{ more: '{ seed: 7 }' }, 'more', 'json'],
    [{ more: '[1]' }, 'more', 'object'],
    [{ more: '{"seed": 7, "messages": [], "tools": []}' }, 'more', 'reserved'],
    // One answer is shown, and who may call what changes from request to request.
    [{ more: '{"n": 2}' }, 'more', 'reserved'],
    [{ more: '{"tool_choice": "required"}' }, 'more', 'reserved'],
    // JavaScript has no such key of its own kind: it would be lost without a word.
    [{ more: '{"__proto__": {"seed": 7}}' }, 'more', 'reserved'],
  ])('refuse %j at its field', (words, field, why) => {
    expect(from(words)).toMatchObject({ field, why });
  });

  it('refuse what is nested too deep to be read', () => {
    const more = `{"deep": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expect(from({ more })).toMatchObject({ field: 'more', why: 'range' });
  });

  it('name the keys that the app alone sets', () => {
    expect(from({ more: '{"model": "x", "stream": false}' })).toMatchObject({ keys: ['model', 'stream'] });
  });
});
