// Tells our encoder from other modules, by what is in it.

const textOf = (bytes: BufferSource): string =>
  new TextDecoder('latin1').decode(ArrayBuffer.isView(bytes) ? bytes : new Uint8Array(bytes));

/** Whether a module is the encoder, in whichever build. */
export const isOurEncoder = (bytes: BufferSource): boolean => textOf(bytes).includes('quantise');
/** Whether it has the one instruction for a product of bytes, which is one of relaxed SIMD. */
export const hasRelaxedProduct = (bytes: BufferSource): boolean =>
  textOf(bytes).includes('\u00fd\u201c\u0002');
