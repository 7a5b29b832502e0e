// Thoughts that come in the words of an answer: where no reasoning parser is set up, servers pass on what the model wrote,
// `<think>…</think>` and then the answer. Some templates keep the opening tag to themselves: then a closing tag alone says that
// everything before it was a thought. Tags that the answer speaks about (in code, in quotes, within a sentence) stay words.

export type ThoughtOrWords =
  | { readonly type: 'text-delta' | 'reasoning-delta'; readonly text: string }
  /** The words since the last thought were thoughts. */
  | { readonly type: 'text-was-reasoning' };

interface Tag {
  readonly open: string;
  readonly close: string;
}

/** As models write them; letter case does not matter. ◁…▷: Kimi-VL and Kimi k1.5; [THINK]: Magistral; seed: Seed-OSS. */
const TAGS: readonly Tag[] = [
  { open: '<think>', close: '</think>' },
  { open: '<thinking>', close: '</thinking>' },
  { open: '<thought>', close: '</thought>' },
  { open: '◁think▷', close: '◁/think▷' },
  { open: '[think]', close: '[/think]' },
  { open: '<seed:think>', close: '</seed:think>' },
  { open: '<|begin_of_thought|>', close: '<|end_of_thought|>' },
];
/** What a tag begins with. */
const FIRST = /[<◁[]/;
/** What comes behind a tag decides whether it is spoken about: this many characters of it. */
const BEHIND = 2;

const startsWith = (text: string, tag: string) => text.slice(0, tag.length).toLowerCase() === tag;

type Found = { readonly tag: Tag; readonly isOpening: boolean; readonly length: number };

/** The tag that the text begins with; `undecided` where it may become one. */
function tagAt(text: string): Found | 'undecided' | undefined {
  for (const tag of TAGS) {
    if (startsWith(text, tag.open)) return { tag, isOpening: true, length: tag.open.length };
    if (startsWith(text, tag.close)) return { tag, isOpening: false, length: tag.close.length };
  }
  const lower = text.toLowerCase();
  return TAGS.some(({ open, close }) => open.startsWith(lower) || close.startsWith(lower))
    ? 'undecided'
    : undefined;
}

/** Whether a tag does its work, or the sentence speaks about it. `before`: the line up to it. */
function standsAlone(before: string, behind: string): boolean {
  if ((before.split('`').length - 1) % 2 === 1) return false;
  if (/["'“‘«「『（(]$/.test(before) || /^["'”’»」』）)`]/.test(behind)) return false;
  if (before.trim() === '' || behind === '' || /^\s*\n/.test(behind)) return true;
  if (!/\s$/.test(before)) return true;
  return /[.!?…:;。！？：；]\s+$/.test(before) || !/^\s/.test(behind);
}

/** Longest line that is kept to judge a tag by, characters. */
const LINE = 2000;

/** Reads one answer piece by piece. A tag may be spread over pieces: what could become one is held back. */
export function createThoughts(): {
  read(text: string): ThoughtOrWords[];
  /** What was held back. From here on everything is words. */
  end(): ThoughtOrWords[];
} {
  let place: 'start' | 'thoughts' | 'gap' | 'words' = 'start';
  let held = '';
  /** The tag that the thoughts began with, and whether words came before it. */
  let opened: { readonly tag: Tag; readonly written: string; readonly isLate: boolean } | undefined;
  /** Thoughts of a block that began late: words again, where it never ends. */
  let late = '';
  let begun = false;
  /** The line of the answer that is being written, and whether it is code. */
  let line = '';
  let fence = '';
  /** Words came since the last thought. */
  let spoken = false;
  /** The answer spoke about an opening tag. */
  let mentioned = false;

  const take = (length = held.length): string => {
    const taken = held.slice(0, length);
    held = held.slice(length);
    return taken;
  };
  const say = (text: string): ThoughtOrWords[] => {
    if (text === '') return [];
    spoken ||= text.trim() !== '';
    const lines = text.split('\n');
    for (const [at, piece] of lines.entries()) {
      if (at > 0) {
        const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
        if (mark && fence === '') fence = mark.slice(0, 3);
        else if (mark?.startsWith(fence)) fence = '';
        line = '';
      }
      if (line.length < LINE) line += piece;
    }
    return [{ type: 'text-delta', text }];
  };
  const think = (text: string): ThoughtOrWords[] => {
    const thought = begun ? text : text.trimStart();
    begun ||= thought !== '';
    if (opened?.isLate) late += thought;
    return thought === '' ? [] : [{ type: 'reasoning-delta', text: thought }];
  };
  const open = (found: Found, isLate: boolean) => {
    opened = { tag: found.tag, written: take(found.length), isLate };
    late = '';
    begun = false;
    place = 'thoughts';
  };
  /** Words up to the next tag that does its work. True: read on. */
  const words = (said: ThoughtOrWords[], isLast: boolean): boolean => {
    const at = held.search(FIRST);
    if (at !== 0) said.push(...say(take(at < 0 ? undefined : at)));
    if (held === '') return false;
    const found = tagAt(held);
    if (found === 'undecided' && !isLast) return false;
    if (found === undefined || found === 'undecided') {
      said.push(...say(take(1)));
      return true;
    }
    const behind = held.slice(found.length, found.length + BEHIND);
    if (behind.length < BEHIND && !isLast && !behind.includes('\n')) return false;
    if (
      fence !== '' ||
      /^\s*(`{3,}|~{3,})/.test(line) ||
      !standsAlone(line, behind) ||
      (!found.isOpening && mentioned)
    ) {
      mentioned ||= found.isOpening;
      said.push(...say(take(found.length)));
    } else if (found.isOpening) open(found, true);
    else {
      take(found.length);
      // A second closing tag right behind the first one says nothing new.
      if (spoken) said.push({ type: 'text-was-reasoning' });
      spoken = false;
      line = '';
      place = 'gap';
    }
    return true;
  };
  const readOn = (said: ThoughtOrWords[], isLast: boolean): boolean => {
    if (place === 'start') {
      const bare = held.trimStart();
      const found = bare === '' ? 'undecided' : tagAt(bare);
      if (found === 'undecided' && !isLast) return false;
      if (found !== undefined && found !== 'undecided' && found.isOpening) {
        held = bare;
        open(found, false);
      } else place = 'words';
      return true;
    }
    if (place === 'thoughts' && opened) {
      const { close } = opened.tag;
      const at = held.toLowerCase().indexOf(close);
      if (at >= 0) {
        said.push(...think(take(at)));
        take(close.length);
        opened = undefined;
        spoken = false;
        line = '';
        place = 'gap';
        return true;
      }
      const last = held.lastIndexOf(close[0] as string);
      const mayClose = !isLast && last >= 0 && close.startsWith(held.slice(last).toLowerCase());
      said.push(...think(take(mayClose ? last : undefined)));
      return false;
    }
    if (place === 'gap') {
      held = held.trimStart();
      if (held !== '') place = 'words';
      return held !== '';
    }
    return words(said, isLast);
  };
  const readAll = (isLast: boolean): ThoughtOrWords[] => {
    const said: ThoughtOrWords[] = [];
    while (readOn(said, isLast));
    return merged(said);
  };

  return {
    read: (text) => {
      held += text;
      return readAll(false);
    },
    end: () => {
      const said = readAll(true);
      // A block that began within the answer and never ended was none: its words are shown as words too.
      if (opened?.isLate) said.push(...say(opened.written + late));
      opened = undefined;
      place = 'words';
      fence = '';
      return merged(said);
    },
  };
}

/** Neighbours of one type as one. */
function merged(said: readonly ThoughtOrWords[]): ThoughtOrWords[] {
  const out: ThoughtOrWords[] = [];
  for (const piece of said) {
    const last = out.at(-1);
    if (last && 'text' in last && 'text' in piece && last.type === piece.type)
      out[out.length - 1] = { type: last.type, text: last.text + piece.text };
    else out.push(piece);
  }
  return out;
}
