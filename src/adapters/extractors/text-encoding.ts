// Bytes of a text file as words: by its byte order mark, as UTF-8, as the file itself says, else as what Chinese and Western systems write.
export function decodeText(bytes: Uint8Array, named?: string): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  for (const encoding of ['utf-8', named, 'gb18030'])
    if (encoding !== undefined) {
      const text = strictly(encoding, bytes);
      // Latin letters with accents can be read as rare Chinese ones: then there are few of the common range.
      if (text !== null && (encoding !== 'gb18030' || looksChinese(text))) return text;
    }
  return new TextDecoder('windows-1252').decode(bytes);
}

function strictly(encoding: string, bytes: Uint8Array): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    // TypeError: not in that encoding; RangeError: no such encoding.
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    return null;
  }
}

/** Chinese stands in runs; one accented letter of two bytes stands alone between Latin ones. */
const looksChinese = (text: string): boolean => {
  const han = text.match(/\p{Script=Han}/gu)?.length ?? 0;
  const runs = text.match(/\p{Script=Han}{2,}/gu)?.join('').length ?? 0;
  return han > 0 && runs >= han * 0.7;
};
