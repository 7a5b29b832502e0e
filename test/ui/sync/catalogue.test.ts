// The app passes every sentence of sync the names that it uses.
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { problems } from '../../../src/ui/i18n/en/problems.ts';
import { sync } from '../../../src/ui/i18n/en/sync.ts';
import { problems as zhProblems } from '../../../src/ui/i18n/zh/problems.ts';
import { sync as zh } from '../../../src/ui/i18n/zh/sync.ts';

const SCREENS = resolve(import.meta.dirname, '../../../src/ui/sync');

it('no sentence with a gap is said without what fills it', async () => {
  let said = 0;
  for (const file of await readdir(SCREENS))
    for (const [, key = ''] of (await readFile(join(SCREENS, file), 'utf8')).matchAll(/\bt\('([\w.]+)'\)/g)) {
      const sentence = key
        .split('.')
        .reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], sync);
      if (typeof sentence !== 'string') continue;
      said += 1;
      expect(sentence, `${key} in ${file}`).not.toContain('{{');
    }
  expect(said).toBeGreaterThan(40);
});

it('who locks a device out reads that the old key still opens what was on the relay before', () => {
  expect(sync.revoke.past).toMatch(/old key.*on the relay until now.*The new key/);
  expect(zh.revoke.past).toMatch(/旧密钥.*此前中继上.*新密钥/);
});

it('who was locked out is told to let go of the account before pairing again, which is refused until then', () => {
  expect(problems['sync-deleted'].do).toContain(`“${sync.anew.action}”`);
  expect(problems['sync-deleted'].do).toMatch(/^Choose .*pair it again after that/);
  expect(zhProblems['sync-deleted'].do).toContain(`“${zh.anew.action}”`);
  expect(zhProblems['sync-deleted'].do).toMatch(/先.*之后请重新配对/);
});

it('a relay that does not answer while an account is made or joined is not said to get anything later', () => {
  // The same sentences are read beside both forms, where no device of an account is here yet.
  expect(problems['sync-offline'].kept).not.toMatch(/travel|sent|upload/);
  expect(zhProblems['sync-offline'].kept).not.toMatch(/发送|上传/);
});
