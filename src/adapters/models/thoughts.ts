// Thoughts that come in the words of an answer: where no reasoning parser is set up, Ollama, LM Studio and vLLM pass on what the
// model wrote, `<think>…</think>` and then the answer. The AI SDK's own middleware takes the tags wherever they stand; here they
// count at the very start alone, because further on they are something that the answer speaks about.

export interface ThoughtOrWords {
  readonly type: 'text-delta' | 'reasoning-delta';
  readonly text: string;
}

const OPENING = /^\s*<(think|thinking)>\s*/i;
const LONGEST = '<thinking>';

/** Reads one answer piece by piece. A tag may be spread over pieces: what could become one is held back. */
export function createThoughts(): {
  read(text: string): ThoughtOrWords[];
  /** What was held back. From here on everything is words. */
  end(): ThoughtOrWords[];
} {
  let place: 'start' | 'thoughts' | 'gap' | 'words' = 'start';
  let held = '';
  let tag = '';
  let begun = false;

  const take = (length = held.length): string => {
    const taken = held.slice(0, length);
    held = held.slice(length);
    return taken;
  };
  const say = (type: ThoughtOrWords['type'], text: string): ThoughtOrWords[] =>
    text === '' ? [] : [{ type, text }];
  const think = (text: string): ThoughtOrWords[] => {
    const thought = begun ? text : text.trimStart();
    begun ||= thought !== '';
    return say('reasoning-delta', thought);
  };

  const read = (text: string): ThoughtOrWords[] => {
    held += text;
    const said: ThoughtOrWords[] = [];
    if (place === 'start') {
      const opening = OPENING.exec(held);
      if (opening) {
        tag = opening[1] as string;
        take(opening[0].length);
        place = 'thoughts';
      } else if (LONGEST.startsWith(held.trimStart().toLowerCase())) return said;
      else place = 'words';
    }
    if (place === 'thoughts') {
      const closing = new RegExp(`</${tag}>`, 'i').exec(held);
      if (closing) {
        said.push(...think(take(closing.index)));
        take(closing[0].length);
        place = 'gap';
      } else {
        const last = held.lastIndexOf('<');
        const mayClose = last >= 0 && `</${tag}>`.toLowerCase().startsWith(held.slice(last).toLowerCase());
        said.push(...think(take(mayClose ? last : undefined)));
      }
    }
    if (place === 'gap') {
      held = held.trimStart();
      if (held !== '') place = 'words';
    }
    if (place === 'words') said.push(...say('text-delta', take()));
    return said;
  };

  return {
    read,
    end: () => {
      const said = place === 'thoughts' ? think(take()) : say('text-delta', take());
      place = 'words';
      return said;
    },
  };
}
