// Separates thoughts from the words of an answer: without a reasoning parser, servers pass on what the model wrote,
// `<think>…</think>` and then the answer. Some templates keep the opening tag to themselves: then a closing
// tag alone shows that everything before it was a thought. Tags that the answer mentions (in code, in
// quotes, within a sentence) stay words.

export type ThoughtOrWords =
  | { readonly type: 'text-delta' | 'reasoning-delta'; readonly text: string }
  /** The words since the last thought were thoughts. */
  | { readonly type: 'text-was-reasoning' }
  /** The last of the thoughts were words: `words` are they, with the marks around them. */
  | { readonly type: 'reasoning-was-text'; readonly thoughts: string; readonly words: string };

interface Tag {
  readonly open: string;
  readonly close: string;
}

/**
 * As models write them, in any case of letters. The answer of gpt-oss begins behind a header:
 * https://cookbook.openai.com/articles/openai-harmony
 */
const TAGS: readonly Tag[] = [
  {
    open: '<|channel|>analysis<|message|>',
    close: '<|end|><|start|>assistant<|channel|>final<|message|>',
  },
  // Gemma 4.
  { open: '<|channel>thought\n', close: '<channel|>' },
  // Command A.
  { open: '<|start_thinking|>', close: '<|end_thinking|>' },
  { open: '<reasoning>', close: '</reasoning>' },
  { open: '<think>', close: '</think>' },
  { open: '<thinking>', close: '</thinking>' },
  { open: '<thought>', close: '</thought>' },
  { open: '<antthinking>', close: '</antthinking>' },
  // Kimi-VL and Kimi k1.5.
  { open: '◁think▷', close: '◁/think▷' },
  // Magistral.
  { open: '[think]', close: '[/think]' },
  // Seed-OSS, OpenThinker, LongCat.
  { open: '<seed:think>', close: '</seed:think>' },
  { open: '<|begin_of_thought|>', close: '<|end_of_thought|>' },
  { open: '<longcat_think>', close: '</longcat_think>' },
  // MiniMax, LFM2, Apertus, MedGemma.
  { open: '<mm:think>', close: '</mm:think>' },
  { open: '<|cot_start|>', close: '<|cot_end|>' },
  { open: '<|inner_prefix|>', close: '<|inner_suffix|>' },
  { open: '<unused94>thought\n', close: '<unused95>' },
  // MiniCPM, and fine-tunes of models without a mark of their own.
  { open: '<|thought_start|>', close: '<|thought_end|>' },
  { open: '<|think_start|>', close: '<|think_end|>' },
  { open: '<|reasoning_start|>', close: '<|reasoning_end|>' },
  { open: '<|begin_of_thinking|>', close: '<|end_of_thinking|>' },
  { open: '<|thinking|>', close: '<|/thinking|>' },
  // Solar.
  { open: '<|think|>', close: '<|end|><|begin|>assistant<|content|>' },
];
/**
 * Tags that people ask for, too: thoughts only where the answer begins with them and goes on behind them in words, and
 * not in another tag.
 */
const AT_BEGINNING: readonly Tag[] = [
  ...['analysis', 'reflection', 'scratchpad', 'inner_monologue', 'thoughts', 'thinking_process', 'reason'],
  ...['internal_thoughts', 'chain_of_thought'],
].map((name) => ({ open: `<${name}>`, close: `</${name}>` }));
/** Beginnings of an unparsed answer of gpt-oss: its template, which contains the other tags. */
const HARMONY = [
  ...['<|channel|>', '<|start|>'],
  // The mark before the name of a channel may be the template's own.
  ...['analysis<|message|>', 'commentary<|message|>', 'final<|message|>'],
];
const HARMONY_MARK = /^<\|(start|channel|message|constrain|end|return|call)\|>/;
/** Longest mark, characters. */
const HARMONY_LENGTH = '<|constrain|>'.length;
/** Marks with which templates begin a turn; at the very beginning of an answer they are no words. In lower case. */
const BEGINS = [
  '<|im_start|>assistant\n',
  '<|im_start|>assistant<|im_sep|>',
  '<|start_of_role|>assistant<|end_of_role|>',
  '<|start_of_turn_token|>',
  '<|chatbot_token|>',
  '[|assistant|]',
  '<|hy_assistant|>',
  '<|bom|>assistant\n',
  '<role>assistant</role>',
  '<|start_header_id|>assistant<|end_header_id|>',
  '<|begin_of_text|>',
  '<|assistant|>',
  '<start_of_turn>model\n',
  '<｜begin▁of▁sentence｜>',
  '<｜assistant｜>',
  '<bos>',
  '[/inst]',
  'assistant\n\n',
];
/** The same without its marks, as some servers leave it. */
const BARE_HARMONY: Tag = { open: 'analysis', close: 'assistantfinal' };
/** Granite and Apriel mark their thoughts by sentences. */
const IN_SENTENCES: readonly Tag[] = [
  { open: 'here is my thought process:', close: 'here is my response:' },
  { open: "here's my thought process:", close: "here's my response:" },
  { open: 'here are my reasoning steps:', close: '[begin final response]' },
];

