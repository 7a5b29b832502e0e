// Key slots in Node's WebCrypto: what opens them, what does not, and what a person who copied the disk sees of them.
import { describe, expect, it } from 'vitest';
import { cipherFor, holdDataKey, newDataKey } from '../../../src/adapters/vault/data-key.ts';
import {
  addSlot,
  isRecoveryPhrase,
  type KeySlot,
  newRecoveryPhrase,
  openSlots,
} from '../../../src/adapters/vault/key-slots.ts';
import { measuredParameters } from '../../../src/adapters/vault/passphrase.ts';

/** The smallest Argon2id, because these tests are not about its slowness. */
const argon = { memory: 8, iterations: 1 };
const secret = Uint8Array.from({ length: 32 }, (_, n) => n);

const threeSlots = async (key: Uint8Array, words: string): Promise<KeySlot[]> => [
  await addSlot(key, { kind: 'passphrase', passphrase: 'correct horse', argon }, 1),
  await addSlot(key, { kind: 'recovery', words }, 2),
  await addSlot(key, { kind: 'passkey', credential: 'Y3JlZA', salt: 'c2FsdA', secret }, 3),
];

describe('key slots', () => {
  const words = newRecoveryPhrase();

  it('any one of several gives the data key, and each only to its own', async () => {
    const key = newDataKey();
    const slots = await threeSlots(key, words);
    const open = (opener: Parameters<typeof openSlots>[1]) => openSlots(slots, opener);
    expect(await open({ kind: 'passphrase', passphrase: 'correct horse' })).toEqual(key);
    expect(await open({ kind: 'recovery', words })).toEqual(key);
    expect(await open({ kind: 'passkey', credential: 'Y3JlZA', secret })).toEqual(key);
    expect(await open({ kind: 'passphrase', passphrase: 'correct horsf' })).toBeNull();
    expect(await open({ kind: 'passphrase', passphrase: words })).toBeNull();
    expect(await open({ kind: 'recovery', words: newRecoveryPhrase() })).toBeNull();
    expect(await open({ kind: 'passkey', credential: 'Y3JlZA', secret: new Uint8Array(32) })).toBeNull();
    expect(await open({ kind: 'passkey', credential: 'b3RoZXI', secret })).toBeNull();
    expect(await openSlots(slots.slice(1), { kind: 'passphrase', passphrase: 'correct horse' })).toBeNull();
  });

  it('a passphrase is the same from every keyboard, and may be of any script', async () => {
    const key = newDataKey();
    const slots = [await addSlot(key, { kind: 'passphrase', passphrase: 'naïve 密码 🔑', argon }, 1)];
    const decomposed = 'naïve 密码 🔑'.normalize('NFD');
    expect(await openSlots(slots, { kind: 'passphrase', passphrase: decomposed })).toEqual(key);
  });

  it('a recovery phrase is read as people write it, and a slip is noticed', async () => {
    const key = newDataKey();
    const slots = [await addSlot(key, { kind: 'recovery', words }, 1)];
    const written = words
      .split(' ')
      .map((word, n) => `${n + 1}. ${word.toUpperCase()}`)
      .join('\n');
    expect(await openSlots(slots, { kind: 'recovery', words: written })).toEqual(key);
    expect(words.split(' ')).toHaveLength(24);
    expect(isRecoveryPhrase(written)).toBe(true);
    const [first, second, ...rest] = words.split(' ');
    expect(isRecoveryPhrase([...rest, first].join(' '))).toBe(false);
    expect(isRecoveryPhrase([first, second].join(' '))).toBe(false);
  });

  it('a slot whose parameters or kind were changed opens nothing', async () => {
    const key = newDataKey();
    const [slot] = await threeSlots(key, words);
    if (slot?.kind !== 'passphrase') throw new Error('unreachable');
    const opener = { kind: 'passphrase', passphrase: 'correct horse' } as const;
    const changed: KeySlot[] = [
      { ...slot, id: 'another' },
      { ...slot, at: 2 },
      { ...slot, argon: { ...slot.argon, iterations: 2 } },
      { ...slot, wrapped: slot.wrapped.replace(/^./, (one) => (one === 'A' ? 'B' : 'A')) },
      { ...slot, wrapped: 'not base64url!' },
    ];
    for (const one of changed) expect(await openSlots([one], opener)).toBeNull();
    expect(await openSlots([...changed, slot], opener)).toEqual(key);
  });

  it('shows nothing of key, passphrase and words', async () => {
    const key = newDataKey();
    const kept = JSON.stringify(await threeSlots(key, words));
    expect(kept).not.toContain('horse');
    expect(kept).not.toContain(words.split(' ').slice(0, 2).join(' '));
    expect(kept).not.toContain(Buffer.from(key).toString('base64url').slice(0, 20));
  });

  it('measures parameters that take about half a second to a second', async () => {
    let now = 0;
    const clock = (step: number) => () => {
      now += step;
      return now;
    };
    // Three passes in 60 ms: 20 ms a pass.
    expect(await measuredParameters(clock(60))).toEqual({ memory: 65_536, iterations: 35 });
    expect(await measuredParameters(clock(9000))).toEqual({ memory: 65_536, iterations: 3 });
  });

  it('measures by the fastest of three, so that a busy moment makes no weaker key', async () => {
    const took = [900, 60, 300];
    let [now, asked] = [0, 0];
    const clock = () => {
      if (asked++ % 2 === 1) now += took.shift() ?? 0;
      return now;
    };
    expect(await measuredParameters(clock)).toEqual({ memory: 65_536, iterations: 35 });
    expect(took).toEqual([]);
  });
});

describe('the data key', () => {
  const plain = new TextEncoder().encode('what I said');

  it('opens what it sealed, in its place and family alone', async () => {
    const key = await holdDataKey(newDataKey());
    const [entries, values] = [await cipherFor(key, 'log'), await cipherFor(key, 'key-values')];
    const sealed = await entries.seal('a', plain);
    expect(sealed.length).toBe(plain.length + entries.overhead);
    expect(Buffer.from(sealed).includes('said')).toBe(false);
    expect(await entries.open('a', sealed)).toEqual(plain);
    expect(await entries.open('b', sealed)).toBeNull();
    expect(await values.open('a', sealed)).toBeNull();
    expect(await (await cipherFor(await holdDataKey(newDataKey()), 'log')).open('a', sealed)).toBeNull();
    expect(await entries.seal('a', plain)).not.toEqual(sealed);
  });

  it('opens nothing of which a byte was changed, cut or added', async () => {
    const cipher = await cipherFor(await holdDataKey(newDataKey()), 'log');
    const sealed = await cipher.seal('a', plain);
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = sealed.slice();
      changed[at] = (changed[at] as number) ^ 1;
      expect(await cipher.open('a', changed)).toBeNull();
    }
    expect(await cipher.open('a', sealed.slice(0, -1))).toBeNull();
    expect(await cipher.open('a', Uint8Array.from([...sealed, 0]))).toBeNull();
    expect(await cipher.open('a', new Uint8Array())).toBeNull();
    expect(await cipher.open('a', plain)).toBeNull();
  });

  it('cannot be read out of the thread that holds it', async () => {
    const key = await holdDataKey(newDataKey());
    expect(key.extractable).toBe(false);
    await expect(crypto.subtle.exportKey('raw', key)).rejects.toThrow();
    await expect(
      crypto.subtle.deriveBits(
        { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: new Uint8Array() },
        key,
        256,
      ),
    ).rejects.toThrow();
  });
});
