// An unnamed connection takes its name from its present address.
import { expect, it } from 'vitest';
import { nameFor, typedName } from '../../../src/ui/settings/endpoint-name.ts';

it('follows the address unless a name was typed', () => {
  const baseUrl = 'http://localhost:8001/v1';
  const label = nameFor('', baseUrl);
  expect(label).toBe('localhost:8001');
  expect(nameFor(typedName({ label, baseUrl }), 'http://localhost:8002/v1')).toBe('localhost:8002');
  const named = typedName({ label: 'The box under the desk', baseUrl });
  expect(nameFor(named, 'http://localhost:8002/v1')).toBe('The box under the desk');
  // What was typed once stays, though it is a name that an address could give.
  expect(nameFor(typedName({ label: 'localhost:8000', baseUrl }), baseUrl)).toBe('localhost:8000');
});

it('tells connections to one place apart', () => {
  const taken = ['localhost:8001', 'OpenAI', 'OpenAI 2'];
  expect(nameFor('', 'http://localhost:8001/other/v1', taken)).toBe('localhost:8001 2');
  expect(nameFor('OpenAI', 'https://api.openai.com/v1', taken)).toBe('OpenAI 3');
  expect(nameFor('Mine', 'https://api.openai.com/v1', taken)).toBe('Mine');
});

it('names an address that lacks its scheme as it was typed', () => {
  expect(nameFor('', 'localhost:1234/v1')).toBe('localhost:1234/v1');
});
