// Conversations in saved pages (ChatGPT, Claude, Gemini), in the page of Google's activities, and in XML, as lists of
// messages that `message-lists.ts` reads. Loaded with the first such file.
import { Parser } from 'htmlparser2';
import { RecollectError } from '../../domain/base/errors.ts';
import type { Role } from '../../domain/chat/message.ts';
import { fenced } from '../../domain/text/code.ts';
import { type LoggedActivity, sessionsOfActivities } from './activity-log.ts';
import { conversationInScript, pagesOfMhtml } from './page-payloads.ts';
import { roleNamed } from './roles.ts';
import { timeOf } from './times.ts';

type Attributes = Readonly<Record<string, string>>;

interface Markup {
  readonly open: (name: string, attributes: Attributes) => void;
  readonly text: (words: string) => void;
  readonly close: () => void;
}

/** Deepest nesting of elements; no page comes near it. */
const MAX_NESTING = 4000;

/** Reads markup; true if an element has no end. Throws `import-broken` for elements nested beyond any page's. */
function isCutIn(text: string, { open, text: say, close }: Markup, xmlMode = false): boolean {
  let depth = 0;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        depth += 1;
        if (depth > MAX_NESTING) throw new RecollectError('import-broken', 'Elements are nested too deep');
        open(name, attributes);
      },
      ontext: say,
      onclosetag() {
        depth -= 1;
        close();
      },
    },
    { xmlMode, decodeEntities: true },
  );
  parser.write(text);
  const isCut = depth > 0;
  parser.end();
  return isCut;
}

// ------------------------------------------------------------------------------------------------ words of a page
/** Elements whose words are no part of a message: controls, code, and words for screen readers alone. */
const UNSAID = new Set(['button', 'script', 'style', 'svg', 'noscript', 'nav', 'textarea', 'template']);
const UNSAID_CLASS = /(?:^|\s)(?:sr-only|katex-html|visually-hidden|cdk-visually-hidden)(?:\s|$)/;
const WIDE = /^(?:p|pre|ul|ol|table|blockquote|h[1-6])$/;
const BLOCK = /^(?:div|section|article|tr|dl|dt|dd|figure|header|footer|main)$/;
const AROUND: Readonly<Record<string, string>> = { strong: '**', b: '**', em: '*', i: '*', code: '`' };

/** Writes the elements of a message as Markdown, each once. */
class MarkdownWriter {
  readonly #out: string[] = [];
  /** Line ends that the output ends with; 2 at its beginning. */
  #ends = 2;
  #unsaid = 0;
  #wrapped = 0;
  #code: { own: string[]; around: string[]; language: string; depth: number } | undefined;
  #formula: string[] | undefined;
  #inMath = 0;
  readonly #lists: { isNumbered: boolean; count: number }[] = [];
  readonly #closers: (() => void)[] = [];
  #cells = 0;
  #rows = 0;
  readonly pictures: string[] = [];

