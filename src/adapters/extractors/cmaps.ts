// Character maps of PDF.js in one file: older PDFs in Chinese, Japanese and Korean name one instead of bringing it
// along. Written when the app is built, fetched when the first PDF asks for one.
//
//   4 bytes   length of the index, little endian
//   index     JSON: name → [from, to] in bytes behind the index
//   bytes     the maps

/** Packs maps by their names without an ending. */
export function packCmaps(maps: ReadonlyMap<string, Uint8Array>): Uint8Array<ArrayBuffer> {
  const index: Record<string, [number, number]> = {};
  let at = 0;
  for (const [name, { length }] of maps) {
    index[name] = [at, at + length];
    at += length;
  }
  const head = new TextEncoder().encode(JSON.stringify(index));
  const packed = new Uint8Array(4 + head.length + at);
  new DataView(packed.buffer).setUint32(0, head.length, true);
  packed.set(head, 4);
  let to = 4 + head.length;
  for (const bytes of maps.values()) {
    packed.set(bytes, to);
    to += bytes.length;
  }
  return packed;
}

/** Returns the map of that name; null if there is none. */
export function cmapIn(packed: Uint8Array<ArrayBuffer>, name: string): Uint8Array<ArrayBuffer> | null {
  const length = new DataView(packed.buffer, packed.byteOffset).getUint32(0, true);
  const index = JSON.parse(new TextDecoder().decode(packed.subarray(4, 4 + length))) as Record<
    string,
    [number, number]
  >;
  const [from, to] = index[name] ?? [];
  return from === undefined || to === undefined ? null : packed.slice(4 + length + from, 4 + length + to);
}

/** Returns maps from the file at `address`, which is fetched once. Rejects if it cannot be fetched or lacks the map. */
export function cmapsAt(address: string): (name: string) => Promise<Uint8Array> {
  let packed: Promise<Uint8Array<ArrayBuffer>> | undefined;
  const load = async () => {
    const response = await fetch(address);
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
  };
  return async (name) => {
    packed ??= load();
    const map = cmapIn(await packed, name);
    if (!map) throw new Error(`There is no character map ${name}`);
    return map;
  };
}
