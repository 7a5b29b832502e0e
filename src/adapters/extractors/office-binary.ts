// Compound files (MS-CFB): the binary files of Office 97 to 2003, and current ones protected by a password.

const SIGNATURE = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];

/** True if the bytes begin with the signature of a compound file. */
export const isBinaryOffice = (bytes: Uint8Array): boolean =>
  SIGNATURE.every((byte, at) => bytes[at] === byte);

/** Name in the directory, in UTF-16, of the stream that holds a protected file (MS-OFFCRYPTO). */
const SEALED = [...'EncryptedPackage'].flatMap((letter) => [letter.charCodeAt(0), 0]);

/** True if the bytes contain the name of the stream that holds a protected file. */
export function isSealedOffice(bytes: Uint8Array): boolean {
  for (let at = bytes.indexOf(SEALED[0] as number); at >= 0; at = bytes.indexOf(SEALED[0] as number, at + 1))
    if (SEALED.every((byte, of) => bytes[at + of] === byte)) return true;
  return false;
}
