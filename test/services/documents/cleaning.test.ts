// What a value says once it may leave the device.
import { describe, expect, it } from 'vitest';
import { redact } from '../../../src/domain/memory/privacy.ts';
import { cleanValue } from '../../../src/services/documents/cleaning.ts';

const clean = (value: unknown) =>
  cleanValue(value, { hide: (text) => redact(text, ['password']), isWithheld: () => false });

describe('words that begin like a URL', () => {
  it.each([
    'data: password: hunter2-very-secret',
    'data:image/png;base64,password: hunter2-very-secret',
    'data:text/plain,password: hunter2-very-secret',
    'data:text/plain;base64,password=hunter2-very-secret',
  ])('are words: %s', (text) => {
    for (const value of [text, { type: 'text', text }, { type: 'file', mediaType: 'text/plain', url: text }])
      expect(JSON.stringify(clean(value))).not.toContain('hunter2');
  });
});
