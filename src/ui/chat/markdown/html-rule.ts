// HTML in Markdown: harmless tags are drawn, everything else is shown as the text it is. `<your-api-key>`
// and `List<String>` are no tags. Pure.

/** Drawn (and sanitised). */
const DRAWN = new Set(
  'a abbr address article aside b bdi bdo big blockquote br caption center cite code col colgroup dd del details dfn div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main mark nav ol p picture pre q rp rt ruby s samp section small source span strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr'.split(
    ' ',
  ),
);
export const DRAWN_TAGS: readonly string[] = [...DRAWN];

/** Known to HTML and not drawn: a block of them is shown line by line, as it was written. */
const VERBATIM = new Set(
  'base basefont body button canvas datalist dialog dir embed fieldset form frame frameset head html iframe input label legend link math menu menuitem meta noframes noscript object optgroup option param script search select style svg template textarea title track video audio'.split(
    ' ',
  ),
);
/** Without an end. */
const VOID = new Set('br col hr img source wbr'.split(' '));
const ENDLESS = new Set('base basefont embed frame input link meta param track'.split(' '));
/** Ended by the next of their kind, in a block of HTML. */
const FLAT = new Set('caption colgroup dd dt li p rp rt tbody td tfoot th thead tr'.split(' '));
/** Parts of a table: a browser drops them anywhere else. */
const PARTS = new Set('caption col colgroup tbody td tfoot th thead tr'.split(' '));
const ATTRIBUTES = new Set(
  'abbr align alt bgcolor border cellpadding cellspacing cite class color cols colspan compact datetime dir face headers height hidden href hreflang hspace id itemid itemprop itemscope itemtype label lang loading media name noshade nowrap open rel reversed role rows rowspan rules scope size sizes span src srcset start style summary tabindex target title translate type valign value vspace width'.split(
    ' ',
  ),
);

/** Linear: every alternative begins with a character that the ones before it cannot begin with. */
const TAG =
  /<(\/?)([A-Za-z][A-Za-z0-9-]*)((?:[ \t\r\n]+[^\s"'<>=/]+(?:[ \t\r\n]*=[ \t\r\n]*(?:"[^"]*"|'[^']*'|[^\s"'<>=`]+))?)*)[ \t\r\n]*\/?>/g;
const ATTRIBUTE = /([^\s"'<>=/]+)(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>=`]+))?/g;

const isOneCase = (name: string): boolean => name === name.toLowerCase() || name === name.toUpperCase();

/** Searches for endings; each kind of ending is searched for once. */
interface Ends {
  /** True if `end` occurs after `at`. */
  isBehind(end: string, at: number): boolean;
}

/** Makes the search for endings in a text, ignoring case. All calls together are linear in its length. */
export function endsIn(source: string): Ends {
  const last = new Map<string, number>();
  let lower: string | undefined;
  return {
    isBehind(end, at) {
      lower ??= source.toLowerCase();
      let index = last.get(end);
      if (index === undefined) {
        index = lower.lastIndexOf(end);
        last.set(end, index);
      }
      return index > at;
    },
  };
}

const COMMENTS: readonly (readonly [string, string])[] = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
  ['<!', '>'],
];

/**
 * True if HTML may begin at `at`: a tag that is drawn, or a block that is shown line by line as written. In a block its
 * end must follow, unless the text is still being written (`partial`).
 */
export function mayBeHtml(source: string, at: number, flow: boolean, partial: boolean, ends: Ends): boolean {
  const head = source.slice(at, at + 40);
  for (const [begin, end] of COMMENTS) if (head.startsWith(begin)) return partial || ends.isBehind(end, at);
  const [, slash, name = ''] = /^<(\/?)([A-Za-z][A-Za-z0-9-]*)(?=[\s/>]|$)/.exec(head) ?? [];
  if (name === '' || !isOneCase(name)) return false;
  const lower = name.toLowerCase();
  if (!DRAWN.has(lower) && !(flow && VERBATIM.has(lower))) return false;
  if (!flow || partial || slash === '/' || VOID.has(lower) || FLAT.has(lower) || ENDLESS.has(lower))
    return true;
  return ends.isBehind(`</${lower}`, at);
}

/** Elements that fold away what they hold, which is Markdown; and a break or a line, below which it goes on. */
const FOLDS = /^<\/?(?:details|summary|br|hr)(?=[\s/>])/i;

