// Patches an answer instead of rewriting it: the model gets the old answer, and writes only the changes, as blocks of
// words to find and words to replace them.

const [FIND, PUT, END] = ['<<<<<<< FIND', '=======', '>>>>>>> REPLACE'] as const;
const UNCHANGED = 'UNCHANGED';
const REWRITE = 'REWRITE';

/**
 * Words in the person's place, in the request alone: they ask for the answer as it should be after an earlier change.
 */
export const patchRequest = (
  answer: string,
): string => `[From the app, not from the person: something above has changed since the answer below was given. Write only what must change in it now, as blocks of this form, and nothing else:

${FIND}
words of that answer, copied exactly and enough of them that they occur once
${PUT}
the words in their place
${END}

Where nothing must change write ${UNCHANGED}. Where most of it must change, or a tool is needed, write ${REWRITE}.

The answer as it was:]
${answer}`;

/**
 * Reason for which blocks cannot be applied. `form`: there is other text beside them. `missing`, `ambiguous`: the words
 * to find occur never, or more than once. `wanted`: the model prefers to write the whole answer again.
 */
type PatchFailure = 'form' | 'missing' | 'ambiguous' | 'wanted';

interface Edit {
  readonly find: string;
  readonly put: string;
}

/** Parses the complete blocks of a text, in order; `rest` is true if it has other text. */
function editsIn(written: string): { readonly edits: readonly Edit[]; readonly rest: boolean } {
  const edits: Edit[] = [];
  let find: string[] | null = null;
  let put: string[] | null = null;
  let rest = false;
  for (const line of unfenced(written).split('\n')) {
    const mark = line.trimEnd();
    if (put) {
      if (mark === END) {
        edits.push({ find: (find ?? []).join('\n'), put: put.join('\n') });
        [find, put] = [null, null];
      } else put.push(line);
    } else if (find) {
      if (mark === PUT) put = [];
      else find.push(line);
    } else if (mark === FIND) find = [];
    else if (mark !== '') rest = true;
  }
  return { edits, rest: rest || find !== null };
}

/** Some models put everything they write into one fence. */
function unfenced(written: string): string {
  const text = written.replace(/\r\n?/g, '\n').trim();
  const [, inside] = /^```[^\n]*\n([\s\S]*)\n```$/.exec(text) ?? [];
  return inside ?? text;
}

function carriedOut(text: string, { find, put }: Edit): string | null {
  if (find.trim() === '') return null;
  const at = text.indexOf(find);
  if (at < 0 || text.indexOf(find, at + 1) >= 0) return null;
  const end = at + find.length;
  // Removing a line leaves no empty one behind.
  const gap = put === '' && text[end] === '\n' ? 1 : 0;
  return text.slice(0, at) + put + text.slice(end + gap);
}

/** Applies all blocks to the answer, or returns the reason for which that is impossible. */
export function applyPatch(
  answer: string,
  written: string,
): { readonly text: string; readonly edits: number } | { readonly failure: PatchFailure } {
  const plain = unfenced(written);
  if (plain === UNCHANGED) return { text: answer, edits: 0 };
  if (plain === REWRITE) return { failure: 'wanted' };
  const { edits, rest } = editsIn(written);
  if (rest || edits.length === 0) return { failure: 'form' };
  let text = answer;
  for (const edit of edits) {
    const next = carriedOut(text, edit);
    if (next === null)
      return {
        failure: edit.find.trim() === '' ? 'form' : text.includes(edit.find) ? 'ambiguous' : 'missing',
      };
    text = next;
  }
  return { text, edits: edits.length };
}

/** Applies the blocks that are complete so far, for display meanwhile. */
export function patchedSoFar(answer: string, written: string): string {
  let text = answer;
  for (const edit of editsIn(written).edits) text = carriedOut(text, edit) ?? text;
  return text;
}
