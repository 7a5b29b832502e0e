// A passkey as a key to the device: WebAuthn with the PRF extension (W3C Web Authentication Level 3, 10.1.4), if
// browser and authenticator have it. The secret never leaves the ceremony but as 32 bytes that unwrap the data key.
import { RecollectError } from '../../domain/base/errors.ts';
import { log } from '../../domain/base/log.ts';
import { fromText, toText } from '../../domain/sync/bytes.ts';

interface PasskeySecret {
  /** Credential id and PRF salt, base64url. */
  readonly credential: string;
  readonly salt: string;
  /** 32 bytes. */
  readonly secret: Uint8Array;
}

interface PrfResults {
  readonly prf?: { readonly enabled?: boolean; readonly results?: { readonly first?: BufferSource } };
}

const own = (bytes: Uint8Array) => bytes as Uint8Array<ArrayBuffer>;
const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes));
const bytesOf = (source: BufferSource): Uint8Array =>
  source instanceof ArrayBuffer
    ? new Uint8Array(source)
    : new Uint8Array(source.buffer as ArrayBuffer, source.byteOffset, source.byteLength);

/**
 * True if this browser can ask for a passkey. Whether the authenticator has PRF shows only once the passkey is made.
 */
export const hasPasskeys = (): boolean => typeof PublicKeyCredential === 'function' && isSecureContext;

/** Wraps the error of a ceremony that the person cancelled or the browser did not allow. */
const refused = (cause: unknown) =>
  new RecollectError('lock-passkey', 'The passkey was not used', { retry: true, cause });

async function prfOf(credential: PublicKeyCredential): Promise<Uint8Array | null> {
  const first = (credential.getClientExtensionResults() as PrfResults).prf?.results?.first;
  return first ? bytesOf(first).slice() : null;
}

/** Makes a passkey and its secret. Throws `lock-passkey` if the person cancels or the authenticator has no PRF. */
export async function createPasskey(): Promise<PasskeySecret> {
  const salt = random(32);
  let made: PublicKeyCredential;
  try {
    made = (await navigator.credentials.create({
      publicKey: {
        rp: { name: 'Recollect' },
        user: { id: random(16), name: 'Recollect', displayName: 'Recollect' },
        challenge: random(32),
        pubKeyCredParams: [
          { type: 'public-key', alg: -7 },
          { type: 'public-key', alg: -257 },
        ],
        authenticatorSelection: { userVerification: 'required', residentKey: 'preferred' },
        extensions: { prf: { eval: { first: own(salt) } } } as AuthenticationExtensionsClientInputs,
      },
    })) as PublicKeyCredential;
  } catch (error) {
    throw refused(error);
  }
  const credential = toText(new Uint8Array(made.rawId));
  // Many authenticators give the secret only when the passkey is used.
  const secret = (await prfOf(made)) ?? (await askPasskey([{ credential, salt: toText(salt) }])).secret;
  return { credential, salt: toText(salt), secret };
}

/** Asks for one of these passkeys. Throws `lock-passkey` if the person uses none of them. */
export async function askPasskey(
  slots: readonly { readonly credential: string; readonly salt: string }[],
): Promise<PasskeySecret> {
  let used: PublicKeyCredential;
  try {
    used = (await navigator.credentials.get({
      publicKey: {
        challenge: random(32),
        allowCredentials: slots.map(({ credential }) => ({
          type: 'public-key' as const,
          id: own(fromText(credential)),
        })),
        userVerification: 'required',
        extensions: {
          prf: {
            evalByCredential: Object.fromEntries(
              slots.map(({ credential, salt }) => [credential, { first: own(fromText(salt)) }]),
            ),
          },
        } as AuthenticationExtensionsClientInputs,
      },
    })) as PublicKeyCredential;
  } catch (error) {
    throw refused(error);
  }
  const secret = await prfOf(used);
  const credential = toText(new Uint8Array(used.rawId));
  const slot = slots.find((one) => one.credential === credential);
  if (!secret || !slot) {
    log.info('The passkey gives no secret: its authenticator has no PRF');
    throw new RecollectError('lock-passkey', 'This passkey cannot open a device: it has no PRF');
  }
  return { credential, salt: slot.salt, secret };
}
