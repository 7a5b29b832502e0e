// What arrives while the device is locked is sealed to a public key: ECDH over P-256 with a key pair made for each piece, HKDF-SHA-256, AES-256-GCM
// (the construction of ECIES). Only the data key opens the private key. Any thread can seal, the service worker too.
import type { RecordCipher } from '../../domain/base/record-cipher.ts';

export interface QueueKey {
  /** Public key, SPKI. */
  readonly open: Uint8Array;
  /** Private key, PKCS #8, sealed. */
  readonly sealed: Uint8Array;
}

const CURVE = { name: 'ECDH', namedCurve: 'P-256' } as const;
const PLACE = 'recollect/queue-key/1';
const NONCE = 12;
/** A public key of P-256 as SPKI, bytes. */
const SPKI = 91;
const own = (bytes: Uint8Array) => bytes as Uint8Array<ArrayBuffer>;

/** A new key pair. */
export async function newQueueKey(cipher: RecordCipher): Promise<QueueKey> {
  const { publicKey, privateKey } = await crypto.subtle.generateKey(CURVE, true, ['deriveBits']);
  const secret = new Uint8Array(await crypto.subtle.exportKey('pkcs8', privateKey));
  return {
    open: new Uint8Array(await crypto.subtle.exportKey('spki', publicKey)),
    sealed: await cipher.seal(PLACE, secret),
  };
}

async function aesOf(mine: CryptoKey, theirs: CryptoKey, info: Uint8Array): Promise<CryptoKey> {
  const shared = await crypto.subtle.deriveBits({ name: 'ECDH', public: theirs }, mine, 256);
  const root = await crypto.subtle.importKey('raw', shared, 'HKDF', false, ['deriveKey']);
  const given = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: own(info) };
  return crypto.subtle.deriveKey(given, root, { name: 'AES-GCM', length: 256 }, false, [
    'encrypt',
    'decrypt',
  ]);
}

const importOpen = (open: Uint8Array) => crypto.subtle.importKey('spki', own(open), CURVE, false, []);

/** Ephemeral public key (91) · nonce (12) · ciphertext and tag. */
export async function sealTo(open: Uint8Array, plain: Uint8Array): Promise<Uint8Array> {
  const pair = await crypto.subtle.generateKey(CURVE, true, ['deriveBits']);
  const mine = new Uint8Array(await crypto.subtle.exportKey('spki', pair.publicKey));
  const aes = await aesOf(pair.privateKey, await importOpen(open), mine);
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE));
  const body = new Uint8Array(await crypto.subtle.encrypt({ name: 'AES-GCM', iv: nonce }, aes, own(plain)));
  const sealed = new Uint8Array(SPKI + NONCE + body.length);
  sealed.set(mine);
  sealed.set(nonce, SPKI);
  sealed.set(body, SPKI + NONCE);
  return sealed;
}

/** What was sealed to the key. Throws where it was changed, or was sealed to another. */
export async function openFrom(key: QueueKey, cipher: RecordCipher, sealed: Uint8Array): Promise<Uint8Array> {
  const secret = await cipher.open(PLACE, key.sealed);
  if (!secret) throw new Error('The key of the queue does not open');
  const mine = await crypto.subtle.importKey('pkcs8', secret, CURVE, false, ['deriveBits']);
  const theirs = sealed.slice(0, SPKI);
  const aes = await aesOf(mine, await importOpen(theirs), theirs);
  const iv = own(sealed.slice(SPKI, SPKI + NONCE));
  return new Uint8Array(
    await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, aes, own(sealed.slice(SPKI + NONCE))),
  );
}
