// What a value says once it may leave the device.
import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { cleanValue, holdbackOf } from '../../../src/services/documents/cleaning.ts';
import { cleanUpdate } from '../../../src/services/documents/shared.ts';
import { redact } from '../../fixtures/redact.ts';

const holdback = { hide: (text: string) => redact(text, ['password']), isRedacted: () => false };
const clean = (value: unknown) => cleanValue(value, holdback);
/** The document as another device gets it. */
const sent = (doc: Y.Doc): Y.Doc => {
  const there = new Y.Doc();
  Y.applyUpdate(there, cleanUpdate(Y.encodeStateAsUpdate(doc), holdback).update);
  return there;
};
const file = (type: string, bytes: Buffer | string) => ({
  type: 'file',
  mediaType: type,
  url: `data:${type};base64,${Buffer.from(bytes).toString('base64')}`,
});
const bytesOf = (part: unknown) =>
  Buffer.from(String((part as { url?: unknown }).url).split(';base64,')[1] ?? '', 'base64');
/** As a picture looks, with what would be a secret in a text. */
const picture = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0]), Buffer.from('password: hunter2')]);

describe('words that begin like a URL', () => {
  it.each([
    'data: password: hunter2-very-secret',
    'data:image/png;base64,password: hunter2-very-secret',
    'data:text/plain,password: hunter2-very-secret',
    'data:text/plain;base64,password=hunter2-very-secret',
  ])('are words: %s', (text) => {
    for (const value of [text, { type: 'text', text }, { type: 'file', mediaType: 'text/plain', url: text }])
      expect(JSON.stringify(clean(value))).not.toContain('hunter2');
  });
});

describe('an attached text', () => {
  it('is looked into percent-encoded as well', () => {
    const part = { type: 'file', mediaType: 'text/plain', url: 'data:,%E6%95%B0%20password%3A%20hunter2' };
    expect(decodeURIComponent((clean(part) as typeof part).url)).toBe('data:,数 password: •••');
  });

  it.each([
    'text/plain',
    'text/markdown',
    'application/json',
    'application/x-yaml',
    'application/octet-stream',
    'image/svg+xml',
  ])('%s: the secret goes, all else stays', (type) => {
    const cleaned = clean(file(type, '\uFEFF数据库\npassword: hunter2\n端口 5432 ✓'));
    expect(bytesOf(cleaned).toString()).toBe('\uFEFF数据库\npassword: •••\n端口 5432 ✓');
    expect(cleaned).toMatchObject({ type: 'file', mediaType: type });
  });

  it('is the same value where there is nothing to hide, to the byte', () => {
    for (const value of [
      file('text/plain', '今天没有秘密'),
      file('text/plain', ''),
      file('image/png', picture),
    ])
      expect(clean(value)).toBe(value);
  });

  it('in an encoding that is not known keeps every byte but the secret’s', () => {
    const gbk = Buffer.from([0xca, 0xfd, 0xbe, 0xdd, 0x0a]);
    const [before, after] = ['password: hunter2\n', 'password: ***\n'].map((line) =>
      Buffer.concat([gbk, Buffer.from(line), gbk]),
    );
    expect(bytesOf(clean(file('text/csv', before as Buffer)))).toEqual(after);
    const wide = Buffer.from('\uFEFF密码 password: hunter2', 'utf16le');
    expect(bytesOf(clean(file('text/csv', wide))).toString()).toBe('\uFEFF密码 password: •••');
  });

  it('that is too long to be looked through is not sent; a picture of any size is', () => {
    const long = 'words\n'.repeat(1_000_000);
    expect(clean(file('text/plain', long))).toEqual({
      type: 'file',
      mediaType: 'text/plain',
      url: undefined,
    });
    const large = file('image/png', Buffer.concat([picture, Buffer.alloc(6_000_000, 7)]));
    expect(clean(large)).toBe(large);
  });

  it('is found as well where an import kept it as it was', () => {
    const original = { type: 'input_file', file: { url: file('text/plain', 'password: hunter2').url } };
    const cleaned = clean({ type: 'unknown', original }) as { original: { file: unknown } };
    expect(bytesOf(cleaned.original.file).toString()).toBe('password: •••');
  });
});

describe('the time of a flag', () => {
  it('is no secret, whatever its digits spell; a title beside it may have one', () => {
    const doc = new Y.Doc();
    const flags = doc.getMap('w');
    const time = '00opwd5isq.0000.t7bzat';
    flags.set('archived/t7bzat', { v: false, t: '00opwd5isp.0000.t7bzat' });
    flags.set('archived/t7bzat', { v: true, t: time });
    flags.set('title/passwordis1.', { v: 'The password: hunter2', t: time });
    const there = sent(doc);
    expect(there.getMap('w').toJSON()).toEqual({
      'archived/t7bzat': { v: true, t: time },
      'title/passwordis1.': { v: 'The password: •••', t: time },
    });
  });
});

