import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { conversationMetaSchema } from '../../../src/domain/chat/conversation.ts';
import { shownName, shownTitle } from '../../../src/domain/text/shown.ts';

describe('a name on the screen', () => {
  it.each([
    ['spaces', '   '],
    ['nothing', ''],
    ['lines and tabs', '\n\t\r\u0085'],
    ['zero-width characters', '\u200b\u200c\u200d\u2060\ufeff'],
    ['marks of direction', '\u200e\u200f\u202e\u2066'],
    ['wide and narrow blanks', '\u00a0\u2003\u3000\u202f'],
    ['blanks that are letters to Unicode', '\u3164\u115f\uffa0\u2800'],
    ['soft hyphens and variation selectors', '\u00ad\ufe0f\u{e0100}'],
    ['tags', '\u{e0041}\u{e007f}'],
    ['marks without a letter', ' \u0301'],
    ['control characters', '\u0000\u0007\u001b'],
  ])('%s are none', (_, name) => {
    expect(shownName(name)).toBe('');
    expect(shownTitle(name, 'Untitled')).toBe('Untitled');
    expect(conversationMetaSchema.parse({ title: name }).title).toBe('');
  });

  it.each([
    ['Bread', 'Bread'],
    ['  Bread\n for\u0000 two ', 'Bread for two'],
    ['家 庭', '家 庭'],
    ['👩\u200d🍳 recipes', '👩\u200d🍳 recipes'],
    ['می\u200cخواهم', 'می\u200cخواهم'],
    ['\u202ecod.exe', 'cod.exe'],
    ['.', '.'],
  ])('%j is shown as %j', (name, shown) => {
    expect(shownName(name)).toBe(shown);
    expect(conversationMetaSchema.parse({ title: name }).title).toBe(name);
  });

  it('is made by this one function wherever there is a word for a title that is missing', () => {
    const ui = new URL('../../../src/ui/', import.meta.url);
    const own = readdirSync(ui, { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.tsx?$/.test(path))
      .filter((path) => /title\s*(?:\|\||\?\?)\s*t\w*\(/.test(readFileSync(new URL(path, ui), 'utf8')));
    expect(own).toEqual([]);
  });
});
