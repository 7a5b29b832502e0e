import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyPatch, patchedSoFar, patchRequest } from '../../../src/domain/context/patch.ts';
import { runs } from '../../scale.ts';

const ANSWER = 'The backup runs at two.\n\n- It goes to the disk Birch.\n- It takes an hour.\n\nThat is all.';
const block = (find: string, put: string) => `<<<<<<< FIND\n${find}\n=======\n${put}\n>>>>>>> REPLACE`;

describe('an answer that is patched', () => {
  it('has the words of each block in their place, and the rest as it was', () => {
    const written = `${block('runs at two', 'runs at four')}\n\n${block('- It takes an hour.', '')}`;
    expect(applyPatch(ANSWER, written)).toEqual({
      text: 'The backup runs at four.\n\n- It goes to the disk Birch.\n\nThat is all.',
      edits: 2,
    });
    expect(applyPatch(ANSWER, `\`\`\`\n${written}\n\`\`\``)).toMatchObject({ edits: 2 });
  });

  it('stays as it is where nothing must change', () => {
    expect(applyPatch(ANSWER, ' UNCHANGED\n')).toEqual({ text: ANSWER, edits: 0 });
  });

  it.each([
    ['REWRITE', 'wanted'],
    ['The backup runs at four.', 'form'],
    ['', 'form'],
    [`Here is what changes:\n${block('two', 'four')}`, 'form'],
    ['<<<<<<< FIND\ntwo\n=======\nfour', 'form'],
    [block('   ', 'four'), 'form'],
    [block('at three', 'at four'), 'missing'],
    [block('It', 'This'), 'ambiguous'],
    // All or nothing: the first one would fit.
    [`${block('two', 'four')}\n${block('at three', 'at four')}`, 'missing'],
  ])('is not made of %j: %s', (written, failure) => {
    expect(applyPatch(ANSWER, written)).toEqual({ failure });
  });

  it('is shown as far as its blocks are whole', () => {
    const written = `${block('two', 'four')}\n<<<<<<< FIND\nBirch`;
    expect(patchedSoFar(ANSWER, written)).toBe(ANSWER.replace('two', 'four'));
    expect(patchedSoFar(ANSWER, '')).toBe(ANSWER);
  });

  it('is asked for with the whole answer and the form', () => {
    expect(patchRequest(ANSWER)).toContain(ANSWER);
    expect(patchRequest(ANSWER)).toContain('<<<<<<< FIND');
  });
});

it('one block that finds any line that occurs once changes that line alone (property)', () => {
  const word = fc
    .string({ minLength: 1, maxLength: 12 })
    .filter((text) => /^[\w ]+$/.test(text) && text.trim() !== '');
  fc.assert(
    fc.property(fc.uniqueArray(word, { minLength: 1, maxLength: 8 }), fc.nat(), word, (words, pick, put) => {
      const lines = words.map((text, at) => `${at}: ${text}.`);
      const at = pick % lines.length;
      const made = applyPatch(lines.join('\n'), block(lines[at] as string, put));
      expect(made).toEqual({
        text: lines.map((line, own) => (own === at ? put : line)).join('\n'),
        edits: 1,
      });
    }),
    { numRuns: runs(500, 50) },
  );
});
