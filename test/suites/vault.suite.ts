// What every vault promises, as behaviour.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Vault } from '../../src/adapters/vault/vault.ts';

export function describeVault(name: string, setup: () => Promise<Vault>): void {
  describe(`${name} keeps secrets`, () => {
    let vault: Vault;
    beforeEach(async () => {
      vault = await setup();
    });

    it('gives back what was put in, and undefined for the rest', async () => {
      await vault.put('endpoint/a', 'sk-1234567890');
      await vault.put('endpoint/b', '密钥 🔑');
      expect(await vault.get('endpoint/a')).toBe('sk-1234567890');
      expect(await vault.get('endpoint/b')).toBe('密钥 🔑');
      expect(await vault.get('endpoint/c')).toBeUndefined();
    });

    it('replaces and forgets', async () => {
      await vault.put('a', 'one');
      await vault.put('a', 'two');
      expect(await vault.get('a')).toBe('two');
      await vault.put('a', '');
      await vault.put('never', '');
      expect(await vault.get('a')).toBeUndefined();
      expect(await vault.names()).toEqual([]);
    });

    it('lists the names it keeps', async () => {
      await vault.put('endpoint/b', '1');
      await vault.put('embedding/openai', '2');
      await vault.put('endpoint/a', '3');
      expect(await vault.names()).toEqual(['embedding/openai', 'endpoint/a', 'endpoint/b']);
    });

    it('keeps a secret of any length', async () => {
      const long = 'x'.repeat(100_000);
      await vault.put('long', long);
      expect(await vault.get('long')).toBe(long);
    });

    it('keeps what is put in at the same time', async () => {
      await Promise.all(Array.from({ length: 10 }, (_, n) => vault.put(`n${n}`, `secret ${n}`)));
      expect(await Promise.all(Array.from({ length: 10 }, (_, n) => vault.get(`n${n}`)))).toEqual(
        Array.from({ length: 10 }, (_, n) => `secret ${n}`),
      );
    });
  });
}