/**
 * The end of a line of tags that Markdown follows; `at` itself if no such tag begins there. It is read as such without
 * the empty line that CommonMark wants, unless it is set in like code.
 */
export function foldEnd(source: string, at: number): number {
  if (!FOLDS.test(source.slice(at, at + 12))) return at;
  const [line = ''] = /^[^\r\n]*/.exec(source.slice(at, at + LONGEST_FOLD)) ?? [];
  const end = at + line.length;
  const isWhole = line.length < LONGEST_FOLD && line.trimEnd().endsWith('>');
  return isWhole && !/^\s*?[\r\n](?: {4}|\t)/.test(source.slice(end, end + 20)) ? end : at;
}
/** Most of a line that is read, characters. */
const LONGEST_FOLD = 2_000;

/**
 * Parts a line of such tags into tags and the words between them; undefined if none of its words has signs of Markdown.
 */
export function foldedWords(
  value: string,
): readonly { readonly text: string; readonly isTag: boolean }[] | undefined {
  if (!FOLDS.test(value) || /[\r\n]/.test(value)) return undefined;
  const pieces = value
    .split(/(<[^<>]*>)/)
    .flatMap((text, at) => (text.trim() === '' ? [] : [{ text, isTag: at % 2 === 1 }]));
  return pieces.some(({ text, isTag }) => !isTag && /[*_`[\\$~]/.test(text)) ? pieces : undefined;
}

interface Tag {
  readonly node: number;
  readonly from: number;
  readonly to: number;
  readonly name: string;
  readonly closes: boolean;
  /** The table it is a part of. */
  readonly table: Tag | undefined;
  is: boolean;
}

const isAttribute = (key: string): boolean => ATTRIBUTES.has(key) || /^(?:data|aria)-/.test(key);
const isNamed = (name: string): boolean => isOneCase(name) && DRAWN.has(name.toLowerCase());

/** Matches a comment or an address between `<` and `>`, as far as the text so far shows. */
const BEGUN = /^<(?:!-?|h(?:t(?:t(?:p(?:s?(?::\/?\/?)?)?)?)?)?)$/i;

/**
 * Returns the start of a tag, comment or address that is still unfinished at the end of `words` and may be drawn; -1:
 * none. It stays hidden until it is whole.
 */
export function unfinishedTag(words: string): number {
  const comment = words.lastIndexOf('<!--');
  if (comment >= 0 && !words.includes('-->', comment)) return comment;
  const at = words.lastIndexOf('<');
  if (at < 0 || words.length - at > 300) return -1;
  if (BEGUN.test(words.slice(at))) return at;
  const [begun, name = '', rest = ''] =
    /^<\/?([A-Za-z][A-Za-z0-9]*)?([^<>]*?)\/?$/.exec(words.slice(at)) ?? [];
  if (begun === undefined) return -1;
  const lower = name.toLowerCase();
  if (rest === '') return isOneCase(name) && DRAWN_TAGS.some((tag) => tag.startsWith(lower)) ? at : -1;
  if (!/^\s/.test(rest) || !isNamed(name)) return -1;
  if (lower === 'details') return at;
  const keys = [...rest.replace(/=\s*(?:"[^"]*|'[^']*)$/, '').matchAll(ATTRIBUTE)].map(([, key = '']) =>
    key.toLowerCase(),
  );
  const last = keys.at(-1) ?? '';
  const isLast =
    isAttribute(last) || (rest.endsWith(last) && [...ATTRIBUTES].some((key) => key.startsWith(last)));
  return isLast && keys.slice(0, -1).every(isAttribute) ? at : -1;
}

function isDrawn(name: string, closes: boolean, attributes: string): boolean {
  const lower = name.toLowerCase();
  if (!isNamed(name)) return false;
  if (closes) return attributes.trim() === '';
  // Other apps note there how long a model thought.
  if (lower === 'details') return true;
  let sources = false;
  for (const [, attribute = ''] of attributes.matchAll(ATTRIBUTE)) {
    const key = attribute.toLowerCase();
    if (!isAttribute(key)) return false;
    sources ||= key === 'src' || key === 'srcset' || key === 'alt';
  }
  return lower !== 'img' || sources;
}

/** Elements that stand around whole blocks: between the words of a sentence one speaks of them. */
const AROUND_BLOCKS =
  /^<\/?(?:div|p|section|article|aside|header|footer|main|nav|h[1-6]|ul|ol|li|dl|dt|dd|table|form|blockquote|details|summary)>$/i;

/** True if a sentence speaks of this tag: words stand before it and behind it, each apart by a space. */
export const isSpokenOf = (tag: string, before: string, behind: string): boolean =>
  AROUND_BLOCKS.test(tag) && /[^\s>] $/.test(before) && /^(?: [^\s<]|[,.;:!?)]|$)/.test(behind);

/** True if a sentence may speak of a tag whose end has not come: `use <b> for bold`. */
export const mayBeSpokenOf = (before: string, behind: string): boolean =>
  /[^\s>] $/.test(before) && /^ [^\s<]/.test(behind);

/** `flow`: a block of HTML, in which some elements need no end. */
export interface Html {
  readonly value: string;
  readonly flow: boolean;
  /** Words while its other half has not come. */
  readonly spoken?: boolean;
}

/** The part of a piece that stays HTML, the rest escaped; null: none of it is HTML. */
type Drawn = string | null;

/** References to characters stay: in HTML they are what they stand for. */
const withoutTags = (text: string): string => text.replaceAll('<', '&lt;');

const VERBATIM_BLOCK = /^[ \t]*<(?:!|\?|(?:script|style|textarea)(?=[\s>]))/i;

/**
 * Decides which tags among siblings, given in order, are drawn. A tag must be known, have known attributes, and have
 * its other half among the siblings; with `partial`, the other half may still come.
 */
export function drawnHtml(pieces: readonly Html[], partial: boolean): Drawn[] {
  const tags: Tag[] = [];
  const open: Tag[] = [];
  for (const [node, { value, flow }] of pieces.entries()) {
    if (VERBATIM_BLOCK.test(value)) continue;
    for (const match of value.matchAll(TAG)) {
      const [whole, slash, name = '', attributes = ''] = match;
      if (!isDrawn(name, slash === '/', attributes)) continue;
      const lower = name.toLowerCase();
      const tag = {
        node,
        from: match.index,
        to: match.index + whole.length,
        name: lower,
        closes: slash === '/',
        table: PARTS.has(lower) ? open.findLast(({ name }) => name === 'table') : undefined,
        is: false,
      };
      tags.push(tag);
      if (VOID.has(lower)) tag.is = !tag.closes;
      else if (!tag.closes) {
        if (flow && FLAT.has(lower)) tag.is = true;
        open.push(tag);
      } else close(open, tag, flow && value.trim() === whole);
    }
  }
  if (partial) for (const tag of open) tag.is ||= !pieces[tag.node]?.spoken;
  const kept = tags.filter(({ is, name, table }) => is && (!PARTS.has(name) || table?.is === true));
  return pieces.map(({ value }, node) => {
    const own = kept.filter((tag) => tag.node === node);
    if (own.length === 0) return null;
    let out = '';
    let done = 0;
    for (const { from, to } of own) {
      out += `${withoutTags(value.slice(done, from))}${value.slice(from, to)}`;
      done = to;
    }
    return out + withoutTags(value.slice(done));
  });
}

/**
 * Pairs an end with the nearest beginning of its name. Beginnings in between without an end stay
 * unpaired. `alone`: on a separate line.
 */
function close(open: Tag[], tag: Tag, alone: boolean): void {
  for (let at = open.length - 1; at >= 0; at -= 1)
    if (open[at]?.name === tag.name) {
      (open[at] as Tag).is = true;
      tag.is = true;
      open.length = at;
      return;
    }
  // The element may have begun in an earlier block, so a closing tag alone may still count.
  tag.is = alone && FLAT.has(tag.name);
}

/**
 * Lists the elements that a block of HTML leaves open after those open `before`, outermost
 * first: they continue in the next blocks.
 */
export function openElements(before: readonly string[], value: string): string[] {
  const open = [...before];
  if (VERBATIM_BLOCK.test(value)) return open;
  for (const [, slash, name = '', attributes = ''] of value.matchAll(TAG)) {
    const lower = name.toLowerCase();
    if (!isDrawn(name, slash === '/', attributes) || VOID.has(lower) || FLAT.has(lower)) continue;
    if (slash !== '/') open.push(lower);
    else {
      const at = open.lastIndexOf(lower);
      if (at >= 0) open.length = at;
    }
  }
  return open;
}
