// Finds calls among the words of an answer: servers without a parser for a model's own form pass them on as
// it wrote them. Only what can be read whole, and names a tool that was offered, is a call; anything else
// stays words, as does what stands in code.

import { type Fields, isFields, lenientJson } from '../../domain/base/json.ts';
import { type Fence, fenceAfter } from '../../domain/text/code.ts';
import { objectsIn } from './server-events.ts';

interface SpokenCall {
  readonly name: string;
  /** A JSON object. */
  readonly arguments: string;
}
export type WordsOrCalls = string | readonly SpokenCall[];

/** Gives the name of a tool that was offered, whichever way a model writes it; undefined for none. */
type NameTool = (written: string) => string | undefined;
/** The type of an input by the tool's JSON schema: forms in tags give everything as text. */
export type TypeInput = (tool: string, input: string) => string;

interface Mark {
  readonly open: string;
  /** Empty: the call reaches to the end of the answer. */
  readonly close: string;
  /** How many characters of `open` do not belong to the call. Default: all. */
  readonly skipped?: number;
}
/** Marks around calls, by the models that write them. */
const MARKS: readonly Mark[] = [
  // Hermes, Qwen, GLM
  { open: '<tool_call>', close: '</tool_call>' },
  { open: '<tool_calls>', close: '</tool_calls>' },
  { open: '<toolcall>', close: '</toolcall>' },
  { open: '<function_call>', close: '</function_call>' },
  { open: '<tool_code>', close: '</tool_code>' },
  // Seed, LongCat, Nemotron
  { open: '<seed:tool_call>', close: '</seed:tool_call>' },
  { open: '<longcat_tool_call>', close: '</longcat_tool_call>' },
  { open: '<TOOLCALL>', close: '</TOOLCALL>' },
  // Command A, InternLM, Apertus
  { open: '<|START_ACTION|>', close: '<|END_ACTION|>' },
  { open: '<|action_start|><|plugin|>', close: '<|action_end|>' },
  { open: '<|tools_prefix|>', close: '<|tools_suffix|>' },
  // Step
  { open: '<｜tool_calls_begin｜>', close: '<｜tool_calls_end｜>' },
  // Llama; the tag names the tool.
  { open: '<function=', close: '</function>', skipped: 0 },
  { open: '<function name=', close: '</function>', skipped: 0 },
  { open: '<|python_tag|>', close: '' },
  // Mistral
  { open: '[TOOL_CALLS]', close: '' },
  // Phi and Functionary; the bracket begins a list in JSON.
  { open: 'functools[', close: '', skipped: 'functools'.length },
  // DeepSeek
  { open: '<｜tool▁calls▁begin｜>', close: '<｜tool▁calls▁end｜>' },
  { open: '<｜tool▁call▁begin｜>', close: '<｜tool▁call▁end｜>', skipped: 0 },
  // Kimi
  { open: '<|tool_calls_section_begin|>', close: '<|tool_calls_section_end|>' },
  { open: '<|tool_call_section_begin|>', close: '<|tool_call_section_end|>' },
  { open: '<|tool_call_begin|>', close: '<|tool_call_end|>', skipped: 0 },
  // LFM2
  { open: '<|tool_call_start|>', close: '<|tool_call_end|>' },
  // MiniMax
  { open: '<minimax:tool_call>', close: '</minimax:tool_call>' },
  { open: '<function_calls>', close: '</function_calls>' },
  // DeepSeek 3.2 and 4; the tags within have the same sign.
  { open: '<｜DSML｜function_calls>', close: '</｜DSML｜function_calls>' },
  { open: '<｜DSML｜tool_calls>', close: '</｜DSML｜tool_calls>' },
  // Claude and Grok; the tag names the tool.
  { open: '<invoke name=', close: '</invoke>', skipped: 0 },
  { open: '<xai:function_call name=', close: '</xai:function_call>', skipped: 0 },
  // Granite
  { open: '<|tool_call|>', close: '' },
  // gpt-oss, without its template
  { open: '<|channel|>commentary to=', close: '<|call|>' },
  { open: '<|start|>assistant<|channel|>commentary to=', close: '<|call|>' },
  { open: '<|start|>assistant to=', close: '<|call|>' },
  // Gemma
  { open: '<|tool_call>', close: '<tool_call|>' },
  { open: '<start_function_call>', close: '<end_function_call>' },
  { open: '```tool_code', close: '\n```' },
  { open: '```tool_call', close: '\n```' },
  { open: '```function_call', close: '\n```' },
  // Models that were taught to reason and act in lines.
  { open: 'Action: ', close: '' },
];
const FIRST = /[<[fA`]/g;
/** An answer that is nothing but a call, whose name comes first, or a list of calls. */
const BARE = ['{"name":"', '{"action":"', '{"tool_calls":['];
/** A call in two lines. */
const IN_LINES = /^([\w.-]{1,100})[ \t]{0,9}\r?\n\s{0,9}Action Input:\s{0,9}([\s\S]*)$/;
/** The name of the tool in the first of them, whole if a line end follows, and the next line. */
const IN_LINES_BEGUN = /^Action: {1,9}([\w.-]{0,100})[ \t\r]{0,9}(?:(\n)\s{0,9}([^\n]{0,13})[\s\S]{0,150})?$/;
/** The mark that ends a turn. */
const END = /(?:<\|\/?\w{1,20}\|>|<\/s>)$/;
/** Longest call, characters: a longer one stays words. */
const LONGEST = 50_000;

/** The texts between two marks; the last may lack its end. */
function between(text: string, open: string, close: string): string[] {
  return text
    .split(open)
    .slice(1)
    .map((piece) => {
      const end = piece.indexOf(close);
      return end < 0 ? piece : piece.slice(0, end);
    });
}

const ATTRIBUTE = /^(?:[^"'>=]{0,40}=)?["']?([\w.:-]{1,100})["']?[^>]{0,100}>/;
/** Inputs in tags of their own: `<parameter=query>a</parameter>`, `<parameter name="query">a</parameter>`. */
const inputsIn = (text: string): [string, string][] =>
  between(text, '<parameter', '</parameter>').flatMap((piece): [string, string][] => {
    const [begin, name] = ATTRIBUTE.exec(piece) ?? [];
    return begin === undefined || name === undefined
      ? []
      : [[name, piece.slice(begin.length).replace(/^\r?\n|\r?\n$/g, '')]];
  });

/** One input of a call in Python: `query='a'`. */
const KEYWORD =
  /([A-Za-z_]\w{0,60})\s?=\s?("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s"',()]{1,40})\s{0,20}(?:,\s{0,20}|$)/y;
const CONSTANTS: Readonly<Record<string, unknown>> = { True: true, False: false, None: null };

/** The inputs between the brackets of a call in Python; undefined if they are anything but names with plain values. */
function keywordsIn(text: string): Fields | undefined {
  const inputs: Record<string, unknown> = {};
  KEYWORD.lastIndex = 0;
  while (KEYWORD.lastIndex < text.length) {
    const [, name, value] = KEYWORD.exec(text) ?? [];
    if (name === undefined || value === undefined) return undefined;
    inputs[name] = /^["']/.test(value)
      ? lenientJson(
          `"${value
            .slice(1, -1)
            .replaceAll("\\'", "'")
            .replace(/(?<!\\)"/g, '\\"')}"`,
        )
      : value in CONSTANTS
        ? CONSTANTS[value]
        : lenientJson(value);
  }
  return inputs;
}

