// A text in RTF is read as its words: characters of every script, cells, nothing of its fonts and pictures.
import { expect, it } from 'vitest';
import { isRichText, wordsOfRichText } from '../../../src/domain/text/rich-text.ts';

it.each([
  [
    String.raw`{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fswiss Arial;}}{\colortbl ;\red0\green0\blue0;}{\*\generator Riched20;}\pard\f0\fs20 Backups \b run\b0  at three.\par Caf\'e9 \u8211? yes\par}`,
    'Backups run at three.\nCafé – yes',
  ],
  [String.raw`{\rtf1\ansi\ansicpg936 \'b1\'b8\'b7\'dd{\b \'c8\'fd} three}`, '备份三 three'],
  [String.raw`{\rtf1\uc1 \u22791\'3f\u20221?!}`, '备份!'],
  [String.raw`{\rtf1\uc0 \u22791\u20221 a}`, '备份a'],
  [String.raw`{\rtf1 \{a\\b\}\tab c\line d{\pict\pngblip 89504e47}}`, '{a\\b}\tc\nd'],
  [String.raw`{\rtf1 a\cell b\cell\row c\cell d\cell\row}`, 'a\tb\t\nc\td'],
  ['{\\rtf1\\mac\r\nHi \\ldblquote you\\rdblquote\r\n}', 'Hi “you”'],
  ['{\\rtf1 cut off \\u', 'cut off'],
  ['{\\rtf1 }}} a', 'a'],
])('%s', (text, words) => {
  expect(isRichText(text)).toBe(true);
  expect(wordsOfRichText(text)).toBe(words);
});