describe('what came of a message later', () => {
  it('is looked through as the message is, and stays with it', () => {
    const doc = new Y.Doc();
    const row = '0197-a7bz-password/t7bzat';
    doc
      .getMap('c')
      .set(row, { id: '0197-a7bz-password', parts: [{ type: 'text', text: 'The password: hunter2' }] });
    const there = sent(doc);
    expect(there.getMap('c').toJSON()).toEqual({
      [row]: { id: '0197-a7bz-password', parts: [{ type: 'text', text: 'The password: •••' }] },
    });
  });
});

describe('forgetting', () => {
  const without = (word: string) =>
    holdbackOf({
      hide: (text) => ({ text: text.replaceAll(word, '•••'), redacted: text.split(word).length - 1 }),
      isGone: () => false,
    });

  it('leaves what the app wrote, and a text of any size in which nothing is to go', () => {
    const message = {
      id: '0190aaaa-cafe-7aaa-8aaa-aaaaaaaaaaaa',
      model: 'cafe-1',
      dmail: { from: 'cafe', by: 'person' },
      cites: ['0190aaaa-cafe-7aaa-8aaa-aaaaaaaaaaaa'],
      parts: [
        { type: 'tool-call', callId: 'cafe', name: 'cafe', arguments: '{}' },
        file('text/plain', 'rain '.repeat(1_000_000)),
      ],
    };
    expect(cleanValue(message, without('cafe'))).toBe(message);
    expect(cleanValue(message, without('text'))).toBe(message);
    const said = { ...message, parts: [{ type: 'text', text: 'At the cafe' }] };
    expect(cleanValue(said, without('cafe'))).toMatchObject({ parts: [{ text: 'At the •••' }] });
  });

  it('reaches the end of a long text, a name of a file, and what an importer could not name', () => {
    const long = file('text/plain', `${'rain '.repeat(1_000_000)}Quill`);
    expect(
      bytesOf(cleanValue(long, without('Quill')))
        .toString()
        .slice(-8),
    ).toBe('rain •••');
    expect(
      cleanValue({ type: 'file', name: 'Quill.txt', mediaType: 'text/plain' }, without('Quill')),
    ).toMatchObject({ name: '•••.txt' });
    expect(
      cleanValue({ type: 'unknown', original: { from: 'Quill', id: 'Quill' } }, without('Quill')),
    ).toEqual({ type: 'unknown', original: { from: '•••', id: '•••' } });
  });

  it('hides words in the id of feedback, which earlier versions made from its question', () => {
    const id = '0190aaaa-cafe-7aaa-8aaa-aaaaaaaaaaaa';
    const one = {
      id: `${id} who is quill?`,
      verdict: 'not-related',
      query: 'Who is quill?',
      passage: 'Rain',
    };
    expect(JSON.stringify(cleanValue(one, without('quill')))).not.toContain('quill');
    expect(cleanValue({ ...one, id, query: null }, without('quill'))).toMatchObject({ id, query: null });
  });

  it('changes names of checkpoints, and no other keys', () => {
    const doc = new Y.Doc();
    doc.getMap('meta').set('title', 'A title');
    doc.getMap('checkpoints').set('my title', 'message');
    doc.getMap('m').set('0190aaaa-cafe-7aaa-8aaa-aaaaaaaaaaaa', { parts: [] });
    const cleaned = new Y.Doc();
    for (const word of ['title', 'cafe'])
      Y.applyUpdate(cleaned, cleanUpdate(Y.encodeStateAsUpdate(doc), without(word)).update);
    expect([...cleaned.getMap('meta').keys(), ...cleaned.getMap('m').keys()]).toEqual([
      'title',
      '0190aaaa-cafe-7aaa-8aaa-aaaaaaaaaaaa',
    ]);
    const once = new Y.Doc();
    Y.applyUpdate(once, cleanUpdate(Y.encodeStateAsUpdate(doc), without('title')).update);
    expect([...once.getMap('checkpoints').keys()].join()).not.toContain('title');
  });
});

describe('a document', () => {
  const extract = (text: string) => ({ bytes: 9, sections: [{ place: { kind: 'page', name: '1' }, text }] });

  it('leaves whole where there is nothing to hide in it, and else without its bytes, in which nobody can', () => {
    const harmless = { ...file('application/pdf', picture), extract: extract('the harbour at dusk') };
    expect(clean(harmless)).toBe(harmless);
    const secret = { ...file('application/pdf', picture), extract: extract('password: hunter2') };
    expect(clean(secret)).toMatchObject({ url: undefined, extract: extract('password: •••') });
  });
});