class CallReader {
  readonly #toolNamed: NameTool;
  readonly #typeOf: TypeInput;

  constructor(toolNamed: NameTool, typeOf: TypeInput) {
    this.#toolNamed = toolNamed;
    this.#typeOf = typeOf;
  }

  /** All calls of a block without its marks; empty if any of them cannot be read. */
  read(block: string): readonly SpokenCall[] {
    const bare = block
      .trimEnd()
      .replace(END, '')
      .replace(/｜DSML｜|steptml:/g, '')
      .replace(/^\s*```(?:python|json)?\n([\s\S]*?)\n?```\s*$/, '$1');
    const found = block.length > LONGEST ? [] : this.#callsIn(bare);
    return found.length > 0 && found.every((call) => call !== undefined) ? found : [];
  }

  #callsIn(block: string): (SpokenCall | undefined)[] {
    if (block.includes('<function='))
      return between(block, '<function=', '</function>').map((piece) => this.#tagged(piece));
    if (block.includes('<invoke')) return between(block, '<invoke', '</invoke>').map((p) => this.#tagged(p));
    if (block.includes('<function name='))
      return between(block, '<function', '</function>').map((piece) => this.#tagged(piece));
    if (block.includes('<xai:function_call'))
      return between(block, '<xai:function_call', '</xai:function_call>').map((p) => this.#tagged(p));
    if (block.includes('<arg_key>'))
      return block.includes('<tool_call>')
        ? between(block, '<tool_call>', '</tool_call>').map((piece) => this.#glm(piece))
        : [this.#glm(block)];
    if (block.includes('<｜tool▁call▁begin｜>'))
      return between(block, '<｜tool▁call▁begin｜>', '<｜tool▁call▁end｜>').map((piece) => {
        const [first = '', ...rest] = piece.split('<｜tool▁sep｜>');
        // The older form has its kind first, and its arguments in a fence.
        return this.#written(/^\s*function\s*$/.test(first) ? rest.join('') : `${first}\n${rest.join('')}`);
      });
    if (block.includes('<|tool_call_begin|>'))
      return between(block, '<|tool_call_begin|>', '<|tool_call_end|>').map((piece) =>
        this.#written(piece.replace('<|tool_call_argument_begin|>', '\n')),
      );
    if (block.includes('[TOOL_CALLS]'))
      return block.split('[TOOL_CALLS]').flatMap((piece) => this.#callsIn(piece.trim()));
    const [header, message] = block.split('<|message|>', 2);
    if (message !== undefined) return [this.#call(/^[\w.-]*/.exec(header ?? '')?.[0] ?? '', message)];
    if (/^\s*call:/.test(block)) return between(block, 'call:', 'call:').map((piece) => this.#gemma(piece));
    const json = lenientJson(block.trim());
    if (json !== undefined) {
      const list = isFields(json) && Array.isArray(json.tool_calls) ? json.tool_calls : json;
      return [list].flat().map((each) => this.#object(each));
    }
    const [, acting, input = ''] = IN_LINES.exec(block.trimStart()) ?? [];
    if (acting !== undefined) return [this.#call(acting, input.trim().replace(/\nObservation:$/, ''))];
    const bare = block.trim();
    if (bare.startsWith('{')) return objectsIn(bare).map((text) => this.#object(lenientJson(text.trim())));
    if (/^[\w.-]{1,100}$/.test(bare)) return [this.#call(bare, {})];
    const lines = bare.split('\n');
    if (lines.length > 1 && lines.every((line) => /^[A-Za-z_][\w.]{0,100}\(/.test(line)))
      return lines.map((line) => this.#python(line));
    return [this.#written(bare) ?? this.#python(bare)];
  }

  #call(written: string, inputs: unknown): SpokenCall | undefined {
    const name = this.#toolNamed(written.trim());
    const given = typeof inputs === 'string' ? lenientJson(inputs) : (inputs ?? {});
    return name !== undefined && isFields(given) ? { name, arguments: JSON.stringify(given) } : undefined;
  }

  #object(value: unknown): SpokenCall | undefined {
    if (!isFields(value)) return undefined;
    if (isFields(value.function)) return this.#object(value.function);
    const name = value.name ?? value.tool_name ?? value.tool ?? value.function ?? value.action;
    const inputs = value.arguments ?? value.parameters ?? value.args ?? value.input ?? value.action_input;
    if (typeof name === 'string') return this.#call(name, inputs);
    // Apertus names the tool by the only key.
    const [only, ...others] = Object.entries(value);
    return only && others.length === 0 ? this.#call(...only) : undefined;
  }

  /** A name, and its arguments as JSON behind it. */
  #written(text: string): SpokenCall | undefined {
    const at = text.indexOf('{');
    if (at < 0) return undefined;
    const name = text.slice(0, at).replace(/\[(?:ARGS|CALL_ID\]\w{0,40}\[ARGS)\]|```(?:json)?/g, '');
    return this.#call(name, text.slice(at).trimEnd().replace(/```$/, ''));
  }

  #text(tool: string, [name, value]: readonly [string, string]): [string, unknown] {
    const type = this.#typeOf(tool, name);
    const read = type === 'string' ? undefined : lenientJson(value.trim());
    return [name, read === undefined ? value : read];
  }

  #tagged(piece: string): SpokenCall | undefined {
    const [begin, name = ''] = ATTRIBUTE.exec(piece) ?? [];
    const tool = this.#toolNamed(name);
    if (begin === undefined || tool === undefined) return undefined;
    const body = piece.slice(begin.length).trim();
    const inputs = inputsIn(body);
    if (inputs.length === 0 && body !== '') return this.#call(name, body);
    return this.#call(name, Object.fromEntries(inputs.map((input) => this.#text(tool, input))));
  }

  #glm(block: string): SpokenCall | undefined {
    const name = block.slice(0, block.indexOf('<arg_key>')).replace('<tool_sep>', '').trim();
    const tool = this.#toolNamed(name);
    const keys = between(block, '<arg_key>', '</arg_key>');
    const values = between(block, '<arg_value>', '</arg_value>');
    if (tool === undefined || keys.length !== values.length) return undefined;
    return this.#call(
      name,
      Object.fromEntries(keys.map((key, at) => this.#text(tool, [key.trim(), values[at] ?? '']))),
    );
  }

  /** `lookup{query:<escape>a<escape>,most:3}`: names without quotation marks, texts between marks of their own. */
  #gemma(text: string): SpokenCall | undefined {
    const at = text.indexOf('{');
    const inputs = text
      .slice(at)
      .split(/<escape>|<\|"\|>/)
      .map((piece, n) =>
        n % 2 === 1 ? JSON.stringify(piece) : piece.replace(/([{,]\s{0,20})(\w{1,60})\s{0,20}:/g, '$1"$2":'),
      );
    return at < 0 ? undefined : this.#call(text.slice(0, at), inputs.join('').trim());
  }

  #python(text: string): SpokenCall | undefined {
    const bare = text.replace(/^\[/, '').replace(/\]$/, '');
    const [, name, inputs] = /^(?:print\()?([A-Za-z_][\w.]{0,100})\(([^()]*)\)\)?$/.exec(bare.trim()) ?? [];
    const given = inputs === undefined ? undefined : keywordsIn(inputs.trim());
    return name === undefined || given === undefined
      ? undefined
      : this.#call(name.replace(/\.call$/, ''), given);
  }
}

/** Most blanks at the beginning of an answer that may still be a bare call, characters. */
const MOST_BLANK = 100;
/** Characters of a line's beginning, and of its end, that tell if it is code and if a call may follow. */
const LINE_END = 60;
/** Returns a line without its middle, so that the work at each mark does not grow with the line. */
const endsOf = (line: string): string =>
  line.length > 2 * LINE_END ? line.slice(0, LINE_END) + line.slice(-LINE_END) : line;

/** Reads one answer. A possible beginning of a call is held back until it can be told. */
export class SpokenCalls {
  readonly #calls: CallReader;
  readonly #toolNamed: NameTool;
  #held = '';
  #mark: Mark | undefined;
  #isStart = true;
  /** Nothing but blanks came behind a call. */
  #isBehindCall = false;
  /** The current line of the words passed on, without its middle, and the fence around it. */
  #line = '';
  #fence: Fence | null = null;

  constructor(toolNamed: NameTool, typeOf: TypeInput) {
    this.#calls = new CallReader(toolNamed, typeOf);
    this.#toolNamed = toolNamed;
  }

  /** Returns the words and calls that are certain. `isLast`: nothing follows. */
  read(text: string, isLast = false): readonly WordsOrCalls[] {
    this.#held += text;
    if (this.#isBehindCall) this.#held = this.#held.trimStart();
    this.#isBehindCall &&= this.#held === '';
    const out: WordsOrCalls[] = [];
    while (this.#readNext(out, isLast));
    return out;
  }

  #say(length: number, out: WordsOrCalls[]): void {
    const words = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    if (words === '') return;
    for (const [at, piece] of words.split('\n').entries()) {
      if (at > 0) {
        this.#fence = fenceAfter(this.#line, this.#fence);
        this.#line = '';
      }
      this.#line = endsOf(this.#line + piece);
    }
    if (words.trim() !== '') this.#isStart = false;
    out.push(words);
  }

  /** True: read on. */
  #readNext(out: WordsOrCalls[], isLast: boolean): boolean {
    if (this.#held === '') return false;
    if (this.#isStart) {
      const state = this.#bareCall(isLast);
      if (state === 'held') return false;
      if (state !== 'words') {
        this.#held = '';
        out.push(state);
        return false;
      }
    }
    if (this.#mark) return this.#readBlock(this.#mark, out, isLast);
    FIRST.lastIndex = 0;
    for (let found = FIRST.exec(this.#held); found; found = FIRST.exec(this.#held)) {
      const at = found.index;
      const rest = this.#held.slice(at, at + 50);
      const mark = MARKS.find(({ open }) => rest.startsWith(open));
      const isBegun = !isLast && MARKS.some(({ open }) => open.startsWith(rest));
      if (!mark && !isBegun) continue;
      const mayBegin = this.#mayBegin(this.#held.slice(0, at));
      this.#say(mayBegin ? at : at + 1, out);
      // Looks at the words before a mark once: there may be as many marks as words.
      if (!mayBegin) return true;
      this.#mark = mark;
      return mark !== undefined;
    }
    this.#say(this.#held.length, out);
    return false;
  }

  /** True if a call may begin behind these words: at the beginning of a line, or behind a sentence or a tag. */
  #mayBegin(words: string): boolean {
    const lines = words.split('\n');
    let fence = this.#fence;
    for (const line of [this.#line + (lines[0] ?? ''), ...lines.slice(1)].slice(0, -1))
      fence = fenceAfter(line, fence);
    const line = (lines.length === 1 ? this.#line : '') + (lines.at(-1) ?? '');
    const isCode = fence !== null || /^(?: {4}|\t)/.test(line);
    return !isCode && /(?:^|[.!?:>。！？：])\s*$/.test(line.trimEnd());
  }

  #readBlock({ open, close, skipped = open.length }: Mark, out: WordsOrCalls[], isLast: boolean): boolean {
    const end = close === '' ? -1 : this.#held.indexOf(close, open.length);
    const isWords = open === 'Action: ' && !this.#mayAct(this.#held.slice(0, 150));
    if (end < 0 && !isLast && !isWords && this.#held.length < LONGEST) return false;
    const until = end < 0 ? this.#held.length : end;
    const calls = isWords ? [] : this.#calls.read(this.#held.slice(skipped, until));
    this.#mark = undefined;
    const length = end < 0 ? this.#held.length : end + close.length;
    if (calls.length === 0) this.#say(length, out);
    else {
      this.#held = this.#held.slice(length);
      this.#isStart = false;
      this.#held = this.#held.trimStart();
      this.#isBehindCall = this.#held === '';
      out.push(calls);
    }
    return true;
  }

  /** True if lines may become a call: the first names a tool, the next gives its input. */
  #mayAct(lines: string): boolean {
    const [begun, name = '', lineEnd, next = ''] = IN_LINES_BEGUN.exec(lines) ?? [];
    if (begun === undefined || lineEnd === undefined) return begun !== undefined;
    return this.#toolNamed(name) !== undefined && 'Action Input:'.startsWith(next);
  }

  /** An answer that is nothing but a call in JSON, bare or in a fence. */
  #bareCall(isLast: boolean): 'held' | 'words' | readonly SpokenCall[] {
    const begun = this.#held.trimStart();
    const body = begun.replace(/^```(?:json)?\s*/, '');
    if (!isLast && ('```json'.startsWith(begun) || body === ''))
      return this.#held.length < MOST_BLANK ? 'held' : 'words';
    const head = body
      .slice(0, 200)
      .replace(/\s/g, '')
      .replace(/^\[(?=\{|$)/, '');
    // Llama 4 writes a list of calls in Python.
    const [, called, bracket] = /^\[([A-Za-z_]\w{0,60})(\(|$)/.exec(head) ?? [];
    const isListed =
      called !== undefined && (bracket === '' ? !isLast : this.#toolNamed(called) !== undefined);
    if (isListed) return isLast ? this.#wholeCall(body) : this.#held.length < LONGEST ? 'held' : 'words';
    if (!BARE.some((begin) => head.startsWith(begin) || begin.startsWith(head))) return 'words';
    const name = /^\{"(?:name|action)":"([^"]*)"/.exec(head)?.[1];
    if (name !== undefined && this.#toolNamed(name) === undefined) return 'words';
    if (!isLast) return this.#held.length < LONGEST ? 'held' : 'words';
    return this.#wholeCall(body);
  }

  #wholeCall(body: string): 'words' | readonly SpokenCall[] {
    const calls = this.#calls.read(body.trimEnd().replace(/```$/, ''));
    return calls.length > 0 ? calls : 'words';
  }
}
