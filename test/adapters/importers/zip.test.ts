// ZIPs: what opens, what is refused, and that nothing in them is believed.
import { randomBytes } from 'node:crypto';
import { crc32, deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { SourceFile } from '../../../src/adapters/importers/importer.ts';
import { fileFromBytes, fileOf } from '../../../src/adapters/importers/source-file.ts';
import { isZip, openZip, ZIP_LIMITS } from '../../../src/adapters/importers/zip.ts';
import { zipFile, zipped } from '../../fixtures/files.ts';

const never = new AbortController().signal;
const small = { ...ZIP_LIMITS, entries: 5, unpacked: 100_000, ratio: 50, ratioFrom: 10_000, file: 50_000 };
const code = (expected: string) => ({ problem: { code: expected } });
const text = async (file: { bytes(signal: AbortSignal): Promise<Uint8Array> } | undefined) =>
  new TextDecoder().decode(await file?.bytes(never));

/** Overwrites the sizes that the ZIP states about its only file. */
function lying(zip: Uint8Array, size: number): Uint8Array {
  const copy = zip.slice();
  const view = new DataView(copy.buffer);
  for (let at = 0; at < copy.length - 4; at += 1) {
    if (view.getUint32(at, true) === 0x04034b50) view.setUint32(at + 22, size, true);
    if (view.getUint32(at, true) === 0x02014b50) view.setUint32(at + 24, size, true);
  }
  return copy;
}

/** One deflated file, written by hand: no descriptors, no 64-bit fields. */
function handmade(name: string | Uint8Array, contents: Uint8Array, size = contents.length): Uint8Array {
  const packed = deflateRawSync(contents);
  const bytes = Buffer.from(name);
  const local = Buffer.alloc(30);
  local.writeUInt32LE(0x04034b50, 0);
  local.writeUInt16LE(20, 4);
  local.writeUInt16LE(8, 8);
  local.writeUInt32LE(packed.length, 18);
  local.writeUInt32LE(size, 22);
  local.writeUInt16LE(bytes.length, 26);
  const central = Buffer.alloc(46);
  central.writeUInt32LE(0x02014b50, 0);
  central.writeUInt16LE(20, 6);
  central.writeUInt16LE(8, 10);
  central.writeUInt32LE(packed.length, 20);
  central.writeUInt32LE(size, 24);
  central.writeUInt16LE(bytes.length, 28);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(46 + bytes.length, 12);
  end.writeUInt32LE(30 + bytes.length + packed.length, 16);
  return Buffer.concat([local, bytes, packed, central, bytes, end]);
}

describe('a ZIP', () => {
  it('is known by its first bytes', async () => {
    expect(await isZip(await zipFile('a.bin', { a: 'x' }), never)).toBe(true);
    expect(await isZip(await zipFile('empty.zip', {}), never)).toBe(true);
    expect(await isZip(fileFromBytes('a.zip', new TextEncoder().encode('PKwhatever')), never)).toBe(false);
    expect(await isZip(fileFromBytes('a.zip', new Uint8Array(0)), never)).toBe(false);
  });

  it('opens in place from a file of the browser, and gives bytes and pieces', async () => {
    const bytes = await zipped({ 'a/b.txt': 'hello 你好', 'big.txt': 'x'.repeat(300_000) });
    const { files } = await openZip(fileOf(new File([bytes as Uint8Array<ArrayBuffer>], 'z.zip')), never);
    expect(files.map((file) => [file.path, file.size])).toEqual([
      ['a/b.txt', 12],
      ['big.txt', 300_000],
    ]);
    expect(await text(files[0])).toBe('hello 你好');
    let length = 0;
    for await (const piece of files[1]?.stream?.(never) ?? []) length += piece.length;
    expect(length).toBe(300_000);
  });

  it.each([
    ['UTF-8, as macOS writes it', '636166c3a92ee5af9f', 'café.察'],
    ['GBK', 'b6d4bbb02fc3e6b0fcb5c4d7f6b7a82e6d64', '对话/面包的做法.md'],
    ['CP437', '636166822e6d64', 'café.md'],
  ])('reads names that are not marked as UTF-8: %s', async (_, name, expected) => {
    const zip = handmade(Buffer.from(name, 'hex'), new Uint8Array(3));
    const { files } = await openZip(fileFromBytes('a.zip', zip, 1_750_000_000_000), never);
    // Where no time is kept, that of the ZIP stands.
    expect(files.map(({ path, modifiedAt }) => [path, modifiedAt])).toEqual([[expected, 1_750_000_000_000]]);
  });

  it('treats names as labels', async () => {
    const { files } = await openZip(
      await zipFile('z.zip', {
        '../../etc/passwd': '1',
        './x//y.json': '2',
        'c:\\win\\z.json': '3',
        '__MACOSX/x': '4',
        'd/.DS_Store': '5',
      }),
      never,
    );
    expect(files.map((file) => file.path)).toEqual(['etc/passwd', 'x/y.json', 'win/z.json']);
  });

  it('leaves ZIPs inside it closed', async () => {
    const { files } = await openZip(await zipFile('z.zip', { 'inner.zip': await zipped({ a: 'x' }) }), never);
    expect(files.map((file) => file.path)).toEqual(['inner.zip']);
  });

  it('counts what ZIPs within it unpack to as its own', async () => {
    const inner = await zipped({ a: 'x'.repeat(600), b: 'y' });
    const { files } = await openZip(await zipFile('z.zip', { '1.zip': inner, '2.zip': inner }), never);
    const limits = { ...ZIP_LIMITS, unpacked: 1_000 + 2 * inner.length };
    const [first, second] = files as [(typeof files)[number], (typeof files)[number]];
    for (const file of (await openZip(first, never, limits)).files) await file.bytes(never);
    await expect(openZip(second, never, limits)).rejects.toMatchObject({ problem: { code: 'import-bomb' } });
    await expect(openZip(first, never, { ...limits, entries: 4 })).rejects.toMatchObject({
      problem: { code: 'import-bomb' },
    });
  });

  it('reads a ZIP within it piece by piece, within the limits of the outer one', async () => {
    const words = new Uint8Array(randomBytes(60_000));
    const inner = await zipped({ a: words });
    const outer = await zipFile('z.zip', { 'inner.zip': inner });
    const [held] = (await openZip(outer, never, { ...ZIP_LIMITS, file: 10 })).files as [SourceFile];
    // `bytes` would hold it whole.
    const [file] = (await openZip(held, never)).files;
    expect(await file?.bytes(never)).toEqual(words);
    const [tight] = (await openZip(outer, never, { ...ZIP_LIMITS, unpacked: inner.length })).files as [
      SourceFile,
    ];
    const opened = await openZip(tight, never, { ...ZIP_LIMITS, unpacked: 100_000 }).catch((error) => error);
    expect(opened).toMatchObject({ problem: { code: 'import-bomb' } });
  });

  it.each<[string, Record<string, Uint8Array>, RegExp]>([
    ['ratio', { a: new Uint8Array(60_000) }, /^a unpacks to \d+ times its size$/],
    [
      'number of files',
      Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`f${n}`, new Uint8Array(1)])),
      /^more than 5 files$/,
    ],
    [
      'size of all files together',
      Object.fromEntries(Array.from({ length: 4 }, (_, n) => [`f${n}`, new Uint8Array(randomBytes(40_000))])),
      /^it unpacks to 160000 bytes$/,
    ],
  ])('is refused before unpacking when it says itself that it is a bomb: %s', async (_, files, why) => {
    await expect(openZip(await zipFile('bomb.zip', files), never, small)).rejects.toMatchObject({
      problem: { code: 'import-bomb', params: { detail: expect.stringMatching(why) } },
    });
  });

  it('opens at its limits', async () => {
    const five = Object.fromEntries(
      Array.from({ length: 5 }, (_, n) => [`f${n}`, new Uint8Array(randomBytes(20_000))]),
    );
    const { files } = await openZip(await zipFile('full.zip', five), never, small);
    let length = 0;
    for (const file of files) length += (await file.bytes(never)).length;
    expect(length).toBe(small.unpacked);
  });

  it('is stopped while unpacking when it lied about its size', async () => {
    for (const bytes of [
      handmade('a', new Uint8Array(5_000_000), 10),
      lying(handmade('a', new Uint8Array(5_000_000)), 100),
    ]) {
      const { files } = await openZip(fileFromBytes('liar.zip', bytes), never, small);
      let seen = 0;
      const reading = (async () => {
        for await (const piece of files[0]?.stream?.(never) ?? []) seen += piece.length;
      })();
      await expect(reading).rejects.toMatchObject({
        problem: { code: expect.stringMatching(/import-(bomb|broken)/) },
      });
      expect(seen).toBeLessThan(1_000_000);
    }
  });

  it('refuses a file that is too large to hold', async () => {
    const { files } = await openZip(
      await zipFile('z.zip', { a: new Uint8Array(randomBytes(60_000)) }),
      never,
      small,
    );
    await expect(files[0]?.bytes(never)).rejects.toMatchObject(code('import-too-large'));
  });

  it('says that it is locked', async () => {
    const locked = await zipFile('z.zip', { a: 'secret' }, { password: 'p' });
    await expect(openZip(locked, never)).rejects.toMatchObject(code('import-encrypted'));
  });

  it('says of a file in it that it is damaged, and gives what stands before the damage', async () => {
    const words = Array.from({ length: 3_000 }, (_, n) => `line ${n * n}`).join('\n');
    const bytes = await zipped({ a: words, b: 'world' });
    const flipped = bytes.slice();
    flipped.fill(0x55, 9_000, 9_050);
    const { files, isCut } = await openZip(fileFromBytes('flipped.zip', flipped), never);
    expect(isCut).toBeUndefined();
    for (const _ of [1, 2]) {
      const before = await text(files[0]);
      expect(files[0]?.damage).toEqual({ isFound: true, name: 'flipped.zip/a' });
      expect(before.length).toBeGreaterThan(words.length / 10);
      expect(before.slice(0, words.length / 10)).toBe(words.slice(0, words.length / 10));
    }
    expect(await text(files[1])).toBe('world');
    expect(files[1]?.damage?.isFound).toBe(false);
  });

  it.each<[string, Parameters<typeof zipped>[1]]>([
    ['with sizes in front of each file', { dataDescriptor: false }],
    ['with sizes behind each file', { dataDescriptor: true }],
    [
      'with sizes behind each file, without a signature',
      { dataDescriptor: true, dataDescriptorSignature: false },
    ],
    ['with sizes of eight bytes', { zip64: true, dataDescriptor: true }],
    ['with sizes of eight bytes in front', { zip64: true, dataDescriptor: false }],
    ['unpacked as it is', { level: 0, dataDescriptor: true }],
  ])('is read up to the place where it breaks off: %s', async (_, options) => {
    const names = ['a.json', 'folder/b.txt', '三.bin', 'd'];
    const contents = names.map((_, n) =>
      n === 2 ? new Uint8Array(randomBytes(5_000)) : 'words '.repeat(500 * n + 1),
    );
    const bytes = await zipped(
      Object.fromEntries(names.map((name, n) => [name, contents[n] as string])),
      options,
    );
    const { files: listed } = await openZip(fileFromBytes('z.zip', bytes), never);
    const whole = await Promise.all(
      listed.map(async (file) => ({ path: file.path, all: await file.bytes(never) })),
    );
    let most = 0;
    for (let length = 0; length < bytes.length; length += 97) {
      const opened = await openZip(fileFromBytes('z.zip', bytes.slice(0, length)), never).catch(
        (error) => error,
      );
      if (!('files' in opened)) {
        expect(opened).toMatchObject(code('import-broken'));
        expect(length).toBeLessThan(100);
        continue;
      }
      const { files, isCut } = opened as Awaited<ReturnType<typeof openZip>>;
      for (const [n, file] of files.entries()) {
        const read = await file.bytes(never);
        const { path, all } = whole[n] as { path: string; all: Uint8Array };
        expect([file.path, read]).toEqual([path, all.subarray(0, read.length)]);
        if (read.length < all.length) expect([n, file.damage?.isFound]).toEqual([files.length - 1, true]);
      }
      most = Math.max(most, files.length);
      // All files are there once the list of the ZIP begins.
      expect(isCut === true || files.length === names.length).toBe(true);
    }
    expect(most).toBe(names.length);
  });

  it('finds the files behind a damage of which its list says nothing', async () => {
    const bytes = (await zipped({ a: 'one'.repeat(50), b: 'two', c: 'three' })).slice();
    const view = Buffer.from(bytes.buffer);
    const second = view.indexOf(Buffer.from([0x50, 0x4b, 3, 4]), 10);
    view.fill(0, second, second + 4);
    const cut = bytes.slice(0, view.indexOf(Buffer.from([0x50, 0x4b, 1, 2])) + 10);
    const { files, isCut } = await openZip(fileFromBytes('z.zip', cut), never);
    expect(files.map(({ path }) => path)).toEqual(['a', 'c']);
    expect(isCut).toBe(true);
    expect(await text(files[1])).toBe('three');
  });

  it('says that it is locked, also where it breaks off', async () => {
    const locked = await zipped({ a: 'secret'.repeat(99), b: 'x' }, { password: 'p' });
    await expect(openZip(fileFromBytes('z.zip', locked.slice(0, 200)), never)).rejects.toMatchObject(
      code('import-encrypted'),
    );
  });

  it('stops when told to', async () => {
    const { files } = await openZip(
      await zipFile('z.zip', { a: new Uint8Array(randomBytes(400_000)) }),
      never,
    );
    const controller = new AbortController();
    const reading = (async () => {
      for await (const _ of files[0]?.stream?.(controller.signal) ?? []) controller.abort();
    })();
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
    await expect(files[0]?.bytes(AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('two files of one name', () => {
  const entry = (name: string, words: string): Uint8Array => {
    const contents = new TextEncoder().encode(words);
    const zip = handmade(name, contents);
    const view = new DataView(zip.buffer, zip.byteOffset, zip.length);
    view.setUint32(14, crc32(contents), true);
    view.setUint32(view.getUint32(zip.length - 6, true) + 16, crc32(contents), true);
    return zip;
  };
  /** Merges ZIPs: their local parts in sequence, then their directories. */
  const together = (zips: readonly Uint8Array[]): Uint8Array => {
    const locals: number[] = [];
    const central: number[] = [];
    for (const zip of zips) {
      const view = new DataView(zip.buffer, zip.byteOffset, zip.length);
      const end = zip.length - 22;
      const from = view.getUint32(end + 16, true);
      const directory = Uint8Array.from(zip.subarray(from, from + view.getUint32(end + 12, true)));
      new DataView(directory.buffer).setUint32(42, locals.length, true);
      locals.push(...zip.subarray(0, from));
      central.push(...directory);
    }
    const end = new Uint8Array(22);
    const view = new DataView(end.buffer);
    view.setUint32(0, 0x06054b50, true);
    view.setUint16(8, zips.length, true);
    view.setUint16(10, zips.length, true);
    view.setUint32(12, central.length, true);
    view.setUint32(16, locals.length, true);
    return Uint8Array.from([...locals, ...central, ...end]);
  };

  it('are both there, the second under a name of its own; the same file twice is one', async () => {
    const zip = together([
      entry('conversations.json', '[1]'),
      entry('conversations.json', '[2, 2]'),
      entry('conversations.json', '[1]'),
      entry('a/b', 'x'),
      entry('a/b', 'yy'),
    ]);
    const never = new AbortController().signal;
    const { files } = await openZip(fileFromBytes('export.zip', zip), never);
    const read = await Promise.all(
      files.map(async (file) => [file.path, new TextDecoder().decode(await file.bytes(never))]),
    );
    expect(read).toEqual([
      ['conversations.json', '[1]'],
      ['conversations-2.json', '[2, 2]'],
      ['a/b', 'x'],
      ['a/b-2', 'yy'],
    ]);
  });
});