/** Gateways fold thoughts away in HTML, under a heading that says so. */
const FOLDED =
  /^<details\b[^<>]{0,200}>\s{0,5}<summary>[^<\n]{0,60}(?:think|thought|reason|思考|推理)[^<\n]{0,60}<\/summary>/i;
const FOLD: Tag = { open: '<details', close: '</details>' };
/** Longest beginning of such a fold, characters. */
const FOLD_BEGUN = 400;

/** Marks with which templates end a turn; at the very end of an answer they are no words. */
const ENDS = [
  '<|im_end|>',
  '<|eot_id|>',
  '<|endoftext|>',
  '<|end_of_text|>',
  '<|return|>',
  '<|end|>',
  '<end_of_turn>',
  '<｜end▁of▁sentence｜>',
  '<|eom_id|>',
  '<|eom|>',
  '<|end_of_turn|>',
  '<|endofassistant|>',
  '</s>',
  '<eos>',
  '<seed:eos>',
  '<|user|>',
  '<|observation|>',
  '[|endofturn|]',
  '<start_of_turn>user',
  '<|im_start|>user',
  '<role>human</role>',
  '[end final response]',
];
/** The same by their names, glued to the words. */
const NAMED_END =
  /^<(?:[|｜](?:[\w▁]{0,20}(?:end|eo[stm]|stop)[\w▁]{0,20}|(?:im_|hy_)?(?:user|system)|observation|separator)[|｜]|SPECIAL_\d{1,4})>/i;
const NAMED_END_BEGUN = /^<(?:[|｜][\w▁]{0,40}[|｜]?|S[A-Z]{0,6}(?:_\d{0,4})?)$/i;
/** Marks that models set around an answer, in lower case: GLM, Command A, OpenThinker. */
const BOX = [
  ...['<|begin_of_box|>', '<|end_of_box|>', '<|start_response|>', '<|end_response|>'],
  ...['<|start_text|>', '<|end_text|>', '<|begin_of_solution|>', '<|end_of_solution|>'],
];
/**
 * Tags around the whole answer of Hunyuan, GLM-V, ERNIE and Marco. Right behind thoughts
 * only: elsewhere somebody asked for them.
 */
const AROUND = ['<answer>', '<response>', '<output>'];

