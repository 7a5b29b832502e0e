// Computes a checksum of stored bytes, so that a bit that flipped on the disk is noticed
// although the bytes can still be read.

/**
 * The polynomial of IEEE 802.3, bits reversed, as ZIP and PNG use it. Signed, since
 * those whole numbers stay in registers.
 */
const TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
  return rest;
});

/** CRC-32 of the bytes, 0 to 2³² − 1. It detects every change of up to 32 consecutive bits. */
export function checksum(bytes: Uint8Array): number {
  const { length } = bytes;
  let rest = -1;
  for (let at = 0; at < length; at++)
    rest = (TABLE[(rest ^ (bytes[at] as number)) & 0xff] as number) ^ (rest >>> 8);
  return ~rest >>> 0;
}
