// A box that any code can add to, and that only the unlocked device opens: the public key is stored in
// clear, the private key under the data key.
//
//   sealed = version (1) · public key of the sender, made for this once (65) · nonce (12) · AES-256-GCM ciphertext and
//   tag key = HKDF-SHA-256 of ECDH P-256, bound to both public keys
import { log } from '../../domain/base/log.ts';
import { fromText, toText } from '../../domain/sync/bytes.ts';
import { cipherFor, type DataKey } from './data-key.ts';

/** Key pair of a box, base64url; the private key is sealed. */
interface BoxKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

const CURVE = { name: 'ECDH', namedCurve: 'P-256' };
const [VERSION, POINT, NONCE] = [1, 65, 12];
const HEAD = 1 + POINT + NONCE;
const PLACE = 'recollect/box/1';
const own = (bytes: Uint8Array) => bytes as Uint8Array<ArrayBuffer>;

/** Makes a key pair whose private key is sealed under this data key. */
export async function newBox(key: DataKey): Promise<BoxKeys> {
  const pair = await crypto.subtle.generateKey(CURVE, true, ['deriveBits']);
  const publicKey = new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey));
  const privateKey = new Uint8Array(await crypto.subtle.exportKey('pkcs8', pair.privateKey));
  try {
    const sealed = await (await cipherFor(key, 'box')).seal(PLACE, privateKey);
    return { publicKey: toText(publicKey), privateKey: toText(sealed) };
  } finally {
    privateKey.fill(0);
  }
}

async function aesOf(ours: CryptoKey, theirs: Uint8Array, sender: Uint8Array, box: Uint8Array) {
  const point = await crypto.subtle.importKey('raw', own(theirs), CURVE, false, []);
  const shared = await crypto.subtle.deriveBits({ name: 'ECDH', public: point }, ours, 256);
  const root = await crypto.subtle.importKey('raw', shared, 'HKDF', false, ['deriveKey']);
  const info = new Uint8Array([...new TextEncoder().encode(PLACE), ...sender, ...box]);
  return await crypto.subtle.deriveKey(
    { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info },
    root,
    { name: 'AES-GCM', length: 256 },
    false,
    ['encrypt', 'decrypt'],
  );
}

/** Seals bytes for the owner of the private key; needs only the public key. */
export async function sealInto(box: Pick<BoxKeys, 'publicKey'>, plain: Uint8Array): Promise<Uint8Array> {
  const to = fromText(box.publicKey);
  const pair = await crypto.subtle.generateKey(CURVE, false, ['deriveBits']);
  const sender = new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey));
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE));
  const aes = await aesOf(pair.privateKey, to, sender, to);
  const body = await crypto.subtle.encrypt({ name: 'AES-GCM', iv: nonce }, aes, own(plain));
  return new Uint8Array([VERSION, ...sender, ...nonce, ...new Uint8Array(body)]);
}

/** Opens sealed bytes. Null if they were changed, or sealed for other keys or under another data key. */
export async function openBox(
  { publicKey, privateKey }: BoxKeys,
  key: DataKey,
  sealed: Uint8Array,
): Promise<Uint8Array | null> {
  if (sealed[0] !== VERSION || sealed.length < HEAD) return null;
  const kept = await (await cipherFor(key, 'box')).open(PLACE, fromText(privateKey));
  if (!kept) return null;
  try {
    const ours = await crypto.subtle.importKey('pkcs8', kept, CURVE, false, ['deriveBits']);
    const sender = sealed.slice(1, 1 + POINT);
    const aes = await aesOf(ours, sender, sender, fromText(publicKey));
    const given = { name: 'AES-GCM', iv: own(sealed.slice(1 + POINT, HEAD)) };
    return new Uint8Array(await crypto.subtle.decrypt(given, aes, own(sealed.slice(HEAD))));
  } catch (error) {
    log.debug('A sealed box does not open with the key of this device', error);
    return null;
  } finally {
    kept.fill(0);
  }
}