/** Most characters of marks and blanks that are held as the end of an answer. */
const MOST_ENDS = 120;
/** First characters of tags. */
const FIRST = /[<◁[]/;
/** Characters after a tag that decide if it is only mentioned. */
const BEHIND = 2;

const startsWith = (text: string, tag: string) => text.slice(0, tag.length).toLowerCase() === tag;

type FoundTag = { readonly tag: Tag; readonly isOpening: boolean; readonly length: number };

/** Opening tags that may have attributes: how long a model thought, its signature. */
const WITH_ATTRIBUTES =
  /^<(think|thinking|thought|reasoning|antthinking)(?:\s{1,3}[\w:-]{1,40}=(?:"[^"<>]{0,400}"|'[^'<>]{0,400}'|[^\s"'<>]{1,400})){0,6}\s{0,3}>/i;
/** The beginning of one. */
const WITH_ATTRIBUTES_BEGUN = /^<(?:think|thinking|thought|reasoning|antthinking)\s[^<>\n]{0,500}$/i;

/** More characters than any tag has without attributes. */
const LONGEST_TAG = 80;
/** True for a text that may become the opening of one of these. */
const isBegun = (tags: readonly Tag[], lower: string): boolean =>
  tags.some(({ open }) => open.startsWith(lower));

/** Tag at the beginning of a text; `undecided` if it may become one. */
function tagAt(text: string): FoundTag | 'undecided' | undefined {
  const [written, name] = WITH_ATTRIBUTES.exec(text) ?? [];
  const named = name === undefined ? undefined : TAGS.find(({ open }) => open === `<${name.toLowerCase()}>`);
  if (written !== undefined && named) return { tag: named, isOpening: true, length: written.length };
  if (WITH_ATTRIBUTES_BEGUN.test(text)) return 'undecided';
  for (const tag of TAGS) {
    if (startsWith(text, tag.open)) return { tag, isOpening: true, length: tag.open.length };
    if (startsWith(text, tag.close)) return { tag, isOpening: false, length: tag.close.length };
  }
  const lower = text.slice(0, LONGEST_TAG).toLowerCase();
  return isBegun(TAGS, lower) || TAGS.some(({ close }) => close.startsWith(lower)) ? 'undecided' : undefined;
}

/** True if a tag is used, false if the sentence mentions it. `before`: the line up to it. */
function standsAlone(before: string, behind: string): boolean {
  if ((before.split('`').length - 1) % 2 === 1) return false;
  if (/["'“‘«「『（(]$/.test(before) || /^["'”’»」』）)`]/.test(behind)) return false;
  if (before.trim() === '' || behind === '' || /^\s*\n/.test(behind)) return true;
  if (!/\s$/.test(before)) return true;
  return /[.!?…:;。！？：；]\s+$/.test(before) || !/^\s/.test(behind);
}

/** A fence right behind words, and its language. */
const GLUED_FENCE = /[^\s`][ \t]{0,3}(`{3})[A-Za-z][\w+#.-]{0,40}[ \t]{0,9}$/;
/** Longest line that is kept to judge a tag by, characters. */
const LINE = 2000;

interface Thoughts {
  read(text: string): ThoughtOrWords[];
  /** Returns the held rest. From here on everything is words. `isCalling`: a call follows, which ends thoughts, too. */
  end(isCalling?: boolean): ThoughtOrWords[];
}

/** Makes the reader of one answer. A tag may be spread over pieces: a possible beginning is held back. */
export function createThoughts(): Thoughts {
  return new ThoughtReader();
}

class ThoughtReader implements Thoughts {
  #place: 'start' | 'thoughts' | 'gap' | 'words' | 'harmony' = 'start';
  /** Header of the template before a message; undefined within one. */
  #header: string | undefined = '';
  #channel: 'thoughts' | 'words' = 'words';
  #held = '';
  /** The opening tag of the thoughts, and true if words came before it. */
  #opened: { readonly tag: Tag; readonly written: string; readonly isLate: boolean } | undefined;
  /** Thoughts of a block that began late: words again if it never ends. */
  #late = '';
  /** A block of a tag that somebody may have asked for, as it was written: what follows tells. */
  #doubted = '';
  #isCalling = false;
  /** The blanks before the first sign. */
  readonly #lead: string[] = [];
  #begun = false;
  /** Current line of the answer, and the backquotes in it. */
  #line = '';
  #quotes = 0;
  /** Marks of the fence that is open; empty outside code. */
  #fence = '';
  /** Words came since the last thought. */
  #spoken = false;
  /** The answer mentioned an opening tag. */
  #mentioned = false;
  /** A mark of the template stood before the answer. */
  #hasTemplate = false;
  /** Closing tag of what stands around the answer; empty if nothing does. */
  #around = '';

  read(text: string): ThoughtOrWords[] {
    this.#held += text;
    return this.#readAll(false);
  }

  end(isCalling = false): ThoughtOrWords[] {
    this.#isCalling = isCalling;
    const said = this.#readAll(true);
    // A block that began within the answer and never ended was none: its words are shown.
    const words = this.#opened?.isLate ? this.#opened.written + this.#late : this.#doubted;
    if (words !== '' && !isCalling) said.push({ type: 'reasoning-was-text', thoughts: this.#late, words });
    this.#doubted = '';
    this.#opened = undefined;
    this.#place = 'words';
    this.#fence = '';
    return merged(said);
  }

  #take(length: number = this.#held.length): string {
    const taken = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    return taken;
  }

  #say(text: string): ThoughtOrWords[] {
    if (text === '') return [];
    this.#spoken ||= text.trim() !== '';
    const lines = text.split('\n');
    for (const [at, piece] of lines.entries()) {
      if (at > 0) {
        const mark = /^\s*(`{3,}|~{3,})/.exec(this.#line)?.[1] ?? GLUED_FENCE.exec(this.#line)?.[1];
        if (mark && this.#fence === '') this.#fence = mark.slice(0, 3);
        else if (mark?.startsWith(this.#fence)) this.#fence = '';
        this.#beginLine();
      }
      if (this.#line.length < LINE) {
        this.#line += piece;
        this.#quotes += piece.split('`').length - 1;
      }
    }
    return [{ type: 'text-delta', text }];
  }

  #think(text: string): ThoughtOrWords[] {
    const thought = this.#begun ? text : text.trimStart();
    this.#begun ||= thought !== '';
    if (this.#opened?.isLate) this.#late += text;
    return thought === '' ? [] : [{ type: 'reasoning-delta', text: thought }];
  }

  #open(found: FoundTag, isLate: boolean): void {
    this.#opened = { tag: found.tag, written: this.#take(found.length), isLate };
    this.#late = '';
    this.#begun = false;
    this.#place = 'thoughts';
  }

  /** Reads words up to the next used tag. True: read on. */
  #words(said: ThoughtOrWords[], isLast: boolean): boolean {
    const at = this.#held.search(FIRST);
    if (at !== 0) said.push(...this.#say(this.#take(at < 0 ? undefined : at)));
    if (this.#held === '') return false;
    if (this.#isEnding(isLast)) {
      if (isLast) this.#take();
      return false;
    }
    const box = this.#isPlain()
      ? BOX.find((mark) => mark.startsWith(this.#held.slice(0, mark.length).toLowerCase()))
      : undefined;
    if (box && this.#held.length >= box.length) {
      this.#take(box.length);
      if (!this.#spoken) this.#place = 'gap';
      return true;
    }
    const found = tagAt(this.#held);
    if ((box || found === 'undecided') && !isLast) return false;
    if (found === undefined || found === 'undecided') {
      said.push(...this.#say(this.#take(1)));
      return true;
    }
    const behind = this.#held.slice(found.length, found.length + BEHIND);
    if (behind.length < BEHIND && !isLast && !behind.includes('\n')) return false;
    if (
      this.#fence !== '' ||
      // A fence begins, or the line is indented as code is.
      /^\s*(`{3,}|~{3,})|^( {4}|\t)/.test(this.#line) ||
      !standsAlone(this.#line, behind) ||
      (!found.isOpening && this.#mentioned)
    ) {
      this.#mentioned ||= found.isOpening;
      said.push(...this.#say(this.#take(found.length)));
    } else if (found.isOpening) this.#open(found, true);
    else {
      this.#take(found.length);
      // A second closing tag right behind the first one changes nothing.
      if (this.#spoken) said.push({ type: 'text-was-reasoning' });
      this.#spoken = false;
      this.#beginLine();
      this.#place = 'gap';
    }
    return true;
  }

  #beginLine(): void {
    this.#line = '';
    this.#quotes = 0;
  }

  /** True if the line so far is no code. Many marks may stand in one, so that only its beginning is read each time. */
  #isPlain(): boolean {
    const begun = this.#line.slice(0, LONGEST_TAG);
    return this.#fence === '' && this.#quotes % 2 === 0 && !/^\s*(`{3,}|~{3,})/.test(begun);
  }

  /** True if only the end of a template, or its beginning, is held. After a space a sentence mentions it. */
  #isEnding(isLast: boolean): boolean {
    if (/\s/.test(this.#line.slice(-1)) && this.#line.trim() !== '') return false;
    if (!this.#isPlain()) return false;
    // A model that ends its turn again and again, or in line ends without an end.
    if (this.#held.length > MOST_ENDS) return false;
    const held = this.#held.trimEnd();
    // The end of words that are struck through in HTML.
    if (held.startsWith('</s') && /<s\b/i.test(this.#line)) return false;
    const ends = this.#around === '' ? ENDS : [...ENDS, this.#around];
    const isGlued = this.#line.trim() !== '' || this.#isCalling;
    const endAt = (text: string): number =>
      ends.find((one) => startsWith(text, one))?.length ??
      (isGlued || text.length < held.length ? (NAMED_END.exec(text)?.[0].length ?? 0) : 0);
    // Some templates leave several.
    let rest = held;
    for (let length = endAt(rest); length > 0; length = endAt(rest)) rest = rest.slice(length).trimStart();
    if (rest === '' || isLast) return rest === '';
    const lower = rest.toLowerCase();
    return ends.some((end) => end.startsWith(lower)) || (isGlued && NAMED_END_BEGUN.test(rest));
  }

  /** Reads a message of the template up to its next mark. True: read on. */
  #harmony(said: ThoughtOrWords[], isLast: boolean): boolean {
    const at = this.#held.indexOf('<|');
    const until =
      at >= 0 ? at : isLast || !this.#held.endsWith('<') ? this.#held.length : this.#held.length - 1;
    this.#utter(this.#take(until), said);
    if (this.#held === '' || at < 0) return false;
    const mark = HARMONY_MARK.exec(this.#held);
    if (!mark) {
      if (!isLast && this.#held.length < HARMONY_LENGTH) return false;
      this.#utter(this.#take(2), said);
      return true;
    }
    this.#take(mark[0].length);
    if (mark[1] === 'message') {
      // Words to a tool are neither a call nor an answer.
      const isForPeople = !/analysis/.test(this.#header ?? '') && !/\bto=/.test(this.#header ?? '');
      this.#channel = isForPeople ? 'words' : 'thoughts';
      this.#header = undefined;
      if (this.#begun && !isForPeople) said.push({ type: 'reasoning-delta', text: '\n\n' });
      if (this.#spoken && isForPeople) said.push(...this.#say('\n\n'));
    } else if (mark[1] === 'channel' || mark[1] === 'constrain') this.#header = `${this.#header ?? ''} `;
    else {
      // Thoughts that no mark parts from their channel's name.
      const thought = /^\s*analysis\s+(\S.*)/s.exec(this.#header ?? '')?.[1];
      if (thought !== undefined) said.push(...this.#think(thought.trimEnd()));
      this.#header = '';
    }
    return true;
  }

  #utter(text: string, said: ThoughtOrWords[]): void {
    if (this.#header !== undefined) this.#header = (this.#header + text).slice(0, LINE);
    else said.push(...(this.#channel === 'words' ? this.#say(text) : this.#think(text)));
  }

  #readNext(said: ThoughtOrWords[], isLast: boolean): boolean {
    if (this.#place === 'harmony') return this.#harmony(said, isLast);
    if (this.#place === 'start') {
      if (this.#held.trim() === '') {
        this.#lead.push(this.#take());
        if (isLast) said.push(...this.#say(this.#lead.join('')));
        return false;
      }
      const bare = this.#held.trimStart();
      const lower = bare.slice(0, 60).toLowerCase();
      const begun = BEGINS.find((mark) => lower.startsWith(mark));
      if (begun !== undefined) {
        this.#held = bare.slice(begun.length).trimStart();
        this.#hasTemplate = true;
        this.#lead.length = 0;
        return this.#held !== '';
      }
      // The line ends of the template.
      if (this.#hasTemplate) this.#held = bare;
      if (lower !== '' && !isLast && BEGINS.some((mark) => mark.startsWith(lower))) return false;
      if (HARMONY.some((mark) => bare.startsWith(mark))) {
        this.#held = bare;
        this.#place = 'harmony';
        return true;
      }
      const mayBe =
        HARMONY.some((mark) => mark.startsWith(bare)) ||
        BARE_HARMONY.open.startsWith(bare) ||
        isBegun(IN_SENTENCES, lower) ||
        isBegun(AT_BEGINNING, lower);
      if (mayBe && !isLast) return false;
      if (/^analysis\p{Lu}/u.test(bare)) {
        this.#held = bare;
        this.#open({ tag: BARE_HARMONY, isOpening: true, length: BARE_HARMONY.open.length }, true);
        return true;
      }
      if (FOLD.open.startsWith(lower.slice(0, FOLD.open.length)) && lower !== '') {
        const fold = FOLDED.exec(bare)?.[0];
        if (fold === undefined && !isLast && bare.length < FOLD_BEGUN && !bare.includes('</summary>'))
          return false;
        if (fold !== undefined) {
          this.#held = bare;
          this.#open({ tag: FOLD, isOpening: true, length: fold.length }, true);
          return true;
        }
      }
      const first = [...IN_SENTENCES, ...AT_BEGINNING].find(({ open }) => startsWith(bare, open));
      if (first) {
        this.#held = bare;
        this.#open({ tag: first, isOpening: true, length: first.open.length }, true);
        return true;
      }
      const found = tagAt(bare);
      if (found === 'undecided' && !isLast) return false;
      if (found !== undefined && found !== 'undecided' && found.isOpening) {
        this.#held = bare;
        this.#open(found, false);
      } else {
        this.#held = this.#lead.join('') + this.#held;
        this.#place = 'words';
      }
      return true;
    }
    if (this.#place === 'thoughts' && this.#opened) {
      const { open, close } = this.#opened.tag;
      // Template and model both open the thoughts.
      if (!this.#begun) {
        const bare = this.#held.trimStart();
        if (startsWith(bare, open)) this.#held = bare.slice(open.length);
        else if (!isLast && open.startsWith(bare.toLowerCase())) return false;
      }
      const at = this.#held.toLowerCase().indexOf(close);
      if (at >= 0) {
        said.push(...this.#think(this.#take(at)));
        const closed = this.#take(close.length);
        if (AT_BEGINNING.includes(this.#opened.tag))
          this.#doubted = this.#opened.written + this.#late + closed;
        this.#opened = undefined;
        this.#spoken = false;
        this.#beginLine();
        this.#place = 'gap';
        return true;
      }
      const last = this.#held.lastIndexOf(close[0] as string);
      const mayClose = !isLast && last >= 0 && close.startsWith(this.#held.slice(last).toLowerCase());
      said.push(...this.#think(this.#take(mayClose ? last : undefined)));
      return false;
    }
    if (this.#place === 'gap') return this.#gap(said, isLast);
    return this.#words(said, isLast);
  }

  /** Reads what stands between the thoughts and the answer. True: read on. */
  #gap(said: ThoughtOrWords[], isLast: boolean): boolean {
    const bare = this.#held.trimStart();
    if (this.#doubted !== '') this.#doubted += this.#held.slice(0, this.#held.length - bare.length);
    this.#held = bare;
    const around = AROUND.find((tag) => startsWith(tag, bare.slice(0, tag.length).toLowerCase()));
    if (bare === '' || (around && bare.length < around.length && !isLast)) return false;
    if (around && startsWith(bare, around)) {
      this.#take(around.length);
      this.#around = around.replace('<', '</');
      this.#doubted = '';
      return true;
    }
    if (this.#doubted !== '' && bare === '<' && !isLast) return false;
    // Another tag: somebody asked for both.
    if (this.#doubted !== '' && /^<[a-z]/i.test(bare)) {
      said.push({ type: 'reasoning-was-text', thoughts: this.#late, words: this.#doubted });
      this.#spoken = true;
    }
    this.#doubted = '';
    this.#place = 'words';
    return true;
  }

  #readAll(isLast: boolean): ThoughtOrWords[] {
    const said: ThoughtOrWords[] = [];
    while (this.#readNext(said, isLast));
    return merged(said);
  }
}

/** Joins neighbours of one type. */
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