  open(name: string, attributes: Attributes): void {
    let close = () => {};
    const kind = attributes.class ?? '';
    if (UNSAID.has(name) || UNSAID_CLASS.test(kind)) {
      this.#unsaid += 1;
      close = () => {
        this.#unsaid -= 1;
      };
    } else if (this.#unsaid === 0) close = this.#openSaid(name, attributes);
    this.#closers.push(close);
  }

  close(): void {
    this.#closers.pop()?.();
  }

  text(words: string): void {
    if (this.#unsaid > 0) return;
    if (this.#formula) this.#formula.push(words);
    else if (this.#inMath > 0) return;
    else if (this.#code) (this.#code.depth > 0 ? this.#code.own : this.#code.around).push(words);
    else if (this.#wrapped > 0) this.#put(words);
    else {
      const line = words.replace(/\s+/g, ' ');
      this.#put(this.#ends > 0 ? line.replace(/^ /, '') : line);
    }
  }

  /** The words so far. */
  taken(): string {
    return this.#out.join('').trim();
  }

  #put(words: string): void {
    if (words === '') return;
    this.#out.push(words);
    const end = /\n{0,2}$/.exec(words.slice(-2))?.[0].length ?? 0;
    this.#ends = end === words.length ? this.#ends + end : end;
  }

  #breakLines(count: number): void {
    if (this.#ends < count) this.#put('\n'.repeat(count - this.#ends));
  }

  #openSaid(name: string, attributes: Attributes): () => void {
    const kind = attributes.class ?? '';
    if (this.#code) return this.#openInCode(name, kind);
    if (name === 'math') {
      this.#inMath += 1;
      return () => {
        this.#inMath -= 1;
      };
    }
    if (name === 'annotation' && /tex/.test(attributes.encoding ?? '')) {
      this.#formula = [];
      return () => {
        const formula = this.#formula?.join('').trim() ?? '';
        this.#formula = undefined;
        this.#put(`$${formula}$`);
      };
    }
    if (name === 'br') this.#put('\n');
    if (name === 'img' && /^(?:https?|data):/.test(attributes.src ?? ''))
      this.pictures.push(attributes.src as string);
    if (name === 'hr') {
      this.#breakLines(2);
      this.#put('---\n\n');
    }
    if (name === 'pre') return this.#openPre();
    if (name === 'li') return this.#openItem();
    if (/^t[dh]$/.test(name)) {
      this.#cells += 1;
      this.#put('| ');
      return () => this.#put(' ');
    }
    if (name === 'a' && /^https?:/.test(attributes.href ?? '')) {
      this.#put('[');
      return () => this.#put(`](${attributes.href})`);
    }
    const mark = AROUND[name];
    if (mark !== undefined) {
      this.#put(mark);
      return () => this.#put(mark);
    }
    return this.#openBlock(name, kind);
  }

  #openBlock(name: string, kind: string): () => void {
    const isWide = WIDE.test(name);
    const isBlock = isWide || BLOCK.test(name);
    if (isBlock) this.#breakLines(isWide && this.#lists.length === 0 ? 2 : 1);
    if (/^h[1-6]$/.test(name)) this.#put(`${'#'.repeat(Number(name[1]))} `);
    if (name === 'blockquote') this.#put('> ');
    if (name === 'table') this.#rows = 0;
    if (name === 'tr') this.#cells = 0;
    const isList = name === 'ul' || name === 'ol';
    if (isList) this.#lists.push({ isNumbered: name === 'ol', count: 0 });
    const isWrapped = /whitespace-pre|query-text/.test(kind);
    if (isWrapped) this.#wrapped += 1;
    return () => {
      if (isWrapped) this.#wrapped -= 1;
      if (isList) this.#lists.pop();
      if (name === 'tr' && this.#cells > 0) {
        this.#put('|\n');
        if (this.#rows === 0) this.#put(`${'|---'.repeat(this.#cells)}|\n`);
        this.#rows += 1;
      }
      if (isBlock) this.#breakLines(isWide && this.#lists.length === 0 ? 2 : 1);
    };
  }

  #openPre(): () => void {
    const code = { own: [], around: [], language: '', depth: 0 };
    this.#code = code;
    return () => {
      this.#code = undefined;
      const words = (code.own.length > 0 ? code.own : code.around).join('').replace(/\n$/, '');
      this.#breakLines(2);
      this.#put(fenced(words, code.language));
      this.#breakLines(2);
    };
  }

  /** A block of code has its language and buttons above it, which are no part of it. */
  #openInCode(name: string, kind: string): () => void {
    const code = this.#code;
    if (name === 'br') (code?.depth ? code.own : code?.around)?.push('\n');
    if (name !== 'code' || !code) return () => {};
    code.depth += 1;
    code.language = /\blanguage-([\w+#.-]{1,40})/.exec(kind)?.[1] ?? code.language;
    return () => {
      code.depth -= 1;
    };
  }

  #openItem(): () => void {
    const list = this.#lists.at(-1);
    this.#breakLines(1);
    if (list) list.count += 1;
    this.#put(
      `${'  '.repeat(Math.min(20, Math.max(0, this.#lists.length - 1)))}${list?.isNumbered ? `${list.count}.` : '-'} `,
    );
    this.#ends = 1;
    return () => this.#breakLines(1);
  }
}

/** The words of a piece of a page, as Markdown. */
export function markdownOf(piece: string): string {
  const writer = new MarkdownWriter();
  isCutIn(piece, {
    open: (name, attributes) => writer.open(name, attributes),
    text: (words) => writer.text(words),
    close: () => writer.close(),
  });
  return writer.taken();
}

// ------------------------------------------------------------------------------------------------ saved pages
/** Tells the element of a message by a sign in the page. */
interface Mark {
  readonly sign: RegExp;
  readonly roleOf: (name: string, attributes: Attributes) => Role | undefined;
}

const byAttribute = (attribute: string): Mark => ({
  sign: new RegExp(`\\b${attribute}\\s*=`),
  roleOf: (_, attributes) => roleNamed(attributes[attribute] ?? ''),
});
const MARKS: readonly Mark[] = [
  byAttribute('data-message-author-role'),
  {
    // Claude.
    sign: /data-testid="user-message"|font-(?:user-message|claude-(?:message|response))/,
    roleOf: (_, attributes) =>
      attributes['data-testid'] === 'user-message' || /font-user-message/.test(attributes.class ?? '')
        ? 'user'
        : attributes['data-testid'] === 'assistant-message' ||
            /font-claude-(?:message|response)(?:\s|$)/.test(attributes.class ?? '')
          ? 'assistant'
          : undefined,
  },
  {
    // Gemini.
    sign: /<(?:user-query|model-response)\b/,
    roleOf: (name) => ({ 'user-query': 'user' as const, 'model-response': 'assistant' as const })[name],
  },
  ...['data-message-role', 'data-turn', 'data-role', 'data-author', 'data-sender'].map(byAttribute),
];

/** Names of the service around the title of a page. */
const SERVICE =
  /^(?:ChatGPT|Claude|Gemini|Google Gemini) ?[-–—|:] | [-–—|\\] (?:ChatGPT|Claude|Gemini|Google Gemini)$/;
const ADDRESS =
  /https:\/\/(?:chatgpt\.com|chat\.openai\.com|claude\.ai|gemini\.google\.com)\/(?:g\/[\w-]{1,200}\/)?(?:c|share|chat|app)\/([\w-]{8,80})/;
/** Part of a page in which it names its own address, characters. */
const HEAD = 20_000;

interface PageMessage {
  readonly role: Role;
  readonly content: unknown;
  readonly id?: string;
  readonly model?: string;
}

/** Reads the conversations of the first page that shows any in a file of MHTML; undefined if none does. */
export function conversationsOfMhtml(text: string): unknown[] | undefined {
  for (const page of pagesOfMhtml(text)) {
    const found = conversationsOfPage(page);
    if (found) return found;
  }
  return undefined;
}

/** Reads the conversations of a saved page; undefined if it shows none. */
export function conversationsOfPage(page: string): unknown[] | undefined {
  if (/class="[^"]*\bcontent-cell\b/.test(page)) return activitiesOfPage(page);
  const held = conversationInScript(page);
  if (held) return [held];
  const mark = MARKS.find(({ sign }) => sign.test(page));
  if (!mark) return undefined;
  const messages: PageMessage[] = [];
  let writer: MarkdownWriter | undefined;
  let [begun, depth, isTitle, title]: [PageMessage | undefined, number, boolean, string] = [
    undefined,
    0,
    false,
    '',
  ];
  const end = () => {
    const words = writer?.taken() ?? '';
    const pictures = (writer?.pictures ?? []).map((url) => ({ type: 'image_url', image_url: { url } }));
    if (begun && (words !== '' || pictures.length > 0))
      messages.push({
        ...begun,
        content: [...(words === '' ? [] : [{ type: 'text', text: words }]), ...pictures],
      });
    [writer, begun, depth] = [undefined, undefined, 0];
  };
  isCutIn(page, {
    open(name, attributes) {
      if (name === 'title' && title === '') isTitle = true;
      const role = mark.roleOf(name, attributes);
      if (role !== undefined) {
        // Around a message there may be another element that is marked so: its words are no one's.
        const [id, model] = [attributes['data-message-id'], attributes['data-message-model-slug']];
        begun = { role, content: [], ...(id ? { id } : {}), ...(model ? { model } : {}) };
        [writer, depth] = [new MarkdownWriter(), 0];
      }
      if (!writer) return;
      depth += 1;
      writer.open(name, attributes);
    },
    text(words) {
      if (isTitle) title += words;
      writer?.text(words);
    },
    close() {
      isTitle = false;
      if (!writer) return;
      writer.close();
      depth -= 1;
      if (depth === 0) end();
    },
  });
  end();
  // Marks that other pages have, too, need both sides.
  const isOwn = mark === MARKS[0] || messages.some(({ role }) => role === 'assistant');
  if (messages.length === 0 || !isOwn) return undefined;
  const id = ADDRESS.exec(page.slice(0, HEAD))?.[1];
  const name = title.replace(/\s+/g, ' ').trim().replace(SERVICE, '');
  return [{ ...(id ? { id } : {}), ...(name === '' ? {} : { title: name }), messages }];
}

// ------------------------------------------------------------------------------------------------ Google's activities
/** Reads the activities of a page, newest first as they stand there: what was asked, when, and the answer. */
function activitiesOfPage(page: string): unknown[] | undefined {
  const activities: LoggedActivity[] = [];
  let [header, words, chat]: [string, string, string | undefined] = ['', '', undefined];
  let writer: MarkdownWriter | undefined;
  let [depth, as]: [number, 'header' | 'words' | 'caption'] = [0, 'words'];
  const endCell = () => {
    const said = writer?.taken() ?? '';
    if (as === 'header') header = said;
    else if (as === 'words') words ||= said;
    else chat = /gemini\.google\.com\/app\/([\w-]{4,80})/.exec(said)?.[1];
    writer = undefined;
  };
  const endEntry = () => {
    const activity = activityIn(words, header, chat);
    if (activity) activities.push(activity);
    [header, words, chat] = ['', '', undefined];
  };
  isCutIn(page, {
    open(name, attributes) {
      const kind = attributes.class ?? '';
      if (/\bouter-cell\b/.test(kind)) endEntry();
      if (!writer && /\b(?:header|content)-cell\b/.test(kind)) {
        [writer, depth] = [new MarkdownWriter(), 0];
        as = /header-cell/.test(kind) ? 'header' : /caption/.test(kind) ? 'caption' : 'words';
      }
      if (!writer) return;
      depth += 1;
      writer.open(name, attributes);
    },
    text: (words) => writer?.text(words),
    close() {
      if (!writer) return;
      writer.close();
      depth -= 1;
      if (depth === 0) endCell();
    },
  });
  endEntry();
  return sessionsOfActivities(activities);
}

/** Splits the words of an entry at the line with its time. */
function activityIn(words: string, header: string, chat: string | undefined): LoggedActivity | undefined {
  const lines = words.split('\n');
  const at = lines.findIndex((line, place) => place > 0 && timeIn(line) !== undefined);
  if (at < 0) return undefined;
  return {
    header,
    chat,
    title: lines.slice(0, at).join('\n').trim(),
    time: timeIn(lines[at] as string) as number,
    answer: lines
      .slice(at + 1)
      .join('\n')
      .trim(),
    files: [],
  };
}

/** Time of a line that is nothing else; without its zone where that has several meanings. */
function timeIn(line: string): number | undefined {
  if (line.length > 80 || !/\d[:.]\d\d/.test(line)) return undefined;
  // Google writes the month first with slashes alone.
  const text = line.replace(/\s+/g, ' ').replace(/^(\d{1,2})\.(\d{1,2})\.(\d{4})/, '$3-$2-$1');
  for (const one of [text, text.replace(/ [A-Z]{3,5}$/, '')]) {
    const time = timeOf(one);
    if (typeof time === 'number') return time;
  }
  return undefined;
}

// ------------------------------------------------------------------------------------------------ XML
interface Element {
  readonly name: string;
  readonly attributes: Attributes;
  readonly children: Element[];
  /** Words and elements in their order. */
  readonly content: (string | Element)[];
}

/** Attributes that name who spoke. */
const SPEAKERS = ['role', 'sender', 'author', 'from', 'speaker'] as const;
/** Elements with words, whatever is in them. */
const WORDS = /^(?:content|text|message|body|value|words)$/;

/** Names of a model's side; XML without any holds no conversation with one. */
const OF_MODEL = /\b(?:assistant|model|bot|ai|chatgpt|gpt|claude|gemini|copilot)\b/i;

/** Reads XML as the fields and lists that it stands for; `isCut` if an element has no end. */
export function valueOfXml(xml: string): { readonly value: unknown; readonly isCut: boolean } {
  if (!OF_MODEL.test(xml)) return { value: undefined, isCut: false };
  const root: Element = { name: '', attributes: {}, children: [], content: [] };
  const open = [root];
  const isCut = isCutIn(
    xml,
    {
      open(name, attributes) {
        const element: Element = {
          name: name.slice(name.indexOf(':') + 1),
          attributes,
          children: [],
          content: [],
        };
        open.at(-1)?.children.push(element);
        open.at(-1)?.content.push(element);
        open.push(element);
      },
      text: (words) => open.at(-1)?.content.push(words),
      close: () => open.pop(),
    },
    true,
  );
  const value =
    root.children.length === 0 ? undefined : root.children.map((child) => fieldsAndLists(child, 0));
  return { value, isCut };
}

/** Deepest element that is read; what is in it is taken as its words. */
const DEEPEST = 40;

function fieldsAndLists(element: Element, depth: number): unknown {
  const { attributes, children } = element;
  const words = element.content
    .filter((one) => typeof one === 'string')
    .join('')
    .trim();
  const isSaid = SPEAKERS.some((name) => roleNamed(attributes[name] ?? '') !== undefined);
  if (isSaid && !children.some((child) => WORDS.test(child.name) || hasFields(child)))
    return { ...attributes, text: allText(element) };
  if (depth > DEEPEST) return allText(element);
  if (children.length === 0) {
    return Object.keys(attributes).length === 0
      ? words
      : { ...attributes, ...(words === '' ? {} : { text: words }) };
  }
  const fields: Record<string, unknown> = { ...attributes, ...(words === '' ? {} : { text: words }) };
  const roles = new Set(children.map((child) => roleNamed(child.name)));
  if (roles.has('user') && roles.has('assistant')) {
    const [said, beside] = [true, false].map((isSaid) =>
      children.filter((child) => (roleNamed(child.name) !== undefined) === isSaid),
    ) as [Element[], Element[]];
    return {
      ...fields,
      ...Object.fromEntries(beside.map((child) => [child.name, fieldsAndLists(child, depth + 1)])),
      messages: said.map((child) => ({
        ...child.attributes,
        role: roleNamed(child.name),
        text: allText(child),
      })),
    };
  }
  const lists = new Map<string, unknown[]>();
  for (const child of children) {
    const isWords = WORDS.test(child.name) && Object.keys(child.attributes).length === 0;
    const value =
      isWords && !child.children.some(hasFields) ? allText(child) : fieldsAndLists(child, depth + 1);
    const list = lists.get(child.name);
    if (list) list.push(value);
    else lists.set(child.name, [value]);
  }
  for (const [key, list] of lists)
    fields[key] = list.length === 1 && typeof list[0] === 'string' ? list[0] : list;
  return fields;
}

const hasFields = ({ name, attributes }: Element): boolean =>
  Object.keys(attributes).length > 0 || /^(?:role|sender|author|from|speaker)$/.test(name);

/** All words in an element, in their order. */
function allText(element: Element): string {
  const words: string[] = [];
  const open: (string | Element)[] = [element];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (typeof at === 'string') words.push(at);
    else {
      if (WIDE.test(at.name) || BLOCK.test(at.name) || /^(?:br|li)$/.test(at.name)) words.push('\n');
      for (const piece of [...at.content].reverse()) open.push(piece);
    }
  }
  return words.join('').trim();
}
