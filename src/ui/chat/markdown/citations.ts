// Numbers of sources in brackets, as answers cite them: `[1][2]` are two, where Markdown sees the words of one link to
// the other; and they keep their brackets, since a bare figure reads as a part of the text (`in 2024[1]`). Pure.
import type { LinkReference, Nodes, Root, RootContent } from 'mdast';

const NUMBER = /^\d{1,3}$/;

function definedIn(nodes: readonly Nodes[], found: Set<string>): Set<string> {
  for (const node of nodes) {
    if (node.type === 'definition') found.add(node.identifier);
    if ('children' in node) definedIn(node.children, found);
  }
  return found;
}

const textOfLink = ({ children }: LinkReference): string =>
  children.map((child) => (child.type === 'text' ? child.value : ' ')).join('');

/** Settles the citations of a tree. */
export function settleCitations(tree: Root): Root {
  const known = definedIn(tree.children, new Set());
  const citation = (number: string, { position }: LinkReference): RootContent => {
    const words = { type: 'text' as const, value: `[${number}]` };
    const place = position ? { position } : {};
    return known.has(number)
      ? {
          type: 'linkReference',
          identifier: number,
          label: number,
          referenceType: 'shortcut',
          children: [words],
          ...place,
        }
      : { ...words, ...place };
  };
  const visit = (node: Nodes): void => {
    if (!('children' in node)) return;
    for (const child of node.children) visit(child);
    if (!node.children.some(({ type }) => type === 'linkReference')) return;
    node.children = (node.children as RootContent[]).flatMap((child): RootContent[] => {
      if (child.type !== 'linkReference' || !NUMBER.test(child.identifier)) return [child];
      const words = textOfLink(child);
      if (!NUMBER.test(words)) return [child];
      return [
        ...(child.referenceType === 'full' ? [citation(words, child)] : []),
        citation(child.identifier, child),
      ];
    }) as typeof node.children;
  };
  if (known.size > 0) visit(tree);
  return tree;
}
