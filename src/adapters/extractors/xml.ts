// XML and HTML as a light tree. htmlparser2 only knows XML's five entities (HTML's own in HTML) and fetches nothing, so
// a document type that defines others or names a file has no effect.
import { Parser } from 'htmlparser2';
import { EXTRACT_LIMITS, ExtractionRefused } from './extractor.ts';

export interface Element {
  /** Name without its prefix: `p` for `w:p`. */
  readonly name: string;
  /**
   * Attributes by name, with and without prefix; if two differ only in their prefix, the first one keeps the short
   * name.
   */
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: (Element | string)[];
}

const local = (name: string): string => name.slice(name.indexOf(':') + 1);

/**
 * Throws `ExtractionRefused` if nesting exceeds `EXTRACT_LIMITS.depth`. Unclosed elements end with the text. In
 * `xhtml`, as in books, `<title/>` is empty; `html` would continue the title.
 */
export function parseTree(text: string, form: 'xml' | 'html' | 'xhtml'): Element {
  const root: Element = { name: '', attributes: {}, children: [] };
  const open: Element[] = [root];
  const parser = new Parser(
    {
      onopentag(name, given) {
        if (open.length > EXTRACT_LIMITS.depth)
          throw new ExtractionRefused('damaged', `Nested deeper than ${EXTRACT_LIMITS.depth}`);
        const attributes: Record<string, string> = {};
        for (const [key, value] of Object.entries(given)) {
          attributes[key] = value;
          attributes[local(key)] ??= value;
        }
        const element: Element = { name: form === 'xml' ? local(name) : name, attributes, children: [] };
        open.at(-1)?.children.push(element);
        open.push(element);
      },
      ontext(piece) {
        const siblings = open.at(-1)?.children;
        const last = siblings?.at(-1);
        if (siblings && typeof last === 'string') siblings[siblings.length - 1] = last + piece;
        else siblings?.push(piece);
      },
      onclosetag() {
        if (open.length > 1) open.pop();
      },
    },
    { xmlMode: form === 'xml', recognizeSelfClosing: form !== 'html', decodeEntities: true },
  );
  parser.end(text);
  return root;
}

/** Returns child elements without text. */
export const elementsOf = ({ children }: Element): Element[] =>
  children.filter((child): child is Element => typeof child !== 'string');

/** Returns children of that name. */
export const childrenOf = (element: Element, name: string): Element[] =>
  elementsOf(element).filter((child) => child.name === name);

/** Returns the first child of that name. */
export const childOf = (element: Element | undefined, name: string): Element | undefined =>
  element && elementsOf(element).find((child) => child.name === name);

/** Returns all elements of that name below it in text order, except those nested in one another. */
export function allOf(element: Element, name: string): Element[] {
  return elementsOf(element).flatMap((child) => (child.name === name ? [child] : allOf(child, name)));
}

/** Returns the first element of that name at any depth, in text order. */
export const firstOf = (element: Element, name: string): Element | undefined => allOf(element, name)[0];

/** Returns all characters in it. */
export const textIn = (element: Element): string =>
  element.children.map((child) => (typeof child === 'string' ? child : textIn(child))).join('');

/**
 * Returns targets of a part's relationships, by id and by the last word of their type (`notesSlide`, the first only).
 */
export function relationships(text: string): {
  target(id: string | undefined): string | undefined;
  ofType(type: string): string | undefined;
} {
  const all = allOf(parseTree(text, 'xml'), 'Relationship').map(({ attributes }) => attributes);
  return {
    target: (id) => all.find(({ Id }) => Id !== undefined && Id === id)?.Target,
    ofType: (type) => all.find(({ Type }) => Type?.endsWith(`/${type}`))?.Target,
  };
}

/** Returns the path of a part's relationships. */
export const relationshipsOf = (path: string): string => path.replace(/([^/]*)$/, '_rels/$1.rels');
