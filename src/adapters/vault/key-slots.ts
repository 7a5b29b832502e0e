// Key slots: the data key of a locked device, wrapped once for each thing that opens it. Any one of them is enough;
// slots are added and removed without sealing a record again. A wrap is bound to its slot's id, kind and parameters.
//
//   passphrase    Argon2id                        ─┐
//   recovery      24 words, HKDF of their entropy ─┼─► AES-256-GCM ─► data key
//   passkey       WebAuthn PRF, HKDF              ─┘
import { entropyToMnemonic, mnemonicToEntropy } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { z } from 'zod';
import { attempt, log } from '../../domain/base/log.ts';
import { fromText, toText } from '../../domain/sync/bytes.ts';
import { wordsIn } from '../../domain/sync/pairing.ts';
import { type ArgonParameters, argonSchema, deriveFromPassphrase } from './passphrase.ts';

const common = {
  id: z.string().min(1),
  /** Time at which the slot was made, ms since 1970. */
  at: z.number(),
  /** Nonce (12 bytes) and the wrapped data key, base64url. */
  wrapped: z.string(),
};
export const slotSchema = z.discriminatedUnion('kind', [
  z.object({ ...common, kind: z.literal('passphrase'), argon: argonSchema }),
  z.object({ ...common, kind: z.literal('recovery') }),
  z.object({
    ...common,
    kind: z.literal('passkey'),
    /** WebAuthn credential id and PRF salt, base64url. */
    credential: z.string(),
    salt: z.string(),
  }),
]);
export type KeySlot = z.infer<typeof slotSchema>;

/** Secret that opens a slot, as the person or their authenticator gives it. */
export type Opener =
  | { readonly kind: 'passphrase'; readonly passphrase: string }
  | { readonly kind: 'recovery'; readonly words: string }
  | { readonly kind: 'passkey'; readonly credential: string; readonly secret: Uint8Array };

/** Kind of a new slot and the secret that will open it. */
export type NewSlot =
  | { readonly kind: 'passphrase'; readonly passphrase: string; readonly argon: ArgonParameters }
  | { readonly kind: 'recovery'; readonly words: string }
  | {
      readonly kind: 'passkey';
      readonly credential: string;
      readonly salt: string;
      readonly secret: Uint8Array;
    };

type Without<Slot, Name extends string> = Slot extends unknown ? Omit<Slot, Name> : never;
type Unwrapped = Without<KeySlot, 'wrapped'>;

const NONCE = 12;
const text = (value: string) => new TextEncoder().encode(value);
const own = (bytes: Uint8Array) => bytes as Uint8Array<ArrayBuffer>;
const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes));

/** Makes a recovery phrase: 24 words (BIP-39, English) for 256 random bits. */
export const newRecoveryPhrase = (): string => entropyToMnemonic(random(32), wordlist);

/** True for 24 words with a right checksum. The caller can then distinguish a mistyped phrase from a wrong one. */
export const isRecoveryPhrase = (words: string): boolean => entropyOf(words) !== null;

function entropyOf(words: string): Uint8Array | null {
  const list = wordsIn(words);
  if (list.length !== 24) return null;
  return attempt(
    () => mnemonicToEntropy(list.join(' '), wordlist),
    null,
    'words that are no recovery phrase',
  );
}

async function stretched(secret: Uint8Array, info: string): Promise<Uint8Array> {
  const root = await crypto.subtle.importKey('raw', own(secret), 'HKDF', false, ['deriveBits']);
  const given = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: text(info) };
  return new Uint8Array(await crypto.subtle.deriveBits(given, root, 256));
}

/** Derives the 32-byte key that wraps the data key. Null if this secret cannot open a slot of this kind. */
async function wrappingKey(slot: Unwrapped, opener: Opener): Promise<Uint8Array | null> {
  if (slot.kind === 'passphrase' && opener.kind === 'passphrase')
    return await deriveFromPassphrase(opener.passphrase, fromText(slot.argon.salt), slot.argon);
  if (slot.kind === 'recovery' && opener.kind === 'recovery') {
    const entropy = entropyOf(opener.words);
    return entropy && (await stretched(entropy, 'recollect/lock/1|recovery'));
  }
  if (slot.kind === 'passkey' && opener.kind === 'passkey' && slot.credential === opener.credential)
    return await stretched(opener.secret, 'recollect/lock/1|passkey');
  return null;
}

/** Encodes every field of a slot except the wrap, in a fixed order; the wrap is bound to these bytes. */
function boundTo(slot: Unwrapped): Uint8Array<ArrayBuffer> {
  const parameters =
    slot.kind === 'passphrase'
      ? [slot.argon.salt, slot.argon.memory, slot.argon.iterations]
      : slot.kind === 'passkey'
        ? [slot.credential, slot.salt]
        : [];
  return text(`recollect/slot/1|${JSON.stringify([slot.id, slot.at, slot.kind, ...parameters])}`);
}

async function aesOf(key: Uint8Array): Promise<CryptoKey> {
  return await crypto.subtle.importKey('raw', own(key), 'AES-GCM', false, ['encrypt', 'decrypt']);
}

/** Wraps the data key (32 bytes) for one more slot. `at`: ms since 1970. */
export async function addSlot(dataKey: Uint8Array, made: NewSlot, at: number): Promise<KeySlot> {
  const head = { id: crypto.randomUUID(), at };
  const slot: Unwrapped =
    made.kind === 'passphrase'
      ? { ...head, kind: made.kind, argon: { ...made.argon, salt: toText(random(16)) } }
      : made.kind === 'passkey'
        ? { ...head, kind: made.kind, credential: made.credential, salt: made.salt }
        : { ...head, kind: made.kind };
  const key = await wrappingKey(slot, made);
  if (!key) throw new Error('A key slot cannot be made from this secret');
  const nonce = random(NONCE);
  const given = { name: 'AES-GCM', iv: nonce, additionalData: boundTo(slot) };
  const wrapped = new Uint8Array(await crypto.subtle.encrypt(given, await aesOf(key), own(dataKey)));
  const both = new Uint8Array(NONCE + wrapped.length);
  both.set(nonce);
  both.set(wrapped, NONCE);
  return { ...slot, wrapped: toText(both) };
}

/** Unwraps the data key from the first slot that the secret opens; null if it opens none. */
export async function openSlots(slots: readonly KeySlot[], opener: Opener): Promise<Uint8Array | null> {
  for (const slot of slots) {
    const key = await wrappingKey(slot, opener);
    if (!key) continue;
    const both = attempt(() => fromText(slot.wrapped), new Uint8Array(), 'a damaged key slot');
    const given = { name: 'AES-GCM', iv: own(both.slice(0, NONCE)), additionalData: boundTo(slot) };
    try {
      return new Uint8Array(await crypto.subtle.decrypt(given, await aesOf(key), own(both.slice(NONCE))));
    } catch (error) {
      log.debug('A key slot does not open with the given secret', error);
    }
  }
  return null;
}
