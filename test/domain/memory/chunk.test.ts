import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asMessageId } from '../../../src/domain/base/ids.ts';
import type { Message, Part } from '../../../src/domain/chat/message.ts';
import { estimateTokens } from '../../../src/domain/context/tokens.ts';
import { CHUNK_TOKENS, chunksOf, hashOf } from '../../../src/domain/memory/chunk.ts';
import { redact } from '../../fixtures/redact.ts';

const plain = { redact: (text: string) => text };
const message = (parts: readonly Part[] | string, more: Partial<Message> = {}): Message => ({
  id: asMessageId('m'),
  parentId: null,
  role: 'user',
  kind: 'message',
  createdAt: Date.UTC(2024, 4, 2, 12),
  parts: typeof parts === 'string' ? [{ type: 'text', text: parts }] : parts,
  ...more,
});
const squeeze = (text: string) => text.replace(/\s+/g, '');

describe('chunks', () => {
  it('keep a short message whole, with its speaker in front of what is embedded', () => {
    const [chunk, ...others] = chunksOf(message('I moved to Lisbon.'), plain);
    expect(others).toEqual([]);
    expect(chunk).toMatchObject({
      ordinal: 0,
      text: 'I moved to Lisbon.',
      embedded: 'User: I moved to Lisbon.',
      words: 'move lisbon day05x02 month2024x05',
    });
    expect(chunk?.hash).toMatch(/^[0-9a-f]{32}$/);
    expect(chunksOf(message('I moved to Lisbon.', { role: 'assistant' }), plain)[0]?.embedded).toMatch(
      /^Assistant: /,
    );
    expect(chunksOf(message('I moved.'), { ...plain, speaker: 'Caroline' })[0]?.embedded).toBe(
      'Caroline: I moved.',
    );
  });

  it('stand behind the end of what was said before, the shorter they are the more of it; a long one stands alone', () => {
    const before = `${'Long ago. '.repeat(60)}Which train\nshould I take?`;
    const embedded = (text: string) => chunksOf(message(text), { ...plain, before })[0]?.embedded ?? '';
    const short = embedded('The night train.');
    expect(short).toMatch(/^[^\n]*Long ago\. Which train should I take\?\nUser: The night train\.$/);
    expect(short.length).toBeGreaterThan(300);
    const middling = embedded('The night train runs every day. '.repeat(10));
    expect(middling).toMatch(/Which train should I take\?\nUser: The night/);
    expect(estimateTokens(middling)).toBeLessThan(110);
    const long = 'The night train runs every day. '.repeat(14).trim();
    expect(embedded(long)).toBe(`User: ${long}`);
  });

  it('lose no word of prose, and are never too long', () => {
    const unit = fc.oneof(
      fc.lorem({ maxCount: 12, mode: 'sentences' }),
      fc.constantFrom(
        '今天我们备份了数据库。',
        '这是一个没有句号的很长的段落，'.repeat(40),
        'x'.repeat(3_000),
        '\n',
        '\n\n',
      ),
    );
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 12 }), (units) => {
        const text = units.join('\n\n');
        const chunks = chunksOf(message(text), plain);
        expect(squeeze(chunks.map((chunk) => chunk.text).join(''))).toBe(squeeze(text));
        for (const chunk of chunks) {
          expect(estimateTokens(chunk.text)).toBeLessThanOrEqual(CHUNK_TOKENS * 1.2);
          expect(chunk.text.trim()).not.toBe('');
        }
        expect(chunks.map((chunk) => chunk.ordinal)).toEqual(chunks.map((_, index) => index));
      }),
      { numRuns: 60 },
    );
  });

  it('split at paragraphs where they can', () => {
    const paragraph = (name: string) => `${name} ${'lorem ipsum dolor '.repeat(60)}end.`;
    const chunks = chunksOf(
      message([paragraph('One'), paragraph('Two'), paragraph('Three')].join('\n\n')),
      plain,
    );
    expect(chunks.map((chunk) => chunk.text.split(' ')[0])).toEqual(['One', 'Two', 'Three']);
  });

  it('keep a short fence with the words around it, and only the ends of long code, found by every word in it', () => {
    expect(chunksOf(message('Run this:\n\n```sh\nnpm start\n```\n\nThen open it.'), plain)).toHaveLength(1);
    const lines = Array.from({ length: 400 }, (_, i) => `const value${i} = computeThing${i}();`);
    const chunks = chunksOf(message(`Look:\n\n\`\`\`ts\n${lines.join('\n')}\n\`\`\``), plain);
    const code = chunks.find((chunk) => chunk.text.includes('value0'));
    expect(chunks).toHaveLength(2);
    expect(code?.text.length).toBeLessThan(1_500);
    expect(code?.words.split(' ')).toContain('value200');
    expect(code?.priority).toBeGreaterThan(chunks[0]?.priority as number);
  });

  it('take tool output in part and last', () => {
    const chunks = chunksOf(
      message(
        [
          { type: 'tool-call', callId: '1', name: 'read_file', arguments: '{"path":"src/main.ts"}' },
          {
            type: 'tool-result',
            callId: '1',
            text: `start ${'filler '.repeat(5_000)} needle ${'filler '.repeat(5_000)} end`,
          },
        ],
        { role: 'tool' },
      ),
      plain,
    );
    expect(chunks[0]?.text).toBe('read_file: path: src/main.ts');
    expect(chunks).toHaveLength(2);
    expect(chunks[1]?.words.split(' ')).toContain('needl');
    const said = chunksOf(message('older', { createdAt: 1 }), plain)[0];
    expect(chunks[0]?.priority).toBeGreaterThan(said?.priority as number);
  });

  it('say the arguments of a call letter by letter', () => {
    const lineOf = (args: string) =>
      chunksOf(message([{ type: 'tool-call', callId: '1', name: 'run', arguments: args }]), plain)[0]?.text;
    const command = String.raw`find a -printf '%s\n' | awk '{s+=$1} END {print s["all"]/1e9}'`;
    expect(lineOf(JSON.stringify({ command, where: ['/a', '/b'], more: { deep: null, yes: true } }))).toBe(
      `run: command: ${command}, where: /a, /b, more: deep: null, yes: true`,
    );
    // Cut off in the middle, as a stream may leave it.
    expect(lineOf('{"command":"ls -l')).toBe('run: command : ls -l');
    expect(lineOf(`${'['.repeat(9000)}${']'.repeat(9000)}`)).toMatch(/^run: /);
  });

  it('make nothing of what memory’s own tools were asked and answered', () => {
    const call = (name: string): Part => ({
      type: 'tool-call',
      callId: name,
      name,
      arguments: '{"query":"zebra"}',
    });
    const result = (name: string): Part => ({
      type: 'tool-result',
      callId: name,
      name,
      text: 'the zebra swam',
    });
    for (const name of ['recall', 'open_conversation', 'remember'])
      expect(chunksOf(message([call(name), result(name)], { role: 'tool' }), plain)).toEqual([]);
    const others = message([result('recall'), call('read_file'), result('read_file')], { role: 'tool' });
    expect(chunksOf(others, plain).map(({ text }) => text)).toEqual([
      'read_file: query: zebra',
      'the zebra swam',
    ]);
  });

  it('put newer messages first', () => {
    const [older] = chunksOf(message('a word', { createdAt: Date.UTC(2020, 1) }), plain);
    const [newer] = chunksOf(message('a word', { createdAt: Date.UTC(2026, 1) }), plain);
    expect(newer?.priority).toBeLessThan(older?.priority as number);
    expect(newer?.hash).toBe(older?.hash);
  });

  it('make nothing of what must not be remembered: notes, recalls, reasoning, system prompts', () => {
    const recall: Part = {
      type: 'recall',
      query: 'q',
      threshold: 0.75,
      nearMisses: [],
      passages: [],
    };
    expect(chunksOf(message('a reminder', { kind: 'note' }), plain)).toEqual([]);
    expect(chunksOf(message('an answer from memory', { kind: 'recall', role: 'assistant' }), plain)).toEqual(
      [],
    );
    expect(chunksOf(message('you are helpful', { role: 'system' }), plain)).toEqual([]);
    expect(
      chunksOf(
        message([recall, { type: 'reasoning', text: 'hm' }, { type: 'unknown', original: 'x' }]),
        plain,
      ),
    ).toEqual([]);
    expect(
      chunksOf(message([recall, { type: 'text', text: 'the answer' }], { role: 'assistant' }), plain),
    ).toHaveLength(1);
    expect(chunksOf(message('—— !!! ——'), plain)).toEqual([]);
  });

  const file = (text: string, mediaType = 'text/plain', name = 'Pasted text.txt'): Part => ({
    type: 'file',
    mediaType,
    name,
    url: `data:${mediaType};charset=utf-8;base64,${Buffer.from(text).toString('base64')}`,
  });

  it('read attached texts, behind what was said; of pictures and PDFs only the name', () => {
    const contract = `${'The tenant keeps the stairs clean. '.repeat(200)}押金为两个月房租。`;
    const picture = file('GIF89a', 'image/gif', 'stairs.gif');
    const chunks = chunksOf(
      message([file(contract), picture, { type: 'text', text: 'What of the stairs?' }]),
      plain,
    );
    expect(chunks[2]?.text).toBe('What of the stairs?');
    expect(chunks[1]?.text).toBe('stairs.gif');
    expect(
      squeeze(
        chunks
          .slice(3)
          .map(({ text }) => text)
          .join(''),
      ),
    ).toBe(squeeze(contract));
    expect(chunks[3]?.priority).toBeGreaterThan(chunks[2]?.priority as number);
    expect(chunks.at(-1)?.words).toContain('押金');
    // Drawings are pictures, too; what is not there cannot be read.
    for (const part of [file('<svg/>', 'image/svg+xml', ''), { ...file('words'), url: undefined, name: '' }])
      expect(chunksOf(message([part as Part]), plain)).toEqual([]);
  });

  it('take the ends of long data that is attached, and the words between them', () => {
    const rows = JSON.stringify(
      Array.from({ length: 2_000 }, (_, at) => ({ at, of: at === 900 ? 'zebra' : 'horse' })),
    );
    const [, chunk, ...others] = chunksOf(message([file(rows, 'application/json', 'rows.json')]), plain);
    expect(others).toEqual([]);
    expect(chunk?.text.length).toBeLessThan(2_000);
    expect(chunk?.words.split(' ')).toContain('zebra');
  });

  it('keep what was said however much is attached', () => {
    const chunks = chunksOf(
      message([file('没有什么特别的事情。'.repeat(60_000)), { type: 'text', text: 'my word' }]),
      plain,
    );
    expect(chunks).toHaveLength(400);
    expect(chunks[1]?.text).toBe('my word');
  });

  it('hold no secret in text, words or what is embedded', () => {
    const secret = 'The staging password: hunter2xyz opens everything';
    for (const said of [secret, [file(secret)]]) {
      const chunks = chunksOf(message(said), { redact: (text) => redact(text, ['password']).text });
      expect(JSON.stringify(chunks)).not.toContain('hunter2xyz');
      expect(chunks.at(-1)?.words).toContain('stage password');
    }
  });

  it('stay bounded for ten megabytes', () => {
    const before = process.cpuUsage();
    const chunks = chunksOf(message('Some sentence about nothing at all. '.repeat(290_000)), plain);
    expect(chunks.length).toBeLessThanOrEqual(400);
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(8_000);
  });

  it('hash equal texts alike and different ones apart', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (a, b) => {
        expect(hashOf(a) === hashOf(b)).toBe(a === b);
      }),
    );
  });
});
