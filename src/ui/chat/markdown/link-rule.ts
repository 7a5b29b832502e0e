// Recognises text that looks like a link and is none: calls (`handlers[type](event)`) and
// patterns (`[text](url)`) stay words. Pure.
import type { Link, Nodes, PhrasingContent, Root } from 'mdast';

/** Every address has one of these: `https:`, `./a`, `README.md`, `#place`, `?query`. */
const ADDRESS_SIGN = /[./#:?%\\]/;
/** Names with dots: an argument of a function. */
const ARGUMENT = /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*$/;

function isWords({ url }: Link, source: string, from: number): boolean {
  if (source[from] !== '[') return false;
  return !ADDRESS_SIGN.test(url) || (/[A-Za-z0-9_)\]]/.test(source.charAt(from - 1)) && ARGUMENT.test(url));
}

/** Turns the link into words: its signs and the text in its brackets. */
function asWords(link: Link, source: string, from: number, to: number): PhrasingContent[] {
  const text = (start: number, end: number): PhrasingContent => ({
    type: 'text',
    value: source.slice(start, end),
  });
  const first = link.children[0]?.position?.start.offset;
  const last = link.children.at(-1)?.position?.end.offset;
  if (first === undefined || last === undefined) return [text(from, to)];
  return [text(from, first), ...link.children, text(last, to)];
}

/** Settles the links of a tree that was read from `source`: false links become words, and `HTTPS:` is written small. */
export function settleLinks(tree: Root, source: string): Root {
  const visit = (node: Nodes): void => {
    if (node.type === 'link' || node.type === 'definition')
      node.url = node.url.replace(/^[A-Z][A-Z0-9+.-]*:/i, (scheme) => scheme.toLowerCase());
    if (!('children' in node)) return;
    for (const child of node.children) visit(child);
    if (!node.children.some(({ type }) => type === 'link')) return;
    node.children = (node.children as PhrasingContent[]).flatMap((child) => {
      const { start, end } = child.position ?? {};
      if (child.type !== 'link' || start?.offset === undefined || end?.offset === undefined) return [child];
      return isWords(child, source, start.offset)
        ? asWords(child, source, start.offset, end.offset)
        : [child];
    });
  };
  if (source.includes(']') || /[A-Z]:\/\//.test(source)) visit(tree);
  return tree;
}
