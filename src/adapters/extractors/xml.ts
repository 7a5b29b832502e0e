// XML and HTML as a light tree. htmlparser2 knows no entities but XML's five (HTML's own in HTML) and fetches nothing: a document type that
// defines others, or names a file, does nothing.
import { Parser } from 'htmlparser2';
import { EXTRACT_LIMITS, ExtractionRefused } from './extractor.ts';

export interface Element {
  /** Without its prefix: `p` for `w:p`. */
  readonly name: string;
  /** By their names, and without a prefix as well: of two that differ in it alone that which comes first. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: (Element | string)[];
}

const local = (name: string): string => name.slice(name.indexOf(':') + 1);

/**
 * Throws `ExtractionRefused` where it is nested deeper than `EXTRACT_LIMITS.depth`. What is left open ends with the text. In `xhtml`, as books
 * have it, `<title/>` is empty; in `html` a browser would go on reading the title.
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

/** Child elements; text is left out. */
export const elementsOf = ({ children }: Element): Element[] =>
  children.filter((child): child is Element => typeof child !== 'string');

/** Children of that name. */
export const childrenOf = (element: Element, name: string): Element[] =>
  elementsOf(element).filter((child) => child.name === name);

/** The first child of that name. */
export const childOf = (element: Element | undefined, name: string): Element | undefined =>
  element && elementsOf(element).find((child) => child.name === name);

/** All of that name below it, in the order of the text; not those within one another. */
export function allOf(element: Element, name: string): Element[] {
  return elementsOf(element).flatMap((child) => (child.name === name ? [child] : allOf(child, name)));
}

/** The first of that name at any depth below it, in the order of the text. */
export const firstOf = (element: Element, name: string): Element | undefined => allOf(element, name)[0];

/** All characters in it. */
export const textIn = (element: Element): string =>
  element.children.map((child) => (typeof child === 'string' ? child : textIn(child))).join('');

/** Targets of a part's relationships, by id, and the first of a type's last word (`notesSlide`). */
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

/** Path of the relationships of a part. */
export const relationshipsOf = (path: string): string => path.replace(/([^/]*)$/, '_rels/$1.rels');
