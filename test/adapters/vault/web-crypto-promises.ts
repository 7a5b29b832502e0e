// What the sealed vault promises beyond the contract; runs in Node and in Chromium, on a key-value store of each.
import { describe, expect, it, vi } from 'vitest';
import { createVault, type VaultKeyValues } from '../../../src/adapters/vault/web-crypto.ts';
import { RecollectError } from '../../../src/domain/base/errors.ts';

export function describeSealedVault(name: string, openKeyValues: () => Promise<VaultKeyValues>): void {
  describe(`${name} seals`, () => {
    it('nothing readable lies in the key-value store, and the key cannot be taken out', async () => {
      const keyValues = await openKeyValues();
      await createVault(keyValues).put('endpoint/a', 'sk-very-secret');
      const keys = await keyValues.keys('');
      const [keyName] = keys.filter((key) => key.startsWith('vault/key/'));
      const key = (await keyValues.get(keyName as string)) as CryptoKey;
      expect(key).toBeInstanceOf(CryptoKey);
      expect(key.extractable).toBe(false);
      await expect(crypto.subtle.exportKey('raw', key)).rejects.toThrow();
      const record = (await keyValues.get('vault/secret/endpoint/a')) as { iv: Uint8Array; data: Uint8Array };
      expect(record.iv.length).toBe(12);
      expect(record.data.length).toBe('sk-very-secret'.length + 16);
      expect(new TextDecoder('latin1').decode(record.data)).not.toContain('secret');
    });

    it('seals the same secret differently each time', async () => {
      const keyValues = await openKeyValues();
      const vault = createVault(keyValues);
      await vault.put('a', 'same');
      const first = (await keyValues.get('vault/secret/a')) as { iv: Uint8Array; data: Uint8Array };
      await vault.put('a', 'same');
      const second = (await keyValues.get('vault/secret/a')) as { iv: Uint8Array; data: Uint8Array };
      expect(second.iv).not.toEqual(first.iv);
      expect(second.data).not.toEqual(first.data);
    });

    it('does not open what was damaged or put under another name', async () => {
      const keyValues = await openKeyValues();
      const vault = createVault(keyValues);
      await vault.put('a', 'one');
      const record = (await keyValues.get('vault/secret/a')) as {
        key: string;
        iv: Uint8Array;
        data: Uint8Array;
      };
      await keyValues.set('vault/secret/b', record);
      expect(await vault.get('b')).toBeUndefined();
      const data = record.data.slice();
      data[0] = (data[0] as number) ^ 1;
      await keyValues.set('vault/secret/a', { ...record, data });
      expect(await vault.get('a')).toBeUndefined();
      for (const broken of [null, 'text', { key: 1 }, { ...record, iv: 'x' }, { ...record, key: 'gone' }]) {
        await keyValues.set('vault/secret/a', broken);
        expect(await vault.get('a')).toBeUndefined();
      }
      await vault.put('a', 'again');
      expect(await vault.get('a')).toBe('again');
    });

    it('opens in another tab, also when both began at the same time', async () => {
      const keyValues = await openKeyValues();
      const tabs = [createVault(keyValues), createVault(keyValues), createVault(keyValues)];
      await Promise.all(tabs.map((vault, n) => vault.put(`tab${n}`, `secret ${n}`)));
      for (const vault of [...tabs, createVault(keyValues)])
        for (const n of tabs.keys()) expect(await vault.get(`tab${n}`)).toBe(`secret ${n}`);
    });

    it('says so where the browser cannot seal or keep a key, and keeps nothing', async () => {
      const keyValues = await openKeyValues();
      vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto), subtle: undefined });
      await expect(createVault(keyValues).put('a', 'secret')).rejects.toMatchObject({
        problem: { code: 'vault-unavailable' },
      });
      vi.unstubAllGlobals();
      const forgetful = { ...keyValues, get: async () => null };
      await expect(createVault(forgetful).put('a', 'secret')).rejects.toMatchObject({
        problem: { code: 'vault-unavailable' },
      });
      const full = {
        ...keyValues,
        set: async () => {
          throw new RecollectError('storage-full', 'no room');
        },
      };
      await expect(createVault(full).put('a', 'secret')).rejects.toMatchObject({
        problem: { code: 'storage-full' },
      });
      expect(await createVault(keyValues).names()).toEqual([]);
    });
  });
}
