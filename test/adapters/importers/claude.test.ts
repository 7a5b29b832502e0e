// What becomes of a Claude.ai export.
import { describe, expect, it } from 'vitest';
import { claude } from '../../../src/adapters/importers/claude.ts';
import type { ImportedConversation } from '../../../src/adapters/importers/importer.ts';
import { textOf } from '../../../src/domain/chat/message.ts';
import * as fixture from '../../fixtures/claude.ts';
import { sourceOf } from '../../fixtures/files.ts';
import { readAll } from '../../suites/importer.suite.ts';

const whole = async () => {
  const { conversations, skipped } = await readAll(claude, sourceOf('export', fixture.exportFiles));
  return {
    skipped,
    of: (id: string) => conversations.find((c) => c.source.id === id) as ImportedConversation,
  };
};

describe('a Claude.ai export', () => {
  it('takes the blocks where there are blocks, and the text where there are none', async () => {
    const { messages } = (await whole()).of('k-tree');
    const of = (id: string) =>
      messages.find((message) => message.id === id) as ImportedConversation['messages'][number];
    expect(textOf(of('m1'))).toBe('What grows in shade?');
    expect(textOf(of('m5'))).toBe('Lavender, from the old text.');
  });

  it('keeps what was read out of an attachment, and names files that are not there', async () => {
    const { messages } = (await whole()).of('k-tree');
    const files = messages[0]?.parts.filter((part) => part.type === 'file') ?? [];
    expect(files.map((file) => file.name)).toEqual(['plan.txt', 'garden.jpg']);
    const [, data = ''] = files[0]?.url?.split('base64,') ?? [];
    expect(Buffer.from(data, 'base64').toString()).toBe('北面的花园');
    expect(files[1]).toEqual({ type: 'file', mediaType: 'image/jpeg', name: 'garden.jpg', reference: 'f-1' });
  });

  it('stands calls and results as everywhere else, in one line', async () => {
    const { messages } = (await whole()).of('k-tree');
    const line = messages.filter((message) => message.id.startsWith('m2'));
    expect(line.map(({ role, parentId, parts }) => [role, parentId, parts.map((part) => part.type)])).toEqual(
      [
        ['assistant', 'm1', ['reasoning', 'text', 'tool-call']],
        ['tool', 'm2', ['tool-result']],
        ['assistant', 'm2#1', ['text', 'unknown']],
      ],
    );
    expect(line[1]?.parts[0]).toMatchObject({ callId: 'tu1', name: 'web_search' });
    expect(messages.filter((message) => message.parentId === 'm2#2').map((message) => message.id)).toEqual([
      'm3',
      'm4',
    ]);
  });

  it('shows the newest leaf', async () => {
    const { of } = await whole();
    expect(of('k-tree').head).toBe('m8');
    expect(of('k-tree').meta).toMatchObject({ title: 'A quiet garden', pinned: true });
  });

  it('reads old exports in their order, with times between their neighbours', async () => {
    const { messages, head } = (await whole()).of('k-flat');
    expect(messages.map((message) => message.parentId)).toEqual([null, 'o1', 'o2', 'o3']);
    const start = Date.parse('2026-03-01T10:00:01.123Z');
    expect(messages.map((message) => message.createdAt - start)).toEqual([0, 2000, 4000, 6000]);
    expect(head).toBe('o4');
  });

  it('counts what it could not take', async () => {
    expect((await whole()).skipped).toEqual({
      'malformed-line': 3,
      'missing-attachment': 1,
      'unknown-part': 1,
      'unknown-role': 1,
      'broken-call': 1,
      'no-content': 1,
      'impossible-time': 1,
      'empty-conversation': 1,
    });
  });
});
